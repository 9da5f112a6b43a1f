// SPDX-License-Identifier: MIT
// Columns and INFO values of a record as text, whichever the format.
#include "seq/vcf/vcf_private.h"

#include <string.h>

// VCF: the value stands between the key's '=' and the next ';'.
static bool find_in_line(const gw_vcf_record *record, const char *key, gw_string *out) {
    const char *at = record->line.data + record->info_begin, *end = record->line.data + record->info_end;
    const size_t length = strlen(key);
    while (at < end) {
        const char *semicolon = memchr(at, ';', (size_t)(end - at)), *stop = semicolon ? semicolon : end;
        const bool same = (size_t)(stop - at) >= length && memcmp(at, key, length) == 0;
        if (same && at + length == stop) return true;
        if (same && at[length] == '=') {
            gw_string_append(out, at + length + 1, stop - at - (int64_t)length - 1);
            return true;
        }
        at = stop + 1;
    }
    return false;
}

static bool find_in_bcf(const gw_vcf_reader *reader, bcf1_t *bcf, const char *key, gw_string *out) {
    const bcf_info_t *info = bcf_get_info(reader->header, bcf, key);
    if (!info) return false;
    if (info->len <= 0) return true;
    kstring_t text = {0};
    bcf_fmt_array(&text, info->len, info->type, info->vptr);
    gw_string_append(out, text.s ? text.s : "", (int64_t)text.l);
    ks_free(&text);
    return true;
}

bool gw_vcf_info(const gw_vcf_reader *reader, const gw_vcf_record *record, const char *key, gw_string *out) {
    gw_string_clear(out);
    gw_string_append(out, "", 0);
    return record->bcf ? find_in_bcf(reader, record->bcf, key, out) : find_in_line(record, key, out);
}

void gw_vcf_qual(const gw_vcf_record *record, gw_string *out) {
    gw_string_clear(out);
    const bcf1_t *bcf = record->bcf;
    if (bcf && bcf_float_is_missing(bcf->qual)) gw_string_putc(out, '.');
    else if (bcf) gw_string_printf(out, "%.9g", (double)bcf->qual);
    if (bcf) return;
    const char *end = record->line.data + record->info_begin - 1;                             // the tab before INFO
    const char *filter = memrchr(record->line.data, '\t', (size_t)(end - record->line.data)); // the one before FILTER
    const char *qual = memrchr(record->line.data, '\t', (size_t)(filter - record->line.data)) + 1;
    gw_string_append(out, qual, filter - qual);
}

void gw_vcf_filters(const gw_vcf_reader *reader, const gw_vcf_record *record, gw_string *out) {
    gw_string_clear(out);
    const bcf1_t *bcf = record->bcf;
    for (int i = 0; bcf && i < bcf->d.n_flt; i++)
        gw_string_printf(out, "%s%s", i > 0 ? ";" : "", bcf_hdr_int2id(reader->header, BCF_DT_ID, bcf->d.flt[i]));
    if (bcf && bcf->d.n_flt == 0) gw_string_putc(out, '.');
    if (bcf) return;
    const char *end = record->line.data + record->info_begin - 1;
    const char *filter = (const char *)memrchr(record->line.data, '\t', (size_t)(end - record->line.data)) + 1;
    gw_string_append(out, filter, end - filter);
}
