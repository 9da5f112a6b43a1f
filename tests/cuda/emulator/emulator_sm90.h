// SPDX-License-Identifier: MIT
// Emulates the CUDA parts of kernels/cuda/gpu_sm90.h as late as PTX allows. A product and its sums appear when a warp
// waits for its group. A box lands when no thread can go on without it (with EMU_ORDER=random sometimes earlier). A use
// that PTX leaves undefined is a fault.
#ifndef GW_EMULATOR_SM90_H
#define GW_EMULATOR_SM90_H

#include "emulator.h"

constexpr bool GPU_WARPGROUPS = true;
#define __grid_constant__

struct gpu_map {
    const char *from;
    int64_t rows, columns, stride; // stride in bytes
    int box_rows, box_columns, swizzle;
    uint32_t made;
};

// The product of one instruction. d: N / 8 times 4 sums of each lane. a: registers, or NULL if a is a matrix.
struct emu_wgmma_call {
    float *d;
    const uint32_t *a;
    uint64_t a_matrix, b_matrix;
    int n;
    bool turned, adds; // turned: a row of b has one k, not one n
};
void emu_wgmma(emu_site site, const emu_wgmma_call &call);
void emu_wgmma_fence(emu_site site);
void emu_wgmma_commit(emu_site site);
void emu_wgmma_wait(emu_site site, int left);

// Products of warps so far, for tests.
extern "C" __attribute__((visibility("default"))) long emu_warpgroup_products(void);

template <bool adds> inline void gpu_wgmma(float (&d)[8][4], uint64_t a, uint64_t b, EMU_HERE) {
    emu_wgmma({"wgmma", file, line}, {d[0], nullptr, a, b, 64, false, adds});
}
template <int n> inline void gpu_wgmma_add(float (&d)[n][4], const uint32_t (&a)[4], uint64_t b, EMU_HERE) {
    emu_wgmma({"wgmma", file, line}, {d[0], a, 0, b, 8 * n, true, true});
}
inline void gpu_wgmma_fence(EMU_HERE) {
    emu_wgmma_fence({"wgmma.fence", file, line});
}
inline void gpu_wgmma_commit(EMU_HERE) {
    emu_wgmma_commit({"wgmma.commit_group", file, line});
}
template <int n> inline void gpu_wgmma_wait(EMU_HERE) {
    emu_wgmma_wait({"wgmma.wait_group", file, line}, n);
}
template <typename T, int n> inline void gpu_pin(T (&)[n][4]) {}

void emu_barrier_init(emu_site site, gpu_barrier *b, int count);
void emu_barrier_arrive(emu_site site, gpu_barrier *b, int bytes);
void emu_barrier_wait(emu_site site, gpu_barrier *b, int parity);
void emu_fence_async();
void emu_load_box(emu_site site, void *shared, const gpu_map *map, int column, int row, gpu_barrier *b);
uint32_t gpu_shared_address(const void *p);

inline void gpu_barrier_init(gpu_barrier &b, int count, EMU_HERE) {
    emu_barrier_init({"mbarrier.init", file, line}, &b, count);
}
inline void gpu_barrier_arrive(gpu_barrier &b, EMU_HERE) {
    emu_barrier_arrive({"mbarrier.arrive", file, line}, &b, 0);
}
inline void gpu_barrier_expect(gpu_barrier &b, int bytes, EMU_HERE) {
    emu_barrier_arrive({"mbarrier.arrive.expect_tx", file, line}, &b, bytes);
}
inline void gpu_barrier_wait(gpu_barrier &b, int parity, EMU_HERE) {
    emu_barrier_wait({"mbarrier.try_wait", file, line}, &b, parity);
}
inline void gpu_fence_async() {
    emu_fence_async();
}
inline void gpu_load_box(void *shared, const gpu_map *map, int column, int row, gpu_barrier &b, EMU_HERE) {
    emu_load_box({"cp.async.bulk.tensor", file, line}, shared, map, column, row, &b);
}

inline bool gpu_has_warpgroups(const char *) {
    return true;
}
cudaError_t gpu_map_boxes(gpu_map *map, const uint16_t *from, int64_t rows, int64_t columns, int64_t stride,
                          int box_rows, int box_columns, gpu_swizzle how);

#endif
