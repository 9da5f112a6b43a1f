// SPDX-License-Identifier: MIT
// HotpotQA: [{"_id", "question", "answer", "supporting_facts": [[title, sentence]], "context": [[title, [sentence]]]}].
// A context is all paragraphs, the title of each before its sentences; these are its parts, with a marker each.
#include "base/memory.h"
#include "language/questions/question_format.h"
#include "language/questions/question_reader.h"

#include <stdlib.h>
#include <string.h>

static gw_status bad_context(const gw_question_reader *r) {
    return gw_fail(GW_ERR_FORMAT, "%s: \"context\" is no list of pairs of a title and a list of sentences",
                   r->where.data);
}

typedef struct {
    gw_string text;
    gw_context_part *part; // names borrowed
    int64_t parts, capacity;
} paragraphs;

static gw_status add_sentence(paragraphs *p, const char *title, int64_t number, const char *sentence) {
    GW_TRY(gw_reserve(&p->part, &p->capacity, p->parts + 1, sizeof *p->part));
    const int64_t begin = p->text.length;
    gw_string_puts(&p->text, sentence);
    p->part[p->parts++] = (gw_context_part){
        .begin = begin, .end = p->text.length, .first = number, .last = number, .name = (char *)title};
    return GW_OK;
}

static gw_status add_paragraph(const gw_question_reader *r, paragraphs *p, const json_t *pair) {
    const char *title = json_string_value(json_array_get(pair, 0));
    const json_t *sentences = json_array_get(pair, 1);
    json_t *sentence;
    size_t i;
    if (!title || !json_is_array(sentences)) return bad_context(r);
    gw_string_printf(&p->text, "%s%s\n", p->text.length > 0 ? "\n" : "", title);
    json_array_foreach(sentences, i, sentence) {
        if (!json_is_string(sentence)) return bad_context(r);
        GW_TRY(add_sentence(p, title, (int64_t)i, json_string_value(sentence)));
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

static gw_status read_answer(gw_question_reader *r, const char *answer) {
    gw_questions *q = r->questions;
    gw_question *question = &q->question[q->count - 1];
    const bool yes = strcmp(answer, "yes") == 0, no = strcmp(answer, "no") == 0;
    question->type = yes ? 1 : no ? 2 : 0;
    if (yes || no) return GW_OK;
    const int64_t place = *answer ? place_of(&q->context[q->contexts - 1], answer) : -1;
    return place < 0 ? gw_questions_add_answer(q, answer, 0)
                     : gw_questions_add_span(q, q->contexts - 1, place, place + (int64_t)strlen(answer));
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
    r->questions->question[r->questions->count - 1].said = answer && facts;
    return answer ? read_answer(r, answer) : GW_OK;
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

static const char *const columns[] = {"start", "end", "span", "yes", "no", "support", NULL};
const gw_question_format gw_question_format_hotpotqa = {
    .name = "hotpotqa",
    .columns = columns,
    .shape = {.ends = 2, .types = 3, .marks = true, .most_words = 30},
    .is = is_hotpotqa,
    .read = read_file,
    .predictions = predictions,
    .usual = {32, 7, 4096, 2048, 3e-5, 0, "start", 256, 9, 5e-5},
    .exact = "joint_em",
    .f1 = "joint_f1",
    .whole = 1};
