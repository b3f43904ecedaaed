#include "cli/train_overrides.h"

#include <filesystem>
#include <memory>

namespace netc {
namespace {

ast::Property* find(ast::Record& record, const std::string& key) {
  for (ast::Property& property : record.properties)
    if (property.key.text == key) return &property;
  return nullptr;
}

void remove(ast::Record& record, const std::string& key) {
  std::erase_if(record.properties, [&](const ast::Property& property) { return property.key.text == key; });
}

// Messages about the new value point at the old one, or at the declaration.
void set(ast::TrainDecl& train, const std::string& key, ast::Expr::Node value) {
  ast::Property* property = find(train.body, key);
  if (!property) {
    property = &train.body.properties.emplace_back();
    property->key = {key, train.name.span};
    property->span = property->value_span = train.name.span;
  }
  auto expr = std::make_unique<ast::Expr>();
  expr->node = std::move(value);
  expr->span = property->value_span;
  property->value = std::move(expr);
}

ast::IntLiteral literal(int64_t value) {
  ast::IntLiteral number;
  number.value = value;
  number.spelling = std::to_string(value);
  return number;
}

void set_length(ast::TrainDecl& train, const char* key, const char* other, int64_t count) {
  remove(train.body, other);
  set(train, key, literal(count));
}

}  // namespace

void apply(const TrainOverrides& overrides, const std::string& name, const std::string& folder, ast::File& file) {
  namespace fs = std::filesystem;
  for (ast::Decl& decl : file.decls) {
    auto* train = std::get_if<ast::TrainDecl>(&decl);
    if (!train || (!name.empty() && train->name.text != name)) continue;
    if (overrides.epochs) set_length(*train, "epochs", "steps", *overrides.epochs);
    if (overrides.steps) set_length(*train, "steps", "epochs", *overrides.steps);
    if (overrides.seed) set(*train, "seed", literal(static_cast<int64_t>(*overrides.seed)));
    if (overrides.init_from) {
      set(*train, "init_from", ast::StringLiteral{fs::absolute(*overrides.init_from).string()});
    } else if (const ast::Property* property = find(train->body, "init_from"); property && property->expr()) {
      if (const auto* path = property->expr()->as<ast::StringLiteral>())
        set(*train, "init_from", ast::StringLiteral{fs::absolute(fs::path(folder) / path->value).string()});
    }
  }
}

}  // namespace netc
