// SPDX-License-Identifier: MIT
// Fitting leaves out one occurrence of the sampled base from every count it is part of, so that the sample is as if it
// had not been seen. The exponents of the two-sided chain maximise the sample's likelihood (concave: Newton's method).
#include "measure/markov.h"

#include "base/memory.h"
#include "measure/markov_counts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { COUNT_CLASSES = 16, CLASSES = COUNT_CLASSES * 4, GRID = 16, NEWTON_STEPS = 20 };
static const double grid[GRID] = {0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 1e5};

// How contexts grow: to the left, to the right, or on both sides in turn.
typedef enum { LEFT, RIGHT, BOTH, SHAPES } shape;

struct gw_markov {
    int order;
    gw_markov_counts counts;
    double pull[SHAPES][GW_MARKOV_MOST_ORDER + 1][CLASSES]; // a of the formula
    double side_exponent, both_exponent;                    // p ~ (p_left p_right)^side p_both^both
    double multiplicity;
};

uint8_t gw_base_code(char base) {
    switch (base) {
    case 'A': return 0;
    case 'C': return 1;
    case 'G': return 2;
    case 'T': return 3;
    default: return 4;
    }
}

gw_status gw_markov_new(int order, gw_markov **out) {
    assert(order >= 1 && order <= GW_MARKOV_MOST_ORDER);
    *out = NULL;
    gw_markov *markov = gw_alloc(1, sizeof *markov);
    if (!markov) return GW_ERR_MEMORY;
    markov->order = order;
    const gw_status status = gw_markov_counts_make(&markov->counts, order + 1);
    if (status == GW_OK) *out = markov;
    else free(markov);
    return status;
}

void gw_markov_free(gw_markov *markov) {
    if (!markov) return;
    gw_markov_counts_free(&markov->counts);
    free(markov);
}

gw_status gw_markov_add(gw_markov *markov, const uint8_t *code, int64_t length) {
    return gw_markov_counts_add(&markov->counts, code, length);
}

double gw_markov_multiplicity(const gw_markov *markov) {
    return markov->multiplicity;
}

// Contexts are alike where they were seen about as often and with as many different bases.
static int class_of(const double n[4]) {
    int different = 0;
    for (int x = 0; x < 4; x++) different += n[x] > 0.5;
    const double total = n[0] + n[1] + n[2] + n[3], size = 2 * log2(total + 1);
    return (size < COUNT_CLASSES - 1 ? (int)size : COUNT_CLASSES - 1) * 4 + (different > 0 ? different - 1 : 0);
}

// Counts of a level's context per copy of the text; `left_out` is the base that is left out once, or -1.
static bool level_counts(const gw_markov *markov, shape s, int level, const gw_base_window *window, int left_out,
                         double n[4]) {
    const int left = s == LEFT ? level : s == RIGHT ? 0 : (level + 1) / 2;
    if (!gw_markov_counts_get(&markov->counts, window, left, level - left, n)) return false;
    for (int x = 0; x < 4; x++) n[x] /= markov->multiplicity;
    if (left_out >= 0) n[left_out] = n[left_out] > 1 ? n[left_out] - 1 : 0;
    return true;
}

static void interpolate(const double n[4], double pull, double p[4]) {
    const double total = n[0] + n[1] + n[2] + n[3] + pull;
    for (int x = 0; x < 4; x++) p[x] = (n[x] + pull * p[x]) / total;
}

// Returns the number of levels whose contexts were known.
static int chain(const gw_markov *markov, shape s, const gw_base_window *window, int left_out, double p[4]) {
    int level = 0;
    double n[4];
    for (int x = 0; x < 4; x++) p[x] = 0.25;
    for (; level <= markov->order && level_counts(markov, s, level, window, left_out, n); level++)
        interpolate(n, markov->pull[s][level][class_of(n)], p);
    return level;
}

static int middle_base(const gw_base_window *window) {
    return window->code[GW_MARKOV_REACH];
}

// One level: the best pull of each class, given each sample's probabilities p [samples][4] of the level below; then p
// becomes this level's.
static void fit_level(gw_markov *markov, shape s, int level, double (*p)[4]) {
    double loss[CLASSES][GRID] = {{0}}, n[4];
    const gw_markov_counts *counts = &markov->counts;
    for (int64_t i = 0; i < counts->sample_count; i++) {
        const int x = middle_base(&counts->samples[i]);
        if (!level_counts(markov, s, level, &counts->samples[i], x, n)) continue;
        const double total = n[0] + n[1] + n[2] + n[3];
        double *class_loss = loss[class_of(n)];
        for (int g = 0; g < GRID; g++) class_loss[g] -= log((n[x] + grid[g] * p[i][x]) / (total + grid[g]));
    }
    for (int c = 0; c < CLASSES; c++) {
        int best = GRID / 2; // of a class that no sample is in
        for (int g = 0; g < GRID; g++)
            if (loss[c][g] < loss[c][best]) best = g;
        markov->pull[s][level][c] = grid[best];
    }
    for (int64_t i = 0; i < counts->sample_count; i++)
        if (level_counts(markov, s, level, &counts->samples[i], middle_base(&counts->samples[i]), n))
            interpolate(n, markov->pull[s][level][class_of(n)], p[i]);
}

