#include "compiler/program/split_products.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/base/errors.h"
#include "compiler/kernel/analysis.h"
#include "compiler/program/affine.h"
#include "compiler/program/expr_copy.h"
#include "compiler/program/fusion.h"
#include "compiler/program/name_kernels.h"
#include "compiler/program/product_cost.h"

namespace netc {

namespace {

bool is_positive_test(const Kernel& kernel, ExprId id) {
  const Expr& e = kernel.exprs[static_cast<size_t>(id)];
  if (e.op != ExprOp::gt || kernel.exprs[static_cast<size_t>(e.args[0])].op != ExprOp::load) return false;
  const Expr& zero = kernel.exprs[static_cast<size_t>(e.args[1])];
  return zero.op == ExprOp::constant && zero.value == 0;
}

bool uses_reduced(const Kernel& kernel, const Phase& phase) {
  const std::vector<bool> needed = needed_by_phase(kernel, phase);
  for (size_t i = 0; i < needed.size(); ++i)
    if (needed[i] && kernel.exprs[i].op == ExprOp::reduced) return true;
  return false;
}

class Splitting {
 public:
  Splitting(Program& program, const ProductLibrary& library) : program_(program), library_(library) {}

  void run() {
    const std::vector<Step> steps = std::move(program_.steps);
    program_.steps.clear();
    for (const Step& step : steps) {
      program_.steps.push_back(step);
      MatrixProduct product;
      const Kernel& kernel = program_.kernels[static_cast<size_t>(step.kernel)];
      if (match_matrix_product(kernel, &product) && kernel.phases.size() == 2 && library_pays(kernel, product, library_)) split(step);
      note_makers(program_.steps.size() - (program_.steps.back().kernel == step.kernel ? 1 : 2));
    }
    for (size_t s = 0; s < program_.steps.size(); ++s) program_.steps[s].stage = static_cast<int32_t>(s);
  }

 private:
  // What a product keeps: the value it stores, and which of its stores stay. The others read the value.
  struct Cut {
    LibraryProduct made;
    std::vector<char> stays;      // by store of the epilogue
    const Store* output = nullptr;   // the one that stores the value, if there is one
  };

  Kernel& kernel(int32_t id) { return program_.kernels[static_cast<size_t>(id)]; }

  // The largest value the library makes, such that everything else follows from it.
  std::optional<Cut> find_cut(const Kernel& kernel) const {
    const std::vector<Store>& stores = kernel.phases[1].stores;
    for (size_t i = kernel.exprs.size(); i-- > 0;) {
      const auto made = match_library_value(kernel, static_cast<ExprId>(i), library_);
      if (!made) continue;
      Cut cut{*made, std::vector<char>(stores.size(), 0), nullptr};
      int kept = 0;
      for (size_t s = 0; s < stores.size(); ++s) {
        const bool output = stores[s].value == made->value && is_exactly_axis(stores[s].row, made->product.row) &&
                            is_exactly_axis(stores[s].column, made->product.lane) && cut.output == nullptr;
        if (output) cut.output = &stores[s];
        const bool beside = !output && kept == 0 && is_kept_beside(kernel, stores[s], *made, library_);
        kept += beside;
        cut.stays[s] = output || beside;
      }
      Kernel rest = rest_of(kernel, cut, 0);
      if (rest.phases[0].stores.empty() || !uses_reduced(rest, rest.phases[0])) return cut;
    }
    return std::nullopt;
  }

  // The stores that do not stay, as a pointwise kernel that loads the value from `sums`.
  static Kernel rest_of(const Kernel& kernel, const Cut& cut, BufferId sums) {
    Kernel rest = kernel;
    Expr& value = rest.exprs[static_cast<size_t>(cut.made.value)];
    value = Expr{};
    value.op = ExprOp::load;
    value.buffer = sums;
    value.row = index_of_axis(cut.made.product.row);
    value.column = index_of_axis(cut.made.product.lane);
    Phase epilogue;
    for (size_t s = 0; s < cut.stays.size(); ++s)
      if (!cut.stays[s]) epilogue.stores.push_back(kernel.phases[1].stores[s]);
    rest.reductions.clear();
    rest.phases = {epilogue};
    return rest;
  }

