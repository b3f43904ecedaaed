#include "compiler/sema/data.h"

#include <algorithm>
#include <cmath>

#include "compiler/layers/training_tables.h"
#include "compiler/sema/transforms.h"
#include "compiler/syntax/print.h"

namespace netc::sema {

std::string to_string(const FieldType& type) {
  switch (type.kind) {
    case FieldType::Kind::image: return "image";
    case FieldType::Kind::text: return "string";
    case FieldType::Kind::tensor: break;
  }
  return netc::to_string(type.tensor);
}

namespace {

class DataReader {
 public:
  DataReader(const ast::DataDecl& data, const Module& home, Evaluator& evaluator) : data_(data), evaluator_(evaluator) {
    context_.module = &home;
    result_.declaration = &data;
    result_.spec.name = data.name.text;
    result_.spec.span = data.span;
  }

  DataAnalysis read() {
    for (const ast::Field& field : data_.fields) read_field(field);
    for (const ast::Property& property : data_.properties) read_split(property);
    if (!result_.has_split("train") && !has_property("train") && !data_.broken) {
      fail(Code::N0307, data_.name.span, "data `" + data_.name.text + "` needs a `train` split")
          .help("for example `train: csv(\"table.csv\")`");
    }
    check_parts();
    check_takes();
    result_.sound = result_.sound && !data_.broken;
    for (const FieldAnalysis& field : result_.fields) result_.spec.fields.push_back(field.spec);
    return std::move(result_);
  }

 private:
  Diagnostic& fail(Code code, Span span, std::string summary) {
    result_.sound = false;
    return evaluator_.error(code, span, std::move(summary), "", context_);
  }

  bool has_property(std::string_view key) const {
    return std::any_of(data_.properties.begin(), data_.properties.end(), [&](const ast::Property& p) { return p.key.text == key; });
  }

  void read_field(const ast::Field& field) {
    for (const FieldAnalysis& other : result_.fields)
      if (other.spec.name == field.name.text) {
        fail(Code::N0203, field.name.span, "`" + field.name.text + "` is declared twice")
            .label(other.declaration->name.span, "first here");
        return;
      }
    FieldAnalysis made;
    made.declaration = &field;
    made.spec.name = field.name.text;
    made.spec.span = field.span;
    made.sound = read_raw_type(field.type, &made.raw);
    if (field.from && !read_columns(*field.from, &made)) made.sound = false;
    const size_t columns = made.spec.columns.size();
    if (made.sound && made.available && made.raw.kind == FieldType::Kind::tensor && columns > 0 &&
        static_cast<int64_t>(columns) != element_count(made.raw.tensor.shape)) {
      fail(Code::N0204, field.from->span,
           std::to_string(columns) + (columns == 1 ? " name for " : " names for ") + std::to_string(element_count(made.raw.tensor.shape)) + " values")
          .label(field.type.span, to_string(made.raw));
      made.sound = false;
    }
    made.type = made.raw;
    if (made.sound) made.sound = apply_transforms(field, evaluator_, context_, &made, &result_.unavailable);
    if (made.raw.kind == FieldType::Kind::tensor) made.spec.raw = made.raw.tensor;
    if (made.type.kind == FieldType::Kind::tensor) made.spec.type = made.type.tensor;
    if (made.raw.kind != FieldType::Kind::tensor && made.available && made.sound) {
      made.available = false;
      result_.unavailable.push_back({"field type `" + to_string(made.raw) + "`", field.type.span});
    }
    if (made.raw.kind == FieldType::Kind::tensor && made.sound &&
        (made.raw.tensor.dtype == DType::f16 || made.raw.tensor.dtype == DType::bf16 || made.raw.tensor.dtype == DType::f64 ||
         made.raw.tensor.dtype == DType::i64)) {
      made.available = false;
      result_.unavailable.push_back({"element type `" + std::string(dtype_name(made.raw.tensor.dtype)) + "` of a field", field.type.span});
    }
    result_.sound = result_.sound && made.sound;
    result_.fields.push_back(std::move(made));
  }

  bool read_raw_type(const ast::Type& type, FieldType* raw) {
    const std::string& element = type.element.text;
    if (!type.classes && !type.shape && (element == "image" || element == "string")) {
      raw->kind = element == "image" ? FieldType::Kind::image : FieldType::Kind::text;
      return true;
    }
    const auto tensor = evaluator_.tensor_type(type, context_);
    if (!tensor) return false;
    raw->tensor = *tensor;
    return true;
  }

