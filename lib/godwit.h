// SPDX-License-Identifier: MIT
// libgodwit for other programs: open a model folder, read DNA with it, score variants. C99 and C++.
//
//     gw_predictor *predictor;
//     if (gw_predictor_open("model", NULL, &predictor) != 0) fprintf(stderr, "%s\n", gw_message());
//
// Failures: GW_CHECKED functions return 0 when done and else a gw_error, with a message in gw_message(). What they
// were to fill is then undefined, but for handles, which are NULL. A NULL handle or argument is such a failure, unless
// its comment allows it. Messages count inputs, letters and variants from 0. The library never prints and never exits.
// Threads: a predictor with its scorers belongs to one thread at a time and computes on several; different predictors
// may be used at the same time. A process that forks calls the library before or after, not on both sides.
// Memory: arrays are the caller's, C order, and need not outlive the call. What the library lends belongs to its handle
// and says how long it stays.
// Batches: any number of inputs may go in one call, and run in parts that fit the memory. Results do not depend on what
// else is in a call, nor on the number of threads.
// DNA: letters of IUPAC's code in upper or lower case; U counts as T, letters for several bases count as N. Any other
// character is an error that names it and its place. A model whose vocabulary is not of DNA takes UTF-8 text as it is.
// Growth: 0 and NULL in options are the defaults. `size` is sizeof the struct as the caller was compiled, so that later
// versions may add fields.
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

// What a later version with the same first number takes and gives back, docs/reference/versions.md says. The numbers
// are for #if.
#define GW_VERSION "1.0.0"
#define GW_VERSION_MAJOR 1
#define GW_VERSION_MINOR 0
// GW_VERSION of the library that runs.
GW_EXPORT const char *gw_version(void);

// Kinds of failure. Values stay as they are; new ones may come.
enum gw_error {
    GW_ERROR_NONE = 0,
    GW_ERROR_IO = 10,          // cannot open, read or write
    GW_ERROR_FORMAT = 20,      // a file is not what its format says
    GW_ERROR_MISMATCH = 21,    // two inputs contradict each other
    GW_ERROR_RANGE = 22,       // a value outside its range, a NULL, a letter that is no base, an output not finite
    GW_ERROR_MEMORY = 30,      // out of memory
    GW_ERROR_UNSUPPORTED = 40, // understood, but not what this model, processor or library does
};

// What went wrong in this thread's last failure; valid until its next one.
GW_EXPORT const char *gw_message(void);

// Facts that the user should know though the work goes on, such as tensors of a file that no model reads, go to the
// hook, on the thread that found them. NULL, as it is at first: they are dropped. To be set before other calls.
GW_EXPORT void gw_set_warning(void (*hook)(const char *message));

// ---- a model made ready to run

// Of a folder with config.json, a tokenizer and weights, as Hugging Face's transformers and godwit write them.
typedef struct gw_predictor gw_predictor;

typedef struct {
    size_t size;
    const char *attention; // seeded, hf-eval, google, set, start or full (docs/reference/patterns.md); NULL: as trained
    const char *dtype;     // of the products: "f32", or "bf16" where the processor has it; NULL: f32
    int64_t pad_to;        // sparse attention as of inputs padded to so many tokens; 0: each input's own length
    int64_t batch_tokens;  // tokens computed at a time, which sets the memory; 0: 8192, or the longest input
    int64_t threads;       // to compute with; 0: one for each CPU this process may use (OMP_NUM_THREADS)
    double temperature;    // that the logits of labels are divided by; 0: the one fitted by finetune; 1: none
} gw_predictor_options;

// folder: also the name of an installed model, of those below the folders of GODWIT_MODELS (joined by colons) or below
// share/godwit/models beside the program or the library. options: NULL for the defaults. Close with
// gw_predictor_close(), after its scorers.
GW_CHECKED int gw_predictor_open(const char *folder, const gw_predictor_options *options, gw_predictor **out);
GW_EXPORT void gw_predictor_close(gw_predictor *predictor); // NULL is fine

