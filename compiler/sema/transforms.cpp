#include "compiler/sema/transforms.h"

#include <cmath>

#include "compiler/layers/training_tables.h"
#include "compiler/syntax/print.h"

namespace netc::sema {
namespace {

using Kind = FieldType::Kind;

class StageReader {
 public:
  StageReader(Evaluator& evaluator, Context& context, FieldAnalysis* field, std::vector<Unavailable>* unavailable)
      : evaluator_(evaluator), context_(context), field_(field), unavailable_(unavailable) {}

  // One stage: checks its arguments and gives the type it leaves.
  bool read(const ast::Expr& expr, FieldType* type, bool inside_augment) {
    if (expr.is<ast::Broken>()) return false;
    const Signature* row = evaluator_.find_row(expr, transform_table(), "transform", context_);
    if (!row) return false;
    const auto& args = Evaluator::arguments_of(expr);
    const auto arguments = evaluator_.bind(*row, args, expr.span, nullptr, context_);
    if (!arguments) return false;
    if (row->name == "augment") return read_augment(args, expr.span, type);
    if (!row->available && !inside_augment) {
      field_->available = false;
      unavailable_->push_back({"transform `" + row->name + "`", expr.span});
    }
    if (!leaves(*row, *arguments, expr.span, type)) return false;
    if (row->available && !inside_augment) record(*row, *arguments, expr.span);
    return true;
  }

 private:
  Diagnostic& fail(Code code, Span span, std::string summary) {
    return evaluator_.error(code, span, std::move(summary), "", context_);
  }
  bool wants(const Signature& row, Span span, const FieldType& found, const std::string& wanted) {
    fail(Code::N0303, span, "`" + row.name + "` wants " + wanted + ", got " + to_string(found));
    return false;
  }

  bool read_chain(const ast::Expr& expr, FieldType* type) {
    const auto* pipeline = expr.as<ast::PipelineExpr>();
    if (!pipeline) return read(expr, type, true);
    if (!read(*pipeline->head, type, true)) return false;
    for (const ast::Stage& stage : pipeline->stages) {
      if (!stage.expr()) {
        fail(Code::N0303, stage.span, "`repeat` stands in nets and blocks");
        return false;
      }
      if (!read(*stage.expr(), type, true)) return false;
    }
    return true;
  }

  bool read_augment(const std::vector<ast::Arg>& args, Span span, FieldType* type) {
    field_->available = false;
    field_->augmented = span;
    unavailable_->push_back({"transform `augment`", span});
    FieldType augmented = *type, otherwise = *type;
    const ast::Expr* other = nullptr;
    const ast::Expr* stages = nullptr;
    for (const ast::Arg& arg : args) (arg.name && arg.name->text == "otherwise" ? other : stages) = arg.value.get();
    if (stages && !read_chain(*stages, &augmented)) return false;
    if (other && !read_chain(*other, &otherwise)) return false;
    if (!(augmented == otherwise)) {
      Diagnostic& d = fail(Code::N0806, span, "`augment` ends in " + to_string(augmented) + ", `otherwise` in " + to_string(otherwise));
      if (stages) d.label(stages->span, to_string(augmented));
      if (other) d.label(other->span, to_string(otherwise));
      d.help("both must end in the same shape: `center_crop`, `resize(size: ...)`, `pad_to`");
      return false;
    }
    *type = augmented;
    return true;
  }

  static Shape two_sizes(const Arguments& arguments, const char* name) {
    const Integers& size = arguments.integers(name);
    return size.size() == 1 ? Shape{size[0], size[0]} : Shape(size.begin(), size.end());
  }

  // Cuts or enlarges pictures to [h, w].
  bool resized(const Signature& row, const Arguments& arguments, Span span, const char* name, FieldType* type) {
    const Shape size = two_sizes(arguments, name);
    if (size.size() != 2) {
      fail(Code::N0303, arguments.span(name), "`" + std::string(name) + "` wants one whole number or [h, w]");
      return false;
    }
    if (type->kind == Kind::text) return wants(row, span, *type, "a picture");
    if (type->kind == Kind::image) {
      *type = {Kind::tensor, {DType::u8, {size[0], size[1], 3}, true, 0}};
      return true;
    }
    if (type->tensor.shape.size() != 3) return wants(row, span, *type, "a picture [H, W, C]");
    type->tensor.shape[0] = size[0];
    type->tensor.shape[1] = size[1];
    return true;
  }

