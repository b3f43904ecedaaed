// PTX of a .cu file beside the tests, and a device with named buffers to launch its kernels on.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/backend/sim/launch.h"
#include "runtime/backend/sim/ptx_parse.h"
#include "runtime/jit/nvrtc.h"

namespace netc::sim {

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::string test_folder() { return std::string(NETC_SOURCE_DIR) + "/tests/sim/"; }

// name: "kernels" for kernels.cu. Needs NVRTC.
inline jit::CompiledProgram compile_cuda(const std::string& name, const std::vector<std::string>& more = {}) {
  std::vector<std::string> options{"--gpu-architecture=compute_80", "--generate-line-info"};
  options.insert(options.end(), more.begin(), more.end());
  jit::CompiledProgram program = jit::nvrtc_compile(read_file(test_folder() + name + ".cu"), name + ".cu", options);
  // NVRTC puts the working directory before the name; what is kept must not depend on it.
  const std::string here = std::filesystem::current_path().string() + "/";
  for (size_t at = program.ptx.find(here); at != std::string::npos; at = program.ptx.find(here, at))
    program.ptx.erase(at, here.size());
  return program;
}

// The PTX that is kept with the tests. NETC_BLESS=1 writes it anew, where NVRTC is present.
inline std::string kept_ptx(const std::string& name) {
  const std::string path = test_folder() + "ptx/" + name + ".ptx";
  if (std::getenv("NETC_BLESS") && jit::nvrtc_available())
    std::ofstream(path, std::ios::binary) << compile_cuda(name).ptx;
  return read_file(path);
}

// A buffer of T on a simulated device.
template <class T>
Address upload(DeviceMemory& memory, const std::vector<T>& values, const std::string& name) {
  const Address address = memory.allocate(values.size() * sizeof(T), name);
  memory.copy_in(address, values.data(), values.size() * sizeof(T));
  return address;
}

template <class T>
std::vector<T> download(DeviceMemory& memory, Address from, size_t count) {
  std::vector<T> values(count);
  memory.copy_out(values.data(), from, count * sizeof(T));
  return values;
}

// Launches with parameters given as values.
template <class... Parameters>
LaunchStatistics launch_with(const Module& module, const std::string& kernel, const LaunchConfig& config,
                             DeviceMemory& memory, const LaunchOptions& options, Parameters... parameters) {
  void* pointers[] = {&parameters..., nullptr};
  return launch(module, kernel, config, pointers, memory, options);
}

}  // namespace netc::sim
