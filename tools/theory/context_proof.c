// SPDX-License-Identifier: MIT
// The contextual mapping on every input of a grid, in exact rationals: the selective shift operator, the constants, the
// phases, and distinctness by sorting.
#include "tools/theory/context_proof.h"

#include "base/memory.h"
#include "tools/theory/product.h"

#include <math.h>
#include <stdlib.h>

mpq_t *gw_exact_new(int64_t count) {
    mpq_t *numbers = gw_alloc(count, sizeof *numbers);
    for (int64_t i = 0; numbers && i < count; i++) mpq_init(numbers[i]);
    return numbers;
}

void gw_exact_free(mpq_t *numbers, int64_t count) {
    for (int64_t i = 0; numbers && i < count; i++) mpq_clear(numbers[i]);
    free(numbers);
}

static void exact_power(mpq_t out, unsigned long base, unsigned long exponent) {
    mpz_ui_pow_ui(mpq_numref(out), base, exponent);
    mpz_set_ui(mpq_denref(out), 1);
}

void gw_exact_add_product(mpq_t sum, const mpq_t a, const mpq_t b) {
    mpq_t product;
    mpq_init(product);
    mpq_mul(product, a, b);
    mpq_add(sum, sum, product);
    mpq_clear(product);
}

static void exact_floor(mpz_t out, const mpq_t number) {
    mpz_fdiv_q(out, mpq_numref(number), mpq_denref(number));
}

// --- selective shifts ----------------------------------------------------------------------------------------------

// The selective shift operator of Big Bird's appendix A.2.2 (Lemma 2), in exact rationals:
//   X_i += rho (max over N(i) of u.X_j - min over N(i) of u.X_j) e_1   for the columns with b_1 < u.X_i < b_2
// as two heads of hardmax attention over a graph, psi(b_1) - psi(b_2), where
//   psi(b)_i = hardmax over j in N(i) of [(u.X_i - b)(u.X_j)], applied to u.X_j
// is the maximum where u.X_i > b and the minimum where u.X_i < b. The paper prints (u.X_i)(u.X_j - b): there u.X_i >= 0
// makes every score rise with u.X_j, both heads pick the maximum, and nothing is ever shifted.

typedef struct {
    int tokens, width; // n + 1, d + 1; token 0 is the global one
    int inverse_delta; // 1 / delta, a whole number
    mpq_t *x;          // [tokens][width]
    const mpq_t *u;    // [width]
    mpq_t *inner;      // [tokens] u.X_i, kept up to date
    const gw_graph *graph;
    bool printed_lemma2;
    bool product_parted;            // the same heads by the product's f32 attention have given something else
    int64_t shifts, product_shifts; // layers applied, and those before that
} shift_state;

enum { MOST_TOKENS = 64 };
static const double PRODUCT_LIMIT = 1e-6; // of a value that f32 attention gives back

static void take_inner_products(shift_state *s) {
    for (int i = 0; i < s->tokens; i++) {
        mpq_set_ui(s->inner[i], 0, 1);
        for (int k = 0; k < s->width; k++) gw_exact_add_product(s->inner[i], s->u[k], s->x[i * s->width + k]);
    }
}

// psi(b)_i: the mean of the values u.X_j of all keys with the largest score.
static void hard_head(const shift_state *s, const mpq_t b, int i, mpq_t out) {
    const gw_graph *g = s->graph;
    mpq_t best, here, count;
    mpq_inits(best, here, count, NULL);
    unsigned long ties = 0;
    for (int64_t e = g->row_start[i]; e < g->row_start[i + 1]; e++) {
        // The score of key j for query i in the head of b.
        const int j = g->column[e];
        mpq_sub(here, s->inner[s->printed_lemma2 ? j : i], b);
        mpq_mul(here, here, s->inner[s->printed_lemma2 ? i : j]);
        const int order = ties == 0 ? 1 : mpq_cmp(here, best);
        if (order > 0) {
            mpq_set(best, here);
            mpq_set(out, s->inner[g->column[e]]);
            ties = 1;
        } else if (order == 0) {
            mpq_add(out, out, s->inner[g->column[e]]);
            ties++;
        }
    }
    mpq_set_ui(count, ties, 1);
    mpq_div(out, out, count);
    mpq_clears(best, here, count, NULL);
}

