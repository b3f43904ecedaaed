// Device memory by itself: what its faults say, capacity, several devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/base/errors.h"
#include "tests/sim/evaluate.h"

namespace netc::sim {
namespace {

using ::testing::HasSubstr;

const char* const kCopyPtx = R"(
.visible .entry copy_word(.param .u64 to, .param .u64 from) {
  .reg .b64 %a, %b; .reg .b32 %r;
  ld.param.u64 %a, [to]; ld.param.u64 %b, [from];
  ld.global.u32 %r, [%b]; st.global.u32 [%a], %r;
  ret;
}
.visible .entry store_bytes(.param .u64 to) {
  .reg .b64 %a; .reg .b32 %r; .reg .b16 %h;
  ld.param.u64 %a, [to]; mov.u32 %r, %tid.x; cvt.u64.u32 %a, %r; .reg .b64 %to; ld.param.u64 %to, [to]; add.s64 %a, %to, %a;
  cvt.u16.u32 %h, %r; st.global.u8 [%a], %h;
  ret;
}
.const .align 4 .u32 fixed = 5;
.visible .entry store_constant() {
  .reg .b64 %a;
  mov.u64 %a, fixed; st.global.u32 [%a], 1;
  ret;
})";

struct Fault {
  FaultKind kind = FaultKind::trap;
  std::string text;
};

template <class Work>
Fault fault_of(Work work) {
  try {
    work();
  } catch (const SimulatedGpuFault& fault) {
    return {fault.kind, fault.what()};
  }
  return {FaultKind::trap, "no fault"};
}

class MemoryFaults : public ::testing::TestWithParam<Mode> {
 protected:
  Fault copy_word(Address to, Address from, DeviceMemory& on) {
    LaunchOptions options;
    options.mode = GetParam();
    return fault_of([&] { launch_with(module, "copy_word", {{1, 1, 1}, {1, 1, 1}}, on, options, to, from); });
  }
  const Module module = parse_ptx(std::string(kPtxHead) + kCopyPtx);
  DeviceMemory memory{0}, other{1};
};
INSTANTIATE_TEST_SUITE_P(Modes, MemoryFaults, ::testing::Values(Mode::fast, Mode::check));

TEST_P(MemoryFaults, NameTheBufferAndTheDistance) {
  const Address a = upload(memory, std::vector<float>(1000, 1), "fc1.weight"),
                b = upload(memory, std::vector<float>(10, 1), "fc1.bias");
  const Address unnamed = upload(memory, std::vector<float>(4, 1), "");
  EXPECT_EQ(copy_word(a, b, memory).text, "no fault");
  const Fault past = copy_word(a + 4000 + 4096, b, memory);
  EXPECT_EQ(past.kind, FaultKind::out_of_bounds);
  EXPECT_THAT(past.text, HasSubstr("store of 4 bytes 4096 bytes past the end of buffer fc1.weight (4000 bytes)"));
  EXPECT_THAT(past.text, HasSubstr("in kernel copy_word (PTX line"));
  EXPECT_THAT(past.text, HasSubstr("block (0,0,0) thread (0,0,0)"));
  EXPECT_THAT(copy_word(a, b - 8, memory).text, HasSubstr("load of 4 bytes 8 bytes before buffer fc1.bias (40 bytes)"));
  EXPECT_THAT(copy_word(a, a - 4, memory).text, HasSubstr("load of 4 bytes 4 bytes before buffer fc1.weight"));
  EXPECT_THAT(copy_word(a, unnamed + 16, memory).text,
              HasSubstr("0 bytes past the end of an unnamed buffer (16 bytes)"));
  EXPECT_EQ(copy_word(a + 2, b, memory).kind, FaultKind::misaligned);
  EXPECT_THAT(copy_word(a, 0, memory).text, HasSubstr("load of 4 bytes at null"));
  EXPECT_THAT(copy_word(a, 0x7fff12345678, memory).text, HasSubstr("no device address (a pointer of the host?)"));
  EXPECT_THAT(copy_word(a, a + (uint64_t{1} << 40), memory).text, HasSubstr("far from every buffer"));
}

TEST_P(MemoryFaults, OtherDevicesAndFreedBuffers) {
  const Address a = upload(memory, std::vector<float>(10, 1), "a"), b = upload(other, std::vector<float>(10, 1), "b");
  EXPECT_THAT(copy_word(a, b, memory).text, HasSubstr("load of 4 bytes on GPU 0 through a pointer of GPU 1"));
  EXPECT_THAT(copy_word(a, b, other).text, HasSubstr("store of 4 bytes on GPU 1 through a pointer of GPU 0"));
  memory.free(a);
  const Fault freed = copy_word(a, a, memory);
  EXPECT_EQ(freed.kind, FaultKind::use_after_free);
  EXPECT_THAT(freed.text, HasSubstr("in buffer a (40 bytes), which is freed"));
  EXPECT_NE(memory.allocate(40, "again"), a);   // addresses are not used twice
  EXPECT_EQ(fault_of([&] { memory.free(a); }).kind, FaultKind::use_after_free);
}

TEST_P(MemoryFaults, BytesOfOneWordAreNoRace) {
  LaunchOptions options;
  options.mode = GetParam();
  const Address to = memory.allocate(64, "bytes");
  launch_with(module, "store_bytes", {{1, 1, 1}, {64, 1, 1}}, memory, options, to);
  const auto bytes = download<uint8_t>(memory, to, 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(bytes[static_cast<size_t>(i)], i);
}

TEST_P(MemoryFaults, ConstantsCannotBeWritten) {
  LaunchOptions options;
  options.mode = GetParam();
  EXPECT_EQ(fault_of([&] {
              launch_with(module, "store_constant", {{1, 1, 1}, {1, 1, 1}}, memory, options);
            }).kind,
            FaultKind::read_only);
}

TEST_P(MemoryFaults, ImpossibleLaunches) {
  LaunchOptions options;
  options.mode = GetParam();
  const auto with = [&](LaunchConfig config) {
    return fault_of([&] { launch_with(module, "store_constant", config, memory, options); });
  };
  EXPECT_THAT(with({{0, 1, 1}, {32, 1, 1}}).text, HasSubstr("an empty grid or block"));
  EXPECT_THAT(with({{1, 1, 1}, {1025, 1, 1}}).text, HasSubstr("1025 x 1 x 1 threads is too large"));
  EXPECT_THAT(with({{1, 70000, 1}, {1, 1, 1}}).text, HasSubstr("too large"));
  EXPECT_EQ(with({{1, 1, 1}, {32, 1, 1}, 300000}).kind, FaultKind::bad_launch);
  EXPECT_THROW(launch_with(module, "no_such", {}, memory, options), InternalError);
}

TEST(Memory, FreshBytesAreNan) {
  DeviceMemory memory;
  const auto words = download<uint32_t>(memory, memory.allocate(400, "x"), 100);
  EXPECT_THAT(words, ::testing::Each(0xFFFFFFFFu));
}

TEST(Memory, CopiesAndFills) {
  DeviceMemory one(0), two(1);
  const Address a = upload(one, std::vector<int>{1, 2, 3, 4}, "a"), b = two.allocate(16, "b");
  two.copy_from(one, b, a, 16);
  two.fill_words(b + 4, 9, 2);
  EXPECT_THAT(download<int>(two, b, 4), ::testing::ElementsAre(1, 9, 9, 4));
  one.copy(a, a + 8, 8);
  one.fill(a + 8, 0, 4);
  EXPECT_THAT(download<int>(one, a, 4), ::testing::ElementsAre(3, 4, 0, 4));
  EXPECT_THAT(fault_of([&] { one.fill(a, 0, 17); }).text,
              HasSubstr("fill of 17 bytes at byte 0 of buffer a (16 bytes), across its end"));
  EXPECT_EQ(fault_of([&] { one.copy_out(nullptr, b, 4); }).kind, FaultKind::wrong_device);
}

TEST(Memory, RunsOut) {
  DeviceMemory memory(2, 1000);
  const Address a = memory.allocate(600, "a");
  try {
    memory.allocate(500, "activations");
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr(
            "out of device memory for activations: 500 bytes wanted, 400 bytes of 1000 bytes free on simulated GPU 2"));
  }
  memory.free(a);
  EXPECT_EQ(memory.used_bytes(), 0u);
  memory.free(memory.allocate(1000, "all"));
  EXPECT_NE(memory.allocate(0, "none"), 0u);
}

// Initialised bytes are followed through copies, fills and launches in both modes.
TEST(Memory, KnowsWhatIsInitialised) {
  const Module module = parse_ptx(std::string(kPtxHead) + kCopyPtx);
  DeviceMemory memory;
  const Address from = memory.allocate(16, "from"), to = memory.allocate(16, "to");
  const auto copy = [&](Address a, Address b, Mode mode) {
    return fault_of([&] { launch_with(module, "copy_word", {{1, 1, 1}, {1, 1, 1}}, memory, {mode}, a, b); });
  };
  EXPECT_EQ(copy(to, from, Mode::fast).text, "no fault");   // NaN moves; fast mode does not look
  const Address fresh = memory.allocate(16, "fresh");
  EXPECT_EQ(copy(to, fresh, Mode::check).kind, FaultKind::uninitialised_read);
  const float one = 1;
  memory.copy_in(fresh + 4, &one, 4);
  EXPECT_EQ(copy(to, fresh, Mode::check).kind, FaultKind::uninitialised_read);
  EXPECT_EQ(copy(fresh + 8, fresh + 4, Mode::check).text, "no fault");
  EXPECT_EQ(copy(to, fresh + 8, Mode::check).text, "no fault");
  memory.fill(fresh, 0, 16);
  EXPECT_EQ(copy(to, fresh + 12, Mode::check).text, "no fault");
}

}  // namespace
}  // namespace netc::sim
