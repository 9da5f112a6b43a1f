// SPDX-License-Identifier: MIT
// Kernels include this header instead of CUDA's. Under nvcc it includes CUDA's header and adds a dozen wrappers of one
// PTX instruction each. Under a host C++ compiler it includes the emulator of tests/cuda, which gives the same names a
// meaning on the CPU. Kernel sources have no asm, no <<<>>> and no #ifdef: these are in this file and in gpu_sm90.h.
#ifndef GW_KERNELS_CUDA_GPU_H
#define GW_KERNELS_CUDA_GPU_H

#include <stdint.h>

#if defined(__CUDACC__)
#include <cuda_runtime.h>

#define GPU_FN static __device__ __forceinline__
// Dynamic shared memory of one kernel, as a struct. Its address is a multiple of 1024.
#define GPU_SHARED(type, name)                                                                                         \
    extern __shared__ __align__(1024) unsigned char gpu_dynamic_shared[];                                              \
    type &name = *reinterpret_cast<type *>(gpu_dynamic_shared)

GPU_FN uint32_t gpu_shared_address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// d += a b. a: 16x16 bf16, b: 16x8 bf16, d: 16x8 f32, in the fragments of PTX.
GPU_FN void gpu_mma_bf16(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Loads four 8x8 matrices of 16-bit numbers. Lane 8 i + r gives the address of row r of matrix i.
GPU_FN void gpu_ldmatrix_x4(uint32_t (&r)[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(gpu_shared_address(row))
                 : "memory");
}

GPU_FN void gpu_ldmatrix_x4_trans(uint32_t (&r)[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(gpu_shared_address(row))
                 : "memory");
}

// Copies 16 bytes to shared memory: the first `valid` (0 to 16) from global memory, zeros for the rest.
GPU_FN void gpu_cp_async16(void *shared, const void *global, int valid) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(gpu_shared_address(shared)), "l"(global),
                 "r"(valid)
                 : "memory");
}

GPU_FN void gpu_cp_async_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int n> GPU_FN void gpu_cp_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
}

GPU_FN uint32_t gpu_pack_bf16(float low, float high) {
    uint32_t r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
}

GPU_FN float gpu_exp2(float x) {
    float r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

GPU_FN float gpu_log2(float x) {
    float r;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

// Keeps x in a register, so that nvcc does not compute it again at each use.
GPU_FN void gpu_keep(int &x) {
    asm volatile("" : "+r"(x));
}

// A kernel must ask for more than 48 KB of shared memory.
template <typename... P, typename... A>
cudaError_t gpu_launch_now(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, A... args) {
    if (shared > 48 * 1024) {
        const cudaError_t error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared));
        if (error != cudaSuccess) return error;
    }
    kernel<<<grid, block, shared, stream>>>(args...);
    return cudaGetLastError();
}

#else
#include <emulator.h>
#endif

// Launches that are recorded (graph.cu). gpu_note() takes down bytes of which a launch is made. After all of them
// gpu_skips() says whether the launch is not to be made, and then sets *error to what its launcher returns.
extern bool gpu_is_noted;
void gpu_note(const void *bytes, size_t count);
bool gpu_skips(cudaError_t *error);

// Bytes between the members of a struct are arbitrary. Where no compiler clears them, equal launches may look
// different.
template <typename T> void gpu_note_part(T part) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&part);
#endif
#endif
    gpu_note(&part, sizeof part);
}

template <typename... T> bool gpu_note_all(cudaError_t *error, const T &...parts) {
    if (!gpu_is_noted) return false;
    (gpu_note_part(parts), ...);
    return gpu_skips(error);
}

template <typename... P, typename... A>
cudaError_t gpu_launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, A... args) {
    cudaError_t error;
    if (gpu_note_all(&error, kernel, grid, block, shared, args...)) return error;
    return gpu_launch_now(kernel, grid, block, shared, stream, args...);
}

// Sums and maxima over a warp, in one order. Every lane gets the result.
GPU_FN float gpu_warp_sum(float x) {
    for (int i = 16; i > 0; i >>= 1) x += __shfl_xor_sync(0xffffffffu, x, i);
    return x;
}

GPU_FN double gpu_warp_sum(double x) {
    for (int i = 16; i > 0; i >>= 1) x += __shfl_xor_sync(0xffffffffu, x, i);
    return x;
}

GPU_FN float gpu_warp_max(float x) {
    for (int i = 16; i > 0; i >>= 1) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, i));
    return x;
}

#endif
