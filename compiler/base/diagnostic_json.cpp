// Diagnostics as JSON, for editors and tools.
#include <nlohmann/json.hpp>

#include "compiler/base/diagnostics.h"

namespace netc {

namespace {

using Json = nlohmann::ordered_json;

// File, begin and end (exclusive) of a span; nulls for a fault without a place.
void add_place(Json& object, Span span, const SourceMap& sources) {
  if (!span.known()) {
    for (const char* key : {"file", "line", "column", "end_line", "end_column"}) object[key] = nullptr;
    return;
  }
  const Position begin = sources.position(span.file, span.begin);
  const Position end = sources.position(span.file, span.end);
  object["file"] = sources.path(span.file);
  object["line"] = begin.line;
  object["column"] = begin.column;
  object["end_line"] = end.line;
  object["end_column"] = end.column;
}

const char* name(Confidence confidence) {
  switch (confidence) {
    case Confidence::certain: return "certain";
    case Confidence::guess: return "guess";
    case Confidence::choice: return "choice";
  }
  return "";
}

Json to_json(const Edit& edit, const SourceMap& sources) {
  Json out = Json::object();
  add_place(out, edit.span, sources);
  out["replacement"] = edit.replacement;
  return out;
}

// `help` holds the words; `edits` holds one entry per alternative: its help, confidence and changes.
Json to_json(const Diagnostic& d, const SourceMap& sources) {
  Json out = Json::object();
  out["severity"] = d.severity == Severity::error ? "error" : "warning";
  out["code"] = code_name(d.code);
  out["message"] = d.summary;
  add_place(out, d.span, sources);
  out["label"] = d.span_label;
  out["labels"] = Json::array();
  for (const Label& label : d.labels) {
    Json entry = Json::object();
    add_place(entry, label.span, sources);
    entry["text"] = label.text;
    out["labels"].push_back(std::move(entry));
  }
  out["notes"] = d.notes;
  out["chain"] = Json::array();
  for (const Frame& frame : d.chain) {
    Json entry = {{"place", frame.place}, {"values", frame.values}};
    add_place(entry, frame.call, sources);
    out["chain"].push_back(std::move(entry));
  }
  out["help"] = Json::array();
  out["edits"] = Json::array();
  for (const Help& help : d.helps) {
    out["help"].push_back(help.text);
    for (const std::vector<Edit>& edits : help.alternatives) {
      Json entry = {{"help", help.text}, {"confidence", name(help.confidence)}, {"changes", Json::array()}};
      for (const Edit& edit : edits) entry["changes"].push_back(to_json(edit, sources));
      out["edits"].push_back(std::move(entry));
    }
  }
  return out;
}

}  // namespace

std::string to_json(const Diagnostics& diagnostics) {
  Json out = Json::array();
  for (const Diagnostic* record : diagnostics.sorted()) out.push_back(to_json(*record, diagnostics.sources()));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace netc
