// SPDX-License-Identifier: MIT
// Counts in bins of the logarithm; sums for mean and deviation by Welford's updates.
#include "score/background_private.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int bin_of(double size) {
    const float value = (float)size;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int64_t bin = (int64_t)(bits >> (23 - GW_BACKGROUND_MANTISSA)) -
                        ((127 + GW_BACKGROUND_EXPONENT) << GW_BACKGROUND_MANTISSA) + 1;
    return bin < 0 ? 0 : bin >= GW_BACKGROUND_BINS ? GW_BACKGROUND_BINS - 1 : (int)bin;
}

gw_status gw_background_new(const gw_background_model *model, gw_background **out) {
    gw_background *b = gw_alloc(1, sizeof *b);
    *out = b;
    if (!b) return GW_ERR_MEMORY;
    memcpy(b->md5, model->md5, sizeof b->md5 - 1);
    b->window = model->window;
    b->temperature = gw_config_temperature(model->config);
    b->config = model->config;
    b->profiles = model->config->labels > 0 ? model->config->labels : 1;
    b->has_lower = model->config->labels == 0;
    b->profile = gw_alloc(b->profiles, sizeof *b->profile);
    if (b->profile) return GW_OK;
    gw_background_free(b);
    *out = NULL;
    return GW_ERR_MEMORY;
}

void gw_background_free(gw_background *background) {
    if (!background) return;
    free(background->profile);
    free(background->contexts);
    free(background);
}

int64_t gw_background_alleles(const gw_background *background) {
    return background->alleles;
}

gw_status gw_background_by_context(gw_background *b) {
    if (b->config->labels > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "contexts are of pretrained models; this one is fine-tuned");
    b->contexts = gw_alloc(GW_CONTEXTS, sizeof *b->contexts);
    return b->contexts ? GW_OK : GW_ERR_MEMORY;
}

static void add_value(gw_background_moments *m, double value) {
    const double before = value - m->mean;
    m->mean += before / (double)++m->count;
    m->squares += before * (value - m->mean);
}

static void take(gw_background_distribution *d, double difference, double effect) {
    add_value(&d->of, difference);
    d->counts[bin_of(effect)]++;
}

static double logit(double p) {
    const double least = 1e-7, clipped = fmin(fmax(p, least), 1 - least);
    return log(clipped / (1 - clipped));
}

// The ratio of the change that the context is of, which the record may have the other way round.
static double scored_bits(const gw_allele *allele) {
    return (double)(allele->swapped ? -allele->bits : allele->bits);
}

static double largest_of(const gw_background *b, const gw_allele *allele) {
    return fabs((double)(b->config->labels > 0 ? allele->difference : allele->bits));
}

void gw_background_add(gw_background *b, const gw_allele *allele, const float *raw) {
    const double largest = largest_of(b, allele);
    const int64_t labels = b->config->labels;
    b->alleles++;
    take(&b->largest, largest, largest);
    if (labels == 0) take(&b->profile[0], (double)allele->bits, largest);
    if (labels == 0 && allele->bits < 0) take(&b->lower, (double)allele->bits, largest);
    if (b->contexts && allele->context >= 0) add_value(&b->contexts[allele->context], scored_bits(allele));
    for (int64_t l = 0; l < labels; l++) {
        const double ref = (double)raw[l], alt = (double)raw[labels + l];
        take(&b->profile[l], alt - ref, fabs((alt - ref) * (logit(alt) - logit(ref))));
    }
}

double gw_allele_effect(const gw_config *config, const gw_allele *allele) {
    if (config->labels == 0) return fabs((double)allele->bits);
    return fabs((double)allele->difference * (double)allele->logit);
}

static const gw_background_distribution *profile_of(const gw_background *b, const gw_allele *allele) {
    return &b->profile[b->config->labels > 0 ? allele->top : 0];
}

double gw_background_deviation(const gw_background_moments *m) {
    return m->count > 1 ? sqrt(m->squares / (double)(m->count - 1)) : 0;
}

static bool is_small(const gw_background *b) {
    return b->alleles < GW_BACKGROUND_LEAST;
}

double gw_background_z(const gw_background *b, const gw_allele *allele) {
    const gw_background_moments *m = &profile_of(b, allele)->of;
    const double sd = gw_background_deviation(m),
                 value = (double)(b->config->labels > 0 ? allele->difference : allele->bits);
    return sd > 0 && !is_small(b) ? (value - m->mean) / sd : (double)NAN;
}

bool gw_background_has_contexts(const gw_background *b) {
    return b->contexts != NULL;
}

double gw_background_in_context(const gw_background *b, const gw_allele *allele) {
    const gw_background_moments *m = allele->context >= 0 ? &b->contexts[allele->context] : NULL;
    if (!m || m->count < GW_CONTEXT_LEAST) return (double)NAN;
    return (double)allele->bits - (allele->swapped ? -m->mean : m->mean);
}

static int64_t count_from(const gw_background_distribution *d, int bin) {
    int64_t sum = 0;
    for (int i = bin; i < GW_BACKGROUND_BINS; i++) sum += d->counts[i];
    return sum;
}

bool gw_background_has_lower(const gw_background *b) {
    return b->has_lower;
}

// Ratios in the bin of `bits` or below: from zero up all that are below it, and those above it by their sizes.
static int64_t count_below(const gw_background *b, double bits) {
    const int bin = bin_of(fabs(bits));
    if (bits < 0) return count_from(&b->lower, bin);
    int64_t sum = b->lower.of.count;
    for (int i = 0; i <= bin; i++) sum += b->profile[0].counts[i] - b->lower.counts[i];
    return sum;
}

double gw_background_evalue(const gw_background *b, const gw_allele *allele, gw_tail tail) {
    if (is_small(b)) return (double)NAN;
    const int64_t as_rare = tail == GW_TAIL_LOWER
                                ? count_below(b, (double)allele->bits)
                                : count_from(profile_of(b, allele), bin_of(gw_allele_effect(b->config, allele)));
    return (double)(1 + as_rare) / (double)(1 + b->alleles);
}

double gw_background_percentile(const gw_background *b, const gw_allele *allele) {
    if (is_small(b)) return (double)NAN;
    const int64_t above = count_from(&b->largest, bin_of(largest_of(b, allele)));
    return 100 * (double)(b->alleles - above) / (double)b->alleles;
}
