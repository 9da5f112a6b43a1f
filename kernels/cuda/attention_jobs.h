// SPDX-License-Identifier: MIT
// All sequences of an attention op in one launch: a table of them in scratch memory, which the arguments of small
// kernels carry there (no copy that the host would wait for), for each tile of rows the entry it belongs to, and the
// order in which blocks of threads take tiles: of each GW_CUDA_IN_TURN tiles those with most edges first, in all heads.
// A tile of global tokens has many times the edges of others: if it began last, the GPU would wait for it alone.
#ifndef GW_KERNELS_CUDA_ATTENTION_JOBS_H
#define GW_KERNELS_CUDA_ATTENTION_JOBS_H

#include "kernels/cuda/attention_edge.h"

// A sequence, with the heads of it that read the same graph.
struct gpu_job {
    gw_graph graph;
    int64_t query_begin, key_begin;
    int queries, keys;
    int head;       // the first
    int first_tile; // tiles of the jobs before
};

struct gpu_jobs {
    const gpu_job *job;
    const int32_t *of_tile; // [tiles] index of its job
    const int32_t *order;   // [tiles] a tile for every `heads` blocks of threads
    int tiles, heads;       // heads: of each job
};

enum { GW_CUDA_IN_TURN = 1024 };

// The work of a block of threads, of which x is the head and y the turn. `tile` is the first row, counted from the
// begin of the sequence.
struct gpu_job_tile {
    const gpu_job *job;
    int head, tile;
};
GPU_FN gpu_job_tile gpu_job_tile_of(const gpu_jobs &jobs, int rows_of_tile) {
    const int tile = jobs.order[blockIdx.y];
    const gpu_job *job = jobs.job + jobs.of_tile[tile];
    return {job, job->head + int(blockIdx.x), (tile - job->first_tile) * rows_of_tile};
}

// Of tiles of the side's rows. Floats of scratch memory that they take, a multiple of 16.
int64_t gw_cuda_jobs_floats(const gw_attention_args *args, int tile, gw_cuda_side side);
gw_status gw_cuda_write_jobs(const gw_attention_args *args, int tile, gw_cuda_side side, float *scratch, gpu_jobs *to);

#endif
