// SPDX-License-Identifier: MIT
// Walks from articles to paragraphs, questions and answers; messages name the question, once its id is known.
#include "data/question_windows.h"

#include "base/json.h"
#include "base/string.h"
#include "file/json_file.h"

typedef struct {
    const char *path;
    gw_questions *questions;
    gw_string where; // for messages: the file, and the question
} reader;

static gw_status name_place(reader *r, const char *question) {
    gw_string_clear(&r->where);
    gw_string_puts(&r->where, r->path);
    if (question) gw_string_printf(&r->where, ": question %.80s", question);
    return gw_string_status(&r->where);
}

static gw_status read_answers(reader *r, const json_t *qa) {
    gw_questions *q = r->questions;
    gw_question *question = &q->question[q->count - 1];
    const char *text;
    int64_t start = 0;
    json_t *answers, *answer;
    size_t i;
    GW_TRY(gw_json_list(qa, r->where.data, "answers", false, &answers));
    question->said = answers;
    json_array_foreach(answers, i, answer) {
        GW_TRY(gw_json_string(answer, r->where.data, "text", true, &text));
        GW_TRY(gw_json_int(answer, r->where.data, "answer_start", true, INT64_MIN, INT64_MAX, &start));
        GW_TRY(gw_questions_add_answer(q, text, start));
    }
    if (answers && question->answers == 0) q->unanswerable = true;
    return GW_OK;
}

static gw_status read_question(reader *r, json_t *qa, json_t *ids) {
    const char *id, *text;
    bool impossible = false;
    GW_TRY(name_place(r, NULL));
    GW_TRY(gw_json_name(qa, r->where.data, "id", &id));
    GW_TRY(name_place(r, id));
    GW_TRY(gw_json_string(qa, r->where.data, "question", true, &text));
    GW_TRY(gw_json_bool(qa, r->where.data, "is_impossible", false, &impossible));
    r->questions->repeated += json_object_get(ids, id) != NULL;
    if (json_object_set_new(ids, id, json_true()) != 0) return gw_fail(GW_ERR_MEMORY, "out of memory");
    r->questions->unanswerable |= impossible;
    GW_TRY(gw_questions_add(r->questions, id, text));
    return read_answers(r, qa);
}

static gw_status read_paragraph(reader *r, const json_t *paragraph, json_t *ids) {
    const char *context;
    json_t *questions, *qa;
    size_t i;
    GW_TRY(name_place(r, NULL));
    GW_TRY(gw_json_string(paragraph, r->where.data, "context", true, &context));
    GW_TRY(gw_json_list(paragraph, r->where.data, "qas", true, &questions));
    GW_TRY(gw_questions_add_context(r->questions, context));
    json_array_foreach(questions, i, qa) GW_TRY(read_question(r, qa, ids));
    return GW_OK;
}

static gw_status read_set(reader *r, const json_t *set, json_t *ids) {
    json_t *data, *article, *paragraphs, *paragraph;
    size_t i, j;
    GW_TRY(name_place(r, NULL));
    GW_TRY(gw_json_list(set, r->where.data, "data", true, &data));
    json_array_foreach(data, i, article) {
        GW_TRY(name_place(r, NULL));
        GW_TRY(gw_json_list(article, r->where.data, "paragraphs", true, &paragraphs));
        json_array_foreach(paragraphs, j, paragraph) GW_TRY(read_paragraph(r, paragraph, ids));
    }
    return GW_OK;
}

gw_status gw_questions_read(const char *path, gw_questions *questions) {
    reader r = {.path = path, .questions = questions};
    const int64_t before = questions->count;
    json_t *set, *ids = json_object();
    gw_status status = ids ? gw_json_file(path, &set) : gw_fail(GW_ERR_MEMORY, "out of memory");
    if (status == GW_OK) {
        status = read_set(&r, set, ids);
        json_decref(set);
    }
    json_decref(ids);
    gw_string_free(&r.where);
    if (status == GW_OK && questions->count == before)
        return gw_fail(GW_ERR_FORMAT, "%s: there is no question in it", path);
    return status;
}

bool gw_is_question_set(const char *path) {
    return gw_json_begins(path, "data", '[') || gw_json_begins(path, "version", '"');
}
