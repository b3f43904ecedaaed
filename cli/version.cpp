// netc version: what this netc is, and what it found on this machine. The first thing to put into a report.
#include <ostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "compiler/syntax/parse.h"
#include "runtime/backend/cpu/detect.h"
#include "runtime/backend/cpu/host_compiler.h"

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
               << "devices     cpu:0, cpu:1 ... (towers that share the cores); no GPU support in this version\n";
  return kExitSuccess;
}

}  // namespace netc
