// SPDX-License-Identifier: MIT
// Rows of tables and question sets as a kind of data. Reads sets with the model's labels, and writes lines as rows are
// finished.
#include "task/texts/text_data.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/softmax.h"
#include "base/string.h"
#include "base/utf8.h"
#include "file/lines.h"
#include "file/table_writer.h"
#include "language/answers.h"
#include "language/questions/question_format.h"
#include "language/text_presets.h"
#include "model/head.h"
#include "task/data_kind.h"
#include "task/texts/predict_questions.h"
#include "task/texts/text_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// What the labels of the model's head are; GW_TEXT_UNLABELLED of a span head.
static gw_text_labels labels_of_model(const gw_config *config) {
    const gw_head_row *head = gw_head_of(config->head);
    if (head->labels && head->tokens) return GW_TEXT_WORDS;
    if (head->own == GW_OWN_SEQUENCES && !head->apart) return GW_TEXT_ANSWER;
    if (!head->problem) return GW_TEXT_UNLABELLED;
    switch (config->problem) {
    case GW_PROBLEM_SINGLE_LABEL: return GW_TEXT_ONE;
    case GW_PROBLEM_REGRESSION: return GW_TEXT_NUMBERS;
    default: return GW_TEXT_MANY;
    }
}

typedef struct {
    const gw_predict_options *options;
    gw_text_options texts;
    const gw_model *model;
    gw_text_labels kind;
    gw_label_names names;
    gw_text_set set;
    gw_text_logits *logits;
    gw_text_writer *out; // of objects, or
    gw_table_writer *rows;
    gw_string line;
    double *value; // [labels] probabilities, or what the logits are
} prediction;

static gw_status take_names(const gw_config *config, gw_label_names *names) {
    names->name = gw_alloc(config->labels + 1, sizeof *names->name);
    if (!names->name) return GW_ERR_MEMORY;
    for (; names->count < config->labels; names->count++) {
        char *name = config->label_names ? gw_strdup(config->label_names[names->count])
                                         : gw_strprintf("LABEL_%lld", (long long)names->count);
        if (!name) return GW_ERR_MEMORY;
        names->name[names->count] = name;
    }
    return GW_OK;
}

static gw_status prepare(prediction *p, gw_model *model, bool labelled) {
    const gw_task_input *in = &p->options->in;
    gw_text_options texts = p->texts = gw_texts_complete(&in->texts, gw_text_preset_by_name(in->preset));
    p->model = model;
    p->kind = labels_of_model(&model->config);
    texts.labels = labelled ? p->kind : GW_TEXT_UNLABELLED;
    gw_texts_match(gw_head_of(model->config.head), &texts);
    if (labelled && p->kind == GW_TEXT_WORDS) texts.words = true;
    GW_TRY(gw_texts_fit(&model->config, &texts));
    p->value = gw_alloc(gw_max(model->config.labels, texts.choices.count) + 1, sizeof *p->value);
    if (!p->value) return GW_ERR_MEMORY;
    GW_TRY(take_names(&model->config, &p->names));
    GW_TRY(gw_text_set_read(in->sets.items, in->sets.count, model->tokenizer, &texts, &p->names, &p->set));
    if (p->set.cut > 0)
        gw_note("%lld of %lld texts are cut to %lld tokens", (long long)p->set.cut,
                (long long)(p->set.rows * p->set.per_row), (long long)texts.most);
    if (labelled && (p->kind == GW_TEXT_MANY || p->kind == GW_TEXT_NUMBERS) && p->set.classes != model->config.labels)
        return gw_fail(GW_ERR_MISMATCH, "%lld columns of labels, the model has %lld labels", (long long)p->set.classes,
                       (long long)model->config.labels);
    return gw_text_logits_new(model, &p->set, in->tokens, &p->logits);
}

static void release(prediction *p) {
    gw_text_logits_free(p->logits);
    gw_text_set_free(&p->set);
    gw_label_names_free(&p->names);
    gw_string_free(&p->line);
    free(p->value);
}

// --- what logits say -----------------------------------------------------------------------------------------------

static int64_t best_of(const float *z, int64_t count) {
    int64_t best = 0;
    for (int64_t i = 1; i < count; i++)
        if (z[i] > z[best]) best = i;
    return best;
}

