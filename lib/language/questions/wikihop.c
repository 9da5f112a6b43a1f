// SPDX-License-Identifier: MIT
// WikiHop: [{"id", "query", "answer", "candidates": [text], "supports": [text]}]. A row is [CLS] query [SEP] candidate
// [SEP] candidate [SEP] ... a part of all supports [SEP]; the separator behind a candidate is its marker. Predictions
// are {id: candidate}; accuracy is the share of questions whose candidate is the answer, letter for letter.
#include "language/questions/question_files.h"
#include "language/questions/question_format.h"

#include <string.h>

static gw_status read_supports(gw_question_reader *r, const json_t *item) {
    gw_string text = {0};
    json_t *supports, *support;
    size_t i;
    GW_TRY(gw_json_list(item, r->where.data, "supports", true, &supports));
    json_array_foreach(supports, i, support) {
        if (!json_is_string(support)) {
            gw_string_free(&text);
            return gw_fail(GW_ERR_FORMAT, "%s: \"supports\" is not a list of texts", r->where.data);
        }
        gw_string_printf(&text, "%s%s", i > 0 ? "\n" : "", json_string_value(support));
    }
    gw_status status = gw_string_status(&text);
    if (status == GW_OK) status = gw_questions_add_context(r->questions, text.data ? text.data : "");
    gw_string_free(&text);
    return status;
}

static gw_status read_candidates(gw_question_reader *r, const json_t *item) {
    gw_questions *q = r->questions;
    gw_question *question = &q->question[q->count - 1];
    const char *answer = NULL;
    json_t *candidates, *candidate;
    size_t i;
    GW_TRY(gw_json_list(item, r->where.data, "candidates", true, &candidates));
    GW_TRY(gw_json_string(item, r->where.data, "answer", false, &answer));
    if (json_array_size(candidates) == 0) return gw_fail(GW_ERR_FORMAT, "%s: it has no candidates", r->where.data);
    json_array_foreach(candidates, i, candidate) {
        if (!json_is_string(candidate))
            return gw_fail(GW_ERR_FORMAT, "%s: \"candidates\" is not a list of texts", r->where.data);
        if (answer && strcmp(answer, json_string_value(candidate)) == 0) question->right = (int64_t)i;
        GW_TRY(gw_questions_add_candidate(q, json_string_value(candidate)));
    }
    question->said = answer != NULL;
    q->lost += answer && question->right < 0;
    return GW_OK;
}

static gw_status read_item(gw_question_reader *r, json_t *item) {
    gw_string text = {0};
    const char *id, *query;
    GW_TRY(gw_json_name(item, r->where.data, "id", &id));
    GW_TRY(gw_question_reader_at(r, id));
    GW_TRY(gw_json_string(item, r->where.data, "query", true, &query));
    GW_TRY(read_supports(r, item));
    // Queries are a relation and a name: "place_of_birth ada lovelace".
    for (const char *c = query; *c; c++) gw_string_putc(&text, *c == '_' ? ' ' : *c);
    gw_status status = gw_string_status(&text);
    if (status == GW_OK) status = gw_question_reader_add(r, id, text.data ? text.data : "");
    gw_string_free(&text);
    return status == GW_OK ? read_candidates(r, item) : status;
}

static gw_status read_file(const char *path, const gw_text_options *options, gw_questions *questions) {
    (void)options;
    return gw_question_reader_list(path, questions, read_item);
}

static bool is_wikihop(const char *head) {
    return gw_head_begins(head, '[') && (gw_head_has_key(head, "supports") || gw_head_has_key(head, "candidates"));
}

static gw_status predictions(const gw_question_answers *a, const gw_answer_thresholds *thresholds, json_t **out) {
    const gw_questions *q = &a->set->questions;
    int failed = 0;
    (void)thresholds;
    *out = json_object();
    for (int64_t i = 0; i < q->count; i++)
        failed |= json_object_set_new(*out, q->question[i].id, json_string(gw_question_answers_word(a, i)));
    return failed ? gw_fail(GW_ERR_MEMORY, "out of memory for the answers") : GW_OK;
}

// --- rating --------------------------------------------------------------------------------------------------------

static gw_status rate(const gw_qa_files *files, const json_t *set, const json_t *predictions, gw_qa_rating *rating) {
    size_t i;
    json_t *question;
    int64_t right = 0;
    json_array_foreach(set, i, question) {
        const char *id, *expected, *found;
        bool predicted;
        GW_TRY(gw_qa_text(question, files->sets[0], "a question", "id", &id));
        GW_TRY(gw_qa_text(question, files->sets[0], id, "answer", &expected));
        GW_TRY(gw_qa_predicted(predictions, files->predictions, id, &predicted, &found));
        rating->missing += !predicted;
        right += strcmp(found, expected) == 0;
    }
    rating->questions = (int64_t)json_array_size(set);
    rating->others = (int64_t)json_object_size(predictions) - (rating->questions - rating->missing);
    if (rating->questions == 0) return gw_fail(GW_ERR_FORMAT, "%s: expected a list of questions", files->sets[0]);
    gw_qa_add(rating, "accuracy", 100.0 * (double)right / (double)rating->questions);
    gw_qa_add(rating, "total", (double)rating->questions);
    return GW_OK;
}

static gw_status rate_files(const gw_qa_files *files, gw_qa_rating *out) {
    json_t *set = NULL, *predictions = NULL;
    gw_status status = gw_qa_one_set(files, &set);
    if (status == GW_OK) status = gw_qa_object(files->answers, files->predictions, &predictions);
    if (status == GW_OK) status = rate(files, set, predictions, out);
    json_decref(set);
    json_decref(predictions);
    return status;
}
static const char *const columns[] = {"start-candidate", NULL};
const gw_question_format gw_question_format_wikihop = {
    .columns = columns,
    .shape = {.candidates = true, .joined = true},
    .is = is_wikihop,
    .read = read_file,
    .predictions = predictions,
    .rate = rate_files,
    .usual = {64, 8, 4096, 2048, 3.5e-5, 0, "start", 430, 0, 0, true},
    .exact = "accuracy",
    .f1 = "accuracy",
    .whole = 100};
