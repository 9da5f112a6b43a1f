// SPDX-License-Identifier: MIT
// HotpotQA: [{"_id", "question", "answer", "supporting_facts": [[title, sentence]], "context": [[title, [sentence]]]}].
// A context is all paragraphs, each title before its sentences. Titles and sentences are its parts, with a marker each.
//
// Predictions are {"answer": {id: text}, "sp": {id: [[title, sentence]]}}. Metrics are means over all questions: of the
// answer, of the supporting facts (sp_), and of both together, with the products of their precisions and recalls
// (joint_).
#include "base/memory.h"
#include "language/questions/question_files.h"
#include "language/questions/question_format.h"

#include <stdlib.h>
#include <string.h>

static gw_status bad_context(const gw_question_reader *r) {
    return gw_fail(GW_ERR_FORMAT, "%s: \"context\" is not a list of pairs of a title and a list of sentences",
                   r->where.data);
}

typedef struct {
    gw_string text;
    gw_context_part *part; // names borrowed
    int64_t parts, capacity;
} paragraphs;

static gw_status add_paragraph(const gw_question_reader *r, paragraphs *p, const json_t *pair) {
    const char *title = json_string_value(json_array_get(pair, 0));
    const json_t *sentences = json_array_get(pair, 1);
    json_t *sentence;
    size_t i;
    if (!title || !json_is_array(sentences)) return bad_context(r);
    gw_string_printf(&p->text, "%s%s\n", p->text.length > 0 ? "\n" : "", title);
    json_array_foreach(sentences, i, sentence) {
        if (!json_is_string(sentence)) return bad_context(r);
        GW_TRY(gw_reserve(&p->part, &p->capacity, p->parts + 1, sizeof *p->part));
        const int64_t begin = p->text.length, number = (int64_t)i;
        gw_string_puts(&p->text, json_string_value(sentence));
        p->part[p->parts++] = (gw_context_part){
            .begin = begin, .end = p->text.length, .first = number, .last = number, .name = (char *)title};
    }
    return GW_OK;
}

static bool is_fact(const json_t *facts, const gw_context_part *part) {
    json_t *fact;
    size_t i;
    json_array_foreach(facts, i, fact) {
        const char *title = json_string_value(json_array_get(fact, 0));
        if (title && strcmp(title, part->name) == 0 && json_integer_value(json_array_get(fact, 1)) == part->first)
            return true;
    }
    return false;
}

static gw_status read_context(gw_question_reader *r, const json_t *item, const json_t *facts) {
    paragraphs p = {0};
    json_t *context, *pair;
    size_t i;
    GW_TRY(gw_json_list(item, r->where.data, "context", true, &context));
    gw_string_puts(&p.text, "");
    gw_status status = GW_OK;
    json_array_foreach(context, i, pair) {
        if (status == GW_OK) status = add_paragraph(r, &p, pair);
    }
    if (status == GW_OK) status = gw_string_status(&p.text);
    if (status == GW_OK) status = gw_questions_add_context(r->questions, p.text.data);
    for (int64_t s = 0; s < p.parts && status == GW_OK; s++) {
        p.part[s].right = is_fact(facts, &p.part[s]);
        status = gw_questions_add_part(r->questions, p.part[s]);
    }
    free(p.part);
    gw_string_free(&p.text);
    return status;
}

// Where the answer's text stands: in a supporting fact where one has it, else anywhere; -1: nowhere.
static int64_t place_of(const gw_context *context, const char *answer) {
    const int64_t length = (int64_t)strlen(answer);
    for (int64_t p = 0; p < context->parts; p++) {
        const gw_context_part *part = &context->part[p];
        const char *found = part->right ? strstr(context->text + part->begin, answer) : NULL;
        if (found && found - context->text + length <= part->end) return found - context->text;
    }
    const char *found = strstr(context->text, answer);
    return found ? found - context->text : -1;
}

static gw_status read_item(gw_question_reader *r, json_t *item) {
    const char *id, *text, *answer = NULL;
    json_t *facts;
    GW_TRY(gw_json_name(item, r->where.data, "_id", &id));
    GW_TRY(gw_question_reader_at(r, id));
    GW_TRY(gw_json_string(item, r->where.data, "question", true, &text));
    GW_TRY(gw_json_string(item, r->where.data, "answer", false, &answer));
    GW_TRY(gw_json_list(item, r->where.data, "supporting_facts", false, &facts));
    GW_TRY(read_context(r, item, facts));
    GW_TRY(gw_question_reader_add(r, id, text));
    gw_questions *q = r->questions;
    gw_question *question = &q->question[q->count - 1];
    question->said = answer && facts;
    if (!answer) return GW_OK;
    question->type = strcmp(answer, "yes") == 0 ? 1 : strcmp(answer, "no") == 0 ? 2 : 0;
    if (question->type > 0) return GW_OK;
    const int64_t place = *answer ? place_of(&q->context[q->contexts - 1], answer) : -1;
    return place < 0 ? gw_questions_add_answer(q, answer, 0)
                     : gw_questions_add_span(q, q->contexts - 1, place, place + (int64_t)strlen(answer));
}

