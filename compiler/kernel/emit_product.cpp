#include "compiler/kernel/emit_product.h"

#include <algorithm>

#include "compiler/kernel/emit_tile.h"

namespace netc {
namespace {

int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }
int64_t parts(int64_t extent, int64_t chunk) { return (extent + chunk - 1) / chunk; }
std::string number(int64_t n) { return std::to_string(n); }

constexpr int64_t kLaneBlockBytes = 16384;   // half of the first cache of most processors

// How the tile's rows find their factors in memory.
enum class Factor {
  along,    // panels, the reduced axis is the column: a row's next 16 factors lie side by side
  across,   // panels, the reduced axis is the row: the factors of a tile's rows lie side by side
  packed,   // anything else, copied into the form `across`
};

class ProductEmitter {
 public:
  ProductEmitter(BodyEmitter& body, EmittedKernel& emitted)
      : body_(body), kernel_(body.kernel()), emitted_(emitted), out_(body.out()), panel_(body.target().panel_columns),
        lanes_(body.target().lanes) {}

  bool emit() {
    MatrixProduct product;
    if (!match_matrix_product(kernel_, &product)) return false;
    if (body_.axis(product.lane).extent.times_batch) return false;
    choose_form(product);
    if (!fits()) return false;
    choose_blocks();
    write();
    return true;
  }

 private:
  // ---- what goes where: the tile's rows m, its lanes n, the reduced axis k ----

  void choose_form(const MatrixProduct& product) {
    k_ = product.reduced;
    const Expr& a = body_.expr(product.a);
    const Expr& b = body_.expr(product.b);
    const bool b_in_rows = row_is(b, product.lane);          // b[lane, reduced]
    const bool a_in_rows = row_is(a, product.row);           // a[row, reduced]
    turned_ = b_in_rows && a_in_rows;
    m_ = turned_ ? product.lane : product.row;
    n_ = turned_ ? product.row : product.lane;
    a_ = turned_ ? &b : &a;
    b_ = turned_ ? &a : &b;
    const Buffer& from = body_.buffer(a_->buffer);
    if (!in_panels(from)) factor_ = Factor::packed;
    else factor_ = row_is(*a_, m_) ? Factor::along : Factor::across;
    const Buffer& lanes = body_.buffer(b_->buffer);
    packed_b_ = !(in_panels(lanes) && row_is(*b_, k_));
    joint_ = !parallel_over_batch(kernel_);
    emitted_.joint = joint_;
  }

  bool in_panels(const Buffer& b) const {
    return b.layout == Layout::panels && b.panel_columns == panel_ && b.dtype == DType::f32;
  }
  static bool row_is(const Expr& load, AxisId axis) { return load.row.terms.size() == 1 && load.row.terms[0].axis == axis; }
  const Extent& extent(AxisId a) const { return body_.axis(a).extent; }

  bool fits() const {
    if (extent(k_).times_batch && !joint_) return false;
    const auto readable = [&](const Expr& e) {
      const DType type = body_.buffer(e.buffer).dtype;
      return type == DType::f32 || type == DType::i32 || type == DType::u8 || type == DType::boolean;
    };
    return readable(*a_) && readable(*b_);
  }

