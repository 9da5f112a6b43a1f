// SPDX-License-Identifier: MIT
// ROUGE of a text against a reference (Lin, 2004), as the package rouge-score 0.1.2 computes it, whose metrics papers
// give: of words as numbers, of many texts, and of the lines of two files.
#ifndef GW_LANGUAGE_ROUGE_H
#define GW_LANGUAGE_ROUGE_H

#include "base/status.h"
#include "measure/agreement.h"

#include <stdint.h>

// Words of several texts, with one number for each distinct word: lower case, runs of the letters a to z and of digits,
// those of more than three letters by their stem (language/porter.h). Sentences end at line ends and at "<n>", which
// Pegasus writes for them.
typedef struct gw_rouge_words gw_rouge_words;
gw_status gw_rouge_words_new(gw_rouge_words **out) GW_MUST_CHECK;
void gw_rouge_words_free(gw_rouge_words *words);
// Adds a text, of valid UTF-8. Sentences without a character are left out.
gw_status gw_rouge_words_add(gw_rouge_words *words, const char *text, int64_t length) GW_MUST_CHECK;
// Numbers the words once all texts were added.
gw_status gw_rouge_words_number(gw_rouge_words *words) GW_MUST_CHECK;
// Of text `i`: its words' numbers, and the first word of each sentence with the number of words at the end.
void gw_rouge_words_text(const gw_rouge_words *words, int64_t i, const int32_t **word, const int64_t **start,
                         int64_t *sentences);

// R words of the reference, P of the text.
//   ROUGE-n     matches: n-grams in common, each as often as in the text that has fewer
//   ROUGE-L     matches: the longest common subsequence of all words
//   ROUGE-Lsum  matches: for each sentence of the reference the union of its longest common subsequences with every
//               sentence of the text, each word at most as often as in either
//   recall = matches / R, precision = matches / P (of n-grams: their numbers), F1 = 2 p r / (p + r); 0 for 0 / 0

typedef struct {
    const int32_t *word;  // [words], 0 to below 2^31
    const int64_t *start; // [sentences + 1] first word of each, the number of words at the end
    int64_t sentences;
} gw_rouge_text;

typedef enum { GW_ROUGE_1, GW_ROUGE_2, GW_ROUGE_L, GW_ROUGE_LSUM, GW_ROUGES } gw_rouge_kind;
extern const char *const gw_rouge_names[GW_ROUGES]; // "rouge1" ...

typedef struct {
    double precision, recall, f1;
} gw_rouge;

// Of each kind.
gw_status gw_rouge_compute(const gw_rouge_text *reference, const gw_rouge_text *text,
                           gw_rouge out[GW_ROUGES]) GW_MUST_CHECK;

// ROUGE over many texts: its means, and the bootstrap interval of the mean of F1.

typedef struct {
    int64_t pairs;
    gw_rouge mean[GW_ROUGES];
    gw_interval f1[GW_ROUGES];
} gw_rouge_summary;

typedef struct gw_rouge_mean gw_rouge_mean;
gw_status gw_rouge_mean_new(gw_rouge_mean **out) GW_MUST_CHECK;
void gw_rouge_mean_free(gw_rouge_mean *mean); // NULL is fine
// Adds a text (UTF-8, "<n>" or a newline ends a sentence) beside its references; of several the one with the largest F1
// counts, kind by kind. `scores` are its own.
gw_status gw_rouge_mean_add(gw_rouge_mean *mean, const char *const *references, int64_t reference_count,
                            const char *text, gw_rouge scores[GW_ROUGES]) GW_MUST_CHECK;
// At least one text was added.
gw_status gw_rouge_mean_summarise(const gw_rouge_mean *mean, int64_t samples, uint64_t seed,
                                  gw_rouge_summary *out) GW_MUST_CHECK;

// Line i of `references` belongs to line i of `texts`; a line is a text, "<n>" ends its sentences, and it may be empty.
// Another number of lines and what is not UTF-8 are errors. per_pair: a table with a row for each pair, or NULL.
gw_status gw_rouge_files(const char *references, const char *texts, const char *per_pair, int64_t samples,
                         uint64_t seed, gw_rouge_summary *out) GW_MUST_CHECK;

#endif
