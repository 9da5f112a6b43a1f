// SPDX-License-Identifier: MIT
// Reads tables row by row: the tokens of a row's texts, then its labels.
#include "language/text_set.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"

#include <math.h>
#include <stdio.h>
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
    free(set->window);
    free(set->right.end_start);
    free(set->right.marker_start);
    free(set->right.end);
    free(set->right.marker);
    free(set->right.type);
    free(set->right.example);
    *set = (gw_text_set){0};
}

// --- words of rows ---------------------------------------------------------------------------------------------------

// Of a letter or digit its lower case; 0: no part of a word.
static uint8_t letter_of(char c) {
    const uint8_t byte = (uint8_t)c;
    if (byte >= 'A' && byte <= 'Z') return byte + ('a' - 'A');
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte >= 0x80 ? byte : 0;
}

// FNV-1a of the next word; *text is moved behind it. False where there is none.
static bool next_word(const char **text, uint64_t *hash) {
    const char *c = *text;
    while (*c && !letter_of(*c)) c++;
    *hash = 14695981039346656037u;
    const bool found = *c != 0;
    for (; letter_of(*c); c++) *hash = (*hash ^ letter_of(*c)) * 1099511628211u;
    *text = c;
    return found;
}

static gw_status hash_words(gw_row_words *words, const char *text, int64_t *end) {
    for (uint64_t hash; next_word(&text, &hash);) {
        GW_TRY(gw_reserve(&words->word, &words->word_capacity, *end + 1, sizeof *words->word));
        words->word[(*end)++] = hash;
    }
    return GW_OK;
}

