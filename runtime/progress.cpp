#include "runtime/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace netc {
namespace {

std::string number(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  return std::abs(value) >= 0.001 || value == 0 ? fmt::format("{:.4f}", value) : fmt::format("{:.3e}", value);
}

// "950", "21.9 k"
std::string rate(double samples_per_second) {
  if (samples_per_second >= 1e6) return fmt::format("{:.2f} M", samples_per_second / 1e6);
  if (samples_per_second >= 1e4) return fmt::format("{:.1f} k", samples_per_second / 1e3);
  return fmt::format("{:.0f}", samples_per_second);
}

// "12 s", "3:07", "2:14:05"
std::string duration(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

// What both sinks print alike: everything but the bar and the lines inside an epoch.
class LineProgress : public ProgressSink {
 public:
  explicit LineProgress(TextOut out) : out_(std::move(out)) {}

  void line(const std::string& title, const std::string& text) override { print(fmt::format("{:<8}{}", title, text)); }
  void start(const RunShape& shape) override { shape_ = shape; }
  void note(const std::string& text) override { print(text); }

  void epoch(const EpochProgress& epoch) override {
    std::string text = epoch_title(epoch.epoch) + measures(*epoch.train);
    if (epoch.validation != nullptr) text += "   validation" + measures(epoch.validation->values);
    print(fmt::format("{}   {:.1f} s   {} samples/s", text, epoch.seconds, rate(epoch.samples_per_second)));
  }

  void split(const SplitResult& result) override {
    print(fmt::format("{:<11}{}   ({} samples)", result.split, measures(result.values), result.rows));
  }

 protected:
  virtual void print(const std::string& text) { out_(text + "\n"); }

  std::string epoch_title(int64_t epoch) const {
    if (shape_.epochs == 0) return fmt::format("epoch {:<6}", epoch);
    const std::string total = fmt::format("{}", shape_.epochs);
    return fmt::format("epoch {:>{}}/{}", epoch, total.size(), total);
  }

  // Updates of this epoch made, and how many it has.
  std::pair<int64_t, int64_t> within_epoch(const StepProgress& step) const {
    const int64_t before = (step.epoch - 1) * shape_.updates_per_epoch;
    return {step.update - before, std::min(shape_.updates_per_epoch, shape_.updates - before)};
  }

  std::string time_left(const StepProgress& step) const {
    const auto left = static_cast<double>(shape_.updates - step.update);
    return duration(step.seconds * left / static_cast<double>(std::max<int64_t>(1, step.update))) + " left";
  }

  std::string measures(const Measurements& values) const {
    std::string text;
    for (const Measurement& m : values) {
      const bool is_share = std::find(shape_.shares.begin(), shape_.shares.end(), m.name) != shape_.shares.end();
      text += fmt::format("   {} {}", m.name, is_share ? fmt::format("{:.2f} %", 100 * m.value) : number(m.value));
    }
    return text;
  }

  TextOut out_;
  RunShape shape_;
};

class PlainProgress final : public LineProgress {
 public:
  using LineProgress::LineProgress;

  void step(const StepProgress& step) override {
    constexpr double kBetweenLines = 10;   // seconds
    const auto [made, all] = within_epoch(step);
    if (made == all) last_line_ = step.seconds;   // the epoch's own line follows
    if (step.seconds - last_line_ < kBetweenLines) return;
    last_line_ = step.seconds;
    print(fmt::format("{}   {}/{}   loss {}   {} samples/s   {}", epoch_title(step.epoch), made, all, number(step.loss),
                      rate(step.samples_per_second), time_left(step)));
  }

 private:
  double last_line_ = 0;
};

class TerminalProgress final : public LineProgress {
 public:
  TerminalProgress(TextOut out, std::function<int()> width) : LineProgress(std::move(out)), width_(std::move(width)) {}
  ~TerminalProgress() override { clear_bar(); }

  void step(const StepProgress& step) override {
    constexpr double kBetweenFrames = 0.1;   // seconds
    if (bar_is_drawn_ && step.seconds - last_frame_ < kBetweenFrames) return;
    last_frame_ = step.seconds;
    const auto [made, all] = within_epoch(step);
    const int columns = std::max(1, width_() - 1);   // a full last column would wrap the line
    const std::string title = epoch_title(step.epoch);
    std::string text = fmt::format("{}/{}  loss {}", made, all, number(step.loss));
    for (const std::string& more : {"  " + rate(step.samples_per_second) + " samples/s", "  " + time_left(step)})
      if (title.size() + 1 + text.size() + more.size() <= static_cast<size_t>(columns)) text += more;
    const int64_t room = columns - static_cast<int64_t>(title.size() + text.size()) - 4;   // blanks and brackets
    if (room >= 6) {
      const int64_t cells = std::min<int64_t>(room, 40);
      const int64_t full = std::clamp<int64_t>(all > 0 ? made * cells / all : 0, 0, cells);
      text = "[" + std::string(static_cast<size_t>(full), '=') + std::string(static_cast<size_t>(cells - full), ' ') + "] " + text;
    }
    out_("\r\x1b[K" + (title + " " + text).substr(0, static_cast<size_t>(columns)));
    bar_is_drawn_ = true;
  }

 private:
  void print(const std::string& text) override {
    clear_bar();
    LineProgress::print(text);
  }

  void clear_bar() {
    if (bar_is_drawn_) out_("\r\x1b[K");
    bar_is_drawn_ = false;
  }

  std::function<int()> width_;
  bool bar_is_drawn_ = false;
  double last_frame_ = 0;
};

}  // namespace

std::unique_ptr<ProgressSink> make_terminal_progress(TextOut out, std::function<int()> width) {
  return std::make_unique<TerminalProgress>(std::move(out), std::move(width));
}

std::unique_ptr<ProgressSink> make_plain_progress(TextOut out) { return std::make_unique<PlainProgress>(std::move(out)); }

std::unique_ptr<ProgressSink> make_standard_progress() {
  const TextOut out = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  };
  if (isatty(STDOUT_FILENO) == 0) return make_plain_progress(out);
  return make_terminal_progress(out, [] {
    constexpr int kUnknownWidth = 80;
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? int{size.ws_col} : kUnknownWidth;
  });
}

}  // namespace netc
