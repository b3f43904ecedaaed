#include "runtime/record/metrics_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>

#include "compiler/base/errors.h"

namespace netc {
namespace {

void add_number(std::string& text, const std::string& key, double value) {
  if (std::isfinite(value)) fmt::format_to(std::back_inserter(text), ",\"{}\":{}", key, value);
  else fmt::format_to(std::back_inserter(text), ",\"{}\":null", key);
}

}  // namespace

// Names are identifiers of the language, so nothing needs escaping.
std::string to_json(const MetricsLine& line) {
  std::string text = fmt::format("{{\"kind\":\"{}\",\"step\":{},\"epoch\":{},\"split\":\"{}\"", line.kind, line.step,
                                 line.epoch, line.split);
  for (const Measurement& measurement : *line.values) add_number(text, measurement.name, measurement.value);
  add_number(text, "lr", line.learning_rate);
  add_number(text, "samples_per_second", std::round(line.samples_per_second * 10) / 10);
  add_number(text, "seconds", std::round(line.seconds * 1e6) / 1e6);
  return text + "}";
}

MetricsLog::MetricsLog(std::string path) : path_(std::move(path)) {
  file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0)
    throw RuntimeError(fmt::format("creating {} failed: {}", path_, std::strerror(errno)),
                       "choose a folder you may write to with --output");
}

MetricsLog::~MetricsLog() {
  if (file_ >= 0) close(file_);
}

void MetricsLog::add(const MetricsLine& line) {
  const std::string text = to_json(line) + "\n";
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(file_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      const bool cut = ftruncate(file_, bytes_) == 0;
      throw RuntimeError(fmt::format("writing {} failed: {}{}", path_, std::strerror(error), cut ? "" : " (its last line is cut)"),
                         "free space on that disk, or choose another folder with --output");
    }
    done += static_cast<size_t>(written);
  }
  bytes_ += static_cast<int64_t>(text.size());
}

}  // namespace netc
