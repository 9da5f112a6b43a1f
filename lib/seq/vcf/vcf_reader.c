// SPDX-License-Identifier: MIT
// Opens variant files, and reads the next record within regions and targets.
//
// Regions of a file are read through its index (.tbi or .csi). They name contigs of the genome, but the index has the
// file's names. Each contig of the index is therefore looked up in the genome.
#include "base/log.h"
#include "base/memory.h"
#include "file/input.h"
#include "seq/vcf/vcf_expression.h"
#include "seq/vcf/vcf_private.h"

#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

gw_status gw_vcf_warn_of_older_index(const char *path) {
    static const char *const suffixes[] = {".csi", ".tbi"};
    struct stat of_index, of_file;
    bool found = stat(path, &of_file) != 0;
    for (int i = 0; i < 2 && !found; i++) {
        char *index = gw_strprintf("%s%s", path, suffixes[i]);
        if (!index) return GW_ERR_MEMORY;
        found = stat(index, &of_index) == 0;
        if (found && of_index.st_mtime < of_file.st_mtime)
            gw_warn(
                "%s is older than %s: records that it does not know are missed (bcftools index -f, or tabix -f, makes "
                "a new one)",
                index, path);
        free(index);
    }
    return GW_OK;
}

static gw_status open_index(gw_vcf_reader *reader) {
    const htsFormat *format = hts_get_format(reader->file);
    if (format->compression != bgzf)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "regions need a BGZF-compressed, indexed file: bgzip %s and index it, or use targets",
                       reader->path);
    if (gw_vcf_is_bcf(reader)) reader->index = bcf_index_load3(reader->path, NULL, HTS_IDX_SILENT_FAIL);
    else reader->tabix = tbx_index_load3(reader->path, NULL, HTS_IDX_SILENT_FAIL);
    if (!reader->index && !reader->tabix)
        return gw_fail(GW_ERR_IO, "%s has no index (.csi or .tbi), which regions need: make one with bcftools index",
                       reader->path);
    GW_TRY(gw_vcf_warn_of_older_index(reader->path));
    if (reader->tabix) reader->names = tbx_seqnames(reader->tabix, &reader->name_count);
    else reader->name_count = gw_vcf_declared_contigs(reader);
    return GW_OK;
}

// Looks for the next pair of region and contig of the index that match; *found is false after the last.
static gw_status next_query(gw_vcf_reader *reader, bool *found) {
    const gw_regions *regions = reader->filter.regions;
    *found = false;
    for (; reader->region < regions->count; reader->region++, reader->name = 0) {
        const gw_region *region = &regions->items[reader->region];
        while (reader->name < reader->name_count) {
            const int id = reader->name++;
            const char *name = reader->names ? reader->names[id] : gw_vcf_declared_contig(reader, id);
            if (!name || gw_genome_find(reader->genome, name, -1) != region->contig) continue;
            const gw_region *before = reader->region > 0 ? region - 1 : NULL;
            reader->skip_below = before && before->contig == region->contig ? before->end : INT64_MIN;
            if (reader->iterator) hts_itr_destroy(reader->iterator);
            reader->iterator = reader->tabix ? tbx_itr_queryi(reader->tabix, id, region->begin, region->end)
                                             : bcf_itr_queryi(reader->index, id, region->begin, region->end);
            *found = reader->iterator != NULL;
            return *found ? GW_OK : gw_fail(GW_ERR_FORMAT, "the index of %s cannot be read for %s", reader->path, name);
        }
    }
    return GW_OK;
}

// The next raw record of the regions into reader->line or bcf.
static gw_status next_indexed(gw_vcf_reader *reader, bcf1_t *bcf, bool *got) {
    *got = false;
    for (;;) {
        if (reader->iterator) {
            const int result = bcf ? bcf_itr_next(reader->file, reader->iterator, bcf)
                                   : tbx_itr_next(reader->file, reader->tabix, reader->iterator, &reader->line);
            if (result < -1) return gw_vcf_damaged(reader);
            *got = result >= 0;
            if (*got) return GW_OK;
        }
        bool found;
        GW_TRY(next_query(reader, &found));
        if (!found) return GW_OK;
    }
}

