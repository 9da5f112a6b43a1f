// SPDX-License-Identifier: MIT
// The table of formats, and what is the same for all.
#include "language/questions/question_format.h"

#include "base/memory.h"
#include "file/input.h"
#include "language/question_windows.h"
#include "language/questions/question_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const gw_question_format *const formats[] = {
#define GW_QUESTION_FORMAT(row) &gw_question_format_##row,
#include "language/questions/formats.def"
#undef GW_QUESTION_FORMAT
};
enum { FORMATS = sizeof formats / sizeof *formats, HEAD = 1 << 16 };

const gw_question_format *gw_question_format_by_name(const char *name) {
    for (int f = 0; f < FORMATS; f++)
        if (strcmp(formats[f]->name, name) == 0) return formats[f];
    return NULL;
}

// The first bytes of a file; NULL: there is none, or no memory.
static char *head_of(const char *path) {
    gw_input *input;
    int64_t length = 0, count = 0;
    if (strcmp(path, "-") == 0 || gw_input_open(path, &input) != GW_OK) return NULL;
    char *head = gw_alloc(HEAD + 1, 1);
    gw_input_as_text(input);
    while (head && length < HEAD && gw_input_read(input, head + length, HEAD - length, &count) == GW_OK && count > 0)
        length += count;
    gw_input_close(input);
    return head;
}

const gw_question_format *gw_question_format_of(const char *path) {
    char *head = head_of(path);
    const gw_question_format *found = NULL;
    for (int f = 0; head && !found && f < FORMATS; f++)
        if (formats[f]->is(head)) found = formats[f];
    free(head);
    return found;
}

static bool fits(const gw_question_format *format, const gw_config *config) {
    const int64_t labels = config->labels > 0 ? config->labels : 2;
    int64_t columns = 0;
    while (format->columns && format->columns[columns]) columns++;
    if (!format->columns) return labels > 1; // every model but one of candidates has the ends of an answer
    if (columns != labels) return false;
    for (int64_t c = 0; config->label_names && c < columns; c++)
        if (strcmp(format->columns[c], config->label_names[c]) != 0) return false;
    return config->label_names || columns == 2;
}

gw_status gw_question_set_check(const gw_text_set *set, const gw_config *config) {
    const gw_question_format *format = gw_question_format_by_name(set->format);
    if (fits(format, config)) return GW_OK;
    return gw_fail(
        GW_ERR_MISMATCH,
        "%s is a set in the layout of %s, and the model's head was trained for another: it has %lld columns, "
        "of which the first is \"%s\"",
        set->paths[0], format->name, (long long)(config->labels > 0 ? config->labels : 2),
        config->labels > 0 ? config->label_names[0] : "start");
}

static gw_status read_all(const gw_question_format *format, const char *const *paths, int count,
                          const gw_text_options *options, gw_questions *questions) {
    for (int p = 0; p < count; p++) {
        const gw_question_format *of = gw_question_format_of(paths[p]);
        if (of && of != format)
            return gw_fail(GW_ERR_MISMATCH, "%s is a set in the layout of %s, and %s in that of %s", paths[0],
                           format->name, paths[p], of->name);
        GW_TRY(format->read(paths[p], options, questions));
    }
    return GW_OK;
}

gw_status gw_question_set_read(const char *const *paths, int count, const gw_tokenizer *tokenizer,
                               const gw_text_options *options, gw_text_set *out) {
    const gw_question_format *format = gw_question_format_of(paths[0]);
    if (!format) format = formats[0];
    gw_questions questions = {.shape = format->shape};
    *out = (gw_text_set){0};
    gw_status status = read_all(format, paths, count, options, &questions);
    if (status == GW_OK) status = gw_question_windows(&questions, tokenizer, options, out);
    gw_questions_free(&questions);
    out->format = format->name;
    out->paths = paths;
    out->path_count = count;
    if (status == GW_OK) gw_question_set_tell(paths[0], &out->questions);
    return status;
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
    const gw_question_format *format = gw_question_format_by_name(set->format);
    // SQuAD's script applies the threshold itself
    const bool none = format->rates_none && isfinite(thresholds->no_answer);
    const gw_answer_thresholds never = {INFINITY, thresholds->support};
    gw_qa_files files = {.sets = set->paths,
                         .set_count = set->path_count,
                         .predictions = "answers",
                         .none = none ? none_of(answers) : NULL,
                         .no_answer_threshold = thresholds->no_answer};
    gw_status status = format->predictions(answers, none ? &never : thresholds, &files.answers);
    if (status == GW_OK) status = gw_qa_rate(format->name, &files, out);
    json_decref(files.answers);
    json_decref(files.none);
    return status;
}

// The table of kinds.

static const struct {
    const char *name;
    gw_qa_rater *rate;
} kinds[] = {{"squad", gw_qa_rate_squad},
             {"hotpotqa", gw_qa_rate_hotpotqa},
             {"natural-questions", gw_qa_rate_natural_questions},
             {"triviaqa", gw_qa_rate_triviaqa},
             {"wikihop", gw_qa_rate_wikihop}};

gw_status gw_qa_rate(const char *kind, const gw_qa_files *files, gw_qa_rating *out) {
    *out = (gw_qa_rating){0};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(kinds[k].name, kind) == 0) return kinds[k].rate(files, out);
    return gw_fail(GW_ERR_RANGE, "'%s' is no kind of question set, expected one of " GW_QA_KINDS, kind);
}