  void choose_blocks() {
    // A block of the lanes' factors stays in the first cache while the rows' factors stream past it.
    const int64_t most = kLaneBlockBytes / (panel_ * 4);
    if (extent(k_).times_batch) {
      k_block_ = most;
    } else {   // equal blocks
      const int64_t blocks = parts(std::max<int64_t>(extent(k_).count, 1), most);
      k_block_ = round_up(parts(extent(k_).count, blocks), panel_);
    }
    if (turned_) {
      m_chunk_ = limited(m_, 256);
      m_block_ = std::min<int64_t>(m_chunk_, 64);
      n_chunk_ = 32;
    } else if (extent(m_).times_batch) {
      m_chunk_ = m_block_ = 128;   // one k block of their factors stays in the second cache while the panels go by
      n_chunk_ = limited(n_, 64);
      k_outer_ = !extent(k_).times_batch;
    } else {
      m_chunk_ = limited(m_, 128);
      m_block_ = factor_ == Factor::across ? panel_ : m_chunk_;   // the epilogue right behind the tiles it follows
      n_chunk_ = limited(n_, 64);
    }
    emitted_.items = {{extent(m_), m_chunk_}, {extent(n_), n_chunk_}};
    if (extent(n_).times_batch) std::swap(emitted_.items[0], emitted_.items[1]);
    const auto assumed = [&](AxisId a) {
      return static_cast<double>(extent(a).count * (extent(a).times_batch ? 64 : 1));
    };
    emitted_.work_per_item = 2.0 * static_cast<double>(m_chunk_ * n_chunk_) * assumed(k_) / lanes_;
  }

  int64_t limited(AxisId a, int64_t chunk) const { return std::min(chunk, round_up(extent(a).count, panel_)); }

  // ---- scratch memory of the worker ----

  std::string scratch(const std::string& name, int64_t elements) {
    const std::string text = "float* const " + name + " = (float*)((char*)scratch + " + number(emitted_.scratch_bytes) + ");";
    emitted_.scratch_bytes += round_up(elements * 4, 64);
    return text;
  }

  void write() {
    if (!joint_) {
      out_.line("const i64 rows = batch->rows[tower], first_row = batch->first_rows[tower];");
      body_.declare_pointers(BodyEmitter::Which::all, "tower");
    } else {
      body_.declare_pointers(BodyEmitter::Which::shared, "0");
    }
    out_.line(scratch("sums", m_block_ * (k_outer_ ? n_chunk_ : panel_)));
    if (turned_) out_.line(scratch("turned", panel_ * panel_));
    if (factor_ == Factor::packed) out_.line(scratch("packed_a", round_up(m_block_, panel_) * k_block_));
    if (packed_b_) out_.line(scratch("packed_b", packs_whole_b() ? n_chunk_ / panel_ * round_up(extent(k_).count, panel_) * panel_ : k_block_ * panel_));
    declare_random();
    decode_item();
    if (packs_whole_b()) pack_whole_b();
    if (k_outer_) {
      write_k_outer();
      return;
    }
    // Tiles that share their lanes' factors follow one another; turned ones share the packed block instead.
    if (turned_) {
      open_m_loop();
      open_n_loop();
    } else {
      open_n_loop();
      open_m_loop();
    }
    prefetch();
    write_sums();
    write_epilogue();
    body_.close();
    if (m_block_ < m_chunk_) body_.close();
  }

  // All panels of the item for one block of the reduced axis, then for the next: the rows' factors of a block are read
  // from far once and the sums of all panels wait in scratch memory.
  void write_k_outer() {
    open_m_loop();
    open_k_loop();
    out_.line("const i32 fresh = k == 0;");
    if (factor_ == Factor::packed) pack_a_block();
    open_n_loop();
    out_.line("float* const block = sums + (n - n_from) * " + number(m_block_) + ";");
    write_block("block");
    body_.close();
    body_.close();
    open_n_loop();
    prefetch();
    out_.line("float* const block = sums + (n - n_from) * " + number(m_block_) + ";");
    epilogue_block("m", "m_count", "n", n_, "block");
    body_.close();
  }

  void open_m_loop() {
    if (m_block_ == m_chunk_) {
      out_.line("const i64 m = m_from, m_count = m_to - m_from;");
      return;
    }
    body_.open("for (i64 m = m_from; m < m_to; m += " + number(m_block_) + ")");
    out_.line("const i64 m_count = m + " + number(m_block_) + " < m_to ? " + number(m_block_) + " : m_to - m;");
  }

  void open_n_loop() { body_.open("for (i64 n = n_from; n < n_to; n += " + number(panel_) + ")"); }

