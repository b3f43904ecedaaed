// Element types and tensor types. A shape is the shape of ONE sample; the batch is a flag and never an axis number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace netc {

enum class DType : uint8_t { f32, f64, f16, bf16, i32, i64, u8, boolean };

const char* dtype_name(DType dtype);   // "f32", "u8", "bool"
int dtype_bytes(DType dtype);
bool is_floating(DType dtype);

using Shape = std::vector<int64_t>;    // empty: a scalar

int64_t element_count(const Shape& shape);  // product; 1 for a scalar. Callers have checked that it fits.

struct TensorType {
  DType dtype = DType::f32;
  Shape shape;                // of one sample when batched, else of the whole tensor
  bool batched = false;       // true: one such tensor per row of the batch
  int64_t classes = 0;        // > 0: whole numbers 0 .. classes-1, `class(N)` of the language (stored as i32)

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

// As users read it: "f32[B, 28, 28, 1]", "class(10)[B]" (batched), "f32[784, 1024]" (not batched), "f32".
std::string to_string(const TensorType& type);

}  // namespace netc
