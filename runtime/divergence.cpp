#include "runtime/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace netc {

void report_divergence(const Divergence& divergence, const TrainSpec& spec, Diagnostics& diagnostics) {
  Span place = spec.span;
  if (divergence.first) {
    const auto& spans = divergence.first->spans;
    const auto known = std::find_if(spans.begin(), spans.end(), [](Span span) { return span.known(); });
    if (known != spans.end()) place = *known;
  }
  auto& error = diagnostics.error(
      Code::N0909, place,
      fmt::format("the loss became {} at update {}", std::isnan(divergence.loss) ? "NaN" : "infinite", divergence.update + 1),
      divergence.first ? "the first values that are not finite are made here" : "");
  if (divergence.first) {
    error.note("first in " + divergence.first->place);
    for (const std::string& input : divergence.first->inputs) error.note("it read " + input);
  }
  error.note(divergence.state_is_saved ? "the state before this update is saved"
                                       : "nothing is saved: the run has no --output folder");
  error.help(fmt::format("a lower learning rate (here {:g}), `clip: global_norm(1.0)`, or a larger `eps`",
                         divergence.learning_rate));
}

}  // namespace netc
