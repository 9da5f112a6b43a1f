// SPDX-License-Identifier: MIT
// Counts m-mers on both strands, fits the interpolation of levels, and predicts.
//
// Fitting removes one occurrence of the sampled base from every count that includes it, as if the sample had not been
// seen. The exponents of the two-sided chain maximise the sample's likelihood (concave: Newton's method).
#include "measure/markov.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 1 << 17, MOST_MARKS = 1 << 18, MARK_LENGTH = 24, UNKNOWN = 4 };
enum { REACH = GW_MARKOV_MOST_ORDER }; // bases on either side that a prediction can read
enum { COUNT_CLASSES = 16, CLASSES = COUNT_CLASSES * 4, GRID = 16, NEWTON_STEPS = 20 };
static const double grid[GRID] = {0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 1e5};

// A base in the middle of its neighbours; UNKNOWN where none is.
typedef struct {
    uint8_t code[2 * REACH + 1];
} base_window;

// How contexts grow: to the left, to the right, or on both sides in turn.
typedef enum { LEFT, RIGHT, BOTH, SHAPES } shape;

struct gw_markov {
    int order;                                  // m-mers of length 1 to order + 1 are counted
    uint32_t *table[GW_MARKOV_MOST_ORDER + 2];  // [m] -> [4^m]; the first base of the m-mer is in the highest bits
    base_window *samples;                       // of every sample_stride-th base
    int64_t sample_count, sample_stride, bases; // bases: of the text, one strand
    uint64_t *marks;                            // hashes, at most mark_limit, of 24-mers alike on both strands
    int64_t mark_count;
    uint64_t mark_limit;
    double pull[SHAPES][GW_MARKOV_MOST_ORDER + 1][CLASSES]; // a of the formula
    double side_exponent, both_exponent;                    // p ~ (p_left p_right)^side p_both^both
    double multiplicity;
};

gw_status gw_markov_new(int order, gw_markov **out) {
    assert(order >= 1 && order <= GW_MARKOV_MOST_ORDER);
    *out = NULL;
    gw_markov *markov = gw_alloc(1, sizeof *markov);
    if (!markov) return GW_ERR_MEMORY;
    markov->order = order;
    markov->sample_stride = 1;
    markov->mark_limit = UINT64_MAX;
    markov->samples = gw_alloc(MOST_SAMPLES, sizeof *markov->samples);
    markov->marks = gw_alloc(MOST_MARKS, sizeof *markov->marks);
    bool made = markov->samples && markov->marks;
    for (int m = 1; made && m <= order + 1; m++) {
        markov->table[m] = gw_alloc((int64_t)1 << 2 * m, sizeof *markov->table[m]);
        made = markov->table[m] != NULL;
    }
    if (made) *out = markov;
    else gw_markov_free(markov);
    return made ? GW_OK : GW_ERR_MEMORY;
}

void gw_markov_free(gw_markov *markov) {
    if (!markov) return;
    for (int m = 1; m <= markov->order + 1; m++) free(markov->table[m]);
    free(markov->samples);
    free(markov->marks);
    free(markov);
}

uint8_t gw_base_code(char base) {
    switch (base) {
    case 'A': return 0;
    case 'C': return 1;
    case 'G': return 2;
    case 'T': return 3;
    default: return UNKNOWN;
    }
}

// --- counting: the sample is thinned by half, and its stride doubled, whenever it is full --------------------------

// The window around code[at]: left neighbours from code[begin] on, right ones before code[end].
static base_window window_at(const uint8_t *code, int64_t begin, int64_t at, int64_t end) {
    base_window window;
    for (int64_t i = 0; i < 2 * REACH + 1; i++) {
        const int64_t position = at - REACH + i;
        window.code[i] = position >= begin && position < end ? code[position] : UNKNOWN;
    }
    return window;
}

static void add_sample(gw_markov *markov, const uint8_t *code, int64_t length, int64_t at) {
    if (markov->bases % markov->sample_stride != 0) return;
    if (markov->sample_count == MOST_SAMPLES) {
        for (int64_t i = 0; i < MOST_SAMPLES / 2; i++) markov->samples[i] = markov->samples[2 * i];
        markov->sample_count = MOST_SAMPLES / 2;
        markov->sample_stride *= 2;
        if (markov->bases % markov->sample_stride != 0) return;
    }
    markov->samples[markov->sample_count++] = window_at(code, 0, at, length);
}

