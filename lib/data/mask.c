// SPDX-License-Identifier: MIT
// Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S): of the `left` candidates still to come, `wanted` are to be
// chosen, so the next one is with probability wanted / left. One pass, in ascending order. A word of several tokens is
// a candidate like one token, so that each token is as likely to be chosen as without words.
#include "data/mask.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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

static bool begins_with(const char *text, const char *mark) {
    return strncmp(text, mark, strlen(mark)) == 0;
}

gw_status gw_masker_take_words(gw_masker *masker, const gw_tokenizer *tokenizer) {
    static const char *const marks[] = {"##", "\xC4\xA0", "\xE2\x96\x81"};
    int64_t found[3] = {0};
    for (int32_t i = 0; i < masker->ordinary_count; i++)
        for (int m = 0; m < 3; m++)
            found[m] += begins_with(gw_tokenizer_text(tokenizer, masker->ordinary[i]), marks[m]);
    const int mark = found[0] >= found[1] ? found[0] >= found[2] ? 0 : 2 : found[1] >= found[2] ? 1 : 2;
    if (found[mark] == 0 || gw_tokenizer_is_dna(tokenizer))
        return gw_fail(GW_ERR_UNSUPPORTED, "whole words: no token of the vocabulary shows where a word begins");
    masker->continues = gw_alloc(masker->vocabulary, sizeof *masker->continues);
    if (!masker->continues) return GW_ERR_MEMORY;
    for (int32_t i = 0; i < masker->ordinary_count; i++) {
        const int32_t token = masker->ordinary[i];
        masker->continues[token] = begins_with(gw_tokenizer_text(tokenizer, token), marks[mark]) == (mark == 0);
    }
    return GW_OK;
}

void gw_masker_free(gw_masker *masker) {
    free(masker->continues);
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

// Tokens of the word that begins at the first of token[count].
static int64_t word_length(const gw_masker *masker, const int32_t *token, int64_t count) {
    int64_t length = 1;
    while (masker->continues && length < count && gw_maskable(masker, token[length]) &&
           masker->continues[token[length]])
        length++;
    return length;
}

int64_t gw_mask(const gw_masker *masker, gw_random *random, int32_t *token, int64_t count, int32_t *row,
                int32_t *label) {
    int64_t left = 0, chosen = 0;
    for (int64_t i = 0; i < count; i++) left += gw_maskable(masker, token[i]);
    if (left == 0) return 0;
    const int64_t wanted = gw_mask_most(masker, left);
    for (int64_t i = 0, next; i < count && chosen < wanted; i = next) {
        next = i + 1;
        if (!gw_maskable(masker, token[i])) continue;
        next = i + word_length(masker, token + i, count - i);
        const bool take = gw_random_below(random, (uint64_t)left) < (uint64_t)(wanted - chosen);
        left -= next - i;
        if (!take || next - i > wanted - chosen) continue;
        for (int64_t t = i; t < next; t++) {
            row[chosen] = (int32_t)t;
            label[chosen++] = token[t];
            token[t] = replacement(masker, random, token[t]);
        }
    }
    return chosen;
}