static gw_status fit_shape(gw_markov *markov, shape s) {
    const int64_t samples = markov->counts.sample_count;
    double(*p)[4] = gw_alloc(samples, sizeof *p);
    if (!p) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < samples; i++)
        for (int x = 0; x < 4; x++) p[i][x] = 0.25;
    for (int level = 0; level <= markov->order; level++) fit_level(markov, s, level, p);
    free(p);
    return GW_OK;
}

// p ~ exp(side f_0 + both f_1), with f_0 = ln p_left + ln p_right and f_1 = ln p_both.
static void combine(double side, double both, double (*f)[2], double p[4]) {
    double largest = -INFINITY, sum = 0;
    for (int x = 0; x < 4; x++) {
        p[x] = side * f[x][0] + both * f[x][1];
        if (p[x] > largest) largest = p[x];
    }
    for (int x = 0; x < 4; x++) sum += p[x] = exp(p[x] - largest);
    for (int x = 0; x < 4; x++) p[x] /= sum;
}

// False where nothing is known on one of the sides.
static bool features(const gw_markov *markov, const gw_base_window *window, int left_out, double (*f)[2]) {
    double p[SHAPES][4];
    for (shape s = LEFT; s < SHAPES; s++)
        if (chain(markov, s, window, left_out, p[s]) < 2) return false;
    for (int x = 0; x < 4; x++) {
        f[x][0] = log(p[LEFT][x]) + log(p[RIGHT][x]);
        f[x][1] = log(p[BOTH][x]);
    }
    return true;
}

// One step of Newton's method: gradient g = sum f(x) - E f, Hessian -h, h = sum Cov f.
static void newton_step(gw_markov *markov, double (*f)[4][2], const int *base, int64_t count) {
    double g[2] = {0}, h[3] = {1e-9, 0, 1e-9};
    for (int64_t i = 0; i < count; i++) {
        double p[4], mean[2] = {0};
        combine(markov->side_exponent, markov->both_exponent, f[i], p);
        for (int x = 0; x < 4; x++)
            for (int k = 0; k < 2; k++) mean[k] += p[x] * f[i][x][k];
        for (int k = 0; k < 2; k++) g[k] += f[i][base[i]][k] - mean[k];
        for (int x = 0; x < 4; x++) {
            const double a = f[i][x][0] - mean[0], b = f[i][x][1] - mean[1];
            h[0] += p[x] * a * a;
            h[1] += p[x] * a * b;
            h[2] += p[x] * b * b;
        }
    }
    const double determinant = h[0] * h[2] - h[1] * h[1];
    if (determinant <= 1e-9 * h[0] * h[2]) return;
    markov->side_exponent += (g[0] * h[2] - g[1] * h[1]) / determinant;
    markov->both_exponent += (g[1] * h[0] - g[0] * h[1]) / determinant;
}

static gw_status fit_exponents(gw_markov *markov) {
    const gw_markov_counts *counts = &markov->counts;
    double(*f)[4][2] = gw_alloc(counts->sample_count, sizeof *f);
    int *base = gw_alloc(counts->sample_count, sizeof *base);
    int64_t count = 0;
    if (f && base) {
        for (int64_t i = 0; i < counts->sample_count; i++) {
            base[count] = middle_base(&counts->samples[i]);
            count += features(markov, &counts->samples[i], base[count], f[count]);
        }
        markov->side_exponent = 0.4;
        markov->both_exponent = 0.5;
        for (int step = 0; step < NEWTON_STEPS; step++) newton_step(markov, f, base, count);
    }
    const gw_status status = f && base ? GW_OK : GW_ERR_MEMORY;
    free(f);
    free(base);
    return status;
}

gw_status gw_markov_fit(gw_markov *markov) {
    if (markov->counts.sample_count == 0) return gw_fail(GW_ERR_FORMAT, "no bases to count for the Markov chains");
    markov->multiplicity = gw_markov_counts_multiplicity(&markov->counts);
    for (shape s = LEFT; s < SHAPES; s++) GW_TRY(fit_shape(markov, s));
    return fit_exponents(markov);
}

void gw_markov_predict(const gw_markov *markov, gw_markov_kind kind, const uint8_t *code, int64_t at, int64_t end,
                       double p[4]) {
    const gw_base_window window = gw_base_window_at(code, 0, at, end);
    double f[4][2];
    if (kind == GW_MARKOV_TWO_SIDED && features(markov, &window, -1, f))
        combine(markov->side_exponent, markov->both_exponent, f, p);
    else if (kind == GW_MARKOV_TWO_SIDED && window.code[GW_MARKOV_REACH + 1] < 4) chain(markov, RIGHT, &window, -1, p);
    else chain(markov, LEFT, &window, -1, p);
}

double gw_markov_bits(const gw_markov *markov, gw_markov_kind kind, const uint8_t *code, int64_t length, int64_t begin,
                      int64_t end) {
    double bits = 0, p[4];
    for (int64_t at = begin; at < end; at++) {
        gw_markov_predict(markov, kind, code, at, at == end - 1 ? length : at + 1, p);
        bits -= log2(p[code[at]]);
    }
    return bits;
}
