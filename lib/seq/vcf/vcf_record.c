// SPDX-License-Identifier: MIT
// The checked fields of one record, from a line of VCF text or from a BCF record; and its columns, INFO values and
// samples as text, in either format.
#include "base/memory.h"
#include "base/parse.h"
#include "seq/vcf/vcf.h"
#include "seq/vcf/vcf_private.h"

#include <stdlib.h>
#include <string.h>

enum { CHROM, POS, ID, REF, ALT, QUAL, FILTER, INFO, FIXED_COLUMNS };
static const char *const COLUMN_NAMES[FIXED_COLUMNS] = {"CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO"};
static const int64_t LAST_POSITION = (INT64_C(1) << 44);

void gw_vcf_record_free(gw_vcf_record *record) {
    gw_string_free(&record->line);
    gw_string_free(&record->fields);
    free((void *)record->alt);
    if (record->bcf) bcf_destroy(record->bcf);
    *record = (gw_vcf_record){0};
}

static bool all_in(const char *text, const char *letters) {
    return text[0] != 0 && text[strspn(text, letters)] == 0;
}

static const char IUPAC[] = "ACGTUNRYSWKMBDHVacgtunryswkmbdhv";

static gw_status check_alleles(const gw_vcf_reader *reader, const gw_vcf_record *record) {
    if (!all_in(record->ref, IUPAC))
        return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "REF is '%.40s', which is not a sequence of bases",
                           record->ref);
    for (int i = 0; i < record->alts; i++) {
        if (record->alt[i][0] == 0)
            return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "allele %d of ALT is empty", i + 1);
        // Bases, '*', '.', <symbol>, or a breakend ([ or ], or bases with '.' at one end).
        const char *alt = record->alt[i];
        const size_t length = strlen(alt);
        bool fine = strcmp(alt, "*") == 0 || strcmp(alt, ".") == 0 || all_in(alt, IUPAC);
        if (!fine && alt[0] == '<') fine = length > 2 && alt[length - 1] == '>';
        else if (!fine)
            fine = strpbrk(alt, "[]") || (length > 1 && (alt[0] == '.' || alt[length - 1] == '.') &&
                                          strspn(alt, "ACGTUNRYSWKMBDHVacgtunryswkmbdhv.") == length);
        if (!fine)
            return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "ALT '%.40s' is neither bases, a symbol nor a breakend",
                               record->alt[i]);
    }
    return GW_OK;
}

static gw_status reserve_alts(gw_vcf_record *record, int64_t count) {
    return gw_reserve(&record->alt, &record->alt_capacity, count + 1, sizeof *record->alt);
}

// Finds the fixed columns of the line, begin[c] .. begin[c + 1] - 1, and counts all columns.
static gw_status find_columns(const gw_vcf_reader *reader, gw_vcf_record *record, int64_t begin[FIXED_COLUMNS + 1]) {
    const char *line = record->line.data, *end = line + record->line.length;
    int columns = 0;
    for (const char *at = line; at; columns++) {
        if (columns <= FIXED_COLUMNS) begin[columns] = at - line;
        at = memchr(at, '\t', (size_t)(end - at));
        if (at) at++;
    }
    if (columns != reader->columns)
        return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "%d columns, but the header has %d", columns,
                           reader->columns);
    if (columns == FIXED_COLUMNS) begin[FIXED_COLUMNS] = record->line.length + 1;
    for (int c = 0; c < FIXED_COLUMNS; c++)
        if (begin[c + 1] - begin[c] < 2)
            return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "column %s is empty", COLUMN_NAMES[c]);
    return GW_OK;
}

