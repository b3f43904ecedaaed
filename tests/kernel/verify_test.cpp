// The verifier: every planted fault is found, and the same program without it passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/kernel/hand_program.h"

namespace netc::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two layers, a softmax in place, a batch sum: all that a fault can be planted in.
struct Clean : HandProgram {
  BufferId x, w1, b1, h, w2, b2, logits, y, sum, view;

  Clean() : HandProgram(8) {
    x = input("x", 3);
    w1 = parameter("w1", 3, 4);
    b1 = parameter("b1", 1, 4);
    h = activation("h", 4);
    w2 = parameter("w2", 4, 2);
    b2 = parameter("b2", 1, 2);
    logits = activation("logits", 2);
    y = output("y", 2);
    sum = result("sum");
    view = add(BufferKind::activation, "h.view", {2, true}, 2);
    buffers[view].alias_of = h;
    step(dense_relu(x, w1, b1, h, 3, 4, "layer1"));
    step(dense_relu(h, w2, b2, logits, 4, 2, "layer2"));
    step(row_softmax(logits, y, 2));
    KernelBuilder k("total");
    const AxisId r = k.axis("r", kBatch), c = k.axis("c", {2, false});
    k.phase({r, c});
    const ExprId total = k.reduce(Combine::sum, k.load(y, at(r), at(c)));
    k.phase();
    k.store(sum, at_constant(0), at_constant(0), total);
    step(k.take());
    place();
  }

  // h at 0, logits after it, y over logits' place in the third step is a hand-over only if the softmax were elementwise.
  void place() {
    int64_t offset = 0;
    for (const BufferId id : {h, logits, y}) {
      buffers[id].arena_offset = offset;
      offset += allocated_elements(buffers[id], batch_capacity) * 4;
    }
    tower_arena_bytes = offset;
  }

  Kernel& kernel(size_t i) { return kernels[i]; }
  Store& store(size_t k) { return kernels[k].phases.back().stores.back(); }
  Expr& load_of(size_t k, BufferId buffer) {
    for (Expr& e : kernels[k].exprs)
      if (e.op == ExprOp::load && e.buffer == buffer) return e;
    throw std::logic_error("no such load");
  }
};

