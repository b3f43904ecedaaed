#include "runtime/interrupt.h"

#include <csignal>

namespace netc {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

void on_signal(int signal) {
  interrupted.store(true);
  std::signal(signal, SIG_DFL);   // the next one ends the process
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted.store(false);
  before_int_ = std::signal(SIGINT, on_signal);
  before_term_ = std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, before_int_);
  std::signal(SIGTERM, before_term_);
}

const std::atomic<bool>* InterruptGuard::flag() const { return &interrupted; }

}  // namespace netc
