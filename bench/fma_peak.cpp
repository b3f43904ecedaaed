#include "bench/fma_peak.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace netc::bench {
namespace {

using Clock = std::chrono::steady_clock;
volatile float sink;

// kChains independent chains of a = a * b + c hide the latency of the unit. Inlined into functions that set the target,
// so that one text serves every width.
template <class Vector, int kChains>
[[gnu::always_inline]] inline double run_chains(double seconds) {
  constexpr int kLanes = sizeof(Vector) / sizeof(float);
  constexpr int kInner = 20000;
  Vector a[kChains];
  for (int i = 0; i < kChains; ++i) a[i] = Vector{} + 0.001f * static_cast<float>(i);
  const Vector b = Vector{} + 0.9999f, c = Vector{} + 0.0001f;
  const auto start = Clock::now();
  double elapsed = 0, operations = 0;
  while (elapsed < seconds) {
    for (int k = 0; k < kInner; ++k) {
#pragma GCC unroll 32
      for (int i = 0; i < kChains; ++i) a[i] = a[i] * b + c;
    }
    operations += 2.0 * kLanes * kChains * kInner;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  Vector sum = a[0];
  for (int i = 1; i < kChains; ++i) sum += a[i];
  sink = sum[0];
  return operations / elapsed;
}

typedef float Lanes4 __attribute__((vector_size(16)));
double plain(double seconds) { return run_chains<Lanes4, 10>(seconds); }

#if defined(__x86_64__)
typedef float Lanes8 __attribute__((vector_size(32)));
typedef float Lanes16 __attribute__((vector_size(64)));
[[gnu::target("avx2,fma")]] double avx2(double seconds) { return run_chains<Lanes8, 12>(seconds); }
[[gnu::target("avx512f")]] double avx512(double seconds) { return run_chains<Lanes16, 24>(seconds); }
#endif

struct Kind {
  const char* name;
  double (*run)(double seconds);
};

Kind widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {"avx512", avx512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {"avx2", avx2};
#endif
  return {"plain", plain};
}

std::vector<int> usable_core_numbers() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  return cores;
}

}  // namespace

const char* fma_peak_kind() { return widest().name; }

int usable_cores() { return static_cast<int>(usable_core_numbers().size()); }

double fma_peak(int threads, double seconds) {
  const auto run = widest().run;
  const std::vector<int> cores = usable_core_numbers();
  std::vector<double> rates(static_cast<size_t>(threads));
  std::vector<std::thread> workers;
  std::atomic<int> ready{0};
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      cpu_set_t mask;
      CPU_ZERO(&mask);
      CPU_SET(cores[static_cast<size_t>(t) % cores.size()], &mask);
      pthread_setaffinity_np(pthread_self(), sizeof mask, &mask);
      ready.fetch_add(1);
      while (ready.load() < threads) std::this_thread::yield();
      rates[static_cast<size_t>(t)] = run(seconds);
    });
  for (std::thread& worker : workers) worker.join();
  double total = 0;
  for (double rate : rates) total += rate;
  return total;
}

}  // namespace netc::bench
