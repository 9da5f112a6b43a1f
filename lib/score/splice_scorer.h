// SPDX-License-Identifier: MIT
// Alleles in, delta scores in each gene that they lie in out, as SpliceAI defines them.
//
// The network reads the reference from D + flank bases before POS to as many behind it, and the same with ALT in place
// of REF, on the gene's strand; what lies beyond the gene's ends, or the contig's, is N. A family may say otherwise
// what is read and what is compared (gw_family_scoring of model/family.h). Two kinds of alleles take rows of REF up to
// D behind REF's last base instead of behind POS: deletions of more than 2 D or D + flank bases, and, where neither
// allele is a single base, those whose REF is longer than D + 1.
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

// Classes of splicing, and what an allele has in a gene: gains and losses of acceptors and donors (DS_AG, DS_AL, DS_DG,
// DS_DL), where each is, in bases from POS (DP_...), and the probabilities that REF and ALT have there. Other models
// have as much of each of their classes but the first, none.
enum { GW_SPLICE_NONE, GW_SPLICE_ACCEPTOR, GW_SPLICE_DONOR, GW_SPLICE_CLASSES };
enum { GW_SPLICE_GAINS_AND_LOSSES = 4, GW_SPLICE_VALUES = 4 * GW_SPLICE_GAINS_AND_LOSSES };
// Classes that scores are of: the model's, or none and the one that its family makes of them (gw_family_scoring).
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
// Of the options distance, which is D, mask, batch_tokens of whole windows, plain (all windows whole), and memory for
// what is kept of a stretch of REF (network/partial.h), where one window always fits. Borrows everything.
gw_status gw_splice_scorer_new(gw_model *model, gw_genome *genome, const gw_gene_models *genes,
                               const gw_score_options *options, gw_splice_scorer **out) GW_MUST_CHECK;
void gw_splice_scorer_free(gw_splice_scorer *scorer);            // NULL is fine
int64_t gw_splice_scorer_window(const gw_splice_scorer *scorer); // bp that the network reads of REF
// Floats of an allele: those of each gene, for as many genes as share a base.
int64_t gw_splice_scorer_values(const gw_splice_scorer *scorer);

// Scores alleles whose status is PASS. It becomes NOGENE, TOOLONG, or, of a scored one, COMPLEX, LONG, PADDED or
// OUTSIDE.
// values [alleles][gw_splice_scorer_values()]: the k-th gene's, in the table's order, from GW_SPLICE_VALUES k; NaN:
// there is none. An allele's `difference` is its largest score, `shift` where that is. The first alleles of a scorer
// are computed in whole windows too: where those differ by more than docs/background/numerics.md says, that is an
// error.
gw_status gw_splice_scorer_run(gw_splice_scorer *scorer, gw_allele *alleles, int64_t count,
                               float *values) GW_MUST_CHECK;

// Delta scores (Jaganathan et al., 2019): how much the probabilities of acceptors and donors of an allele differ from
// the reference's within a distance D of POS.
//
// ALT's rows are first laid against REF's. Of r REF and a ALT bases, which begin at POS, the first min(r, a) rows stand
// against each other. If a > r the last a - r + 1 rows of the allele become their maximum, class by class, at REF's
// last one; if r > a, r - a rows of zeros follow. For insertions and deletions at one base that is what SpliceAI and
// OpenSpliceAI do.

// Rows of REF and ALT from D bases before POS.
typedef struct {
    int64_t distance, ref_length, alt_length, classes; // of the model
    const float *ref, *alt;                            // [rows][classes], [rows - ref_length + alt_length][classes]
    int64_t rows;
} gw_splice_rows;

// ALT's rows laid against REF's: [rows][classes].
void gw_splice_align(const gw_splice_rows *of, float *aligned);

// values[gw_delta_values()] from aligned rows: DS_AG is the largest ALT - REF of acceptors, AL of REF - ALT, DG and DL
// the same of donors, then of any further class; the place is the first such row's.
void gw_splice_delta(const gw_splice_rows *of, const float *aligned, float *values);

// Makes gains at the nearest annotated boundary of an exon, `boundary` bases from POS, and losses anywhere else 0, of
// acceptors and donors. Probabilities stay.
void gw_splice_mask(int64_t boundary, float values[GW_SPLICE_VALUES]);

// Scores of splicing as SpliceAI's INFO key has them.

typedef struct {
    const gw_gene_models *genes;
    int64_t each, classes; // floats of an allele; gw_scored_classes()
    int digits;
    bool probabilities; // instead of scores and places
} gw_splice_entry_options;

// Appends ALLELE|SYMBOL|DS_AG|DS_AL|DS_DG|DS_DL|DP_AG|DP_AL|DP_DG|DP_DL of an allele of a record in each gene, with a
// comma before all but the first entry of the text that begins at `start`; places are from the record's POS. With
// probabilities it is ALLELE|SYMBOL|REF_AG ... REF_DL|ALT_AG ... ALT_DL, those of these places. values: of the allele,
// [each] as gw_splice_scorer_run() gives them.
void gw_splice_entries(const gw_splice_entry_options *options, const gw_vcf_record *record, int alt,
                       const gw_allele *allele, const float *values, int64_t start, gw_string *out);

// What the key is called: as the program calls it whose network that is (SpliceAI's has ReLU, OpenSpliceAI's leaks),
// and GW_BASES of models with other classes, whose names their descriptions say.
const char *gw_splice_key(const gw_model *model);
void gw_base_description(const gw_config *config, bool probabilities, gw_string *out);
#define GW_SPLICE_DESCRIPTION                                                                                          \
    "Delta scores (DS) and their places from POS (DP) of acceptor gain (AG), acceptor loss (AL), donor gain (DG) and " \
    "donor loss (DL). Format: ALLELE|SYMBOL|DS_AG|DS_AL|DS_DG|DS_DL|DP_AG|DP_AL|DP_DG|DP_DL"
#define GW_SPLICE_PROBABILITIES                                                                                        \
    "Probabilities of REF and ALT at the places of those scores. Format: "                                             \
    "ALLELE|SYMBOL|REF_AG|REF_AL|REF_DG|REF_DL|ALT_AG|ALT_AL|ALT_DG|ALT_DL"

// Exact values of an allele as text: its status, '|', and 32-bit words of 8 hexadecimal digits: its fields, then the
// values in each gene. Who reads them back writes the bytes of who computed.
extern const char gw_allele_values_key[]; // of INFO, whatever prefix others have
void gw_allele_values_append(const gw_allele *allele, const float *raw, int64_t count, gw_string *out);
// Fills status, fields and raw [count]; false: the text is no such values, and some may be filled.
bool gw_allele_values_parse(const char *text, int64_t count, gw_allele *allele, float *raw);

#endif
