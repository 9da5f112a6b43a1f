// SPDX-License-Identifier: MIT
// Formats of question sets: how their official files are read, what a model tells of them, how its answers are written
// for the official script, and how that script rates them. A format is a row of the table (formats.def) and a file of
// this folder.
#ifndef GW_LANGUAGE_QUESTIONS_QUESTION_FORMAT_H
#define GW_LANGUAGE_QUESTIONS_QUESTION_FORMAT_H

#include "language/question_answers.h"
#include "language/questions/question_files.h"

// By which answers are chosen, in logits.
typedef struct {
    double no_answer; // more for none than that: no answer (INFINITY: never)
    double support;   // a part is a supporting fact above it
} gw_answer_thresholds;

struct gw_question_format {
    const char *const *columns; // names of a model's logits, up to NULL; NULL: two without names
    gw_question_shape shape;
    bool (*is)(const char *head); // whether a file that begins with this text is one
    // Appends the questions of a file.
    gw_status (*read)(const char *path, const gw_text_options *options, gw_questions *out);
    // The answers as the official script takes them; json_decref() them.
    gw_status (*predictions)(const gw_question_answers *answers, const gw_answer_thresholds *thresholds, json_t **out);
    // Rates predictions (docs/reference/question-answering.md has files and metrics) as the official script does:
    // the same metrics under the same names, to the last digits of a double. Errors name the file and the question.
    gw_status (*rate)(const gw_qa_files *files, gw_qa_rating *out);
    bool rates_none; // the script also takes how much more the model is for no answer
    // What its preset trains with: BigBird's Table 12, and rates and epochs from the middle of Table 13. Dropped: share
    // of the windows without an answer. Attention: mode of a BigBird's; NULL: its own. Of models with global
    // tokens: most of these for a window, and rate and epochs where they are others (0).
    struct {
        int64_t batch, epochs, tokens, stride;
        double rate, dropped;
        const char *attention;
        int64_t globals, with_globals_epochs;
        double with_globals_rate;
        bool large_lamb; // LAMB where such a model is 1,024 wide or more
    } usual;
    const char *exact, *f1; // the rater's metrics that an epoch is rated by, and what makes a share of them
    double whole;
};

#define GW_QUESTION_FORMAT(row, name) extern const gw_question_format gw_question_format_##row;
#include "language/questions/formats.def"
#undef GW_QUESTION_FORMAT

// What formats are called, and their presets: one of these, between '|'.
extern const char gw_question_format_names[];
#define GW_QUESTION_FORMATS (gw_question_format_names + 1)
const char *gw_question_format_name(const gw_question_format *format);
// NULL: none of that name; of a file (not standard input): it is no question set.
const gw_question_format *gw_question_format_by_name(const char *name);
const gw_question_format *gw_question_format_of(const char *path);

// Reads files of one format, which the first of them has, as windows (language/question_windows.h). Free the set, also
// after failure; it borrows the paths.
gw_status gw_question_set_read(const char *const *paths, int count, const gw_tokenizer *tokenizer,
                               const gw_text_options *options, gw_text_set *out) GW_MUST_CHECK;

// The metrics of the answers to a set's questions, from its files.
gw_status gw_question_set_rate(const gw_question_answers *answers, const gw_answer_thresholds *thresholds,
                               gw_qa_rating *out) GW_MUST_CHECK;

// Rates the predictions of a set in the format of that name.
gw_status gw_qa_rate(const char *name, const gw_qa_files *files, gw_qa_rating *out) GW_MUST_CHECK;

#endif
