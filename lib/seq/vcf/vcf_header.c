// SPDX-License-Identifier: MIT
// The header of a variant file: read line by line, so that its text is unchanged, and parsed by HTSlib. And errors of
// files, with their places.
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "file/input.h"
#include "seq/genome/assemblies.h"
#include "seq/vcf/vcf_private.h"

#include <htslib/bgzf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const char FIXED_COLUMNS[] = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";

static gw_status broken(const gw_vcf_reader *reader, const char *what, const char *found) {
    return gw_fail(GW_ERR_FORMAT, "%s:%lld: broken header: %s, found '%.80s'", reader->path, (long long)reader->number,
                   what, found);
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
    const char *found = reader->line.s, *value = strchr(found, '=');
    if (!gw_has_prefix(line, "##")) return broken(reader, "expected a ## line or the #CHROM line", found);
    const bool cut = value && value[1] == '<' && found[strlen(found) - 1] != '>';
    int length = 0;
    bcf_hrec_t *parsed = cut ? NULL : bcf_hdr_parse_line(reader->header, line, &length);
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
    const char *found = reader->line.s;
    const size_t fixed = sizeof FIXED_COLUMNS - 1;
    if (!gw_has_prefix(found, FIXED_COLUMNS) || (found[fixed] != 0 && found[fixed] != '\t'))
        return broken(reader, "expected the columns #CHROM POS ID REF ALT QUAL FILTER INFO joined by tabs", found);
    if (found[fixed] && !gw_has_prefix(found + fixed, "\tFORMAT"))
        return broken(reader, "expected FORMAT as the ninth column", found + fixed + 1);
    reader->columns = 1;
    for (const char *c = found; *c; c++) reader->columns += *c == '\t';
    return GW_OK;
}

void gw_vcf_warn_of_header(const gw_vcf_reader *reader) {
    if (reader->odd_lines > 0)
        gw_warn(
            "%s: %lld header lines cannot be parsed, the first in line %lld: kept as they are in VCF, left out of BCF",
            reader->path, (long long)reader->odd_lines, (long long)reader->first_odd);
    if (reader->repeated > 0)
        gw_warn("%s: %lld header lines repeat the declaration of an earlier line, the first in line %lld", reader->path,
                (long long)reader->repeated, (long long)reader->first_repeated);
}

