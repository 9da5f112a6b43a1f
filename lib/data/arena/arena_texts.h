// SPDX-License-Identifier: MIT
// Texts of tables, and what Long Range Arena's tasks make of them: classes of texts as they are; pairs of halves, of
// one text or of two.
#ifndef GW_DATA_ARENA_ARENA_TEXTS_H
#define GW_DATA_ARENA_ARENA_TEXTS_H

#include "base/random.h"
#include "base/string.h"

#include <stdbool.h>

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

#endif
