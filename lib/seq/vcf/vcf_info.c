// SPDX-License-Identifier: MIT
// Adding INFO keys: to a line of text, which otherwise stays byte for byte, and to a BCF record.
#include "seq/vcf/vcf_private.h"

#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void gw_percent_encode(gw_string *out, const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c <= ' ' || *c == 0x7f || strchr(";=,%:|", *c)) gw_string_printf(out, "%%%02X", *c);
        else gw_string_putc(out, (char)*c);
    }
}

static bool is_missing(const gw_info_values *values, int alt) {
    switch (values->key->kind) {
    case GW_INFO_FLOAT: return isnan(values->floats[alt]);
    case GW_INFO_INTEGER: return values->integers[alt] == INT32_MIN;
    default: return values->strings[alt] == NULL;
    }
}

// Of a list: whether the record does not have it; of any key how many texts there are.
static bool is_absent(const gw_info_values *values) {
    return values->key->list && !values->strings[0];
}

static int values_of(const gw_info_values *values, int alts) {
    return values->key->list ? 1 : alts;
}

// Floats as HTSlib writes them (%g, six digits); -0 is 0.
static void append_value(gw_string *out, const gw_info_values *values, int alt) {
    if (is_missing(values, alt)) gw_string_putc(out, '.');
    else if (values->key->kind == GW_INFO_FLOAT) gw_string_printf(out, "%g", (double)(values->floats[alt] + 0.0F));
    else if (values->key->kind == GW_INFO_INTEGER) gw_string_printf(out, "%d", (int)values->integers[alt]);
    else gw_string_puts(out, values->strings[alt]);
}

static void append_joined(gw_string *out, const gw_info_values *values, int alts) {
    for (int alt = 0; alt < alts; alt++) {
        if (alt > 0) gw_string_putc(out, ',');
        append_value(out, values, alt);
    }
}

static const gw_info_values *find_key(const gw_info_values *values, int count, const char *key, size_t length) {
    for (int i = 0; i < count; i++)
        if (strlen(values[i].key->key) == length && memcmp(values[i].key->key, key, length) == 0) return &values[i];
    return NULL;
}

static gw_status present(const char *key) {
    return gw_fail(GW_ERR_FORMAT, "INFO already has %s: give --overwrite, or another prefix with --tag", key);
}

// Appends the old INFO without the keys that are to be replaced.
static gw_status append_saved(const char *info, int64_t length, const gw_info_values *values, int count, bool overwrite,
                              gw_string *out) {
    if (length == 1 && info[0] == '.') return GW_OK;
    bool first = true;
    for (const char *at = info, *end = info + length; at < end;) {
        const char *semicolon = memchr(at, ';', (size_t)(end - at));
        const char *stop = semicolon ? semicolon : end;
        const char *equals = memchr(at, '=', (size_t)(stop - at));
        const gw_info_values *same = find_key(values, count, at, (size_t)((equals ? equals : stop) - at));
        if (same && !overwrite) return present(same->key->key);
        if (!same) {
            if (!first) gw_string_putc(out, ';');
            gw_string_append(out, at, stop - at);
            first = false;
        }
        at = stop + 1;
    }
    return GW_OK;
}

gw_status gw_vcf_info_to_line(const gw_vcf_record *record, const gw_info_values *values, int count, bool overwrite,
                              gw_string *out) {
    const char *line = record->line.data;
    gw_string_append(out, line, record->info_begin);
    const int64_t begin = out->length;
    GW_TRY(
        append_saved(line + record->info_begin, record->info_end - record->info_begin, values, count, overwrite, out));
    for (int i = 0; i < count; i++) {
        if (is_absent(&values[i])) continue;
        if (out->length > begin) gw_string_putc(out, ';');
        gw_string_printf(out, "%s=", values[i].key->key);
        append_joined(out, &values[i], values_of(&values[i], record->alts));
    }
    if (out->length == begin) gw_string_putc(out, '.');
    gw_string_append(out, line + record->info_end, record->line.length - record->info_end);
    return gw_string_status(out);
}

static int update_floats(bcf_hdr_t *header, bcf1_t *bcf, const gw_info_values *values, int alts) {
    float *copy = gw_alloc(alts, sizeof *copy);
    if (!copy) return -1;
    for (int alt = 0; alt < alts; alt++) {
        copy[alt] = values->floats[alt] + 0.0F;
        if (is_missing(values, alt)) bcf_float_set_missing(copy[alt]);
    }
    const int result = bcf_update_info_float(header, bcf, values->key->key, copy, alts);
    free(copy);
    return result;
}

static int update_integers(bcf_hdr_t *header, bcf1_t *bcf, const gw_info_values *values, int alts) {
    _Static_assert(bcf_int32_missing == INT32_MIN, "missing integers are passed on as they are");
    return bcf_update_info_int32(header, bcf, values->key->key, values->integers, alts);
}

static int update_strings(bcf_hdr_t *header, bcf1_t *bcf, const gw_info_values *values, int alts) {
    gw_string joined = {0};
    if (is_absent(values)) return bcf_update_info_string(header, bcf, values->key->key, NULL);
    append_joined(&joined, values, values_of(values, alts));
    const int result = joined.failed ? -1 : bcf_update_info_string(header, bcf, values->key->key, joined.data);
    gw_string_free(&joined);
    return result;
}

gw_status gw_vcf_info_to_bcf(bcf_hdr_t *header, bcf1_t *bcf, int alts, const gw_info_values *values, int count,
                             bool overwrite) {
    for (int i = 0; i < count; i++) {
        const gw_info_key *key = values[i].key;
        if (!overwrite && bcf_get_info(header, bcf, key->key)) return present(key->key);
        const int result = key->kind == GW_INFO_FLOAT     ? update_floats(header, bcf, &values[i], alts)
                           : key->kind == GW_INFO_INTEGER ? update_integers(header, bcf, &values[i], alts)
                                                          : update_strings(header, bcf, &values[i], alts);
        if (result != 0) return gw_fail(GW_ERR_FORMAT, "cannot store %s in the BCF record", key->key);
    }
    return GW_OK;
}
