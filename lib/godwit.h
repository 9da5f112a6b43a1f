// SPDX-License-Identifier: MIT
// libgodwit for other programs: open a model folder, read DNA with it, score variants. C99 and C++.
//
//     gw_predictor *predictor;
//     if (gw_predictor_open("model", NULL, &predictor) != 0) fprintf(stderr, "%s\n", gw_message());
//
// Failures: a GW_CHECKED function returns 0, or a gw_error and leaves a message in gw_message(). After a failure,
// handles are NULL and all other outputs are undefined. A NULL handle or argument is a failure, unless the comment of
// the function allows it. Messages count inputs, letters and variants from 0. The library never prints and never exits.
// Threads: a predictor and its scorers may be used by one thread at a time. They compute on several threads. Different
// predictors may be used at the same time. A process that forks calls the library either before the fork or after it,
// not both.
// Memory: arrays belong to the caller, are in C order, and need not outlive the call. Memory that a function lends
// belongs to the handle. The comment of the function says how long the memory is valid.
// Batches: a call takes any number of inputs and computes them in parts that fit the memory. A result depends neither
// on the other inputs of the call nor on the number of threads.
// DNA: letters of IUPAC's code in upper or lower case. U counts as T. Letters for several bases count as N. Any other
// character is an error that names the character and its position. A model with a vocabulary of text takes UTF-8 text
// unchanged.
// Growth: 0 and NULL in options are the defaults. The caller sets `size` to sizeof the struct, so that later versions
// may add fields.
//
// Compile and link: pkg-config --cflags --libs godwit. docs/guides/library.md is a guide, docs/guides/example.c a
// whole program.
#ifndef GODWIT_H
#define GODWIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __GNUC__
#define GW_EXPORT __attribute__((visibility("default")))
#define GW_CHECKED GW_EXPORT __attribute__((warn_unused_result)) // returns 0 or a gw_error
#else
#define GW_EXPORT
#define GW_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

// docs/reference/versions.md lists what later versions with the same first number keep. The numbers are for #if.
#define GW_VERSION "1.0.0"
#define GW_VERSION_MAJOR 1
#define GW_VERSION_MINOR 0
// GW_VERSION of the library that runs.
GW_EXPORT const char *gw_version(void);

// Kinds of failure. Values never change; later versions may add some.
enum gw_error {
    GW_ERROR_NONE = 0,
    GW_ERROR_IO = 10,          // cannot open, read or write
    GW_ERROR_FORMAT = 20,      // a file contradicts its format
    GW_ERROR_MISMATCH = 21,    // two inputs contradict each other
    GW_ERROR_RANGE = 22,       // a value outside its range, a NULL, a letter that is no base, an output not finite
    GW_ERROR_MEMORY = 30,      // out of memory
    GW_ERROR_UNSUPPORTED = 40, // valid, but this model, processor or library cannot do it
};

// The message of this thread's last failure. The text is valid until this thread's next failure.
GW_EXPORT const char *gw_message(void);

// Sets the hook that takes warnings, for example about a tensor that no model reads. After a warning the work goes on.
// The hook runs on the thread that found the fault. NULL, the default, drops warnings. Set the hook before other calls.
GW_EXPORT void gw_set_warning(void (*hook)(const char *message));

// ---- a model that is ready to run

// A predictor is made from a folder with config.json, a tokenizer and weights, as Hugging Face's transformers and
// godwit write them.
typedef struct gw_predictor gw_predictor;

typedef struct {
    size_t size;
    const char *attention; // seeded, hf-eval, google, set, start or full (docs/reference/patterns.md); NULL: as trained
    const char *dtype; // type of the numbers that are multiplied: "f32", or "bf16" if the processor has it; NULL: f32
    int64_t pad_to;    // sparse attention as for inputs padded to this number of tokens; 0: the length of each input
    int64_t batch_tokens; // tokens in a batch; more tokens need more memory; 0: 8192, or the longest input
    int64_t threads;      // number of threads; 0: one for each CPU that this process may use (OMP_NUM_THREADS)
    double temperature;   // divides the logits of labels; 0: the value that finetune fitted; 1: none
} gw_predictor_options;

// folder: a path, or the name of an installed model. Names are looked up below the folders of GODWIT_MODELS (joined by
// colons) and below share/godwit/models beside the program or the library. options: NULL for the defaults. Close the
// scorers of the predictor, then the predictor with gw_predictor_close().
GW_CHECKED int gw_predictor_open(const char *folder, const gw_predictor_options *options, gw_predictor **out);
GW_EXPORT void gw_predictor_close(gw_predictor *predictor); // NULL is fine

