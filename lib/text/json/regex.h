// SPDX-License-Identifier: MIT
// Regular expressions of tokenizer.json files: Oniguruma's Ruby syntax, executed by PCRE2 in UTF-8.
//
// Literals, ., classes with ranges and escapes, \d \w \s \b \p{..} and their opposites, ( ) (?: ) (?> ) (?i: ),
// look-ahead and look-behind, |, greedy, lazy and possessive * + ?, {n,m} greedy and lazy, ^ $ \A \z. Syntax with a
// different meaning in PCRE2 is rewritten (regex.c). Unsupported syntax is an error.
#ifndef GW_TEXT_JSON_REGEX_H
#define GW_TEXT_JSON_REGEX_H

#include "base/status.h"
#include "base/string.h"

#include <stdint.h>

typedef struct gw_regex gw_regex;

// Other syntax is GW_ERR_UNSUPPORTED, and the message names it.
gw_status gw_regex_new(const char *pattern, gw_regex **out) GW_MUST_CHECK;
void gw_regex_free(gw_regex *regex);

// Scratch memory of searches in one thread. Zero-initialise.
typedef struct {
    struct pcre2_real_match_data_8 *match;
    struct pcre2_real_match_context_8 *context;
    struct pcre2_real_jit_stack_8 *stack;
} gw_regex_scratch;
void gw_regex_scratch_free(gw_regex_scratch *scratch);

// The first match in text[from .. length), valid UTF-8; look-behind sees the text before `from`. *begin is -1 without a
// match. GW_ERR_RANGE if the expression exceeds the limit of backtracking.
gw_status gw_regex_find(const gw_regex *regex, gw_regex_scratch *scratch, const char *text, int64_t length,
                        int64_t from, int64_t *begin, int64_t *end) GW_MUST_CHECK;

#endif
