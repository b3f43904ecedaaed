#include "compiler/syntax/print.h"

#include <algorithm>
#include <charconv>

#include "compiler/syntax/literal.h"

namespace netc {

namespace {

constexpr size_t kLineWidth = 100;

// How tightly an expression binds, from the order of the alternatives of `op` in Net.g4.
enum Binding : int {
  kWhole = 0,  // `if` and pipelines: only where nothing stands beside them
  kOr,
  kAnd,
  kCompare,
  kRange,
  kSum,
  kProduct,
  kUnary,
  kPower,
  kPostfix,
  kAtom,
};

Binding binding(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::logical_or: return kOr;
    case ast::BinaryOp::logical_and: return kAnd;
    case ast::BinaryOp::range: return kRange;
    case ast::BinaryOp::add:
    case ast::BinaryOp::subtract: return kSum;
    case ast::BinaryOp::multiply:
    case ast::BinaryOp::divide: return kProduct;
    case ast::BinaryOp::power: return kPower;
    default: return kCompare;
  }
}

Binding binding(const ast::Expr& e) {
  if (e.is<ast::IfExpr>() || e.is<ast::PipelineExpr>()) return kWhole;
  if (const auto* b = e.as<ast::BinaryExpr>()) return binding(b->op);
  if (e.is<ast::UnaryExpr>()) return kUnary;
  if (e.is<ast::MemberExpr>() || e.is<ast::CallExpr>() || e.is<ast::IndexExpr>()) return kPostfix;
  if (const auto* i = e.as<ast::IntLiteral>(); i && i->value < 0) return kUnary;
  if (const auto* f = e.as<ast::FloatLiteral>(); f && f->value < 0) return kUnary;
  return kAtom;
}

// The shortest text that reads back as the same double, always recognizable as a float.
std::string float_text(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, error == std::errc() ? end : buffer);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// ---------------------------------------------------------------- on one line
std::string one_line(const ast::Expr& e, Binding least);

std::string list_of(const std::vector<ast::ExprPtr>& items) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) out += (i > 0 ? ", " : "") + one_line(*items[i], kWhole);
  return out;
}

std::string pattern_text(const ast::Pattern& pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.names.size(); ++i) out += (i > 0 ? ", " : "") + pattern.names[i].text;
  return pattern.is_tuple ? '(' + out + ')' : out;
}

std::string repeat_head(const ast::Repeat& repeat) {
  std::string out = repeat.shared ? "repeat shared " : "repeat ";
  if (repeat.pattern) out += pattern_text(*repeat.pattern) + " in ";
  return out + one_line(*repeat.over, kOr) + " {";
}

std::string stage_name(const ast::Stage& stage) {
  return stage.name ? " as " + stage.name->text : "";
}

std::string stage_text(const ast::Stage& stage) {
  if (const ast::Expr* e = stage.expr()) return one_line(*e, kOr) + stage_name(stage);
  const ast::Repeat& repeat = *stage.repeat();
  std::string out = repeat_head(repeat);
  for (size_t i = 0; i < repeat.stages.size(); ++i) out += (i > 0 ? " |> " : " ") + stage_text(repeat.stages[i]);
  return out + " }" + stage_name(stage);
}

