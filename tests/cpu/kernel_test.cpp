// Every form of kernel the emitter writes, against the interpreter, at sizes that fill no vector and no tile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/kernel/analysis.h"
#include "compiler/kernel/kernel_builder.h"
#include "runtime/backend/reference/reference_backend.h"
#include "tests/cpu/backend_runs.h"
#include "tests/cpu/targets_to_run.h"
#include "tests/cpu/temporary_folder.h"
#include "tests/kernel/hand_program.h"

namespace netc {
namespace {

using test::HandProgram;
using test::kBatch;

constexpr int64_t kCapacity = 21;

// A program to which the cases add kernels, each in a stage of its own.
struct Cases : HandProgram {
  explicit Cases(const Target& t) : HandProgram(kCapacity), target(t) { scalar("learning_rate"); }

  BufferId in_panels(BufferId id) {
    Buffer& b = buffers[static_cast<size_t>(id)];
    b.layout = Layout::panels;
    b.panel_columns = target.panel_columns;
    b.padded_rows = padded_panel_rows(target, b.rows.count * (b.rows.times_batch ? kCapacity : 1));
    return id;
  }
  BufferId maybe_in_panels(BufferId id, bool panels) { return panels ? in_panels(id) : id; }
  std::string fresh(const std::string& stem) { return stem + std::to_string(++count); }

  const Target& target;
  int count = 0;
};

void pointwise(Cases& p) {
  for (int64_t columns : {1, 3, 10, 35}) {
    const BufferId x = p.input(p.fresh("x"), columns), bytes = p.input(p.fresh("bytes"), columns, DType::u8);
    const BufferId truths = p.input(p.fresh("truths"), columns, DType::boolean);
    const BufferId bias = p.parameter(p.fresh("bias"), 1, columns);
    for (bool panels : {false, true}) {
      const BufferId middle = p.maybe_in_panels(p.activation(p.fresh("middle"), columns), panels);
      {
        KernelBuilder k("affine");
        const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {columns, false});
        const ExprId scaled = k.binary(ExprOp::mul, k.load(x, at(r), at(c)), k.scalar(0));
        const ExprId byte = k.cast(k.load(bytes, at(r), at(c), DType::i32), DType::f32);
        const ExprId sum = k.binary(ExprOp::add, k.binary(ExprOp::add, scaled, byte), k.load(bias, at_constant(0), at(c)));
        k.store(middle, at(r), at(c), k.binary(ExprOp::max, sum, k.constant(-0.25)));
        p.step(k.take());
      }
      const BufferId chosen = p.output(p.fresh("chosen"), columns);
      const BufferId large = p.output(p.fresh("large"), columns, DType::boolean);
      const BufferId whole = p.output(p.fresh("whole"), columns, DType::i32);
      KernelBuilder k("choose");
      const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {columns, false});
      const ExprId v = k.load(middle, at(r), at(c));
      const ExprId truth = k.load(truths, at(r), at(c), DType::boolean);
      const ExprId is_large = k.binary(ExprOp::gt, v, k.constant(100));
      const ExprId both = k.binary(ExprOp::logical_and, truth, k.unary(ExprOp::logical_not, is_large));
      k.store(chosen, at(r), at(c), k.select(both, v, k.unary(ExprOp::neg, v)));
      k.store(large, at(r), at(c), k.binary(ExprOp::logical_or, is_large, truth));
      const ExprId number = k.binary(ExprOp::sub, k.cast(v, DType::i32), k.axis_value(c));
      k.store(whole, at(r), at(c), k.binary(ExprOp::max, k.unary(ExprOp::abs, number), k.cast(truth, DType::i32)));
      p.step(k.take());
    }
  }
}

