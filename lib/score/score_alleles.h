// SPDX-License-Identifier: MIT
// The ALTs of a chunk's records: preparation before scoring, and completion after scoring.
#ifndef GW_SCORE_SCORE_ALLELES_H
#define GW_SCORE_SCORE_ALLELES_H

#include "score/allele.h"
#include "seq/genes/genes.h"
#include "seq/vcf/variant.h"
#include "seq/vcf/vcf.h"

// An allele, and the indices of its leftmost and rightmost forms.
typedef struct {
    int64_t allele, form[2];
} gw_score_forms;

// An allele, and the neutral alleles that it is compared with.
typedef struct {
    int64_t allele, first, count;
} gw_score_null;

// Zero-initialise.
typedef struct {
    gw_allele *items; // alleles of the records, then their other forms, then neutral alleles
    int64_t count, capacity;
    char **bases; // texts of symbolic alleles, which the records do not hold
    int64_t base_count, base_capacity;
    gw_score_forms *forms;
    int64_t form_count, form_capacity;
    gw_score_null *nulls;
    int64_t null_count, null_capacity;
    float *null_scores; // scratch for one allele
    int64_t null_score_capacity;
} gw_score_alleles;

// check_ref: the action if REF differs from the reference, as in `bcftools norm --check-ref`. 'e': fails. 'w': status
// REFMISMATCH. 'x': drops the record (done by the caller). 's': if ALT equals the reference, scores the allele with REF
// and ALT exchanged.
typedef struct {
    gw_genome *genome;
    const gw_vcf_reader *reader;
    int64_t window; // of the scorer, bp
    char check_ref; // e, w, x or s
} gw_score_alleles_options;

// Neutral insertions and deletions for comparison with one variant: of the same length and kind, uniform within 50 kb
// on its contig, outside genes if these are known. An inserted sequence is copied from another such place of the
// reference. A model's score of an indel depends on its length far more than on its position, and a background of
// single-base changes does not reflect this.
enum { GW_NULL_REACH = 50000, GW_NULL_LEAST = 10 }; // bp; fewest neutral variants for a result

typedef struct {
    gw_genome *genome;
    const gw_genes *genes; // neutral variants overlap none of these; or NULL
    int64_t window;        // bp that must fit around each
    int64_t count;         // wanted number
} gw_indel_null_options;

void gw_score_alleles_clear(gw_score_alleles *alleles);
void gw_score_alleles_free(gw_score_alleles *alleles);
// Appends the ALTs of a record. The record must exist until the next clear.
gw_status gw_score_alleles_add(gw_score_alleles *alleles, const gw_score_alleles_options *options,
                               const gw_vcf_record *record) GW_MUST_CHECK;
// Appends the other forms of insertions and deletions, after all records of the chunk were added. *moved grows by the
// number of alleles that are not leftmost, *all by those with several forms.
gw_status gw_score_alleles_add_forms(gw_score_alleles *alleles, const gw_score_alleles_options *options, int64_t *moved,
                                     int64_t *all) GW_MUST_CHECK;
// The same for the first `count` alleles: appends neutral variants for their insertions and deletions. *crowded grows
// by the number of alleles with less space than needed for all.
gw_status gw_score_alleles_add_nulls(gw_score_alleles *alleles, int64_t count, const gw_indel_null_options *options,
                                     int64_t *crowded) GW_MUST_CHECK;
// Completes the alleles after scoring. Alleles get the scores of their forms (bits if labels is 0), and their ranks
// among neutral variants (by bits, or by the size of the difference). Exchanged alleles become SWAPPED: their
// differences change sign, and their values change sides (also in raw, [alleles][2][labels] or NULL).
void gw_score_alleles_finish(gw_score_alleles *alleles, float *raw, int64_t labels);
// A hash of all inputs of the scorer.
uint64_t gw_score_alleles_hash(const gw_score_alleles *alleles);

// Finds neutral variants. *found is smaller than wanted if there is little space, and 0 if the variant is not an
// insertion or deletion. variants [count]; their texts are in *bases: free() it. The same variant always gets the same
// neutral variants.
gw_status gw_indel_null_find(const gw_indel_null_options *options, const gw_variant *variant, gw_variant *variants,
                             int64_t *found, char **bases) GW_MUST_CHECK;

// The rank of a score among those of neutral variants: z = (score - mean) / standard deviation, and the percentage of
// lower scores, with equal scores counted half. NaN with fewer than GW_NULL_LEAST scores; z also if all are equal.
void gw_indel_null_rank(double score, const float *scores, int64_t count, float *z, float *percentile);

#endif
