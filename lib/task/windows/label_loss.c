// SPDX-License-Identifier: MIT
// Sums in double, in the order of the examples.
#include "task/windows/label_loss.h"

#include "base/memory.h"
#include "label/row_file.h"

#include <math.h>
#include <stdlib.h>

double gw_label_loss(double probability, double label, double positive_weight) {
    const double least = 1e-7;
    const double p = fmin(fmax(probability, least), 1 - least), yes = positive_weight * p, no = 1 - p;
    return -positive_weight * label * log(yes / (yes + no)) - (1 - label) * log(no / (yes + no));
}

// Adds an example's labels to sums and counts; what is missing is not counted.
static void add_values(const float *values, int64_t labels, double *sum, int64_t *count) {
    for (int64_t l = 0; l < labels; l++) {
        if (isnan(values[l])) continue;
        sum[l] += (double)values[l];
        count[l]++;
    }
}

// The same of packed labels, most of which are 0 in sets of millions of examples.
static void add_bits(const uint8_t *bits, int64_t labels, double *sum, int64_t *examples) {
    for (int64_t byte = 0; byte < gw_row_bytes(&gw_label_rows, labels); byte++)
        for (unsigned left = bits[byte]; left; left &= left - 1) sum[8 * byte + __builtin_ctz(left)]++;
    ++*examples;
}

gw_status gw_label_frequencies(const gw_labelled_set *set, double *frequency) {
    const int64_t labels = gw_labelled_set_labels(set);
    float *values = gw_alloc(labels, sizeof *values);
    int64_t *count = gw_alloc(labels, sizeof *count), packed = 0;
    const gw_status status = values && count ? GW_OK : GW_ERR_MEMORY;
    for (int64_t l = 0; l < labels; l++) frequency[l] = 0;
    for (int64_t i = 0; status == GW_OK && i < gw_labelled_set_count(set); i++) {
        const uint8_t *bits = gw_labelled_set_bits(set, i);
        if (bits) {
            add_bits(bits, labels, frequency, &packed);
            continue;
        }
        gw_labelled_set_values(set, i, values);
        add_values(values, labels, frequency, count);
    }
    for (int64_t l = 0; status == GW_OK && l < labels; l++)
        if (count[l] + packed > 0) frequency[l] /= (double)(count[l] + packed);
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
