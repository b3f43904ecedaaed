#include "compiler/autodiff/update_rules.h"

#include "compiler/autodiff/clip.h"
#include "compiler/base/errors.h"

namespace netc {

namespace {

// ---- steps that several rules share ---------------------------------------------------------------------------------

NodeId scaled(GraphBuilder& b, NodeId x, double factor) { return b.mul(x, b.constant(factor)); }

// rho * slot + (1 - rho) * value, stored in the slot.
NodeId average_into(const WeightUpdate& u, NodeId slot, double rho, NodeId value) {
  const NodeId average = u.b.add(scaled(u.b, slot, rho), scaled(u.b, value, 1 - rho));
  u.store(slot, average);
  return average;
}

NodeId gradient_with_l2(const WeightUpdate& u) {
  const double l2 = u.argument("l2");
  return l2 == 0 || !u.decays ? u.gradient : u.b.add(u.gradient, scaled(u.b, u.weight, l2));
}

// weight * (1 - learning_rate * weight_decay) - rate * direction.
void step_weight(const WeightUpdate& u, NodeId rate, NodeId direction, double decay) {
  NodeId weight = u.weight;
  if (decay != 0 && u.decays) {
    weight = u.b.mul(weight, u.b.sub(u.b.constant(1), scaled(u.b, u.b.scalar("learning_rate"), decay)));
  }
  u.store(u.weight, u.b.sub(weight, u.b.mul(direction, rate)));
}

// ---- the rules ------------------------------------------------------------------------------------------------------

// PyTorch form: the velocity holds no learning rate.  v = m v + g;  w -= lr v  (nesterov: w -= lr (g + m v))
void apply_sgd(const WeightUpdate& u) {
  const double momentum = u.argument("momentum");
  const NodeId gradient = gradient_with_l2(u);
  NodeId direction = gradient;
  if (momentum != 0) {
    const NodeId slot = u.slot("momentum");
    const NodeId velocity = u.b.add(scaled(u.b, slot, momentum), gradient);
    u.store(slot, velocity);
    direction = u.flag("nesterov") ? u.b.add(gradient, scaled(u.b, velocity, momentum)) : velocity;
  }
  step_weight(u, u.b.scalar("learning_rate"), direction, u.argument("weight_decay"));
}

// s = rho s + (1 - rho) g^2;  w -= lr g / (sqrt(s) + eps). Centered: s less the square of the average gradient under
// the root, which rounding must not take below 0.
void apply_rmsprop(const WeightUpdate& u) {
  GraphBuilder& b = u.b;
  const double rho = u.argument("rho"), momentum = u.argument("momentum");
  const NodeId gradient = gradient_with_l2(u);
  NodeId square = average_into(u, u.slot("square_average"), rho, b.mul(gradient, gradient));
  if (u.flag("centered")) {
    const NodeId mean = average_into(u, u.slot("gradient_average"), rho, gradient);
    square = b.op("max", {b.sub(square, b.mul(mean, mean)), b.constant(0)});
  }
  const NodeId root = b.add(b.op("sqrt", {square}), b.constant(u.argument("eps")));
  NodeId direction = b.div(gradient, root);
  if (momentum != 0) {
    const NodeId slot = u.slot("momentum");
    direction = b.add(scaled(b, slot, momentum), direction);
    u.store(slot, direction);
  }
  step_weight(u, b.scalar("learning_rate"), direction, u.argument("weight_decay"));
}

// 1 - beta^t, t counting updates from 1.
NodeId bias_correction(GraphBuilder& b, double beta) {
  return b.sub(b.constant(1), b.op("pow", {b.constant(beta), b.scalar("update_count")}));
}

// m = beta_1 m + (1 - beta_1) g;  v = beta_2 v + (1 - beta_2) g^2;  both divided by their bias corrections;
// w -= lr m / (sqrt(v) + eps). amsgrad divides by the root of the largest v so far.
void adam_step(const WeightUpdate& u, NodeId gradient, double decay) {
  GraphBuilder& b = u.b;
  const double beta_1 = u.argument("beta_1"), beta_2 = u.argument("beta_2");
  const NodeId mean = average_into(u, u.slot("first_moment"), beta_1, gradient);
  NodeId square = average_into(u, u.slot("second_moment"), beta_2, b.mul(gradient, gradient));
  if (u.flag("amsgrad")) {
    const NodeId slot = u.slot("largest_second_moment");
    square = b.op("max", {slot, square});
    u.store(slot, square);
  }
  const NodeId root_correction = b.op("rsqrt", {bias_correction(b, beta_2)});
  const NodeId root = b.add(b.mul(b.op("sqrt", {square}), root_correction), b.constant(u.argument("eps")));
  step_weight(u, b.div(b.scalar("learning_rate"), bias_correction(b, beta_1)), b.div(mean, root), decay);
}

std::vector<UpdateRule> make_rules() {
  return {
      {"sgd", {{"momentum", 0}, {"nesterov", 0}, {"l2", 0}, {"weight_decay", 0}, {"decay_all", 0}}, apply_sgd},
      {"rmsprop",
       {{"rho", 0.9}, {"momentum", 0}, {"eps", 1e-8}, {"centered", 0}, {"l2", 0}, {"weight_decay", 0}, {"decay_all", 0}},
       apply_rmsprop},
      {"adam",
       {{"beta_1", 0.9}, {"beta_2", 0.999}, {"eps", 1e-8}, {"amsgrad", 0}, {"l2", 0}, {"decay_all", 0}},
       [](const WeightUpdate& u) { adam_step(u, gradient_with_l2(u), 0); }},
      {"adamw",
       {{"beta_1", 0.9}, {"beta_2", 0.999}, {"eps", 1e-8}, {"weight_decay", 0.01}, {"amsgrad", 0}, {"decay_all", 0}},
       [](const WeightUpdate& u) { adam_step(u, u.gradient, u.argument("weight_decay")); }},
  };
}

const UpdateRule& rule_of(const OptimizerSpec& spec) {
  const UpdateRule* rule = find_update_rule(spec.name);
  if (rule == nullptr) throw InternalError("there is no update rule `" + spec.name + "`");
  return *rule;
}

}  // namespace

std::span<const UpdateRule> update_rules() {
  static const std::vector<UpdateRule> rules = make_rules();
  return rules;
}

const UpdateRule* find_update_rule(const std::string& name) {
  for (const UpdateRule& rule : update_rules())
    if (rule.name == name) return &rule;
  return nullptr;
}

double WeightUpdate::argument(const std::string& name) const {
  for (const auto& [known, fallback] : rule_of(spec).arguments)
    if (known == name) return spec.argument(name, fallback);
  throw InternalError("the update rule `" + spec.name + "` has no argument `" + name + "`");
}

NodeId WeightUpdate::slot(const std::string& name, double initial) const {
  return b.state(b.node(weight).name + "/" + name, b.type(weight), initial);
}

void WeightUpdate::store(NodeId slot, NodeId value) const { b.graph().updates.push_back({slot, value}); }

void add_updates(Graph& graph, std::span<const ParameterGradient> gradients, const OptimizerSpec& optimizer,
                 const ClipSpec& clip) {
  GraphBuilder b(graph);
  const UpdateRule& rule = rule_of(optimizer);
  for (const ParameterGradient& entry : clipped(b, gradients, clip)) {
    const Node& leaf = graph[entry.parameter];
    b.at(leaf.span).named(leaf.name);
    const bool decays = leaf.type.shape.size() > 1 || optimizer.argument("decay_all", 0) != 0;
    rule.apply({b, optimizer, entry.parameter, entry.gradient, decays});
  }
}

}  // namespace netc
