// SPDX-License-Identifier: MIT
// The tasks of Long Range Arena (Tay et al., 2020): long inputs of symbols, bytes or pixels with one class each, as
// tables for fine-tuning. Generated examples are a function of (seed, split, example).
#ifndef GW_DATA_ARENA_ARENA_H
#define GW_DATA_ARENA_ARENA_H

#include "base/random.h"
#include "base/string.h"
#include "data/arena/pictures.h"

#include <stdbool.h>

// Texts of tables, and the examples that the tasks make from them: texts with classes, unchanged; or pairs of halves,
// from one text or from two.
typedef struct {
    char *text, *label; // label NULL: not needed for pairs
} gw_arena_text;

// The texts of all training tables, and of a test table. Zero-initialise; free.
typedef struct {
    gw_arena_text *train, *test;
    int64_t trains, tests, train_capacity, test_capacity;
    int64_t valids; // number of training texts for validation, drawn by the seed
    uint64_t seed;
} gw_arena_texts;

typedef struct {
    gw_string_list data;
    const char *test;         // NULL: none
    const char *text, *label; // column names, or alternatives; label NULL: not read
} gw_arena_tables;

// Reads the tables. Tabs and line ends become blanks. A tenth of the training texts is for validation; without a test
// table another tenth is for testing.
gw_status gw_arena_texts_read(const gw_arena_tables *tables, uint64_t seed, gw_arena_texts *out) GW_MUST_CHECK;
void gw_arena_texts_free(gw_arena_texts *texts);

typedef enum { GW_ARENA_TRAIN, GW_ARENA_VALID, GW_ARENA_TEST, GW_ARENA_SPLITS } gw_arena_split;
extern const char *const gw_arena_split_names[GW_ARENA_SPLITS]; // "train" ...

// The source of examples.
typedef struct {
    uint64_t seed;
    int dashes;            // of pathfinder's long paths, GW_PATH_LEAST to GW_PATH_MOST
    gw_arena_texts texts;  // for tasks on texts
    const char *cifar;     // a folder; NULL: shapes are drawn
    gw_cifar_files images; // of this folder
} gw_arena_source;

// An example: fields of the table. Only pairs have `second`.
typedef struct {
    gw_string text, second, label;
} gw_arena_example;

typedef struct gw_arena_task {
    const char *name, *help;
    int64_t length;                    // tokens of the longest example
    int64_t examples[GW_ARENA_SPLITS]; // published numbers; for texts 0: as many as there are
    const char *symbols;               // symbols of examples, between blanks; NULL: 0 to 255, or bytes for texts
    bool texts, pairs, images, paths;  // reads tables of texts; two texts each; can read CIFAR-10; has dashes
    // Makes example i of a split; `random` is drawn only for this example.
    gw_status (*make)(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                      gw_arena_example *out);
} gw_arena_task;

// GW_ARENA_TASKS: the names of the tasks, for options.
#define GW_ARENA_TASKS "listops|text|retrieval|image|pathfinder"
const gw_arena_task *gw_arena_task_of(const char *name); // NULL: there is none

typedef struct {
    int64_t examples[GW_ARENA_SPLITS]; // of each split; 0: the task's number
    const char *folder;                // must exist
} gw_arena_options;

// Writes train, valid and test (.tsv.gz: text, text2 of pairs, label), tokenizer.json, and config.json with the model
// of the benchmark's baselines.
gw_status gw_arena_write(const gw_arena_task *task, gw_arena_source *source,
                         const gw_arena_options *options) GW_MUST_CHECK;

// Functions that make examples.
gw_status gw_listops_make(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                          gw_arena_example *out) GW_MUST_CHECK;
gw_status gw_pathfinder_make(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                             gw_arena_example *out) GW_MUST_CHECK;
gw_status gw_shapes_make(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                         gw_arena_example *out) GW_MUST_CHECK;

#endif
