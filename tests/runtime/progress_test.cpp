// What is printed while a run goes on, on a terminal and elsewhere.
#include "runtime/progress.h"

#include <gtest/gtest.h>

#include <cmath>

namespace netc {
namespace {

const RunShape kShape = {20, 9380, 469, {"accuracy"}};
const Measurements kTrain = {{"loss", 0.48123}, {"accuracy", 0.83125}};
const SplitResult kValidation = {"validation", 5000, {{"loss", 0.00002}, {"accuracy", 0.86}}};

class ProgressTest : public testing::Test {
 protected:
  TextOut out() {
    return [this](std::string_view text) { text_ += text; };
  }
  std::string text_;
};

TEST_F(ProgressTest, SaysBatchAndRate) {
  const auto progress = make_plain_progress(out());
  progress->line("batch", "128 per tower");
  progress->line("rate", "0.001");
  EXPECT_EQ(text_, "batch   128 per tower\nrate    0.001\n");
}

TEST_F(ProgressTest, PrintsALineAnEpoch) {
  const auto progress = make_plain_progress(out());
  progress->start(kShape);
  progress->epoch({1, 469, &kTrain, nullptr, 2.71, 22140});
  progress->epoch({20, 9380, &kTrain, &kValidation, 2.71, 950.4});
  progress->split({"test", 10000, {{"loss", 0.3312}, {"accuracy", 0.8924}}});
  EXPECT_EQ(text_,
            "epoch  1/20   loss 0.4812   accuracy 83.12 %   2.7 s   22.1 k samples/s\n"
            "epoch 20/20   loss 0.4812   accuracy 83.12 %   validation   loss 2.000e-05   accuracy 86.00 %   2.7 s   950 "
            "samples/s\n"
            "test          loss 0.3312   accuracy 89.24 %   (10000 samples)\n");
}

TEST_F(ProgressTest, PrintsALineEveryTenSecondsInsideLongEpochs) {
  const auto progress = make_plain_progress(out());
  progress->start({2, 200, 100, {}});
  for (int64_t update = 1; update <= 100; ++update)
    progress->step({1, update, 0.5, 1234567, static_cast<double>(update) * 0.25});
  EXPECT_EQ(text_,
            "epoch 1/2   40/100   loss 0.5000   1.23 M samples/s   40 s left\n"
            "epoch 1/2   80/100   loss 0.5000   1.23 M samples/s   30 s left\n");
}

TEST_F(ProgressTest, CountsARunInSteps) {
  const auto progress = make_plain_progress(out());
  progress->start({0, 150, 100, {}});
  progress->step({2, 101, 0.5, 10, 10000});
  progress->epoch({2, 150, &kTrain, nullptr, 1, 10});
  EXPECT_EQ(text_,
            "epoch 2        1/50   loss 0.5000   10 samples/s   1:20:52 left\n"
            "epoch 2        loss 0.4812   accuracy 0.8313   1.0 s   10 samples/s\n");
}

TEST_F(ProgressTest, DrawsABarThatFitsTheTerminal) {
  int columns = 80;
  const auto progress = make_terminal_progress(out(), [&] { return columns; });
  progress->start(kShape);
  const auto frame = [&](int64_t update, double seconds) {
    text_.clear();
    progress->step({1, update, 0.4123, 21873, seconds});
    return text_;
  };
  EXPECT_EQ(frame(117, 1), "\r\x1b[Kepoch  1/20 [===            ] 117/469  loss 0.4123  21.9 k samples/s  1:20 left");
  EXPECT_EQ(frame(118, 1.05), "");   // too soon to draw again
  columns = 60;                       // no room for the time
  EXPECT_EQ(frame(469, 4), "\r\x1b[Kepoch  1/20 [======] 469/469  loss 0.4123  21.9 k samples/s");
  for (columns = 1; columns < 200; ++columns) {
    const std::string drawn = frame(200, 100.0 + columns);
    EXPECT_LE(drawn.size() - 4, static_cast<size_t>(std::max(1, columns - 1))) << columns;
  }
}

TEST_F(ProgressTest, TakesTheBarAwayBeforeALine) {
  auto progress = make_terminal_progress(out(), [] { return 80; });
  progress->start(kShape);
  progress->step({1, 469, 0.4, 20000, 1});
  text_.clear();
  progress->note("stopped");
  EXPECT_EQ(text_, "\r\x1b[Kstopped\n");
  progress->step({2, 470, 0.4, 20000, 2});
  text_.clear();
  progress.reset();
  EXPECT_EQ(text_, "\r\x1b[K");
}

}  // namespace
}  // namespace netc
