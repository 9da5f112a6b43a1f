// SPDX-License-Identifier: MIT
// What texts are to models, by the kind of their labels and of their files.
#ifndef GW_TASK_TEXTS_TEXT_DATA_H
#define GW_TASK_TEXTS_TEXT_DATA_H

#include "model/model.h"
#include "task/input.h"
#include "task/predict.h"

// Whether a model is to read the first set as texts, not as windows of bases: where options or a preset say so, where
// its head gives no labels of windows, and where the table has a column `text` or `sentence` or is of JSON.
bool gw_reads_texts(const gw_config *config, const gw_task_input *in);

// Whether numbers are to be learnt of texts, not of sequences or regions: where options say so, or where the table has
// a column `text` or `sentence` and no `sequence`; `otherwise` where it comes through a pipe, which is read but once.
bool gw_learns_of_texts(const gw_text_options *options, const char *set, bool otherwise);

// Predictions for texts, by whatever head a model has. Writes for each row, counted from 1:
//   sequence head   row, prediction (the class; all names above 0.5, by commas), then a column a label; of numbers the
//                   columns alone
//   token head      a line a token, or, of lists of words, a word: row, token or word (from 1), its text, prediction,
//                   then a column a label
//   span head       row, first and last token of the best answer (from 0), its score (the sum of the two logits, over
//                   at most 30 tokens, none of the question), and its text; as logits a line a token: row, token, text,
//                   start, end
//   multiple choice row, prediction (the answer's number from 0), then a column an answer
gw_status gw_predict_texts(gw_model *model, const gw_predict_options *options) GW_MUST_CHECK;

// Writes to standard output a TSV with one line: rows, labels, loss and the metrics of text_metrics.h, NA where one
// means nothing. Of a span head as gw_eval_answers().
gw_status gw_eval_texts(gw_model *model, const gw_task_input *in) GW_MUST_CHECK;
#endif
