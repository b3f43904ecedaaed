// Leaves matrix products to a library. Program -> Program, after fusion, for devices whose fastest products come ready
// made (cuBLASLt): a product keeps what the library does beside it (library_product.h), the rest becomes a kernel of its
// own that reads the stored sums.
//
//   before   fc1_relu1_dropout1_matmul   h = max(sum of x * w + bias, 0) * dropped(r, c)
//   after    fc1_relu1_matmul            t = max(sum of x * w + bias, 0)               one call of the library
//            dropout1                    h = t * dropped(r, c);  p = h > 0             pointwise
//
//   * where the backward pass asks `h > 0` of such an h, its maker stores the truths, and the product of the backward pass
//     applies them as a mask: relu and dropout backward cost no kernel;
//   * sums of an operand's columns (bias gradients) go with the product that reads the operand (Step::with);
//   * afterwards what is no product is fused again, products kept as they are: pointwise kernels that can be one are one.
//
// Which products are worth it, and the choice to keep product and epilogue in one generated kernel instead, is
// decided in product_cost.h. Legal by construction: the kernels compute the same expressions on the same elements.
#pragma once

#include "compiler/kernel/library_product.h"
#include "compiler/program/fuse.h"

namespace netc {

void split_products(Program& program, const ProductLibrary& library, const FuseOptions& options = {});

}  // namespace netc
