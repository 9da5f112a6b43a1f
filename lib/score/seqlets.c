// SPDX-License-Identifier: MIT
// Tails of the null model, p of each span, and selection of disjoint spans.
#include "score/seqlets.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 1000 };

typedef struct {
    const gw_seqlet_options *options;
    double sign, least, width; // of a bin
    double *tail;              // [longest + 1][BINS * longest + 1] P(sum of so many draws >= bin)
    // of a sequence
    int64_t *bins;    // [length + 1] sums of bins
    double *p;        // [longest + 1][length] the largest p over the ends of a start so far
    double *inside;   // [longest + 1][length + 1] the largest of all spans within one
    bool *taken;      // [length]
    gw_seqlet *found; // [length] candidates of a length
} finder;

static double value_of(const finder *f, const float *values, int64_t at) {
    return isfinite(values[at]) ? f->sign * (double)values[at] : 0;
}

static int64_t bin_of(const finder *f, double value) {
    const double bin = floor((double)(float)(value - f->least) / f->width); // as float32 arrays are
    return bin < 0 ? 0 : bin > BINS - 1 ? BINS - 1 : (int64_t)bin;
}

static const double *tail_of(const finder *f, int64_t draws) {
    return f->tail + draws * (BINS * f->options->longest + 1);
}

// The distribution of sums of 1, 2 ... draws from the histogram, and its tails, summed from the top.
static gw_status find_tails(finder *f, const float *const *values, const int64_t *lengths, int64_t count) {
    const int64_t longest = f->options->longest, wide = BINS * longest;
    double histogram[BINS] = {0}, all = 0;
    double *sums = gw_alloc(2 * wide, sizeof *sums);
    f->tail = gw_alloc((longest + 1) * (wide + 1), sizeof *f->tail);
    if (!sums || !f->tail) {
        free(sums);
        return GW_ERR_MEMORY;
    }
    for (int64_t s = 0; s < count; s++)
        for (int64_t i = 0; i < lengths[s]; i++, all++) histogram[bin_of(f, value_of(f, values[s], i))]++;
    for (int b = 0; b < BINS; b++) histogram[b] /= all;
    double *before = sums, *now = sums + wide;
    memcpy(now, histogram, sizeof histogram);
    for (int64_t draws = 1; draws <= longest; draws++) {
        if (draws > 1) {
            double *last = now;
            now = before;
            before = last;
            memset(now, 0, (size_t)wide * sizeof *now);
            for (int64_t i = 0; i < BINS * (draws - 1); i++)
                for (int b = 0; before[i] > 0 && b < BINS; b++) now[i + b] += before[i] * histogram[b];
        }
        double *tail = f->tail + draws * (wide + 1);
        for (int64_t i = BINS * draws - 1; i >= 0; i--) tail[i] = tail[i + 1] + now[i];
    }
    free(sums);
    return GW_OK;
}

