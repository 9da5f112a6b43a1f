// SPDX-License-Identifier: MIT
// Draws edges pair by pair: probabilities of blocks of queries and keys as products of tiles, random words in vectors,
// and a bit for each pair.
#include "kernels/cpu/isa/attention_tile.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/philox.h"
#include "kernels/cpu/scratch.h"

enum { BLOCK = GW_DRAW_BLOCK };

typedef struct {
    const gw_draw_edges_args *args;
    gw_philox_keys keys;
    float *query, *key; // [BLOCK][clusters] rows of queries, [clusters][BLOCK] of keys, in lanes
    int64_t first_key;
    float product[BLOCK * BLOCK];
} drawing;

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// 2^31 p as whole numbers.
GW_INLINE gw_i32v thresholds(const gw_draw_edges_args *args, const float *product) {
    const gw_f32v sum = gw_load(product) + args->exploration, most = gw_all(args->most);
    const gw_f32v p = gw_select(sum > 0, gw_select(sum > most, most, sum), gw_all(0.0f));
    return __builtin_convertvector(p * 0x1p31f, gw_i32v);
}

// The bits of a query and the block's keys.
static uint64_t draw_row(const drawing *d, int64_t query, const float *product) {
    const uint64_t number = d->args->first_query + (uint64_t)query;
    uint64_t bits = 0;
    for (int64_t j = 0; j < BLOCK; j += 2 * GW_LANES) {
        const uint64_t block = (uint64_t)(d->first_key + j) / 4;
        gw_u64v words[2];
        gw_philox_words(&d->keys, number << 32 | block, (uint32_t)(number >> 32), d->args->site, words);
        for (int64_t half = 0; half < 2; half++) {
            const int64_t lane = j + half * GW_LANES;
            const gw_i32v word = (gw_i32v)((gw_u32v)words[half] >> 1);
            bits |= gw_bits(word < thresholds(d->args, product + lane)) << lane;
        }
    }
    return bits;
}

// Listed queries [begin, end), a block of them.
static void draw_block(drawing *d, int64_t begin, int64_t end) {
    const gw_draw_edges_args *args = d->args;
    const int64_t clusters = args->clusters, words = gw_bit_words(args->keys), keys = args->keys - d->first_key;
    const uint64_t inside = keys < BLOCK ? ((uint64_t)1 << keys) - 1 : ~(uint64_t)0;
    for (int64_t i = begin; i < end; i++)
        memcpy(d->query + (i - begin) * clusters, args->product + args->query[i] * args->stride,
               (size_t)clusters * sizeof(float));
    gw_tile_multiply(&(gw_tile_product){.a = d->query,
                                        .row_step = clusters,
                                        .depth_step = 1,
                                        .b = d->key,
                                        .c = d->product,
                                        .stride = BLOCK,
                                        .rows = end - begin,
                                        .depth = clusters,
                                        .width = BLOCK});
    for (int64_t i = begin; i < end; i++)
        args->bits[i * words + d->first_key / BLOCK] =
            inside & draw_row(d, args->query[i], d->product + (i - begin) * BLOCK);
}

gw_status GW_KERNEL(draw_edges)(const gw_draw_edges_args *args) {
    drawing d = {.args = args,
                 .keys = gw_philox_begin(args->seed),
                 .query = args->scratch,
                 .key = args->scratch + BLOCK * (int64_t)args->clusters};
    for (d.first_key = 0; d.first_key < args->keys; d.first_key += BLOCK) {
        gw_tile_put(d.key, BLOCK, args->key + d.first_key * args->stride, args->stride,
                    smaller(args->keys - d.first_key, BLOCK), args->clusters, 1.0f);
        for (int64_t i = 0; i < args->listed; i += BLOCK) draw_block(&d, i, smaller(i + BLOCK, args->listed));
    }
    return GW_OK;
}
