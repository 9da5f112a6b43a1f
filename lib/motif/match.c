// SPDX-License-Identifier: MIT
// Tomtom's complete score and its p-value.
#include "motif/match.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "ACGT";

void gw_motif_of_contributions(const char *bases, const float *contributions, int64_t count, double (*columns)[4]) {
    double sum = 0, largest = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(contributions[i])) sum += (double)contributions[i];
    const double sign = sum < 0 ? -1 : 1;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(contributions[i])) largest = fmax(largest, sign * (double)contributions[i]);
    for (int64_t i = 0; i < count; i++) {
        const char *letter = memchr(letters, bases[i], 4);
        const double part = letter && isfinite(contributions[i]) ? sign * (double)contributions[i] : 0;
        const double sure = part > 0 ? part / largest : 0;
        for (int a = 0; a < 4; a++) columns[i][a] = 0.25 * (1 - sure);
        if (letter) columns[i][letter - letters] += sure;
    }
}

enum { BINS = 100, MEDIAN_BINS = 1000 };

// A query of `width` columns beside the columns of all known motifs: these as they are, then their reverse complements.
typedef struct {
    const double (*query)[4];
    int width, widest; // widest: of the known motifs
    int64_t columns;
    double (*known)[4];            // [columns]
    double *distance;              // [width][columns], negative
    int16_t *bin;                  // [columns][width], 0 .. BINS
    double (*histogram)[BINS + 1]; // [width]: share of the known columns in each bin
    int64_t median;                // the bin of a column's median: what a column outside of the overlap scores
    int64_t most;                  // the largest sum of bins and medians
    // Logarithms of P(the best sum is below s), s = 0 .. most: of a motif of t < width columns; of one of t >= width
    // without the offsets where the query lies inside, and of one such offset.
    double **below, *edges, *inside;
} comparison;

static void free_comparison(comparison *c) {
    for (int t = 0; c->below && t <= c->widest; t++) free(c->below[t]);
    free(c->known);
    free(c->distance);
    free(c->bin);
    free(c->histogram);
    free(c->below);
    free(c->edges);
    free(c->inside);
}

static gw_status make_comparison(comparison *c, const gw_motifs *known, const double (*query)[4], int width) {
    *c = (comparison){.query = query, .width = width};
    if (width < 1 || width > GW_MOTIF_WIDEST)
        return gw_fail(GW_ERR_RANGE, "a matrix of %d columns cannot be matched (1 to %d)", width, GW_MOTIF_WIDEST);
    bool zero = true;
    for (int i = 0; i < width; i++)
        for (int a = 0; a < 4; a++) {
            if (!isfinite(query[i][a])) return gw_fail(GW_ERR_RANGE, "column %d of a matrix is not finite", i + 1);
            zero = zero && query[i][a] == 0;
        }
    if (zero) return gw_fail(GW_ERR_RANGE, "a matrix of zeros is like no motif");
    int64_t half = 0;
    for (int64_t m = 0; m < known->count; m++) {
        half += known->items[m].width;
        if (known->items[m].width > c->widest) c->widest = known->items[m].width;
    }
    c->columns = 2 * half;
    c->known = gw_alloc(c->columns, sizeof *c->known);
    c->distance = gw_alloc(c->columns * width, sizeof *c->distance);
    c->bin = gw_alloc(c->columns * width, sizeof *c->bin);
    c->histogram = gw_alloc(width, sizeof *c->histogram);
    c->below = gw_alloc(c->widest + 1, sizeof *c->below);
    if (!c->known || !c->distance || !c->bin || !c->histogram || !c->below) return GW_ERR_MEMORY;
    int64_t at = 0;
    for (int64_t m = 0; m < known->count; m++) {
        const gw_motif *motif = &known->items[m];
        for (int j = 0; j < motif->width; j++)
            for (int a = 0; a < 4; a++) {
                c->known[at + j][a] = motif->columns[j][a];
                c->known[half + at + j][a] = motif->columns[motif->width - 1 - j][3 - a];
            }
        at += motif->width;
    }
    return GW_OK;
}

