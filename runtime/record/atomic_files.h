// Files that change together or not at all. Each is written in full beside the one it replaces and synced to disk;
// commit() then renames them all. A full disk or a crash before that leaves every old file as it was.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace netc {

class AtomicFiles {
 public:
  AtomicFiles() = default;
  ~AtomicFiles();   // removes what was written and not committed
  AtomicFiles(const AtomicFiles&) = delete;
  AtomicFiles& operator=(const AtomicFiles&) = delete;

  // Starts the next file: what is appended goes to it. All throw RuntimeError with the path, the reason and what to try.
  void begin(const std::string& path);
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text);
  void commit();

 private:
  struct Pending {
    std::string path, written;   // `written` is renamed to `path`
  };
  void finish_file();            // syncs and closes the open one
  [[noreturn]] void fail(const std::string& doing, int error);

  std::vector<Pending> pending_;
  int open_ = -1;
};

// One small file in one call.
void write_file_atomically(const std::string& path, std::string_view text);

}  // namespace netc