static int by_hash(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

gw_status gw_row_words_add(gw_row_words *words, const char *text, const char *second) {
    if (words->most == 0) return GW_OK;
    GW_TRY(gw_reserve(&words->start, &words->start_capacity, words->rows + 2, sizeof *words->start));
    if (words->rows == 0) words->start[0] = 0;
    int64_t end = words->start[words->rows];
    GW_TRY(hash_words(words, text, &end));
    if (second) GW_TRY(hash_words(words, second, &end));
    const int64_t begin = words->start[words->rows];
    int64_t kept = begin; // of those that differ
    if (begin < end) qsort(words->word + begin, (size_t)(end - begin), sizeof *words->word, by_hash);
    for (int64_t i = begin; i < end; i++)
        if (kept == begin || words->word[i] != words->word[kept - 1]) words->word[kept++] = words->word[i];
    words->start[++words->rows] = kept;
    if (kept > words->most) gw_row_words_free(words);
    return GW_OK;
}

void gw_row_words_free(gw_row_words *words) {
    free(words->start);
    free(words->word);
    *words = (gw_row_words){0};
}

// --- what reading goes through ---------------------------------------------------------------------------------------

gw_status gw_text_rows_add(gw_text_rows *r, const gw_wrapped *w) {
    gw_text_set *set = r->set;
    GW_TRY(gw_reserve(&set->start, &r->start_capacity, r->sequences + 2, sizeof *set->start));
    GW_TRY(gw_reserve(&set->token, &r->token_capacity, r->tokens + w->count, sizeof *set->token));
    GW_TRY(gw_reserve(&set->segment, &r->segment_capacity, r->tokens + w->count, sizeof *set->segment));
    memcpy(set->token + r->tokens, w->tokens, (size_t)w->count * sizeof *set->token);
    memcpy(set->segment + r->tokens, w->segments, (size_t)w->count * sizeof *set->segment);
    set->start[r->sequences++] = r->tokens;
    r->tokens += w->count;
    set->start[r->sequences] = r->tokens;
    set->cut += w->cut;
    if (w->count > set->longest) set->longest = w->count;
    return GW_OK;
}

// Tokenizers of bases have no use for a blank.
gw_status gw_word_encode(gw_word_encoder *words, bool first, const char *word, int64_t length, const int32_t **tokens,
                         int64_t *count) {
    gw_string *text = &words->text;
    gw_string_clear(text);
    if (!first && !gw_tokenizer_is_dna(words->tokenizer)) gw_string_putc(text, ' ');
    gw_string_append(text, word, length);
    GW_TRY(gw_string_status(text));
    return gw_encode(words->encoder, text->data ? text->data : "", text->length, tokens, count);
}

enum { MOST_COLUMNS = 64 };

typedef struct {
    int64_t row;
    int32_t class;
} class_mark;

typedef struct {
    gw_text_set *set;
    const gw_text_options *options;
    const gw_tokenizer *tokenizer;
    gw_label_names *names;
    json_t *known; // name -> class
    gw_encoder *encoder;
    gw_word_encoder words;
    gw_table *table;
    int text, second, choice[MOST_COLUMNS];
    int *label; // [label_count]
    gw_text_rows rows;
    int64_t label_capacity, number_capacity, word_capacity, line_capacity, name_capacity, mark_capacity;
    class_mark *marks; // of MANY in one column: the classes of rows
    int64_t mark_count;
    struct {
        int32_t *token, *word, *label;
        int64_t count, token_capacity, word_capacity, label_capacity;
    } list; // of words
} text_reader;

// --- classes ---------------------------------------------------------------------------------------------------------

// Classes are numbered as they are met, and again, by name or number, once all are known.

static gw_status new_class(text_reader *r, const char *text, int32_t *class) {
    gw_label_names *names = r->names;
    GW_TRY(gw_reserve(&names->name, &r->name_capacity, names->count + 1, sizeof *names->name));
    char *copy = gw_strdup(text);
    if (!copy) return GW_ERR_MEMORY;
    *class = (int32_t)names->count;
    names->name[names->count++] = copy;
    json_object_set_new(r->known, text, json_integer(*class));
    return GW_OK;
}

// Whether the names say nothing: LABEL_0, LABEL_1 ...
static bool are_numbers(const gw_label_names *names) {
    for (int64_t i = 0; i < names->count; i++) {
        char usual[32];
        snprintf(usual, sizeof usual, "LABEL_%lld", (long long)i);
        if (strcmp(names->name[i], usual) != 0) return false;
    }
    return true;
}

// An unknown name is a new class where the names are open, and else an error.
static gw_status class_of(text_reader *r, const char *text, int32_t *class) {
    const json_t *known = json_object_get(r->known, text);
    int64_t number;
    if (known) {
        *class = (int32_t)json_integer_value(known);
        return GW_OK;
    }
    if (!*text) return gw_table_fail(r->table, GW_ERR_FORMAT, "the label is empty");
    if (r->names->open) return new_class(r, text, class);
    if (are_numbers(r->names) && gw_parse_int(text, 0, r->names->count - 1, &number) == GW_OK) {
        *class = (int32_t)number;
        return GW_OK;
    }
    gw_string all = {0};
    for (int64_t i = 0; i < r->names->count && i < 12; i++)
        gw_string_printf(&all, "%s%.40s", i > 0 ? ", " : "", r->names->name[i]);
    const gw_status status =
        gw_table_fail(r->table, GW_ERR_MISMATCH, "the label \"%.60s\" is none of the %lld that the model has: %s%s",
                      text, (long long)r->names->count, all.data ? all.data : "", r->names->count > 12 ? " ..." : "");
    gw_string_free(&all);
    return status;
}

typedef struct {
    char *name;
    int32_t before;
    int64_t number;
    bool is_number;
} named_class;

static int by_name(const void *a, const void *b) {
    const named_class *x = a, *y = b;
    if (x->is_number && y->is_number) return (x->number > y->number) - (x->number < y->number);
    return strcmp(x->name, y->name);
}

static gw_status order_classes(text_reader *r) {
    gw_text_set *set = r->set;
    gw_label_names *names = r->names;
    named_class *sorted = gw_alloc(names->count + 1, sizeof *sorted);
    int32_t *class = gw_alloc(names->count + 1, sizeof *class); // [old] the new number
    const gw_status status = sorted && class ? GW_OK : GW_ERR_MEMORY;
    bool numbers = true;
    for (int64_t i = 0; status == GW_OK && i < names->count; i++) {
        sorted[i] = (named_class){.name = names->name[i], .before = (int32_t)i};
        numbers = gw_parse_int(names->name[i], INT64_MIN, INT64_MAX, &sorted[i].number) == GW_OK && numbers;
    }
    for (int64_t i = 0; status == GW_OK && i < names->count; i++) sorted[i].is_number = numbers;
    if (status == GW_OK) qsort(sorted, (size_t)names->count, sizeof *sorted, by_name);
    for (int64_t i = 0; status == GW_OK && i < names->count; i++) {
        names->name[i] = sorted[i].name;
        class[sorted[i].before] = (int32_t)i;
    }
    const int64_t labels = set->labels == GW_TEXT_WORDS ? r->rows.tokens : set->rows;
    for (int64_t i = 0; status == GW_OK && set->label && i < labels; i++)
        if (set->label[i] >= 0) set->label[i] = class[set->label[i]];
    for (int64_t i = 0; status == GW_OK && i < r->mark_count; i++) r->marks[i].class = class[r->marks[i].class];
    free(sorted);
    free(class);
    return status;
}

// --- texts of a row: one, a pair, a question with each of its answers, or a list of words ----------------------------

static gw_status add_text(text_reader *r, const char *text, const char *second) {
    gw_wrapped wrapped;
    if (!text[strspn(text, " \t\n\r")])
        return gw_table_fail(r->table, GW_ERR_FORMAT, "\"%s\" is empty", gw_table_name(r->table, r->text));
    const gw_status status = gw_encode_wrapped(r->encoder, text, (int64_t)strlen(text), second,
                                               second ? (int64_t)strlen(second) : 0, r->options->most, &wrapped);
    if (status != GW_OK) return gw_table_fail(r->table, status, "%s", gw_message());
    return gw_text_rows_add(&r->rows, &wrapped);
}

static gw_status encode_words(text_reader *r, int64_t words) {
    const char *word;
    const int32_t *tokens;
    int64_t count;
    r->list.count = 0;
    for (int64_t w = 0; w < words; w++) {
        GW_TRY(gw_table_item(r->table, r->text, w, &word));
        GW_TRY(gw_word_encode(&r->words, w == 0, word, (int64_t)strlen(word), &tokens, &count));
        GW_TRY(gw_reserve(&r->list.token, &r->list.token_capacity, r->list.count + count, sizeof *r->list.token));
        GW_TRY(gw_reserve(&r->list.word, &r->list.word_capacity, r->list.count + count, sizeof *r->list.word));
        for (int64_t i = 0; i < count; i++) {
            r->list.word[r->list.count] = i == 0 ? (int32_t)w : -1;
            r->list.token[r->list.count++] = tokens[i];
        }
    }
    return GW_OK;
}

static gw_status read_word_labels(text_reader *r, int64_t words) {
    const int64_t labels = gw_table_items(r->table, r->label[0]);
    const char *text;
    if (labels != words)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "\"%s\" has %lld labels for %lld words",
                             r->options->label.items[0], (long long)(labels < 0 ? 0 : labels), (long long)words);
    GW_TRY(gw_reserve(&r->list.label, &r->list.label_capacity, words, sizeof *r->list.label));
    for (int64_t i = 0; i < words; i++) {
        GW_TRY(gw_table_item(r->table, r->label[0], i, &text));
        GW_TRY(class_of(r, text, &r->list.label[i]));
    }
    return GW_OK;
}

