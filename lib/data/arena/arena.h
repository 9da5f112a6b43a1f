// SPDX-License-Identifier: MIT
// The tasks of Long Range Arena (Tay et al., 2020): long inputs of symbols, bytes or pixels, one class each, as the
// tables that fine-tuning reads. What is generated is a function of (seed, split, example) alone.
#ifndef GW_DATA_ARENA_ARENA_H
#define GW_DATA_ARENA_ARENA_H

#include "base/random.h"
#include "base/string.h"
#include "data/arena/pictures.h"

#include <stdbool.h>

// Texts of tables, and what Long Range Arena's tasks make of them: classes of texts as they are; pairs of halves, of
// one text or of two.
typedef struct {
    char *text, *label; // label NULL: pairs need none
} gw_arena_text;

// Those of all training tables, and of a table for testing. Zero-initialise, and free.
typedef struct {
    gw_arena_text *train, *test;
    int64_t trains, tests, train_capacity, test_capacity;
    int64_t valids; // of the training texts, drawn by the seed, validate
    uint64_t seed;
} gw_arena_texts;

typedef struct {
    gw_string_list data;
    const char *test;         // NULL: none
    const char *text, *label; // columns, or several names for one; label NULL: none is read
} gw_arena_tables;

// Tabs and line ends become blanks. Of the training texts a tenth validates; without a table for testing another tenth
// tests.
gw_status gw_arena_texts_read(const gw_arena_tables *tables, uint64_t seed, gw_arena_texts *out) GW_MUST_CHECK;
void gw_arena_texts_free(gw_arena_texts *texts);

typedef enum { GW_ARENA_TRAIN, GW_ARENA_VALID, GW_ARENA_TEST, GW_ARENA_SPLITS } gw_arena_split;
extern const char *const gw_arena_split_names[GW_ARENA_SPLITS]; // "train" ...

// Where examples come from.
typedef struct {
    uint64_t seed;
    int dashes;            // of pathfinder's long paths, GW_PATH_LEAST to GW_PATH_MOST
    gw_arena_texts texts;  // of tasks on texts
    const char *cifar;     // a folder; NULL: shapes are drawn
    gw_cifar_files images; // that it holds
} gw_arena_source;

// An example: fields of the table, `second` of pairs alone.
typedef struct {
    gw_string text, second, label;
} gw_arena_example;

typedef struct gw_arena_task {
    const char *name, *help;
    int64_t length;                    // tokens of the longest example
    int64_t examples[GW_ARENA_SPLITS]; // published ones, or of texts 0: as many as there are
    const char *symbols;               // that examples are made of, between blanks; NULL: 0 to 255, or of texts bytes
    bool texts, pairs, images, paths;  // reads tables of texts; two of them each; may be read from CIFAR-10; has dashes
    // Example i of a split; `random` is its own.
    gw_status (*make)(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                      gw_arena_example *out);
} gw_arena_task;

// GW_ARENA_TASKS lists their names for options.
#define GW_ARENA_TASKS "listops|text|retrieval|image|pathfinder"
const gw_arena_task *gw_arena_task_of(const char *name); // NULL: there is none

typedef struct {
    int64_t examples[GW_ARENA_SPLITS]; // of each split; 0: the task's own
    const char *folder;                // that exists
} gw_arena_options;

// Writes train, valid and test (.tsv.gz: text, text2 of pairs, label), tokenizer.json and config.json: the model that
// the benchmark's baselines share.
gw_status gw_arena_write(const gw_arena_task *task, gw_arena_source *source,
                         const gw_arena_options *options) GW_MUST_CHECK;

// How rows are made.
gw_status gw_listops_make(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                          gw_arena_example *out) GW_MUST_CHECK;
gw_status gw_pathfinder_make(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                             gw_arena_example *out) GW_MUST_CHECK;
gw_status gw_shapes_make(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                         gw_arena_example *out) GW_MUST_CHECK;

#endif