// Sizes; 0 for a NULL handle. vocabulary: tokens of the vocabulary. width: floats of a hidden state. layers: layers of
// the network. positions: most tokens of an input, [CLS] and [SEP] included. window: length in bp of the windows that a
// fine-tuned model was trained on (0: unknown).
GW_EXPORT int64_t gw_predictor_vocabulary(const gw_predictor *predictor);
GW_EXPORT int64_t gw_predictor_width(const gw_predictor *predictor);
GW_EXPORT int64_t gw_predictor_layers(const gw_predictor *predictor);
GW_EXPORT int64_t gw_predictor_positions(const gw_predictor *predictor);
GW_EXPORT int64_t gw_predictor_window(const gw_predictor *predictor);
// Number of labels that a fine-tuned model predicts; 0 for a pretrained model.
GW_EXPORT int64_t gw_predictor_labels(const gw_predictor *predictor);
// The name of label 0 .. labels - 1, and the text of a token such as "ACGT" or "[CLS]"; "" for any other number. The
// texts are valid until the predictor is closed.
GW_EXPORT const char *gw_predictor_label(const gw_predictor *predictor, int64_t label);
GW_EXPORT const char *gw_predictor_token(const gw_predictor *predictor, int32_t token);

// ---- inputs: bases[i] has lengths[i] letters, for i from 0 to count - 1. If lengths is NULL, each input ends with a
// zero byte. An empty input and an input with more tokens than the model has positions are errors.

// Tokens of one input of any length, between [CLS] and [SEP]. The tokens are valid until the next call of the
// predictor. length -1: the input ends with a zero byte.
GW_CHECKED int gw_predictor_tokenize(gw_predictor *predictor, const char *bases, int64_t length, const int32_t **tokens,
                                     int64_t *count);

// Strands that a prediction is averaged over.
enum gw_strand {
    GW_STRAND_DEFAULT = 0, // as `godwit predict`: both for profiles, one for everything else
    GW_STRAND_GIVEN = 1,
    GW_STRAND_BOTH = 2, // the input and its reverse complement; DNA only
};

// Fine-tuned models: probabilities and logits, [count][labels] each. One of them may be NULL. The logit of p is ln(p /
// (1 - p)), with p clipped to 1e-7 .. 1 - 1e-7. Both are corrected for the weight of positives in training and for the
// temperature of the model or of the options.
GW_CHECKED int gw_predictor_predict(gw_predictor *predictor, const char *const *bases, const int64_t *lengths,
                                    int64_t count, int strands, float *probabilities, float *logits);

// The vector of an input. CLS: the hidden state of [CLS]. MEAN, MAX: the mean or the largest value over the input's own
// tokens. SENTENCE: the mean over all tokens, [CLS] and [SEP] included. AUTO: the pooling in modules.json of a folder
// of sentence-transformers; CLS for other folders. SENTENCE and modules.json cut inputs that are too long, with a
// warning.
enum gw_pooling {
    GW_POOLING_CLS = 0,
    GW_POOLING_MEAN = 1,
    GW_POOLING_MAX = 2,
    GW_POOLING_SENTENCE = 3,
    GW_POOLING_AUTO = 4,
};

// Number of floats of this vector: the model's width, or a multiple of the width if the folder of sentence-transformers
// joins several vectors. 0 for a NULL handle and for an unknown pooling.
GW_EXPORT int64_t gw_predictor_embed_width(const gw_predictor *predictor, int pooling);
// rows [count][gw_predictor_embed_width()]: hidden states after `layer` layers. layer: 0 (the embeddings) to the number
// of layers, or -1 for the last layer. Rows equal those of `godwit embed` for inputs that fit the positions.
GW_CHECKED int gw_predictor_embed(gw_predictor *predictor, const char *const *bases, const int64_t *lengths,
                                  int64_t count, int pooling, int64_t layer, float *rows);

// ---- tokens: ids of one input, [CLS] and [SEP] included

// hidden [count][width]: the last layer's state of each token.
GW_CHECKED int gw_predictor_hidden(gw_predictor *predictor, const int32_t *tokens, int64_t count, float *hidden);

// Pretrained models: predictions at each of `positions` (0-based, [masked]), with only this token masked. probabilities
// and logits: [masked][vocabulary] each. One of them may be NULL.
GW_CHECKED int gw_predictor_predict_masked(gw_predictor *predictor, const int32_t *tokens, int64_t count,
                                           const int64_t *positions, int64_t masked, float *probabilities,
                                           float *logits);

