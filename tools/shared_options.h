// SPDX-License-Identifier: MIT
// Options that several commands share.
#ifndef GW_TOOLS_SHARED_OPTIONS_H
#define GW_TOOLS_SHARED_OPTIONS_H

#include "base/status.h"
#include "label/held_out.h"
#include "model/model.h"
#include "run/group_sum.h"
#include "score/score.h"
#include "tools/cli/cli.h"
#include "tools/cli/device.h"

#include <stddef.h>

// --- running a model -------------------------------------------------------------------------------------------------

// --attention, --pad-to, --dtype and --device, for commands that run a model without changing its weights. Commands
// that train use --dtype too, and share the options of the learning rate.

typedef struct {
    const char *mode, *device;
    gw_precision dtype;
    int64_t pad_to;
    double temperature; // for commands with GW_OPTION_ROW_TEMPERATURE; 0: the model's own
} gw_inference_arguments;

// Fields of the row of --attention. offset: offset of its const char * field.
#define GW_ATTENTION_HELP                                                                                              \
    "how BigBird's attention is computed (as the model was trained; seeded for models made elsewhere)"
#define GW_ATTENTION_MODES "seeded|hf-eval|google|set|start|full"
#define GW_OPTION_ROW_ATTENTION(offset)                                                                                \
    GW_OPTION_CHOICE, 0, "attention", "MODE", offset, GW_ATTENTION_HELP, .choices = GW_ATTENTION_MODES

// Fields of the row of --dtype. offset: offset of its gw_precision.
#define GW_DTYPE_HELP "numbers that are multiplied; bf16 is up to twice as fast where the processor has it"
#define GW_OPTION_ROW_DTYPE(offset) GW_OPTION_NAMED, 0, "dtype", "TYPE", offset, GW_DTYPE_HELP, .choices = "f32|bf16"

// Fields of the rows of --groups, --all-reduce and --split-moments, for commands that train.
#define GW_CONTROL_HELP                                                                                                \
    "models of profiles with control tracks: bigWig or bedGraph of one, in their order; as often as it has such (zeros)"

#define GW_GROUPS_HELP                                                                                                 \
    "groups that a step's examples are summed in, which decide its bits whatever the number of ranks (0: one a rank)"
#define GW_OPTION_ROW_GROUPS(offset)                                                                                   \
    GW_OPTION_INT, 0, "groups", "G", offset, GW_GROUPS_HELP, .min = 0, .max = GW_MOST_GROUPS
#define GW_OPTION_ROW_ALL_REDUCE(offset)                                                                               \
    GW_OPTION_FLAG, 0, "all-reduce", NULL, offset,                                                                     \
        "ranks sum gradients in MPI's own order: other bits on another number of ranks"
#define GW_OPTION_ROW_SPLIT(offset)                                                                                    \
    GW_OPTION_FLAG, 0, "split-moments", NULL, offset,                                                                  \
        "each rank keeps a part of Adam's moments: less memory, the same bits and checkpoints"

// Fields of the rows of --lr, --schedule, --warmup and --ema, for commands that train.
#define GW_OPTION_ROW_RATE(offset)                                                                                     \
    GW_OPTION_REAL, 0, "lr", "RATE", offset, "largest learning rate", .min = 1e-12, .max = 10
#define GW_SCHEDULE_HELP                                                                                               \
    "how the rate decays after the warm-up: to 0, or by the root of the steps (sqrt; hold-sqrt has no warm-up); "      \
    "one-cycle also rises by a cosine"
#define GW_OPTION_ROW_SCHEDULE(offset)                                                                                 \
    GW_OPTION_NAMED, 0, "schedule", "NAME", offset, GW_SCHEDULE_HELP, .choices = GW_SCHEDULE_NAMES
#define GW_WARMUP_HELP "steps of warm-up (-1: a tenth of them, at most 10000; three tenths of one-cycle)"
#define GW_OPTION_ROW_WARMUP(offset) GW_OPTION_INT, 0, "warmup", "N", offset, GW_WARMUP_HELP, .min = -1, .max = 4e9
#define GW_AVERAGE_HELP                                                                                                \
    "exponential moving average of the weights, such as 0.999, to validate and save instead of them (0: none)"
#define GW_OPTION_ROW_AVERAGE(offset) GW_OPTION_REAL, 0, "ema", "D", offset, GW_AVERAGE_HELP, .min = 0, .max = 0.9999999

#define GW_PAD_TO_HELP                                                                                                 \
    "sparse attention as of inputs padded to N tokens, for equality with padded batches elsewhere (0: no padding)"

#define GW_OPTION_ROW_PAD_TO(offset) GW_OPTION_INT, 0, "pad-to", "N", offset, GW_PAD_TO_HELP, .min = 0, .max = 1e9

