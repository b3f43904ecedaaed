// Kernels with one planted bug each (NAME_bug) and their correct twins (NAME_fix). planted_bugs_test.cpp launches all:
// the checker must name every bug and be silent about every twin. Their PTX is in ptx/planted_bugs.ptx, written anew
// with NETC_BLESS=1.
//
// All take (out, in, words, n); out is fresh memory, in has n floats, words 64 integers that are zero.

#define KERNEL(name) extern "C" __global__ void name(float* out, const float* in, int* words, int n)

// --- barriers

KERNEL(missing_barrier_bug) {
  __shared__ float tile[128];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  tile[t] = in[i];
  out[i] = tile[127 - t];
}
KERNEL(missing_barrier_fix) {
  __shared__ float tile[128];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  tile[t] = in[i];
  __syncthreads();
  out[i] = tile[127 - t];
}

KERNEL(missing_broadcast_barrier_bug) {
  __shared__ float first;
  if (threadIdx.x == 0) first = in[blockIdx.x];
  out[blockIdx.x * 128 + threadIdx.x] = first;
}
KERNEL(missing_broadcast_barrier_fix) {
  __shared__ float first;
  if (threadIdx.x == 0) first = in[blockIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = first;
}

__device__ __forceinline__ float block_sum(float x, float* scratch) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = x;
  __syncthreads();
  return scratch[0] + scratch[1] + scratch[2] + scratch[3];
}
KERNEL(scratch_used_twice_bug) {
  __shared__ float scratch[4];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float mean = block_sum(in[i], scratch) / 128;
  const float d = in[i] - mean;
  out[i] = block_sum(d * d, scratch);
}
KERNEL(scratch_used_twice_fix) {
  __shared__ float scratch[4];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float mean = block_sum(in[i], scratch) / 128;
  const float d = in[i] - mean;
  __syncthreads();
  out[i] = block_sum(d * d, scratch);
}

KERNEL(stale_tile_bug) {   // the next round overwrites what slow threads still read
  __shared__ float tile[128];
  float sum = 0;
  for (int k = 0; k < n; k += 128) {
    tile[threadIdx.x] = in[k + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) sum += tile[j] * j;
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
KERNEL(stale_tile_fix) {
  __shared__ float tile[128];
  float sum = 0;
  for (int k = 0; k < n; k += 128) {
    tile[threadIdx.x] = in[k + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) sum += tile[j] * j;
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

KERNEL(write_after_read_bug) {
  __shared__ float tile[129];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  tile[t] = in[i];
  if (t == 0) tile[128] = 0;
  __syncthreads();
  const float next = tile[t + 1];
  tile[t] = next;
  __syncthreads();
  out[i] = tile[t];
}
KERNEL(write_after_read_fix) {
  __shared__ float tile[129];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  tile[t] = in[i];
  if (t == 0) tile[128] = 0;
  __syncthreads();
  const float next = tile[t + 1];
  __syncthreads();
  tile[t] = next;
  __syncthreads();
  out[i] = tile[t];
}

KERNEL(divergent_barrier_bug) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];
  if (t % 2 == 0) {
    __syncthreads();
    out[blockIdx.x * 128 + t] = tile[127 - t] * 2;
  } else {
    __syncthreads();
    out[blockIdx.x * 128 + t] = tile[127 - t] - 1;
  }
}
KERNEL(divergent_barrier_fix) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  if (t % 2 == 0)
    out[blockIdx.x * 128 + t] = tile[127 - t] * 2;
  else
    out[blockIdx.x * 128 + t] = tile[127 - t] - 1;
}

KERNEL(return_before_barrier_bug) {
  __shared__ float tile[128];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (i >= n - 10) return;
  tile[t] = in[i];
  __syncthreads();
  out[i] = tile[t & ~1];
}
KERNEL(return_before_barrier_fix) {
  __shared__ float tile[128];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  const bool has_work = i < n - 10;
  if (has_work) tile[t] = in[i];
  __syncthreads();
  if (has_work) out[i] = tile[t & ~1];
}

KERNEL(barrier_in_uneven_loop_bug) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = 0;
  for (int k = 0; k <= t / 64; ++k) {
    __syncthreads();
    tile[t] += in[k];
  }
  out[blockIdx.x * 128 + t] = tile[t];
}
KERNEL(barrier_in_uneven_loop_fix) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = 0;
  for (int k = 0; k <= 1; ++k) {
    __syncthreads();
    if (k <= t / 64) tile[t] += in[k];
  }
  out[blockIdx.x * 128 + t] = tile[t];
}

