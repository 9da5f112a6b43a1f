// SPDX-License-Identifier: MIT
// Hardmax heads in rationals, and which shifts of a sweep hit a column.
#include "tools/theory/context_proof.h"

#include "tools/theory/product.h"

#include <math.h>

enum { MOST_TOKENS = 64 };
static const double PRODUCT_LIMIT = 1e-6; // of a value that f32 attention gives back

void gw_shift_inner_products(gw_shift_state *s) {
    for (int i = 0; i < s->tokens; i++) {
        mpq_set_ui(s->inner[i], 0, 1);
        for (int k = 0; k < s->width; k++) gw_exact_add_product(s->inner[i], s->u[k], s->x[i * s->width + k]);
    }
}

// The score of key j for query i in the head of b.
static void score(const gw_shift_state *s, const mpq_t b, int i, int j, mpq_t out) {
    mpq_sub(out, s->inner[s->printed_lemma2 ? j : i], b);
    mpq_mul(out, out, s->inner[s->printed_lemma2 ? i : j]);
}

// psi(b)_i: the mean of the values u.X_j of all keys with the largest score.
static void hard_head(const gw_shift_state *s, const mpq_t b, int i, mpq_t out) {
    const gw_graph *g = s->graph;
    mpq_t best, here, count;
    mpq_inits(best, here, count, NULL);
    unsigned long ties = 0;
    for (int64_t e = g->row_start[i]; e < g->row_start[i + 1]; e++) {
        score(s, b, i, g->column[e], here);
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
static double sharpest(const gw_shift_state *s, const mpq_t b) {
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
static gw_status product_agrees(const gw_shift_state *s, const mpq_t b, mpq_t *exact, bool *agrees) {
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
static gw_status apply_head(gw_shift_state *s, const mpq_t b, mpq_t *head) {
    for (int i = 0; i < s->tokens; i++) hard_head(s, b, i, head[i]);
    bool agrees = !s->product_parted;
    if (agrees) GW_TRY(product_agrees(s, b, head, &agrees));
    s->product_parted = !agrees;
    return GW_OK;
}

gw_status gw_shift(gw_shift_state *s, const mpq_t rho, const mpq_t b1, const mpq_t b2) {
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
    gw_shift_inner_products(s);
    return status;
}

// The smallest k >= *from with a column inside (low + k delta - delta/2, low + k delta + delta/2), v = low + k delta
// below high; false where there is none.
static bool next_hit(const gw_shift_state *s, const mpq_t low, const mpq_t high, mpz_t from, mpq_t v) {
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
        gw_exact_floor(k, near);
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

gw_status gw_shift_sweep(gw_shift_state *s, const mpq_t rho, const mpq_t low, const mpq_t high) {
    mpq_t v, half, b1, b2;
    mpz_t from;
    mpq_inits(v, half, b1, b2, NULL);
    mpz_init(from);
    mpq_set_ui(half, 1, 2 * (unsigned long)s->inverse_delta);
    gw_status status = GW_OK;
    while (status == GW_OK && next_hit(s, low, high, from, v)) {
        mpq_sub(b1, v, half);
        mpq_add(b2, v, half);
        status = gw_shift(s, rho, b1, b2);
    }
    mpq_clears(v, half, b1, b2, NULL);
    mpz_clear(from);
    return status;
}
