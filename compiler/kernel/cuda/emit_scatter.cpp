// Accumulating stores at gathered rows without atomics: every target row belongs to one warp row of the grid, which
// walks all rows of the source in ascending order and adds what is meant for its own. An element is touched by one
// thread only, so the sums have the same bits every time.
#include "compiler/base/errors.h"
#include "compiler/kernel/cuda/emit_forms.h"
#include "compiler/kernel/cuda/lane_run.h"

namespace netc::cuda {
namespace {

constexpr int64_t kBlocksOfOwners = 16, kOwnersInBlock = 8;   // 128 owners of target rows for each 32 columns

// Expressions that the target rows depend on.
std::vector<bool> needed_for_rows(const Kernel& kernel) {
  std::vector<bool> needed(kernel.exprs.size(), false);
  for (const Store& s : kernel.phases[0].stores) needed[static_cast<size_t>(s.row.gathered)] = true;
  for (size_t i = kernel.exprs.size(); i-- > 0;)
    if (needed[i]) for_each_operand(kernel.exprs[i], [&](ExprId id) { needed[static_cast<size_t>(id)] = true; });
  return needed;
}

}  // namespace

FormText emit_scatter(BodyEmitter& body, const KernelForm& form) {
  const Kernel& kernel = body.kernel();
  CodeText& out = body.out();
  const std::string u = unsigned_type(form), blocks = std::to_string(kBlocksOfOwners);
  const std::string owners = std::to_string(kBlocksOfOwners * kOwnersInBlock);
  out.line("const u32 owner = blockIdx.x % " + blocks + "u * " + std::to_string(kOwnersInBlock) +
           "u + threadIdx.x / 32u;");
  out.line("const " + u + " point = (" + u + ")(blockIdx.x / " + blocks + "u) * 32u + threadIdx.x % 32u;");
  out.line("if (point >= (" + u + ")(" + body.extent_text(form.points) + ")) return;");
  decode_point(body, form, "point");

  const Phase& phase = kernel.phases[0];
  const std::vector<bool> needed = needed_by_phase(kernel, phase), of_rows = needed_for_rows(kernel);
  AxisSet known = 0;
  for (AxisId axis : form.order) known |= axis_bit(axis);
  body.define(of_rows, known, 0);
  for (AxisId axis : phase.loop) {
    const std::string v = body.axis_variable(axis);
    body.open("for (" + index_type(form) + " " + v + " = 0; " + v + " < " + body.extent_text(body.axis(axis).extent) +
              "; ++" + v + ")");
    known |= axis_bit(axis);
    body.define(of_rows, known, 0);
  }
  for (size_t i = 0; i < phase.stores.size(); ++i) {
    const Store& s = phase.stores[i];
    const std::string row = "row" + std::to_string(i);
    out.line("const i64 " + row + " = " + body.checked_index(s.buffer, s.row, true) + ";");
    body.open("if ((u32)((u64)" + row + " % " + owners + "u) == owner)");
    body.define(needed, known, 0);
    out.line("*(" + body.address(s.buffer, row, body.checked_index(s.buffer, s.column, false)) +
             ") += " + body.stored_value(s) + ";");
    body.close();
  }
  for (size_t i = 0; i < phase.loop.size(); ++i) body.close();
  return {{{form.points, 32}, {Extent{kBlocksOfOwners, false}, 1}}, 256};
}

}  // namespace netc::cuda