// Softmax over exclusive classes, logistic of others; numbers, and logits where these are asked for, as they are.
static void find_values(prediction *p, const float *z, int64_t count) {
    const bool plain = p->options->logits || p->kind == GW_TEXT_NUMBERS;
    const gw_softmax softmax = gw_softmax_of(z, count, 1);
    for (int64_t i = 0; i < count; i++)
        p->value[i] = plain                     ? (double)z[i]
                      : p->kind == GW_TEXT_MANY ? gw_logistic((double)z[i])
                                                : gw_softmax_share(softmax, z[i]);
}

static void name_prediction(const prediction *p, const float *z, int64_t count, gw_string *out) {
    const char *between = "";
    if (p->kind == GW_TEXT_ANSWER) {
        gw_string_printf(out, "%lld", (long long)best_of(z, count));
    } else if (p->kind == GW_TEXT_MANY) {
        for (int64_t i = 0; i < count; i++) {
            if (!(z[i] > 0)) continue;
            gw_string_printf(out, "%s%s", between, p->names.name[i]);
            between = ",";
        }
    } else {
        gw_string_puts(out, p->names.name[best_of(z, count)]);
    }
}

static void put_name(const prediction *p, int64_t label, gw_string *out) {
    if (p->kind == GW_TEXT_ANSWER) gw_string_printf(out, "answer_%lld", (long long)label);
    else gw_string_puts(out, p->names.name[label]);
}

// --- lines ---------------------------------------------------------------------------------------------------------

static gw_status put_json(prediction *p, json_t *object) {
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(7)) : NULL;
    json_decref(object);
    if (!text) return gw_fail(GW_ERR_MEMORY, "out of memory");
    const gw_status status = gw_writer_printf(p->out, "%s\n", text);
    free(text);
    return status;
}

// A text with blanks for what would end its cell.
static void put_text(prediction *p, const char *text) {
    gw_string_clear(&p->line);
    gw_string_puts(&p->line, text);
    for (char *c = p->line.data; c && *c; c++)
        if (*c == '\t' || *c == '\n') *c = ' ';
    gw_cell_text(p->rows, p->line.failed ? NULL : p->line.data);
}

static bool has_prediction(const prediction *p) {
    return p->kind != GW_TEXT_NUMBERS;
}

static void add_prediction(const prediction *p, gw_columns *columns) {
    if (p->kind == GW_TEXT_NUMBERS) gw_columns_add(columns, GW_COLUMN_DOUBLE, "%.7g", "prediction");
    else gw_columns_add(columns, p->kind == GW_TEXT_ANSWER ? GW_COLUMN_INTEGER : GW_COLUMN_TEXT, NULL, "prediction");
}

// none: what stands where no class is predicted.
static void put_prediction(prediction *p, const float *z, int64_t count, const char *none) {
    gw_string_clear(&p->line);
    if (p->kind == GW_TEXT_ANSWER) gw_cell_integer(p->rows, best_of(z, count));
    else if (p->kind == GW_TEXT_NUMBERS) gw_cell_real(p->rows, (double)z[0]);
    else {
        name_prediction(p, z, count, &p->line);
        gw_cell_text(p->rows, p->line.length > 0 ? p->line.data : none);
    }
}

// Prediction and values behind what begins the row.
static gw_status put_labels(prediction *p, const float *z, int64_t count) {
    find_values(p, z, count);
    if (has_prediction(p)) put_prediction(p, z, count, NULL);
    for (int64_t i = 0; i < count; i++) gw_cell_real(p->rows, p->value[i]);
    return gw_row_end(p->rows);
}

static json_t *labels_json(prediction *p, const float *z, int64_t count) {
    json_t *object = json_object(), *values = json_object();
    gw_string name = {0};
    find_values(p, z, count);
    for (int64_t i = 0; i < count; i++) {
        gw_string_clear(&name);
        put_name(p, i, &name);
        json_object_set_new(values, name.data ? name.data : "", json_real(p->value[i]));
    }
    gw_string_clear(&name);
    if (has_prediction(p)) name_prediction(p, z, count, &name);
    if (has_prediction(p)) json_object_set_new(object, "prediction", json_string(name.data ? name.data : ""));
    json_object_set_new(object, p->options->logits || !has_prediction(p) ? "values" : "probabilities", values);
    gw_string_free(&name);
    return object;
}

// Where a line's token stands: the row, the word or token, and its text.
static json_t *with_place(json_t *object, int64_t row, const char *what, int64_t place, const char *text) {
    json_object_set_new(object, "row", json_integer(row + 1));
    json_object_set_new(object, what, json_integer(place));
    if (text) json_object_set_new(object, "text", json_string(text));
    return object;
}

