// SPDX-License-Identifier: MIT
// Reads the sets as windows, runs them, and writes what was found once every window of a question was seen.
#include "task/texts/predict_questions.h"

#include "base/log.h"
#include "data/question_windows.h"
#include "file/lines.h"
#include "task/texts/text_logits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gw_status take_row(void *context, int64_t row, const float *z, int64_t count) {
    (void)count;
    gw_question_answers_add(context, row, z);
    return GW_OK;
}

gw_status gw_answer_questions(gw_model *model, const gw_text_set *set, const gw_predict_texts_options *o,
                              gw_question_answers *out) {
    const gw_text_logits_options options = {.tokens = o->tokens, .pad_to = o->pad_to};
    gw_text_logits *logits = NULL;
    *out = (gw_question_answers){.set = set, .most = o->best > 0 ? o->best : 1};
    gw_status status = gw_question_answers_begin(out);
    if (status == GW_OK) status = gw_text_logits_new(model, set, &options, &logits);
    if (status == GW_OK) status = gw_text_logits_run(logits, "questions", take_row, out);
    gw_text_logits_free(logits);
    return status;
}

static gw_status read_set(gw_model *model, const gw_predict_texts_options *o, gw_text_set *set) {
    gw_text_options texts = o->texts;
    texts.labels = GW_TEXT_SPANS;
    GW_TRY(gw_texts_fit(&model->config, &texts));
    GW_TRY(gw_question_set_read(o->sets.items, o->sets.count, model->tokenizer, &texts, set));
    gw_note("%lld questions about %lld contexts in %lld windows", (long long)set->questions.count,
            (long long)set->questions.contexts, (long long)set->rows);
    return GW_OK;
}

// --- lines ---------------------------------------------------------------------------------------------------------

typedef struct {
    const gw_predict_texts_options *options;
    const gw_question_answers *answers;
    double threshold;
    gw_text_writer *out;
    gw_string text, line;
} writing;

typedef struct {
    const char *id, *text;
    int64_t rank;
    double score, none;
    int64_t begin, end; // characters; -1: no answer
} answer_line;

static void put_field(gw_string *line, const char *text) {
    for (; *text; text++) gw_string_putc(line, *text == '\t' || *text == '\n' || *text == '\r' ? ' ' : *text);
}

static void put_row(gw_string *line, const answer_line *a) {
    put_field(line, a->id);
    gw_string_printf(line, "\t%lld\t%.7g\t%.7g\t", (long long)a->rank, a->score, a->none);
    if (a->begin < 0) gw_string_puts(line, ".\t.\t");
    else gw_string_printf(line, "%lld\t%lld\t", (long long)a->begin, (long long)a->end);
    put_field(line, a->begin < 0 ? "." : a->text);
}

static gw_status put_object(gw_string *line, const answer_line *a) {
    json_t *object = json_pack("{s:s, s:I, s:f, s:f}", "id", a->id, "rank", (json_int_t)a->rank, "score", a->score,
                               "no_answer", a->none);
    json_object_set_new(object, "begin", a->begin < 0 ? json_null() : json_integer(a->begin));
    json_object_set_new(object, "end", a->begin < 0 ? json_null() : json_integer(a->end));
    json_object_set_new(object, "answer", json_string(a->text));
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(7)) : NULL;
    json_decref(object);
    if (!text) return gw_fail(GW_ERR_MEMORY, "out of memory");
    gw_string_puts(line, text);
    free(text);
    return GW_OK;
}

static gw_status write_line(writing *w, const answer_line *a) {
    gw_string_clear(&w->line);
    if (w->options->format == GW_ROWS_JSONL) GW_TRY(put_object(&w->line, a));
    else put_row(&w->line, a);
    gw_string_putc(&w->line, '\n');
    GW_TRY(gw_string_status(&w->line));
    return gw_writer_write(w->out, w->line.data, w->line.length);
}

static bool has_none(const writing *w, int64_t question) {
    return w->answers->found[question] == 0 || gw_question_answers_none(w->answers, question) > w->threshold;
}

static double finite_or_zero(double value) {
    return isfinite(value) ? value : 0;
}

