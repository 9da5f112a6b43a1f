// SPDX-License-Identifier: MIT
// Neutral insertions and deletions that one is set against: of the same length and kind, uniform within 50 kb of it on
// its contig, outside genes where these are known. An inserted sequence is one of the reference's, from another such
// place: what indels mean to a model hangs on their length far more than on where they are, and no background of single
// bases tells it.
#ifndef GW_SCORE_INDEL_NULL_H
#define GW_SCORE_INDEL_NULL_H

#include "seq/genes/genes.h"
#include "seq/vcf/variant.h"

enum { GW_NULL_REACH = 50000, GW_NULL_LEAST = 10 }; // bp; of fewer nothing is said

typedef struct {
    gw_genome *genome;
    const gw_genes *genes; // none of which a neutral one overlaps, or NULL
    int64_t window;        // bp, which must fit around each
    int64_t count;         // wanted
} gw_indel_null_options;

// Fewer than are wanted, *found, where there is little room; 0 of what is no insertion or deletion. variants [count];
// their texts lie in *bases: free() it. The same variant has the same ones in any run.
gw_status gw_indel_null_find(const gw_indel_null_options *options, const gw_variant *variant, gw_variant *variants,
                             int64_t *found, char **bases) GW_MUST_CHECK;

// Where a score lies among those of neutral ones: (score - mean) / standard deviation, and per cent of them that are
// lower, those that are equal by halves. NaN: of fewer than GW_NULL_LEAST, or, the first, where all are equal.
void gw_indel_null_rank(double score, const float *scores, int64_t count, float *z, float *percentile);

#endif
