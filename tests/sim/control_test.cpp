// Divergence, barriers and operations of a warp, from hand-written PTX with one result per thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "tests/sim/evaluate.h"

namespace netc::sim {
namespace {

// Runs `body` in blocks of `threads`; %tid, %lane and %gid are set, %r, %s, %t, %f and %p0 to %p9 are free, and what is
// in %r at the end is a thread's result. The parameter `words` points to 64 zeros.
std::vector<uint32_t> run(const std::string& body, uint32_t threads = 64, uint32_t blocks = 1, Mode mode = Mode::check,
                          int host_threads = 1) {
  const std::string text = std::string(kPtxHead) + R"(
.visible .entry k(.param .u64 out, .param .u64 words) {
  .reg .b32 %tid, %lane, %gid, %ctaid, %ntid, %r, %s, %t, %f;
  .reg .b64 %at, %out, %words, %l;
  .reg .pred %p<10>;
  .shared .align 4 .b8 tile[4096];
  mov.u32 %tid, %tid.x;
  mov.u32 %lane, %laneid;
  mov.u32 %ctaid, %ctaid.x;
  mov.u32 %ntid, %ntid.x;
  mad.lo.s32 %gid, %ctaid, %ntid, %tid;
  ld.param.u64 %words, [words];
  ld.param.u64 %out, [out];
  mad.wide.u32 %at, %gid, 4, %out;
)" + body + R"(
  st.global.u32 [%at], %r;
  ret;
})";
  const Module module = parse_ptx(text);
  DeviceMemory memory;
  LaunchOptions options;
  options.mode = mode;
  options.threads = host_threads;
  options.instruction_limit = 1000000;
  const Address out = upload(memory, std::vector<uint32_t>(size_t{threads} * blocks, 0xAAAAAAAA), "out");
  const Address words = upload(memory, std::vector<uint32_t>(64, 0), "words");
  launch_with(module, "k", {{blocks, 1, 1}, {threads, 1, 1}}, memory, options, out, words);
  return download<uint32_t>(memory, out, size_t{threads} * blocks);
}

TEST(Control, NestedBranches) {
  const auto out = run(R"(
    mov.u32 %r, 0;
    and.b32 %s, %tid, 1; setp.eq.u32 %p0, %s, 0; @%p0 bra $even;
    and.b32 %s, %tid, 2; setp.eq.u32 %p1, %s, 0; @!%p1 bra $odd_high;
    add.s32 %r, %r, 1; bra.uni $odd_end;
  $odd_high:
    add.s32 %r, %r, 2;
  $odd_end:
    add.s32 %r, %r, 10; bra $end;
  $even:
    add.s32 %r, %r, 100;
  $end:
    add.s32 %r, %r, 1000;)");
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], 1000u + (t % 2 == 0 ? 100 : 10 + (t & 2 ? 2 : 1)));
}

TEST(Control, LoopsOfDifferentLengths) {
  const auto out = run(R"(
    mov.u32 %r, 0; mov.u32 %s, 0;
  $loop:
    setp.gt.u32 %p0, %s, %lane; @%p0 bra $end;
    add.s32 %r, %r, %s; add.s32 %s, %s, 1; bra $loop;
  $end:)");
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], (t % 32) * (t % 32 + 1) / 2);
}

TEST(Control, LanesMeetAgain) {   // after a branch the warp is whole, so a full shuffle is possible
  const auto out = run(R"(
    setp.lt.u32 %p0, %lane, 7; mov.u32 %r, 1;
    @%p0 bra $few; mov.u32 %r, 2; bra $meet;
  $few: mov.u32 %r, 3;
  $meet: shfl.sync.bfly.b32 %r, %r, 16, 31, -1;)");
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], (t % 32 ^ 16) < 7 ? 3u : 2u);
}

TEST(Control, CodeOutOfLineDoesNotSplitABarrier) {   // the branch target lies behind the barrier and jumps back
  const auto out = run(R"(
    mov.u32 %r, 5; setp.eq.u32 %p0, %lane, 3; @%p0 bra $far;
  $back:
    bar.sync 0; add.s32 %r, %r, 1; bra $end;
  $far:
    add.s32 %r, %r, 10; bra $back;
  $end:)");
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t % 32 == 3 ? 16u : 6u);
}

