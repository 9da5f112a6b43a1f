// SPDX-License-Identifier: MIT
// godwit-theory flex: matrices that self-attention with a small query dimension can approximate (Likhosherstov et al.).
#include "base/log.h"
#include "base/memory.h"
#include "tools/cli/cli.h"
#include "tools/picture/picture.h"
#include "tools/theory/flex_search.h"
#include "tools/theory/flex_theorem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Algorithm 1 ----------------------------------------------------------------------------------------------------

// Which 0/1 matrices a self-attention matrix of query dimension 1 can weakly approximate. Rows are sets of columns as
// bits, n of them, none of them empty; `wide` says that d_hid is more than 1.

enum { MOST = 8 };

static bool is_subset(uint32_t a, uint32_t b) {
    return (a & ~b) == 0;
}

// The rows reachable from `first` by nested sets within `rows`.
static uint32_t component(const uint32_t *row, int n, uint32_t rows, int first) {
    uint32_t found = 1u << first, before = 0;
    while (found != before) {
        before = found;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (found >> i & 1 && rows >> j & 1 && (is_subset(row[i], row[j]) || is_subset(row[j], row[i])))
                    found |= 1u << j;
    }
    return found;
}

static int lowest(uint32_t bits) {
    return __builtin_ctz(bits);
}

// Lines 1 to 6: K_1 and K_2, and the sets I' in rising order. False where the answer is False.
typedef struct {
    uint32_t all, k1, k2;
    uint32_t chain[MOST]; // I' of the rows of K_0, and of the others (all columns) at the end
} split;

static bool split_rows(const uint32_t *row, int n, split *s) {
    *s = (split){.all = (1u << n) - 1};
    uint32_t k0 = 0;
    for (int i = 0; i < n; i++) k0 |= (uint32_t)(row[i] != s->all) << i;
    if (k0 != 0) s->k1 = component(row, n, k0, lowest(k0));
    if (k0 != s->k1) s->k2 = component(row, n, k0, lowest(k0 & ~s->k1));
    if ((s->k1 | s->k2) != k0) return false;
    for (int i = 0; i < n; i++) { // insertion into the chain, by size
        const uint32_t set = s->k2 >> i & 1 ? s->all & ~row[i] : row[i];
        int at = i;
        for (; at > 0 && __builtin_popcount(s->chain[at - 1]) > __builtin_popcount(set); at--)
            s->chain[at] = s->chain[at - 1];
        s->chain[at] = set;
    }
    for (int i = 0; i + 1 < n; i++)
        if (!is_subset(s->chain[i], s->chain[i + 1])) return false;
    return true;
}

// Algorithm 1 as printed.
static bool by_printed(const uint32_t *row, int n, bool wide) {
    split s;
    if (!split_rows(row, n, &s)) return false;
    if ((s.k1 | s.k2) == 0 || wide) return true;
    const uint32_t *i = s.chain, first = i[0], last = i[n - 1], *c = i;
    if (is_subset(s.k2, first) || is_subset(last, s.k2)) return true; // line 9
    for (int r = 0; r + 1 < n; r++)
        if (is_subset(c[r], s.k2) && is_subset(s.k2, c[r + 1])) return true;
    if (is_subset(s.k2, s.all & ~last) || is_subset(s.all & ~first, s.k2)) return true; // line 10
    for (int r = 0; r + 1 < n; r++)
        if (is_subset(s.all & ~c[r + 1], s.k2) && is_subset(s.k2, s.all & ~c[r])) return true;
    return false;
}

// Whether some N with least <= N <= most stands in the chain: I'_r <= N <= I'_(r+1), with nothing before the first set
// and everything after the last.
static bool fits(const split *s, int n, uint32_t least, uint32_t most) {
    for (int r = -1; r < n; r++) {
        const uint32_t below = r < 0 ? 0 : s->chain[r], above = r + 1 < n ? s->chain[r + 1] : s->all;
        if (is_subset(below, most) && is_subset(least, above)) return true;
    }
    return false;
}

