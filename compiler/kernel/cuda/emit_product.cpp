// Matrix products as generated text: a block makes a tile of the output from tiles of both factors in shared memory, a
// thread 4 x 4 of its elements in registers, and the kernel's epilogue runs on those. Every element is summed in
// ascending order of the reduced axis, one multiply-add after the other.
#include <algorithm>

#include "compiler/kernel/cuda/cuda_prelude.h"
#include "compiler/kernel/cuda/emit_forms.h"
#include "compiler/kernel/cuda/lane_run.h"
#include "compiler/kernel/cuda/memory_access.h"

namespace netc::cuda {
namespace {

constexpr int64_t kDepth = 16;          // of a tile along the reduced axis
constexpr int64_t kAssumedRows = 128;   // of a batch
constexpr int64_t kEnoughBlocks = 64;   // below, tiles are made smaller

std::string number(int64_t n) { return std::to_string(n); }

class ProductEmitter {
 public:
  ProductEmitter(BodyEmitter& body, const KernelForm& form)
      : body_(body), kernel_(body.kernel()), form_(form), out_(body.out()), index_(index_type(form)) {
    match_matrix_product(kernel_, &product_);
    const int64_t rows = size_of(extent(product_.row), kAssumedRows),
                  lanes = size_of(extent(product_.lane), kAssumedRows);
    const int64_t large = ((rows + 63) / 64) * ((lanes + 63) / 64);
    tile_ = rows <= 32 || lanes <= 32 || large < kEnoughBlocks ? 32 : 64;
    threads_ = static_cast<int>(tile_ * tile_ / 16);
  }

  FormText emit() {
    const std::string tile = number(tile_), stride = number(tile_ + 4);
    const int64_t lanes = extent(product_.lane).count;
    const std::string across =
        extent(product_.lane).times_batch
            ? "((u32)(" + body_.extent_text(extent(product_.lane)) + ") + " + number(tile_ - 1) + "u) / " + tile + "u"
            : number((lanes + tile_ - 1) / tile_) + "u";
    out_.line("__shared__ __align__(16) float tile_a[" + number(kDepth) + "][" + stride + "], tile_b[" +
              number(kDepth) + "][" + stride + "];");
    out_.line("const u32 across = " + across + ";");
    out_.line("const " + index_ + " first_row_of_tile = (" + index_ + ")(blockIdx.x / across) * " + tile +
              ", first_column_of_tile = (" + index_ + ")(blockIdx.x % across) * " + tile + ";");
    out_.line("const i32 thread = threadIdx.x, at_row = thread / " + number(tile_ / 4) + " * 4, at_column = thread % " +
              number(tile_ / 4) + " * 4;");
    out_.line("float sum[4][4];");
    out_.raw("#pragma unroll\n");
    out_.open("for (i32 i = 0; i < 4; ++i)");
    out_.raw("#pragma unroll\n");
    out_.line("for (i32 j = 0; j < 4; ++j) sum[i][j] = 0.0f;");
    out_.close();
    out_.open("for (" + index_ + " k = 0; k < " + body_.extent_text(extent(product_.reduced)) +
              "; k += " + number(kDepth) + ")");
    fill("tile_a", body_.expr(product_.a), product_.row, "first_row_of_tile");
    fill("tile_b", body_.expr(product_.b), product_.lane, "first_column_of_tile");
    out_.line("__syncthreads();");
    multiply();
    out_.line("__syncthreads();");
    out_.close();
    write_epilogue();
    return {{{extent(product_.row), tile_}, {extent(product_.lane), tile_}}, threads_};
  }

 private:
  const Extent& extent(AxisId axis) const { return body_.axis(axis).extent; }

