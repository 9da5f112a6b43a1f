// SPDX-License-Identifier: MIT
// Delta scores of alleles in each gene that contains them, as SpliceAI defines them.
//
// The network reads the reference from D + flank bases before POS to as many behind it, and the same with ALT instead
// of REF, on the gene's strand. Bases beyond the ends of the gene or the contig are N. A family may define other
// windows and compared rows (gw_family_scoring of model/family.h). For two kinds of alleles, rows up to D behind REF's
// last base are compared, instead of up to D behind POS: deletions of more than 2 D or D + flank bases, and alleles
// without a single-base side with REF longer than D + 1.
#ifndef GW_SCORE_SPLICE_SCORER_H
#define GW_SCORE_SPLICE_SCORER_H

#include "base/string.h"
#include "model/model.h"
#include "score/allele.h"
#include "score/score_options.h"
#include "seq/genes/gene_models.h"
#include "seq/vcf/vcf.h"

#include <stdbool.h>
#include <stdint.h>

// Classes of splicing, and the values of an allele in a gene: gains and losses of acceptors and donors (DS_AG, DS_AL,
// DS_DG, DS_DL), their positions in bases from POS (DP_...), and the probabilities of REF and ALT there. Other models
// have the same values for each of their classes except the first, none.
enum { GW_SPLICE_NONE, GW_SPLICE_ACCEPTOR, GW_SPLICE_DONOR, GW_SPLICE_CLASSES };
enum { GW_SPLICE_GAINS_AND_LOSSES = 4, GW_SPLICE_VALUES = 4 * GW_SPLICE_GAINS_AND_LOSSES };
// Number of scored classes: the model's, or none and the one class that the family derives (gw_family_scoring).
int64_t gw_scored_classes(const gw_config *config);
static inline int64_t gw_gains_and_losses(int64_t classes) {
    return 2 * (classes - 1);
}
static inline int64_t gw_delta_values(int64_t classes) {
    return 4 * gw_gains_and_losses(classes);
}

enum { GW_SPLICE_DISTANCE = 50, GW_SPLICE_LONGEST_ALLELE = 10000 };
#define GW_SPLICE_MEMORY INT64_C(1000000000)

typedef struct gw_splice_scorer gw_splice_scorer;
// Uses of the options: distance (D), mask, batch_tokens for whole windows, plain (all windows whole), and memory for
// kept parts of REF (network/partial.h), in which one window always fits. Borrows everything.
gw_status gw_splice_scorer_new(gw_model *model, gw_genome *genome, const gw_gene_models *genes,
                               const gw_score_options *options, gw_splice_scorer **out) GW_MUST_CHECK;
void gw_splice_scorer_free(gw_splice_scorer *scorer);            // NULL is fine
int64_t gw_splice_scorer_window(const gw_splice_scorer *scorer); // bp of REF that the network reads
// Floats of an allele: values for each gene, for the largest number of genes that share a base.
int64_t gw_splice_scorer_values(const gw_splice_scorer *scorer);

// Scores alleles with status PASS. Their status becomes NOGENE or TOOLONG, or, with a score, COMPLEX, LONG, PADDED or
// OUTSIDE. values [alleles][gw_splice_scorer_values()]: values of gene k, in the table's order, begin at
// GW_SPLICE_VALUES k; NaN: no gene. An allele's `difference` is its largest score, and `shift` its position. The first
// alleles of a scorer are also computed in whole windows. A difference beyond docs/background/numerics.md is an error.
gw_status gw_splice_scorer_run(gw_splice_scorer *scorer, gw_allele *alleles, int64_t count,
                               float *values) GW_MUST_CHECK;

// Delta scores (Jaganathan et al., 2019): differences between an allele and the reference in the probabilities of
// acceptors and donors, within a distance D of POS.
//
// Rows of ALT are aligned to those of REF. With r REF bases and a ALT bases from POS on, the first min(r, a) rows
// match. If a > r, the last a - r + 1 rows of ALT become their maximum for each class, at REF's last row. If r > a, r -
// a rows of zeros follow. For insertions and deletions at one base this equals SpliceAI and OpenSpliceAI.

// Rows of REF and ALT from D bases before POS.
typedef struct {
    int64_t distance, ref_length, alt_length, classes; // classes of the model
    const float *ref, *alt;                            // [rows][classes], [rows - ref_length + alt_length][classes]
    int64_t rows;
} gw_splice_rows;

// Aligns rows of ALT to those of REF: [rows][classes].
void gw_splice_align(const gw_splice_rows *of, float *aligned);

// Computes values[gw_delta_values()] from aligned rows. AG is the largest ALT - REF of acceptors, AL the largest REF -
// ALT; DG and DL are the same for donors, and so on for further classes. The position is that of the first row with
// this value.
void gw_splice_delta(const gw_splice_rows *of, const float *aligned, float *values);

// For acceptors and donors, sets gains at the nearest annotated exon boundary, `boundary` bases from POS, and losses at
// other positions to 0. Probabilities are kept.
void gw_splice_mask(int64_t boundary, float values[GW_SPLICE_VALUES]);

// Splicing scores in the format of SpliceAI's INFO key.

typedef struct {
    const gw_gene_models *genes;
    int64_t each, classes; // floats of an allele; gw_scored_classes()
    int digits;
    bool probabilities; // instead of scores and places
} gw_splice_entry_options;

// Appends ALLELE|SYMBOL|DS_AG|DS_AL|DS_DG|DS_DL|DP_AG|DP_AL|DP_DG|DP_DL for an allele of a record in each gene. A comma
// precedes all but the first entry of the text from `start` on. Positions are relative to the record's POS. With
// `probabilities`: ALLELE|SYMBOL|REF_AG ... REF_DL|ALT_AG ... ALT_DL at these positions. values: of the allele, [each]
// from gw_splice_scorer_run().
void gw_splice_entries(const gw_splice_entry_options *options, const gw_vcf_record *record, int alt,
                       const gw_allele *allele, const float *values, int64_t start, gw_string *out);

// The name of the key: that of the program with this network (SpliceAI has ReLU, OpenSpliceAI leaky ReLU), or GW_BASES
// for models with other classes, named in the description.
const char *gw_splice_key(const gw_model *model);
void gw_base_description(const gw_config *config, bool probabilities, gw_string *out);
#define GW_SPLICE_DESCRIPTION                                                                                          \
    "Delta scores (DS) and their places from POS (DP) of acceptor gain (AG), acceptor loss (AL), donor gain (DG) and " \
    "donor loss (DL). Format: ALLELE|SYMBOL|DS_AG|DS_AL|DS_DG|DS_DL|DP_AG|DP_AL|DP_DG|DP_DL"
#define GW_SPLICE_PROBABILITIES                                                                                        \
    "Probabilities of REF and ALT at the places of those scores. Format: "                                             \
    "ALLELE|SYMBOL|REF_AG|REF_AL|REF_DG|REF_DL|ALT_AG|ALT_AL|ALT_DG|ALT_DL"

// Exact values of an allele as text: status, '|', and 32-bit words of 8 hexadecimal digits for its fields, then for the
// values in each gene. A run that reads them writes the same bytes as the run that computed them.
extern const char gw_allele_values_key[]; // INFO key, independent of the prefix
void gw_allele_values_append(const gw_allele *allele, const float *raw, int64_t count, gw_string *out);
// Fills status, fields and raw [count]. false: the text has no such values; some may then be filled.
bool gw_allele_values_parse(const char *text, int64_t count, gw_allele *allele, float *raw);

#endif
