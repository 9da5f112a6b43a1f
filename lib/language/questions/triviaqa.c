// SPDX-License-Identifier: MIT
// TriviaQA: {"Domain", "Data": [{"QuestionId", "Question", "Answer": {"Value", "Aliases", "HumanAnswers"},
// "EntityPages": [{"Filename"}], "SearchResults": [{"Filename"}]}]}, with documents in separate files. For Wikipedia a
// question is asked about all of its pages together; for the web about each document separately, as in the official
// script.
//
// A right span is any occurrence of one of the answer's names in a document, in any case, between characters that are
// no letters or digits, with any blanks between words.
//
// Evaluation uses the answers "NormalizedAliases" and "HumanAnswers". Predictions are {key: text}. The key for
// Wikipedia is the question's id; for the web, with one answer for each page, it is "id--filename". In a set verified
// by people ("VerifiedEval") only verified questions and pages count.
#include "base/memory.h"
#include "base/output.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "file/input.h"
#include "language/questions/question_files.h"
#include "language/questions/question_format.h"
#include "text/unicode.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// --- documents -----------------------------------------------------------------------------------------------------

static gw_status read_text(const char *path, gw_string *text) {
    char piece[1 << 15];
    int64_t count;
    gw_input *input;
    GW_TRY(gw_input_open(path, &input));
    gw_status status;
    gw_string_puts(text, "");
    while ((status = gw_input_read(input, piece, sizeof piece, &count)) == GW_OK && count > 0)
        gw_string_append(text, piece, count);
    gw_input_close(input);
    if (status == GW_OK) status = gw_string_status(text);
    if (status == GW_OK &&
        ((int64_t)strlen(text->data) < text->length || gw_utf8_valid(text->data, text->length) < text->length))
        return gw_fail(GW_ERR_FORMAT, "%s is not UTF-8 text", path);
    return status;
}

// The file that a name means in a folder, free() it; NULL: there is none. *beyond: a link leads out of the folder.
static char *file_below(const char *folder, const char *name, bool *beyond) {
    struct stat found;
    char *way = gw_join_path(folder, name), *real = way ? realpath(way, NULL) : NULL, *root = realpath(folder, NULL);
    const size_t length = root ? strlen(root) : 0;
    const bool is_file = real && stat(real, &found) == 0 && S_ISREG(found.st_mode);
    *beyond = is_file && (!root || strncmp(real, root, length) != 0 || real[length] != '/');
    free(way);
    free(root);
    if (is_file && !*beyond) return real;
    free(real);
    return NULL;
}

// Finds FOLDER/evidence/KIND/NAME, FOLDER being that of the set or the one above it, or EVIDENCE/KIND/NAME; *path is to
// be released with free().
static gw_status find_document(const gw_question_reader *r, const gw_text_options *o, const char *kind,
                               const char *name, char **path) {
    const char *slash = strrchr(r->path, '/');
    const int folder = slash ? (int)(slash - r->path) + 1 : 0;
    static const char *const above[] = {"evidence", "../evidence", "../../evidence"};
    bool beyond = *name == '/'; // leads out of the folder: from the root, or by a step ".."
    for (const char *at = name; at; at = gw_next_item(at, '/'))
        beyond |= strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2]);
    *path = NULL;
    for (int i = 0; i < 3 && !*path && !beyond; i++) {
        char *root = o->evidence ? gw_strprintf("%s/%s", o->evidence, kind)
                                 : gw_strprintf("%.*s%s/%s", folder, r->path, above[i], kind);
        if (!root) return GW_ERR_MEMORY;
        *path = file_below(root, name, &beyond);
        free(root);
    }
    if (*path) return GW_OK;
    if (beyond)
        return gw_fail(GW_ERR_FORMAT, "%s: the document %s/%s lies outside of the evidence folder", r->where.data, kind,
                       name);
    return gw_fail(GW_ERR_IO, "%s: there is no document %s/%s%s%s", r->where.data, kind, name,
                   o->evidence ? " in " : " in a folder \"evidence\" beside the set or above it (--evidence)",
                   o->evidence ? o->evidence : "");
}

static gw_status add_document(gw_question_reader *r, const gw_text_options *o, const char *kind, const json_t *page) {
    const char *name;
    char *path;
    gw_string text = {0};
    GW_TRY(gw_json_string(page, r->where.data, "Filename", true, &name));
    gw_status status = find_document(r, o, kind, name, &path);
    if (status == GW_OK) status = read_text(path, &text);
    if (status == GW_OK) status = gw_questions_add_context(r->questions, text.data);
    free(path);
    gw_string_free(&text);
    return status;
}

