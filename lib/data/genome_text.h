// SPDX-License-Identifier: MIT
// Chosen regions of genomes in memory, a byte a base: what windows are cut from at any place.
#ifndef GW_DATA_GENOME_TEXT_H
#define GW_DATA_GENOME_TEXT_H

#include "base/status.h"
#include "seq/genome/contig_sizes.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int genome;         // number of the part it was read with
    int contig;         // of that genome
    int64_t begin, end; // 0-based half-open, bp
    int64_t first;      // its first base among those of the text
} gw_text_region;

// Zero-initialise; free with gw_genome_text_free().
typedef struct {
    char *bases; // [count] A C G T N of the regions, end to end, the forward strand; a repeat's are in lower case
    int64_t count, capacity;
    gw_text_region *regions; // [region_count] disjoint: by contig and place within a part
    int64_t region_count, region_capacity;
    int parts;
    gw_contig_sizes genomes; // that the parts are of
} gw_genome_text;

// What is read of a genome, and which of its bases are repeats.
typedef struct {
    const char *fasta;   // plain or BGZF
    const char *regions; // BED; overlapping and touching rows join; NULL: every contig
    const char *without; // BED of what is left out of them; NULL: nothing
    const char *repeats; // BED of repeats; GW_REPEATS_SELF: bases in 31-mers that occur twice in the genome, on either
                         // strand; NULL: none
    bool soft_masked;    // lower case is a repeat; a genome of one case alone is an error
} gw_genome_source;
#define GW_REPEATS_SELF "self"

// Appends a part. Regions without any base but N are an error.
gw_status gw_genome_text_add(gw_genome_text *text, const gw_genome_source *part) GW_MUST_CHECK;
void gw_genome_text_free(gw_genome_text *text);
static inline bool gw_text_is_repeat(char base) {
    return base & 0x20;
}
// The region r with before[r] <= at < before[r + 1], for ascending before[0] = 0 .. before[regions].
int64_t gw_text_region_of(const int64_t *before, int64_t regions, int64_t at);
// For genome_text.c: puts bases in repeats in lower case, in the regions from number `first` on, which were read from
// `genome`. The whole genome is read; memory is 18 to 36 bytes a base of these regions.
gw_status gw_repeats_mark(gw_genome_text *text, int64_t first, gw_genome *genome) GW_MUST_CHECK;
// MD5 of regions and bases with their case.
gw_status gw_genome_text_digest(const gw_genome_text *text, char hex[33]) GW_MUST_CHECK;

#endif
