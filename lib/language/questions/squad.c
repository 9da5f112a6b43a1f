// SPDX-License-Identifier: MIT
// SQuAD 1.1 and 2.0: {"data": [{"paragraphs": [{"context", "qas": [{"id", "question", "answers": [{"text",
// "answer_start"}]}]}]}]}; ids may be numbers. Messages name the question after its id was read. The preset is that of
// BERT (Devlin et al., 2019). Predictions are {id: text}, probabilities of no answer {id: number}. Metrics:
//
//   exact, f1   for a question the best over its answers; "" is the answer of questions without one; of two questions
//               with one id the later one counts
//   best_*      with the best threshold on the probabilities for this metric, and the threshold
//   pr_*_ap     area under the curve of precision and recall over the thresholds
#include "base/memory.h"
#include "file/json_file.h"
#include "language/questions/question_files.h"
#include "language/questions/question_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gw_status read_question(gw_question_reader *r, json_t *qa) {
    gw_questions *q = r->questions;
    const char *id, *text;
    bool impossible = false;
    int64_t start = 0;
    json_t *answers, *answer;
    size_t i;
    GW_TRY(gw_question_reader_at(r, NULL));
    GW_TRY(gw_json_name(qa, r->where.data, "id", &id));
    GW_TRY(gw_question_reader_at(r, id));
    GW_TRY(gw_json_string(qa, r->where.data, "question", true, &text));
    GW_TRY(gw_json_bool(qa, r->where.data, "is_impossible", false, &impossible));
    q->unanswerable |= impossible;
    GW_TRY(gw_question_reader_add(r, id, text));

    gw_question *question = &q->question[q->count - 1];
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

