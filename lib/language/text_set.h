// SPDX-License-Identifier: MIT
// Labelled texts as tokens: rows of tables (file/table.h), one text or two, or a text and its answers, with their
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

// What the labels of a row are: one of several classes; any of several; numbers; a class for each word of the text,
// which is a list of words (JSON); the answer that is right, by its number from 0; the answer's first and last token.
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
    const char *text, *second; // columns, or several names for one (gw_table_column()); second NULL: one text
    gw_string_list choices;    // columns of answers: a row is so many pairs of the text and an answer
    gw_string_list label;      // columns
    gw_text_labels labels;
    int64_t most;           // tokens of a sequence, special ones included: longer ones are cut
    bool words;             // the text is a list of words, labelled or not
    bool apart;             // text and second are sequences of their own, so that a row is two
    int64_t most_row_words; // of all rows together, to keep in row_words; 0: none
    // SPANS: tokens from one window of a context to the next (0: half of what a window holds), most of a question (0:
    // 64, or half a window where that is less), and of an answer that is looked for (0: 30)
    int64_t stride, most_question, longest_answer;
    const char *evidence; // TriviaQA's folder of documents; NULL: beside the file
    double dropped;       // SPANS, of sets that train: share of the windows without an answer that are left out
} gw_text_options;

// Names of classes, by their number. Zero-initialise, or fill with those of a model.
typedef struct {
    char **name; // [count] owned
    int64_t count;
    bool open; // names that are met are added, and put in order: of numbers, or of bytes
} gw_label_names;
void gw_label_names_free(gw_label_names *names);

// Which words the rows of a set have, for what looks at words alone. A word is a run of ASCII letters and digits and of
// all characters beyond ASCII, ASCII letters in lower case; it is known by a hash of 64 bits. Zero-initialise, and say
// how many words to keep.
typedef struct {
    int64_t most;   // of all rows together; where there are more none is kept
    int64_t rows;   // that were added and kept
    int64_t *start; // [rows + 1]
    uint64_t *word; // of each row, each word once, rising
    int64_t start_capacity, word_capacity;
} gw_row_words;

// Adds a row: the words of a text, and those of a second one (NULL: none).
gw_status gw_row_words_add(gw_row_words *words, const char *text, const char *second) GW_MUST_CHECK;
void gw_row_words_free(gw_row_words *words);

typedef struct gw_question_format gw_question_format;

typedef struct {
    int64_t rows, per_row; // sequences: rows * per_row
    int64_t *start;        // [sequences + 1] first token of each
    int32_t *token, *segment;
    int64_t classes;        // that there are, or numbers of a row
    int32_t *label;         // ONE, ANSWER: [rows]; WORDS: [tokens] -1 where a word does not begin; SPANS: [rows][2]
    float *number;          // MANY, NUMBERS: [rows][classes], NaN: none
    int32_t *word;          // of lists of words: [tokens] which one begins here, or -1
    int64_t *line;          // [rows] of its file
    gw_row_words row_words; // of the whole texts, of both of a pair
    int64_t cut;            // sequences that were too long
    int64_t longest;        // tokens of a sequence
    gw_text_labels labels;
    gw_questions questions;           // SPANS: what the rows, which are windows of contexts, are of
    gw_window *window;                // SPANS: [rows]
    int64_t longest_answer;           // SPANS: tokens, or words where the questions' shape says so
    gw_question_labels right;         // SPANS, of columns that the questions' shape says
    const gw_question_format *format; // SPANS (language/questions/question_format.h), and the files
    const char *const *paths;
    int path_count;
} gw_text_set;

// Reads all tables, in order (question sets: language/question_windows.h). A label that the names lack, where they
// are not open, is an error that tells file, line and what there is; numbers stand for classes where the names are none
// or LABEL_0, LABEL_1 ... Free the set, also after failure.
gw_status gw_text_set_read(const char *const *paths, int count, const gw_tokenizer *tokenizer,
                           const gw_text_options *options, gw_label_names *names, gw_text_set *out) GW_MUST_CHECK;
void gw_text_set_free(gw_text_set *set);

// Sequences that are appended to a set.
typedef struct {
    gw_text_set *set;
    int64_t tokens, sequences; // so far
    int64_t start_capacity, token_capacity, segment_capacity;
} gw_text_rows;
gw_status gw_text_rows_add(gw_text_rows *rows, const gw_wrapped *sequence) GW_MUST_CHECK;

// Tokens of single words, as they stand in a text: behind a blank where they are not the first, unless the tokenizer
// reads bases. Borrows both; free `text`.
typedef struct {
    const gw_tokenizer *tokenizer;
    gw_encoder *encoder;
    gw_string text;
} gw_word_encoder;

// *tokens belongs to the encoder until its next call.
gw_status gw_word_encode(gw_word_encoder *words, bool first, const char *word, int64_t length, const int32_t **tokens,
                         int64_t *count) GW_MUST_CHECK;

#endif
