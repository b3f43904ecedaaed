#include "cli/crash.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "cli/failure.h"
#include "cli/terminal.h"

namespace netc {
namespace {

// Made in advance: a handler may neither allocate nor format.
struct CrashTexts {
  std::string path, report, line;
};
CrashTexts& texts() {
  static CrashTexts prepared;
  return prepared;
}

void write_all(int file, const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(file, text.data(), text.size());
}

void on_fatal_signal(int) {
  const CrashTexts& prepared = texts();
  const int file = open(prepared.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) write_all(file, prepared.report);
  write_all(STDERR_FILENO, prepared.line);
  _exit(kExitInternal);
}

}  // namespace

void report_crashes(const std::vector<std::string>& words) {
#if !defined(__SANITIZE_ADDRESS__)   // which reports better itself
  texts().path = report_path();
  texts().report = report_heading(words, "a fatal signal");
  texts().line = "netc: internal error: crashed (this is a fault of netc; please report it with " + texts().path + ")\n";

  constexpr size_t kStackBytes = 64 << 10;
  static char stack[kStackBytes];     // an overflowing stack has no room for the handler
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = kStackBytes;
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_handler = on_fatal_signal;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
#else
  (void)words;
#endif
}

}  // namespace netc
