// What the parser takes, and what it refuses by name and line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/base/errors.h"
#include "runtime/backend/sim/opcode_table.h"
#include "tests/sim/evaluate.h"

namespace netc::sim {
namespace {

std::string kernel_with(const std::string& body) {
  return std::string(kPtxHead) +
         ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<4>; .reg .b64 %l<4>; .reg .pred %p<2>;\n" + body +
         "\nret;\n}\n";
}

std::string refusal(const std::string& body) {
  try {
    parse_ptx(kernel_with(body));
  } catch (const InternalError& error) {
    return error.what();
  }
  return "accepted";
}

using ::testing::HasSubstr;

TEST(Parse, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refusal("wgmma.fence.sync.aligned;"), "PTX line 6: unknown instruction wgmma.fence.sync.aligned");
  EXPECT_THAT(refusal("add.s32.magic %r1, %r2, %r3;"), HasSubstr("unknown instruction add.s32.magic"));
  EXPECT_THAT(refusal("add.rz.s32 %r1, %r2, %r3;"), HasSubstr("unknown instruction add.rz.s32"));   // no rounding there
  EXPECT_THAT(refusal("setp.s32 %p1, %r2, %r3;"), HasSubstr("unknown instruction"));                // no comparison
  EXPECT_THAT(refusal("atom.global.mul.u32 %r1, [%l1], %r2;"), HasSubstr("unknown instruction"));
  EXPECT_THAT(refusal("ld.texture.u32 %r1, [%l1];"), HasSubstr("unknown instruction"));
  EXPECT_THAT(refusal("call.uni foo, (%r1);"), HasSubstr("calls are not simulated"));
  EXPECT_THAT(refusal("fma.rn.relu.f16 %r1, %r1, %r1, %r1;"), HasSubstr("unknown instruction"));
  EXPECT_THAT(refusal("add.s32 %r1, %r2, %l1;"), HasSubstr("wrong width"));
  EXPECT_THAT(refusal("add.s32 %r1, %r2;"), HasSubstr("takes 3 operands, not 2"));
  EXPECT_THAT(refusal("add.s32 %r1, %r2, %r9;"), HasSubstr("unknown name %r9"));
  EXPECT_THAT(refusal("mov.u32 %r1, %nonsense;"), HasSubstr("unknown register %nonsense"));
  EXPECT_THAT(refusal("bra $nowhere;"), HasSubstr("label $nowhere is not defined"));
  EXPECT_THAT(refusal("$a: $a: bra $a;"), HasSubstr("label $a is defined twice"));
  EXPECT_THAT(refusal("add.s32 %r1, %r2, 0q1;"), HasSubstr("cannot read the number 0q1"));
  EXPECT_THAT(refusal(".texref t;"), HasSubstr("unknown statement .texref"));
}

TEST(Parse, TakesTheLayoutOfParametersAndVariables) {
  const Module module = parse_ptx(std::string(kPtxHead) + R"(
.extern .shared .align 16 .b8 dynamic[];
.const .align 4 .b8 table[8] = {1, 2, 3, 4, 0xFF, 6, 7, 8};
.global .align 4 .f32 factors[2] = {0f3F800000, 0f40000000};
.visible .entry k(
  .param .u32 a,
  .param .u64 .ptr .global .align 4 b,
  .param .align 8 .b8 c[12]
)
.maxntid 128, 2, 1
{
  .shared .align 4 .b8 first[100];
  .shared .align 8 .b8 second[16];
  .reg .b32 %r<3>;
  mov.u32 %r1, dynamic;
  ret;
}
.visible .entry other() { ret; }
)");
  const Kernel& kernel = *module.find("k");
  EXPECT_EQ(module.target, "sm_80");
  ASSERT_EQ(kernel.parameters.size(), 3u);
  EXPECT_EQ(kernel.parameters[1].offset, 8u);
  EXPECT_EQ(kernel.parameters[2].offset, 16u);
  EXPECT_EQ(kernel.parameter_bytes, 28u);
  EXPECT_EQ(kernel.max_threads, 256u);
  ASSERT_EQ(kernel.shared.size(), 3u);
  EXPECT_GE(kernel.shared[1].offset, 100u + 64);   // a gap between them
  EXPECT_TRUE(kernel.shared[2].is_dynamic);
  EXPECT_EQ(kernel.static_shared_bytes, 120u);
  EXPECT_TRUE(module.find("other")->shared.empty());
  EXPECT_EQ(module.find("none"), nullptr);
}

TEST(Parse, ReadsConstantsAndStructures) {
  const std::string text = std::string(kPtxHead) + R"(
.const .align 4 .u32 table[3] = {7, 8, 9};
.visible .entry k(.param .align 8 .b8 s[24]) {
  .reg .b32 %r<9>; .reg .b64 %l<5>;
  ld.param.u64 %l1, [s+8]; ld.param.v2.u32 {%r1, %r2}, [s+16];
  ld.const.u32 %r3, [table+4]; mov.u64 %l2, table; mov.u32 %r4, %tid.x; mad.wide.u32 %l2, %r4, 4, %l2; ld.const.u32 %r5, [%l2];
  mov.b64 %l3, s; ld.param.u32 %r6, [%l3];
  mad.wide.u32 %l4, %r4, 16, %l1; st.global.v4.u32 [%l4], {%r2, %r3, %r5, %r6};
  ret;
})";
  DeviceMemory memory;
  struct {
    uint32_t a, pad;
    Address out;
    uint32_t x, y;
  } s{41, 0, memory.allocate(48, "out"), 5, 6};
  launch_with(parse_ptx(text), "k", {{1, 1, 1}, {3, 1, 1}}, memory, {Mode::check}, s);
  EXPECT_THAT(download<uint32_t>(memory, s.out, 12), ::testing::ElementsAre(6, 8, 7, 41, 6, 8, 8, 41, 6, 8, 9, 41));
}

