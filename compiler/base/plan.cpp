#include "compiler/base/plan.h"

#include <charconv>

namespace netc {

static constexpr const char* kKindNames[] = {"cpu", "gpu", "sim"};

std::string to_string(const Device& device) {
  return std::string(kKindNames[static_cast<int>(device.kind)]) + ":" + std::to_string(device.index);
}

bool parse_device(const std::string& text, Device* device) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  const std::string kind = text.substr(0, colon);
  for (int i = 0; i < 3; ++i) {
    if (kind != kKindNames[i]) continue;
    int index = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, index);
    if (error != std::errc() || stop != end || index < 0) return false;
    *device = {static_cast<DeviceKind>(i), index};
    return true;
  }
  return false;
}

}  // namespace netc
