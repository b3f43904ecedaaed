#include "runtime/gpu/gpu_program.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "compiler/base/errors.h"
#include "compiler/kernel/cuda/cuda_abi.h"
#include "compiler/kernel/scalars.h"

namespace netc {

GpuProgram::GpuProgram(const TowerProgram& plan, std::vector<CudaLaunch> launches, std::vector<std::string> symbols,
                       std::shared_ptr<GpuGroup> devices, std::shared_ptr<GpuParameters> parameters)
    : plan_(plan), launches_(std::move(launches)), symbols_(std::move(symbols)), devices_(std::move(devices)),
      parameters_(std::move(parameters)), buckets_before_(launches_.size() + 1), scalars_(program().scalars.size()),
      meeting_(std::make_unique<std::barrier<>>(devices_->size())) {
  for (size_t i = 0; i < program().buffers.size(); ++i)
    if (buffer(static_cast<BufferId>(i)).kind == BufferKind::input && buffer(static_cast<BufferId>(i)).alias_of == kNone)
      inputs_.push_back(static_cast<BufferId>(i));
  // A bucket is exchanged just before the first launch with a step that needs it: all that make it stand before.
  for (size_t b = 0; b < plan_.buckets.size(); ++b) {
    size_t at = 0;
    while (at < launches_.size() && launches_[at].steps.back() < plan_.buckets[b].before_step) ++at;
    buckets_before_[at].push_back(b);
  }
  const auto block_bytes = static_cast<int64_t>(fault_offset() + sizeof(CudaFault));
  for (int tower = 0; tower < devices_->size(); ++tower) {
    GpuDevice& device = devices_->device(tower);
    towers_.push_back({&device, ProgramBuffers(program(), *parameters_, device, tower),
                       DeviceBlock(device, block_bytes, program().name + " step"), std::vector<char>(static_cast<size_t>(block_bytes)), {}});
    for (BufferId id : inputs_)
      towers_.back().staging.emplace_back(
          static_cast<size_t>(buffer(id).rows.count * buffer(id).columns * program().batch_capacity * dtype_bytes(buffer(id).dtype)));
  }
}

size_t GpuProgram::fault_offset() const { return (step_block_bytes(program().scalars.size()) + 7) / 8 * 8; }

void GpuProgram::run(const StepContext& context) {
  if (context.tower_rows.size() != towers_.size()) throw InternalError("rows for another number of towers");
  int64_t first = 0;
  for (size_t t = 0; t < towers_.size(); ++t) {
    towers_[t].rows = context.tower_rows[t];
    towers_[t].first_row = first;
    first += context.tower_rows[t];
    if (towers_[t].rows < 0 || towers_[t].rows > program().batch_capacity)
      throw InternalError("a tower is given " + std::to_string(towers_[t].rows) + " rows and has room for " +
                          std::to_string(program().batch_capacity));
  }
  evaluate_scalars(program(), context.scalars, scalars_);
  failed_ = false;
  failure_ = nullptr;
  std::vector<std::thread> others;
  for (int tower = 1; tower < devices_->size(); ++tower) others.emplace_back([this, tower, &context] { run_tower(tower, context); });
  run_tower(0, context);
  for (std::thread& thread : others) thread.join();
  if (failure_) std::rethrow_exception(failure_);
  look_for_faults();
}

template <typename Work>
void GpuProgram::guarded(Work work) {
  if (failed_) return;
  try {
    work();
  } catch (...) {
    const std::lock_guard lock(failure_lock_);
    if (!failure_) failure_ = std::current_exception();
    failed_ = true;
  }
}

// Every tower comes to every meeting, also when one has failed: nobody waits for nothing.
void GpuProgram::run_tower(int number, const StepContext& context) {
  Tower& tower = towers_[static_cast<size_t>(number)];
  guarded([&] {
    write_step_block(tower, context);
    feed(tower, number, context);
  });
  for (size_t at = 0; at <= launches_.size(); ++at) {
    for (size_t bucket : buckets_before_[at]) {
      if (devices_->size() > 1) meeting_->arrive_and_wait();
      if (number == 0) guarded([&] { exchange(plan_.buckets[bucket]); });
      if (devices_->size() > 1) meeting_->arrive_and_wait();
    }
    if (at < launches_.size()) guarded([&] { launch(tower, launches_[at]); });
  }
}

void GpuProgram::write_step_block(Tower& tower, const StepContext& context) {
  CudaStepBlock block;
  block.rows = tower.rows;
  block.first_row = tower.first_row;
  block.seed_low = static_cast<uint32_t>(context.seed);
  block.seed_high = static_cast<uint32_t>(context.seed >> 32);
  block.update = context.update;
  block.fault = tower.step_block.address() + fault_offset();
  const CudaFault fault;
  std::memcpy(tower.step_bytes.data(), &block, sizeof block);
  for (size_t i = 0; i < scalars_.size(); ++i) {
    const auto value = static_cast<float>(scalars_[i]);
    std::memcpy(tower.step_bytes.data() + sizeof block + i * sizeof value, &value, sizeof value);
  }
  std::memcpy(tower.step_bytes.data() + fault_offset(), &fault, sizeof fault);
  tower.device->copy_in(tower.step_block.address(), tower.step_bytes.data(), static_cast<int64_t>(tower.step_bytes.size()));
}

// Each tower receives its own rows and no others.
void GpuProgram::feed(Tower& tower, int number, const StepContext& context) {
  if (tower.rows == 0) return;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Buffer& b = buffer(inputs_[i]);
    context.feed(inputs_[i], number, 0, tower.rows, tower.staging[i].data());
    tower.device->copy_in(tower.buffers.address(inputs_[i]), tower.staging[i].data(),
                          tower.rows * b.rows.count * b.columns * dtype_bytes(b.dtype));
  }
}

