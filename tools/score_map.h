// SPDX-License-Identifier: MIT
// Saturation mutagenesis as a picture, a table or a track: what each base at each position would do.
#ifndef GW_TOOLS_SCORE_MAP_H
#define GW_TOOLS_SCORE_MAP_H

#include "score/allele.h"
#include "seq/genes/consequence.h"
#include "seq/genome/regions.h"
#include "seq/vcf/vcf.h"

#include <stdbool.h>

// The scores of single-base changes of one stretch of one contig. Zero-initialise; free with gw_score_map_free().
typedef struct {
    const char *key; // of the scores, without a tag; NULL: of a table, which does not say
    bool numbers;    // of a model of measured numbers
    char *contig;
    int genome_contig;
    int64_t begin;                                   // 0-based position of the first column
    int64_t columns, capacity, stop_capacity, marks; // marks: capacity of `reference`
    float *value;                                    // [columns][4], NaN where there is none
    bool *stops;                                     // [columns][4] the change creates a stop codon
    int32_t *reference;                              // [columns] 0-3, -1: unknown
    const gw_regions *sites;                         // marked by name in a picture, those of the contig; or NULL
} gw_score_map;

// Takes a scored single-base change; others are passed over. Positions must ascend, on one contig, within 30,000.
// consequences: say which changes create a stop; or NULL.
gw_status gw_score_map_add(gw_score_map *map, const gw_vcf_record *record, const gw_allele *allele,
                           gw_consequences *consequences) GW_MUST_CHECK;
// By the file's suffix: .png and .svg a picture; .tsv and .tsv.gz a table (contig, position, ref, A, C, G, T); a track
// (track.h) the mean over the changes of each position.
gw_status gw_score_map_write(const gw_score_map *map, const gw_genome *genome, const char *path) GW_MUST_CHECK;
// Reads such a table; the map is zero before.
gw_status gw_score_map_read(gw_score_map *map, const char *path) GW_MUST_CHECK;
void gw_score_map_free(gw_score_map *map);

#endif