TEST(Control, EarlyReturnAndGuards) {
  const auto out =
      run("setp.gt.u32 %p0, %tid, 40; @%p0 ret; mov.u32 %r, 1; setp.eq.u32 %p1, %tid, 5; @%p1 add.s32 %r, %r, 6;");
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t > 40 ? 0xAAAAAAAAu : t == 5 ? 7u : 1u);
}

TEST(Control, BranchTable) {
  const auto out = run(R"(
    and.b32 %s, %tid, 3;
    $table: .branchtargets $a, $b, $c, $a;
    brx.idx %s, $table;
  $a: mov.u32 %r, 10; bra $end;
  $b: mov.u32 %r, 20; bra $end;
  $c: mov.u32 %r, 30;
  $end: add.s32 %r, %r, 1;)");
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t % 4 == 1 ? 21u : t % 4 == 2 ? 31u : 11u);
}

TEST(Control, WholeAndPartialWarps) {
  for (const uint32_t threads : {1u, 31u, 33u, 100u}) {
    const auto out = run("mov.u32 %r, %tid; shfl.sync.idx.b32 %r, %r, 0, 31, -1;", threads, 3);
    for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t % threads / 32 * 32) << threads;
  }
}

TEST(Control, SpecialRegisters) {
  const std::string text = std::string(kPtxHead) + R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<20>; .reg .b64 %l<3>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;
  mov.u32 %r6, %ctaid.y; mov.u32 %r7, %nctaid.y; mov.u32 %r8, %warpid; mov.u32 %r9, %lanemask_lt; mov.u32 %r10, %ctaid.x;
  mad.lo.u32 %r11, %r3, %r5, %r2; mad.lo.u32 %r11, %r11, %r4, %r1;
  mad.lo.u32 %r12, %r6, 2, %r10; mad.lo.u32 %r12, %r12, 48, %r11;
  ld.param.u64 %l1, [out]; mad.wide.u32 %l1, %r12, 16, %l1;
  st.global.v4.u32 [%l1], {%r11, %r7, %r8, %r9};
  ret; })";
  DeviceMemory memory;
  const Address out = memory.allocate(6 * 48 * 16, "out");
  launch_with(parse_ptx(text), "k", {{2, 3, 1}, {4, 6, 2}}, memory, {}, out);
  const auto words = download<uint32_t>(memory, out, 6 * 48 * 4);
  for (uint32_t k = 0; k < 6 * 48; ++k) {
    EXPECT_EQ(words[4 * k], k % 48);
    EXPECT_EQ(words[4 * k + 1], 3u);
    EXPECT_EQ(words[4 * k + 2], k % 48 / 32);
    EXPECT_EQ(words[4 * k + 3], (1u << (k % 48 % 32)) - 1);
  }
}

TEST(Warps, ShufflesOfAllKinds) {
  const auto up = run("mov.u32 %r, %lane; shfl.sync.up.b32 %r|%p0, %r, 3, 0, -1; @!%p0 add.s32 %r, %r, 100;");
  const auto down = run("mov.u32 %r, %lane; shfl.sync.down.b32 %r|%p0, %r, 3, 31, -1; @!%p0 add.s32 %r, %r, 100;");
  const auto halves =
      run("mov.u32 %r, %lane; shfl.sync.down.b32 %r, %r, 4, 0x180f, -1;");   // segments of 8, clamp 15: of 8
  const auto index = run("mov.u32 %r, %lane; add.s32 %s, %lane, 5; shfl.sync.idx.b32 %r, %r, %s, 31, -1;");
  for (uint32_t t = 0; t < 64; ++t) {
    const uint32_t lane = t % 32;
    EXPECT_EQ(up[t], lane >= 3 ? lane - 3 : lane + 100);
    EXPECT_EQ(down[t], lane < 29 ? lane + 3 : lane + 100);
    EXPECT_EQ(halves[t], lane % 8 < 4 ? lane + 4 : lane);
    EXPECT_EQ(index[t], (lane + 5) % 32);
  }
}

