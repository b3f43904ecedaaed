#include "compiler/kernel/emit_tile.h"

#include <vector>

namespace netc {
namespace {

std::string number(int64_t n) { return std::to_string(n); }

std::string tile(const Target& target, const std::string& kind, int rows) {
  const int panel = target.panel_columns, vectors = panel / target.lanes;
  const std::string p = number(panel), r = number(rows), v = number(vectors);
  const bool ahead_of_lanes = kind == "along_lanes", along = ahead_of_lanes || kind == "along_rows";
  CodeText out;
  out.open("static void tile_" + kind + "_" + r + "(i32 fresh, float* c, const float* a" + (along ? ", i64 jump" : "") +
           ", const float* b, i64 k" + (ahead_of_lanes ? ", const float* next" : "") + ")");
  out.line("vf s[" + r + "][" + v + "];");
  const auto each = [&](const std::string& statement) {
    out.line("UNROLL(GCC unroll " + r + ")");
    out.line("for (int i = 0; i < " + r + "; ++i)");
    out.line("UNROLL(GCC unroll " + v + ")");
    out.line("  for (int j = 0; j < " + v + "; ++j) " + statement);
  };
  out.open("if (fresh)");
  each("s[i][j] = splat(0.0f);");
  out.close();
  out.open("else");
  each("s[i][j] = load_f(c + i * " + p + " + j * LANES);");
  out.close();
  const auto step = [&](const std::string& factor) {
    out.line("vf x[" + v + "];");
    out.line("UNROLL(GCC unroll " + v + ")");
    out.line("for (int j = 0; j < " + v + "; ++j) x[j] = load_f(b + j * LANES);");
    out.line("UNROLL(GCC unroll " + r + ")");
    out.open("for (int i = 0; i < " + r + "; ++i)");
    out.line("const vf y = splat(" + factor + ");");
    out.line("UNROLL(GCC unroll " + v + ")");
    out.line("for (int j = 0; j < " + v + "; ++j) s[i][j] = mul_add(y, x[j], s[i][j]);");
    out.close();
  };
  if (along) {
    out.open("for (; k > 0; k -= " + p + ", a += jump)");
    const std::string ahead = ahead_of_lanes ? "next" : "a + " + number(rows * panel), lines = number(ahead_of_lanes ? kLinesAhead : rows * panel / 16);
    out.line("for (int i = 0; i < " + lines + "; ++i) __builtin_prefetch(" + ahead + " + i * 16);");
    if (ahead_of_lanes) out.line("next += " + number(kLinesAhead * 16) + ";");
    out.line("const float* const end = a + (k < " + p + " ? k : " + p + ");");
    out.open("for (const float* row = a; row < end; ++row, b += " + p + ")");
    step("row[i * " + p + "]");
    out.close();
    out.close();
  } else {
    out.open("for (; k > 0; --k, a += " + p + ", b += " + p + ")");
    step("a[i]");
    out.close();
  }
  each("store_f(c + i * " + p + " + j * LANES, s[i][j]);");
  out.close();
  return out.text();
}

}  // namespace

std::string emit_product_tiles(const Target& target, const EmitUsage& usage) {
  CodeText out;
  for (const std::string kind : {"along_lanes", "along_rows", "across"}) {
    std::vector<int> rows;
    for (const auto& [of, count] : usage.tiles)
      if (of == kind) rows.push_back(count);
    if (rows.empty()) continue;
    out.line("// c[i][j] += sum over k of a[i, k] * b[k][j]: " + std::string(kind != "across"
             ? "a row's factors lie side by side in its panels, `jump` from one panel to the next."
             : "the factors of all rows lie side by side."));
    for (int count : rows) out.raw(tile(target, kind, count));
    const std::string jump = kind != "across" ? ", i64 jump" : "", pass = kind != "across" ? ", jump" : "";
    const std::string ahead = kind == "along_lanes" ? ", const float* next" : "", next = kind == "along_lanes" ? ", next" : "";
    out.open("static void tile_" + kind + "(i64 rows, i32 fresh, float* c, const float* a" + jump + ", const float* b, i64 k" + ahead + ")");
    out.open("switch (rows)");
    for (int count : rows)
      out.line("case " + number(count) + ": tile_" + kind + "_" + number(count) + "(fresh, c, a" + pass + ", b, k" + next + "); break;");
    out.close();
    out.close();
    out.line("");
  }
  return out.text();
}

}  // namespace netc
