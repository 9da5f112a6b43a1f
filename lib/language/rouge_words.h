// SPDX-License-Identifier: MIT
// Words as ROUGE counts them: lower case, runs of the letters a to z and of digits, those of more than three letters by
// their stem (language/porter.h). Sentences end at line ends and at "<n>", which Pegasus writes for them.
#ifndef GW_LANGUAGE_ROUGE_WORDS_H
#define GW_LANGUAGE_ROUGE_WORDS_H

#include "base/status.h"

#include <stdint.h>

// Words of several texts, with one number for each distinct word.
typedef struct gw_rouge_words gw_rouge_words;
gw_status gw_rouge_words_new(gw_rouge_words **out) GW_MUST_CHECK;
void gw_rouge_words_free(gw_rouge_words *words);
void gw_rouge_words_clear(gw_rouge_words *words);
// Adds a text, of valid UTF-8. Sentences without a character are left out.
gw_status gw_rouge_words_add(gw_rouge_words *words, const char *text, int64_t length) GW_MUST_CHECK;
// Numbers the words once all texts were added.
gw_status gw_rouge_words_number(gw_rouge_words *words) GW_MUST_CHECK;
// Of text `i`: its words' numbers, and the first word of each sentence with the number of words at the end.
void gw_rouge_words_text(const gw_rouge_words *words, int64_t i, const int32_t **word, const int64_t **start,
                         int64_t *sentences);

#endif
