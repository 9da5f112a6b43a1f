// SPDX-License-Identifier: MIT
// A few random rows are repeated over a tile, so that one product of each height has every row at many positions: the
// number of rows has no common factor with the row blocks of kernels. Sums in another order often round to the same
// bits, and a position shows one row in a product. Narrow products are therefore repeated with other rows until each
// position has given enough numbers.
#include "kernels/cpu/matmul/tile_heights.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { DISTINCT = 7, NUMBERS = 128 /* of a place, at least */ };

float *gw_tile_memory(int64_t count) {
    float *memory = malloc((size_t)count * sizeof *memory);
    if (!memory) gw_fail(GW_ERR_MEMORY, "out of memory: %lld numbers to try a product's tiles", (long long)count);
    return memory;
}

void gw_tile_random(uint64_t seed, float *to, int64_t count) {
    uint64_t state = seed;
    for (int64_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t random = (uint32_t)(state >> 32), exponent = 123 + (random >> 23 & 7);
        const uint32_t bits = (random & 0x807fffff) | exponent << 23;
        memcpy(to + i, &bits, sizeof bits);
    }
}

// The numbers of row `row`, as a product reads them: bf16 are the upper halves.
static void write_row(const gw_tile_trial *trial, const float *random, int64_t row, void *to) {
    const float *from = random + row % DISTINCT * trial->k;
    if (trial->precision == GW_F32) memcpy((float *)to + row * trial->k, from, (size_t)trial->k * sizeof *from);
    else
        for (int64_t d = 0; d < trial->k; d++)
            memcpy((uint16_t *)to + row * trial->k + d, (const char *)(from + d) + 2, sizeof(uint16_t));
}

// Whether all rows of c have the bits of those of `want` [DISTINCT][columns], which are there once each.
static bool has_rows(const gw_tile_trial *trial, const float *c, int64_t rows, const float *want) {
    const size_t bytes = (size_t)trial->columns * sizeof *c;
    for (int64_t row = 0; row < rows; row++)
        if (memcmp(c + row * trial->stride, want + row % DISTINCT * trial->columns, bytes) != 0) return false;
    return true;
}

// Leaves *same heights, from the tallest on, that give these rows the same bits.
static gw_status try_rows(const gw_tile_trial *trial, uint64_t seed, float *memory, int *same) {
    const int64_t tallest = trial->rows[0];
    float *a = memory, *c = a + tallest * trial->k, *want = c + tallest * trial->stride,
          *random = want + DISTINCT * trial->columns;
    gw_tile_random(seed, random, DISTINCT * trial->k);
    for (int64_t row = 0; row < tallest; row++) write_row(trial, random, row, a);
    for (int height = 0; height < *same; height++) {
        if (trial->multiply(trial->context, height, a, c) != 0)
            return gw_fail(GW_ERR_UNSUPPORTED, "a product of %lld x %lld x %lld fails", (long long)trial->rows[height],
                           (long long)trial->columns, (long long)trial->k);
        for (int64_t row = 0; height == 0 && row < DISTINCT; row++)
            memcpy(want + row * trial->columns, c + row * trial->stride, (size_t)trial->columns * sizeof *c);
        if (!has_rows(trial, c, trial->rows[height], want)) *same = height;
    }
    return GW_OK;
}

static gw_status try_all(const gw_tile_trial *trial, float *memory, int *same) {
    *same = trial->heights;
    for (int64_t shown = 0; shown < NUMBERS; shown += trial->columns)
        GW_TRY(try_rows(trial, 1 + (uint64_t)shown, memory, same));
    return GW_OK;
}

gw_status gw_tile_heights_try(const gw_tile_trial *trial, int *same) {
    const int64_t count = (trial->rows[0] + DISTINCT) * (trial->k + trial->stride);
    float *memory = gw_tile_memory(count);
    if (!memory) return GW_ERR_MEMORY;
    const gw_status status = try_all(trial, memory, same);
    free(memory);
    return status;
}

// Answers so far; a model has few shapes.
enum { REMEMBERED = 64 };
static struct {
    gw_tile_key key;
    int same;
} remembered[REMEMBERED];
static int remembered_count;
static pthread_mutex_t remembering = PTHREAD_MUTEX_INITIALIZER;

static int recall(const gw_tile_key *key) {
    for (int i = 0; i < remembered_count; i++)
        if (memcmp(&remembered[i].key, key, sizeof *key) == 0) return i;
    return -1;
}

static gw_status try_once(const gw_tile_key *key, gw_status (*try)(const void *context, int *same), const void *context,
                          int *same) {
    const int known = recall(key);
    if (known >= 0) {
        *same = remembered[known].same;
        return GW_OK;
    }
    GW_TRY(try(context, same));
    if (remembered_count == REMEMBERED) return GW_OK;
    remembered[remembered_count].key = *key;
    remembered[remembered_count++].same = *same;
    return GW_OK;
}

gw_status gw_tile_heights(const gw_tile_key *key, gw_status (*try)(const void *context, int *same), const void *context,
                          int *same) {
    pthread_mutex_lock(&remembering);
    const gw_status status = try_once(key, try, context, same);
    pthread_mutex_unlock(&remembering);
    return status;
}
