// Compiled units, kept by content: the name of an entry is a hash of the source, the flags, the compiler and the target.
//
//   <directory>/<key>.c     the source, to be read by people
//   <directory>/<key>.so    the shared object, with a checksum of itself behind its end
//
// Several processes may use one directory at once: entries are written beside and renamed, so that each is there whole
// or not at all, and two that build the same one write the same thing. A damaged entry is built again.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/kernel/kernel_abi.h"
#include "compiler/kernel/target.h"
#include "runtime/backend/cpu/host_compiler.h"

namespace netc {

// Loaded shared objects; functions live as long as they do.
class CompiledUnit {
 public:
  CompiledUnit(std::vector<void*> handles, bool from_cache) : handles_(std::move(handles)), from_cache_(from_cache) {}
  ~CompiledUnit();
  CompiledUnit(const CompiledUnit&) = delete;
  CompiledUnit& operator=(const CompiledUnit&) = delete;

  KernelFunction function(const std::string& symbol, int part) const;   // InternalError if there is none
  bool from_cache() const { return from_cache_; }                       // nothing had to be compiled

 private:
  std::vector<void*> handles_;   // one per text
  bool from_cache_;
};

class KernelCache {
 public:
  // directory: empty for $XDG_CACHE_HOME/netc or ~/.cache/netc. notice: told in a sentence what a user may want to know.
  KernelCache(std::string directory, std::function<void(const std::string&)> notice);

  // Compiles what is not kept yet, the texts side by side. Throws RuntimeError if the compiler rejects one; the message
  // names the kept source.
  std::shared_ptr<CompiledUnit> compile(const std::vector<std::string>& texts, const Target& target,
                                        const HostCompiler& compiler) const;

  std::string entry_path(const std::string& text, const Target& target, const HostCompiler& compiler) const;

 private:
  std::string directory_;
  std::function<void(const std::string&)> notice_;
};

}  // namespace netc
