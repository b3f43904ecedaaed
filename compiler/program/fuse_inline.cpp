// Inlining: a pointwise kernel is computed where it is read.
//
//   t[r, c] = a[r, c] * 2          s[r] = sum over c of (a[r, c] * 2)
//   s[r] = sum over c of t[r, c]
#include <algorithm>

#include "compiler/program/affine.h"
#include "compiler/program/expr_copy.h"
#include "compiler/program/fuse_cost.h"
#include "compiler/program/fusion.h"

namespace netc {

namespace {

bool is_operand_of_product(const Kernel& kernel, const Program& program, BufferId root) {
  MatrixProduct product;
  if (!match_matrix_product(kernel, &product)) return false;
  for (ExprId operand : {product.a, product.b})
    if (root_buffer(program, kernel.exprs[static_cast<size_t>(operand)].buffer) == root) return true;
  return false;
}

// Loads of `root` in `reader`, each with the place in the producer it comes from; empty if one cannot be inverted.
bool can_read_through(const Program& program, const Kernel& producer, const Kernel& reader, BufferId root) {
  const Store& store = producer.phases[0].stores[0];
  bool fits = true;
  for_each_load(reader, [&](const Expr& load) {
    if (root_buffer(program, load.buffer) != root) return;
    fits = fits && load.row.gathered == kNone && load.column.gathered == kNone &&
           invert_store(program, store, producer.axes.size(), load.buffer, load.row, load.column).has_value();
  });
  return fits;
}

// In how many phases of the reader a load of `root` is evaluated.
int phases_reading(const Program& program, const Kernel& reader, BufferId root) {
  std::vector<char> depends(reader.exprs.size(), 0);
  for (size_t i = 0; i < reader.exprs.size(); ++i) {
    const Expr& e = reader.exprs[i];
    bool found = e.op == ExprOp::load && root_buffer(program, e.buffer) == root;
    for (ExprId arg : e.args) found |= arg != kNone && depends[static_cast<size_t>(arg)];
    depends[i] = found;
  }
  int count = 0;
  for (const Phase& phase : reader.phases) {
    bool found = false;
    for (int32_t r : phase.reductions) found |= depends[static_cast<size_t>(reader.reductions[static_cast<size_t>(r)].value)] != 0;
    for (const Store& store : phase.stores) found |= depends[static_cast<size_t>(store.value)] != 0;
    count += found;
  }
  return count;
}

Kernel inlined(const Program& program, const Kernel& producer, const Kernel& reader, BufferId root) {
  const Store& store = producer.phases[0].stores[0];
  Kernel result;
  result.name = producer.name + "+" + reader.name;
  result.axes = reader.axes;
  result.parallel = reader.parallel;
  result.spans = producer.spans;
  for (const Span& span : reader.spans)
    if (std::find(result.spans.begin(), result.spans.end(), span) == result.spans.end()) result.spans.push_back(span);
  std::vector<Index> same;
  for (size_t i = 0; i < reader.axes.size(); ++i) same.push_back(index_of_axis(static_cast<AxisId>(i)));
  ExprCopier copier(reader, result, same);
  copier.replace_loads([&](BufferId buffer, const Index& row, const Index& column) -> std::optional<ExprId> {
    if (root_buffer(program, buffer) != root) return std::nullopt;
    auto axes = invert_store(program, store, producer.axes.size(), buffer, row, column);
    ExprCopier body(producer, result, std::move(*axes));
    return body.copy(store.value);
  });
  for (const Reduction& reduction : reader.reductions)
    result.reductions.push_back({reduction.combine, copier.copy(reduction.value)});
  for (const Phase& phase : reader.phases) {
    Phase out{phase.loop, phase.reductions, {}};
    for (const Store& s : phase.stores)
      out.stores.push_back({s.buffer, copier.copy(s.row), copier.copy(s.column), copier.copy(s.value), s.accumulate});
    result.phases.push_back(std::move(out));
  }
  tidy_exprs(result);
  return result;
}

}  // namespace

bool inline_into_readers(Fusion& fusion, int32_t producer_id) {
  Program& program = fusion.program;
  const Kernel& producer = program.kernels[static_cast<size_t>(producer_id)];
  if (!is_pointwise(producer) || producer.phases[0].stores.size() != 1 || producer.phases[0].stores[0].accumulate) return false;
  const BufferId root = root_buffer(program, producer.phases[0].stores[0].buffer);
  const BufferKind kind = program.buffers[static_cast<size_t>(root)].kind;
  if (kind != BufferKind::activation && kind != BufferKind::gradient) return false;
  if (fusion.writers[static_cast<size_t>(root)].size() != 1) return false;
  if (fusion.sums && fusion.sums->completed[static_cast<size_t>(root)]) return false;   // its readers want the whole sum
  const std::vector<int32_t> readers = fusion.readers[static_cast<size_t>(root)];
  if (readers.empty()) return false;

  const BodyCost cost = body_cost(producer);
  if (readers.size() > 1 && cost != BodyCost::free) return false;
  const KernelAccess access = kernel_access(program, producer);
  std::vector<Kernel> results;
  std::vector<std::pair<int32_t, int32_t>> orders;   // reader before whoever overwrites what the producer read
  for (int32_t reader_id : readers) {
    const Kernel& reader = program.kernels[static_cast<size_t>(reader_id)];
    if (is_operand_of_product(reader, program, root)) return false;
    if (fusion.keep_products && match_matrix_product(reader, nullptr)) return false;
    if (!can_read_through(program, producer, reader, root)) return false;
    if (cost == BodyCost::heavy && phases_reading(program, reader, root) > 1) return false;
    // A sum over the batch is one chain by one worker; what the towers can do in parallel stays with them.
    if (cost != BodyCost::free && parallel_over_batch(producer) && loops_over_batch(reader)) return false;
    for (BufferId read : access.reads) {
      for (int32_t writer : fusion.writers[static_cast<size_t>(read)]) {
        if (writer == reader_id || fusion.order.before(writer, producer_id)) continue;
        if (!fusion.order.before(reader_id, writer)) return false;
        orders.push_back({reader_id, writer});
      }
    }
    results.push_back(inlined(program, producer, reader, root));
    if (!updates_in_place(program, results.back())) return false;
  }
  for (const auto& [reader, writer] : orders) fusion.order.require_before(reader, writer);
  for (size_t i = 0; i < readers.size(); ++i) {
    Kernel& reader = program.kernels[static_cast<size_t>(readers[i])];
    const KernelAccess before = kernel_access(program, reader);
    reader = std::move(results[i]);
    fusion.replace_access(readers[i], before, kernel_access(program, reader));
  }
  fusion.replace_access(producer_id, access, {});
  fusion.order.remove(producer_id);
  return true;
}

}  // namespace netc