  void split(const Step& step) {
    const int32_t id = step.kernel;
    Kernel product = kernel(id);
    std::optional<Cut> cut = with_mask(product);
    if (!cut) return;
    kernel(id) = product;
    if (std::all_of(cut->stays.begin(), cut->stays.end(), [](char stays) { return stays != 0; })) return;

    const BufferId sums = cut->output ? cut->output->buffer : new_sums(product, *cut);
    Kernel rest = without_axis(rest_of(product, *cut, sums), cut->made.product.reduced);
    std::vector<Store> stores;
    for (size_t s = 0; s < cut->stays.size(); ++s)
      if (cut->stays[s]) stores.push_back(product.phases[1].stores[s]);
    if (!cut->output)
      stores.push_back({sums, index_of_axis(cut->made.product.row), index_of_axis(cut->made.product.lane), cut->made.value, false});
    product.phases[1].stores = std::move(stores);
    divide_name(product.name, &rest.name, cut->made);
    tidy_exprs(product);
    tidy_exprs(rest);
    kernel(id) = std::move(product);
    program_.kernels.push_back(std::move(rest));
    Step next = step;
    next.kernel = static_cast<int32_t>(program_.kernels.size() - 1);
    program_.steps.push_back(next);
  }

  // The cut of a product, its test `h > 0` made a mask if that lets the library absorb it. `product` is changed then, and
  // the maker of h stores the mask.
  std::optional<Cut> with_mask(Kernel& product) {
    std::optional<Cut> cut = find_cut(product);
    if (!library_.masks) return cut;
    for (size_t i = 0; i < product.exprs.size(); ++i) {
      if (!is_positive_test(product, static_cast<ExprId>(i))) continue;
      const Expr tested = product.exprs[static_cast<size_t>(product.exprs[i].args[0])];
      const auto maker = makers_.find(tested.buffer);
      if (maker == makers_.end() || !mask_pays(program_.buffers[static_cast<size_t>(tested.buffer)], library_)) continue;
      Kernel masked = product;
      Expr& test = masked.exprs[i];
      test = tested;
      test.type = DType::boolean;
      test.buffer = kNone;   // made when it is known to help
      std::optional<Cut> better = find_cut(masked);
      if (!better || better->made.mask != static_cast<ExprId>(i)) continue;
      masked.exprs[i].buffer = mask_of(tested.buffer, maker->second);
      product = std::move(masked);
      return find_cut(product);
    }
    return cut;
  }

  BufferId mask_of(BufferId buffer, int32_t maker) {
    const auto [place, fresh] = masks_.try_emplace(buffer, kNone);
    if (!fresh) return place->second;
    Buffer mask = program_.buffers[static_cast<size_t>(buffer)];
    mask.name += ".positive";
    mask.kind = BufferKind::activation;
    mask.dtype = DType::boolean;
    program_.buffers.push_back(std::move(mask));
    place->second = static_cast<BufferId>(program_.buffers.size() - 1);

    Kernel& makes = kernel(maker);
    Phase& last = makes.phases.back();
    const Store value = *std::find_if(last.stores.begin(), last.stores.end(), [&](const Store& s) { return s.buffer == buffer; });
    Expr zero, test;
    test.op = ExprOp::gt;
    test.type = DType::boolean;
    test.args[0] = value.value;
    test.args[1] = makes.add(zero);
    last.stores.push_back({place->second, value.row, value.column, makes.add(test), false});
    tidy_exprs(makes);
    return place->second;
  }

  // Remembers which kernel may store a mask beside each matrix: a pointwise one, or a product of the library whose output
  // has gone through relu.
  void note_makers(size_t first_step) {
    for (size_t s = first_step; s < program_.steps.size(); ++s) {
      const int32_t id = program_.steps[s].kernel;
      const Kernel& maker = kernel(id);
      const auto made = match_library_product(maker, library_);
      const bool keeps = made && made->activation == Activation::relu && maker.phases[1].stores.size() == 1;
      if (!is_pointwise(maker) && !keeps) continue;
      for (const Store& store : maker.phases.back().stores) {
        const bool whole = store.row.terms.size() == 1 && store.column.terms.size() == 1 && maker.parallel.size() == 2 &&
                           is_exactly_axis(store.row, maker.parallel[0]) && is_exactly_axis(store.column, maker.parallel[1]);
        const Buffer& buffer = program_.buffers[static_cast<size_t>(store.buffer)];
        if (whole && !store.accumulate && buffer.alias_of == kNone && buffer.kind == BufferKind::activation && buffer.dtype == DType::f32)
          makers_[store.buffer] = id;
      }
    }
  }

  BufferId new_sums(const Kernel& product, const Cut& cut) {
    const Extent rows = product.axes[static_cast<size_t>(cut.made.product.row)].extent;
    const Extent columns = product.axes[static_cast<size_t>(cut.made.product.lane)].extent;
    if (columns.times_batch) throw InternalError(product.name + ": a product's columns run over the batch");
    Buffer sums;
    sums.name = program_.buffers[static_cast<size_t>(product.phases[1].stores[0].buffer)].name + ".product";
    sums.kind = rows.times_batch ? BufferKind::activation : BufferKind::gradient;
    sums.rows = rows;
    sums.columns = columns.count;
    sums.shape = rows.times_batch && rows.count == 1 ? Shape{columns.count} : Shape{rows.count, columns.count};
    sums.span = product.spans.empty() ? Span{} : product.spans.front();
    program_.buffers.push_back(std::move(sums));
    return static_cast<BufferId>(program_.buffers.size() - 1);
  }

