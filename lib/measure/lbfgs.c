// SPDX-License-Identifier: MIT
// With s_i and y_i the last differences of x and of the gradient g, and r_i = 1 / (s_i . y_i), the two loops
//   q = g;  for the newest i to the oldest: a_i = r_i s_i . q,  q -= a_i y_i;  q *= s . y / y . y of the newest
//   for the oldest i to the newest: q += (a_i - r_i y_i . q) s_i
// make q, the gradient times an approximation of the inverse Hessian; the step is along -q.
#include "measure/lbfgs.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 10, MOST_HALVINGS = 40 };

typedef struct {
    const gw_lbfgs_problem *problem;
    int64_t n, pairs; // pairs so far; the last PAIRS of them are kept
    double *s, *y;    // [PAIRS][n], pair i in row i % PAIRS
    double r[PAIRS];
    double *gradient, *direction, *next, *next_gradient; // [n]
    double value;
} search;

static double dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void add(double *to, double factor, const double *from, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] += factor * from[i];
}

static void choose_direction(search *b) {
    const int64_t n = b->n, first = b->pairs > PAIRS ? b->pairs - PAIRS : 0;
    double a[PAIRS], *q = b->direction, scale = 1 / fmax(1, sqrt(dot(b->gradient, b->gradient, n)));
    memcpy(q, b->gradient, (size_t)n * sizeof *q);
    for (int64_t i = b->pairs - 1; i >= first; i--) {
        const int64_t k = i % PAIRS;
        a[k] = b->r[k] * dot(b->s + k * n, q, n);
        add(q, -a[k], b->y + k * n, n);
        if (i == b->pairs - 1) scale = 1 / (b->r[k] * dot(b->y + k * n, b->y + k * n, n));
    }
    for (int64_t i = 0; i < n; i++) q[i] *= -scale;
    for (int64_t i = first; i < b->pairs; i++) {
        const int64_t k = i % PAIRS;
        add(q, -a[k] - b->r[k] * dot(b->y + k * n, q, n), b->s + k * n, n);
    }
}

// Halves the step until the value falls by a share of what the slope promises. False where none does.
static bool find_step(search *b, const double *x, double *next_value) {
    const double slope = dot(b->gradient, b->direction, b->n), share = 1e-4;
    double length = 1;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, length /= 2) {
        memcpy(b->next, x, (size_t)b->n * sizeof *x);
        add(b->next, length, b->direction, b->n);
        *next_value = b->problem->value(b->problem->context, b->next, b->next_gradient);
        if (*next_value <= b->value + share * length * slope) return true;
    }
    return false;
}

// A pair whose curvature is not positive would make the approximation no descent.
static void keep_pair(search *b, const double *x) {
    const int64_t k = b->pairs % PAIRS, n = b->n;
    double *s = b->s + k * n, *y = b->y + k * n;
    for (int64_t i = 0; i < n; i++) {
        s[i] = b->next[i] - x[i];
        y[i] = b->next_gradient[i] - b->gradient[i];
    }
    const double curvature = dot(s, y, n);
    if (curvature <= 0) return;
    b->r[k] = 1 / curvature;
    b->pairs++;
}

static bool is_done(const search *b) {
    for (int64_t i = 0; i < b->n; i++)
        if (fabs(b->gradient[i]) > b->problem->tolerance) return false;
    return true;
}

static void minimise(search *b, double *x) {
    const size_t bytes = (size_t)b->n * sizeof *x;
    double next_value;
    b->value = b->problem->value(b->problem->context, x, b->gradient);
    for (int64_t step = 0; step < b->problem->most_steps && !is_done(b); step++) {
        choose_direction(b);
        if (!find_step(b, x, &next_value) || next_value >= b->value) return;
        keep_pair(b, x);
        memcpy(x, b->next, bytes);
        memcpy(b->gradient, b->next_gradient, bytes);
        b->value = next_value;
    }
}

gw_status gw_lbfgs(const gw_lbfgs_problem *problem, double *x) {
    const int64_t n = problem->size;
    double *memory = gw_alloc((2 * PAIRS + 4) * n, sizeof *memory);
    if (!memory) return GW_ERR_MEMORY;
    search b = {.problem = problem, .n = n, .s = memory, .y = memory + PAIRS * n};
    b.gradient = memory + 2 * PAIRS * n;
    b.direction = b.gradient + n;
    b.next = b.direction + n;
    b.next_gradient = b.next + n;
    minimise(&b, x);
    free(memory);
    return GW_OK;
}