static void add_mark(gw_markov *markov, uint64_t forward, uint64_t reverse) {
    uint64_t hash = (forward < reverse ? forward : reverse) + 1; // mixed by the finaliser of SplitMix64
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
    hash ^= hash >> 31;
    if (hash > markov->mark_limit) return;
    if (markov->mark_count == MOST_MARKS) {
        markov->mark_limit /= 2;
        int64_t kept = 0;
        for (int64_t i = 0; i < MOST_MARKS; i++)
            if (markov->marks[i] <= markov->mark_limit) markov->marks[kept++] = markov->marks[i];
        markov->mark_count = kept;
        if (hash > markov->mark_limit || kept == MOST_MARKS) return;
    }
    markov->marks[markov->mark_count++] = hash;
}

// Counts saturate rather than wrap.
static void count_one(uint32_t *count) {
    if (*count < UINT32_MAX) ++*count;
}

gw_status gw_markov_add(gw_markov *markov, const uint8_t *code, int64_t length) {
    const uint64_t mark_mask = ((uint64_t)1 << 2 * MARK_LENGTH) - 1;
    // The last 24 bases, 2 bits each: the newest one is lowest in `forward`, and its complement highest in `reverse`,
    // whose top m bases so are the other strand of the last m.
    uint64_t forward = 0, reverse = 0;
    int64_t run = 0;
    for (int64_t i = 0; i < length; i++) {
        if (code[i] >= UNKNOWN) {
            run = 0;
            continue;
        }
        forward = (forward << 2 | code[i]) & mark_mask;
        reverse = reverse >> 2 | (uint64_t)(3 - code[i]) << 2 * (MARK_LENGTH - 1);
        run++;
        for (int m = 1; m <= markov->order + 1 && m <= run; m++) {
            count_one(&markov->table[m][forward & (((uint64_t)1 << 2 * m) - 1)]);
            count_one(&markov->table[m][reverse >> 2 * (MARK_LENGTH - m)]);
        }
        if (run >= MARK_LENGTH) add_mark(markov, forward, reverse);
        add_sample(markov, code, length, i);
        markov->bases++;
    }
    return GW_OK;
}

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Median number of times that a sampled 24-mer occurs, at least 1. Sorts the marks.
static double find_multiplicity(gw_markov *markov) {
    qsort(markov->marks, (size_t)markov->mark_count, sizeof *markov->marks, by_value);
    // Half of the distinct marks occur at most `median` times.
    int64_t distinct = 0, of_size[65536] = {0};
    for (int64_t i = 0, end; i < markov->mark_count; i = end, distinct++) {
        for (end = i + 1; end < markov->mark_count && markov->marks[end] == markov->marks[i];) end++;
        of_size[end - i < 65535 ? end - i : 65535]++;
    }
    int64_t median = 1, seen = of_size[1];
    while (median < 65535 && 2 * seen < distinct) seen += of_size[++median];
    return (double)median;
}

// Counts of `left` bases, x, `right` bases for the four x in the middle of the window. False where one of the
// neighbours is not known.
static bool get_counts(const gw_markov *markov, const base_window *window, int left, int right, double n[4]) {
    const uint8_t *middle = window->code + REACH;
    uint64_t index = 0;
    for (int i = -left; i <= right; i++) {
        if (i != 0 && middle[i] >= UNKNOWN) return false;
        index = index << 2 | (i != 0 ? middle[i] : 0);
    }
    const uint32_t *table = markov->table[left + 1 + right];
    for (uint64_t x = 0; x < 4; x++) n[x] = table[index + (x << 2 * right)];
    return true;
}

// --- interpolation -------------------------------------------------------------------------------------------------

