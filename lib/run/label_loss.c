// SPDX-License-Identifier: MIT
// Sums in double, in the order of the examples.
#include "run/label_loss.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

double gw_label_loss(double probability, double label, double positive_weight) {
    const double least = 1e-7;
    const double p = fmin(fmax(probability, least), 1 - least), yes = positive_weight * p, no = 1 - p;
    return -positive_weight * label * log(yes / (yes + no)) - (1 - label) * log(no / (yes + no));
}

gw_status gw_label_frequencies(const gw_labelled_set *set, double *frequency) {
    const int64_t labels = gw_labelled_set_labels(set);
    float *values = gw_alloc(labels, sizeof *values);
    int64_t *count = gw_alloc(labels, sizeof *count);
    const gw_status status = values && count ? GW_OK : GW_ERR_MEMORY;
    for (int64_t l = 0; l < labels; l++) frequency[l] = 0;
    for (int64_t i = 0; status == GW_OK && i < gw_labelled_set_count(set); i++) {
        gw_labelled_set_values(set, i, values);
        for (int64_t l = 0; l < labels; l++)
            if (!isnan(values[l])) frequency[l] += ((double)values[l] - frequency[l]) / (double)++count[l];
    }
    free(values);
    free(count);
    return status;
}

typedef struct {
    double sum;
    int64_t count;
} loss_sum;

static void add(loss_sum *sum, double probability, float value, double weight) {
    if (isnan(value)) return;
    sum->sum += gw_label_loss(probability, (double)value, weight);
    sum->count++;
}

static double mean(const loss_sum *sum) {
    return sum->count > 0 ? sum->sum / (double)sum->count : 0;
}

double gw_label_loss_of(const gw_config *config, const float *values, int64_t examples, const float *probability) {
    loss_sum sum = {0};
    for (int64_t i = 0; i < examples * config->labels; i++)
        add(&sum, (double)probability[i], values[i], gw_config_positive_weight(config, i % config->labels));
    return mean(&sum);
}

double gw_label_loss_of_constant(const gw_config *config, const float *values, int64_t examples,
                                 const double *probability) {
    loss_sum sum = {0};
    for (int64_t i = 0; i < examples * config->labels; i++)
        add(&sum, probability[i % config->labels], values[i], gw_config_positive_weight(config, i % config->labels));
    return mean(&sum);
}
