// SPDX-License-Identifier: MIT
// Strict parsing of numbers and of lists. The whole text must be a number in its range.
#ifndef GW_BASE_PARSE_H
#define GW_BASE_PARSE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Decimal integer in [min, max]. The message says what was found, without the place, which callers add.
gw_status gw_parse_int(const char *text, int64_t min, int64_t max, int64_t *out) GW_MUST_CHECK;
// Finite decimal number in [min, max].
gw_status gw_parse_double(const char *text, double min, double max, double *out) GW_MUST_CHECK;
// Whether a field of a table has no number: empty, or NA.
static inline bool gw_is_missing(const char *text) {
    return !*text || strcmp(text, "NA") == 0;
}
// "50-100" or "50" (low = high), min <= low <= high <= max.
gw_status gw_parse_range(const char *text, int64_t min, int64_t max, int64_t out[2]) GW_MUST_CHECK;
// "3/10": part 3 of 10, 1 <= part <= parts.
gw_status gw_parse_part(const char *text, int64_t *part, int64_t *parts) GW_MUST_CHECK;

// The text behind the next separator in "a,b,c"; NULL: there is no further item.
const char *gw_next_item(const char *at, char separator);

#endif
