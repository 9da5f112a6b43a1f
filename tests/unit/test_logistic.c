// SPDX-License-Identifier: MIT
// Logistic regression: its function against plain loops over dense rows, its gradient against central differences, its
// result against scikit-learn, and the k-mers that it is given.
#include "measure/regression.h"
#include "measure/sparse_rows.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, FEATURES = 5 };

// x_ij = 0 where (7 i + 3 j) mod 4 = 0, else ((37 i + 11 j^2 + i j) mod 23) / 8; feature 4 is constant.
static double feature(int i, int j) {
    if (j == 4) return 2;
    return (7 * i + 3 * j) % 4 == 0 ? 0 : (double)((37 * i + 11 * j * j + i * j) % 23) / 8;
}

static float label(int i) {
    return i % 13 == 5 ? NAN : feature(i, 0) + feature(i, 1) > feature(i, 2) + (double)(i % 5) / 2 ? 1 : 0;
}

static gw_sparse_rows make_rows(void) {
    gw_sparse_rows rows = {.rows = ROWS, .features = FEATURES};
    rows.start = calloc(ROWS + 1, sizeof *rows.start);
    rows.feature = calloc(ROWS * FEATURES, sizeof *rows.feature);
    rows.value = calloc(ROWS * FEATURES, sizeof *rows.value);
    int64_t n = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < FEATURES; j++) {
            if (feature(i, j) == 0) continue;
            rows.feature[n] = (uint16_t)j;
            rows.value[n++] = (float)feature(i, j);
        }
        rows.start[i + 1] = n;
    }
    return rows;
}

static void make_labels(float *labels) {
    for (int i = 0; i < ROWS; i++) labels[2 * i] = label(i);
}

// The function as regression.h states it, from the definition; features standardised or plain.
static double loss_of(const double *w, double v, double c, bool plain) {
    double x[ROWS][FEATURES], sum = 0, squares = 0;
    int n = 0;
    for (int j = 0; j < FEATURES; j++) {
        double mean = 0, variance = 0;
        for (int i = 0; i < ROWS; i++) mean += feature(i, j) / ROWS;
        for (int i = 0; i < ROWS; i++) variance += pow(feature(i, j) - mean, 2) / ROWS;
        for (int i = 0; i < ROWS; i++)
            x[i][j] = plain ? feature(i, j) : variance > 1e-12 ? (feature(i, j) - mean) / sqrt(variance) : 0;
        squares += w[j] * w[j];
    }
    for (int i = 0; i < ROWS; i++) {
        const double y = (double)label(i);
        double z = w[FEATURES];
        if (isnan(y)) continue;
        for (int j = 0; j < FEATURES; j++) z += w[j] * x[i][j];
        sum += v * y * log(1 + exp(-z)) + (1 - y) * log(1 + exp(z));
        n++;
    }
    return (sum + squares / (2 * c)) / n;
}

static void check_function_and_gradient(bool plain) {
    gw_sparse_rows rows = make_rows();
    float labels[2 * ROWS];
    make_labels(labels);
    const gw_logistic_problem problem = {labels, 2, 3, 0.5, 1e-6, plain};
    gw_logistic_model l;
    double capacity[ROWS], gradient[FEATURES + 1], other[FEATURES + 1];
    cr_assert_eq(gw_logistic_fit(&rows, &problem, &l), GW_OK);
    for (int round = 0; round < 3; round++) {
        for (int j = 0; j <= FEATURES; j++) l.weight[j] = (double)((j * 5 + round * 3) % 7 - 3) / 4;
        cr_assert_float_eq(gw_logistic_loss(&l, &rows, &problem, capacity, gradient), loss_of(l.weight, 3, 0.5, plain),
                           1e-12);
        for (int j = 0; j <= FEATURES; j++) {
            const double step = 1e-5, at = l.weight[j];
            l.weight[j] = at + step;
            const double up = gw_logistic_loss(&l, &rows, &problem, capacity, other);
            l.weight[j] = at - step;
            const double down = gw_logistic_loss(&l, &rows, &problem, capacity, other);
            l.weight[j] = at;
            cr_assert_float_eq(gradient[j], (up - down) / (2 * step), 1e-8);
        }
    }
    gw_logistic_free(&l);
    gw_sparse_rows_free(&rows);
}

Test(logistic, function_and_gradient) {
    check_function_and_gradient(false);
    check_function_and_gradient(true);
}