// Strides, reversals, transposes, reshapes into [rows, T * D], axes inside a row.
void places(Cases& p) {
  const BufferId w = p.parameter("places.w", 11, 18), turned = p.parameter("places.turned", 18, 11);
  {
    KernelBuilder k("transpose");
    const AxisId i = k.parallel("i", {18, false}), j = k.parallel("j", {11, false});
    k.store(turned, at(i), at(j), k.load(w, at(j), at(i)));
    p.step(k.take());
  }
  const BufferId x = p.input("places.x", 12);
  const BufferId halves = p.output("places.halves", 6), parts = p.output("places.parts", 24);
  {
    KernelBuilder k("every_second_backwards");
    const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {6, false});
    k.store(halves, at(r), at(c), k.load(x, at(r), at(c, -2) + 11));
    p.step(k.take());
  }
  {
    KernelBuilder k("columns_into_a_slice");   // a concat: two kernels fill one output
    const AxisId r = k.parallel("r", kBatch), t = k.parallel("t", {3, false}), d = k.parallel("d", {4, false});
    k.store(parts, at(r), at(t, 4) + at(d) + 12, k.load(x, at(r), at(d, 3) + at(t)));
    p.step(k.take());
    KernelBuilder k2("columns_into_another_slice");
    const AxisId r2 = k2.parallel("r", kBatch), c2 = k2.parallel("c", {12, false});
    k2.store(parts, at(r2), at(c2), k2.load(x, at(r2), at(c2)));
    p.step(k2.take());
  }
}

void rows(Cases& p) {
  for (int64_t columns : {2, 10, 33}) {
    const BufferId x = p.input(p.fresh("z"), columns);
    const BufferId soft = p.output(p.fresh("softmax"), columns), normal = p.output(p.fresh("normal"), columns);
    const BufferId sums = p.output(p.fresh("log_sum"), 1), least = p.output(p.fresh("least"), 1);
    KernelBuilder k("softmax");
    const AxisId r = k.parallel("r", kBatch), c = k.axis("c", {columns, false});
    k.phase({c});
    const ExprId z = k.load(x, at(r), at(c));
    const ExprId most = k.reduce(Combine::max, z), smallest = k.reduce(Combine::min, z);
    k.phase({c});
    const ExprId e = k.unary(ExprOp::exp, k.binary(ExprOp::sub, z, most));
    const ExprId sum = k.reduce(Combine::sum, e);
    k.phase({c});
    k.store(soft, at(r), at(c), k.binary(ExprOp::div, e, sum));
    k.phase();
    k.store(sums, at(r), at_constant(0), k.binary(ExprOp::add, most, k.unary(ExprOp::log, sum)));
    k.store(least, at(r), at_constant(0), smallest);
    p.step(k.take());

    KernelBuilder n("layer_norm");
    const AxisId nr = n.parallel("r", kBatch), nc = n.axis("c", {columns, false});
    n.phase({nc});
    const ExprId value = n.load(x, at(nr), at(nc));
    const ExprId total = n.reduce(Combine::sum, value);
    n.phase({nc});
    const ExprId mean = n.binary(ExprOp::mul, total, n.constant(1.0 / static_cast<double>(columns)));
    const ExprId apart = n.binary(ExprOp::sub, value, mean);
    const ExprId squares = n.reduce(Combine::sum, n.binary(ExprOp::mul, apart, apart));
    n.phase({nc});
    const ExprId variance = n.binary(ExprOp::add, n.binary(ExprOp::mul, squares, n.constant(1.0 / static_cast<double>(columns))), n.constant(1e-5));
    n.store(normal, at(nr), at(nc), n.binary(ExprOp::mul, apart, n.unary(ExprOp::rsqrt, variance)));
    p.step(n.take());
  }
}

