#include "compiler/program/product_cost.h"

namespace netc {

bool library_pays(const Kernel& kernel, const MatrixProduct& product, const ProductLibrary& library) {
  const Extent& reduced = kernel.axes[static_cast<size_t>(product.reduced)].extent;
  return reduced.times_batch || reduced.count >= library.least_reduced;
}

bool mask_pays(const Buffer& buffer, const ProductLibrary& library) {
  return library.masks && buffer.rows.times_batch && buffer.columns % library.mask_columns == 0;
}

}  // namespace netc
