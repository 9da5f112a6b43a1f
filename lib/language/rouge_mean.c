// SPDX-License-Identifier: MIT
// Keeps F1 of every text for the intervals, and the sums of the rest.
#include "language/rouge_mean.h"

#include "base/memory.h"
#include "language/rouge_words.h"

#include <stdlib.h>
#include <string.h>

struct gw_rouge_mean {
    gw_rouge_words *words;
    int64_t pairs;
    gw_rouge sum[GW_ROUGES];
    double *f1[GW_ROUGES];
    int64_t capacity[GW_ROUGES];
};

gw_status gw_rouge_mean_new(gw_rouge_mean **out) {
    *out = NULL;
    gw_rouge_mean *mean = gw_alloc(1, sizeof *mean);
    if (!mean) return GW_ERR_MEMORY;
    const gw_status status = gw_rouge_words_new(&mean->words);
    if (status == GW_OK) *out = mean;
    else free(mean);
    return status;
}

void gw_rouge_mean_free(gw_rouge_mean *mean) {
    if (!mean) return;
    for (int k = 0; k < GW_ROUGES; k++) free(mean->f1[k]);
    gw_rouge_words_free(mean->words);
    free(mean);
}

static gw_rouge_text text_of(const gw_rouge_mean *mean, int64_t i) {
    gw_rouge_text text;
    gw_rouge_words_text(mean->words, i, &text.word, &text.start, &text.sentences);
    return text;
}

static gw_status add_words(gw_rouge_mean *mean, const char *text) {
    return gw_rouge_words_add(mean->words, text, (int64_t)strlen(text));
}

static gw_status score(gw_rouge_mean *mean, const char *const *references, int64_t count, const char *text,
                       gw_rouge scores[GW_ROUGES]) {
    gw_rouge_words_clear(mean->words);
    GW_TRY(add_words(mean, text));
    for (int64_t i = 0; i < count; i++) GW_TRY(add_words(mean, references[i]));
    GW_TRY(gw_rouge_words_number(mean->words));
    const gw_rouge_text own = text_of(mean, 0);
    for (int64_t i = 0; i < count; i++) {
        gw_rouge one[GW_ROUGES];
        const gw_rouge_text reference = text_of(mean, i + 1);
        GW_TRY(gw_rouge_compute(&reference, &own, one));
        for (int k = 0; k < GW_ROUGES; k++)
            if (i == 0 || one[k].f1 > scores[k].f1) scores[k] = one[k];
    }
    return GW_OK;
}

gw_status gw_rouge_mean_add(gw_rouge_mean *mean, const char *const *references, int64_t reference_count,
                            const char *text, gw_rouge scores[GW_ROUGES]) {
    GW_TRY(score(mean, references, reference_count, text, scores));
    for (int k = 0; k < GW_ROUGES; k++) {
        GW_TRY(gw_reserve(&mean->f1[k], &mean->capacity[k], mean->pairs + 1, sizeof *mean->f1[k]));
        mean->f1[k][mean->pairs] = scores[k].f1;
        mean->sum[k].precision += scores[k].precision;
        mean->sum[k].recall += scores[k].recall;
        mean->sum[k].f1 += scores[k].f1;
    }
    mean->pairs++;
    return GW_OK;
}

gw_status gw_rouge_mean_summarise(const gw_rouge_mean *mean, int64_t samples, uint64_t seed, gw_rouge_summary *out) {
    const double pairs = (double)mean->pairs;
    *out = (gw_rouge_summary){.pairs = mean->pairs};
    for (int k = 0; k < GW_ROUGES; k++) {
        const gw_rouge *sum = &mean->sum[k];
        out->mean[k] = (gw_rouge){sum->precision / pairs, sum->recall / pairs, sum->f1 / pairs};
        GW_TRY(gw_bootstrap_mean(mean->f1[k], mean->pairs, samples, seed, &out->f1[k]));
    }
    return GW_OK;
}
