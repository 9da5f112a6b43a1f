// SPDX-License-Identifier: MIT
// Comparison of an answer with an expected answer, as in the scripts of the question sets: in lower case, without
// punctuation and without the words a, an, the, split at white space (SQuAD: Rajpurkar et al., 2016; 2018; HotpotQA:
// Yang et al., 2018; TriviaQA: Joshi et al., 2017).
#ifndef GW_LANGUAGE_ANSWERS_H
#define GW_LANGUAGE_ANSWERS_H

#include "base/status.h"
#include "base/string.h"

// Treatment of punctuation: removed (SQuAD, HotpotQA); or replaced by a blank, including the quotation marks U+2018,
// U+2019 and U+00B4 (TriviaQA).
typedef enum { GW_ANSWERS_WITHOUT_PUNCTUATION, GW_ANSWERS_SPLIT_AT_PUNCTUATION } gw_answer_rule;

// Appends the normal form of an answer in valid UTF-8: its words, joined by blanks. Lower case is that of Python's
// str.lower(). The words a, an, the are recognised between \W characters of Python's regular expressions.
gw_status gw_answer_normalise(const char *answer, gw_answer_rule rule, gw_string *out) GW_MUST_CHECK;

typedef struct {
    double exact;             // 1 if the normal forms are equal, else 0
    double precision, recall; // common words, counted as often as in both, as a share of those found and of those
                              // expected
    double f1;                // 2 precision recall / (precision + recall); 0 without common words
} gw_answer_match;

// Compares two normal forms.
gw_status gw_answer_match_words(const char *found, const char *expected, gw_answer_match *out) GW_MUST_CHECK;

// Normalises both by SQuAD's rule and compares them. As in SQuAD, f1 is `exact` if one of them has no words.
gw_status gw_answer_compare(const char *found, const char *expected, gw_answer_match *out) GW_MUST_CHECK;

#endif
