// SPDX-License-Identifier: MIT
// Attention on Hopper's warpgroups (FlashAttention-3's order: Shah et al., 2024). A thread block takes 64 queries of
// one head. One warp sends for keys and values, boxes of the tensor memory accelerator in two stages each. Four warps
// make the products (wgmma): scores of the next tile while they add values of this one, and its softmax meanwhile.
// Scores never leave registers. Code for other GPUs is empty, and leaves some functions unused.
#include "kernels/cuda/attention_wgmma.h"

#include "kernels/cuda/attention_mask.h"
#include "kernels/cuda/attention_tile.h"
#include "kernels/cuda/attention_write.h"
#include "kernels/cuda/gpu_sm90.h"

#include <stdlib.h>
#include <string.h>

namespace {

enum { T = 64, STAGES = 2, WARPS = T / 16, CONSUMERS = WARPS * GW_CUDA_WARP, THREADS = CONSUMERS + GW_CUDA_WARP };

// Numbers lie in boxes of 64 rows of at most 128 bytes, whose chunks of 16 bytes are exchanged row by row.
template <int D> constexpr int WIDTH = D < 64 ? D : 64; // of a box, in numbers
template <int D> constexpr gpu_swizzle SWIZZLE = D < 64 ? GPU_SWIZZLE_64 : GPU_SWIZZLE_128;
template <int D> constexpr int TILE_BYTES = T *D *int(sizeof(uint16_t));
// Blocks that a multiprocessor has room for, which registers are to leave.
template <int D> [[maybe_unused]] constexpr int BLOCKS = D == 128 ? 2 : 3;

template <int D> struct tile { uint16_t number[T * D]; };
template <int D> struct shared_memory {
    tile<D> query, key[STAGES], value[STAGES];
    gpu_barrier query_is_there, key_is_there[STAGES], key_is_read[STAGES], value_is_there[STAGES],
        value_is_read[STAGES];
    gpu_barrier rest_is_zero;
};

struct maps {
    gpu_map query, key, value;
};

// Of the two rows that a lane holds a fourth of.
template <int D> struct running {
    gpu_sums<D> out;
    float most[2], sum[2];
};

template <int D> GPU_FN void load_tile(tile<D> &to, const gpu_map *map, int64_t row, int head, gpu_barrier &b) {
    gpu_barrier_expect(b, TILE_BYTES<D>);
#pragma unroll
    for (int c = 0; c < D; c += WIDTH<D>) gpu_load_box(to.number + c * T, map, head * D + c, int(row), b);
}

// Tile n of keys, or of values, into its stage, when tile n - STAGES has been read there.
template <int D>
GPU_FN void load_stage(tile<D> (&to)[STAGES], gpu_barrier (&is_there)[STAGES], gpu_barrier (&is_read)[STAGES], int n,
                       const gpu_map *map, int64_t row, int head) {
    gpu_barrier_wait(is_read[n % STAGES], n / STAGES % 2 ^ 1);
    load_tile(to[n % STAGES], map, row, head, is_there[n % STAGES]);
}

// One thread: keys come a tile before the values, as they are read.
template <int D>
GPU_FN void send_for_all(shared_memory<D> &s, const maps &map, const gpu_job &job, int query, int head) {
    load_tile(s.query, &map.query, job.query_begin + query, head, s.query_is_there);
    gpu_tiles now = gpu_tiles_of<GW_CUDA_QUERIES>(job.graph, query);
    if (now.at >= now.last) return;
    int64_t row = job.key_begin + gpu_other_of<GW_CUDA_QUERIES>(job.graph, now);
    load_stage(s.key, s.key_is_there, s.key_is_read, 0, &map.key, row, head);
    for (int n = 0; now.at < now.last; n++) {
        const int64_t of_values = row;
        now = gpu_next_tile(job.graph, now, T);
        if (now.at < now.last) {
            row = job.key_begin + gpu_other_of<GW_CUDA_QUERIES>(job.graph, now);
            load_stage(s.key, s.key_is_there, s.key_is_read, n + 1, &map.key, row, head);
        }
        load_stage(s.value, s.value_is_there, s.value_is_read, n, &map.value, of_values, head);
    }
}

// z = q k^T
template <int D> GPU_FN void ask_for_scores(gpu_sums<T> &z, const tile<D> &query, const tile<D> &key) {
    constexpr int ROW = WIDTH<D> * int(sizeof(uint16_t));
    auto matrix = [](const tile<D> &t, int column) {
        return gpu_matrix(t.number + column / WIDTH<D> * WIDTH<D> * T + column % WIDTH<D>, 16, 8 * ROW, SWIZZLE<D>);
    };
    gpu_wgmma<false>(z.of, matrix(query, 0), matrix(key, 0));
#pragma unroll
    for (int k = 16; k < D; k += 16) gpu_wgmma<true>(z.of, matrix(query, k), matrix(key, k));
    gpu_wgmma_commit();
}

// out += p v
template <int D>
GPU_FN void ask_for_values(gpu_sums<D> &out, const uint32_t (&weights)[T / 16][4], const tile<D> &value) {
    constexpr int ROW = WIDTH<D> * int(sizeof(uint16_t));
#pragma unroll
    for (int k = 0; k < T / 16; k++)
        gpu_wgmma_add(out.of, weights[k], gpu_matrix(value.number + k * 16 * WIDTH<D>, T * ROW, 8 * ROW, SWIZZLE<D>));
    gpu_wgmma_commit();
}

// A lane of each warp tells that the warp has read it.
[[maybe_unused]] GPU_FN void give_back(gpu_barrier &is_read) {
    if (gpu_lane() == 0) gpu_barrier_arrive(is_read);
}

// Values behind the sequence's end are another one's: their weights are 0, but 0 times infinity is not.
template <int D> GPU_FN void clear_rest(tile<D> &value, int rows, gpu_barrier &is_zero, int &times) {
    constexpr int CHUNKS = WIDTH<D> / 8;
    for (int c = 0; c < D; c += WIDTH<D>)
        for (int i = max(rows, 0) * CHUNKS + int(threadIdx.x); i < T * CHUNKS; i += CONSUMERS)
            reinterpret_cast<uint4 *>(value.number + c * T)[i] = {0, 0, 0, 0};
    gpu_fence_async();
    gpu_barrier_arrive(is_zero);
    gpu_barrier_wait(is_zero, times++ % 2);
}

// Scores in base 2 of a tile; none of keys that are not read.
[[maybe_unused]] GPU_FN void scale_scores(gpu_sums<T> &z, const gpu_mma_attention &p, const gpu_job &job,
                                          const gpu_tiles &at, int query) {
    const int key = gpu_other_of<GW_CUDA_QUERIES>(job.graph, at);
    const float scale = p.a.scale * GPU_LOG2_E;
    const float more = job.graph.log_multiplicity ? job.graph.log_multiplicity[at.at] * GPU_LOG2_E : 0.0f;
#pragma unroll
    for (int j = 0; j < T / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) z.of[j][i] = z.of[j][i] * scale + more;
    const gpu_edge edge = gpu_edge_of(job.graph, at.at);
    if (key + T > job.keys || !gpu_edge_reads_all(edge, query, T, key, T))
        gpu_mask_keys(z, edge, query + gpu_warp_row(), key, job.keys);
}

// Scores become weights; `shrink` is what takes sums so far to their base.
template <int D> GPU_FN void take_softmax(gpu_sums<T> &z, running<D> &row, float (&shrink)[2]) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float high = row.most[h];
#pragma unroll
        for (int j = 0; j < T / 8; j++) high = fmaxf(high, fmaxf(z.of[j][2 * h], z.of[j][2 * h + 1]));
        high = gpu_quad_max(high);
        const float base = high == GPU_NONE ? 0.0f : high;
        shrink[h] = gpu_exp2(row.most[h] - base);
        row.most[h] = high;
        row.sum[h] *= shrink[h];
#pragma unroll
        for (int j = 0; j < T / 8; j++) {
            z.of[j][2 * h] = gpu_exp2(z.of[j][2 * h] - base);
            z.of[j][2 * h + 1] = gpu_exp2(z.of[j][2 * h + 1] - base);
            row.sum[h] += z.of[j][2 * h] + z.of[j][2 * h + 1];
        }
    }
}

