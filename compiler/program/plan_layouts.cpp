#include "compiler/program/plan_layouts.h"

#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "compiler/program/expr_copy.h"

namespace netc {

namespace {

class LayoutPlan {
 public:
  LayoutPlan(Program& program, const Target& target) : program_(program), target_(target), parent_(program.buffers.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    free_.resize(program.buffers.size());
    for (size_t i = 0; i < free_.size(); ++i) free_[i] = may_have_panels(program.buffers[i]);
    for (const Buffer& buffer : program.buffers)
      if (buffer.alias_of != kNone) free_[static_cast<size_t>(buffer.alias_of)] = false;
  }

  // 1 where a buffer should have panels.
  std::vector<char> choose() {
    std::vector<BufferId> seeds;
    for (const Kernel& kernel : program_.kernels) {
      join_elementwise(kernel);
      MatrixProduct product;
      if (!match_matrix_product(kernel, &product)) continue;
      seeds.push_back(kernel.exprs[static_cast<size_t>(product.a)].buffer);
      seeds.push_back(kernel.exprs[static_cast<size_t>(product.b)].buffer);
      for (const Phase& phase : kernel.phases)
        for (const Store& store : phase.stores) seeds.push_back(store.buffer);
    }
    std::vector<char> chosen(program_.buffers.size(), 0);
    for (BufferId seed : seeds)
      if (free_[static_cast<size_t>(seed)]) chosen[static_cast<size_t>(find(seed))] = 1;
    std::vector<char> result(program_.buffers.size(), 0);
    for (size_t i = 0; i < result.size(); ++i) result[i] = free_[i] && chosen[static_cast<size_t>(find(static_cast<BufferId>(i)))];
    return result;
  }

  bool is_free(size_t buffer) const { return free_[buffer] != 0; }

  void use_panels(Buffer& buffer) const {
    const int64_t rows = buffer.rows.count * (buffer.rows.times_batch ? program_.batch_capacity : 1);
    buffer.layout = Layout::panels;
    buffer.panel_columns = target_.panel_columns;
    buffer.padded_rows = padded_panel_rows(target_, rows);
  }

 private:
  static bool may_have_panels(const Buffer& buffer) {
    const bool inside = buffer.kind == BufferKind::activation || buffer.kind == BufferKind::gradient ||
                        buffer.kind == BufferKind::parameter || buffer.kind == BufferKind::state;
    const bool matrix = buffer.columns > 1 && (buffer.rows.times_batch || buffer.rows.count > 1);
    return inside && matrix && buffer.dtype == DType::f32 && buffer.alias_of == kNone;
  }

  BufferId find(BufferId b) {
    while (parent_[static_cast<size_t>(b)] != b) {
      parent_[static_cast<size_t>(b)] = parent_[static_cast<size_t>(parent_[static_cast<size_t>(b)])];
      b = parent_[static_cast<size_t>(b)];
    }
    return b;
  }

  // Buffers of one shape that a kernel touches at the same place belong together.
  void join_elementwise(const Kernel& kernel) {
    struct Touch {
      BufferId buffer;
      const Index* row;
      const Index* column;
    };
    std::vector<Touch> touches;
    for (const Expr& e : kernel.exprs)
      if (e.op == ExprOp::load && free_[static_cast<size_t>(e.buffer)]) touches.push_back({e.buffer, &e.row, &e.column});
    for (const Phase& phase : kernel.phases)
      for (const Store& store : phase.stores)
        if (free_[static_cast<size_t>(store.buffer)]) touches.push_back({store.buffer, &store.row, &store.column});
    for (size_t i = 0; i < touches.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const Buffer& a = program_.buffers[static_cast<size_t>(touches[i].buffer)];
        const Buffer& b = program_.buffers[static_cast<size_t>(touches[j].buffer)];
        if (a.rows == b.rows && a.columns == b.columns && *touches[i].row == *touches[j].row && *touches[i].column == *touches[j].column)
          parent_[static_cast<size_t>(find(touches[i].buffer))] = find(touches[j].buffer);
      }
    }
  }

  Program& program_;
  const Target& target_;
  std::vector<BufferId> parent_;
  std::vector<char> free_;
};

}  // namespace

void plan_layouts(std::span<Program> programs, const Target& target) {
  if (target.panel_columns == 0) return;   // rows as they are
  std::vector<LayoutPlan> plans;
  std::vector<std::vector<char>> chosen;
  std::map<std::string, std::pair<bool, bool>> shared;   // weights by name: wanted by one program, refused by one
  for (Program& program : programs) {
    plans.emplace_back(program, target);
    chosen.push_back(plans.back().choose());
    for (size_t b = 0; b < program.buffers.size(); ++b) {
      const Buffer& buffer = program.buffers[b];
      if (buffer.alias_of != kNone || (buffer.kind != BufferKind::parameter && buffer.kind != BufferKind::state)) continue;
      auto& [wanted, refused] = shared[buffer.name];
      wanted = wanted || chosen.back()[b];
      refused = refused || !plans.back().is_free(b);
    }
  }
  for (size_t p = 0; p < programs.size(); ++p) {
    for (size_t b = 0; b < programs[p].buffers.size(); ++b) {
      Buffer& buffer = programs[p].buffers[b];
      bool panels = chosen[p][b] != 0;
      if (buffer.alias_of == kNone && (buffer.kind == BufferKind::parameter || buffer.kind == BufferKind::state)) {
        const auto& [wanted, refused] = shared[buffer.name];
        panels = wanted && !refused;
      }
      if (panels) plans[p].use_panels(buffer);
    }
  }
}

}  // namespace netc
