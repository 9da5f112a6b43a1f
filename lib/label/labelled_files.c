// SPDX-License-Identifier: MIT
// Parts of a labelled set that are no tables: windows of a genome or packed windows with their label files, and FASTA.
#include "label/labelled_source.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/parse.h"
#include "file/lines.h"
#include "label/held_out.h"
#include "label/row_file.h"
#include "seq/genome/fasta_stream.h"

#include <stdlib.h>
#include <string.h>

bool gw_split_wanted(const gw_labelled_options *options, const char *found) {
    const bool all = !options->split || strcmp(options->split, "all") == 0;
    return all || !found || strcmp(options->split, found) == 0;
}

gw_status gw_no_splits(const gw_labelled_options *options, const char *path) {
    if (!options->split_required || gw_split_wanted(options, "")) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s has no splits, so no %s part", path, options->split);
}

void gw_labelled_source_free(gw_labelled_source *part) {
    for (int64_t i = 0; part->names && i < part->count; i++) free(part->names[i]);
    for (int64_t i = 0; part->groups && i < part->count; i++) free(part->groups[i]);
    free(part->names);
    free(part->groups);
    for (int64_t l = 0; l < part->labels; l++) free(part->label_names[l]);
    free(part->label_names);
    free(part->row);
    free(part->bases);
    free(part->base_start);
    free(part->values);
    free(part->regions);
    gw_row_file_close(part->windows);
    gw_row_file_close(part->bits);
    *part = (gw_labelled_source){0};
}

static gw_status read_names(gw_labelled_source *part, const char *path) {
    gw_line_reader *lines;
    GW_TRY(gw_lines_open(path, &lines));
    int64_t capacity = 0;
    gw_status status = GW_OK;
    for (;;) {
        char *line, *fields[2];
        int64_t length;
        status = gw_lines_next(lines, &line, &length);
        if (status != GW_OK || !line) break;
        if (gw_lines_number(lines) == 1 || length == 0) continue; // the header
        gw_split(line, '\t', fields, 2);
        status = gw_reserve(&part->label_names, &capacity, part->labels + 1, sizeof *part->label_names);
        if (status != GW_OK) break;
        char *name = gw_strdup(fields[0]);
        if (!name) status = GW_ERR_MEMORY;
        else part->label_names[part->labels++] = name;
        if (status != GW_OK) break;
    }
    gw_lines_close(lines);
    return status;
}

gw_status gw_label_paths(const char *prefix, const char *const *endings, int count, char **paths) {
    for (int i = 0; i < count; i++)
        if (!(paths[i] = gw_strprintf("%s%s", prefix, endings[i]))) return GW_ERR_MEMORY;
    return GW_OK;
}

// Fills the part's bits, names of labels and bin; `rows` is how many windows `windows` (for a message) has.
static gw_status read_label_files(gw_labelled_source *part, const char *prefix, int64_t rows, const char *windows) {
    enum { LABELS, NAMES, SETTINGS, FILES };
    static const char *const endings[FILES] = {".labels", ".names.tsv", ".json"};
    char *paths[FILES] = {NULL};
    gw_status status = gw_label_paths(prefix, endings, FILES, paths);
    if (status == GW_OK) status = read_names(part, paths[NAMES]);
    if (status == GW_OK) status = gw_row_file_open(paths[LABELS], &gw_label_rows, &part->bits);
    if (status == GW_OK && gw_row_file_width(part->bits) != part->labels)
        status = gw_fail(GW_ERR_MISMATCH, "%s has %lld targets, %s names %lld", paths[LABELS],
                         (long long)gw_row_file_width(part->bits), paths[NAMES], (long long)part->labels);
    if (status == GW_OK && gw_row_file_rows(part->bits) != rows)
        status = gw_fail(GW_ERR_MISMATCH, "%s has %lld rows, %s %lld", paths[LABELS],
                         (long long)gw_row_file_rows(part->bits), windows, (long long)rows);
    json_t *json = NULL;
    if (status == GW_OK && gw_file_exists(paths[SETTINGS])) status = gw_json_load(paths[SETTINGS], &json);
    if (status == GW_OK && json) status = gw_json_int(json, paths[SETTINGS], "bin", false, 1, INT32_MAX, &part->bin);
    json_decref(json);
    for (int i = 0; i < FILES; i++) free(paths[i]);
    return status;
}

char *gw_label_of_file(const char *path) {
    const char *slash = strrchr(path, '/');
    char *name = gw_strdup(slash ? slash + 1 : path);
    for (int i = 0; name && i < 2; i++) {
        char *dot = strrchr(name, '.');
        const bool packed = dot && strcmp(dot, ".gz") == 0;
        if (dot && dot != name) *dot = 0;
        if (!packed) break;
    }
    return name;
}

