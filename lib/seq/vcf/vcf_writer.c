// SPDX-License-Identifier: MIT
// Writes variant files. The four ways from input to output:
//   VCF -> VCF  the line, with INFO added, as text
//   VCF -> BCF  the same line, parsed by HTSlib with the new header
//   BCF -> BCF  the record, with INFO added
//   BCF -> VCF  the same, formatted by HTSlib
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "file/input.h"
#include "file/lines.h"
#include "seq/vcf/vcf_private.h"

#include <ctype.h>
#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <math.h>
#include <stdio.h>
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

static void append_joined(gw_string *out, const gw_info_values *values, int alts) {
    for (int alt = 0; alt < alts; alt++) {
        if (alt > 0) gw_string_putc(out, ',');
        // Floats as HTSlib writes them (%g, six digits); -0 is 0.
        if (is_missing(values, alt)) gw_string_putc(out, '.');
        else if (values->key->kind == GW_INFO_FLOAT) gw_string_printf(out, "%g", (double)(values->floats[alt] + 0.0F));
        else if (values->key->kind == GW_INFO_INTEGER) gw_string_printf(out, "%d", (int)values->integers[alt]);
        else gw_string_puts(out, values->strings[alt]);
    }
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
        const size_t length_of_key = (size_t)((equals ? equals : stop) - at);
        const gw_info_values *same = NULL;
        for (int i = 0; i < count && !same; i++) {
            const char *key = values[i].key->key;
            if (strlen(key) == length_of_key && memcmp(key, at, length_of_key) == 0) same = &values[i];
        }
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

// Appends the line with more INFO to `out`; otherwise it stays byte for byte.
static gw_status put_info_into_line(const gw_vcf_record *record, const gw_info_values *values, int count,
                                    bool overwrite, gw_string *out) {
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

static gw_status put_info_into_bcf(bcf_hdr_t *header, bcf1_t *bcf, int alts, const gw_info_values *values, int count,
                                   bool overwrite) {
    for (int i = 0; i < count; i++) {
        _Static_assert(bcf_int32_missing == INT32_MIN, "missing integers are passed on as they are");
        const char *key = values[i].key->key;
        const gw_info_kind kind = values[i].key->kind;
        if (!overwrite && bcf_get_info(header, bcf, key)) return present(key);
        gw_string joined = {0};
        int result;
        if (kind == GW_INFO_FLOAT) result = update_floats(header, bcf, &values[i], alts);
        else if (kind == GW_INFO_INTEGER) result = bcf_update_info_int32(header, bcf, key, values[i].integers, alts);
        else if (is_absent(&values[i])) result = bcf_update_info_string(header, bcf, key, NULL);
        else {
            append_joined(&joined, &values[i], values_of(&values[i], alts));
            result = joined.failed ? -1 : bcf_update_info_string(header, bcf, key, joined.data);
            gw_string_free(&joined);
        }
        if (result != 0) return gw_fail(GW_ERR_FORMAT, "cannot store %s in the BCF record", key);
    }
    return GW_OK;
}

enum { CHROM, FILTER = 6, INFO, FORMAT, COLUMNS = 10 };

// The first key of a list that is not declared, or NULL. INFO's keys end at '='.
static const char *undeclared_key(const bcf_hdr_t *header, int kind, char *list) {
    for (char *one; (one = strsep(&list, kind == BCF_HL_FMT ? ":" : ";")) != NULL;) {
        if (kind == BCF_HL_INFO) one[strcspn(one, "=")] = 0;
        const bool needs = one[0] && strcmp(one, ".") != 0 && !(kind == BCF_HL_FLT && strcmp(one, "PASS") == 0);
        if (needs && gw_vcf_declared_key(header, kind, one) < 0) return one;
    }
    return NULL;
}

// The error of a line that uses a contig, or a FILTER, INFO or FORMAT key that the header does not declare, with its
// name: BCF numbers them by the header.
static gw_status say_undeclared(const gw_vcf_reader *reader, const gw_vcf_record *record) {
    static const struct {
        int column, kind;
        const char *name;
    } lists[] = {{FILTER, BCF_HL_FLT, "FILTER"}, {INFO, BCF_HL_INFO, "INFO"}, {FORMAT, BCF_HL_FMT, "FORMAT"}};
    char *columns[COLUMNS], *line = gw_strdup(record->line.data);
    if (!line) return GW_ERR_MEMORY;
    const int count = gw_split(line, '\t', columns, COLUMNS);
    const char *what = "", *key = NULL;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && !key; i++) {
        if (lists[i].column >= count) break;
        what = lists[i].name;
        key = undeclared_key(reader->header, lists[i].kind, columns[lists[i].column]);
    }
    if (!key && !gw_vcf_declares_contig(reader, columns[CHROM])) { // last: the writer declares most of these itself
        what = "contig";
        key = columns[CHROM];
    }
    const gw_status status =
        key ? gw_vcf_fail(reader, record, GW_ERR_FORMAT, "%s '%s' is not declared in the header, which BCF needs", what,
                          key)
            : gw_vcf_fail(reader, record, GW_ERR_FORMAT, "HTSlib finds a fault in this line that keeps it out of BCF");
    free(line);
    return status;
}

struct gw_vcf_writer {
    const gw_vcf_reader *reader;
    gw_vcf_output output;
    gw_output_name name, index_name;
    htsFile *file;
    bcf_hdr_t *header; // of the output
    bool text;         // the output is VCF
    gw_string line;
    bcf1_t *bcf;         // VCF -> BCF
    kstring_t formatted; // BCF -> VCF: the line; VCF -> VCF: a copy of it
    // VCF -> VCF: lines that HTSlib does not parse, the place of the first, and what HTSlib says of it
    int64_t odd_lines, first_odd;
    char first_fault[256];
    gw_vcf_order order; // for the index
};

static const char *shown(const gw_vcf_writer *writer) {
    return writer->name.path ? writer->name.path : "standard output";
}

static gw_status cannot_write(const gw_vcf_writer *writer) {
    const gw_status code = errno == EPIPE ? GW_ERR_PIPE : GW_ERR_IO;
    return gw_fail(code, "cannot write %s: %s", shown(writer), errno ? strerror(errno) : "write error");
}

static const char *kind_name(gw_info_kind kind) {
    return kind == GW_INFO_FLOAT ? "Float" : kind == GW_INFO_INTEGER ? "Integer" : "String";
}

static const char *number_of(const gw_info_key *key) {
    return key->list ? "." : "A";
}

static void put_key(gw_string *out, const gw_info_key *key) {
    gw_string_printf(out, "##INFO=<ID=%s,Number=%s,Type=%s,Description=\"%s\">\n", key->key, number_of(key),
                     kind_name(key->kind), key->description);
}

// Adds the line of one key to `lines`; a key that is there already must be of the same kind.
static gw_status add_key(const gw_vcf_writer *writer, const gw_info_key *key, gw_string *lines) {
    const bcf_hdr_t *header = writer->reader->header;
    const int id = gw_vcf_declared_key(header, BCF_HL_INFO, key->key);
    if (id < 0) {
        put_key(lines, key);
        return GW_OK;
    }
    if (!writer->output.overwrite)
        return gw_fail(GW_ERR_MISMATCH, "%s already has INFO/%s: give --overwrite, or another prefix with --tag",
                       gw_vcf_path(writer->reader), key->key);
    const int kind = key->kind == GW_INFO_FLOAT ? BCF_HT_REAL : key->kind == GW_INFO_INTEGER ? BCF_HT_INT : BCF_HT_STR;
    if (bcf_hdr_id2length(header, BCF_HL_INFO, id) == (key->list ? BCF_VL_VAR : BCF_VL_A) &&
        (int)bcf_hdr_id2type(header, BCF_HL_INFO, id) == kind)
        return GW_OK;
    return gw_fail(GW_ERR_MISMATCH,
                   "%s declares INFO/%s otherwise than Number=%s,Type=%s: choose another prefix with --tag",
                   gw_vcf_path(writer->reader), key->key, number_of(key), kind_name(key->kind));
}

// The key that a header line declares otherwise than this run means it; NULL: none.
static const gw_info_key *outdated(const gw_vcf_writer *writer, const char *line, size_t length) {
    static const char start[] = "##INFO=<ID=";
    if (strncmp(line, start, sizeof start - 1) != 0) return NULL;
    const char *id = line + sizeof start - 1;
    for (int i = 0; i < writer->output.key_count; i++) {
        const gw_info_key *key = &writer->output.keys[i];
        const size_t size = strlen(key->key);
        if (strncmp(id, key->key, size) != 0 || id[size] != ',') continue;
        const char *same = strstr(line, key->description);
        return same && same < line + length ? NULL : key;
    }
    return NULL;
}

// The text of the new header: the old lines, then `lines`, then #CHROM. Of the old ones the keys that are replaced are
// described anew, as their values are others.
static gw_status assemble(const gw_vcf_writer *writer, const char *old, const gw_string *lines, gw_string *whole) {
    const char *columns = strncmp(old, "#CHROM", 6) == 0 ? old : strstr(old, "\n#CHROM");
    if (!columns) return gw_fail(GW_ERR_FORMAT, "%s: the header has no #CHROM line", gw_vcf_path(writer->reader));
    if (*columns == '\n') columns++;
    for (const char *line = old; line < columns;) {
        const size_t length = strcspn(line, "\n") + 1;
        const gw_info_key *key = outdated(writer, line, length);
        if (key) put_key(whole, key);
        else gw_string_append(whole, line, (int64_t)length);
        line += length;
    }
    gw_string_append(whole, lines->data, lines->length);
    gw_string_puts(whole, columns);
    return gw_string_status(whole);
}

// BCF's numbering of keys and contigs must stay, so its header is copied and appended to; a text header is parsed anew.
static gw_status make_header(gw_vcf_writer *writer, const gw_string *lines, const gw_string *parsed) {
    int result;
    if (gw_vcf_is_bcf(writer->reader)) {
        writer->header = bcf_hdr_dup(writer->reader->header);
        result = !writer->header ? -1 : 0;
        for (const char *line = lines->data; result == 0 && line && *line; line = strchr(line, '\n') + 1)
            result = bcf_hdr_append(writer->header, line);
        for (int i = 0; result == 0 && i < writer->output.key_count; i++) { // as in the text
            const gw_info_key *key = &writer->output.keys[i];
            bcf_hrec_t *line = bcf_hdr_get_hrec(writer->header, BCF_HL_INFO, "ID", key->key, NULL);
            const int at = line ? bcf_hrec_find_key(line, "Description") : -1;
            if (at >= 0) result = bcf_hrec_set_val(line, at, key->description, strlen(key->description), 1);
        }
    } else {
        writer->header = bcf_hdr_init("r");
        result = !writer->header ? -1 : bcf_hdr_parse(writer->header, parsed->data);
    }
    if (result == 0 && writer->header) result = bcf_hdr_sync(writer->header);
    return result == 0 ? GW_OK : gw_fail(GW_ERR_FORMAT, "HTSlib cannot make the header of %s", shown(writer));
}

static gw_status write_text(gw_vcf_writer *writer, const char *bytes, int64_t count) {
    errno = 0;
    const bool plain = hts_get_format(writer->file)->compression == no_compression;
    const ssize_t written = plain ? hwrite(writer->file->fp.hfile, bytes, (size_t)count)
                                  : bgzf_write(writer->file->fp.bgzf, bytes, (size_t)count);
    return written == (ssize_t)count ? GW_OK : cannot_write(writer);
}

static gw_status write_header(gw_vcf_writer *writer) {
    gw_string lines = {0}, whole = {0}, parsed = {0};
    const bool from_text = !gw_vcf_is_bcf(writer->reader);
    gw_status status = GW_OK;
    for (int i = 0; i < writer->output.key_count; i++)
        GW_TRY_GOTO(status, add_key(writer, &writer->output.keys[i], &lines), done);
    if (writer->output.lines) gw_string_puts(&lines, writer->output.lines);
    GW_TRY_GOTO(status, gw_string_status(&lines), done);
    GW_TRY_GOTO(status, assemble(writer, gw_vcf_header(writer->reader), &lines, &whole), done);
    if (from_text) GW_TRY_GOTO(status, assemble(writer, writer->reader->parsed_text.data, &lines, &parsed), done);
    GW_TRY_GOTO(status, make_header(writer, &lines, &parsed), done);
    errno = 0;
    if (writer->text) status = write_text(writer, whole.data, whole.length);
    else if (bcf_hdr_write(writer->file, writer->header) != 0) status = cannot_write(writer);
done:
    gw_string_free(&lines);
    gw_string_free(&whole);
    gw_string_free(&parsed);
    return status;
}

static gw_status open_file(gw_vcf_writer *writer, const char *path) {
    const gw_vcf_output *output = &writer->output;
    const char *mode = output->format == 'z'   ? "wz"
                       : output->format == 'b' ? "wb"
                       : output->format == 'u' ? "wbu"
                                               : "w";
    GW_TRY(gw_output_name_make(&writer->name, path));
    if (output->index) {
        if (!writer->name.path || (output->format != 'z' && output->format != 'b'))
            return gw_fail(GW_ERR_UNSUPPORTED, "an index needs a file compressed by BGZF: -o FILE with -O z or -O b");
        if (output->format == 'b' && strcmp(output->index, "tbi") == 0)
            return gw_fail(GW_ERR_UNSUPPORTED, "BCF is indexed by csi, not by tbi");
        char *index_path = gw_strprintf("%s.%s", path, output->index);
        if (!index_path) return GW_ERR_MEMORY;
        const gw_status status = gw_output_name_make(&writer->index_name, index_path);
        free(index_path);
        GW_TRY(status);
    }
    errno = 0;
    writer->file = hts_open(writer->name.path ? writer->name.temporary : "-", mode);
    return writer->file ? GW_OK : gw_fail(GW_ERR_IO, "cannot create %s: %s", shown(writer), strerror(errno));
}

gw_status gw_vcf_create(const char *path, const gw_vcf_reader *reader, const gw_vcf_output *output,
                        gw_vcf_writer **out) {
    *out = NULL;
    gw_vcf_writer *writer = gw_alloc(1, sizeof *writer);
    if (!writer) return GW_ERR_MEMORY;
    writer->reader = reader;
    writer->output = *output;
    writer->text = output->format == 'v' || output->format == 'z';
    gw_status status = open_file(writer, path);
    if (status == GW_OK) status = write_header(writer);
    if (status != GW_OK) {
        gw_vcf_abandon(writer);
        return status;
    }
    *out = writer;
    return GW_OK;
}

static gw_status need_bcf(gw_vcf_writer *writer) {
    if (!writer->bcf) writer->bcf = bcf_init();
    return writer->bcf ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory for a BCF record");
}

// Parses a copy of the line, since parsing puts zeros into it. Undeclared keys and contigs do not count: HTSlib takes
// them from text.
static bool is_parsed(gw_vcf_writer *writer, const gw_vcf_record *record) {
    writer->formatted.l = 0;
    if (kputsn(record->line.data, (size_t)record->line.length, &writer->formatted) < 0) return true;
    return vcf_parse(&writer->formatted, writer->header, writer->bcf) == 0 &&
           (writer->bcf->errcode & ~(BCF_ERR_CTG_UNDEF | BCF_ERR_TAG_UNDEF)) == 0;
}

// Why HTSlib refuses the line: it is parsed once more.
static void explain_fault(gw_vcf_writer *writer, const gw_vcf_record *record, char *text, size_t size) {
    gw_hts_message message;
    gw_hts_message_begin(&message);
    is_parsed(writer, record);
    gw_hts_message_end(&message, text, size);
}

static gw_status write_line(gw_vcf_writer *writer, gw_vcf_record *record, const gw_info_values *values, int count) {
    gw_string_clear(&writer->line);
    if (put_info_into_line(record, values, count, writer->output.overwrite, &writer->line) != GW_OK)
        return gw_vcf_fail(writer->reader, record, GW_ERR_FORMAT, "%s", gw_message());
    if (writer->text) {
        // A line needs no more than its fixed columns, but whoever reads the output by HTSlib stops at it.
        GW_TRY(need_bcf(writer));
        if (!is_parsed(writer, record) && writer->odd_lines++ == 0) {
            writer->first_odd = record->number;
            explain_fault(writer, record, writer->first_fault, sizeof writer->first_fault);
        }
        gw_string_putc(&writer->line, '\n');
        GW_TRY(gw_string_status(&writer->line));
        return write_text(writer, writer->line.data, writer->line.length);
    }
    GW_TRY(need_bcf(writer));
    kstring_t line = {(size_t)writer->line.length, (size_t)writer->line.capacity, writer->line.data};
    if (vcf_parse(&line, writer->header, writer->bcf) != 0) {
        char text[512];
        explain_fault(writer, record, text, sizeof text);
        return gw_vcf_fail(writer->reader, record, GW_ERR_FORMAT, "HTSlib cannot turn this line into BCF%s%s",
                           text[0] ? ": " : "", text);
    }
    if (writer->bcf->errcode) return say_undeclared(writer->reader, record);
    errno = 0;
    return bcf_write(writer->file, writer->header, writer->bcf) == 0 ? GW_OK : cannot_write(writer);
}

static gw_status write_bcf(gw_vcf_writer *writer, gw_vcf_record *record, const gw_info_values *values, int count) {
    bcf1_t *bcf = record->bcf;
    if (put_info_into_bcf(writer->header, bcf, record->alts, values, count, writer->output.overwrite) != GW_OK)
        return gw_vcf_fail(writer->reader, record, GW_ERR_FORMAT, "%s", gw_message());
    if (!writer->text) {
        errno = 0;
        return bcf_write(writer->file, writer->header, bcf) == 0 ? GW_OK : cannot_write(writer);
    }
    writer->formatted.l = 0;
    if (vcf_format(writer->header, bcf, &writer->formatted) != 0)
        return gw_vcf_fail(writer->reader, record, GW_ERR_FORMAT, "HTSlib cannot write this record as text");
    return write_text(writer, writer->formatted.s, (int64_t)writer->formatted.l);
}

static const char REMEDY[] = "an index needs sorted records: run bcftools sort on the input, or leave the index out";

gw_status gw_vcf_order_check(gw_vcf_order *order, const gw_vcf_reader *reader, const gw_vcf_record *record) {
    const bool same = order->contig && strcmp(order->contig, record->contig) == 0;
    for (int64_t i = 0; !same && i < order->count; i++) {
        if (strcmp(order->finished[i], record->contig) != 0) continue;
        order->broken = true;
        return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "contig %s comes back after others; %s", record->contig,
                           REMEDY);
    }
    if (!same) {
        GW_TRY(gw_reserve(&order->finished, &order->capacity, order->count + 1, sizeof(char *)));
        if (!(order->contig = gw_strdup(record->contig))) return GW_ERR_MEMORY;
        order->finished[order->count++] = order->contig;
    }
    order->broken = same && record->position < order->position;
    if (order->broken)
        return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "POS %lld comes after POS %lld; %s",
                           (long long)record->position + 1, (long long)order->position + 1, REMEDY);
    order->position = record->position;
    return GW_OK;
}

