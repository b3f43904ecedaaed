#include "compiler/program/fuse.h"

#include <algorithm>

#include "compiler/base/errors.h"
#include "compiler/program/affine.h"
#include "compiler/program/expr_copy.h"
#include "compiler/program/fusion.h"

namespace netc {

Fusion::Fusion(Program& p, const FuseOptions& options)
    : program(p), order(p), readers(p.buffers.size()), writers(p.buffers.size()), keep_products(options.keep_products) {
  if (options.memory == TowerMemory::separate) {
    sums = find_partial_sums(p);
    if (!sums->faults.empty()) throw InternalError(sums->faults.front());
  }
  for (size_t i = 0; i < p.kernels.size(); ++i) {
    const KernelAccess access = kernel_access(p, p.kernels[i]);
    for (BufferId b : access.reads) readers[static_cast<size_t>(b)].push_back(static_cast<int32_t>(i));
    for (BufferId b : access.writes) writers[static_cast<size_t>(b)].push_back(static_cast<int32_t>(i));
  }
}

bool Fusion::crosses_completion(int32_t producer, int32_t consumer) const {
  if (!sums) return false;
  if (sums->makes[static_cast<size_t>(producer)] != sums->makes[static_cast<size_t>(consumer)]) return true;
  const KernelAccess made = kernel_access(program, program.kernels[static_cast<size_t>(producer)]);
  const KernelAccess used = kernel_access(program, program.kernels[static_cast<size_t>(consumer)]);
  return std::any_of(made.writes.begin(), made.writes.end(), [&](BufferId b) {
    return sums->completed[static_cast<size_t>(b)] && std::binary_search(used.reads.begin(), used.reads.end(), b);
  });
}

void Fusion::replace_access(int32_t kernel, const KernelAccess& before, const KernelAccess& after) {
  const auto update = [&](std::vector<std::vector<int32_t>>& table, const std::vector<BufferId>& old,
                          const std::vector<BufferId>& now) {
    for (BufferId b : old) {
      auto& list = table[static_cast<size_t>(b)];
      list.erase(std::remove(list.begin(), list.end(), kernel), list.end());
    }
    for (BufferId b : now) table[static_cast<size_t>(b)].push_back(kernel);
  };
  update(readers, before.reads, after.reads);
  update(writers, before.writes, after.writes);
}

bool is_pointwise(const Kernel& kernel) {
  return kernel.phases.size() == 1 && kernel.phases[0].loop.empty() && kernel.reductions.empty();
}

std::optional<std::vector<Index>> invert_store(const Program& program, const Store& store, size_t axes, BufferId buffer,
                                               const Index& row, const Index& column) {
  std::vector<Index> values(axes);
  std::vector<bool> known(axes, false);
  const auto match = [&](const Index& stored, const Index& loaded) {
    if (stored.terms.empty()) return stored.gathered == kNone && loaded == stored;
    if (stored.terms.size() != 1) return false;
    const AxisId axis = stored.terms[0].axis;
    if (!is_exactly_axis(stored, axis) || known[static_cast<size_t>(axis)]) return false;
    values[static_cast<size_t>(axis)] = loaded;
    known[static_cast<size_t>(axis)] = true;
    return true;
  };
  const auto all_known = [&] { return std::all_of(known.begin(), known.end(), [](bool k) { return k; }); };
  if (store.buffer == buffer && match(store.row, row) && match(store.column, column) && all_known()) return values;
  if (root_buffer(program, store.buffer) != root_buffer(program, buffer)) return std::nullopt;
  // Different views of one memory, both row-major: compare the linear element number.
  known.assign(axes, false);
  const auto linear = [&](BufferId b, const Index& r, const Index& c) {
    if (r.gathered != kNone && c.gathered != kNone) return std::optional<Index>();
    return std::optional<Index>(
        add_scaled(add_scaled(index_constant(0), r, program.buffers[static_cast<size_t>(b)].columns), c, 1));
  };
  const auto stored = linear(store.buffer, store.row, store.column), loaded = linear(buffer, row, column);
  if (stored && loaded && match(*stored, *loaded) && all_known()) return values;
  return std::nullopt;
}

namespace {

bool is_temporary(const Buffer& buffer) {
  return buffer.kind == BufferKind::activation || buffer.kind == BufferKind::gradient;
}

// Stores to temporaries that nobody loads, and kernels without stores, until nothing changes.
void remove_dead_stores(Fusion& fusion) {
  Program& program = fusion.program;
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = program.kernels.size(); i-- > 0;) {
      const auto id = static_cast<int32_t>(i);
      if (!fusion.order.alive(id)) continue;
      Kernel& kernel = program.kernels[i];
      const KernelAccess before = kernel_access(program, kernel);
      size_t removed = 0, stores = 0;
      for (Phase& phase : kernel.phases) {
        removed += std::erase_if(phase.stores, [&](const Store& store) {
          const BufferId root = root_buffer(program, store.buffer);
          if (!is_temporary(program.buffers[static_cast<size_t>(root)])) return false;
          const auto& readers = fusion.readers[static_cast<size_t>(root)];
          return readers.empty() || (store.accumulate && readers.size() == 1 && readers[0] == id);
        });
        stores += phase.stores.size();
      }
      if (removed == 0) continue;
      changed = true;
      std::erase_if(kernel.phases, [](const Phase& p) { return p.stores.empty() && p.reductions.empty(); });
      tidy_exprs(kernel);
      if (stores == 0) kernel.phases.clear(), kernel.exprs.clear(), kernel.reductions.clear();
      fusion.replace_access(id, before, kernel_access(program, kernel));
      if (stores == 0) fusion.order.remove(id);
    }
  }
}