// Reads the lines up to #CHROM into header_text.
static gw_status read_text(gw_vcf_reader *reader) {
    for (bool done = false; !done;) {
        const int result = hts_getline(reader->file, '\n', &reader->line);
        if (result < -1) return gw_vcf_damaged(reader);
        if (result == -1)
            return gw_fail(GW_ERR_FORMAT, "%s: broken header: it ends without a #CHROM line", reader->path);
        reader->number++;
        if (reader->number == 1) {
            const size_t mark = (size_t)gw_utf8_mark(reader->line.s, (int64_t)reader->line.l);
            memmove(reader->line.s, reader->line.s + mark, reader->line.l + 1 - mark);
            reader->line.l -= mark;
        }
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

int64_t gw_vcf_declared_length(const gw_vcf_reader *reader, int contig) {
    const bcf_idinfo_t *info = reader->header->id[BCF_DT_CTG][contig].val;
    return info && info->info[0] > 0 ? (int64_t)info->info[0] : -1;
}

static void put_length(gw_string *out, int64_t length) {
    const gw_assembly *assembly = gw_assembly_of_length(length);
    gw_string_printf(out, "%lld bp", (long long)length);
    if (assembly) gw_string_printf(out, ", as in %s", gw_assembly_name(assembly));
}

// Declared lengths that are not the genome's say that the file is of another assembly: one of a contig of the same
// name; of those whose names are alike by convention alone more than agree, since mitochondria of one assembly differ.
static gw_status check_lengths(const gw_vcf_reader *reader) {
    const gw_genome *genome = reader->genome;
    int64_t same = 0, others = 0;
    int first = -1;
    bool sure = false;
    for (int i = 0; i < gw_vcf_declared_contigs(reader) && !sure; i++) {
        const char *name = gw_vcf_declared_contig(reader, i);
        const int64_t length = gw_vcf_declared_length(reader, i);
        const int contig = name && length >= 0 ? gw_genome_find(genome, name, -1) : -1;
        const bool other = contig >= 0 && gw_genome_length(genome, contig) != length;
        same += contig >= 0 && !other;
        others += other;
        sure = other && gw_genome_find(genome, name, length) >= 0;
        if (sure || (other && first < 0)) first = i;
    }
    if (!sure && others <= same) return GW_OK;
    const char *name = gw_vcf_declared_contig(reader, first);
    const int64_t length = gw_vcf_declared_length(reader, first),
                  own = gw_genome_length(genome, gw_genome_find(genome, name, -1));
    gw_string text = {0};
    gw_string_printf(&text, "%s declares contig %s with ", reader->path, name);
    put_length(&text, length);
    gw_string_printf(&text, ", but %s has it with ", gw_genome_path(genome));
    put_length(&text, own);
    gw_string_puts(&text, ": they are of different assemblies. This brings the records over: ");
    gw_assembly_put_liftover(gw_assembly_of_length(length), gw_assembly_of_length(own), reader->file->fn,
                             gw_genome_path(genome), &text);
    const gw_status status = text.failed ? GW_ERR_MEMORY : gw_fail(GW_ERR_MISMATCH, "%s", text.data);
    gw_string_free(&text);
    return status;
}

gw_status gw_vcf_read_header(gw_vcf_reader *reader) {
    reader->header = bcf_hdr_init("r");
    if (!reader->header) return gw_fail(GW_ERR_MEMORY, "out of memory for the header of %s", reader->path);
    if (gw_vcf_is_bcf(reader)) {
        bcf_hdr_destroy(reader->header);
        reader->header = bcf_hdr_read(reader->file);
        if (!reader->header) return gw_fail(GW_ERR_FORMAT, "%s: broken or truncated BCF header", reader->path);
        kstring_t text = {0};
        const int result = bcf_hdr_format(reader->header, 0, &text);
        if (result == 0) gw_string_append(&reader->header_text, text.s, (int64_t)text.l);
        free(text.s);
        if (result != 0) return gw_fail(GW_ERR_MEMORY, "out of memory for the header of %s", reader->path);
        GW_TRY(gw_string_status(&reader->header_text));
    } else {
        GW_TRY(read_text(reader));
        if (bcf_hdr_parse(reader->header, reader->parsed_text.data) != 0) { // once more, for what HTSlib says of it
            char text[512];
            gw_hts_message message;
            bcf_hdr_destroy(reader->header);
            reader->header = bcf_hdr_init("r");
            if (!reader->header) return gw_fail(GW_ERR_MEMORY, "out of memory for the header of %s", reader->path);
            gw_hts_message_begin(&message);
            bcf_hdr_parse(reader->header, reader->parsed_text.data);
            gw_hts_message_end(&message, text, sizeof text);
            return gw_fail(GW_ERR_FORMAT, "%s: broken header: HTSlib cannot read it%s%s", reader->path,
                           text[0] ? ": " : "", text);
        }
    }
    return reader->genome ? check_lengths(reader) : GW_OK;
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

int gw_vcf_declared_key(const bcf_hdr_t *header, int kind, const char *key) {
    const int id = bcf_hdr_id2int(header, BCF_DT_ID, key);
    return id >= 0 && bcf_hdr_idinfo_exists(header, kind, id) ? id : -1;
}

// What records have beside what the header declares: keys, contigs, and numbers and types of INFO values. They are
// read all the same; each kind is counted with its first place, and said once.

// Notes a kind once a record.
static void note(gw_vcf_reader *reader, const gw_vcf_record *record, int kind, const char *text, size_t length,
                 unsigned *seen) {
    gw_vcf_oddity *oddity = &reader->oddities[kind];
    if (*seen & 1u << kind) return;
    *seen |= 1u << kind;
    if (oddity->records++ > 0) return;
    if (record->number > 0) snprintf(oddity->place, sizeof oddity->place, "in line %lld", (long long)record->number);
    else
        snprintf(oddity->place, sizeof oddity->place, "at %.40s:%lld", record->contig, (long long)record->position + 1);
    snprintf(oddity->text, sizeof oddity->text, "%.*s", (int)(length < sizeof oddity->text ? length : 1000), text);
}

static int find_key(const bcf_hdr_t *header, int kind, const char *key, size_t length) {
    char name[256];
    if (length >= sizeof name) return -1;
    memcpy(name, key, length);
    name[length] = 0;
    return gw_vcf_declared_key(header, kind, name);
}

// A value of one number: '.', or a whole number that BCF can hold, or any number.
static bool is_number(const char *value, size_t length, bool whole) {
    char text[64], *end;
    if (length == 0 || length >= sizeof text) return false;
    memcpy(text, value, length);
    text[length] = 0;
    if (strcmp(text, ".") == 0) return true;
    if (!whole) return strtod(text, &end), !*end;
    const size_t sign = text[0] == '-' || text[0] == '+';
    if (!text[sign] || text[sign + strspn(text + sign, "0123456789")]) return false;
    const long long number = strtoll(text, NULL, 10);
    return number >= BCF_MIN_BT_INT32 && number <= BCF_MAX_BT_INT32;
}

// `value` is what stands behind the key's '='; NULL: nothing does.
static void check_values(gw_vcf_reader *reader, const gw_vcf_record *record, int id, const char *value, const char *end,
                         bool *number, bool *type) {
    const bcf_hdr_t *header = reader->header;
    const int kind = bcf_hdr_id2type(header, BCF_HL_INFO, id), length = bcf_hdr_id2length(header, BCF_HL_INFO, id);
    if (kind == BCF_HT_FLAG) { // of the past, and allowed: DB=1
        *type = value && !(end - value == 1 && (*value == '0' || *value == '1'));
        return;
    }
    if (!value) {
        *number = length != BCF_VL_VAR;
        return;
    }
    if (end - value == 1 && *value == '.') return;
    int64_t count = 0;
    for (const char *at = value; at <= end; count++) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        if (kind == BCF_HT_INT || kind == BCF_HT_REAL)
            *type = *type || !is_number(at, (size_t)(stop - at), kind == BCF_HT_INT);
        at = stop + 1;
    }
    const int64_t declared = length == BCF_VL_FIXED ? (int64_t)bcf_hdr_id2number(header, BCF_HL_INFO, id)
                             : length == BCF_VL_A   ? record->alts
                             : length == BCF_VL_R   ? record->alts + 1
                                                    : count;
    *number = count != declared && !(length == BCF_VL_A && record->alts == 0);
}

static void check_info(gw_vcf_reader *reader, const gw_vcf_record *record, unsigned *seen) {
    const char *at = record->line.data + record->info_begin, *end = record->line.data + record->info_end;
    if (end - at == 1 && *at == '.') return;
    while (at < end) {
        const char *semicolon = memchr(at, ';', (size_t)(end - at)), *stop = semicolon ? semicolon : end;
        const char *equals = memchr(at, '=', (size_t)(stop - at)), *key_end = equals ? equals : stop;
        bool number = false, type = false;
        const int id = find_key(reader->header, BCF_HL_INFO, at, (size_t)(key_end - at));
        if (id < 0 && key_end > at) note(reader, record, GW_ODD_INFO, at, (size_t)(key_end - at), seen);
        if (id >= 0) check_values(reader, record, id, equals ? equals + 1 : NULL, stop, &number, &type);
        if (number) note(reader, record, GW_ODD_NUMBER, at, (size_t)(stop - at), seen);
        if (type) note(reader, record, GW_ODD_TYPE, at, (size_t)(stop - at), seen);
        at = stop + 1;
    }
}

static void check_list(gw_vcf_reader *reader, const gw_vcf_record *record, int oddity, const char *at, const char *end,
                       unsigned *seen) {
    const bool filter = oddity == GW_ODD_FILTER;
    while (at < end) {
        const char *next = memchr(at, filter ? ';' : ':', (size_t)(end - at)), *stop = next ? next : end;
        const size_t length = (size_t)(stop - at);
        const bool nothing = (length == 1 && *at == '.') || (filter && length == 4 && memcmp(at, "PASS", 4) == 0);
        if (!nothing && find_key(reader->header, filter ? BCF_HL_FLT : BCF_HL_FMT, at, length) < 0)
            note(reader, record, oddity, at, length, seen);
        at = stop + 1;
    }
}

void gw_vcf_note_oddities(gw_vcf_reader *reader, const gw_vcf_record *record) {
    const char *line = record->line.data, *info = line + record->info_begin, *format = line + record->info_end + 1;
    const char *filter_end = info - 1, *filter = memrchr(line, '\t', (size_t)(filter_end - line));
    unsigned seen = 0;
    if (!gw_vcf_declares_contig(reader, record->contig))
        note(reader, record, GW_ODD_CONTIG, record->contig, strlen(record->contig), &seen);
    check_list(reader, record, GW_ODD_FILTER, filter + 1, filter_end, &seen);
    check_info(reader, record, &seen);
    if (format < line + record->line.length)
        check_list(reader, record, GW_ODD_FORMAT, format, format + strcspn(format, "\t"), &seen);
}

void gw_vcf_warn_of_records(const gw_vcf_reader *reader) {
    static const char *const words[GW_ODDITIES] = {
        [GW_ODD_CONTIG] = "lie on a contig that the header does not declare",
        [GW_ODD_FILTER] = "have a FILTER that the header does not declare",
        [GW_ODD_INFO] = "have an INFO key that the header does not declare",
        [GW_ODD_FORMAT] = "have a FORMAT key that the header does not declare",
        [GW_ODD_NUMBER] = "have more or fewer values of an INFO key than the header declares",
        [GW_ODD_TYPE] = "have INFO values of another type than the header declares",
    };
    for (int i = 0; i < GW_ODDITIES; i++) {
        const gw_vcf_oddity *oddity = &reader->oddities[i];
        if (oddity->records > 0)
            gw_warn("%s: %lld records %s: the first is '%s' %s", reader->path, (long long)oddity->records, words[i],
                    oddity->text, oddity->place);
    }
}