// Contexts are alike where they were seen about as often and with as many different bases.
static int class_of(const double n[4]) {
    int different = 0;
    for (int x = 0; x < 4; x++) different += n[x] > 0.5;
    const double total = n[0] + n[1] + n[2] + n[3], size = 2 * log2(total + 1);
    return (size < COUNT_CLASSES - 1 ? (int)size : COUNT_CLASSES - 1) * 4 + (different > 0 ? different - 1 : 0);
}

// Counts of a level's context per copy of the text; `left_out` is the base that is left out once, or -1.
static bool level_counts(const gw_markov *markov, shape s, int level, const base_window *window, int left_out,
                         double n[4]) {
    const int left = s == LEFT ? level : s == RIGHT ? 0 : (level + 1) / 2;
    if (!get_counts(markov, window, left, level - left, n)) return false;
    for (int x = 0; x < 4; x++) n[x] /= markov->multiplicity;
    if (left_out >= 0) n[left_out] = n[left_out] > 1 ? n[left_out] - 1 : 0;
    return true;
}

static void interpolate(const double n[4], double pull, double p[4]) {
    const double total = n[0] + n[1] + n[2] + n[3] + pull;
    for (int x = 0; x < 4; x++) p[x] = (n[x] + pull * p[x]) / total;
}

// Returns the number of levels whose contexts were known.
static int chain(const gw_markov *markov, shape s, const base_window *window, int left_out, double p[4]) {
    int level = 0;
    double n[4];
    for (int x = 0; x < 4; x++) p[x] = 0.25;
    for (; level <= markov->order && level_counts(markov, s, level, window, left_out, n); level++)
        interpolate(n, markov->pull[s][level][class_of(n)], p);
    return level;
}

static int middle_base(const base_window *window) {
    return window->code[REACH];
}

// One level: the best pull of each class, given each sample's probabilities p [samples][4] of the level below; then p
// becomes this level's.
static void fit_level(gw_markov *markov, shape s, int level, double (*p)[4]) {
    double loss[CLASSES][GRID] = {{0}}, n[4];
    for (int64_t i = 0; i < markov->sample_count; i++) {
        const int x = middle_base(&markov->samples[i]);
        if (!level_counts(markov, s, level, &markov->samples[i], x, n)) continue;
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
    for (int64_t i = 0; i < markov->sample_count; i++)
        if (level_counts(markov, s, level, &markov->samples[i], middle_base(&markov->samples[i]), n))
            interpolate(n, markov->pull[s][level][class_of(n)], p[i]);
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
static bool features(const gw_markov *markov, const base_window *window, int left_out, double (*f)[2]) {
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
    double(*f)[4][2] = gw_alloc(markov->sample_count, sizeof *f);
    int *base = gw_alloc(markov->sample_count, sizeof *base);
    int64_t count = 0;
    if (f && base) {
        for (int64_t i = 0; i < markov->sample_count; i++) {
            base[count] = middle_base(&markov->samples[i]);
            count += features(markov, &markov->samples[i], base[count], f[count]);
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
    if (markov->sample_count == 0) return gw_fail(GW_ERR_FORMAT, "no bases to count for the Markov chains");
    markov->multiplicity = find_multiplicity(markov);
    double(*p)[4] = gw_alloc(markov->sample_count, sizeof *p);
    if (!p) return GW_ERR_MEMORY;
    for (shape s = LEFT; s < SHAPES; s++) {
        for (int64_t i = 0; i < markov->sample_count; i++)
            for (int x = 0; x < 4; x++) p[i][x] = 0.25;
        for (int level = 0; level <= markov->order; level++) fit_level(markov, s, level, p);
    }
    free(p);
    return fit_exponents(markov);
}

double gw_markov_multiplicity(const gw_markov *markov) {
    return markov->multiplicity;
}

void gw_markov_predict(const gw_markov *markov, gw_markov_kind kind, const uint8_t *code, int64_t at, int64_t end,
                       double p[4]) {
    const base_window window = window_at(code, 0, at, end);
    double f[4][2];
    if (kind == GW_MARKOV_TWO_SIDED && features(markov, &window, -1, f))
        combine(markov->side_exponent, markov->both_exponent, f, p);
    else if (kind == GW_MARKOV_TWO_SIDED && window.code[REACH + 1] < 4) chain(markov, RIGHT, &window, -1, p);
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
