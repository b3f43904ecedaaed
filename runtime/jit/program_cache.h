// Programs compiled by NVRTC, kept by content: the name of an entry is a hash of the text, the options, and the version of
// NVRTC. One file an entry, written beside and renamed, so that several processes may share a directory; an entry whose
// checksum is wrong is made again.
#pragma once

#include <string>
#include <vector>

#include "runtime/jit/nvrtc.h"

namespace netc::jit {

// directory: empty for $XDG_CACHE_HOME/netc or ~/.cache/netc. One that cannot be written keeps nothing: the program is
// compiled each time. Throws as nvrtc_compile does.
CompiledProgram compile_cached(const std::string& directory, const std::string& source, const std::vector<std::string>& options);

// Where the entry of a text would lie; empty if there is no directory to keep it in.
std::string cache_entry_path(const std::string& directory, const std::string& source, const std::vector<std::string>& options);

}  // namespace netc::jit