// 1 / the smallest distance of two different scores in the row of a token: what makes a softmax hard.
static double sharpest(const shift_state *s, const mpq_t b) {
    const gw_graph *g = s->graph;
    double least = INFINITY;
    mpq_t factor, distance;
    mpq_inits(factor, distance, NULL);
    for (int i = 0; i < s->tokens; i++) {
        mpq_sub(factor, s->inner[i], b);
        for (int64_t e = g->row_start[i]; e < g->row_start[i + 1]; e++)
            for (int64_t f = e + 1; f < g->row_start[i + 1]; f++) {
                mpq_sub(distance, s->inner[g->column[e]], s->inner[g->column[f]]);
                mpq_mul(distance, distance, factor);
                if (mpq_sgn(distance) != 0) least = fmin(least, fabs(mpq_get_d(distance)));
            }
    }
    mpq_clears(factor, distance, NULL);
    return 1 / least;
}

// Whether the product's f32 attention finds psi(b) = exact [tokens], to the rounding of its own numbers: exp(-128) is
// nothing beside 1 in f32, so that its softmax is a hard maximum.
static gw_status product_agrees(const shift_state *s, const mpq_t b, mpq_t *exact, bool *agrees) {
    float query[MOST_TOKENS], key[MOST_TOKENS], out[MOST_TOKENS];
    mpq_t q;
    mpq_init(q);
    for (int i = 0; i < s->tokens; i++) {
        mpq_sub(q, s->inner[i], b);
        query[i] = (float)mpq_get_d(q);
        key[i] = (float)mpq_get_d(s->inner[i]);
    }
    mpq_clear(q);
    const float scale = (float)(128 * sharpest(s, b));
    GW_TRY(gw_product_attention(s->graph, s->tokens, s->tokens, 1, scale, query, key, key, out));
    for (int i = 0; i < s->tokens; i++) {
        const double want = mpq_get_d(exact[i]);
        if (!(fabs(out[i] - want) <= PRODUCT_LIMIT * fabs(want))) *agrees = false;
    }
    return GW_OK;
}

// head [tokens] = psi(b), also by the product's kernel unless that has parted.
static gw_status apply_head(shift_state *s, const mpq_t b, mpq_t *head) {
    for (int i = 0; i < s->tokens; i++) hard_head(s, b, i, head[i]);
    bool agrees = !s->product_parted;
    if (agrees) GW_TRY(product_agrees(s, b, head, &agrees));
    s->product_parted = !agrees;
    return GW_OK;
}

// One layer.
static gw_status apply_shift(shift_state *s, const mpq_t rho, const mpq_t b1, const mpq_t b2) {
    if (s->tokens > MOST_TOKENS) return gw_fail(GW_ERR_UNSUPPORTED, "at most %d tokens", MOST_TOKENS);
    mpq_t *high = gw_exact_new(2 * s->tokens), *low = high + s->tokens;
    if (!high) return GW_ERR_MEMORY;
    gw_status status = apply_head(s, b1, high);
    if (status == GW_OK) status = apply_head(s, b2, low);
    s->product_shifts += !s->product_parted;
    s->shifts++;
    for (int i = 0; i < s->tokens; i++) {
        mpq_sub(high[i], high[i], low[i]);
        gw_exact_add_product(s->x[i * s->width], rho, high[i]);
    }
    gw_exact_free(high, 2 * s->tokens);
    take_inner_products(s);
    return status;
}

