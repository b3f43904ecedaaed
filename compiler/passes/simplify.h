// simplify: the same values by fewer and cheaper nodes.
//
//   mul(x, 1)  add(x, 0)  neg(neg(x))  cast to the own type  reshape of reshape  ...   ->  the value itself, or one node
//   sub(1, 0.999)                                                  ->  0.001            arithmetic of constants
//   mul(g, expand(inverse_batch))                                  ->  mul(g, inverse_batch)
//   add(expand(a), expand(b)), a and b scalars                     ->  expand(add(a, b))
//   reshape(mul(cast(image), 1/255))                               ->  mul(cast(reshape(image)), 1/255)
//   d = mul(y, M); ... relu_grad(y, mul(g, M)), M = mask * scale   ->  relu_grad(d, mul(g, scale))
//
// The third and fourth keep run-time scalars scalar, so that arithmetic between them is done once a step and not once
// an element. The fifth brings `flatten` to the raw input, where it is free, and only there: elsewhere a pointwise op
// between a product and a reshape belongs to the product's epilogue. In the last, y with its dropped elements is
// positive exactly where y is positive and kept, so the backward pass needs neither the mask nor y, only d, which the
// next layer keeps anyway.
//
// Before: any sound graph; the last rule needs composites expanded. After: no rule applies, no node is dead; values
// are as they were up to the sign of zeros, NaN and infinity included, and constants are folded in f64.
// Idempotent. Every rule looks at a node and its inputs; the rules are applied in rounds until none fires, which takes
// two or three rounds of linear time.
#pragma once

#include "compiler/graph/graph.h"

namespace netc {

Graph simplify(Graph graph);

}  // namespace netc