// LogisticRegression(C=c, tol=1e-13, solver="newton-cholesky") of scikit-learn 1.9.1 on the rows with a label,
// standardised by all rows, positives with sample_weight v.
static const struct {
    double c, v, weight[FEATURES + 1];
} goldens[] = {
    {0.5, 1, {1.001831188, 0.714970711, -1.224463194, -0.060493783, 0, -0.306412811}},
    {0.5, 3, {1.204830161, 0.736516282, -1.537443606, -0.113129972, 0, 0.589865469}},
    {10, 1, {1.718406003, 1.217215935, -1.992916173, -0.004812338, 0, -0.463520300}},
    {0.001, 8, {0.022854991, 0.017053189, -0.031580622, -0.000848334, 0, 1.869096107}},
};

Test(logistic, goldens) {
    gw_sparse_rows rows = make_rows();
    float labels[2 * ROWS];
    make_labels(labels);
    for (size_t g = 0; g < sizeof goldens / sizeof goldens[0]; g++) {
        const gw_logistic_problem problem = {labels, 2, goldens[g].v, goldens[g].c, 1e-7, false};
        gw_logistic_model l;
        cr_assert_eq(gw_logistic_fit(&rows, &problem, &l), GW_OK);
        for (int j = 0; j <= FEATURES; j++)
            cr_assert_float_eq(l.weight[j], goldens[g].weight[j], 2e-5, "golden %zu, weight %d: %.9f", g, j,
                               l.weight[j]);
        gw_logistic_free(&l);
    }
    gw_sparse_rows_free(&rows);
}

// 100 (x_1 - x_0^2)^2 + (1 - x_0)^2, which is least at (1, 1).
static double valley(void *context, const double *x, double *gradient) {
    const double rise = x[1] - x[0] * x[0];
    ++*(int *)context;
    gradient[0] = -400 * rise * x[0] - 2 * (1 - x[0]);
    gradient[1] = 200 * rise;
    return 100 * rise * rise + (1 - x[0]) * (1 - x[0]);
}

Test(logistic, lbfgs_finds_the_end_of_a_curved_valley) {
    int calls = 0;
    double x[] = {-1.2, 1};
    const gw_lbfgs_problem problem = {2, 200, 1e-9, &calls, valley};
    cr_assert_eq(gw_lbfgs(&problem, x), GW_OK);
    cr_assert_float_eq(x[0], 1, 1e-8);
    cr_assert_float_eq(x[1], 1, 1e-8);
    cr_assert_lt(calls, 100);
}

static const char *const sequences[] = {"ACGTNACG", "AAAA", "", "GTGTGTacgt"};

// Every window of every sequence, one by one.
static int occurrences(const char *bases, const char *kmer) {
    int count = 0;
    for (const char *at = bases; (at = strstr(at, kmer)); at++) count++;
    return count;
}

static void reverse(const char *kmer, char *out) {
    const size_t k = strlen(kmer);
    for (size_t i = 0; i < k; i++) {
        const char c = kmer[k - 1 - i];
        out[i] = c == 'A' ? 'T' : c == 'C' ? 'G' : c == 'G' ? 'C' : 'A';
    }
    out[k] = 0;
}

Test(logistic, kmers_are_counted) {
    for (int both = 0; both < 2; both++) {
        gw_kmer_rows kmers;
        cr_assert_eq(gw_kmer_rows_make(&kmers, 2, both == 1), GW_OK);
        cr_assert_eq(kmers.features, both ? 10 : 16);
        for (int s = 0; s < 3; s++)
            cr_assert_eq(gw_kmer_rows_add(&kmers, sequences[s], (int64_t)strlen(sequences[s])), GW_OK);
        cr_assert_eq(kmers.rows.rows, 3);
        for (int s = 0; s < 3; s++) {
            double total = 0;
            for (uint32_t code = 0; code < 16; code++) { // each k-mer's frequency stands at its feature
                const char kmer[] = {"ACGT"[code >> 2], "ACGT"[code & 3], 0};
                char other[3];
                int want = occurrences(sequences[s], kmer), windows = s == 0 ? 5 : s == 1 ? 3 : 1;
                reverse(kmer, other);
                if (both && strcmp(kmer, other) != 0) want += occurrences(sequences[s], other);
                double found = 0;
                for (int64_t k = kmers.rows.start[s]; k < kmers.rows.start[s + 1]; k++)
                    if (kmers.rows.feature[k] == kmers.feature[code]) found += (double)kmers.rows.value[k];
                cr_assert_float_eq(found, (double)want / windows, 1e-7, "%s in %s", kmer, sequences[s]);
                total += found;
            }
            cr_assert(s == 2 ? total == 0 : total >= 0.999);
        }
        gw_kmer_rows_free(&kmers);
    }
}
