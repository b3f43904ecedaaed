#include "runtime/record/report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/schedule.h"

namespace netc {
namespace {

using nlohmann::ordered_json;

ordered_json to_object(const Measurements& values) {
  ordered_json object = ordered_json::object();
  for (const Measurement& m : values) object[m.name] = std::isfinite(m.value) ? ordered_json(m.value) : ordered_json();
  return object;
}

ordered_json plan_object(const Plan& plan, const BatchPlan& batches) {
  static const char* const sync_names[] = {"none", "allreduce", "average", "parameter_server"};
  static const char* const precision_names[] = {"f32", "tf32", "mixed(bf16)", "mixed(f16)"};
  std::vector<int64_t> rows(plan.towers.size());
  deal_by_share(batches.update_rows, batches.shares, rows);
  ordered_json towers = ordered_json::array();
  for (size_t t = 0; t < plan.towers.size(); ++t) {
    const TowerSpec& tower = plan.towers[t];
    towers.push_back({{"device", to_string(tower.device)}, {"share", tower.share}, {"rows_per_update", rows[t]}});
  }
  return {{"name", plan.name},
          {"towers", towers},
          {"sync", sync_names[static_cast<size_t>(plan.sync)]},
          {"accumulate", plan.accumulate},
          {"precision", precision_names[static_cast<size_t>(plan.precision)]},
          {"last_batch", plan.last_batch_drop ? "drop" : "keep"},
          {"deterministic", plan.deterministic}};
}

}  // namespace

std::string to_json(const RunReport& report) {
  const TrainSpec& spec = *report.spec;
  const BatchPlan& batches = report.batches;
  ordered_json json = {
      {"train", spec.name},
      {"net", spec.net},
      {"data", spec.data},
      {"data_root", report.data_root},
      {"end", report.end},
      {"updates", report.updates},
      {"epochs", report.epochs},
      {"seconds", report.seconds},
      {"samples_per_second", report.samples_per_second},
  };
  ordered_json results = ordered_json::object();
  for (const SplitResult& split : report.splits) {
    results[split.split] = to_object(split.values);
    results[split.split]["samples"] = split.rows;
  }
  json["results"] = results;
  json["train_last_epoch"] = to_object(report.train);
  if (report.restored_epoch) json["restored_epoch"] = *report.restored_epoch;
  json["seed"] = spec.seed;
  json["plan"] = plan_object(*report.plan, batches);
  json["batch"] = {{"text", describe(batches)},
                   {"samples_per_update", batches.update_rows},
                   {"updates_per_epoch", batches.updates_per_epoch},
                   {"last_update_samples", batches.last_rows},
                   {"train_samples", batches.train_rows}};
  json["rate"] = {{"text", describe_learning_rate(spec, batches.update_rows)},
                  {"learning_rate", report.learning_rate},
                  {"schedule", spec.schedule.kind},
                  {"lr_scaling", spec.lr_scaling}};
  json["weights"] = {{"total", report.weights},
                     {"trainable", report.trainable_weights},
                     {"optimizer", spec.optimizer.name},
                     {"optimizer_values", report.optimizer_values}};
  json["memory"] = {{"planned_bytes", report.program_bytes + report.weight_bytes + report.data_bytes + report.transfer_bytes},
                    {"programs_bytes", report.program_bytes},
                    {"weights_bytes", report.weight_bytes},
                    {"data_bytes", report.data_bytes},
                    {"transfer_bytes", report.transfer_bytes},
                    {"process_base_bytes", report.base_bytes},
                    {"process_peak_bytes", report.peak_bytes}};
  json["versions"] = {{"netc", NETC_VERSION}, {"backend", report.backend}};
  return json.dump(2) + "\n";
}

}  // namespace netc
