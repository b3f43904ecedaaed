// How much of the processor's multiply-add rate generated kernels reach: the training step of the seed net (784-1024-
// 1024-10, dropout, RMSprop), whole and by groups of kernels, on one worker and on all; and the step of a tiny net.
//
//   bench_kernels [rounds] [batch] [target]
//
// Rounds as in bench/rounds.h: the peak is probed in each, and disturbed ones are left out.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bench/fma_peak.h"
#include "bench/rounds.h"
#include "runtime/backend/cpu/cpu_backend.h"
#include "runtime/backend/cpu/detect.h"
#include "tests/cpu/backend_runs.h"
#include "tests/cpu/mlp_program.h"

namespace netc::bench {
namespace {

// A program loaded for some threads, with weights in it.
struct Loaded {
  std::unique_ptr<Backend> backend;
  LoadedGroup group;
  int64_t batch = 0;
  uint32_t update = 0;

  double run(int64_t steps) {
    StepContext context;
    context.tower_rows = {batch};
    context.scalars = {{"learning_rate", 1e-3}, {"inverse_batch", 1.0 / static_cast<double>(batch)}};
    context.feed = [](BufferId, int, int64_t, int64_t, void*) {};   // inputs stay: copying bytes is no kernel
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < steps; ++i) {
      context.update = update++;
      group.programs[0]->run(context);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
};

std::shared_ptr<Loaded> load(const Program& program, const Target& target, int64_t batch, int threads) {
  auto loaded = std::make_shared<Loaded>();
  CpuOptions options;
  options.target = target.name;
  loaded->backend = make_cpu_backend(options);
  loaded->batch = batch;
  const std::vector<Program> programs{program};
  LoadRequest request;
  request.programs = &programs;
  request.tower_threads = {threads};
  loaded->group = loaded->backend->load(request);
  for (const Buffer& b : program.buffers) {
    if (b.kind != BufferKind::parameter) continue;
    std::vector<float> values(static_cast<size_t>(b.rows.count * b.columns));
    for (size_t i = 0; i < values.size(); ++i) values[i] = made_up(b.name, 0, static_cast<int64_t>(i)) * 0.05f;
    loaded->group.parameters->write(b.name, values);
  }
  return loaded;
}

// Only the steps whose kernels are wanted.
Program only(const Program& whole, const std::function<bool(const std::string&)>& wanted) {
  Program part = whole;
  std::erase_if(part.steps, [&](const Step& step) { return !wanted(whole.kernels[static_cast<size_t>(step.kernel)].name); });
  return part;
}

double product_flops(const Program& program, int64_t batch) {
  double flops = 0;
  for (const Step& step : program.steps) {
    const Kernel& kernel = program.kernels[static_cast<size_t>(step.kernel)];
    if (!match_matrix_product(kernel, nullptr)) continue;
    double product = 2;
    for (const Axis& axis : kernel.axes)
      product *= static_cast<double>(axis.extent.count * (axis.extent.times_batch ? batch : 1));
    flops += product;
  }
  return flops;
}

int run(int rounds, int64_t batch, const Target& target) {
  MlpShape shape;
  shape.batch_capacity = batch;
  const Program seed_net = MlpProgram(shape, target).build();
  const Program tiny_net = MlpProgram({{32, 64, 64, 10}, 32, 0.2, true}, target).build();
  const auto named = [](std::string word) { return [word](const std::string& name) { return name.find(word) != std::string::npos; }; };

  std::vector<Contender> contenders;
  const auto add = [&](const std::string& name, const Program& program, int64_t rows, int threads) {
    const auto loaded = load(program, target, rows, threads);
    contenders.push_back({name, threads, product_flops(program, rows), rows, [loaded](int64_t steps) { return loaded->run(steps); }});
  };
  const int cores = usable_cores();
  for (int threads = 1; threads <= cores; threads += std::max(1, cores - 1)) {
    add("seed net", seed_net, batch, threads);
    add("  forward", only(seed_net, named("_matmul_add")), batch, threads);
    add("  input gradients", only(seed_net, named("matmul_relu_dropout_gradient")), batch, threads);
    add("  weight gradients, RMSprop", only(seed_net, named("weight_gradient")), batch, threads);
    add("  bias gradients, RMSprop", only(seed_net, named("bias_gradient")), batch, threads);
    add("  input and loss", only(seed_net, [](const std::string& n) { return n == "softmax_cross_entropy" || n == "image_to_float" || n == "loss_sum"; }), batch, threads);
    add("tiny net", tiny_net, 32, threads);
  }
  RoundsOptions options;
  options.rounds = rounds;
  options.turn_seconds = 0.1;
  const RoundsReport report = run_rounds(contenders, options);
  std::printf("\n%s, batch %lld, peak %.1f / %.1f GF/s on 1 / %d cores; %d rounds, %d thrown away%s\n", target.name.c_str(),
              static_cast<long long>(batch), report.peak_one * 1e-9, report.peak_all * 1e-9, report.cores, report.accepted,
              report.rejected, report.disturbed ? " (machine never quiet: figures are disturbed)" : "");
  for (const Figure& f : report.figures) {
    std::printf("%d cores  %-28s median %9.1f us  best %9.1f us", f.cores, f.name.c_str(), f.median_seconds() * 1e6, f.best_seconds() * 1e6);
    if (f.flops > 0) std::printf("  %5.1f %% of the peak", 100 * f.median_peak_share());
    std::printf("\n");
  }
  return 0;
}

}  // namespace
}  // namespace netc::bench

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  const long long batch = argc > 2 ? std::atoll(argv[2]) : 128;
  const netc::Target* target = argc > 3 ? netc::find_target(argv[3]) : &netc::detect_cpu_target();
  if (rounds < 1 || batch < 1 || target == nullptr) {
    std::fprintf(stderr, "usage: bench_kernels [rounds] [batch] [avx512 | avx2 | plain]\n");
    return 1;
  }
  return netc::bench::run(rounds, batch, *target);
}
