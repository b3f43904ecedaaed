// Evaluates expressions, statements and pipelines: compile-time values are computed, layers become ops in the graph of
// the net being built. Evaluation always ends: blocks cannot recurse, repeats are counted, and all uses of layers are
// counted against a limit.
//
// The member functions stand in files by what they evaluate: evaluate_expr (names, members, operators), evaluate_call
// (calls and blocks), evaluate_stage (pipelines and repeats), evaluate_body (statements of blocks and nets),
// bind_arguments (arguments of rows of the standard library), types, names (lookup failures, code not taken).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/base/text_distance.h"
#include "compiler/layers/layer.h"
#include "compiler/sema/analyze.h"
#include "compiler/sema/declarations.h"
#include "compiler/sema/scope.h"
#include "compiler/sema/value.h"

namespace netc::sema {

// A body being evaluated: block inside block inside net.
struct Frame {
  int id = 0;                                  // each evaluation of a body has its own
  const Frame* outer = nullptr;
  const void* declaration = nullptr;           // the BlockDecl or NetDecl: to find recursion
  std::string place;                           // "block `basic`"
  Span name_span;
  std::vector<std::pair<std::string, Value>> values;   // compile-time parameters, for messages
  Span call;                                   // where, in `outer`, this one was called
  const std::vector<ast::Statement>* statements = nullptr;
  mutable std::vector<std::pair<std::string, Span>> repeat_names;   // names bound inside repeats, and their repeat
};

// Where an expression stands.
struct Context {
  const Module* module = nullptr;
  Scope* scope = nullptr;        // null at the top level of a file
  const Frame* frame = nullptr;
  LayerNames* names = nullptr;   // null where no layers can be made (data, train, plan)
  int depth = 0;                 // of rows in the table of shapes
  const ast::Repeat* repeat = nullptr;   // the innermost repeat around it
};

// A stage that made a value: for messages that say where a shape came about, and warnings about neighbours.
struct StageRecord {
  int frame = 0;                               // Frame::id of the body it stands in
  NodeId in = kNoNode, out = kNoNode;
  Span span;
  const LayerRow* layer = nullptr;             // null: a block, net or repeat
  bool has_bias = false;                       // of a layer with the parameter `bias`
  bool is_shared = false;
};

// The net being built.
struct NetBuild {
  Graph graph;
  GraphBuilder builder{graph};
  std::vector<ShapeRow> rows;
  std::vector<StageRecord> stages;
  std::unordered_map<std::string, NodeId> weights;          // path -> leaf
  std::unordered_set<std::string> instances;                // paths of layers and of what they stand in
  int64_t trainable = 0;                                    // numbers in trainable weights
  int64_t uses = 0;                                         // of layers, against kMostUses

