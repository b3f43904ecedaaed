#include "compiler/syntax/parse.h"

#include "compiler/base/display_text.h"
#include "compiler/syntax/parse_steps.h"
#include "compiler/syntax/repair.h"

namespace netc {

namespace {

// Where the text begins: behind the byte order mark, of which editors that join files may leave several.
size_t length_of_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  size_t length = 0;
  while (text.substr(length, kMark.size()) == kMark) length += kMark.size();
  return length;
}

// False, with a diagnostic, for bytes that are no text.
bool is_text(FileId file, std::string_view text, Diagnostics& diagnostics) {
  for (size_t i = 0; i < text.size();) {
    size_t length = 1;
    const int32_t c = decode_utf8(text, i, &length);
    if (c <= 0) {
      const auto at = static_cast<uint32_t>(i);
      static constexpr char kHex[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(text[i]);
      diagnostics
          .error(Code::N0119, {file, at, at + 1}, "this is not a text file in UTF-8",
                 std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15])
          .help("is it a model or data file of another kind, or text in another encoding?");
      return false;
    }
    i += length;
  }
  return true;
}

void check_header(const ast::File& file, Diagnostics& diagnostics) {
  if (!file.language || (*file.language >= 1 && *file.language <= kLanguageVersion)) return;
  diagnostics
      .error(Code::N0115, file.language_span,
             "written for language " + std::to_string(*file.language) + ", this netc knows up to " +
                 std::to_string(kLanguageVersion))
      .help("update netc");
}

}  // namespace

ast::File parse(FileId file, const SourceMap& sources, Diagnostics& diagnostics) {
  ast::File out;
  out.id = file;
  const std::string_view text = sources.text(file);
  if (!is_text(file, text, diagnostics)) {
    out.broken = true;
    return out;
  }
  const int errors_before = diagnostics.error_count();
  syntax::TokenList list = syntax::read_tokens(file, text, length_of_mark(text), diagnostics);
  syntax::repair_words(list, diagnostics);
  syntax::repair_brackets(list, diagnostics);
  if (!syntax::nesting_is_sane(list, diagnostics)) {
    out.broken = true;
    return out;
  }
  // A file without mistakes is read in one go.
  const bool untouched = list.damage.empty() && diagnostics.error_count() == errors_before;
  if (!untouched || syntax::read_tree(list, out, diagnostics)) syntax::read_with_repairs(list, out, diagnostics);
  check_header(out, diagnostics);
  if (list.tokens.empty() && diagnostics.error_count() == errors_before) {
    const auto end = static_cast<uint32_t>(text.size());
    diagnostics.error(Code::N0101, {file, end, end}, "expected a declaration, found the end of the file")
        .help("a file holds const, param, data, block, net, train and plan declarations");
  }
  return out;
}

}  // namespace netc
