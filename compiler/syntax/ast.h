// The tree of one .net file: plain structs, a span on everything, nothing of the parser. Move-only.
// A file with mistakes still gives a tree: what could not be read is `Broken` (an expression) or marked `broken` (a
// declaration), and later stages keep silent about both.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/base/source.h"

namespace netc::ast {

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;  // never null unless a comment says so

struct Name {
  std::string text;  // empty: missing in the file, already reported
  Span span;
};

// `x` or `(a, b)` on the left of a `let` or in a `repeat`.
struct Pattern {
  std::vector<Name> names;
  bool is_tuple = false;
  Span span;
};

// ---------------------------------------------------------------- types
// `f32[28, 28, 1]`, `class(vocab)[256]`, `tensor`, `f32[T, D]`
struct Type {
  Name element;                              // "f32", "tensor", ...; "class" if `classes` is set
  ExprPtr classes;                           // class(N); else null
  std::optional<std::vector<ExprPtr>> shape;  // absent: a scalar (or a whole type such as `tensor`); `[]` is empty
  Span span;
};

// ---------------------------------------------------------------- expressions
enum class Unit : uint8_t {
  bytes,                             // value in bytes
  seconds,                           // value in seconds
  degrees,
  epochs, steps, samples, tokens,
};

// Numbers keep their spelling, because printing never rewrites one. Made by the compiler it may be empty.
struct IntLiteral {
  int64_t value = 0;
  std::string spelling = {};
};
struct FloatLiteral {
  double value = 0;
  std::string spelling = {};
};
struct PercentLiteral {  // 20% has the value 0.2 and is an ordinary float in every other way
  double value = 0;
  std::string spelling = {};
};
struct QuantityLiteral {
  double value = 0;  // in the unit's base: bytes, seconds, degrees, epochs ...
  Unit unit{};
  std::string spelling = {};  // "25MiB"
};
struct StringLiteral { std::string value; };  // escapes resolved
struct DeviceLiteral {
  std::string kind;  // "cpu", "gpu", "sim"
  int index = 0;     // -1 for `*`
};
struct BoolLiteral { bool value = false; };
struct NoneLiteral {};
struct NameRef { std::string name; };  // also `train`, `data`, `net` where they are names
struct ListExpr { std::vector<ExprPtr> items; };
struct TupleExpr { std::vector<ExprPtr> items; };
struct Broken {};  // already reported

struct MemberExpr {
  ExprPtr object;
  Name member;
};

struct Arg {
  std::optional<Name> name;
  ExprPtr value;
  Span span;
};

struct CallExpr {
  ExprPtr callee;
  std::vector<Arg> args;
};

struct IndexExpr {
  ExprPtr object;
  ExprPtr index;
};

enum class UnaryOp : uint8_t { negate, logical_not };
struct UnaryExpr {
  UnaryOp op{};
  ExprPtr operand;
};

enum class BinaryOp : uint8_t {
  power, multiply, divide, add, subtract, range,
  less, less_equal, greater, greater_equal, equal, not_equal,
  logical_and, logical_or,
};
const char* spelling(BinaryOp op);  // "+", "..<", "and"
const char* spelling(UnaryOp op);   // "-", "not"

struct BinaryExpr {
  BinaryOp op{};
  Span op_span;
  ExprPtr left;
  ExprPtr right;
};

struct IfExpr {
  ExprPtr condition;
  ExprPtr then_value;
  ExprPtr else_value;
};

struct Stage;

// `repeat 3 { ... }`, `repeat shared n { ... }`, `repeat (f, n) in list { ... }`
struct Repeat {
  bool shared = false;
  std::optional<Pattern> pattern;
  ExprPtr over;  // the count, or the range or list after `in`
  std::vector<Stage> stages;
  Span span;
};

// One step of a pipeline: a layer, block, net, shared instance (an expression) or a repeat; `as` names it.
struct Stage {
  std::variant<ExprPtr, std::unique_ptr<Repeat>> step;
  std::optional<Name> name;
  Span span;