// The smallest k >= *from with a column inside (low + k delta - delta/2, low + k delta + delta/2), v = low + k delta
// below high; false where there is none.
static bool next_hit(const shift_state *s, const mpq_t low, const mpq_t high, mpz_t from, mpq_t v) {
    bool found = false;
    mpq_t place, middle, near;
    mpz_t k, best;
    mpq_inits(place, middle, near, NULL);
    mpz_inits(k, best, NULL);
    for (int i = 0; i < s->tokens; i++) {
        mpq_sub(place, s->inner[i], low); // k = floor((u.X_i - low) / delta + 1/2), unless that is an end point
        mpq_set_si(near, s->inverse_delta, 1);
        mpq_mul(place, place, near);
        mpq_set_ui(near, 1, 2);
        mpq_add(near, place, near);
        exact_floor(k, near);
        mpq_set_z(middle, k);
        if (mpq_equal(middle, near) || mpz_cmp(k, from) < 0 || (found && mpz_cmp(k, best) >= 0)) continue;
        mpq_set_si(near, 1, s->inverse_delta);
        mpq_canonicalize(near);
        mpq_mul(middle, middle, near);
        mpq_add(middle, middle, low);
        if (mpq_cmp(middle, high) >= 0) continue;
        found = true;
        mpz_set(best, k);
        mpq_set(v, middle);
    }
    if (found) mpz_add_ui(from, best, 1);
    mpq_clears(place, middle, near, NULL);
    mpz_clears(k, best, NULL);
    return found;
}

// Layers with b = v - delta/2, v + delta/2 for v = low, low + delta, ... below high, in this order. A layer in whose
// interval no column lies changes nothing and is skipped.
static gw_status shift_sweep(shift_state *s, const mpq_t rho, const mpq_t low, const mpq_t high) {
    mpq_t v, half, b1, b2;
    mpz_t from;
    mpq_inits(v, half, b1, b2, NULL);
    mpz_init(from);
    mpq_set_ui(half, 1, 2 * (unsigned long)s->inverse_delta);
    gw_status status = GW_OK;
    while (status == GW_OK && next_hit(s, low, high, from, v)) {
        mpq_sub(b1, v, half);
        mpq_add(b2, v, half);
        status = apply_shift(s, rho, b1, b2);
    }
    mpq_clears(v, half, b1, b2, NULL);
    mpz_clear(from);
    return status;
}

enum { START, LAMBDA, ETA, KAPPA, DELTA, CONSTANTS };

static int digits(const gw_context *c) { // values of a coordinate
    return c->printed & GW_PRINTED_GRID ? c->m + 1 : c->m;
}

int gw_context_digit(const gw_context *c, int64_t p, int i, int t) {
    for (int k = i * c->d + t; k > 0; k--) p /= digits(c);
    return (int)(p % digits(c));
}

void gw_context_print_input(const gw_context *c, int64_t p, gw_string *out) {
    for (int i = 0; i < c->n; i++)
        for (int t = 0; t < c->d; t++) {
            const int digit = gw_context_digit(c, p, i, t);
            gw_string_puts(out, i == 0 && t == 0 ? "(" : t == 0 ? " | " : " ");
            if (digit == 0 || digit == c->m) gw_string_printf(out, "%d", digit / c->m);
            else gw_string_printf(out, "%d/%d", digit, c->m);
        }
    gw_string_putc(out, ')');
}

// Keeps the first thing that did not hold.
static void check(gw_context *c, bool holds, int64_t p, const char *what, int k) {
    if (c->without_star) return; // the proof says nothing of its phases
    c->checks++;
    if (holds || c->failure.length > 0) return;
    gw_string_printf(&c->failure, "phase %d: %s; P = ", k, what);
    gw_context_print_input(c, p, &c->failure);
}

// --- the constants -------------------------------------------------------------------------------------------------

static void power(const gw_context *c, long exponent, mpq_t out) {
    exact_power(out, (unsigned long)c->m, (unsigned long)labs(exponent));
    if (exponent < 0) mpq_inv(out, out);
}

// E_i = 0 for the first token, delta^-((i-1)d) in every coordinate of the others; i from 1.
static void offset(const gw_context *c, int i, mpq_t out) {
    if (i == 1) mpq_set_ui(out, 0, 1);
    else power(c, (long)(i - 1) * c->d, out);
}

// A linear form in l: [0] constant, [i] coefficient of l_i.  to = scale from + add
static void form_axpy(const gw_context *c, mpq_t *to, const mpq_t scale, mpq_t *from) {
    for (int i = 0; i <= c->n; i++) gw_exact_add_product(to[i], scale, from[i]);
}

