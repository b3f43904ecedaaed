// What an expression of the language stands for while a file is analysed: a compile-time value, a tensor of the graph
// being built, or something that can be called.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/layers/layer.h"
#include "compiler/syntax/ast.h"

namespace netc::sema {

struct Callable;
struct Module;
struct Value;

struct Unknown {};                     // something failed and was reported: silent from here on
struct None {};
struct Float {
  double value = 0;
  bool percent = false;                // written 20%
};
struct Quantity {
  double value = 0;                    // in the unit's base
  ast::Unit unit{};
  std::string spelling;
};
struct Text {
  std::string value;
};
struct DeviceWord {
  std::string kind;
  int index = 0;                       // -1: all
};
struct Items {                         // a list or a tuple
  std::shared_ptr<const std::vector<Value>> values;
  bool is_tuple = false;
  std::vector<std::string> names;      // outputs of a net used as a block; else empty
};
struct Range {                         // begin ..< end
  bool whole = true;
  int64_t begin = 0, end = 0;          // if whole
  double low = 0, high = 0;            // else
};
struct Tensor {
  NodeId node = kNoNode;
  std::string instance;                // path of the layer named with `as` whose value it is; else empty
};
struct Weight {
  std::string path;
  NodeId node = kNoNode;
  bool transposed = false;
};
struct Instance {                      // a part of a named layer on the way to a parameter: `enc.dense1`
  std::string path;
};
struct ModuleName {                    // `use "..." as r`
  const Module* module = nullptr;
};

struct Value {
  using Data = std::variant<Unknown, None, bool, int64_t, Float, Quantity, Text, DeviceWord, Items, Range, Tensor, Weight,
                            Instance, ModuleName, std::shared_ptr<const Callable>>;
  Data data;

  Value() = default;
  template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, Value>)
  Value(T&& value) : data(std::forward<T>(value)) {}

  template <class T>
  const T* as() const { return std::get_if<T>(&data); }
  template <class T>
  bool is() const { return std::holds_alternative<T>(data); }
  bool unknown() const { return is<Unknown>(); }
  const Callable* callable() const {
    const auto* c = as<std::shared_ptr<const Callable>>();
    return c ? c->get() : nullptr;
  }
  const std::vector<Value>* items() const {
    const auto* i = as<Items>();
    return i ? i->values.get() : nullptr;
  }
};

inline Value make_items(std::vector<Value> values, bool is_tuple) {
  return Items{std::make_shared<const std::vector<Value>>(std::move(values)), is_tuple, {}};
}

// A number of either kind; nullopt for anything else.
inline std::optional<double> number_of(const Value& value) {
  if (const auto* i = value.as<int64_t>()) return static_cast<double>(*i);
  if (const auto* f = value.as<Float>()) return f->value;
  return std::nullopt;
}

// "3", "0.5", "20%", "[1, 2]", "f32[B, 10]" (needs the graph), "a layer": for messages.
std::string show(const Value& value, const Graph* graph);
// "a whole number", "a tensor", "a list": the kind in words.
std::string kind_of(const Value& value);
// A number as one writes it: 0.001, 1e-05 as 1e-5, 3.0 for a float that is whole.
std::string show_number(double value);

// One argument of a block or net, evaluated.
struct GivenArgument {
  const ast::Name* name = nullptr;     // null: by position
  Value value;
  Span span;
  bool is_default = false;
};

// A `shared` declaration: one set of weights, used anywhere below.
struct SharedInstance {
  std::string name;
  std::string path;
  Span declared;
  int uses = 0;
  bool weight_tied = false;            // another layer takes its weight
  bool built = false;
};

// Something that takes tensors: a layer, a block or a net, with the arguments known so far.
struct Callable {
  const LayerRow* layer = nullptr;     // one of the three
  const ast::BlockDecl* block = nullptr;
  const ast::NetDecl* net = nullptr;
  const Module* home = nullptr;        // where the names of a block or net are looked up
  std::optional<Arguments> arguments;  // of a layer
  std::vector<GivenArgument> tensors;  // of a layer: tensors given as unnamed arguments
  std::vector<GivenArgument> given;    // of a block or net
  std::shared_ptr<SharedInstance> shared;
  Span span;

  std::string_view name() const {
    if (layer) return layer->name;
    return block ? std::string_view(block->name.text) : std::string_view(net->name.text);
  }
};

}  // namespace netc::sema