// The row of --temperature, for commands that predict labels. offset: offset of the command's gw_inference_arguments.
#define GW_TEMPERATURE_HELP                                                                                            \
    "number that the logits of labels are divided by (0: the one that finetune has fitted; 1: logits as they are)"
#define GW_OPTION_ROW_TEMPERATURE(offset)                                                                              \
    GW_OPTION_REAL, 0, "temperature", "T", (offset) + offsetof(gw_inference_arguments, temperature),                   \
        GW_TEMPERATURE_HELP, .min = 0, .max = GW_MOST_TEMPERATURE

// All rows of a gw_inference_arguments. offset: its offset in the command's struct.
#define GW_OPTION_ROWS_INFERENCE(offset)                                                                               \
    {GW_OPTION_ROW_ATTENTION((offset) + offsetof(gw_inference_arguments, mode))},                                      \
        {GW_OPTION_ROW_PAD_TO((offset) + offsetof(gw_inference_arguments, pad_to))},                                   \
        {GW_OPTION_ROW_DTYPE((offset) + offsetof(gw_inference_arguments, dtype))}, {                                   \
        GW_OPTION_ROW_DEVICE((offset) + offsetof(gw_inference_arguments, device))                                      \
    }

// Paragraph for the help of these commands.
#define GW_INFERENCE_HELP                                                                                              \
    "--attention: BigBird's weights are run in several ways. seeded draws random blocks from fixed seeds, as "         \
    "transformers does in training and did in evaluation before 4.30; published BigBird and GENA-LM weights were "     \
    "trained so. hf-eval reads the first block in their place, as transformers' models do in evaluation since then; "  \
    "google follows google-research/bigbird, set counts every block once, start has the first two blocks global, not " \
    "the first and the last, full reads everything. What a folder's weights were trained with is the default."

// Fails if this processor cannot train with this type.
gw_status gw_check_training_precision(gw_precision dtype) GW_MUST_CHECK;

// Sets the attention mode of the model, checks the padding, fixes the weights, and prints notes about these. Models
// without BigBird's attention accept only their own mode and full. The command selects the device before it loads a
// model.
gw_status gw_inference_apply(const gw_inference_arguments *arguments, gw_model *model) GW_MUST_CHECK;
// Selects the device, loads a model from each folder, and applies the arguments. Free the models with
// gw_inference_unload(), which accepts NULL.
gw_status gw_inference_load(const gw_inference_arguments *arguments, const gw_string_list *folders,
                            gw_model ***out) GW_MUST_CHECK;
void gw_inference_unload(const gw_string_list *folders, gw_model **models);

// --- variants ------------------------------------------------------------------------------------------------------

// Arguments of commands that score the records of a variant file: records, model, genome, and how the model is run.

typedef struct {
    gw_score_options score; // set by the option rows
    const char *fasta, *chr_map, *track, *track_names;
    gw_inference_arguments inference;
} gw_variant_arguments;

// Kinds of model, for gw_option.models.
enum {
    GW_MODEL_PRETRAINED = 1,
    GW_MODEL_WINDOWS = 2, // labels windows
    GW_MODEL_PROMOTER = 4,
    GW_MODEL_NUMBERS = 8,
    GW_MODEL_SPLICING = 16,
    GW_MODEL_BASES = 32,   // scores polyadenylation
    GW_MODEL_SIGNALS = 64, // of polyadenylation
    GW_MODEL_TRACKS = 128,
    GW_MODEL_TEXTS = 256,
    GW_MODEL_ANSWERS = 512,
    GW_MODEL_WRITES = 1024, // has a decoder
    GW_MODEL_LABELLED = GW_MODEL_WINDOWS | GW_MODEL_PROMOTER | GW_MODEL_NUMBERS,
};
// Sets *kinds to the kinds of the folder's model. Loads the model.
gw_status gw_model_kinds_of(const char *folder, unsigned *kinds) GW_MUST_CHECK;
// gw_command.model_kinds for commands with arguments that begin with a gw_variant_arguments.
gw_status gw_variants_model_kinds(const void *arguments, unsigned *kinds) GW_MUST_CHECK;

// Kinds of work, for gw_option.of, of commands that also score other inputs than a variant file.
enum { GW_OF_VARIANTS = 1, GW_OF_CONSTRUCTS = 2 };

