#include "compiler/program/lower.h"

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "compiler/base/errors.h"
#include "compiler/ops/op.h"
#include "compiler/program/affine.h"
#include "compiler/program/expr_copy.h"
#include "compiler/program/simplify_axes.h"

namespace netc {

namespace {

constexpr double kRandomRange = 4294967296.0;   // 2^32: the range of ExprOp::random

Extent rows_of(const TensorType& type) {
  const int64_t rows = type.shape.empty() ? 1 : element_count(type.shape) / std::max<int64_t>(type.shape.back(), 1);
  return {rows, type.batched};
}

int64_t columns_of(const TensorType& type) { return type.shape.empty() ? 1 : type.shape.back(); }

class Lowering {
 public:
  Lowering(const Graph& graph, Program& program)
      : graph_(graph),
        program_(program),
        buffers_(graph.nodes.size(), kNone),
        column_(graph.nodes.size(), 0),
        scalars_(graph.nodes.size(), kNone) {}

  void run() {
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
      if (is_scalar_value(id)) continue;   // made when first used
      lower_node(id);
    }
    for (const Result& result : graph_.results) copy_result(result);
    for (const Update& update : graph_.updates) copy_update(update);
  }

 private:
  // The axes of a kernel under construction, one per axis of a tensor, the batch first.
  struct Axes {
    std::vector<Index> batch;    // none or one
    std::vector<Index> sample;
  };
  struct Place {
    Index row, column;
  };

  const TensorType& type(NodeId id) const { return graph_[id].type; }

  // ---- scalars -----------------------------------------------------------------------------------------------

  bool is_scalar_value(NodeId id) {
    const Node& node = graph_[id];
    if (node.op == "scalar" || node.op == "constant") return true;
    if (scalar_known_.empty()) scalar_known_.resize(graph_.nodes.size(), -1);
    signed char& known = scalar_known_[static_cast<size_t>(id)];
    if (known < 0) {
      known = !node.type.batched && node.type.shape.empty() && !is_leaf(node) &&
              op_row(node).family == OpFamily::pointwise;
      for (NodeId input : node.inputs) known = known && is_scalar_value(input);
    }
    return known;
  }

  int32_t add_scalar(Scalar scalar) {
    for (size_t i = 0; i < program_.scalars.size(); ++i)
      if (program_.scalars[i] == scalar) return static_cast<int32_t>(i);
    program_.scalars.push_back(std::move(scalar));
    return static_cast<int32_t>(program_.scalars.size() - 1);
  }

  int32_t scalar_slot(NodeId id) {
    int32_t& slot = scalars_[static_cast<size_t>(id)];
    if (slot != kNone) return slot;
    const Node& node = graph_[id];
    Scalar scalar;
    if (node.op == "scalar") {
      scalar.name = node.name;
    } else if (node.op == "constant") {
      scalar.op = ExprOp::constant;
      scalar.value = float_attribute(node.attributes, "value");
    } else {
      // The row's body, run on scalar arguments, gives the derived scalars one by one.
      Kernel body;
      std::vector<ExprId> arguments;
      for (NodeId input : node.inputs) {
        Expr e;
        e.op = ExprOp::scalar;
        e.slot = scalar_slot(input);
        arguments.push_back(body.add(e));
      }
      const ExprId value = op_row(node).body(body, arguments, node.attributes);
      std::vector<int32_t> slots;
      for (const Expr& e : body.exprs) {
        if (e.op == ExprOp::scalar) {
          slots.push_back(static_cast<int32_t>(e.slot));
          continue;
        }
        Scalar step;
        step.op = e.op;
        step.value = e.value;
        for (int i = 0; i < 3; ++i) step.args[i] = e.args[i] == kNone ? kNone : slots[static_cast<size_t>(e.args[i])];
        slots.push_back(add_scalar(step));
      }
      return scalars_[static_cast<size_t>(id)] = slots[static_cast<size_t>(value)];
    }
    return scalars_[static_cast<size_t>(id)] = add_scalar(std::move(scalar));
  }

  // ---- buffers -----------------------------------------------------------------------------------------------

