// SPDX-License-Identifier: MIT
// Natural Questions: lines of {"example_id", "question_text", "document_text" or "document_tokens": [{"token",
// "html_token"}], "long_answer_candidates": [{"start_token", "end_token"}], "annotations": [{"long_answer": span,
// "short_answers": [span], "yes_no_answer"}]}. In the simplified form, tokens are separated by blanks, and those of
// HTML begin with '<' and end with '>'.
//
// A context is the page's tokens except those of HTML. Each token is a word and keeps its number. The parts are the
// candidates. Training uses the first annotation with a long answer, and one in 50 of the windows without an answer, as
// in Alberti et al. (2019).
//
// Predictions are {"predictions": [{"example_id", "long_answer": span, "long_answer_score", "short_answers": [span],
// "short_answers_score", "yes_no_answer"}]}. Sets for evaluation may be the original ones, with bytes in their spans. A
// question has an answer if at least two annotators gave one; a prediction is right if it equals that of any annotator.
// Metrics are of the answers above a threshold on the scores: the threshold of the best F1, and those with the largest
// recall at a precision of at least 0.5, 0.75 and 0.9; and of all answers.
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "file/lines.h"
#include "language/questions/question_files.h"
#include "language/questions/question_format.h"
#include "text/unicode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum { NOTHING, YES, NO, SHORT, LONG } answer_type;

// --- the page ------------------------------------------------------------------------------------------------------

typedef struct {
    gw_string text;
    gw_context_word *word; // [words]
    int64_t words, capacity;
    int64_t tokens; // of the page
} page;

// A token as one word: blanks in it become underscores.
static gw_status add_token(page *p, const char *token, int64_t length, bool html) {
    const int64_t number = p->tokens++;
    int bytes;
    if (html || length == 0) return GW_OK;
    GW_TRY(gw_reserve(&p->word, &p->capacity, p->words + 1, sizeof *p->word));
    if (p->text.length > 0) gw_string_putc(&p->text, ' ');
    p->word[p->words++] = (gw_context_word){p->text.length, number};
    for (int64_t i = 0; i < length; i += bytes) {
        const uint32_t c = gw_utf8_read(token + i, &bytes);
        if (gw_is_space(c)) gw_string_putc(&p->text, '_');
        else gw_string_append(&p->text, token + i, bytes);
    }
    return GW_OK;
}

static gw_status read_page(const gw_question_reader *r, const json_t *item, page *p) {
    const char *text = NULL;
    json_t *tokens, *token;
    size_t i;
    gw_string_puts(&p->text, "");
    GW_TRY(gw_json_list(item, r->where.data, "document_tokens", false, &tokens));
    json_array_foreach(tokens, i, token) {
        bool html = false;
        GW_TRY(gw_json_string(token, r->where.data, "token", true, &text));
        GW_TRY(gw_json_bool(token, r->where.data, "html_token", false, &html));
        GW_TRY(add_token(p, text, (int64_t)strlen(text), html));
    }
    if (tokens) return gw_string_status(&p->text);
    GW_TRY(gw_json_string(item, r->where.data, "document_text", true, &text));
    for (const char *at = text; *at;) {
        const int64_t length = (int64_t)strcspn(at, " ");
        GW_TRY(add_token(p, at, length, length > 1 && at[0] == '<' && at[length - 1] == '>'));
        at += length + (at[length] == ' ');
    }
    return gw_string_status(&p->text);
}

static gw_status add_page(gw_question_reader *r, const json_t *item) {
    page p = {0};
    gw_status status = read_page(r, item, &p);
    if (status == GW_OK) status = gw_questions_add_context(r->questions, p.text.data);
    for (int64_t w = 0; w < p.words && status == GW_OK; w++) status = gw_questions_add_word(r->questions, p.word[w]);
    free(p.word);
    gw_string_free(&p.text);
    return status;
}

// --- spans of tokens -----------------------------------------------------------------------------------------------

