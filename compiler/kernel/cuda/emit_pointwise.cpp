// Kernels without loops: a thread for four neighbours or for one point.
#include "compiler/kernel/cuda/emit_forms.h"
#include "compiler/kernel/cuda/lane_run.h"

namespace netc::cuda {

FormText emit_pointwise(BodyEmitter& body, const KernelForm& form, const std::string& block,
                        const std::string& points) {
  const Kernel& kernel = body.kernel();
  CodeText& out = body.out();
  const int64_t unit = form.quads ? 4 : 1;
  const std::string u = unsigned_type(form);
  Extent units = form.points;
  if (form.quads) units.count /= unit;

  const std::string number = form.wide ? "(u64)" + block + " * 256u + threadIdx.x" : block + " * 256u + threadIdx.x";
  const std::string end = !points.empty() ? points : body.extent_text(units);
  out.line("const " + u + " point = " + number + ";");
  out.line("if (point >= (" + u + ")" + (end.find(' ') == std::string::npos ? end : "(" + end + ")") + ") return;");
  decode_point(body, form, "point", unit);

  AxisSet known = 0;
  for (AxisId axis : form.order) known |= axis_bit(axis);
  if (form.quads) {
    const LaneRun run{body, form, form.lane, "first_" + body.axis_label(form.lane), known & ~axis_bit(form.lane), 0,
                      true, "",   {}};
    emit_lane_run(run, kernel.phases);
  } else {
    const bool several = kernel.phases.size() > 1;
    for (const Phase& phase : kernel.phases) {   // a phase may read what one before it has stored
      if (several) body.open("");
      body.define(needed_by_phase(kernel, phase), known, 0);
      for (const Store& s : phase.stores) body.store(s);
      if (several) body.close();
    }
  }
  return {{{units, 256}}, 256};
}

}  // namespace netc::cuda
