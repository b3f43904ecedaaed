// netc predict: the outputs of a trained net for samples that have no targets.
#include <algorithm>
#include <numeric>
#include <ostream>
#include <sstream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/prediction_file.h"
#include "cli/run_folder.h"
#include "cli/session.h"
#include "runtime/step_runner.h"

namespace netc {
namespace {

// What the predict program reads: fields of the data, by the names of the net's inputs.
std::vector<FieldSpec> input_fields(const Session& session, const Program& program) {
  const Analysis& analysis = session.model->analysis;
  std::vector<FieldSpec> fields;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.kind != BufferKind::input) continue;
    std::string name = buffer.name;
    for (const auto& [input, field] : analysis.train.inputs)
      if (input == buffer.name) name = field;
    for (const FieldSpec& field : analysis.data.fields)
      if (field.name == name) fields.push_back(field);
  }
  return fields;
}

std::string reader_for(const std::string& path) {
  if (path.ends_with(".csv")) return "csv";
  if (path.ends_with(".npy")) return "npy";
  return "idx";
}

// --input FILE for a table or a single input, --input FIELD=FILE for one file an input.
DataSpec input_spec(const Session& session, std::vector<FieldSpec> fields, const std::vector<std::string>& inputs) {
  ReaderSpec reader;
  for (const ReaderSpec& split : session.model->analysis.data.splits)
    if (split.split == "train") reader = split;   // its separator and its text for a missing value
  reader.split = "input";
  reader.files.clear();
  reader.part = {};
  reader.shuffle.reset();
  for (const std::string& input : inputs) {
    const size_t equals = input.find('=');
    const std::string path = equals == std::string::npos ? input : input.substr(equals + 1);
    std::string field = equals == std::string::npos ? "" : input.substr(0, equals);
    reader.reader = reader_for(path);
    if (reader.reader != "csv" && field.empty()) {
      if (fields.size() != 1) {
        std::string forms;
        for (const FieldSpec& each : fields) forms += " --input " + each.name + "=FILE";
        throw UsageError("the net has " + std::to_string(fields.size()) + " inputs, and `" + path + "` holds one", "give" + forms);
      }
      field = fields.front().name;
    }
    reader.files.emplace_back(field, path);
  }
  reader.file_spans.assign(reader.files.size(), Span{});
  reader.span = {};
  DataSpec spec;
  spec.name = session.model->analysis.data.name;
  spec.splits.push_back(std::move(reader));
  spec.fields = std::move(fields);
  return spec;
}

std::vector<OutputColumn> choose_outputs(const Program& program, const std::string& wanted) {
  std::vector<OutputColumn> all, chosen;
  for (const NamedBuffer& result : program.results)
    all.push_back({result.name, program.buffers[static_cast<size_t>(result.buffer)].shape});
  if (wanted.empty()) return all;
  std::istringstream names(wanted);
  for (std::string name; std::getline(names, name, ',');) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const OutputColumn& column) { return column.name == name; });
    if (found == all.end()) {
      std::string have;
      for (const OutputColumn& column : all) have += (have.empty() ? "" : ", ") + column.name;
      throw UsageError("`--outputs`: the net has no output `" + name + "`", "it has " + have);
    }
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace

int run_predict(Words words, Terminal& terminal) {
  std::string run, out, outputs;
  std::vector<std::string> inputs;
  MachineOptions machine;
  Arguments arguments("predict", "runs a trained model on new data");
  arguments.positional("RUN", "a folder written by `netc train --output`", &run)
      .option("--input", "FILE", "samples without targets: .csv, .npy, or idx (.gz too); FIELD=FILE for one of several inputs",
              &inputs)
      .required()
      .option("-o,--out", "FILE", "where the answers go: .csv, .jsonl or .npy", &out)
      .required()
      .option("--outputs", "NAMES", "only these outputs of the net, with commas between", &outputs);
  machine.declare(arguments);
  arguments.example("netc predict runs/concrete --input models/concrete.csv -o strength.csv", "one line a row of the table")
      .example("netc predict runs/fashion --input t10k-images-idx3-ubyte.gz --outputs probs -o probs.npy", "for NumPy");
  if (!arguments.parse(words)) return terminal.out << arguments.help(), kExitSuccess;

  TrainedModel trained = open_run(run, {}, machine);
  if (!is_runnable(*trained.model, run, terminal)) return kExitAuthor;
  // Everything but the data of the training.
  const auto session = load_session(std::move(trained.model), machine, terminal);
  const TrainingJob job = session->job();
  Diagnostics diagnostics(session->model->sources);
  start_weights(job, diagnostics);
  const Program& program = program_named(session->compiled.programs, "predict");
  session->data = open_dataset(input_spec(*session, input_fields(*session, program), inputs), {}, diagnostics);
  if (!accept(diagnostics, run, terminal)) return kExitAuthor;

  const Split& split = session->data.splits.front();
  const std::vector<OutputColumn> columns = choose_outputs(program, outputs);
  const auto file = make_prediction_file(out, columns, split.rows());
  const BatchPlan batches = plan_batches(*job.spec, session->plan, 0);
  StepRunner runner(program, session->loaded("predict"), split, job.spec->inputs, batches.shares, job.spec->seed);
  std::vector<uint32_t> rows(static_cast<size_t>(split.rows()));
  std::iota(rows.begin(), rows.end(), 0u);
  std::vector<std::vector<float>> values(columns.size());
  for (size_t begin = 0; begin < rows.size();) {
    const size_t count = std::min(rows.size() - begin, static_cast<size_t>(runner.most_rows()));
    runner.run(std::span(rows).subspan(begin, count), 0, 0);
    for (size_t i = 0; i < columns.size(); ++i) runner.loaded().read_output(columns[i].name, &values[i]);
    file->add(static_cast<int64_t>(count), values);
    begin += count;
  }
  file->finish();
  terminal.out << out << ": " << split.rows() << " rows\n";
  return kExitSuccess;
}

}  // namespace netc
