// netc compile: shows what a model becomes, stage by stage.
#include "compiler/compile.h"

#include <iomanip>
#include <ostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/gpu_stages.h"
#include "cli/model.h"
#include "cli/placement.h"
#include "compiler/graph/graph.h"
#include "compiler/kernel/cuda/emit_cuda.h"
#include "compiler/kernel/emit_c.h"
#include "compiler/syntax/print.h"
#include "runtime/deal.h"

namespace netc {
namespace {

std::string c_text(const Program& program, const Target& target, const SourceMap& sources) {
  EmitOptions options;
  options.target = target;
  options.span_text = [&sources](Span span) { return quote(sources, span); };
  return emit_c(std::span(&program, 1), options).texts.front();
}

}  // namespace

int run_compile(Words words, Terminal& terminal) {
  ModelOptions model_options;
  std::string stage, program_name = "train", target_name, architectures;
  bool unfused = false, times = false, json = false;
  Arguments arguments("compile", "shows what a model becomes at a stage of the compiler");
  model_options.declare(arguments);
  arguments.option("--emit", "STAGE", "the stage to print", &stage)
      .one_of({"ast", "graph", "gradient", "program", "towers", "kernels", "ptx", "resources"})
      .required()
      .option("--program", "NAME", "of the three programs of a run: which to print (train if not given)", &program_name)
      .one_of({"train", "evaluate", "predict"})
      .option("--target", "NAME", "compile for avx512, avx2 or plain instead of this machine", &target_name)
      .option("--arch", "LIST", "compile for GPUs of these architectures (sm_80,sm_90) instead of this processor", &architectures)
      .excludes("--target")
      .flag("--json", "with --emit=resources: as JSON", &json)
      .flag("--unfused", "leave every operation a kernel of its own", &unfused)
      .flag("--times", "say on standard error how long each pass took", &times)
      .example("netc compile models/tiny.net --emit=graph", "the typed net, one operation a line")
      .example("netc compile models/tiny.net --emit=program", "fused kernels, their order and their memory")
      .example("netc compile models/tiny.net --emit=kernels --target plain", "the C text that a host compiler gets")
      .example("netc compile models/tiny.net --emit=kernels --arch sm_90", "the CUDA text that NVRTC gets")
      .example("netc compile models/tiny.net --emit=resources --arch sm_80,sm_90", "registers, spills and bytes of its kernels");
  if (!arguments.parse(words)) return terminal.out << arguments.help(), kExitSuccess;

  const bool of_nvrtc = stage == "ptx" || stage == "resources";
  if (of_nvrtc && architectures.empty()) throw UsageError("`--emit=" + stage + "` is about GPUs", "add `--arch sm_90`, say");
  if (json && stage != "resources") throw UsageError("`--json` goes with `--emit=resources`", "");
  GpuStage gpu;
  if (!architectures.empty()) gpu.architectures = parse_architectures(architectures);
  const Target own_target = choose_target(target_name);
  const auto model = load_model(model_options.file, model_options.analyze_options());
  if (stage == "ast" && !model->diagnostics.has_errors()) {
    terminal.out << print(model->tree);
    return kExitSuccess;
  }
  if (!model->diagnostics.has_errors()) report_unavailable(model->analysis, model->diagnostics);
  if (!accept(model->diagnostics, model_options.file, terminal)) return kExitAuthor;
  const Analysis& analysis = model->analysis;
  if (stage == "graph") {
    terminal.out << to_string(analysis.graph);
    return kExitSuccess;
  }

  const Plan plan = resolve_towers(analysis.plan);
  CompileRequest request;
  const bool for_gpu = !gpu.architectures.empty() || plan.towers.front().device.kind == DeviceKind::sim;
  request.target = for_gpu ? gpu_target() : own_target;
  request.memory = for_gpu ? TowerMemory::separate : TowerMemory::shared;
  request.bucket_bytes = plan.bucket_bytes;
  if (for_gpu) request.products = cuda_products();
  request.batch_capacity = plan_batches(analysis.train, plan, 0).tower_capacity;
  request.towers = placements(plan);
  request.fuse = !unfused;
  const Compiled compiled = compile(analysis.graph, analysis.train, request);
  const Program& program = *find_program(compiled.programs, program_name);

  if (stage == "gradient") terminal.out << to_string(compiled.gradient);
  if (stage == "program") terminal.out << to_string(program);
  if (stage == "towers") terminal.out << to_string(compiled.train);
  gpu.program = &program;
  gpu.span_text = [&sources = model->sources](Span span) { return quote(sources, span); };
  if (stage == "kernels") terminal.out << (for_gpu ? cuda_text(gpu) : c_text(program, own_target, model->sources));
  if (stage == "ptx") terminal.out << ptx_text(gpu);
  if (stage == "resources") terminal.out << (json ? resource_json(gpu) : resource_table(gpu));
  if (times)
    for (const PassTime& time : compiled.times)
      terminal.err << std::fixed << std::setprecision(2) << std::setw(9) << time.milliseconds << " ms  " << time.pass
                   << "\n";
  return kExitSuccess;
}

}  // namespace netc