  // What the epilogue will read is asked for before the sums are made.
  void prefetch() {
    if (turned_) return;
    std::vector<std::string> lines;
    for (size_t i = 1; i < kernel_.phases.size(); ++i) {
      const std::vector<bool> needed = needed_by_phase(kernel_, kernel_.phases[i]);
      for (size_t e = 0; e < needed.size(); ++e) {
        const Expr& load = kernel_.exprs[e];
        if (!needed[e] || load.op != ExprOp::load || !row_is(load, m_) || load.row.gathered != kNone) continue;
        if (body_.along(load.buffer, load.row, load.column, n_) != BodyEmitter::Along::contiguous) continue;
        const std::string place = body_.address(load.buffer, "(m + i)", "n");
        for (int64_t at = 0; at < panel_; at += 16)
          lines.push_back("__builtin_prefetch(" + place + (at == 0 ? "" : " + " + number(at)) + ");");
      }
    }
    if (lines.empty()) return;
    out_.open("for (i64 i = 0; i < m_count; ++i)");
    for (const std::string& line : lines) out_.line(line);
    out_.close();
  }

  // Items count up along the axis that is not the batch's first.
  void decode_item() {
    const AxisId fast = extent(n_).times_batch ? m_ : n_;
    const int64_t count = parts(extent(fast).count, fast == n_ ? n_chunk_ : m_chunk_);
    const auto bounds = [&](const std::string& name, AxisId a, int64_t chunk) {
      const std::string end = body_.extent_text(extent(a)), size = number(chunk);
      if (a == fast && count == 1) {
        out_.line("const i64 " + name + "_from = 0, " + name + "_to = " + end + ";");
        return;
      }
      const std::string part = count == 1 ? "item" : a == fast ? "item % " + number(count) : "item / " + number(count);
      out_.line("const i64 " + name + "_from = " + part + " * " + size + ", " + name + "_to = " + name + "_from + " + size +
                " < " + end + " ? " + name + "_from + " + size + " : " + end + ";");
    };
    bounds("m", m_, m_chunk_);
    bounds("n", n_, n_chunk_);
  }

  // ---- packing ----

  // Rows that blocks of whole vectors reach.
  int64_t rows_held(const Buffer& b) const {
    return round_up(b.rows.count * (b.rows.times_batch ? body_.program().batch_capacity : 1), lanes_);
  }
  bool packs_whole_b() const { return packed_b_ && !extent(k_).times_batch; }
  int64_t k_rows() const { return round_up(extent(k_).count, panel_); }

  std::string element(const Expr& load, AxisId x, const std::string& x_text, const std::string& y_text) const {
    const bool x_is_row = row_is(load, x);
    return body_.element_as_float(load.buffer, x_is_row ? x_text : y_text, x_is_row ? y_text : x_text);
  }

  // Columns of b for the lanes, one panel after the other: [panel][k][lane]; lanes beyond the last are zero.
  void pack_whole_b() {
    const Buffer& from = body_.buffer(b_->buffer);
    out_.open("for (i64 n = n_from; n < n_to; n += " + number(panel_) + ")");
    out_.line("float* const to = packed_b + (n - n_from) * " + number(k_rows()) + ";");
    const std::string k_end = number(extent(k_).count), p = number(panel_);
    if (in_panels(from) && row_is(*b_, n_) && rows_held(from) <= from.padded_rows) {
      // Blocks are read whole: what lies beyond the last row or column is never used by a sum that counts.
      body_.usage().transpose = true;
      out_.open("for (i64 k = 0; k < " + k_end + "; k += " + p + ")");
      out_.line("const float* const from = " + body_.panel_address(b_->buffer, "n", "k") + ";");
      out_.line("for (i64 r = 0; r < " + p + "; r += LANES)");
      out_.line("  if (n + r < n_to)");
      out_.line("    for (i64 c = 0; c < " + p + "; c += LANES) transpose_tile(from + r * " + p + " + c, " + p + ", to + (k + c) * " +
                p + " + r, " + p + ");");
      out_.close();
    } else {
      out_.line("const i64 count = n_to - n < " + p + " ? n_to - n : " + p + ";");
      out_.line("for (i64 k = 0; k < " + k_end + "; ++k)");
      out_.line("  for (i64 l = 0; l < " + p + "; ++l) to[k * " + p + " + l] = l < count ? " + element(*b_, k_, "k", "(n + l)") + " : 0.0f;");
    }
    out_.close();
  }

