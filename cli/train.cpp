// netc train: compiles a model, trains it, and leaves a run on disk.
#include "compiler/base/errors.h"
#include "runtime/trainer.h"

#include <charconv>
#include <ostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/train_overrides.h"
#include "runtime/interrupt.h"
#include "runtime/progress.h"
#include "runtime/record/run_record.h"

namespace netc {
namespace {

constexpr Progress kLogEvery{100, false};   // steps: what the language page promises

// "1steps", "100step", "2epochs"
Progress parse_log_every(const std::string& text) {
  Progress progress;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), progress.amount);
  const std::string unit(end, text.data() + text.size());
  progress.epochs = unit == "epoch" || unit == "epochs";
  if (error != std::errc{} || progress.amount <= 0 || !(progress.epochs || unit == "step" || unit == "steps"))
    throw UsageError("`--log-every` wants a number of steps or epochs, got `" + text + "`", "for example 100steps, or 1epoch");
  return progress;
}

struct TrainOptions {
  ModelOptions model;
  MachineOptions machine;
  TrainOverrides overrides;
  std::string output, log_every;

  void declare(Arguments& arguments) {
    model.declare(arguments);
    arguments.option("--epochs", "N", "train this long instead of what the file says", &overrides.epochs)
        .option("--steps", "N", "train this many updates instead", &overrides.steps)
        .excludes("--epochs")
        .option("--seed", "N", "draw weights, order and dropout from this seed", &overrides.seed)
        .option("--init-from", "FILE", "start from these weights (.safetensors)", &overrides.init_from)
        .option("--output", "DIR", "keep the run in this folder: weights, metrics, report, the resolved file", &output)
        .option("--log-every", "N", "how often metrics.jsonl gets a line besides those of epochs: 1steps, 1epoch (else 100steps)",
                &log_every);
    machine.declare(arguments);
    arguments.example("netc train models/tiny.net", "trains and prints the accuracy; keeps nothing")
        .example("netc train models/tiny.net --output runs/tiny", "keeps the run, for `netc eval` and `netc predict`")
        .example("netc train models/fashion_mlp.net --towers cpu:0,cpu:1", "on two towers of this processor")
        .example("netc train models/fashion_mlp.net --set hidden=256 --epochs 2 --seed 7", "a smaller, shorter run");
  }
};

std::unique_ptr<ProgressSink> choose_progress(Terminal& terminal) {
  if (terminal.out_is_terminal) return make_standard_progress();
  return make_plain_progress([&terminal](std::string_view text) { terminal.out << text << std::flush; });
}

void say_what_runs(const Session& session, ProgressSink& progress) {
  int64_t weights = 0;
  for (const Parameter& parameter : session.model->analysis.graph.parameters)
    if (parameter.trainable) weights += element_count(parameter.type.shape);
  std::string samples;
  for (const Split& split : session.data.splits)
    samples += (samples.empty() ? "" : ", ") + std::to_string(split.rows()) + " " + split.name;
  const TrainSpec& spec = session.model->analysis.train;
  progress.line("net", spec.net + ", " + std::to_string(weights) + " weights");
  progress.line("data", spec.data + ", " + samples);
  for (const std::string& remark : session.data.remarks) progress.note(remark);
  progress.line("device", session.backend->description());
}

int exit_code(TrainingEnd end) {
  switch (end) {
    case TrainingEnd::diverged: return kExitAuthor;
    case TrainingEnd::interrupted: return kInterruptedExitCode;
    default: return kExitSuccess;
  }
}

}  // namespace

int run_train(Words words, Terminal& terminal) {
  TrainOptions options;
  Arguments arguments("train", "trains a model");
  options.declare(arguments);
  if (!arguments.parse(words)) return terminal.out << arguments.help(), kExitSuccess;
  const Progress log_every = options.log_every.empty() ? kLogEvery : parse_log_every(options.log_every);
  if (!options.log_every.empty() && options.output.empty())
    throw UsageError("`--log-every` says how often metrics.jsonl gets a line, and there is none", "add `--output DIR`");

  const std::string& file = options.model.file;
  AnalyzeOptions analyze_options = options.model.analyze_options();
  analyze_options.resolve = !options.output.empty();
  auto model = load_model(file, analyze_options, [&](ast::File& tree) {
    apply(options.overrides, options.model.train, folder_of(file), tree);
  });
  if (!is_runnable(*model, file, terminal)) return kExitAuthor;

  std::unique_ptr<RunRecord> record;   // before the work: an unwritable folder should not cost an hour
  if (!options.output.empty()) {
    record = std::make_unique<RunRecord>(options.output);
    record->write_resolved(model->analysis.resolved);
  }
  const auto session = open_session(std::move(model), data_root_of(file, options.machine), options.machine, terminal);
  if (!session) return kExitAuthor;

  const auto progress = choose_progress(terminal);
  say_what_runs(*session, *progress);
  const InterruptGuard interrupt;
  TrainingJob job = session->job();
  job.log_every = log_every;
  job.record = record.get();
  job.progress = progress.get();
  job.stop = interrupt.flag();
  Diagnostics diagnostics(session->model->sources);
  const TrainingOutcome outcome = train(job, diagnostics);
  if (!accept(diagnostics, file, terminal)) return kExitAuthor;
  return exit_code(outcome.end);
}

}  // namespace netc
