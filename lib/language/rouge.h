// SPDX-License-Identifier: MIT
// ROUGE of a text against a reference (Lin, 2004), as the package rouge-score 0.1.2 computes it, whose metrics papers
// give. Texts are words as numbers (language/rouge_words.h); R words of the reference, P of the text.
//   ROUGE-n     matches: n-grams in common, each as often as in the text that has fewer
//   ROUGE-L     matches: the longest common subsequence of all words
//   ROUGE-Lsum  matches: for each sentence of the reference the union of its longest common subsequences with every
//               sentence of the text, each word at most as often as in either
//   recall = matches / R, precision = matches / P (of n-grams: their numbers), F1 = 2 p r / (p + r); 0 for 0 / 0
#ifndef GW_LANGUAGE_ROUGE_H
#define GW_LANGUAGE_ROUGE_H

#include "base/status.h"

#include <stdint.h>

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

#endif
