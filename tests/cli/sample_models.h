// Small models for the tests of the commands. They draw their data and need no files.
#pragma once

#include <string>

namespace netc {

inline const std::string kSmallModel = R"(language 1
param width: int = 8

data blobs {
  train:      synthetic(kind: blobs, samples: 200, seed: 1)
  validation: synthetic(kind: blobs, samples: 50, seed: 2)
  test:       synthetic(kind: blobs, samples: 60, seed: 3)
  field x: f32[6]
  field label: class(3)
}

net small {
  input x: f32[6]
  output logits = x |> dense(width) as fc1 |> relu |> dense(3) as head
  output probs = softmax(logits)
}

train small {
  net:       small
  data:      blobs
  loss:      cross_entropy(logits, label)
  metrics:   { accuracy: accuracy(logits, label) }
  optimizer: adam(lr: 0.01)
  batch:     20 total
  epochs:    3
}

plan anywhere { towers: auto  sync: allreduce(gradients) }
)";

// kSmallModel with one place changed.
inline std::string small_model_with(const std::string& what, const std::string& instead) {
  std::string text = kSmallModel;
  text.replace(text.find(what), what.size(), instead);
  return text;
}

}  // namespace netc
