// SPDX-License-Identifier: MIT
// libc's expressions take time and memory that grow as 2 to the number of repetitions; these give up before.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "seq/vcf/vcf_pattern.h"

#include "base/memory.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1000000, HEAP_KIB = 64 << 10, MESSAGE = 128 };

struct gw_vcf_pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
};

static gw_status fail(gw_status status, int error) {
    PCRE2_UCHAR what[MESSAGE];
    pcre2_get_error_message(error, what, sizeof what);
    return gw_fail(status, "%s", (const char *)what);
}

static gw_status make(gw_vcf_pattern *p, const char *pattern, bool any_case) {
    int error = 0;
    size_t at = 0;
    const uint32_t options = PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF | (any_case ? PCRE2_CASELESS : 0);
    p->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &error, &at, NULL);
    if (!p->code) return fail(error == PCRE2_ERROR_HEAP_FAILED ? GW_ERR_MEMORY : GW_ERR_FORMAT, error);
    p->match = pcre2_match_data_create(1, NULL);
    p->context = pcre2_match_context_create(NULL);
    if (!p->match || !p->context) return gw_fail(GW_ERR_MEMORY, "out of memory for a regular expression");
    pcre2_set_match_limit(p->context, MOST_STEPS);
    pcre2_set_heap_limit(p->context, HEAP_KIB);
    return GW_OK;
}

gw_status gw_vcf_pattern_new(const char *pattern, bool any_case, gw_vcf_pattern **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    const gw_status status = make(*out, pattern, any_case);
    if (status == GW_OK) return GW_OK;
    gw_vcf_pattern_free(*out);
    *out = NULL;
    return status;
}

void gw_vcf_pattern_free(gw_vcf_pattern *p) {
    if (!p) return;
    pcre2_match_data_free(p->match);
    pcre2_match_context_free(p->context);
    pcre2_code_free(p->code);
    free(p);
}

gw_status gw_vcf_pattern_matches(const gw_vcf_pattern *p, const char *text, bool *yes) {
    const int found = pcre2_match(p->code, (PCRE2_SPTR)text, strlen(text), 0, 0, p->match, p->context);
    *yes = found >= 0;
    return found >= 0 || found == PCRE2_ERROR_NOMATCH ? GW_OK : fail(GW_ERR_RANGE, found);
}
