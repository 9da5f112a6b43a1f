// SPDX-License-Identifier: MIT
// The last rows are kept, so that a stretch may begin shortly before the end of the previous one.
#include "seq/vcf/indexed_rows.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/string.h"
#include "file/input.h"
#include "seq/vcf/vcf_private.h"

#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 256 };      // rows; a power of two
enum { AHEAD = 1 << 20 }; // bp that the index is asked for behind a stretch
typedef struct {
    int64_t position;
    kstring_t text;
} kept_row;

struct gw_indexed_rows {
    char *path;
    gw_genome *genome;
    htsFile *file;
    bcf_hdr_t *header; // of a BCF
    bcf1_t *record;
    gw_string header_text;
    tbx_t *tabix;
    hts_idx_t *index; // of a BCF
    int *ids;         // [contigs of the genome]: the index's; -1: none
    // what is read: rows [oldest, read), of which row i is kept[i % KEPT], and the next to give is `at`
    hts_itr_t *iterator; // until it has given a row
    int contig;
    gw_string contig_name; // as the file has it
    bool ended;            // no row of the contig is left
    int64_t asked_to;      // end of what the iterator is asked for
    int64_t complete_from; // rows that begin here or behind are kept or still to come
    int64_t reached;       // rows that begin before it are read
    int64_t oldest, read, at;
    kept_row kept[KEPT];
    int64_t end; // of the stretch
};

static gw_status open_file(gw_indexed_rows *r) {
    hts_set_log_level(HTS_LOG_OFF); // messages are made here
    errno = 0;
    r->file = hts_open(r->path, "r");
    if (!r->file) return gw_fail(GW_ERR_IO, "cannot open %s: %s", r->path, strerror(errno));
    const htsFormat *format = hts_get_format(r->file);
    if (format->compression != bgzf)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "%s is not compressed by bgzip: scores by place need a BGZF-compressed, indexed file (bgzip, then "
            "tabix or bcftools index)",
            r->path);
    if (bgzf_check_EOF(hts_get_bgzfp(r->file)) == 0) // 2: not seekable
        return gw_fail(GW_ERR_FORMAT, "%s is truncated: the end-of-file marker of BGZF is missing", r->path);
    if (format->format == bcf) r->index = bcf_index_load3(r->path, NULL, HTS_IDX_SILENT_FAIL);
    else r->tabix = tbx_index_load3(r->path, NULL, HTS_IDX_SILENT_FAIL);
    if (!r->index && !r->tabix)
        return gw_fail(GW_ERR_IO, "%s has no index (.tbi or .csi): make one with %s", r->path,
                       format->format == bcf || format->format == vcf
                           ? "bcftools index"
                           : "tabix -s 1 -b 2 -e 2 (numbers of its columns)");
    return gw_vcf_warn_of_older_index(r->path);
}

static gw_status damaged(const gw_indexed_rows *r) {
    return gw_fail(GW_ERR_FORMAT, "%s is truncated or damaged at %s:%lld, or its index is of another file", r->path,
                   gw_genome_name(r->genome, r->contig), (long long)r->reached + 1);
}

static gw_status read_header(gw_indexed_rows *r) {
    if (r->index) {
        kstring_t text = {0};
        r->header = bcf_hdr_read(r->file);
        if (!r->header || bcf_hdr_format(r->header, 0, &text) != 0)
            return gw_fail(GW_ERR_FORMAT, "%s: its header cannot be read", r->path);
        gw_string_append(&r->header_text, text.s, (int64_t)text.l);
        ks_free(&text);
        r->record = bcf_init();
        return r->record ? gw_string_status(&r->header_text) : GW_ERR_MEMORY;
    }
    kstring_t *line = &r->kept[0].text;
    int result;
    for (int64_t i = 0; (result = hts_getline(r->file, '\n', line)) >= 0; i++) {
        if (line->l > 0 && line->s[0] != r->tabix->conf.meta_char && i >= r->tabix->conf.line_skip) break;
        gw_string_append(&r->header_text, line->s, (int64_t)line->l);
        gw_string_putc(&r->header_text, '\n');
    }
    if (result < -1) return gw_fail(GW_ERR_FORMAT, "%s is truncated or damaged in its first lines", r->path);
    return gw_string_status(&r->header_text);
}

