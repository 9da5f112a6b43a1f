// SPDX-License-Identifier: MIT
// Alleles in, delta scores in each gene that they lie in out (score/splice_delta.h), as SpliceAI defines them.
//
// The network reads the reference from D + flank bases before POS to as many behind it, and the same with ALT in place
// of REF, on the gene's strand; what lies beyond the gene's ends, or the contig's, is N. A family with a gw_base_answer
// (model/family.h) says otherwise what is read and what is compared. Two kinds of alleles take rows
// of REF up to D behind REF's last base instead of behind POS: deletions of more than 2 D or D + flank bases, and,
// where neither allele is a single base, those whose REF is longer than D + 1.
#ifndef GW_SCORE_SPLICE_SCORER_H
#define GW_SCORE_SPLICE_SCORER_H

#include "score/score_options.h"
#include "score/splice_delta.h"
#include "seq/genes/gene_models.h"

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
// are computed in whole windows too: where those differ by more than docs/numerics.md says, that is an error.
gw_status gw_splice_scorer_run(gw_splice_scorer *scorer, gw_allele *alleles, int64_t count,
                               float *values) GW_MUST_CHECK;

#endif
