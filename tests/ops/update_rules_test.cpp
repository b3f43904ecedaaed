// Update rules against loops over plain numbers, written from the formulas of the language page.
#include "compiler/autodiff/update_rules.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/base/errors.h"
#include "compiler/passes/expand_composites.h"
#include "compiler/passes/share.h"
#include "compiler/passes/simplify.h"
#include "tests/ops/graph_evaluator.h"
#include "tests/ops/op_cases.h"

namespace netc::test {
namespace {

constexpr double kRate = 0.05;
constexpr int kSteps = 5;

// One weight element: all that a rule may remember, and what it is.
struct Element {
  double w = 0, momentum = 0, square = 0, mean = 0, largest = 0;
  int t = 0;
  bool decays = true;
};

using Arguments = std::vector<std::pair<std::string, double>>;
using Formula = std::function<void(Element&, double g, const OptimizerSpec&)>;

void sgd(Element& e, double g, const OptimizerSpec& s) {
  if (e.decays) g += s.argument("l2", 0) * e.w;
  const double m = s.argument("momentum", 0);
  e.momentum = m * e.momentum + g;
  const double step = m == 0 ? g : s.argument("nesterov", 0) != 0 ? g + m * e.momentum : e.momentum;
  if (e.decays) e.w -= kRate * s.argument("weight_decay", 0) * e.w;
  e.w -= kRate * step;
}

void rmsprop(Element& e, double g, const OptimizerSpec& s) {
  if (e.decays) g += s.argument("l2", 0) * e.w;
  const double rho = s.argument("rho", 0.9), m = s.argument("momentum", 0);
  e.square = rho * e.square + (1 - rho) * g * g;
  e.mean = rho * e.mean + (1 - rho) * g;
  const double variance = s.argument("centered", 0) != 0 ? e.square - e.mean * e.mean : e.square;
  double step = g / (std::sqrt(variance) + s.argument("eps", 1e-8));
  if (m != 0) step = e.momentum = m * e.momentum + step;
  if (e.decays) e.w *= 1 - kRate * s.argument("weight_decay", 0);
  e.w -= kRate * step;
}

void adam(Element& e, double g, const OptimizerSpec& s, double decay) {
  const double b1 = s.argument("beta_1", 0.9), b2 = s.argument("beta_2", 0.999);
  e.mean = b1 * e.mean + (1 - b1) * g;
  e.square = b2 * e.square + (1 - b2) * g * g;
  e.largest = std::max(e.largest, e.square);
  const double m_hat = e.mean / (1 - std::pow(b1, e.t));
  const double v_hat = (s.argument("amsgrad", 0) != 0 ? e.largest : e.square) / (1 - std::pow(b2, e.t));
  if (e.decays) e.w -= kRate * decay * e.w;
  e.w -= kRate * m_hat / (std::sqrt(v_hat) + s.argument("eps", 1e-8));
}

Formula formula_of(const std::string& name) {
  if (name == "sgd") return sgd;
  if (name == "rmsprop") return rmsprop;
  if (name == "adam")
    return [](Element& e, double g, const OptimizerSpec& s) { adam(e, g + (e.decays ? s.argument("l2", 0) * e.w : 0), s, 0); };
  if (name == "adamw")
    return [](Element& e, double g, const OptimizerSpec& s) { adam(e, g, s, s.argument("weight_decay", 0.01)); };
  return nullptr;
}

// weight [2, 3] and bias [3], with the gradient fed as an input leaf so that every step has its own.
struct Updated {
  Graph graph;
  Environment environment;
};

Updated make(const OptimizerSpec& spec, const ClipSpec& clip) {
  Updated made;
  GraphBuilder b(made.graph);
  std::vector<ParameterGradient> gradients;
  for (const auto& [name, shape] : {std::pair<std::string, Shape>{"weight", {2, 3}}, {"bias", {3}}}) {
    const TensorType type{DType::f32, shape, false, 0};
    const NodeId leaf = b.parameter(name, type, {});
    TensorType row = type;
    row.batched = true;
    std::vector<int64_t> none;
    gradients.push_back({leaf, b.reduce_sum(b.input("g " + name, row), none, true)});
  }
  add_updates(made.graph, gradients, spec, clip);
  Draws draws(5);
  for (const auto& [name, count] : {std::pair<std::string, int>{"weight", 6}, {"bias", 3}})
    for (int i = 0; i < count; ++i) made.environment.parameters[name].push_back(draws.uniform(-1, 1));
  for (const State& state : made.graph.states)
    made.environment.states[state.name].assign(static_cast<size_t>(element_count(state.type.shape)), state.initial);
  made.environment.scalars["learning_rate"] = kRate;
  return made;
}

std::vector<double> draw_gradient(Draws& draws, size_t count) {
  std::vector<double> g;
  for (size_t i = 0; i < count; ++i) g.push_back(draws.uniform(-1, 1));
  return g;
}

// Scales what the formulas get as the clip of the spec says.
void clip_by_hand(std::map<std::string, std::vector<double>>& gradients, const ClipSpec& clip) {
  double squares = 0;
  for (auto& [name, g] : gradients)
    for (double v : g) squares += v * v;
  for (auto& [name, g] : gradients) {
    for (double& v : g) {
      if (clip.kind == ClipSpec::Kind::global_norm) v *= std::min(1.0, clip.limit / (std::sqrt(squares) + 1e-6));
      if (clip.kind == ClipSpec::Kind::value) v = std::clamp(v, -clip.limit, clip.limit);
    }
  }
}

void check(const std::string& name, const Arguments& arguments, const ClipSpec& clip = {}) {
  SCOPED_TRACE(name + (arguments.empty() ? "" : " " + arguments.back().first));
  const OptimizerSpec spec{name, arguments, {}};
  Updated made = make(spec, clip);
  EXPECT_EQ(verify(made.graph), std::vector<std::string>{});
  EXPECT_EQ(verify_types(made.graph), std::vector<std::string>{});
  const Graph passed = share(simplify(expand_composites(made.graph)));   // what the compiler makes of it
  std::map<std::string, std::vector<Element>> elements;
  for (const auto& [leaf, values] : made.environment.parameters)
    for (double w : values) {
      Element e;
      e.w = w;
      e.decays = leaf == "weight" || spec.argument("decay_all", 0) != 0;
      elements[leaf].push_back(e);
    }
  Draws draws(9);
  const Formula formula = formula_of(name);
  ASSERT_TRUE(formula) << "write the formula of " << name << " here";
  for (int t = 1; t <= kSteps; ++t) {
    std::map<std::string, std::vector<double>> gradients{{"weight", draw_gradient(draws, 6)}, {"bias", draw_gradient(draws, 3)}};
    for (const auto& [leaf, g] : gradients) made.environment.inputs["g " + leaf] = g;
    made.environment.scalars["update_count"] = t;
    apply_updates(passed, made.environment);
    clip_by_hand(gradients, clip);
    for (auto& [leaf, list] : elements) {
      for (size_t i = 0; i < list.size(); ++i) {
        list[i].t = t;
        formula(list[i], gradients[leaf][i], spec);
        EXPECT_NEAR(made.environment.parameters[leaf][i], list[i].w, 1e-13) << leaf << " " << i << " step " << t;
      }
    }
  }
}

TEST(UpdateRules, FollowTheirFormulasWithDefaults) {
  for (const UpdateRule& rule : update_rules()) check(rule.name, {});
}

// Every argument of every rule on its own, and together with momentum where it has one.
TEST(UpdateRules, FollowTheirFormulasWithEveryArgument) {
  const std::map<std::string, double> values{{"momentum", 0.8}, {"nesterov", 1}, {"l2", 0.03},    {"weight_decay", 0.07},
                                             {"decay_all", 1},  {"rho", 0.7},    {"eps", 1e-3},   {"centered", 1},
                                             {"beta_1", 0.6},   {"beta_2", 0.8}, {"amsgrad", 1}};
  for (const UpdateRule& rule : update_rules()) {
    Arguments all;
    for (const auto& [argument, fallback] : rule.arguments) {
      ASSERT_TRUE(values.contains(argument)) << "give " << argument << " a value here";
      check(rule.name, {{argument, values.at(argument)}});
      check(rule.name, {{"momentum", 0.8}, {argument, values.at(argument)}});
      check(rule.name, {{"l2", 0.03}, {"weight_decay", 0.07}, {argument, values.at(argument)}});
      all.emplace_back(argument, values.at(argument));
    }
    check(rule.name, all);
  }
}

TEST(UpdateRules, ClipBeforeTheyUpdate) {
  for (const double limit : {0.3, 100.0}) {
    check("sgd", {{"l2", 0.03}}, {ClipSpec::Kind::global_norm, limit});
    check("sgd", {{"momentum", 0.9}}, {ClipSpec::Kind::value, limit});
    check("adamw", {}, {ClipSpec::Kind::global_norm, limit});
  }
}

TEST(UpdateRules, AreNamed) {
  EXPECT_EQ(find_update_rule("adagrad"), nullptr);
  ASSERT_NE(find_update_rule("sgd"), nullptr);
  Graph graph;
  EXPECT_THROW(add_updates(graph, {}, {"adagrad", {}, {}}, {}), InternalError);
}

TEST(UpdateRules, NameTheirSlotsAfterTheWeight) {
  const Updated made = make({"adam", {{"amsgrad", 1}}, {}}, {});
  ASSERT_EQ(made.graph.states.size(), 6u);
  EXPECT_EQ(made.graph.states[0].name, "weight/first_moment");
  EXPECT_EQ(made.graph.states[1].name, "weight/second_moment");
  EXPECT_EQ(made.graph.states[2].name, "weight/largest_second_moment");
  EXPECT_EQ(made.graph.states[5].type.shape, Shape{3});
}

}  // namespace
}  // namespace netc::test