// --- spans ---------------------------------------------------------------------------------------------------------

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Behind what the name covers at `at`; NULL: it does not stand there.
static const char *covers(const char *at, const char *name) {
    while (*name) {
        if (is_blank(*name)) {
            if (!is_blank(*at)) return NULL;
            while (is_blank(*at)) at++;
            while (is_blank(*name)) name++;
        } else if (tolower((unsigned char)*at++) != tolower((unsigned char)*name++)) {
            return NULL;
        }
    }
    return at;
}

static bool is_letter(const char *at) {
    int bytes;
    return *at && (gw_category(gw_utf8_read(at, &bytes)) & (GW_CATEGORY_LETTER | GW_CATEGORY_NUMBER)) != 0;
}

// Adds the spans of a context that a name covers between characters that are no letters or digits.
static gw_status add_spans(gw_questions *q, int64_t context, const char *name) {
    const gw_context *of = &q->context[context];
    for (int64_t i = 0; i < of->length; i++) {
        if (tolower((unsigned char)of->text[i]) != tolower((unsigned char)*name)) continue;
        const char *end = covers(of->text + i, name);
        if (!end || is_letter(end)) continue;
        int64_t before = i - 1; // where the character before begins
        while (before > 0 && ((unsigned char)of->text[before] & 0xC0) == 0x80) before--;
        if (before >= 0 && is_letter(of->text + before)) continue;
        GW_TRY(gw_questions_add_span(q, context, i, end - of->text));
    }
    return GW_OK;
}

static gw_status add_name(gw_questions *q, const char *name) {
    const gw_question *question = &q->question[q->count - 1];
    const int64_t first = question->context, end = first + question->contexts;
    while (name && is_blank(*name)) name++;
    if (!name || !*name) return GW_OK;
    for (int64_t c = first; c < end; c++) GW_TRY(add_spans(q, c, name));
    return GW_OK;
}

static gw_status add_answer(gw_question_reader *r, const json_t *answer) {
    static const char *const lists[] = {"Aliases", "HumanAnswers"};
    gw_questions *q = r->questions;
    gw_question *question = &q->question[q->count - 1];
    json_t *names, *name;
    const char *value;
    size_t i;
    GW_TRY(gw_json_string(answer, r->where.data, "Value", true, &value));
    GW_TRY(add_name(q, value));
    for (int k = 0; k < 2; k++) {
        GW_TRY(gw_json_list(answer, r->where.data, lists[k], false, &names));
        json_array_foreach(names, i, name) {
            if (json_is_string(name) && strcmp(json_string_value(name), value) != 0)
                GW_TRY(add_name(q, json_string_value(name)));
        }
    }
    question->said = true;
    q->lost += question->answers == 0;
    return GW_OK;
}

// --- questions -----------------------------------------------------------------------------------------------------

typedef struct {
    gw_question_reader r;
    const gw_text_options *options;
    bool web;
} trivia;

// Of the contexts from `first` on.
static gw_status ask(trivia *t, const char *id, const json_t *item, int64_t first) {
    gw_questions *q = t->r.questions;
    const json_t *answer = json_object_get(item, "Answer");
    const char *text;
    GW_TRY(gw_json_string(item, t->r.where.data, "Question", true, &text));
    if (q->contexts == first) GW_TRY(gw_questions_add_context(q, ""));
    GW_TRY(gw_question_reader_add(&t->r, id, text));
    q->question[q->count - 1].context = first;
    q->question[q->count - 1].contexts = q->contexts - first;
    return answer ? add_answer(&t->r, answer) : GW_OK;
}

static gw_status ask_page(trivia *t, const char *id, const json_t *item, const char *kind, const json_t *page) {
    gw_string key = {0};
    const char *name;
    const int64_t first = t->r.questions->contexts;
    GW_TRY(gw_json_string(page, t->r.where.data, "Filename", true, &name));
    GW_TRY(add_document(&t->r, t->options, kind, page));
    gw_string_printf(&key, "%s--%s", id, name);
    gw_status status = gw_string_status(&key);
    if (status == GW_OK) status = ask(t, key.data, item, first);
    gw_string_free(&key);
    return status;
}

static gw_status read_question(trivia *t, json_t *item) {
    static const struct {
        const char *list, *folder;
    } kinds[] = {{"EntityPages", "wikipedia"}, {"SearchResults", "web"}};
    const int64_t first = t->r.questions->contexts;
    const char *id;
    json_t *pages, *page;
    size_t i;
    GW_TRY(gw_question_reader_at(&t->r, NULL));
    GW_TRY(gw_json_name(item, t->r.where.data, "QuestionId", &id));
    GW_TRY(gw_question_reader_at(&t->r, id));
    for (int k = 0; k < (t->web ? 2 : 1); k++) {
        GW_TRY(gw_json_list(item, t->r.where.data, kinds[k].list, false, &pages));
        json_array_foreach(pages, i, page) GW_TRY(t->web ? ask_page(t, id, item, kinds[k].folder, page)
                                                         : add_document(&t->r, t->options, kinds[k].folder, page));
    }
    return t->web ? GW_OK : ask(t, id, item, first);
}

