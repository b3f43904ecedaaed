#include "runtime/backend/cpu/kernel_cache.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <sstream>
#include <vector>

#include "compiler/base/content_hash.h"

namespace netc {
namespace {

namespace fs = std::filesystem;

// What all units are compiled with. Speed needs the vectoriser's dynamic cost model and no errno in sqrt; NaN and the
// order of operations are kept, and multiply-adds are fused only where the text says so.
constexpr std::array kFlags{"-x", "c", "-std=gnu11", "-O2", "-ftree-vectorize", "-fno-math-errno", "-fno-trapping-math",
                            "-ffp-contract=off", "-fwrapv", "-fno-stack-protector", "-fPIC", "-shared", "-nostdlib", "-w"};
// Passes that gain nothing on this text, where all of it is explicit, and take a fifth of the time.
constexpr std::array kGccFlags{"-fvect-cost-model=dynamic", "-fno-tree-pre", "-fno-tree-vrp", "-fno-gcse",
                               "-fno-thread-jumps", "-fno-tree-dominator-opts"};

constexpr std::string_view kTrailerMark = "netc-sum";

std::string trailer(std::string_view content) { return std::string(kTrailerMark) + hex(content_hash(content)); }

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream content;
  content << in.rdbuf();
  return std::move(content).str();
}

bool write_file(const fs::path& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  return static_cast<bool>(out);
}

bool is_whole(const fs::path& path) {
  const std::optional<std::string> content = read_file(path);
  const size_t tail = kTrailerMark.size() + 16;
  if (!content || content->size() <= tail) return false;
  const std::string_view body = std::string_view(*content).substr(0, content->size() - tail);
  return std::string_view(*content).substr(body.size()) == trailer(body);
}

std::string default_directory() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && xdg[0] == '/') return std::string(xdg) + "/netc";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') return std::string(home) + "/.cache/netc";
  return "";
}

bool is_writable_directory(const fs::path& path) {
  if (path.empty()) return false;
  std::error_code error;
  fs::create_directories(path, error);
  return fs::is_directory(path, error) && access(path.c_str(), W_OK | X_OK) == 0;
}

std::vector<std::string> flags_for(const Target& target, const HostCompiler& compiler) {
  std::vector<std::string> flags(kFlags.begin(), kFlags.end());
  if (compiler.version.find("clang") == std::string::npos) flags.insert(flags.end(), kGccFlags.begin(), kGccFlags.end());
  std::istringstream words(target.compiler_flags);
  for (std::string word; words >> word;) flags.push_back(word);
  return flags;
}

std::string key_of(const std::string& source, const Target& target, const HostCompiler& compiler) {
  std::string rest = compiler.path + "\n" + compiler.version + "\n" + target.name;
  for (const std::string& flag : flags_for(target, compiler)) rest += "\n" + flag;
  uint64_t key[2] = {kHashStart, 0x9AE16A3B2F90404Full};
  for (uint64_t& part : key) part = content_hash(rest, content_hash(source, part));
  return hex(key[0]) + hex(key[1]);
}

// Compiles into `directory` under names of this process' own.
fs::path build(const fs::path& directory, const std::string& key, const std::string& source, const Target& target,
               const HostCompiler& compiler) {
  const fs::path text = directory / (key + ".c");
  const fs::path own = directory / (key + "." + std::to_string(getpid()));
  const fs::path own_text = own.string() + ".c", object = own.string() + ".so";
  const auto full = [&] {
    return RuntimeError("cannot write generated kernels to " + directory.string() + ": " + std::strerror(errno),
                        "free some space there, or set XDG_CACHE_HOME");
  };
  if (!write_file(own_text, source)) throw full();
  std::error_code error;
  fs::rename(own_text, text, error);
  if (error) throw full();

  std::vector<std::string> command{compiler.path};
  for (const std::string& flag : flags_for(target, compiler)) command.push_back(flag);
  command.insert(command.end(), {"-o", object.string(), text.string()});
  const ProcessResult run = run_process(command);
  if (run.exit_code != 0) {
    fs::remove(object, error);
    throw RuntimeError(compiler.version + " did not compile the generated kernels in " + text.string() + ":\n" +
                           run.output.substr(0, 2000),
                       "another compiler with --host-cxx, or --backend reference");
  }
  const std::optional<std::string> content = read_file(object);
  if (!content || !write_file(object, *content + trailer(*content))) {
    fs::remove(object, error);
    throw full();
  }
  return object;
}

struct Loaded {
  void* handle = nullptr;
  bool from_cache = false;
};

Loaded load_or_build(const fs::path& directory, const std::string& text, const Target& target, const HostCompiler& compiler) {
  const std::string key = key_of(text, target, compiler);
  const fs::path entry = directory / (key + ".so");
  if (is_whole(entry))
    if (void* handle = dlopen(entry.c_str(), RTLD_NOW | RTLD_LOCAL)) return {handle, true};
  const fs::path object = build(directory, key, text, target, compiler);
  std::error_code error;
  fs::rename(object, entry, error);
  if (void* handle = dlopen((error ? object : entry).c_str(), RTLD_NOW | RTLD_LOCAL)) return {handle, false};
  throw RuntimeError("cannot load the compiled kernels " + entry.string() + ": " + dlerror());
}

}  // namespace

CompiledUnit::~CompiledUnit() {
  for (void* handle : handles_) dlclose(handle);
}

KernelFunction CompiledUnit::function(const std::string& symbol, int part) const {
  void* address = dlsym(handles_.at(static_cast<size_t>(part)), symbol.c_str());
  if (address == nullptr) throw InternalError("the compiled unit has no kernel " + symbol);
  return reinterpret_cast<KernelFunction>(address);
}

KernelCache::KernelCache(std::string directory, std::function<void(const std::string&)> notice)
    : directory_(directory.empty() ? default_directory() : std::move(directory)), notice_(std::move(notice)) {}

std::string KernelCache::entry_path(const std::string& text, const Target& target, const HostCompiler& compiler) const {
  return (fs::path(directory_) / (key_of(text, target, compiler) + ".so")).string();
}

std::shared_ptr<CompiledUnit> KernelCache::compile(const std::vector<std::string>& texts, const Target& target,
                                                   const HostCompiler& compiler) const {
  fs::path directory = directory_;
  const bool kept = is_writable_directory(directory);
  if (!kept) {   // no place to keep them: a folder of our own that goes away again
    if (notice_)
      notice_("generated kernels are compiled anew each time, for " +
              (directory_.empty() ? "no cache folder is known (set HOME or XDG_CACHE_HOME)" : directory_ + " cannot be written"));
    std::string pattern = (fs::temp_directory_path() / "netc-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw RuntimeError("cannot make a temporary folder " + pattern + ": " + std::strerror(errno), "set TMPDIR");
    directory = pattern;
  }
  std::vector<std::future<Loaded>> running;
  for (const std::string& text : texts)
    running.push_back(std::async(std::launch::async, load_or_build, directory, std::cref(text), std::cref(target), std::cref(compiler)));
  std::vector<void*> handles;
  std::exception_ptr failure;
  bool from_cache = true;
  for (std::future<Loaded>& one : running) try {
      const Loaded loaded = one.get();
      handles.push_back(loaded.handle);
      from_cache &= loaded.from_cache;
    } catch (...) {
      failure = std::current_exception();
    }
  auto unit = std::make_shared<CompiledUnit>(std::move(handles), from_cache);
  if (failure) std::rethrow_exception(failure);
  std::error_code ignored;
  if (!kept) fs::remove_all(directory, ignored);
  return unit;
}

}  // namespace netc