// ---- questions: models that answer a question by spans of a text, as `godwit ask`

typedef struct {
    size_t size;
    int64_t best;       // spans to return, best first; 0: one
    int64_t max_length; // tokens of the windows of long texts; 0: as the model was trained
    int64_t stride;     // tokens from one window to the next; 0: half a window's text
    int64_t max_answer; // most tokens of a span; 0: 30
} gw_ask_options;

typedef struct {
    int64_t begin, end; // bytes of the text, 0-based; end is the byte after the span
    double score;       // sum of the logits of the span's first and last token
    double no_answer;   // logit of no answer minus the logit of the best span
} gw_found_span;

// question and text are UTF-8. length -1: the text ends with a zero byte. spans has room for options->best spans.
// *count is the number of spans found: 0 if the text has no word. options: NULL for the defaults.
GW_CHECKED int gw_predictor_ask(gw_predictor *predictor, const char *question, const char *text, int64_t length,
                                const gw_ask_options *options, gw_found_span *spans, int64_t *count);

// ---- variants

// A predictor's model together with a genome. Close the scorer before the predictor.
typedef struct gw_scorer gw_scorer;

typedef struct {
    size_t size;
    int64_t window;           // bp; 0: the model's own; pretrained models: 1000, or less if less fits
    const char *sites;        // promoter models: BED of start sites; variants in their windows are scored; NULL: none
    const char *contig_names; // table of two columns: another name, and the contig's name; NULL: none
    int64_t phases; // number of averaged windows, shifted by 0, 1, -1, 2 ... bp; at most 16; 0: 1. Not with sites
} gw_scorer_options;

// fasta: the reference, plain or BGZF, preferably with its .fai. options: NULL for the defaults. If the model's folder
// names its training genome, a different genome gives a warning (gw_set_warning()).
GW_CHECKED int gw_scorer_open(gw_predictor *predictor, const char *fasta, const gw_scorer_options *options,
                              gw_scorer **out);
GW_EXPORT void gw_scorer_close(gw_scorer *scorer);           // NULL is fine
GW_EXPORT int64_t gw_scorer_window(const gw_scorer *scorer); // bp; 0 for a NULL handle

// Columns of `count` variants. Alleles are texts of bases, as in a VCF. An allele that cannot be scored is not a
// failure: its status gives the reason.
typedef struct {
    size_t size;
    int64_t count;
    const char *const *contig; // names, also "chr1" for "1" and the like
    const int64_t *position;   // 1-based, of the first base of ref: POS of a VCF
    const char *const *ref, *const *alt;
} gw_scorer_variants;

// Columns to fill: [count] each, except profiles. NULL: this column is not computed. Missing values are NaN or -1. The
// values are the unrounded values that `godwit score` writes as GW_DIFF and so on.
typedef struct {
    size_t size;
    int32_t *status; // gw_scorer_status() has its name; 0: PASS
    // Fine-tuned models:
    float *diff;        // p(ALT) - p(REF) of the label that changes most
    float *logit;       // difference of the logits of this label
    float *mean;        // mean |p(ALT) - p(REF)| over the labels
    float *pref, *palt; // p(REF) and p(ALT) of this label
    int32_t *top;       // index of this label: gw_predictor_label()
    int32_t *site;      // start site of these values: gw_scorer_site(); -1 without sites
    float *profiles;    // [count][2][labels] probabilities of REF and of ALT
    // Pretrained models:
    float *llr; // log-likelihood ratio of ALT to REF in bits, mean of both strands
    // Both:
    float *sd; // with several phases: standard deviation of diff or llr over the phases
} gw_scorer_results;

// The names of the columns that this scorer fills, except status and profiles: "diff", "logit" ... for column 0, 1 ...;
// "" for any other number.
GW_EXPORT const char *gw_scorer_column(const gw_scorer *scorer, int32_t column);

GW_CHECKED int gw_scorer_run(gw_scorer *scorer, const gw_scorer_variants *variants, const gw_scorer_results *results);

// The name of a status as in GW_STATUS: "PASS", "NRICH" (scored), or a reason such as "REFMISMATCH"; "" for any other
// number.
GW_EXPORT const char *gw_scorer_status(int32_t status);
// The name of a start site as in GW_SITE, valid until the next call; "" for any other number.
GW_EXPORT const char *gw_scorer_site(gw_scorer *scorer, int32_t site);

#ifdef __cplusplus
}
#endif
#endif