gw_status gw_vcf_parse_line(gw_vcf_reader *reader, gw_vcf_record *record) {
    gw_string_clear(&record->line);
    gw_string_append(&record->line, reader->line.s, (int64_t)reader->line.l);
    GW_TRY(gw_string_status(&record->line));
    if (memchr(record->line.data, 0, (size_t)record->line.length))
        return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "the line holds a zero byte");
    int64_t begin[FIXED_COLUMNS + 1] = {0};
    GW_TRY(find_columns(reader, record, begin));
    record->info_begin = begin[INFO];
    record->info_end = begin[INFO + 1] - 1;
    gw_string_clear(&record->fields);
    gw_string_append(&record->fields, record->line.data, begin[QUAL]);
    GW_TRY(gw_string_status(&record->fields));
    for (int c = CHROM; c <= ALT; c++) record->fields.data[begin[c + 1] - 1] = 0;
    const char *fields = record->fields.data;
    int64_t position;
    if (gw_parse_int(fields + begin[POS], 0, LAST_POSITION, &position) != GW_OK)
        return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "POS: %s", gw_message());
    record->contig = fields + begin[CHROM];
    record->position = position - 1;
    record->id = fields + begin[ID];
    record->ref = fields + begin[REF];
    record->alts = 0;
    for (char *rest = strcmp(fields + begin[ALT], ".") == 0 ? NULL : record->fields.data + begin[ALT]; rest;) {
        GW_TRY(reserve_alts(record, record->alts));
        record->alt[record->alts++] = strsep(&rest, ",");
    }
    return check_alleles(reader, record);
}

gw_status gw_vcf_parse_bcf(gw_vcf_reader *reader, gw_vcf_record *record) {
    bcf1_t *bcf = record->bcf;
    if (bcf->errcode != 0 || bcf->rid < 0 || bcf->rid >= gw_vcf_declared_contigs(reader) ||
        bcf_unpack(bcf, BCF_UN_INFO) != 0 || bcf->n_allele == 0)
        return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "the BCF record is damaged or contradicts the header");
    record->contig = bcf_hdr_id2name(reader->header, bcf->rid);
    record->position = bcf->pos;
    record->id = bcf->d.id;
    record->ref = bcf->d.allele[0];
    GW_TRY(reserve_alts(record, bcf->n_allele));
    record->alts = (int)bcf->n_allele - 1;
    for (int i = 0; i < record->alts; i++) record->alt[i] = bcf->d.allele[i + 1];
    if (record->alts == 1 && strcmp(record->alt[0], ".") == 0) record->alts = 0;
    return check_alleles(reader, record);
}

// VCF: the value stands between the key's '=' and the next ';'.
static bool find_info_in_line(const gw_vcf_record *record, const char *key, gw_string *out) {
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

bool gw_vcf_info(const gw_vcf_reader *reader, const gw_vcf_record *record, const char *key, gw_string *out) {
    gw_string_clear(out);
    gw_string_append(out, "", 0);
    if (!record->bcf) return find_info_in_line(record, key, out);
    const bcf_info_t *info = bcf_get_info(reader->header, record->bcf, key);
    if (!info) return false;
    if (info->len <= 0) return true;
    kstring_t text = {0};
    bcf_fmt_array(&text, info->len, info->type, info->vptr);
    gw_string_append(out, text.s ? text.s : "", (int64_t)text.l);
    ks_free(&text);
    return true;
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

// What a sample's column of a record says, and the alleles that it carries.

enum { FORMAT_COLUMN = 8, FIRST_SAMPLE = 9 };

gw_status gw_vcf_find_sample(const gw_vcf_reader *reader, const char *name, int *sample) {
    const int samples = bcf_hdr_nsamples(reader->header);
    const char *path = reader->path;
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
static void find_sample_in_line(const gw_vcf_record *record, int sample, const char *key, gw_string *out) {
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

static gw_status find_field(const gw_vcf_reader *reader, const gw_vcf_record *record, int sample, const char *key,
                            gw_string *out) {
    gw_string_clear(out);
    gw_string_append(out, "", 0);
    bcf_fmt_t *format = record->bcf ? bcf_get_fmt(reader->header, record->bcf, key) : NULL;
    if (!record->bcf) find_sample_in_line(record, sample, key, out);
    if (format) {
        kstring_t text = {0};
        if (strcmp(key, "GT") == 0) bcf_format_gt(format, sample, &text);
        else bcf_fmt_array(&text, format->n, format->type, format->p + (size_t)sample * (size_t)format->size);
        gw_string_append(out, text.s ? text.s : "", (int64_t)text.l);
        ks_free(&text);
    }
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
            return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "'%.40s' is not a genotype of %d ALTs", text,
                               record->alts);
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
