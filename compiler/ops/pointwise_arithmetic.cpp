// Pointwise arithmetic, comparison and logic: one scalar operation each.
#include <numbers>

#include "compiler/base/errors.h"
#include "compiler/ops/body.h"
#include "compiler/ops/rows.h"

namespace netc {

namespace {

using body::Value;

// Makes the cotangents of the operands, each in the shape of the output, given x = inputs[0] and so on.
using UnaryGradient = NodeId (*)(GraphBuilder&, NodeId x, NodeId y, NodeId g);
using BinaryGradient = NodeId (*)(GraphBuilder&, NodeId a, NodeId b, NodeId y, NodeId g);

BodyRule one_operation(ExprOp op) {
  return [op](Kernel& kernel, std::span<const ExprId> arguments, const Attributes&) {
    Expr e;
    e.op = op;
    for (size_t i = 0; i < arguments.size(); ++i) e.args[i] = arguments[i];
    e.type = kernel.exprs[static_cast<size_t>(arguments.back())].type;
    return kernel.add(e);
  };
}

OpRow unary(const char* name, const char* summary, ExprOp op, UnaryGradient gradient, SampleDomain domain = {}) {
  OpRow row;
  row.name = name;
  row.summary = summary;
  row.type = arithmetic_type;
  row.body = one_operation(op);
  row.domain = {domain};
  if (gradient != nullptr) {
    row.gradient = [gradient](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
      const NodeId x = b.node(y).inputs[0];
      return {operand_cotangent(b, x, [&] { return gradient(b, x, y, g); })};
    };
  }
  return row;
}

OpRow binary(const char* name, const char* summary, ExprOp op, BinaryGradient left, BinaryGradient right,
             std::vector<SampleDomain> domain = {}) {
  OpRow row;
  row.name = name;
  row.summary = summary;
  row.arity = 2;
  row.type = arithmetic_type;
  row.body = one_operation(op);
  row.domain = std::move(domain);
  row.gradient = [left, right](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const NodeId p = b.node(y).inputs[0], q = b.node(y).inputs[1];
    const NodeId to_p = operand_cotangent(b, p, [&] { return left(b, p, q, y, g); });
    const NodeId to_q = operand_cotangent(b, q, [&] { return right(b, p, q, y, g); });
    return {to_p, to_q};
  };
  return row;
}

NodeId when(GraphBuilder& b, NodeId condition, NodeId value) {
  return b.op("select", {condition, value, b.constant(0)});
}

void append_binary(std::vector<OpRow>& rows) {
  rows.push_back(binary(
      "add", "a + b", ExprOp::add, [](GraphBuilder&, NodeId, NodeId, NodeId, NodeId g) { return g; },
      [](GraphBuilder&, NodeId, NodeId, NodeId, NodeId g) { return g; }));
  rows.push_back(binary(
      "sub", "a - b", ExprOp::sub, [](GraphBuilder&, NodeId, NodeId, NodeId, NodeId g) { return g; },
      [](GraphBuilder& b, NodeId, NodeId, NodeId, NodeId g) { return b.neg(g); }));
  rows.push_back(binary(
      "mul", "a * b", ExprOp::mul, [](GraphBuilder& b, NodeId, NodeId q, NodeId, NodeId g) { return b.mul(g, q); },
      [](GraphBuilder& b, NodeId p, NodeId, NodeId, NodeId g) { return b.mul(g, p); }));
  rows.push_back(binary(
      "div", "a / b", ExprOp::div, [](GraphBuilder& b, NodeId, NodeId q, NodeId, NodeId g) { return b.div(g, q); },
      [](GraphBuilder& b, NodeId, NodeId q, NodeId y, NodeId g) { return b.neg(b.div(b.mul(g, y), q)); },
      {SampleDomain{}, SampleDomain{0.5, 2, {}}}));
  // Where both are equal the first one takes the cotangent.
  rows.push_back(binary(
      "max", "the larger; NaN if either is NaN", ExprOp::max,
      [](GraphBuilder& b, NodeId p, NodeId q, NodeId, NodeId g) { return when(b, b.op("ge", {p, q}), g); },
      [](GraphBuilder& b, NodeId p, NodeId q, NodeId, NodeId g) { return when(b, b.op("lt", {p, q}), g); }));
  rows.push_back(binary(
      "min", "the smaller; NaN if either is NaN", ExprOp::min,
      [](GraphBuilder& b, NodeId p, NodeId q, NodeId, NodeId g) { return when(b, b.op("le", {p, q}), g); },
      [](GraphBuilder& b, NodeId p, NodeId q, NodeId, NodeId g) { return when(b, b.op("gt", {p, q}), g); }));
  rows.push_back(binary(
      "pow", "a to the power of b", ExprOp::pow,
      [](GraphBuilder& b, NodeId p, NodeId q, NodeId, NodeId g) {
        return b.mul(g, b.mul(q, b.op("pow", {p, b.sub(q, b.constant(1))})));
      },
      [](GraphBuilder& b, NodeId p, NodeId, NodeId y, NodeId g) {
        return when(b, b.op("gt", {p, b.constant(0)}), b.mul(g, b.mul(y, b.op("log", {p}))));
      },
      {SampleDomain{0.3, 2, {}}, SampleDomain{}}));
}

void append_unary(std::vector<OpRow>& rows) {
  const SampleDomain positive{0.3, 3, {}};
  rows.push_back(unary("neg", "-x", ExprOp::neg, [](GraphBuilder& b, NodeId, NodeId, NodeId g) { return b.neg(g); }));
  rows.push_back(unary(
      "abs", "the absolute value", ExprOp::abs,
      [](GraphBuilder& b, NodeId x, NodeId, NodeId g) { return b.mul(g, b.op("sign", {x})); }, {-2, 2, {0}}));
  rows.push_back(unary("exp", "e to the power of x", ExprOp::exp,
                       [](GraphBuilder& b, NodeId, NodeId y, NodeId g) { return b.mul(g, y); }));
  rows.push_back(unary(
      "log", "the natural logarithm", ExprOp::log, [](GraphBuilder& b, NodeId x, NodeId, NodeId g) { return b.div(g, x); },
      positive));
  rows.push_back(unary(
      "log1p", "log(1 + x), exact near 0", ExprOp::log1p,
      [](GraphBuilder& b, NodeId x, NodeId, NodeId g) { return b.div(g, b.add(x, b.constant(1))); }, {-0.7, 2, {}}));
  rows.push_back(unary("expm1", "exp(x) - 1, exact near 0", ExprOp::expm1,
                       [](GraphBuilder& b, NodeId, NodeId y, NodeId g) { return b.mul(g, b.add(y, b.constant(1))); }));
  rows.push_back(unary(
      "sqrt", "the square root", ExprOp::sqrt,
      [](GraphBuilder& b, NodeId, NodeId y, NodeId g) { return b.div(b.mul(g, b.constant(0.5)), y); }, positive));
  rows.push_back(unary(
      "rsqrt", "1 / sqrt(x)", ExprOp::rsqrt,
      [](GraphBuilder& b, NodeId, NodeId y, NodeId g) {
        return b.mul(b.mul(g, b.constant(-0.5)), b.mul(y, b.mul(y, y)));
      },
      positive));
  rows.push_back(unary(
      "reciprocal", "1 / x", ExprOp::reciprocal,
      [](GraphBuilder& b, NodeId, NodeId y, NodeId g) { return b.neg(b.mul(g, b.mul(y, y))); }, positive));
  rows.push_back(unary("sin", "the sine", ExprOp::sin,
                       [](GraphBuilder& b, NodeId x, NodeId, NodeId g) { return b.mul(g, b.op("cos", {x})); }));
  rows.push_back(unary("cos", "the cosine", ExprOp::cos,
                       [](GraphBuilder& b, NodeId x, NodeId, NodeId g) { return b.neg(b.mul(g, b.op("sin", {x}))); }));
  rows.push_back(unary("tanh", "the hyperbolic tangent", ExprOp::tanh, [](GraphBuilder& b, NodeId, NodeId y, NodeId g) {
    return b.op("tanh_grad", {y, g});
  }));
  rows.push_back(unary("erf", "the error function", ExprOp::erf, [](GraphBuilder& b, NodeId x, NodeId, NodeId g) {
    const NodeId bell = b.op("exp", {b.neg(b.mul(x, x))});
    return b.mul(b.mul(g, bell), b.constant(2 * std::numbers::inv_sqrtpi));
  }));
  const SampleDomain steps{-2, 2, {-2, -1, 0, 1, 2}};
  rows.push_back(unary("floor", "the largest whole number not above x", ExprOp::floor, nullptr, steps));
  rows.push_back(unary("sign", "-1, 0 or 1; NaN stays NaN", ExprOp::sign, nullptr, {-2, 2, {0}}));
}

BodyRule boolean_operation(ExprOp op) {
  return [op](Kernel& kernel, std::span<const ExprId> arguments, const Attributes&) {
    Expr e;
    e.op = op;
    e.type = DType::boolean;
    for (size_t i = 0; i < arguments.size(); ++i) e.args[i] = arguments[i];
    return kernel.add(e);
  };
}

std::optional<TensorType> comparison_type(Types inputs, const Attributes&) {
  if (inputs[0].dtype != inputs[1].dtype) return std::nullopt;
  std::optional<TensorType> type = common_type(inputs);
  if (type) type->dtype = DType::boolean;
  return type;
}

std::optional<TensorType> logic_type(Types inputs, const Attributes&) {
  for (const TensorType& type : inputs)
    if (type.dtype != DType::boolean) return std::nullopt;
  return common_type(inputs);
}

void append_comparison(std::vector<OpRow>& rows) {
  struct Entry {
    const char* name;
    const char* summary;
    ExprOp op;
    int arity;
    std::optional<TensorType> (*type)(Types, const Attributes&);
  };
  static constexpr Entry kEntries[] = {
      {"lt", "a < b; false if either is NaN", ExprOp::lt, 2, comparison_type},
      {"le", "a <= b; false if either is NaN", ExprOp::le, 2, comparison_type},
      {"gt", "a > b; false if either is NaN", ExprOp::gt, 2, comparison_type},
      {"ge", "a >= b; false if either is NaN", ExprOp::ge, 2, comparison_type},
      {"eq", "a == b; false if either is NaN", ExprOp::eq, 2, comparison_type},
      {"ne", "a != b; true if either is NaN", ExprOp::ne, 2, comparison_type},
      {"logical_and", "both", ExprOp::logical_and, 2, logic_type},
      {"logical_or", "at least one", ExprOp::logical_or, 2, logic_type},
      {"logical_not", "the opposite", ExprOp::logical_not, 1, logic_type},
  };
  for (const Entry& entry : kEntries) {
    OpRow row;
    row.name = entry.name;
    row.summary = entry.summary;
    row.arity = entry.arity;
    row.type = entry.type;
    row.body = boolean_operation(entry.op);
    rows.push_back(std::move(row));
  }
}

OpRow select_row() {
  OpRow row;
  row.name = "select";
  row.summary = "a where the condition holds, else b";
  row.arity = 3;
  row.type = [](Types inputs, const Attributes&) -> std::optional<TensorType> {
    if (inputs[0].dtype != DType::boolean || inputs[1].dtype != inputs[2].dtype) return std::nullopt;
    std::optional<TensorType> type = common_type(inputs);
    if (type) type->dtype = inputs[1].dtype;
    return type;
  };
  row.body = one_operation(ExprOp::select);
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const NodeId condition = b.node(y).inputs[0], p = b.node(y).inputs[1], q = b.node(y).inputs[2];
    const NodeId to_p = operand_cotangent(b, p, [&] { return when(b, condition, g); });
    const NodeId to_q = operand_cotangent(b, q, [&] { return b.op("select", {condition, b.constant(0), g}); });
    return {kNoNode, to_p, to_q};
  };
  return row;
}

DType parse_dtype(const std::string& name) {
  for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64, DType::u8, DType::boolean})
    if (name == dtype_name(dtype)) return dtype;
  throw InternalError("there is no element type `" + name + "`");
}

