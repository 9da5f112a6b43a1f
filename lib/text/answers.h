// SPDX-License-Identifier: MIT
// How near an answer is to an expected one, as SQuAD counts it (Rajpurkar et al., 2016; 2018): both in lower case,
// without ASCII punctuation and the words a, an, the, and split at white space.
#ifndef GW_TEXT_ANSWERS_H
#define GW_TEXT_ANSWERS_H

#include "base/status.h"

typedef struct {
    double exact; // 1 where they are the same then, else 0
    double f1;    // of words in common, each as often as in both; where one has no words, exact
} gw_answer_match;

// Both are valid UTF-8.
gw_status gw_answer_compare(const char *found, const char *expected, gw_answer_match *out) GW_MUST_CHECK;

#endif
