#include "runtime/backend/cpu/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "compiler/base/errors.h"

namespace netc {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kCacheLine = 64;

}  // namespace

AlignedMemory::AlignedMemory(size_t bytes) {
  if (bytes == 0) return;
  const size_t alignment = bytes >= kHugePage ? kHugePage : kCacheLine;
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr)
    throw RuntimeError("no memory for " + std::to_string(bytes >> 20) + " MiB of weights and activations",
                       "a smaller batch, or fewer towers");
  // Huge pages are asked for whole ones only, so that the last, partly used one does not cost more than it holds.
  if (alignment == kHugePage) madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  std::memset(memory, 0, bytes);
  data_ = static_cast<char*>(memory);
  bytes_ = bytes;
}

AlignedMemory::~AlignedMemory() { std::free(data_); }

}  // namespace netc
