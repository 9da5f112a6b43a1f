// SPDX-License-Identifier: MIT
// Saturation mutagenesis as a picture, a table or a track: the effect of each base at each position.
#ifndef GW_TOOLS_SCORE_MAP_H
#define GW_TOOLS_SCORE_MAP_H

#include "score/allele.h"
#include "seq/genes/consequence.h"
#include "seq/genome/regions.h"
#include "seq/vcf/vcf.h"

#include <stdbool.h>

// The scores of single-base changes in one stretch of a contig. Zero-initialise; free with gw_score_map_free().
typedef struct {
    const char *key; // INFO key of the scores, without a tag; NULL: unknown, as in a table
    bool numbers;    // scores of a model of measured numbers
    char *contig;
    int genome_contig;
    int64_t begin;                                   // 0-based position of the first column
    int64_t columns, capacity, stop_capacity, marks; // marks: capacity of `reference`
    float *value;                                    // [columns][4], NaN: no score
    bool *stops;                                     // [columns][4] the change creates a stop codon
    int32_t *reference;                              // [columns] 0-3, -1: unknown
    const gw_regions *sites;                         // regions to mark by name in a picture; or NULL
} gw_score_map;

// Adds a scored single-base change and ignores other records. Positions must ascend, on one contig, within 30,000 bp.
// consequences: finds changes that create a stop codon; or NULL.
gw_status gw_score_map_add(gw_score_map *map, const gw_vcf_record *record, const gw_allele *allele,
                           gw_consequences *consequences) GW_MUST_CHECK;
// Writes the map; the ending of the path decides the format. .png, .svg: a picture. .tsv, .tsv.gz: a table (contig,
// position, ref, A, C, G, T). An ending of track.h: a track of the mean over the changes at each position.
gw_status gw_score_map_write(const gw_score_map *map, const gw_genome *genome, const char *path) GW_MUST_CHECK;
// Reads such a table into a zeroed map.
gw_status gw_score_map_read(gw_score_map *map, const char *path) GW_MUST_CHECK;
void gw_score_map_free(gw_score_map *map);

#endif
