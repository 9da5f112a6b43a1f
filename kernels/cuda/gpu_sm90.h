// SPDX-License-Identifier: MIT
// The part of gpu.h for Hopper (sm_90a): matrix instructions of a warpgroup (wgmma), barriers in shared memory
// (mbarrier), and the tensor memory accelerator (TMA), which copies boxes of a matrix to shared memory. All are
// asynchronous. PTX ISA 8.0, "Asynchronous Warpgroup Level Matrix Instructions", "mbarrier", "cp.async.bulk.tensor".
// In code for other GPUs GPU_WARPGROUPS is false.
//
// The emulator checks these rules. A fence lies between an access of registers (sums or operands) and the product that
// takes them. Until the group is waited for, nobody touches these registers or overwrites operands in shared memory.
// gpu_fence_async() lies between a thread's store to shared memory and the barrier after which a product reads it.
#ifndef GW_KERNELS_CUDA_GPU_SM90_H
#define GW_KERNELS_CUDA_GPU_SM90_H

#include "kernels/cuda/gpu.h"

// In rows of this many bytes of shared memory chunks of 16 bytes are exchanged by the number of the row. The values are
// those of matrix descriptors.
enum gpu_swizzle { GPU_SWIZZLE_NONE, GPU_SWIZZLE_128, GPU_SWIZZLE_64, GPU_SWIZZLE_32 };

struct gpu_barrier {
    uint64_t state;
};

#if defined(__CUDACC__)
#include <cuda.h>
#include <string.h>

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool GPU_WARPGROUPS = true;
#else
constexpr bool GPU_WARPGROUPS = false;
#endif

typedef CUtensorMap gpu_map;

#define GPU_FOUR(d, j) "+f"((d)[j][0]), "+f"((d)[j][1]), "+f"((d)[j][2]), "+f"((d)[j][3])
#define GPU_SIXTEEN(d, j) GPU_FOUR(d, j), GPU_FOUR(d, j + 1), GPU_FOUR(d, j + 2), GPU_FOUR(d, j + 3)
#define GPU_NAMES_16 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define GPU_NAMES_32 GPU_NAMES_16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define GPU_NAMES_64                                                                                                   \
    GPU_NAMES_32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"                                    \
                 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"

// d = a b^T, or with `adds` d += a b^T. a: 64x16, b: Nx16, both bf16 in shared memory with contiguous rows.
template <bool adds> GPU_FN void gpu_wgmma(float (&d)[8][4], uint64_t a, uint64_t b) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" GPU_NAMES_32 "}, %32, %33, p, 1, 1, 0, 0;\n}"
                 : GPU_SIXTEEN(d, 0), GPU_SIXTEEN(d, 4)
                 : "l"(a), "l"(b), "n"(int(adds)));
}

