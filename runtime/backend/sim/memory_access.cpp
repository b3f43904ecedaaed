#include "runtime/backend/sim/memory_access.h"

#include <cstring>

namespace netc::sim {
namespace {

// A stretch of addresses that one buffer, variable or space takes.
struct Range {
  uint64_t base = 0, bytes = 0;
  uint8_t* data = nullptr;   // null: nothing there
  uint64_t lane_stride = 0;  // local memory: every lane has its own
};

uint32_t pc_of(const Warp& warp, const Instruction& i) {
  return static_cast<uint32_t>(&i - warp.block->launch.kernel.code.data());
}

int thread_of(const Warp& warp, uint32_t lane) { return static_cast<int>(warp.index * kWarpLanes + lane); }

uint64_t offset_in_space(const Instruction& i, uint64_t address) {
  return i.space == Space::generic ? address & kOffsetMask : address;
}

std::string words_for(Action action, Space space, uint64_t bytes) {
  const char* verb = action == Action::load ? "load" : action == Action::store ? "store" : "atomic";
  const char* where = space == Space::shared ? " shared" : space == Space::local ? " local"
                      : space == Space::param ? " parameter" : "";
  return std::string(verb) + " of " + std::to_string(bytes) + where + " bytes";
}

Range range_of(const Warp& warp, const Instruction& i, uint64_t address) {
  BlockState& block = *warp.block;
  const Kernel& kernel = block.launch.kernel;
  switch (space_of(i, address)) {
    case Space::generic:
    case Space::global: {
      if (const Buffer* buffer = block.launch.memory.near(address)) return {buffer->base, buffer->bytes, buffer->data};
      return {};
    }
    case Space::shared: {
      const uint64_t offset = offset_in_space(i, address), tag = address - offset;
      for (const SharedVariable& variable : kernel.shared) {
        const uint64_t bytes = variable.is_dynamic ? block.launch.config.shared_bytes : variable.bytes;
        if (offset - variable.offset < bytes)
          return {tag + variable.offset, bytes, block.shared.data() + variable.offset};
      }
      return {};
    }
    case Space::local: {
      const uint64_t offset = offset_in_space(i, address), tag = address - offset;
      return {tag, kernel.local_bytes, block.local.data() + size_t{warp.index} * kWarpLanes * kernel.local_bytes,
              kernel.local_bytes};
    }
    case Space::param:
      return {address - offset_in_space(i, address), kernel.parameter_bytes,
              const_cast<uint8_t*>(block.launch.parameters.data())};
    case Space::module_data:
      return {kModuleTag << kSpaceShift, block.launch.module.data.size(),
              const_cast<uint8_t*>(block.launch.module.data.data())};
  }
  return {};
}

[[noreturn]] void report(const Warp& warp, const Instruction& i, uint32_t lane, Action action, uint64_t address,
                         uint64_t bytes) {
  const BlockState& block = *warp.block;
  const Space space = space_of(i, address);
  const uint32_t pc = pc_of(warp, i);
  const std::string access = words_for(action, space, bytes);
  if (space == Space::global || space == Space::generic) {
    try {
      const char* verb = action == Action::load ? "load" : action == Action::store ? "store" : "atomic";
      block.launch.memory.report(address, bytes, verb);
    } catch (const SimulatedGpuFault& fault) {
      block.fail(fault.kind, fault.text, pc, thread_of(warp, lane), address, fault.place.buffer);
    }
  }
  const uint64_t offset = offset_in_space(i, address);
  if (space == Space::shared) {
    const SharedVariable* nearest = nullptr;
    for (const SharedVariable& variable : block.launch.kernel.shared) {
      const uint64_t size = variable.is_dynamic ? block.launch.config.shared_bytes : variable.bytes;
      if (offset - variable.offset < size && offset - variable.offset + bytes <= size)
        block.fail(FaultKind::misaligned,
                   access + " at byte " + std::to_string(offset - variable.offset) + " of " + variable.name, pc,
                   thread_of(warp, lane), address, variable.name);
      if (offset >= variable.offset) nearest = &variable;
    }
    if (!nearest)
      block.fail(FaultKind::out_of_bounds, access + " before every shared variable", pc, thread_of(warp, lane),
                 address);
    const uint64_t size = nearest->is_dynamic ? block.launch.config.shared_bytes : nearest->bytes;
    block.fail(FaultKind::out_of_bounds,
               access + " at byte " + std::to_string(offset - nearest->offset) + " of " + nearest->name + " (" +
                   std::to_string(size) + " bytes" + (nearest->is_dynamic ? " of dynamic shared memory)" : ")"),
               pc, thread_of(warp, lane), address, nearest->name);
  }
  const Range range = range_of(warp, i, address);
  const bool inside = address - range.base <= range.bytes && range.bytes - (address - range.base) >= bytes;
  block.fail(inside ? FaultKind::misaligned : FaultKind::out_of_bounds,
             access + " at byte " + std::to_string(offset) + " of " + std::to_string(range.bytes), pc,
             thread_of(warp, lane), address);
}

bool fits(const Range& range, uint64_t address, uint64_t bytes) {
  const uint64_t offset = address - range.base;
  return range.data && offset < range.bytes && range.bytes - offset >= bytes && (address & (bytes - 1)) == 0;
}

// An unchecked store makes the buffer count as initialised; several threads may come here at once.
void note_unchecked_store(Buffer& buffer) {
  if (!__atomic_load_n(&buffer.is_filled, __ATOMIC_RELAXED))
    __atomic_store_n(&buffer.is_filled, true, __ATOMIC_RELAXED);
}

}  // namespace

Space space_of(const Instruction& i, uint64_t address) {
  if (i.space != Space::generic && i.space != Space::global && i.space != Space::module_data) return i.space;
  switch (address >> kSpaceShift) {
    case kModuleTag: return Space::module_data;
    case kSharedTag: return i.space == Space::generic ? Space::shared : Space::global;
    case kLocalTag: return i.space == Space::generic ? Space::local : Space::global;
    case kParamTag: return i.space == Space::generic ? Space::param : Space::global;
    default: return Space::global;
  }
}

void locate(Warp& warp, const Instruction& i, uint32_t mask, Action action, Located& found) {
  const uint64_t bytes = uint64_t{i.element_bytes} * i.count, offset = static_cast<uint64_t>(i.immediate);
  if (i.a == kNoOperand) {
    for (uint64_t& address : found.address) address = offset;
  } else if (i.flags & kAddress32) {
    const uint32_t* const base = reinterpret_cast<const uint32_t*>(warp.source(i.a));
    for (int l = 0; l < kWarpLanes; ++l)
      found.address[l] = static_cast<uint32_t>(base[l] + static_cast<uint32_t>(offset));
  } else {
    const uint64_t* const base = reinterpret_cast<const uint64_t*>(warp.source(i.a));
    for (int l = 0; l < kWarpLanes; ++l) found.address[l] = base[l] + offset;
  }

  const uint32_t first = static_cast<uint32_t>(__builtin_ctz(mask));
  const uint64_t sample = found.address[first];
  const Space space = space_of(i, sample);
  found.is_global = space == Space::global;
  const Range range = range_of(warp, i, sample);
  if (!fits(range, sample, bytes)) report(warp, i, first, action, sample, bytes);
  if (action != Action::load && (space == Space::param || space == Space::module_data))
    warp.block->fail(FaultKind::read_only, words_for(action, space, bytes), pc_of(warp, i), thread_of(warp, first),
                     sample);

  // Usually all lanes lie in the same range; those that do not are looked at one by one.
  const uint64_t last = range.bytes - bytes;
  const uintptr_t data = reinterpret_cast<uintptr_t>(range.data);   // a number: lanes that are off may lie anywhere
  uint64_t wrong = 0;   // the sign: beyond the range; low bits: misaligned
  for (int l = 0; l < kWarpLanes; ++l) {
    const uint64_t at = found.address[l] - range.base;
    found.pointer[l] = reinterpret_cast<uint8_t*>(data + at);
    wrong |= ((at | (last - at)) & (uint64_t{1} << 63)) | (found.address[l] & (bytes - 1));
  }
  uint32_t outside = 0;
  if (wrong != 0)
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      outside |= static_cast<uint32_t>(found.address[l] - range.base > last || (found.address[l] & (bytes - 1)) != 0)
                 << l;
  if (range.lane_stride != 0)
    for (uint32_t l = 0; l < kWarpLanes; ++l)
      found.pointer[l] =
          reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(found.pointer[l]) + range.lane_stride * l);
  for (uint32_t lanes = outside & mask; lanes != 0; lanes &= lanes - 1) {
    const uint32_t lane = static_cast<uint32_t>(__builtin_ctz(lanes));
    const Range own = range_of(warp, i, found.address[lane]);
    if (!fits(own, found.address[lane], bytes) ||
        (action != Action::load && space_of(i, found.address[lane]) >= Space::param))
      report(warp, i, lane, action, found.address[lane], bytes);
    found.pointer[lane] = own.data + (found.address[lane] - own.base) + own.lane_stride * lane;
    if (action != Action::load && !warp.block->is_checked() && space_of(i, found.address[lane]) == Space::global)
      note_unchecked_store(*warp.block->launch.memory.near(found.address[lane]));
  }
  if (found.is_global && action != Action::load && !warp.block->is_checked())
    note_unchecked_store(*warp.block->launch.memory.near(sample));
}

