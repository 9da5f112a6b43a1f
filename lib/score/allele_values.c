// SPDX-License-Identifier: MIT
// Words in the order of a table of fields.
#include "score/allele_values.h"

#include <stddef.h>
#include <string.h>

const char gw_allele_values_key[] = "GW_VALUES";

enum { DIGITS = 8 };
static const size_t fields[] = {offsetof(gw_allele, difference), offsetof(gw_allele, shift)};
enum { FIELDS = sizeof fields / sizeof *fields };

static void append_word(const void *from, gw_string *out) {
    uint32_t word;
    memcpy(&word, from, sizeof word);
    gw_string_printf(out, "%08x", (unsigned)word);
}

void gw_allele_values_append(const gw_allele *allele, const float *raw, int64_t count, gw_string *out) {
    gw_string_printf(out, "%s|", gw_allele_status_name(allele->status));
    for (int i = 0; i < FIELDS; i++) append_word((const char *)allele + fields[i], out);
    for (int64_t i = 0; i < count; i++) append_word(&raw[i], out);
}

// The status before '|', or GW_ALLELE_STATUSES.
static gw_allele_status status_of(const char *text, size_t length) {
    int status = 0;
    for (; status < GW_ALLELE_STATUSES; status++) {
        const char *name = gw_allele_status_name((gw_allele_status)status);
        if (strlen(name) == length && memcmp(name, text, length) == 0) break;
    }
    return (gw_allele_status)status;
}

static void parse_word(const char *text, void *to) {
    static const char digits[] = "0123456789abcdef";
    uint32_t word = 0;
    for (int i = 0; i < DIGITS; i++) word = word << 4 | (uint32_t)(strchr(digits, text[i]) - digits);
    memcpy(to, &word, sizeof word);
}

bool gw_allele_values_parse(const char *text, int64_t count, gw_allele *allele, float *raw) {
    const size_t name = strcspn(text, "|"), words = (size_t)(FIELDS + count) * DIGITS;
    const char *at = text + name + 1;
    allele->status = text[name] ? status_of(text, name) : GW_ALLELE_STATUSES;
    if (allele->status == GW_ALLELE_STATUSES || strlen(at) != words || strspn(at, "0123456789abcdef") != words)
        return false;
    for (int i = 0; i < FIELDS; i++, at += DIGITS) parse_word(at, (char *)allele + fields[i]);
    for (int64_t i = 0; i < count; i++, at += DIGITS) parse_word(at, &raw[i]);
    return true;
}
