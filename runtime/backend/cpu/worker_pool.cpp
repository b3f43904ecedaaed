#include "runtime/backend/cpu/worker_pool.h"

#include <sched.h>

#include "runtime/backend/cpu/detect.h"

namespace netc {
namespace {

constexpr int kSpins = 3000;        // some tens of microseconds: longer than stages usually differ
constexpr int kSpinsCrowded = 30;   // more workers than cores: the one waited for may need this very core

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Until the value is no longer `old`.
void wait_for_change(std::atomic<int>& value, int old, int spins) {
  for (int i = 0; i < spins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

void pin_to_core(int index) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || index-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);   // a wish: where it is refused, the kernel places the thread
    return;
  }
}

}  // namespace

void Barrier::wait() {
  if (workers_ == 1) return;
  const int generation = generation_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_) {
    arrived_.store(0, std::memory_order_relaxed);
    generation_.store(generation + 1, std::memory_order_release);
    generation_.notify_all();
    return;
  }
  wait_for_change(generation_, generation, spins_);
}

#if defined(__x86_64__)
FlushSubnormals::FlushSubnormals() : saved_(__builtin_ia32_stmxcsr()) {
  __builtin_ia32_ldmxcsr(static_cast<unsigned>(saved_) | 0x8040);   // flush to zero, subnormals are zero
}
FlushSubnormals::~FlushSubnormals() { __builtin_ia32_ldmxcsr(static_cast<unsigned>(saved_)); }
#elif defined(__aarch64__)
FlushSubnormals::FlushSubnormals() {
  asm volatile("mrs %0, fpcr" : "=r"(saved_));
  asm volatile("msr fpcr, %0" ::"r"(saved_ | (uint64_t{1} << 24)));
}
FlushSubnormals::~FlushSubnormals() { asm volatile("msr fpcr, %0" ::"r"(saved_)); }
#else
FlushSubnormals::FlushSubnormals() : saved_(0) {}
FlushSubnormals::~FlushSubnormals() {}
#endif

WorkerPool::WorkerPool(int workers, bool pin) : spins_(workers > available_cores() ? kSpinsCrowded : kSpins) {
  barrier_.reset(workers, spins_);
  for (int worker = 1; worker < workers; ++worker)
    threads_.emplace_back([this, worker, pin] {
      if (pin) pin_to_core(worker);
      serve(worker);
    });
}

WorkerPool::~WorkerPool() {
  call_.store(-1, std::memory_order_release);
  call_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::serve(int worker) {
  const FlushSubnormals flush;
  int last = 0;
  for (;;) {
    wait_for_change(call_, last, spins_);
    last = call_.load(std::memory_order_acquire);
    if (last < 0) return;
    work_(context_, worker);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_all();
  }
}

void WorkerPool::run(Work work, void* context) {
  const FlushSubnormals flush;
  if (!threads_.empty()) {
    work_ = work;
    context_ = context;
    unfinished_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
    const int call = call_.load(std::memory_order_relaxed);
    call_.store(call == 0x7fffffff ? 1 : call + 1, std::memory_order_release);
    call_.notify_all();
  }
  work(context, 0);
  for (int left = unfinished_.load(std::memory_order_acquire); left != 0;
       left = unfinished_.load(std::memory_order_acquire))
    wait_for_change(unfinished_, left, spins_);
}

}  // namespace netc
