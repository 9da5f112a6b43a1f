// SPDX-License-Identifier: MIT
// All sequences of an attention op in one launch: a table of them in scratch memory, which the arguments of small
// kernels carry there (no copy that the host would wait for), and for each tile of rows the entry it belongs to.
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
    int tiles, heads;       // heads: of each job
};

// Of tiles of the side's rows. Floats of scratch memory that they take, a multiple of 16.
int64_t gw_cuda_jobs_floats(const gw_attention_args *args, int tile, gw_cuda_side side);
gw_status gw_cuda_write_jobs(const gw_attention_args *args, int tile, gw_cuda_side side, float *scratch, gpu_jobs *to);

#endif