  std::string unique_name(std::string name) {
    const int count = ++name_count_[name];
    return count == 1 ? name : name + "." + std::to_string(count);
  }

  BufferId add_buffer(std::string name, BufferKind kind, const TensorType& t, Span span) {
    Buffer buffer;
    buffer.name = std::move(name);
    buffer.kind = kind;
    buffer.dtype = t.dtype;
    buffer.rows = rows_of(t);
    buffer.columns = columns_of(t);
    buffer.shape = t.shape;
    buffer.span = span;
    program_.buffers.push_back(std::move(buffer));
    return static_cast<BufferId>(program_.buffers.size() - 1);
  }

  // `as_column`: a statistic per row ([B, T] out of [B, T, D]) is kept as one column of B*T values, so that b and t stay
  // one axis in every kernel that works row by row.
  BufferId new_value(NodeId id, bool as_column = false) {
    const Node& node = graph_[id];
    const BufferKind kind = node.type.batched ? BufferKind::activation : BufferKind::gradient;
    const std::string base = node.name.empty() ? node.op : node.name + "." + node.op;
    const BufferId buffer = add_buffer(unique_name(base), kind, node.type, node.span);
    if (as_column) {
      program_.buffers.back().rows = {element_count(node.type.shape), node.type.batched};
      program_.buffers.back().columns = 1;
      column_[static_cast<size_t>(id)] = 1;
    }
    return buffers_[static_cast<size_t>(id)] = buffer;
  }

  // The same memory seen as rows x columns.
  BufferId view_as(BufferId buffer, Extent rows, int64_t columns) {
    const BufferId root = program_.buffers[buffer].alias_of == kNone ? buffer : program_.buffers[buffer].alias_of;
    const Buffer& memory = program_.buffers[root];
    if (memory.rows == rows && memory.columns == columns) return root;
    if (program_.buffers[buffer].rows == rows && program_.buffers[buffer].columns == columns) return buffer;
    const auto key = std::make_tuple(root, rows.count, columns);
    const auto [place, fresh] = views_.try_emplace(key, kNone);
    if (fresh) {
      Buffer view = memory;
      view.name = memory.name + ".view" + std::to_string(rows.count) + "x" + std::to_string(columns);
      view.alias_of = root;
      view.rows = rows;
      view.columns = columns;
      program_.buffers.push_back(std::move(view));
      place->second = static_cast<BufferId>(program_.buffers.size() - 1);
    }
    return place->second;
  }

  BufferId matrix_view(NodeId id) {
    return view_as(buffers_[static_cast<size_t>(id)], rows_of(type(id)), columns_of(type(id)));
  }

  // One row per element: what ids and per-row statistics are read through, so that leading axes stay mergeable.
  BufferId column_view(NodeId id) {
    return view_as(buffers_[static_cast<size_t>(id)], {element_count(type(id).shape), type(id).batched}, 1);
  }

  // ---- kernels -----------------------------------------------------------------------------------------------

  static Axes add_axes(Kernel& kernel, const TensorType& t, std::vector<AxisId>& list) {
    Axes axes;
    const auto add = [&](const std::string& name, Extent extent) {
      kernel.axes.push_back({name, extent});
      list.push_back(static_cast<AxisId>(kernel.axes.size() - 1));
      return index_of_axis(list.back());
    };
    if (t.batched) axes.batch.push_back(add("b", {1, true}));
    for (size_t i = 0; i < t.shape.size(); ++i) axes.sample.push_back(add("i" + std::to_string(i), {t.shape[i], false}));
    return axes;
  }

  // Where element `axes` of a tensor of this type stands in its matrix.
  static Place place(const TensorType& t, const Axes& axes) {
    Index row = t.batched ? axes.batch.at(0) : index_constant(0);
    for (size_t i = 0; i + 1 < t.shape.size(); ++i) {
      row = add_scaled(index_constant(0), row, t.shape[i]);
      row = add_scaled(row, axes.sample.at(i), 1);
    }
    return {row, t.shape.empty() ? index_constant(0) : axes.sample.back()};
  }

  static Index linear(const TensorType& t, const Axes& axes) {
    const Place p = place(t, axes);
    return t.shape.empty() ? p.row : add_scaled(add_scaled(index_constant(0), p.row, t.shape.back()), p.column, 1);
  }