OpRow cast_row() {
  OpRow row;
  row.name = "cast";
  row.summary = "converts to attribute `dtype`; fractions are cut off towards zero";
  row.type = [](Types inputs, const Attributes& attributes) -> std::optional<TensorType> {
    TensorType type = inputs[0];
    type.dtype = parse_dtype(text_attribute(attributes, "dtype"));
    type.classes = 0;
    return type;
  };
  row.body = [](Kernel& kernel, std::span<const ExprId> arguments, const Attributes& attributes) {
    Expr e;
    e.op = ExprOp::cast;
    e.type = parse_dtype(text_attribute(attributes, "dtype"));
    e.args[0] = arguments[0];
    return kernel.add(e);
  };
  row.gradient = [](GraphBuilder& b, NodeId y, NodeId g) -> std::vector<NodeId> {
    const NodeId x = b.node(y).inputs[0];
    const DType dtype = b.type(x).dtype;
    if (!is_floating(dtype)) return {kNoNode};
    return {b.op("cast", {g}, {{"dtype", std::string(dtype_name(dtype))}})};
  };
  return row;
}

}  // namespace

void append_arithmetic(std::vector<OpRow>& rows) {
  append_binary(rows);
  append_unary(rows);
  append_comparison(rows);
  rows.push_back(select_row());
  rows.push_back(cast_row());
}

}  // namespace netc