// As the left operand of the next product.
[[maybe_unused]] GPU_FN void round_weights(uint32_t (&weights)[T / 16][4], const gpu_sums<T> &z) {
#pragma unroll
    for (int k = 0; k < T / 16; k++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float(&of)[4] = z.of[2 * k + i / 2];
            weights[k][i] = gpu_pack_bf16(of[2 * (i % 2)], of[2 * (i % 2) + 1]);
        }
}

// What four warps make of the tiles that come.
template <int D>
GPU_FN void add_all(shared_memory<D> &s, const gpu_mma_attention &p, const gpu_job &job, int query, running<D> &row) {
    gpu_tiles now = gpu_tiles_of<GW_CUDA_QUERIES>(job.graph, query);
    gpu_barrier_wait(s.query_is_there, 0);
    if (now.at >= now.last) return;
    gpu_sums<T> z;
    uint32_t weights[T / 16][4];
    float shrink[2];
    int cleared = 0;
    auto need_values = [&](int n, const gpu_tiles &at) {
        gpu_barrier_wait(s.value_is_there[n % STAGES], n / STAGES % 2);
        const int rows = job.keys - gpu_other_of<GW_CUDA_QUERIES>(job.graph, at);
        if (rows < T) clear_rest(s.value[n % STAGES], rows, s.rest_is_zero, cleared);
    };

    gpu_barrier_wait(s.key_is_there[0], 0);
    gpu_wgmma_fence();
    ask_for_scores(z, s.query, s.key[0]);
    gpu_wgmma_wait<0>();
    gpu_pin(z.of);
    give_back(s.key_is_read[0]);
    scale_scores(z, p, job, now, query);
    take_softmax(z, row, shrink); // sums so far are zeros
    round_weights(weights, z);

    int n = 0;
    for (gpu_tiles next = gpu_next_tile(job.graph, now, T); next.at < next.last;
         next = gpu_next_tile(job.graph, now, T), n++) {
        const int of_next = (n + 1) % STAGES;
        gpu_barrier_wait(s.key_is_there[of_next], (n + 1) / STAGES % 2);
        need_values(n, now);
        gpu_pin(row.out.of), gpu_pin(weights), gpu_pin(z.of);
        gpu_wgmma_fence();
        ask_for_scores(z, s.query, s.key[of_next]);
        ask_for_values(row.out, weights, s.value[n % STAGES]);
        gpu_wgmma_wait<1>(); // for the scores
        gpu_pin(z.of);
        give_back(s.key_is_read[of_next]);
        scale_scores(z, p, job, next, query);
        take_softmax(z, row, shrink);
        gpu_wgmma_wait<0>(); // for the values
        gpu_pin(row.out.of), gpu_pin(weights);
        give_back(s.value_is_read[n % STAGES]);
#pragma unroll
        for (int j = 0; j < D / 8; j++)
#pragma unroll
            for (int i = 0; i < 4; i++) row.out.of[j][i] *= shrink[i / 2];
        round_weights(weights, z);
        now = next;
    }
    need_values(n, now);
    gpu_pin(row.out.of), gpu_pin(weights);
    gpu_wgmma_fence();
    ask_for_values(row.out, weights, s.value[n % STAGES]);
    gpu_wgmma_wait<0>(); // for the last values
    gpu_pin(row.out.of);
}