// d += a b. a: 64x16 bf16 in registers, 16 rows a warp, in the fragments of mma.sync m16n8k16. b: 16xN in shared memory
// with contiguous rows.
GPU_FN void gpu_wgmma_add(float (&d)[4][4], const uint32_t (&a)[4], uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {" GPU_NAMES_16
                 "}, {%16,%17,%18,%19}, %20, 1, 1, 1, 1;"
                 : GPU_SIXTEEN(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
GPU_FN void gpu_wgmma_add(float (&d)[8][4], const uint32_t (&a)[4], uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" GPU_NAMES_32
                 "}, {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"
                 : GPU_SIXTEEN(d, 0), GPU_SIXTEEN(d, 4)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
GPU_FN void gpu_wgmma_add(float (&d)[16][4], const uint32_t (&a)[4], uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" GPU_NAMES_64
                 "}, {%64,%65,%66,%67}, %68, 1, 1, 1, 1;"
                 : GPU_SIXTEEN(d, 0), GPU_SIXTEEN(d, 4), GPU_SIXTEEN(d, 8), GPU_SIXTEEN(d, 12)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

GPU_FN void gpu_wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
GPU_FN void gpu_wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int n> GPU_FN void gpu_wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory");
}

// Keeps the compiler from moving an access of these registers across this point. It does not know of asynchronous use.
template <int n> GPU_FN void gpu_pin(float (&d)[n][4]) {
#pragma unroll
    for (int j = 0; j < n; j++) asm volatile("" : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])::"memory");
}
template <int n> GPU_FN void gpu_pin(uint32_t (&a)[n][4]) {
#pragma unroll
    for (int j = 0; j < n; j++) asm volatile("" : "+r"(a[j][0]), "+r"(a[j][1]), "+r"(a[j][2]), "+r"(a[j][3])::"memory");
}

// A phase ends after `count` arrivals, when the bytes that they expect have come.
GPU_FN void gpu_barrier_init(gpu_barrier &b, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(gpu_shared_address(&b)), "r"(count) : "memory");
}
GPU_FN void gpu_barrier_arrive(gpu_barrier &b) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(gpu_shared_address(&b)) : "memory");
}
GPU_FN void gpu_barrier_expect(gpu_barrier &b, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(gpu_shared_address(&b)), "r"(bytes)
                 : "memory");
}
// Waits until the phase of that parity has ended: 0 for the first, 1 for the second. Parity 1 does not wait before the
// first phase has ended.
GPU_FN void gpu_barrier_wait(gpu_barrier &b, int parity) {
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra DONE;\n"
                 "bra AGAIN;\nDONE:\n}" ::"r"(gpu_shared_address(&b)),
                 "r"(parity)
                 : "memory");
}

// Orders stores of this thread to shared memory (also the init of a barrier) before asynchronous accesses.
GPU_FN void gpu_fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// One thread calls it. Copies the map's box that begins at this column and row, with zeros outside of the matrix. The
// barrier counts its bytes.
GPU_FN void gpu_load_box(void *shared, const gpu_map *map, int column, int row, gpu_barrier &b) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            gpu_shared_address(shared)),
        "l"(map), "r"(gpu_shared_address(&b)), "r"(column), "r"(row)
        : "memory");
}

// ---- host

// Whether the GPU in use has warpgroups and the plugin, which has code for `architectures`, has code for them.
inline bool gpu_has_warpgroups(const char *architectures) {
    int device = 0, major = 0;
    if (cudaGetDevice(&device) != cudaSuccess) return false;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) return false;
    return major == 9 && strstr(architectures, "sm_90a");
}

// Describes boxes of a bf16 matrix whose rows are `stride` numbers apart. The driver's function is found at run time,
// since the plugin is not linked with the driver.
inline cudaError_t gpu_map_boxes(gpu_map *map, const uint16_t *from, int64_t rows, int64_t columns, int64_t stride,
                                 int box_rows, int box_columns, gpu_swizzle how) {
    typedef CUresult encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                            const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                            CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
#else
    const cudaError_t error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result);
#endif
    if (error != cudaSuccess) return error;
    if (result != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
    const CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                           CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_32B};
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, strides[] = {cuuint64_t(stride) * 2};
    const cuuint32_t box[] = {cuuint32_t(box_columns), cuuint32_t(box_rows)}, steps[] = {1, 1};
    const CUresult made =
        reinterpret_cast<encode *>(found)(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<uint16_t *>(from), size,
                                          strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzles[how],
                                          CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return made == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

#else
#include <emulator_sm90.h>
#endif

// The descriptor of a matrix in shared memory. For gpu_wgmma: `stride` bytes from 8 rows to the next 8 rows; `leading`
// bytes from 8 columns to the next 8 columns (only without a swizzle). For b of gpu_wgmma_add: `stride` bytes from 8
// rows to the next 8 rows, `leading` bytes from the columns of one swizzle to the next; without a swizzle these two are
// exchanged.
GPU_FN uint64_t gpu_matrix(const void *start, int leading, int stride, gpu_swizzle how) {
    return uint64_t(gpu_shared_address(start) & 0x3ffff) >> 4 | uint64_t(leading >> 4) << 16 |
           uint64_t(stride >> 4) << 32 | uint64_t(how) << 62;
}

#endif
