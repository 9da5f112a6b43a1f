// SPDX-License-Identifier: MIT
// The ALTs of a chunk's records: what they are before they are scored, and what becomes of those that are scored the
// other way round.
#ifndef GW_SCORE_SCORE_ALLELES_H
#define GW_SCORE_SCORE_ALLELES_H

#include "score/allele.h"
#include "seq/genes/genes.h"
#include "seq/vcf/variant.h"
#include "seq/vcf/vcf.h"

// An allele and where its leftmost and rightmost forms are scored.
typedef struct {
    int64_t allele, form[2];
} gw_score_forms;

// An allele and the neutral ones that it is set against.
typedef struct {
    int64_t allele, first, count;
} gw_score_null;

// Zero-initialise.
typedef struct {
    gw_allele *items; // those of the records, then forms of them, then neutral ones
    int64_t count, capacity;
    char **bases; // of symbolic alleles, which the records do not hold
    int64_t base_count, base_capacity;
    gw_score_forms *forms;
    int64_t form_count, form_capacity;
    gw_score_null *nulls;
    int64_t null_count, null_capacity;
    float *null_scores; // of one allele's
    int64_t null_score_capacity;
} gw_score_alleles;

// What to do where REF differs from the reference, as `bcftools norm --check-ref` names it: 'e' fail, 'w' the status
// REFMISMATCH, 'x' leave the record out (to be done by the caller), 's' score alleles whose ALT is what the reference
// has as if REF and ALT were changed about.
typedef struct {
    gw_genome *genome;
    const gw_vcf_reader *reader;
    int64_t window; // of the scorer, bp
    char check_ref; // e, w, x or s
} gw_score_alleles_options;

// Neutral insertions and deletions that one is set against: of the same length and kind, uniform within 50 kb of it on
// its contig, outside genes where these are known. An inserted sequence is one of the reference's, from another such
// place: what indels mean to a model hangs on their length far more than on where they are, and no background of single
// bases tells it.
enum { GW_NULL_REACH = 50000, GW_NULL_LEAST = 10 }; // bp; of fewer nothing is said

typedef struct {
    gw_genome *genome;
    const gw_genes *genes; // none of which a neutral one overlaps, or NULL
    int64_t window;        // bp, which must fit around each
    int64_t count;         // wanted
} gw_indel_null_options;

void gw_score_alleles_clear(gw_score_alleles *alleles);
void gw_score_alleles_free(gw_score_alleles *alleles);
// Appends the ALTs of a record, which must stay until the next clear.
gw_status gw_score_alleles_add(gw_score_alleles *alleles, const gw_score_alleles_options *options,
                               const gw_vcf_record *record) GW_MUST_CHECK;
// Once all records of the chunk are in: appends the other forms of insertions and deletions. *moved is increased by
// those that do not stand at their leftmost place, *all by all that have more than one form.
gw_status gw_score_alleles_add_forms(gw_score_alleles *alleles, const gw_score_alleles_options *options, int64_t *moved,
                                     int64_t *all) GW_MUST_CHECK;
// The same of the first `count` alleles: neutral ones beside their insertions and deletions. *crowded is increased by
// those for which there is no room for as many as are wanted.
gw_status gw_score_alleles_add_nulls(gw_score_alleles *alleles, int64_t count, const gw_indel_null_options *options,
                                     int64_t *crowded) GW_MUST_CHECK;
// To be called once they are scored: alleles take the scores of their forms (of bits where labels is 0), and their
// ranks among neutral ones (by bits, or the size of the difference). Those that
// were changed about become SWAPPED, differences change their sign, and values (raw too, [alleles][2][labels] or NULL)
// their sides.
void gw_score_alleles_finish(gw_score_alleles *alleles, float *raw, int64_t labels);
// A hash of what is asked of the scorer.
uint64_t gw_score_alleles_hash(const gw_score_alleles *alleles);

// Fewer than are wanted, *found, where there is little room; 0 of what is no insertion or deletion. variants [count];
// their texts lie in *bases: free() it. The same variant has the same ones in any run.
gw_status gw_indel_null_find(const gw_indel_null_options *options, const gw_variant *variant, gw_variant *variants,
                             int64_t *found, char **bases) GW_MUST_CHECK;

// Where a score lies among those of neutral ones: (score - mean) / standard deviation, and per cent of them that are
// lower, those that are equal by halves. NaN: of fewer than GW_NULL_LEAST, or, the first, where all are equal.
void gw_indel_null_rank(double score, const float *scores, int64_t count, float *z, float *percentile);

#endif
