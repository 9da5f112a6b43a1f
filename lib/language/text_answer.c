// SPDX-License-Identifier: MIT
// Tries every span that may be an answer.
#include "language/text_answer.h"

#include "base/utf8.h"

#include <math.h>
#include <string.h>

enum { LONGEST_ANSWER = 30 };

// The first token that an answer may begin at: of a pair the one behind the first separator.
static int64_t first_of(const gw_tokenizer *tokenizer, const int32_t *token, int64_t tokens, bool pairs) {
    const int32_t separator = gw_tokenizer_special(tokenizer, GW_SPECIAL_SEP);
    int64_t first = 0;
    while (pairs && first < tokens && token[first] != separator) first++;
    return first;
}

static gw_text_answer best_of(const gw_tokenizer *tokenizer, const int32_t *token, int64_t tokens, bool pairs,
                              const float *z) {
    gw_text_answer best = {0, 0, -INFINITY};
    for (int64_t i = first_of(tokenizer, token, tokens, pairs); i < tokens; i++)
        for (int64_t j = i; j < tokens && j < i + LONGEST_ANSWER; j++) {
            if (gw_tokenizer_is_special(tokenizer, token[j])) break;
            const double score = (double)z[2 * i] + (double)z[2 * j + 1];
            if (score > best.score) best = (gw_text_answer){i, j, score};
        }
    return best;
}

gw_status gw_text_answer_find(const gw_tokenizer *tokenizer, const gw_text_set *set, bool pairs, int64_t row,
                              const float *z, gw_text_answer *out, gw_string *text) {
    const int32_t *token = set->token + set->start[row];
    *out = best_of(tokenizer, token, set->start[row + 1] - set->start[row], pairs, z);
    if (!isfinite(out->score)) return GW_OK;
    gw_string answer = {0};
    const gw_status status = gw_decode(tokenizer, token + out->first, out->last - out->first + 1, &answer);
    const int64_t blanks = answer.data ? (int64_t)strspn(answer.data, " ") : 0;
    if (status == GW_OK && answer.data) gw_utf8_append_mended(text, answer.data + blanks, answer.length - blanks);
    gw_string_free(&answer);
    return status == GW_OK ? gw_string_status(text) : status;
}