void batch_reductions(Cases& p) {
  for (int64_t columns : {1, 9, 40})
    for (bool panels : {false, true}) {
      const BufferId x = p.input(p.fresh("g"), columns);
      const BufferId copy = p.maybe_in_panels(p.activation(p.fresh("copy"), columns), panels);
      const BufferId sums = p.parameter(p.fresh("sums"), 1, columns), largest = p.parameter(p.fresh("largest"), 1, columns);
      const BufferId total = p.result(p.fresh("total"));
      {
        KernelBuilder k("copy");
        const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {columns, false});
        k.store(copy, at(r), at(c), k.load(x, at(r), at(c)));
        p.step(k.take());
      }
      {
        KernelBuilder k("column_sums");
        const AxisId c = k.parallel("c", {columns, false}), r = k.axis("r", kBatch);
        k.phase({r});
        const ExprId v = k.load(copy, at(r), at(c));
        const ExprId sum = k.reduce(Combine::sum, k.binary(ExprOp::mul, v, v)), most = k.reduce(Combine::max, v);
        k.phase();
        const ExprId old = k.load(sums, at_constant(0), at(c));
        k.store(sums, at_constant(0), at(c), k.binary(ExprOp::sub, old, k.binary(ExprOp::mul, sum, k.scalar(0))));
        k.store(largest, at_constant(0), at(c), most);
        p.step(k.take());
      }
      KernelBuilder k("total");
      const AxisId r = k.axis("r", kBatch), c = k.axis("c", {columns, false});
      k.phase({r, c});
      const ExprId sum = k.reduce(Combine::sum, k.load(copy, at(r), at(c)));
      k.phase();
      k.store(total, at_constant(0), at_constant(0), sum);
      p.step(k.take());
    }
}

void gathers(Cases& p) {
  constexpr int64_t kWords = 10;
  for (int64_t width : {1, 5, 20}) {
    const BufferId ids = p.input(p.fresh("ids"), 3, DType::i32), table = p.parameter(p.fresh("table"), kWords, width);
    const BufferId found = p.output(p.fresh("found"), 3 * width), hot = p.output(p.fresh("hot"), kWords);
    const BufferId change = p.parameter(p.fresh("change"), kWords, width), picked = p.output(p.fresh("picked"), 1);
    {
      KernelBuilder k("gather");
      const AxisId r = k.parallel("r", kBatch), t = k.parallel("t", {3, false}), d = k.parallel("d", {width, false});
      const ExprId id = k.load(ids, at(r), at(t), DType::i32);
      k.store(found, at(r), at(t, width) + at(d), k.load(table, at_gathered(id), at(d)));
      p.step(k.take());
    }
    {
      KernelBuilder k("one_hot");
      const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {kWords, false});
      const ExprId id = k.load(ids, at(r), at_constant(1), DType::i32);
      k.store(hot, at(r), at(c), k.select(k.binary(ExprOp::eq, k.axis_value(c), id), k.constant(1), k.constant(0)));
      p.step(k.take());
    }
    {
      KernelBuilder k("pick_column");
      const AxisId r = k.parallel("r", kBatch);
      const ExprId id = k.load(ids, at(r), at_constant(2), DType::i32);
      k.store(picked, at(r), at_constant(0), k.load(hot, at(r), at_gathered(id)));
      p.step(k.take());
    }
    {
      KernelBuilder k("clear");
      const AxisId v = k.parallel("v", {kWords, false}), d = k.parallel("d", {width, false});
      k.store(change, at(v), at(d), k.constant(0));
      p.step(k.take());
    }
    KernelBuilder k("scatter");
    const AxisId d = k.parallel("d", {width, false}), r = k.axis("r", kBatch), t = k.axis("t", {3, false});
    k.phase({r, t});
    const ExprId id = k.load(ids, at(r), at(t), DType::i32);
    k.accumulate(change, at_gathered(id), at(d), k.load(found, at(r), at(t, width) + at(d)));
    p.step(k.take());
  }
}

void random_draws(Cases& p) {
  for (int64_t columns : {1, 6, 70}) {
    const BufferId bits = p.output(p.fresh("bits"), columns), odd = p.output(p.fresh("odd"), columns);
    const BufferId kept = p.output(p.fresh("kept"), 1);
    KernelBuilder k("draw");
    const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {columns, false});
    k.store(bits, at(r), at(c), k.binary(ExprOp::mul, k.cast(k.random(7, at(r), at(c)), DType::f32), k.constant(1.0 / 4294967296.0)));
    const ExprId keep = k.binary(ExprOp::ge, k.random(0xFFFFFFF0u, at(r, 3) + 1, at(c, 5) + 3), k.constant(2147483648.0, DType::i64));
    k.store(odd, at(r), at(c), k.select(keep, k.constant(2), k.constant(0)));
    p.step(k.take());
    KernelBuilder n("count_kept");
    const AxisId nr = n.parallel("r", kBatch), nc = n.axis("c", {columns, false});
    n.phase({nc});
    const ExprId drawn = n.binary(ExprOp::lt, n.random(9, at(nr), at(nc) + 4), n.constant(1e9, DType::i64));
    const ExprId count = n.reduce(Combine::sum, n.select(drawn, n.constant(1), n.constant(0)));
    n.phase();
    n.store(kept, at(nr), at_constant(0), count);
    p.step(n.take());
  }
}

