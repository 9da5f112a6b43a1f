// SPDX-License-Identifier: MIT
// Options for scoring variants and writing the results.
#ifndef GW_SCORE_SCORE_OPTIONS_H
#define GW_SCORE_SCORE_OPTIONS_H

#include "base/string.h"
#include "model/model.h"
#include "score/allele.h"
#include "score/background.h"
#include "seq/genes/consequence.h"
#include "seq/vcf/vcf.h"

// Default width in bp around start sites of genes: three rows of Enformer.
enum { GW_AROUND_TSS = 384 };

typedef struct gw_weights_md5 gw_weights_md5; // score/score_output.h

// Settings from the command's option table, `serve` or a caller of the library. All parts of lib/score read this
// struct. Zeros are the defaults.
typedef struct {
    // Source of alleles: a variant file; lists of variants (gw_variant_list_write()); or every single-base change of
    // the regions that regions and targets leave (for models of labels of bases, with exact values:
    // gw_allele_values_append()).
    const char *input; // NULL: standard input
    const char *variants, *variants_file, *ids;
    bool strict; // a variant that cannot be read ends the run; otherwise it is skipped with a warning
    bool all_snvs;
    const char *known;         // an indexed table of known scores (score/score_known.h), or NULL
    const char *known_columns; // its columns REF,ALT,SCORE, only the score's, or an INFO key; NULL: the usual ones
    const char *regions, *regions_file, *targets, *targets_file; // as in bcftools; targets may start with ^
    const char *include_if, *exclude_if;                         // gw_vcf_filter
    char check_ref; // if REF differs from the reference: e, w, x or s (gw_score_alleles_options); 0: w, but a file of
                    // another assembly ends the run
    int64_t shard, shards; // scores part `shard` of `shards` equal parts of the records, 1-based; 0: all. The parts in
                           // order equal the output of one run
    const char *constructs, *flank5, *flank3; // a table instead, and bases beside its sequences (score/constructs.h)
    // Outputs.
    const char *output; // "-" or NULL: standard output, except in runs with a table
    const char *table;  // table with a row for each allele (gw_score_keys_rows()); NULL: none
    char format;        // of the output: v, z, u, b
    const char *index;  // "csi", "tbi" or NULL
    const char *tag; // prefix of the keys without the underscore: letters, digits, _ and ., not starting with a digit
    bool overwrite, raw;
    bool vep;                       // one key CSQ with all other keys as fields, joined by |
    const char *profiles, *reasons; // side files, or NULL; `reasons` begins with unreadable variants
    const char *scores;             // words of the keys' table, joined by commas; NULL: those of the model and the
                                    // background
    const char *background;         // a file of gw_background_write(); NULL: the model's own, if its folder has one
    const char *tail;               // "lower" (pretrained models only), "two" or NULL
    int64_t top;                    // number of profiles in TOPS, 0: no such key
    bool shifts;                    // scores of the leftmost and rightmost forms of insertions and deletions
    bool haplotypes;                // joint scores of variants on one haplotype (score/haplotypes.h) ...
    const char *sample;             // ... of this sample; NULL: the only one
    int64_t indel_null;             // neutral indels for each insertion and deletion (score/score_alleles.h), 0: none
    const char *genes;              // annotation with gene names, or NULL; models of splicing: their gene table
    const char *motifs;             // MEME file of motifs; sites that alleles make and break are named (lib/motif), or
                                    // NULL ...
    double motif_p_value;           // ... with p-values below this; 0: 1e-4
    bool consequence;               // consequences of alleles in the transcripts of `genes`
    int64_t digits;                 // digits of splicing scores
    const char *version, *command, *model_folder; // for the header
    gw_weights_md5 *weights_md5; // of model_folder, begun earlier; NULL: gw_score() reads the files (score_output.h)
    // Scoring.
    int64_t window;          // bp; 0: the model's own; for a pretrained model the smaller of 1000 and what fits
    int64_t batch_tokens;    // tokens computed at a time; 0: the default
    int64_t phases;          // number of averaged windows, shifted by gw_phase_shift(0 .. phases - 1); 0: 1
    int64_t memory;          // bytes for values that windows share; 0: none, or for models of splicing GW_SPLICE_MEMORY
    bool plain;              // computes every window whole
    int64_t around;          // track models: summed bp around the variant; 0: all predicted bp
    int64_t around_tss;      // track models with genes: summed bp around a start site; 0: GW_AROUND_TSS
    gw_string_list controls; // profile models: their control tracks (network/controls.h)
    const char *sites;       // promoter models: TSSs; variants in their windows are scored; or NULL
    char strand;             // models that read one strand: '-' the reverse, else the forward strand; 0: not given
    const char *approximate; // fine-tuned models: "gradient" (gw_label_gradient), or NULL
    int64_t share;           // pretrained models: single-base sites at least this many bp apart share a window
    int64_t distance;        // models of splicing: scored bases on either side of POS
    int mask;                // models of splicing: 1: gw_splice_mask()
    bool anywhere;           // models of splicing, with genes: also scores both strands outside genes
    // Called for each final allele in order, before the record is written; or NULL. A failure ends the run.
    // consequences: those of the run, or NULL.
    gw_status (*each)(void *context, const gw_vcf_record *record, const gw_allele *allele,
                      gw_consequences *consequences);
    void *context;
    // If not NULL, no variant file is written, and the scored alleles make a background, which the caller frees.
    gw_background **collect;
    const char *name;    // what the alleles of this background are, or NULL
    const char *by;      // "context": this background counts by context (gw_background_by_context()); or NULL
    const char *outside; // annotation: records that overlap one of its genes are skipped; or NULL
    const char *places;  // track models: places with signals for this background (score/activity.h); or NULL
} gw_score_options;

// Fails if options contradict each other or the model; model NULL: not yet known.
gw_status gw_score_options_check(const gw_score_options *options, const gw_model *model) GW_MUST_CHECK;
// Whether windows without sites are read on one strand: for numbers that were learned on one strand.
bool gw_profile_reads_one_strand(const gw_model *model);
// Whether models of labels of bases score both strands outside genes: if requested, or without a gene table.
bool gw_score_is_anywhere(const gw_score_options *options);
// Whether a list of scores, or NULL, contains the word.
bool gw_score_is_asked(const char *scores, const char *word);

// Appends the name of a label for GW_TOP, GW_TRACK and lists: its name, percent-encoded, or the task's name for a
// single unnamed label.
void gw_label_name(gw_string *name, const gw_config *config, int64_t label);

#endif