// --- check mode

namespace {

std::string who(const BlockState& block, const Access& access, const char* did) {
  const bool here = access.block == block.order.block();
  const Index3 thread = block.thread_index(access.thread);
  std::string text = "thread (" + std::to_string(thread[0]) + "," + std::to_string(thread[1]) + "," +
                     std::to_string(thread[2]) + ")";
  if (!here) text += " of block number " + std::to_string(access.block - block.launch.first_block_serial);
  const std::string source = block.source_of(access.pc);
  return text + " " + did + (source.empty() ? std::string() : " at " + source);
}

}  // namespace

void check_access(Warp& warp, const Instruction& i, uint32_t lane, Action action, const Located& found,
                  const uint8_t* fresh) {
  BlockState& block = *warp.block;
  const uint64_t address = found.address[lane], bytes = uint64_t{i.element_bytes} * i.count;
  const Space space = space_of(i, address);
  if (space != Space::global && space != Space::shared) return;
  const uint32_t pc = pc_of(warp, i);
  const int thread = thread_of(warp, lane);

  Shadow* shadow = &block.shared_shadow;
  uint64_t offset = offset_in_space(i, address);
  const Buffer* in_buffer = nullptr;
  bool is_filled = false;
  if (space == Space::global) {
    Buffer& buffer = *block.launch.memory.near(address);
    if (!buffer.shadow) buffer.shadow = std::make_unique<Shadow>(buffer.bytes);
    shadow = buffer.shadow.get();
    offset = address - buffer.base;
    in_buffer = &buffer;
    is_filled = buffer.is_filled;
  }
  const auto fail = [&](FaultKind kind, const std::string& finding) {
    std::string name = in_buffer ? in_buffer->name : std::string();
    uint64_t start = offset;
    if (space == Space::shared)
      for (const SharedVariable& variable : block.launch.kernel.shared)
        if (offset >= variable.offset) name = variable.name, start = offset - variable.offset;
    block.fail(kind,
               words_for(action, space, bytes) + " at byte " + std::to_string(start) + " of " +
                   (name.empty() ? "an unnamed buffer" : name) + finding,
               pc, thread, address, name);
  };

  if (action != Action::store && !is_filled && !shadow->is_initialised(offset, bytes))
    fail(FaultKind::uninitialised_read, ", where nobody has written yet");

  Access now;
  now.block = block.order.block();
  now.clock = block.order.clock(warp.index);
  now.pc = pc;
  now.thread = static_cast<uint16_t>(thread);
  now.strong = action == Action::atomic || (i.flags & kStrong);
  const auto races = [&](const Access& earlier) {
    if (space == Space::shared && earlier.block != now.block) return false;   // other memory at the same place
    return !(earlier.strong && now.strong) && !block.order.is_before(earlier, now.thread);
  };
  const auto conflict = [&](const Access& earlier, const char* did) {
    fail(FaultKind::race, " races with what " + who(block, earlier, did));
  };
  // Lanes of one store that write the same bytes to one place: the result is the same whoever comes last.
  const bool is_equal = fresh && std::memcmp(fresh, found.pointer[lane], bytes) == 0;
  const auto is_same_store = [&](const Access& earlier) {
    return is_equal && earlier.block == now.block && earlier.pc == now.pc && earlier.clock == now.clock &&
           earlier.thread / kWarpLanes == warp.index;
  };
  const auto is_same_thread = [](const Access& x, const Access& y) {
    return x.block == y.block && x.thread == y.thread;
  };

  shadow->visit(offset, bytes, [&](Cell& cell) {
    if (action != Action::store) {
      if (races(cell.write)) conflict(cell.write, "wrote");
      if (races(cell.other_write)) conflict(cell.other_write, "wrote");
      if (cell.read.block != now.block) {
        cell.foreign_read = cell.read;
        cell.other_read = {};
      } else if (!is_same_thread(cell.read, now)) {
        cell.other_read = cell.read;
      }
      cell.read = now;
    }
    if (action != Action::load) {
      if (races(cell.write) && !is_same_store(cell.write)) conflict(cell.write, "wrote");
      if (races(cell.other_write)) conflict(cell.other_write, "wrote");
      if (races(cell.read)) conflict(cell.read, "read");
      if (races(cell.other_read)) conflict(cell.other_read, "read");
      if (races(cell.foreign_read)) conflict(cell.foreign_read, "read");
      if (!now.strong)
        cell.other_write = {};
      else if (cell.write.strong && !is_same_thread(cell.write, now))
        cell.other_write = cell.write;
      cell.write = now;
    }
  });
  if (action != Action::load) shadow->mark_initialised(offset, bytes);
}

}  // namespace netc::sim