TEST(Warps, VotesMatchesReductions) {
  const auto any = run("setp.eq.u32 %p0, %lane, 9; vote.sync.any.pred %p1, %p0, -1; selp.u32 %r, 1, 0, %p1;");
  const auto all = run("setp.eq.u32 %p0, %lane, 9; vote.sync.all.pred %p1, !%p0, -1; selp.u32 %r, 1, 0, %p1;");
  const auto ballot = run("setp.lt.u32 %p0, %lane, 9; vote.sync.ballot.b32 %r, %p0, -1;");
  const auto match = run("and.b32 %s, %lane, 3; match.any.sync.b32 %r, %s, -1;");
  const auto same = run("mov.u32 %s, 4; match.all.sync.b32 %r|%p0, %s, -1; @!%p0 mov.u32 %r, 0;");
  const auto sum = run("redux.sync.add.s32 %r, %lane, -1;"), most = run("redux.sync.max.u32 %r, %lane, -1;");
  const auto active =
      run("setp.lt.u32 %p0, %lane, 4; mov.u32 %r, 0; @%p0 bra $few; bra $end; $few: activemask.b32 %r; $end:");
  for (uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(any[t], 1u);
    EXPECT_EQ(all[t], 0u);
    EXPECT_EQ(ballot[t], 511u);
    EXPECT_EQ(match[t], 0x11111111u << (t % 4));
    EXPECT_EQ(same[t], 0xFFFFFFFFu);
    EXPECT_EQ(sum[t], 496u);
    EXPECT_EQ(most[t], 31u);
    EXPECT_EQ(active[t], t % 32 < 4 ? 15u : 0u);
  }
}

TEST(Warps, SubsetsOfLanes) {   // two halves of a warp, each among themselves
  const auto out = run(R"(
    mov.u32 %r, %lane; setp.lt.u32 %p0, %lane, 16; @%p0 bra $low;
    shfl.sync.bfly.b32 %r, %r, 1, 31, 0xffff0000; bra $end;
  $low: shfl.sync.bfly.b32 %r, %r, 2, 31, 0x0000ffff;
  $end: bar.warp.sync -1;)");
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t % 32 < 16 ? (t % 32 ^ 2) : (t % 32 ^ 1));
}

TEST(Barriers, ExchangeThroughSharedMemory) {
  const auto out = run(R"(
    mov.u32 %s, tile; mad.lo.u32 %t, %tid, 4, %s; st.shared.u32 [%t], %gid;
    bar.sync 0;
    sub.u32 %t, 255, %tid; mad.lo.u32 %t, %t, 4, %s; ld.shared.u32 %r, [%t];)", 256, 3);
  for (uint32_t t = 0; t < out.size(); ++t) EXPECT_EQ(out[t], t / 256 * 256 + 255 - t % 256);
}

TEST(Barriers, CountAndCombine) {
  const auto count = run("setp.lt.u32 %p0, %tid, 50; bar.red.popc.u32 %r, 0, %p0;", 96);
  const auto any = run("setp.eq.u32 %p0, %tid, 50; barrier.red.or.pred %p1, 0, %p0; selp.u32 %r, 1, 0, %p1;", 96);
  const auto all = run("setp.ne.u32 %p0, %tid, 50; bar.red.and.pred %p1, 0, %p0; selp.u32 %r, 1, 0, %p1;", 96);
  EXPECT_THAT(count, ::testing::Each(50u));
  EXPECT_THAT(any, ::testing::Each(1u));
  EXPECT_THAT(all, ::testing::Each(0u));
}

TEST(Barriers, WarpsOfABlockMayWaitForEachOther) {   // warp 0 spins on a word that warp 1 writes
  const auto out = run(R"(
    setp.lt.u32 %p0, %tid, 32; @%p0 bra $spin;
    atom.global.add.u32 %r, [%words], 1; bra $end;
  $spin:
    ld.volatile.global.u32 %r, [%words]; setp.eq.u32 %p1, %r, 0; @%p1 bra $spin;
  $end:
    mov.u32 %r, 3;)");
  EXPECT_THAT(out, ::testing::Each(3u));
}

