// SPDX-License-Identifier: MIT
// Reads a row of GFF3 or GTF: its columns, and the attributes of its ninth, whose escapes are decoded.
#include "seq/genes/gff_row.h"

#include "base/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Columns of GFF3 and GTF, and of SGD's table.
enum { SEQID, SOURCE, TYPE, START, END, SCORE, STRAND, PHASE, ATTRIBUTES, GFF_COLUMNS };
enum {
    SGD_ID,
    SGD_TYPE,
    SGD_QUALIFIER,
    SGD_FEATURE,
    SGD_GENE,
    SGD_PARENT = 6,
    SGD_CHROMOSOME = 8,
    SGD_START,
    SGD_STOP,
    SGD_STRAND,
    SGD_LEAST
};

static int count_columns(const char *line) {
    int count = 1;
    for (const char *c = line; *c; c++) count += *c == '\t';
    return count;
}

static const char *column_of(const char *line, int column) {
    while (column-- > 0) line = strchr(line, '\t') + 1;
    return line;
}

// GTF writes key "value"; GFF3 key=value.
static bool looks_like_gtf(const char *attributes) {
    const size_t key = strcspn(attributes, " =;\"\t");
    return attributes[key] == ' ' && key > 0 && !strchr("=;", attributes[key + 1]);
}

const char *gw_gff_kind_name(gw_gff_kind kind) {
    static const char *const names[] = {"unknown", "GFF3", "GTF", "SGD's table"};
    return names[kind];
}

// A row of nine columns has a number where features start or one of the strands' signs in column 7; a mistake in the
// other is told by gw_gff_row_parse().
static bool has_place(const char *line) {
    const char *strand = column_of(line, STRAND);
    return isdigit((unsigned char)*column_of(line, START)) || (strchr("+-.?", strand[0]) && strand[1] == '\t');
}

gw_gff_kind gw_gff_kind_of(const char *line) {
    const int count = count_columns(line);
    if (count >= SGD_LEAST) {
        const char strand = *column_of(line, SGD_STRAND);
        return line[0] == 'S' && strchr("WC\t", strand) ? GW_GFF_SGD : GW_GFF_UNKNOWN;
    }
    if (count != GFF_COLUMNS || !has_place(line)) return GW_GFF_UNKNOWN;
    return looks_like_gtf(column_of(line, ATTRIBUTES)) ? GW_GTF : GW_GFF3;
}

static int hex_digit(char c) {
    if (isdigit((unsigned char)c)) return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

// %XX of GFF3, but for those that would break a line or its columns.
static void append_decoded(gw_string *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const bool code =
            text[i] == '%' && i + 2 < length && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
        const int byte = code ? 16 * hex_digit(text[i + 1]) + hex_digit(text[i + 2]) : text[i];
        if (code && byte < ' ') {
            gw_string_append(out, text + i, 3);
        } else {
            gw_string_putc(out, (char)byte);
        }
        if (code) i += 2;
    }
}

static gw_status take_contig(gw_gff_row *row, const char *name) {
    gw_string decoded = {0};
    append_decoded(&decoded, name, strlen(name));
    gw_status status = gw_string_status(&decoded);
    if (status == GW_OK && (decoded.length == 0 || decoded.length >= (int64_t)sizeof row->contig))
        status = gw_fail(GW_ERR_FORMAT, "column 1, the contig, has %lld letters", (long long)decoded.length);
    if (status == GW_OK) memcpy(row->contig, decoded.data, (size_t)decoded.length + 1);
    gw_string_free(&decoded);
    return status;
}

// 1-based inclusive, in either order.
static gw_status take_span(gw_gff_row *row, const char *start, const char *end, bool ordered) {
    int64_t from, to;
    if (gw_parse_int(start, 1, INT64_MAX / 4, &from) != GW_OK) return gw_fail_in(GW_ERR_FORMAT, "the start");
    if (gw_parse_int(end, 1, INT64_MAX / 4, &to) != GW_OK) return gw_fail_in(GW_ERR_FORMAT, "the end");
    if (ordered && from > to)
        return gw_fail(GW_ERR_FORMAT, "the feature starts at %lld, behind its end %lld", (long long)from,
                       (long long)to);
    row->begin = (from < to ? from : to) - 1;
    row->end = from < to ? to : from;
    return GW_OK;
}

static gw_status parse_gff(gw_gff_row *row) {
    if (row->count != GFF_COLUMNS)
        return gw_fail(GW_ERR_FORMAT, "expected nine columns separated by tabs, found %d", row->count);
    const char *strand = row->columns[STRAND];
    if (strlen(strand) != 1 || !strchr("+-.?", strand[0]))
        return gw_fail(GW_ERR_FORMAT, "column 7, the strand: expected +, -, . or ?, found '%s'", strand);
    row->strand = strand[0] == '?' ? '.' : strand[0];
    row->type = row->columns[TYPE];
    row->placed = true;
    GW_TRY(take_contig(row, row->columns[SEQID]));
    return take_span(row, row->columns[START], row->columns[END], true);
}