static gw_status read_set(gw_question_reader *r, const json_t *set) {
    const char *context;
    json_t *data, *article, *paragraphs, *paragraph, *questions, *qa;
    size_t i, j, k;
    GW_TRY(gw_question_reader_at(r, NULL));
    GW_TRY(gw_json_list(set, r->where.data, "data", true, &data));
    json_array_foreach(data, i, article) {
        GW_TRY(gw_question_reader_at(r, NULL));
        GW_TRY(gw_json_list(article, r->where.data, "paragraphs", true, &paragraphs));
        json_array_foreach(paragraphs, j, paragraph) {
            GW_TRY(gw_question_reader_at(r, NULL));
            GW_TRY(gw_json_string(paragraph, r->where.data, "context", true, &context));
            GW_TRY(gw_json_list(paragraph, r->where.data, "qas", true, &questions));
            GW_TRY(gw_questions_add_context(r->questions, context));
            json_array_foreach(questions, k, qa) GW_TRY(read_question(r, qa));
        }
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

// --- rating --------------------------------------------------------------------------------------------------------

typedef struct {
    const char *id; // borrowed from the set
    bool answerable, predicted, answered;
    double exact, f1, no_answer;
    int64_t place; // in the file of such probabilities
} question;

typedef struct {
    const gw_qa_files *files;
    json_t *set, *predictions, *no_answer;
    json_t *index; // id -> number of the question
    question *question;
    int64_t count, capacity;
    question **by_no_answer; // [count] in order of the probability, where there are such
} squad;

static gw_status rate_answer(squad *s, const json_t *qa, question *q) {
    const char *path = s->files->sets[0], *found, *text;
    json_t *answers;
    gw_qa_answers right = {0};
    gw_answer_match best;
    GW_TRY(gw_qa_field(qa, path, q->id, "answers", JSON_ARRAY, &answers));
    GW_TRY(gw_qa_predicted(s->predictions, s->files->predictions, q->id, &q->predicted, &found));
    q->answerable = json_array_size(answers) > 0;
    q->answered = *found;
    gw_status status = GW_OK;
    for (size_t i = 0; i < json_array_size(answers) && status == GW_OK; i++) {
        status = gw_qa_text(json_array_get(answers, i), path, q->id, "text", &text);
        if (status == GW_OK) status = gw_qa_answers_add(&right, text, GW_ANSWERS_WITHOUT_PUNCTUATION);
        if (status == GW_OK && !*right.answer[right.count - 1]) free(right.answer[--right.count]);
    }
    if (status == GW_OK && right.count == 0) status = gw_qa_answers_add(&right, "", GW_ANSWERS_WITHOUT_PUNCTUATION);
    if (status == GW_OK) status = gw_qa_answers_match(&right, found, GW_ANSWERS_WITHOUT_PUNCTUATION, &best);
    if (status == GW_OK) {
        q->exact = best.exact;
        q->f1 = fmax(best.f1, best.exact); // two texts without words agree
    }
    gw_qa_answers_free(&right);
    return status;
}

static gw_status add_question(squad *s, json_t *qa, gw_qa_rating *rating) {
    question q = {0};
    GW_TRY(gw_json_name(qa, s->files->sets[0], "id", &q.id));
    GW_TRY(rate_answer(s, qa, &q));
    const json_t *earlier = json_object_get(s->index, q.id);
    if (earlier) {
        s->question[json_integer_value(earlier)] = q;
        rating->repeated++;
        return GW_OK;
    }
    GW_TRY(gw_reserve(&s->question, &s->capacity, s->count + 1, sizeof q));
    if (json_object_set_new(s->index, q.id, json_integer(s->count)) != 0)
        return gw_fail(GW_ERR_MEMORY, "out of memory for the ids of questions");
    s->question[s->count++] = q;
    return GW_OK;
}

static gw_status index_set(squad *s, gw_qa_rating *rating) {
    const char *path = s->files->sets[0];
    json_t *data, *article, *paragraphs, *paragraph, *questions, *qa;
    size_t i, j, k;
    GW_TRY(gw_qa_field(s->set, path, "the set", "data", JSON_ARRAY, &data));
    json_array_foreach(data, i, article) {
        GW_TRY(gw_qa_field(article, path, "an article", "paragraphs", JSON_ARRAY, &paragraphs));
        json_array_foreach(paragraphs, j, paragraph) {
            GW_TRY(gw_qa_field(paragraph, path, "a paragraph", "qas", JSON_ARRAY, &questions));
            json_array_foreach(questions, k, qa) GW_TRY(add_question(s, qa, rating));
        }
    }
    return s->count > 0 ? GW_OK : gw_fail(GW_ERR_FORMAT, "%s: there is no question in it", path);
}

static int by_no_answer(const void *a, const void *b) {
    const question *x = *(question *const *)a, *y = *(question *const *)b;
    if (x->no_answer != y->no_answer) return x->no_answer > y->no_answer ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

// Questions in order of the probabilities, which must be there for each; ties as their file has them, as the official
// script sorts them.
static gw_status read_no_answer(squad *s) {
    const char *id;
    json_t *value;
    int64_t place = 0, found = 0;
    s->by_no_answer = gw_alloc(s->count, sizeof(question *));
    if (!s->by_no_answer) return GW_ERR_MEMORY;
    json_object_foreach(s->no_answer, id, value) {
        const json_t *number = json_object_get(s->index, id);
        place++;
        if (!number) continue;
        if (!json_is_number(value))
            return gw_fail(GW_ERR_FORMAT, "%s: the value of question %s is not a number", s->files->no_answer, id);
        question *q = &s->question[json_integer_value(number)];
        q->no_answer = json_number_value(value);
        q->place = place;
        s->by_no_answer[found++] = q;
    }
    for (int64_t i = 0; i < s->count; i++)
        if (s->question[i].place == 0)
            return gw_fail(GW_ERR_MISMATCH, "%s: question %s is missing", s->files->no_answer, s->question[i].id);
    qsort(s->by_no_answer, (size_t)s->count, sizeof *s->by_no_answer, by_no_answer);
    return GW_OK;
}

typedef double score_of(const question *q);
static double exact_of(const question *q) {
    return q->exact;
}
static double f1_of(const question *q) {
    return q->f1;
}
static double answerable_of(const question *q) {
    return q->answerable;
}

// A question whose probability lies above the threshold is answered by "".
static double with_threshold(const squad *s, const question *q, score_of *score) {
    return q->no_answer > s->files->no_answer_threshold ? !q->answerable : score(q);
}

enum { ALL = -1, WITHOUT_ANSWER = 0, WITH_ANSWER = 1 };
static void add_means(const squad *s, int which, const char *const names[3], gw_qa_rating *rating) {
    double exact = 0, f1 = 0;
    int64_t total = 0;
    for (int64_t i = 0; i < s->count; i++) {
        const question *q = &s->question[i];
        if (which != ALL && q->answerable != (which == WITH_ANSWER)) continue;
        exact += with_threshold(s, q, exact_of);
        f1 += with_threshold(s, q, f1_of);
        total++;
    }
    if (total == 0) return;
    gw_qa_add(rating, names[0], 100 * exact / (double)total);
    gw_qa_add(rating, names[1], 100 * f1 / (double)total);
    gw_qa_add(rating, names[2], (double)total);
}

// Raises the threshold question by question, and those above it are answered by "". Within ties too, which no threshold
// tells apart: so does the official script.
static void add_best(const squad *s, score_of *score, const char *metric, const char *threshold, gw_qa_rating *rating) {
    double current = 0, best, at = 0;
    for (int64_t i = 0; i < s->count; i++) current += !s->question[i].answerable;
    best = current;
    for (int64_t i = 0; i < s->count; i++) {
        const question *q = s->by_no_answer[i];
        current += q->answerable ? score(q) : q->answered ? -1 : 0;
        if (current <= best) continue;
        best = current;
        at = q->no_answer;
    }
    gw_qa_add(rating, metric, 100 * best / (double)s->count);
    gw_qa_add(rating, threshold, at);
}

static void add_average_precision(const squad *s, score_of *score, const char *name, gw_qa_rating *rating) {
    double right = 0, answerable = 0, before = 0, area = 0;
    for (int64_t i = 0; i < s->count; i++) answerable += s->question[i].answerable;
    if (answerable == 0) return;
    for (int64_t i = 0; i < s->count; i++) {
        const question *q = s->by_no_answer[i];
        if (q->answerable) right += score(q);
        if (i + 1 < s->count && s->by_no_answer[i + 1]->no_answer == q->no_answer) continue;
        const double recall = right / answerable;
        area += right / (double)(i + 1) * (recall - before);
        before = recall;
    }
    gw_qa_add(rating, name, 100 * area);
}

static gw_status rate(squad *s, gw_qa_rating *rating) {
    static const char *const all[3] = {"exact", "f1", "total"},
                             *const with[3] = {"HasAns_exact", "HasAns_f1", "HasAns_total"},
                             *const without[3] = {"NoAns_exact", "NoAns_f1", "NoAns_total"};
    s->index = json_object();
    if (!s->index) return gw_fail(GW_ERR_MEMORY, "out of memory for the ids of questions");
    GW_TRY(gw_qa_one_set(s->files, &s->set));
    GW_TRY(gw_qa_object(s->files->answers, s->files->predictions, &s->predictions));
    if (s->files->none || s->files->no_answer) GW_TRY(gw_qa_object(s->files->none, s->files->no_answer, &s->no_answer));
    GW_TRY(index_set(s, rating));
    rating->questions = s->count;
    for (int64_t i = 0; i < s->count; i++) rating->missing += !s->question[i].predicted;
    rating->others = (int64_t)json_object_size(s->predictions) - (s->count - rating->missing);
    if (s->no_answer) GW_TRY(read_no_answer(s));
    add_means(s, ALL, all, rating);
    add_means(s, WITH_ANSWER, with, rating);
    add_means(s, WITHOUT_ANSWER, without, rating);
    if (!s->no_answer) return GW_OK;
    add_best(s, exact_of, "best_exact", "best_exact_thresh", rating);
    add_best(s, f1_of, "best_f1", "best_f1_thresh", rating);
    add_average_precision(s, exact_of, "pr_exact_ap", rating);
    add_average_precision(s, f1_of, "pr_f1_ap", rating);
    add_average_precision(s, answerable_of, "pr_oracle_ap", rating);
    return GW_OK;
}

static gw_status rate_files(const gw_qa_files *files, gw_qa_rating *out) {
    squad s = {.files = files};
    const gw_status status = rate(&s, out);
    json_decref(s.set);
    json_decref(s.predictions);
    json_decref(s.no_answer);
    json_decref(s.index);
    free(s.question);
    free(s.by_no_answer);
    return status;
}

const gw_question_format gw_question_format_squad = {.is = is_squad,
                                                     .read = read_file,
                                                     .predictions = predictions,
                                                     .rate = rate_files,
                                                     .rates_none = true,
                                                     .usual = {32, 2, 384, 128, 3e-5, 0, NULL, 0, 0, 0},
                                                     .exact = "exact",
                                                     .f1 = "f1",
                                                     .whole = 100};