  // Copies kDepth x tile elements of a factor; what lies outside of the matrix counts as zero. Neighbouring threads
  // take what lies side by side in memory, four elements at once where that is proved to be aligned.
  void fill(const std::string& tile, const Expr& load, AxisId axis, const std::string& first) {
    const Buffer& buffer = body_.buffer(load.buffer);
    const bool depth_beside = load.row.terms[0].axis == axis;   // [axis, k]: the reduced axis is the column
    const Extent& beside = extent(depth_beside ? product_.reduced : axis);
    const bool quads =
        buffer.dtype == DType::f32 && buffer.columns % 4 == 0 && !beside.times_batch && beside.count % 4 == 0;
    const int64_t width = depth_beside ? kDepth : tile_, unit = quads ? 4 : 1;
    const int64_t turns = kDepth * tile_ / unit / threads_;
    out_.raw("#pragma unroll\n");
    out_.open("for (i32 turn = 0; turn < " + number(turns) + "; ++turn)");
    out_.line("const i32 at = thread + turn * " + number(threads_) + ";");
    const std::string fast = "at % " + number(width / unit) + (unit == 1 ? "" : " * " + number(unit)),
                      slow = "at / " + number(width / unit);
    out_.line("const i32 depth = " + (depth_beside ? fast : slow) + ", side = " + (depth_beside ? slow : fast) + ";");
    out_.line("const bool inside = k + depth < " + body_.extent_text(extent(product_.reduced)) + " && " + first +
              " + side < " + body_.extent_text(extent(axis)) + ";");
    const std::string row = depth_beside ? first + " + side" : "k + depth",
                      column = depth_beside ? "k + depth" : first + " + side";
    if (!quads) {
      out_.line(tile + "[depth][side] = inside ? " + body_.element_as_float(load.buffer, row, column) + " : 0.0f;");
    } else {
      out_.line("quad_f x = {0.0f, 0.0f, 0.0f, 0.0f};");
      out_.line("if (inside) x = load_quad_f(" + body_.address(load.buffer, row, column) + ");");
      if (depth_beside)
        for (int i = 0; i < 4; ++i) out_.line(tile + "[depth + " + number(i) + "][side] = x.at[" + number(i) + "];");
      else
        out_.line("store_quad_f(&" + tile + "[depth][side], x);");
    }
    out_.close();
  }

  void multiply() {
    out_.raw("#pragma unroll 4\n");   // whole, it would double the time to compile
    out_.open("for (i32 depth = 0; depth < " + number(kDepth) + "; ++depth)");
    out_.line("const quad_f a = load_quad_f(&tile_a[depth][at_row]), b = load_quad_f(&tile_b[depth][at_column]);");
    out_.raw("#pragma unroll\n");
    out_.open("for (i32 i = 0; i < 4; ++i)");
    out_.raw("#pragma unroll\n");
    out_.line("for (i32 j = 0; j < 4; ++j) sum[i][j] = __fmaf_rn(a.at[i], b.at[j], sum[i][j]);");
    out_.close();
    out_.close();
  }

  void write_epilogue() {
    const std::string row = body_.axis_variable(product_.row), first = "first_" + body_.axis_label(product_.lane);
    const Extent& lanes = extent(product_.lane);
    const std::string end = body_.extent_text(lanes);
    const bool quads = !lanes.times_batch && lanes.count % 4 == 0;
    out_.line("const " + index_ + " " + first + " = first_column_of_tile + at_column;");
    if (quads) body_.open("if (" + first + " < " + end + ")");
    out_.raw("#pragma unroll\n");
    body_.open("for (i32 i = 0; i < 4; ++i)");
    out_.line("const " + index_ + " " + row + " = first_row_of_tile + at_row + i;");
    body_.open("if (" + row + " < " + body_.extent_text(extent(product_.row)) + ")");
    const std::string result = "s" + number(kernel_.phases[0].reductions[0]);
    const LaneRun run{body_, form_, product_.lane, first, axis_bit(product_.row),
                      uint64_t{1} << kernel_.phases[0].reductions[0], quads,
                      body_.axis_variable(product_.lane) + " < " + end,
                      [&] { out_.line("const float " + result + " = sum[i][l];"); }};
    emit_lane_run(run, std::span(kernel_.phases).subspan(1));
    body_.close();
    body_.close();
    if (quads) body_.close();
  }

  BodyEmitter& body_;
  const Kernel& kernel_;
  const KernelForm& form_;
  CodeText& out_;
  const std::string index_;
  MatrixProduct product_;
  int64_t tile_ = 64;
  int threads_ = 256;
};

}  // namespace

FormText emit_product(BodyEmitter& body, const KernelForm& form) { return ProductEmitter(body, form).emit(); }

}  // namespace netc::cuda
