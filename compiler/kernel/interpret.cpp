#include "compiler/kernel/interpret.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "compiler/base/errors.h"
#include "compiler/kernel/random.h"
#include "compiler/kernel/strip_ops.h"
#include "compiler/kernel/tape.h"

namespace netc {

int stored_bytes(DType dtype, Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::f32: break;
    case Arithmetic::f64: return sizeof(double);
    case Arithmetic::bounded: return sizeof(Bounded);
  }
  return dtype_bytes(dtype);
}

struct KernelInterpreter::Engine {
  virtual ~Engine() = default;
  virtual void run(const KernelContext& context, std::span<const TowerView> towers) = 0;
};

namespace {

constexpr int64_t kProductRows = 4;   // rows of a matrix product that share one pass over the other operand

// Where the elements of a strip lie: a line with a stride, or, across panels and gathered rows, one offset each.
struct StripPlace {
  int64_t base = 0;
  int64_t stride = 0;
  bool scattered = false;   // then offsets_[i]
};

template <typename T>
class EngineOf final : public KernelInterpreter::Engine {
 public:
  EngineOf(const Kernel& kernel, const Program& program)
      : kernel_(kernel), program_(program), tape_(make_tape(kernel, program)),
        reals_(static_cast<size_t>(tape_.real_registers) * kStrip),
        integers_(static_cast<size_t>(tape_.integer_registers) * kStrip), local_(kernel.axes.size(), 0),
        global_(kernel.axes.size(), 0) {}

  void run(const KernelContext& context, std::span<const TowerView> towers) override {
    context_ = &context;
    towers_ = towers;
    if (towers.empty()) throw InternalError("a kernel needs at least one tower");
    enter_tower(0);
    const int64_t lanes = tape_.lane == kNone ? 1 : extent(tape_.lane);
    for (AxisId axis : tape_.outer)
      if (extent(axis) == 0) return;
    if (lanes == 0) return;
    lanes_ = std::min(lanes, kStrip);
    execute(tape_.once);
    if (tape_.product) {
      run_product(lanes);
    } else {
      run_outer(0, lanes);
    }
  }

 private:
  const Buffer& buffer(BufferId id) const { return program_.buffers[static_cast<size_t>(id)]; }
  T* real(int32_t reg) { return reals_.data() + static_cast<size_t>(reg) * kStrip; }
  int64_t* integer(int32_t reg) { return integers_.data() + static_cast<size_t>(reg) * kStrip; }

  void enter_tower(size_t tower) {
    tower_ = tower;
    memory_ = towers_[tower].buffers;
  }

  int64_t extent(AxisId axis) const {   // on the current tower
    const Extent& e = kernel_.axes[static_cast<size_t>(axis)].extent;
    return e.times_batch ? e.count * towers_[tower_].rows : e.count;
  }

  void set_axis(AxisId axis, int64_t value) {
    const Extent& e = kernel_.axes[static_cast<size_t>(axis)].extent;
    local_[static_cast<size_t>(axis)] = value;
    global_[static_cast<size_t>(axis)] = e.times_batch ? value + e.count * towers_[tower_].first_row : value;
  }

  // --- the loop nest ---

  void run_outer(size_t depth, int64_t lanes) {
    if (depth == tape_.outer.size()) return run_strips(lanes);
    const AxisId axis = tape_.outer[depth];
    const int64_t end = extent(axis);
    for (int64_t v = 0; v < end; ++v) {
      set_axis(axis, v);
      lanes_ = std::min(lanes, kStrip);
      execute(tape_.outer_levels[depth]);
      run_outer(depth + 1, lanes);
    }
  }

  void run_strips(int64_t lanes) {
    for (int64_t lane = 0; lane < lanes; lane += kStrip) {
      enter_strip(lane, lanes);
      for (const TapePhase& phase : tape_.phases) run_phase(phase);
    }
  }

  void enter_strip(int64_t lane, int64_t lanes) {
    lanes_ = std::min(kStrip, lanes - lane);
    if (tape_.lane != kNone) set_axis(tape_.lane, lane);
  }

  void run_phase(const TapePhase& phase) {
    for (const TapeReduction& r : phase.reductions) {
      if (r.real) std::fill_n(real(r.target), lanes_, identity<T>(r.combine));
      else std::fill_n(integer(r.target), lanes_, identity<int64_t>(r.combine));
    }
    execute(phase.levels[0]);
    run_loops(phase, 0);
  }

  void run_loops(const TapePhase& phase, size_t depth) {
    if (depth == phase.loop.size()) {
      for (const TapeReduction& r : phase.reductions) {
        if (r.real) fold(r.combine, real(r.target), real(r.value), lanes_);
        else fold(r.combine, integer(r.target), integer(r.value), lanes_);
      }
      for (const TapeStore& store : phase.stores) write(store);
      return;
    }
    for_each_value(phase.loop[depth], [&] {
      execute(phase.levels[depth + 1]);
      run_loops(phase, depth + 1);
    });
  }

