// Kernels as a fusing generator writes them; kernels_test.cpp compares them with plain C++. PTX: ptx/kernels.ptx.

extern "C" __global__ void bias_gelu(float* __restrict__ out, const float* __restrict__ in,
                                     const float* __restrict__ bias, int columns, int count) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float4 x = *(const float4*)(in + i), b = *(const float4*)(bias + i % columns);
  const float v[4] = {x.x + b.x, x.y + b.y, x.z + b.z, x.w + b.w};
  float y[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float inner = 0.7978845608028654f * (v[k] + 0.044715f * v[k] * v[k] * v[k]);
    const float e = __expf(-2.0f * inner);
    y[k] = v[k] * __fdividef(1.0f, 1.0f + e);
  }
  *(float4*)(out + i) = make_float4(y[0], y[1], y[2], y[3]);
}

__device__ __forceinline__ float warp_max(float x) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, step));
  return x;
}
__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}

// A row a block.
extern "C" __global__ void softmax(float* __restrict__ out, const float* __restrict__ in, int columns) {
  __shared__ float scratch[32];
  const float* row = in + (size_t)blockIdx.x * columns;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float highest = -__int_as_float(0x7f800000);
  for (int c = threadIdx.x; c < columns; c += blockDim.x) highest = fmaxf(highest, row[c]);
  highest = warp_max(highest);
  if (lane == 0) scratch[warp] = highest;
  __syncthreads();
  highest = warp_max(lane < warps ? scratch[lane] : -__int_as_float(0x7f800000));
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(row[c] - highest);
  sum = warp_sum(sum);
  if (lane == 0) scratch[warp] = sum;
  __syncthreads();
  sum = warp_sum(lane < warps ? scratch[lane] : 0.0f);
  const float scale = 1.0f / sum;
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[(size_t)blockIdx.x * columns + c] = expf(row[c] - highest) * scale;
}

// A row a warp.
extern "C" __global__ void layer_norm(float* __restrict__ out, const float* __restrict__ in,
                                      const float* __restrict__ scale, const float* __restrict__ shift, int rows,
                                      int columns, float epsilon) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* x = in + (size_t)row * columns;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += x[c];
  const float mean = warp_sum(sum) / columns;
  float squares = 0;
  for (int c = lane; c < columns; c += 32) squares += (x[c] - mean) * (x[c] - mean);
  const float factor = rsqrtf(warp_sum(squares) / columns + epsilon);
  for (int c = lane; c < columns; c += 32)
    out[(size_t)row * columns + c] = (x[c] - mean) * factor * scale[c] + shift[c];
}

extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int columns) {
  __shared__ float tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (c < columns && r + k < rows) tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(r + k) * columns + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x;
  r = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (c < rows && r + k < columns) out[(size_t)(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
}

// The gradient of a bias: blocks take slices of the rows, atomics add them up.
extern "C" __global__ void column_sums(float* out, const float* __restrict__ in, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float sum = 0;
  for (int r = blockIdx.y; r < rows; r += gridDim.y) sum += in[(size_t)r * columns + c];
  atomicAdd(&out[c], sum);
}

__device__ __forceinline__ uint4 philox(uint4 counter, unsigned key0, unsigned key1) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * counter.x, b = 0xCD9E8D57ull * counter.z;
    counter = make_uint4((unsigned)(b >> 32) ^ counter.y ^ key0, (unsigned)b, (unsigned)(a >> 32) ^ counter.w ^ key1,
                         (unsigned)a);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}
extern "C" __global__ void dropout(float* __restrict__ out, const float* __restrict__ in, int rows, int columns,
                                   unsigned threshold, float scale, unsigned long long seed, unsigned stream,
                                   unsigned update) {
  const int quad = blockIdx.x * blockDim.x + threadIdx.x, quads = columns / 4;
  if (quad >= rows * quads) return;
  const uint4 bits = philox(make_uint4(quad / quads, quad % quads, stream, update), (unsigned)seed, (unsigned)(seed >> 32));
  float4 x = ((const float4*)in)[quad];
  x.x = bits.x >= threshold ? x.x * scale : 0;
  x.y = bits.y >= threshold ? x.y * scale : 0;
  x.z = bits.z >= threshold ? x.z * scale : 0;
  x.w = bits.w >= threshold ? x.w * scale : 0;
  ((float4*)out)[quad] = x;
}

// c = a b, tiles of 32 x 32, four rows a thread.
extern "C" __global__ void matmul(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b,
                                  int m, int n, int k) {
  __shared__ float left[32][33], right[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  float sum[4] = {0, 0, 0, 0};
  for (int first = 0; first < k; first += 32) {
    for (int q = 0; q < 4; ++q) {
      const int r = threadIdx.y + 8 * q, x = threadIdx.x;
      left[r][x] = row + 8 * q < m && first + x < k ? a[(size_t)(row + 8 * q) * k + first + x] : 0.0f;
      right[r][x] = first + r < k && column < n ? b[(size_t)(first + r) * n + column] : 0.0f;
    }
    __syncthreads();
    for (int j = 0; j < 32; ++j)
      for (int q = 0; q < 4; ++q) sum[q] += left[threadIdx.y + 8 * q][j] * right[j][threadIdx.x];
    __syncthreads();
  }
  for (int q = 0; q < 4; ++q)
    if (row + 8 * q < m && column < n) c[(size_t)(row + 8 * q) * n + column] = sum[q];
}

// What the checker does not need and the parser does: library functions with their slow paths, switches, local arrays.
extern "C" __global__ void functions(float* out, const float* in, int n, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float* row = out + (size_t)i * columns;
  row[0] = expf(x);
  row[1] = logf(fabsf(x));
  row[2] = tanhf(x);
  row[3] = erff(x);
  row[4] = powf(fabsf(x), 1.5f);
  row[5] = sinf(x);
  row[6] = cosf(x * 1000.0f);
  row[7] = log1pf(fabsf(x));
  row[8] = expm1f(x);
  row[9] = sqrtf(fabsf(x));
  row[10] = rsqrtf(fabsf(x) + 1.0f);
  row[11] = x / 3.0f;
  row[12] = roundf(x * 10.0f);
  row[13] = fmodf(x, 0.7f);
  row[14] = (float)(i / columns + i % 7);
  float local[4];
  for (int k = 0; k < 4; ++k) local[k] = x * k;
  row[15] = local[i & 3];
}
