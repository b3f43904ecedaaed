#include "tests/syntax/support.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/syntax/parse.h"

namespace netc::test {

std::vector<std::string> Parsed::codes() const {
  std::vector<std::string> out;
  for (const Diagnostic* record : diagnostics->sorted()) out.emplace_back(code_name(record->code));
  return out;
}

std::string Parsed::text() const {
  return to_text(*diagnostics);
}

Parsed parse_text(std::string text, std::string path) {
  Parsed out;
  out.sources = std::make_unique<SourceMap>();
  out.diagnostics = std::make_unique<Diagnostics>(*out.sources);
  const FileId file = out.sources->add(std::move(path), std::move(text));
  out.file = parse(file, *out.sources, *out.diagnostics);
  return out;
}

std::string read_case(const std::string& path) {
  std::ifstream in(std::string(NETC_SOURCE_DIR "/tests/cases/") + path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Parsed parse_case(const std::string& path) {
  return parse_text(read_case(path), std::filesystem::path(path).filename().string());
}

std::vector<std::string> case_files(const std::string& folder) {
  const std::filesystem::path root = NETC_SOURCE_DIR "/tests/cases";
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() == ".net") out.push_back(std::filesystem::relative(entry.path(), root).string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

namespace {

std::string join(const std::vector<std::string>& parts) {
  std::string out = "(";
  for (size_t i = 0; i < parts.size(); ++i) out += (i > 0 ? " " : "") + parts[i];
  return out + ")";
}

std::string of(const ast::Pattern& p) {
  std::vector<std::string> parts = {p.is_tuple ? "tuple" : "name"};
  for (const ast::Name& n : p.names) parts.push_back(n.text);
  return join(parts);
}

std::string of(const ast::Stage& s);
std::string of(const ast::ExprPtr& e);
std::string of(const ast::Arg& a);
std::string of(const ast::Property& p);
std::string of(const ast::Formal& f);
std::string of(const ast::Field& f);
std::string of(const ast::Statement& s);

template <class Items>
void add_all(std::vector<std::string>& parts, const Items& items) {
  for (const auto& item : items) parts.push_back(of(item));
}

std::string of(const ast::ExprPtr& e) {
  return e ? structure(*e) : "-";
}

std::string of(const ast::Type& t) {
  std::vector<std::string> parts = {"type", t.element.text, of(t.classes), t.shape ? "shape" : "plain"};
  if (t.shape) add_all(parts, *t.shape);
  return join(parts);
}

std::string of(const std::optional<ast::Type>& t) {
  return t ? of(*t) : "-";
}

std::string of(const ast::Arg& a) {
  return join({a.name ? a.name->text : "-", of(a.value)});
}

std::string of(const ast::Stage& s) {
  const std::string name = s.name ? s.name->text : "-";
  if (const ast::Repeat* r = s.repeat()) {
    std::vector<std::string> parts = {r->shared ? "repeat-shared" : "repeat", r->pattern ? of(*r->pattern) : "-",
                                      of(r->over)};
    add_all(parts, r->stages);
    return join({"stage", name, join(parts)});
  }
  return join({"stage", name, structure(*s.expr())});
}

struct OfExpr {
  std::string operator()(const ast::Broken&) const { return "broken"; }
  std::string operator()(const ast::NameRef& n) const { return n.name; }
  std::string operator()(const ast::IntLiteral& i) const { return std::to_string(i.value); }
  std::string operator()(const ast::FloatLiteral& f) const { return join({"float", std::to_string(f.value)}); }
  std::string operator()(const ast::PercentLiteral& p) const { return join({"percent", std::to_string(p.value)}); }
  std::string operator()(const ast::QuantityLiteral& q) const { return join({"quantity", q.spelling}); }
  std::string operator()(const ast::StringLiteral& s) const { return '"' + s.value + '"'; }
  std::string operator()(const ast::DeviceLiteral& d) const {
    return join({"device", d.kind, std::to_string(d.index)});
  }
  std::string operator()(const ast::BoolLiteral& b) const { return b.value ? "true" : "false"; }
  std::string operator()(const ast::NoneLiteral&) const { return "none"; }
  std::string operator()(const ast::ListExpr& l) const { return items("list", l.items); }
  std::string operator()(const ast::TupleExpr& t) const { return items("tuple", t.items); }
  std::string operator()(const ast::MemberExpr& m) const { return join({".", of(m.object), m.member.text}); }
  std::string operator()(const ast::CallExpr& c) const {
    std::vector<std::string> parts = {"call", of(c.callee)};
    add_all(parts, c.args);
    return join(parts);
  }
  std::string operator()(const ast::IndexExpr& i) const { return join({"index", of(i.object), of(i.index)}); }
  std::string operator()(const ast::UnaryExpr& u) const { return join({ast::spelling(u.op), of(u.operand)}); }
  std::string operator()(const ast::BinaryExpr& b) const {
    return join({ast::spelling(b.op), of(b.left), of(b.right)});
  }
  std::string operator()(const ast::IfExpr& i) const {
    return join({"if", of(i.condition), of(i.then_value), of(i.else_value)});
  }
  std::string operator()(const ast::PipelineExpr& p) const {
    std::vector<std::string> parts = {"|>", of(p.head)};
    add_all(parts, p.stages);
    return join(parts);
  }

  static std::string items(const char* kind, const std::vector<ast::ExprPtr>& list) {
    std::vector<std::string> parts = {kind};
    add_all(parts, list);
    return join(parts);
  }
};

std::string of(const ast::Property& p) {
  std::vector<std::string> parts = {p.key.text};
  if (const ast::Record* r = p.record()) {
    std::vector<std::string> inside = {"record"};
    add_all(inside, r->properties);
    parts.push_back(join(inside));
  } else {
    parts.push_back(structure(*p.expr()));
  }
  if (p.scope == ast::Scope::per) parts.push_back("per " + p.per.text);
  if (p.scope == ast::Scope::total) parts.emplace_back("total");
  return join(parts);
}

std::string of(const ast::Formal& f) {
  return join({f.name.text, of(f.type), of(f.default_value)});
}
std::string of(const ast::Field& f) {
  std::vector<std::string> parts = {"field", f.doc, f.name.text, of(f.type), of(f.from)};
  add_all(parts, f.stages);
  return join(parts);
}

struct OfStatement {
  std::string operator()(const ast::Input& s) const { return join({"input", s.doc, s.name.text, of(s.type)}); }
  std::string operator()(const ast::Output& s) const {
    return join({"output", s.doc, s.name.text, of(s.type), of(s.value)});
  }
  std::string operator()(const ast::Let& s) const {
    return join({"let", s.doc, of(s.pattern), of(s.type), of(s.value)});
  }
  std::string operator()(const ast::Shared& s) const { return join({"shared", s.doc, s.name.text, of(s.value)}); }
  std::string operator()(const ast::Return& s) const { return join({"return", of(s.value)}); }
  std::string operator()(const ast::Assert& s) const { return join({"assert", of(s.condition), s.message}); }
};
std::string of(const ast::Statement& s) {
  return std::visit(OfStatement{}, s);
}

struct OfDecl {
  std::string operator()(const ast::ConstDecl& d) const { return join({"const", d.doc, d.name.text, of(d.value)}); }
  std::string operator()(const ast::ParamDecl& d) const {
    return join({"param", d.doc, d.name.text, of(d.type), of(d.value)});
  }
  std::string operator()(const ast::Assert& d) const { return OfStatement{}(d); }
  std::string operator()(const ast::DataDecl& d) const {
    std::vector<std::string> parts = {"data", d.doc, d.name.text};
    add_all(parts, d.properties);
    add_all(parts, d.fields);
    return join(parts);
  }
  std::string operator()(const ast::BlockDecl& d) const { return body("block", d); }
  std::string operator()(const ast::NetDecl& d) const { return body("net", d); }
  std::string operator()(const ast::TrainDecl& d) const { return record("train", d); }
  std::string operator()(const ast::PlanDecl& d) const { return record("plan", d); }

  template <class D>
  static std::string body(const char* kind, const D& d) {
    std::vector<std::string> formals, parts = {kind, d.doc, d.name.text};
    add_all(formals, d.formals);
    parts.push_back(join(formals));
    add_all(parts, d.statements);
    return join(parts);
  }
  template <class D>
  static std::string record(const char* kind, const D& d) {
    std::vector<std::string> parts = {kind, d.doc, d.name.text};
    add_all(parts, d.body.properties);
    return join(parts);
  }
};

}  // namespace

std::string structure(const ast::Expr& expr) {
  return std::visit(OfExpr{}, expr.node);
}

std::string structure(const ast::File& file) {
  std::string out = file.language ? "language " + std::to_string(*file.language) + "\n" : "";
  for (const ast::Use& use : file.uses) out += "use " + use.path + " " + (use.alias ? use.alias->text : "-") + "\n";
  for (const ast::Decl& decl : file.decls) out += std::visit(OfDecl{}, decl) + "\n";
  return out;
}

}  // namespace netc::test