static gw_status read_set(trivia *t, const json_t *set) {
    const char *domain;
    json_t *data, *item;
    size_t i;
    GW_TRY(gw_json_string(set, t->r.path, "Domain", true, &domain));
    GW_TRY(gw_json_list(set, t->r.path, "Data", true, &data));
    t->web = strcmp(domain, "Wikipedia") != 0;
    json_array_foreach(data, i, item) GW_TRY(read_question(t, item));
    return GW_OK;
}

static gw_status read_file(const char *path, const gw_text_options *options, gw_questions *questions) {
    const int64_t before = questions->count;
    trivia t = {.options = options};
    json_t *set = NULL;
    gw_status status = gw_question_reader_begin(&t.r, path, questions);
    if (status == GW_OK) status = gw_json_file(path, &set);
    if (status == GW_OK) status = read_set(&t, set);
    json_decref(set);
    return gw_question_reader_end(&t.r, status, before);
}

static bool is_triviaqa(const char *head) {
    return gw_head_begins(head, '{') && (gw_head_has_key(head, "Data") || gw_head_has_key(head, "VerifiedEval"));
}

// --- rating --------------------------------------------------------------------------------------------------------

typedef struct {
    const gw_qa_files *files;
    json_t *set, *predictions;
    json_t *expected; // key -> "Answer", in order
    bool web, verified;
    int64_t common, repeated;
    double exact, f1;
} trivia_rating;

static gw_status add_key(trivia_rating *t, const char *key, json_t *answer) {
    return json_object_set(t->expected, key, answer) == 0 ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory for answers");
}

static gw_status add_page(trivia_rating *t, const json_t *page, const char *id, json_t *answer) {
    const char *name;
    if (t->verified && !json_is_true(json_object_get(page, "DocPartOfVerifiedEval"))) return GW_OK;
    GW_TRY(gw_qa_text(page, t->files->sets[0], id, "Filename", &name));
    char *key = gw_strprintf("%s--%s", id, name);
    const gw_status status = key ? add_key(t, key, answer) : GW_ERR_MEMORY;
    free(key);
    return status;
}

static gw_status add_question(trivia_rating *t, const json_t *question) {
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

static gw_status index_set(trivia_rating *t) {
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

static gw_status add_answers(trivia_rating *t, const char *key, const json_t *answer, const char *field,
                             gw_qa_answers *out) {
    size_t i;
    json_t *text;
    json_array_foreach(json_object_get(answer, field), i, text) {
        if (!json_is_string(text))
            return gw_fail(GW_ERR_FORMAT, "%s: %s: \"%s\" contains a value that is not text", t->files->sets[0], key,
                           field);
        GW_TRY(gw_qa_answers_add(out, json_string_value(text), GW_ANSWERS_SPLIT_AT_PUNCTUATION));
    }
    return GW_OK;
}

static gw_status rate_key(trivia_rating *t, const char *key, const json_t *answer, gw_qa_rating *rating) {
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

static gw_status rate(trivia_rating *t, gw_qa_rating *rating) {
    const char *key;
    json_t *answer;
    t->expected = json_object();
    if (!t->expected) return gw_fail(GW_ERR_MEMORY, "out of memory for answers");
    GW_TRY(gw_qa_one_set(t->files, &t->set));
    GW_TRY(gw_qa_object(t->files->answers, t->files->predictions, &t->predictions));
    GW_TRY(index_set(t));
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

static gw_status rate_files(const gw_qa_files *files, gw_qa_rating *out) {
    trivia_rating t = {.files = files};
    const gw_status status = rate(&t, out);
    json_decref(t.set);
    json_decref(t.predictions);
    json_decref(t.expected);
    return status;
}
static gw_status predictions(const gw_question_answers *a, const gw_answer_thresholds *thresholds, json_t **out) {
    const gw_answer_thresholds never = {.no_answer = INFINITY};
    (void)thresholds;
    return gw_question_format_squad.predictions(a, &never, out);
}

static const char *const columns[] = {"start", "end", NULL};
const gw_question_format gw_question_format_triviaqa = {.columns = columns,
                                                        .shape = {.ends = 2, .joined = true, .most_words = 16},
                                                        .is = is_triviaqa,
                                                        .read = read_file,
                                                        .predictions = predictions,
                                                        .rate = rate_files,
                                                        .usual = {32, 4, 4096, 2048, 4e-5, 0, "start", 320, 0, 0},
                                                        .exact = "exact_match",
                                                        .f1 = "f1",
                                                        .whole = 100};