static gw_status add_words(text_reader *r) {
    gw_text_set *set = r->set;
    gw_wrapped wrapped;
    const int64_t words = gw_table_items(r->table, r->text), first = r->rows.tokens;
    const bool labelled = r->options->labels == GW_TEXT_WORDS;
    if (words < 1)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "\"%s\" is not a list of words, or empty",
                             gw_table_name(r->table, r->text));
    GW_TRY(encode_words(r, words));
    if (labelled) GW_TRY(read_word_labels(r, words));
    GW_TRY(gw_wrap_tokens(r->encoder, r->list.token, r->list.count, NULL, 0, r->options->most, &wrapped));
    GW_TRY(gw_text_rows_add(&r->rows, &wrapped));
    GW_TRY(gw_reserve(&set->word, &r->word_capacity, r->rows.tokens, sizeof *set->word));
    if (labelled) GW_TRY(gw_reserve(&set->label, &r->label_capacity, r->rows.tokens, sizeof *set->label));
    for (int64_t i = 0; i < wrapped.count; i++) {
        const int64_t own = i - wrapped.begin;
        const int32_t word = own >= 0 && own < wrapped.own ? r->list.word[own] : -1;
        set->word[first + i] = word;
        if (labelled) set->label[first + i] = word < 0 ? -1 : r->list.label[word];
    }
    return GW_OK;
}

// Fields stay as they are until their own column is read again.
static gw_status add_texts(text_reader *r) {
    const gw_text_options *o = r->options;
    const char *text, *other = NULL;
    if (o->words) return add_words(r);
    GW_TRY(gw_table_text(r->table, r->text, &text));
    if (o->second) GW_TRY(gw_table_text(r->table, r->second, &other));
    GW_TRY(gw_row_words_add(&r->set->row_words, text, other));
    if (o->apart) {
        GW_TRY(add_text(r, text, NULL));
        return add_text(r, other, NULL);
    }
    if (o->choices.count == 0) return add_text(r, text, other);
    for (int c = 0; c < o->choices.count; c++) {
        GW_TRY(gw_table_text(r->table, r->choice[c], &other));
        GW_TRY(add_text(r, text, other));
    }
    return GW_OK;
}

// --- labels of a row -------------------------------------------------------------------------------------------------