// The rows N with a negative query hold K_2 and nothing of K_1. With q = x, k = -x (or both signs changed) they are
// those with the largest keys, with q = k those with the smallest, so that N or its complement stands in the chain.
// The same with line 9 and 10 for the rows that read everything: their side is free.
static bool by_repaired(const uint32_t *row, int n, bool wide) {
    split s;
    if (!split_rows(row, n, &s)) return false;
    if (wide) return true;
    return fits(&s, n, s.k2, s.all & ~s.k1) || fits(&s, n, s.k1, s.all & ~s.k2);
}

static bool any_order(const uint32_t *row, int n, int *order, int placed, bool wide) {
    if (placed == n) {
        // order[r]: the column with the r-th smallest key.
        uint32_t all = (1u << n) - 1, low[MOST + 1] = {0};
        for (int r = 0; r < n; r++) low[r + 1] = low[r] | 1u << order[r];
        uint32_t top_rows = 0, bottom_rows = 0; // rows for which a positive, a negative query will do
        for (int i = 0; i < n; i++)
            for (int r = 0; r <= n; r++) {
                top_rows |= (uint32_t)(row[i] == (all & ~low[r])) << i;
                bottom_rows |= (uint32_t)(row[i] == low[r]) << i;
            }
        if (wide) return (top_rows | bottom_rows) == all;
        for (int r = 0; r <= n; r++) { // x < 0 for the r smallest; k = x, q = x or -x
            if (is_subset(low[r], bottom_rows) && is_subset(all & ~low[r], top_rows)) return true;
            if (is_subset(low[r], top_rows) && is_subset(all & ~low[r], bottom_rows)) return true;
        }
        return false;
    }
    for (int r = placed; r < n; r++) {
        const int keep = order[placed];
        order[placed] = order[r], order[r] = keep;
        const bool found = any_order(row, n, order, placed + 1, wide);
        order[r] = order[placed], order[placed] = keep;
        if (found) return true;
    }
    return false;
}

// By trying: query and key are q_i and k_j with row i's largest products q_i k_j in its set. Only the order of the keys
// and the signs of the queries count: with q_i > 0 the set must hold the largest keys, with q_i < 0 the smallest. For
// d_hid > 1 q and k are free; for d_hid = 1 they are a x and b x.
static bool by_brute_force(const uint32_t *row, int n, bool wide) {
    int order[MOST];
    for (int i = 0; i < n; i++) order[i] = i;
    return any_order(row, n, order, 0, wide);
}

// --- the command ----------------------------------------------------------------------------------------------------

typedef struct {
    int64_t n, most, k, step, matrices, seed, d;
    double gamma, epsilon1, epsilon2, q;
    bool causal, all_draws;
    const char *picture;
} flex_arguments;

static const flex_arguments defaults = {.n = 512,
                                        .most = 1024,
                                        .k = 1,
                                        .step = 4,
                                        .matrices = 5,
                                        .seed = 1,
                                        .gamma = 1,
                                        .epsilon1 = 0.5,
                                        .epsilon2 = 2,
                                        .q = 1};

