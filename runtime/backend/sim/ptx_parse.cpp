#include "runtime/backend/sim/ptx_parse.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "runtime/backend/sim/kernel_builder.h"
#include "runtime/backend/sim/ptx_instruction.h"
#include "runtime/backend/sim/ptx_operands.h"
#include "runtime/backend/sim/ptx_tokens.h"

namespace netc::sim {
namespace {

constexpr uint32_t kSharedGap = 128;   // between shared variables: nobody's, so that an overrun is seen

uint64_t aligned(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

uint8_t declared_bytes(std::string_view type, uint32_t line) {
  static const std::map<std::string_view, uint8_t> kBytes = {
      {".pred", 0}, {".b8", 1},  {".u8", 1},  {".s8", 1},   {".b16", 2}, {".u16", 2}, {".s16", 2}, {".f16", 2},
      {".bf16", 2}, {".b32", 4}, {".u32", 4}, {".s32", 4},  {".f32", 4}, {".f16x2", 4}, {".bf16x2", 4},
      {".b64", 8},  {".u64", 8}, {".s64", 8}, {".f64", 8}};
  const auto found = kBytes.find(type);
  if (found == kBytes.end()) refuse_ptx(line, "unknown type " + std::string(type));
  return found->second;
}

// A variable or parameter: ".align 4 .b8 name[16]".
struct Variable {
  std::string_view name;
  uint64_t bytes = 0, alignment = 1;
  uint8_t element_bytes = 0;
};

Variable parse_variable(Cursor& cursor) {
  Variable variable;
  uint64_t alignment = 0, vector = 1;
  uint8_t element = 0;
  while (cursor.here().kind == Token::Kind::word && cursor.here().text[0] == '.') {
    const Token word = cursor.take();
    if (word.is(".align"))
      alignment = static_cast<uint64_t>(cursor.integer());
    else if (word.is(".v2") || word.is(".v4"))
      vector = static_cast<uint64_t>(word.text[2] - '0');
    else if (word.is(".ptr"))
      alignment = 0;   // what follows describes the pointee
    else if (!word.is(".global") && !word.is(".const") && !word.is(".shared") && !word.is(".local"))
      element = declared_bytes(word.text, word.line);
  }
  const Token name = cursor.take();
  if (name.kind != Token::Kind::word || element == 0)
    refuse_ptx(name.line, "expected a variable at \"" + std::string(name.text) + "\"");
  uint64_t count = vector;
  while (cursor.take_if("[")) {
    count *= cursor.here().is("]") ? 0 : static_cast<uint64_t>(cursor.integer());
    cursor.expect("]");
  }
  return {name.text, count * element, std::max<uint64_t>(alignment, element * vector), element};
}

class ModuleParser {
 public:
  explicit ModuleParser(const std::vector<Token>& tokens) : cursor_(tokens) {}

  Module parse() {
    while (!cursor_.is_at_end()) top_level();
    return std::move(module_);
  }

 private:
  void top_level() {
    const Token word = cursor_.take();
    if (word.is(".version") || word.is(".address_size")) return cursor_.skip_line();
    if (word.is(".target")) {
      module_.target = std::string(cursor_.take().text);
      return cursor_.skip_line();
    }
    if (word.is(".file")) return file();
    if (word.is(".section")) {
      while (!cursor_.here().is("{") && !cursor_.is_at_end()) cursor_.take();
      return cursor_.skip_braces();
    }
    if (word.is(".visible") || word.is(".weak") || word.is(".extern") || word.is(".common")) return;
    if (word.is(".entry")) return kernel();
    if (word.is(".func")) return skip_function();
    if (word.is(".shared")) {
      const Variable variable = parse_variable(cursor_);
      module_shared_.push_back(variable);
      return cursor_.expect(";");
    }
    if (word.is(".global") || word.is(".const")) return data(parse_variable(cursor_));
    if (word.is(";")) return;
    refuse_ptx(word.line, "unknown directive " + std::string(word.text));
  }

  void file() {
    const size_t number = static_cast<size_t>(cursor_.integer());
    const Token name = cursor_.take();
    if (module_.files.size() <= number) module_.files.resize(number + 1);
    module_.files[number] = std::string(name.text);
    cursor_.skip_line();
  }

  // Functions that NVRTC did not inline: their calls are refused where they stand.
  void skip_function() {
    while (!cursor_.here().is("{") && !cursor_.here().is(";") && !cursor_.is_at_end()) cursor_.take();
    if (cursor_.here().is("{")) cursor_.skip_braces();
  }

  void data(const Variable& variable) {
    const uint64_t offset = aligned(module_.data.size(), std::max<uint64_t>(variable.alignment, 16));
    module_.data.resize(offset + variable.bytes, 0);
    symbols_[std::string(variable.name)] = {Space::module_data, kModuleTag << kSpaceShift | offset};
    if (cursor_.take_if("=")) {
      uint64_t at = offset;
      initial_value(variable, at);
    }
    cursor_.expect(";");
  }

  void initial_value(const Variable& variable, uint64_t& at) {
    if (cursor_.take_if("{")) {
      do initial_value(variable, at);
      while (cursor_.take_if(","));
      return cursor_.expect("}");
    }
    const bool is_negative = cursor_.take_if("-");
    const Token number = cursor_.take();
    if (number.kind != Token::Kind::number)
      refuse_ptx(number.line, "initial values must be numbers, not " + std::string(number.text));
    const Literal literal = parse_literal(number.text, is_negative, number.line);
    if (at + variable.element_bytes > module_.data.size()) refuse_ptx(number.line, "too many initial values");
    std::memcpy(module_.data.data() + at, &literal.bits, variable.element_bytes);
    at += variable.element_bytes;
  }

  // --- kernels

  void kernel() {
    module_.kernels.emplace_back();
    Kernel& kernel = module_.kernels.back();
    kernel.name = std::string(cursor_.take().text);
    KernelBuilder builder(kernel, symbols_);
    if (cursor_.take_if("(")) {
      while (!cursor_.here().is(")")) parameter(builder);
      cursor_.expect(")");
    }
    while (!cursor_.here().is("{")) {
      const Token directive = cursor_.take();
      if (directive.is(";") || directive.kind == Token::Kind::end)
        return module_.kernels.pop_back();   // a declaration
      if (directive.is(".maxntid") || directive.is(".reqntid")) {
        kernel.max_threads = static_cast<uint32_t>(cursor_.integer());
        while (cursor_.take_if(",")) kernel.max_threads *= static_cast<uint32_t>(cursor_.integer());
      }
    }
    lay_out_shared(builder);
    cursor_.expect("{");
    origins_.clear();
    place_ = {};
    statements(builder);
    Instruction end;   // control that runs off the end returns
    end.op = 0;
    end.control = Control::exit;
    kernel.code.push_back(end);
    kernel.places.push_back(place_);
    builder.resolve_labels();
    if (kernel.constants.empty()) builder.constant32(0);
  }

  void parameter(KernelBuilder& builder) {
    cursor_.expect(".param");
    const Variable variable = parse_variable(cursor_);
    Kernel& kernel = builder.kernel;
    const uint32_t offset = static_cast<uint32_t>(aligned(kernel.parameter_bytes, variable.alignment));
    kernel.parameters.push_back({std::string(variable.name), offset, static_cast<uint32_t>(variable.bytes)});
    kernel.parameter_bytes = offset + static_cast<uint32_t>(variable.bytes);
    builder.add_symbol(variable.name, {Space::param, offset});
    cursor_.take_if(",");
  }

  // Shared variables get their places before the body is read, since dynamic memory comes after all others.
  void lay_out_shared(KernelBuilder& builder) {
    const size_t start = cursor_.position();
    std::vector<Variable> own;
    std::set<std::string_view> used;
    int depth = 0;
    do {
      const Token token = cursor_.take();
      if (token.is("{")) ++depth;
      if (token.is("}")) --depth;
      if (token.kind == Token::Kind::word) used.insert(token.text);
      if (token.is(".shared")) own.push_back(parse_variable(cursor_));
    } while (depth > 0 && !cursor_.is_at_end());
    cursor_.move_to(start);
    for (const Variable& variable : module_shared_)
      if (used.count(variable.name)) own.push_back(variable);

    Kernel& kernel = builder.kernel;
    uint64_t extent = 0, counted = 0;
    for (const Variable& variable : own) {
      if (variable.bytes == 0) continue;
      const uint64_t offset = aligned(extent, std::max<uint64_t>(variable.alignment, 16));
      kernel.shared.push_back(
          {std::string(variable.name), static_cast<uint32_t>(offset), static_cast<uint32_t>(variable.bytes), false});
      builder.add_symbol(variable.name, {Space::shared, offset});
      extent = offset + variable.bytes + kSharedGap;
      counted = aligned(counted, variable.alignment) + variable.bytes;
    }
    kernel.static_shared_bytes = static_cast<uint32_t>(counted);
    kernel.shared_extent = static_cast<uint32_t>(aligned(extent, 128));
    for (const Variable& variable : own) {
      if (variable.bytes != 0) continue;
      if (kernel.shared.empty() || !kernel.shared.back().is_dynamic)
        kernel.shared.push_back({std::string(variable.name), kernel.shared_extent, 0, true});
      builder.add_symbol(variable.name, {Space::shared, kernel.shared_extent});
    }
  }

  // Up to the brace that closes what is open.
  void statements(KernelBuilder& builder) {
    while (!cursor_.take_if("}")) {
      if (cursor_.is_at_end()) refuse_ptx(cursor_.here().line, "a kernel has no end");
      if (cursor_.take_if("{")) {
        builder.open_scope();
        statements(builder);
        builder.close_scope();
        continue;
      }
      statement(builder);
    }
  }

  void statement(KernelBuilder& builder) {
    const Token word = cursor_.take();
    if (word.is(";")) return;
    if (word.is(".reg")) return registers(builder);
    if (word.is(".shared")) return parse_variable(cursor_), cursor_.expect(";");   // has its place already
    if (word.is(".local")) return local_variable(builder);
    if (word.is(".loc")) return source_line(word.line);
    if (word.is(".file")) return file();
    if (word.is(".pragma")) {
      while (!cursor_.take_if(";")) cursor_.take();
      return;
    }
    if (word.kind == Token::Kind::word && cursor_.here().is(":")) {
      cursor_.take();
      if (cursor_.here().is(".branchtargets")) return branch_table(builder, word.text);
      return builder.define_label(word.text, word.line);
    }
    Instruction instruction;
    Token opcode = word;
    if (word.is("@")) {
      const bool is_negated = cursor_.take_if("!");
      const Token guard = cursor_.take();
      const Register* predicate = builder.find_register(guard.text);
      if (!predicate || predicate->bytes != 0) refuse_ptx(guard.line, "the guard is no predicate");
      instruction.guard = is_negated ? ~predicate->operand : predicate->operand;
      opcode = cursor_.take();
    }
    if (opcode.kind != Token::Kind::word || opcode.text[0] == '.' || opcode.text[0] == '%')
      refuse_ptx(opcode.line, "unknown statement " + std::string(opcode.text));
    place_.ptx_line = opcode.line;
    parse_instruction(opcode.text, opcode.line, cursor_, builder, instruction, place_);
  }

  void registers(KernelBuilder& builder) {
    const Token type = cursor_.take();
    uint8_t bytes = declared_bytes(type.text, type.line);
    if (bytes == 1) bytes = 2;
    do {
      const Token name = cursor_.take();
      uint32_t count = 0;
      if (cursor_.take_if("<")) {
        count = static_cast<uint32_t>(cursor_.integer());
        cursor_.expect(">");
        if (count == 0) continue;
      }
      builder.declare(name.text, bytes, count);
    } while (cursor_.take_if(","));
    cursor_.expect(";");
  }

  void local_variable(KernelBuilder& builder) {
    const Variable variable = parse_variable(cursor_);
    cursor_.expect(";");
    Kernel& kernel = builder.kernel;
    const uint32_t offset =
        static_cast<uint32_t>(aligned(kernel.local_bytes, std::max<uint64_t>(variable.alignment, 16)));
    kernel.local_bytes = offset + static_cast<uint32_t>(variable.bytes);
    builder.add_symbol(variable.name, {Space::local, offset});
  }

  void branch_table(KernelBuilder& builder, std::string_view name) {
    cursor_.expect(".branchtargets");
    std::vector<std::string_view> labels;
    do labels.push_back(cursor_.take().text);
    while (cursor_.take_if(","));
    cursor_.expect(";");
    builder.define_table(name, std::move(labels));
  }

  // ".loc 4 2604 5, function_name x, inlined_at 1 13 3": of an inlined function the line that called it counts, which
  // an earlier .loc has described in the same way.
  void source_line(uint32_t ptx_line) {
    const auto triple = [&] {
      const uint32_t in_file = static_cast<uint32_t>(cursor_.integer()),
                     line = static_cast<uint32_t>(cursor_.integer());
      const uint32_t column = cursor_.here().kind == Token::Kind::number && cursor_.here().line == ptx_line
                                  ? static_cast<uint32_t>(cursor_.integer()) : 0;
      return std::tuple(in_file, line, column);
    };
    const auto at = triple();
    auto origin = at;
    while (!cursor_.is_at_end() && cursor_.here().line == ptx_line) {
      if (!cursor_.take().is("inlined_at")) continue;
      origin = triple();
      if (const auto known = origins_.find(origin); known != origins_.end()) origin = known->second;
    }
    origins_[at] = origin;
    place_.file = std::get<0>(origin);
    place_.line = std::get<1>(origin);
  }

  Cursor cursor_;
  Module module_;
  std::map<std::string, Symbol, std::less<>> symbols_;
  std::vector<Variable> module_shared_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::tuple<uint32_t, uint32_t, uint32_t>> origins_;
  SourcePlace place_;
};

}  // namespace

Module parse_ptx(std::string_view text) {
  const std::vector<Token> tokens = tokenize_ptx(text);
  return ModuleParser(tokens).parse();
}

}  // namespace netc::sim
