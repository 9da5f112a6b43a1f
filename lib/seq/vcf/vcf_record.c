// SPDX-License-Identifier: MIT
// The fields of one record, checked: from a line of VCF text or from a BCF record.
#include "seq/vcf/vcf_private.h"

#include "base/memory.h"
#include "base/parse.h"

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

// Bases, '*', '.', <symbol>, or a breakend ([ or ], or bases with '.' at one end).
static bool is_allele(const char *alt) {
    const size_t length = strlen(alt);
    if (strcmp(alt, "*") == 0 || strcmp(alt, ".") == 0 || all_in(alt, IUPAC)) return true;
    if (alt[0] == '<') return length > 2 && alt[length - 1] == '>';
    if (strpbrk(alt, "[]")) return true;
    return length > 1 && (alt[0] == '.' || alt[length - 1] == '.') &&
           strspn(alt, "ACGTUNRYSWKMBDHVacgtunryswkmbdhv.") == length;
}

static gw_status check_alleles(const gw_vcf_reader *reader, const gw_vcf_record *record) {
    if (!all_in(record->ref, IUPAC))
        return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "REF is '%.40s', which is no sequence of bases", record->ref);
    for (int i = 0; i < record->alts; i++) {
        if (record->alt[i][0] == 0)
            return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "allele %d of ALT is empty", i + 1);
        if (!is_allele(record->alt[i]))
            return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "ALT '%.40s' is neither bases, a symbol nor a breakend",
                               record->alt[i]);
    }
    return GW_OK;
}

static gw_status reserve_alts(gw_vcf_record *record, int64_t count) {
    return gw_reserve(&record->alt, &record->alt_capacity, count + 1, sizeof *record->alt);
}

// Splits the zero-terminated ALT column at its commas, in place.
static gw_status split_alts(gw_vcf_record *record, char *column) {
    record->alts = 0;
    if (strcmp(column, ".") == 0) return GW_OK;
    for (char *rest = column; rest;) {
        GW_TRY(reserve_alts(record, record->alts));
        record->alt[record->alts++] = strsep(&rest, ",");
    }
    return GW_OK;
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
    GW_TRY(split_alts(record, record->fields.data + begin[ALT]));
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
