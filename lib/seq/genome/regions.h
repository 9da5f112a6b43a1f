// SPDX-License-Identifier: MIT
// Regions: BED files (0-based half-open) and -r texts (chr, chr:beg-end, 1-based inclusive, comma separated).
#ifndef GW_SEQ_GENOME_REGIONS_H
#define GW_SEQ_GENOME_REGIONS_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdint.h>

typedef struct {
    int contig;         // of the genome that the list was read against
    int64_t begin, end; // 0-based half-open, bp
    char strand;        // '+', '-' or '.'
    char *name;         // column 4, or NULL
    int64_t line;       // of the file, 1-based; 0 for -r
} gw_region;

typedef struct {
    gw_region *items; // in file order
    int64_t count, capacity;
} gw_regions;

// Reads BED3 to BED12 (also .gz, "-"); track, browser and # lines are skipped. An unknown contig, a region past its
// contig's end, begin > end or a text that is no number is an error that names the line.
gw_status gw_regions_read_bed(gw_regions *regions, gw_genome *genome, const char *path) GW_MUST_CHECK;
// Adds "chr", "chr:pos", "chr:beg-end", "chr:beg-" joined by commas. Positions may have commas of their own, as
// browsers write them (chr1:71,134-71,136): three digits after one are of the position, where no contig has that name.
gw_status gw_regions_parse(gw_regions *regions, gw_genome *genome, const char *text) GW_MUST_CHECK;
// The error that the genome has no contig of this name, with names that it has and the nearest one.
gw_status gw_unknown_contig(const gw_genome *genome, const char *name) GW_MUST_CHECK;
gw_status gw_regions_add(gw_regions *regions, gw_region region) GW_MUST_CHECK; // takes over region.name
void gw_regions_sort(gw_regions *regions);                                     // by contig, begin, end; stable
void gw_regions_merge(gw_regions *regions); // sorts, then joins those that overlap or touch; names are dropped
// Number of the first merged region of this contig, or of a later one, that ends behind `begin`; their count if none.
int64_t gw_regions_first(const gw_regions *merged, int contig, int64_t begin);
// True where [begin, end) of contig overlaps one of the merged regions.
int gw_regions_overlap(const gw_regions *merged, int contig, int64_t begin, int64_t end);
// Bases of [begin, end) that merged regions cover.
int64_t gw_regions_covered(const gw_regions *merged, int contig, int64_t begin, int64_t end);
void gw_regions_free(gw_regions *regions);

#endif
