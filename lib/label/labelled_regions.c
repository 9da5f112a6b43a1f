// SPDX-License-Identifier: MIT
// Sets of regions: the windows of PREFIX.bed.gz, row by row beside the bits of PREFIX.labels.
#include "label/labelled_regions.h"

#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"
#include "label/label_files.h"
#include "label/split.h"

#include <stdlib.h>
#include <string.h>

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

static gw_status read_bed(region_reader *r, const char *bed) {
    GW_TRY(gw_reserve(&r->part->regions, &r->capacity, 1, sizeof *r->part->regions));
    return gw_lines_each(bed, read_row, r);
}

gw_status gw_labelled_regions_read(const char *prefix, const char *bed, const gw_labelled_options *options,
                                   gw_labelled_source *part) {
    *part = (gw_labelled_source){.tss_offset = -1, .genome = options->genome};
    if (!options->genome)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s is a set of regions: it needs its genome (-f ref.fa)", bed);
    region_reader r = {.options = options, .part = part, .last_contig = -1};
    gw_status status = read_bed(&r, bed);
    if (status == GW_OK) status = gw_label_files_read(prefix, r.rows, "the region file", part);
    if (status != GW_OK) gw_labelled_source_free(part);
    return status;
}
