#include "runtime/backend/cpu/cpu_program.h"

#include <algorithm>

#include "compiler/base/errors.h"
#include "compiler/kernel/scalars.h"

namespace netc {
namespace {

constexpr int64_t kRowsPerFeed = 16;
constexpr int64_t kScratchAlignment = 64;
// Less work than this (scalar operations, roughly) is done sooner by one worker than shared by several.
constexpr double kWorkWorthSharing = 400000;

int stage_count(const std::vector<int>& stage_of_step) {
  return stage_of_step.empty() ? 1 : stage_of_step.back() + 1;
}

}  // namespace

CpuProgram::CpuProgram(const Program& program, std::vector<EmittedKernel> kernels, std::shared_ptr<CompiledUnit> unit,
                       std::shared_ptr<CpuParameters> parameters, std::shared_ptr<WorkerPool> pool, int towers,
                       const std::vector<int>& tower_workers)
    : program_(program), kernels_(std::move(kernels)), unit_(std::move(unit)), parameters_(std::move(parameters)),
      pool_(std::move(pool)), towers_(towers), rows_(static_cast<size_t>(towers), -1),
      first_rows_(static_cast<size_t>(towers), 0), scalar_values_(program.scalars.size()),
      scalars_(program.scalars.size() + 1) {
  int next = 0;
  for (int tower = 0; tower < towers; ++tower) {
    const int count = std::max(1, tower_workers[static_cast<size_t>(tower)]);
    tower_workers_.emplace_back(next % pool_->size(), std::min(count, pool_->size() - next % pool_->size()));
    next += count;
  }
  for (size_t i = 0; i < program_.buffers.size(); ++i)
    if (program_.buffers[i].kind == BufferKind::input && program_.buffers[i].alias_of == kNone) {
      if (program_.buffers[i].layout != Layout::row_major) throw InternalError("an input must be row-major");
      inputs_.push_back(static_cast<BufferId>(i));
    }
  int stage = 0, last = -1;
  for (const Step& step : program_.steps) {
    if (step.stage != last) ++stage;
    last = step.stage;
    stage_of_step_.push_back(stage);
  }
  plan_ = std::make_unique<WorkPlan>(stage_count(stage_of_step_), pool_->size());
  allocate();
  bind_steps();
}

// ---- memory ----

void CpuProgram::allocate() {
  addresses_.assign(static_cast<size_t>(towers_), std::vector<void*>(program_.buffers.size(), nullptr));
  constexpr int64_t kSlack = 128;   // a vector access that begins at the last element ends inside
  const auto arena = [&](int64_t bytes) {
    memory_.emplace_back(static_cast<size_t>(bytes + kSlack));
    return memory_.back().data();
  };
  char* const shared = arena(program_.shared_arena_bytes);
  std::vector<char*> own;
  for (int tower = 0; tower < towers_; ++tower) own.push_back(arena(program_.tower_arena_bytes));

  for (size_t i = 0; i < program_.buffers.size(); ++i) {
    const Buffer& b = program_.buffers[i];
    if (b.alias_of != kNone) continue;
    const int64_t bytes = allocated_elements(b, program_.batch_capacity) * dtype_bytes(b.dtype);
    const bool of_parameters = b.kind == BufferKind::parameter || b.kind == BufferKind::state;
    char* all = nullptr;   // of a buffer that all towers share
    if (of_parameters) all = static_cast<char*>(parameters_->address(b.name));
    else if (!b.rows.times_batch) all = b.arena_offset != kNone ? shared + b.arena_offset : arena(bytes);
    for (int tower = 0; tower < towers_; ++tower) {
      char* address = all;
      if (address == nullptr) address = b.arena_offset != kNone ? own[static_cast<size_t>(tower)] + b.arena_offset : arena(bytes);
      addresses_[static_cast<size_t>(tower)][i] = address;
    }
  }
  for (size_t i = 0; i < program_.buffers.size(); ++i) {
    BufferId root = static_cast<BufferId>(i);
    while (program_.buffers[static_cast<size_t>(root)].alias_of != kNone) root = program_.buffers[static_cast<size_t>(root)].alias_of;
    for (auto& of_tower : addresses_) of_tower[i] = of_tower[static_cast<size_t>(root)];
  }
}

void CpuProgram::bind_steps() {
  int64_t scratch_bytes = 0;
  for (const Step& step : program_.steps) {
    const EmittedKernel& kernel = kernels_[static_cast<size_t>(step.kernel)];
    if (kernel.joint != (step.scope == StepScope::joint))
      throw InternalError("the scope of a step does not fit its kernel " + kernel.symbol);
    RunStep bound;
    bound.function = unit_->function(kernel.symbol, kernel.part);
    bound.kernel = step.kernel;
    for (int tower = 0; tower < towers_; ++tower)
      for (BufferId id : kernel.buffers) bound.buffers.push_back(addresses_[static_cast<size_t>(tower)][static_cast<size_t>(id)]);
    steps_.push_back(std::move(bound));
    scratch_bytes = std::max(scratch_bytes, kernel.scratch_bytes);
  }
  for (int worker = 0; worker < pool_->size(); ++worker) {
    scratch_storage_.emplace_back(static_cast<size_t>(scratch_bytes + kScratchAlignment));
    const auto address = reinterpret_cast<uintptr_t>(scratch_storage_.back().data());
    scratch_.push_back(reinterpret_cast<void*>((address + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment));
  }
}

int64_t CpuProgram::memory_bytes() const {
  int64_t total = 0;
  for (const AlignedMemory& memory : memory_) total += static_cast<int64_t>(memory.bytes());
  for (const auto& storage : scratch_storage_) total += static_cast<int64_t>(storage.size());
  return total;
}

// ---- one run ----

void CpuProgram::plan_work(const std::vector<int64_t>& tower_rows) {
  if (static_cast<int>(tower_rows.size()) != towers_) throw InternalError("rows for another number of towers");
  if (tower_rows == rows_) return;
  int64_t first = 0;
  for (int tower = 0; tower < towers_; ++tower) {
    const size_t t = static_cast<size_t>(tower);
    if (tower_rows[t] < 0 || tower_rows[t] > program_.batch_capacity)
      throw InternalError("a tower is given " + std::to_string(tower_rows[t]) + " rows and has room for " +
                          std::to_string(program_.batch_capacity));
    rows_[t] = tower_rows[t];
    first_rows_[t] = first;
    first += tower_rows[t];
  }
  plan_->clear();
  double work = 0;
  for (size_t i = 0; i < inputs_.size(); ++i)
    for (int tower = 0; tower < towers_; ++tower) {
      const auto [first_worker, count] = tower_workers_[static_cast<size_t>(tower)];
      const int64_t rows = rows_[static_cast<size_t>(tower)];
      plan_->share(0, static_cast<int>(i), tower, (rows + kRowsPerFeed - 1) / kRowsPerFeed, first_worker, count);
      work += static_cast<double>(rows * program_.buffers[static_cast<size_t>(inputs_[i])].columns) / 4;
    }
  for (size_t s = 0; s < steps_.size(); ++s) {
    const EmittedKernel& kernel = kernels_[static_cast<size_t>(steps_[s].kernel)];
    if (kernel.joint) {
      const int64_t items = kernel.item_count(0);
      plan_->share(stage_of_step_[s], static_cast<int>(s), 0, items, 0, pool_->size());
      work += static_cast<double>(items) * kernel.work_per_item;
      continue;
    }
    for (int tower = 0; tower < towers_; ++tower) {
      const auto [first_worker, count] = tower_workers_[static_cast<size_t>(tower)];
      const int64_t items = kernel.item_count(rows_[static_cast<size_t>(tower)]);
      plan_->share(stage_of_step_[s], static_cast<int>(s), tower, items, first_worker, count);
      work += static_cast<double>(items) * kernel.work_per_item;
    }
  }
  alone_ = pool_->size() == 1 || work < kWorkWorthSharing;
}

void CpuProgram::run(const StepContext& context) {
  plan_work(context.tower_rows);
  evaluate_scalars(program_, context.scalars, scalar_values_);
  std::copy(scalar_values_.begin(), scalar_values_.end(), scalars_.begin());
  context_ = &context;
  fault_ = {};
  failed_.store(false, std::memory_order_relaxed);
  batch_ = {.towers = towers_,
            .rows = rows_.data(),
            .first_rows = first_rows_.data(),
            .scalars = scalars_.data(),
            .seed_low = static_cast<uint32_t>(context.seed),
            .seed_high = static_cast<uint32_t>(context.seed >> 32),
            .update = context.update,
            .fault = &fault_};
  if (alone_) {
    const FlushSubnormals flush;
    for (int stage = 0; stage < plan_->stages() && !failed_.load(std::memory_order_relaxed); ++stage)
      plan_->work_alone(stage, [&](const WorkSegment& segment, int64_t item) {
        if (stage == 0) return feed(segment, item);
        const RunStep& step = steps_[static_cast<size_t>(segment.step)];
        step.function(&batch_, step.buffers.data(), segment.tower, item, scratch_[0]);
      });
  } else {
    plan_->rewind();
    pool_->run([](void* self, int worker) { static_cast<CpuProgram*>(self)->work(worker); }, this);
  }
  context_ = nullptr;
  if (failed_.load(std::memory_order_relaxed)) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (fault_.raised != 0) report_fault();
}

void CpuProgram::work(int worker) {
  for (int stage = 0; stage < plan_->stages(); ++stage) {
    plan_->work(stage, worker, [&](const WorkSegment& segment, int64_t item) {
      if (stage == 0) return feed(segment, item);
      const RunStep& step = steps_[static_cast<size_t>(segment.step)];
      step.function(&batch_, step.buffers.data(), segment.tower, item, scratch_[static_cast<size_t>(worker)]);
    });
    if (stage + 1 == plan_->stages()) break;   // the pool itself waits for all at the end
    pool_->barrier().wait();
    if (failed_.load(std::memory_order_relaxed)) return;   // every worker sees the same value: set before the barrier
  }
}

void CpuProgram::feed(const WorkSegment& segment, int64_t item) {
  const BufferId id = inputs_[static_cast<size_t>(segment.step)];
  const Buffer& b = program_.buffers[static_cast<size_t>(id)];
  const int64_t begin = item * kRowsPerFeed;
  const int64_t end = std::min(begin + kRowsPerFeed, rows_[static_cast<size_t>(segment.tower)]);
  char* const base = static_cast<char*>(addresses_[static_cast<size_t>(segment.tower)][static_cast<size_t>(id)]);
  try {
    context_->feed(id, segment.tower, begin, end, base + begin * b.rows.count * b.columns * dtype_bytes(b.dtype));
  } catch (...) {   // the first one is told
    static std::atomic_flag telling = ATOMIC_FLAG_INIT;
    while (telling.test_and_set(std::memory_order_acquire)) {
    }
    if (!failure_) failure_ = std::current_exception();
    telling.clear(std::memory_order_release);
    failed_.store(true, std::memory_order_release);
  }
}

void CpuProgram::report_fault() const {
  std::string buffer = "a table", kernel = "a kernel";
  for (const RunStep& step : steps_)
    if (step.buffers.data() == fault_.kernel) {
      const EmittedKernel& emitted = kernels_[static_cast<size_t>(step.kernel)];
      buffer = program_.buffers[static_cast<size_t>(emitted.buffers[static_cast<size_t>(fault_.buffer)])].name;
      kernel = program_.kernels[static_cast<size_t>(step.kernel)].name;
    }
  throw RuntimeError("id " + std::to_string(fault_.id) + " lies outside '" + buffer + "' (in kernel " + kernel + ")",
                     "check the ids in the data against the number of classes the net declares");
}

// ---- results ----

BufferId CpuProgram::named(const std::string& name, BufferKind kind) const {
  for (const NamedBuffer& result : program_.results)
    if (result.name == name && program_.buffers[static_cast<size_t>(result.buffer)].kind == kind) return result.buffer;
  throw InternalError("program " + program_.name + " has no result " + name);
}

double CpuProgram::result(const std::string& name) const {
  return *static_cast<const float*>(addresses_[0][static_cast<size_t>(named(name, BufferKind::result))]);
}

void CpuProgram::read_output(const std::string& name, std::vector<float>* values) const {
  const BufferId id = named(name, BufferKind::output);
  const Buffer& b = program_.buffers[static_cast<size_t>(id)];
  values->clear();
  for (int tower = 0; tower < towers_; ++tower) {
    const void* const from = addresses_[static_cast<size_t>(tower)][static_cast<size_t>(id)];
    const int64_t rows = b.rows.count * std::max<int64_t>(0, rows_[static_cast<size_t>(tower)]);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < b.columns; ++c) {
        const int64_t at = element_offset(b, r, c);
        switch (b.dtype) {
          case DType::f32: values->push_back(static_cast<const float*>(from)[at]); break;
          case DType::i32: values->push_back(static_cast<float>(static_cast<const int32_t*>(from)[at])); break;
          default: values->push_back(static_cast<const uint8_t*>(from)[at]); break;
        }
      }
  }
}

}  // namespace netc
