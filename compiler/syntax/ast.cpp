#include "compiler/syntax/ast.h"

namespace netc::ast {

const char* spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::power: return "^";
    case BinaryOp::multiply: return "*";
    case BinaryOp::divide: return "/";
    case BinaryOp::add: return "+";
    case BinaryOp::subtract: return "-";
    case BinaryOp::range: return "..<";
    case BinaryOp::less: return "<";
    case BinaryOp::less_equal: return "<=";
    case BinaryOp::greater: return ">";
    case BinaryOp::greater_equal: return ">=";
    case BinaryOp::equal: return "==";
    case BinaryOp::not_equal: return "!=";
    case BinaryOp::logical_and: return "and";
    case BinaryOp::logical_or: return "or";
  }
  return "";
}

const char* spelling(UnaryOp op) { return op == UnaryOp::negate ? "-" : "not"; }

}  // namespace netc::ast
