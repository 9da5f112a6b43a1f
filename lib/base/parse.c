// SPDX-License-Identifier: MIT
// Parses with strtoll and strtod, and refuses remaining characters.
#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// strtoll and strtod skip leading blanks, and strtod reads hex and "inf"; none of that is a number here.
static bool starts_like_a_number(const char *text) {
    if (*text == '-' || *text == '+') text++;
    return isdigit((unsigned char)*text) || *text == '.';
}

gw_status gw_parse_int(const char *text, int64_t min, int64_t max, int64_t *out) {
    char *end = NULL;
    errno = 0;
    const long long value = starts_like_a_number(text) ? strtoll(text, &end, 10) : 0;
    if (!end || end == text || *end) return gw_fail(GW_ERR_FORMAT, "'%s' is not a whole number", text);
    if (errno == ERANGE || value < min || value > max)
        return gw_fail(GW_ERR_RANGE, "%s is outside [%lld, %lld]", text, (long long)min, (long long)max);
    *out = value;
    return GW_OK;
}

gw_status gw_parse_double(const char *text, double min, double max, double *out) {
    char *end = NULL;
    const double value = starts_like_a_number(text) && !strpbrk(text, "xX") ? strtod(text, &end) : 0;
    if (!end || end == text || *end) return gw_fail(GW_ERR_FORMAT, "'%s' is not a number", text);
    if (!isfinite(value) || value < min || value > max)
        return gw_fail(GW_ERR_RANGE, "%s is outside [%g, %g]", text, min, max);
    *out = value;
    return GW_OK;
}

gw_status gw_parse_range(const char *text, int64_t min, int64_t max, int64_t out[2]) {
    char low[32];
    const char *dash = strchr(text, '-');
    const size_t length = dash ? (size_t)(dash - text) : strlen(text);
    if (length >= sizeof low) return gw_fail(GW_ERR_FORMAT, "'%s' is not a range such as 50-100", text);
    memcpy(low, text, length);
    low[length] = 0;
    GW_TRY(gw_parse_int(low, min, max, &out[0]));
    out[1] = out[0];
    if (dash) GW_TRY(gw_parse_int(dash + 1, min, max, &out[1]));
    if (out[1] < out[0]) return gw_fail(GW_ERR_RANGE, "the range %s ends before it begins", text);
    return GW_OK;
}

gw_status gw_parse_part(const char *text, int64_t *part, int64_t *parts) {
    char first[32] = "";
    const char *slash = strchr(text, '/');
    if (slash && (size_t)(slash - text) < sizeof first) memcpy(first, text, (size_t)(slash - text));
    if (!slash || gw_parse_int(slash + 1, 1, INT32_MAX, parts) != GW_OK ||
        gw_parse_int(first, 1, *parts, part) != GW_OK)
        return gw_fail(GW_ERR_FORMAT, "'%s' is not I/N with I from 1 to N, such as 3/10", text);
    return GW_OK;
}

const char *gw_next_item(const char *at, char separator) {
    const char *end = strchr(at, separator);
    return end ? end + 1 : NULL;
}
