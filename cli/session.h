// A model made ready to run: compiled, loaded on a backend, its data opened. Shared by train, eval and predict.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/model.h"
#include "compiler/base/plan.h"
#include "compiler/compile.h"
#include "runtime/backend.h"
#include "runtime/data/dataset.h"
#include "runtime/trainer.h"

namespace netc {

class Arguments;

// Where and with what a model runs; the same options for train, eval and predict.
struct MachineOptions {
  std::string data_root;               // empty: the folder of the model
  std::string backend;                 // "cpu", "reference"; empty: cpu where there is a host compiler
  std::optional<int64_t> threads;      // of all towers together; none: one a core
  bool bounded = false;                // "reference" with a bound on the error of each value; not an option

  void declare(Arguments& arguments);
};

struct Session {
  std::unique_ptr<Model> model;
  Plan plan;                           // towers resolved to devices
  Compiled compiled;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Backend> prober;     // where `backend` keeps a memory for each tower: one that does not
  LoadedGroup group;
  Dataset data;
  int64_t base_bytes = 0;              // resident before programs and data were loaded

  // Points into this session, which must stay where it is.
  TrainingJob job();
  LoadedProgram& loaded(const std::string& program);   // "train", "evaluate", "predict"
};

// Whether a model can be run by this version; if not, why has been printed.
bool is_runnable(Model& model, const std::string& file, Terminal& terminal);

std::string folder_of(const std::string& file);   // "." if the path names none

// Where relative data paths of a model begin.
DataRoot data_root_of(const std::string& file, const MachineOptions& machine);

// Compiles a runnable model and loads its programs; opens no data. Throws RuntimeError.
std::unique_ptr<Session> load_session(std::unique_ptr<Model> model, const MachineOptions& machine, Terminal& terminal);

// The same while another thread opens the data. Null if the data are not what the model says: what is wrong has been
// printed.
std::unique_ptr<Session> open_session(std::unique_ptr<Model> model, const DataRoot& data_root,
                                      const MachineOptions& machine, Terminal& terminal);

}  // namespace netc
