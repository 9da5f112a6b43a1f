// SPDX-License-Identifier: MIT
// numpy's generator and the two plans that draw from it, by the padded length L of n blocks. Both plans consume one
// generator seeded with the layer; a row is the head of a permutation of its candidates.
//
// Fixed plan, for L = 1,024, 3,072 and 4,096 (google also 2,048), the lengths of the paper's runs: the table is drawn
// for the whole model (max_positions; google: 4,096) from candidates among its first 1,024 tokens, head by head, then
// cut to n.
//
// Ranged plan, for all other lengths: row by row with heads innermost, from ranges of blocks,
//   n > 2 r + 5:  r blocks of [0, 2 r + 5)                              transformers has only this one, because
//   n >   r + 5:  r / 2 of [0, r + 5), and r - r / 2 of [r + 5, n)      shorter inputs get full attention there
//   else:         r of [0, n)
//
// A row with a single candidate lists it r times, as numpy's assignment does. Fewer candidates than r are an error
// there.
#include "graph/bigbird.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>

// MT19937 (Matsumoto and Nishimura, ACM TOMACS 8, 1998): the 19,937-bit recurrence
//   x[k + 624] = x[k + 397] ^ twist(high bit of x[k], low 31 bits of x[k + 1])
// The functions above it do what numpy's RandomState does with its words.
enum { MIDDLE = 397 };

void gw_numpy_seed(gw_numpy_random *random, uint32_t seed) {
    random->word[0] = seed;
    for (uint32_t i = 1; i < GW_NUMPY_WORDS; i++) {
        const uint32_t last = random->word[i - 1];
        random->word[i] = 1812433253u * (last ^ last >> 30) + i;
    }
    random->used = GW_NUMPY_WORDS;
}

static void refill(gw_numpy_random *random) {
    uint32_t *x = random->word;
    for (int k = 0; k < GW_NUMPY_WORDS; k++) {
        const uint32_t joined = (x[k] & 0x80000000u) | (x[(k + 1) % GW_NUMPY_WORDS] & 0x7fffffffu);
        x[k] = x[(k + MIDDLE) % GW_NUMPY_WORDS] ^ joined >> 1 ^ (joined & 1 ? 0x9908b0dfu : 0);
    }
    random->used = 0;
}

