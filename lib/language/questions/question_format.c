// SPDX-License-Identifier: MIT
// The table of formats, and functions for all of them.
#include "language/questions/question_format.h"

#include "base/log.h"
#include "base/memory.h"
#include "file/input.h"
#include "language/question_windows.h"
#include "language/questions/question_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const gw_question_format *format;
} formats[] = {
#define GW_QUESTION_FORMAT(row, name) {name, &gw_question_format_##row},
#include "language/questions/formats.def"
#undef GW_QUESTION_FORMAT
};
enum { FORMATS = sizeof formats / sizeof *formats, HEAD = 1 << 16 };

const char gw_question_format_names[] = ""
#define GW_QUESTION_FORMAT(row, name) "|" name
#include "language/questions/formats.def"
#undef GW_QUESTION_FORMAT
    ;

const char *gw_question_format_name(const gw_question_format *format) {
    int f = 0;
    while (formats[f].format != format) f++;
    return formats[f].name;
}

const gw_question_format *gw_question_format_by_name(const char *name) {
    for (int f = 0; f < FORMATS; f++)
        if (strcmp(formats[f].name, name) == 0) return formats[f].format;
    return NULL;
}

const gw_question_format *gw_question_format_of(const char *path) {
    gw_input *input;
    int64_t length = 0, count = 0;
    const gw_question_format *found = NULL;
    if (strcmp(path, "-") == 0 || gw_input_open(path, &input) != GW_OK) return NULL;
    char *head = gw_alloc(HEAD + 1, 1);
    gw_input_as_text(input);
    while (head && length < HEAD && gw_input_read(input, head + length, HEAD - length, &count) == GW_OK && count > 0)
        length += count;
    gw_input_close(input);
    for (int f = 0; head && !found && f < FORMATS; f++)
        if (formats[f].format->is(head)) found = formats[f].format;
    free(head);
    return found;
}

// Says what is odd in a set of that file.
static void tell(const char *path, const gw_questions *q) {
    if (q->moved > 0)
        gw_note("%s: %lld answers are not at their stated positions; the positions where their texts occur are used",
                path, (long long)q->moved);
    if (q->lost > 0) gw_warn("%s: %lld answers are not in their contexts", path, (long long)q->lost);
    if (q->repeated > 0) gw_warn("%s: %lld questions have the id of an earlier one", path, (long long)q->repeated);
    if (q->cut > 0) gw_note("%s: %lld questions are cut (--max-question)", path, (long long)q->cut);
    if (q->empty > 0) gw_warn("%s: %lld questions have a context without words", path, (long long)q->empty);
}

gw_status gw_question_set_read(const char *const *paths, int count, const gw_tokenizer *tokenizer,
                               const gw_text_options *options, gw_text_set *out) {
    const gw_question_format *format = gw_question_format_of(paths[0]);
    if (!format) format = formats[0].format;
    gw_questions questions = {.shape = format->shape};
    *out = (gw_text_set){0};
    gw_status status = GW_OK;
    for (int p = 0; p < count && status == GW_OK; p++) {
        const gw_question_format *of = gw_question_format_of(paths[p]);
        status = !of || of == format
                     ? format->read(paths[p], options, &questions)
                     : gw_fail(GW_ERR_MISMATCH, "%s is a set in the layout of %s, and %s in that of %s", paths[0],
                               gw_question_format_name(format), paths[p], gw_question_format_name(of));
    }
    if (status == GW_OK) status = gw_question_windows(&questions, tokenizer, options, out);
    gw_questions_free(&questions);
    out->format = format;
    out->paths = paths;
    out->path_count = count;
    if (status == GW_OK) tell(paths[0], &out->questions);
    return status;
}

gw_status gw_qa_rate(const char *name, const gw_qa_files *files, gw_qa_rating *out) {
    const gw_question_format *format = gw_question_format_by_name(name);
    *out = (gw_qa_rating){0};
    if (format) return format->rate(files, out);
    return gw_fail(GW_ERR_RANGE, "'%s' is not a kind of question set, expected one of %s", name, GW_QUESTION_FORMATS);
}

// More than 0 for none, by id.
static json_t *none_of(const gw_question_answers *a) {
    json_t *none = json_object();
    for (int64_t q = 0; q < a->set->questions.count; q++) {
        const double more = gw_question_answers_none(a, q);
        json_object_set_new(none, a->set->questions.question[q].id, json_real(isfinite(more) ? more : 0));
    }
    return none;
}

gw_status gw_question_set_rate(const gw_question_answers *answers, const gw_answer_thresholds *thresholds,
                               gw_qa_rating *out) {
    const gw_text_set *set = answers->set;
    // SQuAD's script applies the threshold itself
    const bool none = set->format->rates_none && isfinite(thresholds->no_answer);
    const gw_answer_thresholds never = {INFINITY, thresholds->support};
    gw_qa_files files = {.sets = set->paths,
                         .set_count = set->path_count,
                         .predictions = "answers",
                         .none = none ? none_of(answers) : NULL,
                         .no_answer_threshold = thresholds->no_answer};
    *out = (gw_qa_rating){0};
    gw_status status = set->format->predictions(answers, none ? &never : thresholds, &files.answers);
    if (status == GW_OK) status = set->format->rate(&files, out);
    json_decref(files.answers);
    json_decref(files.none);
    return status;
}