void GpuProgram::launch(Tower& tower, const CudaLaunch& launch) {
  const int64_t rows = tower.rows;
  if (const auto* call = std::get_if<ProductCall>(&launch.call)) {
    const auto count = [&](const Extent& e) { return e.count * (e.times_batch ? rows : 1); };
    DeviceProduct product{call, count(call->m), count(call->n), count(call->k)};
    if (product.m == 0 || product.n == 0) return;
    product.a = tower.buffers.address(call->a);
    product.b = tower.buffers.address(call->b);
    product.c = tower.buffers.address(call->c);
    if (call->bias != kNone) product.bias = tower.buffers.address(call->bias);
    tower.device->product(product);
    return;
  }
  const auto& kernel = std::get<KernelLaunch>(launch.call);
  const int64_t blocks = kernel.grid(rows);
  if (blocks == 0) return;
  std::vector<DeviceAddress> parameters{tower.step_block.address()};
  for (BufferId id : kernel.buffers) parameters.push_back(tower.buffers.address(id));
  tower.device->launch(kernel.symbol, blocks, kernel.block_threads, kernel.shared_bytes, parameters);
}

void GpuProgram::exchange(const GradientBucket& bucket) {
  if (towers_.size() == 1) return;
  std::vector<DeviceAddress> addresses(towers_.size());
  for (BufferId id : bucket.buffers) {
    for (size_t t = 0; t < towers_.size(); ++t) addresses[t] = towers_[t].buffers.address(id);
    devices_->all_reduce(addresses, buffer(id).rows.count * buffer(id).columns);
  }
}

void GpuProgram::look_for_faults() {
  for (Tower& tower : towers_) {
    CudaFault fault;
    tower.device->copy_out(&fault, tower.step_block.address() + fault_offset(), sizeof fault);
    if (fault.raised == 0) continue;
    const std::string& symbol = symbols_.at(static_cast<size_t>(fault.kernel));
    std::string table = "a table";
    for (const CudaLaunch& launch : launches_) {
      const auto* kernel = std::get_if<KernelLaunch>(&launch.call);
      if (kernel != nullptr && kernel->symbol == symbol) table = buffer(kernel->buffers.at(static_cast<size_t>(fault.buffer))).name;
    }
    throw RuntimeError("id " + std::to_string(fault.id) + " lies outside '" + table + "' (in kernel " + symbol + " on " +
                           tower.device->name() + ")",
                       "check the ids in the data against the number of classes the net declares");
  }
}

BufferId GpuProgram::named(const std::string& name) const {
  for (const NamedBuffer& result : program().results)
    if (result.name == name) return result.buffer;
  throw InternalError("program " + program().name + " has no result " + name);
}

double GpuProgram::result(const std::string& name) const {
  float value = 0;
  towers_.front().device->copy_out(&value, towers_.front().buffers.address(named(name)), sizeof value);
  return value;
}

void GpuProgram::read_output(const std::string& name, std::vector<float>* values) const {
  const BufferId id = named(name);
  const Buffer& b = buffer(id);
  values->clear();
  for (const Tower& tower : towers_) {
    const int64_t elements = b.rows.count * tower.rows * b.columns;
    std::vector<char> bytes(static_cast<size_t>(elements * dtype_bytes(b.dtype)));
    tower.device->copy_out(bytes.data(), tower.buffers.address(id), static_cast<int64_t>(bytes.size()));
    for (int64_t i = 0; i < elements; ++i) {
      switch (b.dtype) {
        case DType::f32: values->push_back(reinterpret_cast<const float*>(bytes.data())[i]); break;
        case DType::i32: values->push_back(static_cast<float>(reinterpret_cast<const int32_t*>(bytes.data())[i])); break;
        default: values->push_back(static_cast<uint8_t>(bytes[static_cast<size_t>(i)])); break;
      }
    }
  }
}

int64_t GpuProgram::memory_bytes() const {
  int64_t total = 0;
  for (const Tower& tower : towers_) total += tower.buffers.bytes() + tower.step_block.bytes();
  return total;
}

}  // namespace netc