// A product with each factor in each layout and either order of its axes.
void products(Cases& p) {
  struct Size {
    int64_t in, out;
  };
  for (const Size& size : {Size{1, 1}, Size{5, 33}, Size{37, 6}, Size{70, 50}})
    for (int layouts = size.in == 37 ? 0 : 7; layouts < 8; ++layouts) {   // one size in all layouts
      const bool panels_x = layouts & 1, panels_w = layouts & 2, panels_y = layouts & 4;
      const BufferId raw = p.input(p.fresh("raw"), size.in);
      const BufferId x = p.maybe_in_panels(p.activation(p.fresh("px"), size.in), panels_x);
      const BufferId w = p.maybe_in_panels(p.parameter(p.fresh("pw"), size.in, size.out), panels_w);
      const BufferId bias = p.parameter(p.fresh("pb"), 1, size.out);
      const BufferId y = p.maybe_in_panels(p.activation(p.fresh("py"), size.out), panels_y);
      const BufferId dx = p.output(p.fresh("pdx"), size.in), y_out = p.output(p.fresh("pyo"), size.out);
      const BufferId dw = p.maybe_in_panels(p.parameter(p.fresh("pdw"), size.in, size.out), panels_w);
      {
        KernelBuilder k("copy");
        const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {size.in, false});
        k.store(x, at(r), at(c), k.load(raw, at(r), at(c)));
        p.step(k.take());
      }
      {
        KernelBuilder k("forward");
        const AxisId r = k.parallel("r", kBatch), n = k.parallel("n", {size.out, false}), j = k.axis("k", {size.in, false});
        k.phase({j});
        const ExprId s = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(x, at(r), at(j)), k.load(w, at(j), at(n))));
        k.phase();
        const ExprId z = k.binary(ExprOp::add, s, k.load(bias, at_constant(0), at(n)));
        const ExprId mask = k.select(k.binary(ExprOp::ge, k.random(3, at(r), at(n)), k.constant(1e9, DType::i64)), k.constant(1.25), k.constant(0));
        const ExprId kept = k.binary(ExprOp::mul, k.unary(ExprOp::tanh, z), mask);
        k.store(y, at(r), at(n), kept);
        k.phase();
        k.store(y_out, at(r), at(n), kept);
        p.step(k.take());
      }
      {
        KernelBuilder k("input_gradient");
        const AxisId r = k.parallel("r", kBatch), i = k.parallel("i", {size.in, false}), n = k.axis("n", {size.out, false});
        k.phase({n});
        const ExprId s = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(w, at(i), at(n)), k.load(y, at(r), at(n))));
        k.phase();
        const ExprId mask = k.select(k.binary(ExprOp::gt, k.load(x, at(r), at(i)), k.constant(0)), k.constant(2), k.constant(0.5));
        k.store(dx, at(r), at(i), k.binary(ExprOp::mul, s, mask));
        p.step(k.take());
      }
      KernelBuilder k("weight_gradient");
      const AxisId i = k.parallel("i", {size.in, false}), n = k.parallel("n", {size.out, false}), r = k.axis("r", kBatch);
      k.phase({r});
      const ExprId s = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(x, at(r), at(i)), k.load(y, at(r), at(n))));
      k.phase();
      k.store(dw, at(i), at(n), k.binary(ExprOp::sub, k.load(dw, at(i), at(n)), k.binary(ExprOp::mul, s, k.scalar(0))));
      p.step(k.take());
    }
  // Weights alone: no batch anywhere, one of them turned.
  const BufferId a = p.parameter("weights.a", 13, 9), b = p.parameter("weights.b", 13, 22), ab = p.parameter("weights.ab", 9, 22);
  KernelBuilder k("of_weights");
  const AxisId i = k.parallel("i", {9, false}), n = k.parallel("n", {22, false}), j = k.axis("j", {13, false});
  k.phase({j});
  const ExprId s = k.reduce(Combine::sum, k.binary(ExprOp::mul, k.load(a, at(j), at(i)), k.load(b, at(j), at(n))));
  k.phase();
  k.store(ab, at(i), at(n), s);
  p.step(k.take());
}

