// The backends that the conformance suite holds to one meaning. A new backend adds one entry; what it cannot do yet is
// listed with the reason, and is reported as such by the tests.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/kernel/target.h"
#include "compiler/kernel/tower_program.h"
#include "runtime/backend.h"

namespace netc::test {

struct RegisteredBackend {
  std::string name;                                    // a C identifier: part of the tests' names
  Target target;                                       // what programs are laid out for
  std::function<std::unique_ptr<Backend>(int towers)> make;
  bool unfused_too = true;                             // also run programs of one kernel per op
  TowerMemory memory = TowerMemory::shared;            // separate: programs are planned for towers with a memory each
  std::map<std::string, std::string> unsupported;      // case name -> why
};

// Those that can run on this machine.
const std::vector<RegisteredBackend>& registered_backends();

}  // namespace netc::test