typedef struct {
    int64_t start, end; // tokens of the page
} span;

static gw_status read_span(const gw_question_reader *r, const json_t *object, span *out) {
    GW_TRY(gw_json_int(object, r->where.data, "start_token", true, -1, INT32_MAX, &out->start));
    return gw_json_int(object, r->where.data, "end_token", true, -1, INT32_MAX, &out->end);
}

// The number of the first word that is no earlier token; words: there is none.
static int64_t word_at(const gw_context *context, int64_t token) {
    return GW_FIRST_NOT(w, context->words, context->word[w].number < token);
}

// The bytes of a span's words; false: it has none.
static bool bytes_of(const gw_context *context, span of, int64_t *begin, int64_t *end) {
    const int64_t first = word_at(context, of.start), behind = word_at(context, of.end);
    if (of.start < 0 || first >= behind) return false;
    *begin = context->word[first].begin;
    *end = behind < context->words ? context->word[behind].begin - 1 : context->length;
    return true;
}

// The tokens of the words that bytes belong to.
static span tokens_of(const gw_context *context, int64_t begin, int64_t end) {
    span of = {-1, -1};
    for (int64_t w = 0; w < context->words && context->word[w].begin < end; w++) {
        if (context->word[w].begin <= begin) of.start = context->word[w].number;
        of.end = context->word[w].number + 1;
    }
    return of;
}

// --- annotations ---------------------------------------------------------------------------------------------------

static gw_status add_candidates(gw_question_reader *r, const json_t *item, span right) {
    gw_questions *q = r->questions;
    const gw_context *context = &q->context[q->contexts - 1];
    json_t *candidates, *candidate;
    size_t i;
    bool found = right.start < 0;
    GW_TRY(gw_json_list(item, r->where.data, "long_answer_candidates", true, &candidates));
    json_array_foreach(candidates, i, candidate) {
        span of;
        gw_context_part part = {0};
        GW_TRY(read_span(r, candidate, &of));
        if (!bytes_of(context, of, &part.begin, &part.end)) continue;
        part.first = of.start;
        part.last = of.end;
        part.right = of.start == right.start && of.end == right.end;
        found = found || part.right;
        GW_TRY(gw_questions_add_part(q, part));
    }
    q->lost += !found;
    return GW_OK;
}

// The first annotation with a long answer, or the first one; NULL: there is none.
static gw_status choose_annotation(const gw_question_reader *r, const json_t *item, json_t **out, span *right) {
    json_t *annotations, *annotation;
    size_t i;
    *out = NULL;
    *right = (span){-1, -1};
    GW_TRY(gw_json_list(item, r->where.data, "annotations", false, &annotations));
    json_array_foreach(annotations, i, annotation) {
        span of = {-1, -1};
        const json_t *answer = json_object_get(annotation, "long_answer");
        if (answer) GW_TRY(read_span(r, answer, &of));
        if (!*out || (right->start < 0 && of.start >= 0)) {
            *out = annotation;
            *right = of;
        }
    }
    return GW_OK;
}

static gw_status add_annotation(gw_question_reader *r, const json_t *annotation, span right) {
    gw_questions *q = r->questions;
    gw_question *question = &q->question[q->count - 1];
    const char *word = "NONE";
    json_t *answers;
    GW_TRY(gw_json_string(annotation, r->where.data, "yes_no_answer", false, &word));
    GW_TRY(gw_json_list(annotation, r->where.data, "short_answers", false, &answers));
    if (json_array_size(answers) > 0) { // the first one counts
        span of;
        int64_t begin, end;
        GW_TRY(read_span(r, json_array_get(answers, 0), &of));
        if (bytes_of(&q->context[q->contexts - 1], of, &begin, &end))
            GW_TRY(gw_questions_add_span(q, q->contexts - 1, begin, end));
    }
    question->said = true;
    question->type = strcmp(word, "YES") == 0  ? YES
                     : strcmp(word, "NO") == 0 ? NO
                     : question->answers > 0   ? SHORT
                     : right.start >= 0        ? LONG
                                               : NOTHING;
    return GW_OK;
}

