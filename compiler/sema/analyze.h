// Meaning: from syntax trees to a typed graph and plain specifications. The last stage that sees a tree.
//
//   SourceMap sources;  Diagnostics diagnostics(sources);
//   FileId file = sources.add("mnist_mlp.net", text);
//   ast::File tree = parse(file, sources, diagnostics);
//   Analysis analysis = analyze(tree, disk_loader(sources), {}, diagnostics);
//   if (diagnostics.has_errors()) ...
//
// The author's mistakes go to Diagnostics (N02..N08, W11); nothing throws for them. With errors an Analysis holds what
// could be made out and `complete` is false.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/base/experiment.h"
#include "compiler/base/plan.h"
#include "compiler/graph/graph.h"
#include "compiler/syntax/ast.h"

namespace netc {

// Puts the file at `path` into the SourceMap of the Diagnostics, once per path, and gives its id; kNoFile if it cannot
// be read. `path` is already joined with the folder of the file that uses it.
using UseLoader = std::function<FileId(const std::string& path)>;
UseLoader disk_loader(SourceMap& sources);

struct AnalyzeOptions {
  std::string train;                                        // --train; empty: the only one
  std::string plan;                                         // --plan; empty: the only one, or the implied plan
  std::vector<Device> towers;                               // --towers: replaces the towers of the plan
  std::vector<std::pair<std::string, std::string>> params;  // --set name=value
  bool every_train = false;   // check: analyse all trains, plans and nets; the first train gives graph and specs
  bool resolve = false;       // also fill Analysis::resolved
  int gpus = 0;               // GPUs of this machine: what `gpu:*` counts in messages
};

// One line of the table `check --shapes` prints. Rows of a block or repeat follow their own row, one deeper.
struct ShapeRow {
  int depth = 0;
  std::string name;             // given with `as` or `shared`; empty if none
  std::string kind;             // "dense 1024", "dropout 20%", "repeat 3", "basic 16"
  std::vector<TensorType> in, out;
  int64_t weights = 0;          // trainable, made by this row (a second use of shared weights makes none); with children
  bool needed = true;           // false: no loss and no metric needs it, so that training does not compute it
  NodeId node = kNoNode;        // its first result
  Span span;
};

struct ShapeTable {
  std::string net;              // "mlp"
  std::vector<ShapeRow> rows;
  int64_t weights = 0;          // trainable
  std::string optimizer;        // of the train that uses it; empty if none
  int optimizer_slots = 0;      // numbers the optimizer keeps for each weight
};

// Something the file uses that this version knows but cannot run.
struct Unavailable {
  std::string what;             // "layer `conv2d`"
  Span span;
};

// What one train computes and how. Node names are paths of layers, parameters carry the language's paths.
//   inputs   one leaf per input of the net, named like it, of the RAW type of the field bound to it, and one per target
//            field, named like the field; transforms of the fields are ops. TrainSpec::inputs says which field feeds it
//   results  "loss.total", "loss.<name>" of named terms, "metric.<name>": unbatched sums over the rows;
//            every output of the net: batched, named like it
//   parameters with `trainable == false` and a path "data.<field>.mean" or "data.<field>.std" are for the runtime to
//            fill from the train split (the transform `standardize`); they are kept with the weights
struct Analysis {
  bool complete = false;        // a train was found and has no errors: all of the below hold
  Graph graph;
  DataSpec data;
  TrainSpec train;
  Plan plan;
  std::vector<ShapeTable> tables;
  std::vector<Unavailable> unavailable;
  std::string resolved;         // if asked for: imports, params and defaults filled in; it gives the same Analysis
};

Analysis analyze(const ast::File& root, const UseLoader& loader, const AnalyzeOptions& options,
                 Diagnostics& diagnostics);

// What this version cannot run although the file is right: layers, losses, readers ... without an implementation,
// devices other than the processor, and so on. One error each, at its place (N0704, N0918).
void report_unavailable(const Analysis& analysis, Diagnostics& diagnostics);

// The table of `check --shapes`.
std::string to_text(const ShapeTable& table);

// What `netc layers` and `netc layers NAME` print: all tables, or one row; empty if there is no such name.
std::string layer_reference();
std::string layer_reference(const std::string& name);

}  // namespace netc