static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Matrix"},
    {GW_OPTION_INT, 'n', "size", "N", offsetof(flex_arguments, n), "rows of A (algorithm: at most 5; curve: the first)",
     .min = 1, .max = 8192},
    {GW_OPTION_INT, 'k', "nonzeros", "N", offsetof(flex_arguments, k), "permutations whose union A is", .min = 1,
     .max = GW_FLEX_MOST_NONZEROS},
    {GW_OPTION_REAL, 0, "gamma", "X", offsetof(flex_arguments, gamma),
     "entries are 1 or this before rows are normalised", .min = 1, .max = 1e6},
    {GW_OPTION_REAL, 0, "epsilon1", "X", offsetof(flex_arguments, epsilon1), "of (23)", .min = 1e-30, .max = 0.999999},
    {GW_OPTION_REAL, 0, "epsilon2", "X", offsetof(flex_arguments, epsilon2), "of (24)", .min = 1e-6, .max = 1e6},
    {GW_OPTION_FLAG, 0, "causal", NULL, offsetof(flex_arguments, causal), "lower triangular A and M (Corollary 0.7)"},
    {GW_OPTION_GROUP, .help = "Search"},
    {GW_OPTION_INT, 'd', "dimension", "N", offsetof(flex_arguments, d),
     "theorem: query dimension, even (0: 5/4 of the smallest that the search finds)", .min = 0, .max = 16384},
    {GW_OPTION_INT, 0, "step", "N", offsetof(flex_arguments, step), "grid of d, even", .min = 2, .max = 1024},
    {GW_OPTION_REAL, 'Q', "redraws", "X", offsetof(flex_arguments, q), "draws of Y at a d, times n", .min = 1e-6,
     .max = 1000},
    {GW_OPTION_FLAG, 0, "all-redraws", NULL, offsetof(flex_arguments, all_draws),
     "all of them even where 32 have shown no hope"},
    {GW_OPTION_INT, 0, "most", "N", offsetof(flex_arguments, most), "curve: largest n, in steps of 256", .min = 1,
     .max = 8192},
    {GW_OPTION_INT, 0, "matrices", "N", offsetof(flex_arguments, matrices), "curve: matrices for each n", .min = 1,
     .max = 1000},
    {GW_OPTION_INT, 's', "seed", "N", offsetof(flex_arguments, seed), "of matrices and draws", .min = 0,
     .max = 1 << 30},
    {GW_OPTION_GROUP, .help = "Output"},
    {GW_OPTION_STRING, 'o', "output", "FILE", offsetof(flex_arguments, picture), "curve: draw it: .png or .svg",
     .writes = true, .endings = GW_PICTURE_ENDINGS},
    {.help = NULL},
};

static gw_flex_setting setting_of(const flex_arguments *a) {
    return (gw_flex_setting){(int)a->k, a->gamma, a->epsilon1, a->epsilon2, a->causal};
}

typedef struct {
    bool (*decides)(const uint32_t *row, int n, bool wide);
    int64_t wrong;
    uint32_t first[MOST]; // the first matrix that it gets wrong
} decider;

static void compare_all(int n, bool wide) {
    decider deciders[2] = {{by_printed}, {by_repaired}};
    uint32_t row[MOST];
    int64_t matrices = 1, possible = 0;
    for (int i = 0; i < n; i++) matrices *= (1 << n) - 1;
    for (int64_t index = 0; index < matrices; index++) {
        int64_t left = index;
        for (int i = 0; i < n; i++, left /= (1 << n) - 1) row[i] = 1 + (uint32_t)(left % ((1 << n) - 1));
        const bool truth = by_brute_force(row, n, wide);
        possible += truth;
        for (int k = 0; k < 2; k++)
            if (deciders[k].decides(row, n, wide) != truth && deciders[k].wrong++ == 0)
                memcpy(deciders[k].first, row, sizeof row);
    }
    printf("%d\t%s\t%lld\t%lld\t%lld\t%lld\t", n, wide ? "> 1" : "1", (long long)matrices, (long long)possible,
           (long long)deciders[0].wrong, (long long)deciders[1].wrong);
    if (deciders[0].wrong > 0) {
        for (int i = 0; i < n; i++) {
            if (i > 0) putchar('/');
            for (int j = 0; j < n; j++) putchar(deciders[0].first[i] >> j & 1 ? '1' : '0');
        }
    }
    putchar('\n');
}

// --- theorem