static gw_status read_item(gw_question_reader *r, json_t *item) {
    const char *id, *text;
    json_t *annotation;
    span right;
    GW_TRY(gw_question_reader_at(r, NULL));
    GW_TRY(gw_json_name(item, r->where.data, "example_id", &id));
    GW_TRY(gw_question_reader_at(r, id));
    GW_TRY(gw_json_string(item, r->where.data, "question_text", true, &text));
    GW_TRY(choose_annotation(r, item, &annotation, &right));
    GW_TRY(add_page(r, item));
    GW_TRY(add_candidates(r, item, right));
    GW_TRY(gw_question_reader_add(r, id, text));
    return annotation ? add_annotation(r, annotation, right) : GW_OK;
}

static gw_status read_line(void *context, const gw_line_reader *lines, char *line) {
    json_error_t error;
    json_t *item = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (!item) return gw_lines_fail(lines, GW_ERR_FORMAT, "not valid JSON: %s", error.text);
    const gw_status status = read_item(context, item);
    json_decref(item);
    return status;
}

static gw_status read_file(const char *path, const gw_text_options *options, gw_questions *questions) {
    const int64_t before = questions->count;
    gw_question_reader r;
    (void)options;
    gw_status status = gw_question_reader_begin(&r, path, questions);
    if (status == GW_OK) status = gw_lines_each(path, read_line, &r);
    return gw_question_reader_end(&r, status, before);
}

static bool is_natural_questions(const char *head) {
    static const char *const keys[] = {"document_text", "document_html", "document_tokens", "long_answer_candidates",
                                       "question_text"};
    if (!gw_head_begins(head, '{')) return false;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (gw_head_has_key(head, keys[k])) return true;
    return false;
}

// --- predictions ---------------------------------------------------------------------------------------------------

// Bytes of the page are unknown, which the script takes as -1.
static json_t *span_object(span of) {
    return json_pack("{s:I, s:I, s:i, s:i}", "start_token", (json_int_t)of.start, "end_token", (json_int_t)of.end,
                     "start_byte", -1, "end_byte", -1);
}

static json_t *id_of(const char *id) {
    char *end;
    errno = 0;
    const long long number = strtoll(id, &end, 10);
    return *id && !*end && errno == 0 ? json_integer(number) : json_string(id);
}

static json_t *prediction_of(const gw_question_answers *a, int64_t q) {
    const gw_question *question = &a->set->questions.question[q];
    const gw_context *context = &a->set->questions.context[question->context];
    const gw_found_columns *column = &a->column[q];
    const int type = gw_question_answers_type(a, q);
    const bool has_long = column->part >= 0, has_short = a->found[q] > 0,
               is_word = has_long && (type == YES || type == NO);
    const gw_found_answer *best = &a->best[q * a->most];
    const double long_score = has_long ? column->part_score - column->part_none : 0;
    const double short_score = is_word ? long_score : has_short ? best->score - column->none : 0;
    json_t *answers = json_array();
    if (has_short && !is_word) json_array_append_new(answers, span_object(tokens_of(context, best->begin, best->end)));
    span whole = {-1, -1};
    if (has_long) whole = (span){context->part[column->part].first, context->part[column->part].last};
    return json_pack("{s:o, s:o, s:f, s:o, s:f, s:s}", "example_id", id_of(question->id), "long_answer",
                     span_object(whole), "long_answer_score", long_score, "short_answers", answers,
                     "short_answers_score", short_score, "yes_no_answer",
                     !is_word      ? "NONE"
                     : type == YES ? "YES"
                                   : "NO");
}