TEST(Atomics, IntegersOfOneBlock) {
  const auto out = run(R"(
    setp.ne.u32 %p0, %tid, 0; @%p0 bra $go; st.shared.u32 [tile], 0; st.shared.u32 [tile+4], 0; st.shared.u32 [tile+8], 100;
  $go: bar.sync 0;
    atom.shared.add.u32 %r, [tile], 1;
    red.shared.max.s32 [tile+4], %tid;
    red.shared.min.u32 [tile+8], %tid;
    bar.sync 0;
    ld.shared.u32 %s, [tile]; ld.shared.u32 %t, [tile+4]; ld.shared.u32 %f, [tile+8];
    mad.lo.u32 %r, %s, 1000, %t; add.u32 %r, %r, %f;)",
                       96);
  EXPECT_THAT(out, ::testing::Each(96u * 1000 + 95));
}

TEST(Atomics, OfSeveralBlocksOnSeveralThreads) {
  auto out = run("atom.global.add.u32 %r, [%words], 1;", 64, 200, Mode::fast, 4);
  std::sort(out.begin(), out.end());
  std::vector<uint32_t> expected(out.size());
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(out, expected);
}

TEST(Atomics, EveryOperation) {
  // One thread, one word: each line turns what it finds into what the next expects.
  const auto out = run(R"(
    atom.global.exch.b32 %s, [%words], 12;
    atom.global.or.b32 %s, [%words], 3;
    atom.global.and.b32 %s, [%words], 13;
    atom.global.xor.b32 %s, [%words], 1;
    atom.global.inc.u32 %s, [%words], 20;
    atom.global.dec.u32 %s, [%words], 20;
    atom.global.cas.b32 %s, [%words], 12, 50;
    atom.global.cas.b32 %t, [%words], 12, 60;
    atom.relaxed.gpu.global.add.s32 %t, [%words], -8;
    atom.global.min.s32 %t, [%words], -3;
    atom.global.max.s32 %t, [%words], -1;
    ld.volatile.global.u32 %r, [%words];)", 1);
  EXPECT_EQ(out[0], 0xFFFFFFFFu);
  const auto wide =
      run("atom.global.add.u64 %l, [%words], 0x100000001; atom.add.u64 %l, [%words], 1; shr.u64 %l, %l, 32; "
          "cvt.u32.u64 %r, %l;",
          1);
  EXPECT_EQ(wide[0], 1u);
  const auto sum =
      run("mov.b32 %f, 0f3FC00000; atom.global.add.f32 %r, [%words], %f; atom.global.add.f32 %r, [%words], %f;", 1);
  EXPECT_EQ(sum[0], 0x3FC00000u);
  const auto pair = run(
      "mov.b32 %f, 0x3C004000; red.global.add.noftz.f16x2 [%words], %f; atom.global.add.noftz.f16x2 %r, [%words], %f;",
      1);
  EXPECT_EQ(pair[0], 0x3C004000u);
  // 16 bits: the neighbour in the same word stays.
  const auto half = run(".reg .b16 %h, %g; mov.b32 %f, 0x3C004000; st.global.u32 [%words], %f; mov.b16 %h, 0x3C00; "
                        "atom.global.add.noftz.f16 %g, [%words], %h; atom.global.cas.b16 %g, [%words+2], %h, 0x1234; "
                        "ld.global.u32 %r, [%words];", 1);
  EXPECT_EQ(half[0], 0x12344200u);   // 2 + 1 = 3
}

TEST(Memory, WidthsAndSpaces) {
  const auto out = run(R"(
    .local .align 8 .b8 depot[16]; .reg .b16 %h; .reg .b64 %sp, %generic; .reg .b32 %a, %b, %c, %d;
    mov.u64 %sp, depot; cvta.local.u64 %generic, %sp;
    st.local.u32 [depot], 0x80FF7F01; st.u32 [%generic+4], %tid;
    ld.local.s8 %r, [%sp+2]; ld.local.u8 %s, [%sp+3]; ld.local.u16 %h, [%sp]; ld.local.v2.u32 {%a, %b}, [depot];
    cvt.u32.u16 %t, %h; add.s32 %r, %r, %s; add.s32 %r, %r, %t; add.s32 %r, %r, %b;
    mov.u64 %sp, tile; cvta.shared.u64 %generic, %sp; mad.wide.u32 %generic, %tid, 16, %generic;
    st.v4.b32 [%generic], {%r, %a, %b, 5}; ld.v4.b32 {_, %c, _, %d}, [%generic]; add.s32 %r, %r, %d;)");
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], 0xFFFFFFFFu + 0x80 + 0x7F01 + t + 5);
}

}  // namespace
}  // namespace netc::sim
