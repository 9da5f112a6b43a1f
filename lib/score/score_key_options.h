// SPDX-License-Identifier: MIT
// Which INFO keys `score` writes.
#ifndef GW_SCORE_SCORE_KEY_OPTIONS_H
#define GW_SCORE_SCORE_KEY_OPTIONS_H

#include "score/background.h"
#include "score/haplotypes.h"
#include "seq/genes/consequence.h"
#include "seq/genes/gene_models.h"
#include "seq/genes/genes.h"
#include "seq/genome/regions.h"

typedef struct {
    const char *tag; // prefix without the underscore: letters, digits, '_' and '.', not starting with a digit
    bool raw;
    const gw_regions *sites;       // of models with a start site, as gw_allele.site counts them; NULL: none
    const gw_genome *genome;       // of the sites
    const gw_genes *genes;         // to name for each allele, borrowed; NULL: none
    gw_consequences *consequences; // to tell of each record, borrowed; NULL: none
    // Which of diff, logit, log2fc, effect and mean are written, or of a pretrained model's llr; and of evalue, z and
    // percentile, which need a background; joined by commas. NULL: diff,logit,mean or llr, and with a background its
    // three.
    const char *scores;
    const gw_background *background; // borrowed, or NULL
    gw_tail tail;                    // of e-values
    int64_t top;                     // profiles that TOPS lists, 0: no such key
    bool spread, shifts;             // over phases; of leftmost and rightmost forms
    const gw_haplotypes *haplotypes; // of the alleles to come, borrowed; or NULL
    bool nulls;                      // ranks among neutral insertions and deletions
    // Of models of splicing: their genes, borrowed, floats of an allele (gw_splice_scorer_values()), digits of scores,
    // and what entries are called.
    const gw_gene_models *splice;
    int64_t splice_values;
    int digits;
    const char *entries;
    bool describes; // by the names of the model's classes (gw_base_description())
    bool values;    // exact, for --known (score/allele_values.h)
    bool vep;       // one key CSQ, with all others as its fields, joined by '|'
} gw_score_key_options;

// Whether a list of scores, or NULL, has the word.
bool gw_score_is_asked(const char *scores, const char *word);

#endif