static gw_status choose_dimension(const flex_arguments *a, const gw_flex_matrix *m, int64_t *d) {
    int64_t draws;
    *d = a->d;
    if (a->d > 0) return GW_OK;
    GW_TRY(gw_flex_smallest(m, a->step, a->q, a->all_draws, (uint64_t)a->seed, d, &draws));
    *d = (*d * 5 / 4 + 1) / 2 * 2;
    if (*d > 2 * m->n) *d = 2 * m->n;
    return GW_OK;
}

// --- curve

typedef struct {
    double *n, *logarithm, *d; // [points]
    int64_t points;
    gw_line_fit fit;
} flex_curve;

static gw_status measure(const flex_arguments *a, flex_curve *c, int64_t n, int64_t matrix) {
    const gw_flex_setting setting = setting_of(a);
    gw_flex_matrix m;
    int64_t d = 0, draws = 0;
    const uint64_t seed = (uint64_t)a->seed * 1000003 + (uint64_t)n * 1000 + (uint64_t)matrix;
    gw_status status = gw_flex_matrix_new(n, &setting, seed, &m);
    if (status == GW_OK) status = gw_flex_smallest(&m, a->step, a->q, a->all_draws, seed, &d, &draws);
    gw_flex_matrix_free(&m);
    GW_TRY(status);
    printf("%lld\t%lld\t%lld\t%lld\n", (long long)n, (long long)matrix, (long long)d, (long long)draws);
    c->n[c->points] = (double)n;
    c->logarithm[c->points] = log((double)n);
    c->d[c->points++] = (double)d;
    return GW_OK;
}

// Dots, their fit, and the slope of the bound through the middle of the fit.
static gw_status draw_curve(const flex_arguments *a, const flex_curve *c, double slope) {
    const double ends[2] = {c->n[0], c->n[c->points - 1]}, middle = (log(ends[0]) + log(ends[1])) / 2;
    double fitted[2], bound[2];
    for (int e = 0; e < 2; e++) {
        fitted[e] = c->fit.a + c->fit.b * log(ends[e]);
        bound[e] = c->fit.a + c->fit.b * middle + slope * (log(ends[e]) - middle);
    }
    const gw_picture_series series[] = {{"smallest d", c->n, c->d, c->points, GW_CURVE_DOTS, 2},
                                        {"a + b ln n", ends, fitted, 2, GW_CURVE_LINE, 7},
                                        {"slope of (22)", ends, bound, 2, GW_CURVE_DASHES, 1}};
    char title[128];
    snprintf(title, sizeof title, "k = %lld, gamma = %g, eps1 = %g, eps2 = %g, Q = %g: R^2 = %.3f", (long long)a->k,
             a->gamma, a->epsilon1, a->epsilon2, a->q, c->fit.r2);
    const gw_picture_panel panel = {title, "n", "d", true, series, 3};
    return gw_picture_panels(a->picture, &panel, 1);
}