  // `from "column"`, `from ["a", "b"]`, `from past("a")`
  bool read_columns(const ast::Expr& from, FieldAnalysis* field) {
    if (const auto* call = from.as<ast::CallExpr>()) {
      const std::string* name = Evaluator::called_name(from);
      if (name && (*name == "past" || *name == "future") && call->args.size() == 1) {
        field->available = false;
        result_.unavailable.push_back({"source `" + *name + "`", from.span});
        return read_columns(*call->args[0].value, field);
      }
    }
    const Value value = evaluator_.evaluate(from, context_);
    if (value.unknown()) return false;
    if (const auto* text = value.as<Text>()) field->spec.columns.push_back(text->value);
    if (const auto* items = value.items())
      for (const Value& item : *items)
        if (const auto* text = item.as<Text>()) field->spec.columns.push_back(text->value);
    if (field->spec.columns.empty() || (value.items() && field->spec.columns.size() != value.items()->size())) {
      fail(Code::N0303, from.span, "`from` wants a column name or a list of them, got " + kind_of(value));
      return false;
    }
    return true;
  }

  void read_split(const ast::Property& property) {
    const std::vector<std::string> splits{"train", "validation", "test"};
    const std::string& split = property.key.text;
    if (std::find(splits.begin(), splits.end(), split) == splits.end()) {
      Diagnostic& d = fail(Code::N0801, property.key.span, "`" + split + "` is not a split");
      d.note("splits: train, validation, test");
      if (split == "valid" || split == "val" || split == "dev" || split == "eval")
        d.fix("the name here is `validation`", property.key.span, "validation", Confidence::certain);
      else if (const auto close = suggest(split, splits))
        d.fix("did you mean `" + *close + "`?", property.key.span, *close, Confidence::guess);
      return;
    }
    for (const ReaderSpec& other : result_.spec.splits)
      if (other.split == split) {
        fail(Code::N0306, property.key.span, "`" + split + "` is given twice").label(other.span, "first here");
        return;
      }
    const ast::Expr* expr = property.expr();
    if (!expr) {
      fail(Code::N0303, property.value_span, "a split is a reader: `csv(\"table.csv\")`");
      return;
    }
    if (expr->is<ast::Broken>()) {
      result_.sound = false;
      return;
    }
    ReaderSpec spec;
    spec.split = split;
    spec.span = property.span;
    if (!read_reader(*expr, &spec)) {
      result_.sound = false;
      return;
    }
    result_.spec.splits.push_back(std::move(spec));
  }

  bool read_reader(const ast::Expr& expr, ReaderSpec* spec) {
    const Signature* row = evaluator_.find_row(expr, reader_table(), "reader", context_);
    if (!row) return false;
    const auto& args = Evaluator::arguments_of(expr);
    const auto arguments = evaluator_.bind(*row, args, expr.span, nullptr, context_);
    if (!arguments) return false;
    spec->reader = row->name;
    if (!row->available) result_.unavailable.push_back({"reader `" + row->name + "`", expr.span});
    if (row->any_names && !read_files(*row, expr, args, spec)) return false;
    if (row->name == "csv") {
      spec->files.emplace_back("", arguments->word("file"));
      spec->file_spans.push_back(arguments->span("file"));
      spec->header = arguments->flag("header");
      const std::string& separator = arguments->word("separator");
      if (separator.size() != 1) {
        fail(Code::N0303, arguments->span("separator"), "`separator` wants a string of one character");
        return false;
      }
      spec->separator = separator[0];
      spec->missing = arguments->word("missing");
      spec->part = *arguments->as<Part>("part");
      if (const auto* shuffle = arguments->as<int64_t>("shuffle")) spec->shuffle = *shuffle;
    } else if (row->name == "synthetic") {
      spec->kind = arguments->word("kind");
      spec->samples = arguments->integer("samples");
      spec->seed = arguments->integer("seed");
    } else if (row->name == "take") {
      spec->take_from = arguments->word("split");
      spec->take_share = arguments->as<Share>("amount")->share;
      spec->take_count = arguments->as<Share>("amount")->samples;
      spec->seed = arguments->integer("seed");
    } else if (row->name == "windows") {
      ReaderSpec inner;
      for (const ast::Arg& arg : args)
        if (!arg.name || arg.name->text == "reader") return read_reader(*arg.value, &inner);
    }
    return true;
  }

