#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compiler/base/diagnostics.h"
#include "tests/syntax/support.h"

namespace netc::test {
namespace {

TEST(DiagnosticJson, HoldsTheWholeRecord) {
  SourceMap sources;
  Diagnostics diagnostics(sources);
  const FileId file = sources.add("a.net", "// \xC3\xBC\nlet y = bad\n");
  diagnostics.error(Code::N0201, {file, 14, 17}, "no value called `bad` here", "unknown")
      .label({file, 10, 11}, "for this")
      .note("names here: x")
      .from({{"block `b`", "k = 3", {}}, {"net `n`", "", {file, 6, 9}}})
      .fix("did you mean `bed`?", Span{file, 14, 17}, "bed", Confidence::guess)
      .choose("or", {file, 14, 17}, {"bud", "bid"})
      .help("think");
  const nlohmann::json all = nlohmann::json::parse(to_json(diagnostics));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0], nlohmann::json::parse(R"({
    "severity": "error", "code": "N0201", "message": "no value called `bad` here",
    "file": "a.net", "line": 2, "column": 9, "end_line": 2, "end_column": 12, "label": "unknown",
    "labels": [{"file": "a.net", "line": 2, "column": 5, "end_line": 2, "end_column": 6, "text": "for this"}],
    "notes": ["names here: x"],
    "chain": [
      {"place": "block `b`", "values": "k = 3", "file": null, "line": null, "column": null, "end_line": null, "end_column": null},
      {"place": "net `n`", "values": "", "file": "a.net", "line": 2, "column": 1, "end_line": 2, "end_column": 4}],
    "help": ["did you mean `bed`?", "or", "think"],
    "edits": [
      {"help": "did you mean `bed`?", "confidence": "guess", "changes": [
        {"file": "a.net", "line": 2, "column": 9, "end_line": 2, "end_column": 12, "replacement": "bed"}]},
      {"help": "or", "confidence": "choice", "changes": [
        {"file": "a.net", "line": 2, "column": 9, "end_line": 2, "end_column": 12, "replacement": "bud"}]},
      {"help": "or", "confidence": "choice", "changes": [
        {"file": "a.net", "line": 2, "column": 9, "end_line": 2, "end_column": 12, "replacement": "bid"}]}]
  })"));
}

TEST(DiagnosticJson, IsAnEmptyListForACleanFile) {
  const Parsed parsed = parse_case("examples/mnist_mlp.net");
  EXPECT_EQ(nlohmann::json::parse(to_json(*parsed.diagnostics)), nlohmann::json::array());
}

TEST(DiagnosticJson, IsValidForWhateverBytes) {
  const Parsed parsed = parse_text(std::string("const a = \"\xFF\x00\"", 14), "\xFE.net");
  const nlohmann::json all = nlohmann::json::parse(to_json(*parsed.diagnostics));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0]["code"], "N0119");
}

// The edits of every bad file, applied by line and column as an editor would, are what the printer shows.
TEST(DiagnosticJson, PlacesAgreeWithTheText) {
  for (const std::string& file : case_files("bad")) {
    const Parsed parsed = parse_case(file);
    const nlohmann::json all = nlohmann::json::parse(to_json(*parsed.diagnostics));
    const std::vector<const Diagnostic*> records = parsed.diagnostics->sorted();
    ASSERT_EQ(all.size(), records.size());
    for (size_t i = 0; i < records.size(); ++i) {
      const Position at = parsed.sources->position(records[i]->span.file, records[i]->span.begin);
      EXPECT_EQ(all[i]["line"], at.line) << file;
      EXPECT_EQ(all[i]["column"], at.column) << file;
      EXPECT_EQ(all[i]["code"], code_name(records[i]->code)) << file;
    }
  }
}

}  // namespace
}  // namespace netc::test
