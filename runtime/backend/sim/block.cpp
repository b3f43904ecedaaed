#include "runtime/backend/sim/block.h"

#include <algorithm>
#include <cstring>

#include "compiler/base/errors.h"

namespace netc::sim {
namespace {

constexpr uint64_t kTimeSlice = uint64_t{1} << 16;   // warp instructions before the next warp has its turn

uint32_t lowest_lane(uint32_t mask) { return static_cast<uint32_t>(__builtin_ctz(mask)); }

// Every lane of a uniform operand holds the same number; read it from a lane that runs.
uint32_t value_of(const Warp& warp, int32_t operand, uint32_t mask) {
  uint32_t value;
  std::memcpy(&value, warp.source(operand) + 4 * lowest_lane(mask), sizeof value);
  return value;
}

void remove_fragment(Warp& warp, uint32_t index) { warp.fragments[index] = warp.fragments[--warp.fragment_count]; }

// The runnable fragment with the lowest pc, or -1.
int next_fragment(const Warp& warp) {
  int best = -1;
  for (uint32_t k = 0; k < warp.fragment_count; ++k)
    if (!warp.fragments[k].parked && (best < 0 || warp.fragments[k].pc < warp.fragments[best].pc))
      best = static_cast<int>(k);
  return best;
}

std::string lanes_text(uint32_t lanes) {
  std::string text;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!((lanes >> lane) & 1u)) continue;
    uint32_t last = lane;
    while (last < 31 && (lanes >> (last + 1)) & 1u) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(lane) + (last > lane ? "-" + std::to_string(last) : "");
    lane = last;
  }
  return text;
}

}  // namespace

void add_fragment(Warp& warp, uint32_t pc, uint32_t mask) {
  if (mask == 0) return;
  for (uint32_t k = 0; k < warp.fragment_count; ++k) {
    if (warp.fragments[k].pc != pc) continue;
    warp.fragments[k].mask |= mask;
    warp.fragments[k].parked = false;   // it looks again with the newcomers
    return;
  }
  warp.fragments[warp.fragment_count++] = {pc, mask, false};
}

BlockState::BlockState(const Launch& of_launch)
    : launch(of_launch),
      threads(static_cast<uint32_t>(of_launch.config.block.count())),
      shared(of_launch.kernel.shared_extent + of_launch.config.shared_bytes),
      order(of_launch.first_block_serial),
      shared_shadow(of_launch.options.mode == Mode::check ? shared.size() : 0) {
  const Kernel& kernel = launch.kernel;
  const uint32_t count = (threads + kWarpLanes - 1) / kWarpLanes;
  warps_.resize(count);
  registers_.assign(size_t{count} * kernel.register_bytes + 64, 0xFF);
  predicates_.assign(size_t{count} * kernel.predicates, 0);
  local.resize(size_t{count} * kWarpLanes * kernel.local_bytes);
  uint8_t* aligned = registers_.data() + (64 - reinterpret_cast<uintptr_t>(registers_.data()) % 64) % 64;
  for (uint32_t w = 0; w < count; ++w) {
    Warp& warp = warps_[w];
    warp.registers = aligned + size_t{w} * kernel.register_bytes;
    warp.constants = reinterpret_cast<const uint8_t*>(kernel.constants.data());
    warp.predicates = predicates_.data() + size_t{w} * kernel.predicates;
    warp.block = this;
    warp.index = w;
    const uint32_t lanes = std::min<uint32_t>(threads - w * kWarpLanes, kWarpLanes);
    warp.valid = lanes == kWarpLanes ? kAllLanes : (1u << lanes) - 1;
  }
}

