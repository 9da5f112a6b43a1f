// SPDX-License-Identifier: MIT
// A reader stores ids as keys of a JSON object.
#include "language/questions/question_files.h"
#include "base/memory.h"
#include "file/json_file.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gw_status gw_question_reader_begin(gw_question_reader *r, const char *path, gw_questions *questions) {
    *r = (gw_question_reader){.path = path, .questions = questions, .ids = json_object()};
    return r->ids ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory");
}

gw_status gw_question_reader_end(gw_question_reader *r, gw_status status, int64_t before) {
    json_decref(r->ids);
    gw_string_free(&r->where);
    if (status == GW_OK && r->questions->count == before)
        return gw_fail(GW_ERR_FORMAT, "%s: there is no question in it", r->path);
    return status;
}

gw_status gw_question_reader_at(gw_question_reader *r, const char *question) {
    gw_string_clear(&r->where);
    gw_string_puts(&r->where, r->path);
    if (question) gw_string_printf(&r->where, ": question %.80s", question);
    return gw_string_status(&r->where);
}

gw_status gw_question_reader_add(gw_question_reader *r, const char *id, const char *text) {
    r->questions->repeated += json_object_get(r->ids, id) != NULL;
    if (json_object_set_new(r->ids, id, json_true()) != 0) return gw_fail(GW_ERR_MEMORY, "out of memory");
    return gw_questions_add(r->questions, id, text);
}

gw_status gw_question_reader_list(const char *path, gw_questions *questions, gw_question_item *item) {
    const int64_t before = questions->count;
    gw_question_reader r;
    json_t *set = NULL, *one;
    size_t i;
    gw_status status = gw_question_reader_begin(&r, path, questions);
    if (status == GW_OK) status = gw_json_file(path, &set);
    if (status == GW_OK && !json_is_array(set)) status = gw_fail(GW_ERR_FORMAT, "%s: expected a list", path);
    json_array_foreach(set, i, one) {
        if (status == GW_OK) status = gw_question_reader_at(&r, NULL);
        if (status == GW_OK) status = item(&r, one);
    }
    json_decref(set);
    return gw_question_reader_end(&r, status, before);
}

bool gw_head_begins(const char *head, char bracket) {
    return head[strspn(head, " \t\r\n")] == bracket;
}

bool gw_head_has_key(const char *head, const char *key) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    for (const char *at = head; (at = strstr(at, quoted)) != NULL;) {
        const bool escaped = at > head && at[-1] == '\\';
        at += strlen(quoted);
        if (!escaped && at[strspn(at, " \t\r\n")] == ':') return true;
    }
    return false;
}

// --- rating ----------------------------------------------------------------------------------------------------------

void gw_qa_add(gw_qa_rating *rating, const char *name, double value) {
    assert(rating->count < GW_QA_MOST_METRICS);
    rating->metric[rating->count].name = name;
    rating->metric[rating->count++].value = value;
}

static const char *type_name(json_type type) {
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list", [JSON_STRING] = "text", [JSON_INTEGER] = "a whole number",
        [JSON_REAL] = "a number",    [JSON_TRUE] = "true",    [JSON_FALSE] = "false", [JSON_NULL] = "null"};
    return names[type];
}

gw_status gw_qa_field(const json_t *object, const char *path, const char *where, const char *key, json_type type,
                      json_t **out) {
    *out = json_object_get(object, key);
    if (*out && json_typeof(*out) == type) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: %s: \"%s\" is %s, expected %s", path, where, key,
                   *out ? type_name(json_typeof(*out)) : "missing", type_name(type));
}

gw_status gw_qa_text(const json_t *object, const char *path, const char *where, const char *key, const char **out) {
    json_t *value;
    GW_TRY(gw_qa_field(object, path, where, key, JSON_STRING, &value));
    *out = json_string_value(value);
    return GW_OK;
}

gw_status gw_qa_one_set(const gw_qa_files *files, json_t **out) {
    *out = NULL;
    if (files->set_count == 1) return gw_json_file(files->sets[0], out);
    return gw_fail(GW_ERR_UNSUPPORTED, "a set of this kind is one file, and there are %d", files->set_count);
}

gw_status gw_qa_object(json_t *at_hand, const char *path, json_t **out) {
    *out = json_incref(at_hand);
    if (*out) return GW_OK;
    GW_TRY(gw_json_file(path, out));
    if (json_is_object(*out)) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: predictions are %s, expected an object", path, type_name(json_typeof(*out)));
}

gw_status gw_qa_predicted(const json_t *answers, const char *path, const char *id, bool *found, const char **out) {
    const json_t *answer = json_object_get(answers, id);
    *out = "";
    *found = answer != NULL;
    if (!answer) return GW_OK;
    if (!json_is_string(answer))
        return gw_fail(GW_ERR_FORMAT, "%s: the answer to %s is %s, expected text", path, id,
                       type_name(json_typeof(answer)));
    *out = json_string_value(answer);
    return GW_OK;
}

gw_status gw_qa_answers_add(gw_qa_answers *answers, const char *text, gw_answer_rule rule) {
    gw_string normal = {0};
    gw_status status = gw_answer_normalise(text, rule, &normal);
    if (status == GW_OK)
        status = gw_reserve(&answers->answer, &answers->capacity, answers->count + 1, sizeof *answers->answer);
    if (status == GW_OK) answers->answer[answers->count++] = normal.data;
    else gw_string_free(&normal);
    return status;
}

void gw_qa_answers_free(gw_qa_answers *answers) {
    for (int64_t i = 0; i < answers->count; i++) free(answers->answer[i]);
    free(answers->answer);
    *answers = (gw_qa_answers){0};
}

gw_status gw_qa_answers_match(const gw_qa_answers *answers, const char *found, gw_answer_rule rule,
                              gw_answer_match *best) {
    gw_string normal = {0};
    gw_status status = gw_answer_normalise(found, rule, &normal);
    *best = (gw_answer_match){0};
    for (int64_t i = 0; i < answers->count && status == GW_OK; i++) {
        gw_answer_match match;
        status = gw_answer_match_words(normal.data, answers->answer[i], &match);
        if (status != GW_OK) break;
        best->exact = fmax(best->exact, match.exact);
        best->precision = fmax(best->precision, match.precision);
        best->recall = fmax(best->recall, match.recall);
        best->f1 = fmax(best->f1, match.f1);
    }
    gw_string_free(&normal);
    return status;
}
