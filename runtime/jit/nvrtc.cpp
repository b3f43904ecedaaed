#include "runtime/jit/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "compiler/base/errors.h"
#include "runtime/jit/nvrtc_api.h"

namespace netc::jit {
namespace {

namespace fs = std::filesystem;
using Api = NvrtcApi<int, struct OpaqueProgram*>;
using Program = OpaqueProgram*;

constexpr const char* kNames[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable); home && *home) folders.push_back(std::string(home) + "/lib64");
  folders.push_back("/usr/local/cuda/lib64");
  std::vector<std::string> versions;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored))
    if (entry.path().filename().string().rfind("cuda-", 0) == 0) versions.push_back(entry.path().string() + "/lib64");
  std::sort(versions.rbegin(), versions.rend());
  folders.insert(folders.end(), versions.begin(), versions.end());
  return folders;
}

std::vector<std::string> candidates() {
  if (const char* named = std::getenv("NETC_NVRTC"); named && *named) return {named};
  std::vector<std::string> files;
  std::error_code ignored;
  for (const std::string& folder : toolkit_folders())
    for (const char* name : kNames)
      if (const std::string file = folder + "/" + name; fs::exists(file, ignored)) files.push_back(file);
  files.insert(files.end(), std::begin(kNames), std::end(kNames));
  return files;
}

struct Library {
  Api api{};
  std::string path;
  std::string missing;   // empty: the library is here
};

template <class Function>
bool find_function(void* library, const char* name, Function& to) {
  to = reinterpret_cast<Function>(dlsym(library, name));
  return to != nullptr;
}

bool find_functions(void* library, Api& api) {
  return find_function(library, "nvrtcVersion", api.version) &&
         find_function(library, "nvrtcGetNumSupportedArchs", api.supported_architecture_count) &&
         find_function(library, "nvrtcGetSupportedArchs", api.supported_architectures) &&
         find_function(library, "nvrtcCreateProgram", api.create_program) &&
         find_function(library, "nvrtcDestroyProgram", api.destroy_program) &&
         find_function(library, "nvrtcCompileProgram", api.compile_program) &&
         find_function(library, "nvrtcGetPTXSize", api.ptx_size) && find_function(library, "nvrtcGetPTX", api.ptx) &&
         find_function(library, "nvrtcGetCUBINSize", api.cubin_size) &&
         find_function(library, "nvrtcGetCUBIN", api.cubin) &&
         find_function(library, "nvrtcGetProgramLogSize", api.log_size) &&
         find_function(library, "nvrtcGetProgramLog", api.log) &&
         find_function(library, "nvrtcGetErrorString", api.error_text);
}

Library open_library() {
  Library found;
  std::string last_error;
  for (const std::string& file : candidates()) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      if (const char* text = dlerror(); text && last_error.empty()) last_error = text;
      continue;
    }
    if (find_functions(library, found.api)) {
      found.path = file;
      return found;   // stays open for the life of the process
    }
    last_error = file + " lacks a function that netc needs (older than CUDA 11.2?)";
    dlclose(library);
  }
  found.missing = last_error.empty() ? "no libnvrtc.so was found" : last_error;
  return found;
}

const Library& library() {
  static const Library opened = open_library();
  return opened;
}

const Library& needed() {
  if (library().missing.empty()) return library();
  throw RuntimeError("NVIDIA's run-time compiler (libnvrtc) cannot be loaded: " + library().missing,
                     "installing the CUDA toolkit's NVRTC, or naming the file in NETC_NVRTC");
}

std::string read_text(Program program, int (*size_of)(Program, std::size_t*), int (*read)(Program, char*)) {
  std::size_t bytes = 0;
  if (size_of(program, &bytes) != 0 || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (read(program, text.data()) != 0) return {};
  return text;
}

std::string without_terminator(std::string text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

bool nvrtc_available() { return library().missing.empty(); }
std::string nvrtc_missing_reason() { return library().missing; }
std::string nvrtc_path() { return needed().path; }

NvrtcVersion nvrtc_version() {
  NvrtcVersion version;
  needed().api.version(&version.major, &version.minor);
  return version;
}

std::vector<int> nvrtc_architectures() {
  const Api& api = needed().api;
  int count = 0;
  api.supported_architecture_count(&count);
  std::vector<int> architectures(static_cast<std::size_t>(count));
  if (count > 0) api.supported_architectures(architectures.data());
  std::sort(architectures.begin(), architectures.end());
  return architectures;
}

CompiledProgram nvrtc_compile(const std::string& source, const std::string& name,
                              const std::vector<std::string>& options) {
  const Api& api = needed().api;
  Program program = nullptr;
  if (const int result = api.create_program(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr); result != 0)
    throw RuntimeError("NVRTC cannot take the program " + name + ": " + api.error_text(result));
  struct Destroy {
    const Api& api;
    Program program;
    ~Destroy() { api.destroy_program(&program); }
  } destroy{api, program};

  std::vector<const char*> option_texts;
  for (const std::string& option : options) option_texts.push_back(option.c_str());
  const int result = api.compile_program(program, static_cast<int>(option_texts.size()), option_texts.data());
  CompiledProgram compiled;
  compiled.log = without_terminator(read_text(program, api.log_size, api.log));
  if (result != 0)
    throw InternalError("NVRTC refuses the generated program " + name + ": " + api.error_text(result) + "\n" +
                        compiled.log);
  compiled.ptx = without_terminator(read_text(program, api.ptx_size, api.ptx));
  compiled.cubin = read_text(program, api.cubin_size, api.cubin);
  return compiled;
}

}  // namespace netc::jit
