// SPDX-License-Identifier: MIT
// Sums over the classes.
#include "task/bases/class_weights.h"

#include "base/log.h"
#include "base/memory.h"
#include "task/usage.h"
#include "task/windows/window_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_frequency = 1e-6, most_weight = 100;

gw_status gw_base_frequencies(const gw_base_set *set, int64_t classes, double **frequency) {
    int32_t *class = gw_alloc(gw_labelled_set_longest(set->set), sizeof *class);
    double *sum = *frequency = gw_alloc(classes, sizeof *sum);
    for (int64_t i = 0; class && sum && i < gw_labelled_set_count(set->set); i++) {
        const gw_region window = gw_base_set_window(set, i);
        gw_base_set_labels(set, i, class);
        for (int64_t k = 0; k < window.end - window.begin; k++)
            for (int64_t c = 0; c < classes; c++)
                if (gw_base_has_class(set->overlap, class[k], c)) sum[c] += 1.0 / (double)set->bases;
    }
    free(class);
    return class && sum ? GW_OK : GW_ERR_MEMORY;
}

static double at_least(double frequency) {
    return fmax(frequency, least_frequency);
}

static bool is_balanced(const char *weights) {
    return strcmp(weights, "balanced") == 0;
}

static bool is_root(const char *weights) {
    return strcmp(weights, "root") == 0;
}

gw_status gw_check_class_weights(const char *weights) {
    if (is_balanced(weights) || is_root(weights) || strpbrk(weights, "0123456789")) return GW_OK;
    return gw_fail(GW_ERR_USAGE, "--class-weights '%s': expected balanced, root, or a number for each class", weights);
}

static double weight_of(const gw_config *config, double frequency, bool root) {
    const double f = at_least(frequency);
    if (!config->overlap) return root ? 1 / sqrt(f) : 1 / f;
    const double odds = fmin(most_weight, fmax(1 / most_weight, (1 - f) / f));
    return root ? sqrt(odds) : odds;
}

gw_status gw_weigh_classes(const char *weights, const double *frequency, gw_config *config) {
    const int64_t classes = config->labels;
    const bool root = is_root(weights);
    double mean = 0;
    if (!root && !is_balanced(weights))
        return gw_read_weights("--class-weights", weights, classes, &config->positive_weights);
    double *weight = config->positive_weights = gw_alloc(classes, sizeof *weight);
    if (!weight) return GW_ERR_MEMORY;
    for (int64_t c = 0; c < classes; c++) {
        weight[c] = weight_of(config, frequency[c], root);
        mean += frequency[c] * weight[c];
    }
    for (int64_t c = 0; c < classes; c++) {
        if (!config->overlap) weight[c] /= mean;
        gw_note("class %s weighs %.4g", config->label_names[c], weight[c]);
    }
    return GW_OK;
}

// The logit of knowing a class's frequency.
static double logit_of(const gw_config *config, double frequency, int64_t class) {
    const double f = at_least(frequency), weight = gw_config_positive_weight(config, class);
    return log(f) + log(weight) - (config->overlap ? log(at_least(1 - f)) : 0);
}

void gw_begin_with_frequencies(const gw_model *model, const double *frequency) {
    const gw_config *config = &model->config;
    const gw_parameter *bias = gw_model_role(model, GW_ROLE_LOGITS, 0, true);
    float *values = bias ? model->parameters.weight + bias->offset : NULL;
    for (int64_t c = 0; values && c < config->labels; c++)
        if (values[c] != 0) return; // it goes on
    for (int64_t c = 0; values && c < config->labels; c++) values[c] = (float)logit_of(config, frequency[c], c);
}

double gw_base_chance(const gw_config *config, const double *frequency, double focus) {
    const int64_t classes = config->labels;
    double loss = 0, sum = 0;
    for (int64_t c = 0; c < classes; c++) sum += exp(logit_of(config, frequency[c], c));
    for (int64_t c = 0; c < classes; c++) {
        const double f = frequency[c], weight = gw_config_positive_weight(config, c);
        const double p = exp(logit_of(config, f, c)) / sum;
        if (config->overlap)
            loss += (f * gw_label_loss(f, 1, weight) + (1 - f) * gw_label_loss(f, 0, weight)) / (double)classes;
        else loss -= f * weight * pow(1 - p, focus) * log(p);
    }
    return loss;
}
