// Names bound while a block or net is evaluated, and where its layers get their names from.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/sema/value.h"

namespace netc::sema {

struct Binding {
  Value value;
  Span declared;
  std::string_view what;   // "let", "input", "layer", "shared", "parameter", "size"
  bool used = false;
};

// Names of one body, or of one copy of a repeat inside it.
class Scope {
 public:
  explicit Scope(Scope* outer = nullptr) : outer_(outer) {}

  Binding* find(std::string_view name) {
    for (Scope* scope = this; scope; scope = scope->outer_)
      if (const auto found = scope->names_.find(name); found != scope->names_.end()) return &found->second;
    return nullptr;
  }
  // The existing binding if the name is taken here or outside, else null after binding it.
  Binding* bind(std::string_view name, Binding binding) {
    if (Binding* taken = find(name)) return taken;
    names_.emplace(name, std::move(binding));
    order_.push_back(name);
    return nullptr;
  }
  // Every name in sight, innermost first.
  std::vector<std::string> visible() const {
    std::vector<std::string> names;
    for (const Scope* scope = this; scope; scope = scope->outer_)
      for (std::string_view name : scope->order_) names.emplace_back(name);
    return names;
  }
  const std::vector<std::string_view>& order() const { return order_; }
  const Binding& at(std::string_view name) const { return names_.at(name); }

 private:
  Scope* outer_;
  std::unordered_map<std::string_view, Binding> names_;
  std::vector<std::string_view> order_;
};

// Gives the layers of one body their paths: `fc1` if named with `as`, else kind and counter, `dense1`.
class LayerNames {
 public:
  // `use`: empty for own weights; "@2" and so on where the same paths are gone through again (shared blocks, repeats).
  explicit LayerNames(std::string prefix, std::string use = {}) : prefix_(std::move(prefix)), use_(std::move(use)) {}

  // The path of an unnamed layer.
  std::string next(std::string_view kind, Span span) {
    std::string name;
    do {
      name = std::string(kind) + std::to_string(++counters_[std::string(kind)]);
    } while (taken_.contains(name));
    taken_.emplace(name, span);
    return path(name);
  }
  // Reserves a chosen name; the place of the layer that has it already, or null.
  const Span* reserve(const std::string& name, Span span) {
    const auto [at, fresh] = taken_.emplace(name, span);
    return fresh ? nullptr : &at->second;
  }
  std::string path(const std::string& name) const { return prefix_.empty() ? name : prefix_ + "." + name; }
  const std::string& use() const { return use_; }

 private:
  std::string prefix_;
  std::string use_;
  std::unordered_map<std::string, int> counters_;
  std::unordered_map<std::string, Span> taken_;
};

}  // namespace netc::sema