// Sizes; 0 of a NULL handle. Tokens of the vocabulary, floats of a hidden state, layers, most tokens of an input
// ([CLS] and [SEP] included), bp of the windows that a fine-tuned model was trained on (0: unknown).
GW_EXPORT int64_t gw_predictor_vocabulary(const gw_predictor *predictor);
GW_EXPORT int64_t gw_predictor_width(const gw_predictor *predictor);
GW_EXPORT int64_t gw_predictor_layers(const gw_predictor *predictor);
GW_EXPORT int64_t gw_predictor_positions(const gw_predictor *predictor);
GW_EXPORT int64_t gw_predictor_window(const gw_predictor *predictor);
// Labels that a fine-tuned model predicts; 0 of a pretrained one.
GW_EXPORT int64_t gw_predictor_labels(const gw_predictor *predictor);
// The name of label 0 .. labels - 1, and the text of a token such as "ACGT" or "[CLS]"; "" where there is none such.
// They stay until the predictor is closed.
GW_EXPORT const char *gw_predictor_label(const gw_predictor *predictor, int64_t label);
GW_EXPORT const char *gw_predictor_token(const gw_predictor *predictor, int32_t token);

// ---- inputs: bases[i] has lengths[i] letters, for i of 0 .. count - 1; lengths NULL: each ends with a zero byte.
// Empty inputs and those of more tokens than the model has positions are errors.

// Tokens of one input, however many, between [CLS] and [SEP]; lent until the predictor's next call. length -1: the
// input ends with a zero byte.
GW_CHECKED int gw_predictor_tokenize(gw_predictor *predictor, const char *bases, int64_t length, const int32_t **tokens,
                                     int64_t *count);

// Which strands a prediction is the mean of.
enum gw_strand {
    GW_STRAND_DEFAULT = 0, // as `godwit predict`: both for profiles, one for everything else
    GW_STRAND_GIVEN = 1,
    GW_STRAND_BOTH = 2, // the input and its reverse complement; of DNA only
};

// Fine-tuned models: probabilities and logits, [count][labels] each; one of them may be NULL. The logit of p is
// ln(p / (1 - p)), with p clipped to 1e-7 .. 1 - 1e-7. The weight of positives in training is taken off both, and the
// temperature of the model or the options divides both.
GW_CHECKED int gw_predictor_predict(gw_predictor *predictor, const char *const *bases, const int64_t *lengths,
                                    int64_t count, int strands, float *probabilities, float *logits);

// What an input's vector is: the state of [CLS]; the mean or largest over its own tokens; the mean over all tokens,
// [CLS] and [SEP] too; or what the modules.json of a folder of sentence-transformers says, and of another folder the
// state of [CLS]. Inputs that are too long are cut, with a warning, for GW_POOLING_SENTENCE and for what modules.json
// says.
enum gw_pooling {
    GW_POOLING_CLS = 0,
    GW_POOLING_MEAN = 1,
    GW_POOLING_MAX = 2,
    GW_POOLING_SENTENCE = 3,
    GW_POOLING_AUTO = 4,
};

// Floats of such a vector: the model's width, or a multiple of it where sentence-transformers puts several vectors end
// to end; 0 of a NULL handle and a pooling that there is not.
GW_EXPORT int64_t gw_predictor_embed_width(const gw_predictor *predictor, int pooling);
// rows [count][gw_predictor_embed_width()]: hidden states after `layer` layers, 0 (the embeddings) to layers, or -1 for
// the last. The same as `godwit embed` of inputs that fit the positions.
GW_CHECKED int gw_predictor_embed(gw_predictor *predictor, const char *const *bases, const int64_t *lengths,
                                  int64_t count, int pooling, int64_t layer, float *rows);

// ---- tokens: ids of one input, [CLS] and [SEP] included

// hidden [count][width]: the last layer's state of each token.
GW_CHECKED int gw_predictor_hidden(gw_predictor *predictor, const int32_t *tokens, int64_t count, float *hidden);

// Pretrained models: what they expect at each of `positions` (0-based, [masked]), that token alone hidden from them:
// probabilities and logits, [masked][vocabulary] each; one of them may be NULL.
GW_CHECKED int gw_predictor_predict_masked(gw_predictor *predictor, const int32_t *tokens, int64_t count,
                                           const int64_t *positions, int64_t masked, float *probabilities,
                                           float *logits);

// ---- questions: models that answer them by spans of a text, as `godwit ask`

