// SPDX-License-Identifier: MIT
// Scores of splicing as SpliceAI's INFO key has them.
#ifndef GW_SCORE_SPLICE_ENTRY_H
#define GW_SCORE_SPLICE_ENTRY_H

#include "base/string.h"
#include "model/model.h"
#include "score/allele.h"
#include "seq/genes/gene_models.h"
#include "seq/vcf/vcf.h"

typedef struct {
    const gw_gene_models *genes;
    int64_t each, classes; // floats of an allele; gw_scored_classes()
    int digits;
    bool probabilities; // instead of scores and places
} gw_splice_entry_options;

// Appends ALLELE|SYMBOL|DS_AG|DS_AL|DS_DG|DS_DL|DP_AG|DP_AL|DP_DG|DP_DL of each allele of a record and gene, joined by
// commas; places are from the record's POS. With probabilities it is ALLELE|SYMBOL|REF_AG ... REF_DL|ALT_AG ... ALT_DL,
// those of these places. values: [alts][each] as gw_splice_scorer_run() gives them. Returns whether there was any.
bool gw_splice_entries(const gw_splice_entry_options *options, const gw_vcf_record *record, const gw_allele *alleles,
                       const float *values, gw_string *out);

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

#endif