static gw_status predictions(const gw_question_answers *a, const gw_answer_thresholds *thresholds, json_t **out) {
    json_t *list = json_array();
    int failed = 0;
    (void)thresholds;
    *out = json_pack("{s:o}", "predictions", list);
    for (int64_t q = 0; q < a->set->questions.count; q++) failed |= json_array_append_new(list, prediction_of(a, q));
    return failed ? gw_fail(GW_ERR_MEMORY, "out of memory for the answers") : GW_OK;
}

// --- rating --------------------------------------------------------------------------------------------------------

enum { ENOUGH_ANNOTATORS = 2 };

// By bytes of the page and by its tokens, [start, end); -1: not so.
typedef struct {
    int64_t start_byte, end_byte, start_token, end_token;
} place;

typedef struct {
    place whole; // the long answer
    place *part; // [count] short answers that are not null
    int64_t count;
    answer_type yes;
} answers;

// What is known of a question once it is rated.
typedef struct {
    bool expected, given, right;
    double score;
} verdict;

typedef struct {
    const gw_qa_files *files;
    json_t *predictions, *by_id; // by_id borrows: id -> prediction
    verdict *of_long, *of_short; // [count]
    int64_t count, capacity, short_capacity;
} questions;

static bool is_null(const place *s) {
    return s->start_byte < 0 && s->end_byte < 0 && s->start_token < 0 && s->end_token < 0;
}

// Of simplified sets bytes are not known.
static gw_status read_bound(const json_t *object, const char *key, bool required, const char *path, const char *id,
                            int64_t *out) {
    json_t *value = json_object_get(object, key);
    *out = -1;
    if (!value && !required) return GW_OK;
    GW_TRY(gw_qa_field(object, path, id, key, JSON_INTEGER, &value));
    *out = json_integer_value(value);
    return GW_OK;
}

static gw_status read_place(const json_t *object, const char *path, const char *id, place *out) {
    GW_TRY(read_bound(object, "start_byte", false, path, id, &out->start_byte));
    GW_TRY(read_bound(object, "end_byte", false, path, id, &out->end_byte));
    GW_TRY(read_bound(object, "start_token", true, path, id, &out->start_token));
    GW_TRY(read_bound(object, "end_token", true, path, id, &out->end_token));
    const bool bytes =
        (out->start_byte < 0) == (out->end_byte < 0) && (out->start_byte < 0 || out->start_byte < out->end_byte);
    const bool tokens =
        (out->start_token < 0) == (out->end_token < 0) && (out->start_token < 0 || out->start_token < out->end_token);
    if (bytes && tokens) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: %s: a span of bytes %lld to %lld, tokens %lld to %lld, expected start < end",
                   path, id, (long long)out->start_byte, (long long)out->end_byte, (long long)out->start_token,
                   (long long)out->end_token);
}

static bool same_span(const place *a, const place *b) {
    const bool bytes = a->start_byte >= 0 && a->end_byte >= 0 && b->start_byte >= 0 && b->end_byte >= 0;
    const bool tokens = a->start_token >= 0 && a->end_token >= 0 && b->start_token >= 0 && b->end_token >= 0;
    return (bytes && a->start_byte == b->start_byte && a->end_byte == b->end_byte) ||
           (tokens && a->start_token == b->start_token && a->end_token == b->end_token);
}

static bool holds(const answers *a, const place *s) {
    for (int64_t i = 0; i < a->count; i++)
        if (same_span(&a->part[i], s)) return true;
    return false;
}

static bool same_parts(const answers *a, const answers *b) {
    for (int64_t i = 0; i < a->count; i++)
        if (!holds(b, &a->part[i])) return false;
    for (int64_t i = 0; i < b->count; i++)
        if (!holds(a, &b->part[i])) return false;
    return true;
}

static bool has_short(const answers *a) {
    return a->count > 0 || a->yes != NOTHING;
}

