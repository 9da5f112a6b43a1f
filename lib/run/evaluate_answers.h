// SPDX-License-Identifier: MIT
// How right the answers of a span head are.
#ifndef GW_RUN_EVALUATE_ANSWERS_H
#define GW_RUN_EVALUATE_ANSWERS_H

#include "run/predict_texts.h"

// Rates each row's answer by the column options->texts.label[0]: an answer, or a JSON list of answers of which the best
// counts (empty: there is none). Writes a TSV with one line: rows, exact, f1 (text/answers.h).
gw_status gw_eval_answers(gw_model *model, const gw_predict_texts_options *options) GW_MUST_CHECK;

#endif