static gw_status add_number(text_reader *r, int column, double least, double most) {
    const char *text;
    double number = NAN;
    gw_text_set *set = r->set;
    const int64_t at = set->rows * r->options->label.count + column;
    GW_TRY(gw_table_text(r->table, r->label[column], &text));
    const bool missing = gw_is_missing(text);
    if (!missing && gw_parse_double(text, least, most, &number) != GW_OK)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "label \"%s\": %s", r->options->label.items[column],
                             gw_message());
    GW_TRY(gw_reserve(&set->number, &r->number_capacity, at + 1, sizeof *set->number));
    set->number[at] = (float)number;
    return GW_OK;
}

static gw_status add_mark(text_reader *r, const char *name) {
    int32_t class;
    GW_TRY(class_of(r, name, &class));
    GW_TRY(gw_reserve(&r->marks, &r->mark_capacity, r->mark_count + 1, sizeof *r->marks));
    r->marks[r->mark_count++] = (class_mark){r->set->rows, class};
    return GW_OK;
}

// Names between commas; an empty field has none.
static gw_status add_names(text_reader *r, const char *text) {
    char *copy = gw_strdup(text), *rest = NULL;
    gw_status status = copy ? GW_OK : GW_ERR_MEMORY;
    for (char *name = strtok_r(copy, ",", &rest); status == GW_OK && name; name = strtok_r(NULL, ",", &rest)) {
        name += strspn(name, " ");
        size_t length = strlen(name);
        while (length > 0 && name[length - 1] == ' ') name[--length] = 0;
        status = add_mark(r, name);
    }
    free(copy);
    return status;
}

// What stands in a field as a JSON list.
static gw_status add_list(text_reader *r, const char *text) {
    json_error_t error;
    json_t *list = json_loads(text, 0, &error);
    gw_status status = GW_OK;
    if (!json_is_array(list))
        status = gw_table_fail(r->table, GW_ERR_FORMAT, "the label \"%.60s\" begins as JSON and is not a list: %s",
                               text, list ? "an object" : error.text);
    for (size_t i = 0; status == GW_OK && i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        status = name ? add_mark(r, name)
                      : gw_table_fail(r->table, GW_ERR_FORMAT, "item %zu of the labels \"%.60s\" is not a text", i + 1,
                                      text);
    }
    json_decref(list);
    return status;
}

// A list of JSON, or a text: names, or a list written out.
static gw_status add_marks(text_reader *r) {
    const int64_t items = gw_table_items(r->table, r->label[0]);
    const char *text;
    for (int64_t i = 0; i < items; i++) {
        GW_TRY(gw_table_item(r->table, r->label[0], i, &text));
        GW_TRY(add_mark(r, text));
    }
    if (items >= 0) return GW_OK;
    GW_TRY(gw_table_text(r->table, r->label[0], &text));
    const char first = text[strspn(text, " ")];
    return first == '[' || first == '{' ? add_list(r, text) : add_names(r, text);
}

static gw_status add_class(text_reader *r, bool answer) {
    const char *text;
    int32_t class = 0;
    int64_t number;
    gw_text_set *set = r->set;
    GW_TRY(gw_table_text(r->table, r->label[0], &text));
    if (answer) {
        if (gw_parse_int(text, 0, r->options->choices.count - 1, &number) != GW_OK)
            return gw_table_fail(r->table, GW_ERR_FORMAT, "the right answer is \"%.60s\", expected 0 to %d", text,
                                 r->options->choices.count - 1);
        class = (int32_t)number;
    } else {
        GW_TRY(class_of(r, text, &class));
    }
    GW_TRY(gw_reserve(&set->label, &r->label_capacity, set->rows + 1, sizeof *set->label));
    set->label[set->rows] = class;
    return GW_OK;
}

static gw_status add_labels(text_reader *r) {
    switch (r->options->labels) {
    case GW_TEXT_ONE: return add_class(r, false);
    case GW_TEXT_ANSWER: return add_class(r, true);
    case GW_TEXT_MANY:
        if (r->options->label.count == 1) return add_marks(r);
        for (int c = 0; c < r->options->label.count; c++) GW_TRY(add_number(r, c, 0, 1));
        return GW_OK;
    case GW_TEXT_NUMBERS:
        for (int c = 0; c < r->options->label.count; c++) GW_TRY(add_number(r, c, -1e30, 1e30));
        return GW_OK;
    default: return GW_OK;
    }
}

// --- sets ------------------------------------------------------------------------------------------------------------

