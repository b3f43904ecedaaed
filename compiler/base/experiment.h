// The typed `data` and `train` declarations as plain data: what the runtime needs to read samples, order them, schedule
// the learning rate and write a run. Made by compiler/sema; holds no AST and no graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/base/plan.h"
#include "compiler/base/source.h"
#include "compiler/base/tensor_type.h"

namespace netc {

// A part of a file, `part: 0% ..< 80%`.
struct Part {
  double begin = 0, end = 1;
  friend bool operator==(const Part&, const Part&) = default;
};

// A split is a reader with arguments: idx(image: "...", label: "..."), csv("houses.csv", part: ..., shuffle: 5),
// npy(x: "x.npy"), synthetic(kind: blobs, samples: 100, seed: 0), or take(split, amount, seed).
struct ReaderSpec {
  std::string split;                       // "train", "validation", "test"
  std::string reader;                      // "idx", "csv", "npy", "synthetic", "take"
  std::vector<std::pair<std::string, std::string>> files;   // idx, npy: field -> path; csv: {"", path}
  std::vector<Span> file_spans;            // where each path stands in the source
  bool header = true;                      // csv
  char separator = ',';                    // csv
  std::string missing;                     // csv: text that means "missing"
  Part part;                               // csv
  std::optional<int64_t> shuffle;          // csv: seed of the row order before `part` is taken
  std::string kind;                        // synthetic: blobs, spiral, linear, images, tokens
  int64_t samples = 0;                     // synthetic
  int64_t seed = 0;                        // synthetic, take
  std::string take_from;                   // take: the split samples are moved out of
  double take_share = 0;                   // take: 10%  -> 0.1, or
  int64_t take_count = 0;                  // take: 5_000samples
  Span span;
};

// One stage of a field, in the order of the page.
struct TransformSpec {
  std::string name;                        // "to_float", "normalize", "standardize", "log1p", "clip", "one_hot"
  std::vector<std::pair<std::string, std::vector<double>>> arguments;   // to_float: scale, offset; normalize: mean, std
  Span span;
};

struct FieldSpec {
  std::string name;
  TensorType raw;                          // what the file holds (shape of one sample)
  TensorType type;                         // after the transforms
  std::vector<std::string> columns;        // csv: `from "a"` or ["a", "b"]; empty: the field's own name
  std::vector<TransformSpec> transforms;
  Span span;
};

struct DataSpec {
  std::string name;
  std::vector<ReaderSpec> splits;
  std::vector<FieldSpec> fields;
  Span span;
};

enum class BatchScope : uint8_t { per_tower, per_host, total };

// A quantity of progress: 3epochs, 500steps.
struct Progress {
  double amount = 0;
  bool epochs = false;                     // false: steps (updates)
  friend bool operator==(const Progress&, const Progress&) = default;
};

struct ScheduleSpec {
  std::string kind = "constant";           // constant, step, cosine, linear, ...
  double gamma = 0.1;                      // step
  Progress every;                          // step
  double to = 0;                           // cosine, linear: share of lr at the end
  std::optional<Progress> over;            // linear: default the whole run
  Progress warmup;
};

struct EarlyStop {
  std::string monitor;                     // "validation.accuracy", "validation.loss"
  Progress patience;
  double min_delta = 0;
  bool restore_best = false;
  bool higher_is_better = false;
};

// `adamw(lr: 1e-3)`: every argument with its value, defaults filled in. lr stands in TrainSpec::learning_rate too.
struct OptimizerSpec {
  std::string name;                        // "sgd", "rmsprop", "adam", "adamw"
  std::vector<std::pair<std::string, double>> arguments;   // bools as 0 and 1
  Span span;

  double argument(const std::string& key, double fallback) const {
    for (const auto& [name_of, value] : arguments)
      if (name_of == key) return value;
    return fallback;
  }
};

struct ClipSpec {
  enum class Kind : uint8_t { none, global_norm, value };
  Kind kind = Kind::none;
  double limit = 0;
};

struct TrainSpec {
  std::string name;
  std::string net;
  std::string data;
  double learning_rate = 0;                // after lr_scaling is applied by the trainer: see lr_scaling
  std::string lr_scaling = "none";         // none, linear, sqrt
  double lr_scaling_base = 0;
  ScheduleSpec schedule;
  OptimizerSpec optimizer;
  ClipSpec clip;
  int64_t batch = 0;
  BatchScope batch_scope = BatchScope::total;
  std::optional<int64_t> epochs;
  std::optional<int64_t> steps;
  uint64_t seed = 1;
  std::optional<Progress> validate;
  std::optional<EarlyStop> early_stop;
  std::vector<std::string> losses;         // names of result sums "loss.<name>"; the total is "loss.total"
  std::vector<std::string> metrics;        // names of result sums "metric.<name>"
  std::vector<std::string> metric_kinds;   // "accuracy", "top_k", "mse", "mae": parallel to metrics
  std::vector<std::pair<std::string, std::string>> inputs;   // net input (or target) -> field of the data
  std::string init_from;                   // a safetensors file; empty: none
  bool init_partial = false;               // names that are missing keep their drawn start
  Span init_from_span;
  Span span, batch_span;
};

}  // namespace netc