  // The kernel without an axis that nothing of it uses any more.
  static Kernel without_axis(Kernel kernel, AxisId gone) {
    tidy_exprs(kernel);
    std::vector<Index> map;
    for (size_t a = 0; a < kernel.axes.size(); ++a) map.push_back(index_of_axis(static_cast<AxisId>(a) - (static_cast<AxisId>(a) > gone)));
    Kernel result;
    result.name = kernel.name;
    result.spans = kernel.spans;
    for (size_t a = 0; a < kernel.axes.size(); ++a)
      if (static_cast<AxisId>(a) != gone) result.axes.push_back(kernel.axes[a]);
    for (AxisId axis : kernel.parallel) result.parallel.push_back(axis - (axis > gone));
    ExprCopier copier(kernel, result, map);
    Phase phase;
    for (const Store& s : kernel.phases[0].stores)
      phase.stores.push_back({s.buffer, copier.copy(s.row), copier.copy(s.column), copier.copy(s.value), s.accumulate});
    result.phases.push_back(std::move(phase));
    return result;
  }

  // The parts of a product's name that its own value is made of stay; the others name the rest.
  static void divide_name(std::string& product, std::string* rest, const LibraryProduct& made) {
    std::vector<std::string> own{"matmul", "matmul_tn"};
    if (made.bias != kNone) own.insert(own.end(), {"expand", "add"});
    if (made.addend != kNone) own.push_back("add");
    if (made.activation == Activation::relu) own.push_back("relu");
    if (made.activation == Activation::gelu_tanh) own.push_back("gelu_tanh");
    std::string kept, moved;
    for (const std::string& part : name_parts(product)) {
      const std::string op = part.substr(part.rfind(':') + 1);
      const auto place = std::find(own.begin(), own.end(), op);
      std::string& target = place == own.end() ? moved : kept;
      target += (target.empty() ? "" : "+") + part;
      if (place != own.end() && op.rfind("matmul", 0) != 0) own.erase(place);   // the nearest of its kind
    }
    *rest = moved.empty() ? product : moved;
    if (!kept.empty()) product = kept;
  }

  Program& program_;
  const ProductLibrary& library_;
  std::map<BufferId, int32_t> makers_;   // of matrices a mask can be stored beside
  std::map<BufferId, BufferId> masks_;   // by matrix
};

// Puts column sums beside the product that reads what they sum, where nothing stands between.
void carry_column_sums(Program& program) {
  for (size_t p = 0; p < program.steps.size(); ++p) {
    const int32_t product = program.steps[p].kernel;
    for (size_t s = 0; s < program.steps.size(); ++s) {
      if (s == p || program.steps[s].with != kNone || !is_column_sum_of(program.kernels[static_cast<size_t>(program.steps[s].kernel)], program.kernels[static_cast<size_t>(product)])) continue;
      const KernelAccess moved = kernel_access(program, program.kernels[static_cast<size_t>(program.steps[s].kernel)]);
      bool free = true;
      for (size_t between = std::min(s, p); between <= std::max(s, p); ++between) {
        if (between == s) continue;
        const KernelAccess other = kernel_access(program, program.kernels[static_cast<size_t>(program.steps[between].kernel)]);
        for (BufferId b : moved.writes)
          free = free && !std::binary_search(other.reads.begin(), other.reads.end(), b) && !std::binary_search(other.writes.begin(), other.writes.end(), b);
        for (BufferId b : moved.reads) free = free && !std::binary_search(other.writes.begin(), other.writes.end(), b);
      }
      if (!free) continue;
      Step step = program.steps[s];
      step.with = product;
      program.steps.erase(program.steps.begin() + static_cast<std::ptrdiff_t>(s));
      if (s < p) --p;
      program.steps.insert(program.steps.begin() + static_cast<std::ptrdiff_t>(p) + 1, step);
      break;   // one epilogue a product
    }
  }
  int32_t stage = -1;
  for (Step& step : program.steps) step.stage = step.with == kNone ? ++stage : stage;
}

}  // namespace

void split_products(Program& program, const ProductLibrary& library, const FuseOptions& options) {
  Splitting(program, library).run();
  FuseOptions again = options;
  again.keep_products = true;
  fuse(program, again);
  if (library.column_sums) carry_column_sums(program);
}

}  // namespace netc
