// The generated text itself: what users read, the same every time, and taken by both compilers for every target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compiler/base/errors.h"
#include "compiler/kernel/emit_c.h"
#include "compiler/kernel/kernel_builder.h"
#include "runtime/backend/cpu/host_compiler.h"
#include "tests/cpu/mlp_program.h"
#include "tests/cpu/temporary_folder.h"
#include "tests/kernel/hand_program.h"
#include "tests/support/golden.h"

namespace netc {
namespace {

using test::HandProgram;
using test::kBatch;

// Kernels alone, without the head of the unit.
std::string kernels_of(const std::string& text, const std::string& program) {
  return text.substr(text.find("// " + program + ": kernel"));
}

TEST(GeneratedText, OfADenseLayerAndASoftmax) {
  const Target& target = *find_target("avx2");
  HandProgram p(64);
  const BufferId x = p.input("x", 20), w = p.parameter("fc.weight", 20, 10), b = p.parameter("fc.bias", 1, 10);
  for (BufferId id : {x, w}) {
    Buffer& buffer = p.buffers[static_cast<size_t>(id)];
    if (buffer.kind == BufferKind::input) buffer.kind = BufferKind::activation;
    buffer.layout = Layout::panels;
    buffer.panel_columns = target.panel_columns;
    buffer.padded_rows = padded_panel_rows(target, buffer.rows.times_batch ? 64 : buffer.rows.count);
  }
  const BufferId z = p.activation("z", 10), y = p.output("probs", 10);
  p.step(test::dense_relu(x, w, b, z, 20, 10, "fc_matmul_add_relu"));
  p.step(test::row_softmax(z, y, 10));
  p.kernels[0].spans = {Span{0, 10, 20}};
  EmitOptions options;
  options.target = target;
  options.span_text = [](Span) { return std::string("net.net:3:7   -> dense(10, relu)"); };
  const std::vector<Program> programs{p};
  const EmittedUnit unit = emit_c(programs, options);
  ASSERT_EQ(unit.texts.size(), 1u);
  EXPECT_EQ(unit.texts, emit_c(programs, options).texts);
  test::expect_golden("cpu/golden/dense_softmax_avx2.txt", kernels_of(unit.texts[0], "test"));
}

TEST(GeneratedText, IsSharedByKernelsThatDoTheSame) {
  HandProgram train(8), predict(8);
  for (HandProgram* p : {&train, &predict}) {
    if (p == &predict) p->input("unused", 3);   // other buffer numbers, the same kernel
    const BufferId x = p->input("x", 6), w = p->parameter("w", 6, 5), b = p->parameter("b", 1, 5), y = p->output("y", 5);
    p->step(test::dense_relu(x, w, b, y, 6, 5));
  }
  EmitOptions options;
  options.target = *find_target("plain");
  const std::vector<Program> programs{train, predict};
  const EmittedUnit unit = emit_c(programs, options);
  EXPECT_EQ(unit.programs[0][0].symbol, unit.programs[1][0].symbol);
  EXPECT_NE(unit.programs[0][0].buffers, unit.programs[1][0].buffers);
}

TEST(GeneratedText, PartsHoldEveryKernelOnce) {
  const Target& target = *find_target("avx2");
  const std::vector<Program> programs{MlpProgram({{40, 30, 10}, 16, 0.2, true}, target).build()};
  EmitOptions options;
  options.target = target;
  options.parts = 2;
  const EmittedUnit unit = emit_c(programs, options);
  ASSERT_EQ(unit.texts.size(), 2u);
  for (const EmittedKernel& kernel : unit.programs[0])
    for (int part = 0; part < 2; ++part) {
      const bool there = unit.texts[static_cast<size_t>(part)].find("void " + kernel.symbol + "(") != std::string::npos;
      EXPECT_EQ(there, part == kernel.part) << kernel.symbol;
    }
}

TEST(GeneratedText, CutsTheParallelDomainIntoItems) {
  EmittedKernel kernel;
  kernel.items = {{Extent{2, true}, 16}, {Extent{100, false}, 32}};
  EXPECT_EQ(kernel.item_count(0), 0);
  EXPECT_EQ(kernel.item_count(1), 4);
  EXPECT_EQ(kernel.item_count(8), 4);
  EXPECT_EQ(kernel.item_count(9), 8);
}

class Compilers : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

// Code for processors this machine is not is compiled all the same.
TEST_P(Compilers, TakeATrainingStep) {
  const auto& [compiler_name, target_name] = GetParam();
  HostCompiler compiler;
  try {
    compiler = find_host_compiler(compiler_name);
  } catch (const CompilerMissing&) {
    GTEST_SKIP() << compiler_name << " is not installed";
  }
#if !defined(__x86_64__)
  if (target_name != "plain") GTEST_SKIP() << "another kind of processor";
#endif
  const Target& target = *find_target(target_name);
  const std::vector<Program> programs{MlpProgram({{40, 30, 10}, 16, 0.2, true}, target).build()};
  EmitOptions options;
  options.target = target;
  TemporaryFolder folder;
  const std::string source = folder.path() + "/unit.c";
  std::ofstream(source) << emit_c(programs, options).texts[0];
  std::vector<std::string> command{compiler.path, "-x", "c", "-std=gnu11", "-O1", "-fPIC", "-c", "-Wall", "-Werror", "-Wno-psabi",
                                   "-Wno-unused", "-Wno-unknown-pragmas", "-o", folder.path() + "/unit.o"};
  std::istringstream words(target.compiler_flags);
  for (std::string word; words >> word;) command.push_back(word);
  command.push_back(source);
  const ProcessResult result = run_process(command);
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

INSTANTIATE_TEST_SUITE_P(All, Compilers,
                         testing::Combine(testing::Values("gcc", "clang"), testing::Values("avx512", "avx2", "plain")),
                         [](const auto& test) { return std::get<0>(test.param) + "_" + std::get<1>(test.param); });

}  // namespace
}  // namespace netc