static gw_status read_file(const char *path, const gw_text_options *options, gw_questions *questions) {
    (void)options;
    return gw_question_reader_list(path, questions, read_item);
}

static bool is_hotpotqa(const char *head) {
    return gw_head_begins(head, '[') && gw_head_has_key(head, "_id");
}

static json_t *facts_of(const gw_question_answers *a, int64_t question, double threshold) {
    const gw_found_columns *column = &a->column[question];
    const gw_context *context = &a->set->questions.context[a->set->questions.question[question].context];
    json_t *facts = json_array();
    for (int64_t p = 0; p < column->marks; p++)
        if ((double)column->mark[p] > threshold)
            json_array_append_new(facts,
                                  json_pack("[s, I]", context->part[p].name, (json_int_t)context->part[p].first));
    return facts;
}

static gw_status predictions(const gw_question_answers *a, const gw_answer_thresholds *thresholds, json_t **out) {
    const gw_questions *q = &a->set->questions;
    json_t *answers = json_object(), *facts = json_object();
    gw_string text = {0};
    int failed = 0;
    *out = json_pack("{s:o, s:o}", "answer", answers, "sp", facts);
    for (int64_t i = 0; i < q->count; i++) {
        const char *word = gw_question_answers_word(a, i);
        gw_string_clear(&text);
        if (word) gw_string_puts(&text, word);
        else gw_question_answers_text(a, i, 0, &text);
        failed |= json_object_set_new(answers, q->question[i].id, json_string(text.data ? text.data : ""));
        failed |= json_object_set_new(facts, q->question[i].id, facts_of(a, i, thresholds->support));
    }
    failed |= text.failed;
    gw_string_free(&text);
    return failed ? gw_fail(GW_ERR_MEMORY, "out of memory for the answers") : GW_OK;
}

// --- rating --------------------------------------------------------------------------------------------------------

typedef struct {
    const gw_qa_files *files;
    json_t *set, *predictions, *answers, *facts; // the last two borrow from the predictions
    json_t *ids;                                 // that were met
    gw_answer_match answer, support, joint;      // sums over questions
} hotpot;

// yes, no and noanswer are right or wrong as a whole.
static bool is_whole(const char *normal) {
    return strcmp(normal, "yes") == 0 || strcmp(normal, "no") == 0 || strcmp(normal, "noanswer") == 0;
}

static gw_status match_answer(const char *found, const char *expected, gw_answer_match *out) {
    gw_string a = {0}, b = {0};
    gw_status status = gw_answer_normalise(found, GW_ANSWERS_WITHOUT_PUNCTUATION, &a);
    if (status == GW_OK) status = gw_answer_normalise(expected, GW_ANSWERS_WITHOUT_PUNCTUATION, &b);
    if (status == GW_OK) status = gw_answer_match_words(a.data, b.data, out);
    if (status == GW_OK && out->exact == 0 && (is_whole(a.data) || is_whole(b.data))) *out = (gw_answer_match){0};
    gw_string_free(&a);
    gw_string_free(&b);
    return status;
}

// The facts of a list as keys of an object, each once.
static gw_status read_facts(const json_t *list, const char *path, const char *id, json_t *out) {
    size_t i;
    json_t *fact;
    if (!json_is_array(list)) return gw_fail(GW_ERR_FORMAT, "%s: the facts of %s are not a list", path, id);
    json_array_foreach(list, i, fact) {
        if (json_array_size(fact) != 2 || !json_is_string(json_array_get(fact, 0)) ||
            !json_is_integer(json_array_get(fact, 1)))
            return gw_fail(GW_ERR_FORMAT, "%s: a fact of %s is not [title, number of the sentence]", path, id);
        char *key = json_dumps(fact, JSON_COMPACT);
        const int failed = key ? json_object_set_new(out, key, json_true()) : 1;
        free(key);
        if (failed) return gw_fail(GW_ERR_MEMORY, "out of memory for the facts of %s", id);
    }
    return GW_OK;
}

