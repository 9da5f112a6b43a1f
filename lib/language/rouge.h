// SPDX-License-Identifier: MIT
// ROUGE of a text against a reference (Lin, 2004), as in the package rouge-score 0.1.2, which papers use: for words as
// numbers, for several texts, and for the lines of two files.
#ifndef GW_LANGUAGE_ROUGE_H
#define GW_LANGUAGE_ROUGE_H

#include "base/status.h"
#include "measure/agreement.h"

#include <stdint.h>

// Words of several texts, with one number for each distinct word: lower case, runs of the letters a to z and digits,
// words of more than three letters by their stem (language/porter.h). Sentences end at line ends and at "<n>", as
// Pegasus writes them.
typedef struct gw_rouge_words gw_rouge_words;
gw_status gw_rouge_words_new(gw_rouge_words **out) GW_MUST_CHECK;
void gw_rouge_words_free(gw_rouge_words *words);
// Adds a text of valid UTF-8. Empty sentences are skipped.
gw_status gw_rouge_words_add(gw_rouge_words *words, const char *text, int64_t length) GW_MUST_CHECK;
// Numbers the words, after all texts were added.
gw_status gw_rouge_words_number(gw_rouge_words *words) GW_MUST_CHECK;
// For text `i`: the numbers of its words, and the first word of each sentence, followed by the number of words.
void gw_rouge_words_text(const gw_rouge_words *words, int64_t i, const int32_t **word, const int64_t **start,
                         int64_t *sentences);

// With R words in the reference and P in the text:
//   ROUGE-n     matches: common n-grams, each counted as often as in the text that has fewer
//   ROUGE-L     matches: the longest common subsequence of all words
//   ROUGE-Lsum  matches: for each sentence of the reference, the union of its longest common subsequences with every
//               sentence of the text, each word at most as often as in either
//   recall = matches / R, precision = matches / P (for n-grams: their numbers), F1 = 2 p r / (p + r); 0 for 0 / 0

typedef struct {
    const int32_t *word;  // [words], 0 to below 2^31
    const int64_t *start; // [sentences + 1] first word of each sentence, then the number of words
    int64_t sentences;
} gw_rouge_text;

typedef enum { GW_ROUGE_1, GW_ROUGE_2, GW_ROUGE_L, GW_ROUGE_LSUM, GW_ROUGES } gw_rouge_kind;
extern const char *const gw_rouge_names[GW_ROUGES]; // "rouge1" ...

typedef struct {
    double precision, recall, f1;
} gw_rouge;

// Computes all kinds.
gw_status gw_rouge_compute(const gw_rouge_text *reference, const gw_rouge_text *text,
                           gw_rouge out[GW_ROUGES]) GW_MUST_CHECK;

// ROUGE over several texts: the means, and the bootstrap interval of the mean F1.

typedef struct {
    int64_t pairs;
    gw_rouge mean[GW_ROUGES];
    gw_interval f1[GW_ROUGES];
} gw_rouge_summary;

typedef struct gw_rouge_mean gw_rouge_mean;
gw_status gw_rouge_mean_new(gw_rouge_mean **out) GW_MUST_CHECK;
void gw_rouge_mean_free(gw_rouge_mean *mean); // NULL is fine
// Adds a text (UTF-8, "<n>" or a newline ends a sentence) with its references. Of several references the one with the
// largest F1 counts, for each kind. `scores` are those of this text.
gw_status gw_rouge_mean_add(gw_rouge_mean *mean, const char *const *references, int64_t reference_count,
                            const char *text, gw_rouge scores[GW_ROUGES]) GW_MUST_CHECK;
// At least one text must be added before.
gw_status gw_rouge_mean_summarise(const gw_rouge_mean *mean, int64_t samples, uint64_t seed,
                                  gw_rouge_summary *out) GW_MUST_CHECK;

// Line i of `references` belongs to line i of `texts`. A line is a text, which may be empty; "<n>" ends its sentences.
// Different numbers of lines and invalid UTF-8 are errors. per_pair: a table to write, with a row for each pair, or
// NULL.
gw_status gw_rouge_files(const char *references, const char *texts, const char *per_pair, int64_t samples,
                         uint64_t seed, gw_rouge_summary *out) GW_MUST_CHECK;

#endif
