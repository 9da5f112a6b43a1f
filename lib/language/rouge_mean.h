// SPDX-License-Identifier: MIT
// ROUGE over many texts: its means, and the bootstrap interval of the mean of F1.
#ifndef GW_LANGUAGE_ROUGE_MEAN_H
#define GW_LANGUAGE_ROUGE_MEAN_H

#include "language/rouge.h"
#include "measure/bootstrap.h"

typedef struct {
    int64_t pairs;
    gw_rouge mean[GW_ROUGES];
    gw_interval f1[GW_ROUGES];
} gw_rouge_summary;

typedef struct gw_rouge_mean gw_rouge_mean;
gw_status gw_rouge_mean_new(gw_rouge_mean **out) GW_MUST_CHECK;
void gw_rouge_mean_free(gw_rouge_mean *mean); // NULL is fine
// Adds a text (UTF-8, "<n>" or a newline ends a sentence) beside its references; of several the one with the largest F1
// counts, kind by kind. `scores` are its own.
gw_status gw_rouge_mean_add(gw_rouge_mean *mean, const char *const *references, int64_t reference_count,
                            const char *text, gw_rouge scores[GW_ROUGES]) GW_MUST_CHECK;
// At least one text was added.
gw_status gw_rouge_mean_summarise(const gw_rouge_mean *mean, int64_t samples, uint64_t seed,
                                  gw_rouge_summary *out) GW_MUST_CHECK;

#endif