void gw_vcf_order_free(gw_vcf_order *order) {
    for (int64_t i = 0; i < order->count; i++) free(order->finished[i]);
    free(order->finished);
    *order = (gw_vcf_order){0};
}

gw_status gw_vcf_write(gw_vcf_writer *writer, gw_vcf_record *record, const gw_info_values *values, int count) {
    if (writer->output.index) GW_TRY(gw_vcf_order_check(&writer->order, writer->reader, record));
    return record->bcf ? write_bcf(writer, record, values, count) : write_line(writer, record, values, count);
}

bool gw_vcf_is_out_of_order(const gw_vcf_writer *writer) {
    return writer && writer->order.broken;
}

gw_status gw_vcf_finish(gw_vcf_writer *writer) {
    errno = 0;
    gw_status status = hts_close(writer->file) == 0 ? GW_OK : cannot_write(writer);
    writer->file = NULL;
    if (status == GW_OK && writer->output.index) {
        const char *data = writer->name.temporary, *index = writer->index_name.temporary;
        const int min_shift = strcmp(writer->output.index, "tbi") == 0 ? 0 : 14;
        errno = 0;
        if ((writer->text ? tbx_index_build3(data, index, min_shift, 0, &tbx_conf_vcf)
                          : bcf_index_build3(data, index, min_shift, 0)) != 0)
            status = gw_fail(GW_ERR_IO, "cannot make the index %s: %s", writer->index_name.path,
                             errno ? strerror(errno) : "HTSlib does not say why");
    }
    if (status == GW_OK) status = gw_output_name_keep(&writer->name, false);
    if (status == GW_OK) status = gw_output_name_keep(&writer->index_name, false);
    if (status == GW_OK && writer->odd_lines > 0) {
        char place[40] = "";
        if (writer->first_odd > 0)
            snprintf(place, sizeof place, ", the first in line %lld", (long long)writer->first_odd);
        gw_warn("%s: %lld records cannot be parsed by HTSlib%s%s%s%s: kept as they are, but bcftools stops at them",
                gw_vcf_path(writer->reader), (long long)writer->odd_lines, place, writer->first_fault[0] ? " (" : "",
                writer->first_fault, writer->first_fault[0] ? ")" : "");
    }
    gw_vcf_abandon(writer);
    return status;
}

void gw_vcf_abandon(gw_vcf_writer *writer) {
    if (!writer) return;
    if (writer->file) hts_close(writer->file);
    if (writer->header) bcf_hdr_destroy(writer->header);
    if (writer->bcf) bcf_destroy(writer->bcf);
    gw_output_name_drop(&writer->name);
    gw_output_name_drop(&writer->index_name);
    gw_vcf_order_free(&writer->order);
    free(writer->formatted.s);
    gw_string_free(&writer->line);
    free(writer);
}
