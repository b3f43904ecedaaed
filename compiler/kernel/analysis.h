// What an expression of a kernel depends on. The printer, the verifier, the interpreter and the emitters all ask.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernel/program.h"

namespace netc {

// Sets of axes and reductions as bits; a kernel has at most 64 of each (verify says so).
using AxisSet = uint64_t;
inline AxisSet axis_bit(AxisId axis) { return AxisSet{1} << axis; }

struct Dependence {
  AxisSet axes = 0;            // axes the value varies with, not counting those of `reduced` values
  uint64_t reductions = 0;     // results of earlier phases it needs
};

std::vector<Dependence> dependences(const Kernel& kernel);              // one per expression
Dependence dependence(const Index& index, const std::vector<Dependence>& of_exprs);

// How many arguments an operation takes; 0 for leaves.
int arity(ExprOp op);
const char* expr_op_name(ExprOp op);                                    // "add", "logical_not"

// Every expression another one refers to: arguments and gathered ids of its indices. Calls visit(ExprId) for each.
template <typename Visit>
void for_each_operand(const Expr& e, Visit visit) {
  for (int i = 0; i < arity(e.op); ++i) visit(e.args[i]);
  if (e.row.gathered != kNone) visit(e.row.gathered);
  if (e.column.gathered != kNone) visit(e.column.gathered);
}

// Expressions the phase needs, itself or through operands: reduction values, store values, gathered store indices.
std::vector<bool> needed_by_phase(const Kernel& kernel, const Phase& phase);

// The buffer whose memory this one is: itself, or what it is an alias of.
BufferId root_of(const Program& program, BufferId buffer);

}  // namespace netc
