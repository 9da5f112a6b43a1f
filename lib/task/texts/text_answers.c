// SPDX-License-Identifier: MIT
// Tries every span that may be an answer.
#include "task/texts/text_answers.h"
#include "base/log.h"
#include "base/utf8.h"
#include "file/lines.h"
#include "language/answers.h"
#include "language/text_logits.h"
#include "language/text_presets.h"
#include "task/texts/text_data.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST_ANSWER = 30 };

// The first token that an answer may begin at: of a pair the one behind the first separator.
static int64_t first_of(const gw_tokenizer *tokenizer, const int32_t *token, int64_t tokens, bool pairs) {
    const int32_t separator = gw_tokenizer_special(tokenizer, GW_SPECIAL_SEP);
    int64_t first = 0;
    while (pairs && first < tokens && token[first] != separator) first++;
    return first;
}

static gw_text_answer best_of(const gw_tokenizer *tokenizer, const int32_t *token, int64_t tokens, bool pairs,
                              const float *z) {
    gw_text_answer best = {0, 0, -INFINITY};
    for (int64_t i = first_of(tokenizer, token, tokens, pairs); i < tokens; i++)
        for (int64_t j = i; j < tokens && j < i + LONGEST_ANSWER; j++) {
            if (gw_tokenizer_is_special(tokenizer, token[j])) break;
            const double score = (double)z[2 * i] + (double)z[2 * j + 1];
            if (score > best.score) best = (gw_text_answer){i, j, score};
        }
    return best;
}

gw_status gw_text_answer_find(const gw_tokenizer *tokenizer, const gw_text_set *set, bool pairs, int64_t row,
                              const float *z, gw_text_answer *out, gw_string *text) {
    const int32_t *token = set->token + set->start[row];
    *out = best_of(tokenizer, token, set->start[row + 1] - set->start[row], pairs, z);
    if (!isfinite(out->score)) return GW_OK;
    gw_string answer = {0};
    const gw_status status = gw_decode(tokenizer, token + out->first, out->last - out->first + 1, &answer);
    const int64_t blanks = answer.data ? (int64_t)strspn(answer.data, " ") : 0;
    if (status == GW_OK && answer.data) gw_utf8_append_mended(text, answer.data + blanks, answer.length - blanks);
    gw_string_free(&answer);
    return status == GW_OK ? gw_string_status(text) : status;
}

// How right the answers of a span head are: reads the tables a second time, for the answers, beside the rows of logits.

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

static gw_status rate_row(void *context, int64_t row, const float *z, int64_t count) {
    evaluation *e = context;
    gw_text_answer found;
    gw_answer_match best = {0, 0};
    const char *expected;
    (void)count;
    GW_TRY(next_row(e));
    gw_string_clear(&e->answer);
    GW_TRY(gw_text_answer_find(e->model->tokenizer, &e->set, e->texts.second != NULL, row, z, &found, &e->answer));
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

static gw_status report(const evaluation *e) {
    const double rows = (double)e->set.rows;
    gw_text_writer *out;
    GW_TRY(gw_writer_open(NULL, &out));
    return gw_writers_close(gw_writer_printf(out, "rows\texact\tf1\n%lld\t%.6f\t%.6f\n", (long long)e->set.rows,
                                             e->exact / rows, e->f1 / rows),
                            out, NULL);
}

static gw_status evaluate(evaluation *e, gw_model *model) {
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
    GW_TRY(gw_text_logits_run(e->logits, "eval", rate_row, e));
    return report(e);
}

gw_status gw_eval_answers(gw_model *model, const gw_task_input *in) {
    evaluation e = {
        .in = in, .texts = gw_texts_complete(&in->texts, gw_text_preset_by_name(in->preset)), .model = model};
    const gw_status status = evaluate(&e, model);
    gw_table_close(e.table);
    gw_text_logits_free(e.logits);
    gw_text_set_free(&e.set);
    gw_string_free(&e.answer);
    return status;
}