  ExprId load(Kernel& kernel, BufferId buffer, const Place& at) {
    Expr e;
    e.op = ExprOp::load;
    e.buffer = buffer;
    const DType storage = program_.buffers[buffer].dtype;
    e.type = is_floating(storage) ? DType::f32 : storage == DType::boolean ? DType::boolean : DType::i32;
    e.row = at.row;
    e.column = at.column;
    return kernel.add(e);
  }

  // The value of node `id` at `axes` of a kernel: scalars and constants directly, unbatched scalars broadcast.
  ExprId value(Kernel& kernel, NodeId id, const Axes& axes) {
    const Node& node = graph_[id];
    if (node.op == "constant") {
      Expr e;
      e.value = float_attribute(node.attributes, "value");
      return kernel.add(e);
    }
    if (is_scalar_value(id)) {
      Expr e;
      e.op = ExprOp::scalar;
      e.slot = scalar_slot(id);
      const ExprId scalar = kernel.add(e);
      return node.type.dtype == DType::boolean ? truth_of(kernel, scalar) : scalar;
    }
    if (!node.type.batched && node.type.shape.empty())
      return load(kernel, buffers_[static_cast<size_t>(id)], {index_constant(0), index_constant(0)});
    return load(kernel, buffers_[static_cast<size_t>(id)], place_of(id, axes));
  }

  // A condition among run-time scalars comes as a number: 1 or 0.
  static ExprId truth_of(Kernel& kernel, ExprId number) {
    Expr truth;
    truth.op = ExprOp::ne;
    truth.type = DType::boolean;
    truth.args[0] = number;
    truth.args[1] = kernel.add(Expr{});   // the constant 0
    return kernel.add(truth);
  }

  // Where element `axes` of node `id` stands in the buffer the node made.
  Place place_of(NodeId id, const Axes& axes) const {
    const BufferId buffer = buffers_[static_cast<size_t>(id)];
    const bool column = column_[static_cast<size_t>(id)] != 0;
    const Buffer& memory = program_.buffers[static_cast<size_t>(buffer)];
    if (!column && (memory.rows != rows_of(type(id)) || memory.columns != columns_of(type(id))))
      throw InternalError("node " + graph_[id].op + " is read through a view of another shape");
    return column ? Place{linear(type(id), axes), index_constant(0)} : place(type(id), axes);
  }

  Kernel start(NodeId id) const {
    const Node& node = graph_[id];
    Kernel kernel;
    kernel.name = std::to_string(id) + "@" + node.name + ":" + node.op;
    if (node.span.known()) kernel.spans.push_back(node.span);
    return kernel;
  }

  void finish(Kernel kernel) {
    simplify_axes(kernel);
    program_.kernels.push_back(std::move(kernel));
  }

  static Phase epilogue(Store store) { return Phase{{}, {}, {std::move(store)}}; }

  void store_value(Kernel kernel, NodeId id, const Axes& axes, ExprId e, bool as_column = false) {
    const BufferId out = new_value(id, as_column);
    const Place at = place_of(id, axes);
    kernel.phases.push_back(epilogue({out, at.row, at.column, e, false}));
    finish(std::move(kernel));
  }

  void lower_node(NodeId id) {
    const Node& node = graph_[id];
    if (node.op == "input" || node.op == "parameter" || node.op == "state") {
      const BufferKind kind = node.op == "input"       ? BufferKind::input
                              : node.op == "parameter" ? BufferKind::parameter
                                                       : BufferKind::state;
      buffers_[static_cast<size_t>(id)] = add_buffer(node.name, kind, node.type, node.span);
      return;
    }
    switch (op_row(node).family) {
      case OpFamily::pointwise: return lower_pointwise(id);
      case OpFamily::expand: return lower_expand(id);
      case OpFamily::reduce: return lower_reduce(id);
      case OpFamily::reshape: return lower_reshape(id);
      case OpFamily::transpose: return lower_transpose(id);
      case OpFamily::concat: return lower_concat(id);
      case OpFamily::slice: return lower_slice(id);
      case OpFamily::matmul: return lower_matmul(id);
      case OpFamily::matmul_tn: return lower_matmul_tn(id);
      case OpFamily::gather: return lower_gather(id);
      case OpFamily::scatter_add: return lower_scatter_add(id);
      case OpFamily::one_hot: return lower_one_hot(id);
      case OpFamily::random: return lower_random(id);
      case OpFamily::leaf:
      case OpFamily::composite: break;
    }
    throw InternalError("cannot lower op `" + node.op + "`: composites are expanded before");
  }

