// From ANTLR's tree to ours, in one walk. Nothing of ANTLR goes further than this.
#include <typeinfo>

#include "NetParser.h"
#include "compiler/syntax/literal.h"
#include "compiler/syntax/parse_steps.h"
#include "compiler/syntax/repair.h"

namespace netc::syntax {

namespace {

using antlr4::ParserRuleContext;
using antlr4::tree::ParseTree;
using antlr4::tree::TerminalNode;
using grammar::NetParser;

// Generated contexts are leaves of their class tree, so comparing the exact type is enough (and fast).
template <class T>
T* as(ParseTree* node) {
  return typeid(*node) == typeid(T) ? static_cast<T*>(node) : nullptr;
}

ast::ExprPtr make(Span span, ast::Expr::Node node) {
  return std::make_unique<ast::Expr>(ast::Expr{std::move(node), span});
}

class TreeBuilder {
 public:
  TreeBuilder(const TokenList& list, ast::File& file, Diagnostics& diagnostics)
      : list_(list), file_(file), diagnostics_(diagnostics) {}

  void build(NetParser::FileContext* context) {
    for (ParseTree* child : context->children) {
      if (auto* d = as<NetParser::DeclContext>(child)) {
        file_.decls.push_back(decl(static_cast<ParserRuleContext*>(d->children.front())));
      } else if (auto* use = as<NetParser::UseDeclContext>(child)) {
        build_use(use);
      } else if (auto* language = as<NetParser::LanguageDeclContext>(child)) {
        file_.language = read_int(text(language->INT()));
        file_.language_span = span(language->INT());
      }
    }
  }

 private:
  // ---- tokens and places
  const Token& token(const antlr4::Token* t) const { return list_.tokens[t->getTokenIndex()]; }
  const Token& token(TerminalNode* node) const { return token(node->getSymbol()); }
  std::string_view text(TerminalNode* node) const { return list_.spelling(token(node)); }
  Span span(TerminalNode* node) const { return list_.span(token(node)); }
  Span span(ParserRuleContext* context) const {
    const antlr4::Token* stop = context->getStop() ? context->getStop() : context->getStart();
    return {list_.file, token(context->getStart()).begin, std::max(token(context->getStart()).begin, token(stop).end)};
  }

  ast::Name name(TerminalNode* node) const {
    const Token& t = token(node);
    return {t.broken ? std::string() : std::string(list_.spelling(t)), list_.span(t)};
  }
  ast::Name name(NetParser::KeyContext* key) const { return name(static_cast<TerminalNode*>(key->children.front())); }

  // The `///` lines above a declaration, without their marks, joined by line breaks.
  std::string doc(ParserRuleContext* context) const {
    const Token& first = token(context->getStart());
    std::string out;
    for (uint32_t i = first.doc_begin; i < first.doc_end; ++i) {
      std::string_view line = list_.text.substr(list_.docs[i].begin + 3, list_.docs[i].end - list_.docs[i].begin - 3);
      if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
      if (i > first.doc_begin) out += '\n';
      out += line;
    }
    return out;
  }

  // ---- declarations
  void build_use(NetParser::UseDeclContext* c) {
    if (token(c->STRING()).broken) {
      file_.broken = true;
      return;
    }
    ast::Use use;
    use.path = string_value(token(c->STRING()));
    use.path_span = span(c->STRING());
    if (c->IDENT()) use.alias = name(c->IDENT());
    use.span = span(c);
    file_.uses.push_back(std::move(use));
  }

  ast::Decl decl(ParserRuleContext* c) {
    if (auto* d = as<NetParser::ConstDeclContext>(c)) {
      return ast::ConstDecl{name(d->IDENT()), expr(d->expr()), doc(d), span(d)};
    }
    if (auto* d = as<NetParser::ParamDeclContext>(c)) {
      return ast::ParamDecl{name(d->IDENT()), type(d->type()), expr(d->expr()), doc(d), span(d)};
    }
    if (auto* d = as<NetParser::DataDeclContext>(c)) return data(d);
    if (auto* d = as<NetParser::BlockDeclContext>(c)) return body<ast::BlockDecl, NetParser::StmtContext>(d);
    if (auto* d = as<NetParser::NetDeclContext>(c)) return body<ast::NetDecl, NetParser::NetStmtContext>(d);
    if (auto* d = as<NetParser::TrainDeclContext>(c)) {
      return ast::TrainDecl{name(d->IDENT()), record(d->record()), doc(d), span(d)};
    }
    if (auto* d = as<NetParser::PlanDeclContext>(c)) {
      return ast::PlanDecl{name(d->IDENT()), record(d->record()), doc(d), span(d)};
    }
    return assertion(static_cast<NetParser::AssertStmtContext*>(c));
  }

