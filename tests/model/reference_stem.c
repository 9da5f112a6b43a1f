// SPDX-License-Identifier: MIT
// A stem once more: each part from the rows of one resolution to those of the next, a sequence at a time.
#include "reference/ref.h"
#include "reference_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const gw_stem_layer *part_of(const context *c, int part) {
    return &c->config->stem.part[part];
}

// Rows of a level of sequence s, and those of the sequences before it.
static int64_t rows_of(const context *c, int level, int s) {
    const int64_t *start = c->batch->of[GW_ROWS_TOKENS].start;
    const int64_t factor = level > 0 ? c->config->stem.factor[level] : 1;
    return (start[s + 1] - start[s] + factor - 1) / factor;
}

int64_t reference_level_begin(const context *c, int level, int sequence) {
    int64_t begin = 0;
    for (int s = 0; s < sequence; s++) begin += rows_of(c, level, s);
    return begin;
}

static int sequences(const context *c) {
    return (int)c->batch->of[GW_ROWS_TOKENS].sequences;
}

static double *taps_of(const context *c, gw_role role, int index, const double *x) {
    const gw_stem_layer *part = part_of(c, index);
    const double *weight = reference_weight(c, role, index, false), *bias = reference_weight(c, role, index, true);
    const int64_t in = part->in, out = part->width;
    double *y = reference_make(reference_level_begin(c, part->level, sequences(c)) * out);
    for (int s = 0; s < sequences(c); s++) {
        const int64_t begin = reference_level_begin(c, part->level, s), rows = rows_of(c, part->level, s);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t o = 0; o < out; o++) {
                double sum = bias[o];
                for (int t = 0; t < part->taps; t++) {
                    const int64_t at = r + (int64_t)(t - part->taps / 2) * part->dilation;
                    for (int64_t i = 0; at >= 0 && at < rows && i < in; i++)
                        sum += weight[(t * out + o) * in + i] * x[(begin + at) * in + i];
                }
                y[(begin + r) * out + o] = sum;
            }
    }
    return y;
}

static double *convolve(const context *c, int index, const double *x) {
    const gw_stem_layer *part = part_of(c, index);
    double *y = taps_of(c, GW_ROLE_STEM_CONVOLUTION, index, x);
    reference_activate(c->config->activation, reference_level_begin(c, part->level, sequences(c)) * part->width, y);
    return y;
}

static void normalise(const context *c, gw_role role, int index, int64_t rows, double *x) {
    double *moments = reference_make(2 * rows);
    ref_layer_norm(rows, part_of(c, index)->width, c->config->epsilon, x, reference_weight(c, role, index, false),
                   reference_weight(c, role, index, true), x, moments, moments + rows);
    free(moments);
}

static double *copy(int64_t count, const double *x) {
    return memcpy(reference_make(count), x, (size_t)count * sizeof *x);
}

static double *added(int64_t count, double *x, const double *y) {
    for (int64_t i = 0; i < count; i++) x[i] += y[i];
    return x;
}

static double *residual(const context *c, int index, const double *x) {
    const gw_stem_layer *part = part_of(c, index);
    const int64_t rows = reference_level_begin(c, part->level, sequences(c)), width = part->width, wide = part->wide;
    double *in = copy(rows * width, x);
    normalise(c, GW_ROLE_STEM_NORM, index, rows, in);
    double *sum = added(rows * width, convolve(c, index, in), x);
    memcpy(in, sum, (size_t)(rows * width) * sizeof *in);
    normalise(c, GW_ROLE_STEM_OUTPUT_NORM, index, rows, in);
    double *inner = reference_linear(c, GW_ROLE_STEM_FEED_FORWARD, index, rows, width, wide, in);
    reference_activate(c->config->activation, rows * wide, inner);
    double *out = reference_linear(c, GW_ROLE_STEM_OUTPUT, index, rows, wide, width, inner);
    added(rows * width, out, sum);
    free(in);
    free(sum);
    free(inner);
    return out;
}

static double *linear(const context *c, gw_role role, int index, int64_t in, int64_t out, const double *x) {
    return reference_linear(c, role, index, reference_level_begin(c, part_of(c, index)->level, sequences(c)), in, out,
                            x);
}

static double *gpn(const context *c, int index, const double *x) {
    const gw_stem_layer *part = part_of(c, index);
    const int64_t rows = reference_level_begin(c, part->level, sequences(c)), width = part->width;
    double *in = copy(rows * width, x);
    normalise(c, GW_ROLE_STEM_NORM, index, rows, in);
    double *mixed = convolve(c, index, in);
    double *sum = added(rows * width, linear(c, GW_ROLE_STEM_MIX, index, width, width, mixed), x);
    memcpy(in, sum, (size_t)(rows * width) * sizeof *in);
    normalise(c, GW_ROLE_STEM_OUTPUT_NORM, index, rows, in);
    double *inner = linear(c, GW_ROLE_STEM_FEED_FORWARD, index, width, part->wide, in);
    reference_activate(c->config->activation, rows * part->wide, inner);
    double *out = added(rows * width, linear(c, GW_ROLE_STEM_OUTPUT, index, part->wide, width, inner), sum);
    free(in);
    free(mixed);
    free(sum);
    free(inner);
    return out;
}

