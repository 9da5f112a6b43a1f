// SPDX-License-Identifier: MIT
// SQuAD 1.1 and 2.0: {"data": [{"paragraphs": [{"context", "qas": [{"id", "question", "answers": [{"text",
// "answer_start"}]}]}]}]}; ids may be numbers. Messages name the question, once its id is known. The preset is that of
// BERT (Devlin et al., 2019).
#include "language/questions/question_format.h"
#include "language/questions/question_reader.h"

#include <math.h>
#include <string.h>

static gw_status read_answers(gw_question_reader *r, const json_t *qa) {
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

static gw_status read_question(gw_question_reader *r, json_t *qa) {
    const char *id, *text;
    bool impossible = false;
    GW_TRY(gw_question_reader_at(r, NULL));
    GW_TRY(gw_json_name(qa, r->where.data, "id", &id));
    GW_TRY(gw_question_reader_at(r, id));
    GW_TRY(gw_json_string(qa, r->where.data, "question", true, &text));
    GW_TRY(gw_json_bool(qa, r->where.data, "is_impossible", false, &impossible));
    r->questions->unanswerable |= impossible;
    GW_TRY(gw_question_reader_add(r, id, text));
    return read_answers(r, qa);
}

static gw_status read_paragraph(gw_question_reader *r, const json_t *paragraph) {
    const char *context;
    json_t *questions, *qa;
    size_t i;
    GW_TRY(gw_question_reader_at(r, NULL));
    GW_TRY(gw_json_string(paragraph, r->where.data, "context", true, &context));
    GW_TRY(gw_json_list(paragraph, r->where.data, "qas", true, &questions));
    GW_TRY(gw_questions_add_context(r->questions, context));
    json_array_foreach(questions, i, qa) GW_TRY(read_question(r, qa));
    return GW_OK;
}

static gw_status read_set(gw_question_reader *r, const json_t *set) {
    json_t *data, *article, *paragraphs, *paragraph;
    size_t i, j;
    GW_TRY(gw_question_reader_at(r, NULL));
    GW_TRY(gw_json_list(set, r->where.data, "data", true, &data));
    json_array_foreach(data, i, article) {
        GW_TRY(gw_question_reader_at(r, NULL));
        GW_TRY(gw_json_list(article, r->where.data, "paragraphs", true, &paragraphs));
        json_array_foreach(paragraphs, j, paragraph) GW_TRY(read_paragraph(r, paragraph));
    }
    return GW_OK;
}

static gw_status read_file(const char *path, const gw_text_options *options, gw_questions *questions) {
    const int64_t before = questions->count;
    gw_question_reader r;
    json_t *set = NULL;
    (void)options;
    gw_status status = gw_question_reader_begin(&r, path, questions);
    if (status == GW_OK) status = gw_json_file(path, &set);
    if (status == GW_OK) status = read_set(&r, set);
    json_decref(set);
    return gw_question_reader_end(&r, status, before);
}

static bool is_squad(const char *head) {
    static const char *const first[] = {"\"data\"", "\"version\""};
    if (!gw_head_begins(head, '{')) return false;
    const char *key = strchr(head, '{') + 1;
    key += strspn(key, " \t\r\n");
    return strncmp(key, first[0], strlen(first[0])) == 0 || strncmp(key, first[1], strlen(first[1])) == 0;
}

// The best answer to each question, "" where it is none above the threshold.
static gw_status predictions(const gw_question_answers *a, const gw_answer_thresholds *thresholds, json_t **out) {
    const gw_questions *q = &a->set->questions;
    gw_string text = {0};
    int failed = 0;
    *out = json_object();
    for (int64_t i = 0; i < q->count; i++) {
        gw_string_clear(&text);
        if (!(gw_question_answers_none(a, i) > thresholds->no_answer)) gw_question_answers_text(a, i, 0, &text);
        failed |= json_object_set_new(*out, q->question[i].id, json_string(text.data ? text.data : ""));
    }
    failed |= text.failed;
    gw_string_free(&text);
    return failed ? gw_fail(GW_ERR_MEMORY, "out of memory for the answers") : GW_OK;
}

const gw_question_format gw_question_format_squad = {.name = "squad",
                                                     .is = is_squad,
                                                     .read = read_file,
                                                     .predictions = predictions,
                                                     .rates_none = true,
                                                     .usual = {32, 2, 384, 128, 3e-5, 0, NULL, 0, 0, 0},
                                                     .exact = "exact",
                                                     .f1 = "f1",
                                                     .whole = 100};