static gw_status open_file(gw_vcf_reader *reader) {
    const bool is_text = gw_has_prefix(reader->path, GW_VCF_TEXT);
    const char *name = strcmp(reader->path, "-") == 0 ? "standard input" : is_text ? "the variants given" : NULL;
    hts_set_log_level(HTS_LOG_OFF); // messages are made here
    reader->written = is_text;
    errno = 0;
    hFILE *file = hopen(reader->path, "r");
    char begin[2]; // of UTF-16: a byte order mark, or '#' as two bytes
    const bool utf16 = file && hpeek(file, begin, 2) == 2 &&
                       (memcmp(begin, "\xFF\xFE", 2) == 0 || memcmp(begin, "\xFE\xFF", 2) == 0 ||
                        memcmp(begin, "#\0", 2) == 0 || memcmp(begin, "\0#", 2) == 0);
    if (file && !utf16) reader->file = hts_hopen(file, reader->path, "r");
    const int error = errno;
    if (file && !reader->file) hclose_abruptly(file);
    if (name) {
        free(reader->path);
        reader->path = gw_strdup(name);
        if (!reader->path) return GW_ERR_MEMORY;
    }
    if (utf16)
        return gw_fail(GW_ERR_FORMAT,
                       "%s is text in UTF-16, and a VCF is text in UTF-8: iconv -f UTF-16 -t UTF-8 converts it",
                       reader->path);
    if (!file) return gw_fail(GW_ERR_IO, "cannot open %s: %s", reader->path, strerror(error));
    if (!reader->file && error != ENOEXEC) // which HTSlib says of bytes that it does not know
        return gw_fail(GW_ERR_IO, "cannot read %s: %s", reader->path, strerror(error));
    const htsFormat *format = reader->file ? hts_get_format(reader->file) : NULL;
    // To HTSlib a VCF behind a byte order mark is any text: the header's first line decides.
    if (!format || (format->format != vcf && format->format != bcf && format->format != text_format))
        return gw_vcf_unknown(reader);
    if (reader->filter.regions && name)
        return gw_fail(GW_ERR_UNSUPPORTED, "regions need an indexed file; %s can only be filtered by targets", name);
    // A BGZF file without its end marker lost its tail, which a look at the end tells at once (2: not seekable).
    if (format->compression == bgzf && bgzf_check_EOF(hts_get_bgzfp(reader->file)) == 0)
        return gw_fail(GW_ERR_FORMAT, "%s is truncated: the end-of-file marker of BGZF is missing", reader->path);
    return GW_OK;
}

gw_status gw_vcf_open(const char *path, gw_genome *genome, const gw_vcf_filter *filter, gw_vcf_reader **out) {
    *out = NULL;
    gw_vcf_reader *reader = gw_alloc(1, sizeof *reader);
    if (!reader) return GW_ERR_MEMORY;
    reader->genome = genome;
    if (filter) reader->filter = *filter;
    gw_status status = GW_OK;
    if (reader->filter.changes) { // records behind a header that is text
        gw_string text = {0};
        reader->changes = gw_alloc(1, sizeof *reader->changes);
        if (reader->changes) *reader->changes = (gw_snvs){.genome = genome, .regions = reader->filter.changes};
        gw_string_puts(&text, GW_VCF_TEXT);
        gw_snvs_header(genome, "", &text);
        reader->path = text.failed ? NULL : text.data;
        status = reader->changes ? gw_string_status(&text) : GW_ERR_MEMORY;
    } else {
        reader->path = gw_has_prefix(path, GW_VCF_TEXT) ? gw_strdup(path) : gw_hts_path(path);
        if (!reader->path) status = GW_ERR_MEMORY;
    }
    if (status == GW_OK) status = open_file(reader);
    if (status == GW_OK) status = gw_vcf_read_header(reader);
    if (status == GW_OK && reader->filter.regions) status = open_index(reader);
    const char *expression = reader->filter.include_if ? reader->filter.include_if : reader->filter.exclude_if;
    if (status == GW_OK && expression) status = gw_vcf_expression_new(expression, reader, &reader->expression);
    if (status != GW_OK) {
        gw_vcf_close(reader);
        return status;
    }
    *out = reader;
    return GW_OK;
}

void gw_vcf_close(gw_vcf_reader *reader) {
    if (!reader) return;
    if (reader->iterator) hts_itr_destroy(reader->iterator);
    if (reader->tabix) tbx_destroy(reader->tabix);
    if (reader->index) hts_idx_destroy(reader->index);
    free(reader->names);
    gw_vcf_expression_free(reader->expression);
    if (reader->header) bcf_hdr_destroy(reader->header);
    if (reader->file) hts_close(reader->file);
    gw_string_free(&reader->header_text);
    gw_string_free(&reader->parsed_text);
    gw_names_free(&reader->declared);
    free(reader->line.s);
    free(reader->last_name);
    free(reader->changes);
    free(reader->path);
    free(reader);
}