typedef struct {
    size_t size;
    int64_t best;       // spans to give, of falling score; 0: one
    int64_t max_length; // tokens of the windows that long texts are read in; 0: as the model was trained
    int64_t stride;     // tokens from one window to the next; 0: half of what a window holds
    int64_t max_answer; // most tokens of a span; 0: 30
} gw_ask_options;

typedef struct {
    int64_t begin, end; // bytes of the text, the end behind the last
    double score;       // the sum of the logits of its ends
    double no_answer;   // how much more the model is for no answer than for the best span
} gw_found_span;

// question and text are UTF-8; length -1: the text ends with a zero byte. spans has room for options->best; *count says
// how many there are: 0 where the text has no word. options: NULL for the defaults.
GW_CHECKED int gw_predictor_ask(gw_predictor *predictor, const char *question, const char *text, int64_t length,
                                const gw_ask_options *options, gw_found_span *spans, int64_t *count);

// ---- variants

// A predictor's model over a genome. Close it before the predictor.
typedef struct gw_scorer gw_scorer;

typedef struct {
    size_t size;
    int64_t window;    // bp; 0: the model's own, or of a pretrained model the smaller of 1000 and what fits
    const char *sites; // promoter models: BED of the start sites in whose windows variants are scored; NULL: none
    const char *contig_names; // table of two columns, another name and the contig's; NULL: none
    int64_t phases; // windows shifted by 0, 1, -1, 2 ... bp that are averaged, at most 16; 0: 1. Not with sites
} gw_scorer_options;

// fasta: the reference, plain or BGZF, best with its .fai. options: NULL for the defaults. A genome that the model was
// not trained on is warned of (gw_set_warning()), where the model's folder says which that is.
GW_CHECKED int gw_scorer_open(gw_predictor *predictor, const char *fasta, const gw_scorer_options *options,
                              gw_scorer **out);
GW_EXPORT void gw_scorer_close(gw_scorer *scorer);           // NULL is fine
GW_EXPORT int64_t gw_scorer_window(const gw_scorer *scorer); // bp; 0 of a NULL handle

// Columns of `count` variants. Alleles are texts of bases, as in a VCF; one that cannot be scored is no failure, but
// has a status.
typedef struct {
    size_t size;
    int64_t count;
    const char *const *contig; // names, also "chr1" for "1" and the like
    const int64_t *position;   // 1-based, of the first base of ref: POS of a VCF
    const char *const *ref, *const *alt;
} gw_scorer_variants;

// Columns to fill, [count] each but for profiles; NULL: not wanted. What has no score is NaN or -1. The values are
// those that `godwit score` writes as GW_DIFF and so on, unrounded.
typedef struct {
    size_t size;
    int32_t *status; // gw_scorer_status() has its name; 0: PASS
    // Fine-tuned models:
    float *diff;        // p(ALT) - p(REF) of the label for which it is largest in size
    float *logit;       // the same of the logits of that label
    float *mean;        // mean |p(ALT) - p(REF)| over the labels
    float *pref, *palt; // p(REF) and p(ALT) of that label
    int32_t *top;       // its index: gw_predictor_label()
    int32_t *site;      // start site that gave the values: gw_scorer_site(); -1 without sites
    float *profiles;    // [count][2][labels] probabilities of REF and of ALT
    // Pretrained models:
    float *llr; // log-likelihood ratio of ALT to REF in bits, mean of both strands
    // Both:
    float *sd; // of several phases: standard deviation over them of diff, or of llr
} gw_scorer_results;

// The names of the columns that have values with this scorer, but for status and profiles: "diff", "logit" ... for
// column 0, 1 ...; "" for any other number.
GW_EXPORT const char *gw_scorer_column(const gw_scorer *scorer, int32_t column);

GW_CHECKED int gw_scorer_run(gw_scorer *scorer, const gw_scorer_variants *variants, const gw_scorer_results *results);

// The name of a status as GW_STATUS has it: "PASS", "NRICH" (scored), or the reason against it such as "REFMISMATCH";
// "" for any other number.
GW_EXPORT const char *gw_scorer_status(int32_t status);
// The name of a start site as GW_SITE has it, lent until the next call; "" for any other number.
GW_EXPORT const char *gw_scorer_site(gw_scorer *scorer, int32_t site);

#ifdef __cplusplus
}
#endif
#endif
