// SPDX-License-Identifier: MIT
// CUDA's device language for a host C++ compiler. Kernels run as they are written. A fiber plays each thread.
//
// kernels/cuda/gpu.h includes this instead of CUDA. Kernels are compiled with -fsanitize=thread, and the calls that the
// compiler then inserts before every load and store are answered by checker.cc: each access of shared and global memory
// is checked (bounds, alignment, written before it is read, races) without a word about it in the kernel. Emulated are
// blocks and grids, __shared__ and dynamic shared memory, __syncthreads, __syncwarp, shuffles, votes, integer atomics,
// ldmatrix, mma.sync m16n8k16 of bf16, cp.async with groups; and what emulator_sm90.h has. Atomics of floating-point
// numbers are left out on purpose: their sums depend on the order of blocks.
#ifndef GW_EMULATOR_H
#define GW_EMULATOR_H

#include "runtime.h"

#include <math.h>
#include <string.h>

#include <string>

struct uint3 {
    unsigned x, y, z;
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__ __restrict
#define __shared__ static __attribute__((section("emu_shared")))
#define GPU_FN static inline __attribute__((unused))
#define GPU_SHARED(type, name) type &name = *static_cast<type *>(emu_dynamic_shared(sizeof(type)))

// The place of a barrier or an exchange in the source. Default arguments fill it in at the call.
struct emu_site {
    const char *what, *file;
    int line;
};
#define EMU_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

// The same at each call of a kernel's thread.
__attribute__((const)) uint3 emu_thread_idx();
__attribute__((const)) uint3 emu_block_idx();
__attribute__((const)) dim3 emu_block_dim();
__attribute__((const)) dim3 emu_grid_dim();
#define threadIdx emu_thread_idx()
#define blockIdx emu_block_idx()
#define blockDim emu_block_dim()
#define gridDim emu_grid_dim()

void *emu_dynamic_shared(size_t bytes);

// All threads of the block meet; returns how many of them brought a value that is not 0.
int emu_sync_block(emu_site site, int value);
inline void __syncthreads(EMU_HERE) {
    emu_sync_block({"__syncthreads", file, line}, 0);
}
inline int __syncthreads_or(int value, EMU_HERE) {
    return emu_sync_block({"__syncthreads_or", file, line}, value) > 0;
}

// The lanes of `mask` meet. The last to arrive runs `op` over the values that they brought. Then all go on.
typedef void emu_exchange(unsigned mask, void *const *brought);
void emu_meet(emu_site site, unsigned mask, void *brought, emu_exchange *op, bool orders_memory);
inline void __syncwarp(unsigned mask = 0xffffffffu, EMU_HERE) {
    emu_meet({"__syncwarp", file, line}, mask, nullptr, nullptr, true);
}

enum emu_shuffle_kind { EMU_INDEX, EMU_UP, EMU_DOWN, EMU_XOR };
uint64_t emu_shuffle(emu_site site, unsigned mask, emu_shuffle_kind how, uint64_t bits, int with, int width);
template <typename T>
T emu_shuffle_as(emu_site site, unsigned mask, emu_shuffle_kind how, T value, int with, int width) {
    static_assert(sizeof(T) <= 8, "a shuffle takes 4 or 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = emu_shuffle(site, mask, how, bits, with, width);
    memcpy(&value, &bits, sizeof value);
    return value;
}
#define EMU_SHUFFLE(name, how)                                                                                         \
    template <typename T> inline T name(unsigned mask, T value, int with, int width = 32, EMU_HERE) {                  \
        return emu_shuffle_as({#name, file, line}, mask, how, value, with, width);                                     \
    }
EMU_SHUFFLE(__shfl_sync, EMU_INDEX)
EMU_SHUFFLE(__shfl_up_sync, EMU_UP)
EMU_SHUFFLE(__shfl_down_sync, EMU_DOWN)
EMU_SHUFFLE(__shfl_xor_sync, EMU_XOR)

unsigned emu_ballot(emu_site site, unsigned mask, int value);
inline unsigned __ballot_sync(unsigned mask, int value, EMU_HERE) {
    return emu_ballot({"__ballot_sync", file, line}, mask, value);
}
inline int __any_sync(unsigned mask, int value, EMU_HERE) {
    return emu_ballot({"__any_sync", file, line}, mask, value) != 0;
}

// Fibers are not preempted, so these are plain accesses. The checker allows atomic accesses of one address by several
// threads.
#define EMU_ATOMICS(T)                                                                                                 \
    T atomicAdd(T *p, T value);                                                                                        \
    T atomicMax(T *p, T value);                                                                                        \
    T atomicExch(T *p, T value);                                                                                       \
    T atomicCAS(T *p, T expected, T value);
EMU_ATOMICS(int)
EMU_ATOMICS(unsigned)
EMU_ATOMICS(unsigned long long)

inline float rsqrtf(float x) {
    return 1.0f / sqrtf(x);
}
inline float __fmul_rn(float x, float y) {
    return x * y;
}
inline float __uint_as_float(unsigned bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
template <typename T> T min(T a, T b) {
    return b < a ? b : a;
}
template <typename T> T max(T a, T b) {
    return a < b ? b : a;
}
inline int __ffs(int x) {
    return __builtin_ffs(x);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
    return unsigned(uint64_t(a) * b >> 32);
}

// The tensor cores' instructions and the asynchronous copies, under the names of gpu.h.
void emu_mma_bf16(emu_site site, float *d, const uint32_t *a, const uint32_t *b);
void emu_ldmatrix(emu_site site, uint32_t *r, const void *row, bool transposed);
void emu_cp_async(emu_site site, void *shared, const void *global, int valid);
void emu_cp_async_commit();
void emu_cp_async_wait(int left);
inline void gpu_mma_bf16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1, EMU_HERE) {
    const uint32_t b[2] = {b0, b1};
    emu_mma_bf16({"mma.sync", file, line}, d, a, b);
}
inline void gpu_ldmatrix_x4(uint32_t (&r)[4], const void *row, EMU_HERE) {
    emu_ldmatrix({"ldmatrix", file, line}, r, row, false);
}
inline void gpu_ldmatrix_x4_trans(uint32_t (&r)[4], const void *row, EMU_HERE) {
    emu_ldmatrix({"ldmatrix.trans", file, line}, r, row, true);
}
inline void gpu_cp_async16(void *shared, const void *global, int valid, EMU_HERE) {
    emu_cp_async({"cp.async", file, line}, shared, global, valid);
}
inline void gpu_cp_async_commit() {
    emu_cp_async_commit();
}
template <int n> inline void gpu_cp_async_wait() {
    emu_cp_async_wait(n);
}
inline void gpu_keep(int &) {}
uint32_t gpu_pack_bf16(float low, float high);
float gpu_exp2(float x); // wrong by up to EMU_ULP units in the last place; ex2.approx may be wrong by 2
float gpu_log2(float x);

// A launch. Later, `run(closure)` is called once for each thread of the grid, and `drop` frees the closure. If launches
// are recorded, the parameters lie as in PTX, each at a multiple of its alignment; else they are empty.
struct emu_call {
    void (*run)(void *);
    void *closure;
    size_t closure_bytes;
    void (*drop)(void *);
    const void *kernel;
    std::string parameters;
};
cudaError_t emu_launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, const emu_call &call);
bool emu_recording();
template <typename T> void emu_append(std::string *parameters, const T &value) {
    parameters->resize((parameters->size() + alignof(T) - 1) / alignof(T) * alignof(T));
    parameters->append(reinterpret_cast<const char *>(&value), sizeof value);
}

template <typename... P, typename... A>
cudaError_t gpu_launch_now(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, A... args) {
    auto call = [=] { kernel(args...); };
    using Call = decltype(call);
    std::string parameters;
    if (emu_recording()) (emu_append<P>(&parameters, args), ...);
    return emu_launch(grid, block, shared, stream,
                      {[](void *c) { (*static_cast<Call *>(c))(); }, new Call(call), sizeof(Call),
                       [](void *c) { delete static_cast<Call *>(c); }, reinterpret_cast<const void *>(kernel),
                       parameters});
}

#endif