  void pack_b_block() {
    const std::string p = number(panel_), end = body_.extent_text(extent(n_));
    out_.line("for (i64 j = 0; j < k_count; ++j)");
    out_.line("  for (i64 l = 0; l < " + p + "; ++l) packed_b[j * " + p + " + l] = n + l < " + end + " ? " +
              element(*b_, k_, "(k + j)", "(n + l)") + " : 0.0f;");
  }

  void pack_a_block() {
    const std::string p = number(panel_);
    out_.line("for (i64 i = 0; i < m_count; ++i)");
    out_.line("  for (i64 j = 0; j < k_count; ++j) packed_a[i / " + p + " * " + number(k_block_ * panel_) + " + j * " + p + " + i % " + p +
              "] = " + element(*a_, m_, "(m + i)", "(k + j)") + ";");
  }

  // ---- sums of a block: m_count rows x one panel ----

  void write_sums() {
    const bool over_batch = extent(k_).times_batch;
    out_.line("i32 fresh = 1;   // nothing summed yet");
    if (over_batch) {
      body_.open("for (i64 t = 0; t < batch->towers; ++t)");
      out_.line("const i64 rows = batch->rows[t];");
      body_.declare_pointers(BodyEmitter::Which::batched, "t");
    }
    open_k_loop();
    if (factor_ == Factor::packed) pack_a_block();
    write_block("sums");
    out_.line("fresh = 0;");
    body_.close();
    if (!over_batch) return;
    body_.close();
    out_.line("if (fresh) for (i64 i = 0; i < m_count * " + number(panel_) + "; i += LANES) store_f(sums + i, splat(0.0f));");
  }

  void open_k_loop() {
    const std::string end = body_.extent_text(extent(k_));
    body_.open("for (i64 k = 0; k < " + end + "; k += " + number(k_block_) + ")");
    out_.line("const i64 k_count = k + " + number(k_block_) + " < " + end + " ? " + number(k_block_) + " : " + end + " - k;");
  }

  // One block of the reduced axis for one panel: finds the lanes' factors, then goes through the tiles.
  void write_block(const std::string& sums) {
    if (packs_whole_b()) {
      out_.line("const float* const b = packed_b + (n - n_from) * " + number(k_rows()) + " + k * " + number(panel_) + ";");
    } else if (packed_b_) {
      pack_b_block();
      out_.line("const float* const b = packed_b;");
    } else {
      out_.line("const float* const b = " + body_.panel_address(b_->buffer, "k", "n") + ";");
    }
    if (factor_ == Factor::along) write_along(sums);
    else write_across(sums);
  }