static gw_status read_answers(const json_t *object, const char *path, const char *id, answers *out) {
    size_t i;
    json_t *item, *list = json_object_get(object, "short_answers");
    const json_t *whole = json_object_get(object, "long_answer");
    *out = (answers){.whole = {-1, -1, -1, -1}};
    if (whole) GW_TRY(read_place(whole, path, id, &out->whole));
    if (json_object_get(object, "yes_no_answer")) {
        static const char *const names[] = {[NOTHING] = "none", [YES] = "yes", [NO] = "no"};
        const char *text;
        GW_TRY(gw_qa_text(object, path, id, "yes_no_answer", &text));
        while (out->yes <= NO && strcasecmp(text, names[out->yes]) != 0) out->yes++;
        if (out->yes > NO)
            return gw_fail(GW_ERR_FORMAT, "%s: %s: \"yes_no_answer\" is '%s', expected yes, no or none", path, id,
                           text);
    }
    out->part = gw_alloc((int64_t)json_array_size(list), sizeof *out->part);
    if (!out->part) return GW_ERR_MEMORY;
    json_array_foreach(list, i, item) {
        GW_TRY(read_place(item, path, id, &out->part[out->count]));
        out->count += !is_null(&out->part[out->count]);
    }
    return GW_OK;
}

// Judges one annotator's answers after the other.
static void rate_answer(const answers *gold, int64_t annotators, const answers *found, verdict *of_long,
                        verdict *of_short) {
    int64_t with_long = 0, with_short = 0;
    for (int64_t i = 0; i < annotators; i++) {
        with_long += !is_null(&gold[i].whole);
        with_short += has_short(&gold[i]);
        of_long->right |= !is_null(&gold[i].whole) && same_span(&gold[i].whole, &found->whole);
        of_short->right |= found->yes != NOTHING ? found->yes == gold[i].yes : same_parts(&gold[i], found);
    }
    of_long->expected = with_long >= ENOUGH_ANNOTATORS;
    of_long->given = !is_null(&found->whole);
    of_long->right &= of_long->expected && of_long->given;
    of_short->expected = with_short >= ENOUGH_ANNOTATORS;
    of_short->given = has_short(found);
    of_short->right &= of_short->expected && of_short->given;
}

static gw_status read_score(const json_t *prediction, const char *path, const char *id, const char *key, double *out) {
    const json_t *value = json_object_get(prediction, key);
    if (!json_is_number(value)) return gw_fail(GW_ERR_FORMAT, "%s: %s has no number \"%s\"", path, id, key);
    *out = json_number_value(value);
    return GW_OK;
}

static gw_status rate_prediction(questions *q, const char *id, const answers *gold, int64_t annotators) {
    const char *path = q->files->predictions;
    json_t *prediction = json_object_get(q->by_id, id);
    verdict of_long = {0}, of_short = {0};
    answers found = {0};
    if (!prediction) return gw_fail(GW_ERR_MISMATCH, "%s: there is no prediction for example %s", path, id);
    GW_TRY(read_score(prediction, path, id, "long_answer_score", &of_long.score));
    GW_TRY(read_score(prediction, path, id, "short_answers_score", &of_short.score));
    gw_status status = read_answers(prediction, path, id, &found);
    if (status == GW_OK && found.yes != NOTHING && found.count > 0)
        status = gw_fail(GW_ERR_FORMAT, "%s: %s has a yes or no beside short answers", path, id);
    if (status == GW_OK) rate_answer(gold, annotators, &found, &of_long, &of_short);
    free(found.part);
    if (status == GW_OK) status = gw_reserve(&q->of_long, &q->capacity, q->count + 1, sizeof of_long);
    if (status == GW_OK) status = gw_reserve(&q->of_short, &q->short_capacity, q->count + 1, sizeof of_short);
    if (status != GW_OK) return status;
    q->of_long[q->count] = of_long;
    q->of_short[q->count++] = of_short;
    return GW_OK;
}