static void form_range(const gw_context *c, mpq_t *form, mpq_t low, mpq_t high) {
    mpq_set(low, form[0]);
    mpq_set(high, form[0]);
    for (int i = 1; i <= c->n; i++) {
        const bool rises = mpq_sgn(form[i]) > 0;
        gw_exact_add_product(low, form[i], rises ? c->first[i] : c->last[i]);
        gw_exact_add_product(high, form[i], rises ? c->last[i] : c->first[i]);
    }
}

static gw_status set_global_ranges(gw_context *c) {
    mpq_t *forms = gw_exact_new(4 * (c->n + 1)), less, minus_eta;
    if (!forms) return GW_ERR_MEMORY;
    mpq_t *global = forms, *token = forms + c->n + 1, *first = token + c->n + 1, *minimum = first + c->n + 1;
    mpq_inits(less, minus_eta, NULL);
    mpq_set_si(less, 1, 1);
    mpq_sub(less, less, c->constant[LAMBDA]); // 1 - lambda
    mpq_neg(minus_eta, c->constant[ETA]);
    mpq_set(global[0], c->constant[START]);
    form_range(c, global, c->low_global[0], c->high_global[0]);
    for (int k = 1; k <= c->n; k++) {
        for (int i = 0; i <= c->n; i++) {
            mpq_mul(token[i], c->constant[LAMBDA], global[i]); // f_k = lambda f~ + (1 - lambda) l_k
            mpq_set_si(minimum[i], i == k + 1, 1);             // l_(k+1)
        }
        mpq_add(token[k], token[k], less);
        for (int i = 0; k == 1 && i <= c->n; i++) mpq_set(first[i], token[i]);
        for (int i = 0; k == c->n && i <= c->n; i++) mpq_set(minimum[i], k > 1 ? first[i] : global[i]);
        form_range(c, token, c->low_token[k], c->high_token[k]);
        form_axpy(c, global, c->constant[ETA], token);
        form_axpy(c, global, minus_eta, minimum);
        form_range(c, global, c->low_global[k], c->high_global[k]);
    }
    mpq_clears(less, minus_eta, NULL);
    gw_exact_free(forms, 4 * (c->n + 1));
    return GW_OK;
}

// (UP) and (LP) as printed: with A = delta^-(n+1)d + 1, B = delta^-nd
//   A^k B - sum_(t=2..k) A^(k-t) (2 delta^-(nd+d) + B + 1) l_t - A^(k-1) (delta^-(nd+d) + B) l_1 - l_(k+1)
// with delta^-td for l_t in T_k and delta^-(t-1)d in S_k.
static void printed_bound(const gw_context *c, int k, int above, mpq_t out) {
    mpq_t a, b, big, term, sum;
    mpq_inits(a, b, big, term, sum, NULL);
    power(c, (long)(c->n + 1) * c->d, big);
    power(c, (long)c->n * c->d, b);
    mpq_set_ui(term, 1, 1);
    mpq_add(a, big, term);
    mpq_set_ui(sum, 0, 1); // sum_t A^(k-t) c_t l_t by Horner's rule
    for (int t = 1; t <= k; t++) {
        mpq_add(term, big, b);
        if (t > 1) {
            mpq_add(term, term, big);
            mpq_set_ui(out, 1, 1);
            mpq_add(term, term, out);
        }
        power(c, (long)(t - 1 + above) * c->d, out);
        mpq_mul(sum, sum, a);
        gw_exact_add_product(sum, term, out);
    }
    power(c, (long)(k + above) * c->d, out);
    mpq_add(sum, sum, out);
    mpq_set(out, b);
    for (int t = 0; t < k; t++) mpq_mul(out, out, a);
    mpq_sub(out, out, sum);
    mpq_clears(a, b, big, term, sum, NULL);
}

// kappa: the smallest power of 1 / delta for which kappa delta exceeds every difference of two f.
static void set_kappa(gw_context *c) {
    if (c->printed & GW_PRINTED_LAST_FACTOR) {
        power(c, (long)c->n * c->n * c->d, c->constant[KAPPA]);
        return;
    }
    mpq_t m;
    mpq_init(m);
    mpq_set_ui(m, (unsigned long)c->m, 1);
    for (mpq_set(c->constant[KAPPA], m); mpq_cmp(c->constant[KAPPA], c->high_token[c->n]) <= 0;)
        mpq_mul(c->constant[KAPPA], c->constant[KAPPA], m);
    mpq_mul(c->constant[KAPPA], c->constant[KAPPA], m);
    mpq_clear(m);
}