  // idx and npy: one file for each field.
  bool read_files(const Signature& row, const ast::Expr& expr, const std::vector<ast::Arg>& args, ReaderSpec* spec) {
    bool sound = true;
    std::vector<std::string> names;
    for (const FieldAnalysis& field : result_.fields) names.push_back(field.spec.name);
    for (const ast::Arg& arg : args) {
      if (!arg.name) continue;   // refused by bind
      const std::string& name = arg.name->text;
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        Diagnostic& d = fail(Code::N0301, arg.name->span, "`" + name + "` is not a field of `" + data_.name.text + "`");
        if (const auto close = suggest(name, names)) d.fix("did you mean `" + *close + "`?", arg.name->span, *close, Confidence::guess);
        sound = false;
        continue;
      }
      const auto twice = std::find_if(spec->files.begin(), spec->files.end(), [&](const auto& f) { return f.first == name; });
      if (twice != spec->files.end()) {
        fail(Code::N0306, arg.name->span, "`" + name + "` is given twice");
        sound = false;
        continue;
      }
      const Value value = evaluator_.evaluate(*arg.value, context_);
      const auto* text = value.as<Text>();
      if (!text) {
        if (!value.unknown()) fail(Code::N0303, arg.value->span, "`" + name + "` wants the path of a file as a string, got " + kind_of(value));
        sound = false;
        continue;
      }
      spec->files.emplace_back(name, text->value);
      spec->file_spans.push_back(arg.value->span);
    }
    for (const std::string& name : names) {
      if (!sound) break;
      const bool found = std::any_of(spec->files.begin(), spec->files.end(), [&](const auto& f) { return f.first == name; });
      if (found) continue;
      fail(Code::N0307, expr.span, "`" + row.name + "` needs `" + name + "`")
          .help("give a file for each field: `" + name + ": \"...\"`");
      sound = false;
    }
    return sound;
  }

  // Parts of one file must not overlap, and a hole between them is worth a word.
  void check_parts() {
    auto& splits = result_.spec.splits;
    for (size_t i = 0; i < splits.size(); ++i)
      for (size_t j = i + 1; j < splits.size(); ++j) {
        if (splits[i].reader != "csv" || splits[j].reader != "csv" || splits[i].files[0].second != splits[j].files[0].second) continue;
        const double begin = std::max(splits[i].part.begin, splits[j].part.begin), end = std::min(splits[i].part.end, splits[j].part.end);
        const bool same_order = splits[i].shuffle == splits[j].shuffle;
        if (begin < end || !same_order) {
          const std::string range = show(Float{begin, true}, nullptr) + " ..< " + show(Float{end, true}, nullptr);
          Diagnostic& d = fail(Code::N0810, splits[j].span,
                               same_order ? "parts overlap: " + range + " is in " + splits[i].split + " and in " + splits[j].split
                                          : "parts overlap: " + splits[i].split + " and " + splits[j].split +
                                                " shuffle the same file in different ways");
          d.label(splits[i].span, splits[i].split + " is here");
        }
      }
    std::vector<std::string> seen;
    for (const ReaderSpec& split : splits) {
      if (split.reader != "csv" || std::find(seen.begin(), seen.end(), split.files[0].second) != seen.end()) continue;
      seen.push_back(split.files[0].second);
      std::vector<std::pair<double, double>> parts;
      for (const ReaderSpec& other : splits)
        if (other.reader == "csv" && other.files[0].second == split.files[0].second) parts.emplace_back(other.part.begin, other.part.end);
      std::sort(parts.begin(), parts.end());
      double at = 0;
      for (const auto& [begin, end] : parts) {
        if (begin > at + 1e-9) break;
        at = std::max(at, end);
      }
      if (at < 1 - 1e-9 && result_.sound)
        evaluator_.warning(Code::W1114, split.span, "part of " + split.files[0].second + " is in no split", "", context_)
            .note("from " + show(Float{at, true}, nullptr) + " on there is a part that nothing reads");
    }
  }

  void check_takes() {
    for (const ReaderSpec& split : result_.spec.splits) {
      if (split.reader != "take") continue;
      const auto from = std::find_if(result_.spec.splits.begin(), result_.spec.splits.end(),
                                     [&](const ReaderSpec& s) { return s.split == split.take_from; });
      if (from == result_.spec.splits.end()) {
        if (!has_property(split.take_from))
          fail(Code::N0801, split.span, "`" + split.take_from + "` is not a split of `" + data_.name.text + "`");
      } else if (from->reader == "take") {
        fail(Code::N0801, split.span, "`take` moves samples out of a split that is read from files, and `" + split.take_from + "` is not")
            .label(from->span, "it is taken itself");
      }
    }
  }

  const ast::DataDecl& data_;
  Evaluator& evaluator_;
  Context context_;
  DataAnalysis result_;
};

}  // namespace

DataAnalysis analyze_data(const ast::DataDecl& data, const Module& home, Evaluator& evaluator) {
  return DataReader(data, home, evaluator).read();
}

}  // namespace netc::sema
