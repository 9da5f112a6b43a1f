// SPDX-License-Identifier: MIT
// Regions from BED files (BED3 to BED12, 0-based half-open) and from texts as of -r (chr, chr:beg-end, 1-based
// inclusive, comma separated).
//
// Columns of BED are separated by tabs. A line without a tab is split at blanks, as in UCSC's tools. Empty lines and
// lines that start with #, `track` or `browser` are not regions.
#ifndef GW_SEQ_GENOME_REGIONS_H
#define GW_SEQ_GENOME_REGIONS_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_BED_COLUMNS = 13 }; // the defined columns, and one for the rest of the line

// One row.
typedef struct {
    const char *contig, *name; // as in the file; name: column 4, or NULL
    int64_t begin, end;        // bp; begin <= end
    char strand;               // '+', '-' or '.'; '.' without column 6
    int count;                 // columns
    char *columns[GW_BED_COLUMNS];
} gw_bed_row;

bool gw_bed_is_comment(const char *line);
// Splits the line in place. An invalid number, begin > end, an invalid strand and fewer than three columns are errors
// that name the column; the caller adds the line.
gw_status gw_bed_parse(gw_bed_row *row, char *line) GW_MUST_CHECK;
// Warns if more than half of the rows have 0 bp, as in a file with 1-based positions.
void gw_bed_warn_of_empty(const char *path, int64_t empty, int64_t rows);

typedef struct {
    int contig;         // of the genome that the list was read against
    int64_t begin, end; // 0-based half-open, bp
    char strand;        // '+', '-' or '.'
    char *name;         // column 4, or NULL
    int64_t line;       // line of the file, 1-based; 0 for -r
} gw_region;

typedef struct {
    gw_region *items; // in file order
    int64_t count, capacity;
} gw_regions;

// Reads BED3 to BED12 (also .gz, "-"); track, browser and # lines are skipped. An unknown contig, a region beyond its
// contig's end, begin > end and an invalid number are errors that name the line.
gw_status gw_regions_read_bed(gw_regions *regions, gw_genome *genome, const char *path) GW_MUST_CHECK;
// Adds "chr", "chr:pos", "chr:beg-end", "chr:beg-", joined by commas. Positions may contain commas, as in browsers
// (chr1:71,134-71,136): three digits behind a comma belong to the position, unless a contig has this name.
gw_status gw_regions_parse(gw_regions *regions, gw_genome *genome, const char *text) GW_MUST_CHECK;
gw_status gw_regions_add(gw_regions *regions, gw_region region) GW_MUST_CHECK; // takes ownership of region.name
void gw_regions_sort(gw_regions *regions);                                     // by contig, begin, end; stable
void gw_regions_merge(gw_regions *regions); // sorts, then joins regions that overlap or touch; drops names
// Index of the first merged region, on this contig or a later one, that ends behind `begin`; their number if none.
int64_t gw_regions_first(const gw_regions *merged, int contig, int64_t begin);
// Whether [begin, end) of contig overlaps a merged region.
int gw_regions_overlap(const gw_regions *merged, int contig, int64_t begin, int64_t end);
// The number of bases in [begin, end) that merged regions cover.
int64_t gw_regions_covered(const gw_regions *merged, int contig, int64_t begin, int64_t end);
void gw_regions_free(gw_regions *regions);

// The regions chosen on a command line, with bcftools' options: -r/-R select regions; -t/-T restrict them to targets,
// or with a leading ^ to sequence outside the targets.
typedef struct {
    const char *regions, *regions_file; // NULL, both: every contig
    const char *targets, *targets_file; // NULL, both: no restriction
} gw_region_choice;

bool gw_region_choice_is_empty(const gw_region_choice *choice);
// Appends the chosen regions: those of -r as given, then those of -R in the file's order. Targets that overlap or touch
// are joined. Each remaining piece of a region becomes a region with the same name and strand.
gw_status gw_regions_choose(gw_regions *regions, gw_genome *genome, const gw_region_choice *choice) GW_MUST_CHECK;

#endif
