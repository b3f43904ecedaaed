// The persistent threads that run generated kernels. The thread that calls run() is worker 0.
//
// Waiting is a short spin (a stage of a training step is over in microseconds) and then a sleep in the kernel, so that
// an idle or overcommitted machine is not kept busy. Every worker flushes subnormal numbers to zero while it works:
// squared gradients decay into them, and each would cost a hundred cycles.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace netc {

inline constexpr int kCacheLineBytes = 64;

// All workers meet; nobody leaves before the last has come.
class Barrier {
 public:
  // spins: how often a waiting worker looks before it sleeps.
  void reset(int workers, int spins) {
    workers_ = workers;
    spins_ = spins;
  }
  void wait();

 private:
  int workers_ = 1;
  int spins_ = 0;
  alignas(kCacheLineBytes) std::atomic<int> arrived_{0};
  alignas(kCacheLineBytes) std::atomic<int> generation_{0};
};

// Subnormals count as zero on this thread while it lives; then the former state is back.
class FlushSubnormals {
 public:
  FlushSubnormals();
  ~FlushSubnormals();
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
  uint64_t saved_;
};

class WorkerPool {
 public:
  // pin: keep worker i on the i-th core this process may use.
  explicit WorkerPool(int workers, bool pin = false);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  Barrier& barrier() { return barrier_; }

  // Calls work(context, worker) on every worker and returns when all are done. Not reentrant. `work` must not throw.
  using Work = void (*)(void* context, int worker);
  void run(Work work, void* context);

 private:
  void serve(int worker);

  std::vector<std::thread> threads_;
  int spins_;
  Barrier barrier_;
  Work work_ = nullptr;
  void* context_ = nullptr;
  alignas(kCacheLineBytes) std::atomic<int> call_{0};        // counts up with every run; negative: the end
  alignas(kCacheLineBytes) std::atomic<int> unfinished_{0};
};

}  // namespace netc
