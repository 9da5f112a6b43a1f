// SPDX-License-Identifier: MIT
// Predictions for texts, by whatever head a model has, and how right they are.
#ifndef GW_TASK_TEXTS_PREDICT_TEXTS_H
#define GW_TASK_TEXTS_PREDICT_TEXTS_H

#include "data/text_set.h"
#include "model/model.h"

typedef enum { GW_ROWS_TSV, GW_ROWS_JSONL } gw_rows_format; // a line, or an object, for each row
#define GW_ROWS_FORMATS "tsv|jsonl"

typedef struct {
    gw_string_list sets;   // tables, or question sets
    gw_text_options texts; // labels: set here, by the model; most 0: the model's positions
    int64_t tokens;        // of a batch (gw_text_logits_new())
    const char *output;    // of predictions; NULL: standard output
    gw_rows_format format;
    bool logits;     // instead of probabilities
    bool submission; // index from 0 and prediction, as GLUE takes it
    // Of question sets (predict_questions.h)
    int64_t best;               // answers to each question; 0: one
    bool threshold_given;       // else questions stay without an answer above 0 where a set says that some may,
    double no_answer_threshold; // and never where not: none - best answer, in logits
    double support;             // a sentence is a supporting fact above it, in logits
    const char *predictions;    // as the official script takes them; NULL: none
    const char *no_answer;      // {id: none - best answer}; NULL: none
} gw_predict_texts_options;

// What the labels of the model's head are; GW_TEXT_UNLABELLED of a span head.
gw_text_labels gw_text_labels_of_model(const gw_config *config);

// Writes for each row, counted from 1:
//   sequence head   row, prediction (the class; all names above 0.5, by commas), then a column a label; of numbers the
//                   columns alone
//   token head      a line a token, or, of lists of words, a word: row, token or word (from 1), its text, prediction,
//                   then a column a label
//   span head       row, first and last token of the best answer (from 0), its score (the sum of the two logits, over
//   at
//                   most 30 tokens, none of the question), and its text; as logits a line a token: row, token, text,
//                   start, end
//   multiple choice row, prediction (the answer's number from 0), then a column an answer
gw_status gw_predict_texts(gw_model *model, const gw_predict_texts_options *options) GW_MUST_CHECK;

// Writes to standard output a TSV with one line: rows, labels, loss and the metrics of text_metrics.h, NA where one
// means nothing. Of a span head as gw_eval_answers().
gw_status gw_eval_texts(gw_model *model, const gw_predict_texts_options *options) GW_MUST_CHECK;
// Rates the answer of a span head to each row by the column options->texts.label.items[0]: an answer, or a JSON list of
// answers of which the best counts (empty: there is none). Writes a TSV with one line: rows, exact, f1
// (text/answers.h).
gw_status gw_eval_answers(gw_model *model, const gw_predict_texts_options *options) GW_MUST_CHECK;

#endif
