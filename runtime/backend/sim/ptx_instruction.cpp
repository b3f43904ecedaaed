#include "runtime/backend/sim/ptx_instruction.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "runtime/backend/sim/opcode_table.h"
#include "runtime/backend/sim/special_registers.h"

namespace netc::sim {
namespace {

using Modifiers = std::vector<std::string_view>;

template <class T>
struct Named {
  std::string_view name;
  T value;
};

template <class T, size_t kCount>
std::optional<T> lookup(const Named<T> (&table)[kCount], std::string_view name) {
  for (const auto& entry : table)
    if (entry.name == name) return entry.value;
  return std::nullopt;
}

constexpr Named<Rounding> kRoundings[] = {
    {"rn", Rounding::nearest}, {"rz", Rounding::zero}, {"rm", Rounding::down}, {"rp", Rounding::up}};
constexpr Named<Rounding> kWholeRoundings[] = {
    {"rni", Rounding::nearest}, {"rzi", Rounding::zero}, {"rmi", Rounding::down}, {"rpi", Rounding::up}};
constexpr Named<Compare> kCompares[] = {
    {"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},   {"le", Compare::le},   {"gt", Compare::gt},
    {"ge", Compare::ge},   {"lo", Compare::lt},   {"ls", Compare::le},   {"hi", Compare::gt},   {"hs", Compare::ge},
    {"equ", Compare::equ}, {"neu", Compare::neu}, {"ltu", Compare::ltu}, {"leu", Compare::leu}, {"gtu", Compare::gtu},
    {"geu", Compare::geu}, {"num", Compare::num}, {"nan", Compare::nan}};
constexpr Named<Combine> kCombines[] = {{"and", Combine::all_of}, {"or", Combine::any_of}, {"xor", Combine::differ}};
constexpr Named<Space> kSpaces[] = {
    {"global", Space::global}, {"shared", Space::shared},     {"shared::cta", Space::shared},  {"local", Space::local},
    {"param", Space::param},   {"param::entry", Space::param}, {"const", Space::module_data}};
constexpr Named<Atomic> kAtomics[] = {
    {"add", Atomic::add},     {"min", Atomic::min},         {"max", Atomic::max},          {"inc", Atomic::inc},
    {"dec", Atomic::dec},     {"exch", Atomic::exchange},   {"cas", Atomic::compare_swap}, {"and", Atomic::bit_and},
    {"or", Atomic::bit_or},   {"xor", Atomic::bit_xor}};
constexpr Named<ShuffleKind> kShuffles[] = {{"up", ShuffleKind::up},
                                            {"down", ShuffleKind::down},
                                            {"bfly", ShuffleKind::butterfly},
                                            {"idx", ShuffleKind::index}};
constexpr Named<VoteKind> kVotes[] = {{"all", VoteKind::all}, {"any", VoteKind::any}, {"uni", VoteKind::uniform}};
constexpr Named<SpecialRegister> kSpecialRegisters[] = {
    {"%tid.x", SpecialRegister::tid_x},
    {"%tid.y", SpecialRegister::tid_y},
    {"%tid.z", SpecialRegister::tid_z},
    {"%ntid.x", SpecialRegister::ntid_x},
    {"%ntid.y", SpecialRegister::ntid_y},
    {"%ntid.z", SpecialRegister::ntid_z},
    {"%ctaid.x", SpecialRegister::ctaid_x},
    {"%ctaid.y", SpecialRegister::ctaid_y},
    {"%ctaid.z", SpecialRegister::ctaid_z},
    {"%nctaid.x", SpecialRegister::nctaid_x},
    {"%nctaid.y", SpecialRegister::nctaid_y},
    {"%nctaid.z", SpecialRegister::nctaid_z},
    {"%laneid", SpecialRegister::laneid},
    {"%warpid", SpecialRegister::warpid},
    {"%nwarpid", SpecialRegister::nwarpid},
    {"%lanemask_eq", SpecialRegister::lanemask_eq},
    {"%lanemask_lt", SpecialRegister::lanemask_lt},
    {"%lanemask_le", SpecialRegister::lanemask_le},
    {"%lanemask_gt", SpecialRegister::lanemask_gt},
    {"%lanemask_ge", SpecialRegister::lanemask_ge},
    {"%clock", SpecialRegister::clock},
    {"%clock64", SpecialRegister::clock64},
    {"%globaltimer", SpecialRegister::clock64},
    {"%dynamic_smem_size", SpecialRegister::dynamic_smem_size},
    {"%total_smem_size", SpecialRegister::total_smem_size},
    {"%smid", SpecialRegister::zero},
    {"%gridid", SpecialRegister::zero}};

// "b32" -> 4; 0: no type.
uint8_t type_bytes(std::string_view type) {
  constexpr Named<uint8_t> kTypes[] = {{"b8", 1},  {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2}, {"s16", 2},
                                       {"f16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4}, {"b64", 8},
                                       {"u64", 8}, {"s64", 8}, {"f64", 8}};
  return lookup(kTypes, type).value_or(uint8_t{0});
}

class InstructionParser {
 public:
  InstructionParser(std::string_view opcode, uint32_t line, Cursor& cursor, KernelBuilder& builder,
                    Instruction instruction, const SourcePlace& place)
      : opcode_(opcode), line_(line), builder_(builder), out_(instruction), place_(place) {
    for (size_t begin = 0; begin <= opcode.size();) {
      const size_t end = std::min(opcode.find('.', begin), opcode.size());
      if (begin == 0)
        base_ = opcode.substr(0, end);
      else
        modifiers_.push_back(opcode.substr(begin, end - begin));
      begin = end + 1;
    }
    if (base_ == "call")
      refuse("calls are not simulated: every function of a generated kernel is inlined");
    operands_ = parse_operands(cursor, builder);
  }

  void parse() {
    if (base_ == "ld" || base_ == "st") return memory();
    if (base_ == "atom" || base_ == "red") return atomic();
    if (base_ == "mov" && modifiers_.size() == 1 && modifiers_[0] != "pred") return move();
    if (base_ == "cvta") return convert_address();
    if (base_ == "bra") return branch();
    if (base_ == "brx") return branch_by_table();
    if (base_ == "ret" || base_ == "exit") return control(Control::exit);
    if (base_ == "trap") return control(Control::trap);
    if ((base_ == "bar" && (modifiers_.empty() || modifiers_[0] != "warp")) || base_ == "barrier") return barrier();
    if (base_ == "bar" || base_ == "shfl" || base_ == "vote" || base_ == "match" || base_ == "redux")
      return warp_operation();
    if (base_ == "lop3") return three_input_logic();
    if (base_ == "membar" || base_ == "fence") return take_row(std::string(opcode_)), emit();
    if (base_ == "prefetch" || base_ == "prefetchu" || base_ == "nanosleep") return take_row("prefetch"), emit();
    ordinary();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    refuse_ptx(line_, why + " (" + std::string(opcode_) + ")");
  }
  [[noreturn]] void refuse_unknown() const { refuse_ptx(line_, "unknown instruction " + std::string(opcode_)); }

  const OpcodeRow& take_row(std::string_view key) {
    const OpcodeRow* row = find_opcode(key);
    if (!row) refuse_unknown();
    out_.op = row->op;
    out_.flops = row->flops;
    return *row;
  }

  void emit() {
    builder_.kernel.code.push_back(out_);
    builder_.kernel.places.push_back(place_);
  }

  void want_operands(size_t count) const {
    if (operands_.size() != count)
      refuse("takes " + std::to_string(count) + " operands, not " + std::to_string(operands_.size()));
  }

  // --- operands as the instruction wants them

  int32_t predicate(const Operand& from, bool is_result = false) const {
    if (from.kind == Operand::Kind::nothing && is_result) return scratch(0);
    if (from.kind == Operand::Kind::literal && !is_result) return from.literal.bits != 0 ? 1 : 0;
    if (from.kind != Operand::Kind::reg || from.reg.bytes != 0 || (is_result && from.is_negated))
      refuse("expected a predicate");
    return from.is_negated ? ~from.reg.operand : from.reg.operand;
  }

  uint64_t literal_bits(const Literal& literal, uint32_t bytes) const {
    if (literal.kind == Literal::Kind::f64_bits && bytes == 4) {
      double value;
      std::memcpy(&value, &literal.bits, sizeof value);
      const float narrow = static_cast<float>(value);
      uint32_t bits;
      std::memcpy(&bits, &narrow, sizeof bits);
      return bits;
    }
    if ((literal.kind == Literal::Kind::f32_bits && bytes != 4) ||
        (literal.kind == Literal::Kind::f64_bits && bytes != 8))
      refuse("a literal has the wrong width");
    return literal.bits;
  }

  int32_t constant(uint64_t bits, uint32_t bytes) const {
    if (bytes == 8) return builder_.constant64(bits);
    return builder_.constant32(bytes == 2 ? static_cast<uint32_t>(bits) & 0xFFFFu : static_cast<uint32_t>(bits));
  }

  const Symbol& symbol(std::string_view name) const {
    const Symbol* found = builder_.find_symbol(name);
    if (!found) refuse("unknown name " + std::string(name));
    return *found;
  }

  int32_t source(const Operand& from, uint32_t bytes) const {
    switch (from.kind) {
      case Operand::Kind::literal: return constant(literal_bits(from.literal, bytes), bytes);
      case Operand::Kind::name:
        return constant(symbol(from.name).value + static_cast<uint64_t>(from.offset), bytes);
      case Operand::Kind::reg:
        if (from.reg.bytes != bytes || from.is_negated) refuse("a register has the wrong width");
        return from.reg.operand;
      default: refuse("unexpected operand");
    }
  }

  int32_t result(const Operand& to, uint32_t bytes) const {
    if (to.kind == Operand::Kind::nothing) return scratch(bytes);
    if (to.kind != Operand::Kind::reg || to.reg.bytes != bytes) refuse("a result register has the wrong width");
    return to.reg.operand;
  }

  // A row for results that nobody wants.
  int32_t scratch(uint32_t bytes) const {
    const char* name = bytes == 0 ? "%netc_unused_p" : bytes == 8 ? "%netc_unused_l" : "%netc_unused_i";
    if (!builder_.find_register(name)) builder_.declare(name, bytes == 0 ? 0 : bytes == 8 ? 8 : 4, 0);
    return builder_.find_register(name)->operand;
  }

  // --- instructions described by their row

  void ordinary() {
    std::string key(base_);
    std::string seen;   // letters of the modifiers that are no part of the key
    bool has_combine = false;
    const bool is_comparison = base_ == "setp" || base_ == "set";
    for (const std::string_view m : modifiers_) {
      if (const auto how = lookup(kRoundings, m)) {
        out_.rounding = *how;
        seen += 'r';
      } else if (const auto whole = lookup(kWholeRoundings, m)) {
        out_.rounding = *whole;
        out_.flags |= kToInteger;
        seen += 'n';
      } else if (m == "ftz") {
        out_.flags |= kFlushSubnormals;
        seen += 'f';
      } else if (m == "sat") {
        out_.flags |= kSaturate;
        seen += 's';
      } else if (m == "NaN") {
        out_.flags |= kNanWins;
        seen += 'N';
      } else if (m == "approx" || m == "full") {
        seen += 'x';
      } else if (const auto compare = lookup(kCompares, m); compare && is_comparison) {
        out_.mode = static_cast<uint8_t>(*compare);
        seen += 'c';
      } else if (const auto combine = lookup(kCombines, m); combine && base_ == "setp") {
        out_.combine = *combine;
        has_combine = true;
      } else {
        key += '.';
        key += m;
      }
    }
    const OpcodeRow& row = take_row(key);
    for (const char letter : seen)
      if (!row.is_accepting(letter)) refuse_unknown();
    if (row.is_accepting('c') != (seen.find('c') != std::string::npos)) refuse_unknown();
    if (row.operands.empty()) {
      want_operands(0);
      return emit();
    }
    want_operands(row.operands.size() + has_combine);
    for (size_t k = 0; k < row.operands.size(); ++k) place_operand(k, row.operands[k]);
    if (has_combine) out_.c = predicate(operands_.back());
    if (!operands_[0].second.empty()) {
      if (base_ != "setp") refuse("unexpected second result");
      out_.d2 = predicate(operands_[0].second[0], true);
    }
    emit();
  }

  void place_operand(size_t k, char letter) {
    int32_t* const slots[] = {&out_.d, &out_.a, &out_.b, &out_.c, &out_.e};
    const Operand& operand = operands_[k];
    int32_t& slot = *slots[k];
    if (letter == 'p') {
      slot = predicate(operand, k == 0);
    } else if (letter == 'I') {
      slot = k == 0 ? narrow_result(operand) : narrow_source(operand);
    } else {
      const uint32_t bytes = letter == 'h' ? 2 : letter == 'l' || letter == 'd' ? 8 : 4;
      slot = k == 0 ? result(operand, bytes) : source(operand, bytes);
    }
  }

  int32_t narrow_result(const Operand& to) const {
    if (to.kind != Operand::Kind::reg || (to.reg.bytes != 2 && to.reg.bytes != 4))
      refuse("a result register has the wrong width");
    return to.reg.operand;
  }

  int32_t narrow_source(const Operand& from) {
    if (from.kind != Operand::Kind::reg) return source(from, 4);
    if (from.reg.bytes == 0) refuse("a register has the wrong width");
    if (from.reg.bytes == 8) out_.flags |= kWideSource;
    return from.reg.operand;
  }

  void three_input_logic() {
    take_row(opcode_);
    want_operands(5);
    out_.d = result(operands_[0], 4);
    out_.a = source(operands_[1], 4);
    out_.b = source(operands_[2], 4);
    out_.c = source(operands_[3], 4);
    if (operands_[4].kind != Operand::Kind::literal) refuse("the table of lop3 is a literal");
    out_.immediate = static_cast<int64_t>(operands_[4].literal.bits);
    emit();
  }

  // --- moves

  void move() {
    want_operands(2);
    const uint8_t bytes = type_bytes(modifiers_[0]);
    if (bytes < 2) refuse_unknown();
    const Operand &to = operands_[0], &from = operands_[1];
    out_.lane_bytes = bytes == 8 ? 8 : 4;
    if (to.kind == Operand::Kind::list) return take_apart(to, from, bytes);
    if (from.kind == Operand::Kind::list) return put_together(to, from, bytes);
    if (from.kind == Operand::Kind::name) {
      if (const auto special = lookup(kSpecialRegisters, from.name)) {
        take_row("internal.special");
        out_.mode = static_cast<uint8_t>(*special);
        out_.d = result(to, bytes);
        return emit();
      }
      if (from.name[0] == '%') refuse("unknown register " + std::string(from.name));
    }
    take_row(opcode_);
    out_.d = result(to, bytes);
    out_.a = source(from, bytes);
    emit();
  }

  void take_apart(const Operand& to, const Operand& from, uint32_t bytes) {
    take_row("internal.unpack");
    set_parts(to, bytes);
    out_.a = source(from, bytes);
    for (const Operand& part : to.parts)
      builder_.kernel.lists.push_back(part.kind == Operand::Kind::nothing ? kNoOperand
                                                                          : result(part, out_.element_bytes));
    emit();
  }

  void put_together(const Operand& to, const Operand& from, uint32_t bytes) {
    take_row("internal.pack");
    set_parts(from, bytes);
    out_.d = result(to, bytes);
    std::vector<int32_t> parts;
    for (const Operand& part : from.parts) parts.push_back(source(part, out_.element_bytes));
    builder_.kernel.lists.insert(builder_.kernel.lists.end(), parts.begin(), parts.end());
    emit();
  }

  void set_parts(const Operand& list, uint32_t bytes) {
    out_.list = static_cast<int32_t>(builder_.kernel.lists.size());
    out_.count = static_cast<uint8_t>(list.parts.size());
    if (bytes % out_.count != 0 || bytes / out_.count < 2) refuse("parts of this width are not simulated");
    out_.element_bytes = static_cast<uint8_t>(bytes / out_.count);
  }

  void convert_address() {
    Modifiers rest = modifiers_;
    const bool is_to = !rest.empty() && rest[0] == "to";
    if (is_to) rest.erase(rest.begin());
    if (rest.size() != 2 || rest[1] != "u64") refuse_unknown();
    const auto space = lookup(kSpaces, rest[0]);
    if (!space) refuse_unknown();
    want_operands(2);
    out_.d = result(operands_[0], 8);
    const uint64_t tag = *space == Space::shared  ? kSharedTag << kSpaceShift
                         : *space == Space::local ? kLocalTag << kSpaceShift
                         : *space == Space::param ? kParamTag << kSpaceShift
                                                  : 0;   // global and constant addresses are generic ones
    if (operands_[1].kind == Operand::Kind::reg && operands_[1].reg.bytes == 4) {
      out_.flags |= kAddress32;
      out_.a = source(operands_[1], 4);
    } else {
      out_.a = source(operands_[1], 8);
    }
    out_.immediate = static_cast<int64_t>(is_to ? uint64_t{0} - tag : tag);
    take_row("internal.offset");
    emit();
  }

  // --- memory

  void take_space(Space space) {
    out_.space = space;
    has_space_ = true;
  }

  // True where a modifier only says how far away an access must be seen, or what caches shall do with it.
  bool take_memory_modifier(std::string_view m) {
    if (const auto space = lookup(kSpaces, m)) return take_space(*space), true;
    if (m == "volatile" || m == "relaxed") return out_.flags |= kStrong, true;
    if (m == "acquire") return out_.flags |= kStrong | kAcquire, true;
    if (m == "release") return out_.flags |= kStrong | kRelease, true;
    if (m == "acq_rel") return out_.flags |= kStrong | kAcquire | kRelease, true;
    if (m == "nc") return out_.flags |= kReadOnlyPath, true;
    constexpr std::string_view kHints[] = {"weak", "cta", "cluster", "gpu", "sys", "ca", "cg", "cs",
                                           "lu",   "cv",  "wb",      "wt",  "noftz"};
    return std::find(std::begin(kHints), std::end(kHints), m) != std::end(kHints) || m.substr(0, 4) == "L1::" ||
           m.substr(0, 4) == "L2::";
  }

  void take_address(const Operand& operand) {
    if (operand.kind != Operand::Kind::address) refuse("expected an address");
    out_.immediate = operand.offset;
    if (operand.reg.operand != kNoOperand) {
      if (operand.reg.bytes != 4 && operand.reg.bytes != 8) refuse("an address register has the wrong width");
      if (operand.reg.bytes == 4) out_.flags |= kAddress32;
      out_.a = operand.reg.operand;
      return;
    }
    if (operand.name.empty()) return;
    const Symbol& found = symbol(operand.name);
    out_.immediate += static_cast<int64_t>(found.value);
    if (has_space_ && found.space != out_.space && found.space != Space::module_data)
      refuse("a variable of another space");
    out_.space = found.space;
  }

  // Registers of memory elements: of their width, or wider (a byte in a register of 16 bits).
  int32_t element(const Operand& operand, bool is_result) {
    if (operand.kind == Operand::Kind::nothing && is_result) return kNoOperand;
    if (operand.kind == Operand::Kind::reg) {
      if (operand.reg.bytes < std::min<uint32_t>(out_.element_bytes, 8) || operand.reg.bytes == 0)
        refuse("a register has the wrong width");
      const uint8_t lane_bytes = operand.reg.bytes == 8 ? 8 : 4;
      if (has_lane_bytes_ && lane_bytes != out_.lane_bytes) refuse("registers of different widths");
      out_.lane_bytes = lane_bytes;
      has_lane_bytes_ = true;
      return operand.reg.operand;
    }
    if (is_result) refuse("expected a register");
    const uint8_t lane_bytes = out_.element_bytes == 8 ? 8 : 4;
    if (has_lane_bytes_ && lane_bytes != out_.lane_bytes) refuse("registers of different widths");
    out_.lane_bytes = lane_bytes;
    has_lane_bytes_ = true;
    return source(operand, std::max<uint32_t>(out_.element_bytes, 2));
  }

  void memory() {
    const bool is_load = base_ == "ld";
    for (const std::string_view m : modifiers_) {
      if (m == "v2" || m == "v4" || m == "v8") {
        out_.count = static_cast<uint8_t>(m[1] - '0');
      } else if (const uint8_t bytes = type_bytes(m); bytes > 0) {
        out_.element_bytes = bytes;
        if (m[0] == 's' && bytes < 8) out_.flags |= kSignExtend;
      } else if (!take_memory_modifier(m)) {
        refuse_unknown();
      }
    }
    if (out_.element_bytes == 0 || out_.element_bytes * out_.count > 32) refuse_unknown();
    take_row(base_);
    want_operands(2);
    take_address(operands_[is_load ? 1 : 0]);
    const Operand& values = operands_[is_load ? 0 : 1];
    if (out_.count == 1) {
      const int32_t operand = element(values, is_load);
      (is_load ? out_.d : out_.b) = operand == kNoOperand ? scratch(out_.element_bytes) : operand;
    } else {
      if (values.kind != Operand::Kind::list || values.parts.size() != out_.count)
        refuse("expected a list of registers");
      std::vector<int32_t> parts;
      for (const Operand& part : values.parts) parts.push_back(element(part, is_load));
      out_.list = static_cast<int32_t>(builder_.kernel.lists.size());
      builder_.kernel.lists.insert(builder_.kernel.lists.end(), parts.begin(), parts.end());
    }
    emit();
  }

  void atomic() {
    const bool has_result = base_ == "atom";
    std::string type;
    std::optional<Atomic> how;
    for (const std::string_view m : modifiers_) {
      if (const auto found = lookup(kAtomics, m); found && !how)
        how = *found;
      else if (m == modifiers_.back())
        type = m;
      else if (!take_memory_modifier(m))
        refuse_unknown();
    }
    if (!how) refuse_unknown();
    if (type[0] == 'f' && *how != Atomic::add) refuse_unknown();
    if (type.substr(0, 4) == "bf16" && *how != Atomic::add) refuse_unknown();
    take_row(std::string(base_) + "." + type);
    out_.flags |= kStrong;
    out_.mode = static_cast<uint8_t>(*how);
    const bool is_half = type == "b16" || type == "f16" || type == "bf16";
    if (type == "b16" && *how != Atomic::compare_swap && *how != Atomic::exchange) refuse_unknown();
    out_.element_bytes = is_half ? 2 : type.size() > 2 && type.substr(type.size() - 2) == "64" ? 8 : 4;
    out_.lane_bytes = is_half ? 4 : out_.element_bytes;
    want_operands((has_result ? 3u : 2u) + (*how == Atomic::compare_swap));
    size_t k = 0;
    if (has_result) out_.d = result(operands_[k++], out_.element_bytes);
    take_address(operands_[k++]);
    out_.b = source(operands_[k++], out_.element_bytes);
    if (*how == Atomic::compare_swap) out_.c = source(operands_[k], out_.element_bytes);
    emit();
  }

  // --- control

  void control(Control how) {
    take_row(base_);
    want_operands(0);
    out_.control = how;
    emit();
  }

  void branch() {
    take_row(opcode_);
    want_operands(1);
    if (operands_[0].kind != Operand::Kind::name) refuse("expected a label");
    out_.control = Control::branch;
    builder_.branch_to(operands_[0].name, line_);
    emit();
  }

  void branch_by_table() {
    take_row("brx.idx");
    want_operands(2);
    out_.control = Control::branch_table;
    out_.a = source(operands_[0], 4);
    builder_.branch_by(operands_[1].name, line_);
    emit();
  }

  void barrier() {
    Modifiers rest;
    for (const std::string_view m : modifiers_)
      if (m != "cta" && m != "aligned") rest.push_back(m);
    if (rest.empty() || (rest[0] != "sync" && rest[0] != "red")) refuse_unknown();
    take_row(std::string(base_) + "." + std::string(rest[0]));
    out_.control = Control::barrier;
    size_t first = 0, last = operands_.size();
    if (rest[0] == "red") {
      if (rest.size() != 3 || operands_.size() < 3) refuse_unknown();
      const auto combine = lookup(kCombines, rest[1]);
      if ((rest[1] == "popc") != (rest[2] == "u32") || (rest[1] != "popc" && !combine)) refuse_unknown();
      out_.combine = combine.value_or(Combine::none);
      out_.d = rest[1] == "popc" ? result(operands_[0], 4) : predicate(operands_[0], true);
      out_.c = predicate(operands_.back());
      first = 1;
      --last;
    } else if (rest.size() != 1) {
      refuse_unknown();
    }
    if (last - first < 1 || last - first > 2) refuse("expected a barrier and perhaps a count");
    out_.a = source(operands_[first], 4);
    if (last - first == 2) out_.b = source(operands_[first + 1], 4);
    emit();
  }

  // All of them name their lanes in the last operand.
  void warp_operation() {
    take_row(opcode_);
    out_.control = Control::warp_sync;
    if (operands_.empty()) refuse("expected a mask");
    out_.e = source(operands_.back(), 4);
    if (base_ == "bar") {
      want_operands(1);
    } else if (base_ == "shfl") {
      want_operands(5);
      out_.mode = static_cast<uint8_t>(*lookup(kShuffles, modifiers_[1]));
      out_.d = result(operands_[0], 4);
      if (!operands_[0].second.empty()) out_.d2 = predicate(operands_[0].second[0], true);
      out_.a = source(operands_[1], 4);
      out_.b = source(operands_[2], 4);
      out_.c = source(operands_[3], 4);
    } else if (base_ == "vote") {
      want_operands(3);
      const bool is_ballot = modifiers_[1] == "ballot";
      if (!is_ballot) out_.mode = static_cast<uint8_t>(*lookup(kVotes, modifiers_[1]));
      out_.d = is_ballot ? result(operands_[0], 4) : predicate(operands_[0], true);
      out_.a = predicate(operands_[1]);
    } else if (base_ == "match") {
      want_operands(3);
      out_.d = result(operands_[0], 4);
      if (!operands_[0].second.empty()) out_.d2 = predicate(operands_[0].second[0], true);
      out_.a = source(operands_[1], modifiers_.back() == "b64" ? 8 : 4);
    } else {
      want_operands(3);
      out_.mode = static_cast<uint8_t>(*lookup(kAtomics, modifiers_[1]));
      out_.d = result(operands_[0], 4);
      out_.a = source(operands_[1], 4);
    }
    emit();
  }

  std::string_view opcode_;
  uint32_t line_;
  KernelBuilder& builder_;
  Instruction out_;
  SourcePlace place_;
  std::string_view base_;
  Modifiers modifiers_;
  std::vector<Operand> operands_;
  bool has_space_ = false, has_lane_bytes_ = false;
};

}  // namespace

void parse_instruction(std::string_view opcode, uint32_t line, Cursor& cursor, KernelBuilder& builder,
                       Instruction instruction, const SourcePlace& place) {
  InstructionParser(opcode, line, cursor, builder, instruction, place).parse();
}

}  // namespace netc::sim
