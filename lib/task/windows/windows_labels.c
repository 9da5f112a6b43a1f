// SPDX-License-Identifier: MIT
// What sets of windows say of their labels: names, the window, the bin or the start site, the genome, weights.
#include "base/log.h"
#include "base/memory.h"
#include "task/trained_on.h"
#include "task/windows/label_loss.h"
#include "task/windows/windows_private.h"

#include <math.h>
#include <stdlib.h>

// The window that the model is set to read: the sets' own width, unless it is given.
static gw_status choose_window(const gw_finetune_run *run, const gw_labelled_set *set, int64_t *window) {
    const int64_t shortest = gw_labelled_set_shortest(set), longest = gw_labelled_set_longest(set);
    *window = run->options->window > 0 ? run->options->window : longest;
    if (run->options->window > 0 || shortest == longest) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH,
                   "the training windows are %lld to %lld bp: say which width the model is for (--window)",
                   (long long)shortest, (long long)longest);
}

static void tell_weights(const gw_config *config) {
    double least = INFINITY, most = 0;
    for (int64_t l = 0; l < config->labels; l++) {
        least = fmin(least, gw_config_positive_weight(config, l));
        most = fmax(most, gw_config_positive_weight(config, l));
    }
    if (config->labels == 1) gw_note("positives weigh %.4g (--positive-weight balanced)", most);
    else gw_note("positives weigh %.4g to %.4g, by label (--positive-weight balanced)", least, most);
}

// Positives of a label weigh as much in all as its negatives, within bounds that keep one example from ruling a batch.
static gw_status balance(gw_config *config, const gw_labelled_set *set) {
    static const double most = 100;
    double *weight = gw_alloc(config->labels, sizeof *weight);
    if (!weight) return GW_ERR_MEMORY;
    config->positive_weights = weight;
    GW_TRY(gw_label_frequencies(set, weight));
    for (int64_t l = 0; l < config->labels; l++) {
        const double f = weight[l];
        weight[l] = fmin(most, fmax(1 / most, (1 - f) / fmax(f, 1e-9)));
    }
    tell_weights(config);
    if (config->labels > 1) return GW_OK;
    config->positive_weight = weight[0];
    config->positive_weights = NULL;
    free(weight);
    return GW_OK;
}

static const char *name_label(const void *set, int64_t label) {
    return gw_labelled_set_label_name(set, label);
}

gw_status gw_windows_describe(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config) {
    (void)tokenizer;
    const gw_finetune_options *o = run->options;
    const gw_windows_run *own = run->own;
    const gw_task_row *task = gw_task_of(o->task);
    config->bin = task->keeps_bin ? gw_labelled_set_bin(own->train) : 0;
    config->tss_offset = !task->keeps_tss     ? -1
                         : o->tss_offset >= 0 ? o->tss_offset
                                              : gw_labelled_set_tss_offset(own->train);
    GW_TRY(choose_window(run, own->train, &config->window));
    if (config->tss_offset >= config->window)
        return gw_fail(GW_ERR_RANGE, "the TSS offset %lld is not inside the window of %lld bp",
                       (long long)config->tss_offset, (long long)config->window);
    if (own->genome) GW_TRY(gw_keep_reference(own->genome, config));
    GW_TRY(gw_classifier_name_labels(config, gw_labelled_set_labels(own->train), name_label, own->train));
    return o->positive_weight == GW_BALANCED ? balance(config, own->train) : GW_OK;
}