template <int D> GPU_FN void make_barriers(shared_memory<D> &s) {
    gpu_barrier_init(s.query_is_there, 1);
    gpu_barrier_init(s.rest_is_zero, CONSUMERS);
    for (int i = 0; i < STAGES; i++) {
        gpu_barrier_init(s.key_is_there[i], 1);
        gpu_barrier_init(s.value_is_there[i], 1);
        gpu_barrier_init(s.key_is_read[i], WARPS);
        gpu_barrier_init(s.value_is_read[i], WARPS);
    }
    gpu_fence_async();
}

template <int D>
__global__ void __launch_bounds__(THREADS, BLOCKS<D>)
    attention_wgmma(const gpu_mma_attention p, const __grid_constant__ maps map) {
    if constexpr (GPU_WARPGROUPS) {
        typedef shared_memory<D> memory;
        GPU_SHARED(memory, s);
        const gpu_job_tile work = gpu_job_tile_of(p.jobs, T);
        const gpu_job &job = *work.job;
        const int head = work.head, query = work.tile;
        if (threadIdx.x == 0) make_barriers(s);
        __syncthreads();
        if (threadIdx.x >= CONSUMERS) {
            if (threadIdx.x == CONSUMERS) send_for_all(s, map, job, query, head);
            return;
        }
        running<D> row = {{}, {GPU_NONE, GPU_NONE}, {0.0f, 0.0f}};
        add_all(s, p, job, query, row);
        gpu_write_queries(p, job, row.out, row.most, row.sum, query + gpu_warp_row(), head);
    }
}

bool is_wanted() {
    if (const char *asked = getenv("GODWIT_WGMMA")) return strcmp(asked, "1") == 0;
    static int passed = -1; // not known
    if (passed < 0) passed = gw_cuda_has_passed("wgmma sm_90");
    return passed;
}

} // namespace

bool gw_wgmma_attention_is_on(const gpu_mma_attention *p) {
    return gw_mma_forward_tile(&p->a) == T && is_wanted() && gpu_has_warpgroups(gw_cuda_architectures());
}

gw_status gw_wgmma_attention_launch(const gpu_mma_attention *p) {
    if (p->jobs.tiles == 0) return GW_OK;
    return gpu_with_head<T>(p->a.head_size, [p](auto shape) {
        constexpr int D = decltype(shape)::head;
        auto make = [p](gpu_map *map, const uint16_t *from, int64_t rows) {
            return gw_cuda_status(gpu_map_boxes(map, from, rows, p->stride, p->stride, T, WIDTH<D>, SWIZZLE<D>),
                                  "attention");
        };
        maps map;
        GW_TRY(make(&map.query, p->query, p->a.query_rows));
        GW_TRY(make(&map.key, p->key, p->a.key_rows));
        GW_TRY(make(&map.value, p->value, p->a.key_rows));
        return gpu_launch_jobs("attention", attention_wgmma<D>, THREADS, sizeof(shared_memory<D>), *p, map);
    });
}
