// SPDX-License-Identifier: MIT
// Reads the sets as windows, runs them, and writes the answers of a question after its last window.
#include "task/texts/predict_questions.h"

#include "base/json.h"
#include "base/log.h"
#include "file/lines.h"
#include "file/table_writer.h"
#include "language/questions/question_files.h"
#include "language/questions/question_format.h"
#include "language/text_logits.h"
#include "task/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gw_status take_row(void *context, int64_t row, const float *z, int64_t count) {
    (void)count;
    gw_question_answers_add(context, row, z);
    return GW_OK;
}

gw_status gw_answer_questions(gw_model *model, const gw_text_set *set, int64_t tokens, int64_t best,
                              gw_question_answers *out) {
    gw_text_logits *logits = NULL;
    *out = (gw_question_answers){.set = set, .most = best > 0 ? best : 1};
    // Sets in SQuAD's layout are answered by models with other columns too.
    const gw_config *config = &model->config;
    out->columns = config->labels;
    for (int c = 0; config->label_names && c < config->labels; c++)
        if (strcmp(config->label_names[c], "start") == 0) out->start = c;
    gw_status status = gw_question_answers_begin(out);
    if (status == GW_OK) status = gw_text_logits_new(model, set, tokens, &logits);
    if (status == GW_OK) status = gw_text_logits_run(logits, "questions", take_row, out);
    gw_text_logits_free(logits);
    return status;
}

static bool fits(const gw_question_format *format, const gw_config *config) {
    const int64_t labels = config->labels > 0 ? config->labels : 2;
    int64_t columns = 0;
    while (format->columns && format->columns[columns]) columns++;
    if (!format->columns) return labels > 1; // every model but one of candidates has the ends of an answer
    if (columns != labels) return false;
    for (int64_t c = 0; config->label_names && c < columns; c++)
        if (strcmp(format->columns[c], config->label_names[c]) != 0) return false;
    return config->label_names || columns == 2;
}

// Refuses a model whose logits are not those that the set's format asks for.
static gw_status check_format(const gw_text_set *set, const gw_config *config) {
    if (fits(set->format, config)) return GW_OK;
    return gw_fail(
        GW_ERR_MISMATCH,
        "%s is a set in the layout of %s, and the model's head was trained for another: it has %lld columns, "
        "of which the first is \"%s\"",
        set->paths[0], gw_question_format_name(set->format), (long long)(config->labels > 0 ? config->labels : 2),
        config->labels > 0 ? config->label_names[0] : "start");
}

static gw_status read_set(gw_model *model, const gw_task_input *in, gw_text_set *set) {
    gw_text_options texts = in->texts;
    texts.labels = GW_TEXT_SPANS;
    GW_TRY(gw_texts_fit(&model->config, &texts));
    GW_TRY(gw_question_set_read(in->sets.items, in->sets.count, model->tokenizer, &texts, set));
    GW_TRY(check_format(set, &model->config));
    gw_note("%lld questions about %lld contexts in %lld windows", (long long)set->questions.count,
            (long long)set->questions.contexts, (long long)set->rows);
    return GW_OK;
}

// --- lines ---------------------------------------------------------------------------------------------------------

typedef struct {
    const gw_predict_options *options;
    const gw_question_answers *answers;
    double threshold;
    gw_text_writer *out; // of objects, or
    gw_table_writer *rows;
    gw_string text, line;
} writing;

typedef struct {
    const char *id, *text;
    int64_t rank;
    double score, none;
    int64_t begin, end; // characters; -1: no answer
} answer_line;

// A text with blanks for what would end its cell; an empty one is missing.
static void put_text(writing *w, const char *text) {
    gw_string_clear(&w->line);
    gw_string_puts(&w->line, text);
    for (char *c = w->line.data; c && *c; c++)
        if (*c == '\t' || *c == '\n' || *c == '\r') *c = ' ';
    gw_cell_text(w->rows, *text && !w->line.failed ? w->line.data : NULL);
}