struct OneLine {
  std::string operator()(const ast::Broken&) const { return "<unreadable>"; }
  std::string operator()(const ast::NameRef& n) const { return n.name; }
  std::string operator()(const ast::IntLiteral& i) const {
    return i.spelling.empty() ? std::to_string(i.value) : i.spelling;
  }
  std::string operator()(const ast::FloatLiteral& f) const {
    return f.spelling.empty() ? float_text(f.value) : f.spelling;
  }
  std::string operator()(const ast::PercentLiteral& p) const {
    return p.spelling.empty() ? float_text(p.value) : p.spelling;
  }
  std::string operator()(const ast::QuantityLiteral& q) const { return q.spelling; }
  std::string operator()(const ast::StringLiteral& s) const { return quote(s.value); }
  std::string operator()(const ast::DeviceLiteral& d) const {
    return d.kind + ':' + (d.index < 0 ? "*" : std::to_string(d.index));
  }
  std::string operator()(const ast::BoolLiteral& b) const { return b.value ? "true" : "false"; }
  std::string operator()(const ast::NoneLiteral&) const { return "none"; }
  std::string operator()(const ast::ListExpr& l) const { return '[' + list_of(l.items) + ']'; }
  std::string operator()(const ast::TupleExpr& t) const {
    return '(' + list_of(t.items) + (t.items.size() == 1 ? ",)" : ")");
  }
  std::string operator()(const ast::MemberExpr& m) const { return one_line(*m.object, kPostfix) + '.' + m.member.text; }
  std::string operator()(const ast::CallExpr& c) const {
    std::string out = one_line(*c.callee, kPostfix) + '(';
    for (size_t i = 0; i < c.args.size(); ++i) {
      out += i > 0 ? ", " : "";
      if (c.args[i].name) out += c.args[i].name->text + ": ";
      out += one_line(*c.args[i].value, kWhole);
    }
    return out + ')';
  }
  std::string operator()(const ast::IndexExpr& i) const {
    return one_line(*i.object, kPostfix) + '[' + one_line(*i.index, kWhole) + ']';
  }
  std::string operator()(const ast::UnaryExpr& u) const {
    return (u.op == ast::UnaryOp::negate ? "-" : "not ") + one_line(*u.operand, kUnary);
  }
  std::string operator()(const ast::BinaryExpr& b) const {
    const Binding own = binding(b.op);
    const auto tighter = static_cast<Binding>(own + 1);
    const bool to_the_right = b.op == ast::BinaryOp::power;
    const bool is_fraction =
        b.op == ast::BinaryOp::divide && b.left->is<ast::IntLiteral>() && b.right->is<ast::IntLiteral>();
    const std::string blank = is_fraction ? "" : " ";
    return one_line(*b.left, to_the_right ? tighter : own) + blank + ast::spelling(b.op) + blank +
           one_line(*b.right, to_the_right ? own : tighter);
  }
  std::string operator()(const ast::IfExpr& i) const {
    return "if " + one_line(*i.condition, kWhole) + " then " + one_line(*i.then_value, kWhole) + " else " +
           one_line(*i.else_value, kWhole);
  }
  std::string operator()(const ast::PipelineExpr& p) const {
    std::string out = one_line(*p.head, kOr);
    for (const ast::Stage& stage : p.stages) out += " |> " + stage_text(stage);
    return out;
  }
};

std::string one_line(const ast::Expr& e, Binding least) {
  std::string out = std::visit(OneLine{}, e.node);
  return binding(e) < least ? '(' + out + ')' : out;
}

std::string type_text(const ast::Type& type) {
  std::string out = type.classes ? "class(" + one_line(*type.classes, kWhole) + ')' : type.element.text;
  if (type.shape) out += '[' + list_of(*type.shape) + ']';
  return out;
}

std::string formals_text(const std::vector<ast::Formal>& formals) {
  std::string out = "(";
  for (size_t i = 0; i < formals.size(); ++i) {
    out += (i > 0 ? ", " : "") + formals[i].name.text + ": " + type_text(formals[i].type);
    if (formals[i].default_value) out += " = " + one_line(*formals[i].default_value, kWhole);
  }
  return out + ')';
}

// ---------------------------------------------------------------- over several lines
class FilePrinter {
 public:
  std::string print(const ast::File& file) {
    if (file.language) line("language " + std::to_string(*file.language));
    for (const ast::Use& use : file.uses) line("use " + quote(use.path) + (use.alias ? " as " + use.alias->text : ""));
    bool grouped = false;  // const, param and assert stand together
    for (const ast::Decl& decl : file.decls) {
      const bool is_short = decl.index() <= 2;
      if (!out_.empty() && !(grouped && is_short)) out_ += '\n';
      grouped = is_short;
      std::visit([this](const auto& d) { this->decl(d); }, decl);
    }
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += std::string(indent_, ' ') + text + '\n'; }

