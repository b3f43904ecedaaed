#include "compiler/sema/foreign_names.h"

#include <algorithm>
#include <cctype>

namespace netc::sema {
namespace {

struct Pair {
  std::string_view theirs, ours;
};

constexpr Pair kArguments[] = {
    {"learning_rate", "lr"},        {"lrate", "lr"},                 {"base_lr", "lr"},
    {"kernel_size", "kernel"},      {"kernel_w", "kernel"},          {"window", "kernel"},
    {"use_bias", "bias"},           {"bias_term", "bias"},           {"strides", "stride"},
    {"out_features", "units"},      {"output_dim", "dim"},           {"num_output", "units"},
    {"num_output", "filters"},      {"embedding_dim", "dim"},        {"input_dim", "vocab"},
    {"num_embeddings", "vocab"},    {"out_channels", "filters"},     {"num_filters", "filters"},
    {"p", "rate"},                  {"prob", "rate"},                {"dropout_ratio", "rate"},
    {"pool_size", "size"},          {"kernel_size", "size"},         {"dilation_rate", "dilation"},
    {"kernel_initializer", "init"}, {"weight_filler", "init"},       {"embeddings_initializer", "init"},
    {"bias_initializer", "bias_init"}, {"bias_filler", "bias_init"}, {"epsilon", "eps"},
    {"alpha", "slope"},             {"negative_slope", "slope"},     {"alpha", "rho"},
    {"beta1", "beta_1"},            {"beta2", "beta_2"},             {"num_heads", "heads"},
    {"embed_dim", "key_dim"},       {"is_causal", "causal"},         {"use_causal_mask", "causal"},
    {"attn_mask", "mask"},          {"dim", "axis"},                 {"keepdim", "keep"},
    {"keepdims", "keep"},           {"center", "shift"},             {"depth_multiplier", "multiplier"},
    {"ceil_mode", "ceil"},          {"count_include_pad", "count_padding"}, {"target_shape", "shape"},
    {"group", "groups"},            {"num_groups", "groups"},        {"pad", "padding"},
    {"decay", "weight_decay"},      {"wd", "weight_decay"},          {"start_factor", "warmup"},
    {"step_size", "every"},         {"milestones", "at"},            {"T_max", "over"},
    {"num_classes", "units"},       {"stddev", "std"},               {"sigma", "std"},
    {"reduction_indices", "axis"},  {"scale_factor", "factor"},      {"from_logits", "logits"},
};

constexpr Pair kLayers[] = {
    {"linear", "dense"},            {"fc", "dense"},                 {"fullyconnected", "dense"},
    {"innerproduct", "dense"},      {"conv", "conv2d"},              {"convolution", "conv2d"},
    {"convolution2d", "conv2d"},    {"convolutional", "conv2d"},     {"conv1", "conv1d"},
    {"convtranspose2d", "conv2d_transpose"}, {"deconv", "conv2d_transpose"}, {"deconvolution", "conv2d_transpose"},
    {"maxpooling2d", "max_pool2d"}, {"maxpool2d", "max_pool2d"},     {"maxpool", "max_pool2d"},
    {"maxpooling1d", "max_pool1d"}, {"maxpool1d", "max_pool1d"},     {"averagepooling2d", "avg_pool2d"},
    {"avgpool2d", "avg_pool2d"},    {"globalaveragepooling2d", "global_avg_pool"},
    {"globalaveragepooling1d", "global_avg_pool"}, {"adaptiveavgpool2d", "global_avg_pool"},
    {"globalmaxpooling2d", "global_max_pool"}, {"batchnorm2d", "batch_norm"}, {"batchnorm1d", "batch_norm"},
    {"batchnorm", "batch_norm"},    {"batchnormalization", "batch_norm"}, {"bn", "batch_norm"},
    {"layernormalization", "layer_norm"}, {"layernorm", "layer_norm"}, {"groupnorm", "group_norm"},
    {"groupnormalization", "group_norm"}, {"rmsnorm", "rms_norm"},   {"swish", "silu"},
    {"leakyrelu", "leaky_relu"},    {"hardsigmoid", "hard_sigmoid"}, {"hardswish", "hard_silu"},
    {"hard_swish", "hard_silu"},    {"logsoftmax", "log_softmax"},   {"multiheadattention", "self_attention"},
    {"multi_head_attention", "self_attention"}, {"embeddings", "embedding"}, {"concatenate", "concat"},
    {"cat", "concat"},              {"permute", "transpose_axes"},   {"transpose", "transpose_axes"},
    {"view", "reshape"},            {"dropout2d", "spatial_dropout"}, {"spatialdropout2d", "spatial_dropout"},
    {"gaussiannoise", "gaussian_noise"}, {"zeropadding2d", "pad2d"}, {"upsampling2d", "upsample2d"},
    {"upsample", "upsample2d"},     {"detach", "stop_gradient"},     {"crossentropyloss", "cross_entropy"},
    {"categorical_crossentropy", "cross_entropy"}, {"sparse_categorical_crossentropy", "cross_entropy"},
    {"softmaxwithloss", "cross_entropy"}, {"nllloss", "cross_entropy"}, {"binary_crossentropy", "binary_cross_entropy"},
    {"bcewithlogitsloss", "binary_cross_entropy"}, {"bceloss", "binary_cross_entropy"}, {"mseloss", "mse"},
    {"mean_squared_error", "mse"},  {"l1loss", "mae"},               {"mean_absolute_error", "mae"},
    {"smoothl1loss", "huber"},      {"top_k_accuracy", "top_k"},     {"topk", "top_k"},
    {"kullback_leibler_divergence", "kl_divergence"}, {"steplr", "step"}, {"multisteplr", "multistep"},
    {"cosineannealinglr", "cosine"}, {"cosine_decay", "cosine"},     {"poly", "polynomial"},
    {"reduceonplateau", "plateau"}, {"reducelronplateau", "plateau"}, {"kaiming_normal", "he_normal"},
    {"kaiming_uniform", "he_uniform"}, {"xavier_uniform", "glorot_uniform"}, {"xavier_normal", "glorot_normal"},
    {"xavier", "glorot_uniform"},   {"msra", "he_normal"},           {"momentum", "sgd"},
    {"mnist", "idx"},               {"rescale", "to_float"},
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

}  // namespace

std::optional<std::string> foreign_argument(std::string_view name, const std::vector<std::string>& here) {
  for (const Pair& pair : kArguments)
    if (pair.theirs == name && std::find(here.begin(), here.end(), pair.ours) != here.end()) return std::string(pair.ours);
  return std::nullopt;
}

std::optional<std::string> foreign_layer(std::string_view name) {
  const std::string wanted = lower(name);
  for (const Pair& pair : kLayers)
    if (pair.theirs == wanted) return std::string(pair.ours);
  return std::nullopt;
}

}  // namespace netc::sema