  // All values of a loop axis in order; the batch walks the rows of one tower after the other.
  template <typename Body>
  void for_each_value(AxisId axis, Body body) {
    const bool batch = kernel_.axes[static_cast<size_t>(axis)].extent.times_batch;
    const size_t tower_count = batch ? towers_.size() : 1;
    for (size_t tower = 0; tower < tower_count; ++tower) {
      if (batch) enter_tower(tower);
      const int64_t end = extent(axis);
      for (int64_t v = 0; v < end; ++v) {
        set_axis(axis, v);
        body();
      }
    }
    if (batch) enter_tower(0);
  }

  // --- a matrix product: a few rows at a time over a strip of columns, the reduced axis outermost ---

  void run_product(int64_t lanes) {
    const AxisId row = tape_.outer[0];
    const int64_t rows = extent(row);
    for (int64_t first = 0; first < rows; first += kProductRows) {
      const int64_t count = std::min(kProductRows, rows - first);
      for (int64_t lane = 0; lane < lanes; lane += kStrip) {
        enter_strip(lane, lanes);
        accumulate_product(row, first, count);
        for (int64_t i = 0; i < count; ++i) {
          set_axis(row, first + i);
          execute(tape_.outer_levels[0]);
          std::copy_n(product_[static_cast<size_t>(i)].data(), lanes_, real(tape_.product_target));
          for (size_t p = 1; p < tape_.phases.size(); ++p) run_phase(tape_.phases[p]);
        }
      }
    }
  }

  void accumulate_product(AxisId row, int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) std::fill_n(product_[static_cast<size_t>(i)].data(), lanes_, T(0));
    std::array<T, kStrip> strip;
    for_each_value(tape_.phases[0].loop[0], [&] {
      read(tape_.product_b, strip.data(), lanes_);
      for (int64_t i = 0; i < count; ++i) {
        set_axis(row, first + i);
        T a;
        read(tape_.product_a, &a, 1);
        T* sum = product_[static_cast<size_t>(i)].data();
        for (int64_t j = 0; j < lanes_; ++j) sum[j] += a * strip[static_cast<size_t>(j)];
      }
    });
  }

  // --- memory ---

  int64_t value_at(const TapeIndex& index, const std::vector<int64_t>& axes) const {
    int64_t value = index.offset;
    for (const Index::Term& term : index.terms) value += term.coefficient * axes[static_cast<size_t>(term.axis)];
    if (index.lane_coefficient != 0) value += index.lane_coefficient * axes[static_cast<size_t>(tape_.lane)];
    return value;
  }

  StripPlace place(const TapeAccess& access, int64_t count) {
    const Buffer& b = buffer(access.buffer);
    int64_t row = value_at(access.row, local_), column = value_at(access.column, local_);
    if (access.row.gathered != kNone || access.column.gathered != kNone) {
      if (access.row.gathered_varies || access.column.gathered_varies) return scattered(access, row, column, count);
      row += gathered(access.row, 0);
      column += gathered(access.column, 0);
      check_gathered(access, row + std::min<int64_t>(0, (count - 1) * access.row.lane_coefficient),
                     column + std::min<int64_t>(0, (count - 1) * access.column.lane_coefficient));
      check_gathered(access, row + std::max<int64_t>(0, (count - 1) * access.row.lane_coefficient),
                     column + std::max<int64_t>(0, (count - 1) * access.column.lane_coefficient));
    }
    const int64_t base = element_offset(b, row, column);
    const int64_t row_step = access.row.lane_coefficient, column_step = access.column.lane_coefficient;
    if (b.layout == Layout::row_major) return {base, row_step * b.columns + column_step, false};
    if (column_step == 0) return {base, row_step * b.panel_columns, false};
    if (column_step == 1 && row_step == 0 && column % b.panel_columns + count <= b.panel_columns) return {base, 1, false};
    for (int64_t i = 0; i < count; ++i)
      offsets_[static_cast<size_t>(i)] = element_offset(b, row + i * row_step, column + i * column_step);
    return {0, 0, true};
  }

