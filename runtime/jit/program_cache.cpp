#include "runtime/jit/program_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "compiler/base/content_hash.h"

namespace netc::jit {
namespace {

namespace fs = std::filesystem;

std::string default_directory() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && xdg[0] == '/') return std::string(xdg) + "/netc";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') return std::string(home) + "/.cache/netc";
  return "";
}

std::string key_of(const std::string& source, const std::vector<std::string>& options) {
  const NvrtcVersion version = nvrtc_version();
  std::string rest = std::to_string(version.major) + "." + std::to_string(version.minor);
  for (const std::string& option : options) rest += "\n" + option;
  const uint64_t first = content_hash(rest, content_hash(source));
  return hex(first) + hex(content_hash(source, content_hash(rest, first)));
}

// "netc-nvrtc <checksum> <bytes of ptx> <bytes of cubin> <bytes of log>\n", then the three.
std::optional<CompiledProgram> read_entry(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string mark, sum, line;
  size_t ptx = 0, cubin = 0, log = 0;
  if (!std::getline(in, line) || !(std::istringstream(line) >> mark >> sum >> ptx >> cubin >> log) || mark != "netc-nvrtc")
    return std::nullopt;
  std::ostringstream content;
  content << in.rdbuf();
  const std::string all = std::move(content).str();
  if (all.size() != ptx + cubin + log || hex(content_hash(all)) != sum) return std::nullopt;
  return CompiledProgram{all.substr(0, ptx), all.substr(ptx, cubin), all.substr(ptx + cubin)};
}

// A full disk or a folder that cannot be written costs time the next time, and nothing else.
void write_entry(const fs::path& path, const CompiledProgram& program) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const fs::path own = path.string() + "." + std::to_string(getpid());
  const std::string all = program.ptx + program.cubin + program.log;
  std::ofstream out(own, std::ios::binary | std::ios::trunc);
  out << "netc-nvrtc " << hex(content_hash(all)) << " " << program.ptx.size() << " " << program.cubin.size() << " "
      << program.log.size() << "\n"
      << all;
  out.close();
  if (out) fs::rename(own, path, error);
  if (!out || error) fs::remove(own, error);
}

}  // namespace

std::string cache_entry_path(const std::string& directory, const std::string& source, const std::vector<std::string>& options) {
  const std::string folder = directory.empty() ? default_directory() : directory;
  return folder.empty() ? "" : (fs::path(folder) / (key_of(source, options) + ".nvrtc")).string();
}

CompiledProgram compile_cached(const std::string& directory, const std::string& source, const std::vector<std::string>& options) {
  const std::string path = cache_entry_path(directory, source, options);
  if (!path.empty())
    if (const std::optional<CompiledProgram> kept = read_entry(path)) return *kept;
  CompiledProgram program = nvrtc_compile(source, "netc_kernels.cu", options);
  if (!path.empty()) write_entry(path, program);
  return program;
}

}  // namespace netc::jit
