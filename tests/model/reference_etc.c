// SPDX-License-Identifier: MIT
// ETC in double precision: a batch with the global tokens in their places before each sequence's own, and what a head
// of such a sequence reads. The defaults of the words are written down once more.
#include "reference/ref.h"
#include "reference_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RADIUS, SEGMENT, GLOBALS, DISTANCE, HARD };

static int64_t number(const context *c, int word, int64_t usual) {
    const int64_t given = c->config->mixer_number[word];
    return given > 0 ? given : usual;
}

// Tokens of a segment where a sequence has so many of its own.
static int64_t segment(const context *c, int64_t longs) {
    int64_t each = number(c, SEGMENT, 32);
    while ((longs + each - 1) / each > number(c, GLOBALS, 256)) each++;
    return each;
}

static int64_t globals_of(const context *c, int64_t longs) {
    const int64_t each = segment(c, longs);
    return (longs + each - 1) / each;
}

// Of a sequence with its global tokens.
static int64_t longs_of(const context *c, int64_t rows) {
    int64_t longs = 1;
    while (longs + globals_of(c, longs) < rows) longs++;
    return longs;
}

static void *zeros(int64_t count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert(memory);
    return memory;
}

context reference_etc_begin(const context *c, const int32_t *position, gw_batch *batch, int32_t *row) {
    const gw_rows *tokens = &c->batch->of[GW_ROWS_TOKENS];
    gw_rows *wide = &batch->of[GW_ROWS_TOKENS];
    context made = *c;
    int64_t at = 0;
    *batch = *c->batch;
    wide->first = 2 * tokens->first;
    wide->start = zeros(tokens->sequences, sizeof *wide->start);
    wide->token = zeros(2 * c->rows, sizeof *wide->token);
    made.position = zeros(2 * c->rows, sizeof *made.position);
    made.segment = zeros(2 * c->rows, sizeof *made.segment);
    for (int64_t s = 0; s < tokens->sequences; s++) {
        const int64_t begin = tokens->start[s], end = tokens->start[s + 1], each = segment(c, end - begin);
        for (int64_t i = begin; i < end; i += each, at++) {
            wide->token[at] = (int32_t)(c->config->separator >= 0 ? c->config->separator : c->config->pad);
            made.position[at] = position[i];
        }
        for (int64_t i = begin; i < end; i++, at++) {
            wide->token[at] = tokens->token[i];
            made.position[at] = position[i];
            made.segment[at] = c->segment[i];
            row[i] = (int32_t)at;
        }
        wide->start[s + 1] = at;
    }
    made.batch = batch;
    made.rows = at;
    return made;
}

void reference_etc_end(context *c) {
    free(c->batch->of[GW_ROWS_TOKENS].start);
    free(c->batch->of[GW_ROWS_TOKENS].token);
    free(c->position);
    free(c->segment);
}

// A head's rows of a layer's two tables, dense.
static double *table(const context *c, int role, int layer, int head, int64_t ids, int64_t width) {
    const double *weight = reference_weight(c, (gw_role)(GW_ROLE_MIXER + role), layer, false);
    double *dense = reference_make(2 * ids * width);
    for (int64_t i = 0; i < 2 * ids; i++)
        for (int64_t d = 0; d < width; d++) dense[i * width + d] = weight[(i * c->config->heads + head) * width + d];
    return dense;
}

void reference_read_etc(const context *c, int64_t count, int layer, int head, double *const part[3], double *out) {
    const int64_t size = c->config->width / c->config->heads, longs = longs_of(c, count), globals = count - longs,
                  each = segment(c, longs), distance = number(c, DISTANCE, 12), ids = 2 * distance + 4,
                  radius = number(c, RADIUS, 84);
    int32_t *begin = zeros(globals, sizeof *begin), *end = zeros(globals, sizeof *end);
    double *term = reference_make(count * count), *log_sum = reference_make(count),
           *embedding = table(c, 0, layer, head, ids, size), *bias = table(c, 1, layer, head, ids, 1);
    for (int64_t g = 0; g < globals; g++) {
        begin[g] = (int32_t)(globals + g * each);
        end[g] = (int32_t)(begin[g] + each);
    }
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = globals; j < count; j++) {
            const bool beyond = i >= globals && llabs((long long)(i - j)) > radius;
            const bool foreign = i < globals && c->config->mixer_number[HARD] > 0 && (j - globals) / each != i;
            if (beyond || foreign) term[i * count + j] = -INFINITY;
        }
    const ref_relative of = {count,   globals, size, distance,  ids, 1 / sqrt((double)size), begin, end, part[0],
                             part[1], part[2], term, embedding, bias};
    ref_relative_attention(&of, out, log_sum);
    free(begin);
    free(end);
    free(term);
    free(log_sum);
    free(embedding);
    free(bias);
}