static gw_status put_object(gw_text_writer *out, const answer_line *a) {
    json_t *object = json_pack("{s:s, s:I, s:f, s:f}", "id", a->id, "rank", (json_int_t)a->rank, "score", a->score,
                               "no_answer", a->none);
    json_object_set_new(object, "begin", a->begin < 0 ? json_null() : json_integer(a->begin));
    json_object_set_new(object, "end", a->begin < 0 ? json_null() : json_integer(a->end));
    json_object_set_new(object, "answer", json_string(a->text));
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(7)) : NULL;
    json_decref(object);
    if (!text) return gw_fail(GW_ERR_MEMORY, "out of memory");
    const gw_status status = gw_writer_printf(out, "%s\n", text);
    free(text);
    return status;
}

static gw_status write_line(writing *w, const answer_line *a) {
    if (w->out) return put_object(w->out, a);
    put_text(w, a->id);
    gw_cell_integer(w->rows, a->rank);
    gw_cell_real(w->rows, a->score);
    gw_cell_real(w->rows, a->none);
    if (a->begin < 0) gw_cell_missing(w->rows);
    else gw_cell_integer(w->rows, a->begin);
    if (a->begin < 0) gw_cell_missing(w->rows);
    else gw_cell_integer(w->rows, a->end);
    put_text(w, a->text);
    return gw_row_end(w->rows);
}

static gw_status open_output(writing *w) {
    const char *path = w->options->in.output;
    gw_columns columns = {0};
    if (w->options->format == GW_ROWS_JSONL) return gw_writer_open(path, &w->out);
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "id");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "rank");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.7g", "score");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.7g", "no_answer");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "begin");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "end");
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "answer");
    return gw_table_writer_open(path, &columns, ".", &w->rows);
}

static double finite_or_zero(double value) {
    return isfinite(value) ? value : 0;
}

static gw_status write_question(writing *w, int64_t q) {
    const gw_question_answers *a = w->answers;
    const char *word = gw_question_answers_word(a, q);
    const double more = gw_question_answers_none(a, q); // for none
    const bool none = !word && (a->found[q] == 0 || more > w->threshold);
    answer_line line = {.id = a->set->questions.question[q].id,
                        .text = "",
                        .rank = 1,
                        .score = finite_or_zero(a->none[q]),
                        .none = finite_or_zero(more),
                        .begin = -1};
    if (none) GW_TRY(write_line(w, &line));
    if (word) { // yes, no and candidates stand nowhere
        const int64_t candidate = gw_question_answers_candidate(a, q);
        line.text = word;
        line.score = candidate >= 0 ? finite_or_zero((double)a->column[q].mark[candidate])
                                    : (double)a->column[q].type[gw_question_answers_type(a, q)];
        GW_TRY(write_line(w, &line));
    }
    for (int64_t i = 0; i < a->found[q] && i + none + (word != NULL) < a->most; i++) {
        const gw_found_answer *found = &a->best[q * a->most + i];
        const gw_context *context = &a->set->questions.context[found->context];
        gw_string_clear(&w->text);
        gw_question_answers_text(a, q, i, &w->text);
        GW_TRY(gw_string_status(&w->text));
        line.rank = i + 1 + none + (word != NULL);
        line.text = w->text.data;
        line.score = found->score;
        line.begin = gw_context_character(context, found->begin);
        line.end = line.begin +
                   gw_context_character(&(gw_context){.text = context->text + found->begin}, found->end - found->begin);
        GW_TRY(write_line(w, &line));
    }
    return GW_OK;
}

static gw_status write_table(writing *w) {
    for (int64_t q = 0; q < w->answers->set->questions.count; q++) GW_TRY(write_question(w, q));
    return GW_OK;
}

// --- objects -------------------------------------------------------------------------------------------------------

// How much more the model is for no answer, by id.
static gw_status save_none(const gw_question_answers *a, const char *path) {
    const gw_questions *q = &a->set->questions;
    json_t *none = json_object();
    int failed = 0;
    for (int64_t i = 0; i < q->count; i++)
        failed |=
            json_object_set_new(none, q->question[i].id, json_real(finite_or_zero(gw_question_answers_none(a, i))));
    const gw_status status =
        failed ? gw_fail(GW_ERR_MEMORY, "out of memory for the answers") : gw_json_save(path, none);
    json_decref(none);
    return status;
}

