// Errors by whose fault. The author of a file gets Diagnostics (diagnostics.h, exit 1) and never an exception.
#pragma once

#include <stdexcept>
#include <string>

namespace netc {

// The machine's fault: a missing file, a full disk, no compiler. Says what failed and what to try. Exit 2.
class RuntimeError : public std::runtime_error {
 public:
  explicit RuntimeError(std::string what_failed, std::string what_to_try = {})
      : std::runtime_error(what_to_try.empty() ? what_failed : what_failed + "\n  try: " + what_to_try) {}
};

// Our fault: a broken invariant. Exit 3. A user must never see one.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace netc
