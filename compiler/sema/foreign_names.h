// What other frameworks call things: so that a habit is answered with the name that is used here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netc::sema {

// The argument here that Keras, PyTorch or Caffe call `name`, if it is one of `here`.
std::optional<std::string> foreign_argument(std::string_view name, const std::vector<std::string>& here);

// The layer, loss, metric or optimizer here that others call `name`, in any case: "Linear" -> "dense".
std::optional<std::string> foreign_layer(std::string_view name);

}  // namespace netc::sema
