#include "cli/session.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <ostream>
#include <thread>

#include "cli/arguments.h"
#include "cli/placement.h"
#include "cli/terminal.h"
#include "runtime/backend/cpu/cpu_backend.h"
#include "runtime/backend/reference/reference_backend.h"
#include "runtime/backend/sim/sim_devices.h"
#include "runtime/gpu/gpu_backend.h"
#include "runtime/memory_use.h"

namespace netc {
namespace {

// The backend asked for; without a word, the fast one if this machine has a compiler for it.
std::unique_ptr<Backend> choose_backend(const MachineOptions& machine, Terminal& terminal) {
  const std::string& name = machine.backend;
  if (name == "reference") return make_reference_backend(machine.bounded ? Arithmetic::bounded : Arithmetic::f32);
  CpuOptions options;
  options.notice = [&terminal](const std::string& sentence) { terminal.err << "netc: " << sentence << "\n"; };
  if (name == "cpu") return make_cpu_backend(std::move(options));
  try {
    return make_cpu_backend(std::move(options));
  } catch (const CompilerMissing& missing) {
    terminal.err << "netc: " << missing.what() << "\n  going on with the interpreter, some hundred times slower\n";
    return make_reference_backend(Arithmetic::f32);
  }
}

// Worker threads of each tower: what its plan says, the rest of `total` (else of the cores) dealt evenly to the others;
// at least one each. Empty if nobody asked for anything.
std::vector<int> tower_threads(const Plan& plan, std::optional<int64_t> total) {
  std::vector<int> threads;
  int64_t asked = 0, open = 0;
  for (const TowerSpec& tower : plan.towers) {
    threads.push_back(tower.threads);
    asked += tower.threads;
    open += tower.threads == 0;
  }
  if (asked == 0 && !total) return {};
  int64_t left = std::max<int64_t>(0, total.value_or(std::thread::hardware_concurrency()) - asked);
  for (int& own : threads) {
    if (own > 0) continue;
    own = static_cast<int>(std::max<int64_t>(1, (left + open - 1) / open));
    left = std::max<int64_t>(0, left - own);
    --open;
  }
  return threads;
}

// Simulated GPUs, one a tower, sharing the cores of this machine.
std::unique_ptr<Backend> make_simulated_backend(const Session& session, const MachineOptions& machine) {
  if (!machine.backend.empty())
    throw UsageError("`--backend " + machine.backend + "` is for towers on the processor", "leave it out, or name cpu:0 as a tower");
  SimulatedGpus gpus;
  gpus.count = static_cast<int>(session.plan.towers.size());
  const int64_t threads = machine.threads.value_or(std::thread::hardware_concurrency());
  gpus.threads = static_cast<int>(std::max<int64_t>(1, threads / gpus.count));
  GpuOptions options;
  options.span_text = [&sources = session.model->sources](Span span) { return sources.describe(span); };
  return make_gpu_backend(make_simulated_gpus(gpus), std::move(options));
}

void load_programs(Session& session, const MachineOptions& machine, Terminal& terminal) {
  const Analysis& analysis = session.model->analysis;
  session.plan = resolve_towers(analysis.plan);
  const bool simulated = session.plan.towers.front().device.kind == DeviceKind::sim;
  CompileRequest request;
  request.target = simulated ? gpu_target() : choose_target("");
  request.memory = simulated ? TowerMemory::separate : TowerMemory::shared;
  request.bucket_bytes = session.plan.bucket_bytes;
  if (simulated) request.products = cuda_products();
  request.batch_capacity = plan_batches(analysis.train, session.plan, 0).tower_capacity;
  request.towers = placements(session.plan);
  LoadRequest load;
  load.tower_count = static_cast<int>(session.plan.towers.size());
  if (simulated) {
    session.backend = make_simulated_backend(session, machine);
    session.prober = make_reference_backend(Arithmetic::f32);
    session.compiled = compile(analysis.graph, analysis.train, request);
    const std::vector<TowerProgram> plans{session.compiled.train, session.compiled.evaluate, session.compiled.predict};
    load.separate = &plans;
    session.group = session.backend->load(load);
    return;
  }
  session.backend = choose_backend(machine, terminal);
  session.compiled = compile(analysis.graph, analysis.train, request);
  load.programs = &session.compiled.programs;
  load.tower_threads = tower_threads(session.plan, machine.threads);
  session.group = session.backend->load(load);
}

}  // namespace

void MachineOptions::declare(Arguments& arguments) {
  arguments.option("--data-root", "DIR", "where relative paths of `data` begin (else the folder of the model)", &data_root)
      .option("--threads", "N", "worker threads of all towers together (else one a core)", &threads)
      .option("--backend", "NAME", "generated kernels, or the slow interpreter that defines what is right", &backend)
      .one_of({"cpu", "reference"});
}

TrainingJob Session::job() {
  TrainingJob job;
  job.spec = &model->analysis.train;
  job.plan = &plan;
  job.data = &data;
  job.programs = &compiled.programs;
  job.group = &group;
  job.backend = backend.get();
  job.prober = prober ? prober.get() : backend.get();
  job.base_bytes = base_bytes;
  for (const Parameter& parameter : model->analysis.graph.parameters)
    job.weights.push_back({parameter.path, parameter.type.shape, parameter.init, parameter.trainable});
  for (const State& state : compiled.gradient.states) job.states.push_back({state.name, state.type.shape, state.initial});
  return job;
}

bool is_runnable(Model& model, const std::string& file, Terminal& terminal) {
  if (!model.diagnostics.has_errors()) report_unavailable(model.analysis, model.diagnostics);
  return accept(model.diagnostics, file, terminal);
}

std::string folder_of(const std::string& file) {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

DataRoot data_root_of(const std::string& file, const MachineOptions& machine) {
  if (!machine.data_root.empty()) return {machine.data_root, "--data-root"};
  return {folder_of(file), "the folder of " + file};
}

LoadedProgram& Session::loaded(const std::string& program) {
  const Program* found = find_program(compiled.programs, program);
  return *group.programs.at(static_cast<size_t>(found - compiled.programs.data()));
}

std::unique_ptr<Session> load_session(std::unique_ptr<Model> model, const MachineOptions& machine, Terminal& terminal) {
  auto session = std::make_unique<Session>();
  session->model = std::move(model);
  load_programs(*session, machine, terminal);
  return session;
}

std::unique_ptr<Session> open_session(std::unique_ptr<Model> model, const DataRoot& data_root,
                                      const MachineOptions& machine, Terminal& terminal) {
  auto session = std::make_unique<Session>();
  session->base_bytes = resident_memory_bytes();
  session->model = std::move(model);
  Diagnostics diagnostics(session->model->sources);
  auto data = std::async(std::launch::async, [&, &spec = session->model->analysis.data] {
    return open_dataset(spec, data_root, diagnostics);
  });   // declared last: waits for the thread before what it uses goes, whatever is thrown
  load_programs(*session, machine, terminal);
  session->data = data.get();
  if (!accept(diagnostics, session->model->sources.path(0), terminal)) return nullptr;
  return session;
}

}  // namespace netc
