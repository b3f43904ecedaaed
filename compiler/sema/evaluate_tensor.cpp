// Operators between tensors, and the message when their shapes differ.
#include <algorithm>

#include "compiler/sema/evaluator.h"
#include "compiler/syntax/print.h"

namespace netc::sema {
namespace {

using ast::BinaryOp;

const char* op_name(BinaryOp op) {
  switch (op) {
    case BinaryOp::add: return "add";
    case BinaryOp::subtract: return "sub";
    case BinaryOp::multiply: return "mul";
    case BinaryOp::divide: return "div";
    case BinaryOp::less: return "lt";
    case BinaryOp::less_equal: return "le";
    case BinaryOp::greater: return "gt";
    case BinaryOp::greater_equal: return "ge";
    case BinaryOp::equal: return "eq";
    case BinaryOp::not_equal: return "ne";
    default: return nullptr;
  }
}

bool compares(BinaryOp op) {
  return op != BinaryOp::add && op != BinaryOp::subtract && op != BinaryOp::multiply && op != BinaryOp::divide;
}

std::string differing_axes(const Shape& a, const Shape& b) {
  if (a.size() != b.size())
    return std::to_string(a.size()) + (a.size() == 1 ? " axis" : " axes") + " and " + std::to_string(b.size());
  std::string text;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      text += (text.empty() ? "axis " : ";  axis ") + std::to_string(i) + ": " + std::to_string(a[i]) + " and " +
              std::to_string(b[i]);
  return text;
}

// "becomes smaller (32 -> 16) and wider (16 -> 32)", of the step from one shape to another.
std::string change(const Shape& from, const Shape& to) {
  if (from.size() != to.size())
    return "goes from " + std::to_string(from.size()) + " to " + std::to_string(to.size()) + " axes";
  std::string words[4];   // smaller, larger, narrower, wider: the last axis has words of its own
  static const char* const kWords[] = {"smaller", "larger", "narrower", "wider"};
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[i]) continue;
    std::string& word = words[(i + 1 == from.size() && from.size() > 1 ? 2 : 0) + (to[i] > from[i] ? 1 : 0)];
    const std::string step = std::to_string(from[i]) + " -> " + std::to_string(to[i]);
    if (word.find(step) == std::string::npos) word += (word.empty() ? "" : ", ") + step;
  }
  std::string text;
  for (size_t i = 0; i < 4; ++i)
    if (!words[i].empty()) text += (text.empty() ? "becomes " : " and ") + std::string(kWords[i]) + " (" + words[i] + ")";
  return text;
}

// The stages of one body that lead to a node, last first.
std::vector<const StageRecord*> stages_to(NodeId node, const std::vector<StageRecord>& records, int frame) {
  std::vector<const StageRecord*> chain;
  while (node != kNoNode) {
    const auto found = std::find_if(records.begin(), records.end(), [&](const StageRecord& r) {
      return r.frame == frame && r.out == node && r.in != r.out;
    });
    if (found == records.end()) break;
    chain.push_back(&*found);
    node = found->in;
  }
  return chain;
}

}  // namespace

void Evaluator::explain_shapes(Diagnostic& d, NodeId left, NodeId right, std::string_view left_name,
                               std::string_view right_name, const Context& context) {
  const Shape final_left = net_->graph[left].type.shape, final_right = net_->graph[right].type.shape;
  const auto a = stages_to(left, net_->stages, context.frame->id), b = stages_to(right, net_->stages, context.frame->id);
  // The value both come from: from there on, the first stage of each side that changes what differs in the end.
  const auto nodes = [](NodeId end, const std::vector<const StageRecord*>& chain) {
    std::vector<NodeId> result{end};
    for (const StageRecord* record : chain) result.push_back(record->in);
    return result;
  };
  const auto on_left = nodes(left, a), on_right = nodes(right, b);
  size_t i = 0, j = on_right.size();
  for (; i < on_left.size(); ++i) {
    j = static_cast<size_t>(std::find(on_right.begin(), on_right.end(), on_left[i]) - on_right.begin());
    if (j < on_right.size()) break;
  }
  if (i == on_left.size()) return;   // no value in common
  const auto explain = [&](const std::vector<const StageRecord*>& chain, size_t from, std::string_view name) {
    for (size_t k = from; k-- > 0;) {
      const Shape before = net_->graph[chain[k]->in].type.shape, after = net_->graph[chain[k]->out].type.shape;
      bool matters = before.size() != after.size() || final_left.size() != final_right.size();
      for (size_t axis = 0; !matters && axis < after.size(); ++axis)
        matters = before[axis] != after[axis] &&
                  (axis >= final_left.size() || final_left[axis] != final_right[axis]);
      if (!matters || before == after) continue;
      d.label(chain[k]->span, "here " + (name.empty() ? std::string("it") : std::string(name)) + " " + change(before, after));
      return;
    }
  };
  explain(a, i, left_name);
  explain(b, j, right_name);
}

