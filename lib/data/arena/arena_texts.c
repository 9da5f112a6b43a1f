// SPDX-License-Identifier: MIT
// Reads whole tables: the splits are drawn among all of their rows.
#include "data/arena/arena_texts.h"

#include "base/memory.h"
#include "data/arena/arena.h"
#include "data/shuffle.h"
#include "file/table.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE = 10 };        // one of so many texts validates
enum { MOST_BYTES = 4000 }; // of a text of a pair, as the published documents

static char *plain(const char *text) {
    char *copy = gw_strdup(text);
    for (char *c = copy; c && *c; c++)
        if (*c == '\t' || *c == '\n' || *c == '\r') *c = ' ';
    return copy;
}

static gw_status read_row(gw_table *table, int text, int label, gw_arena_text *out) {
    const char *field;
    *out = (gw_arena_text){0};
    GW_TRY(gw_table_text(table, text, &field));
    if (!*field) return gw_table_fail(table, GW_ERR_FORMAT, "the text is empty");
    out->text = plain(field);
    if (!out->text) return GW_ERR_MEMORY;
    if (label < 0) return GW_OK;
    GW_TRY(gw_table_text(table, label, &field));
    if (!*field) return gw_table_fail(table, GW_ERR_FORMAT, "the label is empty");
    out->label = plain(field);
    return out->label ? GW_OK : GW_ERR_MEMORY;
}

static gw_status read_table(const char *path, const gw_arena_tables *columns, gw_arena_text **texts, int64_t *count,
                            int64_t *capacity) {
    gw_table *table;
    int text, label = -1;
    bool found = true;
    GW_TRY(gw_table_open(path, &(gw_table_options){0}, &table));
    gw_status status = gw_table_column(table, columns->text, &text);
    if (status == GW_OK && columns->label) status = gw_table_column(table, columns->label, &label);
    while (status == GW_OK && (status = gw_table_next(table, &found)) == GW_OK && found) {
        status = gw_reserve(texts, capacity, *count + 1, sizeof **texts);
        if (status == GW_OK) status = read_row(table, text, label, &(*texts)[(*count)++]);
    }
    gw_table_close(table);
    return status;
}

gw_status gw_arena_texts_read(const gw_arena_tables *tables, uint64_t seed, gw_arena_texts *out) {
    out->seed = seed;
    for (int t = 0; t < tables->data.count; t++)
        GW_TRY(read_table(tables->data.items[t], tables, &out->train, &out->trains, &out->train_capacity));
    if (tables->test) GW_TRY(read_table(tables->test, tables, &out->test, &out->tests, &out->test_capacity));
    out->valids = out->trains / SHARE;
    if (out->valids > 0 && (out->tests > 0 || !tables->test)) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: %lld texts, expected %d or more", tables->data.items[0], (long long)out->trains,
                   SHARE);
}

static void free_texts(gw_arena_text *texts, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        free(texts[i].text);
        free(texts[i].label);
    }
    free(texts);
}

void gw_arena_texts_free(gw_arena_texts *texts) {
    free_texts(texts->train, texts->trains);
    free_texts(texts->test, texts->tests);
    *texts = (gw_arena_texts){0};
}

static int64_t texts_of(const gw_arena_texts *t, gw_arena_split split) {
    const int64_t drawn = t->test ? 0 : t->valids;
    switch (split) {
    case GW_ARENA_TRAIN: return t->trains - t->valids - drawn;
    case GW_ARENA_VALID: return t->valids;
    default: return t->test ? t->tests : t->valids;
    }
}

// Text i of a split, in the order that the seed draws: those that validate first, then those that test, where these are
// of the same tables.
static const gw_arena_text *text_of(const gw_arena_texts *t, gw_arena_split split, int64_t i) {
    if (split == GW_ARENA_TEST && t->test) return &t->test[i];
    const int64_t before = split == GW_ARENA_VALID  ? 0
                           : split == GW_ARENA_TEST ? t->valids
                                                    : t->trains - texts_of(t, split);
    return &t->train[gw_shuffle(t->seed, 0, t->trains, before + i)];
}

int64_t gw_arena_count_texts(const gw_arena_source *source, gw_arena_split split) {
    return texts_of(&source->texts, split);
}

gw_status gw_arena_classify(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                            gw_arena_example *out) {
    const gw_arena_text *text = text_of(&source->texts, split, i);
    (void)random;
    gw_string_puts(&out->text, text->text);
    gw_string_puts(&out->label, text->label);
    return GW_OK;
}

// --- pairs ---------------------------------------------------------------------------------------------------------

// The end of the UTF-8 character that a byte at or before `at` begins, or `at`.
static int64_t whole(const char *text, int64_t at) {
    while (at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80) at--;
    return at;
}

static void put_half(const char *text, bool second, gw_string *out) {
    const int64_t length = (int64_t)strlen(text), middle = whole(text, length / 2);
    const char *half = text + (second ? middle : 0);
    const int64_t bytes = second ? length - middle : middle;
    gw_string_append(out, half, bytes > MOST_BYTES ? whole(half, MOST_BYTES) : bytes);
}

gw_status gw_arena_match(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                         gw_arena_example *out) {
    const gw_arena_texts *texts = &source->texts;
    const int64_t count = texts_of(texts, split), others = count - 1;
    const bool same = others == 0 || gw_random_below(random, 2) == 1;
    const int64_t other = same ? i : (i + 1 + (int64_t)gw_random_below(random, (uint64_t)others)) % count;
    put_half(text_of(texts, split, i)->text, false, &out->text);
    put_half(text_of(texts, split, other)->text, true, &out->second);
    gw_string_puts(&out->label, same ? "1" : "0");
    return GW_OK;
}
