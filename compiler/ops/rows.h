// What the files of the op table share: one function per family that appends its rows, and the type and gradient
// fragments that several rows use. Private to compiler/ops.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ops/op.h"

namespace netc {

using Types = std::span<const TensorType>;
using TypeRule = decltype(OpRow::type);
using GradientRule = decltype(OpRow::gradient);
using BodyRule = decltype(OpRow::body);

// In the order of the table.
void append_arithmetic(std::vector<OpRow>& rows);
void append_activations(std::vector<OpRow>& rows);
void append_shape(std::vector<OpRow>& rows);
void append_reduce(std::vector<OpRow>& rows);
void append_contract(std::vector<OpRow>& rows);
void append_gather(std::vector<OpRow>& rows);
void append_random(std::vector<OpRow>& rows);
void append_softmax(std::vector<OpRow>& rows);
void append_normalize(std::vector<OpRow>& rows);
void append_losses(std::vector<OpRow>& rows);
void append_training(std::vector<OpRow>& rows);

// The shape and batch flag that pointwise operands agree on: equal, or unbatched scalars. The dtype is the first's.
std::optional<TensorType> common_type(Types inputs);
// common_type of floating operands of one dtype: the rule of arithmetic.
std::optional<TensorType> arithmetic_type(Types inputs, const Attributes&);
// The type of the single (or first) input.
std::optional<TensorType> same_type(Types inputs, const Attributes&);

// The cotangent of one operand of a pointwise op. `make` gives it in the shape of the output; where the operand is a
// scalar it is summed. Constants and run-time scalars need none, and `make` is not called.
NodeId operand_cotangent(GraphBuilder& b, NodeId operand, const std::function<NodeId()>& make);

// A sum over the last axis, given back to every element of it; the mean likewise.
NodeId spread_sum(GraphBuilder& b, NodeId x);
NodeId spread_mean(GraphBuilder& b, NodeId x);
// Copies `a`, which lacks the last axis of `like`, along it.
NodeId spread(GraphBuilder& b, NodeId a, NodeId like);

}  // namespace netc