static void roman(int number, char *out) {
    static const struct {
        int value;
        const char *letters;
    } steps[] = {{10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}};
    *out = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        for (; number >= steps[i].value; number -= steps[i].value) out += sprintf(out, "%s", steps[i].letters);
}

// 1 .. 16 are I .. XVI, 17 is the mitochondrion; other names stay.
static void take_sgd_contig(gw_gff_row *row, const char *chromosome) {
    int64_t number;
    char letters[16];
    if (gw_parse_int(chromosome, 1, 17, &number) != GW_OK) {
        snprintf(row->contig, sizeof row->contig, "%s", chromosome);
        return;
    }
    roman((int)number, letters);
    snprintf(row->contig, sizeof row->contig, "chr%s", number == 17 ? "Mito" : letters);
}

static gw_status parse_sgd(gw_gff_row *row) {
    if (row->count < SGD_LEAST)
        return gw_fail(GW_ERR_FORMAT, "expected the 16 columns of SGD's table, found %d", row->count);
    row->type = row->columns[SGD_TYPE];
    row->placed = row->columns[SGD_CHROMOSOME][0] && row->columns[SGD_START][0] && row->columns[SGD_STOP][0];
    if (!row->placed) return GW_OK;
    const char strand = row->columns[SGD_STRAND][0];
    row->strand = strand == 'W' ? '+' : strand == 'C' ? '-' : '.';
    take_sgd_contig(row, row->columns[SGD_CHROMOSOME]);
    return take_span(row, row->columns[SGD_START], row->columns[SGD_STOP], false);
}

gw_status gw_gff_row_parse(gw_gff_row *row, gw_gff_kind kind, char *line) {
    *row = (gw_gff_row){.kind = kind};
    row->count = gw_split(line, '\t', row->columns, GW_GFF_COLUMNS);
    return kind == GW_GFF_SGD ? parse_sgd(row) : parse_gff(row);
}

static bool sgd_attribute(const gw_gff_row *row, const char *key, size_t length, gw_string *out) {
    static const struct {
        const char *name;
        int column;
    } names[] = {{"feature", SGD_FEATURE}, {"gene", SGD_GENE},     {"SGDID", SGD_ID},
                 {"ID", SGD_FEATURE},      {"Parent", SGD_PARENT}, {"Name", SGD_GENE}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].name) == length && strncmp(names[i].name, key, length) == 0)
            gw_string_puts(out, row->columns[names[i].column]);
    return out->length > 0;
}

gw_status gw_gff_next_row(gw_line_reader *lines, gw_gff_kind *kind, const char *needs, gw_gff_row *row, bool *got) {
    char *line;
    int64_t length;
    *got = false;
    do {
        GW_TRY(gw_lines_next(lines, &line, &length));
        if (!line || strncmp(line, "##FASTA", 7) == 0 || line[0] == '>') return GW_OK;
    } while (length == 0 || line[0] == '#');
    if (*kind == GW_GFF_UNKNOWN && (*kind = gw_gff_kind_of(line)) == GW_GFF_UNKNOWN)
        return gw_lines_fail(lines, GW_ERR_FORMAT,
                             "neither GFF3 nor GTF (nine columns, separated by tabs) nor SGD's table of features%s",
                             needs);
    const gw_status status = gw_gff_row_parse(row, *kind, line);
    if (status != GW_OK) return gw_lines_fail(lines, status, "%s", gw_message());
    *got = true;
    return GW_OK;
}

bool gw_gff_is_dubious(const gw_gff_row *row) {
    return row->kind == GW_GFF_SGD && strstr(row->columns[SGD_QUALIFIER], "Dubious") != NULL;
}

// Entries are separated by ';', which a GTF value may hold between quotes.
static const char *entry_end(const char *entry, bool gtf) {
    bool quoted = false;
    for (; *entry && (quoted || *entry != ';'); entry++) quoted ^= gtf && *entry == '"';
    return entry;
}

bool gw_gff_attribute(const gw_gff_row *row, const char *key, int64_t length, gw_string *out) {
    gw_string_clear(out);
    const size_t size = (size_t)length;
    if (row->kind == GW_GFF_SGD) return sgd_attribute(row, key, size, out);
    const bool gtf = row->kind == GW_GTF;
    for (const char *entry = row->columns[ATTRIBUTES]; *entry;) {
        entry += strspn(entry, " ");
        const char *end = entry_end(entry, gtf);
        if (strncmp(entry, key, size) == 0 && entry[size] == (gtf ? ' ' : '=')) {
            const char *value = entry + size + 1 + strspn(entry + size + 1, gtf ? " \"" : " ");
            while (end > value && strchr(gtf ? " \"" : " ", end[-1])) end--;
            if (gtf) gw_string_append(out, value, end - value);
            else append_decoded(out, value, (size_t)(end - value));
            return out->length > 0;
        }
        entry = *end ? end + 1 : end;
    }
    return false;
}