const char *gw_vcf_path(const gw_vcf_reader *reader) {
    return reader->path;
}

// The next raw record in file order.
static gw_status next_in_order(gw_vcf_reader *reader, bcf1_t *record, bool *got) {
    if (reader->changes) {
        gw_snv snv;
        GW_TRY(gw_snvs_next(reader->changes, &snv, got));
        if (!*got) return GW_OK;
        reader->line.l = 0;
        reader->number++;
        const int length =
            ksprintf(&reader->line, "%s\t%lld\t.\t%c\t%c\t.\t.\t.", gw_genome_name(reader->genome, snv.contig),
                     (long long)snv.position + 1, snv.ref, snv.alt);
        return length < 0 ? GW_ERR_MEMORY : GW_OK;
    }
    const int result =
        record ? bcf_read(reader->file, reader->header, record) : hts_getline(reader->file, '\n', &reader->line);
    if (result < -1) return gw_vcf_damaged(reader);
    *got = result >= 0;
    reader->number += *got;
    // At the end of a stream that could not be looked at beforehand.
    const bool is_bgzf = !*got && hts_get_format(reader->file)->compression == bgzf;
    return is_bgzf && hts_get_bgzfp(reader->file)->no_eof_block ? gw_vcf_damaged(reader) : GW_OK;
}

static gw_status next_raw(gw_vcf_reader *reader, gw_vcf_record *record, bool *got) {
    const bool is_bcf = gw_vcf_is_bcf(reader);
    if (is_bcf && !record->bcf) record->bcf = bcf_init();
    if (is_bcf && !record->bcf) return gw_fail(GW_ERR_MEMORY, "out of memory for a record of %s", reader->path);
    bcf1_t *bcf = is_bcf ? record->bcf : NULL;
    GW_TRY(reader->filter.regions ? next_indexed(reader, bcf, got) : next_in_order(reader, bcf, got));
    if (!*got) return GW_OK;
    record->contig = NULL;
    record->number = reader->filter.regions ? 0 : reader->number;
    if (is_bcf) return gw_vcf_parse_bcf(reader, record);
    GW_TRY(gw_vcf_parse_line(reader, record));
    if (!reader->written) gw_vcf_note_oddities(reader, record);
    return GW_OK;
}

static gw_status is_wanted(const gw_vcf_reader *reader, const gw_vcf_record *record, bool *wanted) {
    const gw_vcf_filter *filter = &reader->filter;
    *wanted = !filter->regions || record->position >= reader->skip_below;
    if (*wanted && filter->targets) {
        const bool inside = record->genome_contig >= 0 && gw_regions_overlap(filter->targets, record->genome_contig,
                                                                             record->position, record->position + 1);
        *wanted = inside != filter->exclude;
    }
    if (!*wanted || !reader->expression) return GW_OK;
    GW_TRY(gw_vcf_expression_test(reader->expression, record, wanted));
    *wanted = *wanted == (filter->include_if != NULL);
    return GW_OK;
}

gw_status gw_vcf_next(gw_vcf_reader *reader, gw_vcf_record *record, bool *got) {
    *got = false;
    while (!reader->ended) {
        bool more = false;
        GW_TRY(next_raw(reader, record, &more));
        if (!more) {
            reader->ended = true;
            return GW_OK;
        }
        if (!reader->last_name || strcmp(reader->last_name, record->contig) != 0) {
            free(reader->last_name);
            reader->last_name = gw_strdup(record->contig);
            if (!reader->last_name) return GW_ERR_MEMORY;
            const int declared = bcf_hdr_name2id(reader->header, record->contig);
            const int64_t length = declared < 0 ? -1 : gw_vcf_declared_length(reader, declared);
            reader->last_contig = reader->genome ? gw_genome_find(reader->genome, record->contig, length) : -1;
        }
        record->genome_contig = reader->last_contig;
        GW_TRY(is_wanted(reader, record, got));
        if (*got) return GW_OK;
    }
    return GW_OK;
}

char gw_vcf_format_of(const char *path) {
    const size_t length = path ? strlen(path) : 0;
    if (length >= 3 && strcmp(path + length - 3, ".gz") == 0) return 'z';
    if (length >= 4 && strcmp(path + length - 4, ".bcf") == 0) return 'b';
    return 'v';
}
