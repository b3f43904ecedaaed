// Lines of generated code with their indentation, and numbers spelled so that the same value always gives the same text.
#pragma once

#include <string>

#include "compiler/base/tensor_type.h"

namespace netc {

class CodeText {
 public:
  void line(const std::string& text) {
    if (!text.empty()) text_.append(static_cast<size_t>(depth_) * 2, ' ').append(text);
    text_ += '\n';
  }
  void open(const std::string& head) {   // "for (...)": opens a block
    line(head.empty() ? "{" : head + " {");
    ++depth_;
  }
  void close(const std::string& tail = {}) {
    --depth_;
    line("}" + tail);
  }
  void comment(const std::string& lines);      // every line of it behind //
  void raw(const std::string& text) { text_ += text; }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int depth_ = 0;
};

std::string float_literal(double value);             // "0.1f", "(-2.0f)", "__builtin_inff()"
std::string literal(double value, DType type);       // f32, i32, boolean, and i64 as u32
std::string identifier(const std::string& name);     // letters, digits and _; never empty

}  // namespace netc