  bool leaves(const Signature& row, const Arguments& arguments, Span span, FieldType* type) {
    const std::string& name = row.name;
    TensorType& tensor = type->tensor;
    const bool is_tensor = type->kind == Kind::tensor;
    if (name == "to_float") {
      if (!is_tensor || tensor.classes > 0) return wants(row, span, *type, "numbers");
      tensor.dtype = DType::f32;
    } else if (name == "normalize" || name == "standardize" || name == "log1p" || name == "clip") {
      if (!is_tensor || !is_floating(tensor.dtype)) {
        Diagnostic& d = fail(Code::N0406, span, "`" + name + "` computes in floating point, this is " + to_string(*type));
        if (is_tensor && tensor.classes == 0) d.help("`to_float` before it");
        return false;
      }
      if (name == "normalize") return check_normalize(arguments, tensor);
      if (name == "clip" && !(arguments.number("low") < arguments.number("high"))) {
        fail(Code::N0310, span, "`low` must lie below `high`");
        return false;
      }
    } else if (name == "impute") {
      if (!is_tensor || !is_floating(tensor.dtype)) return wants(row, span, *type, "numbers");
    } else if (name == "one_hot") {
      if (!is_tensor || tensor.classes == 0) return wants(row, span, *type, "class(N)");
      tensor.shape.push_back(tensor.classes);
      tensor.dtype = DType::f32;
      tensor.classes = 0;
    } else if (name == "category") {
      if (type->kind != Kind::text) return wants(row, span, *type, "a string");
      *type = {Kind::tensor, {DType::i32, {}, true, arguments.integer("vocab")}};
    } else if (name == "bucketize") {
      if (!is_tensor || !is_floating(tensor.dtype)) return wants(row, span, *type, "numbers");
      tensor.dtype = DType::i32;
      tensor.classes = static_cast<int64_t>(arguments.as<Numbers>("edges")->size()) + 1;
    } else if (name == "tokenize") {
      if (type->kind != Kind::text) return wants(row, span, *type, "a string");
      *type = {Kind::tensor, {DType::i32, {arguments.integer("length")}, true, arguments.integer("vocab")}};
    } else if (name == "decode_image") {
      if (is_tensor) return wants(row, span, *type, "an image or the name of its file");
      if (!arguments.has("size")) {
        type->kind = Kind::image;
        return true;
      }
      const Shape size = two_sizes(arguments, "size");
      if (size.size() != 2) {
        fail(Code::N0303, arguments.span("size"), "`size` wants one whole number or [h, w]");
        return false;
      }
      *type = {Kind::tensor, {DType::u8, {size[0], size[1], arguments.integer("channels")}, true, 0}};
    } else if (name == "resize") {
      if (arguments.has("size") == arguments.has("shorter")) {
        fail(Code::N0307, span, "`resize` needs `size` or `shorter`, one of them");
        return false;
      }
      if (arguments.has("size")) return resized(row, arguments, span, "size", type);
      if (type->kind == Kind::text) return wants(row, span, *type, "a picture");
    } else if (name == "center_crop" || name == "random_crop" || name == "random_resized_crop" || name == "pad_to") {
      return resized(row, arguments, span, "size", type);
    } else if (name == "truncate") {
      if (!is_tensor || tensor.shape.empty()) return wants(row, span, *type, "a sequence");
      tensor.shape[0] = std::min(tensor.shape[0], arguments.integer("length"));
    } else if (type->kind == Kind::text) {
      return wants(row, span, *type, "a picture");   // the random_ ones
    }
    return true;
  }

  bool check_normalize(const Arguments& arguments, const TensorType& type) {
    for (const char* name : {"mean", "std"}) {
      const Numbers& numbers = *arguments.as<Numbers>(name);
      const int64_t channels = type.shape.empty() ? 1 : type.shape.back();
      if (numbers.size() != 1 && static_cast<int64_t>(numbers.size()) != channels) {
        fail(Code::N0303, arguments.span(name),
             "`" + std::string(name) + "` wants one number or " + std::to_string(channels) + ", one per channel of " +
                 netc::to_string(type) + ", got " + std::to_string(numbers.size()));
        return false;
      }
      for (double number : numbers)
        if (std::string_view(name) == "std" && number <= 0) {
          fail(Code::N0310, arguments.span(name), "`std` must lie above 0, got " + show_number(number));
          return false;
        }
    }
    return true;
  }

  void record(const Signature& row, const Arguments& arguments, Span span) {
    TransformSpec spec;
    spec.name = row.name;
    spec.span = span;
    for (const ParameterRow& parameter : row.parameters) {
      if (const auto* numbers = arguments.as<Numbers>(parameter.name)) spec.arguments.emplace_back(parameter.name, *numbers);
      else if (const auto* number = arguments.as<double>(parameter.name)) spec.arguments.emplace_back(parameter.name, Numbers{*number});
    }
    field_->spec.transforms.push_back(std::move(spec));
  }

