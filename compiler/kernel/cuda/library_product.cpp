#include "compiler/kernel/cuda/library_product.h"

#include <cmath>
#include <numbers>

#include "compiler/kernel/cuda/memory_access.h"

namespace netc::cuda {
namespace {

// Reads the epilogue's expression from the outside in.
class EpilogueMatcher {
 public:
  EpilogueMatcher(const Kernel& kernel, const Program& program, const MatrixProduct& product, ProductCall& call)
      : kernel_(kernel), program_(program), product_(product), call_(call) {}

  bool match(ExprId value) {
    ExprId inside = value;
    const bool relu =
        matches(value, ExprOp::max, [&](ExprId x, ExprId zero) { return is_number(zero, 0) && take(inside, x); });
    const bool gelu = !relu && is_gelu_tanh(value, inside);
    if (!biased(inside)) return false;
    const bool bias = call_.bias != kNone;
    using E = ProductEpilogue;
    if (relu) call_.epilogue = bias ? E::bias_relu : E::relu;
    else if (gelu) call_.epilogue = bias ? E::bias_gelu_tanh : E::gelu_tanh;
    else call_.epilogue = bias ? E::bias : E::none;
    return true;
  }

 private:
  const Expr& expr(ExprId id) const { return kernel_.exprs[static_cast<size_t>(id)]; }

  // Both orders of the operands of a commutative operation.
  template <typename Test>
  bool matches(ExprId id, ExprOp op, Test test) const {
    const Expr& e = expr(id);
    return e.op == op && e.type == DType::f32 && (test(e.args[0], e.args[1]) || test(e.args[1], e.args[0]));
  }
  static bool take(ExprId& to, ExprId from) {
    to = from;
    return true;
  }
  bool is_number(ExprId id, double value) const {
    const Expr& e = expr(id);
    return e.op == ExprOp::constant && std::abs(e.value - value) <= 1e-6 * std::abs(value);
  }

  // 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  bool is_gelu_tanh(ExprId id, ExprId& x) const {
    const auto half = [&](ExprId e) {
      return matches(e, ExprOp::mul, [&](ExprId a, ExprId b) { return is_number(a, 0.5) && take(x, b); });
    };
    const auto square = [&](ExprId e) {
      return matches(e, ExprOp::mul, [&](ExprId a, ExprId b) { return a == x && b == x; });
    };
    const auto cube = [&](ExprId e) {
      return matches(e, ExprOp::mul, [&](ExprId a, ExprId b) { return square(a) && b == x; });
    };
    const auto bent = [&](ExprId e) {
      return matches(e, ExprOp::mul, [&](ExprId a, ExprId b) { return is_number(a, 0.044715) && cube(b); });
    };
    const auto sum = [&](ExprId e) {
      return matches(e, ExprOp::add, [&](ExprId a, ExprId b) { return a == x && bent(b); });
    };
    const auto argument = [&](ExprId e) {
      const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
      return matches(e, ExprOp::mul, [&](ExprId a, ExprId b) { return is_number(a, scale) && sum(b); });
    };
    const auto tanh_part = [&](ExprId e) { return expr(e).op == ExprOp::tanh && argument(expr(e).args[0]); };
    const auto share = [&](ExprId e) {
      return matches(e, ExprOp::add, [&](ExprId a, ExprId b) { return is_number(a, 1) && tanh_part(b); });
    };
    const ExprId before = x;
    const bool found = matches(id, ExprOp::mul, [&](ExprId a, ExprId b) { return half(a) && share(b); });
    if (!found) x = before;
    return found;
  }

  bool biased(ExprId id) {
    if (scaled(id)) return true;
    return matches(id, ExprOp::add, [&](ExprId a, ExprId b) { return is_bias(b) && scaled(a); });
  }

  bool scaled(ExprId id) {
    if (expr(id).op == ExprOp::reduced) return true;
    return matches(id, ExprOp::mul, [&](ExprId a, ExprId b) {
      if (expr(a).op != ExprOp::constant || expr(b).op != ExprOp::reduced) return false;
      call_.alpha = static_cast<float>(expr(a).value);
      return true;
    });
  }

  // One value for each column of the output, side by side from the buffer's first element on.
  bool is_bias(ExprId id) {
    const Expr& e = expr(id);
    if (e.op != ExprOp::load || program_.buffers[static_cast<size_t>(e.buffer)].dtype != DType::f32) return false;
    const LinearPlace place = linear_place(program_, e.buffer, e.row, e.column);
    if (place.gathered != kNone || place.offset != 0 ||
        place.coefficients != std::map<AxisId, int64_t>{{product_.lane, 1}})
      return false;
    if (may_overlap(program_, e.buffer, call_.c)) return false;
    call_.bias = e.buffer;
    return true;
  }

  const Kernel& kernel_;
  const Program& program_;
  const MatrixProduct& product_;
  ProductCall& call_;
};

}  // namespace

std::optional<ProductCall> match_library_product(const Kernel& kernel, const Program& program) {
  MatrixProduct product;
  if (!match_matrix_product(kernel, &product) || kernel.phases.size() != 2 || kernel.phases[1].stores.size() != 1)
    return {};
  const Store& store = kernel.phases[1].stores[0];
  const Expr &a = kernel.exprs[static_cast<size_t>(product.a)], &b = kernel.exprs[static_cast<size_t>(product.b)];
  const Index row{0, {{product.row, 1}}}, lane{0, {{product.lane, 1}}};
  if (store.accumulate || store.row != row || store.column != lane) return {};
  const auto buffer = [&](BufferId id) -> const Buffer& { return program.buffers[static_cast<size_t>(id)]; };
  for (BufferId id : {a.buffer, b.buffer, store.buffer})
    if (buffer(id).dtype != DType::f32 || buffer(id).layout != Layout::row_major) return {};
  if (may_overlap(program, a.buffer, store.buffer) || may_overlap(program, b.buffer, store.buffer)) return {};

  const auto extent = [&](AxisId axis) { return kernel.axes[static_cast<size_t>(axis)].extent; };
  ProductCall call;
  call.m = extent(product.row);
  call.n = extent(product.lane);
  call.k = extent(product.reduced);
  call.a = a.buffer;
  call.b = b.buffer;
  call.c = store.buffer;
  call.a_transposed = a.row != row;
  call.b_transposed = b.row == lane;
  call.a_stride = buffer(call.a).columns;
  call.b_stride = buffer(call.b).columns;
  call.c_stride = buffer(call.c).columns;
  if (!EpilogueMatcher(kernel, program, product, call).match(store.value)) return {};
  return call;
}

}  // namespace netc::cuda
