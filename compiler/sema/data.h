// A `data` declaration: splits and fields, checked and typed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/experiment.h"
#include "compiler/sema/evaluator.h"

namespace netc::sema {

// What a field holds somewhere along its stages: a tensor, or data without a fixed shape.
struct FieldType {
  enum class Kind : uint8_t { tensor, image, text };
  Kind kind = Kind::tensor;
  TensorType tensor;           // if kind is tensor
  friend bool operator==(const FieldType&, const FieldType&) = default;
};
std::string to_string(const FieldType& type);

struct FieldAnalysis {
  const ast::Field* declaration = nullptr;
  FieldType raw, type;
  FieldSpec spec;
  bool sound = false;          // it has a type
  bool available = true;       // all stages can be run
  std::optional<Span> augmented;
};

struct DataAnalysis {
  const ast::DataDecl* declaration = nullptr;
  DataSpec spec;
  std::vector<FieldAnalysis> fields;
  std::vector<Unavailable> unavailable;
  bool sound = true;

  const FieldAnalysis* field(std::string_view name) const {
    for (const FieldAnalysis& field : fields)
      if (field.spec.name == name) return &field;
    return nullptr;
  }
  bool has_split(std::string_view name) const {
    for (const ReaderSpec& split : spec.splits)
      if (split.split == name) return true;
    return false;
  }
};

DataAnalysis analyze_data(const ast::DataDecl& data, const Module& home, Evaluator& evaluator);

// The value of a field in the graph: a leaf `leaf_name` of the raw type, with the transforms as ops behind it. A field
// that cannot be run gives a leaf of its final type, so that the net behind it can still be checked.
NodeId build_field(const FieldAnalysis& field, const std::string& leaf_name, NetBuild& net);

}  // namespace netc::sema
