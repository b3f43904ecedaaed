#include "compiler/base/diagnostics.h"

#include <algorithm>

namespace netc {

namespace {

struct CodeRow {
  const char* name;
  const char* title;
};

constexpr CodeRow kCodes[] = {
#define NETC_CODE(code, title) {#code, title},
#include "compiler/base/diagnostic_codes.def"
#undef NETC_CODE
};

}  // namespace

const char* code_name(Code code) { return kCodes[static_cast<size_t>(code)].name; }
const char* code_title(Code code) { return kCodes[static_cast<size_t>(code)].title; }

Diagnostic& Diagnostic::label(Span where, std::string text) {
  labels.push_back({where, std::move(text)});
  return *this;
}

Diagnostic& Diagnostic::note(std::string text) {
  notes.push_back(std::move(text));
  return *this;
}

Diagnostic& Diagnostic::from(std::vector<Frame> frames) {
  chain = std::move(frames);
  return *this;
}

Diagnostic& Diagnostic::help(std::string text) {
  helps.push_back({std::move(text), Confidence::choice, {}});
  return *this;
}

Diagnostic& Diagnostic::fix(std::string text, Span where, std::string replacement, Confidence confidence) {
  return fix(std::move(text), std::vector<Edit>{{where, std::move(replacement)}}, confidence);
}

Diagnostic& Diagnostic::fix(std::string text, std::vector<Edit> edits, Confidence confidence) {
  helps.push_back({std::move(text), confidence, {std::move(edits)}});
  return *this;
}

Diagnostic& Diagnostic::choose(std::string text, Span where, const std::vector<std::string>& replacements) {
  Help help{std::move(text), Confidence::choice, {}};
  for (const std::string& replacement : replacements) help.alternatives.push_back({{where, replacement}});
  helps.push_back(std::move(help));
  return *this;
}

Diagnostic& Diagnostics::error(Code code, Span span, std::string summary, std::string span_label) {
  return add(Severity::error, code, span, std::move(summary), std::move(span_label));
}

Diagnostic& Diagnostics::warning(Code code, Span span, std::string summary, std::string span_label) {
  return add(Severity::warning, code, span, std::move(summary), std::move(span_label));
}

Diagnostic& Diagnostics::add(Severity severity, Code code, Span span, std::string summary, std::string span_label) {
  if (severity == Severity::warning && is_silenced(code, span)) return dropped_ = Diagnostic{};
  const bool is_new = !span.known() || reported_.emplace(code, span.file, span.begin, span.end).second;
  if (!is_new) return dropped_ = Diagnostic{};
  ++(severity == Severity::error ? error_count_ : warning_count_);
  if (records_.size() >= kMostRecords) return dropped_ = Diagnostic{};
  Diagnostic& record = records_.emplace_back();
  record.severity = severity;
  record.code = code;
  record.span = span;
  record.summary = std::move(summary);
  record.span_label = std::move(span_label);
  return record;
}

bool Diagnostics::is_silenced(Code code, Span span) const {
  if (!span.known()) return false;
  const std::string_view line = sources_->line(span.file, sources_->position(span.file, span.begin).line);
  for (const std::string_view mark : {"// netc: allow ", "# netc: allow "}) {
    const size_t at = line.find(mark);
    if (at != std::string_view::npos && line.find(code_name(code), at) != std::string_view::npos) return true;
  }
  return false;
}

std::vector<const Diagnostic*> Diagnostics::sorted() const {
  std::vector<const Diagnostic*> order;
  order.reserve(records_.size());
  for (const Diagnostic& record : records_) order.push_back(&record);
  std::stable_sort(order.begin(), order.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return std::tie(a->span.file, a->span.begin) < std::tie(b->span.file, b->span.begin);
  });
  return order;
}

}  // namespace netc
