// Ctrl-C and SIGTERM as a flag that the training loop looks at between steps, so that a run ends with its weights saved
// and exit code 130. A second signal ends the process at once.
#pragma once

#include <atomic>

namespace netc {

inline constexpr int kInterruptedExitCode = 130;   // 128 + SIGINT, what shells expect

// Handles SIGINT and SIGTERM while it lives. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>* flag() const;

 private:
  void (*before_int_)(int);
  void (*before_term_)(int);
};

}  // namespace netc