KERNEL(deadlock_bug) {   // a barrier for 128 threads that 64 reach, while the others wait at another
  if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 128;" ::: "memory");
  else
    asm volatile("bar.sync 2, 128;" ::: "memory");
  out[blockIdx.x * 128 + threadIdx.x] = 1;
}
KERNEL(deadlock_fix) {
  if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
  out[blockIdx.x * 128 + threadIdx.x] = 1;
}

KERNEL(spin_for_a_later_block_bug) {
  if (threadIdx.x == 0) {
    atomicAdd(&words[0], 1);
    while (*(volatile int*)&words[0] < gridDim.x) {
    }
  }
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = 1;
}
KERNEL(spin_for_a_later_block_fix) {   // an earlier block has been here, or this is the first
  if (threadIdx.x == 0) {
    while (*(volatile int*)&words[0] < blockIdx.x) {
    }
    atomicAdd(&words[0], 1);
  }
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = 1;
}

// --- bounds and alignment

KERNEL(off_by_one_guard_bug) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i <= n - 10) out[i] = in[i + 10];
}
KERNEL(off_by_one_guard_fix) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n - 10) out[i] = in[i + 10];
}

KERNEL(grid_too_large_bug) {   // launched with one block too many
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = 2 * in[i];
}
KERNEL(grid_too_large_fix) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

KERNEL(vector_tail_bug) {   // n - 2 is no multiple of four
  const int i = 4 * (blockIdx.x * 128 + threadIdx.x), first = n - 6;
  if (i < n - 2 && i >= 0) {
    const float4 x = *(const float4*)(in + i);
    *(float4*)(out + i) = x;
    if (i > first) *(float4*)(out + i + 4) = x;
  }
}
KERNEL(vector_tail_fix) {
  const int i = 4 * (blockIdx.x * 128 + threadIdx.x);
  if (i + 3 < n) {
    *(float4*)(out + i) = *(const float4*)(in + i);
  } else {
    for (int k = i; k < n; ++k) out[k] = in[k];
  }
}

KERNEL(misaligned_float4_bug) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (4 * i + 5 < n) *(float4*)(out + 4 * i) = *(const float4*)(in + 4 * i + 1);
}
KERNEL(misaligned_float4_fix) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (4 * i + 5 < n)
    *(float4*)(out + 4 * i) = make_float4(in[4 * i + 1], in[4 * i + 2], in[4 * i + 3], in[4 * i + 4]);
}

struct __align__(4) Half2 {
  unsigned short x, y;
};
KERNEL(misaligned_half2_bug) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const unsigned short* halves = (const unsigned short*)in;
  if (i + 1 < n) ((Half2*)out)[i] = *(const Half2*)(halves + 2 * i + 1);
}
KERNEL(misaligned_half2_fix) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const unsigned short* halves = (const unsigned short*)in;
  if (i + 1 < n) ((Half2*)out)[i] = Half2{halves[2 * i + 1], halves[2 * i + 2]};
}

KERNEL(negative_index_bug) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i] - in[i - 1];
}
KERNEL(negative_index_fix) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = i > 0 ? in[i] - in[i - 1] : in[i];
}

KERNEL(index_overflow_bug) {   // the product leaves 31 bits at i = 129
  const int i = blockIdx.x * 128 + threadIdx.x;
  const int at = (int)((unsigned)i * 16777215u) % n;
  out[i] = in[at];
}
KERNEL(index_overflow_fix) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const long long at = (long long)i * 16777215 % n;
  out[i] = in[at];
}