  void lower_pointwise(NodeId id) {
    const Node& node = graph_[id];
    Kernel kernel = start(id);
    const Axes axes = add_axes(kernel, node.type, kernel.parallel);
    std::vector<ExprId> arguments;
    bool as_column = false;
    for (NodeId input : node.inputs) {
      arguments.push_back(value(kernel, input, axes));
      as_column = as_column || (column_[static_cast<size_t>(input)] != 0 && type(input).shape == node.type.shape);
    }
    const ExprId result = op_row(node).body(kernel, arguments, node.attributes);
    store_value(std::move(kernel), id, axes, result, as_column);
  }

  void lower_expand(NodeId id) {
    const Node& node = graph_[id];
    const NodeId input = node.inputs[0];
    Kernel kernel = start(id);
    const Axes axes = add_axes(kernel, node.type, kernel.parallel);
    Axes source;
    if (type(input).batched) source.batch = axes.batch;
    const auto& positions = ints_attribute(node.attributes, "axes");
    for (int64_t axis : positions) source.sample.push_back(axes.sample.at(static_cast<size_t>(axis)));
    const bool last_to_last = positions.empty() || positions.back() + 1 == static_cast<int64_t>(node.type.shape.size());
    const ExprId e = last_to_last || is_scalar_value(input)
                         ? value(kernel, input, source)
                         : load(kernel, column_view(input), {linear(type(input), source), index_constant(0)});
    store_value(std::move(kernel), id, axes, e);
  }

  // A sum over the batch AND axes of the sample is made in two kernels: first per row (parallel, on each tower), then
  // over the rows; and a total over a large matrix first per row of the matrix. Both keep a fixed order.
  void lower_reduce(NodeId id) {
    const Node& node = graph_[id];
    const TensorType& in = type(node.inputs[0]);
    const auto& axes_list = ints_attribute(node.attributes, "axes");
    const bool over_batch = bool_attribute(node.attributes, "batch", false) && in.batched;
    const bool total = !in.batched && in.shape.size() >= 2 && axes_list.size() == in.shape.size();
    if ((over_batch && !axes_list.empty()) || total) {
      TensorType middle = in;
      std::vector<int64_t> first = axes_list;
      if (total) first = {static_cast<int64_t>(in.shape.size()) - 1};
      middle.shape.clear();
      for (size_t i = 0; i < in.shape.size(); ++i)
        if (std::find(first.begin(), first.end(), static_cast<int64_t>(i)) == first.end()) middle.shape.push_back(in.shape[i]);
      const BufferKind kind = in.batched ? BufferKind::activation : BufferKind::gradient;
      const BufferId partial = add_buffer(unique_name(node.name.empty() ? "partial" : node.name + ".partial"), kind, middle, node.span);
      reduce(id, [&](Kernel& k, const Axes& a) { return value(k, node.inputs[0], a); }, in, first, false, partial,
             [&](const Axes& kept) { return place(middle, kept); });
      std::vector<int64_t> rest;
      if (total) {
        rest.resize(middle.shape.size());
        std::iota(rest.begin(), rest.end(), 0);
      }
      const BufferId out = new_value(id);
      reduce(id, [&](Kernel& k, const Axes& a) { return load(k, partial, place(middle, a)); }, middle, rest, over_batch, out,
             [&](const Axes& kept) { return place(node.type, kept); });
      return;
    }
    const bool per_row = !axes_list.empty() && axes_list.back() + 1 == static_cast<int64_t>(in.shape.size()) && !node.type.shape.empty();
    const BufferId out = new_value(id, per_row);
    reduce(id, [&](Kernel& k, const Axes& a) { return value(k, node.inputs[0], a); }, in, axes_list, over_batch, out,
           [&](const Axes& kept) { return place_of(id, kept); });
  }

