// SPDX-License-Identifier: MIT
// Examples of the tasks on texts, and the files in the folder of any task.
#include "data/arena/arena.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "data/arena/listops.h"
#include "data/shuffle.h"
#include "file/lines.h"
#include "file/table.h"
#include "text/tokenizer.h"

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

static gw_status classify(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
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

static gw_status match_halves(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
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

// The table of tasks, and what a task's folder holds.

const char *const gw_arena_split_names[] = {"train", "valid", "test"};

static const gw_arena_task tasks[] = {
    {"listops", "nested lists of digits under minimum, maximum, median and sum modulo 10", 2000,
     .examples = {96000, 2000, 2000}, .symbols = GW_LIST_SYMBOLS, .make = gw_listops_make},
    {"text", "classes of texts, read byte by byte", 4096, .texts = true, .make = classify},
    {"retrieval", "whether two texts are halves of one, read byte by byte", 4000, .texts = true, .pairs = true,
     .make = match_halves},
    {"image", "classes of grey pictures of 1,024 pixels", 1024, .examples = {45000, 5000, 10000}, .images = true,
     .make = gw_shapes_make},
    {"pathfinder", "whether two marks stand at the ends of one dashed path, in 1,024 pixels", 1024,
     .examples = {160000, 20000, 20000}, .paths = true, .make = gw_pathfinder_make},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

const gw_arena_task *gw_arena_task_of(const char *name) {
    for (int t = 0; t < TASKS; t++)
        if (strcmp(tasks[t].name, name) == 0) return &tasks[t];
    return NULL;
}

// --- tables --------------------------------------------------------------------------------------------------------

static gw_status write_rows(const gw_arena_task *task, gw_arena_source *source, gw_arena_split split, int64_t count,
                            gw_text_writer *writer) {
    gw_arena_example example = {0};
    gw_status status = gw_writer_printf(writer, "text%s\tlabel\n", task->pairs ? "\ttext2" : "");
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        gw_random random = gw_random_at(source->seed, GW_SITE_ARENA, (uint64_t)i,
                                        (uint32_t)((task - tasks) * GW_ARENA_SPLITS + split));
        gw_string_clear(&example.text);
        gw_string_clear(&example.second);
        gw_string_clear(&example.label);
        status = gw_check_interrupt();
        if (status == GW_OK) status = task->make(source, split, i, &random, &example);
        if (status == GW_OK) status = gw_string_status(&example.text);
        if (status == GW_OK) status = gw_string_status(&example.second);
        if (status == GW_OK) status = gw_string_status(&example.label);
        if (status == GW_OK)
            status = gw_writer_printf(writer, "%s%s%s\t%s\n", example.text.data, task->pairs ? "\t" : "",
                                      task->pairs ? example.second.data : "", example.label.data);
        gw_progress(gw_arena_split_names[split], i + 1, count, "examples", NULL);
    }
    gw_string_free(&example.text);
    gw_string_free(&example.second);
    gw_string_free(&example.label);
    return status;
}

static gw_status write_table(const gw_arena_task *task, gw_arena_source *source, gw_arena_split split, int64_t count,
                             const char *folder) {
    char name[32];
    gw_text_writer *writer;
    snprintf(name, sizeof name, "%s.tsv.gz", gw_arena_split_names[split]);
    char *path = gw_join_path(folder, name);
    gw_status status = path ? gw_writer_open(path, &writer) : GW_ERR_MEMORY;
    free(path);
    if (status != GW_OK) return status;
    return gw_writers_close(write_rows(task, source, split, count, writer), writer, NULL);
}

// --- tokenizer and model -------------------------------------------------------------------------------------------

static gw_status write_text(const char *folder, const char *name, gw_string *text) {
    char *path = gw_join_path(folder, name);
    gw_status status = path ? gw_string_status(text) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_write_file(path, text->data, text->length);
    free(path);
    return status;
}

static void put_symbol(gw_string *json, int *id, const char *symbol, size_t length) {
    gw_string_printf(json, "%s\"%.*s\": %d", *id > 0 ? ", " : "", (int)length, symbol, *id);
    ++*id;
}

// Symbols that stand between blanks, [PAD] and [UNK] before them; returns how many there are.
static int put_vocabulary(const gw_arena_task *task, gw_string *json) {
    int id = 0;
    put_symbol(json, &id, "[PAD]", 5);
    put_symbol(json, &id, "[UNK]", 5);
    for (const char *s = task->symbols; s && *s; s += strspn(s, " ")) {
        const size_t length = strcspn(s, " ");
        put_symbol(json, &id, s, length);
        s += length;
    }
    for (int grey = 0; !task->symbols && grey < 256; grey++) {
        char number[8];
        const int length = snprintf(number, sizeof number, "%d", grey);
        put_symbol(json, &id, number, (size_t)length);
    }
    return id;
}

static gw_status write_symbols(const gw_arena_task *task, const char *folder, int *size) {
    gw_string json = {0};
    gw_string_puts(&json, "{\"version\": \"1.0\", \"truncation\": null, \"padding\": null, \"added_tokens\": [");
    for (int id = 0; id < 2; id++)
        gw_string_printf(&json,
                         "%s{\"id\": %d, \"content\": \"%s\", \"single_word\": false, \"lstrip\": false, \"rstrip\": "
                         "false, \"normalized\": false, \"special\": true}",
                         id > 0 ? ", " : "", id, id > 0 ? "[UNK]" : "[PAD]");
    gw_string_puts(&json, "], \"normalizer\": null, \"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"}, "
                          "\"post_processor\": null, \"decoder\": null, \"model\": {\"type\": \"WordPiece\", "
                          "\"unk_token\": \"[UNK]\", \"continuing_subword_prefix\": \"##\", "
                          "\"max_input_chars_per_word\": 100, \"vocab\": {");
    *size = put_vocabulary(task, &json);
    gw_string_puts(&json, "}}}\n");
    const gw_status status = write_text(folder, "tokenizer.json", &json);
    gw_string_free(&json);
    return status;
}

// The bytes without merges: what is learnt from a letter, as there is no pair.
static gw_status write_bytes(const char *folder, int *size) {
    gw_bpe_trainer *trainer;
    gw_tokenizer *tokenizer = NULL;
    GW_TRY(gw_bpe_trainer_new_bytes(&trainer));
    gw_status status = gw_bpe_trainer_add(trainer, "a", 1);
    if (status == GW_OK) status = gw_bpe_trainer_run(trainer, GW_BYTE_VOCABULARY, &tokenizer);
    gw_bpe_trainer_free(trainer);
    char *path = status == GW_OK ? gw_join_path(folder, "tokenizer.json") : NULL;
    if (status == GW_OK) status = path ? gw_tokenizer_save(tokenizer, path) : GW_ERR_MEMORY;
    if (status == GW_OK) *size = gw_tokenizer_size(tokenizer);
    free(path);
    gw_tokenizer_free(tokenizer);
    return status;
}

// Two layers of two heads, 64 wide, with norms before the sublayers and one at the end; what stands for an input is the
// mean of all of its own positions.
static gw_status write_config(const gw_arena_task *task, int vocabulary, const char *folder) {
    const int64_t specials = task->texts ? 2 : 0;
    gw_string json = {0};
    gw_string_printf(&json,
                     "{\"model_type\": \"bert\", \"architectures\": [\"BertFor%s\"],\n"
                     " \"vocab_size\": %d, \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 2,\n"
                     " \"intermediate_size\": 128, \"max_position_embeddings\": %lld, \"type_vocab_size\": 1,\n"
                     " \"hidden_act\": \"gelu\", \"classifier_activation\": \"relu\", \"layer_norm_eps\": 1e-05,\n"
                     " \"hidden_dropout_prob\": 0.1, \"attention_probs_dropout_prob\": 0.0,\n"
                     " \"pre_layer_norm\": true, \"last_layer_norm\": true, \"godwit\": {\"pooling\": \"mean\"}}\n",
                     task->pairs ? "TextMatching" : "SequenceClassification", vocabulary,
                     (long long)(task->length + specials));
    const gw_status status = write_text(folder, "config.json", &json);
    gw_string_free(&json);
    return status;
}

gw_status gw_arena_write(const gw_arena_task *task, gw_arena_source *source, const gw_arena_options *options) {
    int vocabulary = 0;
    int64_t count[GW_ARENA_SPLITS];
    for (int s = 0; s < GW_ARENA_SPLITS; s++) {
        const int64_t asked = options->examples[s];
        const int64_t there = task->texts ? texts_of(&source->texts, (gw_arena_split)s) : task->examples[s];
        count[s] = asked > 0 ? asked : there;
        if (task->texts && asked > there)
            return gw_fail(GW_ERR_RANGE, "%lld examples to %s: the tables have only %lld of them", (long long)asked,
                           gw_arena_split_names[s], (long long)there);
    }
    for (int s = 0; s < GW_ARENA_SPLITS; s++)
        GW_TRY(write_table(task, source, (gw_arena_split)s, count[s], options->folder));
    GW_TRY(task->texts ? write_bytes(options->folder, &vocabulary) : write_symbols(task, options->folder, &vocabulary));
    return write_config(task, vocabulary, options->folder);
}
