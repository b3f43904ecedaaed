// What a device must be able to do. About ten methods; one folder per device below runtime/backend/.
//
// A LoadedProgram is a Program made ready for one group of towers in one memory: towers cpu:0, cpu:1 ... of this
// process share weights and run as one group. The runtime never knows a layer; a backend never knows a dataset.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/kernel/program.h"
#include "compiler/kernel/tower_program.h"

namespace netc {

// What a step needs besides the weights.
struct StepContext {
  uint64_t seed = 1;
  uint32_t update = 0;                       // which update of the job, from 0: keys the random draws
  std::vector<int64_t> tower_rows;           // rows each tower takes; differ by at most one unless shares say so
  std::vector<std::pair<std::string, double>> scalars;   // leaf scalars by name
  // Fills rows [begin, end) of tower `tower` of input `buffer` at `destination` (row_major, row `begin` first).
  // Called by worker threads, concurrently for different rows; must not allocate.
  std::function<void(BufferId buffer, int tower, int64_t begin, int64_t end, void* destination)> feed;
};

// Weights and optimizer slots in one memory, shared by the programs of a run (train, evaluate, predict).
// Contents cross this interface row-major and unpadded; the layout inside is the backend's.
class Parameters {
 public:
  virtual ~Parameters() = default;
  virtual void write(const std::string& name, std::span<const float> values) = 0;
  virtual std::vector<float> read(const std::string& name) const = 0;
  virtual std::vector<std::string> names() const = 0;
};

class LoadedProgram {
 public:
  virtual ~LoadedProgram() = default;
  virtual void run(const StepContext& context) = 0;        // one step; returns when it is done
  virtual double result(const std::string& name) const = 0;            // an unbatched result of the last run
  // Rows of a batched result of the last run, all towers in global order, row-major.
  virtual void read_output(const std::string& name, std::vector<float>* values) const = 0;
  virtual int64_t memory_bytes() const = 0;                // arenas and inputs, as allocated
};

struct LoadRequest {
  const std::vector<Program>* programs = nullptr;   // compiled together, sharing parameters by buffer name
  int tower_count = 1;
  std::vector<int> tower_threads;                   // worker threads per tower; empty: the cores, shared evenly
  // Towers that do not share memory: the same programs, planned with TowerMemory::separate, each with its buckets; then
  // `programs` is not read. A backend that cannot keep a copy of the weights per tower throws InternalError.
  const std::vector<TowerProgram>* separate = nullptr;
};

struct LoadedGroup {
  std::shared_ptr<Parameters> parameters;
  std::vector<std::unique_ptr<LoadedProgram>> programs;   // in the order of the request
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;                       // "reference", "cpu"
  virtual std::string description() const = 0;                // "cpu (avx2, 2 threads, gcc 12.2.0)"
  virtual LoadedGroup load(const LoadRequest& request) = 0;   // throws RuntimeError
};

}  // namespace netc
