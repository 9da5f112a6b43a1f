// SPDX-License-Identifier: MIT
// Byte pairs merged and learned one pair at a time, straight from the definition.
#include "bpe_reference.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t ref_letters(const char *bases, int64_t length, int32_t *tokens) {
    for (int64_t i = 0; i < length; i++) tokens[i] = 5 + (int32_t)(strchr("ACGTN", bases[i]) - "ACGTN");
    return length;
}

static int32_t rank_of(const ref_merges *m, int32_t left, int32_t right) {
    for (int32_t k = 0; k < m->count; k++)
        if (m->merges[k][0] == left && m->merges[k][1] == right) return k;
    return INT32_MAX;
}

int64_t ref_encode(const ref_merges *merges, int32_t *tokens, int64_t count) {
    for (;;) {
        int32_t best = INT32_MAX;
        int64_t at = 0;
        for (int64_t i = 0; i + 1 < count; i++) {
            const int32_t rank = rank_of(merges, tokens[i], tokens[i + 1]);
            if (rank < best) best = rank, at = i;
        }
        if (best == INT32_MAX) return count;
        tokens[at] = 10 + best;
        memmove(tokens + at + 1, tokens + at + 2, (size_t)(count - at - 2) * sizeof *tokens);
        count--;
    }
}

static int64_t merge_pass(int32_t *tokens, int64_t count, const int32_t pair[2], int32_t merged) {
    int64_t kept = 0;
    for (int64_t i = 0; i < count; kept++) {
        const int found = i + 1 < count && tokens[i] == pair[0] && tokens[i + 1] == pair[1];
        tokens[kept] = found ? merged : tokens[i];
        i += found ? 2 : 1;
    }
    return kept;
}

int64_t ref_encode_by_rank(const ref_merges *merges, int32_t *tokens, int64_t count) {
    for (int32_t k = 0; k < merges->count; k++) count = merge_pass(tokens, count, merges->merges[k], 10 + k);
    return count;
}

void ref_train(int32_t *tokens, int64_t count, int32_t size, ref_merges *out) {
    static int64_t counts[REF_MOST_TOKENS][REF_MOST_TOKENS];
    for (out->count = 0; 10 + out->count < size; out->count++) {
        const int32_t known = 10 + out->count;
        memset(counts, 0, sizeof counts);
        for (int64_t i = 0; i + 1 < count; i++) counts[tokens[i]][tokens[i + 1]]++;
        int32_t best[2] = {0, 0};
        int64_t most = 1;
        for (int32_t l = 5; l < known; l++)
            for (int32_t r = 5; r < known; r++)
                if (counts[l][r] > most) most = counts[l][r], best[0] = l, best[1] = r;
        if (most < 2) return;
        memcpy(out->merges[out->count], best, sizeof best);
        count = merge_pass(tokens, count, best, known);
    }
}

static bool has_text(char texts[][64], int32_t count, const char *text) {
    for (int32_t i = 0; i < count; i++)
        if (strcmp(texts[i], text) == 0) return true;
    return false;
}

void ref_arbitrary_merges(gw_random *random, int32_t count, ref_merges *out) {
    static char texts[REF_MOST_TOKENS][64];
    for (int32_t i = 0; i < 5; i++) snprintf(texts[i], sizeof texts[i], "%c", "ACGTN"[i]);
    out->count = 0;
    while (out->count < count) {
        const int32_t known = 5 + out->count;
        const int32_t left = (int32_t)gw_random_below(random, (uint64_t)known);
        const int32_t right = gw_random_below(random, 3) ? (int32_t)gw_random_below(random, 5) : left;
        char text[128];
        snprintf(text, sizeof text, "%s%s", texts[left], texts[right]);
        if (strlen(text) > 20 || has_text(texts, known, text)) continue;
        strcpy(texts[known], text);
        out->merges[out->count][0] = 5 + left;
        out->merges[out->count++][1] = 5 + right;
    }
}

void ref_random_bases(gw_random *random, int kind, char *bases, int64_t length) {
    static const char *const words[] = {"ACG", "TTTT", "GATTACA", "CGCG", "AAAAAAA", "N", "TA"};
    for (int64_t i = 0; i < length;) {
        const char letter = "ACGT"[gw_random_below(random, 4)];
        const char *word = kind == 1 ? words[gw_random_below(random, 7)] : NULL;
        int64_t run = kind == 2 ? 1 + (int64_t)gw_random_below(random, 40) : word ? (int64_t)strlen(word) : 1;
        for (int64_t j = 0; j < run && i < length; j++, i++)
            bases[i] = word ? word[j] : kind == 3 ? "AC"[i & 1] : kind == 4 && letter == 'C' ? 'N' : letter;
    }
}