KERNEL(shared_overrun_bug) {
  __shared__ float tile[128];
  __shared__ float other[128];
  const int t = threadIdx.x;
  tile[t] = in[t];
  other[t] = 0;
  __syncthreads();
  out[blockIdx.x * 128 + t] = tile[t + 1] + other[t];
}
KERNEL(shared_overrun_fix) {
  __shared__ float tile[128];
  __shared__ float other[128];
  const int t = threadIdx.x;
  tile[t] = in[t];
  other[t] = 0;
  __syncthreads();
  out[blockIdx.x * 128 + t] = tile[(t + 1) % 128] + other[t];
}

extern __shared__ float dynamic_tile[];
KERNEL(dynamic_shared_size_bug) {   // launched with half of what it needs
  const int t = threadIdx.x;
  dynamic_tile[t] = in[t];
  __syncthreads();
  out[blockIdx.x * 128 + t] = dynamic_tile[127 - t];
}
KERNEL(dynamic_shared_size_fix) {
  const int t = threadIdx.x;
  dynamic_tile[t] = in[t];
  __syncthreads();
  out[blockIdx.x * 128 + t] = dynamic_tile[127 - t];
}

KERNEL(local_overrun_bug) {
  float local[8];
  for (int k = 0; k < 8; ++k) local[k] = in[k];
  out[blockIdx.x * 128 + threadIdx.x] = local[words[0] + 8];
}
KERNEL(local_overrun_fix) {
  float local[8];
  for (int k = 0; k < 8; ++k) local[k] = in[k];
  out[blockIdx.x * 128 + threadIdx.x] = local[words[0] + 7];
}

KERNEL(rows_and_columns_swapped_bug) {   // a matrix of n / 16 rows and 16 columns
  const int row = blockIdx.x * 128 + threadIdx.x, rows = n / 16;
  if (row < rows)
    for (int c = 0; c < 16; ++c) out[row * rows + c] = in[row * 16 + c];
}
KERNEL(rows_and_columns_swapped_fix) {
  const int row = blockIdx.x * 128 + threadIdx.x, rows = n / 16;
  if (row < rows)
    for (int c = 0; c < 16; ++c) out[row * 16 + c] = in[row * 16 + c];
}

KERNEL(wrong_device_bug) { out[blockIdx.x * 128 + threadIdx.x] = in[threadIdx.x]; }
KERNEL(wrong_device_fix) { out[blockIdx.x * 128 + threadIdx.x] = in[threadIdx.x]; }

KERNEL(freed_buffer_bug) { out[blockIdx.x * 128 + threadIdx.x] = in[threadIdx.x]; }
KERNEL(freed_buffer_fix) { out[blockIdx.x * 128 + threadIdx.x] = in[threadIdx.x]; }

KERNEL(host_pointer_bug) { out[blockIdx.x * 128 + threadIdx.x] = in[threadIdx.x]; }
KERNEL(host_pointer_fix) { out[blockIdx.x * 128 + threadIdx.x] = in[threadIdx.x]; }

// --- first use

KERNEL(uninitialised_shared_bug) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  if (t < 100) tile[t] = in[t];
  __syncthreads();
  out[blockIdx.x * 128 + t] = tile[127 - t];
}
KERNEL(uninitialised_shared_fix) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = t < 100 ? in[t] : 0;
  __syncthreads();
  out[blockIdx.x * 128 + t] = tile[127 - t];
}

KERNEL(uninitialised_global_bug) { out[blockIdx.x * 128 + threadIdx.x] += in[threadIdx.x]; }
KERNEL(uninitialised_global_fix) { out[blockIdx.x * 128 + threadIdx.x] = in[threadIdx.x]; }

KERNEL(sum_into_fresh_memory_bug) { atomicAdd(&out[threadIdx.x], in[blockIdx.x * 128 + threadIdx.x]); }
KERNEL(sum_into_fresh_memory_fix) { atomicAdd(&words[threadIdx.x % 64], (int)in[blockIdx.x * 128 + threadIdx.x]); }

// --- races

KERNEL(blocks_race_bug) { out[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x]; }
KERNEL(blocks_race_fix) { out[blockIdx.x * 128 + threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x]; }