  void doc(const std::string& text) {
    if (text.empty()) return;
    size_t begin = 0;
    while (begin <= text.size()) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      const std::string words = text.substr(begin, end - begin);
      line(words.empty() ? "///" : "/// " + words);
      begin = end + 1;
    }
  }

  bool fits(const std::string& text) const { return indent_ + text.size() <= kLineWidth; }

  // `before` and the expression on one line if they fit, else one stage a line.
  void expr(const std::string& before, const ast::Expr& e) {
    const std::string whole = before + one_line(e, kWhole);
    const auto* pipeline = e.as<ast::PipelineExpr>();
    if (fits(whole) || !pipeline) return line(whole);
    line(before + one_line(*pipeline->head, kOr));
    stages(pipeline->stages);
  }

  void stages(const std::vector<ast::Stage>& list) {
    indent_ += 2;
    for (const ast::Stage& s : list) stage("|> ", s);
    indent_ -= 2;
  }

  // A repeat that does not fit opens up: its stages stand below its head.
  void stage(const std::string& before, const ast::Stage& s) {
    const std::string whole = before + stage_text(s);
    const ast::Repeat* repeat = s.repeat();
    if (fits(whole) || !repeat) return line(whole);
    line(before + repeat_head(*repeat));
    indent_ += before.size() + 2;
    for (size_t i = 0; i < repeat->stages.size(); ++i) stage(i > 0 ? "|> " : "", repeat->stages[i]);
    indent_ -= 2;
    line('}' + stage_name(s));
    indent_ -= before.size();
  }

  // ---- declarations
  void decl(const ast::ConstDecl& d) {
    doc(d.doc);
    expr("const " + d.name.text + " = ", *d.value);
  }
  void decl(const ast::ParamDecl& d) {
    doc(d.doc);
    expr("param " + d.name.text + ": " + type_text(d.type) + " = ", *d.value);
  }
  void decl(const ast::Assert& d) { line("assert " + one_line(*d.condition, kWhole) + ", " + quote(d.message)); }
  void decl(const ast::DataDecl& d) {
    doc(d.doc);
    open("data " + d.name.text);
    properties(d.properties);
    if (!d.properties.empty() && !d.fields.empty()) out_ += '\n';
    for (const ast::Field& f : d.fields) field(f);
    close();
  }
  void decl(const ast::BlockDecl& d) {
    doc(d.doc);
    open("block " + d.name.text + formals_text(d.formals));
    for (const ast::Statement& s : d.statements) statement(s);
    close();
  }
  void decl(const ast::NetDecl& d) {
    doc(d.doc);
    open("net " + d.name.text + (d.formals.empty() ? "" : formals_text(d.formals)));
    for (const ast::Statement& s : d.statements) statement(s);
    close();
  }
  void decl(const ast::TrainDecl& d) {
    doc(d.doc);
    open("train " + d.name.text);
    properties(d.body.properties);
    close();
  }
  void decl(const ast::PlanDecl& d) {
    doc(d.doc);
    open("plan " + d.name.text);
    properties(d.body.properties);
    close();
  }

  void open(const std::string& head) {
    line(head + " {");
    indent_ += 2;
  }
  void close() {
    indent_ -= 2;
    line("}");
  }

  void field(const ast::Field& f) {
    doc(f.doc);
    std::string head = "field " + f.name.text + ": " + type_text(f.type);
    if (f.from) head += " from " + one_line(*f.from, kOr);
    std::string whole = head;
    for (const ast::Stage& s : f.stages) whole += " |> " + stage_text(s);
    if (fits(whole)) return line(whole);
    line(head);
    stages(f.stages);
  }

  // ---- records: one property a line, aligned on the value
  void properties(const std::vector<ast::Property>& list) {
    size_t widest = 0;
    for (const ast::Property& p : list) widest = std::max(widest, p.key.text.size());
    for (const ast::Property& p : list) {
      const std::string head = p.key.text + ": " + std::string(widest - p.key.text.size(), ' ');
      if (const ast::Record* record = p.record()) {
        const std::string whole = head + record_text(*record);
        if (fits(whole)) {
          line(whole);
        } else {
          open(p.key.text + ":");
          properties(record->properties);
          close();
        }
      } else if (p.scope == ast::Scope::none) {
        expr(head, *p.expr());
      } else {
        line(head + value_text(p));
      }
    }
  }

  static std::string value_text(const ast::Property& p) {
    if (const ast::Record* record = p.record()) return record_text(*record);
    std::string out = one_line(*p.expr(), kWhole);
    if (p.scope == ast::Scope::per) out += " per " + p.per.text;
    if (p.scope == ast::Scope::total) out += " total";
    return out;
  }

  static std::string record_text(const ast::Record& record) {
    if (record.properties.empty()) return "{}";
    std::string out = "{ ";
    for (size_t i = 0; i < record.properties.size(); ++i) {
      const ast::Property& p = record.properties[i];
      out += (i > 0 ? ", " : "") + p.key.text + ": " + value_text(p);
    }
    return out + " }";
  }

  // ---- statements
  void statement(const ast::Statement& s) {
    std::visit([this](const auto& each) { this->statement(each); }, s);
  }
  void statement(const ast::Input& s) {
    doc(s.doc);
    line("input " + s.name.text + ": " + type_text(s.type));
  }
  void statement(const ast::Output& s) {
    doc(s.doc);
    const std::string head = "output " + s.name.text + (s.type ? ": " + type_text(*s.type) : "");
    if (s.value) {
      expr(head + " = ", *s.value);
    } else {
      line(head);
    }
  }
  void statement(const ast::Let& s) {
    doc(s.doc);
    expr("let " + pattern_text(s.pattern) + (s.type ? ": " + type_text(*s.type) : "") + " = ", *s.value);
  }
  void statement(const ast::Shared& s) {
    doc(s.doc);
    expr("shared " + s.name.text + " = ", *s.value);
  }
  void statement(const ast::Return& s) { expr("return ", *s.value); }
  void statement(const ast::Assert& s) { decl(s); }

  std::string out_;
  size_t indent_ = 0;
};

}  // namespace

std::string print(const ast::File& file) {
  return FilePrinter().print(file);
}
std::string print(const ast::Expr& expr) {
  return one_line(expr, kWhole);
}
std::string print(const ast::Type& type) {
  return type_text(type);
}

}  // namespace netc
