// SPDX-License-Identifier: MIT
// libgodwit for other programs: open a model folder, read DNA with it. C11 and C++.
//
//     gw_predictor *reader;
//     if (gw_predictor_open("model", &reader) != 0) fprintf(stderr, "%s\n", gw_message());
//
// Functions that can fail return 0 when done, and else a code of the kinds below with a message in gw_message(). The
// library never prints and never exits. A reader belongs to one thread at a time; its own work runs on all threads that
// gw_set_threads() allows. DNA is text in upper or lower case: U counts as T, other IUPAC letters as N.
//
// Compile and link: pkg-config --cflags --libs godwit (a static library also needs --static). docs/example.c is a whole
// program.
#ifndef GODWIT_H
#define GODWIT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Kinds of failure. Values stay as they are; new ones may come.
//   10 input or output    20 a file is not what its format says    21 two inputs contradict each other
//   22 a value outside its range    30 out of memory    40 not supported    50 interrupted

// What went wrong in this thread's last failure; valid until its next one.
const char *gw_message(void);

// Threads to compute with, 1 or more; the default is one for each CPU this process may use. Set it before readers are
// opened: a reader has memory for the threads set then.
void gw_set_threads(int count);

// A model folder made ready to run: config.json, tokenizer.json, model.safetensors. Close with gw_predictor_close().
typedef struct gw_predictor gw_predictor;
int gw_predictor_open(const char *folder, gw_predictor **out);
void gw_predictor_close(gw_predictor *reader); // NULL is fine

// Sizes: tokens in the vocabulary, floats of a hidden state, most tokens of a sequence (special ones included).
int64_t gw_predictor_vocabulary(const gw_predictor *reader);
int64_t gw_predictor_width(const gw_predictor *reader);
int64_t gw_predictor_positions(const gw_predictor *reader);
// Labels that a fine-tuned model predicts, and their names; 0 for a pretrained model. Strings belong to the reader.
int64_t gw_predictor_labels(const gw_predictor *reader);
const char *gw_predictor_label(const gw_predictor *reader, int64_t label);
// Text of a token, such as "ACGT" or "[CLS]".
const char *gw_predictor_token(const gw_predictor *reader, int32_t token);

// Tokens of `length` bases between [CLS] and [SEP]. They belong to the reader until its next call.
int gw_predictor_tokenize(gw_predictor *reader, const char *bases, int64_t length, const int32_t **tokens,
                          int64_t *count);

// Fine-tuned models: probabilities[labels] of a window of `length` bases; both_strands != 0: the mean over the window
// and its reverse complement.
int gw_predictor_predict(gw_predictor *reader, const char *bases, int64_t length, int both_strands,
                         float *probabilities);

// Pretrained models: probabilities[vocabulary] of the token at `position` (0-based) of tokens[count], which is hidden
// from the model.
int gw_predictor_predict_masked(gw_predictor *reader, const int32_t *tokens, int64_t count, int64_t position,
                                float *probabilities);

// Hidden states [count][width] of tokens[count], row by row. They belong to the reader until its next call.
int gw_predictor_embed(gw_predictor *reader, const int32_t *tokens, int64_t count, const float **hidden);

#ifdef __cplusplus
}
#endif
#endif
