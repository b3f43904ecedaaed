#include "tests/conformance/registered_backends.h"

#include "runtime/backend/cpu/cpu_backend.h"
#include "runtime/backend/cpu/detect.h"
#include "runtime/backend/reference/reference_backend.h"

namespace netc::test {
namespace {

// The interpreter reads any layout; the widest panels are the furthest from row-major.
RegisteredBackend reference() {
  return {"reference", *find_target("avx512"), [] { return make_reference_backend(Arithmetic::f32); }, true, {}};
}

RegisteredBackend cpu(const Target& target) {
  const auto make = [name = target.name] {
    CpuOptions options;
    options.target = name;
    options.cache_directory = std::string(NETC_BINARY_DIR) + "/conformance-kernels";
    return make_cpu_backend(options);
  };
  // Single ops are compiled for the widest target only: their host compilation is what takes the time.
  return {"cpu_" + target.name, target, make, target == detect_cpu_target(), {}};
}

}  // namespace

const std::vector<RegisteredBackend>& registered_backends() {
  static const std::vector<RegisteredBackend> all = [] {
    std::vector<RegisteredBackend> list = {reference()};
    for (const Target& target : known_targets())
      if (runs_target(target)) list.push_back(cpu(target));
    return list;
  }();
  return all;
}

}  // namespace netc::test
