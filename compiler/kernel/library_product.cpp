#include "compiler/kernel/library_product.h"

#include <algorithm>
#include <cmath>

namespace netc {
namespace {

bool is_axis(const Index& index, AxisId axis) {
  return index.offset == 0 && index.gathered == kNone && index.terms.size() == 1 && index.terms[0].axis == axis &&
         index.terms[0].coefficient == 1;
}

bool is_zero(const Index& index) { return index.offset == 0 && index.gathered == kNone && index.terms.empty(); }

// Reads a value from the outside in: a mask or an activation, additions, a scale, the sums.
class ValueReader {
 public:
  ValueReader(const Kernel& kernel, const ProductLibrary& library, LibraryProduct& out)
      : kernel_(kernel), library_(library), out_(out) {}

  bool read(ExprId id) {
    out_.value = id;
    const Expr& e = at(id);
    if (e.op == ExprOp::select && library_.masks && is_number(e.args[2], 0) && is_place(e.args[0], DType::boolean)) {
      out_.mask = e.args[0];
      return read_scaled(e.args[1]);
    }
    out_.activated = id;
    if (library_.relu && e.op == ExprOp::max && is_number(e.args[1], 0)) {
      out_.activation = Activation::relu;
      out_.activated = e.args[0];
    } else if (const ExprId x = gelu_operand(id); library_.gelu_tanh && x != kNone) {
      out_.activation = Activation::gelu_tanh;
      out_.activated = x;
    }
    return read_sum(out_.activated);
  }

 private:
  const Expr& at(ExprId id) const { return kernel_.exprs[static_cast<size_t>(id)]; }

  bool is_number(ExprId id, double value) const {
    return at(id).op == ExprOp::constant && std::abs(at(id).value - value) <= 1e-7 * std::abs(value);
  }
  bool is_place(ExprId id, DType type) const {
    const Expr& e = at(id);
    return e.op == ExprOp::load && e.type == type && is_axis(e.row, out_.product.row) && is_axis(e.column, out_.product.lane);
  }
  bool is_vector(ExprId id) const {
    const Expr& e = at(id);
    return e.op == ExprOp::load && e.type == DType::f32 &&
           ((is_zero(e.row) && is_axis(e.column, out_.product.lane)) || (is_axis(e.row, out_.product.lane) && is_zero(e.column)));
  }

  bool read_sum(ExprId id) {
    const Expr& e = at(id);
    if (e.op != ExprOp::add) return read_scaled(id);
    for (int i = 0; i < 2; ++i) {
      const ExprId other = e.args[i], rest = e.args[1 - i];
      ExprId& term = is_vector(other) ? out_.bias : out_.addend;
      const bool can = is_vector(other) ? library_.bias : library_.addend && is_place(other, DType::f32);
      if (!can || term != kNone) continue;
      term = other;
      if (read_sum(rest)) return true;
      term = kNone;
    }
    return false;
  }

  bool read_scaled(ExprId id) {
    const Expr& e = at(id);
    if (e.op == ExprOp::reduced) return true;
    if (e.op != ExprOp::mul || !library_.scale) return false;
    for (int i = 0; i < 2; ++i)
      if (at(e.args[i]).op == ExprOp::reduced && (at(e.args[1 - i]).op == ExprOp::constant || at(e.args[1 - i]).op == ExprOp::scalar)) {
        out_.scale = e.args[1 - i];
        return true;
      }
    return false;
  }

  // The two factors or terms of `id` if one of them is `number`: the other.
  ExprId beside_number(ExprId id, ExprOp op, double number) const {
    if (at(id).op != op) return kNone;
    for (int i = 0; i < 2; ++i)
      if (is_number(at(id).args[i], number)) return at(id).args[1 - i];
    return kNone;
  }

  // x of  0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x))), as the op table writes it.
  ExprId gelu_operand(ExprId id) const {
    if (at(id).op != ExprOp::mul) return kNone;
    const ExprId x = beside_number(at(id).args[0], ExprOp::mul, 0.5);
    const ExprId tanh = beside_number(at(id).args[1], ExprOp::add, 1);
    if (x == kNone || tanh == kNone || at(tanh).op != ExprOp::tanh) return kNone;
    const ExprId inner = beside_number(at(tanh).args[0], ExprOp::mul, std::sqrt(2 / std::acos(-1.0)));
    if (inner == kNone || at(inner).op != ExprOp::add || at(inner).args[0] != x) return kNone;
    const ExprId cube = beside_number(at(inner).args[1], ExprOp::mul, 0.044715);
    if (cube == kNone || at(cube).op != ExprOp::mul || at(cube).args[1] != x) return kNone;
    const Expr& square = at(at(cube).args[0]);
    return square.op == ExprOp::mul && square.args[0] == x && square.args[1] == x ? x : kNone;
  }