// Which of the index's contigs each contig of the genome is.
static gw_status match_contigs(gw_indexed_rows *r) {
    const int contigs = gw_genome_contigs(r->genome);
    int count = 0;
    r->ids = gw_alloc(contigs, sizeof *r->ids);
    if (!r->ids) return GW_ERR_MEMORY;
    for (int i = 0; i < contigs; i++) r->ids[i] = -1;
    const char **names = r->tabix ? tbx_seqnames(r->tabix, &count) : bcf_hdr_seqnames(r->header, &count);
    bool any = false;
    for (int i = 0; i < count; i++) {
        const int contig = names[i] ? gw_genome_find(r->genome, names[i], -1) : -1;
        any = any || contig >= 0;
        if (contig >= 0 && r->ids[contig] < 0) r->ids[contig] = i;
    }
    const gw_status status =
        any || count == 0
            ? GW_OK
            : gw_fail(GW_ERR_MISMATCH, "%s has no contig of %s: it has '%s' and %d others, the genome '%s' and %d",
                      r->path, gw_genome_path(r->genome), names[0], count - 1, gw_genome_name(r->genome, 0),
                      contigs - 1);
    free(names);
    return status;
}

gw_status gw_indexed_rows_open(const char *path, gw_genome *genome, gw_indexed_rows **out) {
    *out = NULL;
    gw_indexed_rows *rows = gw_alloc(1, sizeof *rows);
    if (!rows) return GW_ERR_MEMORY;
    rows->genome = genome;
    rows->contig = -1;
    rows->path = gw_hts_path(path);
    gw_status status = rows->path ? open_file(rows) : GW_ERR_MEMORY;
    if (status == GW_OK) status = read_header(rows);
    if (status == GW_OK && gw_indexed_rows_are_variants(rows)) {
        gw_vcf_reader *reader; // which holds the header to the genome
        status = gw_vcf_open(path, genome, NULL, &reader);
        if (status == GW_OK) gw_vcf_close(reader);
    }
    if (status == GW_OK) status = match_contigs(rows);
    if (status == GW_OK) *out = rows;
    else gw_indexed_rows_close(rows);
    return status;
}

void gw_indexed_rows_close(gw_indexed_rows *rows) {
    if (!rows) return;
    if (rows->iterator) hts_itr_destroy(rows->iterator);
    if (rows->tabix) tbx_destroy(rows->tabix);
    if (rows->index) hts_idx_destroy(rows->index);
    if (rows->record) bcf_destroy(rows->record);
    if (rows->header) bcf_hdr_destroy(rows->header);
    if (rows->file) hts_close(rows->file);
    for (int i = 0; i < KEPT; i++) ks_free(&rows->kept[i].text);
    gw_string_free(&rows->header_text);
    gw_string_free(&rows->contig_name);
    free(rows->ids);
    free(rows->path);
    free(rows);
}

const char *gw_indexed_rows_header(const gw_indexed_rows *rows) {
    return rows->header_text.data ? rows->header_text.data : "";
}

bool gw_indexed_rows_are_variants(const gw_indexed_rows *rows) {
    return gw_has_prefix(gw_indexed_rows_header(rows), "##fileformat=VCF");
}

// Asks the index where the rows from `begin` on are.
static gw_status ask(gw_indexed_rows *r, int64_t begin) {
    const int id = r->ids[r->contig];
    r->asked_to = gw_max(begin, r->end) + AHEAD;
    if (r->iterator) hts_itr_destroy(r->iterator);
    r->iterator =
        r->tabix ? tbx_itr_queryi(r->tabix, id, begin, r->asked_to) : bcf_itr_queryi(r->index, id, begin, r->asked_to);
    if (r->iterator) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "the index of %s cannot be read for %s", r->path,
                   gw_genome_name(r->genome, r->contig));
}

gw_status gw_indexed_rows_seek(gw_indexed_rows *r, int contig, int64_t begin, int64_t end) {
    r->end = end;
    if (r->contig == contig && begin >= r->complete_from && begin <= r->reached + GW_INDEXED_ROWS_NEAR) {
        r->at = r->oldest;
        return GW_OK;
    }
    r->contig = contig;
    r->oldest = r->read = r->at = 0;
    r->complete_from = r->reached = begin;
    r->ended = false;
    return r->ids[contig] < 0 ? GW_OK : ask(r, begin);
}

// Whether a line is a row of the contig, as the line before it was, and its place: the columns are those of the index.
static gw_status read_place(gw_indexed_rows *r, kept_row *row, bool *same) {
    const tbx_conf_t *columns = &r->tabix->conf;
    const char *name = r->contig_name.data;
    const char *at = row->text.s;
    int64_t position = 0;
    *same = true;
    for (int column = 1; column <= gw_max(columns->sc, columns->bc); column++) {
        const char *begin = at;
        if (column == columns->bc)
            for (; *at >= '0' && *at <= '9' && at < begin + 15; at++) position = 10 * position + (*at - '0');
        else
            while (*at && *at != '\t') at++;
        if ((*at && *at != '\t') || at == begin) return damaged(r);
        if (column == columns->sc)
            *same = at - begin == r->contig_name.length && memcmp(begin, name, (size_t)r->contig_name.length) == 0;
        at += *at == '\t';
    }
    row->position = columns->preset & TBX_UCSC ? position : position - 1;
    return GW_OK;
}

