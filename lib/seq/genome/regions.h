// SPDX-License-Identifier: MIT
// Regions: of BED files (BED3 to BED12, 0-based half-open) and of -r texts (chr, chr:beg-end, 1-based inclusive, comma
// separated).
//
// Columns of BED are separated by tabs; a line without a tab is split at its blanks, as UCSC's tools do. Empty lines
// and those that start with #, `track` or `browser` hold no region.
#ifndef GW_SEQ_GENOME_REGIONS_H
#define GW_SEQ_GENOME_REGIONS_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_BED_COLUMNS = 13 }; // those that mean something, and one for all that follows

// One row, whichever command reads it.
typedef struct {
    const char *contig, *name; // as the file has them; name: column 4, or NULL
    int64_t begin, end;        // bp; begin <= end
    char strand;               // '+', '-' or '.', also where there is no column 6
    int count;                 // columns
    char *columns[GW_BED_COLUMNS];
} gw_bed_row;

bool gw_bed_is_comment(const char *line);
// Splits the line in place. A text that is no number, begin > end, a strand that is none and fewer than three columns
// are errors that name the column; the caller knows the line.
gw_status gw_bed_parse(gw_bed_row *row, char *line) GW_MUST_CHECK;
// A warning where more than half of the rows have 0 bp, as in a file that counts from 1.
void gw_bed_warn_of_empty(const char *path, int64_t empty, int64_t rows);

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

// The regions that a command line chooses, by bcftools' options: -r/-R name regions, -t/-T cut them down to targets, or
// with a leading ^ to what lies outside them.
typedef struct {
    const char *regions, *regions_file; // NULL, both: every contig
    const char *targets, *targets_file; // NULL, both: nothing is cut
} gw_region_choice;

bool gw_region_choice_is_empty(const gw_region_choice *choice);
// Appends the chosen regions: those of -r as typed, then those of -R as in the file. Targets join where they overlap or
// touch; each piece of a region that they leave becomes a region (its name and strand are kept).
gw_status gw_regions_choose(gw_regions *regions, gw_genome *genome, const gw_region_choice *choice) GW_MUST_CHECK;

#endif