// An id is a whole number, or text.
static gw_status read_id(const json_t *object, const char *path, gw_string *out) {
    const json_t *id = json_object_get(object, "example_id");
    gw_string_clear(out);
    if (json_is_integer(id)) gw_string_printf(out, "%lld", (long long)json_integer_value(id));
    else if (json_is_string(id)) gw_string_puts(out, json_string_value(id));
    else return gw_fail(GW_ERR_FORMAT, "%s: \"example_id\" is missing, or neither a number nor text", path);
    return gw_string_status(out);
}

static gw_status rate_annotations(questions *q, const json_t *annotations, const char *path, const char *id) {
    const int64_t count = (int64_t)json_array_size(annotations);
    answers *gold = gw_alloc(count, sizeof *gold);
    gw_status status = gold ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; i < count && status == GW_OK; i++)
        status = read_answers(json_array_get(annotations, (size_t)i), path, id, &gold[i]);
    if (status == GW_OK) status = rate_prediction(q, id, gold, count);
    for (int64_t i = 0; gold && i < count; i++) free(gold[i].part);
    free(gold);
    return status;
}

static gw_status rate_line(void *context, const gw_line_reader *reader, char *line) {
    questions *q = context;
    json_error_t error;
    json_t *annotations, *example = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    gw_string id = {0};
    if (!example) return gw_lines_fail(reader, GW_ERR_FORMAT, "not valid JSON: %s", error.text);
    gw_status status = read_id(example, gw_lines_path(reader), &id);
    if (status == GW_OK)
        status = gw_qa_field(example, gw_lines_path(reader), id.data, "annotations", JSON_ARRAY, &annotations);
    if (status == GW_OK) status = rate_annotations(q, annotations, gw_lines_path(reader), id.data);
    gw_string_free(&id);
    json_decref(example);
    return status;
}

static gw_status index_predictions(questions *q) {
    size_t i;
    json_t *list, *prediction;
    gw_string id = {0};
    GW_TRY(gw_qa_object(q->files->answers, q->files->predictions, &q->predictions));
    GW_TRY(gw_qa_field(q->predictions, q->files->predictions, "the file", "predictions", JSON_ARRAY, &list));
    gw_status status = GW_OK;
    json_array_foreach(list, i, prediction) {
        status = read_id(prediction, q->files->predictions, &id);
        if (status == GW_OK && json_object_get(q->by_id, id.data))
            status = gw_fail(GW_ERR_FORMAT, "%s: two predictions for example %s", q->files->predictions, id.data);
        if (status == GW_OK && json_object_set(q->by_id, id.data, prediction) != 0)
            status = gw_fail(GW_ERR_MEMORY, "out of memory for predictions");
        if (status != GW_OK) break;
    }
    gw_string_free(&id);
    return status;
}