static void begin_row(prediction *p, int64_t row, int64_t place, const char *text) {
    gw_cell_integer(p->rows, row + 1);
    gw_cell_integer(p->rows, place);
    if (text) put_text(p, text);
}

static gw_status write_tokens(prediction *p, int64_t row, const float *z, int64_t count) {
    const int64_t begin = p->set.start[row], tokens = p->set.start[row + 1] - begin, width = count / tokens;
    const bool words = p->set.word != NULL;
    for (int64_t i = 0; i < tokens; i++, z += width) {
        if (words && p->set.word[begin + i] < 0) continue;
        const int64_t place = words ? p->set.word[begin + i] + 1 : i + 1;
        const char *text = words ? NULL : gw_tokenizer_text(p->model->tokenizer, p->set.token[begin + i]);
        if (p->options->format == GW_ROWS_JSONL) {
            GW_TRY(put_json(p, with_place(labels_json(p, z, width), row, text ? "token" : "word", place, text)));
            continue;
        }
        begin_row(p, row, place, text);
        GW_TRY(put_labels(p, z, width));
    }
    return GW_OK;
}

static gw_status write_sequence(prediction *p, int64_t row, const float *z, int64_t count) {
    if (p->options->submission) {
        gw_cell_integer(p->rows, row);
        put_prediction(p, z, count, "");
        return gw_row_end(p->rows);
    }
    if (p->options->format == GW_ROWS_JSONL) {
        json_t *object = labels_json(p, z, count);
        json_object_set_new(object, "row", json_integer(row + 1));
        return put_json(p, object);
    }
    gw_cell_integer(p->rows, row + 1);
    return put_labels(p, z, count);
}

// --- answers -------------------------------------------------------------------------------------------------------

enum { LONGEST_ANSWER = 30 };

typedef struct {
    int64_t first, last; // tokens of the row, from 0
    double score;        // the sum of the two logits; -INFINITY: the row has no token that may answer
} text_answer;

// The best of all spans of at most 30 tokens, special ones left out and, of pairs, those of the question. z:
// [tokens][2] of the row. Appends its text, without blanks in front, and with U+FFFD where tokens of bytes cut a
// character.
static gw_status find_answer(const gw_tokenizer *tokenizer, const gw_text_set *set, bool pairs, int64_t row,
                             const float *z, text_answer *out, gw_string *text) {
    const int32_t *token = set->token + set->start[row], separator = gw_tokenizer_special(tokenizer, GW_SPECIAL_SEP);
    const int64_t tokens = set->start[row + 1] - set->start[row];
    int64_t first = 0; // that an answer may begin at: of a pair the one behind the first separator
    while (pairs && first < tokens && token[first] != separator) first++;
    *out = (text_answer){0, 0, -INFINITY};
    for (int64_t i = first; i < tokens; i++)
        for (int64_t j = i; j < tokens && j < i + LONGEST_ANSWER; j++) {
            if (gw_tokenizer_is_special(tokenizer, token[j])) break;
            const double score = (double)z[2 * i] + (double)z[2 * j + 1];
            if (score > out->score) *out = (text_answer){i, j, score};
        }
    if (!isfinite(out->score)) return GW_OK;
    gw_string answer = {0};
    const gw_status status = gw_decode(tokenizer, token + out->first, out->last - out->first + 1, &answer);
    const int64_t blanks = answer.data ? (int64_t)strspn(answer.data, " ") : 0;
    if (status == GW_OK && answer.data) gw_utf8_append_mended(text, answer.data + blanks, answer.length - blanks);
    gw_string_free(&answer);
    return status == GW_OK ? gw_string_status(text) : status;
}

// How right the answers of a span head are: reads the tables a second time, for the answers, beside the rows of logits.

static gw_status write_ends(prediction *p, int64_t row, const float *z, int64_t tokens) {
    for (int64_t i = 0; i < tokens; i++) {
        const char *text = gw_tokenizer_text(p->model->tokenizer, p->set.token[p->set.start[row] + i]);
        const double start = (double)z[2 * i], end = (double)z[2 * i + 1];
        if (p->options->format == GW_ROWS_JSONL) {
            GW_TRY(put_json(p, with_place(json_pack("{s:f, s:f}", "start", start, "end", end), row, "token", i, text)));
            continue;
        }
        begin_row(p, row, i, text);
        gw_cell_real(p->rows, start);
        gw_cell_real(p->rows, end);
        GW_TRY(gw_row_end(p->rows));
    }
    return GW_OK;
}

