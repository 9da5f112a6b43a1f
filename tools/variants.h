// SPDX-License-Identifier: MIT
// What the commands that score the records of a variant file share: the options that say which records, by which model
// and genome, and how.
#ifndef GW_TOOLS_VARIANTS_H
#define GW_TOOLS_VARIANTS_H

#include "score/score.h"
#include "tools/inference.h"

typedef struct {
    gw_score_options score; // filled by the rows in place
    const char *fasta, *chr_map;
    gw_inference_arguments inference;
} gw_variant_arguments;

// gw_option.of: of commands that score more than the records of a variant file.
enum { GW_OF_VARIANTS = 1, GW_OF_CONSTRUCTS = 2 };

// Rows of a gw_variant_arguments at `at` of the command's struct: its input ...
// clang-format off
#define GW_IN_VARIANTS(at, field) ((at) + offsetof(gw_variant_arguments, field))
#define GW_OPTION_ROWS_VARIANTS(at)                                                                                    \
    {GW_OPTION_STRING, 'm', "model", "FOLDER", GW_IN_VARIANTS(at, score.model_folder),                                 \
     "fine-tuned or pretrained model", .required = true},                                                              \
    {GW_OPTION_STRING, 'f', "fasta", "FILE", GW_IN_VARIANTS(at, fasta), "reference genome: plain or BGZF FASTA",       \
     .required = true, .of = GW_OF_VARIANTS},                                                                          \
    {GW_OPTION_STRING, 'r', "regions", "LIST", GW_IN_VARIANTS(at, score.regions),                                      \
     "records that overlap chr, chr:beg-end, ... (1-based; needs an index)", .of = GW_OF_VARIANTS},                    \
    {GW_OPTION_STRING, 'R', "regions-file", "BED", GW_IN_VARIANTS(at, score.regions_file), "the same from a file",     \
     .of = GW_OF_VARIANTS},                                                                                            \
    {GW_OPTION_STRING, 't', "targets", "[^]LIST", GW_IN_VARIANTS(at, score.targets),                                   \
     "records whose POS lies inside; with ^, outside", .of = GW_OF_VARIANTS},                                          \
    {GW_OPTION_STRING, 'T', "targets-file", "[^]BED", GW_IN_VARIANTS(at, score.targets_file), "the same from a file",  \
     .of = GW_OF_VARIANTS},                                                                                            \
    {GW_OPTION_STRING, 'i', "include", "EXPR", GW_IN_VARIANTS(at, score.include_if),                                   \
     "records for which an expression of bcftools holds, of sites only: 'QUAL>20 && INFO/AF<0.01'",                    \
     .of = GW_OF_VARIANTS},                                                                                            \
    {GW_OPTION_STRING, 'e', "exclude", "EXPR", GW_IN_VARIANTS(at, score.exclude_if),                                   \
     "records for which it does not hold", .of = GW_OF_VARIANTS},                                                      \
    {GW_OPTION_STRING, 0, "sites", "BED", GW_IN_VARIANTS(at, score.sites),                                             \
     "promoter models: TSSs in whose windows variants are scored", .of = GW_OF_VARIANTS},                              \
    {GW_OPTION_STRING, 0, "chr-map", "FILE", GW_IN_VARIANTS(at, chr_map),                                              \
     "TSV: another name, contig name in the genome", .of = GW_OF_VARIANTS}
// ... and how it is run.
#define GW_OPTION_ROWS_WINDOWS(at)                                                                                     \
    {GW_OPTION_INT, 0, "window", "BP", GW_IN_VARIANTS(at, score.window),                                               \
     "bases around a variant (0: the model's own; pretrained: 1000, or what its positions hold, less a sixth where "   \
     "tokens are of several bases)", .min = 0,                                                                         \
     .max = 1e8, .of = GW_OF_VARIANTS},                                                                                \
    {GW_OPTION_INT, 0, "batch-tokens", "N", GW_IN_VARIANTS(at, score.batch_tokens),                                    \
     "tokens computed at a time (0: 8192, or the longest input)", .min = 0, .max = 1e8},                               \
    {GW_OPTION_ROW_TEMPERATURE(GW_IN_VARIANTS(at, inference))},                                                        \
    GW_OPTION_ROWS_INFERENCE(GW_IN_VARIANTS(at, inference))
// clang-format on

// Applies the device, and loads the model, which stays as it is, and the genome; to be freed by the caller whatever is
// returned.
gw_status gw_variants_open(const gw_variant_arguments *arguments, gw_model **model, gw_genome **genome) GW_MUST_CHECK;

#endif
