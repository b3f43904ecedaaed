#include "runtime/jit/resources.h"

#include <charconv>

namespace netc::jit {
namespace {

// The number that stands right before `unit` in a line ("12 bytes stack frame"), or 0.
int number_before(std::string_view line, std::string_view unit) {
  const size_t at = line.find(unit);
  if (at == std::string_view::npos) return 0;
  size_t end = at;
  while (end > 0 && line[end - 1] == ' ') --end;
  size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int value = 0;
  std::from_chars(line.data() + begin, line.data() + end, value);
  return value;
}

std::string quoted_after(std::string_view line, std::string_view words) {
  const size_t at = line.find(words);
  if (at == std::string_view::npos) return {};
  const size_t open = line.find('\'', at + words.size());
  const size_t close = open == std::string_view::npos ? open : line.find('\'', open + 1);
  if (close == std::string_view::npos) return {};
  return std::string(line.substr(open + 1, close - open - 1));
}

}  // namespace

std::vector<KernelResources> parse_resources(std::string_view log) {
  std::vector<KernelResources> kernels;
  while (!log.empty()) {
    const size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    log = end == std::string_view::npos ? std::string_view{} : log.substr(end + 1);
    if (std::string name = quoted_after(line, "Compiling entry function"); !name.empty()) {
      kernels.push_back({});
      kernels.back().kernel = std::move(name);
      kernels.back().architecture = quoted_after(line, "' for");
      continue;
    }
    if (kernels.empty()) continue;
    KernelResources& kernel = kernels.back();
    if (line.find("bytes stack frame") != std::string_view::npos) {
      kernel.stack_frame_bytes = number_before(line, "bytes stack frame");
      kernel.spill_store_bytes = number_before(line, "bytes spill stores");
      kernel.spill_load_bytes = number_before(line, "bytes spill loads");
    } else if (line.find(" registers") != std::string_view::npos) {
      kernel.registers = number_before(line, "registers");
      kernel.barriers = number_before(line, "barriers");
      kernel.shared_bytes = number_before(line, "bytes smem");
    }
  }
  return kernels;
}

}  // namespace netc::jit
