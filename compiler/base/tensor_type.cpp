#include "compiler/base/tensor_type.h"

namespace netc {

const char* dtype_name(DType dtype) {
  switch (dtype) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::i32: return "i32";
    case DType::i64: return "i64";
    case DType::u8: return "u8";
    case DType::boolean: return "bool";
  }
  return "?";
}

int dtype_bytes(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::i64: return 8;
    case DType::f32:
    case DType::i32: return 4;
    case DType::f16:
    case DType::bf16: return 2;
    case DType::u8:
    case DType::boolean: return 1;
  }
  return 0;
}

bool is_floating(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  return count;
}

std::string to_string(const TensorType& type) {
  std::string text = type.classes > 0 ? "class(" + std::to_string(type.classes) + ")" : dtype_name(type.dtype);
  if (!type.batched && type.shape.empty()) return text;
  text += '[';
  if (type.batched) text += 'B';
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (i > 0 || type.batched) text += ", ";
    text += std::to_string(type.shape[i]);
  }
  return text + ']';
}

}  // namespace netc