// The median to the mean of its bin, one of MEDIAN_BINS between the smallest and the largest value.
static double binned_median(const double *values, int64_t count, double low, double high) {
    if (high == low) return low;
    int64_t held[MEDIAN_BINS] = {0}, seen = 0;
    double sums[MEDIAN_BINS] = {0};
    for (int64_t i = 0; i < count; i++) {
        const int z = (int)((values[i] - low) / (high - low) * (MEDIAN_BINS - 1));
        held[z]++;
        sums[z] += values[i];
    }
    int z = 0;
    while (seen += held[z], 2 * seen < count) z++;
    return sums[z] / (double)held[z];
}

// Distances of the query's columns from all known ones, less their medians, in bins that are as wide for every column.
static void bin_distances(comparison *c) {
    double medians[GW_MOTIF_WIDEST], least = INFINITY, most = -INFINITY;
    for (int i = 0; i < c->width; i++) {
        const double *x = c->query[i], norm = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
        double *row = c->distance + i * c->columns, low = INFINITY, high = -INFINITY;
        for (int64_t j = 0; j < c->columns; j++) {
            const double *y = c->known[j];
            double z = norm + (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
            for (int a = 0; a < 4; a++) z -= 2 * x[a] * y[a];
            row[j] = z > 0 ? -sqrt(z) : 0;
            low = fmin(low, row[j]), high = fmax(high, row[j]);
        }
        medians[i] = binned_median(row, c->columns, low, high);
        least = fmin(least, low - medians[i]), most = fmax(most, high - medians[i]);
    }
    const double origin = floor(least), scale = floor(BINS / fmax(most - origin, 1));
    c->median = (int64_t)(-origin * scale);
    c->most = c->width * (BINS + c->median);
    for (int i = 0; i < c->width; i++) {
        const double *row = c->distance + i * c->columns, from = medians[i] + origin;
        for (int64_t j = 0; j < c->columns; j++) {
            const int bin = (int)floor((row[j] - from) * scale + 0.5);
            c->histogram[i][bin] += 1 / (double)c->columns;
            c->bin[j * c->width + i] = (int16_t)bin;
        }
    }
}

// Adds a column's histogram to the sum of `length` columns, whose probabilities are pdf[0 .. length * BINS].
static void add_column(double *pdf, int length, const double *histogram, double *scratch) {
    const int64_t bins = (int64_t)length * BINS;
    memset(scratch, 0, (size_t)(bins + BINS + 1) * sizeof *scratch);
    for (int64_t k = 0; k <= bins; k++) {
        if (pdf[k] == 0) continue;
        for (int b = 0; b <= BINS; b++) scratch[k + b] += pdf[k] * histogram[b];
    }
    memcpy(pdf, scratch, (size_t)(bins + BINS + 1) * sizeof *scratch);
}

// below[s] += log P(the sum of these columns, and medians for the others, is below s). Sums from the right keep small
// tails to their last digit.
static void multiply_below(const comparison *c, const double *pdf, int length, double *below) {
    const int64_t bins = (int64_t)length * BINS, shift = c->median * (c->width - length);
    double tail = 0;
    for (int64_t k = bins; k > 0; k--) {
        tail += pdf[k];
        if (tail > 0) below[k + shift] += tail < 1 ? log1p(-tail) : -INFINITY;
    }
    for (int64_t s = 0; s <= shift; s++) below[s] = -INFINITY;
}

static gw_status find_backgrounds(comparison *c) {
    const int width = c->width;
    const int64_t room = (int64_t)(width + 1) * BINS + 1, sums = c->most + 1;
    double *pdf = gw_alloc(room, sizeof *pdf), *suffix = gw_alloc(room, sizeof *suffix);
    double *scratch = gw_alloc(room, sizeof *scratch);
    c->edges = gw_alloc(sums, sizeof *c->edges), c->inside = gw_alloc(sums, sizeof *c->inside);
    bool enough = pdf && suffix && scratch && c->edges && c->inside;
    for (int t = 1; t <= c->widest && t < width; t++) enough = (c->below[t] = gw_alloc(sums, sizeof(double))) && enough;
    // The motif lies inside of the query: each run of t of its columns.
    for (int i = 0; enough && i < width; i++) {
        memset(pdf, 0, (size_t)room * sizeof *pdf);
        pdf[0] = 1;
        for (int t = 1; t <= c->widest && t < width && i + t <= width; t++) {
            add_column(pdf, t - 1, c->histogram[i + t - 1], scratch);
            multiply_below(c, pdf, t, c->below[t]);
        }
    }
    // The motif covers the first t columns of the query, or the last t.
    if (enough) {
        memset(pdf, 0, (size_t)room * sizeof *pdf), memset(suffix, 0, (size_t)room * sizeof *suffix);
        pdf[0] = suffix[0] = 1;
    }
    for (int t = 1; enough && t <= width; t++) {
        for (int64_t s = 0; t < width && t <= c->widest && s < sums; s++) c->below[t][s] += c->edges[s];
        add_column(pdf, t - 1, c->histogram[t - 1], scratch);
        add_column(suffix, t - 1, c->histogram[width - t], scratch);
        multiply_below(c, pdf, t, t < width ? c->edges : c->inside);
        if (t < width) multiply_below(c, suffix, t, c->edges);
    }
    free(pdf);
    free(suffix);
    free(scratch);
    return enough ? GW_OK : GW_ERR_MEMORY;
}

static double p_value(const comparison *c, int t, int64_t score) {
    if (score <= 0) return 1;
    if (t < c->width) return -expm1(c->below[t][score]);
    return -expm1(c->edges[score] + (t - c->width + 1) * c->inside[score]);
}

// The best offset of the query along columns [first, first + t) of the known ones.
static void best_offset(const comparison *c, int64_t first, int t, gw_motif_match *best) {
    int64_t sums[2 * GW_MOTIF_WIDEST];
    const int width = c->width, places = t + width - 1;
    for (int k = 0; k < places; k++) sums[k] = width * c->median;
    for (int j = 0; j < t; j++) {
        const int16_t *bin = c->bin + (first + j) * width;
        for (int i = 0; i < width; i++) sums[j + width - 1 - i] += bin[i] - c->median;
    }
    *best = (gw_motif_match){.offset = -width};
    for (int k = 0; k < places; k++) {
        const int offset = k - width + 1;
        const int overlap = (int)(gw_min(k + 1, width) - gw_max(0, k - t + 1));
        // Among equal sums those of memelite: a later one is taken while the offset lies below the overlap.
        if ((double)sums[k] < best->score || ((double)sums[k] == best->score && best->offset >= overlap)) continue;
        best->score = (double)sums[k], best->offset = offset, best->overlap = overlap;
    }
}

static int by_p_value(const void *a, const void *b) {
    const gw_motif_match *x = a, *y = b;
    if (x->p_value != y->p_value) return x->p_value < y->p_value ? -1 : 1;
    return x->motif < y->motif ? -1 : x->motif > y->motif;
}

gw_status gw_motif_match_all(const gw_motifs *known, const double (*query)[4], int width, gw_motif_match *matches) {
    comparison c;
    gw_status status = make_comparison(&c, known, query, width);
    if (status == GW_OK) {
        bin_distances(&c);
        status = find_backgrounds(&c);
    }
    for (int64_t m = 0, first = 0; status == GW_OK && m < known->count; m++) {
        const int t = known->items[m].width;
        gw_motif_match reverse;
        best_offset(&c, first, t, &matches[m]);
        best_offset(&c, c.columns / 2 + first, t, &reverse);
        if (reverse.score >= matches[m].score) matches[m] = reverse, matches[m].reverse = true;
        const double p = p_value(&c, t, (int64_t)matches[m].score);
        matches[m].motif = m, matches[m].p_value = p * (2 - p); // of two strands
        first += t;
    }
    if (status == GW_OK) qsort(matches, (size_t)known->count, sizeof *matches, by_p_value);
    free_comparison(&c);
    return status;
}
