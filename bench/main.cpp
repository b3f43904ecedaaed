// netc_bench: the comparisons bench/README.md describes, as a table on standard output and, with --json FILE, as JSON.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/fma_peak.h"
#include "bench/net_contender.h"
#include "bench/peer.h"
#include "bench/rounds.h"
#include "bench/startup.h"

namespace netc::bench {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<int64_t> kSeedWidths = {784, 1024, 1024, 10};
const std::vector<int64_t> kTinyWidths = {32, 64, 64, 10};

struct Options {
  bool quick = false;
  bool steps = true, startup = true;
  std::string json_path;
};

// The contenders of one table, the processes among them, and what is to be said about those that are absent.
struct Field {
  std::vector<Contender> contenders;
  std::vector<std::unique_ptr<Peer>> peers;
  std::vector<std::string> remarks;

  void add_net(const NetSetup& setup) { contenders.push_back(net_contender(setup)); }

  void add_torch(const std::string& name, const std::vector<int64_t>& widths, int64_t batch, const char* dropout,
                 int threads, const char* mode) {
    std::string list;
    for (int64_t width : widths) list += (list.empty() ? "" : ",") + std::to_string(width);
    std::string remark;
    auto peer = Peer::start({"python3", NETC_SOURCE_DIR "/bench/peers/torch_mlp.py", list, std::to_string(batch), dropout,
                             std::to_string(threads), mode},
                            &remark);
    remarks.push_back(name + ", " + std::to_string(threads) + " threads: " + remark);
    if (!peer) return;
    Contender contender;
    contender.name = name + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
    contender.cores = threads;
    contender.samples = batch;
    contender.flops = dense_chain_flops(widths, batch);
    contender.run = [running = peer.get()](int64_t steps) { return running->run(steps); };
    contenders.push_back(std::move(contender));
    peers.push_back(std::move(peer));
  }
};

void print_report(const RoundsReport& report) {
  std::printf("%d quiet rounds, %d thrown away%s; FMA peak (%s) %.1f GF/s on one core, %.1f on %d\n", report.accepted,
              report.rejected, report.disturbed ? " - TOO FEW QUIET ONES: these figures are disturbed" : "", fma_peak_kind(),
              report.peak_one * 1e-9, report.peak_all * 1e-9, report.cores);
  std::printf("%-34s %12s %12s %14s %10s %8s\n", "", "median us", "best us", "samples/s", "of peak", "ratio");
  const Figure& base = report.figures.front();
  for (const Figure& figure : report.figures) {
    const double rate = static_cast<double>(figure.samples) / figure.median_seconds();
    const double base_rate = static_cast<double>(base.samples) / base.median_seconds();
    std::printf("%-34s %12.1f %12.1f %14.0f %9.1f%% %8.2f\n", figure.name.c_str(), figure.median_seconds() * 1e6,
                figure.best_seconds() * 1e6, rate, 100 * figure.median_peak_share(), rate / base_rate);
  }
}

Json to_json(const RoundsReport& report, const std::vector<std::string>& remarks) {
  Json figures = Json::array();
  for (const Figure& figure : report.figures)
    figures.push_back({{"name", figure.name},
                       {"cores", figure.cores},
                       {"samples_per_step", figure.samples},
                       {"flops_per_step", figure.flops},
                       {"step_seconds", figure.step_seconds},
                       {"median_seconds", figure.median_seconds()},
                       {"best_seconds", figure.best_seconds()},
                       {"median_peak_share", figure.median_peak_share()}});
  return {{"quiet_rounds", report.accepted},
          {"rejected_rounds", report.rejected},
          {"disturbed", report.disturbed},
          {"fma_peak_kind", fma_peak_kind()},
          {"fma_peak_one_core", report.peak_one},
          {"fma_peak_all_cores", report.peak_all},
          {"cores", report.cores},
          {"remarks", remarks},
          {"contenders", figures}};
}

Json compare(const char* title, Field field, const Options& options) {
  RoundsOptions rounds;
  if (options.quick) rounds.rounds = 3, rounds.turn_seconds = 0.15, rounds.most_rejected = 9;
  for (const auto& peer : field.peers) rounds.children.push_back(peer->pid());
  std::printf("\n%s\n", title);
  const RoundsReport report = run_rounds(field.contenders, rounds);
  print_report(report);
  for (const std::string& remark : field.remarks) std::printf("%s\n", remark.c_str());
  return to_json(report, field.remarks);
}

// Everything with `threads` worker threads of netc and as many of a peer, against one thread of netc in the first row.
Field seed_net_field() {
  Field field;
  const int cores = usable_cores();
  field.add_net({"netc, 1 tower, 1 core", "seed_net.net", "", 1, kSeedWidths});
  if (cores > 1) {
    field.add_net({"netc, 1 tower, 2 cores", "seed_net.net", "", 2, kSeedWidths});
    field.add_net({"netc, 2 towers of 128, 2 cores", "seed_net.net", "cpu:0,cpu:1", 2, kSeedWidths});
  }
  for (const char* mode : {"eager", "compiled"})
    for (int threads = 1; threads <= std::min(cores, 2); ++threads)
      field.add_torch(std::string("PyTorch ") + mode, kSeedWidths, 128, "0.2", threads, mode);
  return field;
}

Field tiny_net_field() {
  Field field;
  field.add_net({"netc, 1 core", "tiny_net.net", "", 1, kTinyWidths});
  if (usable_cores() > 1) field.add_net({"netc, 2 cores", "tiny_net.net", "", 2, kTinyWidths});
  for (const char* mode : {"eager", "compiled"})
    field.add_torch(std::string("PyTorch ") + mode, kTinyWidths, 32, "0", 1, mode);
  return field;
}

Json measure_startup(const Options& options) {
  Json result = Json::array();
  std::printf("\nWhole processes, best and median\n");
  const auto show = [&](const std::vector<Duration>& durations) {
    for (const Duration& duration : durations) {
      const double best = *std::min_element(duration.seconds.begin(), duration.seconds.end());
      std::printf("%-34s %9.1f ms %9.1f ms\n", duration.name.c_str(), best * 1e3, median(duration.seconds) * 1e3);
      result.push_back({{"name", duration.name}, {"seconds", duration.seconds}});
    }
  };
  show(time_to_first_step(options.quick ? 3 : 9));
  show(time_of_check(options.quick ? 3 : 15));
  return result;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") {
      options.quick = true;
    } else if (word == "--only" && i + 1 < argc) {
      const std::string part = argv[++i];
      options.steps = part == "steps";
      options.startup = part == "startup";
    } else if (word == "--json" && i + 1 < argc) {
      options.json_path = argv[++i];
    } else {
      throw std::runtime_error("usage: netc_bench [--quick] [--only steps|startup] [--json FILE]");
    }
  }
  return options;
}

void run(const Options& options) {
  Json all = Json::object();
  if (options.steps) {
    all["seed_net"] = compare("Seed net 784-1024-1024-10, batch 128, dropout 20 %, rmsprop", seed_net_field(), options);
    all["tiny_net"] = compare("Tiny net 32-64-64-10, batch 32, rmsprop", tiny_net_field(), options);
  }
  if (options.startup) all["startup"] = measure_startup(options);
  if (!options.json_path.empty()) std::ofstream(options.json_path) << all.dump(2) << "\n";
}

}  // namespace
}  // namespace netc::bench

int main(int argc, char** argv) {
  try {
    netc::bench::run(netc::bench::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "netc_bench: %s\n", error.what());
    return 1;
  }
}
