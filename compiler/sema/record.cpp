#include "compiler/sema/record.h"

#include <algorithm>

namespace netc::sema {
namespace {

// Fields that belong elsewhere, with a word on where.
struct Elsewhere {
  std::string_view name, help;
};
constexpr Elsewhere kElsewhere[] = {
    {"learning_rate", "it is an argument of the optimizer: `optimizer: adam(lr: ...)`"},
    {"lr", "it is an argument of the optimizer: `optimizer: adam(lr: ...)`"},
    {"momentum", "it is an argument of the optimizer: `optimizer: sgd(lr: ..., momentum: ...)`"},
    {"weight_decay", "it is an argument of the optimizer: `optimizer: adamw(weight_decay: ...)`"},
    {"dropout", "it is a layer: `|> dropout(20%)`"},
    {"towers", "where it runs is said in a `plan`"},
    {"sync", "where it runs is said in a `plan`"},
    {"precision", "where it runs is said in a `plan`"},
    {"accumulate", "where it runs is said in a `plan`"},
    {"devices", "where it runs is said in a `plan`, as `towers`"},
    {"epochs", "how long it trains is said in a `train`"},
    {"batch", "what one update uses is said in a `train`"},
    {"batch_size", "the name here is `batch`, in a `train`"},
    {"optimizer", "how it is fitted is said in a `train`"},
    {"data_root", "it belongs in the machine file, or on the command line: `--data-root DIR`"},
    {"cache_dir", "it belongs in the machine file"},
    {"hosts_file", "hosts stand in the machine file"},
    {"output", "it belongs on the command line: `--output DIR`"},
    {"checkpoint", "it belongs in the run file"},
    {"resume", "it belongs in the run file"},
    {"log", "it belongs in the run file"},
    {"threads", "it belongs to a tower: `tower(cpu:0, threads: 8)`"},
};

}  // namespace

RecordReader::RecordReader(const ast::Record& record, const std::vector<RecordField>& fields, Code unknown,
                           std::string_view what, Evaluator& evaluator, Context& context)
    : fields_(fields), evaluator_(evaluator), context_(context) {
  for (const ast::Property& property : record.properties) {
    const std::string& key = property.key.text;
    const auto known = std::find_if(fields.begin(), fields.end(), [&](const RecordField& f) { return f.name == key; });
    if (known == fields.end()) {
      Diagnostic& d = evaluator.error(unknown, property.key.span, "`" + key + "` is not a field of " + std::string(what), "", context);
      std::vector<std::string> names;
      for (const RecordField& field : fields) names.emplace_back(field.name);
      const auto elsewhere = std::find_if(std::begin(kElsewhere), std::end(kElsewhere), [&](const Elsewhere& e) { return e.name == key; });
      if (elsewhere != std::end(kElsewhere)) d.help(std::string(elsewhere->help));
      else if (const auto close = suggest(key, names)) d.fix("did you mean `" + *close + "`?", property.key.span, *close, Confidence::guess);
      continue;
    }
    const auto [at, fresh] = properties_.emplace(known->name, &property);
    if (!fresh) {
      evaluator.error(Code::N0306, property.key.span, "`" + key + "` is given twice", "", context).label(at->second->span, "first here");
      continue;
    }
    if (property.scope != ast::Scope::none && !known->scoped)
      evaluator.error(Code::N0303, property.value_span, "`" + key + "` takes no `per` or `total`", "", context);
  }
}

const ast::Expr* RecordReader::expr(std::string_view name) {
  const ast::Property* property = find(name);
  if (!property) return nullptr;
  if (const ast::Expr* expr = property->expr()) return expr->is<ast::Broken>() ? nullptr : expr;
  evaluator_.error(Code::N0303, property->value_span, "`" + std::string(name) + "` wants a value, got a record", "", context_);
  return nullptr;
}

const ast::Record* RecordReader::record(std::string_view name) {
  const ast::Property* property = find(name);
  if (!property) return nullptr;
  if (const ast::Record* record = property->record()) return record;
  if (!property->expr()->is<ast::Broken>())
    evaluator_.error(Code::N0303, property->value_span, "`" + std::string(name) + "` wants a record: `{ name: value }`", "", context_);
  return nullptr;
}

bool RecordReader::has_required(Code missing, std::string_view owner, Span name_span, bool broken) {
  bool complete = true;
  for (const RecordField& field : fields_) {
    if (!field.required || find(field.name)) continue;
    complete = false;
    if (broken) continue;   // it may be in what could not be read
    Diagnostic& d = evaluator_.error(missing, name_span, std::string(owner) + " needs `" + std::string(field.name) + "`", "", context_);
    if (!field.example.empty()) d.help("for example `" + std::string(field.name) + ": " + std::string(field.example) + "`");
  }
  return complete;
}

}  // namespace netc::sema