static gw_status write_question(writing *w, int64_t q) {
    const gw_question_answers *a = w->answers;
    const gw_question *question = &a->set->questions.question[q];
    const gw_context *context = &a->set->questions.context[question->context];
    const bool none = has_none(w, q);
    answer_line line = {.id = question->id,
                        .text = "",
                        .rank = 1,
                        .score = finite_or_zero(a->none[q]),
                        .none = gw_question_answers_none(a, q),
                        .begin = -1};
    if (none) GW_TRY(write_line(w, &line));
    for (int64_t i = 0; i < a->found[q] && i + none < a->most; i++) {
        const gw_found_answer *found = &a->best[q * a->most + i];
        gw_string_clear(&w->text);
        gw_question_answers_text(a, q, i, &w->text);
        GW_TRY(gw_string_status(&w->text));
        line.text = w->text.data;
        line.rank = i + 1 + none;
        line.score = found->score;
        line.begin = gw_context_character(context, found->begin);
        line.end = line.begin +
                   gw_context_character(&(gw_context){.text = context->text + found->begin}, found->end - found->begin);
        GW_TRY(write_line(w, &line));
    }
    return GW_OK;
}

static gw_status write_table(writing *w) {
    if (w->options->format != GW_ROWS_JSONL)
        GW_TRY(gw_writer_printf(w->out, "id\trank\tscore\tno_answer\tbegin\tend\tanswer\n"));
    for (int64_t q = 0; q < w->answers->set->questions.count; q++) GW_TRY(write_question(w, q));
    return GW_OK;
}

// --- objects by id -------------------------------------------------------------------------------------------------

// The best answer to each question, "" where it is none above the threshold.
static gw_status collect(const gw_question_answers *a, double threshold, json_t **answers, json_t **none) {
    const gw_questions *q = &a->set->questions;
    gw_string text = {0};
    int failed = 0;
    *answers = json_object();
    *none = json_object();
    for (int64_t i = 0; i < q->count; i++) {
        const double more = gw_question_answers_none(a, i);
        gw_string_clear(&text);
        if (!(more > threshold)) gw_question_answers_text(a, i, 0, &text);
        failed |= json_object_set_new(*answers, q->question[i].id, json_string(text.data ? text.data : ""));
        failed |= json_object_set_new(*none, q->question[i].id, json_real(finite_or_zero(more)));
    }
    failed |= text.failed;
    gw_string_free(&text);
    return failed ? gw_fail(GW_ERR_MEMORY, "out of memory for the answers") : GW_OK;
}

static gw_status save_objects(const writing *w) {
    json_t *answers, *none;
    const gw_predict_texts_options *o = w->options;
    if (!o->predictions && !o->no_answer) return GW_OK;
    gw_status status = collect(w->answers, w->threshold, &answers, &none);
    if (status == GW_OK && o->predictions) status = gw_json_save(o->predictions, answers);
    if (status == GW_OK && o->no_answer) status = gw_json_save(o->no_answer, none);
    json_decref(answers);
    json_decref(none);
    return status;
}

static gw_status write_all(const gw_predict_texts_options *o, const gw_question_answers *answers) {
    writing w = {.options = o,
                 .answers = answers,
                 .threshold = o->threshold_given                     ? o->no_answer_threshold
                              : answers->set->questions.unanswerable ? 0
                                                                     : INFINITY};
    GW_TRY(gw_writer_open(o->output, &w.out));
    const gw_status status = gw_writers_close(write_table(&w), w.out, NULL);
    gw_string_free(&w.text);
    gw_string_free(&w.line);
    return status == GW_OK ? save_objects(&w) : status;
}

// --- all of it -----------------------------------------------------------------------------------------------------

gw_status gw_predict_questions(gw_model *model, const gw_predict_texts_options *o) {
    gw_text_set set = {0};
    gw_question_answers answers = {0};
    gw_status status = read_set(model, o, &set);
    if (status == GW_OK) status = gw_answer_questions(model, &set, o, &answers);
    if (status == GW_OK) status = write_all(o, &answers);
    gw_question_answers_free(&answers);
    gw_text_set_free(&set);
    return status;
}

gw_status gw_answer_question_set(gw_model *model, const gw_predict_texts_options *o, json_t **answers, json_t **none,
                                 bool *unanswerable) {
    gw_text_set set = {0};
    gw_question_answers found = {0};
    *answers = *none = NULL;
    gw_status status = read_set(model, o, &set);
    if (status == GW_OK) status = gw_answer_questions(model, &set, o, &found);
    if (status == GW_OK) status = collect(&found, INFINITY, answers, none);
    *unanswerable = set.questions.unanswerable;
    gw_question_answers_free(&found);
    gw_text_set_free(&set);
    return status;
}
