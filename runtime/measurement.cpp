#include "runtime/measurement.h"

#include <algorithm>

#include "compiler/base/errors.h"

namespace netc {
namespace {

constexpr const char* kTotal = "loss.total";

// Keys of metrics.jsonl that a metric of the same name would hide.
bool is_taken(const std::string& name) {
  static const char* const taken[] = {"kind", "step", "epoch", "split", "loss", "lr", "samples_per_second", "seconds"};
  return std::any_of(std::begin(taken), std::end(taken), [&](const char* key) { return name == key; });
}

std::string shown_name(const std::string& result) {
  if (result == kTotal) return "loss";
  if (!result.starts_with("metric.")) return result;
  const std::string metric = result.substr(7);
  return is_taken(metric) ? result : metric;
}

}  // namespace

const double* find(const Measurements& measurements, const std::string& name) {
  for (const Measurement& measurement : measurements)
    if (measurement.name == name) return &measurement.value;
  return nullptr;
}

Tally::Tally(const Program& program) {
  const auto is_loss = [](const NamedBuffer& r) { return r.name.starts_with("loss."); };
  const auto terms = std::count_if(program.results.begin(), program.results.end(), is_loss) - 1;   // beside the total
  for (const NamedBuffer& result : program.results) {
    if (is_loss(result) && result.name != kTotal && terms < 2) continue;   // a single term is the total
    if (!is_loss(result) && !result.name.starts_with("metric.")) continue;
    if (result.name == kTotal) loss_ = results_.size();
    results_.push_back(result.name);
    means_.push_back({shown_name(result.name), 0});
  }
  sums_.resize(results_.size());
  if (loss_ == SIZE_MAX) throw InternalError("program " + program.name + " has no result " + kTotal);
}

void Tally::reset() {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  rows_ = 0;
}

void Tally::add(const LoadedProgram& program, int64_t rows) {
  rows_ += rows;
  for (size_t i = 0; i < results_.size(); ++i) {
    const double sum = program.result(results_[i]);
    sums_[i] += sum;
    if (i == loss_) last_loss_ = sum / static_cast<double>(rows);
  }
}

double Tally::mean_loss() const { return sums_[loss_] / static_cast<double>(rows_); }

const Measurements& Tally::means() const {
  for (size_t i = 0; i < sums_.size(); ++i) means_[i].value = sums_[i] / static_cast<double>(rows_);
  return means_;
}

}  // namespace netc