static gw_status set_constants(gw_context *c) {
    for (int t = 0; t < c->d; t++) power(c, t, c->u[t]);
    power(c, (long)c->n * c->d, c->u[c->d]);
    mpq_set(c->constant[START], c->u[c->d]);
    power(c, (c->printed & GW_PRINTED_FACTOR ? 1L : 2L) * c->d, c->constant[LAMBDA]);
    power(c, (long)c->n * c->d, c->constant[ETA]);
    power(c, -1, c->constant[DELTA]);
    mpq_t e, width, top;
    mpq_inits(e, width, top, NULL);
    mpq_set_ui(top, (unsigned long)digits(c) - 1, (unsigned long)c->m); // largest coordinate
    mpq_canonicalize(top);
    for (int t = 0; t < c->d; t++) mpq_add(width, width, c->u[t]);
    for (int i = 1; i <= c->n; i++) {
        offset(c, i, e);
        mpq_mul(c->first[i], e, width);
        mpq_set(c->last[i], c->first[i]);
        gw_exact_add_product(c->last[i], top, width);
    }
    mpq_clears(e, width, top, NULL);
    GW_TRY(set_global_ranges(c));
    set_kappa(c);
    if (c->printed & GW_PRINTED_BASE) {
        power(c, (long)(c->n + 1) * c->d, c->low_global[0]);
        mpq_add(c->high_global[0], c->low_global[0], c->constant[DELTA]);
    }
    for (int k = 1; k <= c->n && c->printed & GW_PRINTED_BOUNDS; k++) {
        printed_bound(c, k, 0, c->low_global[k]);
        printed_bound(c, k, 1, c->high_global[k]);
    }
    return GW_OK;
}

// --- the phases ----------------------------------------------------------------------------------------------------

static void trace(gw_context *c, const shift_state *s, int step) {
    for (int i = 0; i < s->tokens; i++) {
        mpf_t wide;
        long exponent;
        mpf_init(wide);
        mpf_set_q(wide, s->inner[i]);
        const double mantissa = mpf_get_d_2exp(&exponent, wide);
        c->trace[step * s->tokens + i] = mantissa > 0 ? log10(mantissa) + (double)exponent * log10(2) : NAN;
        mpf_clear(wide);
    }
}

// Whether token k alone differs from `before`.
static bool only_moved(const shift_state *s, mpq_t *before, int k) {
    for (int i = 0; i < s->tokens; i++)
        if (mpq_equal(s->inner[i], before[i]) == (i == k)) return false;
    return true;
}

static gw_status sweep_and_check(gw_context *c, shift_state *s, int64_t p, int k, bool global, mpq_t *before) {
    mpq_t low, high;
    mpq_inits(low, high, NULL);
    for (int i = 0; i < s->tokens; i++) mpq_set(before[i], s->inner[i]);
    if (global) {
        mpq_set(low, c->low_global[k - 1]);
        mpq_set(high, c->high_global[k - 1]);
    } else if (c->printed & GW_PRINTED_LOW_RANGE) {
        power(c, (long)(k - 1) * c->d, low);
        power(c, (long)k * c->d, high);
    } else {
        mpq_set(low, c->first[k]);
        mpq_set(high, c->last[k]);
    }
    const unsigned from_the_text = !global ? GW_PRINTED_LOW_RANGE : k == 1 ? GW_PRINTED_BASE : GW_PRINTED_BOUNDS;
    if (!(c->printed & from_the_text)) mpq_add(high, high, c->constant[DELTA]); // our ranges include their ends
    const gw_status status = shift_sweep(s, c->constant[global ? ETA : LAMBDA], low, high);
    check(c, only_moved(s, before, global ? 0 : k), p,
          global ? "the high shift does not move the global token alone" : "the low shift does not move token k alone",
          k);
    mpq_clears(low, high, NULL);
    return status;
}