static int by_falling_score(const void *a, const void *b) {
    const verdict *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

static double ratio(double a, double b) {
    return b == 0 ? 0 : a / b;
}

static double f1_of(double precision, double recall) {
    return ratio(2 * precision * recall, precision + recall);
}

typedef struct {
    const char *best[4], *recall[3], *precision[3], *all[4];
} metric_names;

enum { TARGETS = 3 };
typedef struct {
    double f1, precision, recall, threshold; // at the threshold of the best F1
    double most_recall[TARGETS], at_precision[TARGETS];
} curve;

static void take_point(double precision, double recall, double threshold, curve *c) {
    static const double targets[TARGETS] = {0.5, 0.75, 0.9};
    for (int t = 0; t < TARGETS; t++)
        if (precision >= targets[t] && recall > c->most_recall[t]) {
            c->most_recall[t] = recall;
            c->at_precision[t] = precision;
        }
    const double f1 = f1_of(precision, recall);
    if (f1 > c->f1) {
        c->f1 = f1;
        c->precision = precision;
        c->recall = recall;
        c->threshold = threshold;
    }
}

static void add_metrics(verdict *v, int64_t count, const metric_names *names, gw_qa_rating *rating) {
    double expected = 0, given = 0, right = 0;
    curve c = {0};
    qsort(v, (size_t)count, sizeof *v, by_falling_score);
    for (int64_t i = 0; i < count; i++) expected += v[i].expected;
    for (int64_t i = 0; i < count; i++) {
        given += v[i].given;
        right += v[i].right;
        if (i + 1 < count && v[i + 1].score == v[i].score) continue;
        take_point(ratio(right, given), ratio(right, expected), v[i].score, &c);
    }
    const double best[4] = {c.f1, c.precision, c.recall, c.threshold};
    const double precision = ratio(right, given), recall = ratio(right, expected);
    const double all[4] = {(double)count, f1_of(precision, recall), precision, recall};
    for (int i = 0; i < 4; i++) gw_qa_add(rating, names->best[i], best[i]);
    for (int t = 0; t < TARGETS; t++) {
        gw_qa_add(rating, names->recall[t], c.most_recall[t]);
        gw_qa_add(rating, names->precision[t], c.at_precision[t]);
    }
    for (int i = 0; i < 4; i++) gw_qa_add(rating, names->all[i], all[i]);
}

static const metric_names of_long_answers = {
    {"long-best-threshold-f1", "long-best-threshold-precision", "long-best-threshold-recall", "long-best-threshold"},
    {"long-recall-at-precision>=0.5", "long-recall-at-precision>=0.75", "long-recall-at-precision>=0.9"},
    {"long-precision-at-precision>=0.5", "long-precision-at-precision>=0.75", "long-precision-at-precision>=0.9"},
    {"long-answer-n", "long-answer-f1", "long-answer-precision", "long-answer-recall"}};
static const metric_names of_short_answers = {
    {"short-best-threshold-f1", "short-best-threshold-precision", "short-best-threshold-recall",
     "short-best-threshold"},
    {"short-recall-at-precision>=0.5", "short-recall-at-precision>=0.75", "short-recall-at-precision>=0.9"},
    {"short-precision-at-precision>=0.5", "short-precision-at-precision>=0.75", "short-precision-at-precision>=0.9"},
    {"short-answer-n", "short-answer-f1", "short-answer-precision", "short-answer-recall"}};

static gw_status rate(questions *q, gw_qa_rating *rating) {
    q->by_id = json_object();
    if (!q->by_id) return gw_fail(GW_ERR_MEMORY, "out of memory for predictions");
    GW_TRY(index_predictions(q));
    for (int i = 0; i < q->files->set_count; i++) GW_TRY(gw_lines_each(q->files->sets[i], rate_line, q));
    if (q->count == 0) return gw_fail(GW_ERR_FORMAT, "%s: there is no question in it", q->files->sets[0]);
    rating->questions = q->count;
    rating->others = (int64_t)json_object_size(q->by_id) - q->count;
    add_metrics(q->of_long, q->count, &of_long_answers, rating);
    add_metrics(q->of_short, q->count, &of_short_answers, rating);
    return GW_OK;
}

static gw_status rate_files(const gw_qa_files *files, gw_qa_rating *out) {
    questions q = {.files = files};
    const gw_status status = rate(&q, out);
    json_decref(q.predictions);
    json_decref(q.by_id);
    free(q.of_long);
    free(q.of_short);
    return status;
}
static const char *const columns[] = {"start-long", "end-long", "start", "end",  "null",
                                      "yes",        "no",       "short", "long", NULL};
const gw_question_format gw_question_format_natural_questions = {
    .columns = columns,
    .shape = {.ends = 4, .types = 5, .most_words = 38},
    .is = is_natural_questions,
    .read = read_file,
    .predictions = predictions,
    .rate = rate_files,
    .usual = {128, 4, 4096, 2048, 7.5e-5, 0.98, "start", 230, 0, 0},
    .exact = "short-best-threshold-f1",
    .f1 = "long-best-threshold-f1",
    .whole = 1};