static gw_status run_curve(const flex_arguments *a) {
    if (a->most < a->n)
        return gw_fail(GW_ERR_USAGE, "--most %lld: below the first n, %lld", (long long)a->most, (long long)a->n);
    const int64_t points = ((a->most - a->n) / 256 + 1) * a->matrices;
    double *numbers = gw_alloc(3 * points, sizeof *numbers);
    if (!numbers) return GW_ERR_MEMORY;
    flex_curve c = {numbers, numbers + points, numbers + 2 * points, 0, {0}};
    gw_status status = GW_OK;
    puts("n\tmatrix\td_min\tdraws");
    for (int64_t n = a->n; n <= a->most && status == GW_OK; n += 256)
        for (int64_t matrix = 0; matrix < a->matrices && status == GW_OK; matrix++) {
            gw_progress("searching", c.points, points, "matrices", NULL);
            status = measure(a, &c, n, matrix);
        }
    gw_progress_end();
    if (status == GW_OK) {
        const gw_flex_setting setting = setting_of(a);
        const double slope = gw_flex_bound_slope(a->n, &setting);
        c.fit = gw_fit_line(c.logarithm, c.d, points);
        printf("\nmeasure\tvalue\nfit_a\t%.6g\nfit_b\t%.6g\nr2\t%.4f\nbound_slope\t%.6g\n", c.fit.a, c.fit.b, c.fit.r2,
               slope);
        if (a->picture) status = draw_curve(a, &c, slope);
    }
    free(numbers);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    const flex_arguments *a = arguments;
    (void)count;
    if (a->step % 2 != 0) return gw_fail(GW_ERR_USAGE, "--step %lld: an even number", (long long)a->step);
    if (strcmp(operands[0], "algorithm") == 0) {
        const int most = a->n > 5 ? 4 : (int)a->n;
        puts("n\td_hid\tmatrices\tpossible\tprinted_wrong\trepaired_wrong\tfirst_wrong");
        for (int n = 1; n <= most; n++) {
            compare_all(n, false);
            compare_all(n, true);
        }
        return GW_OK;
    }
    if (a->n < 2 || a->k > a->n)
        return gw_fail(GW_ERR_USAGE, "-n %lld: expected at least 2 rows, and at least k", (long long)a->n);
    if (strcmp(operands[0], "theorem") == 0) {
        const gw_flex_setting setting = setting_of(a);
        gw_flex_matrix m;
        gw_flex_result r = {0};
        int64_t d = 0;
        gw_status status = gw_flex_matrix_new(a->n, &setting, (uint64_t)a->seed, &m);
        if (status == GW_OK) status = choose_dimension(a, &m, &d);
        if (status == GW_OK && (d % 2 != 0 || d > 2 * a->n))
            status = gw_fail(GW_ERR_USAGE, "-d %lld: an even number of at most 2n", (long long)d);
        if (status == GW_OK)
            status = gw_flex_theorem(&m, d, d + 8, llround(fmax(1, a->q * (double)a->n)), (uint64_t)a->seed + 1, &r);
        if (status == GW_OK) {
            printf(
                "measure\tvalue\nn\t%lld\nd\t%lld\nd_hidden\t%lld\nbound_22\t%.0f\ndraws\t%lld\nconditions_hold\t%s\n",
                (long long)a->n, (long long)d, (long long)d + 8, gw_flex_bound(a->n, &setting), (long long)r.draws,
                r.holds ? "yes" : "no");
            printf("orthogonality_error\t%.3g\nprojection_error\t%.3g\nproduct_error\t%.3g\nproduct_holds_1e-4\t%s\n",
                   r.orthogonality, r.projection, r.product_error, r.product_error <= 1e-4 ? "yes" : "no");
        }
        gw_flex_matrix_free(&m);
        return status;
    }
    if (strcmp(operands[0], "curve") == 0) return run_curve(a);
    return gw_fail(GW_ERR_USAGE, "'%s' is not one of algorithm, theorem, curve", operands[0]);
}

const gw_command gw_theory_flex = {
    .name = "flex",
    .group = "Flexibility of self-attention",
    .summary = "sparse matrices as self-attention matrices (Algorithm 1, Theorem 0.4)",
    .usage = "algorithm|theorem|curve [options]",
    .description =
        "algorithm: Algorithm 1 (query dimension 1) against brute force over all 0/1 matrices without an empty row, up "
        "to "
        "4 x 4.\n"
        "theorem: X, W_Q and W_K of Theorem 0.4 from a random sparse A and a Haar-distributed Stiefel matrix, which is "
        "drawn again until conditions (23) and (24) hold; then the same through godwit's attention in f32.\n"
        "curve: the smallest d for which that succeeds, against n, with the fit a + b ln n.",
    .examples = "godwit-theory flex algorithm\n"
                "godwit-theory flex theorem -n 512 -k 2\n"
                "godwit-theory flex curve -k 2 --gamma 2 -o curve.svg",
    GW_COMMAND_TAKES(1, 1),
    .run = run,
};
