// NVRTC by dlopen, and the resources that ptxas reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "compiler/base/errors.h"
#include "runtime/jit/nvrtc.h"
#include "runtime/jit/nvrtc_api.h"
#include "runtime/jit/resources.h"

#if __has_include(<nvrtc.h>)
#include <nvrtc.h>

namespace netc::jit {
// Our declarations against the toolkit's, with its own types put in.
using Declared = NvrtcApi<nvrtcResult, nvrtcProgram>;
static_assert(sizeof(nvrtcResult) == sizeof(int) && NVRTC_SUCCESS == 0 && std::is_pointer_v<nvrtcProgram>);
static_assert(std::is_same_v<decltype(Declared::version), decltype(&nvrtcVersion)>);
static_assert(std::is_same_v<decltype(Declared::supported_architecture_count), decltype(&nvrtcGetNumSupportedArchs)>);
static_assert(std::is_same_v<decltype(Declared::supported_architectures), decltype(&nvrtcGetSupportedArchs)>);
static_assert(std::is_same_v<decltype(Declared::create_program), decltype(&nvrtcCreateProgram)>);
static_assert(std::is_same_v<decltype(Declared::destroy_program), decltype(&nvrtcDestroyProgram)>);
static_assert(std::is_same_v<decltype(Declared::compile_program), decltype(&nvrtcCompileProgram)>);
static_assert(std::is_same_v<decltype(Declared::ptx_size), decltype(&nvrtcGetPTXSize)>);
static_assert(std::is_same_v<decltype(Declared::ptx), decltype(&nvrtcGetPTX)>);
static_assert(std::is_same_v<decltype(Declared::cubin_size), decltype(&nvrtcGetCUBINSize)>);
static_assert(std::is_same_v<decltype(Declared::cubin), decltype(&nvrtcGetCUBIN)>);
static_assert(std::is_same_v<decltype(Declared::log_size), decltype(&nvrtcGetProgramLogSize)>);
static_assert(std::is_same_v<decltype(Declared::log), decltype(&nvrtcGetProgramLog)>);
static_assert(std::is_same_v<decltype(Declared::error_text), decltype(&nvrtcGetErrorString)>);
}  // namespace netc::jit
#endif

namespace netc::jit {
namespace {

using ::testing::HasSubstr;

TEST(Nvrtc, SaysWhyItIsMissingOrWhereItIs) {
  if (nvrtc_available()) {
    EXPECT_EQ(nvrtc_missing_reason(), "");
    EXPECT_THAT(nvrtc_path(), HasSubstr("libnvrtc"));
    EXPECT_GE(nvrtc_version().major, 11);
    EXPECT_THAT(nvrtc_architectures(), ::testing::Contains(80));
  } else {
    EXPECT_NE(nvrtc_missing_reason(), "");
    EXPECT_THROW(nvrtc_compile("", "x.cu", {}), RuntimeError);
  }
}

TEST(Nvrtc, CompilesToPtxAndMachineCode) {
  if (!nvrtc_available()) GTEST_SKIP() << nvrtc_missing_reason();
  const std::string source = R"(extern "C" __global__ void k(float* x) {
    __shared__ float s[256]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[255 - threadIdx.x]; })";
  const CompiledProgram real = nvrtc_compile(source, "k.cu", {"--gpu-architecture=sm_80", "--ptxas-options=-v"});
  EXPECT_THAT(real.ptx, HasSubstr(".entry k"));
  EXPECT_EQ(real.cubin.substr(1, 3), "ELF");
  const auto resources = parse_resources(real.log);
  ASSERT_EQ(resources.size(), 1u) << real.log;
  EXPECT_EQ(resources[0].kernel, "k");
  EXPECT_EQ(resources[0].architecture, "sm_80");
  EXPECT_GT(resources[0].registers, 0);
  EXPECT_EQ(resources[0].shared_bytes, 1024);
  EXPECT_EQ(resources[0].barriers, 1);
  EXPECT_EQ(resources[0].spill_store_bytes, 0);
  const CompiledProgram virtual_only = nvrtc_compile(source, "k.cu", {"--gpu-architecture=compute_80"});
  EXPECT_EQ(virtual_only.cubin, "");
}

TEST(Nvrtc, AnErrorInGeneratedTextIsOurs) {
  if (!nvrtc_available()) GTEST_SKIP() << nvrtc_missing_reason();
  try {
    nvrtc_compile("__global__ void k() { undeclared = 1; }", "broken.cu", {"--gpu-architecture=compute_80"});
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("NVRTC refuses the generated program broken.cu"));
    EXPECT_THAT(error.what(), HasSubstr("identifier \"undeclared\" is undefined"));
  }
}

TEST(Resources, AreReadFromTheLogOfSeveralKernels) {
  const auto kernels = parse_resources(R"(ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
    40 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 255 registers, used 2 barriers, 40 bytes cumulative stack size, 4096 bytes smem, 380 bytes cmem[0]
ptxas info    : Compile time = 1.2 ms
ptxas info    : Compiling entry function 'second' for 'sm_75'
ptxas info    : Function properties for second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 352 bytes cmem[0]
)");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "first");
  EXPECT_EQ(kernels[0].architecture, "sm_90");
  EXPECT_EQ(kernels[0].stack_frame_bytes, 40);
  EXPECT_EQ(kernels[0].spill_store_bytes, 12);
  EXPECT_EQ(kernels[0].spill_load_bytes, 16);
  EXPECT_EQ(kernels[0].registers, 255);
  EXPECT_EQ(kernels[0].barriers, 2);
  EXPECT_EQ(kernels[0].shared_bytes, 4096);
  EXPECT_EQ(kernels[1].registers, 8);
  EXPECT_EQ(kernels[1].shared_bytes, 0);
}

}  // namespace
}  // namespace netc::jit