  const Kernel& kernel_;
  const ProductLibrary& library_;
  LibraryProduct& out_;
};

}  // namespace

ProductLibrary cublaslt() {
  return {.scale = true, .bias = true, .addend = true, .relu = true, .gelu_tanh = true, .keeps_input = true, .masks = true,
          .column_sums = true};
}

std::optional<LibraryProduct> match_library_value(const Kernel& kernel, ExprId value, const ProductLibrary& library) {
  LibraryProduct made;
  if (!match_matrix_product(kernel, &made.product) || kernel.phases.size() != 2) return std::nullopt;
  if (!ValueReader(kernel, library, made).read(value)) return std::nullopt;
  return made;
}

bool is_kept_beside(const Kernel& kernel, const Store& store, const LibraryProduct& made, const ProductLibrary& library) {
  if (!is_axis(store.row, made.product.row) || !is_axis(store.column, made.product.lane)) return false;
  if (made.activation == Activation::gelu_tanh) return library.keeps_input && store.value == made.activated;
  const Expr& e = kernel.exprs[static_cast<size_t>(store.value)];
  return made.activation == Activation::relu && library.masks && e.op == ExprOp::gt && e.args[0] == made.value &&
         kernel.exprs[static_cast<size_t>(e.args[1])].op == ExprOp::constant && kernel.exprs[static_cast<size_t>(e.args[1])].value == 0;
}

std::optional<LibraryProduct> match_library_product(const Kernel& kernel, const ProductLibrary& library) {
  if (kernel.phases.size() != 2) return std::nullopt;
  const std::vector<Store>& stores = kernel.phases[1].stores;
  for (const Store& output : stores) {
    const auto made = match_library_value(kernel, output.value, library);
    if (!made || !is_axis(output.row, made->product.row) || !is_axis(output.column, made->product.lane)) continue;
    const auto others = std::count_if(stores.begin(), stores.end(), [&](const Store& s) { return &s != &output; });
    if (others > 1) continue;
    if (std::all_of(stores.begin(), stores.end(),
                    [&](const Store& s) { return &s == &output || is_kept_beside(kernel, s, *made, library); }))
      return made;
  }
  return std::nullopt;
}

bool is_column_sum_of(const Kernel& sums, const Kernel& product) {
  const auto made = match_library_product(product, {});   // plain: the column sums are an epilogue of their own
  if (!made || product.phases[1].stores.size() != 1) return false;
  if (sums.parallel.size() != 1 || sums.reductions.size() != 1 || sums.phases.size() != 2 || sums.phases[0].loop.size() != 1) return false;
  if (!sums.phases[0].stores.empty() || !sums.phases[1].loop.empty() || sums.phases[1].stores.size() != 1) return false;
  const Store& store = sums.phases[1].stores[0];
  const Reduction& reduction = sums.reductions[0];
  const Expr& summed = sums.exprs[static_cast<size_t>(reduction.value)];
  const AxisId kept = sums.parallel[0], gone = sums.phases[0].loop[0];
  if (reduction.combine != Combine::sum || summed.op != ExprOp::load || sums.exprs[static_cast<size_t>(store.value)].op != ExprOp::reduced) return false;
  if (!(is_zero(store.row) && is_axis(store.column, kept)) && !(is_axis(store.row, kept) && is_zero(store.column))) return false;
  const auto extent = [](const Kernel& kernel, AxisId axis) { return kernel.axes[static_cast<size_t>(axis)].extent; };
  for (const auto& [operand, outer] : {std::pair{made->product.a, made->product.row}, std::pair{made->product.b, made->product.lane}}) {
    const Expr& load = product.exprs[static_cast<size_t>(operand)];
    if (load.buffer != summed.buffer || extent(sums, kept) != extent(product, outer) || extent(sums, gone) != extent(product, made->product.reduced)) continue;
    const bool rows = is_axis(load.row, made->product.reduced) && is_axis(summed.row, gone) && is_axis(summed.column, kept);
    const bool columns = is_axis(load.column, made->product.reduced) && is_axis(summed.column, gone) && is_axis(summed.row, kept);
    if (rows || columns) return true;
  }
  return false;
}

}  // namespace netc