  ast::DataDecl data(NetParser::DataDeclContext* c) {
    ast::DataDecl out{name(c->IDENT()), {}, {}, doc(c), span(c)};
    for (ParseTree* child : c->children) {
      if (auto* p = as<NetParser::PropertyContext>(child)) out.properties.push_back(property(p));
      if (auto* f = as<NetParser::FieldDeclContext>(child)) out.fields.push_back(field(f));
    }
    return out;
  }

  ast::Field field(NetParser::FieldDeclContext* c) {
    ast::Field out;
    out.name = name(c->IDENT());
    out.type = type(c->type());
    if (c->op()) out.from = op(c->op());
    for (ParseTree* child : c->children) {
      if (auto* s = as<NetParser::StageContext>(child)) out.stages.push_back(stage(s));
    }
    out.doc = doc(c);
    out.span = span(c);
    return out;
  }

  // Blocks and nets differ only in the statements they allow.
  template <class Decl, class StatementContext, class Context>
  Decl body(Context* c) {
    Decl out;
    out.name = name(c->IDENT());
    out.header_span = cover(list_.span(token(c->getStart())), out.name.span);
    if (c->formals()) {
      out.formals = formals(c->formals());
      out.header_span = cover(out.header_span, span(c->formals()));
    }
    for (ParseTree* child : c->children) {
      if (auto* s = as<StatementContext>(child)) {
        out.statements.push_back(statement(static_cast<ParserRuleContext*>(s->children.front())));
      }
    }
    out.doc = doc(c);
    out.span = span(c);
    return out;
  }

  std::vector<ast::Formal> formals(NetParser::FormalsContext* c) {
    std::vector<ast::Formal> out;
    for (NetParser::FormalContext* f : c->formal()) {
      out.push_back({name(f->IDENT()), type(f->type()), f->expr() ? expr(f->expr()) : nullptr, span(f)});
    }
    return out;
  }

  // ---- statements
  ast::Statement statement(ParserRuleContext* c) {
    if (auto* s = as<NetParser::LetStmtContext>(c)) {
      return ast::Let{pattern(s->pattern()), optional_type(s->type()), expr(s->expr()), doc(s), span(s)};
    }
    if (auto* s = as<NetParser::InputStmtContext>(c)) {
      return ast::Input{name(s->IDENT()), type(s->type()), doc(s), span(s)};
    }
    if (auto* s = as<NetParser::OutputStmtContext>(c)) {
      return ast::Output{name(s->IDENT()), optional_type(s->type()), s->expr() ? expr(s->expr()) : nullptr, doc(s),
                         span(s)};
    }
    if (auto* s = as<NetParser::SharedStmtContext>(c)) {
      return ast::Shared{name(s->IDENT()), expr(s->expr()), doc(s), span(s)};
    }
    if (auto* s = as<NetParser::ReturnStmtContext>(c)) return ast::Return{expr(s->expr()), span(s)};
    return assertion(static_cast<NetParser::AssertStmtContext*>(c));
  }

  ast::Assert assertion(NetParser::AssertStmtContext* c) {
    return {expr(c->expr()), string_value(token(c->STRING())), span(c->STRING()), span(c)};
  }

  ast::Pattern pattern(NetParser::PatternContext* c) {
    ast::Pattern out;
    for (TerminalNode* ident : c->IDENT()) out.names.push_back(name(ident));
    out.is_tuple = c->PAREN_OPEN() != nullptr;
    out.span = span(c);
    return out;
  }

  // ---- types
  std::optional<ast::Type> optional_type(NetParser::TypeContext* c) {
    if (!c) return std::nullopt;
    return type(c);
  }

  ast::Type type(NetParser::TypeContext* c) {
    ast::Type out;
    NetParser::ElemContext* elem = c->elem();
    out.element = name(static_cast<TerminalNode*>(elem->children.front()));
    if (elem->expr()) out.classes = expr(elem->expr());
    if (c->shape()) {
      out.shape.emplace();
      for (NetParser::ExprContext* size : c->shape()->expr()) out.shape->push_back(expr(size));
    }
    out.span = span(c);
    return out;
  }

  // ---- records
  ast::Record record(NetParser::RecordContext* c) {
    ast::Record out;
    for (ParseTree* child : c->children) {
      if (auto* p = as<NetParser::PropertyContext>(child)) out.properties.push_back(property(p));
    }
    out.span = span(c);
    return out;
  }

