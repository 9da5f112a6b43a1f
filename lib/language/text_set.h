// SPDX-License-Identifier: MIT
// Labelled texts as tokens: rows of tables (file/table.h) with one text, two texts, or a text and its answers, and with
// labels.
#ifndef GW_LANGUAGE_TEXT_SET_H
#define GW_LANGUAGE_TEXT_SET_H

#include "base/status.h"
#include "base/string.h"
#include "file/table.h"
#include "language/questions.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

// The labels of a row: one of several classes; any of several classes; numbers; a class for each word of the text,
// which is a JSON list of words; the number of the right answer, from 0; the first and last token of the answer.
typedef enum {
    GW_TEXT_UNLABELLED,
    GW_TEXT_ONE,
    GW_TEXT_MANY,
    GW_TEXT_NUMBERS,
    GW_TEXT_WORDS,
    GW_TEXT_ANSWER,
    GW_TEXT_SPANS
} gw_text_labels;

typedef struct {
    gw_table_options table;
    const char *text, *second; // columns, or alternatives for one (gw_table_column()); second NULL: one text
    gw_string_list choices;    // columns of answers: a row is a pair of the text and each answer
    gw_string_list label;      // columns
    gw_text_labels labels;
    int64_t most;           // most tokens of a sequence, special tokens included; longer texts are cut
    bool words;             // the text is a list of words, with or without labels
    bool apart;             // text and second are separate sequences: a row is two sequences
    int64_t most_row_words; // most words of all rows together to keep in row_words; 0: none
    // SPANS: tokens from one window of a context to the next (0: half of a window's text); most tokens of a question
    // (0: 64, or half a window if that is less); most tokens of a predicted answer (0: 30)
    int64_t stride, most_question, longest_answer;
    const char *evidence; // TriviaQA's folder of documents; NULL: beside the file
    double dropped;       // SPANS, for training: share of the windows without an answer that are skipped
} gw_text_options;

// Names of classes, by number. Zero-initialise, or fill with those of a model.
typedef struct {
    char **name; // [count] owned
    int64_t count;
    bool open; // new names are added and sorted, as numbers or as bytes
} gw_label_names;
void gw_label_names_free(gw_label_names *names);

// Distinct words of the rows of a set, for models of words. A word is a run of ASCII letters, digits and characters
// beyond ASCII, with ASCII letters in lower case. A word is stored as a 64-bit hash. Zero-initialise and set `most`.
typedef struct {
    int64_t most;   // of all rows together; if there are more, none is kept
    int64_t rows;   // added and kept rows
    int64_t *start; // [rows + 1]
    uint64_t *word; // of each row, each word once, ascending
    int64_t start_capacity, word_capacity;
} gw_row_words;

// Adds a row: the words of a text, and of a second text (NULL: none).
gw_status gw_row_words_add(gw_row_words *words, const char *text, const char *second) GW_MUST_CHECK;
void gw_row_words_free(gw_row_words *words);

typedef struct gw_question_format gw_question_format;

typedef struct {
    int64_t rows, per_row; // sequences: rows * per_row
    int64_t *start;        // [sequences + 1] first token of each
    int32_t *token, *segment;
    int64_t classes;        // number of classes, or of numbers in a row
    int32_t *label;         // ONE, ANSWER: [rows]; WORDS: [tokens] -1 if no word begins here; SPANS: [rows][2]
    float *number;          // MANY, NUMBERS: [rows][classes], NaN: none
    int32_t *word;          // for lists of words: [tokens] index of the word that begins here, or -1
    int64_t *line;          // [rows] line in its file
    gw_row_words row_words; // of whole texts, of both texts of a pair
    int64_t cut;            // number of sequences that were too long
    int64_t longest;        // tokens of the longest sequence
    gw_text_labels labels;
    gw_questions questions;           // SPANS: the questions of the rows; rows are windows of contexts
    gw_window *window;                // SPANS: [rows]
    int64_t longest_answer;           // SPANS: tokens, or words, depending on the questions' shape
    gw_question_labels right;         // SPANS, for named columns
    const gw_question_format *format; // SPANS (language/questions/question_format.h), and the files
    const char *const *paths;
    int path_count;
} gw_text_set;

// Reads all tables in order (question sets: language/question_windows.h). If the names are not open, an unknown label
// is an error that gives file, line and valid labels. Numbers are class indices if there are no names, or the names are
// LABEL_0, LABEL_1 ... Free `out`, also after a failure.
gw_status gw_text_set_read(const char *const *paths, int count, const gw_tokenizer *tokenizer,
                           const gw_text_options *options, gw_label_names *names, gw_text_set *out) GW_MUST_CHECK;
void gw_text_set_free(gw_text_set *set);

// Appends sequences to a set.
typedef struct {
    gw_text_set *set;
    int64_t tokens, sequences; // so far
    int64_t start_capacity, token_capacity, segment_capacity;
} gw_text_rows;
gw_status gw_text_rows_add(gw_text_rows *rows, const gw_wrapped *sequence) GW_MUST_CHECK;

// Tokens of single words as in a text: behind a blank unless the word is the first, or the tokenizer reads bases.
// Borrows both; free `text`.
typedef struct {
    const gw_tokenizer *tokenizer;
    gw_encoder *encoder;
    gw_string text;
} gw_word_encoder;

// *tokens is valid until the encoder's next call.
gw_status gw_word_encode(gw_word_encoder *words, bool first, const char *word, int64_t length, const int32_t **tokens,
                         int64_t *count) GW_MUST_CHECK;

#endif
