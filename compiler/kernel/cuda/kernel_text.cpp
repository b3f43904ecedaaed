#include "compiler/kernel/cuda/kernel_text.h"

#include <algorithm>

#include "compiler/kernel/cuda/cuda_prelude.h"
#include "compiler/kernel/cuda/emit_forms.h"
#include "compiler/kernel/cuda/lane_run.h"
#include "compiler/kernel/cuda/memory_access.h"
#include "compiler/kernel/cuda/words.h"
#include "compiler/kernel/target.h"

namespace netc::cuda {
namespace {

FormText emit_form(BodyEmitter& body, const KernelForm& form) {
  switch (form.form) {
    case Form::pointwise: return emit_pointwise(body, form);
    case Form::scatter: return emit_scatter(body, form);
    case Form::product: return emit_product(body, form);
    default: return emit_team(body, form);
  }
}

}  // namespace

std::vector<BufferId> written_buffers(const Kernel& kernel) {
  std::vector<BufferId> written;
  for (const Phase& phase : kernel.phases)
    for (const Store& s : phase.stores) written.push_back(s.buffer);
  return written;
}

std::string pointer_parameters(const Program& program, const std::vector<BufferId>& buffers,
                               const std::vector<BufferId>& written, const std::string& prefix) {
  std::string text;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const bool read_only = std::none_of(written.begin(), written.end(),
                                        [&](BufferId other) { return may_overlap(program, buffers[i], other); });
    const std::string type = element_type(program.buffers[static_cast<size_t>(buffers[i])].dtype);
    text += (read_only ? ", const " + type + "* __restrict__ " : ", " + type + "* ") + prefix + std::to_string(i);
  }
  return text;
}

std::string row_declarations(const std::string& body, bool wide) {
  std::string text;
  if (names_word(body, "rows"))
    text += wide ? "  const i64 rows = step->rows;\n" : "  const i32 rows = (i32)step->rows;\n";
  if (names_word(body, "first_row")) text += "  const i64 first_row = step->first_row;\n";
  return text;
}

KernelText emit_kernel(const Kernel& kernel, const Program& program) {
  const KernelForm form = choose_form(kernel, program);
  CodeText out;
  EmitUsage usage;
  BodyEmitter body(kernel, program, gpu_target(), out, usage, cuda_dialect());
  out.open("");
  const FormText written = emit_form(body, form);
  out.close();
  KernelText text;
  text.launch.buffers = body.buffers();
  text.launch.block_threads = written.threads;
  text.launch.grid_parts = {written.grid};
  text.parameters = "(const struct step_block* step" +
                    pointer_parameters(program, body.buffers(), written_buffers(kernel), "b") + ")";
  text.body = without_unused(out.text());
  text.body.insert(2, row_declarations(text.body, form.wide));
  return text;
}

}  // namespace netc::cuda
