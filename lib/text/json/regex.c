// SPDX-License-Identifier: MIT
// Expressions compiled by PCRE2, to machine code where it can make some, and searches that may not take forever.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/json/regex.h"

#include "base/memory.h"

#include <pcre2.h>
#include <stdlib.h>

enum {
    MOST_STEPS = 10000000, // of a search
    FIRST_STACK = 32 << 10,
    LARGEST_STACK = 16 << 20,
    HEAP_KIB = 256 << 10, // where there is no machine code
    MESSAGE = 128
};

struct gw_regex {
    pcre2_code *code;
    char *pattern; // as it was given, for messages
};

static gw_status refused(const char *pattern, int error, size_t at) {
    PCRE2_UCHAR what[MESSAGE];
    pcre2_get_error_message(error, what, sizeof what);
    return gw_fail(GW_ERR_UNSUPPORTED, "the regular expression \"%.60s\": %s (at byte %zu of what PCRE2 reads)",
                   pattern, (const char *)what, at);
}

static gw_status compile(const char *pattern, gw_regex *regex) {
    gw_string text = {0};
    int error = 0;
    size_t at = 0;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    gw_status status = context ? gw_regex_rewrite(pattern, &text) : GW_ERR_MEMORY;
    if (status == GW_OK) {
        pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        regex->code =
            pcre2_compile((PCRE2_SPTR)text.data, (size_t)text.length,
                          PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &at, context);
        if (!regex->code) status = refused(pattern, error, at);
        else pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE); // where it cannot, the interpreter runs
    }
    pcre2_compile_context_free(context);
    gw_string_free(&text);
    return status;
}

gw_status gw_regex_new(const char *pattern, gw_regex **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    (*out)->pattern = gw_strdup(pattern);
    const gw_status status = (*out)->pattern ? compile(pattern, *out) : GW_ERR_MEMORY;
    if (status == GW_OK) return GW_OK;
    gw_regex_free(*out);
    *out = NULL;
    return status;
}

void gw_regex_free(gw_regex *regex) {
    if (!regex) return;
    pcre2_code_free(regex->code);
    free(regex->pattern);
    free(regex);
}

static gw_status make_scratch(gw_regex_scratch *scratch) {
    if (scratch->match) return GW_OK;
    scratch->context = pcre2_match_context_create(NULL);
    scratch->stack = pcre2_jit_stack_create(FIRST_STACK, LARGEST_STACK, NULL); // NULL where there is no machine code
    scratch->match = pcre2_match_data_create(1, NULL);
    if (!scratch->context || !scratch->match) return gw_fail(GW_ERR_MEMORY, "out of memory for a regular expression");
    pcre2_set_match_limit(scratch->context, MOST_STEPS);
    pcre2_set_heap_limit(scratch->context, HEAP_KIB);
    if (scratch->stack) pcre2_jit_stack_assign(scratch->context, NULL, scratch->stack);
    return GW_OK;
}

void gw_regex_scratch_free(gw_regex_scratch *scratch) {
    pcre2_match_data_free(scratch->match);
    pcre2_match_context_free(scratch->context);
    pcre2_jit_stack_free(scratch->stack);
    *scratch = (gw_regex_scratch){0};
}

static gw_status failed(const gw_regex *regex, int error, int64_t length) {
    PCRE2_UCHAR what[MESSAGE];
    pcre2_get_error_message(error, what, sizeof what);
    return gw_fail(GW_ERR_RANGE, "the regular expression \"%.60s\" gives up on a text of %lld bytes: %s",
                   regex->pattern, (long long)length, (const char *)what);
}

gw_status gw_regex_find(const gw_regex *regex, gw_regex_scratch *scratch, const char *text, int64_t length,
                        int64_t from, int64_t *begin, int64_t *end) {
    *begin = *end = -1;
    GW_TRY(make_scratch(scratch));
    const int found = pcre2_match(regex->code, (PCRE2_SPTR)text, (size_t)length, (size_t)from, PCRE2_NO_UTF_CHECK,
                                  scratch->match, scratch->context);
    if (found == PCRE2_ERROR_NOMATCH) return GW_OK;
    if (found < 0) return failed(regex, found, length);
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(scratch->match);
    *begin = (int64_t)ends[0];
    *end = (int64_t)ends[1];
    return GW_OK;
}