gw_status gw_label_settings_write(const char *path, json_t *settings) {
    if (!settings) return gw_fail(GW_ERR_MEMORY, "out of memory for %s", path);
    const gw_status status = gw_json_save(path, settings);
    json_decref(settings);
    return status;
}

gw_status gw_label_names_write(const char *path, char *const *names, int64_t labels, const int64_t *counts) {
    gw_text_writer *writer;
    GW_TRY(gw_writer_open(path, &writer));
    gw_status status = gw_writer_printf(writer, "name\ttrain\tvalid\ttest\n");
    for (int64_t l = 0; status == GW_OK && l < labels; l++) {
        const int64_t *n = counts + l * GW_SPLITS;
        status = gw_writer_printf(writer, "%s\t%lld\t%lld\t%lld\n", names[l], (long long)n[GW_SPLIT_TRAIN],
                                  (long long)n[GW_SPLIT_VALID], (long long)n[GW_SPLIT_TEST]);
    }
    return gw_writers_close(status, writer, NULL);
}

// --- windows of a genome: PREFIX.bed.gz, row by row beside the bits of PREFIX.labels -------------------------------

enum { SPLIT_COLUMN = 3, STRAND_COLUMN = 5, COLUMNS = 6 };

typedef struct {
    const gw_labelled_options *options;
    gw_labelled_source *part;
    int64_t capacity, rows;
    int last_contig;
    bool has_splits; // column 4 of the first row names a split
} region_reader;

gw_status gw_labelled_region_place(const gw_genome *genome, int *last_contig, char *const fields[3],
                                   gw_region_row *out) {
    if (*last_contig < 0 || strcmp(gw_genome_name(genome, *last_contig), fields[0]) != 0)
        *last_contig = gw_genome_find(genome, fields[0], -1);
    if (*last_contig < 0)
        return gw_fail(GW_ERR_MISMATCH, "%s has no contig named %s", gw_genome_path(genome), fields[0]);
    *out = (gw_region_row){.contig = *last_contig, .strand = '.'};
    const int64_t length = gw_genome_length(genome, out->contig);
    gw_status status = gw_parse_int(fields[1], 0, length - 1, &out->begin);
    if (status == GW_OK) status = gw_parse_int(fields[2], out->begin + 1, length, &out->end);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "%s (%lld bp)", fields[0], (long long)length);
}

static gw_status read_row(void *context, const gw_line_reader *lines, char *line) {
    region_reader *r = context;
    gw_genome *genome = r->options->genome;
    if (line[0] == '#') return GW_OK;
    char *fields[COLUMNS + 1];
    const int count = gw_split(line, '\t', fields, COLUMNS + 1);
    if (count < 3)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "a region needs contig, start and end, separated by tabs");
    gw_region_row row;
    const gw_status status = gw_labelled_region_place(genome, &r->last_contig, fields, &row);
    if (status != GW_OK) return gw_lines_fail(lines, status, "%s", gw_message());
    row.label_row = r->rows++;
    if (count > STRAND_COLUMN && fields[STRAND_COLUMN][0] == '-') row.strand = '-';
    const char *split = count > SPLIT_COLUMN ? fields[SPLIT_COLUMN] : "";
    if (row.label_row == 0) {
        r->has_splits = gw_split_named(split) != GW_SPLIT_NONE;
        if (!r->has_splits) GW_TRY(gw_no_splits(r->options, gw_lines_path(lines)));
    }
    if (!gw_split_wanted(r->options, r->has_splits ? split : NULL)) return GW_OK;
    GW_TRY(gw_reserve(&r->part->regions, &r->capacity, r->part->count + 1, sizeof *r->part->regions));
    r->part->regions[r->part->count++] = row;
    return GW_OK;
}

gw_status gw_labelled_regions_read(const char *prefix, const char *bed, const gw_labelled_options *options,
                                   gw_labelled_source *part) {
    *part = (gw_labelled_source){.tss_offset = -1, .genome = options->genome};
    if (!options->genome)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s is a set of regions: it needs its genome (-f ref.fa)", bed);
    region_reader r = {.options = options, .part = part, .last_contig = -1};
    GW_TRY(gw_reserve(&part->regions, &r.capacity, 1, sizeof *part->regions));
    GW_TRY(gw_lines_each(bed, read_row, &r));
    return read_label_files(part, prefix, r.rows, "the region file");
}