  const Expr* expr() const {
    const auto* e = std::get_if<ExprPtr>(&step);
    return e ? e->get() : nullptr;
  }
  const Repeat* repeat() const {
    const auto* r = std::get_if<std::unique_ptr<Repeat>>(&step);
    return r ? r->get() : nullptr;
  }
};

// `head |> stage |> stage`; at least one stage
struct PipelineExpr {
  ExprPtr head;
  std::vector<Stage> stages;
};

struct Expr {
  using Node = std::variant<Broken, NameRef, IntLiteral, FloatLiteral, PercentLiteral, QuantityLiteral, StringLiteral,
                            DeviceLiteral, BoolLiteral, NoneLiteral, ListExpr, TupleExpr, MemberExpr, CallExpr,
                            IndexExpr, UnaryExpr, BinaryExpr, IfExpr, PipelineExpr>;
  Node node;
  Span span;  // without enclosing parentheses

  template <class T>
  const T* as() const { return std::get_if<T>(&node); }
  template <class T>
  bool is() const { return std::holds_alternative<T>(node); }
};

// ---------------------------------------------------------------- statements
struct Input {
  Name name;
  Type type;
  std::string doc;
  Span span;
};
struct Output {
  Name name;
  std::optional<Type> type;
  ExprPtr value;  // null: `output logits` names an existing value
  std::string doc;
  Span span;
};
struct Let {
  Pattern pattern;
  std::optional<Type> type;
  ExprPtr value;
  std::string doc;
  Span span;
};
struct Shared {
  Name name;
  ExprPtr value;
  std::string doc;
  Span span;
};
struct Return {
  ExprPtr value;
  Span span;
};
struct Assert {
  ExprPtr condition;
  std::string message;
  Span message_span;
  Span span;
};
using Statement = std::variant<Input, Output, Let, Shared, Return, Assert>;

// ---------------------------------------------------------------- records: the bodies of train and plan
struct Property;
struct Record {
  std::vector<Property> properties;
  Span span;  // with the braces
};

enum class Scope : uint8_t { none, per, total };  // `128`, `128 per tower`, `128 total`

struct Property {
  Name key;
  std::variant<ExprPtr, Record> value;
  Scope scope = Scope::none;
  Name per;         // "tower", "host" after `per`
  Span value_span;  // the value with its scope
  Span span;

  const Expr* expr() const {
    const auto* e = std::get_if<ExprPtr>(&value);
    return e ? e->get() : nullptr;
  }
  const Record* record() const { return std::get_if<Record>(&value); }
};

// ---------------------------------------------------------------- declarations
struct ConstDecl {
  Name name;
  ExprPtr value;
  std::string doc;
  Span span;
};
struct ParamDecl {
  Name name;
  Type type;
  ExprPtr value;
  std::string doc;
  Span span;
};

// `field image: u8[28, 28, 1] from "col" |> to_float(scale: 1/255)`
struct Field {
  Name name;
  Type type;
  ExprPtr from;  // null: the field's own name
  std::vector<Stage> stages;
  std::string doc;
  Span span;
};
struct DataDecl {
  Name name;
  std::vector<Property> properties;  // the splits
  std::vector<Field> fields;
  std::string doc;
  Span span;
  bool broken = false;  // some part could not be read and is missing here
};

// `filters: int = 32`
struct Formal {
  Name name;
  Type type;
  ExprPtr default_value;  // null: required
  Span span;
};
struct BlockDecl {
  Name name;
  std::vector<Formal> formals;
  std::vector<Statement> statements;
  std::string doc;
  Span span;
  Span header_span;  // `block basic(x: tensor)`
  bool broken = false;
};
struct NetDecl {
  Name name;
  std::vector<Formal> formals;
  std::vector<Statement> statements;
  std::string doc;
  Span span;
  Span header_span;
  bool broken = false;
};
struct TrainDecl {
  Name name;
  Record body;
  std::string doc;
  Span span;
  bool broken = false;
};
struct PlanDecl {
  Name name;
  Record body;
  std::string doc;
  Span span;
  bool broken = false;
};
using Decl = std::variant<ConstDecl, ParamDecl, Assert, DataDecl, BlockDecl, NetDecl, TrainDecl, PlanDecl>;

struct Use {
  std::string path;  // as written
  Span path_span;
  std::optional<Name> alias;  // `as r`
  Span span;
};

struct File {
  FileId id = kNoFile;
  std::optional<int64_t> language;
  Span language_span;
  std::vector<Use> uses;
  std::vector<Decl> decls;
  bool broken = false;  // some declaration could not be read at all and is missing here
};

}  // namespace netc::ast
