// SPDX-License-Identifier: MIT
// Tokens of a row: a text, a pair, a question with each of its answers, or a list of words with a label each.
#include "base/memory.h"
#include "language/text_reader.h"

#include <string.h>

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

static gw_status add_text(gw_text_reader *r, const char *text, const char *second) {
    gw_wrapped wrapped;
    if (!text[strspn(text, " \t\n\r")])
        return gw_table_fail(r->table, GW_ERR_FORMAT, "\"%s\" is empty", gw_table_name(r->table, r->text));
    const gw_status status = gw_encode_wrapped(r->encoder, text, (int64_t)strlen(text), second,
                                               second ? (int64_t)strlen(second) : 0, r->options->most, &wrapped);
    if (status != GW_OK) return gw_table_fail(r->table, status, "%s", gw_message());
    return gw_text_rows_add(&r->rows, &wrapped);
}

static gw_status encode_word(gw_text_reader *r, int64_t item, const char *word) {
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_word_encode(&r->words, item == 0, word, (int64_t)strlen(word), &tokens, &count));
    GW_TRY(gw_reserve(&r->list.token, &r->list.token_capacity, r->list.count + count, sizeof *r->list.token));
    GW_TRY(gw_reserve(&r->list.word, &r->list.word_capacity, r->list.count + count, sizeof *r->list.word));
    for (int64_t i = 0; i < count; i++) {
        r->list.word[r->list.count] = i == 0 ? (int32_t)item : -1;
        r->list.token[r->list.count++] = tokens[i];
    }
    return GW_OK;
}

static gw_status encode_words(gw_text_reader *r, int64_t words) {
    const char *word;
    r->list.count = 0;
    for (int64_t i = 0; i < words; i++) {
        GW_TRY(gw_table_item(r->table, r->text, i, &word));
        GW_TRY(encode_word(r, i, word));
    }
    return GW_OK;
}

static gw_status read_word_labels(gw_text_reader *r, int64_t words) {
    const int64_t labels = gw_table_items(r->table, r->label[0]);
    const char *text;
    if (labels != words)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "\"%s\" has %lld labels for %lld words",
                             r->options->label.items[0], (long long)(labels < 0 ? 0 : labels), (long long)words);
    GW_TRY(gw_reserve(&r->list.label, &r->list.label_capacity, words, sizeof *r->list.label));
    for (int64_t i = 0; i < words; i++) {
        GW_TRY(gw_table_item(r->table, r->label[0], i, &text));
        GW_TRY(gw_text_class_of(r, text, &r->list.label[i]));
    }
    return GW_OK;
}

static gw_status add_words(gw_text_reader *r) {
    gw_text_set *set = r->set;
    gw_wrapped wrapped;
    const int64_t words = gw_table_items(r->table, r->text), first = r->rows.tokens;
    const bool labelled = r->options->labels == GW_TEXT_WORDS;
    if (words < 1)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "\"%s\" is no list of words, or empty",
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
gw_status gw_text_add_texts(gw_text_reader *r) {
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
