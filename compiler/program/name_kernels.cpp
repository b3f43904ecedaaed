#include "compiler/program/name_kernels.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

namespace netc {

namespace {

constexpr size_t kMaxLayers = 4;   // beyond these a name says "_and_7_more"

std::string identifier(const std::string& text) {
  std::string out;
  for (char c : text) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (!out.empty() && std::isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "k");
  return out;
}

// The part that decides the kind of a kernel: a product, else a reduction or gather, else nothing.
int weight_of(const std::string& op) {
  if (op.rfind("matmul", 0) == 0) return 3;
  if (op == "scatter_add" || op == "gather") return 2;
  if (op.rfind("reduce", 0) == 0) return 1;
  return 0;
}

std::string readable_name(const std::string& parts) {
  std::vector<std::string> layers;
  std::string anchor, first_op, result_name;
  int anchor_weight = 0;
  bool updates = false;
  for (size_t begin = 0; begin <= parts.size();) {
    const size_t end = std::min(parts.find('+', begin), parts.size());
    const std::string part = parts.substr(begin, end - begin);
    begin = end + 1;
    const size_t colon = part.rfind(':');
    const std::string layer = part.substr(0, colon), op = colon == std::string::npos ? "" : part.substr(colon + 1);
    if (op == "update") {
      updates = true;
      continue;
    }
    if (layer.empty() && colon == 0 && op.find('.') != std::string::npos) {   // ":loss.total"
      result_name = op;
      continue;
    }
    if (!layer.empty() && std::find(layers.begin(), layers.end(), layer) == layers.end()) layers.push_back(layer);
    if (first_op.empty()) first_op = op;
    if (weight_of(op) > anchor_weight) anchor = op, anchor_weight = weight_of(op);
  }
  std::string name;
  for (size_t i = 0; i < layers.size() && i < kMaxLayers; ++i) name += (i ? "_" : "") + layers[i];
  if (layers.size() > kMaxLayers) name += "_and_" + std::to_string(layers.size() - kMaxLayers) + "_more";
  const std::string op = anchor.empty() ? first_op : anchor;
  if (!op.empty()) name += (name.empty() ? "" : "_") + op;
  if (name.empty()) name = result_name;
  if (updates) name += "_update";
  return identifier(name.empty() ? "kernel" : name);
}

void name_axes(Kernel& kernel) {
  int loops = 0;
  for (size_t a = 0; a < kernel.axes.size(); ++a) {
    Axis& axis = kernel.axes[a];
    const auto place = std::find(kernel.parallel.begin(), kernel.parallel.end(), static_cast<AxisId>(a));
    if (place == kernel.parallel.end()) {
      axis.name = loops == 0 ? "k" : "k" + std::to_string(loops);
      ++loops;
    } else {
      const auto number = static_cast<size_t>(place - kernel.parallel.begin());
      const size_t count = kernel.parallel.size();
      axis.name = axis.extent.times_batch ? "r" : number + 1 == count ? "c" : number == 0 ? "i" : "i" + std::to_string(number);
    }
  }
}

}  // namespace

void name_kernels(Program& program) {
  std::map<std::string, int> count;
  for (Kernel& kernel : program.kernels) {
    const std::string name = readable_name(kernel.name);
    const int number = ++count[name];
    kernel.name = number == 1 ? name : name + "_" + std::to_string(number);
    name_axes(kernel);
  }
}

}  // namespace netc
