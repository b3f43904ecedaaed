// Checked arguments of a row: one value per parameter of the signature, defaults filled in.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/base/experiment.h"
#include "compiler/base/source.h"
#include "compiler/graph/graph.h"
#include "compiler/layers/signature.h"

namespace netc {

struct NoArgument {};              // `none`, or an optional argument without a value of its own
struct InitializerChoice {         // he_normal, normal(std: 0.02)
  std::string name;
  std::vector<double> numbers;     // in the order of the signature
};
struct WeightArgument {
  std::string path;                // "table.weight"
  NodeId node = kNoNode;
  bool transposed = false;
};
struct TensorArgument {
  NodeId node = kNoNode;
  std::string name;                // as written, for messages: "logits"
};
using Integers = std::vector<int64_t>;
using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;
using ProgressList = std::vector<Progress>;
struct Share {
  double share = 0;                // 10% -> 0.1, or
  int64_t samples = 0;             // 5_000samples
};

using ArgumentValue = std::variant<NoArgument, bool, int64_t, double, std::string, InitializerChoice, WeightArgument,
                                   TensorArgument, Integers, Numbers, Texts, Progress, ProgressList, Share, Part>;

class Arguments {
 public:
  explicit Arguments(const Signature& signature);   // all values are their defaults

  const Signature& signature() const { return *signature_; }

  void set(const std::string& name, ArgumentValue value, Span span);
  bool given(const std::string& name) const { return slot(name).given; }
  Span span(const std::string& name) const { return slot(name).span; }   // unknown if not given
  bool has(const std::string& name) const;          // holds something other than `none`

  // InternalError if the signature has no such parameter or its value is of another kind.
  int64_t integer(const std::string& name) const;
  double number(const std::string& name) const;
  bool flag(const std::string& name) const;
  const std::string& word(const std::string& name) const;
  const Integers& integers(const std::string& name) const;
  template <class T>
  const T* as(const std::string& name) const { return std::get_if<T>(&slot(name).value); }
  const ArgumentValue& value(const std::string& name) const { return slot(name).value; }

 private:
  struct Slot {
    ArgumentValue value;
    Span span;
    bool given = false;
  };
  const Slot& slot(const std::string& name) const;

  const Signature* signature_;
  std::vector<Slot> slots_;
};

// The value a default text of that kind stands for; InternalError if the text does not fit the kind.
ArgumentValue parse_fallback(const ParameterRow& row);

}  // namespace netc
