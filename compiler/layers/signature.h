// What a row of a table of the standard library takes: one description for layers, losses, metrics, optimizers,
// schedules, initialisers, readers and transforms, from which arguments are checked, defaults filled in, signatures
// printed and the reference written.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace netc {

// What an argument may be, and what it becomes (arguments.h).
enum class ParameterKind : uint8_t {
  integer,       // int64_t
  number,        // double; a whole number is taken too
  boolean,       // bool
  word,          // one of `words`: std::string
  text,          // "a string": std::string
  initializer,   // he_normal, normal(std: 0.02): InitializerChoice
  weight,        // table.weight, transpose(table.weight), none: WeightArgument
  tensor,        // a tensor of the net, or none: TensorArgument
  sizes,         // an int or a list of ints: Integers (one, or as many as were written)
  padding,       // a word of `words`, an int, [h, w], [[top, bottom], [left, right]]: std::string or Integers (1, 2, 4)
  shape,         // a list of ints: Integers
  numbers,       // a number or a list of numbers: Numbers
  progress,      // 3epochs, 500steps: Progress
  progress_list, // [82epochs, 123epochs]: ProgressList
  share,         // a number in 0..1 or a quantity of samples: Share
  part,          // 0% ..< 80%: Part
  split,         // train, validation, test: std::string
  monitor,       // validation.accuracy: std::string
  texts,         // "file" or ["a", "b"]: Texts
  reader,        // a reader inside a reader: nothing is kept
  stages,        // stages of a field inside a stage (augment): nothing is kept, sema reads the tree
  word_or_number,// a word of `words` or a number: std::string or double
};

struct ParameterRow {
  std::string name;
  ParameterKind kind = ParameterKind::number;
  bool required = false;
  bool positional = false;              // may be given without its name, in the order of the rows
  std::string fallback;                 // the default as it is written, "glorot_uniform", "1e-5"; empty if required
  std::string doc;
  std::vector<std::string> words;       // of kinds that take words
  double low = -std::numeric_limits<double>::infinity();   // numbers must lie in [low, high]
  double high = std::numeric_limits<double>::infinity();
  bool high_excluded = false;           // [low, high)
  bool low_excluded = false;            // (low, high]
};

struct Signature {
  std::string name;
  std::string summary;
  std::vector<ParameterRow> parameters;
  bool available = true;                // false: known and checked, but not built in this version
  bool any_names = false;               // npy: further arguments of kind `text` under any name

  const ParameterRow* find(const std::string& parameter) const;
  int positional_count() const;
};

// "dense(units, bias = true, ...)", as messages show it.
std::string to_text(const Signature& signature);

// Makers of parameter rows, in the order of reading: required ones take no default.
ParameterRow required(ParameterRow row);                 // `a`: required, may be unnamed
ParameterRow required_named(ParameterRow row);           // `b:`: required, must be named
ParameterRow integer(std::string name, std::string fallback = {}, double low = -9.3e18);
ParameterRow number(std::string name, std::string fallback = {});
ParameterRow number_in(std::string name, std::string fallback, double low, double high);   // [low, high]
ParameterRow positive(std::string name, std::string fallback = {});                        // (0, inf)
ParameterRow not_negative(std::string name, std::string fallback = {});                    // [0, inf)
ParameterRow share_below_one(std::string name, std::string fallback = {});                 // [0, 1)
ParameterRow flag(std::string name, std::string fallback = {});
ParameterRow word(std::string name, std::vector<std::string> words, std::string fallback = {});
ParameterRow other(std::string name, ParameterKind kind, std::string fallback = {});
ParameterRow documented(ParameterRow row, std::string doc);

}  // namespace netc
