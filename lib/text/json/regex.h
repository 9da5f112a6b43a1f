// SPDX-License-Identifier: MIT
// Regular expressions as tokenizer.json files hold them: a subset of Oniguruma's Ruby syntax, in UTF-8.
//
// Literals, ., classes with ranges and escapes, \d \w \s \p{..} and their opposites, ( ) (?: ) (?i: ), |, greedy and
// lazy * + ? {n,m}, ^ $ \A \z, and look-ahead at one character: (?=x) (?!x) with a literal or a class. All threads of
// an expression run side by side (Thompson 1968, Pike 1987), so that no text makes a search take longer than
// O(text x expression); of the matches at the leftmost place, the first that a backtracking matcher would find wins.
#ifndef GW_TEXT_JSON_REGEX_H
#define GW_TEXT_JSON_REGEX_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_regex gw_regex;

// Anything beyond the above is GW_ERR_UNSUPPORTED and named.
gw_status gw_regex_new(const char *pattern, gw_regex **out) GW_MUST_CHECK;
void gw_regex_free(gw_regex *regex);

// Memory of a search, of one thread. Zero-initialise.
typedef struct {
    void *memory;
    int64_t capacity;
} gw_regex_scratch;
void gw_regex_scratch_free(gw_regex_scratch *scratch);

// The first match in text[from .. length), with what stands before `from` in sight; *begin is -1 where there is none.
gw_status gw_regex_find(const gw_regex *regex, gw_regex_scratch *scratch, const char *text, int64_t length,
                        int64_t from, int64_t *begin, int64_t *end) GW_MUST_CHECK;

#endif
