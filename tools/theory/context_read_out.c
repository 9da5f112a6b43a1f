// SPDX-License-Identifier: MIT
// Lemma 4: z <- z + w phi(u.z - c), one layer with hidden dimension 1 for each context c, where phi is the indicator of
// (-delta/2, delta/2), a piecewise linear function of three constant pieces. The token whose context is c is known, and
// so is its vector z: w = f(P)_i - z puts the value of f in its place. Contexts are at least delta apart, and larger
// than u.f(P)_i ever is, so that each token meets its own layer alone.
#include "tools/theory/context_proof.h"

#include <stdlib.h>

// The sample function: f(P)_i = x_(n+1-i) times the mean of all coordinates of x = P - E. It needs the whole input, and
// it moves values from one token to another.
static void sample(const gw_context *c, int64_t p, int i, int t, mpq_t out) {
    long sum = 0;
    for (int j = 0; j < c->n; j++)
        for (int k = 0; k < c->d; k++) sum += gw_context_digit(c, p, j, k);
    const long scale = (long)c->m * c->m * c->n * c->d;
    mpq_set_si(out, sum * gw_context_digit(c, p, c->n - 1 - i, t), (unsigned long)scale);
    mpq_canonicalize(out);
}

static void inner_product(const gw_context *c, mpq_t *z, mpq_t out) {
    mpq_set_ui(out, 0, 1);
    for (int t = 0; t <= c->d; t++) gw_exact_add_product(out, c->u[t], z[t]);
}

// All layers in their order on one token; z [d + 1] changes.
static void apply_layers(const gw_context *c, mpq_t *weights, mpq_t *z) {
    const int width = c->d + 1;
    mpq_t inner, distance, half;
    mpq_inits(inner, distance, half, NULL);
    mpq_set_ui(half, 1, 2 * (unsigned long)c->m);
    inner_product(c, z, inner);
    for (int64_t layer = 0; layer < c->inputs * c->n; layer++) {
        mpq_sub(distance, inner, c->context[layer]);
        mpq_abs(distance, distance);
        if (mpq_cmp(distance, half) >= 0) continue; // phi = 0
        for (int t = 0; t < width; t++) mpq_add(z[t], z[t], weights[layer * width + t]);
        inner_product(c, z, inner);
    }
    mpq_clears(inner, distance, half, NULL);
}

static bool is_sample(const gw_context *c, int64_t place, mpq_t *z) {
    mpq_t want;
    mpq_init(want);
    bool equal = true;
    for (int t = 0; t < c->d && equal; t++) {
        sample(c, place / c->n, (int)(place % c->n), t, want);
        equal = mpq_equal(want, z[t]);
    }
    mpq_clear(want);
    return equal;
}

gw_status gw_context_read_out(gw_context *c, int64_t *layers) {
    const int width = c->d + 1;
    const int64_t places = *layers = c->inputs * c->n;
    mpq_t *weights = gw_exact_new(places * width), *z = gw_exact_new(width);
    for (int64_t i = 0; weights && z && i < places; i++)
        for (int t = 0; t < width; t++) {
            if (t < c->d) sample(c, i / c->n, (int)(i % c->n), t, weights[i * width + t]);
            mpq_sub(weights[i * width + t], weights[i * width + t], c->column[i * width + t]);
        }
    for (int64_t i = 0; weights && z && i < places; i++) {
        for (int t = 0; t < width; t++) mpq_set(z[t], c->column[i * width + t]);
        apply_layers(c, weights, z);
        c->checks++;
        if (is_sample(c, i, z) || c->failure.length > 0) continue;
        gw_string_printf(&c->failure, "the read-out is not f at token %d of ", (int)(i % c->n) + 1);
        gw_context_print_input(c, i / c->n, &c->failure);
    }
    const gw_status status = weights && z ? GW_OK : GW_ERR_MEMORY;
    gw_exact_free(weights, places * width);
    gw_exact_free(z, width);
    return status;
}
