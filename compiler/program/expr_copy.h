// Copies scalar expressions from one kernel into another: axes are replaced by affine indices, reductions renumbered,
// loads optionally replaced by a value that is already there. Every fusion is made of this.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compiler/kernel/kernel.h"

namespace netc {

class ExprCopier {
 public:
  // axis_map[a]: what axis `a` of `from` is in `to`. reduction_offset is added to every reduction number.
  ExprCopier(const Kernel& from, Kernel& to, std::vector<Index> axis_map, int32_t reduction_offset = 0);

  // Asked for every load after its index is translated; returns the expression of `to` to use instead, if any.
  using LoadReplacement = std::function<std::optional<ExprId>(BufferId buffer, const Index& row, const Index& column)>;
  void replace_loads(LoadReplacement replacement) { replacement_ = std::move(replacement); }

  ExprId copy(ExprId id);          // memoised
  Index copy(const Index& index);  // axes and gathered expression translated

 private:
  ExprId axis_value(const Index& index);  // an affine index as an i32 expression

  const Kernel& from_;
  Kernel& to_;
  std::vector<Index> axis_map_;
  int32_t reduction_offset_;
  LoadReplacement replacement_;
  std::vector<ExprId> copied_;
};

// Merges equal expressions and drops those that nothing uses; numbers them in order of first use.
void tidy_exprs(Kernel& kernel);

// Every load of a kernel, visited with its expression.
template <class Visit>
void for_each_load(const Kernel& kernel, Visit visit) {
  for (const Expr& expr : kernel.exprs)
    if (expr.op == ExprOp::load) visit(expr);
}

bool reads_buffer(const Kernel& kernel, BufferId buffer);
bool writes_buffer(const Kernel& kernel, BufferId buffer);

}  // namespace netc
