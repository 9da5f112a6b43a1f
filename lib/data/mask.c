// SPDX-License-Identifier: MIT
// Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S): of the `left` candidates still to come, `wanted` are to be
// chosen, so the next one is with probability wanted / left. One pass, in ascending order.
#include "data/mask.h"

#include "base/memory.h"

#include <stdlib.h>

static bool may_be_masked(const gw_tokenizer *tokenizer, int32_t token) {
    if (gw_tokenizer_is_dna(tokenizer))
        return gw_tokenizer_bases(tokenizer, token) > 0 && !gw_tokenizer_has_n(tokenizer, token);
    return !gw_tokenizer_is_special(tokenizer, token) && gw_tokenizer_text(tokenizer, token)[0];
}

gw_status gw_masker_make(gw_masker *masker, const gw_tokenizer *tokenizer, double rate) {
    const int32_t vocabulary = gw_tokenizer_size(tokenizer);
    *masker = (gw_masker){.vocabulary = vocabulary, .rate = rate};
    GW_TRY(gw_tokenizer_need(tokenizer, GW_SPECIAL_MASK, &masker->mask));
    masker->maskable = gw_alloc(vocabulary, sizeof *masker->maskable);
    masker->ordinary = gw_alloc(vocabulary, sizeof *masker->ordinary);
    if (!masker->maskable || !masker->ordinary) {
        gw_masker_free(masker);
        return GW_ERR_MEMORY;
    }
    for (int32_t token = 0; token < vocabulary; token++) {
        masker->maskable[token] = may_be_masked(tokenizer, token);
        if (masker->maskable[token]) masker->ordinary[masker->ordinary_count++] = token;
    }
    return GW_OK;
}

void gw_masker_free(gw_masker *masker) {
    free(masker->maskable);
    free(masker->ordinary);
    *masker = (gw_masker){0};
}

int64_t gw_mask_most(const gw_masker *masker, int64_t count) {
    const int64_t most = (int64_t)(masker->rate * (double)count + 0.5);
    return most > 1 ? most : 1;
}

static int32_t replacement(const gw_masker *masker, gw_random *random, int32_t token) {
    const uint64_t draw = gw_random_below(random, 10);
    if (draw < 8) return masker->mask;
    if (draw == 8) return masker->ordinary[gw_random_below(random, (uint64_t)masker->ordinary_count)];
    return token;
}

int64_t gw_mask(const gw_masker *masker, gw_random *random, int32_t *token, int64_t count, int32_t *row,
                int32_t *label) {
    int64_t left = 0, chosen = 0;
    for (int64_t i = 0; i < count; i++) left += gw_maskable(masker, token[i]);
    if (left == 0) return 0;
    const int64_t wanted = gw_mask_most(masker, left);
    for (int64_t i = 0; chosen < wanted; i++) {
        if (!gw_maskable(masker, token[i])) continue;
        const bool take = gw_random_below(random, (uint64_t)left) < (uint64_t)(wanted - chosen);
        left--;
        if (!take) continue;
        row[chosen] = (int32_t)i;
        label[chosen++] = token[i];
        token[i] = replacement(masker, random, token[i]);
    }
    return chosen;
}