  Evaluator& evaluator_;
  Context& context_;
  FieldAnalysis* field_;
  std::vector<Unavailable>* unavailable_;
};

// A vector over the last axis, one number for each channel, in the shape of `like`.
NodeId per_channel(GraphBuilder& b, const std::vector<double>& numbers, NodeId like) {
  if (numbers.size() == 1) return b.constant(numbers[0]);
  std::vector<NodeId> parts;
  for (double number : numbers)
    parts.push_back(b.op("expand", {b.constant(number)},
                         {{"axes", std::vector<int64_t>{}}, {"shape", std::vector<int64_t>{1}}, {"batched", false}}));
  const NodeId vector = b.op("concat", std::move(parts), {{"axis", int64_t{0}}});
  return b.expand_like(vector, like, {static_cast<int64_t>(b.type(like).shape.size()) - 1});
}

const std::vector<double>& numbers_of(const TransformSpec& transform, const std::string& name) {
  for (const auto& [key, numbers] : transform.arguments)
    if (key == name) return numbers;
  static const std::vector<double> none{0};
  return none;
}

std::vector<double> inverted(std::vector<double> numbers) {
  for (double& number : numbers) number = 1 / number;
  return numbers;
}

// Mean and deviation of the train split live with the weights, one for each element of the last axis.
NodeId standardized(const FieldAnalysis& field, NodeId x, const TransformSpec& transform, NetBuild& net) {
  GraphBuilder& b = net.builder;
  const Shape shape = b.type(x).shape;
  const Shape of{shape.empty() ? Shape{} : Shape{shape.back()}};
  const auto statistic = [&](const char* name, Initializer::Kind kind) {
    const std::string path = "data." + field.spec.name + "." + name;
    if (const auto known = net.weights.find(path); known != net.weights.end()) return known->second;
    const TensorType type{DType::f32, of, false, 0};
    net.graph.parameters.push_back({path, type, {kind, 0, 0, false}, false, transform.span});
    const NodeId leaf = net.graph.add({"parameter", {}, {}, type, path, transform.span});
    net.weights.emplace(path, leaf);
    return leaf;
  };
  NodeId mean = statistic("mean", Initializer::Kind::zeros), deviation = statistic("std", Initializer::Kind::ones);
  NodeId factor = b.op("reciprocal", {b.add(deviation, b.constant(numbers_of(transform, "eps")[0]))});
  if (!shape.empty()) {
    const std::vector<int64_t> last{static_cast<int64_t>(shape.size()) - 1};
    mean = b.expand_like(mean, x, last);
    factor = b.expand_like(factor, x, last);
  }
  return b.mul(b.sub(x, mean), factor);
}

}  // namespace

bool apply_transforms(const ast::Field& declaration, Evaluator& evaluator, Context& context, FieldAnalysis* analysis,
                      std::vector<Unavailable>* unavailable) {
  StageReader reader(evaluator, context, analysis, unavailable);
  for (const ast::Stage& stage : declaration.stages) {
    if (!stage.expr() || stage.name) {
      evaluator.error(Code::N0303, stage.span, "a stage of a field is a transform, without a name", "", context);
      return false;
    }
    if (!reader.read(*stage.expr(), &analysis->type, false)) return false;
  }
  if (analysis->type.kind != Kind::tensor) {
    Diagnostic& d = evaluator.error(Code::N0809, declaration.type.span,
                                    "field `" + declaration.name.text + "` is " + to_string(analysis->type) + ", and has no fixed shape", "",
                                    context);
    d.help(analysis->type.kind == Kind::text ? "`category(vocab: ...)`, `tokenize(...)` or `decode_image(size: ...)` give it one"
                                             : "`resize(size: ...)`, `center_crop(...)` or `pad_to(...)` give it one");
    return false;
  }
  return true;
}

NodeId build_field(const FieldAnalysis& field, const std::string& leaf_name, NetBuild& net) {
  GraphBuilder& b = net.builder.at(field.declaration->span).named(leaf_name);
  if (!field.available) return b.input(leaf_name, field.type.tensor);
  NodeId x = b.input(leaf_name, field.raw.tensor);
  for (const TransformSpec& transform : field.spec.transforms) {
    b.at(transform.span).named(leaf_name);
    if (transform.name == "to_float") {
      if (b.type(x).dtype != DType::f32) x = b.op("cast", {x}, {{"dtype", std::string("f32")}});
      const double scale = numbers_of(transform, "scale")[0], offset = numbers_of(transform, "offset")[0];
      if (scale != 1) x = b.mul(x, b.constant(scale));
      if (offset != 0) x = b.add(x, b.constant(offset));
    } else if (transform.name == "normalize") {
      x = b.mul(b.sub(x, per_channel(b, numbers_of(transform, "mean"), x)), per_channel(b, inverted(numbers_of(transform, "std")), x));
    } else if (transform.name == "standardize") {
      x = standardized(field, x, transform, net);
    } else if (transform.name == "log1p") {
      x = b.op("log1p", {x});
    } else if (transform.name == "clip") {
      x = b.op("min", {b.op("max", {x, b.constant(numbers_of(transform, "low")[0])}), b.constant(numbers_of(transform, "high")[0])});
    } else if (transform.name == "one_hot") {
      x = b.op("one_hot", {x}, {{"classes", b.type(x).classes}});
    }
  }
  return x;
}

}  // namespace netc::sema
