// netc version: what this netc is, and what it found on this machine. The first thing to put into a report.
#include <ostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "compiler/syntax/parse.h"
#include "runtime/backend/cpu/detect.h"
#include "runtime/backend/cpu/host_compiler.h"
#include "runtime/jit/nvrtc.h"

namespace netc {
namespace {

#if defined(__clang__)
constexpr const char* kBuiltWith = "clang " __clang_version__;
#else
constexpr const char* kBuiltWith = "g++ " __VERSION__;
#endif

std::string host_compiler() {
  try {
    const HostCompiler compiler = find_host_compiler("");
    return compiler.version + ", " + compiler.path;
  } catch (const CompilerMissing&) {
    return "none found: kernels are interpreted, slowly (apt-get install gcc)";
  }
}

std::string nvrtc() {
  if (!jit::nvrtc_available()) return "none found: no simulated GPUs, no PTX (" + jit::nvrtc_missing_reason() + ")";
  const jit::NvrtcVersion version = jit::nvrtc_version();
  const std::vector<int> architectures = jit::nvrtc_architectures();
  return std::to_string(version.major) + "." + std::to_string(version.minor) + ", " + jit::nvrtc_path() + ", sm_" +
         std::to_string(architectures.front()) + " to sm_" + std::to_string(architectures.back());
}

}  // namespace

int run_version(Words words, Terminal& terminal) {
  Arguments arguments("version", "says what this netc is and what it found on this machine");
  arguments.example("netc version", "the same as netc --version");
  if (!arguments.parse(words)) return terminal.out << arguments.help(), kExitSuccess;

  const Target& target = detect_cpu_target();
  terminal.out << "netc " << NETC_VERSION << "\n"
               << "language    " << kLanguageVersion << "\n"
               << "built with  " << kBuiltWith << "\n"
               << "processor   " << target.name << " (" << target.lanes << " f32 values a vector), " << available_cores()
               << " cores usable\n"
               << "C compiler  " << host_compiler() << "\n"
               << "NVRTC       " << nvrtc() << "\n"
               << "devices     cpu:0, cpu:1 ... (towers that share the cores)" << (jit::nvrtc_available() ? "; sim:0, sim:1 ... (simulated GPUs)" : "")
               << "; no real GPUs in this version\n";
  return kExitSuccess;
}

}  // namespace netc