  StripPlace scattered(const TapeAccess& access, int64_t row, int64_t column, int64_t count) {
    const Buffer& b = buffer(access.buffer);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t r = row + i * access.row.lane_coefficient + gathered(access.row, i);
      const int64_t c = column + i * access.column.lane_coefficient + gathered(access.column, i);
      check_gathered(access, r, c);
      offsets_[static_cast<size_t>(i)] = element_offset(b, r, c);
    }
    return {0, 0, true};
  }

  int64_t gathered(const TapeIndex& index, int64_t lane) {
    return index.gathered == kNone ? 0 : index.gathered_coefficient * integer(index.gathered)[lane];
  }

  void check_gathered(const TapeAccess& access, int64_t row, int64_t column) const {
    const Buffer& b = buffer(access.buffer);
    const int64_t rows = b.rows.times_batch ? b.rows.count * towers_[tower_].rows : b.rows.count;
    if (row >= 0 && row < rows && column >= 0 && column < b.columns) return;
    const bool by_row = access.row.gathered != kNone;
    throw RuntimeError("id " + std::to_string(by_row ? row : column) + " lies outside '" + b.name + "', which has " +
                           std::to_string(by_row ? rows : b.columns) + (by_row ? " rows" : " columns") +
                           " (in kernel " + kernel_.name + ")",
                       "check the ids in the data against the number of classes the net declares");
  }

  template <typename Stored, typename Value>
  void read_as(const TapeAccess& access, Value* to, int64_t count) {
    const StripPlace at = place(access, count);
    const Stored* from = static_cast<const Stored*>(memory_[static_cast<size_t>(access.buffer)]) + at.base;
    if (at.scattered) {
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Value>(from[offsets_[static_cast<size_t>(i)]]);
    } else if (at.stride == 1) {
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Value>(from[i]);
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Value>(from[i * at.stride]);
    }
  }

  template <typename Value>
  void read(const TapeAccess& access, Value* to, int64_t count) {
    if constexpr (!std::is_same_v<T, float>) {
      read_as<T>(access, to, count);
    } else {
      switch (buffer(access.buffer).dtype) {
        case DType::f32: return read_as<float>(access, to, count);
        case DType::f64: return read_as<double>(access, to, count);
        case DType::i32: return read_as<int32_t>(access, to, count);
        case DType::i64: return read_as<int64_t>(access, to, count);
        case DType::u8: case DType::boolean: return read_as<uint8_t>(access, to, count);
        case DType::f16: case DType::bf16: break;
      }
      throw InternalError("the interpreter does not read " + std::string(dtype_name(buffer(access.buffer).dtype)));
    }
  }

    template <typename Stored, typename Value>
  void write_as(const TapeStore& store, const Value* from) {
    const StripPlace at = place(store.access, lanes_);
    Stored* to = static_cast<Stored*>(memory_[static_cast<size_t>(store.access.buffer)]) + at.base;
    for (int64_t i = 0; i < lanes_; ++i) {
      Stored& element = to[at.scattered ? offsets_[static_cast<size_t>(i)] : i * at.stride];
      const Stored value = static_cast<Stored>(from[i]);
      element = store.accumulate ? static_cast<Stored>(element + value) : value;
    }
  }

  template <typename Value>
  void write_value(const TapeStore& store, const Value* from) {
    if constexpr (!std::is_same_v<T, float>) {
      write_as<T>(store, from);
    } else {
      switch (buffer(store.access.buffer).dtype) {
        case DType::f32: return write_as<float>(store, from);
        case DType::f64: return write_as<double>(store, from);
        case DType::i32: return write_as<int32_t>(store, from);
        case DType::i64: return write_as<int64_t>(store, from);
        case DType::u8: case DType::boolean: return write_as<uint8_t>(store, from);
        case DType::f16: case DType::bf16: break;
      }
      throw InternalError("the interpreter does not write " +
                          std::string(dtype_name(buffer(store.access.buffer).dtype)));
    }
  }

  void write(const TapeStore& store) {
    if (store.real) write_value(store, real(store.value));
    else write_value(store, integer(store.value));
  }

  // --- instructions ---

  void execute(const std::vector<Instruction>& instructions) {
    for (const Instruction& in : instructions) {
      const int64_t count = in.uniform ? 1 : lanes_;
      if (in.real) {
        T* to = real(in.target);
        compute_real(in, to, count);
        if (in.uniform) std::fill_n(to + 1, lanes_ - 1, *to);
      } else {
        int64_t* to = integer(in.target);
        compute_integer(in, to, count);
        if (in.uniform) std::fill_n(to + 1, lanes_ - 1, *to);
      }
    }
  }

  void compute_real(const Instruction& in, T* to, int64_t n) {
    switch (in.op) {
      case ExprOp::constant: *to = to_constant<T>(in.value); return;
      case ExprOp::scalar: *to = to_constant<T>(context_->scalars[static_cast<size_t>(in.slot)]); return;
      case ExprOp::load: return read(in.access, to, n);
      case ExprOp::cast:
        if (in.real_arguments) std::copy_n(real(in.args[0]), n, to);
        else cast_to_real(in, to, n);
        return;
      case ExprOp::select: return select_strip(to, integer(in.args[0]), real(in.args[1]), real(in.args[2]), n);
      default: break;
    }
    if (in.args[1] == kNone) unary_strip(in.op, to, real(in.args[0]), n);
    else binary_strip(in.op, to, real(in.args[0]), real(in.args[1]), n);
  }

  void compute_integer(const Instruction& in, int64_t* to, int64_t n) {
    switch (in.op) {
      case ExprOp::constant: *to = static_cast<int64_t>(in.value); return;
      case ExprOp::axis: {
        const AxisId axis = static_cast<AxisId>(in.slot);
        const int64_t first = global_[static_cast<size_t>(axis)];
        for (int64_t i = 0; i < n; ++i) to[i] = axis == tape_.lane ? first + i : first;
        return;
      }
      case ExprOp::load: return read(in.access, to, n);
      case ExprOp::random: return draw(in, to, n);
      case ExprOp::cast: return cast_to_integer(in, to, n);
      case ExprOp::select: return select_strip(to, integer(in.args[0]), integer(in.args[1]), integer(in.args[2]), n);
      default: break;
    }
    if (in.real_arguments) compare_strip(in.op, to, real(in.args[0]), real(in.args[1]), n);
    else integer_strip(in.op, to, integer(in.args[0]), in.args[1] == kNone ? nullptr : integer(in.args[1]), n);
  }

  void cast_to_real(const Instruction& in, T* to, int64_t n) {
    const int64_t* from = integer(in.args[0]);
    for (int64_t i = 0; i < n; ++i) to[i] = to_real<T>(from[i], in.truth_argument);
  }

  void cast_to_integer(const Instruction& in, int64_t* to, int64_t n) {
    if (in.real_arguments) {
      const T* from = real(in.args[0]);
      if (in.type == DType::boolean) for (int64_t i = 0; i < n; ++i) to[i] = to_truth(from[i]);
      else for (int64_t i = 0; i < n; ++i) to[i] = truncate_to_i32(from[i]);
      return;
    }
    const int64_t* from = integer(in.args[0]);
    for (int64_t i = 0; i < n; ++i) to[i] = in.type == DType::boolean && !in.truth_argument ? from[i] != 0 : from[i];
  }

  void draw(const Instruction& in, int64_t* to, int64_t n) {
    const int64_t row = value_at(in.access.row, global_), column = value_at(in.access.column, global_);
    const std::array<uint32_t, 2> key = {static_cast<uint32_t>(context_->seed),
                                         static_cast<uint32_t>(context_->seed >> 32)};
    std::array<uint32_t, 4> words{};
    int64_t have_row = -1, have_group = -1;   // neighbours share the four words of one counter
    for (int64_t i = 0; i < n; ++i) {
      const int64_t r = row + i * in.access.row.lane_coefficient, c = column + i * in.access.column.lane_coefficient;
      if (r != have_row || c / 4 != have_group) {
        words = philox_4x32_10({static_cast<uint32_t>(r), static_cast<uint32_t>(c / 4),
                                static_cast<uint32_t>(in.slot), context_->update}, key);
        have_row = r;
        have_group = c / 4;
      }
      to[i] = words[static_cast<size_t>(c % 4)];
    }
  }

  const Kernel& kernel_;
  const Program& program_;
  const Tape tape_;
  std::vector<T> reals_;
  std::vector<int64_t> integers_;
  std::vector<int64_t> local_, global_;    // values of the axes: on the tower, and in the whole batch of the update
  std::array<std::array<T, kStrip>, kProductRows> product_{};
  std::array<int64_t, kStrip> offsets_{};
  const KernelContext* context_ = nullptr;
  std::span<const TowerView> towers_;
  std::span<void* const> memory_;
  size_t tower_ = 0;
  int64_t lanes_ = 1;                      // of the current strip
};

}  // namespace

KernelInterpreter::KernelInterpreter(const Kernel& kernel, const Program& program, Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::f32: engine_ = std::make_unique<EngineOf<float>>(kernel, program); return;
    case Arithmetic::f64: engine_ = std::make_unique<EngineOf<double>>(kernel, program); return;
    case Arithmetic::bounded: engine_ = std::make_unique<EngineOf<Bounded>>(kernel, program); return;
  }
}

KernelInterpreter::~KernelInterpreter() = default;
KernelInterpreter::KernelInterpreter(KernelInterpreter&&) noexcept = default;
KernelInterpreter& KernelInterpreter::operator=(KernelInterpreter&&) noexcept = default;

void KernelInterpreter::run(const KernelContext& context, std::span<const TowerView> towers) {
  engine_->run(context, towers);
}

}  // namespace netc