// Rows of a gw_variant_arguments; `at`: its offset in the command's struct. Rows of the input ...
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
     "promoter models: TSSs in whose windows variants are scored", .of = GW_OF_VARIANTS, .models = GW_MODEL_PROMOTER}, \
    {GW_OPTION_STRING, 0, "track", "LIST", GW_IN_VARIANTS(at, track),                                                  \
     "models of tracks: compute these alone: names, 0-based numbers, ~TEXT for all whose name holds TEXT",             \
     .of = GW_OF_VARIANTS, .models = GW_MODEL_TRACKS},                                                                 \
    {GW_OPTION_STRING, 0, "track-names", "FILE", GW_IN_VARIANTS(at, track_names),                                      \
     "models of tracks: a table with their names, a row for each (identifier, description)", .of = GW_OF_VARIANTS,     \
     .models = GW_MODEL_TRACKS},                                                                                       \
    {GW_OPTION_LIST, 0, "control", "FILE", GW_IN_VARIANTS(at, score.controls),                                         \
     GW_CONTROL_HELP, .of = GW_OF_VARIANTS, .models = GW_MODEL_TRACKS},                                               \
    {GW_OPTION_STRING, 0, "chr-map", "FILE", GW_IN_VARIANTS(at, chr_map),                                              \
     "TSV: another name, contig name in the genome", .of = GW_OF_VARIANTS}
// ... and rows of the run.
#define GW_OPTION_ROWS_SCORED_WINDOWS(at)                                                                              \
    {GW_OPTION_INT, 0, "window", "BP", GW_IN_VARIANTS(at, score.window),                                               \
     "bases around a variant (0: the model's own; pretrained: 1000, or what its positions hold, less a sixth where "   \
     "tokens are of several bases)", .min = 0,                                                                         \
     .max = 1e8, .of = GW_OF_VARIANTS},                                                                                \
    {GW_OPTION_INT, 0, "batch-tokens", "N", GW_IN_VARIANTS(at, score.batch_tokens),                                    \
     "tokens computed at a time (0: 8192, or the longest input)", .min = 0, .max = 1e8},                               \
    {GW_OPTION_ROW_TEMPERATURE(GW_IN_VARIANTS(at, inference))},                                                        \
    GW_OPTION_ROWS_INFERENCE(GW_IN_VARIANTS(at, inference))
// clang-format on

// Selects the device and loads the model, with fixed weights, and the genome. The caller frees both, also after a
// failure.
gw_status gw_variants_open(const gw_variant_arguments *arguments, gw_model **model, gw_genome **genome) GW_MUST_CHECK;

// --- held-out sequence ---------------------------------------------------------------------------------------------

// --test, --valid, --fold and --exclude: the held-out regions of labelled sets.

typedef struct {
    const char *test, *valid, *fold, *exclude;
} gw_held_out_arguments;

// Rows of these options; `at`: offset of the gw_held_out_arguments.
// clang-format off
#define GW_IN_HELD_OUT(at, field) ((at) + offsetof(gw_held_out_arguments, field))
#define GW_OPTION_ROWS_HELD_OUT(at)                                                                                    \
    {GW_OPTION_GROUP, .help = "Held-out sequence"},                                                                    \
    {GW_OPTION_STRING, 0, "test", "LIST", GW_IN_HELD_OUT(at, test), "contigs or regions of the test set"},             \
    {GW_OPTION_STRING, 0, "valid", "LIST", GW_IN_HELD_OUT(at, valid), "contigs or regions of the validation set"},     \
    {GW_OPTION_STRING, 0, "fold", "I/K", GW_IN_HELD_OUT(at, fold),                                                     \
     "cross-validation: the I-th of K shares of the contigs is the test set, the next one for validation"},            \
    {GW_OPTION_STRING, 0, "exclude", "LIST", GW_IN_HELD_OUT(at, exclude), "contigs or regions to leave out"}
// clang-format on

// Free `out` with gw_held_out_free(), also after a failure.
gw_status gw_held_out_of(const gw_held_out_arguments *arguments, gw_genome *genome, gw_held_out *out) GW_MUST_CHECK;

// --- the training state of commands that train -----------------------------------------------------------------------

#define GW_OPTION_ROW_CHECKPOINTS(offset, help)                                                                        \
    GW_OPTION_STRING, 0, "checkpoints", "FOLDER", offset,                                                              \
        "folder of the training state (OUTPUT.checkpoints, " help "; no: none is kept)", .writes = true
#define GW_OPTION_ROW_RESUME(offset)                                                                                   \
    GW_OPTION_FLAG, 0, "resume", NULL, offset, "continue from the training state, where there is one"

// Returns the path without trailing slashes, so that "model/" and "model" get the same files beside them. free() it.
char *gw_without_last_slashes(const char *path);
// Sets *out to the folder of --checkpoints: NULL for "no", and a folder beside `output` if the option was not given.
// free() it. --resume with "no" is GW_ERR_USAGE.
gw_status gw_checkpoints_folder(const char *given, const char *output, bool resume, char **out) GW_MUST_CHECK;

#endif