// The first row by the index, those behind it as they come in the file.
static gw_status read_raw(gw_indexed_rows *r, kept_row *row, bool *got) {
    int result;
    if (r->iterator) {
        result = r->tabix ? tbx_itr_next(r->file, r->tabix, r->iterator, &row->text)
                          : bcf_itr_next(r->file, r->iterator, r->record);
        row->position = r->iterator->curr_beg;
    } else if (r->record) {
        result = bcf_read(r->file, r->header, r->record);
        if (result >= 0 && r->record->rid != r->ids[r->contig]) result = -1;
        row->position = r->record->pos;
    } else {
        do result = bgzf_getline(hts_get_bgzfp(r->file), '\n', &row->text);
        while (result >= 0 && (row->text.l == 0 || row->text.s[0] == r->tabix->conf.meta_char));
        bool same = true;
        if (result >= 0) GW_TRY(read_place(r, row, &same));
        if (!same) result = -1;
    }
    if (result < -1) return damaged(r);
    *got = result >= 0;
    return GW_OK;
}

// Reads a row in the place of the oldest one; false: there is none before `reached`.
static gw_status read_row(gw_indexed_rows *r, bool *got) {
    kept_row *row = &r->kept[r->read & (KEPT - 1)];
    *got = false;
    if (r->ended) return GW_OK;
    if (r->read - r->oldest == KEPT) {
        r->complete_from = gw_max(r->complete_from, row->position + 1);
        r->oldest++;
    }
    GW_TRY(read_raw(r, row, got));
    if (!*got) {
        r->ended = !r->iterator;
        r->reached = r->iterator ? r->asked_to : INT64_MAX - GW_INDEXED_ROWS_NEAR;
        return GW_OK;
    }
    if (r->iterator) { // which has found the place
        const char *end = r->tabix ? row->text.s : NULL;
        for (int column = 1; end && column < r->tabix->conf.sc; column++) end = strchr(end, '\t') + 1;
        gw_string_clear(&r->contig_name);
        if (end) gw_string_append(&r->contig_name, end, (int64_t)strcspn(end, "\t"));
        GW_TRY(gw_string_status(&r->contig_name));
        hts_itr_destroy(r->iterator);
        r->iterator = NULL;
    }
    if (r->record) {
        row->text.l = 0;
        if (vcf_format(r->header, r->record, &row->text) != 0) return damaged(r);
        if (row->text.l > 0 && row->text.s[row->text.l - 1] == '\n') row->text.s[--row->text.l] = 0;
    }
    if (row->position < r->reached && r->read > r->oldest &&
        row->position < r->kept[(r->read - 1) & (KEPT - 1)].position)
        return gw_fail(GW_ERR_FORMAT, "%s is not sorted: %s:%lld comes behind %lld", r->path,
                       gw_genome_name(r->genome, r->contig), (long long)row->position + 1,
                       (long long)r->kept[(r->read - 1) & (KEPT - 1)].position + 1);
    r->reached = gw_max(r->reached, row->position);
    r->read++;
    return GW_OK;
}

gw_status gw_indexed_rows_next(gw_indexed_rows *r, gw_indexed_row *out, bool *got) {
    *got = false;
    if (r->ids[r->contig] < 0) return GW_OK;
    while (r->at == r->read) {
        bool more;
        GW_TRY(read_row(r, &more));
        if (more) continue;
        if (r->end <= r->reached) return GW_OK;
        GW_TRY(ask(r, r->asked_to));
    }
    const kept_row *row = &r->kept[r->at & (KEPT - 1)];
    if (row->position >= r->end) return GW_OK;
    r->at++;
    *out = (gw_indexed_row){r->contig, row->position, row->text.s, (int64_t)row->text.l};
    *got = true;
    return GW_OK;
}

gw_status gw_indexed_rows_fail(const gw_indexed_rows *rows, const gw_indexed_row *row, gw_status code,
                               const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return gw_fail(code, "%s: %s:%lld: %s", rows->path, gw_genome_name(rows->genome, row->contig),
                   (long long)row->position + 1, message);
}
