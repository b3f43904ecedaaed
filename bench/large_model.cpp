#include "bench/large_model.h"

namespace netc::bench {

std::string large_model(int layers) {
  std::string text =
      "language 1\n"
      "data d {\n"
      "  train: synthetic(kind: blobs, samples: 64, seed: 1)\n"
      "  field x: f32[32]\n"
      "  field label: class(10)\n"
      "}\n"
      "net large {\n"
      "  input x: f32[32]\n"
      "  let h0 = x |> dense(32)\n";
  int made = 1, value = 0;
  while (made + 4 <= layers - 1) {   // the last one is the head
    const std::string before = "h" + std::to_string(value), after = "h" + std::to_string(value + 1);
    text += "  let " + after + " = " + before + " |> relu |> dense(32, init: he_normal) as fc" + std::to_string(value + 1) +
            " |> layer_norm |> dropout(10%)\n";
    made += 4;
    ++value;
  }
  std::string last = "h" + std::to_string(value);
  for (; made < layers - 1; ++made) last += " |> relu";
  text += "  output logits = " + last +
          " |> dense(10) as head\n"
          "}\n"
          "train t {\n"
          "  net: large  data: d\n"
          "  loss: cross_entropy(logits, label)\n"
          "  optimizer: adam(lr: 0.001)\n"
          "  batch: 32 total\n"
          "  epochs: 1\n"
          "}\n";
  return text;
}

}  // namespace netc::bench
