#include "cli/session.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <ostream>

#include "cli/arguments.h"
#include "cli/placement.h"
#include "cli/terminal.h"
#include "runtime/backend/cpu/cpu_backend.h"
#include "runtime/backend/reference/reference_backend.h"

namespace netc {
namespace {

// The backend asked for; without a word, the fast one if this machine has a compiler for it.
std::unique_ptr<Backend> choose_backend(const std::string& name, Terminal& terminal) {
  if (name == "reference") return make_reference_backend(ReferencePrecision::f32);
  if (name == "cpu" || find_host_compiler()) return make_cpu_backend();
  terminal.err << "netc: no C compiler (gcc or clang) was found: kernels are interpreted, which is some hundred times "
                  "slower\n  try: apt-get install gcc\n";
  return make_reference_backend(ReferencePrecision::f32);
}

// `total` threads dealt to the towers that do not say how many they want; every tower has at least one.
std::vector<int> tower_threads(const Plan& plan, std::optional<int64_t> total) {
  const int towers = static_cast<int>(plan.towers.size());
  std::vector<int> threads;
  for (int t = 0; t < towers; ++t) {
    const int own = plan.towers[static_cast<size_t>(t)].threads;
    if (own == 0 && !total) return {};
    const int even = total ? static_cast<int>((*total + towers - 1 - t) / towers) : 1;
    threads.push_back(own > 0 ? own : std::max(1, even));
  }
  return threads;
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
  for (const Parameter& parameter : model->analysis.graph.parameters)
    job.weights.push_back({parameter.path, parameter.type.shape, parameter.init, parameter.trainable});
  for (const State& state : compiled.gradient.states) job.states.push_back({state.name, state.type.shape, state.initial});
  return job;
}

std::unique_ptr<Session> open_session(std::unique_ptr<Model> model, const MachineOptions& machine, Terminal& terminal) {
  if (!model->diagnostics.has_errors()) report_unavailable(model->analysis, model->diagnostics);
  const std::string& file = model->sources.path(0);
  if (!accept(model->diagnostics, file, terminal)) return nullptr;

  auto session = std::make_unique<Session>();
  session->model = std::move(model);
  const Analysis& analysis = session->model->analysis;
  session->data_diagnostics = std::make_unique<Diagnostics>(session->model->sources);
  const std::string data_root =
      machine.data_root.empty() ? std::filesystem::path(file).parent_path().string() : machine.data_root;
  auto data = std::async(std::launch::async, [&analysis, &data_root, &session] {
    return open_dataset(analysis.data, data_root, *session->data_diagnostics);
  });

  session->plan = resolve_towers(analysis.plan);
  session->backend = choose_backend(machine.backend, terminal);
  CompileRequest request;
  request.target = choose_target("");
  request.batch_capacity = plan_batches(analysis.train, session->plan, 0).tower_capacity;
  request.towers = placements(session->plan);
  session->compiled = compile(analysis.graph, analysis.train, request);
  LoadRequest load;
  load.programs = &session->compiled.programs;
  load.tower_count = static_cast<int>(session->plan.towers.size());
  load.tower_threads = tower_threads(session->plan, machine.threads);
  session->group = session->backend->load(load);

  session->data = data.get();
  if (!accept(*session->data_diagnostics, file, terminal)) return nullptr;
  return session;
}

}  // namespace netc
