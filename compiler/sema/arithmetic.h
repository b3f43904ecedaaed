// Compile-time operators on numbers, bools, strings, lists and quantities.
#pragma once

#include <optional>
#include <string>

#include "compiler/base/diagnostics.h"
#include "compiler/sema/value.h"
#include "compiler/syntax/ast.h"

namespace netc::sema {

struct ArithmeticFailure {
  std::optional<Code> code;
  std::string summary;
  std::string note;
  bool at_right = false;      // points at the right operand,
  bool at_operator = false;   // or at the operator; else at the whole expression
};

// Any operator but `and` and `or`; the operands are known and no tensors.
//  - whole numbers are 64 bit and checked; `/` of two gives a whole number when exact, else a float
//  - a whole number and a float are equal only if one of them is written as a number there: `drop == 0` is true for
//    0.0, but `w / 4 * 4 == w` is false where w / 4 is not whole, although its value is that of w
Value arithmetic(const ast::BinaryExpr& binary, const Value& left, const Value& right, ArithmeticFailure* failure);

}  // namespace netc::sema
