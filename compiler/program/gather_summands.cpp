#include "compiler/program/gather_summands.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/kernel/partial_sums.h"
#include "compiler/program/kernel_order.h"

namespace netc {

namespace {

// A kernel out[p] = a[p] + b[p]: the expressions that load its terms, all indexed as the store is.
struct Addition {
  bool found = false;
  ExprId terms[2] = {kNone, kNone};
  BufferId out = kNone;
};

Addition match_addition(const Kernel& kernel) {
  Addition addition;
  if (kernel.phases.size() != 1 || !kernel.phases[0].loop.empty() || kernel.phases[0].stores.size() != 1) return addition;
  const Store& store = kernel.phases[0].stores[0];
  const Expr& sum = kernel.exprs[static_cast<size_t>(store.value)];
  if (store.accumulate || sum.op != ExprOp::add || sum.args[0] == sum.args[1]) return addition;
  for (int i = 0; i < 2; ++i) {
    const Expr& term = kernel.exprs[static_cast<size_t>(sum.args[i])];
    if (term.op != ExprOp::load || term.row != store.row || term.column != store.column) return addition;
    addition.terms[i] = sum.args[i];
  }
  addition.out = store.buffer;
  addition.found = true;
  return addition;
}

class Gathering {
 public:
  explicit Gathering(Program& program) : program_(program) {
    for (const Kernel& kernel : program.kernels) additions_.push_back(match_addition(kernel));
  }

  // One exchange of terms; false if there is none to make.
  bool exchange_one() {
    const PartialSums sums = find_partial_sums(program_);
    std::vector<int> readers(program_.buffers.size(), 0);
    for (const Kernel& kernel : program_.kernels)
      for (BufferId b : kernel_access(program_, kernel).reads) ++readers[static_cast<size_t>(b)];
    for (size_t outer = 0; outer < program_.steps.size(); ++outer)
      for (size_t inner = 0; inner < outer; ++inner)
        if (exchange(inner, outer, sums, readers)) return true;
    return false;
  }

 private:
  Expr& term(size_t step, int number) {
    const int32_t kernel = program_.steps[step].kernel;
    return program_.kernels[static_cast<size_t>(kernel)].exprs[static_cast<size_t>(additions_[static_cast<size_t>(kernel)].terms[number])];
  }

  // inner: t = whole + summand; outer: d = t + summand. t is read by outer only.
  bool exchange(size_t inner, size_t outer, const PartialSums& sums, const std::vector<int>& readers) {
    const Addition& first = additions_[static_cast<size_t>(program_.steps[inner].kernel)];
    const Addition& second = additions_[static_cast<size_t>(program_.steps[outer].kernel)];
    if (!first.found || !second.found || readers[static_cast<size_t>(root_buffer(program_, first.out))] != 1) return false;
    const auto is_summand = [&](const Expr& load) { return sums.shares[static_cast<size_t>(load.buffer)] == Share::summand; };
    for (int t = 0; t < 2; ++t) {
      if (term(outer, t).buffer != first.out || !is_summand(term(outer, 1 - t))) continue;
      for (int w = 0; w < 2; ++w) {
        Expr &whole = term(inner, w), &summand = term(outer, 1 - t);
        if (is_summand(whole) || !is_summand(term(inner, 1 - w)) || !same_form(whole.buffer, summand.buffer)) continue;
        std::swap(whole.buffer, summand.buffer);
        // The inner sum now needs what may be made just before the outer one.
        std::rotate(program_.steps.begin() + static_cast<std::ptrdiff_t>(inner), program_.steps.begin() + static_cast<std::ptrdiff_t>(inner) + 1,
                    program_.steps.begin() + static_cast<std::ptrdiff_t>(outer));
        return true;
      }
    }
    return false;
  }

  bool same_form(BufferId a, BufferId b) const {
    const Buffer &x = program_.buffers[static_cast<size_t>(a)], &y = program_.buffers[static_cast<size_t>(b)];
    return x.rows == y.rows && x.columns == y.columns && x.dtype == y.dtype;
  }

  Program& program_;
  std::vector<Addition> additions_;   // by kernel
};

}  // namespace

void gather_summands(Program& program) {
  Gathering gathering(program);
  while (gathering.exchange_one()) {
  }
  for (size_t s = 0; s < program.steps.size(); ++s) program.steps[s].stage = static_cast<int32_t>(s);
}

}  // namespace netc
