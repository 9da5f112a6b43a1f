// SPDX-License-Identifier: MIT
// Reads tables row by row.
#include "language/text_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "language/text_reader.h"

#include <stdlib.h>
#include <string.h>

void gw_label_names_free(gw_label_names *names) {
    for (int64_t i = 0; i < names->count; i++) free(names->name[i]);
    free(names->name);
    *names = (gw_label_names){0};
}

void gw_text_set_free(gw_text_set *set) {
    free(set->start);
    free(set->token);
    free(set->segment);
    free(set->label);
    free(set->number);
    free(set->word);
    free(set->line);
    gw_row_words_free(&set->row_words);
    gw_questions_free(&set->questions);
    gw_question_labels_free(&set->right);
    free(set->window);
    *set = (gw_text_set){0};
}

static gw_status find_columns(gw_text_reader *r) {
    const gw_text_options *o = r->options;
    GW_TRY(gw_table_column(r->table, o->text, &r->text));
    if (o->second) GW_TRY(gw_table_column(r->table, o->second, &r->second));
    for (int c = 0; c < o->choices.count; c++) GW_TRY(gw_table_column(r->table, o->choices.items[c], &r->choice[c]));
    for (int c = 0; o->labels != GW_TEXT_UNLABELLED && c < o->label.count; c++)
        GW_TRY(gw_table_column(r->table, o->label.items[c], &r->label[c]));
    return GW_OK;
}

static gw_status read_rows(gw_text_reader *r) {
    gw_text_set *set = r->set;
    bool found = true;
    int64_t line = 0;
    GW_TRY(find_columns(r));
    for (;;) {
        GW_TRY(gw_table_next(r->table, &found));
        if (!found) return GW_OK;
        GW_TRY(gw_text_add_texts(r));
        GW_TRY(gw_text_add_labels(r));
        GW_TRY(gw_reserve(&set->line, &r->line_capacity, set->rows + 1, sizeof *set->line));
        set->line[set->rows++] = ++line;
        if (line % 1024 == 0) GW_TRY(gw_check_interrupt());
    }
}

static gw_status read_file(gw_text_reader *r, const char *path) {
    GW_TRY(gw_table_open(path, &r->options->table, &r->table));
    const int64_t before = r->set->rows;
    gw_status status = read_rows(r);
    if (status == GW_OK && r->set->rows == before) status = gw_fail(GW_ERR_FORMAT, "%s has no rows", path);
    gw_table_close(r->table);
    return status;
}

static gw_status check_label_columns(const gw_text_options *o) {
    for (int c = 1; c < o->label.count; c++)
        for (int other = 0; other < c; other++)
            if (strcmp(o->label.items[c], o->label.items[other]) == 0)
                return gw_fail(GW_ERR_MISMATCH, "the column of labels \"%s\" is asked for twice", o->label.items[c]);
    return GW_OK;
}

// The columns of 0 and 1 are the names, where there are several.
static gw_status name_columns(gw_text_reader *r) {
    const gw_text_options *o = r->options;
    int32_t class;
    const bool columns = o->labels == GW_TEXT_NUMBERS || (o->labels == GW_TEXT_MANY && o->label.count > 1);
    if (!columns || !r->names->open) return GW_OK;
    for (int c = 0; c < o->label.count; c++) GW_TRY(gw_text_add_class(r, o->label.items[c], &class));
    r->names->open = false;
    return GW_OK;
}

static gw_status finish(gw_text_reader *r) {
    gw_text_set *set = r->set;
    if (r->names->open) GW_TRY(gw_text_order_classes(r));
    set->classes = set->labels == GW_TEXT_NUMBERS || (set->labels == GW_TEXT_MANY && r->options->label.count > 1)
                       ? r->options->label.count
                       : r->names->count;
    return gw_text_fill_marks(r);
}

static gw_status check_columns(const gw_text_options *o) {
    if (o->choices.count > GW_TEXT_MOST_COLUMNS)
        return gw_fail(GW_ERR_RANGE, "%d columns of answers, expected at most %d", o->choices.count,
                       GW_TEXT_MOST_COLUMNS);
    if (o->apart && (!o->second || o->choices.count > 0 || o->words))
        return gw_fail(GW_ERR_USAGE, "texts that are matched are two columns, --text and --text2");
    if (o->labels == GW_TEXT_UNLABELLED || o->label.count > 0) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "no column of labels is named");
}

gw_status gw_text_set_read(const char *const *paths, int count, const gw_tokenizer *tokenizer,
                           const gw_text_options *options, gw_label_names *names, gw_text_set *out) {
    *out = (gw_text_set){.labels = options->labels,
                         .per_row = options->apart               ? 2
                                    : options->choices.count > 0 ? options->choices.count
                                                                 : 1,
                         .row_words.most = options->most_row_words};
    gw_text_reader r = {.set = out, .rows = {.set = out}, .options = options, .tokenizer = tokenizer, .names = names};
    GW_TRY(check_columns(options));
    r.label = gw_alloc(options->label.count + 1, sizeof *r.label);
    gw_status status = r.label ? gw_encoder_new(tokenizer, &r.encoder) : GW_ERR_MEMORY;
    r.words = (gw_word_encoder){.tokenizer = tokenizer, .encoder = r.encoder};
    if (status == GW_OK) status = check_label_columns(options);
    if (status == GW_OK) status = gw_text_index_classes(&r);
    if (status == GW_OK) status = name_columns(&r);
    for (int p = 0; status == GW_OK && p < count; p++) status = read_file(&r, paths[p]);
    if (status == GW_OK) status = finish(&r);
    gw_encoder_free(r.encoder);
    gw_string_free(&r.words.text);
    json_decref(r.known);
    free(r.label);
    free(r.marks);
    free(r.list.token);
    free(r.list.word);
    free(r.list.label);
    return status;
}
