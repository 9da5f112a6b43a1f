// SPDX-License-Identifier: MIT
// Formats of question sets: reading of their official files, outputs of a model, predictions for the official script,
// and the metrics of this script. A format is a row of formats.def and a file of this folder.
#ifndef GW_LANGUAGE_QUESTIONS_QUESTION_FORMAT_H
#define GW_LANGUAGE_QUESTIONS_QUESTION_FORMAT_H

#include "language/question_answers.h"
#include "language/questions/question_files.h"

// Thresholds for choosing answers, in logits.
typedef struct {
    double no_answer; // preference for no answer above it: no answer (INFINITY: never)
    double support;   // parts with a logit above it are supporting facts
} gw_answer_thresholds;

struct gw_question_format {
    const char *const *columns; // names of a model's logits, ends with NULL; NULL: two without names
    gw_question_shape shape;
    bool (*is)(const char *head); // whether a file with this beginning has this format
    // Appends the questions of a file.
    gw_status (*read)(const char *path, const gw_text_options *options, gw_questions *out);
    // The predictions in the official script's format; json_decref() them.
    gw_status (*predictions)(const gw_question_answers *answers, const gw_answer_thresholds *thresholds, json_t **out);
    // Computes the official script's metrics of predictions (files and metrics: docs/reference/question-answering.md),
    // with the same names and values, to the last digits of a double. Errors name the file and the question.
    gw_status (*rate)(const gw_qa_files *files, gw_qa_rating *out);
    bool rates_none; // the script also takes the preference for no answer
    // Training settings of the preset: BigBird's Table 12, with rates and epochs from the middle of Table 13. dropped:
    // share of the windows without an answer that are skipped. attention: mode of a BigBird; NULL: its own. For models
    // with global tokens: most of them for a window, and rate and epochs if different (0: not).
    struct {
        int64_t batch, epochs, tokens, stride;
        double rate, dropped;
        const char *attention;
        int64_t globals, with_globals_epochs;
        double with_globals_rate;
        bool large_lamb; // LAMB if such a model has width 1,024 or more
    } usual;
    const char *exact, *f1; // metrics for comparing epochs, and the factor that makes them shares
    double whole;
};

#define GW_QUESTION_FORMAT(row, name) extern const gw_question_format gw_question_format_##row;
#include "language/questions/formats.def"
#undef GW_QUESTION_FORMAT

// The names of the formats, also of their presets, between '|'.
extern const char gw_question_format_names[];
#define GW_QUESTION_FORMATS (gw_question_format_names + 1)
const char *gw_question_format_name(const gw_question_format *format);
// by_name: the format with this name. of: the format of a file (not standard input). NULL: none.
const gw_question_format *gw_question_format_by_name(const char *name);
const gw_question_format *gw_question_format_of(const char *path);

// Reads files of one format, that of the first file, as windows (language/question_windows.h). Free `out`, also after a
// failure. It borrows the paths.
gw_status gw_question_set_read(const char *const *paths, int count, const gw_tokenizer *tokenizer,
                               const gw_text_options *options, gw_text_set *out) GW_MUST_CHECK;

// Computes the metrics of answers to a set's questions, with its files.
gw_status gw_question_set_rate(const gw_question_answers *answers, const gw_answer_thresholds *thresholds,
                               gw_qa_rating *out) GW_MUST_CHECK;

// Computes the metrics of predictions for a set in the format with this name.
gw_status gw_qa_rate(const char *name, const gw_qa_files *files, gw_qa_rating *out) GW_MUST_CHECK;

#endif
