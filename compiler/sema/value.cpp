#include "compiler/sema/value.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace netc::sema {

std::string show_number(double value) {
  char text[40];
  for (int digits = 6; digits <= 17; ++digits) {   // the shortest text that reads back as the same number
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  std::string result = text;
  const size_t exponent = result.find("e-0");
  if (exponent != std::string::npos) result.erase(exponent + 2, 1);
  const bool plain = result.find_first_not_of("-0123456789") == std::string::npos;
  return plain ? result + ".0" : result;
}

namespace {

constexpr int kShownDepth = 3;   // of lists in lists: a value may be much larger than the text that made it

std::string show_at(const Value& value, const Graph* graph, int depth);

std::string show_list(const Items& items, const Graph* graph, int depth) {
  if (depth == kShownDepth && !items.values->empty()) return items.is_tuple ? "(...)" : "[...]";
  std::string text = items.is_tuple ? "(" : "[";
  for (size_t i = 0; i < items.values->size(); ++i) {
    if (i == 8) {
      text += ", ...";
      break;
    }
    text += (i ? ", " : "") + show_at((*items.values)[i], graph, depth + 1);
  }
  return text + (items.is_tuple ? ")" : "]");
}

std::string show_percent(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g%%", value * 100);
  return text;
}

std::string show_at(const Value& value, const Graph* graph, int depth) {
  if (value.is<None>()) return "none";
  if (const auto* b = value.as<bool>()) return *b ? "true" : "false";
  if (const auto* i = value.as<int64_t>()) return std::to_string(*i);
  if (const auto* f = value.as<Float>()) return f->percent ? show_percent(f->value) : show_number(f->value);
  if (const auto* q = value.as<Quantity>()) return q->spelling;
  if (const auto* t = value.as<Text>()) return "\"" + t->value + "\"";
  if (const auto* d = value.as<DeviceWord>()) return d->kind + ":" + (d->index < 0 ? "*" : std::to_string(d->index));
  if (const auto* items = value.as<Items>()) return show_list(*items, graph, depth);
  if (const auto* r = value.as<Range>())
    return r->whole ? std::to_string(r->begin) + " ..< " + std::to_string(r->end)
                    : show_number(r->low) + " ..< " + show_number(r->high);
  if (const auto* t = value.as<Tensor>()) return graph ? to_string((*graph)[t->node].type) : "a tensor";
  if (const auto* w = value.as<Weight>()) return w->transposed ? "transpose(" + w->path + ")" : w->path;
  if (const Callable* c = value.callable()) return std::string(c->name());
  return kind_of(value);
}

}  // namespace

std::string show(const Value& value, const Graph* graph) { return show_at(value, graph, 0); }

std::string kind_of(const Value& value) {
  if (value.is<None>()) return "none";
  if (value.is<bool>()) return "a bool";
  if (value.is<int64_t>()) return "a whole number";
  if (value.is<Float>()) return "a number";
  if (const auto* q = value.as<Quantity>()) {
    switch (q->unit) {
      case ast::Unit::bytes: return "a size in bytes";
      case ast::Unit::seconds: return "a time";
      case ast::Unit::degrees: return "an angle";
      case ast::Unit::epochs: return "a number of epochs";
      case ast::Unit::steps: return "a number of steps";
      case ast::Unit::samples: return "a number of samples";
      case ast::Unit::tokens: return "a number of tokens";
    }
  }
  if (value.is<Text>()) return "a string";
  if (value.is<DeviceWord>()) return "a device";
  if (const auto* items = value.as<Items>()) return items->is_tuple ? "a tuple" : "a list";
  if (value.is<Range>()) return "a range";
  if (value.is<Tensor>()) return "a tensor";
  if (value.is<Weight>()) return "a parameter of a layer";
  if (value.is<Instance>()) return "a part of a layer";
  if (value.is<ModuleName>()) return "a file";
  if (const Callable* c = value.callable()) return c->layer ? "a layer" : c->block ? "a block" : "a net";
  return "a value";
}

}  // namespace netc::sema
