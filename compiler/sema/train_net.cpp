// The net of a train, fed from the fields of its data.
#include <algorithm>

#include "compiler/sema/train_reader.h"
#include "compiler/syntax/print.h"

namespace netc::sema {

const Symbol* TrainReader::find_symbol(const ast::Expr& expr, Symbol::Kind kind, std::string_view what) {
  const ast::Expr& callee = expr.is<ast::CallExpr>() ? *expr.as<ast::CallExpr>()->callee : expr;
  const Symbol* symbol = nullptr;
  std::string name = print(callee);
  const Module* where = &home_;
  if (const auto* member = callee.as<ast::MemberExpr>()) {   // r.cnn
    const auto* file = member->object->as<ast::NameRef>();
    const Symbol* module = file ? home_.find(file->name) : nullptr;
    where = module && module->kind == Symbol::Kind::module ? module->module : nullptr;
    if (where) symbol = where->find(member->member.text);
  } else if (const auto* ref = callee.as<ast::NameRef>()) {
    symbol = home_.find(ref->name);
    name = ref->name;
  }
  if (symbol && symbol->kind == kind) return symbol;
  sound_ = false;
  if (callee.is<ast::Broken>() || (where && where->incomplete && !symbol)) return nullptr;
  Diagnostic& d = fail(Code::N0202, callee.span, "`" + name + "` is not a " + std::string(what));
  if (symbol) d.label(symbol->span, std::string("it is a ") + kind_name(symbol->kind));
  std::vector<std::string> names;
  for (const std::string& own : home_.ordered)
    if (home_.find(own)->kind == kind) names.push_back(own);
  if (const auto close = suggest(name, names)) d.fix("did you mean `" + *close + "`?", callee.span, *close, Confidence::guess);
  else if (names.empty()) d.note("the file declares no " + std::string(what));
  return nullptr;
}

void TrainReader::find_data() {
  const ast::Expr* expr = record_.expr("data");
  if (!expr) return;
  const Symbol* symbol = find_symbol(*expr, Symbol::Kind::data, "data");
  if (!symbol) return;
  data_ = analyze_data(*symbol->data, *symbol->home, evaluator_);
  has_data_ = true;
  sound_ = sound_ && data_.sound;
  spec().data = data_.spec.name;
}

// `inputs: { input: field }`
void TrainReader::read_inputs(const ast::NetDecl& declaration) {
  const ast::Record* record = record_.record("inputs");
  if (!record) return;
  std::vector<std::string> inputs;
  for (const ast::Statement& statement : declaration.statements)
    if (const auto* input = std::get_if<ast::Input>(&statement)) inputs.push_back(input->name.text);
  for (const ast::Property& property : record->properties) {
    if (std::find(inputs.begin(), inputs.end(), property.key.text) == inputs.end()) {
      Diagnostic& d = fail(Code::N0601, property.key.span, "`" + property.key.text + "` is not an input of `" + declaration.name.text + "`");
      if (const auto close = suggest(property.key.text, inputs)) d.fix("did you mean `" + *close + "`?", property.key.span, *close, Confidence::guess);
      continue;
    }
    if (renamed_.contains(property.key.text)) {
      fail(Code::N0306, property.key.span, "`" + property.key.text + "` is given twice");
      continue;
    }
    const ast::Expr* value = property.expr();
    const auto* name = value ? value->as<ast::NameRef>() : nullptr;
    if (const auto* member = value ? value->as<ast::MemberExpr>() : nullptr)
      if (const auto* object = member->object->as<ast::NameRef>(); object && object->name == "data") {
        renamed_[property.key.text] = {member->member.text, value->span};
        continue;
      }
    if (!name) fail(Code::N0303, property.value_span, "`" + property.key.text + "` wants the name of a field");
    else renamed_[property.key.text] = {name->name, value->span};
  }
}

NodeId TrainReader::input_node(const ast::Input& input, const TensorType& type) {
  const std::string& name = input.name.text;
  const auto as_declared = [&] { return net().builder.at(input.span).input(name, type); };
  if (!has_data_) return as_declared();
  const auto renamed = renamed_.find(name);
  const std::string field_name = renamed == renamed_.end() ? name : renamed->second.first;
  const FieldAnalysis* field = data_.field(field_name);
  if (!field) {
    if (data_.declaration->broken) return as_declared();
    std::vector<std::string> names;
    for (const FieldAnalysis& other : data_.fields) names.push_back(other.spec.name);
    if (renamed != renamed_.end()) {
      Diagnostic& d = fail(Code::N0802, renamed->second.second, "`" + field_name + "` is not a field of `" + data_.spec.name + "`");
      if (const auto close = suggest(field_name, names)) d.fix("did you mean `" + *close + "`?", renamed->second.second, *close, Confidence::guess);
    } else {
      Diagnostic& d = fail(Code::N0802, input.name.span, "input `" + name + "` has no field of that name in `" + data_.spec.name + "`");
      d.label(data_.declaration->name.span, "its fields: " + join(names));
      if (const auto close = suggest(name, names)) d.fix("did you mean `" + *close + "`?", input.name.span, *close, Confidence::guess);
      else if (!names.empty()) d.help("bind it to another field: `inputs: { " + name + ": " + names[0] + " }` in the train");
    }
    return as_declared();
  }
  if (!field->sound) return as_declared();
  if (field->type.tensor != type) {
    Diagnostic& d = fail(Code::N0803, input.type.span, "input `" + name + "` is " + to_string(type) + ", field is " + to_string(field->type.tensor));
    d.label(field->declaration->span, "the field, after its stages");
    const TensorType& found = field->type.tensor;
    if (found.shape == type.shape && found.dtype == DType::u8 && type.dtype == DType::f32)
      d.help("bring the field there: `field " + field->spec.name + ": ... |> to_float(scale: 1/255)`");
    else if (found.classes > 0 && type.dtype == DType::f32)
      d.help("bring the field there with `one_hot`, or declare the input class(" + std::to_string(found.classes) + ")");
    else
      d.fix("declare the input as the field is", input.type.span, as_written(found), Confidence::guess);
    return as_declared();
  }
  spec().inputs.emplace_back(name, field->spec.name);
  const NodeId node = build_field(*field, name, net());
  fed_[field->spec.name] = node;
  return node;
}

std::string TrainReader::as_written(const TensorType& type) {
  std::string text = type.classes > 0 ? "class(" + std::to_string(type.classes) + ")" : dtype_name(type.dtype);
  if (type.shape.empty()) return text;
  text += "[";
  for (size_t i = 0; i < type.shape.size(); ++i) text += (i ? ", " : "") + std::to_string(type.shape[i]);
  return text + "]";
}

void TrainReader::build_net() {
  const ast::Expr* expr = record_.expr("net");
  if (!expr) return;
  const Symbol* symbol = find_symbol(*expr, Symbol::Kind::net, "net");
  if (!symbol) return;
  net_ = symbol->net;
  result_.net_declaration = symbol->net;
  spec().net = net_->name.text;
  read_inputs(*net_);
  std::vector<GivenArgument> given;
  for (const ast::Arg& arg : Evaluator::arguments_of(*expr))
    given.push_back({arg.name ? &*arg.name : nullptr, evaluator_.evaluate(*arg.value, context_), arg.value->span});
  const InputSource source = [&](const ast::Input& input, const TensorType& type) { return input_node(input, type); };
  net_sound_ = evaluator_.build_net(*net_, *symbol->home, given, expr->span, source, &outputs_);
  net_nodes_ = net().graph.nodes.size();
  sound_ = sound_ && net_sound_;
  for (const NetOutput& output : outputs_)
    if (output.value.unknown()) net_sound_ = false;
}

}  // namespace netc::sema
