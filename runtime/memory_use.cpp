#include "runtime/memory_use.h"

#include <fstream>
#include <string>

namespace netc {
namespace {

int64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stoll(line.substr(key.size())) * 1024;   // "VmHWM:\t  1234 kB"
  return 0;
}

}  // namespace

int64_t peak_memory_bytes() { return status_bytes("VmHWM:"); }
int64_t resident_memory_bytes() { return status_bytes("VmRSS:"); }

}  // namespace netc
