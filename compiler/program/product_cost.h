// Which products a library makes, and what is worth storing for it. Kept apart from legality, as fuse_cost.h is.
#pragma once

#include "compiler/kernel/library_product.h"

namespace netc {

// Whether a product is left to the library. If not it stays one generated kernel with its whole epilogue: one launch and
// no pass over the sums between, at the price of a slower product.
bool library_pays(const Kernel& kernel, const MatrixProduct& product, const ProductLibrary& library);

// Whether a truth per element of `buffer` is worth storing so that a product may apply it: one store of a bit where the
// value is at hand anyway, against a kernel that reads and writes whole matrices.
bool mask_pays(const Buffer& buffer, const ProductLibrary& library);

}  // namespace netc