// Of packed windows nothing is read but what is asked for, from files that are mapped.
gw_status gw_labelled_bases_read(const char *prefix, const char *bases, const gw_labelled_options *options,
                                 gw_labelled_source *part) {
    *part = (gw_labelled_source){.tss_offset = -1};
    GW_TRY(gw_no_splits(options, bases));
    GW_TRY(gw_row_file_open(bases, &gw_base_rows, &part->windows));
    part->count = gw_row_file_rows(part->windows);
    return read_label_files(part, prefix, part->count, bases);
}

// --- FASTA: records are read behind the bases that are there already; one that is not wanted is taken off again ----

enum { PIECE = 1 << 16 }; // bases read at a time

typedef struct {
    gw_fasta *fasta;
    const gw_labelled_options *options;
    gw_labelled_source *part;
    const char *name; // of the record
    int64_t most, records, bases;
    int64_t base_capacity, start_capacity, name_capacity, row_capacity;
} fasta_reader;

static gw_status check_length(const fasta_reader *r, int64_t length) {
    const char *path = gw_fasta_path(r->fasta);
    if (length == 0) return gw_fail(GW_ERR_FORMAT, "%s: record '%s' has no bases", path, r->name);
    if (r->most == 0 || length <= r->most) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH,
                   "%s: record '%s' is longer than the %lld bp that fit the model; of a genome, name regions", path,
                   r->name, (long long)r->most);
}

// The bases of the record are appended; they are part of the set where the record is wanted.
static gw_status take_record(fasta_reader *r) {
    gw_labelled_source *part = r->part;
    int64_t length = 0;
    r->records++;
    for (int64_t count = 1; count > 0; length += count) {
        GW_TRY(gw_reserve(&part->bases, &r->base_capacity, r->bases + length + PIECE, 1));
        char *to = part->bases + r->bases + length;
        GW_TRY(gw_fasta_read(r->fasta, to, PIECE, &count));
        for (int64_t i = 0; i < count; i++)
            if (!strchr("ACGTUNRYSWKMBDHVX", to[i] & ~32) && to[i] != '-')
                return gw_fail(GW_ERR_FORMAT, "%s: record '%s': '%c' at base %lld stands for no nucleotide",
                               gw_fasta_path(r->fasta), r->name, to[i], (long long)(length + i + 1));
        if (count > 0) GW_TRY(check_length(r, length + count));
    }
    GW_TRY(check_length(r, length));
    gw_normalise_bases(part->bases + r->bases, length);
    if (r->options->tenth) { // a tenth of all sequences validates, drawn by their letters: equal ones stay together
        const bool valid = gw_hash_bases(part->bases + r->bases, length) % 10 == 0;
        if (!gw_split_wanted(r->options, gw_split_names[valid ? GW_SPLIT_VALID : GW_SPLIT_TRAIN])) return GW_OK;
    }
    GW_TRY(gw_reserve(&part->base_start, &r->start_capacity, part->count + 2, sizeof *part->base_start));
    GW_TRY(gw_reserve(&part->names, &r->name_capacity, part->count + 1, sizeof *part->names));
    GW_TRY(gw_reserve(&part->row, &r->row_capacity, part->count + 1, sizeof *part->row));
    part->names[part->count] = gw_strdup(r->name);
    if (!part->names[part->count]) return GW_ERR_MEMORY;
    part->row[part->count] = r->records;
    part->base_start[part->count++] = r->bases;
    r->bases += length;
    part->base_start[part->count] = r->bases;
    return GW_OK;
}

gw_status gw_labelled_fasta_read(const char *path, const gw_labelled_options *options, gw_fasta_label label,
                                 int64_t most, gw_labelled_source *part) {
    *part = (gw_labelled_source){.tss_offset = -1};
    fasta_reader r = {.options = options, .part = part, .most = most};
    if (!options->tenth) GW_TRY(gw_no_splits(options, path));
    GW_TRY(gw_fasta_open(path, &r.fasta));
    gw_fasta_take_repeats(r.fasta);
    gw_status status = GW_OK;
    while (status == GW_OK) {
        status = gw_fasta_next(r.fasta, &r.name);
        if (status != GW_OK || !r.name) break;
        status = take_record(&r);
        if (status == GW_OK && r.records % 4096 == 0) status = gw_check_interrupt();
    }
    gw_fasta_close(r.fasta);
    if (status != GW_OK || label == GW_UNLABELLED) return status;
    part->label_names = gw_alloc(1, sizeof *part->label_names);
    part->values = gw_alloc(part->count + 1, sizeof *part->values);
    if (!part->label_names || !part->values || !(part->label_names[0] = gw_strdup("positive"))) return GW_ERR_MEMORY;
    part->labels = 1;
    for (int64_t i = 0; i < part->count; i++) part->values[i] = label == GW_POSITIVES ? 1 : 0;
    return GW_OK;
}
