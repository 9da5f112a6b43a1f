// SPDX-License-Identifier: MIT
// Predictions of question sets rated as the sets' official scripts rate them, from the official files: the same metrics
// under the same names, to the last digits of a double.
#ifndef GW_LANGUAGE_QUESTIONS_QA_H
#define GW_LANGUAGE_QUESTIONS_QA_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *const *sets; // [set_count] files with the expected answers; more than one where the set comes so
    int set_count;
    const char *predictions;
    const char *no_answer;      // SQuAD: probabilities that there is no answer, by id; NULL: none
    json_t *answers;            // at hand, borrowed, in the place of the predictions; NULL: none
    json_t *none;               // SQuAD: the same of the probabilities
    double no_answer_threshold; // above it "" is answered (SQuAD's script: 1)
} gw_qa_files;

enum { GW_QA_MOST_METRICS = 32 };
typedef struct {
    struct {
        const char *name;
        double value;
    } metric[GW_QA_MOST_METRICS];
    int count;
    int64_t questions; // of the set
    int64_t missing;   // of them without a prediction, which count as wrong
    int64_t others;    // predictions of ids that the set lacks, which count for nothing
    int64_t repeated;  // questions with the id of an earlier one, which are taken as the official script takes them
} gw_qa_rating;

// What the kinds are called: one of these, between '|'.
#define GW_QA_KINDS "squad|hotpotqa|natural-questions|triviaqa|wikihop"

// Rates the predictions of a set of that kind (docs/tasks/question-answering.md has files and metrics). Errors name the
// file and the question.
gw_status gw_qa_rate(const char *kind, const gw_qa_files *files, gw_qa_rating *out) GW_MUST_CHECK;

#endif
