// SPDX-License-Identifier: MIT
// One walk over groups of equal probability, from the smallest.
#include "measure/auroc_error.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    float probability;
    bool positive;
    int64_t example;
} placed;

static int by_probability(const void *a, const void *b) {
    const float x = ((const placed *)a)->probability, y = ((const placed *)b)->probability;
    return (x > y) - (x < y);
}

typedef struct {
    placed *items; // by probability
    int64_t count, positives, negatives;
} placement;

static void collect(const float *probability, const float *label, int64_t count, int64_t stride, placement *p) {
    for (int64_t i = 0; i < count; i++) {
        if (isnan(label[i * stride])) continue;
        const bool positive = label[i * stride] >= 0.5f;
        p->items[p->count++] = (placed){probability[i * stride], positive, i};
        p->positives += positive;
    }
    p->negatives = p->count - p->positives;
    qsort(p->items, (size_t)p->count, sizeof *p->items, by_probability);
}

// V of the examples of the groups, positives' and negatives', into value[count]; returns the AUROC.
static double place(const placement *p, double *value) {
    const double positives = (double)p->positives, negatives = (double)p->negatives;
    int64_t lower_positives = 0, lower_negatives = 0;
    double sum = 0;
    for (int64_t begin = 0, end; begin < p->count; begin = end) {
        int64_t group_positives = 0;
        for (end = begin; end < p->count && p->items[end].probability == p->items[begin].probability; end++)
            group_positives += p->items[end].positive;
        const int64_t group_negatives = end - begin - group_positives;
        const double beaten = ((double)lower_negatives + (double)group_negatives / 2) / negatives;
        const double beaten_by = 1 - ((double)lower_positives + (double)group_positives / 2) / positives;
        for (int64_t i = begin; i < end; i++) value[i] = p->items[i].positive ? beaten : beaten_by;
        sum += (double)group_positives * beaten;
        lower_positives += group_positives;
        lower_negatives += group_negatives;
    }
    return sum / positives;
}

static void add_shares(const placement *p, double *value, double weight, double *share) {
    const double auroc = place(p, value), positives = (double)p->positives, negatives = (double)p->negatives;
    const double of_positives = weight / sqrt(positives * (positives - 1));
    const double of_negatives = weight / sqrt(negatives * (negatives - 1));
    for (int64_t i = 0; i < p->count; i++)
        share[p->items[i].example] += (value[i] - auroc) * (p->items[i].positive ? of_positives : of_negatives);
}

gw_status gw_auroc_shares_add(const float *probability, const float *label, int64_t count, int64_t stride,
                              double weight, double *share, int64_t *known) {
    placement p = {.items = gw_alloc(count, sizeof *p.items)};
    double *value = gw_alloc(count, sizeof *value);
    const gw_status status = p.items && value ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        collect(probability, label, count, stride, &p);
        const bool enough = p.positives > 1 && p.negatives > 1;
        if (enough) add_shares(&p, value, weight, share);
        *known += enough;
    }
    free(p.items);
    free(value);
    return status;
}

double gw_auroc_error(const double *share, const double *other, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const double one = share[i] - (other ? other[i] : 0);
        sum += one * one;
    }
    return sqrt(sum);
}
