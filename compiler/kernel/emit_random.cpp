#include "compiler/kernel/emit_random.h"

#include <functional>

namespace netc {
namespace {

std::string number(int64_t n) { return std::to_string(n); }

std::string lane_list(int lanes, const std::function<int(int)>& of) {
  std::string text;
  for (int i = 0; i < lanes; ++i) text += ", " + number(of(i));
  return text;
}

// 32 x 32 -> 64 bits multiplies even lanes only: odd ones are moved beside, and halves sorted afterwards.
std::string rounds(const Target& t) {
  const int lanes = t.lanes;
  const std::string odd_up = lane_list(lanes, [](int i) { return i | 1; });
  const std::string high = lane_list(lanes, [&](int i) { return i % 2 ? lanes + i : i + 1; });
  const std::string low = lane_list(lanes, [&](int i) { return i % 2 ? lanes + i - 1 : i; });
  return "// Philox-4x32-10; counter = (global row, column / 4, stream, update), word = column % 4.\n"
         "INLINE void philox(vu* x, u32 k0, u32 k1) {\n"
         "  vu c0 = x[0], c1 = x[1], c2 = x[2], c3 = x[3];\n"
         "  const vu m0 = splat_u(0xD2511F53u), m1 = splat_u(0xCD9E8D57u);\n"
         "UNROLL(GCC unroll 10)\n"
         "  for (int round = 0; round < 10; ++round) {\n"
         "    const vu e0 = times_even(c0, m0), o0 = times_even(SHUFFLE(c0, c0" + odd_up + "), m0);\n"
         "    const vu e1 = times_even(c2, m1), o1 = times_even(SHUFFLE(c2, c2" + odd_up + "), m1);\n"
         "    c0 = SHUFFLE(e1, o1" + high + ") ^ c1 ^ splat_u(k0);\n"
         "    c2 = SHUFFLE(e0, o0" + high + ") ^ c3 ^ splat_u(k1);\n"
         "    c1 = SHUFFLE(e1, o1" + low + ");\n"
         "    c3 = SHUFFLE(e0, o0" + low + ");\n"
         "    k0 += 0x9E3779B9u;\n"
         "    k1 += 0xBB67AE85u;\n"
         "  }\n"
         "  x[0] = c0; x[1] = c1; x[2] = c2; x[3] = c3;\n"
         "}\n";
}

// Draws with the counters in x and stores the four words of each lane side by side: place(lane) is where.
std::string draw_and_store(const Target& t, const std::function<std::string(int)>& place) {
  std::string text = "    philox(x, batch->seed_low, batch->seed_high);\n"
                     "    vf w[4] = {(vf)x[0], (vf)x[1], (vf)x[2], (vf)x[3]};\n"
                     "    transpose_blocks(w);\n";
  // After the transpose, block b of w[j] holds the words of lane 4 b + j.
  for (int j = 0; j < 4; ++j)
    for (int block = 0; block < t.lanes / 4; ++block) {
      const std::string w = "w[" + number(j) + "]";
      text += "    *(v4_at*)(" + place(4 * block + j) + ") = SHUFFLE(" + w + ", " + w;
      for (int i = 0; i < 4; ++i) text += ", " + number(4 * block + i);
      text += ");\n";
    }
  return text;
}

std::string tile(const Target& t) {
  const int groups = t.panel_columns / 4;        // counters of one row of a tile
  const int rows_a_turn = t.lanes / groups;
  const auto per_lane = [&](const std::function<int(int)>& of) { return "(vu){" + lane_list(t.lanes, of).substr(2) + "}"; };
  return "// Bits of `rows` rows x " + number(t.panel_columns) + " columns from (row, column) on, " + number(rows_a_turn) +
         " rows a turn; column is a multiple of 4.\n"
         "static void random_tile(const struct batch* batch, u32 stream, u32 row, u32 column, i64 rows, u32* to) {\n"
         "  const vu row_of = " + per_lane([&](int i) { return i / groups; }) + ", group_of = " +
         per_lane([&](int i) { return i % groups; }) + ";\n"
         "  for (i64 r = 0; r < rows; r += " + number(rows_a_turn) + ") {\n"
         "    vu x[4] = {splat_u(row + (u32)r) + row_of, splat_u(column / 4) + group_of, splat_u(stream), splat_u(batch->update)};\n" +
         draw_and_store(t, [&](int lane) {
           return "to + (r + " + number(lane / groups) + ") * " + number(t.panel_columns) + " + " + number(lane % groups * 4);
         }) +
         "  }\n}\n";
}

std::string row(const Target& t) {
  const std::string turn = number(t.lanes * 4);
  return "// Bits of `count` columns of one row, rounded up to " + turn + "; column is a multiple of 4.\n"
         "static void random_row(const struct batch* batch, u32 stream, u32 row, u32 column, i64 count, u32* to) {\n"
         "  for (i64 c = 0; c < count; c += " + turn + ") {\n"
         "    vu x[4] = {splat_u(row), splat_u(column / 4 + (u32)c / 4) + (vu)lane_numbers(), splat_u(stream), splat_u(batch->update)};\n" +
         draw_and_store(t, [](int lane) { return "to + c + " + number(4 * lane); }) + "  }\n}\n";
}

constexpr const char* kOneValue = R"(static u32 random_bits(const struct batch* batch, u32 stream, u32 row, u32 column) {
  u32 c[4] = {row, column / 4, stream, batch->update};
  u32 k0 = batch->seed_low, k1 = batch->seed_high;
  for (int round = 0; round < 10; ++round) {
    const u64 a = (u64)0xD2511F53u * c[0], b = (u64)0xCD9E8D57u * c[2];
    c[0] = (u32)(b >> 32) ^ c[1] ^ k0;
    c[1] = (u32)b;
    c[2] = (u32)(a >> 32) ^ c[3] ^ k1;
    c[3] = (u32)a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c[column % 4];
}

)";

}  // namespace

std::string emit_random(const Target& target) { return rounds(target) + tile(target) + row(target) + kOneValue; }

}  // namespace netc
