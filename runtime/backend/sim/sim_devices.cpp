#include "runtime/backend/sim/sim_devices.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include "compiler/base/errors.h"
#include "runtime/backend/sim/device_memory.h"
#include "runtime/backend/sim/ptx_parse.h"
#include "runtime/backend/sim/sim_product.h"

namespace netc {
namespace {

class SimulatedDevice final : public GpuDevice {
 public:
  SimulatedDevice(int number, const SimulatedGpus& options)
      : number_(number), options_(options), memory_(number, static_cast<uint64_t>(options.memory_bytes)) {}

  std::string name() const override { return "sim:" + std::to_string(number_); }
  std::string architecture() const override { return options_.architecture; }
  int64_t capacity_bytes() const override { return static_cast<int64_t>(memory_.capacity_bytes()); }

  DeviceAddress allocate(int64_t bytes, const std::string& name) override {
    return memory_.allocate(static_cast<uint64_t>(bytes), name);
  }
  void release(DeviceAddress address) override { memory_.free(address); }
  void copy_in(DeviceAddress to, const void* from, int64_t bytes) override { memory_.copy_in(to, from, static_cast<uint64_t>(bytes)); }
  void copy_out(void* to, DeviceAddress from, int64_t bytes) override { memory_.copy_out(to, from, static_cast<uint64_t>(bytes)); }

  void load(const std::string& ptx, const std::string&) override { module_.emplace(sim::parse_ptx(ptx)); }

  void launch(const std::string& symbol, int64_t blocks, int block_threads, int64_t shared_bytes,
              std::span<const DeviceAddress> parameters) override {
    if (!module_) throw InternalError("no kernels are loaded on " + name());
    pointers_.clear();
    for (const DeviceAddress& parameter : parameters) pointers_.push_back(const_cast<DeviceAddress*>(&parameter));
    const sim::LaunchConfig config{{static_cast<uint32_t>(blocks), 1, 1}, {static_cast<uint32_t>(block_threads), 1, 1},
                                   static_cast<uint32_t>(shared_bytes)};
    work_.kernels.add(sim::launch(*module_, symbol, config, pointers_.data(), memory_,
                                  {.mode = options_.mode, .threads = options_.mode == sim::Mode::check ? 1 : options_.threads}));
    ++work_.launches;
  }

  void product(const DeviceProduct& product) override {
    simulate_product(product, memory_, options_.threads);
    ++work_.products;
  }

  sim::DeviceMemory& memory() { return memory_; }
  const SimulatedWork& work() const { return work_; }

 private:
  int number_;
  SimulatedGpus options_;
  sim::DeviceMemory memory_;
  std::optional<sim::Module> module_;
  std::vector<void*> pointers_;
  SimulatedWork work_;
};

class Group final : public SimulatedGroup {
 public:
  explicit Group(const SimulatedGpus& options) : options_(options) {
    for (int number = 0; number < options.count; ++number) devices_.push_back(std::make_unique<SimulatedDevice>(number, options));
  }

  std::string description() const override {
    return std::to_string(size()) + (size() == 1 ? " simulated GPU (" : " simulated GPUs (") + options_.architecture +
           (options_.mode == sim::Mode::check ? ", checked" : "") + ", " + std::to_string(options_.threads) +
           (options_.threads == 1 ? " thread" : " threads") + (size() == 1 ? ")" : " each)");
  }
  int size() const override { return options_.count; }
  GpuDevice& device(int tower) override { return *devices_.at(static_cast<size_t>(tower)); }
  SimulatedWork work(int tower) const override { return devices_.at(static_cast<size_t>(tower))->work(); }

  void all_reduce(std::span<const DeviceAddress> addresses, int64_t count) override {
    if (addresses.size() != devices_.size()) throw InternalError("an all-reduce wants one address a device");
    const int64_t bytes = count * int64_t{sizeof(float)};
    sum_.resize(static_cast<size_t>(count));
    summand_.resize(static_cast<size_t>(count));
    devices_[0]->copy_out(sum_.data(), addresses[0], bytes);
    for (size_t i = 1; i < devices_.size(); ++i) {
      devices_[i]->copy_out(summand_.data(), addresses[i], bytes);
      for (size_t e = 0; e < summand_.size(); ++e) sum_[e] += summand_[e];
    }
    for (size_t i = 0; i < devices_.size(); ++i) devices_[i]->copy_in(addresses[i], sum_.data(), bytes);
  }

 private:
  SimulatedGpus options_;
  std::vector<std::unique_ptr<SimulatedDevice>> devices_;
  std::vector<float> sum_, summand_;
};

}  // namespace

std::unique_ptr<SimulatedGroup> make_simulated_gpus(const SimulatedGpus& options) {
  if (options.count < 1) throw InternalError("at least one simulated GPU");
  return std::make_unique<Group>(options);
}

}  // namespace netc