  template <class Value, class Target>
  void reduce(NodeId id, Value element, const TensorType& in, const std::vector<int64_t>& reduced, bool over_batch,
              BufferId out, Target target) {
    Kernel kernel = start(id);
    Axes all;
    std::vector<AxisId> loop;
    const auto add = [&](const std::string& name, Extent extent, bool is_loop) {
      kernel.axes.push_back({name, extent});
      const auto axis = static_cast<AxisId>(kernel.axes.size() - 1);
      (is_loop ? loop : kernel.parallel).push_back(axis);
      return index_of_axis(axis);
    };
    Axes kept;
    if (in.batched) {
      all.batch.push_back(add("b", {1, true}, over_batch));
      if (!over_batch) kept.batch = all.batch;
    }
    for (size_t i = 0; i < in.shape.size(); ++i) {
      const bool gone = std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(i)) != reduced.end();
      all.sample.push_back(add("i" + std::to_string(i), {in.shape[i], false}, gone));
      if (!gone) kept.sample.push_back(all.sample.back());
    }
    const ExprId e = element(kernel, all);
    kernel.reductions.push_back({op_row(graph_[id]).combine, e});
    kernel.phases.push_back({loop, {0}, {}});
    Expr result;
    result.op = ExprOp::reduced;
    result.slot = 0;
    const ExprId value = kernel.add(result);
    const Place at = target(kept);
    kernel.phases.push_back(epilogue({out, at.row, at.column, value, false}));
    finish(std::move(kernel));
  }

  void lower_reshape(NodeId id) {
    const NodeId input = graph_[id].inputs[0];
    if (buffers_[static_cast<size_t>(input)] == kNone) throw InternalError("reshape of a scalar");
    const BufferId view = view_as(buffers_[static_cast<size_t>(input)], rows_of(type(id)), columns_of(type(id)));
    buffers_[static_cast<size_t>(id)] = view;
  }

