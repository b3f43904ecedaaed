// The parts of verify(Program), in the order they run. Each adds faults in words; later parts rely on earlier ones
// having found none. Internal to compiler/kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/kernel/analysis.h"
#include "compiler/kernel/program.h"
#include "compiler/kernel/tower_program.h"

namespace netc {

using Faults = std::vector<std::string>;

void verify_structure(const Program& program, Faults& faults);   // ids, types, scopes of axes and reductions
void verify_bounds(const Program& program, Faults& faults);      // every load and store inside its buffer
void verify_stores(const Program& program, Faults& faults);      // every element stored exactly once
void verify_order(const Program& program, Faults& faults);       // scopes, stages, races, reads after writes
void verify_arena(const Program& program, Faults& faults);       // live buffers do not share bytes

// verify(TowerProgram) of towers with a memory each: every summand is completed once, between its making and its use.
void verify_separate(const TowerProgram& towers, Faults& faults);

// How one step touches one piece of memory (an alias counts as its root).
struct MemoryUse {
  BufferId root = kNone;
  bool reads = false, writes = false, accumulates = false;
};
std::vector<MemoryUse> memory_uses(const Program& program, const Kernel& kernel);   // one per root, ascending

// Where a load or store goes, as one linear index over the elements of the root: equal for different views of memory.
struct LinearPlace {
  int64_t offset = 0;
  std::map<AxisId, int64_t> coefficients;   // none is 0
  ExprId gathered = kNone;
  int64_t gathered_coefficient = 0;

  friend bool operator==(const LinearPlace&, const LinearPlace&) = default;
};
LinearPlace linear_place(const Program& program, BufferId buffer, const Index& row, const Index& column);

// The last phase that needs an expression; -1 if none does.
int last_phase_needing(const Kernel& kernel, ExprId id);
int first_phase_needing(const Kernel& kernel, ExprId id);

bool is_per_tower(const Buffer& buffer);    // input, activation, output: one per tower
bool is_temporary(const Buffer& buffer);    // written by the program in each step before it is read

// "kernel fc1_matmul: store to h1"
std::string in_kernel(const Kernel& kernel, const std::string& what);

}  // namespace netc
