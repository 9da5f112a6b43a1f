// SPDX-License-Identifier: MIT
// Writes the table of sequences and the order of tiles.
#include "kernels/cuda/attention_jobs.h"

namespace {

enum { ALIGNMENT = 16 };          // floats: what lies behind the table begins there
enum { MOST = 24, THREADS = 64 }; // jobs of a launch: arguments of kernels have 4096 bytes

struct job_list {
    gpu_job job[MOST];
    int tiles[MOST], first, count;
    gpu_job *to;
    int32_t *of_tile;
};
static_assert(sizeof(job_list) <= 4096, "arguments of a kernel");

__global__ void write_jobs(job_list list) {
    const int n = int(blockIdx.x), at = list.first + n;
    if (threadIdx.x == 0) list.to[at] = list.job[n];
    for (int t = int(threadIdx.x); t < list.tiles[n]; t += THREADS) list.of_tile[list.job[n].first_tile + t] = at;
}

// Shared variables stand outside of templates, since the emulator does not see them inside.
GPU_FN int *edges_in_turn() {
    __shared__ int edges[GW_CUDA_IN_TURN];
    return edges;
}

// Each thread counts the tiles among its GW_CUDA_IN_TURN that go before its own. Equal ones keep their order.
template <gw_cuda_side side> __global__ void order_tiles(gpu_jobs jobs, int rows_of_tile, int32_t *order) {
    int *const edges = edges_in_turn();
    const int first = int(blockIdx.x) * int(blockDim.x) / GW_CUDA_IN_TURN * GW_CUDA_IN_TURN;
    const int count = min(int(GW_CUDA_IN_TURN), jobs.tiles - first);
    for (int i = int(threadIdx.x); i < count; i += int(blockDim.x)) {
        const gpu_job &job = jobs.job[jobs.of_tile[first + i]];
        edges[i] = gpu_row_edges_of<side>(job.graph, (first + i - job.first_tile) * rows_of_tile).edges;
    }
    __syncthreads();
    const int mine = int(blockIdx.x * blockDim.x + threadIdx.x) - first;
    if (mine >= count) return;
    int before = 0;
    for (int i = 0; i < count; i++) before += edges[i] > edges[mine] - (i < mine);
    order[first + before] = first + mine;
}

bool shares_graphs(const gw_attention_args *args) {
    for (int s = 0; s < args->sequences; s++)
        if (args->sequence[s].graph_step) return false;
    return true;
}

int64_t rows_of(const gw_attention_args *args, gw_cuda_side side) {
    return side == GW_CUDA_QUERIES ? args->query_rows : args->key_rows;
}

gpu_job job_of(const gw_attention_sequence *s, int head, int first_tile) {
    gpu_job job = {*s->graphs[head * s->graph_step],
                   s->query_begin,
                   s->key_begin,
                   int(s->query_count),
                   int(s->key_count),
                   head,
                   first_tile};
    return job;
}

gw_status send(job_list &list) {
    const gw_status status = gw_cuda_launch("attention", write_jobs, list.count, THREADS, list);
    list.first += list.count;
    list.count = 0;
    return status;
}

gw_status add(job_list &list, const gpu_job &job, int tiles) {
    list.job[list.count] = job;
    list.tiles[list.count++] = tiles;
    return list.count == MOST ? send(list) : GW_OK;
}

int64_t job_floats(const gw_attention_args *args) {
    return int64_t(args->sequences) * args->heads * int64_t(sizeof(gpu_job) / sizeof(float));
}

int64_t most_tiles(const gw_attention_args *args, int tile, gw_cuda_side side) {
    return args->heads * (rows_of(args, side) / tile + args->sequences);
}

} // namespace

int64_t gw_cuda_jobs_floats(const gw_attention_args *args, int tile, gw_cuda_side side) {
    return gw_cuda_divide(job_floats(args) + 2 * most_tiles(args, tile, side), ALIGNMENT) * ALIGNMENT;
}

gw_status gw_cuda_write_jobs(const gw_attention_args *args, int tile, gw_cuda_side side, float *scratch, gpu_jobs *to) {
    job_list list = {};
    list.to = reinterpret_cast<gpu_job *>(scratch);
    list.of_tile = reinterpret_cast<int32_t *>(scratch + job_floats(args));
    int32_t *order = list.of_tile + most_tiles(args, tile, side);
    *to = {list.to, list.of_tile, order, 0, shares_graphs(args) ? args->heads : 1};
    for (int s = 0; s < args->sequences; s++)
        for (int head = 0; head < args->heads; head += to->heads) {
            const gpu_job job = job_of(&args->sequence[s], head, to->tiles);
            const int tiles = int(gw_cuda_divide(side == GW_CUDA_QUERIES ? job.queries : job.keys, tile));
            to->tiles += tiles;
            GW_TRY(add(list, job, tiles));
        }
    GW_TRY(send(list));
    return gw_cuda_launch_elements("attention",
                                   side == GW_CUDA_QUERIES ? order_tiles<GW_CUDA_QUERIES> : order_tiles<GW_CUDA_KEYS>,
                                   to->tiles, *to, tile, order);
}