  void lower_transpose(NodeId id) {
    const Node& node = graph_[id];
    Kernel kernel = start(id);
    const Axes axes = add_axes(kernel, node.type, kernel.parallel);
    Axes source;
    source.batch = axes.batch;
    const auto& order = ints_attribute(node.attributes, "order");
    source.sample.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i) source.sample[static_cast<size_t>(order[i])] = axes.sample[i];
    const ExprId e = value(kernel, node.inputs[0], source);
    store_value(std::move(kernel), id, axes, e);
  }

  void lower_concat(NodeId id) {
    const Node& node = graph_[id];
    const auto axis = static_cast<size_t>(int_attribute(node.attributes, "axis"));
    const BufferId out = new_value(id);
    int64_t offset = 0;
    for (NodeId input : node.inputs) {
      Kernel kernel = start(id);
      const Axes axes = add_axes(kernel, type(input), kernel.parallel);
      const ExprId e = value(kernel, input, axes);
      Axes target = axes;
      target.sample[axis] = add_scaled(target.sample[axis], index_constant(offset), 1);
      const Place at = place(node.type, target);
      kernel.phases.push_back(epilogue({out, at.row, at.column, e, false}));
      finish(std::move(kernel));
      offset += type(input).shape[axis];
    }
  }

  void lower_slice(NodeId id) {
    const Node& node = graph_[id];
    Kernel kernel = start(id);
    const Axes axes = add_axes(kernel, node.type, kernel.parallel);
    Axes source = axes;
    const auto axis = static_cast<size_t>(int_attribute(node.attributes, "axis"));
    source.sample[axis] = add_scaled(source.sample[axis], index_constant(int_attribute(node.attributes, "start")), 1);
    const ExprId e = value(kernel, node.inputs[0], source);
    store_value(std::move(kernel), id, axes, e);
  }

  // out[row, lane] = sum over `reduced` of a * b
  void product(NodeId id, Extent row, Extent lane, Extent reduced, BufferId a, bool a_transposed, BufferId b,
               bool b_transposed) {
    Kernel kernel = start(id);
    kernel.axes = {{"r", row}, {"c", lane}, {"k", reduced}};
    kernel.parallel = {0, 1};
    const Index r = index_of_axis(0), c = index_of_axis(1), k = index_of_axis(2);
    Expr product;
    product.op = ExprOp::mul;
    product.args[0] = load(kernel, a, a_transposed ? Place{k, r} : Place{r, k});
    product.args[1] = load(kernel, b, b_transposed ? Place{c, k} : Place{k, c});
    kernel.reductions.push_back({Combine::sum, kernel.add(product)});
    kernel.phases.push_back({{2}, {0}, {}});
    Expr sum;
    sum.op = ExprOp::reduced;
    sum.slot = 0;
    const ExprId value = kernel.add(sum);
    const BufferId out = new_value(id);
    kernel.phases.push_back(epilogue({out, r, c, value, false}));
    finish(std::move(kernel));
  }

  void lower_matmul(NodeId id) {
    const Node& node = graph_[id];
    const BufferId x = matrix_view(node.inputs[0]), w = matrix_view(node.inputs[1]);
    const bool transposed = bool_attribute(node.attributes, "transpose_weight", false);
    product(id, rows_of(node.type), {columns_of(node.type)}, {program_.buffers[x].columns}, x, false, w, transposed);
  }

  void lower_matmul_tn(NodeId id) {
    const Node& node = graph_[id];
    const BufferId x = matrix_view(node.inputs[0]), g = matrix_view(node.inputs[1]);
    product(id, {program_.buffers[x].columns}, {program_.buffers[g].columns}, program_.buffers[x].rows, x, true, g, false);
  }

  ExprId id_load(Kernel& kernel, NodeId ids, const Axes& axes) {
    return load(kernel, column_view(ids), {linear(type(ids), axes), index_constant(0)});
  }

  void lower_gather(NodeId id) {
    const Node& node = graph_[id];
    const NodeId table = node.inputs[0], ids = node.inputs[1];
    Kernel kernel = start(id);
    const Axes axes = add_axes(kernel, node.type, kernel.parallel);
    const bool vectors = type(table).shape.size() == 2;
    Axes of_ids = axes;
    if (vectors) of_ids.sample.pop_back();
    Index row;
    row.gathered = id_load(kernel, ids, of_ids);
    const BufferId source = vectors ? matrix_view(table) : column_view(table);
    const ExprId e = load(kernel, source, {row, vectors ? axes.sample.back() : index_constant(0)});
    store_value(std::move(kernel), id, axes, e);
  }

  void lower_scatter_add(NodeId id) {
    const Node& node = graph_[id];
    const NodeId ids = node.inputs[0], g = node.inputs[1];
    const BufferId out = new_value(id);
    const TensorType& out_type = node.type;
    {
      Kernel clear = start(id);
      const Axes axes = add_axes(clear, out_type, clear.parallel);
      Expr zero;
      const ExprId e = clear.add(zero);
      const Place at = place(out_type, axes);
      clear.phases.push_back(epilogue({out, at.row, at.column, e, false}));
      finish(std::move(clear));
    }
    Kernel kernel = start(id);
    Axes axes;
    std::vector<AxisId> loop;
    const auto add = [&](const std::string& name, Extent extent, std::vector<AxisId>& list) {
      kernel.axes.push_back({name, extent});
      list.push_back(static_cast<AxisId>(kernel.axes.size() - 1));
      return index_of_axis(list.back());
    };
    const bool vectors = out_type.shape.size() == 2;
    if (type(ids).batched) axes.batch.push_back(add("b", {1, true}, loop));
    for (size_t i = 0; i < type(ids).shape.size(); ++i)
      axes.sample.push_back(add("i" + std::to_string(i), {type(ids).shape[i], false}, loop));
    Axes of_g = axes;
    if (vectors) of_g.sample.push_back(add("c", {out_type.shape[1], false}, kernel.parallel));
    Index row;
    row.gathered = id_load(kernel, ids, axes);
    const ExprId e = value(kernel, g, of_g);
    const BufferId target = vectors ? out : view_as(out, {out_type.shape[0], false}, 1);
    kernel.phases.push_back({loop, {}, {{target, row, vectors ? of_g.sample.back() : index_constant(0), e, true}}});
    finish(std::move(kernel));
  }

  void lower_one_hot(NodeId id) {
    const Node& node = graph_[id];
    const NodeId ids = node.inputs[0];
    Kernel kernel = start(id);
    const Axes axes = add_axes(kernel, node.type, kernel.parallel);
    Axes of_ids = axes;
    of_ids.sample.pop_back();
    Expr axis;
    axis.op = ExprOp::axis;
    axis.type = DType::i32;
    axis.slot = axes.sample.back().terms.at(0).axis;
    Expr equal;
    equal.op = ExprOp::eq;
    equal.type = DType::boolean;
    equal.args[0] = id_load(kernel, ids, of_ids);
    equal.args[1] = kernel.add(axis);
    store_value(std::move(kernel), id, axes, choose(kernel, kernel.add(equal), 1, 0));
  }

  void lower_random(NodeId id) {
    const Node& node = graph_[id];
    Kernel kernel = start(id);
    const Axes axes = add_axes(kernel, node.type, kernel.parallel);
    const Place at = place(node.type, axes);
    Expr bits;
    bits.op = ExprOp::random;
    bits.type = DType::i64;
    bits.slot = int_attribute(node.attributes, "stream");
    bits.row = at.row;
    bits.column = at.column;
    Expr threshold;
    threshold.type = DType::i64;
    threshold.value = std::floor(float_attribute(node.attributes, "rate") * kRandomRange);
    Expr kept;
    kept.op = ExprOp::ge;
    kept.type = DType::boolean;
    kept.args[0] = kernel.add(bits);
    kept.args[1] = kernel.add(threshold);
    store_value(std::move(kernel), id, axes, choose(kernel, kernel.add(kept), 1, 0));
  }

  static ExprId choose(Kernel& kernel, ExprId condition, double yes, double no) {
    Expr a, b, select;
    a.value = yes;
    b.value = no;
    select.op = ExprOp::select;
    select.args[0] = condition;
    select.args[1] = kernel.add(a);
    select.args[2] = kernel.add(b);
    return kernel.add(select);
  }

  // ---- results and updates -----------------------------------------------------------------------------------

  void copy_to(const std::string& name, NodeId from, BufferId target, Span span) {
    Kernel kernel;
    kernel.name = std::to_string(graph_.nodes.size()) + "@" + name;
    if (span.known()) kernel.spans.push_back(span);
    const Axes axes = add_axes(kernel, type(from), kernel.parallel);
    const ExprId e = value(kernel, from, axes);
    const Place at = place(type(from), axes);
    kernel.phases.push_back(epilogue({target, at.row, at.column, e, false}));
    finish(std::move(kernel));
  }

  void copy_result(const Result& result) {
    const Node& node = graph_[result.node];
    const BufferKind kind = node.type.batched ? BufferKind::output : BufferKind::result;
    const BufferId target = add_buffer(unique_name(result.name), kind, node.type, node.span);
    copy_to(":" + result.name, result.node, target, node.span);
    program_.results.push_back({result.name, target});
  }

  void copy_update(const Update& update) {
    const Node& target = graph_[update.target];
    copy_to(target.name + ":update", update.value, buffers_[static_cast<size_t>(update.target)], target.span);
  }

  const Graph& graph_;
  Program& program_;
  std::vector<BufferId> buffers_;
  std::vector<char> column_;
  std::vector<int32_t> scalars_;
  std::vector<signed char> scalar_known_;
  std::map<std::string, int> name_count_;
  std::map<std::tuple<BufferId, int64_t, int64_t>, BufferId> views_;
};

}  // namespace

Program lower(const Graph& graph, const std::string& name) {
  Program program;
  program.name = name;
  Lowering(graph, program).run();
  for (size_t i = 0; i < program.kernels.size(); ++i)
    program.steps.push_back({static_cast<int32_t>(i),
                             parallel_over_batch(program.kernels[i]) ? StepScope::each_tower : StepScope::joint,
                             static_cast<int32_t>(i)});
  return program;
}

}  // namespace netc
