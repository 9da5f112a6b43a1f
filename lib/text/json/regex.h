// SPDX-License-Identifier: MIT
// Regular expressions as tokenizer.json files hold them: Oniguruma's Ruby syntax, run by PCRE2 in UTF-8.
//
// Literals, ., classes with ranges and escapes, \d \w \s \b \p{..} and their opposites, ( ) (?: ) (?> ) (?i: ),
// look-ahead and look-behind, |, greedy, lazy and possessive * + ?, {n,m} greedy and lazy, ^ $ \A \z. What the two
// dialects read differently is rewritten (regex.c); what has no counterpart is refused.
#ifndef GW_TEXT_JSON_REGEX_H
#define GW_TEXT_JSON_REGEX_H

#include "base/status.h"
#include "base/string.h"

#include <stdint.h>

typedef struct gw_regex gw_regex;

// Anything beyond the above is GW_ERR_UNSUPPORTED and named.
gw_status gw_regex_new(const char *pattern, gw_regex **out) GW_MUST_CHECK;
void gw_regex_free(gw_regex *regex);

// Memory of searches, of one thread. Zero-initialise.
typedef struct {
    struct pcre2_real_match_data_8 *match;
    struct pcre2_real_match_context_8 *context;
    struct pcre2_real_jit_stack_8 *stack;
} gw_regex_scratch;
void gw_regex_scratch_free(gw_regex_scratch *scratch);

// The first match in text[from .. length), which is valid UTF-8, with what stands before `from` in sight; *begin is -1
// where there is none. GW_ERR_RANGE where an expression goes back and forth over the text more often than it may.
gw_status gw_regex_find(const gw_regex *regex, gw_regex_scratch *scratch, const char *text, int64_t length,
                        int64_t from, int64_t *begin, int64_t *end) GW_MUST_CHECK;

#endif
