#include "runtime/record/atomic_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "compiler/base/errors.h"

namespace netc {
namespace fs = std::filesystem;
namespace {

std::string what_to_try(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT: return "free space on that disk, or choose another folder with --output";
    case EFBIG: return "raise the limit on file sizes (ulimit -f), or choose another folder with --output";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a folder you may write to with --output";
    default: return "choose another folder with --output";
  }
}

}  // namespace

AtomicFiles::~AtomicFiles() {
  if (open_ >= 0) close(open_);
  for (const Pending& file : pending_) unlink(file.written.c_str());
}

void AtomicFiles::fail(const std::string& doing, int error) {
  const std::string path = pending_.empty() ? "" : pending_.back().path;
  throw RuntimeError(fmt::format("{} {} failed: {}", doing, path, std::strerror(error)), what_to_try(error));
}

void AtomicFiles::begin(const std::string& path) {
  finish_file();
  pending_.push_back({path, fmt::format("{}.{}.part", path, getpid())});
  open_ = open(pending_.back().written.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (open_ < 0) fail("creating", errno);
}

void AtomicFiles::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(open_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("writing", errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void AtomicFiles::append(std::string_view text) { append(std::as_bytes(std::span(text.data(), text.size()))); }

void AtomicFiles::finish_file() {
  if (open_ < 0) return;
  const int file = open_;
  open_ = -1;
  if (fsync(file) != 0 && errno != EINVAL) {   // EINVAL: a file system without fsync
    const int error = errno;
    close(file);
    fail("writing", error);
  }
  if (close(file) != 0) fail("writing", errno);
}

void AtomicFiles::commit() {
  finish_file();
  for (const Pending& file : pending_)
    if (rename(file.written.c_str(), file.path.c_str()) != 0) fail("replacing", errno);
  // The renames themselves reach the disk with the folder.
  for (const Pending& file : pending_) {
    const int folder = open(fs::path(file.path).parent_path().empty() ? "." : fs::path(file.path).parent_path().c_str(),
                            O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) continue;
    fsync(folder);
    close(folder);
  }
  pending_.clear();
}

void write_file_atomically(const std::string& path, std::string_view text) {
  AtomicFiles files;
  files.begin(path);
  files.append(text);
  files.commit();
}

}  // namespace netc
