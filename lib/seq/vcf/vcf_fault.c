// SPDX-License-Identifier: MIT
// What is wrong with a variant file, said with the place of it.
#include "seq/vcf/vcf_private.h"

#include <stdarg.h>
#include <stdio.h>

bool gw_vcf_is_bcf(const gw_vcf_reader *reader) {
    return hts_get_format(reader->file)->format == bcf;
}

gw_status gw_vcf_fail(const gw_vcf_reader *reader, const gw_vcf_record *record, gw_status code, const char *format,
                      ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (record->number == 0) {
        if (!record->contig) return gw_fail(code, "%s: a record found through the index: %s", reader->path, text);
        return gw_fail(code, "%s: record at %s:%lld: %s", reader->path, record->contig, (long long)record->position + 1,
                       text);
    }
    if (gw_vcf_is_bcf(reader))
        return gw_fail(code, "%s: record %lld: %s", reader->path, (long long)record->number, text);
    return gw_fail(code, "%s:%lld: %s", reader->path, (long long)record->number, text);
}

gw_status gw_vcf_damaged(const gw_vcf_reader *reader) {
    const char *unit = gw_vcf_is_bcf(reader) ? "record" : "line";
    return gw_fail(GW_ERR_FORMAT, "%s is truncated or damaged after %s %lld", reader->path, unit,
                   (long long)reader->number);
}

gw_status gw_vcf_unknown(const gw_vcf_reader *reader) {
    return gw_fail(GW_ERR_FORMAT, "%s is neither VCF nor BCF: it does not begin with ##fileformat=VCF or BCF's magic",
                   reader->path);
}
