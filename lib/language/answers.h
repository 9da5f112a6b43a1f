// SPDX-License-Identifier: MIT
// How near an answer is to an expected one, as the scripts of the question sets count it: both in lower case, without
// punctuation and the words a, an, the, and split at white space (SQuAD: Rajpurkar et al., 2016; 2018; HotpotQA: Yang
// et al., 2018; TriviaQA: Joshi et al., 2017).
#ifndef GW_LANGUAGE_ANSWERS_H
#define GW_LANGUAGE_ANSWERS_H

#include "base/status.h"
#include "base/string.h"

// What becomes of punctuation: it goes (SQuAD, HotpotQA), or a blank takes its place, and that of the quotation marks
// U+2018, U+2019 and U+00B4 too (TriviaQA).
typedef enum { GW_ANSWERS_WITHOUT_PUNCTUATION, GW_ANSWERS_SPLIT_AT_PUNCTUATION } gw_answer_rule;

// Appends the normal form of an answer, which is valid UTF-8: its words with a blank between each two. Lower case is
// that of Python's str.lower(), and a, an, the are words between characters that its regular expressions call \W.
gw_status gw_answer_normalise(const char *answer, gw_answer_rule rule, gw_string *out) GW_MUST_CHECK;

typedef struct {
    double exact;             // 1 where the normal forms are the same, else 0
    double precision, recall; // words in common, each as often as in both, of those found and of those expected
    double f1;                // 2 precision recall / (precision + recall); 0 where no word is common
} gw_answer_match;

// Compares two normal forms.
gw_status gw_answer_match_words(const char *found, const char *expected, gw_answer_match *out) GW_MUST_CHECK;

// Normalises both, by SQuAD's rule, and compares; as SQuAD has it f1 is `exact` where one of them has no words.
gw_status gw_answer_compare(const char *found, const char *expected, gw_answer_match *out) GW_MUST_CHECK;

#endif
