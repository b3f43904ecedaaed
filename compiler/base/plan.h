// The typed `plan`: how the work is mapped onto devices. Plain data, checked by compiler/sema, read by everyone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/source.h"

namespace netc {

enum class DeviceKind : uint8_t { cpu, gpu, sim };

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;

  friend bool operator==(const Device&, const Device&) = default;
};

std::string to_string(const Device& device);                 // "cpu:0"
bool parse_device(const std::string& text, Device* device);  // "cpu:0"; false for anything else ("gpu:*" too)

// One entry of `towers:`; `all` is the `*` of gpu:*, resolved when the machine is known (resolve_towers in sema).
struct TowerSpec {
  Device device;
  bool all = false;
  double share = 1;
  bool share_auto = false;
  int threads = 0;             // 0: an even share of the cores
  Span span;
};

enum class SyncKind : uint8_t { none, allreduce, average, parameter_server };
enum class Precision : uint8_t { f32, tf32, mixed_bf16, mixed_f16 };

struct Plan {
  std::string name;            // "" for the implied plan
  bool towers_auto = false;    // `towers: auto`, and the implied plan: every GPU, else cpu:0
  std::vector<TowerSpec> towers;
  SyncKind sync = SyncKind::none;
  int64_t bucket_bytes = int64_t{25} << 20;
  bool overlap = true;
  double timeout_seconds = 600;
  int64_t average_every = 0;
  Device server;
  bool server_asynchronous = false;
  int64_t staleness = 0;
  int64_t hosts = 1;
  int64_t accumulate = 1;
  Precision precision = Precision::f32;
  bool batch_norm_synchronized = false;
  bool last_batch_drop = false;
  bool deterministic = false;
  int64_t memory_bytes_per_tower = 0;   // 0: what the device has
  Span span;
};

}  // namespace netc
