// SPDX-License-Identifier: MIT
// Questions of the public header: what the command `ask` is made of.
#include "godwit_private.h"

#include "base/parallel.h"
#include "base/utf8.h"
#include "language/question_windows.h"
#include "language/text_batch.h"
#include "model/head.h"
#include "task/texts/predict_questions.h"

#include <limits.h>
#include <string.h>

static gw_status check_text(const char *text, int64_t length, const char *name) {
    GW_TRY(gw_check_pointer(text, name));
    if ((int64_t)strnlen(text, (size_t)length) < length || gw_utf8_valid(text, length) < length)
        return gw_fail(GW_ERR_FORMAT, "%s is not UTF-8 text", name);
    return GW_OK;
}

static gw_status check_options(const gw_ask_options *o) {
    const struct {
        const char *name;
        int64_t value;
    } options[] = {
        {"best", o->best}, {"max_length", o->max_length}, {"stride", o->stride}, {"max_answer", o->max_answer}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].value < 0 || options[i].value > INT_MAX)
            return gw_fail(GW_ERR_RANGE, "options.%s is %lld, not 0 to %d", options[i].name,
                           (long long)options[i].value, INT_MAX);
    return GW_OK;
}

// Whether there is no word in a text.
static bool is_blank(const char *text, int64_t length) {
    int64_t i = 0;
    while (i < length && strchr(" \t\n\v\f\r", text[i])) i++;
    return i == length;
}

// The text and its question as a set of one.
static gw_status make_set(const gw_predictor *p, const char *question, const char *text, int64_t length,
                          const gw_text_options *options, gw_text_set *out) {
    gw_questions questions = {0};
    gw_string copy = {0}; // which ends in a zero byte
    gw_string_append(&copy, text, length);
    gw_status status = gw_string_status(&copy);
    if (status == GW_OK) status = gw_questions_add_context(&questions, copy.data ? copy.data : "");
    if (status == GW_OK) status = gw_questions_add(&questions, "question", question);
    if (status == GW_OK) status = gw_question_windows(&questions, p->model->tokenizer, options, out);
    gw_questions_free(&questions);
    gw_string_free(&copy);
    return status;
}

static gw_status ask(const gw_predictor *p, const char *question, const char *text, int64_t length,
                     const gw_ask_options *o, gw_found_span *spans, int64_t *count) {
    gw_text_options texts = {
        .labels = GW_TEXT_SPANS, .most = o->max_length, .stride = o->stride, .longest_answer = o->max_answer};
    gw_text_set set = {0};
    gw_question_answers answers = {0};
    GW_TRY(gw_texts_fit(&p->model->config, &texts));
    gw_status status = make_set(p, question, text, length, &texts, &set);
    if (status == GW_OK) status = gw_answer_questions(p->model, &set, p->options.batch_tokens, o->best, &answers);
    for (int64_t i = 0; status == GW_OK && i < answers.found[0]; i++)
        spans[(*count)++] = (gw_found_span){answers.best[i].begin, answers.best[i].end, answers.best[i].score,
                                            gw_question_answers_none(&answers, 0)};
    gw_question_answers_free(&answers);
    gw_text_set_free(&set);
    return status;
}

int gw_predictor_ask(gw_predictor *predictor, const char *question, const char *text, int64_t length,
                     const gw_ask_options *options, gw_found_span *spans, int64_t *count) {
    gw_ask_options o;
    GW_TRY(gw_check_pointer(predictor, "predictor"));
    GW_TRY(gw_check_pointer(question, "question"));
    GW_TRY(gw_check_pointer(text, "text"));
    GW_TRY(gw_check_pointer(spans, "spans"));
    GW_TRY(gw_check_pointer(count, "count"));
    GW_TRY(gw_copy_struct(options, &o, sizeof o, "options"));
    GW_TRY(check_options(&o));
    *count = 0;
    if (length < 0) length = (int64_t)strlen(text);
    GW_TRY(check_text(question, (int64_t)strlen(question), "question"));
    GW_TRY(check_text(text, length, "text"));
    if (!gw_head_names_spans(predictor->model->config.head) || predictor->model->config.labels == 1)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model does not answer questions: its head names no spans");
    if (is_blank(text, length)) return GW_OK;
    const int threads = gw_predictor_enter(predictor);
    const gw_status status = ask(predictor, question, text, length, &o, spans, count);
    gw_set_threads(threads);
    return status;
}