Value Evaluator::tensor_operation(const ast::BinaryExpr& binary, const Value& left, const Value& right, Span span,
                                  Context& context) {
  const std::string shown = std::string("`") + spelling(binary.op) + "`";
  const char* op = op_name(binary.op);
  if (!op) {
    Diagnostic& d = error(Code::N0303, binary.op_span, shown + " works on numbers, not on tensors", "", context);
    if (binary.op == BinaryOp::power) d.help("multiply it with itself: `x * x`");
    return Unknown{};
  }
  const auto *a = left.as<Tensor>(), *b = right.as<Tensor>();
  const Value& other = a ? right : left;
  if (!(a && b) && !number_of(other)) {
    error(Code::N0303, a ? binary.right->span : binary.left->span,
          shown + " wants a tensor or a number beside a tensor, got " + kind_of(other), "", context);
    return Unknown{};
  }
  GraphBuilder& builder = net_->builder.at(span).named("");
  const TensorType type = builder.type(a ? a->node : b->node);
  const bool is_number = is_floating(type.dtype);
  for (const Value* side : {&left, &right}) {
    const auto* tensor = side->as<Tensor>();
    if (!tensor || compares(binary.op)) continue;
    const TensorType t = builder.type(tensor->node);
    if (is_floating(t.dtype)) continue;
    Diagnostic& d = error(Code::N0406, binary.op_span, shown + " computes in floating point, this is " + to_string(t), "",
                          context);
    d.label(side == &left ? binary.left->span : binary.right->span, to_string(t));
    d.help(t.classes > 0 ? "classes are names, not amounts: `embedding` or `one_hot` first"
                         : "`to_float` in the field of the data");
    return Unknown{};
  }
  if (a && b) {
    const TensorType s = builder.type(a->node), t = builder.type(b->node);
    if (s.shape != t.shape) {
      Diagnostic& d = error(Code::N0401, binary.op_span, shown + " needs equal shapes", "", context);
      d.label(binary.left->span, to_string(s)).label(binary.right->span, to_string(t));
      d.note(differing_axes(s.shape, t.shape));
      const auto name_of = [](const ast::Expr& e) { return e.is<ast::NameRef>() ? e.as<ast::NameRef>()->name : std::string(); };
      explain_shapes(d, a->node, b->node, name_of(*binary.left), name_of(*binary.right), context);
      if (s.shape.size() == t.shape.size() + 1 && s.shape.back() == 1)
        d.fix("drop the axis of size 1", Span{binary.left->span.file, binary.left->span.end, binary.left->span.end},
              " |> squeeze", Confidence::guess);
      return Unknown{};
    }
    if (s.dtype != t.dtype || s.classes != t.classes) {
      error(Code::N0405, binary.op_span, "element types differ: " + to_string(s) + ", " + to_string(t), "", context)
          .label(binary.left->span, to_string(s))
          .label(binary.right->span, to_string(t));
      return Unknown{};
    }
    return Tensor{builder.op(op, {a->node, b->node}), ""};
  }
  NodeId number = builder.constant(*number_of(other));
  if (!is_number) {
    if (!other.is<int64_t>()) {
      error(Code::N0302, a ? binary.right->span : binary.left->span,
            "beside " + to_string(type) + " the number must be whole, got " + show(other, graph()), "", context);
      return Unknown{};
    }
    number = builder.op("cast", {number}, {{"dtype", std::string(dtype_name(type.dtype))}});
  }
  return Tensor{builder.op(op, {a ? a->node : number, b ? b->node : number}), ""};
}

}  // namespace netc::sema
