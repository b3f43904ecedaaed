// Towers with a memory each: every summand that somebody reads as a whole is added up over the towers exactly once,
// after its last writer and before its first reader; nothing else is; and every step runs where its values allow.
#include "compiler/kernel/partial_sums.h"
#include "compiler/kernel/verify_parts.h"

namespace netc {
namespace {

std::string bucket_name(size_t number) { return "bucket " + std::to_string(number); }

class SeparateTowers {
 public:
  SeparateTowers(const TowerProgram& towers, Faults& faults)
      : towers_(towers),
        program_(towers.program),
        faults_(faults),
        sums_(find_partial_sums(towers.program)),
        first_reader_(program_.buffers.size(), static_cast<int32_t>(program_.steps.size())),
        last_writer_(program_.buffers.size(), -1) {
    for (size_t s = 0; s < program_.steps.size(); ++s)
      for (const MemoryUse& use : memory_uses(program_, kernel(s))) {
        const auto root = static_cast<size_t>(use.root);
        if (use.reads && static_cast<int32_t>(s) < first_reader_[root]) first_reader_[root] = static_cast<int32_t>(s);
        if (use.writes) last_writer_[root] = static_cast<int32_t>(s);
      }
  }

  void verify() {
    for (const std::string& fault : sums_.faults) faults_.push_back(fault);
    for (size_t s = 0; s < program_.steps.size(); ++s) verify_step(s);
    std::vector<int> times(program_.buffers.size(), 0);
    for (size_t i = 0; i < towers_.buckets.size(); ++i)
      if (verify_ids(i)) verify_bucket(i, times);
    for (size_t b = 0; b < times.size(); ++b)
      if (sums_.completed[b] && times[b] == 0)
        faults_.push_back(program_.buffers[b].name + " is read as a whole but in no bucket: each tower would use its own summand");
    verify_readers(times);
  }

 private:
  const Kernel& kernel(size_t step) const { return program_.kernels[static_cast<size_t>(program_.steps[step].kernel)]; }

  void verify_step(size_t s) {
    const bool makes = sums_.makes[static_cast<size_t>(program_.steps[s].kernel)] != 0;
    const StepScope wanted = parallel_over_batch(kernel(s))            ? StepScope::each_tower
                             : makes || loops_over_batch(kernel(s)) ? StepScope::summand
                                                                       : StepScope::replicated;
    if (program_.steps[s].scope == wanted) return;
    static constexpr const char* kWords[] = {"on each tower's rows", "for all towers together", "for each tower's summand",
                                             "on the same values in every memory"};
    faults_.push_back("step " + kernel(s).name + " runs " + kWords[static_cast<size_t>(program_.steps[s].scope)] +
                      " but works " + kWords[static_cast<size_t>(wanted)]);
  }

  // The same once more by scopes alone, owing nothing to the analysis that the plan was made by: what a step on a tower's
  // own rows sums up reaches steps of another kind through a bucket only.
  void verify_readers(const std::vector<int>& times) {
    std::vector<char> summed(program_.buffers.size(), 0);
    for (size_t s = 0; s < program_.steps.size(); ++s)
      for (const MemoryUse& use : memory_uses(program_, kernel(s))) {
        const auto root = static_cast<size_t>(use.root);
        if (program_.steps[s].scope == StepScope::summand) summed[root] = summed[root] || use.writes;
        else if (use.reads && summed[root] && times[root] == 0)
          faults_.push_back("step " + kernel(s).name + " reads a tower's own sums in " + program_.buffers[root].name);
      }
  }

  bool verify_ids(size_t number) {
    const GradientBucket& bucket = towers_.buckets[number];
    const auto steps = static_cast<int32_t>(program_.steps.size());
    bool sound = bucket.after_step >= 0 && bucket.after_step < bucket.before_step && bucket.before_step <= steps;
    for (BufferId b : bucket.buffers) sound = sound && b >= 0 && b < static_cast<BufferId>(program_.buffers.size());
    if (!sound) faults_.push_back(bucket_name(number) + " stands nowhere in the program");
    return sound;
  }

  void verify_bucket(size_t number, std::vector<int>& times) {
    const GradientBucket& bucket = towers_.buckets[number];
    int64_t bytes = 0;
    for (BufferId b : bucket.buffers) {
      const Buffer& buffer = program_.buffers[static_cast<size_t>(b)];
      const auto fault = [&](const std::string& what) { faults_.push_back(bucket_name(number) + ": " + buffer.name + " " + what); };
      const auto id = static_cast<size_t>(b);
      bytes += buffer.rows.count * buffer.columns * dtype_bytes(buffer.dtype);
      if (++times[id] > 1) fault("would be added up twice");
      if (!sums_.completed[id])
        fault(sums_.shares[id] == Share::summand ? "is read as a summand: what is made of it would be counted once a tower"
                                                 : "is no summand: it would be counted once a tower");
      if (buffer.dtype != DType::f32 || buffer.alias_of != kNone) fault("is not a buffer of f32 of its own");
      if (last_writer_[id] > bucket.after_step) fault("is added up before " + kernel(static_cast<size_t>(last_writer_[id])).name + " writes it");
      if (first_reader_[id] < bucket.before_step)
        fault("may be read by " + kernel(static_cast<size_t>(first_reader_[id])).name + " before it is whole");
    }
    if (bytes != bucket.bytes) faults_.push_back(bucket_name(number) + " holds " + std::to_string(bytes) + " bytes");
    // Buckets are exchanged in order: one that waits for a step which waits for a later bucket would wait for ever.
    for (size_t later = number + 1; later < towers_.buckets.size(); ++later)
      if (towers_.buckets[later].before_step <= bucket.after_step)
        faults_.push_back(bucket_name(later) + " is needed before " + bucket_name(number) + ", which comes first, is ready");
  }

  const TowerProgram& towers_;
  const Program& program_;
  Faults& faults_;
  const PartialSums sums_;
  std::vector<int32_t> first_reader_, last_writer_;   // steps, by root buffer
};

}  // namespace

void verify_separate(const TowerProgram& towers, Faults& faults) {
  if (faults.empty()) SeparateTowers(towers, faults).verify();
}

}  // namespace netc
