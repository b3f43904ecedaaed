// The CPU backend: kernels generated as C, compiled by the host's compiler once and kept, run on a pool of threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "compiler/kernel/target.h"
#include "runtime/backend.h"
#include "runtime/backend/cpu/host_compiler.h"

namespace netc {

struct CpuOptions {
  std::string host_cxx;               // C compiler; empty: the first of gcc, cc, clang
  std::string target;                 // "avx512", "avx2", "plain"; empty: the widest this processor has
  std::optional<Target> own_target;   // instead of a known one, and taken on trust
  std::string cache_directory;        // empty: $XDG_CACHE_HOME/netc or ~/.cache/netc
  bool pin_threads = false;
  std::function<void(const std::string&)> notice;            // told in a sentence what a user may want to know
  std::function<std::string(Span)> span_text;                // for comments in the generated text
};

// Throws CompilerMissing where there is no host compiler (the reference backend needs none), RuntimeError for a target
// this processor cannot run.
std::unique_ptr<Backend> make_cpu_backend(CpuOptions options = {});

}  // namespace netc
