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

struct Part {
  int64_t node = 0;
  std::string layer, op;
};

std::vector<Part> parts_of(const std::string& name) {
  std::vector<Part> parts;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('+', begin), name.size());
    const std::string text = name.substr(begin, end - begin);
    begin = end + 1;
    const size_t at = text.find('@'), colon = text.rfind(':');
    parts.push_back({std::stoll(text.substr(0, at)), text.substr(at + 1, colon - at - 1), text.substr(colon + 1)});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.node < b.node; });
  return parts;
}

bool is_part_of(const std::string& owner, const std::string& path) {
  return path.size() > owner.size() && path.compare(0, owner.size(), owner) == 0 && path[owner.size()] == '.';
}

std::string readable_name(const std::string& text) {
  std::vector<std::string> layers;
  std::string anchor, first_op, copied;
  int anchor_weight = 0;
  bool updates = false;
  for (const Part& part : parts_of(text)) {
    if (part.op == "update") {
      updates = true;
      continue;
    }
    if (part.layer.empty() && !part.op.empty()) copied = part.op;   // a copy into a result: ":loss.total"
    else if (std::find(layers.begin(), layers.end(), part.layer) == layers.end()) layers.push_back(part.layer);
    if (first_op.empty() && !part.layer.empty()) first_op = part.op;
    if (weight_of(part.op) > anchor_weight) anchor = part.op, anchor_weight = weight_of(part.op);
  }
  // "fc1" says nothing beside "fc1.weight".
  std::erase_if(layers, [&](const std::string& layer) {
    return std::any_of(layers.begin(), layers.end(), [&](const std::string& other) { return is_part_of(layer, other); });
  });
  std::string name;
  for (size_t i = 0; i < layers.size() && i < kMaxLayers; ++i) name += (i ? "_" : "") + layers[i];
  if (layers.size() > kMaxLayers) name += "_and_" + std::to_string(layers.size() - kMaxLayers) + "_more";
  const std::string op = anchor.empty() ? first_op : anchor;
  if (!op.empty()) name += (name.empty() ? "" : "_") + op;
  if (name.empty()) name = copied;
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

std::vector<std::string> name_parts(const std::string& name) {
  std::vector<std::string> texts;
  for (const Part& part : parts_of(name)) texts.push_back(std::to_string(part.node) + "@" + part.layer + ":" + part.op);
  return texts;
}

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
