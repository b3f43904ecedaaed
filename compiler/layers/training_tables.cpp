#include "compiler/layers/training_tables.h"

namespace netc {
namespace {

using Kind = ParameterKind;

Signature row(std::string name, std::string summary, std::vector<ParameterRow> parameters = {}) {
  Signature signature;
  signature.name = std::move(name);
  signature.summary = std::move(summary);
  signature.parameters = std::move(parameters);
  return signature;
}

Signature not_yet(Signature signature) {
  signature.available = false;
  return signature;
}

Signature any_fields(Signature signature) {
  signature.any_names = true;
  return signature;
}

std::vector<Signature> make_optimizers() {
  const ParameterRow momentum = share_below_one("momentum", "0.0"), l2 = not_negative("l2", "0.0");
  const ParameterRow weight_decay = not_negative("weight_decay", "0.0"), decay_all = flag("decay_all", "false");
  const ParameterRow beta_1 = share_below_one("beta_1", "0.9"), beta_2 = share_below_one("beta_2", "0.999");
  const ParameterRow lr = positive("lr", "0.001"), eps = positive("eps", "1e-8"), amsgrad = flag("amsgrad", "false");
  return {
      row("sgd", "v = momentum * v + g, w -= lr * v; 0.01 in Keras, 0.001 in PyTorch, so lr has no default",
          {required_named(positive("lr")), momentum, flag("nesterov", "false"), l2, weight_decay, decay_all}),
      row("rmsprop", "Divides the gradient by the root of its running mean square; eps after the root",
          {lr, share_below_one("rho", "0.9"), momentum, eps, flag("centered", "false"), l2, weight_decay, decay_all}),
      row("adam", "Momentum and running mean square, both corrected for their start; eps after the correction",
          {lr, beta_1, beta_2, eps, amsgrad, l2, decay_all}),
      row("adamw", "adam with decoupled weight decay",
          {lr, beta_1, beta_2, eps, not_negative("weight_decay", "0.01"), amsgrad, decay_all}),
      not_yet(row("nadam", "adam with nesterov momentum", {lr, beta_1, beta_2, eps, weight_decay, decay_all})),
      not_yet(row("adagrad", "Divides by the root of the sum of squares",
                  {positive("lr", "0.01"), not_negative("initial", "0.0"), positive("eps", "1e-10")})),
      not_yet(row("adadelta", "Steps of the size of earlier steps",
                  {positive("lr", "1.0"), share_below_one("rho", "0.95"), positive("eps", "1e-6")})),
      not_yet(row("lion", "The sign of momentum",
                  {positive("lr", "1e-4"), beta_1, share_below_one("beta_2", "0.99"), weight_decay, decay_all})),
      not_yet(row("lamb", "adamw scaled per layer, for large batches",
                  {lr, beta_1, beta_2, positive("eps", "1e-6"), not_negative("weight_decay", "0.01"), decay_all})),
  };
}

std::vector<Signature> make_schedules() {
  const ParameterRow warmup = other("warmup", Kind::progress, "0steps");
  const ParameterRow to = number_in("to", "0", 0, 1), over = other("over", Kind::progress, "whole run");
  const ParameterRow gamma = positive("gamma", "0.1");
  return {
      row("constant", "1 x lr", {warmup}),
      row("step", "times gamma after every so many", {required_named(other("every", Kind::progress)), gamma, warmup}),
      not_yet(row("multistep", "times gamma at given points",
                  {required_named(other("at", Kind::progress_list)), gamma, warmup})),
      not_yet(row("exponential", "times gamma at every so many, smoothly",
                  {required_named(positive("gamma")), other("every", Kind::progress, "1epoch"),
                   flag("staircase", "false"), warmup})),
      row("linear", "a straight line to a share of lr", {to, over, warmup}),
      not_yet(row("polynomial", "a power of the rest of the run", {positive("power", "1.0"), to, over, warmup})),
      row("cosine", "half a cosine to a share of lr", {to, over, warmup}),
      not_yet(row("cosine_restarts", "cosines one after the other",
                  {required_named(other("first", Kind::progress)), positive("grow", "2.0"), positive("shrink", "1.0"), to,
                   warmup})),
      not_yet(row("one_cycle", "up and down once",
                  {number_in("peak", "30%", 0, 1), number_in("start", "4%", 0, 1), number_in("end", "0.0004%", 0, 1)})),
      not_yet(row("inverse_sqrt", "1 over the root of the step, for transformers",
                  {required_named(other("warmup", Kind::progress))})),
      not_yet(row("piecewise", "given values between given points",
                  {required_named(other("at", Kind::progress_list)), required_named(other("values", Kind::numbers))})),
      not_yet(row("plateau", "times factor when a value stops getting better",
                  {required_named(other("monitor", Kind::monitor)), positive("factor", "0.1"),
                   other("patience", Kind::progress, "10epochs"), not_negative("min_delta", "1e-4"),
                   other("cooldown", Kind::progress, "0epochs"), not_negative("min_lr", "0.0"), warmup})),
  };
}

std::vector<Signature> make_readers() {
  const ParameterRow file = required(other("file", Kind::text)), part = other("part", Kind::part, "0%..<100%");
  const ParameterRow shuffle = integer("shuffle", "none"), seed = integer("seed", "0");
  return {
      any_fields(row("idx", "MNIST family, plain or .gz: a file for each field")),
      not_yet(row("cifar_bin", "CIFAR-10 and CIFAR-100 binary", {required(other("files", Kind::texts))})),
      row("csv", "A table of text; column types are checked against the fields",
          {file, flag("header", "true"), other("separator", Kind::text, "\",\""), part, shuffle,
           other("missing", Kind::text, "\"\"")}),
      not_yet(row("jsonl", "One JSON object a line", {file, part, shuffle})),
      any_fields(row("npy", "One .npy for each field, same first axis")),
      not_yet(row("npz", "Several .npy in one file", {file})),
      not_yet(row("image_folder", "Sorted folder names give the classes",
                  {required(other("directory", Kind::text)), other("classes", Kind::texts, "folder names")})),
      not_yet(row("token_stream", "A long text cut into windows",
                  {file, required_named(word("tokenizer", {"words", "chars", "bytes", "bpe"})),
                   required_named(integer("length", "", 1)), integer("stride", "length", 1), part})),
      not_yet(row("text_lines", "One text a line", {file})),
      not_yet(row("windows", "Windows of a time series; never across a border of parts",
                  {required(other("reader", Kind::reader)), required_named(integer("past", "", 1)),
                   integer("future", "0", 0), integer("step", "1", 1), part})),
      row("synthetic", "Made up, for tests without files",
          {required_named(word("kind", {"blobs", "spiral", "linear", "images", "tokens"})),
           required_named(integer("samples", "", 1)), seed}),
      row("take", "Moves a share out of another split",
          {required(other("split", Kind::split)), required(other("amount", Kind::share)), seed}),
  };
}

std::vector<Signature> make_transforms() {
  const ParameterRow fill = number("fill", "0"), amount = required(other("amount", Kind::numbers));
  const ParameterRow size = required(other("size", Kind::sizes));
  return {
      row("to_float", "scale * x + offset, in f32", {number("scale", "1.0"), number("offset", "0.0")}),
      row("normalize", "(x - mean) / std, one number or one per channel",
          {required_named(other("mean", Kind::numbers)), required_named(other("std", Kind::numbers))}),
      row("standardize", "to mean 0 and deviation 1 of the train split, which are stored with the weights",
          {positive("eps", "1e-8")}),
      row("log1p", "log(1 + x)"),
      row("clip", "into [low, high]", {required(number("low")), required(number("high"))}),
      not_yet(row("impute", "fills in what is missing", {required([] {
                    ParameterRow how = other("how", Kind::word_or_number);
                    how.words = {"mean", "median", "zero"};
                    return how;
                  }())})),
      not_yet(row("category", "string -> class(vocab)",
                  {required_named(integer("vocab", "", 1)), integer("unknown", "0", 0)})),
      not_yet(row("bucketize", "number -> class by edges", {required(other("edges", Kind::numbers))})),
      row("one_hot", "class(N) -> f32[N]"),
      not_yet(row("tokenize", "text -> ids",
                  {required(word("kind", {"words", "chars", "bytes", "bpe"})), required_named(integer("vocab", "", 1)),
                   required_named(integer("length", "", 1)), integer("padding", "0", 0), flag("lowercase", "true")})),
      not_yet(row("decode_image", "a file name or its bytes -> u8[H, W, channels]",
                  {other("size", Kind::sizes, "none"), integer("channels", "3", 1)})),
      not_yet(row("resize", "to a size, or so that the shorter side has a size",
                  {integer("shorter", "none", 1), other("size", Kind::sizes, "none"),
                   word("method", {"nearest", "bilinear"}, "bilinear")})),
      not_yet(row("center_crop", "the middle", {size})),
      not_yet(row("pad_to", "adds a border up to a size", {size, number("value", "0")})),
      not_yet(row("truncate", "the first so many", {required(integer("length", "", 1))})),
      not_yet(row("augment", "stages for the train split, and others for the rest",
                  {required(other("stages", Kind::stages)), other("otherwise", Kind::stages, "nothing")})),
      not_yet(row("random_flip", "mirrors", {required(word("direction", {"horizontal", "vertical", "both"}))})),
      not_yet(row("random_crop", "a part anywhere", {size, integer("pad", "0", 0), fill})),
      not_yet(row("random_resized_crop", "a part of any area, brought to a size",
                  {size, other("area", Kind::part, "8%..<100%"), other("ratio", Kind::numbers, "[0.75, 1.3333]")})),
      not_yet(row("random_rotate", "turns", {required(other("angle", Kind::numbers)), fill})),
      not_yet(row("random_shift", "moves", {amount, fill})),
      not_yet(row("random_zoom", "enlarges or shrinks", {amount})),
      not_yet(row("random_brightness", "lighter or darker", {amount})),
      not_yet(row("random_contrast", "more or less contrast", {amount})),
      not_yet(row("random_saturation", "more or less colour", {amount})),
      not_yet(row("random_hue", "other colours", {amount})),
      not_yet(row("random_erase", "erases a part",
                  {number_in("probability", "50%", 0, 1), other("area", Kind::part, "2%..<33%")})),
      not_yet(row("rand_augment", "a few of all of these", {integer("count", "2", 0), number("magnitude", "9")})),
      not_yet(row("random_noise", "adds normal noise", {required(not_negative("std"))})),
  };
}

}  // namespace

const std::vector<Signature>& optimizer_table() {
  static const std::vector<Signature> table = make_optimizers();
  return table;
}
const std::vector<Signature>& schedule_table() {
  static const std::vector<Signature> table = make_schedules();
  return table;
}
const std::vector<Signature>& reader_table() {
  static const std::vector<Signature> table = make_readers();
  return table;
}
const std::vector<Signature>& transform_table() {
  static const std::vector<Signature> table = make_transforms();
  return table;
}

const Signature* find_row(const std::vector<Signature>& table, const std::string& name) {
  for (const Signature& candidate : table)
    if (candidate.name == name) return &candidate;
  return nullptr;
}

int optimizer_slots(const std::string& name, bool momentum, bool centered, bool amsgrad) {
  if (name == "sgd") return momentum ? 1 : 0;
  if (name == "rmsprop") return 1 + (momentum ? 1 : 0) + (centered ? 1 : 0);
  if (name == "adam" || name == "adamw") return 2 + (amsgrad ? 1 : 0);
  if (name == "adagrad" || name == "lion") return 1;
  return 2;
}

}  // namespace netc
