// Every element of what a program makes is stored exactly once: the affine places of all stores to a buffer, over the
// axes they run over, form a bijection onto it. Stores to parts (the inputs of a concat) are taken together.
//
// The common case is proved by mixed radix: sorted by coefficient, each axis must step by the product of the extents
// below it. What does not fit that form is enumerated, element by element, for a batch of two rows.
#include <algorithm>
#include <map>

#include "compiler/kernel/verify_parts.h"

namespace netc {
namespace {

struct Digit {
  int64_t coefficient = 1;
  Extent extent;
};

// A store as one linear index over the elements of the root (all views of it are row-major, or it is the only view).
struct LinearStore {
  const Kernel* kernel = nullptr;
  int64_t offset = 0;
  std::vector<Digit> digits;   // every axis the store runs over, those that do not move it with coefficient 0
};

LinearStore linear_store(const Program& program, const Kernel& kernel, const Phase& phase, const Store& store) {
  LinearPlace place = linear_place(program, store.buffer, store.row, store.column);
  LinearStore linear{&kernel, place.offset, {}};
  const auto add = [&](AxisId axis) {
    linear.digits.push_back({place.coefficients[axis], kernel.axes[static_cast<size_t>(axis)].extent});
  };
  for (AxisId axis : kernel.parallel) add(axis);
  for (AxisId axis : phase.loop) add(axis);
  return linear;
}

bool covers_all(const LinearStore& store, const Buffer& buffer) {
  if (store.offset != 0) return false;
  std::vector<Digit> digits;
  for (const Digit& digit : store.digits)
    if (digit.extent != Extent{1, false}) digits.push_back(digit);
  std::sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.coefficient < b.coefficient; });
  int64_t step = 1;
  bool batched = false;
  for (const Digit& digit : digits) {
    if (digit.coefficient != step || batched) return false;
    step *= digit.extent.count;
    batched = digit.extent.times_batch;
  }
  return step == buffer.rows.count * buffer.columns && batched == buffer.rows.times_batch;
}

constexpr int64_t kRowsTried = 2;

int64_t length(Extent extent) { return extent.count * (extent.times_batch ? kRowsTried : 1); }

void count_stores(const LinearStore& store, size_t digit, int64_t offset, std::vector<uint8_t>& count) {
  if (digit == store.digits.size()) {
    uint8_t& c = count[static_cast<size_t>(offset)];
    if (c < 2) ++c;
    return;
  }
  const int64_t end = length(store.digits[digit].extent);
  for (int64_t i = 0; i < end; ++i) count_stores(store, digit + 1, offset + i * store.digits[digit].coefficient, count);
}

void verify_buffer_stores(const Program& program, BufferId root, const std::vector<LinearStore>& stores, Faults& faults) {
  const Buffer& buffer = program.buffers[static_cast<size_t>(root)];
  if (stores.size() == 1 && covers_all(stores[0], buffer)) return;
  std::vector<uint8_t> count(static_cast<size_t>(length(buffer.rows) * buffer.columns), 0);
  for (const LinearStore& store : stores) count_stores(store, 0, store.offset, count);
  for (size_t i = 0; i < count.size(); ++i) {
    if (count[i] == 1) continue;
    const auto columns = static_cast<size_t>(buffer.columns);
    const std::string element = buffer.name + "[" + std::to_string(i / columns) + ", " + std::to_string(i % columns) + "]";
    faults.push_back(in_kernel(*stores[0].kernel, element + (count[i] == 0 ? " is never stored" : " is stored twice")));
    return;   // one witness a buffer
  }
}

}  // namespace

void verify_stores(const Program& program, Faults& faults) {
  std::map<BufferId, std::vector<LinearStore>> stores;
  for (const Step& step : program.steps) {
    const Kernel& kernel = program.kernels[static_cast<size_t>(step.kernel)];
    for (const Phase& phase : kernel.phases)
      for (const Store& store : phase.stores)
        if (!store.accumulate)
          stores[root_of(program, store.buffer)].push_back(linear_store(program, kernel, phase, store));
  }
  for (const auto& [root, list] : stores) verify_buffer_stores(program, root, list, faults);
}

}  // namespace netc