// Invariants 1 and 2, with ends included, and the order of invariant 3.
static void check_invariants(gw_context *c, const shift_state *s, int64_t p, int k) {
    mpq_t *f = s->inner;
    check(c, mpq_cmp(c->low_global[k], f[0]) <= 0 && mpq_cmp(f[0], c->high_global[k]) <= 0, p,
          "the global token is outside [S_k, T_k]", k);
    check(c, mpq_cmp(c->high_global[k - 1], f[k]) <= 0 && mpq_cmp(f[k], c->low_global[k]) < 0, p,
          "f_k is outside [T_(k-1), S_k)", k);
    for (int i = k + 1; i < c->n; i++) check(c, mpq_cmp(f[i], f[i + 1]) < 0, p, "l_(k+1) < ... < l_n fails", k);
    if (k < c->n) check(c, mpq_cmp(f[c->n], f[1]) < 0, p, "l_n < f_1 fails", k);
    for (int i = 1; i < k; i++) check(c, mpq_cmp(f[i], f[i + 1]) < 0, p, "f_1 < ... < f_k fails", k);
    check(c, mpq_cmp(f[k], f[0]) < 0, p, "f_k < f~_k fails", k);
}

static gw_status run_input(gw_context *c, shift_state *s, int64_t p, mpq_t *before) {
    mpq_t e;
    mpq_init(e);
    for (int k = 0; k < s->tokens * s->width; k++) mpq_set_ui(s->x[k], 0, 1);
    mpq_set_ui(s->x[c->d], 1, 1); // X_0 = (0, ..., 0, 1)
    for (int i = 1; i <= c->n; i++) {
        offset(c, i, e);
        for (int t = 0; t < c->d; t++) {
            mpq_t *at = &s->x[i * s->width + t];
            mpq_set_ui(*at, (unsigned long)gw_context_digit(c, p, i - 1, t), (unsigned long)c->m);
            mpq_canonicalize(*at);
            mpq_add(*at, *at, e);
        }
    }
    mpq_clear(e);
    take_inner_products(s);
    s->product_parted = false, s->product_shifts = s->shifts = 0;
    trace(c, s, 0);
    for (int k = 1; k <= c->n; k++) {
        GW_TRY(sweep_and_check(c, s, p, k, false, before));
        trace(c, s, 2 * k - 1);
        GW_TRY(sweep_and_check(c, s, p, k, true, before));
        trace(c, s, 2 * k);
        check_invariants(c, s, p, k);
    }
    mpq_set(c->global[p], s->inner[0]);
    mpq_t low, high;
    mpq_inits(low, high, NULL);
    gw_status status;
    if (c->printed & GW_PRINTED_LAST_RANGE) {
        mpq_add(high, c->high_global[c->n], c->constant[DELTA]);
        status = shift_sweep(s, c->constant[KAPPA], c->low_global[1], high);
    } else { // one layer over the range of all f_1 .. f_n, which the global token is above
        mpq_sub(low, c->low_token[1], c->constant[DELTA]);
        mpq_add(high, c->high_token[c->n], c->constant[DELTA]);
        status = apply_shift(s, c->constant[KAPPA], low, high);
    }
    mpq_clears(low, high, NULL);
    GW_TRY(status);
    trace(c, s, 2 * c->n + 1);
    c->shifts += s->shifts;
    if (p == 0 || s->product_shifts < c->product_shifts) c->product_shifts = s->product_shifts;
    if (p == 0 || s->shifts < c->least_shifts) c->least_shifts = s->shifts;
    for (int i = 0; i < c->n; i++) {
        mpq_set(c->context[p * c->n + i], s->inner[i + 1]);
        for (int t = 0; t <= c->d; t++) mpq_set(c->column[(p * c->n + i) * s->width + t], s->x[(i + 1) * s->width + t]);
    }
    return GW_OK;
}

// --- distinctness, by sorting --------------------------------------------------------------------------------------

static mpq_t *sorted; // qsort has no argument for its function

static int by_value(const void *a, const void *b) {
    return mpq_cmp(sorted[*(const int64_t *)a], sorted[*(const int64_t *)b]);
}