// Kernels that reduce row by row over one input (loss and accuracy of the same logits), and totals over the same rows,
// run as one even where neither needs the other: one launch, one pass over what they share.
void merge_siblings(Fusion& fusion) {
  Program& program = fusion.program;
  const auto reduces = [&](int32_t id) {
    const Kernel& kernel = program.kernels[static_cast<size_t>(id)];
    MatrixProduct product;
    return kernel.parallel.size() <= 1 && !kernel.reductions.empty() && !match_matrix_product(kernel, &product);
  };
  const auto merge_all = [&](std::vector<int32_t> group) {
    std::sort(group.begin(), group.end(), [&](int32_t a, int32_t b) { return fusion.order.before(a, b); });
    for (size_t i = 0; i < group.size(); ++i)
      for (size_t j = i + 1; j < group.size() && fusion.order.alive(group[i]); ++j)
        if (fusion.order.alive(group[j])) merge_into_producer(fusion, group[i], group[j]);
  };
  for (size_t buffer = 0; buffer < program.buffers.size(); ++buffer) {
    std::vector<int32_t> group;
    for (int32_t id : fusion.readers[buffer])
      if (reduces(id) && parallel_over_batch(program.kernels[static_cast<size_t>(id)])) group.push_back(id);
    merge_all(std::move(group));
  }
  std::vector<int32_t> totals;
  for (int32_t id : fusion.order.sorted())
    if (reduces(id) && program.kernels[static_cast<size_t>(id)].parallel.empty()) totals.push_back(id);
  merge_all(std::move(totals));
}

// Buffers that no kernel touches any more go; the others are renumbered in order.
void remove_unused_buffers(Program& program) {
  std::vector<char> used(program.buffers.size(), 0);
  for (const Kernel& kernel : program.kernels) {
    for_each_load(kernel, [&](const Expr& load) { used[static_cast<size_t>(load.buffer)] = 1; });
    for (const Phase& phase : kernel.phases)
      for (const Store& store : phase.stores) used[static_cast<size_t>(store.buffer)] = 1;
  }
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i] && program.buffers[i].alias_of != kNone) used[static_cast<size_t>(program.buffers[i].alias_of)] = 1;
  std::vector<BufferId> renamed(program.buffers.size(), kNone);
  std::vector<Buffer> kept;
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    renamed[i] = static_cast<BufferId>(kept.size());
    kept.push_back(std::move(program.buffers[i]));
  }
  program.buffers = std::move(kept);
  const auto rename = [&](BufferId& buffer) {
    if (buffer != kNone) buffer = renamed[static_cast<size_t>(buffer)];
  };
  for (Buffer& buffer : program.buffers) rename(buffer.alias_of);
  for (NamedBuffer& result : program.results) rename(result.buffer);
  for (Kernel& kernel : program.kernels) {
    for (Expr& e : kernel.exprs) rename(e.buffer);
    for (Phase& phase : kernel.phases)
      for (Store& store : phase.stores) rename(store.buffer);
  }
}

}  // namespace

void fuse(Program& program, const FuseOptions& options) {
  Fusion fusion(program, options);
  for (int32_t kernel : fusion.order.sorted())
    if (fusion.order.alive(kernel)) inline_into_readers(fusion, kernel);

  for (int32_t kernel : fusion.order.sorted()) {
    if (!fusion.order.alive(kernel)) continue;
    // The nearest producer first: it is the one whose values are still in registers.
    std::vector<int32_t> producers;
    for (BufferId buffer : kernel_access(program, program.kernels[static_cast<size_t>(kernel)]).reads)
      for (int32_t writer : fusion.writers[static_cast<size_t>(buffer)])
        if (writer != kernel && fusion.order.before(writer, kernel)) producers.push_back(writer);
    std::sort(producers.begin(), producers.end(), [&](int32_t a, int32_t b) { return fusion.order.before(b, a); });
    producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
    for (int32_t producer : producers)
      if (merge_into_producer(fusion, producer, kernel)) break;
  }
  merge_siblings(fusion);
  remove_dead_stores(fusion);

  std::vector<Kernel> kernels;
  std::vector<Step> steps;
  for (int32_t id : fusion.order.sorted()) {
    Kernel& kernel = program.kernels[static_cast<size_t>(id)];
    const auto number = static_cast<int32_t>(kernels.size());
    steps.push_back({number, parallel_over_batch(kernel) ? StepScope::each_tower : StepScope::joint, number});
    kernels.push_back(std::move(kernel));
  }
  program.kernels = std::move(kernels);
  program.steps = std::move(steps);
  remove_unused_buffers(program);
}

}  // namespace netc
