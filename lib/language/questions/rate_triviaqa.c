// SPDX-License-Identifier: MIT
// TriviaQA: the set is {"Domain", "VerifiedEval", "Data": [{"QuestionId", "Answer": {"NormalizedAliases",
// "HumanAnswers"}, "EntityPages": [{"Filename"}], "SearchResults": [...]}]}. Predictions are {key: text}: the key of
// Wikipedia is a question's id; of the web each page is asked, and the key is "id--filename". Of a set that was
// verified by people the questions and pages that passed count.
#include "language/questions/qa_private.h"

#include <string.h>

typedef struct {
    const gw_qa_files *files;
    json_t *set, *predictions;
    json_t *expected; // key -> "Answer", in order
    bool web, verified;
    int64_t common, repeated;
    double exact, f1;
} trivia;

static gw_status add_key(trivia *t, const char *key, json_t *answer) {
    return json_object_set(t->expected, key, answer) == 0 ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory for answers");
}

static gw_status add_page(trivia *t, const json_t *page, const char *id, json_t *answer) {
    const char *name;
    gw_string key = {0};
    if (t->verified && !json_is_true(json_object_get(page, "DocPartOfVerifiedEval"))) return GW_OK;
    GW_TRY(gw_qa_text(page, t->files->sets[0], id, "Filename", &name));
    gw_string_printf(&key, "%s--%s", id, name);
    gw_status status = gw_string_status(&key);
    if (status == GW_OK) status = add_key(t, key.data, answer);
    gw_string_free(&key);
    return status;
}

static gw_status add_question(trivia *t, const json_t *question) {
    static const char *const pages[] = {"EntityPages", "SearchResults"};
    const char *id;
    json_t *answer, *page;
    size_t i;
    if (t->verified && !json_is_true(json_object_get(question, "QuestionPartOfVerifiedEval"))) return GW_OK;
    GW_TRY(gw_qa_text(question, t->files->sets[0], "a question", "QuestionId", &id));
    GW_TRY(gw_qa_field(question, t->files->sets[0], id, "Answer", JSON_OBJECT, &answer));
    if (!t->web) {
        t->repeated += json_object_get(t->expected, id) != NULL;
        return add_key(t, id, answer);
    }
    for (int k = 0; k < 2; k++)
        json_array_foreach(json_object_get(question, pages[k]), i, page) GW_TRY(add_page(t, page, id, answer));
    return GW_OK;
}

static gw_status read_set(trivia *t) {
    const char *domain;
    json_t *data, *question;
    size_t i;
    GW_TRY(gw_qa_text(t->set, t->files->sets[0], "the set", "Domain", &domain));
    GW_TRY(gw_qa_field(t->set, t->files->sets[0], "the set", "Data", JSON_ARRAY, &data));
    t->web = strcmp(domain, "Wikipedia") != 0;
    t->verified = json_is_true(json_object_get(t->set, "VerifiedEval"));
    json_array_foreach(data, i, question) GW_TRY(add_question(t, question));
    if (json_object_size(t->expected) == 0)
        return gw_fail(GW_ERR_FORMAT, "%s: there is no question in it", t->files->sets[0]);
    return GW_OK;
}

static gw_status add_answers(trivia *t, const char *key, const json_t *answer, const char *field, gw_qa_answers *out) {
    size_t i;
    json_t *text;
    json_array_foreach(json_object_get(answer, field), i, text) {
        if (!json_is_string(text))
            return gw_fail(GW_ERR_FORMAT, "%s: %s: \"%s\" holds what is no text", t->files->sets[0], key, field);
        GW_TRY(gw_qa_answers_add(out, json_string_value(text), GW_ANSWERS_SPLIT_AT_PUNCTUATION));
    }
    return GW_OK;
}

static gw_status rate_key(trivia *t, const char *key, const json_t *answer, gw_qa_rating *rating) {
    const char *found;
    gw_qa_answers right = {0};
    gw_answer_match best = {0};
    bool predicted;
    GW_TRY(gw_qa_predicted(t->predictions, t->files->predictions, key, &predicted, &found));
    rating->missing += !predicted;
    if (!predicted) return GW_OK;
    gw_status status = add_answers(t, key, answer, "NormalizedAliases", &right);
    if (status == GW_OK) status = add_answers(t, key, answer, "HumanAnswers", &right);
    if (status == GW_OK && right.count == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s: %s has no answers", t->files->sets[0], key);
    if (status == GW_OK) status = gw_qa_answers_match(&right, found, GW_ANSWERS_SPLIT_AT_PUNCTUATION, &best);
    gw_qa_answers_free(&right);
    t->common++;
    t->exact += best.exact;
    t->f1 += best.f1;
    return status;
}

static gw_status rate(trivia *t, gw_qa_rating *rating) {
    const char *key;
    json_t *answer;
    t->expected = json_object();
    if (!t->expected) return gw_fail(GW_ERR_MEMORY, "out of memory for answers");
    GW_TRY(gw_qa_one_set(t->files, &t->set));
    GW_TRY(gw_qa_predictions(t->files, &t->predictions));
    GW_TRY(read_set(t));
    json_object_foreach(t->expected, key, answer) GW_TRY(rate_key(t, key, answer, rating));
    const double total = (double)json_object_size(t->expected), given = (double)json_object_size(t->predictions);
    rating->questions = (int64_t)total;
    rating->others = (int64_t)given - t->common;
    rating->repeated = t->repeated;
    gw_qa_add(rating, "exact_match", 100.0 * t->exact / total);
    gw_qa_add(rating, "f1", 100.0 * t->f1 / total);
    gw_qa_add(rating, "common", (double)t->common);
    gw_qa_add(rating, "denominator", total);
    gw_qa_add(rating, "pred_len", given);
    gw_qa_add(rating, "gold_len", total);
    return GW_OK;
}

gw_status gw_qa_rate_triviaqa(const gw_qa_files *files, gw_qa_rating *out) {
    trivia t = {.files = files};
    const gw_status status = rate(&t, out);
    json_decref(t.set);
    json_decref(t.predictions);
    json_decref(t.expected);
    return status;
}