// values [inputs][tokens]; `first` is what the first of the tokens is called.
static gw_status check_distinct(gw_context *c, mpq_t *values, int tokens, int first) {
    const int64_t count = c->inputs * tokens;
    int64_t *order = gw_alloc(count, sizeof *order);
    if (!order) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) order[i] = i;
    sorted = values;
    qsort(order, (size_t)count, sizeof *order, by_value);
    for (int64_t i = 1; i < count; i++) {
        c->checks++;
        if (!mpq_equal(values[order[i - 1]], values[order[i]]) || c->failure.length > 0) continue;
        const int64_t a = order[i - 1] < order[i] ? order[i - 1] : order[i], b = order[i - 1] + order[i] - a;
        gw_string_printf(&c->failure, "token %d of ", (int)(a % tokens) + first);
        gw_context_print_input(c, a / tokens, &c->failure);
        gw_string_printf(&c->failure, " and token %d of ", (int)(b % tokens) + first);
        gw_context_print_input(c, b / tokens, &c->failure);
        gw_string_puts(&c->failure, " are left with the same number");
    }
    free(order);
    return GW_OK;
}

// Whether token 0 reads all tokens and all read it.
static bool has_star(const gw_graph *graph) {
    if (graph->row_start[1] < graph->key_blocks) return false;
    for (int32_t i = 0; i < graph->query_blocks; i++)
        if (graph->column[graph->row_start[i]] != 0) return false;
    return true;
}

gw_status gw_context_run(gw_context *c, int n, int d, int m, unsigned printed, const gw_graph *graph) {
    *c = (gw_context){.n = n, .d = d, .m = m, .printed = printed, .inputs = 1, .without_star = !has_star(graph)};
    for (int i = 0; i < CONSTANTS; i++) mpq_init(c->constant[i]);
    for (int i = 0; i < n * d; i++) c->inputs *= digits(c);
    mpq_t **const arrays[] = {&c->first, &c->last, &c->low_global, &c->high_global, &c->low_token, &c->high_token};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (!(*arrays[i] = gw_exact_new(c->n + 1))) return GW_ERR_MEMORY;
    c->u = gw_exact_new(c->d + 1);
    c->context = gw_exact_new(c->inputs * c->n);
    c->global = gw_exact_new(c->inputs);
    c->column = gw_exact_new(c->inputs * c->n * (c->d + 1));
    c->trace = gw_alloc((2 * c->n + 2) * (c->n + 1), sizeof *c->trace);
    if (!(c->u && c->context && c->global && c->column && c->trace)) return GW_ERR_MEMORY;
    GW_TRY(set_constants(c));
    mpq_t *capacity = gw_exact_new((n + 1) * (d + 3));
    if (!capacity) return GW_ERR_MEMORY;
    shift_state s = {.tokens = n + 1,
                     .width = d + 1,
                     .inverse_delta = m,
                     .x = capacity,
                     .u = c->u,
                     .inner = capacity + (n + 1) * (d + 1),
                     .graph = graph,
                     .printed_lemma2 = printed & GW_PRINTED_LEMMA2};
    gw_status status = GW_OK;
    for (int64_t p = 0; p < c->inputs && status == GW_OK; p++)
        status = run_input(c, &s, p, capacity + (n + 1) * (d + 2));
    gw_exact_free(capacity, (n + 1) * (d + 3));
    if (status == GW_OK && !c->without_star) status = check_distinct(c, c->global, 1, 0);
    return status == GW_OK ? check_distinct(c, c->context, n, 1) : status;
}

void gw_context_free(gw_context *c) {
    mpq_t *const arrays[] = {c->first, c->last, c->low_global, c->high_global, c->low_token, c->high_token};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) gw_exact_free(arrays[i], c->n + 1);
    gw_exact_free(c->u, c->d + 1);
    gw_exact_free(c->context, c->inputs * c->n);
    gw_exact_free(c->global, c->inputs);
    gw_exact_free(c->column, c->inputs * c->n * (c->d + 1));
    for (int i = 0; i < CONSTANTS; i++) mpq_clear(c->constant[i]);
    gw_string_free(&c->failure);
    free(c->trace);
}