static double f1_of(double precision, double recall) {
    return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

static gw_status match_facts(const hotpot *h, const json_t *question, const json_t *found, const char *id,
                             gw_answer_match *out) {
    json_t *facts, *a = json_object(), *b = json_object();
    gw_status status = a && b ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory for the facts of %s", id);
    if (status == GW_OK) status = gw_qa_field(question, h->files->sets[0], id, "supporting_facts", JSON_ARRAY, &facts);
    if (status == GW_OK) status = read_facts(found, h->files->predictions, id, a);
    if (status == GW_OK) status = read_facts(facts, h->files->sets[0], id, b);
    if (status == GW_OK) {
        const char *key;
        json_t *value;
        double common = 0;
        const double of_found = (double)json_object_size(a), of_expected = (double)json_object_size(b);
        json_object_foreach(a, key, value) common += json_object_get(b, key) != NULL;
        const double precision = of_found > 0 ? common / of_found : 0,
                     recall = of_expected > 0 ? common / of_expected : 0;
        *out = (gw_answer_match){.exact = common == of_found && common == of_expected,
                                 .precision = precision,
                                 .recall = recall,
                                 .f1 = f1_of(precision, recall)};
    }
    json_decref(a);
    json_decref(b);
    return status;
}

static void add(gw_answer_match *sum, const gw_answer_match *match) {
    sum->exact += match->exact;
    sum->f1 += match->f1;
    sum->precision += match->precision;
    sum->recall += match->recall;
}

static gw_status rate_question(hotpot *h, const json_t *question, gw_qa_rating *rating) {
    const char *id, *expected, *found;
    gw_answer_match answer = {0}, support = {0}, joint;
    const json_t *facts;
    GW_TRY(gw_qa_text(question, h->files->sets[0], "a question", "_id", &id));
    rating->repeated += json_object_get(h->ids, id) != NULL;
    if (json_object_set_new(h->ids, id, json_true()) != 0) return gw_fail(GW_ERR_MEMORY, "out of memory for ids");
    bool answered;
    GW_TRY(gw_qa_text(question, h->files->sets[0], id, "answer", &expected));
    GW_TRY(gw_qa_predicted(h->answers, h->files->predictions, id, &answered, &found));
    rating->missing += !answered;
    if (answered) GW_TRY(match_answer(found, expected, &answer));
    facts = json_object_get(h->facts, id);
    if (facts) GW_TRY(match_facts(h, question, facts, id, &support));
    add(&h->answer, &answer);
    add(&h->support, &support);
    joint = (gw_answer_match){.exact = answer.exact * support.exact,
                              .precision = answer.precision * support.precision,
                              .recall = answer.recall * support.recall};
    joint.f1 = f1_of(joint.precision, joint.recall);
    add(&h->joint, &joint);
    return GW_OK;
}

static void add_means(const gw_answer_match *sum, double count, const char *const names[4], gw_qa_rating *rating) {
    gw_qa_add(rating, names[0], sum->exact / count);
    gw_qa_add(rating, names[1], sum->f1 / count);
    gw_qa_add(rating, names[2], sum->precision / count);
    gw_qa_add(rating, names[3], sum->recall / count);
}

static gw_status rate(hotpot *h, gw_qa_rating *rating) {
    static const char *const answer[4] = {"em", "f1", "prec", "recall"},
                             *const support[4] = {"sp_em", "sp_f1", "sp_prec", "sp_recall"},
                             *const joint[4] = {"joint_em", "joint_f1", "joint_prec", "joint_recall"};
    GW_TRY(gw_qa_one_set(h->files, &h->set));
    GW_TRY(gw_qa_object(h->files->answers, h->files->predictions, &h->predictions));
    GW_TRY(gw_qa_field(h->predictions, h->files->predictions, "predictions", "answer", JSON_OBJECT, &h->answers));
    GW_TRY(gw_qa_field(h->predictions, h->files->predictions, "predictions", "sp", JSON_OBJECT, &h->facts));
    if (json_array_size(h->set) == 0)
        return gw_fail(GW_ERR_FORMAT, "%s: expected a list of questions", h->files->sets[0]);
    size_t i;
    const char *id;
    json_t *question, *found;
    h->ids = json_object();
    if (!h->ids) return gw_fail(GW_ERR_MEMORY, "out of memory for ids");
    json_array_foreach(h->set, i, question) GW_TRY(rate_question(h, question, rating));
    rating->questions = (int64_t)json_array_size(h->set);
    json_object_foreach(h->answers, id, found) rating->others += !json_object_get(h->ids, id);
    add_means(&h->answer, (double)rating->questions, answer, rating);
    add_means(&h->support, (double)rating->questions, support, rating);
    add_means(&h->joint, (double)rating->questions, joint, rating);
    return GW_OK;
}

static gw_status rate_files(const gw_qa_files *files, gw_qa_rating *out) {
    hotpot h = {.files = files};
    const gw_status status = rate(&h, out);
    json_decref(h.set);
    json_decref(h.predictions);
    json_decref(h.ids);
    return status;
}
static const char *const columns[] = {"start", "end", "span", "yes", "no", "support", NULL};
const gw_question_format gw_question_format_hotpotqa = {
    .columns = columns,
    .shape = {.ends = 2, .types = 3, .marks = true, .most_words = 30},
    .is = is_hotpotqa,
    .read = read_file,
    .predictions = predictions,
    .rate = rate_files,
    .usual = {32, 7, 4096, 2048, 3e-5, 0, "start", 256, 9, 5e-5},
    .exact = "joint_em",
    .f1 = "joint_f1",
    .whole = 1};
