// netc compile: shows what a model becomes, stage by stage.
#include "compiler/compile.h"

#include <iomanip>
#include <ostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/model.h"
#include "cli/placement.h"
#include "compiler/graph/graph.h"
#include "compiler/kernel/emit_c.h"
#include "compiler/syntax/print.h"
#include "runtime/deal.h"

namespace netc {
namespace {

std::string c_text(const Program& program, const Target& target, const SourceMap& sources) {
  EmitOptions options;
  options.target = target;
  options.span_text = [&sources](Span span) { return sources.describe(span); };
  return emit_c(std::span(&program, 1), options).texts.front();
}

}  // namespace

int run_compile(Words words, Terminal& terminal) {
  ModelOptions model_options;
  std::string stage, program_name = "train", target_name;
  bool unfused = false, times = false;
  Arguments arguments("compile", "shows what a model becomes at a stage of the compiler");
  model_options.declare(arguments);
  arguments.option("--emit", "STAGE", "the stage to print", &stage)
      .one_of({"ast", "graph", "gradient", "program", "towers", "kernels"})
      .required()
      .option("--program", "NAME", "of the three programs of a run: which to print (train if not given)", &program_name)
      .one_of({"train", "evaluate", "predict"})
      .option("--target", "NAME", "compile for avx512, avx2 or plain instead of this machine", &target_name)
      .flag("--unfused", "leave every operation a kernel of its own", &unfused)
      .flag("--times", "say on standard error how long each pass took", &times)
      .example("netc compile models/tiny.net --emit=graph", "the typed net, one operation a line")
      .example("netc compile models/tiny.net --emit=program", "fused kernels, their order and their memory")
      .example("netc compile models/tiny.net --emit=kernels --target plain", "the C text that a host compiler gets");
  if (!arguments.parse(words)) return terminal.out << arguments.help(), kExitSuccess;

  const Target target = choose_target(target_name);
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
  request.target = target;
  request.batch_capacity = plan_batches(analysis.train, plan, 0).tower_capacity;
  request.towers = placements(plan);
  request.fuse = !unfused;
  const Compiled compiled = compile(analysis.graph, analysis.train, request);
  const Program& program = *find_program(compiled.programs, program_name);

  if (stage == "gradient") terminal.out << to_string(compiled.gradient);
  if (stage == "program") terminal.out << to_string(program);
  if (stage == "towers") terminal.out << to_string(compiled.train);
  if (stage == "kernels") terminal.out << c_text(program, target, model->sources);
  if (times)
    for (const PassTime& time : compiled.times)
      terminal.err << std::fixed << std::setprecision(2) << std::setw(9) << time.milliseconds << " ms  " << time.pass
                   << "\n";
  return kExitSuccess;
}

}  // namespace netc
