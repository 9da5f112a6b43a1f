// SPDX-License-Identifier: MIT
// How variants are scored, and what is written of it.
#ifndef GW_SCORE_SCORE_OPTIONS_H
#define GW_SCORE_SCORE_OPTIONS_H

#include "base/string.h"
#include "model/model.h"
#include "score/allele.h"
#include "score/background.h"
#include "seq/genes/consequence.h"
#include "seq/vcf/vcf.h"

// Of the start sites of genes: three of Enformer's rows.
enum { GW_AROUND_TSS = 384 };

// What is asked for, by the command's table of options, `serve` or a caller of the library: every part of lib/score
// reads this struct. Zeros are the defaults.
typedef struct {
    // Where alleles come from: a file, a list and a file of such (gw_variant_list_write()), or every single-base change
    // of the regions that regions and targets leave, of models of labels of bases with exact values
    // (gw_allele_values_append()).
    const char *input; // NULL: standard input
    const char *variants, *variants_file, *ids;
    bool strict; // where one of these cannot be read none is scored; otherwise the others are, with a warning
    bool all_snvs;
    const char *known;         // an indexed table whose scores are taken as they are (score/score_known.h), or NULL
    const char *known_columns; // its columns REF,ALT,SCORE, the score's alone, or an INFO key; NULL: the usual ones
    const char *regions, *regions_file, *targets, *targets_file; // as bcftools has them; targets may start with ^
    const char *include_if, *exclude_if;                         // gw_vcf_filter
    char check_ref; // where REF differs from the reference: e, w, x or s (gw_score_alleles_options); 0: w, but a file
                    // of another assembly ends the run
    int64_t shard, shards; // of the records, the shard-th of `shards` equal parts, 1-based; 0: all. The parts in order
                           // are what one run writes
    const char *constructs, *flank5, *flank3; // a table instead, and bases beside its sequences (score/constructs.h)
    // What is written.
    const char *output; // "-" or NULL: standard output, but for runs with a table
    const char *table;  // a row for each allele (gw_score_keys_rows()); NULL: none
    char format;        // of the output: v, z, u, b
    const char *index;  // "csi", "tbi" or NULL
    const char *tag; // prefix of the keys without the underscore: letters, digits, _ and ., not starting with a digit
    bool overwrite, raw;
    bool vep;                       // one key CSQ with all others as its fields, joined by |
    const char *profiles, *reasons; // side files, or NULL; `reasons` begins with the variants that cannot be read
    const char *scores;             // of the keys' table, joined by commas; NULL: the model's and the background's
    const char *background;         // a file of gw_background_write(); NULL: the model's own, where its folder has one
    const char *tail;               // "lower" (pretrained models only), "two" or NULL
    int64_t top;                    // profiles that TOPS lists, 0: no such key
    bool shifts;                    // scores of the leftmost and rightmost forms of insertions and deletions
    bool haplotypes;                // what variants of one do together (score/haplotypes.h) ...
    const char *sample;             // ... that this sample carries; NULL: the only one
    int64_t indel_null;             // neutral insertions and deletions beside each (score/score_alleles.h), 0: none
    const char *genes;              // annotation whose genes are named, or NULL; models of splicing: their table
    const char *motifs;             // MEME file whose sites alleles make and break (lib/motif), or NULL ...
    double motif_p_value;           // ... of p-values below this; 0: 1e-4
    bool consequence;               // the consequences that alleles have in the transcripts of `genes`
    int64_t digits;                 // of the scores of models of splicing
    const char *version, *command, *model_folder; // for the header
    // How alleles are scored.
    int64_t window;       // bp; 0: the model's own, or for a pretrained model the smaller of 1000 and what fits
    int64_t batch_tokens; // tokens computed at a time; 0: the default
    int64_t phases;       // windows shifted by gw_phase_shift(0 .. phases - 1) that are averaged; 0: 1
    int64_t memory;       // bytes for what windows share; 0: nothing, or of models of splicing GW_SPLICE_MEMORY
    bool plain;           // every window as a whole
    int64_t around;       // of models of tracks: bp around the variant that are summed; 0: all that are predicted
    int64_t around_tss;   // of models of tracks, with genes: bp around a start site that are summed; 0: GW_AROUND_TSS
    gw_string_list controls; // of models of profiles: their control tracks (network/controls.h)
    const char *sites;       // of promoter models: TSSs in whose windows variants are scored, or NULL
    char strand;             // of models that read one: '-' the reverse, else the forward strand; 0: not said
    const char *approximate; // of fine-tuned models: "gradient" (gw_label_gradient), or NULL
    int64_t share;           // of pretrained models: sites of single bases at least so many bp apart share a window
    int64_t distance;        // of models of splicing: bases on either side of POS that are scored
    int mask;                // of models of splicing: 1: gw_splice_mask()
    bool anywhere;           // of models of splicing, with genes: where none is, both strands
    // Called for each allele in order once it is final, before the record is written; or NULL. A failure ends the run.
    // consequences: those of the run, or NULL.
    gw_status (*each)(void *context, const gw_vcf_record *record, const gw_allele *allele,
                      gw_consequences *consequences);
    void *context;
    // Where not NULL, no variant file is written and the scored alleles make a background, to be freed by the caller.
    gw_background **collect;
    const char *name;    // what that background's alleles are, or NULL
    const char *by;      // "context": that background counts by it (gw_background_by_context()); or NULL
    const char *outside; // annotation: records that overlap one of its genes are left out; or NULL
    const char *places;  // of models of tracks: places whose signals that background keeps (score/activity.h); or NULL
} gw_score_options;

// Refuses options that do not go together, or with the model; NULL: it is not known yet.
gw_status gw_score_options_check(const gw_score_options *options, const gw_model *model) GW_MUST_CHECK;
// Whether windows without sites are read on one strand: numbers that were learned so.
bool gw_profile_reads_one_strand(const gw_model *model);
// Whether models of labels of bases score both strands where no gene is: where that is asked for, or no table of genes
// is given.
bool gw_score_is_anywhere(const gw_score_options *options);
// Whether a list of scores, or NULL, has the word.
bool gw_score_is_asked(const char *scores, const char *word);

// Appends what GW_TOP, GW_TRACK and lists call a label: its name, percent-encoded, or its task where it is the only one
// and has no name of its own.
void gw_label_name(gw_string *name, const gw_config *config, int64_t label);

#endif
