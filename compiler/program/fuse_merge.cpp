// Merging: a consumer whose parallel points are the producer's is appended to the producer's phases.
//
//   m[r] = max over c of x[r, c]                   for r:
//   e[r, c] = exp(x[r, c] - m[r])           ->       m = max over c of x[r, c]
//                                                    for c: e[r, c] = exp(x[r, c] - m)
//
// The consumer's last parallel axis may become a loop of its phases (as c above), and a pointwise producer's may become
// its loop when the consumer works row by row. What the producer stored once per parallel point the consumer takes as
// a value; what it stored in a loop the consumer takes as a value if both share the loop, else from memory: same
// parallel point, earlier phase.
#include <algorithm>
#include <functional>

#include "compiler/program/affine.h"
#include "compiler/program/expr_copy.h"
#include "compiler/program/fuse_cost.h"
#include "compiler/program/fusion.h"

namespace netc {

namespace {

constexpr size_t kCheapBody = 6;   // expressions, loads among them: at most one or two operations

bool same_extents(const Kernel& a, const Kernel& b, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (a.axes[static_cast<size_t>(a.parallel[i])].extent != b.axes[static_cast<size_t>(b.parallel[i])].extent) return false;
  return true;
}

bool accumulates(const Kernel& kernel) {
  for (const Phase& phase : kernel.phases)
    for (const Store& store : phase.stores)
      if (store.accumulate) return true;
  return false;
}

// The last parallel axes beyond `keep` become the outer loops of every phase.
void demote_parallel_axes(Kernel& kernel, size_t keep) {
  const std::vector<AxisId> moved(kernel.parallel.begin() + static_cast<std::ptrdiff_t>(keep), kernel.parallel.end());
  kernel.parallel.resize(keep);
  for (Phase& phase : kernel.phases) phase.loop.insert(phase.loop.begin(), moved.begin(), moved.end());
}

// The earliest phase at which an expression can be known: after every reduction it depends on. -1: at once.
int last_reduction_phase(const Kernel& kernel, ExprId id) {
  std::vector<int> phase_of(kernel.reductions.size(), -1);
  for (size_t p = 0; p < kernel.phases.size(); ++p)
    for (int32_t r : kernel.phases[p].reductions) phase_of[static_cast<size_t>(r)] = static_cast<int>(p);
  std::vector<int> known(kernel.exprs.size(), -2);
  const std::function<int(ExprId)> visit = [&](ExprId e) {
    int& result = known[static_cast<size_t>(e)];
    if (result != -2) return result;
    const Expr& expr = kernel.exprs[static_cast<size_t>(e)];
    result = expr.op == ExprOp::reduced ? phase_of[static_cast<size_t>(expr.slot)] : -1;
    for (ExprId arg : expr.args)
      if (arg != kNone) result = std::max(result, visit(arg));
    return result;
  };
  return visit(id);
}

// Whether computing a stored value again is cheaper than loading it.
bool is_cheap_value(const Kernel& kernel, ExprId value) {
  Kernel body;
  std::vector<Index> same;
  for (size_t axis = 0; axis < kernel.axes.size(); ++axis) same.push_back(index_of_axis(static_cast<AxisId>(axis)));
  ExprCopier(kernel, body, std::move(same)).copy(value);
  return body.exprs.size() <= kCheapBody && body_cost(body) != BodyCost::heavy;
}

struct Appending {
  const Program& program;
  const Kernel& producer;   // as before
  Kernel result;            // producer, then the consumer's phases
};

bool same_loop(const Kernel& a, const std::vector<AxisId>& la, const Kernel& b, const std::vector<AxisId>& lb) {
  if (la.size() != lb.size() || la.empty()) return false;
  for (size_t i = 0; i < la.size(); ++i)
    if (a.axes[static_cast<size_t>(la[i])].extent != b.axes[static_cast<size_t>(lb[i])].extent) return false;
  return true;
}

// Appends every phase of `consumer` to `a.result`; false if some load cannot be served at the same parallel point.
bool append_phases(Appending& a, const Kernel& consumer) {
  Kernel& out = a.result;
  const auto reduction_offset = static_cast<int32_t>(out.reductions.size());
  for (const Phase& phase : consumer.phases) {
    std::vector<Index> axis_map(consumer.axes.size(), index_constant(0));
    for (size_t i = 0; i < consumer.parallel.size(); ++i)
      axis_map[static_cast<size_t>(consumer.parallel[i])] = index_of_axis(out.parallel[i]);

    // First as part of the last phase, if the loops agree and nothing needs that phase's own reductions; then apart.
    bool done = false;
    for (const bool shared : {true, false}) {
      const size_t last = out.phases.size() - 1;
      const bool both_epilogues = phase.loop.empty() && out.phases[last].loop.empty();
      if (shared && !both_epilogues && !same_loop(out, out.phases[last].loop, consumer, phase.loop)) continue;
      Kernel attempt = out;
      std::vector<Index> map = axis_map;
      std::vector<AxisId> loop;
      for (size_t i = 0; i < phase.loop.size(); ++i) {
        AxisId axis = kNone;
        if (shared) {
          axis = attempt.phases[last].loop[i];
        } else {
          attempt.axes.push_back(consumer.axes[static_cast<size_t>(phase.loop[i])]);
          axis = static_cast<AxisId>(attempt.axes.size() - 1);
        }
        loop.push_back(axis);
        map[static_cast<size_t>(phase.loop[i])] = index_of_axis(axis);
      }
      const size_t here = shared ? last : attempt.phases.size();
      if (!shared) attempt.phases.push_back({loop, {}, {}});

      bool legal = true;
      const Kernel snapshot = attempt;   // what cheap values are copied from while `attempt` grows
      ExprCopier copier(consumer, attempt, map, reduction_offset);
      copier.replace_loads([&](BufferId buffer, const Index& row, const Index& column) -> std::optional<ExprId> {
        const BufferId root = root_buffer(a.program, buffer);
        std::optional<ExprId> value;
        bool written = false, served = false;
        for (size_t p = 0; p <= here && p < attempt.phases.size(); ++p) {
          for (const Store& store : attempt.phases[p].stores) {
            if (root_buffer(a.program, store.buffer) != root) continue;
            written = true;
            const Index linear_store = add_scaled(add_scaled(index_constant(0), store.row, a.program.buffers[static_cast<size_t>(store.buffer)].columns), store.column, 1);
            const Index linear_load = add_scaled(add_scaled(index_constant(0), row, a.program.buffers[static_cast<size_t>(buffer)].columns), column, 1);
            const bool same_element = linear_store == linear_load && (store.buffer != buffer || (store.row == row && store.column == column));
            if (same_element && (attempt.phases[p].loop.empty() || p == here)) {
              value = store.value;
              served = true;
            } else if (p < here && store.buffer == buffer && store.row == row && !attempt.phases[p].loop.empty() &&
                       store.column.terms.size() == 1 && is_exactly_axis(store.column, store.column.terms[0].axis) &&
                       std::find(attempt.phases[p].loop.begin(), attempt.phases[p].loop.end(), store.column.terms[0].axis) != attempt.phases[p].loop.end()) {
              served = true;   // the whole row was stored by this parallel point in an earlier phase
              if (is_cheap_value(snapshot, store.value)) {
                std::vector<Index> moved;
                for (size_t axis = 0; axis < snapshot.axes.size(); ++axis) moved.push_back(index_of_axis(static_cast<AxisId>(axis)));
                moved[static_cast<size_t>(store.column.terms[0].axis)] = column;
                value = ExprCopier(snapshot, attempt, std::move(moved)).copy(store.value);
              }
            }
          }
        }
        if (written && !served) legal = false;
        return value;
      });

      std::vector<Reduction> reductions;
      for (int32_t r : phase.reductions) {
        const Reduction& reduction = consumer.reductions[static_cast<size_t>(r)];
        reductions.push_back({reduction.combine, copier.copy(reduction.value)});
      }
      std::vector<Store> stores;
      for (const Store& store : phase.stores)
        stores.push_back({store.buffer, copier.copy(store.row), copier.copy(store.column), copier.copy(store.value), store.accumulate});
      if (!legal) continue;

      attempt.reductions.resize(std::max(attempt.reductions.size(), reduction_offset + consumer.reductions.size()));
      for (size_t i = 0; i < reductions.size(); ++i) {
        const int32_t number = reduction_offset + phase.reductions[i];
        attempt.reductions[static_cast<size_t>(number)] = reductions[i];
        attempt.phases[here].reductions.push_back(number);
      }
      if (shared) {
        bool early = false;
        for (const Reduction& reduction : reductions) early |= last_reduction_phase(attempt, reduction.value) >= static_cast<int>(here);
        for (const Store& store : stores)
          if (!attempt.phases[here].loop.empty()) early |= last_reduction_phase(attempt, store.value) >= static_cast<int>(here);
        if (early) continue;
      }
      for (Store& store : stores) attempt.phases[here].stores.push_back(std::move(store));
      out = std::move(attempt);
      done = true;
      break;
    }
    if (!done) return false;
  }
  return true;
}

}  // namespace

bool updates_in_place(const Program& program, const Kernel& kernel) {
  for (size_t p = 0; p < kernel.phases.size(); ++p) {
    for (const Store& store : kernel.phases[p].stores) {
      const BufferId root = root_buffer(program, store.buffer);
      const BufferKind kind = program.buffers[static_cast<size_t>(root)].kind;
      if (kind != BufferKind::parameter && kind != BufferKind::state) continue;
      for (const Expr& e : kernel.exprs) {
        if (e.op != ExprOp::load || root_buffer(program, e.buffer) != root) continue;
        if (e.buffer != store.buffer || e.row != store.row || e.column != store.column) return false;
      }
      if (p + 1 < kernel.phases.size()) return false;   // a later phase could see the new value
    }
  }
  return true;
}

bool merge_into_producer(Fusion& fusion, int32_t producer_id, int32_t consumer_id) {
  Program& program = fusion.program;
  Kernel producer = program.kernels[static_cast<size_t>(producer_id)];
  Kernel consumer = program.kernels[static_cast<size_t>(consumer_id)];
  if (fusion.crosses_completion(producer_id, consumer_id)) return false;
  if (accumulates(producer) || accumulates(consumer) || producer.phases.empty() || consumer.phases.empty()) return false;
  if (producer.parallel.empty() != consumer.parallel.empty()) return false;
  MatrixProduct product;
  const bool producer_is_product = match_matrix_product(producer, &product);
  if (match_matrix_product(consumer, &product)) return false;
  if (fusion.keep_products && producer_is_product) return false;
  const size_t shared = std::min(producer.parallel.size(), consumer.parallel.size());
  if (!same_extents(producer, consumer, shared)) return false;
  // A row kernel has one parallel axis, its rows; anything else must agree axis by axis.
  if (producer.parallel.size() != consumer.parallel.size()) {
    if (shared != 1 || producer_is_product) return false;
    if (is_pointwise(producer) && is_pointwise(consumer)) return false;
    if (!is_pointwise(producer.parallel.size() > 1 ? producer : consumer)) return false;
  }
  // The epilogue of a product stays an epilogue: its consumer may not bring loops of its own.
  if (producer_is_product && !is_pointwise(consumer)) return false;

  demote_parallel_axes(producer, shared);
  demote_parallel_axes(consumer, shared);
  Appending appending{program, producer, producer};
  appending.result.name = producer.name + "+" + consumer.name;
  if (!append_phases(appending, consumer)) return false;
  Kernel& merged = appending.result;
  for (const Span& span : consumer.spans)
    if (std::find(merged.spans.begin(), merged.spans.end(), span) == merged.spans.end()) merged.spans.push_back(span);
  tidy_exprs(merged);
  if (!updates_in_place(program, merged)) return false;
  if (!fusion.order.contract(producer_id, consumer_id)) return false;

  const KernelAccess producer_access = kernel_access(program, program.kernels[static_cast<size_t>(producer_id)]);
  const KernelAccess consumer_access = kernel_access(program, program.kernels[static_cast<size_t>(consumer_id)]);
  fusion.replace_access(consumer_id, consumer_access, {});
  fusion.replace_access(producer_id, producer_access, kernel_access(program, merged));
  program.kernels[static_cast<size_t>(producer_id)] = std::move(merged);
  return true;
}

}  // namespace netc
