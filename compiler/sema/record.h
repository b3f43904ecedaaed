// The body of a train or plan: properties by name, each known and given once.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/sema/evaluator.h"

namespace netc::sema {

struct RecordField {
  std::string_view name;
  std::string_view example;    // of a value, for messages about a missing one
  bool required = false;
  bool scoped = false;         // takes `per ...` or `total`
};

class RecordReader {
 public:
  // Reports unknown (with `unknown`, N0604 or N0702) and repeated (N0306) properties, and scopes where none belong.
  RecordReader(const ast::Record& record, const std::vector<RecordField>& fields, Code unknown, std::string_view what,
               Evaluator& evaluator, Context& context);

  const ast::Property* find(std::string_view name) const {
    const auto found = properties_.find(name);
    return found == properties_.end() ? nullptr : found->second;
  }
  // The value if it is an expression; null if absent, or after N0303 if it is a record.
  const ast::Expr* expr(std::string_view name);
  const ast::Record* record(std::string_view name);   // the other way round
  // True if every required field is there; else reports `missing` (N0605 or N0703) at `name_span`.
  bool has_required(Code missing, std::string_view owner, Span name_span, bool broken);

 private:
  const std::vector<RecordField>& fields_;
  Evaluator& evaluator_;
  Context& context_;
  std::unordered_map<std::string_view, const ast::Property*> properties_;
};

}  // namespace netc::sema
