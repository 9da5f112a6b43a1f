// SPDX-License-Identifier: MIT
// Natural Questions: lines of {"example_id", "question_text", "document_text" or "document_tokens": [{"token",
// "html_token"}], "long_answer_candidates": [{"start_token", "end_token"}], "annotations": [{"long_answer": span,
// "short_answers": [span], "yes_no_answer"}]}. Of the simplified form tokens are what blanks separate, and those of
// HTML begin with '<' and end with '>'.
//
// A context is the page's tokens but those of HTML, a word each, which keep their numbers; its parts are the
// candidates. The first annotation with a long answer trains, and of the windows without an answer one in 50, as
// Alberti et al. (2019) have it.
#include "base/memory.h"
#include "base/utf8.h"
#include "file/lines.h"
#include "language/questions/question_format.h"
#include "language/questions/question_reader.h"
#include "text/unicode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NOTHING, YES, NO, SHORT, LONG };

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

static gw_status read_text(page *p, const char *text) {
    for (const char *at = text; *at;) {
        const int64_t length = (int64_t)strcspn(at, " ");
        GW_TRY(add_token(p, at, length, length > 1 && at[0] == '<' && at[length - 1] == '>'));
        at += length + (at[length] == ' ');
    }
    return GW_OK;
}

static gw_status read_tokens(const gw_question_reader *r, page *p, const json_t *tokens) {
    json_t *token;
    size_t i;
    json_array_foreach(tokens, i, token) {
        const char *text;
        bool html = false;
        GW_TRY(gw_json_string(token, r->where.data, "token", true, &text));
        GW_TRY(gw_json_bool(token, r->where.data, "html_token", false, &html));
        GW_TRY(add_token(p, text, (int64_t)strlen(text), html));
    }
    return GW_OK;
}

static gw_status read_page(const gw_question_reader *r, const json_t *item, page *p) {
    const char *text = NULL;
    json_t *tokens;
    gw_string_puts(&p->text, "");
    GW_TRY(gw_json_list(item, r->where.data, "document_tokens", false, &tokens));
    if (tokens) return read_tokens(r, p, tokens);
    GW_TRY(gw_json_string(item, r->where.data, "document_text", true, &text));
    return read_text(p, text);
}

static gw_status add_page(gw_question_reader *r, const json_t *item) {
    page p = {0};
    gw_status status = read_page(r, item, &p);
    if (status == GW_OK) status = gw_string_status(&p.text);
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
    int64_t low = 0, high = context->words;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (context->word[middle].number < token) low = middle + 1;
        else high = middle;
    }
    return low;
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

static gw_status add_short_answer(gw_question_reader *r, const json_t *answer) {
    gw_questions *q = r->questions;
    const gw_context *context = &q->context[q->contexts - 1];
    span of;
    int64_t begin, end;
    GW_TRY(read_span(r, answer, &of));
    if (!bytes_of(context, of, &begin, &end)) return GW_OK;
    return gw_questions_add_span(q, q->contexts - 1, begin, end);
}

static gw_status add_annotation(gw_question_reader *r, const json_t *annotation, span right) {
    gw_question *question = &r->questions->question[r->questions->count - 1];
    const char *word = "NONE";
    json_t *answers;
    GW_TRY(gw_json_string(annotation, r->where.data, "yes_no_answer", false, &word));
    GW_TRY(gw_json_list(annotation, r->where.data, "short_answers", false, &answers));
    if (json_array_size(answers) > 0) GW_TRY(add_short_answer(r, json_array_get(answers, 0)));
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
    gw_question_reader *r = context;
    json_error_t error;
    json_t *item = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (!item) return gw_lines_fail(lines, GW_ERR_FORMAT, "not valid JSON: %s", error.text);
    gw_status status = gw_question_reader_at(r, NULL);
    if (status == GW_OK) status = read_item(r, item);
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

static const char *const columns[] = {"start-long", "end-long", "start", "end",  "null",
                                      "yes",        "no",       "short", "long", NULL};
const gw_question_format gw_question_format_natural_questions = {
    .name = "natural-questions",
    .columns = columns,
    .shape = {.ends = 4, .types = 5, .most_words = 38},
    .is = is_natural_questions,
    .read = read_file,
    .predictions = predictions,
    .usual = {128, 4, 4096, 2048, 7.5e-5, 0.98, "start", 230, 0, 0},
    .exact = "short-best-threshold-f1",
    .f1 = "long-best-threshold-f1",
    .whole = 1};