uint32_t gw_numpy_u32(gw_numpy_random *random) {
    if (random->used == GW_NUMPY_WORDS) refill(random);
    uint32_t y = random->word[random->used++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

// Draws under the next 2^k - 1 until one is not above max.
uint32_t gw_numpy_interval(gw_numpy_random *random, uint32_t max) {
    if (max == 0) return 0;
    const uint32_t mask = UINT32_MAX >> __builtin_clz(max);
    for (;;) {
        const uint32_t draw = gw_numpy_u32(random) & mask;
        if (draw <= max) return draw;
    }
}

void gw_numpy_shuffle(gw_numpy_random *random, int32_t *values, int count) {
    for (int i = count - 1; i > 0; i--) {
        const uint32_t j = gw_numpy_interval(random, (uint32_t)i);
        const int32_t kept = values[i];
        values[i] = values[j];
        values[j] = kept;
    }
}

enum {
    FIXED_REACH = 1024,      // tokens that the fixed plan draws from
    GOOGLE_POSITIONS = 4096, // that google's fixed plan draws for, whatever the model's
    LEAST_BLOCKS = 4,        // rows 0, 1, n - 2 and n - 1 are written out one by one
};

// A table being drawn.
typedef struct {
    const gw_bigbird_shape *shape;
    gw_numpy_random random;
    int32_t *candidates; // room for a permutation
    int32_t *table;
} drawing;

static int append_range(int32_t *list, int count, int first, int last) {
    for (int block = first; block <= last; block++) list[count++] = block;
    return count;
}

// Stores `wanted` blocks of a row at `at` of its list; `found` of them are in d->candidates. Rows past the input are
// drawn for the generator's sake.
static gw_status store(drawing *d, int head, int row, int at, int wanted, int found) {
    const gw_bigbird_shape *s = d->shape;
    const int rows = s->blocks - 2;
    if (found < wanted && found != 1)
        return gw_fail(GW_ERR_UNSUPPORTED, "%d blocks of %d tokens: row %d has %d candidates for %d of them", s->blocks,
                       s->block, row, found, wanted);
    if (row > rows) return GW_OK;
    int32_t *drawn = d->table + ((int64_t)head * rows + row - 1) * s->random + at;
    for (int k = 0; k < wanted; k++) {
        drawn[k] = d->candidates[found == 1 ? 0 : k];
        if (drawn[k] >= s->blocks)
            return gw_fail(GW_ERR_UNSUPPORTED, "%d blocks of %d tokens: row %d draws block %d, past the input's end",
                           s->blocks, s->block, row, drawn[k]);
    }
    return GW_OK;
}

static int64_t fixed_positions(const gw_bigbird_shape *s) {
    return s->google ? GOOGLE_POSITIONS : s->max_positions;
}

// Candidates stand in the implementations' order. The last two rows of the model keep the blocks of their own window
// among them, because the published models were trained that way.
static gw_status draw_fixed(drawing *d) {
    const gw_bigbird_shape *s = d->shape;
    const int model_blocks = (int)(fixed_positions(s) / s->block);
    const int reach = FIXED_REACH > 2 * s->block ? FIXED_REACH / s->block - 1 : model_blocks - 1;
    const int last = (int)gw_min(reach, model_blocks - 2);
    for (int head = 0; head < s->heads; head++) {
        for (int row = 1; row < model_blocks - 1; row++) {
            const bool at_end = row >= model_blocks - 3;
            int count = append_range(d->candidates, 0, 1, at_end ? last : (int)gw_min(row - 2, last));
            if (!at_end) count = append_range(d->candidates, count, row + 2, last);
            gw_numpy_shuffle(&d->random, d->candidates, count);
            GW_TRY(store(d, head, row, 0, s->random, count));
        }
    }
    return GW_OK;
}

// Rows [row, row_end) draw `wanted` of the blocks [begin, end) each, stored from `at` on. A row must not draw its
// window, the first block of all and the last of the range, and the two blocks that complete the window of the range's
// first and last but one row.
static gw_status draw_rows(drawing *d, int row, int row_end, int begin, int end, int at, int wanted) {
    for (; wanted > 0 && row < row_end; row++) {
        for (int head = 0; head < d->shape->heads; head++) {
            gw_numpy_shuffle(&d->random, d->candidates, append_range(d->candidates, 0, begin, end - 1));
            int found = 0;
            for (int k = 0; k < end - begin && found < wanted; k++) {
                const int block = d->candidates[k];
                const bool barred = abs(block - row) <= 1 || block == 0 || block == end - 1 ||
                                    (row == 1 && block == end - 2) || (row == end - 2 && block == 1);
                if (!barred) d->candidates[found++] = block;
            }
            GW_TRY(store(d, head, row, at, wanted, found));
        }
    }
    return GW_OK;
}

static gw_status draw_ranged(drawing *d) {
    const int n = d->shape->blocks, r = d->shape->random;
    if (n > 2 * r + 5) return draw_rows(d, 1, n - 1, 0, 2 * r + 5, 0, r);
    if (n <= r + 5) return draw_rows(d, 1, n, 0, n, 0, r);
    const int middle = r + 5, half = r / 2;
    GW_TRY(draw_rows(d, 1, middle, 0, middle, 0, half));
    GW_TRY(draw_rows(d, 1, middle, middle, n, half, r - half));
    GW_TRY(draw_rows(d, middle, n, 0, middle, 0, half));
    return draw_rows(d, middle, n, middle, n, half, r - half);
}

gw_status gw_bigbird_check(const gw_bigbird_shape *shape) {
    if (shape->random < 1)
        return gw_fail(GW_ERR_UNSUPPORTED, "BigBird's sparse attention needs at least 1 random block a row, found %d",
                       shape->random);
    if (shape->blocks <= shape->max_positions / shape->block) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "an input of %d blocks of %d tokens does not fit a model of %lld positions",
                   shape->blocks, shape->block, (long long)shape->max_positions);
}

gw_status gw_bigbird_table(const gw_bigbird_shape *shape, int32_t **table) {
    *table = NULL;
    GW_TRY(gw_bigbird_check(shape));
    if (shape->blocks < LEAST_BLOCKS)
        return gw_fail(GW_ERR_UNSUPPORTED, "BigBird's sparse attention needs at least %d blocks, found %d of %d tokens",
                       LEAST_BLOCKS, shape->blocks, shape->block);
    const int64_t tokens = (int64_t)shape->blocks * shape->block;
    const bool fixed = tokens == 1024 || tokens == 3072 || tokens == 4096 || (shape->google && tokens == 2048);
    const int64_t most = fixed ? fixed_positions(shape) / shape->block : shape->blocks;
    drawing d = {.shape = shape};
    d.table = gw_alloc((int64_t)shape->heads * (shape->blocks - 2) * shape->random, sizeof *d.table);
    d.candidates = gw_alloc(most, sizeof *d.candidates);
    gw_status status = d.table && d.candidates ? GW_OK : GW_ERR_MEMORY;
    gw_numpy_seed(&d.random, (uint32_t)shape->layer);
    if (status == GW_OK) status = fixed ? draw_fixed(&d) : draw_ranged(&d);
    free(d.candidates);
    if (status == GW_OK) {
        *table = d.table;
        return GW_OK;
    }
    free(d.table);
    return gw_fail_in(status, "%s has no random blocks for this input",
                      shape->google ? "google-research/bigbird" : "transformers");
}