static gw_status save_objects(const writing *w) {
    const gw_predict_options *o = w->options;
    const gw_question_format *format = w->answers->set->format;
    const gw_answer_thresholds thresholds = {w->threshold, o->in.support};
    json_t *answers = NULL;
    gw_status status = GW_OK;
    if (o->predictions) status = format->predictions(w->answers, &thresholds, &answers);
    if (status == GW_OK && o->predictions) status = gw_json_save(o->predictions, answers);
    json_decref(answers);
    return status == GW_OK && o->no_answer ? save_none(w->answers, o->no_answer) : status;
}

static double threshold_of(const gw_task_input *in, const gw_text_set *set) {
    return in->threshold_given ? in->no_answer_threshold : set->questions.unanswerable ? 0 : INFINITY;
}

static gw_status write_all(const void *options, const gw_question_answers *answers) {
    const gw_predict_options *o = options;
    writing w = {.options = o, .answers = answers, .threshold = threshold_of(&o->in, answers->set)};
    GW_TRY(open_output(&w));
    const gw_status status = gw_table_writer_end(gw_writers_close(write_table(&w), w.out, NULL), w.rows);
    gw_string_free(&w.text);
    gw_string_free(&w.line);
    return status == GW_OK ? save_objects(&w) : status;
}

// --- all of it -----------------------------------------------------------------------------------------------------

// Reads the sets, answers their questions, and hands the answers on.
static gw_status answer(gw_model *model, const gw_task_input *in, int64_t best,
                        gw_status (*take)(const void *context, const gw_question_answers *answers),
                        const void *context) {
    gw_text_set set = {0};
    gw_question_answers answers = {0};
    gw_status status = read_set(model, in, &set);
    if (status == GW_OK) status = gw_answer_questions(model, &set, in->tokens, best, &answers);
    if (status == GW_OK) status = take(context, &answers);
    gw_question_answers_free(&answers);
    gw_text_set_free(&set);
    return status;
}

gw_status gw_predict_questions(gw_model *model, const gw_predict_options *o) {
    return answer(model, &o->in, o->best, write_all, o);
}

static gw_status write_rating(const gw_qa_rating *rating, const char *path) {
    gw_columns columns = {0};
    gw_table_writer *out;
    gw_status status = GW_OK;
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "metric");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.15g", "value");
    GW_TRY(gw_table_writer_open(path, &columns, "nan", &out));
    for (int i = 0; i < rating->count && status == GW_OK; i++) {
        gw_cell_text(out, rating->metric[i].name);
        gw_cell_real(out, rating->metric[i].value);
        status = gw_row_end(out);
    }
    return gw_table_writer_end(status, out);
}

static gw_status rate(const void *context, const gw_question_answers *answers) {
    const gw_task_input *in = context;
    const gw_answer_thresholds thresholds = {threshold_of(in, answers->set), in->support};
    gw_qa_rating rating;
    GW_TRY(gw_question_set_rate(answers, &thresholds, &rating));
    return write_rating(&rating, in->output);
}

gw_status gw_eval_questions(gw_model *model, const gw_task_input *in) {
    return answer(model, in, 1, rate, in);
}

gw_status gw_eval_predictions(const gw_eval_options *o) {
    const gw_qa_files files = {.sets = (const char *const *)o->in.sets.items,
                               .set_count = o->in.sets.count,
                               .predictions = o->predictions,
                               .no_answer = o->no_answer,
                               .no_answer_threshold = o->in.no_answer_threshold};
    gw_qa_rating rating;
    GW_TRY(gw_qa_rate(o->rated_by, &files, &rating));
    if (rating.missing > 0)
        gw_warn("%lld of %lld questions have no prediction, and count as wrong", (long long)rating.missing,
                (long long)rating.questions);
    if (rating.others > 0) gw_warn("%lld predictions are for questions that the set lacks", (long long)rating.others);
    if (rating.repeated > 0) gw_warn("%lld questions have the id of an earlier one", (long long)rating.repeated);
    return write_rating(&rating, o->in.output);
}