static double *convnet(const context *c, int index, const double *x) {
    const gw_stem_layer *part = part_of(c, index);
    const int64_t rows = reference_level_begin(c, part->level, sequences(c)), width = part->width;
    double *sum = convolve(c, index, x);
    normalise(c, GW_ROLE_STEM_NORM, index, rows, sum);
    added(rows * width, sum, x);
    double *out = linear(c, GW_ROLE_STEM_FEED_FORWARD, index, width, width, sum);
    reference_activate(c->config->activation, rows * width, out);
    normalise(c, GW_ROLE_STEM_OUTPUT_NORM, index, rows, out);
    added(rows * width, out, sum);
    free(sum);
    return out;
}

static double *unit(const context *c, int index, const double *x) {
    const gw_stem_layer *part = part_of(c, index);
    const int64_t rows = reference_level_begin(c, part->level, sequences(c)), width = part->width;
    const double slope = part->kind == GW_STEM_LEAKY_UNIT ? 0.1 : 0.0;
    double *in = copy(rows * width, x);
    ref_affine(rows, width, slope, in, reference_weight(c, GW_ROLE_STEM_NORM, index, false),
               reference_weight(c, GW_ROLE_STEM_NORM, index, true), in);
    double *inner = taps_of(c, GW_ROLE_STEM_CONVOLUTION, index, in);
    ref_affine(rows, width, slope, inner, reference_weight(c, GW_ROLE_STEM_OUTPUT_NORM, index, false),
               reference_weight(c, GW_ROLE_STEM_OUTPUT_NORM, index, true), inner);
    double *out = added(rows * width, taps_of(c, GW_ROLE_STEM_SECOND, index, inner), x);
    free(in);
    free(inner);
    return out;
}

// The sum of skips up to this one; x goes on.
static double *skip(const context *c, int index, const double *x, double **sum) {
    const int64_t rows = reference_level_begin(c, 0, sequences(c)), width = part_of(c, index)->width;
    double *y = reference_linear(c, GW_ROLE_STEM_OUTPUT, index, rows, width, width, x);
    if (*sum) added(rows * width, y, *sum);
    free(*sum);
    *sum = y;
    return copy(rows * width, x);
}

// Row i of `fine` belongs to row i / factor of `coarse`.
static double *pool(const context *c, int index, const double *fine) {
    const gw_stem_layer *part = part_of(c, index);
    const int64_t width = part->width;
    const bool largest = part->kind == GW_STEM_MAX_POOL;
    double *coarse = reference_make(reference_level_begin(c, part->level, sequences(c)) * width);
    for (int s = 0; s < sequences(c); s++) {
        const int64_t from = reference_level_begin(c, part->level - 1, s), rows = rows_of(c, part->level - 1, s);
        double *to = coarse + reference_level_begin(c, part->level, s) * width;
        for (int64_t i = 0; i < rows * width; i++) {
            const int64_t row = i / width, first = row / part->factor * part->factor,
                          left = rows - first < part->factor ? rows - first : part->factor;
            double *cell = &to[row / part->factor * width + i % width];
            if (!largest) *cell += fine[from * width + i] / (double)left;
            else if (row == first || fine[from * width + i] > *cell) *cell = fine[from * width + i];
        }
    }
    return coarse;
}

static double *unpool(const context *c, int index, const double *coarse, const double *skip) {
    const gw_stem_layer *part = part_of(c, index);
    const int64_t width = part->width;
    double *fine = copy(reference_level_begin(c, part->level, sequences(c)) * width, skip);
    for (int s = 0; s < sequences(c); s++) {
        const double *from = coarse + reference_level_begin(c, part->level + 1, s) * width;
        double *to = fine + reference_level_begin(c, part->level, s) * width;
        for (int64_t i = 0; i < rows_of(c, part->level, s) * width; i++)
            to[i] += from[i / width / part->factor * width + i % width];
    }
    return fine;
}

static double *positions(const context *c, int index, const double *x) {
    const gw_stem_layer *part = part_of(c, index);
    const double *table = reference_weight(c, GW_ROLE_STEM_PLACE, index, false);
    double *y = copy(reference_level_begin(c, part->level, sequences(c)) * part->width, x);
    for (int s = 0; s < sequences(c); s++) {
        double *row = y + reference_level_begin(c, part->level, s) * part->width;
        for (int64_t i = 0; i < rows_of(c, part->level, s) * part->width; i++) row[i] += table[i];
    }
    return y;
}

double *reference_stem(const context *c, int begin, int end, double *x, double *skips[GW_STEM_LEVELS]) {
    for (int i = begin; i < end; i++) {
        const gw_stem_layer *part = part_of(c, i);
        double *y;
        switch (part->kind) {
        case GW_STEM_CONVOLUTION: y = convolve(c, i, x); break;
        case GW_STEM_RESIDUAL: y = residual(c, i, x); break;
        case GW_STEM_UNIT:
        case GW_STEM_LEAKY_UNIT: y = unit(c, i, x); break;
        case GW_STEM_GPN: y = gpn(c, i, x); break;
        case GW_STEM_CONVNET: y = convnet(c, i, x); break;
        case GW_STEM_SKIP: y = skip(c, i, x, &skips[0]); break;
        case GW_STEM_POSITIONS: y = positions(c, i, x); break;
        case GW_STEM_UNPOOL: y = unpool(c, i, x, skips[part->level + 1]); break;
        default: y = pool(c, i, x);
        }
        const bool kept = part->kind == GW_STEM_MAX_POOL || part->kind == GW_STEM_MEAN_POOL;
        if (kept) skips[part->level] = x;
        else free(x);
        x = y;
    }
    if (begin == end || end < c->config->stem.count || !skips[0]) return x;
    double *sum = skips[0];
    skips[0] = NULL;
    free(x);
    return sum;
}