KERNEL(halo_race_bug) {   // reads what a neighbouring block writes
  const int i = blockIdx.x * 128 + threadIdx.x;
  words[i % 64] = words[(i + 32) % 64] + i;
}
KERNEL(halo_race_fix) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  atomicAdd(&words[i % 64], i);
}

KERNEL(histogram_race_bug) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  ++counts[(int)in[threadIdx.x] & 15];
  __syncthreads();
  if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = counts[threadIdx.x];
}
KERNEL(histogram_race_fix) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[(int)in[threadIdx.x] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = counts[threadIdx.x];
}

KERNEL(plain_read_of_counter_bug) {   // other blocks count on while this one reads
  if (threadIdx.x == 0) {
    atomicAdd(&words[0], 1);
    out[blockIdx.x] = words[0];
  }
}
KERNEL(plain_read_of_counter_fix) {
  if (threadIdx.x == 0) {
    atomicAdd(&words[0], 1);
    out[blockIdx.x] = *(volatile int*)&words[0];
  }
}

KERNEL(missing_warp_sync_bug) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];
  out[blockIdx.x * 128 + t] = tile[t ^ 1];
}
KERNEL(missing_warp_sync_fix) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncwarp();
  out[blockIdx.x * 128 + t] = tile[t ^ 1];
}

// Every block leaves a sum; the last one to finish adds them up.
template <bool kFenceBefore, bool kFenceAfter>
__device__ __forceinline__ void last_block_sum(float* out, const float* in, int* words) {
  __shared__ bool is_last;
  float x = in[blockIdx.x * 128 + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  if (threadIdx.x % 32 == 0) out[4 + blockIdx.x * 4 + threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (kFenceBefore) __threadfence();
    is_last = atomicAdd(&words[0], 1) == gridDim.x - 1;
    if (kFenceAfter) __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float sum = 0;
    for (int b = 0; b < 4 * gridDim.x; ++b) sum += out[4 + b];
    out[0] = sum;
  }
}
KERNEL(last_block_without_release_bug) { last_block_sum<false, true>(out, in, words); }
KERNEL(last_block_without_release_fix) { last_block_sum<true, true>(out, in, words); }
KERNEL(last_block_without_acquire_bug) { last_block_sum<true, false>(out, in, words); }
KERNEL(last_block_without_acquire_fix) { last_block_sum<true, true>(out, in, words); }

// --- warps

KERNEL(partial_shuffle_bug) {
  float x = in[threadIdx.x];
  if (threadIdx.x % 32 < 16) x += __shfl_xor_sync(0xffffffffu, x, 8);
  out[blockIdx.x * 128 + threadIdx.x] = x;
}
KERNEL(partial_shuffle_fix) {
  float x = in[threadIdx.x];
  if (threadIdx.x % 32 < 16) x += __shfl_xor_sync(0x0000ffffu, x, 8);
  out[blockIdx.x * 128 + threadIdx.x] = x;
}

KERNEL(shuffle_after_return_bug) {
  if (threadIdx.x % 32 >= 20) return;
  out[blockIdx.x * 128 + threadIdx.x] = __shfl_sync(0xffffffffu, in[threadIdx.x], 3);
}
KERNEL(shuffle_after_return_fix) {
  if (threadIdx.x % 32 >= 20) return;
  out[blockIdx.x * 128 + threadIdx.x] = __shfl_sync(0x000fffffu, in[threadIdx.x], 3);
}

KERNEL(mask_without_itself_bug) {
  out[blockIdx.x * 128 + threadIdx.x] = __shfl_sync(0x0000ffffu, in[threadIdx.x], 3);
}
KERNEL(mask_without_itself_fix) {
  out[blockIdx.x * 128 + threadIdx.x] = __shfl_sync(0xffffffffu, in[threadIdx.x], 3);
}

// --- others

KERNEL(assertion_bug) {
  if (in[threadIdx.x] >= 100) __trap();
  out[blockIdx.x * 128 + threadIdx.x] = 1;
}
KERNEL(assertion_fix) {
  if (in[threadIdx.x] >= 1000) __trap();
  out[blockIdx.x * 128 + threadIdx.x] = 1;
}