static gw_status write_answer(prediction *p, int64_t row, const float *z, int64_t count) {
    if (p->options->logits) return write_ends(p, row, z, count / 2);
    text_answer best;
    gw_string text = {0};
    gw_status status = find_answer(p->model->tokenizer, &p->set, p->texts.second != NULL, row, z, &best, &text);
    const char *answer = text.data ? text.data : "";
    const double score = isfinite(best.score) ? best.score : 0;
    if (status == GW_OK && p->options->format == GW_ROWS_JSONL)
        status = put_json(p, json_pack("{s:I, s:I, s:I, s:f, s:s}", "row", (json_int_t)row + 1, "first",
                                       (json_int_t)best.first, "last", (json_int_t)best.last, "score", score, "answer",
                                       answer));
    else if (status == GW_OK) {
        begin_row(p, row, best.first, NULL);
        gw_cell_integer(p->rows, best.last);
        gw_cell_real(p->rows, score);
        put_text(p, answer);
        status = gw_row_end(p->rows);
    }
    gw_string_free(&text);
    return status;
}

// --- all of it -----------------------------------------------------------------------------------------------------

static gw_status write_row(void *context, int64_t row, const float *z, int64_t count) {
    prediction *p = context;
    if (p->kind == GW_TEXT_WORDS) return write_tokens(p, row, z, count);
    return p->kind == GW_TEXT_UNLABELLED ? write_answer(p, row, z, count) : write_sequence(p, row, z, count);
}

static void add_labels(prediction *p, gw_columns *columns) {
    const bool tokens = p->kind == GW_TEXT_WORDS, words = tokens && p->set.word;
    const int64_t labels = p->kind == GW_TEXT_ANSWER ? p->set.per_row : p->names.count;
    gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "row");
    if (tokens) gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "%s", words ? "word" : "token");
    if (tokens && !words) gw_columns_add(columns, GW_COLUMN_TEXT, NULL, "text");
    if (has_prediction(p)) add_prediction(p, columns);
    for (int64_t i = 0; i < labels; i++) {
        gw_string_clear(&p->line);
        put_name(p, i, &p->line);
        gw_columns_add(columns, GW_COLUMN_DOUBLE, "%.7g", "%s", p->line.data ? p->line.data : "");
    }
}

static void add_answers(const prediction *p, gw_columns *columns) {
    gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "row");
    if (p->options->logits) {
        gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "token");
        gw_columns_add(columns, GW_COLUMN_TEXT, NULL, "text");
        gw_columns_add(columns, GW_COLUMN_DOUBLE, "%.7g", "start");
        gw_columns_add(columns, GW_COLUMN_DOUBLE, "%.7g", "end");
    } else {
        gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "first");
        gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "last");
        gw_columns_add(columns, GW_COLUMN_DOUBLE, "%.7g", "score");
        gw_columns_add(columns, GW_COLUMN_TEXT, NULL, "answer");
    }
}

static gw_status open_output(prediction *p) {
    gw_columns columns = {0};
    if (p->options->format == GW_ROWS_JSONL) return gw_writer_open(p->options->in.output, &p->out);
    if (p->options->submission) {
        gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "index");
        add_prediction(p, &columns);
    } else if (p->kind == GW_TEXT_UNLABELLED) {
        add_answers(p, &columns);
    } else {
        add_labels(p, &columns);
    }
    return gw_table_writer_open(p->options->in.output, &columns, ".", &p->rows);
}

// Predictions for texts, by whatever head a model has. Writes for each row, counted from 1:
//   sequence head   row, prediction (the class; all names above 0.5, by commas), then a column a label; of numbers the
//                   columns alone
//   token head      a line a token, or, of lists of words, a word: row, token or word (from 1), its text, prediction,
//                   then a column a label
//   span head       row, first and last token of the best answer (from 0), its score (the sum of the two logits, over
//                   at most 30 tokens, none of the question), and its text; as logits a line a token: row, token, text,
//                   start, end
//   multiple choice row, prediction (the answer's number from 0), then a column an answer
static gw_status predict_texts(gw_model *model, const gw_predict_options *options) {
    prediction p = {.options = options};
    gw_status status = prepare(&p, model, false);
    if (status == GW_OK && options->submission && (p.kind == GW_TEXT_WORDS || p.kind == GW_TEXT_UNLABELLED))
        status =
            gw_fail(GW_ERR_UNSUPPORTED, "submissions need labels of texts, which the model's head does not predict");
    if (status == GW_OK) status = open_output(&p);
    if (status == GW_OK) status = gw_text_logits_run(p.logits, "predict", write_row, &p);
    status = gw_table_writer_end(gw_writers_close(status, p.out, NULL), p.rows);
    release(&p);
    return status;
}

