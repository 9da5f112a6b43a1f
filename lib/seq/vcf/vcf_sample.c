// SPDX-License-Identifier: MIT
// What a sample's column of a record says, as text whichever the format, and the alleles that it carries.
#include "seq/vcf/vcf_sample.h"

#include "base/parse.h"
#include "seq/vcf/vcf_private.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT_COLUMN = 8, FIRST_SAMPLE = 9 };

gw_status gw_vcf_find_sample(const gw_vcf_reader *reader, const char *name, int *sample) {
    const int samples = bcf_hdr_nsamples(reader->header);
    const char *path = gw_vcf_path(reader);
    if (samples == 0) return gw_fail(GW_ERR_UNSUPPORTED, "%s has no samples, and so no haplotypes", path);
    if (!name && samples > 1)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s has %d samples: give the name of one, such as --sample %s", path,
                       samples, reader->header->samples[0]);
    for (*sample = 0; *sample < samples; ++*sample)
        if (!name || strcmp(reader->header->samples[*sample], name) == 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s has no sample '%s'; its first is '%s'", path, name,
                   reader->header->samples[0]);
}

// The n-th part (from 0) of text that `by` divides, up to `end`; NULL: there are fewer.
static const char *part_of(const char *text, const char *end, char by, int64_t n, int64_t *length) {
    for (; n > 0 && text; n--) {
        text = memchr(text, by, (size_t)(end - text));
        if (text) text++;
    }
    if (!text) return NULL;
    const char *stop = memchr(text, by, (size_t)(end - text));
    *length = (stop ? stop : end) - text;
    return text;
}

// VCF: FORMAT names the parts of each sample's column; those at its end may be left out.
static void find_in_line(const gw_vcf_record *record, int sample, const char *key, gw_string *out) {
    const char *line = record->line.data, *end = line + record->line.length;
    int64_t format_length, column_length, length;
    const char *format = part_of(line, end, '\t', FORMAT_COLUMN, &format_length);
    const char *column = part_of(line, end, '\t', FIRST_SAMPLE + sample, &column_length);
    if (!format || !column) return;
    for (int64_t n = 0;; n++) {
        const char *name = part_of(format, format + format_length, ':', n, &length);
        if (!name) return;
        if ((size_t)length != strlen(key) || memcmp(name, key, (size_t)length) != 0) continue;
        const char *value = part_of(column, column + column_length, ':', n, &length);
        if (value) gw_string_append(out, value, length);
        return;
    }
}

static void find_in_bcf(const gw_vcf_reader *reader, bcf1_t *bcf, int sample, const char *key, gw_string *out) {
    kstring_t text = {0};
    bcf_fmt_t *format = bcf_get_fmt(reader->header, bcf, key);
    if (!format) return;
    if (strcmp(key, "GT") == 0) bcf_format_gt(format, sample, &text);
    else bcf_fmt_array(&text, format->n, format->type, format->p + (size_t)sample * (size_t)format->size);
    gw_string_append(out, text.s ? text.s : "", (int64_t)text.l);
    ks_free(&text);
}

static gw_status find_field(const gw_vcf_reader *reader, const gw_vcf_record *record, int sample, const char *key,
                            gw_string *out) {
    gw_string_clear(out);
    gw_string_append(out, "", 0);
    if (record->bcf) find_in_bcf(reader, record->bcf, sample, key, out);
    else find_in_line(record, sample, key, out);
    return gw_string_status(out);
}

// Of two haplotypes at most, the alleles of "0|1", "1/1", "1" ...
static gw_status parse_genotype(const gw_vcf_reader *reader, const gw_vcf_record *record, const char *text,
                                gw_carried *out) {
    out->allele[0] = out->allele[1] = -1;
    out->phased = strchr(text, '|') != NULL;
    const char *at = text;
    for (int i = 0; *at; i++) {
        char *end;
        const long allele = *at == '.' ? -1 : strtol(at, &end, 10);
        if (*at == '.') end = (char *)at + 1;
        if (end == at || (*end && *end != '|' && *end != '/') || allele > record->alts)
            return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "'%.40s' is no genotype of %d ALTs", text, record->alts);
        if (i < 2) out->allele[i] = (int)allele;
        else out->allele[0] = out->allele[1] = -1; // which of more is which haplotype cannot be said
        at = *end ? end + 1 : end;
    }
    const bool single = text[0] && !strpbrk(text, "|/");
    out->phased = out->phased || single || (out->allele[0] == out->allele[1] && out->allele[0] >= 0);
    return GW_OK;
}

gw_status gw_vcf_carried(const gw_vcf_reader *reader, const gw_vcf_record *record, int sample, gw_carried *out) {
    gw_string text = {0};
    *out = (gw_carried){.allele = {-1, -1}};
    gw_status status = bcf_hdr_nsamples(reader->header) > 0 && record->bcf && bcf_unpack(record->bcf, BCF_UN_ALL) != 0
                           ? gw_vcf_fail(reader, record, GW_ERR_FORMAT, "the samples' columns are damaged")
                           : find_field(reader, record, sample, "GT", &text);
    if (status == GW_OK) status = parse_genotype(reader, record, text.data, out);
    out->everywhere = out->allele[0] == out->allele[1];
    if (status == GW_OK) status = find_field(reader, record, sample, "PS", &text);
    if (status == GW_OK && text.data[0] && strcmp(text.data, ".") != 0 &&
        gw_parse_int(text.data, 0, INT64_MAX, &out->set) != GW_OK)
        status = gw_vcf_fail(reader, record, GW_ERR_FORMAT, "PS: %s", gw_message());
    gw_string_free(&text);
    return status;
}