struct Planted {
  std::string name;
  std::string finds;
  std::function<void(Clean&)> plant;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

class Verify : public ::testing::TestWithParam<Planted> {};

TEST(VerifyClean, Passes) { EXPECT_THAT(verify(Clean()), IsEmpty()); }

TEST_P(Verify, FindsThePlantedFault) {
  Clean program;
  GetParam().plant(program);
  EXPECT_THAT(verify(program), Contains(HasSubstr(GetParam().finds)));
}

const std::vector<Planted> kPlanted = {
    // structure
    {"UseBeforeDefinition", "does not stand before it", [](Clean& p) { p.kernel(0).exprs[2].args[0] = 5; }},
    {"UnknownBuffer", "names a buffer that does not exist", [](Clean& p) { p.load_of(0, p.x).buffer = 99; }},
    {"UnknownScalar", "names a scalar that does not exist",
     [](Clean& p) { p.kernel(0).exprs.push_back({.op = ExprOp::scalar, .slot = 3, .row = {}, .column = {}}); }},
    {"WrongOperandType", "of its own type", [](Clean& p) {
       p.kernel(0).exprs[2].type = DType::i32;
     }},
    {"WrongStorageType", "does not fit the type of x", [](Clean& p) { p.buffers[p.x].dtype = DType::i32; }},
    {"StoredValueOfOtherType", "the value is of another type", [](Clean& p) { p.buffers[p.h].dtype = DType::i32; p.buffers[p.view].dtype = DType::i32; }},
    {"AxisOutOfScope", "varies with an axis the phase does not run over",
     [](Clean& p) { p.load_of(0, p.b1).column = at(2); }},
    {"ReductionTooEarly", "needs a reduction of no earlier phase",
     [](Clean& p) { std::swap(p.kernel(2).phases[0], p.kernel(2).phases[1]); }},
    {"ReductionFoldedTwice", "is folded by 2 phases", [](Clean& p) { p.kernel(2).phases[1].reductions.push_back(0); }},
    {"LoopTwiceOverOneAxis", "loops twice over one axis", [](Clean& p) { p.kernel(2).phases[0].loop.push_back(0); }},
    {"WritesAnInput", "inputs are not written", [](Clean& p) { p.store(2).buffer = p.x; }},
    {"TermsOutOfOrder", "index terms out of order",
     [](Clean& p) { p.load_of(0, p.x).row.terms = {{2, 1}, {0, 1}}; }},
    {"GatheredByFloat", "is not i32", [](Clean& p) { p.load_of(0, p.b1).row.gathered = 0; }},
    {"GatheredStore", "may be stored twice", [](Clean& p) {
       p.kernel(0).exprs.push_back({.op = ExprOp::constant, .type = DType::i32, .row = {}, .column = {}});
       p.store(0).row = at_gathered(static_cast<ExprId>(p.kernel(0).exprs.size() - 1));
     }},
    {"ViewOfOtherSize", "has another number of elements than h", [](Clean& p) { p.buffers[p.view].columns = 3; }},
    {"BatchedButShared", "is batched but shared", [](Clean& p) { p.buffers[p.w1].rows.times_batch = true; }},
    {"PanelsTooShort", "keeps 2 rows a panel but holds 3", [](Clean& p) {
       p.buffers[p.w1].layout = Layout::panels;
       p.buffers[p.w1].panel_columns = 8;
       p.buffers[p.w1].padded_rows = 2;
     }},
    // bounds
    {"ColumnBeyond", "reaches 3 of 3", [](Clean& p) { p.load_of(0, p.x).column.offset = 1; }},
    {"RowBelow", "begins below 0", [](Clean& p) { p.load_of(1, p.h).row.offset = -1; }},
    {"RowBeyondTheBatch", "reaches 1 + 1*(B-1) of 1*B", [](Clean& p) { p.load_of(1, p.h).row.offset = 1; }},
    {"BatchAxisInAWeight", "of 4", [](Clean& p) { p.load_of(1, p.w2).row = at(0); }},
    {"AxisTooLong", "reaches 4 of 4", [](Clean& p) { p.kernel(1).axes[2].extent.count = 5; }},
    // exactly once
    {"NeverStored", "is never stored", [](Clean& p) { p.kernel(0).axes[1].extent.count = 3; }},
    {"StoredTwice", "is stored twice", [](Clean& p) {
       p.store(0).column = at_constant(0);
     }},
    {"StoredByTwoSteps", "is stored twice", [](Clean& p) {
       Kernel again = dense_relu(p.x, p.w1, p.b1, p.h, 3, 4, "again");
       p.step(std::move(again));
     }},
    {"HalfStoredThroughAView", "h[1, 0] is never stored", [](Clean& p) {   // the view has twice as many rows
       p.kernel(0).axes[1].extent.count = 2;
       p.store(0).buffer = p.view;
     }},
    {"NothingCleared", "which nothing has cleared", [](Clean& p) {
       p.store(3).accumulate = true;
     }},
    // order
    {"StagesDescend", "stages do not ascend", [](Clean& p) { p.steps[2].stage = 0; }},
    {"ReadBeforeMade", "before it is whole", [](Clean& p) {
       std::swap(p.steps[0].kernel, p.steps[1].kernel);
     }},
    {"NeverMade", "which nothing writes", [](Clean& p) { p.load_of(1, p.h).buffer = p.activation("ghost", 4); }},
    {"ResultNeverWritten", "is never written", [](Clean& p) { p.steps.pop_back(); }},
    {"StageRace", "is written by one step and touched by another", [](Clean& p) { p.steps[1].stage = 0; }},
    {"JointOverParallelBatch", "is parallel over the batch but joint",
     [](Clean& p) { p.steps[0].scope = StepScope::joint; }},
    {"BatchSumOnEachTower", "loops over the batch on each tower alone",
     [](Clean& p) { p.steps[3].scope = StepScope::each_tower; }},
    {"EachTowerStoresShared", "which they share", [](Clean& p) {
       p.store(2).buffer = p.w2;   // a weight written by a kernel of each tower
     }},
    {"NeighboursElement", "that other points of it store", [](Clean& p) {
       p.kernel(2).exprs[0].buffer = p.y;   // softmax of what it is just making, from another row
       p.kernel(2).exprs[0].row = at_constant(0);
       p.kernel(2).exprs[0].column = at_constant(0);
     }},
    {"LoadsBeforeItStores", "before it stores it", [](Clean& p) { p.load_of(2, p.logits).buffer = p.y; }},
    // arena
    {"Overlap", "share bytes of an arena", [](Clean& p) { p.buffers[p.logits].arena_offset = p.buffers[p.h].arena_offset; }},
    {"OverlapInPlaceOfASoftmaxOperandElsewhere", "share bytes of an arena", [](Clean& p) {
       p.buffers[p.y].arena_offset = p.buffers[p.logits].arena_offset + 4;   // not the same element
     }},
    {"OutsideTheArena", "lie outside its arena", [](Clean& p) { p.tower_arena_bytes -= 1; }},
    {"Misaligned", "is not aligned", [](Clean& p) { p.buffers[p.h].arena_offset = 2; }},
};

INSTANTIATE_TEST_SUITE_P(Faults, Verify, ::testing::ValuesIn(kPlanted), [](const auto& planted) { return planted.param.name; });

TEST(VerifyClean, ReuseElementByElementIsAllowed) {
  Clean p;
  p.buffers[p.y].arena_offset = p.buffers[p.logits].arena_offset;   // the softmax reads an element, then stores it
  EXPECT_THAT(verify(p), IsEmpty());
}

TEST(VerifyClean, AWeightUpdatedInPlace) {
  HandProgram p;
  const BufferId w = p.parameter("w", 3, 4);
  KernelBuilder k("decay");
  const AxisId r = k.parallel("r", {3, false}), c = k.parallel("c", {4, false});
  k.store(w, at(r), at(c), k.binary(ExprOp::mul, k.load(w, at(r), at(c)), k.constant(0.5)));
  p.step(k.take());
  EXPECT_THAT(verify(p), IsEmpty());
}

TEST(VerifyClean, PartsOfAConcatSideBySide) {
  HandProgram p;
  const BufferId x = p.input("x", 2), z = p.input("z", 3), y = p.output("y", 5);
  const auto copy = [&](BufferId from, int64_t columns, int64_t offset) {
    KernelBuilder k("part");
    const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {columns, false});
    k.store(y, at(r), at(c) + offset, k.load(from, at(r), at(c)));
    p.step(k.take());
    p.steps.back().stage = 0;
  };
  copy(x, 2, 0);
  copy(z, 3, 2);
  EXPECT_THAT(verify(p), IsEmpty());
  p.kernels[1].phases[0].stores[0].column.offset = 1;
  EXPECT_THAT(verify(p), Contains(HasSubstr("y[0, 1] is stored twice")));
}

TEST(VerifyClean, AxesInAnyOrderCover) {
  HandProgram p;   // y[b*6 + t*2 + d] by axes in the order t, d, b
  const BufferId x = p.input("x", 6), y = p.output("y", 6);
  p.buffers[y].rows.count = 3;
  p.buffers[y].columns = 2;
  KernelBuilder k("spread");
  const AxisId t = k.parallel("t", {3, false}), d = k.parallel("d", {2, false}), b = k.parallel("b", kBatch);
  k.store(y, at(b, 3) + at(t), at(d), k.load(x, at(b), at(t, 2) + at(d)));
  p.step(k.take());
  EXPECT_THAT(verify(p), IsEmpty());
}

}  // namespace
}  // namespace netc::test