  // Rows of tiles: as even as can be, so that no tile is left with few.
  void write_along(const std::string& sums) {
    const int most = body_.target().row_tile;
    const Buffer& a = body_.buffer(a_->buffer);
    const int64_t jump = a.columns <= panel_ ? panel_ : a.padded_rows * panel_;
    out_.line("const i64 tiles = (m_count + " + number(most - 1) + ") / " + number(most) + ";");
    out_.open("for (i64 i = 0, at = 0; i < tiles; ++i)");
    out_.line("const i64 count = m_count / tiles + (i < m_count % tiles);");
    // The weights come from far and are asked for one block or tile ahead: the lanes' factors where they lie in panels
    // (the next panel's, a share by each tile), else the rows'.
    const bool ahead_of_lanes = !packed_b_;
    const std::string kind = ahead_of_lanes ? "along_lanes" : "along_rows";
    if (ahead_of_lanes)
      out_.line("const float* const next = " + body_.panel_address(b_->buffer, "k", "(n + " + number(panel_) + ")") + " + i * " +
                number(k_block_ / panel_ * kLinesAhead * 16) + ";");
    out_.line("tile_" + kind + "(count, fresh, " + sums + " + at * " + number(panel_) + ", " +
              body_.panel_address(a_->buffer, "(m + at)", "k") + ", " + number(jump) + ", b, k_count" + (ahead_of_lanes ? ", next" : "") + ");");
    out_.line("at += count;");
    out_.close();
    for (int i = 1; i <= most; ++i) body_.usage().tiles.insert({kind, i});
  }

  void write_across(const std::string& sums) {
    const int most = body_.target().row_tile;
    const std::string p = number(panel_);
    out_.open("for (i64 j = 0; j < m_count; j += " + p + ")");
    const std::string a = factor_ == Factor::packed ? "packed_a + j * " + number(k_block_)
                                                    : body_.panel_address(a_->buffer, "k", "(m + j)");
    out_.line("const float* const a = " + a + ";");
    out_.line("const i64 in_panel = m_count - j < " + p + " ? m_count - j : " + p + ", tiles = (in_panel + " + number(most - 1) +
              ") / " + number(most) + ";");
    out_.open("for (i64 i = 0, at = 0; i < tiles; ++i)");
    out_.line("const i64 count = in_panel / tiles + (i < in_panel % tiles);");
    out_.line("tile_across(count, fresh, " + sums + " + (j + at) * " + p + ", a + at, b, k_count);");
    out_.line("at += count;");
    out_.close();
    out_.close();
    for (int i = 1; i <= most; ++i) body_.usage().tiles.insert({"across", i});
  }

  // ---- epilogue ----

  // Random draws that the epilogue needs and that lie in rows of the tile: prepared for a whole block.
  void declare_random() {
    const AxisId row = turned_ ? n_ : m_, lane = turned_ ? m_ : n_;
    for (size_t i = 0; i < kernel_.exprs.size(); ++i) {
      const Expr& e = kernel_.exprs[i];
      const ExprId id = static_cast<ExprId>(i);
      if (e.op != ExprOp::random || !body_.random_in_rows(id, lane)) continue;
      const bool by_row = e.row.terms.size() == 1 && e.row.terms[0].axis == row && e.row.terms[0].coefficient == 1;
      if (!by_row || e.column.terms.size() != 1) continue;
      const int64_t tile_rows = (turned_ ? panel_ : m_block_) + 4;
      out_.line(scratch("bits" + number(static_cast<int64_t>(i)), tile_rows * panel_));
      drawn_.push_back(id);
      body_.prepare(id, "(vu)load_f(bits" + number(static_cast<int64_t>(i)) + " + at)");
    }
  }

  void draw(const std::string& lane_text, const std::string& count) {
    for (ExprId id : drawn_) {
      const Expr& e = body_.expr(id);
      out_.line("random_tile(batch, " + number(static_cast<uint32_t>(e.slot)) + "u, (u32)(" + body_.index_text(e.row, true) + "), (u32)(" +
                lane_text + " + " + number(e.column.offset) + "), " + count + ", (u32*)bits" + number(id) + ");");
    }
  }

  void write_epilogue() {
    if (!turned_) {
      epilogue_block("m", "m_count", "n", n_, "sums");
      return;
    }
    // One panel of m at a time: the block is turned so that vectors run along m again.
    body_.usage().transpose = true;
    const std::string p = number(panel_);
    body_.open("for (i64 j = 0; j < m_count; j += " + p + ")");
    out_.line("for (i64 r = 0; r < " + p + "; r += LANES)");
    out_.line("  for (i64 c = 0; c < " + p + "; c += LANES) transpose_tile(sums + (j + r) * " + p + " + c, " + p + ", turned + c * " + p +
              " + r, " + p + ");");
    epilogue_block("n", "(n_to - n < " + p + " ? n_to - n : " + p + ")", "(m + j)", m_, "turned");
    body_.close();
  }

