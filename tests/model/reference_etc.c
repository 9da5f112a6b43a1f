// SPDX-License-Identifier: MIT
// ETC in double precision: a batch with the global tokens in their places before each sequence's own, and what a head
// of such a sequence reads. The defaults of the words are written down once more.
#include "reference/ref.h"
#include "reference_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RADIUS, SEGMENT, GLOBALS, DISTANCE, HARD, OWN };

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

// What a sequence of so many tokens of its own has as global token g; false: it has no more.
typedef struct {
    int64_t begin, end; // -1: of no segment
    int32_t token;
} global;

static bool global_of(const context *c, int sequence, int64_t longs, int64_t g, global *out) {
    const gw_rows *given = &c->batch->of[GW_ROWS_GLOBALS];
    const int64_t each = segment(c, longs);
    *out = (global){g * each, (g + 1) * each < longs ? (g + 1) * each : longs,
                    (int32_t)(c->config->separator >= 0 ? c->config->separator : c->config->pad)};
    if (!given->start) return g * each < longs;
    const int64_t at = given->start[sequence] + g;
    if (at >= given->start[sequence + 1]) return false;
    out->begin = given->begin[at];
    out->end = given->end[at];
    if (given->token && given->token[at] >= 0) out->token = given->token[at];
    return true;
}

static int64_t globals_of(const context *c, int sequence, int64_t longs) {
    global found;
    int64_t count = 0;
    while (global_of(c, sequence, longs, count, &found)) count++;
    return count;
}

// Of a sequence with its global tokens.
static int64_t longs_of(const context *c, int64_t rows) {
    int64_t longs = 1;
    while (longs + globals_of(c, c->sequence, longs) < rows) longs++;
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
    made.beside = zeros(2 * c->rows, sizeof *made.beside);
    for (int s = 0; s < tokens->sequences; s++) {
        const int64_t begin = tokens->start[s], end = tokens->start[s + 1];
        global of;
        for (int64_t g = 0; global_of(c, s, end - begin, g, &of); g++, at++) {
            wide->token[at] = of.token;
            made.beside[at] = true;
            made.position[at] = position[begin + (of.begin < 0 ? 0 : of.begin)];
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
    free(c->beside);
}

// A head's rows of a layer's two tables, dense.
static double *table(const context *c, int role, int layer, int head, int64_t ids, int64_t width) {
    const double *weight = reference_weight(c, (gw_role)(GW_ROLE_MIXER + role), layer, false);
    double *dense = reference_make(2 * ids * width);
    for (int64_t i = 0; i < 2 * ids; i++)
        for (int64_t d = 0; d < width; d++) dense[i * width + d] = weight[(i * c->config->heads + head) * width + d];
    return dense;
}

// Of numbers of a batch's tokens those of the sequence that reads; NULL: there are none.
static const int32_t *of_sequence(const context *c, const int32_t *token) {
    const int64_t *start = c->batch->of[GW_ROWS_TOKENS].start;
    for (int s = 0; token && s < c->sequence; s++) {
        context before = *c;
        before.sequence = s;
        token += longs_of(&before, start[s + 1] - start[s]);
    }
    return token;
}

// Whether row i reads row j of a sequence.
static bool reads(const context *c, int64_t globals, const int32_t *begin, const int32_t *end, const int32_t *part,
                  int64_t i, int64_t j) {
    if (i < globals && j < globals) return true;
    if (i < globals) return c->config->mixer_number[HARD] == 0 || begin[i] < 0 || (begin[i] <= j && j < end[i]);
    if (j < globals) return c->config->mixer_number[OWN] == 0 || begin[j] < 0 || (begin[j] <= i && i < end[j]);
    return llabs((long long)(i - j)) <= number(c, RADIUS, 84) && (!part || part[i - globals] == part[j - globals]);
}

void reference_read_etc(const context *c, int64_t count, int layer, int head, double *const part[3], double *out) {
    const int64_t size = c->config->width / c->config->heads, longs = longs_of(c, count), globals = count - longs,
                  distance = number(c, DISTANCE, 12), ids = 2 * distance + 4;
    const gw_rows *tokens = &c->batch->of[GW_ROWS_TOKENS];
    const int32_t *parts = of_sequence(c, tokens->part), *links = of_sequence(c, tokens->link);
    int32_t *begin = zeros(globals, sizeof *begin), *end = zeros(globals, sizeof *end),
            *linked = zeros(count, sizeof *linked);
    double *term = reference_make(count * count), *log_sum = reference_make(count),
           *embedding = table(c, 0, layer, head, ids, size), *bias = table(c, 1, layer, head, ids, 1);
    for (int64_t g = 0; g < globals; g++) {
        global of;
        global_of(c, c->sequence, longs, g, &of);
        begin[g] = (int32_t)(of.begin < 0 ? -1 : globals + of.begin);
        end[g] = (int32_t)(globals + of.end);
    }
    for (int64_t i = 0; i < count; i++) linked[i] = links && i >= globals ? links[i - globals] : -1;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++)
            if (!reads(c, globals, begin, end, parts, i, j)) term[i * count + j] = -INFINITY;
    const ref_relative of = {count,     globals, size,    distance, ids,     1 / sqrt((double)size),
                             begin,     end,     part[0], part[1],  part[2], term,
                             embedding, bias,    linked};
    ref_relative_attention(&of, out, log_sum);
    free(begin);
    free(end);
    free(linked);
    free(term);
    free(log_sum);
    free(embedding);
    free(bias);
}
