// SPDX-License-Identifier: MIT
// The header of a variant file: read line by line, so that its text stays what it was, and parsed by HTSlib.
#include "seq/vcf/vcf_private.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "file/hts_message.h"

#include <htslib/bgzf.h>
#include <stdlib.h>
#include <string.h>

static const char FIXED_COLUMNS[] = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";

static gw_status broken(const gw_vcf_reader *reader, const char *what, const char *found) {
    return gw_fail(GW_ERR_FORMAT, "%s:%lld: broken header: %s, found '%.80s'", reader->path, (long long)reader->number,
                   what, found);
}

static gw_status check_columns(gw_vcf_reader *reader, const char *line) {
    const size_t fixed = sizeof FIXED_COLUMNS - 1;
    if (strncmp(line, FIXED_COLUMNS, fixed) != 0 || (line[fixed] != 0 && line[fixed] != '\t'))
        return broken(reader, "expected the columns #CHROM POS ID REF ALT QUAL FILTER INFO joined by tabs", line);
    if (line[fixed] && strncmp(line + fixed, "\tFORMAT", 7) != 0)
        return broken(reader, "expected FORMAT as the ninth column", line + fixed + 1);
    reader->columns = 1;
    for (const char *c = line; *c; c++) reader->columns += *c == '\t';
    return GW_OK;
}

// What HTSlib makes of a ## line; NULL: nothing. It parses up to the line's end, so `line` has one.
static bcf_hrec_t *parse_line(const gw_vcf_reader *reader, const char *line) {
    const char *found = reader->line.s, *value = strchr(found, '=');
    if (value && value[1] == '<' && found[strlen(found) - 1] != '>') return NULL;
    int length = 0;
    return bcf_hdr_parse_line(reader->header, line, &length);
}

// Counts a line whose kind and ID another line had.
static gw_status note_declared(gw_vcf_reader *reader, bcf_hrec_t *line) {
    const int id = bcf_hrec_find_key(line, "ID");
    if (id < 0 || !line->vals[id]) return GW_OK;
    char *name = gw_strprintf("%s/%s", line->key, line->vals[id]);
    if (!name) return GW_ERR_MEMORY;
    int64_t index;
    const int64_t before = reader->declared.count;
    const gw_status status = gw_names_add(&reader->declared, name, &index);
    free(name);
    GW_TRY(status);
    if (reader->declared.count == before && reader->repeated++ == 0) reader->first_repeated = reader->number;
    return GW_OK;
}

// Free text, unescaped quotes and the like say nothing about records: such a line is kept, and HTSlib never sees it.
static gw_status take_meta_line(gw_vcf_reader *reader, const char *line) {
    if (strncmp(line, "##", 2) != 0) return broken(reader, "expected a ## line or the #CHROM line", reader->line.s);
    bcf_hrec_t *parsed = parse_line(reader, line);
    if (parsed) {
        const gw_status status = note_declared(reader, parsed);
        bcf_hrec_destroy(parsed);
        gw_string_puts(&reader->parsed_text, line);
        return status == GW_OK ? gw_string_status(&reader->parsed_text) : status;
    }
    if (reader->odd_lines++ == 0) reader->first_odd = reader->number;
    return GW_OK;
}

// FORMAT without samples is allowed by VCF, but not by HTSlib: it is not shown the column.
static gw_status take_columns(gw_vcf_reader *reader, const char *line) {
    static const char bare_format[] = "\tFORMAT\n";
    const char *end = line + sizeof FIXED_COLUMNS - 1;
    const bool bare =
        strlen(line) == sizeof FIXED_COLUMNS - 1 + sizeof bare_format - 1 && strcmp(end, bare_format) == 0;
    gw_string_append(&reader->parsed_text, line, bare ? end - line : (int64_t)strlen(line));
    if (bare) gw_string_putc(&reader->parsed_text, '\n');
    GW_TRY(gw_string_status(&reader->parsed_text));
    return check_columns(reader, reader->line.s);
}

void gw_vcf_warn_of_header(const gw_vcf_reader *reader) {
    if (reader->odd_lines > 0)
        gw_warn(
            "%s: %lld header lines cannot be parsed, the first in line %lld: kept as they are in VCF, left out of BCF",
            reader->path, (long long)reader->odd_lines, (long long)reader->first_odd);
    if (reader->repeated > 0)
        gw_warn("%s: %lld header lines declare again what a line before them declares, the first in line %lld",
                reader->path, (long long)reader->repeated, (long long)reader->first_repeated);
}

static void leave_mark_out(kstring_t *line) {
    const size_t mark = (size_t)gw_utf8_mark(line->s, (int64_t)line->l);
    memmove(line->s, line->s + mark, line->l + 1 - mark);
    line->l -= mark;
}