  ast::Property property(NetParser::PropertyContext* c) {
    ast::Property out;
    out.key = name(c->key());
    NetParser::ValueContext* value = c->value();
    if (value->record()) {
      out.value = record(value->record());
    } else {
      out.value = expr(value->expr());
    }
    if (NetParser::ScopeContext* scope = value->scope()) {
      out.scope = scope->IDENT() ? ast::Scope::per : ast::Scope::total;
      if (scope->IDENT()) out.per = name(scope->IDENT());
    }
    out.value_span = span(value);
    out.span = cover(out.key.span, out.value_span);
    return out;
  }

  // ---- expressions
  ast::ExprPtr expr(NetParser::ExprContext* c) {
    if (auto* choice = as<NetParser::ChoiceContext>(c)) {
      return make(span(c), ast::IfExpr{expr(choice->expr(0)), expr(choice->expr(1)), expr(choice->expr(2))});
    }
    ast::ExprPtr head = op(static_cast<NetParser::OpContext*>(c->children.front()));
    if (c->children.size() == 1) return head;
    ast::PipelineExpr out{std::move(head), {}};
    for (ParseTree* child : c->children) {
      if (auto* s = as<NetParser::StageContext>(child)) out.stages.push_back(stage(s));
    }
    return make(span(c), std::move(out));
  }

  ast::Stage stage(NetParser::StageContext* c) {
    ast::Stage out;
    if (c->repeat()) {
      out.step = repeat(c->repeat());
    } else {
      out.step = op(c->op());
    }
    if (c->IDENT()) out.name = name(c->IDENT());
    out.span = span(c);
    return out;
  }

  std::unique_ptr<ast::Repeat> repeat(NetParser::RepeatContext* c) {
    auto out = std::make_unique<ast::Repeat>();
    out->shared = c->KW_SHARED() != nullptr;
    if (c->pattern()) out->pattern = pattern(c->pattern());
    out->over = op(c->op());
    for (NetParser::StageContext* s : c->stage()) out->stages.push_back(stage(s));
    out->span = span(c);
    return out;
  }

  ast::ExprPtr op(NetParser::OpContext* c) {
    if (auto* leaf = as<NetParser::LeafContext>(c)) return atom(leaf->atom());
    if (auto* call = as<NetParser::CallContext>(c)) {
      ast::CallExpr out{op(call->op()), {}};
      for (NetParser::ArgContext* a : call->arg()) out.args.push_back(arg(a));
      return make(span(c), std::move(out));
    }
    if (auto* member = as<NetParser::MemberContext>(c)) {
      return make(span(c), ast::MemberExpr{op(member->op()), name(member->key())});
    }
    if (auto* index = as<NetParser::IndexContext>(c)) {
      return make(span(c), ast::IndexExpr{op(index->op()), expr(index->expr())});
    }
    if (auto* unary = as<NetParser::UnaryContext>(c)) {
      const bool minus = unary->MINUS() != nullptr;
      return make(span(c), ast::UnaryExpr{minus ? ast::UnaryOp::negate : ast::UnaryOp::logical_not, op(unary->op())});
    }
    return binary(c);
  }

  ast::ExprPtr binary(NetParser::OpContext* c) {
    auto* sign = static_cast<TerminalNode*>(c->children[1]);
    ast::BinaryExpr out;
    out.op = binary_op(token(sign).kind);
    out.op_span = span(sign);
    out.left = op(static_cast<NetParser::OpContext*>(c->children[0]));
    out.right = op(static_cast<NetParser::OpContext*>(c->children[2]));
    return make(span(c), std::move(out));
  }

  static ast::BinaryOp binary_op(TokenKind kind) {
    switch (kind) {
      case TokenKind::POWER: return ast::BinaryOp::power;
      case TokenKind::STAR: return ast::BinaryOp::multiply;
      case TokenKind::SLASH: return ast::BinaryOp::divide;
      case TokenKind::PLUS: return ast::BinaryOp::add;
      case TokenKind::MINUS: return ast::BinaryOp::subtract;
      case TokenKind::RANGE: return ast::BinaryOp::range;
      case TokenKind::LESS: return ast::BinaryOp::less;
      case TokenKind::LESS_EQUAL: return ast::BinaryOp::less_equal;
      case TokenKind::GREATER: return ast::BinaryOp::greater;
      case TokenKind::GREATER_EQUAL: return ast::BinaryOp::greater_equal;
      case TokenKind::EQUAL: return ast::BinaryOp::equal;
      case TokenKind::NOT_EQUAL: return ast::BinaryOp::not_equal;
      case TokenKind::KW_AND: return ast::BinaryOp::logical_and;
      default: return ast::BinaryOp::logical_or;
    }
  }