// --- evaluation ------------------------------------------------------------------------------------------------------

typedef struct {
    const gw_task_input *in;
    gw_text_options texts;
    const gw_model *model;
    gw_text_set set;
    gw_text_logits *logits;
    gw_table *table; // the one that is read
    int opened, column;
    gw_string answer;
    double exact, f1;
} evaluation;

// The table of the next row, at that row.
static gw_status next_row(evaluation *e) {
    for (bool found = false;;) {
        if (e->table) GW_TRY(gw_table_next(e->table, &found));
        if (found) return GW_OK;
        gw_table_close(e->table);
        e->table = NULL;
        GW_TRY(gw_table_open(e->in->sets.items[e->opened++], &e->texts.table, &e->table));
        GW_TRY(gw_table_column(e->table, e->texts.label.items[0], &e->column));
    }
}

static gw_status compare(const evaluation *e, const char *expected, gw_answer_match *best) {
    gw_answer_match match;
    GW_TRY(gw_answer_compare(e->answer.data ? e->answer.data : "", expected, &match));
    best->exact = fmax(best->exact, match.exact);
    best->f1 = fmax(best->f1, match.f1);
    return GW_OK;
}

static gw_status rate_answer(void *context, int64_t row, const float *z, int64_t count) {
    evaluation *e = context;
    text_answer found;
    gw_answer_match best = {0, 0};
    const char *expected;
    (void)count;
    GW_TRY(next_row(e));
    gw_string_clear(&e->answer);
    GW_TRY(find_answer(e->model->tokenizer, &e->set, e->texts.second != NULL, row, z, &found, &e->answer));
    const int64_t items = gw_table_items(e->table, e->column);
    if (items == 0) GW_TRY(compare(e, "", &best));
    if (items < 0) {
        GW_TRY(gw_table_text(e->table, e->column, &expected));
        GW_TRY(compare(e, expected, &best));
    }
    for (int64_t i = 0; i < items; i++) {
        GW_TRY(gw_table_item(e->table, e->column, i, &expected));
        GW_TRY(compare(e, expected, &best));
    }
    e->exact += best.exact;
    e->f1 += best.f1;
    return GW_OK;
}

static gw_status run_evaluation(evaluation *e, gw_model *model) {
    const gw_task_input *in = e->in;
    gw_text_options texts = e->texts;
    gw_label_names none = {0};
    texts.labels = GW_TEXT_UNLABELLED;
    GW_TRY(gw_texts_fit(&model->config, &texts));
    GW_TRY(gw_text_set_read(in->sets.items, in->sets.count, model->tokenizer, &texts, &none, &e->set));
    if (e->set.cut > 0)
        gw_note("%lld of %lld texts are cut to %lld tokens", (long long)e->set.cut, (long long)e->set.rows,
                (long long)texts.most);
    GW_TRY(gw_text_logits_new(model, &e->set, in->tokens, &e->logits));
    GW_TRY(gw_text_logits_run(e->logits, "eval", rate_answer, e));
    const double rows = (double)e->set.rows;
    gw_columns columns = {0};
    gw_table_writer *out;
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "rows");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6f", "exact");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6f", "f1");
    GW_TRY(gw_table_writer_open(in->output, &columns, "NA", &out));
    gw_cell_integer(out, e->set.rows);
    gw_cell_real(out, e->exact / rows);
    gw_cell_real(out, e->f1 / rows);
    return gw_table_writer_end(gw_row_end(out), out);
}

// Rates the answer of a span head to each row by the first column of labels: an answer, or a JSON list of answers of
// which the best counts (empty: there is none). Writes a TSV with one line: rows, exact, f1 (language/answers.h).
static gw_status eval_answers(gw_model *model, const gw_task_input *in) {
    evaluation e = {
        .in = in, .texts = gw_texts_complete(&in->texts, gw_text_preset_by_name(in->preset)), .model = model};
    const gw_status status = run_evaluation(&e, model);
    gw_table_close(e.table);
    gw_text_logits_free(e.logits);
    gw_text_set_free(&e.set);
    gw_string_free(&e.answer);
    return status;
}

