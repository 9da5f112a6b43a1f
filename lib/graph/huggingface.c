// SPDX-License-Identifier: MIT
// Two plans. Inputs of 1,024, 3,072 and 4,096 padded tokens use the fixed plan of the paper's runs: the table is drawn
// for the whole model (max_positions) from candidates among its first 1,024 tokens, head by head, and cut to the
// input. All other lengths draw, row by row with heads innermost, from the first 5 + 2 r blocks.
// Both consume one generator seeded with the layer; a row is the head of a permutation of its candidates.
#include "graph/huggingface.h"

#include "base/memory.h"
#include "graph/numpy_random.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FIXED_REACH = 1024 }; // tokens that the fixed plan draws from

static bool is_fixed_length(int64_t tokens) {
    return tokens == 1024 || tokens == 3072 || tokens == 4096;
}

static int append_range(int32_t *list, int count, int first, int last) {
    for (int block = first; block <= last; block++) list[count++] = block;
    return count;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

// Candidates of row i under the fixed plan, in transformers' order. The last two rows of the model keep the blocks of
// their own window among them: so the published models were trained.
static int fixed_candidates(int32_t *list, int row, int model_blocks, int reach) {
    const int last = smaller(reach, model_blocks - 2);
    if (row >= model_blocks - 3) return append_range(list, 0, 1, last);
    const int count = append_range(list, 0, 1, smaller(row - 2, last));
    return append_range(list, count, row + 2, last);
}

static gw_status draw_fixed(const gw_huggingface_shape *s, gw_numpy_random *random, int32_t *candidates,
                            int32_t *table) {
    const int model_blocks = (int)(s->max_positions / s->block), rows = s->blocks - 2;
    const int reach = FIXED_REACH > 2 * s->block ? FIXED_REACH / s->block - 1 : model_blocks - 1;
    for (int head = 0; head < s->heads; head++) {
        for (int row = 1; row < model_blocks - 1; row++) {
            const int count = fixed_candidates(candidates, row, model_blocks, reach);
            if (count < s->random)
                return gw_fail(GW_ERR_UNSUPPORTED,
                               "itc with blocks of %d tokens: row %d has %d candidates for %d random blocks", s->block,
                               row, count, s->random);
            gw_numpy_shuffle(random, candidates, count);
            if (row > rows) continue; // past the input: drawn for the generator's sake
            int32_t *drawn = table + ((int64_t)head * rows + row - 1) * s->random;
            for (int k = 0; k < s->random; k++) drawn[k] = candidates[k];
        }
    }
    return GW_OK;
}

// Blocks that a row of the other plan must not draw: its window, the first and last of the plan's range, and the two
// that complete the window of the range's first and last but one row.
static bool is_barred(int block, int row, int range) {
    return abs(block - row) <= 1 || block == 0 || block == range - 1 || (row == 1 && block == range - 2) ||
           (row == range - 2 && block == 1);
}

static void draw_ranged(const gw_huggingface_shape *s, gw_numpy_random *random, int32_t *candidates, int32_t *table) {
    const int range = 5 + 2 * s->random, rows = s->blocks - 2;
    for (int row = 1; row <= rows; row++) {
        for (int head = 0; head < s->heads; head++) {
            gw_numpy_shuffle(random, candidates, append_range(candidates, 0, 0, range - 1));
            int32_t *drawn = table + ((int64_t)head * rows + row - 1) * s->random;
            for (int k = 0, taken = 0; taken < s->random; k++)
                if (!is_barred(candidates[k], row, range)) drawn[taken++] = candidates[k];
        }
    }
}

gw_status gw_huggingface_table(const gw_huggingface_shape *shape, int32_t **table) {
    const int64_t tokens = (int64_t)shape->blocks * shape->block, model_blocks = shape->max_positions / shape->block;
    *table = NULL;
    if (shape->blocks > model_blocks)
        return gw_fail(GW_ERR_RANGE, "an input of %d blocks of %d tokens does not fit a model of %lld positions",
                       shape->blocks, shape->block, (long long)shape->max_positions);
    int32_t *drawn = gw_alloc((int64_t)shape->heads * (shape->blocks - 2) * shape->random, sizeof *drawn);
    int32_t *candidates = gw_alloc(model_blocks, sizeof *candidates);
    gw_status status = drawn && candidates ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        gw_numpy_random random;
        gw_numpy_seed(&random, (uint32_t)shape->layer);
        if (is_fixed_length(tokens)) status = draw_fixed(shape, &random, candidates, drawn);
        else draw_ranged(shape, &random, candidates, drawn);
    }
    free(candidates);
    if (status == GW_OK) *table = drawn;
    else free(drawn);
    return status;
}