  NetBuild() = default;
  NetBuild(const NetBuild&) = delete;                       // the builder points at the graph
  NetBuild& operator=(const NetBuild&) = delete;
};

inline constexpr int64_t kMostUses = 50'000;   // of layers in one net

// An output of a net, or of a net used as a block.
struct NetOutput {
  std::string name;
  Value value;
  Span span;
};

// Gives the node for an input of a net; kNoNode after an error.
using InputSource = std::function<NodeId(const ast::Input& input, const TensorType& type)>;

class Evaluator : public LayerHost {
 public:
  explicit Evaluator(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void build_into(NetBuild* net) { net_ = net; }
  NetBuild& net() { return *net_; }
  const Graph* graph() const { return net_ ? &net_->graph : nullptr; }
  Diagnostics& diagnostics() { return diagnostics_; }

  Value evaluate(const ast::Expr& expr, Context& context);
  Value constant(const Symbol& symbol);        // of a const or param

  // The type that stands there; nullopt after an error. Not for `tensor`, `int`, `layer`.
  std::optional<TensorType> tensor_type(const ast::Type& type, Context& context);

  // Arguments of a row of the standard library. `tensors`: unnamed arguments that are tensors go there (layers); null:
  // tensors are parameters of the row (losses). nullopt after an error.
  std::optional<Arguments> bind(const Signature& signature, const std::vector<ast::Arg>& args, Span call,
                                std::vector<GivenArgument>* tensors, Context& context);
  // A row by the name of a call or a bare word: `adam(lr: 1e-3)`, `constant`. Reports N0202 with `kind` ("optimizer").
  template <class Row>
  const Row* find_row(const ast::Expr& expr, const std::vector<Row>& table, std::string_view kind, Context& context) {
    const std::string* name = called_name(expr);
    if (name)
      for (const Row& row : table)
        if (row.name == *name) return &row;
    std::vector<std::string> names;
    for (const Row& row : table) names.push_back(row.name);
    report_not_a(expr, kind, names, context);
    return nullptr;
  }
  static const std::string* called_name(const ast::Expr& expr);        // null if it is no name or call of a name
  static const std::vector<ast::Arg>& arguments_of(const ast::Expr& expr);   // empty for a bare word

  // Builds a net as the root of a graph. False if a part of it failed.
  bool build_net(const ast::NetDecl& net, const Module& home, const std::vector<GivenArgument>& given, Span call,
                 const InputSource& inputs, std::vector<NetOutput>* outputs);
  // A row of losses or metrics, whose tensors are arguments. kNoNode after an error.
  NodeId build_row(const LayerRow& row, const Arguments& arguments, Span span, const std::string& path,
                   const std::vector<NetOutput>& outputs);

  // Looks up the names of code that is not evaluated: unused blocks, branches not taken.
  void check_names(const ast::Expr& expr, Context& context);
  void check_names(const ast::BlockDecl& block, const Module& home);

  // W1107, W1109, W1110: layers that make no sense beside each other. Once, when a net is built.
  void warn_of_neighbours(const Context& context);

  void check_assert(const ast::Assert& statement, Context& context);

  // A diagnostic with the call chain of the context.
  Diagnostic& error(Code code, Span span, std::string summary, std::string label, const Context& context);
  Diagnostic& warning(Code code, Span span, std::string summary, std::string label, const Context& context);

  // LayerHost
  NodeId weight(const std::string& name, TensorType type, Initializer init, bool trainable) override;
  Diagnostic& error(Code code, Span span, std::string summary, std::string label) override;
  Diagnostic& warning(Code code, Span span, std::string summary, std::string label) override;
  std::string name_of(NodeId node) const override;

 private:
  // evaluate_expr
  Value evaluate_name(const ast::NameRef& ref, Span span, Context& context, bool as_layer);
  Value evaluate_symbol(const Symbol& symbol, Span span, Context& context);
  Value evaluate_member(const ast::MemberExpr& member, Span span, Context& context);
  Value evaluate_index(const ast::IndexExpr& index, Span span, Context& context);
  Value evaluate_unary(const ast::UnaryExpr& unary, Span span, Context& context);
  Value evaluate_binary(const ast::BinaryExpr& binary, Span span, Context& context);
  Value evaluate_if(const ast::IfExpr& expr, Context& context);
  Value evaluate_items(const std::vector<ast::ExprPtr>& items, bool is_tuple, Context& context);
  Value tensor_operation(const ast::BinaryExpr& binary, const Value& left, const Value& right, Span span,
                         Context& context);
  Value parameter_of(const std::string& path, const ast::Name& member, std::string_view shown, Context& context);
  std::optional<bool> condition(const ast::Expr& expr, Context& context);
  void explain_shapes(Diagnostic& d, NodeId left, NodeId right, std::string_view left_name, std::string_view right_name,
                      const Context& context);

  // evaluate_function
  bool is_function(std::string_view name) const;
  Value evaluate_function(const std::string& name, const ast::CallExpr& call, std::vector<GivenArgument> given, Span span,
                          Context& context);
  Value evaluate_transpose(const ast::CallExpr& call, Span span, Context& context);

  // evaluate_call
  Value evaluate_call(const ast::CallExpr& call, Span span, Context& context);
  // What a stage or the right side of `shared` stands for; null after an error.
  std::shared_ptr<const Callable> callable(const ast::Expr& expr, Context& context);
  std::shared_ptr<const Callable> callable_call(const ast::CallExpr& call, Span span, Context& context);
  std::vector<GivenArgument> evaluate_arguments(const std::vector<ast::Arg>& args, Context& context);
  Value apply(const Callable& callable, std::vector<GivenArgument> piped, const ast::Name* name, Span span,
              Context& context);
  Value apply_layer(const Callable& callable, std::vector<GivenArgument> piped, const std::string& path, Span span,
                    Context& context);
  Value apply_body(const Callable& callable, std::vector<GivenArgument> piped, const std::string& path, Span span,
                   Context& context);
  bool bind_formals(const std::vector<ast::Formal>& formals, const std::string& what, std::vector<GivenArgument> piped,
                    const std::vector<GivenArgument>& given, Span call, Context& caller, Context& body, Frame& frame);
  bool bind_formal(const ast::Formal& formal, const GivenArgument& argument, Context& caller, Context& body, Frame& frame);
  bool bind_sizes(const ast::Formal& formal, const GivenArgument& argument, Context& caller, Context& body);
  bool enters(const void* declaration, const std::string& name, Span call, Context& context);

  // evaluate_stage
  Value evaluate_pipeline(const ast::PipelineExpr& pipeline, Context& context);
  Value evaluate_stage(const ast::Stage& stage, const Value& in, Span in_span, Context& context);
  Value evaluate_repeat(const ast::Repeat& repeat, const ast::Name* name, Span span, const Value& in, Span in_span,
                        Context& context);
  std::optional<std::vector<Value>> repeat_values(const ast::Repeat& repeat, Context& context);
  std::string layer_path(const ast::Name* name, std::string_view kind, Span span, Context& context);
  void bind_as(const ast::Name& name, const Value& value, const std::string& path, Context& context);

  // evaluate_body
  bool evaluate_let(const ast::Let& let, Context& context);
  bool evaluate_shared(const ast::Shared& shared, Context& context);
  bool evaluate_output(const ast::Output& output, Context& context, std::vector<NetOutput>* outputs);
  bool check_annotation(const ast::Type& type, const Value& value, Context& context);
  bool bind_pattern(const ast::Pattern& pattern, const Value& value, Span value_span, std::string_view what,
                    Context& context);
  void bind_name(const ast::Name& name, Value value, std::string_view what, Context& context);
  Value run_block(const ast::BlockDecl& block, Context& body);
  bool run_net(const ast::NetDecl& net, Context& body, const InputSource& inputs, std::vector<NetOutput>* outputs);
  void warn_of_unused(const Scope& scope, const Context& context);

  // bind_arguments
  bool convert(const ParameterRow& row, const ast::Expr& expr, ArgumentValue* result, Context& context);
  bool convert_number(const ParameterRow& row, const Value& value, Span span, double* result, Context& context);
  bool convert_integer(const ParameterRow& row, const Value& value, Span span, int64_t* result, Context& context);
  bool convert_integers(const ParameterRow& row, const Value& value, Span span, Integers* result, Context& context);
  bool convert_initializer(const ast::Expr& expr, ArgumentValue* result, Context& context);
  bool convert_word(const ParameterRow& row, const ast::Expr& expr, ArgumentValue* result, Context& context);
  bool convert_progress(const ParameterRow& row, const Value& value, Span span, Progress* result, Context& context);
  bool convert_weight(const ParameterRow& row, const Value& value, Span span, ArgumentValue* result, Context& context);
  void report_wrong_kind(const ParameterRow& row, const Value& value, Span span, std::string_view wanted,
                         Context& context);
  void report_unknown_argument(const Signature& signature, const ast::Arg& arg, Context& context);
  void report_missing(const Signature& signature, const ParameterRow& row, Span call, Context& context);

  // names
  void report_unknown_name(std::string_view name, Span span, bool as_layer, Context& context);
  void report_not_a(const ast::Expr& expr, std::string_view kind, const std::vector<std::string>& names, Context& context);
  void check_stage_names(const ast::Stage& stage, Context& context);
  bool is_known_word(const std::string& name) const;

  std::vector<netc::Frame> chain(const Frame* frame) const;
  std::string type_text(const Value& value) const { return show(value, graph()); }

  Diagnostics& diagnostics_;
  NetBuild* net_ = nullptr;
  int last_frame_ = 0;
  const Context* building_ = nullptr;   // of the layer being built: for LayerHost
  const std::vector<NetOutput>* outputs_ = nullptr;   // names where losses and metrics are built
  std::string layer_path_;              // of the layer being built
  Span layer_span_;
};

}  // namespace netc::sema