static gw_status report(const gw_text_set *set, const gw_text_metrics *metrics, const char *path) {
    gw_columns columns = {0};
    gw_table_writer *out;
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "rows");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "labels");
    for (int f = 0; f < GW_METRIC_EXACT; f++)
        gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6f", "%s", gw_metric_names[f]);
    GW_TRY(gw_table_writer_open(path, &columns, "NA", &out));
    gw_cell_integer(out, set->rows);
    gw_cell_integer(out, metrics->labels);
    for (int f = 0; f < GW_METRIC_EXACT; f++) gw_cell_real(out, metrics->of[f]);
    return gw_table_writer_end(gw_row_end(out), out);
}

// Writes a table of one row: rows, labels, loss and the metrics of text_metrics.h, NA where one
// means nothing. Of a span head as eval_answers().
static gw_status eval_texts(gw_model *model, const gw_task_input *in) {
    const gw_predict_options options = {.in = *in};
    prediction p = {.options = &options};
    gw_text_metrics metrics;
    if (labels_of_model(&model->config) == GW_TEXT_UNLABELLED) return eval_answers(model, in);
    gw_status status = prepare(&p, model, true);
    if (status == GW_OK) status = gw_text_metrics_compute(p.logits, &p.set, "eval", &metrics);
    if (status == GW_OK) status = report(&p.set, &metrics, in->output);
    release(&p);
    return status;
}

// --- the kind of data ------------------------------------------------------------------------------------------------

typedef struct {
    bool known, texts, sequences;
} columns;

// What comes through a pipe is read once, by who reads it whole: its columns are not known.
static columns columns_of(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return (columns){0};
    const gw_table_options options = {0};
    gw_table *table;
    if (gw_table_open(path, &options, &table) != GW_OK) return (columns){0};
    const columns found = {.known = true,
                           .texts = gw_table_has(table, "text") || gw_table_has(table, "sentence"),
                           .sequences = gw_table_has(table, "sequence")};
    gw_table_close(table);
    return found;
}

static bool names_texts(const gw_text_options *o) {
    return o->text || o->second || o->choices.count > 0 || o->table.headless || o->words;
}

bool gw_reads_texts(const gw_config *config, const gw_task_input *in) {
    const gw_text_options *o = &in->texts;
    const bool numbers = gw_config_has_numbers(config) && config->window > 0; // whose columns --label names, too
    const bool asked = names_texts(o) || (o->label.count > 0 && !numbers) || in->preset;
    if (asked || !gw_head_of(config->head)->problem) return true;
    if (config->window > 0) return false;
    return config->problem != GW_PROBLEM_MULTI_LABEL || columns_of(in->sets.items[0]).texts;
}

bool gw_learns_of_texts(const gw_text_options *options, const char *set, bool otherwise) {
    if (names_texts(options)) return true;
    const columns found = columns_of(set);
    return found.known ? found.texts && !found.sequences : otherwise;
}

// A model that answers questions reads a file as a question set where no column is named, and it begins so.
static bool reads_questions(const gw_config *config, const gw_task_input *in) {
    return gw_head_names_spans(config->head) && !in->texts.text && !in->texts.second &&
           gw_question_format_of(in->sets.items[0]);
}

static gw_status evaluate(gw_model *const *models, int count, const gw_eval_options *o) {
    if (count > 1) return gw_fail(GW_ERR_USAGE, "texts are rated one model at a time");
    return (reads_questions(&models[0]->config, &o->in) ? gw_eval_questions : eval_texts)(models[0], &o->in);
}

static gw_status predict(gw_model *const *models, int count, const gw_predict_options *o) {
    if (count > 1) return gw_fail(GW_ERR_USAGE, "texts are predicted by one model at a time");
    if (reads_questions(&models[0]->config, &o->in)) return gw_predict_questions(models[0], o);
    if (o->predictions || o->no_answer)
        return gw_fail(GW_ERR_USAGE,
                       "--predictions and --no-answer are for question sets and models that answer questions");
    return predict_texts(models[0], o);
}

const gw_data_kind gw_data_texts = {.evaluate = evaluate, .predict = predict};
