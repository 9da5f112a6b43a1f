// SPDX-License-Identifier: MIT
// Variant effects of a whole variant file: records in, the same records with more INFO out, in bounded memory.
//
// Keys (prefix GW_ or another): score_key_table.c has them.
#ifndef GW_SCORE_SCORE_H
#define GW_SCORE_SCORE_H

#include "model/model.h"
#include "score/allele.h"
#include "score/background.h"
#include "seq/vcf/vcf.h"

typedef struct {
    // Of models of splicing. Instead of an input: every single-base change of the regions that regions and targets
    // leave, with exact values (score/allele_values.h); and an indexed file of such a run, whose scores are taken as
    // they are, or NULL.
    bool all_snvs;
    const char *known;
    const char *input, *output; // "-" (or NULL for the output): standard input and output
    char format;                // of the output: v, z, u, b
    const char *index;          // "csi", "tbi" or NULL
    const char *regions, *regions_file, *targets, *targets_file; // as bcftools has them; targets may start with ^
    const char *include_if, *exclude_if;                         // gw_vcf_filter
    const char *tag;                                             // prefix of the keys, without the underscore
    bool overwrite, raw;
    char strand;    // of models that read one: '-' the reverse, else the forward strand; 0: not said
    char check_ref; // where REF differs from the reference: e, w, x or s (gw_score_alleles_options); 0: w
    const char *profiles, *reasons, *sites; // side files and TSSs, or NULL
    bool consequence;                       // the consequences that alleles have in the transcripts of `genes`
    const char *genes;   // annotation whose genes are named, or NULL; models of splicing: their table
    const char *outside; // of `collect`: annotation; records that overlap one of its genes are left out; or NULL
    const char *scores, *background; // gw_score_key_options; a file of gw_background_write(), or NULL
    const char *tail;                // of e-values: "lower" (pretrained models only), "two"; NULL: the model's
    int64_t top;                     // profiles listed a record, 0: none
    int64_t phases;                  // gw_allele_scorer_options; 0: 1
    int64_t share;                   // gw_llr_options
    bool haplotypes;                 // what variants of one do together (score/haplotypes.h) ...
    const char *sample;              // ... that this sample carries; NULL: the only one
    int64_t indel_null;              // neutral insertions and deletions beside each (score/indel_null.h), 0: none
    bool shifts;                     // scores of the leftmost and rightmost forms of insertions and deletions
    int64_t distance;                // of models of splicing: gw_splice_options; digits of its scores
    const char *approximate;         // of fine-tuned models: "gradient" (gw_label_gradient), or NULL
    bool plain, anywhere;            // anywhere: where no gene is, both strands
    int mask;                        // 1: gw_splice_options
    int64_t memory;                  // MB; 0: the default
    int64_t digits;
    bool vep;             // one key with all others as its fields
    int64_t window;       // bp; 0: the model's own, or for a pretrained model the smaller of 1000 and what fits
    int64_t batch_tokens; // 0: the default
    // Of the records that regions and targets leave, the shard-th of `shards` equal parts, 1-based;
    // 0: all. The parts in order are what one run writes.
    int64_t shard, shards;
    const char *version, *command, *model_folder; // for the header
    // Called for each allele in order once it is final, before the record is written; or NULL. A failure ends the run.
    gw_status (*each)(void *context, const gw_vcf_record *record, const gw_allele *allele);
    void *context;
    // Where not NULL, no variant file is written and the scored alleles make a background, to be freed by the caller.
    gw_background **collect;
    const char *by; // "context": that background counts by it (gw_background_by_context()); or NULL
} gw_score_options;

// Where the output is a file, what is scored is kept in <output>.journal until the output has its name: the same call
// after a run that was stopped takes it from there.
gw_status gw_score(gw_model *model, gw_genome *genome, const gw_score_options *options) GW_MUST_CHECK;

#endif