Index3 BlockState::thread_index(uint32_t thread) const {
  const Dim3& size = launch.config.block;
  return {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
}

std::string BlockState::source_of(uint32_t pc) const {
  const SourcePlace& at = launch.kernel.places[pc];
  if (at.line == 0 || at.file >= launch.module.files.size()) return {};
  return launch.module.files[at.file] + ":" + std::to_string(at.line);
}

void BlockState::fail(FaultKind kind, const std::string& text, uint32_t pc, int thread, uint64_t address,
                      const std::string& buffer) const {
  SimulatedGpuFault::Place place;
  place.kernel = launch.kernel.name;
  place.source = source_of(pc);
  place.ptx_line = static_cast<int>(launch.kernel.places[pc].ptx_line);
  place.block = block;
  place.has_thread = thread >= 0;
  if (thread >= 0) place.thread = thread_index(static_cast<uint32_t>(thread));
  place.address = address;
  place.buffer = buffer;
  throw SimulatedGpuFault(kind, std::move(place), text);
}

void BlockState::start(uint64_t index) {
  const Dim3& grid = launch.config.grid;
  block = {static_cast<uint32_t>(index % grid.x), static_cast<uint32_t>(index / grid.x % grid.y),
           static_cast<uint32_t>(index / grid.x / grid.y)};
  std::fill(shared.begin(), shared.end(), uint8_t{0xFF});
  std::fill(local.begin(), local.end(), uint8_t{0xFF});
  for (Warp& warp : warps_) {
    warp.live = warp.valid;
    warp.fragment_count = 0;
    warp.predicates[0] = 0;
    warp.predicates[1] = kAllLanes;
    add_fragment(warp, 0, warp.valid);
  }
  if (is_checked()) {
    order.begin_block(launch.first_block_serial + static_cast<uint32_t>(index), static_cast<uint32_t>(warps_.size()));
    shared_shadow.forget_contents();
  }
}

void BlockState::run(uint64_t index) {
  start(index);
  const uint64_t limit = launch.options.instruction_limit;
  const uint64_t before = statistics.instructions;
  for (;;) {
    bool finished = true, runs = false;
    for (Warp& warp : warps_) {
      if (warp.live == 0) continue;
      const uint64_t used = statistics.instructions - before;
      const Stop stop = run_warp(warp, std::min(kTimeSlice, limit > used ? limit - used : 0));
      if (stop == Stop::finished) continue;
      finished = false;
      runs |= stop == Stop::out_of_time;
      if (stop == Stop::out_of_time && statistics.instructions - before >= limit) {
        const Fragment& at = warp.fragments[next_fragment(warp)];
        fail(FaultKind::no_progress,
             "the block has run " + std::to_string(limit) +
                 " instructions without ending: an endless loop, or a wait for what never comes",
             at.pc, static_cast<int>(warp.index * kWarpLanes + lowest_lane(at.mask)));
      }
    }
    if (finished) return;
    if (!runs && !settle_barriers()) report_stuck();
  }
}

BlockState::Stop BlockState::run_warp(Warp& warp, uint64_t budget) {
  const Instruction* const code = launch.kernel.code.data();
  const Handler* const handlers = launch.handlers;
  uint64_t left = budget, flops = 0;
  const auto leave = [&](Stop stop) {
    statistics.instructions += budget - left;
    statistics.flops += flops;
    return stop;
  };

  for (;;) {
    if (warp.fragment_count == 0) return leave(Stop::finished);
    const int chosen = next_fragment(warp);
    if (chosen < 0) return leave(Stop::blocked);
    uint32_t pc = warp.fragments[chosen].pc;
    const uint32_t mask = warp.fragments[chosen].mask;
    remove_fragment(warp, static_cast<uint32_t>(chosen));
    uint32_t limit = UINT32_MAX;   // where the next fragment waits
    for (uint32_t k = 0; k < warp.fragment_count; ++k)
      if (warp.fragments[k].pc > pc) limit = std::min(limit, warp.fragments[k].pc);

    for (;;) {
      const Instruction& i = code[pc];
      if (left == 0) {
        add_fragment(warp, pc, mask);
        return leave(Stop::out_of_time);
      }
      --left;
      const uint32_t on = i.guard == kNoOperand ? mask : mask & warp.predicate(i.guard);
      if (i.control == Control::none) {
        if (on != 0) {
          flops += i.flops * lane_count(on);
          handlers[i.op](warp, i, on);
        }
        if (++pc < limit) continue;
        add_fragment(warp, pc, mask);
        break;
      }
      if (i.control == Control::branch) {
        if (on == mask) {
          const uint32_t from = pc;
          pc = static_cast<uint32_t>(i.immediate);
          // A jump back may pass below fragments that wait, so that the choice is open again.
          if (warp.fragment_count == 0 || (pc > from && pc < limit)) continue;
          add_fragment(warp, pc, mask);
          break;
        }
        if (on == 0) {
          if (++pc < limit) continue;
          add_fragment(warp, pc, mask);
          break;
        }
        add_fragment(warp, pc + 1, mask & ~on);
        add_fragment(warp, static_cast<uint32_t>(i.immediate), on);
        break;
      }
      if (on == 0) {
        add_fragment(warp, pc + 1, mask);
        break;
      }
      if (i.control == Control::exit) {
        warp.live &= ~on;
        add_fragment(warp, pc + 1, mask & ~on);
        break;
      }
      if (i.control == Control::branch_table) {
        add_fragment(warp, pc + 1, mask & ~on);
        const int32_t* const list = launch.kernel.lists.data() + i.list;   // count, then targets
        for (uint32_t lanes = on; lanes != 0; lanes &= lanes - 1) {
          const uint32_t lane = lowest_lane(lanes);
          uint32_t index;
          std::memcpy(&index, warp.source(i.a) + 4 * lane, sizeof index);
          if (index >= static_cast<uint32_t>(list[0]))
            fail(FaultKind::out_of_bounds, "a branch table has no entry " + std::to_string(index), pc,
                 static_cast<int>(warp.index * kWarpLanes + lane));
          add_fragment(warp, static_cast<uint32_t>(list[1 + index]), 1u << lane);
        }
        break;
      }
      if (i.control == Control::trap)
        fail(FaultKind::trap, "the kernel stopped itself (assert or __trap)", pc,
             static_cast<int>(warp.index * kWarpLanes + lowest_lane(on)));
      if (i.control == Control::barrier) {
        add_fragment(warp, pc + 1, mask & ~on);
        add_fragment(warp, pc, on);   // parks with whoever waits here already
        for (uint32_t k = 0; k < warp.fragment_count; ++k)
          if (warp.fragments[k].pc == pc) warp.fragments[k].parked = true;
        break;
      }
      // A warp operation: it happens once all lanes that it names have come.
      const uint32_t named = value_of(warp, i.e, on);
      if ((on & ~named) != 0)
        fail(FaultKind::divergent_warp,
             "lanes " + lanes_text(on & ~named) + " execute a warp operation whose mask does not name them", pc,
             static_cast<int>(warp.index * kWarpLanes + lowest_lane(on & ~named)));
      if ((named & warp.live & ~on) == 0) {
        if ((named & warp.valid & ~warp.live) != 0 && is_checked())
          fail(FaultKind::divergent_warp,
               "a warp operation names lanes " + lanes_text(named & warp.valid & ~warp.live) + ", which have returned",
               pc, static_cast<int>(warp.index * kWarpLanes + lowest_lane(on)));
        handlers[i.op](warp, i, on);
        add_fragment(warp, pc + 1, mask);
        break;
      }
      add_fragment(warp, pc + 1, mask & ~on);
      add_fragment(warp, pc, on);
      for (uint32_t k = 0; k < warp.fragment_count; ++k)
        if (warp.fragments[k].pc == pc) warp.fragments[k].parked = true;
      break;
    }
  }
}

bool BlockState::settle_barriers() {
  uint32_t arrived[16] = {};   // threads at each barrier
  uint32_t wanted[16] = {};    // 0: all
  uint32_t live = 0;
  for (const Warp& warp : warps_) {
    live += static_cast<uint32_t>(__builtin_popcount(warp.live));
    for (uint32_t k = 0; k < warp.fragment_count; ++k) {
      const Fragment& at = warp.fragments[k];
      const Instruction& i = launch.kernel.code[at.pc];
      if (i.control != Control::barrier) continue;
      const uint32_t id = value_of(warp, i.a, at.mask) & 15u;
      arrived[id] += static_cast<uint32_t>(__builtin_popcount(at.mask));
      if (i.b != kNoOperand) wanted[id] = value_of(warp, i.b, at.mask);
    }
  }
  bool settled = false;
  for (uint32_t id = 0; id < 16; ++id) {
    if (arrived[id] == 0 || arrived[id] < (wanted[id] == 0 ? live : wanted[id])) continue;
    waiting_.clear();
    for (const Warp& warp : warps_)
      for (uint32_t k = 0; k < warp.fragment_count; ++k) {
        const Instruction& i = launch.kernel.code[warp.fragments[k].pc];
        if (i.control == Control::barrier && (value_of(warp, i.a, warp.fragments[k].mask) & 15u) == id &&
            (waiting_.empty() || waiting_.back() != warp.index))
          waiting_.push_back(warp.index);
      }
    if (is_checked()) {
      if (wanted[id] == 0 || wanted[id] == threads) check_barrier(waiting_);
      order.barrier(waiting_);
    }
    release_barrier(id);
    settled = true;
  }
  return settled;
}

// A barrier of the whole block is in order when every thread of the block stands at the same instruction.
void BlockState::check_barrier(const std::vector<uint32_t>& waiting_warps) const {
  uint32_t first_pc = UINT32_MAX;
  for (const uint32_t w : waiting_warps) {
    const Warp& warp = warps_[w];
    const uint32_t pc = warp.fragments[0].pc;
    if (first_pc == UINT32_MAX) first_pc = pc;
    if (warp.fragment_count > 1 || pc != first_pc) {
      const Fragment& other = warp.fragments[warp.fragment_count > 1 ? 1 : 0];
      const std::string here = source_of(pc == first_pc ? other.pc : first_pc);
      fail(
          FaultKind::divergent_barrier,
          "threads of one block wait at different barriers" + (here.empty() ? std::string() : ", the other at " + here),
          pc, static_cast<int>(w * kWarpLanes + lowest_lane(warp.fragments[0].mask)));
    }
  }
  for (const Warp& warp : warps_)
    if (warp.live != warp.valid) {
      const uint32_t gone = lowest_lane(warp.valid & ~warp.live);
      fail(FaultKind::divergent_barrier, "a barrier is reached after this thread of the block has returned", first_pc,
           static_cast<int>(warp.index * kWarpLanes + gone));
    }
}

void BlockState::release_barrier(uint32_t id) {
  // What a reducing barrier hands out: a count, or whether all or any of the predicates hold.
  uint32_t count = 0, total = 0;
  for (const Warp& warp : warps_)
    for (uint32_t k = 0; k < warp.fragment_count; ++k) {
      const Fragment& at = warp.fragments[k];
      const Instruction& i = launch.kernel.code[at.pc];
      if (i.control != Control::barrier || (value_of(warp, i.a, at.mask) & 15u) != id) continue;
      total += static_cast<uint32_t>(__builtin_popcount(at.mask));
      if (i.c != kNoOperand) count += static_cast<uint32_t>(__builtin_popcount(at.mask & warp.predicate(i.c)));
    }
  for (Warp& warp : warps_) {
    Fragment released[kWarpLanes];
    uint32_t released_count = 0;
    for (uint32_t k = warp.fragment_count; k-- > 0;) {
      const Fragment at = warp.fragments[k];
      const Instruction& i = launch.kernel.code[at.pc];
      if (i.control != Control::barrier || (value_of(warp, i.a, at.mask) & 15u) != id) continue;
      if (i.c != kNoOperand) {
        if (i.combine == Combine::none) {
          uint32_t* const to = reinterpret_cast<uint32_t*>(warp.result(i.d));
          for (uint32_t lanes = at.mask; lanes != 0; lanes &= lanes - 1) to[lowest_lane(lanes)] = count;
        } else {
          const bool holds = i.combine == Combine::all_of ? count == total : count > 0;
          warp.set_predicate(i.d, holds ? kAllLanes : 0, at.mask);
        }
      }
      released[released_count++] = {at.pc + 1, at.mask, false};
      remove_fragment(warp, k);
    }
    for (uint32_t k = 0; k < released_count; ++k) add_fragment(warp, released[k].pc, released[k].mask);
  }
}

void BlockState::report_stuck() const {
  // A warp operation that waits for lanes which went elsewhere tells most; else the barriers differ.
  for (const Warp& warp : warps_)
    for (uint32_t k = 0; k < warp.fragment_count; ++k) {
      const Fragment& at = warp.fragments[k];
      const Instruction& i = launch.kernel.code[at.pc];
      if (i.control != Control::warp_sync) continue;
      const uint32_t missing = value_of(warp, i.e, at.mask) & warp.valid & ~at.mask;
      fail(FaultKind::divergent_warp,
           "a warp operation waits for lanes " + lanes_text(missing) + ", which never come here", at.pc,
           static_cast<int>(warp.index * kWarpLanes + lowest_lane(at.mask)));
    }
  for (const Warp& warp : warps_) {
    if (warp.fragment_count == 0) continue;
    const Fragment& at = warp.fragments[0];
    fail(FaultKind::deadlock, "threads wait at a barrier that the rest of the block never reaches", at.pc,
         static_cast<int>(warp.index * kWarpLanes + lowest_lane(at.mask)));
  }
  throw InternalError("a block of the simulated GPU is stuck without a waiting thread");
}

}  // namespace netc::sim