static gw_status read_rows(text_reader *r) {
    const gw_text_options *o = r->options;
    gw_text_set *set = r->set;
    bool found = true;
    int64_t line = 0;
    GW_TRY(gw_table_column(r->table, o->text, &r->text));
    if (o->second) GW_TRY(gw_table_column(r->table, o->second, &r->second));
    for (int c = 0; c < o->choices.count; c++) GW_TRY(gw_table_column(r->table, o->choices.items[c], &r->choice[c]));
    for (int c = 0; o->labels != GW_TEXT_UNLABELLED && c < o->label.count; c++)
        GW_TRY(gw_table_column(r->table, o->label.items[c], &r->label[c]));
    for (;;) {
        GW_TRY(gw_table_next(r->table, &found));
        if (!found) return GW_OK;
        GW_TRY(add_texts(r));
        GW_TRY(add_labels(r));
        GW_TRY(gw_reserve(&set->line, &r->line_capacity, set->rows + 1, sizeof *set->line));
        set->line[set->rows++] = ++line;
        if (line % 1024 == 0) GW_TRY(gw_check_interrupt());
    }
}

// Whether labels are columns of 0 and 1, or of numbers.
static bool in_columns(const gw_text_options *o) {
    return o->labels == GW_TEXT_NUMBERS || (o->labels == GW_TEXT_MANY && o->label.count > 1);
}

static gw_status begin(text_reader *r) {
    const gw_text_options *o = r->options;
    int32_t class;
    r->label = gw_alloc(o->label.count + 1, sizeof *r->label);
    if (!r->label) return GW_ERR_MEMORY;
    GW_TRY(gw_encoder_new(r->tokenizer, &r->encoder));
    r->words = (gw_word_encoder){.tokenizer = r->tokenizer, .encoder = r->encoder};
    for (int c = 1; c < o->label.count; c++)
        for (int other = 0; other < c; other++)
            if (strcmp(o->label.items[c], o->label.items[other]) == 0)
                return gw_fail(GW_ERR_MISMATCH, "the column of labels \"%s\" is named twice", o->label.items[c]);
    r->known = json_object();
    if (!r->known) return gw_fail(GW_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; i < r->names->count; i++)
        json_object_set_new(r->known, r->names->name[i], json_integer((json_int_t)i));
    r->name_capacity = r->names->count;
    if (!in_columns(o) || !r->names->open) return GW_OK;
    for (int c = 0; c < o->label.count; c++) GW_TRY(new_class(r, o->label.items[c], &class)); // they are the names
    r->names->open = false;
    return GW_OK;
}

static gw_status read_table(text_reader *r, const char *path) {
    GW_TRY(gw_table_open(path, &r->options->table, &r->table));
    const int64_t before = r->set->rows;
    gw_status status = read_rows(r);
    if (status == GW_OK && r->set->rows == before) status = gw_fail(GW_ERR_FORMAT, "%s has no rows", path);
    gw_table_close(r->table);
    return status;
}

static gw_status finish(text_reader *r) {
    gw_text_set *set = r->set;
    if (r->names->open) GW_TRY(order_classes(r));
    set->classes = in_columns(r->options) ? r->options->label.count : r->names->count;
    if (set->labels != GW_TEXT_MANY || r->options->label.count != 1) return GW_OK;
    set->number = gw_alloc(set->rows * set->classes + 1, sizeof *set->number);
    if (!set->number) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < r->mark_count; i++) set->number[r->marks[i].row * set->classes + r->marks[i].class] = 1;
    return GW_OK;
}

gw_status gw_text_set_read(const char *const *paths, int count, const gw_tokenizer *tokenizer,
                           const gw_text_options *options, gw_label_names *names, gw_text_set *out) {
    *out = (gw_text_set){.labels = options->labels,
                         .per_row = options->apart               ? 2
                                    : options->choices.count > 0 ? options->choices.count
                                                                 : 1,
                         .row_words.most = options->most_row_words};
    text_reader r = {.set = out, .rows = {.set = out}, .options = options, .tokenizer = tokenizer, .names = names};
    if (options->choices.count > MOST_COLUMNS)
        return gw_fail(GW_ERR_RANGE, "%d columns of answers, expected at most %d", options->choices.count,
                       MOST_COLUMNS);
    if (options->apart && (!options->second || options->choices.count > 0 || options->words))
        return gw_fail(GW_ERR_USAGE, "matching texts needs two columns, --text and --text2");
    if (options->labels != GW_TEXT_UNLABELLED && options->label.count == 0)
        return gw_fail(GW_ERR_RANGE, "no column of labels is named");
    gw_status status = begin(&r);
    for (int p = 0; status == GW_OK && p < count; p++) status = read_table(&r, paths[p]);
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