void functions(Cases& p) {
  const BufferId x = p.input("functions.x", 13), y = p.parameter("functions.y", 1, 13);
  for (ExprOp op : {ExprOp::neg, ExprOp::abs, ExprOp::exp, ExprOp::log, ExprOp::log1p, ExprOp::expm1, ExprOp::sqrt, ExprOp::rsqrt,
                    ExprOp::reciprocal, ExprOp::sin, ExprOp::cos, ExprOp::tanh, ExprOp::erf, ExprOp::floor, ExprOp::sign}) {
    const std::string name = expr_op_name(op);
    const BufferId out = p.output(name, 13), out_one = p.output(name + "_one", 1);
    KernelBuilder k(name);
    const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {13, false});
    const ExprId wide = k.binary(ExprOp::mul, k.load(x, at(r), at(c)), k.constant(6));
    k.store(out, at(r), at(c), k.unary(op, wide));
    p.step(k.take());
    KernelBuilder one(name + "_of_single_values");
    const AxisId r1 = one.parallel("r", kBatch);
    one.store(out_one, at(r1), at_constant(0), one.unary(op, one.load(x, at(r1), at_constant(3))));
    p.step(one.take());
  }
  for (ExprOp op : {ExprOp::add, ExprOp::sub, ExprOp::mul, ExprOp::div, ExprOp::max, ExprOp::min, ExprOp::pow}) {
    const BufferId out = p.output(std::string("binary_") + expr_op_name(op), 13);
    KernelBuilder k(expr_op_name(op));
    const AxisId r = k.parallel("r", kBatch), c = k.parallel("c", {13, false});
    k.store(out, at(r), at(c), k.binary(op, k.load(x, at(r), at(c)), k.load(y, at_constant(0), at(c))));
    p.step(k.take());
  }
}

struct Form {
  const char* name;
  void (*add)(Cases&);
};
const std::vector<Form> kForms{{"pointwise", pointwise}, {"places", places},   {"rows", rows},
                               {"batch_reductions", batch_reductions}, {"gathers", gathers}, {"random_draws", random_draws},
                               {"products", products},   {"functions", functions}};

class KernelForms : public testing::TestWithParam<std::tuple<Target, size_t>> {};

TEST_P(KernelForms, GiveWhatTheInterpreterGives) {
  const auto& [target, form] = GetParam();
  Cases cases(target);
  kForms[form].add(cases);
  for (size_t i = 0; i < cases.steps.size(); ++i) cases.steps[i].stage = static_cast<int32_t>(i);
  const Program program = cases;
  ASSERT_THAT(verify(program), testing::IsEmpty());

  TemporaryFolder folder;
  const auto fast = make_cpu_backend(options_for(target, folder.path()));
  const auto reference = make_reference_backend(Arithmetic::f32);
  // Sums of at most 70 terms near 1, some 10 operations before and after: 1e-7 each.
  constexpr double kTolerance = 2e-5;
  for (const std::vector<int64_t>& tower_rows : {std::vector<int64_t>{1}, {7}, {21}, {5, 0, 16}}) {
    RunSetup setup;
    setup.tower_rows = tower_rows;
    setup.parameter_scale = 1;
    const RunResult expected = run_program(*reference, program, setup), actual = run_program(*fast, program, setup);
    for (const auto& [name, values] : expected)
      EXPECT_LT(largest_difference(actual.at(name), values), kTolerance)
          << name << " of rows " << testing::PrintToString(tower_rows);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, KernelForms,
                         testing::Combine(testing::ValuesIn(targets_to_run()), testing::Range(size_t{0}, kForms.size())),
                         [](const auto& test) { return std::get<0>(test.param).name + "_" + kForms[std::get<1>(test.param)].name; });

}  // namespace
}  // namespace netc
