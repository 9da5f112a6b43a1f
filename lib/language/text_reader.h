// SPDX-License-Identifier: MIT
// What the reading of a text_set.h goes through: a table's columns, the classes known so far, and the rows made of
// them.
#ifndef GW_LANGUAGE_TEXT_READER_H
#define GW_LANGUAGE_TEXT_READER_H

#include "base/json.h"
#include "data/word_encoder.h"
#include "language/text_set.h"

enum { GW_TEXT_MOST_COLUMNS = 64 };

typedef struct {
    int64_t row;
    int32_t class;
} gw_text_mark;

typedef struct {
    gw_text_set *set;
    const gw_text_options *options;
    const gw_tokenizer *tokenizer;
    gw_label_names *names;
    json_t *known; // name -> class
    gw_encoder *encoder;
    gw_word_encoder words;
    gw_table *table;
    int text, second, choice[GW_TEXT_MOST_COLUMNS];
    int *label; // [label_count]
    gw_text_rows rows;
    int64_t label_capacity, number_capacity, word_capacity, line_capacity, name_capacity, mark_capacity;
    gw_text_mark *marks; // of MANY in one column: the classes of rows
    int64_t mark_count;
    struct {
        int32_t *token, *word, *label;
        int64_t count, token_capacity, word_capacity, label_capacity;
    } list; // of words
} gw_text_reader;

// Classes are numbered as they are met (text_classes.c), and again, by name or number, once all are known.
gw_status gw_text_index_classes(gw_text_reader *reader) GW_MUST_CHECK; // those that the names have
gw_status gw_text_add_class(gw_text_reader *reader, const char *name, int32_t *class) GW_MUST_CHECK;
// An unknown name is a new class where the names are open, and else an error.
gw_status gw_text_class_of(gw_text_reader *reader, const char *name, int32_t *class) GW_MUST_CHECK;
gw_status gw_text_order_classes(gw_text_reader *reader) GW_MUST_CHECK;

// Of the table's row: its tokens (text_rows.c), then its labels (text_labels.c).
gw_status gw_text_add_texts(gw_text_reader *reader) GW_MUST_CHECK;
gw_status gw_text_add_labels(gw_text_reader *reader) GW_MUST_CHECK;
// Writes the marks as numbers of 0 and 1, once the classes have their order.
gw_status gw_text_fill_marks(gw_text_reader *reader) GW_MUST_CHECK;

#endif