static int by_p(const void *a, const void *b) {
    const gw_seqlet *x = a, *y = b;
    if (x->p != y->p) return x->p < y->p ? -1 : 1;
    if (x->sequence != y->sequence) return x->sequence < y->sequence ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static gw_status find_in(finder *f, const float *values, int64_t sequence, int64_t length, gw_seqlets *out) {
    const gw_seqlet_options *o = f->options;
    for (int64_t i = 0; i < length; i++) f->bins[i + 1] = f->bins[i] + bin_of(f, value_of(f, values, i));
    const int64_t longest = gw_min(o->longest, length);
    for (int64_t n = o->shortest; n <= longest; n++)
        for (int64_t k = 0; k + n <= length; k++) {
            const double own = tail_of(f, n)[f->bins[k + n] - f->bins[k]];
            const double before = n > o->shortest ? f->p[(n - 1) * length + k] : 0;
            const double within = n > o->shortest ? f->inside[(n - 1) * (length + 1) + k + 1] : 0;
            f->p[n * length + k] = fmax(own, before);
            f->inside[n * (length + 1) + k] = fmax(f->p[n * length + k], within);
        }
    memset(f->taken, 0, (size_t)length * sizeof *f->taken);
    for (int64_t n = longest; n >= o->shortest; n--) {
        int64_t candidates = 0;
        for (int64_t k = 0; k + n <= length; k++)
            if (f->inside[n * (length + 1) + k] < o->threshold)
                f->found[candidates++] = (gw_seqlet){sequence, k, k + n, 0, f->p[n * length + k]};
        qsort(f->found, (size_t)candidates, sizeof *f->found, by_p);
        for (int64_t c = 0; c < candidates; c++) {
            gw_seqlet *s = &f->found[c];
            bool apart = true;
            for (int64_t i = s->begin; i < s->end; i++) apart = apart && !f->taken[i];
            if (!apart) continue;
            for (int64_t i = s->begin; i < s->end; i++) {
                f->taken[i] = true;
                s->sum += f->sign * value_of(f, values, i);
            }
            s->p = tail_of(f, n)[f->bins[s->end] - f->bins[s->begin]];
            GW_TRY(gw_reserve(&out->items, &out->capacity, out->count + 1, sizeof *out->items));
            out->items[out->count++] = *s;
        }
    }
    return GW_OK;
}

static gw_status find_signed(finder *f, const float *const *values, const int64_t *lengths, int64_t count,
                             gw_seqlets *out) {
    double high = -INFINITY;
    int64_t most = 0;
    f->least = INFINITY;
    for (int64_t s = 0; s < count; s++) {
        most = gw_max(most, lengths[s]);
        for (int64_t i = 0; i < lengths[s]; i++) {
            f->least = fmin(f->least, value_of(f, values[s], i));
            high = fmax(high, value_of(f, values[s], i));
        }
    }
    if (!(high > f->least)) return GW_OK;
    f->width = (double)(float)(high - f->least) / (BINS - 1);
    const int64_t first = out->count, rows = f->options->longest + 1;
    f->bins = gw_alloc(most + 1, sizeof *f->bins);
    f->p = gw_alloc(rows * most, sizeof *f->p);
    f->inside = gw_alloc(rows * (most + 1), sizeof *f->inside);
    f->taken = gw_alloc(most, sizeof *f->taken);
    f->found = gw_alloc(most, sizeof *f->found);
    gw_status status = f->bins && f->p && f->inside && f->taken && f->found ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = find_tails(f, values, lengths, count);
    for (int64_t s = 0; status == GW_OK && s < count; s++) status = find_in(f, values[s], s, lengths[s], out);
    free(f->tail);
    free(f->bins);
    free(f->p);
    free(f->inside);
    free(f->taken);
    free(f->found);
    if (status == GW_OK && out->count > first)
        qsort(out->items + first, (size_t)(out->count - first), sizeof *out->items, by_p);
    return status;
}

gw_status gw_seqlets_find(const float *const *values, const int64_t *lengths, int64_t count,
                          const gw_seqlet_options *options, gw_seqlets *out) {
    const int64_t first = out->count;
    finder f = {.options = options, .sign = 1};
    GW_TRY(find_signed(&f, values, lengths, count, out));
    const int64_t positive = out->count;
    f = (finder){.options = options, .sign = -1};
    GW_TRY(find_signed(&f, values, lengths, count, out));
    int64_t kept = positive;
    for (int64_t i = positive; i < out->count; i++) {
        const gw_seqlet s = out->items[i];
        bool apart = true;
        for (int64_t k = first; k < positive; k++)
            apart = apart && !(out->items[k].sequence == s.sequence && out->items[k].begin < s.end &&
                               s.begin < out->items[k].end);
        if (apart) out->items[kept++] = s;
    }
    out->count = kept;
    return GW_OK;
}

void gw_seqlets_free(gw_seqlets *seqlets) {
    free(seqlets->items);
    *seqlets = (gw_seqlets){0};
}
