// SPDX-License-Identifier: MIT
// Rotary positions, in place: rotates the pairs (x_j, x_j+h) of each head's first 2h values by the angle of (position,
// j).
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/vector.h"

enum { GRAIN = 16 };

static void turn_head(float *head, int64_t half, const float *cosine, const float *sine, float direction) {
    for (int64_t j = 0; j < half; j += GW_LANES) {
        const int64_t left = half - j;
        const gw_f32v c = gw_load_some(cosine + j, left), s = direction * gw_load_some(sine + j, left);
        const gw_f32v x = gw_load_some(head + j, left), y = gw_load_some(head + half + j, left);
        gw_store_some(head + j, x * c - y * s, left);
        gw_store_some(head + half + j, y * c + x * s, left);
    }
}

static void turn_rows(void *context, int64_t begin, int64_t end, int thread) {
    const gw_rotary_args *args = context;
    const int64_t half = args->rotary / 2;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        const int64_t angles = args->position[row] * half;
        for (int head = 0; head < args->heads; head++)
            turn_head(args->data + row * args->stride + head * args->head_size, half, args->cosine + angles,
                      args->sine + angles, args->inverse ? -1.0f : 1.0f);
    }
}

gw_status GW_KERNEL(rotary)(const gw_rotary_args *args) {
    gw_parallel_for(args->rows, GRAIN, turn_rows, (void *)args);
    return GW_OK;
}