TEST(Parse, ScopesOfInlineAssembly) {
  const auto out = evaluate<uint32_t>(
      "{ .reg .b32 t; add.s32 t, %a, 1; { .reg .b32 t; mov.u32 t, 100; add.s32 %d, t, 0; } add.s32 %d, %d, t; }",
      std::vector<uint32_t>{1, 2});
  EXPECT_THAT(out, ::testing::ElementsAre(102, 103));
}

TEST(Parse, ALineOfAnInlinedFunctionIsThatOfItsCaller) {
  const Module module = parse_ptx(kernel_with(R"(
.loc 1 10 3
.loc 2 50 1, function_name $f, inlined_at 1 10 3
.loc 2 70 9, function_name $g, inlined_at 2 50 1
add.s32 %r1, %r2, %r3;)") + ".file 1 \"net.cu\"\n.file 2 \"header.h\"\n.section .debug_str\n{\n$f:\n.b8 1,2\n}\n");
  const SourcePlace& place = module.kernels[0].places[0];
  EXPECT_EQ(module.files[place.file], "net.cu");
  EXPECT_EQ(place.line, 10u);
}

TEST(Parse, KnowsItsOpcodes) {
  EXPECT_NE(find_opcode("fma.f32"), nullptr);
  EXPECT_NE(find_opcode("membar.gl"), nullptr);
  EXPECT_EQ(find_opcode("fma.rn.f32"), nullptr);   // the rounding is no part of the key
  EXPECT_GT(all_opcodes().size(), 300u);
}

// Kernels of the tests for every architecture that this NVRTC knows.
TEST(Parse, EveryArchitecture) {
  if (!jit::nvrtc_available()) GTEST_SKIP() << jit::nvrtc_missing_reason();
  const std::string source = read_file(test_folder() + "kernels.cu");
  for (const int architecture : jit::nvrtc_architectures()) {
    const auto program =
        jit::nvrtc_compile(source, "kernels.cu", {"--gpu-architecture=compute_" + std::to_string(architecture)});
    EXPECT_EQ(parse_ptx(program.ptx).kernels.size(), 8u) << architecture;
  }
}

}  // namespace
}  // namespace netc::sim