  ast::Arg arg(NetParser::ArgContext* c) {
    ast::Arg out;
    if (c->key()) out.name = name(c->key());
    out.value = expr(c->expr());
    out.span = span(c);
    return out;
  }

  ast::ExprPtr atom(NetParser::AtomContext* c) {
    const Token& first = token(c->getStart());
    if (first.broken) return make(span(c), ast::Broken{});
    const std::string spelling(list_.spelling(first));
    switch (first.kind) {
      case TokenKind::INT: return int_literal(first, spelling);
      case TokenKind::FLOAT: return float_literal(first, spelling);
      case TokenKind::QUANTITY: return quantity_literal(first, spelling);
      case TokenKind::STRING: return make(span(c), ast::StringLiteral{string_value(first)});
      case TokenKind::DEVICE: return device_literal(first, spelling);
      case TokenKind::KW_TRUE: return make(span(c), ast::BoolLiteral{true});
      case TokenKind::KW_FALSE: return make(span(c), ast::BoolLiteral{false});
      case TokenKind::KW_NONE: return make(span(c), ast::NoneLiteral{});
      case TokenKind::BRACKET_OPEN: return make(span(c), ast::ListExpr{items(c)});
      case TokenKind::PAREN_OPEN: {
        std::vector<ast::ExprPtr> inside = items(c);
        if (inside.size() == 1 && c->COMMA().empty()) return std::move(inside.front());
        return make(span(c), ast::TupleExpr{std::move(inside)});
      }
      default: return make(span(c), ast::NameRef{spelling});
    }
  }

  std::vector<ast::ExprPtr> items(NetParser::AtomContext* c) {
    std::vector<ast::ExprPtr> out;
    for (NetParser::ExprContext* item : c->expr()) out.push_back(expr(item));
    return out;
  }

  // ---- literals
  ast::ExprPtr out_of_range(const Token& t, const std::string& spelling, const char* range) {
    diagnostics_.error(Code::N0310, list_.span(t),
                       "the number must lie in " + std::string(range) + ", got " + shortened(spelling));
    return make(list_.span(t), ast::Broken{});
  }
  ast::ExprPtr int_literal(const Token& t, const std::string& spelling) {
    const std::optional<int64_t> value = read_int(spelling);
    if (!value) return out_of_range(t, spelling, "0 .. 9223372036854775807");
    return make(list_.span(t), ast::IntLiteral{*value, spelling});
  }
  ast::ExprPtr float_literal(const Token& t, const std::string& spelling) {
    const std::optional<double> value = read_float(spelling);
    if (!value) return out_of_range(t, spelling, "0 .. 1.797e308");
    return make(list_.span(t), ast::FloatLiteral{*value, spelling});
  }
  ast::ExprPtr quantity_literal(const Token& t, const std::string& spelling) {
    if (const std::optional<double> percent = read_percent(spelling)) {
      return make(list_.span(t), ast::PercentLiteral{*percent, spelling});
    }
    std::optional<ast::QuantityLiteral> quantity = read_quantity(spelling);
    if (!quantity) return out_of_range(t, spelling, "0 .. 1.797e308");
    return make(list_.span(t), std::move(*quantity));
  }
  ast::ExprPtr device_literal(const Token& t, const std::string& spelling) {
    const size_t colon = spelling.find(':');
    const std::string index = spelling.substr(colon + 1);
    const std::optional<int64_t> number = index == "*" ? std::optional<int64_t>(-1) : read_int(index);
    if (!number || *number > 65535) return out_of_range(t, spelling, "0 .. 65535");
    return make(list_.span(t), ast::DeviceLiteral{spelling.substr(0, colon), static_cast<int>(*number)});
  }
  std::string string_value(const Token& t) {
    if (t.broken) return {};
    const std::string_view inside = list_.text.substr(t.begin + 1, t.end - t.begin - 2);
    size_t bad = 0;
    const std::optional<std::string> value = unescape(inside, &bad);
    if (value) return *value;
    const auto at = static_cast<uint32_t>(t.begin + 1 + bad);
    diagnostics_.error(Code::N0114, {list_.file, at, at + 2}, "this is not the number of a character")
        .note("`\\u{...}` takes the number of a Unicode character in hexadecimal, 0 to 10ffff");
    return {};
  }

  const TokenList& list_;
  ast::File& file_;
  Diagnostics& diagnostics_;
};

}  // namespace

void build_tree(antlr4::ParserRuleContext* context, const TokenList& list, ast::File& file, Diagnostics& diagnostics) {
  TreeBuilder(list, file, diagnostics).build(static_cast<NetParser::FileContext*>(context));
}

}  // namespace netc::syntax
