#include "compiler/program/fuse_cost.h"

namespace netc {

BodyCost body_cost(const Kernel& pointwise) {
  int arithmetic = 0, loads = 0;
  for (const Expr& e : pointwise.exprs) {
    switch (e.op) {
      case ExprOp::constant:
      case ExprOp::scalar:
      case ExprOp::reduced:
      case ExprOp::axis:
      case ExprOp::cast:
      case ExprOp::lt:
      case ExprOp::le:
      case ExprOp::gt:
      case ExprOp::ge:
      case ExprOp::eq:
      case ExprOp::ne:
      case ExprOp::logical_and:
      case ExprOp::logical_or:
      case ExprOp::logical_not:
      case ExprOp::select: break;
      case ExprOp::load: ++loads; break;
      case ExprOp::neg:
      case ExprOp::abs:
      case ExprOp::add:
      case ExprOp::sub:
      case ExprOp::mul:
      case ExprOp::max:
      case ExprOp::min: ++arithmetic; break;
      default: return BodyCost::heavy;
    }
  }
  if (arithmetic == 0 && loads <= 1) return BodyCost::free;
  return BodyCost::cheap;
}

}  // namespace netc
