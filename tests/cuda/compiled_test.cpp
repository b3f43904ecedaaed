// The text as NVRTC and ptxas see it: every kernel of every case becomes machine code for every architecture, without
// spills. Needs the toolkit's library and no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "compiler/kernel/cuda/cuda_abi.h"
#include "runtime/jit/nvrtc.h"
#include "runtime/jit/resources.h"
#include "tests/cuda/cuda_programs.h"

namespace netc::test {
namespace {

jit::CompiledProgram compiled(const EmittedCuda& emitted, int architecture) {
  return jit::nvrtc_compile(emitted.text, "kernels.cu",
                            {"--gpu-architecture=sm_" + std::to_string(architecture), "--fmad=false", "--std=c++17",
                             "--ptxas-options=-v"});
}

// One kernel of PTX, from its name to the closing brace.
std::string entry_of(const std::string& ptx, const std::string& symbol) {
  const size_t begin = ptx.find(".entry " + symbol);
  return begin == std::string::npos ? "" : ptx.substr(begin, ptx.find("\n}", begin) - begin);
}

int count_of(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<int>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()));
}

class CompiledCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!jit::nvrtc_available()) GTEST_SKIP() << jit::nvrtc_missing_reason();
  }
};

// Kernels that take sines of large angles apart keep the digits of 2 / pi in local memory, as CUDA's own sinf does.
bool may_have_a_stack(const EmittedCuda& emitted, const std::string& symbol) {
  const size_t begin = emitted.text.find(" " + symbol + "("), end = emitted.text.find("\n}\n", begin);
  const std::string text = emitted.text.substr(begin, end - begin);
  return text.find("sinf(") != std::string::npos || text.find("cosf(") != std::string::npos;
}

void expect_no_spills(const EmittedCuda& emitted, int architecture) {
  SCOPED_TRACE("sm_" + std::to_string(architecture));
  const jit::CompiledProgram program = compiled(emitted, architecture);
  const std::vector<jit::KernelResources> all = jit::parse_resources(program.log);
  EXPECT_EQ(all.size(), emitted.symbols.size());
  for (const jit::KernelResources& kernel : all) {
    EXPECT_EQ(kernel.spill_store_bytes + kernel.spill_load_bytes, 0) << kernel.kernel;
    if (!may_have_a_stack(emitted, kernel.kernel)) {
      EXPECT_EQ(kernel.stack_frame_bytes, 0) << kernel.kernel;
    }
  }
}

std::vector<Program> chosen_programs() {
  std::vector<Program> programs = seed_net_programs();
  programs.push_back(softmax_program(1000));   // 3
  programs.push_back(embedding_program());     // 4
  programs.push_back(softmax_program(3000));
  programs.push_back(huge_softmax_program());
  programs.push_back(layer_norm_program(256));
  programs.push_back(updates_program(5));
  return programs;
}

TEST_F(CompiledCuda, ForEveryArchitectureWithoutSpills) {
  CudaOptions all_generated;
  all_generated.library_products = false;
  const EmittedCuda emitted = emit_cuda(chosen_programs(), all_generated);
  std::vector<int> architectures = jit::nvrtc_architectures();
#if defined(__SANITIZE_ADDRESS__)   // NVRTC's work, which sanitizers do not see: the released build does it for all
  architectures = {architectures.front()};
#endif
  for (int architecture : architectures) expect_no_spills(emitted, architecture);
}

TEST_F(CompiledCuda, AsDevicesAreGivenThem) { expect_no_spills(emit_cuda(seed_net_programs(true), {}), 90); }

TEST_F(CompiledCuda, EveryRowOfTheOpTable) {
  for (const bool fused : {false, true}) expect_no_spills(emit_cuda(row_programs(fused), {}), 90);
}

TEST_F(CompiledCuda, RandomGraphs) { expect_no_spills(emit_cuda(random_programs(true), {}), 75); }

TEST_F(CompiledCuda, WithIndicesOf64Bits) {
  std::vector<Program> programs = seed_net_programs();
  for (Program& program : programs) program.batch_capacity = 4'000'000;
  expect_no_spills(emit_cuda(programs, {}), 90);
}

// The structures in the prelude are those of cuda_abi.h.
TEST_F(CompiledCuda, AgreesOnWhatAKernelIsHanded) {
  EmittedCuda emitted = emit_cuda(std::vector<Program>{embedding_program()}, {});
  const auto expect = [&](const std::string& text, size_t value) {
    emitted.text += "static_assert(" + text + " == " + std::to_string(value) + ", \"\");\n";
  };
  expect("sizeof(fault)", sizeof(CudaFault));
  expect("sizeof(step_block)", sizeof(CudaStepBlock) + 8);   // one scalar, and up to the next multiple of 8
  EXPECT_NO_THROW(compiled(emitted, 90));
}

TEST_F(CompiledCuda, ReadsFourElementsAtOnce) {
  const EmittedCuda emitted = emit_cuda(chosen_programs(), {});
  const std::string ptx = compiled(emitted, 90).ptx;
  const auto symbol = [&](size_t program, size_t launch) {
    return std::get<KernelLaunch>(emitted.programs[program][launch].call).symbol;
  };
  const std::string cast = entry_of(ptx, symbol(0, 0));
  EXPECT_EQ(count_of(cast, R"(ld\.global\.nc\.v4\.u8)"), 1) << cast;
  EXPECT_EQ(count_of(cast, R"(st\.global\.v4\.f32)"), 1) << cast;
  const std::string gather = entry_of(ptx, symbol(4, 0));
  EXPECT_EQ(count_of(gather, R"(ld\.global\.nc\.v4\.f32)"), 1) << gather;
  const std::string softmax = entry_of(ptx, symbol(3, 0));
  EXPECT_EQ(count_of(softmax, R"(ld\.global)"), 32 + 1) << "the row once, and the number of rows";
  EXPECT_EQ(count_of(softmax, R"(bar\.sync)"), 0);
  EXPECT_EQ(count_of(ptx, R"(\.local)"), 0);
}

TEST_F(CompiledCuda, AddsWithoutAtomics) {
  const EmittedCuda emitted = emit_cuda(std::vector<Program>{embedding_program()}, {});
  const std::string ptx = compiled(emitted, 90).ptx;
  EXPECT_EQ(count_of(ptx, R"(atom\.\S*add|red\.)"), 0);
}

}  // namespace
}  // namespace netc::test
