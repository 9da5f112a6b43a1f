// SPDX-License-Identifier: MIT
// Writes the table of sequences.
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

} // namespace

int64_t gw_cuda_jobs_floats(const gw_attention_args *args, int tile, gw_cuda_side side) {
    const int64_t floats = job_floats(args) + args->heads * (rows_of(args, side) / tile + args->sequences);
    return gw_cuda_divide(floats, ALIGNMENT) * ALIGNMENT;
}

gw_status gw_cuda_write_jobs(const gw_attention_args *args, int tile, gw_cuda_side side, float *scratch, gpu_jobs *to) {
    job_list list = {};
    list.to = reinterpret_cast<gpu_job *>(scratch);
    list.of_tile = reinterpret_cast<int32_t *>(scratch + job_floats(args));
    *to = {list.to, list.of_tile, 0, shares_graphs(args) ? args->heads : 1};
    for (int s = 0; s < args->sequences; s++)
        for (int head = 0; head < args->heads; head += to->heads) {
            const gpu_job job = job_of(&args->sequence[s], head, to->tiles);
            const int tiles = int(gw_cuda_divide(side == GW_CUDA_QUERIES ? job.queries : job.keys, tile));
            to->tiles += tiles;
            GW_TRY(add(list, job, tiles));
        }
    return send(list);
}