  void epilogue_block(const std::string& row_from, const std::string& row_count, const std::string& lane_from, AxisId lane,
                      const std::string& block) {
    const AxisId row = turned_ ? n_ : m_;
    const std::string r = body_.axis_variable(row), c = body_.axis_variable(lane), p = number(panel_);
    body_.set_lane(kNone, "", false);
    out_.line("const i64 row_count = " + row_count + ";");
    if (!drawn_.empty()) {
      body_.open("");
      out_.line("const i64 " + r + " = " + row_from + ";");
      draw(lane_from, "row_count");
      body_.close();
    }
    std::vector<bool> outside(kernel_.exprs.size(), false);
    for (size_t i = 1; i < kernel_.phases.size(); ++i) {
      const std::vector<bool> needed = needed_by_phase(kernel_, kernel_.phases[i]);
      for (size_t e = 0; e < needed.size(); ++e) outside[e] = outside[e] || (needed[e] && kernel_.phases.size() == 2);
    }
    body_.open("for (i64 i = 0; i < row_count; ++i)");
    out_.line("const i64 " + r + " = " + row_from + " + i;");
    body_.define(outside, axis_bit(row), 0);
    const bool whole = extent(lane).count % lanes_ == 0;
    const std::string end = number(extent(lane).count);
    const std::string inside = extent(lane).count % panel_ == 0 ? "" : " && " + lane_from + " + v < " + end;
    body_.open("for (i64 v = 0; v < " + p + inside + "; v += LANES)");
    out_.line("const i64 at = i * " + p + " + v, " + c + " = " + lane_from + " + v;");
    if (!whole) out_.line("const i64 lanes = " + end + " - " + c + ";");
    body_.set_lane(lane, whole ? "" : "lanes", true);
    body_.split_lane(lane_from, "v");
    out_.line("const vf s" + number(kernel_.phases[0].reductions[0]) + " = load_f(" + block + " + at);");
    const uint64_t done = uint64_t{1} << kernel_.phases[0].reductions[0];
    for (size_t i = 1; i < kernel_.phases.size(); ++i) {
      const Phase& phase = kernel_.phases[i];
      if (kernel_.phases.size() > 2) body_.open("");
      body_.define(needed_by_phase(kernel_, phase), axis_bit(row) | axis_bit(lane), done);
      for (const Store& store : phase.stores) body_.store(store);
      if (kernel_.phases.size() > 2) body_.close();
    }
    body_.close();
    body_.close();
    body_.set_lane(kNone, "", false);
  }

  BodyEmitter& body_;
  const Kernel& kernel_;
  EmittedKernel& emitted_;
  CodeText& out_;
  const int64_t panel_;
  const int lanes_;
  AxisId m_ = kNone, n_ = kNone, k_ = kNone;
  const Expr* a_ = nullptr;      // factors of the tile's rows
  const Expr* b_ = nullptr;      // factors of its lanes
  bool turned_ = false;          // lanes run along the kernel's row axis
  bool joint_ = false;
  bool packed_b_ = false;
  bool k_outer_ = false;         // blocks of the reduced axis around the panels of an item
  Factor factor_ = Factor::packed;
  int64_t m_chunk_ = 0, n_chunk_ = 0;   // of an item
  int64_t m_block_ = 0;                 // rows of sums kept at a time
  int64_t k_block_ = 0;
  std::vector<ExprId> drawn_;
};

}  // namespace

bool emit_product(BodyEmitter& body, EmittedKernel& emitted) { return ProductEmitter(body, emitted).emit(); }

}  // namespace netc