// Reads the lines up to #CHROM into header_text.
static gw_status read_text(gw_vcf_reader *reader) {
    for (bool done = false; !done;) {
        const int result = hts_getline(reader->file, '\n', &reader->line);
        if (result < -1) return gw_vcf_damaged(reader);
        if (result == -1)
            return gw_fail(GW_ERR_FORMAT, "%s: broken header: it ends without a #CHROM line", reader->path);
        reader->number++;
        if (reader->number == 1) leave_mark_out(&reader->line);
        const char *line = reader->line.s;
        if (reader->number == 1 && strncmp(line, "##fileformat=VCF", 16) != 0) return gw_vcf_unknown(reader);
        if (strlen(line) != reader->line.l) return broken(reader, "the line holds a zero byte", line);
        done = strncmp(line, "#CHROM", 6) == 0;
        const int64_t begin = reader->header_text.length;
        gw_string_append(&reader->header_text, line, (int64_t)reader->line.l);
        gw_string_putc(&reader->header_text, '\n');
        GW_TRY(gw_string_status(&reader->header_text));
        const char *whole = reader->header_text.data + begin;
        GW_TRY(done ? take_columns(reader, whole) : take_meta_line(reader, whole));
    }
    return GW_OK;
}

static gw_status parse_text(gw_vcf_reader *reader) {
    if (bcf_hdr_parse(reader->header, reader->parsed_text.data) == 0) return GW_OK;
    char text[512];
    gw_hts_message message;
    bcf_hdr_destroy(reader->header);
    reader->header = bcf_hdr_init("r");
    if (!reader->header) return gw_fail(GW_ERR_MEMORY, "out of memory for the header of %s", reader->path);
    gw_hts_message_begin(&message);
    bcf_hdr_parse(reader->header, reader->parsed_text.data);
    gw_hts_message_end(&message, text, sizeof text);
    return gw_fail(GW_ERR_FORMAT, "%s: broken header: HTSlib cannot read it%s%s", reader->path, text[0] ? ": " : "",
                   text);
}

static gw_status read_bcf(gw_vcf_reader *reader) {
    bcf_hdr_destroy(reader->header);
    reader->header = bcf_hdr_read(reader->file);
    if (!reader->header) return gw_fail(GW_ERR_FORMAT, "%s: broken or truncated BCF header", reader->path);
    kstring_t text = {0};
    const int result = bcf_hdr_format(reader->header, 0, &text);
    if (result == 0) gw_string_append(&reader->header_text, text.s, (int64_t)text.l);
    free(text.s);
    if (result != 0) return gw_fail(GW_ERR_MEMORY, "out of memory for the header of %s", reader->path);
    return gw_string_status(&reader->header_text);
}

int64_t gw_vcf_declared_length(const gw_vcf_reader *reader, int contig) {
    const bcf_idinfo_t *info = reader->header->id[BCF_DT_CTG][contig].val;
    return info && info->info[0] > 0 ? (int64_t)info->info[0] : -1;
}

static gw_status check_contig(const gw_vcf_reader *reader, int contig) {
    const char *name = gw_vcf_declared_contig(reader, contig);
    const int64_t length = gw_vcf_declared_length(reader, contig);
    const int found = name && reader->genome ? gw_genome_find(reader->genome, name, length) : -1;
    if (found < 0 || length < 0 || gw_genome_length(reader->genome, found) == length) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH,
                   "%s declares contig %s with %lld bp, but %s has %lld: are they of different genome builds?",
                   reader->path, name, (long long)length, gw_genome_path(reader->genome),
                   (long long)gw_genome_length(reader->genome, found));
}

gw_status gw_vcf_read_header(gw_vcf_reader *reader) {
    reader->header = bcf_hdr_init("r");
    if (!reader->header) return gw_fail(GW_ERR_MEMORY, "out of memory for the header of %s", reader->path);
    if (gw_vcf_is_bcf(reader)) {
        GW_TRY(read_bcf(reader));
    } else {
        GW_TRY(read_text(reader));
        GW_TRY(parse_text(reader));
    }
    for (int i = 0; i < gw_vcf_declared_contigs(reader); i++) GW_TRY(check_contig(reader, i));
    return GW_OK;
}

const char *gw_vcf_header(const gw_vcf_reader *reader) {
    return reader->header_text.data;
}

bool gw_vcf_declares_contig(const gw_vcf_reader *reader, const char *name) {
    return bcf_hdr_name2id(reader->header, name) >= 0;
}

int gw_vcf_declared_contigs(const gw_vcf_reader *reader) {
    return reader->header->n[BCF_DT_CTG];
}

const char *gw_vcf_declared_contig(const gw_vcf_reader *reader, int contig) {
    return bcf_hdr_id2name(reader->header, contig);
}
