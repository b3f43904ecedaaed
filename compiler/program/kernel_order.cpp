#include "compiler/program/kernel_order.h"

#include <algorithm>
#include <functional>

#include "compiler/program/expr_copy.h"

namespace netc {

BufferId root_buffer(const Program& program, BufferId buffer) {
  const BufferId root = program.buffers[static_cast<size_t>(buffer)].alias_of;
  return root == kNone ? buffer : root;
}

KernelAccess kernel_access(const Program& program, const Kernel& kernel) {
  KernelAccess access;
  for_each_load(kernel, [&](const Expr& load) { access.reads.push_back(root_buffer(program, load.buffer)); });
  for (const Phase& phase : kernel.phases) {
    for (const Store& store : phase.stores) {
      access.writes.push_back(root_buffer(program, store.buffer));
      if (store.accumulate) access.reads.push_back(root_buffer(program, store.buffer));
    }
  }
  for (std::vector<BufferId>* list : {&access.reads, &access.writes}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return access;
}

KernelOrder::KernelOrder(const Program& program)
    : successors_(program.kernels.size()), predecessors_(program.kernels.size()), position_(program.kernels.size(), -1) {
  std::vector<std::vector<int32_t>> readers(program.buffers.size());   // since the last write
  std::vector<std::vector<int32_t>> writers(program.buffers.size());   // since the last read
  for (const Step& step : program.steps) {
    const int32_t kernel = step.kernel;
    position_[static_cast<size_t>(kernel)] = static_cast<int32_t>(at_.size());
    at_.push_back(kernel);
    const KernelAccess access = kernel_access(program, program.kernels[static_cast<size_t>(kernel)]);
    for (BufferId buffer : access.reads) {
      for (int32_t writer : writers[static_cast<size_t>(buffer)]) add_edge(writer, kernel);
      readers[static_cast<size_t>(buffer)].push_back(kernel);
    }
    for (BufferId buffer : access.writes) {
      auto& read = readers[static_cast<size_t>(buffer)];
      auto& written = writers[static_cast<size_t>(buffer)];
      const bool read_between = std::any_of(read.begin(), read.end(), [&](int32_t k) { return k != kernel; });
      for (int32_t reader : read) add_edge(reader, kernel);
      // Parts of a concat are written one after another with no read between: they need no order among themselves.
      if (read_between || std::binary_search(access.reads.begin(), access.reads.end(), buffer)) {
        for (int32_t writer : written) add_edge(writer, kernel);
        written.clear();
      }
      read.clear();
      written.push_back(kernel);
    }
  }
}

void KernelOrder::add_edge(int32_t from, int32_t to) {
  if (from == to) return;
  auto& list = successors_[static_cast<size_t>(from)];
  if (std::find(list.begin(), list.end(), to) != list.end()) return;
  list.push_back(to);
  predecessors_[static_cast<size_t>(to)].push_back(from);
}

void KernelOrder::drop_edge(std::vector<int32_t>& list, int32_t node) {
  list.erase(std::remove(list.begin(), list.end(), node), list.end());
}

bool KernelOrder::contract(int32_t earlier, int32_t later) {
  const int32_t low = position_[static_cast<size_t>(earlier)], high = position_[static_cast<size_t>(later)];
  if (low < 0 || high <= low) return false;
  // Kernels in the window that must stand before `later` and after `earlier`; one that is both is a path between.
  const auto reach = [&](int32_t start, const std::vector<std::vector<int32_t>>& edges, int32_t skip) {
    std::vector<int32_t> found, work{start};
    std::vector<int32_t> seen{start, skip};
    while (!work.empty()) {
      const int32_t node = work.back();
      work.pop_back();
      for (int32_t next : edges[static_cast<size_t>(node)]) {
        const int32_t at = position_[static_cast<size_t>(next)];
        if (at <= low || at >= high || std::find(seen.begin(), seen.end(), next) != seen.end()) continue;
        seen.push_back(next);
        found.push_back(next);
        work.push_back(next);
      }
    }
    return found;
  };
  std::vector<int32_t> ancestors = reach(later, predecessors_, earlier);
  for (int32_t node : ancestors)
    for (int32_t from : predecessors_[static_cast<size_t>(node)])
      if (from == earlier) return false;
  std::vector<int32_t> descendants = reach(earlier, successors_, later);

  const auto by_position = [&](int32_t a, int32_t b) { return before(a, b); };
  std::sort(ancestors.begin(), ancestors.end(), by_position);
  std::sort(descendants.begin(), descendants.end(), by_position);
  std::vector<int32_t> places{low, high};
  for (int32_t node : ancestors) places.push_back(position_[static_cast<size_t>(node)]);
  for (int32_t node : descendants) places.push_back(position_[static_cast<size_t>(node)]);
  std::sort(places.begin(), places.end());
  std::vector<int32_t> order = ancestors;
  order.push_back(earlier);
  order.insert(order.end(), descendants.begin(), descendants.end());
  for (int32_t place : places) at_[static_cast<size_t>(place)] = -1;
  for (size_t i = 0; i < order.size(); ++i) {
    position_[static_cast<size_t>(order[i])] = places[i];
    at_[static_cast<size_t>(places[i])] = order[i];
  }

  for (int32_t next : std::vector<int32_t>(successors_[static_cast<size_t>(later)])) {
    drop_edge(predecessors_[static_cast<size_t>(next)], later);
    add_edge(earlier, next);
  }
  for (int32_t from : std::vector<int32_t>(predecessors_[static_cast<size_t>(later)])) {
    drop_edge(successors_[static_cast<size_t>(from)], later);
    if (from != earlier) add_edge(from, earlier);
  }
  successors_[static_cast<size_t>(later)].clear();
  predecessors_[static_cast<size_t>(later)].clear();
  position_[static_cast<size_t>(later)] = -1;
  return true;
}

void KernelOrder::remove(int32_t kernel) {
  for (int32_t from : predecessors_[static_cast<size_t>(kernel)]) drop_edge(successors_[static_cast<size_t>(from)], kernel);
  for (int32_t to : successors_[static_cast<size_t>(kernel)]) drop_edge(predecessors_[static_cast<size_t>(to)], kernel);
  for (int32_t from : predecessors_[static_cast<size_t>(kernel)])
    for (int32_t to : successors_[static_cast<size_t>(kernel)]) add_edge(from, to);
  successors_[static_cast<size_t>(kernel)].clear();
  predecessors_[static_cast<size_t>(kernel)].clear();
  at_[static_cast<size_t>(position_[static_cast<size_t>(kernel)])] = -1;
  position_[static_cast<size_t>(kernel)] = -1;
}

std::vector<int32_t> KernelOrder::sorted() const {
  std::vector<int32_t> order;
  for (int32_t kernel : at_)
    if (kernel != -1) order.push_back(kernel);
  return order;
}

}  // namespace netc
