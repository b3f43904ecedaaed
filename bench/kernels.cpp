// How much of the processor's multiply-add rate generated kernels reach: the training step of the seed net (784-1024-
// 1024-10, dropout, RMSprop), whole and by groups of kernels, on one worker and on all.
//
//   bench_kernels [rounds] [batch] [target]
//
// Every round measures the peak and all contenders one after the other; rounds during which others worked are left out.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bench/fma_peak.h"
#include "bench/quiet.h"
#include "runtime/backend/cpu/cpu_backend.h"
#include "runtime/backend/cpu/detect.h"
#include "tests/cpu/backend_runs.h"
#include "tests/cpu/mlp_program.h"

namespace netc::bench {
namespace {

constexpr double kForeignLimit = 0.08;   // cores

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Contender {
  std::string name;
  int threads;
  double flops;
  std::unique_ptr<Backend> backend;
  LoadedGroup group;
  int64_t batch;
  std::vector<double> seconds;   // of undisturbed rounds
  std::vector<double> of_peak;
};

// The product kernels whose names hold a word, and how many multiply-adds they do for a batch.
Program only(const Program& whole, const std::function<bool(const Kernel&)>& wanted, int64_t batch, double* flops) {
  Program part = whole;
  std::erase_if(part.steps, [&](const Step& step) { return !wanted(whole.kernels[static_cast<size_t>(step.kernel)]); });
  *flops = 0;
  for (const Step& step : part.steps) {
    const Kernel& kernel = whole.kernels[static_cast<size_t>(step.kernel)];
    if (!match_matrix_product(kernel, nullptr)) continue;
    double product = 2;
    for (const Axis& axis : kernel.axes)
      product *= static_cast<double>(axis.extent.count * (axis.extent.times_batch ? batch : 1));
    *flops += product;
  }
  return part;
}

double run_steps(Contender& c, int steps) {
  StepContext context;
  context.tower_rows = {c.batch};
  context.scalars = {{"learning_rate", 1e-3}, {"inverse_batch", 1.0 / static_cast<double>(c.batch)}};
  context.feed = [](BufferId, int, int64_t, int64_t, void*) {};   // inputs stay what they are: bytes copied are no kernel
  const double start = now();
  for (int i = 0; i < steps; ++i) {
    context.update = static_cast<uint32_t>(i);
    c.group.programs[0]->run(context);
  }
  return (now() - start) / steps;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void write_parameters(const Program& program, Parameters& parameters) {
  for (const Buffer& b : program.buffers) {
    if (b.kind != BufferKind::parameter) continue;
    std::vector<float> values(static_cast<size_t>(b.rows.count * b.columns));
    for (size_t i = 0; i < values.size(); ++i) values[i] = made_up(b.name, 0, static_cast<int64_t>(i)) * 0.05f;
    parameters.write(b.name, values);
  }
}

int run(int rounds, int64_t batch, const Target& target) {
  MlpShape shape;
  shape.batch_capacity = batch;
  const Program whole = MlpProgram(shape, target).build();
  const auto named = [](std::string word) {
    return [word](const Kernel& k) { return k.name.find(word) != std::string::npos; };
  };
  struct Group {
    const char* name;
    std::function<bool(const Kernel&)> wanted;
  };
  const std::vector<Group> groups{{"whole step", [](const Kernel&) { return true; }},
                                  {"forward", named("_matmul_add")},
                                  {"input gradient", named("matmul_relu_dropout_gradient")},
                                  {"weight gradient", named("weight_gradient")},
                                  {"bias gradient", named("bias_gradient")},
                                  {"loss and input", [](const Kernel& k) { return k.name == "softmax_cross_entropy" || k.name == "image_to_float" || k.name == "loss_sum"; }}};
  std::vector<Contender> contenders;
  const int cores = usable_cores();
  for (int threads = 1; threads <= cores; threads += std::max(1, cores - 1))
    for (const Group& group : groups) {
      Contender c{group.name, threads, 0, nullptr, {}, batch, {}, {}};
      const std::vector<Program> programs{only(whole, group.wanted, batch, &c.flops)};
      CpuOptions options;
      options.target = target.name;
      c.backend = make_cpu_backend(options);
      LoadRequest request;
      request.programs = &programs;
      request.tower_threads = {threads};
      c.group = c.backend->load(request);
      write_parameters(whole, *c.group.parameters);
      contenders.push_back(std::move(c));
    }
  int disturbed = 0;
  double best_peak[2] = {0, 0};
  for (int round = 0; round < rounds; ++round) {
    wait_until_quiet(kForeignLimit, 2);
    for (Contender& c : contenders) {
      const double peak = fma_peak(c.threads);
      run_steps(c, 1);
      ForeignLoad foreign;
      foreign.begin();
      const double seconds = run_steps(c, c.flops > 1e8 ? 10 : 100);
      best_peak[c.threads > 1] = std::max(best_peak[c.threads > 1], peak);
      if (foreign.cores() > kForeignLimit) {
        ++disturbed;
        if (!c.seconds.empty() && seconds > c.seconds[0]) continue;   // kept only if it is the best so far all the same
      }
      c.seconds.push_back(seconds);
      c.of_peak.push_back(c.flops / seconds / peak);
    }
  }
  std::printf("%s, batch %lld, peak %.1f / %.1f GF/s on 1 / %d cores, %d of %zu measurements disturbed\n", target.name.c_str(),
              static_cast<long long>(batch), best_peak[0] * 1e-9, best_peak[1] * 1e-9, cores, disturbed,
              static_cast<size_t>(rounds) * contenders.size());
  for (Contender& c : contenders) {
    if (c.seconds.empty()) continue;
    const double best = *std::min_element(c.seconds.begin(), c.seconds.end());
    std::printf("%d threads  %-16s best %8.3f ms  median %8.3f ms", c.threads, c.name.c_str(), best * 1e3, median(c.seconds) * 1e3);
    if (c.flops > 0)
      std::printf("  %5.1f %% of the best peak seen", 100 * c.flops / best / best_peak[c.threads > 1]);
    std::printf("\n");
  }
  return 0;
}

}  // namespace
}  // namespace netc::bench

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  const long long batch = argc > 2 ? std::atoll(argv[2]) : 128;
  const netc::Target* target = argc > 3 ? netc::find_target(argv[3]) : &netc::detect_cpu_target();
  if (rounds < 1 || batch < 1 || target == nullptr) {
    std::fprintf(stderr, "usage: bench_kernels [rounds] [batch] [avx512 | avx2 | plain]\n");
    return 1;
  }
  return netc::bench::run(rounds, batch, *target);
}
