// SPDX-License-Identifier: MIT
// Names in the order of their addition, in a hash table; and the edit distance of two names.
#include "base/names.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The slot of a name: its own, or the free one where it belongs.
static int64_t *slot_of(const gw_names *names, const char *name) {
    int64_t at = (int64_t)(gw_hash_bytes(GW_HASH_START, name, (int64_t)strlen(name)) & (uint64_t)(names->size - 1));
    while (names->slots[at] && strcmp(names->items[names->slots[at] - 1], name) != 0) at = (at + 1) & (names->size - 1);
    return &names->slots[at];
}

static gw_status grow(gw_names *names) {
    const int64_t size = names->size ? 2 * names->size : 1024;
    int64_t *slots = gw_alloc(size, sizeof *slots);
    if (!slots) return GW_ERR_MEMORY;
    free(names->slots);
    names->slots = slots;
    names->size = size;
    for (int64_t i = 0; i < names->count; i++) *slot_of(names, names->items[i]) = i + 1;
    return GW_OK;
}

int64_t gw_names_find(const gw_names *names, const char *name) {
    return names->size > 0 ? *slot_of(names, name) - 1 : -1;
}

gw_status gw_names_append(gw_names *names, char *name) {
    if (!name) return GW_ERR_MEMORY;
    const gw_status status = gw_reserve(&names->items, &names->capacity, names->count + 1, sizeof *names->items);
    if (status == GW_OK) names->items[names->count++] = name;
    else free(name);
    return status;
}

gw_status gw_names_add(gw_names *names, const char *name, int64_t *index) {
    if (2 * (names->count + 1) > names->size) GW_TRY(grow(names));
    int64_t *slot = slot_of(names, name);
    if (*slot == 0) {
        GW_TRY(gw_names_append(names, gw_strdup(name)));
        *slot = names->count;
    }
    *index = *slot - 1;
    return GW_OK;
}

char **gw_names_take(gw_names *names) {
    char **items = names->items;
    free(names->slots);
    *names = (gw_names){0};
    return items;
}

void gw_names_free(gw_names *names) {
    for (int64_t i = 0; i < names->count; i++) free(names->items[i]);
    free(names->items);
    free(names->slots);
    *names = (gw_names){0};
}

// --- how near names are: Levenshtein's distance with swaps of neighbours (optimal string alignment), row by row ----

enum { LONGEST = 64 };

static bool same(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

int gw_letters_between(const char *a, const char *b) {
    int rows[3][LONGEST + 1]; // of the letters of `a` up to this one, the one before and the one before that
    int *row = rows[0], *last = rows[1], *before = rows[2];
    const int width = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= width; j++) row[j] = j;
    for (int i = 0; i < LONGEST && a[i]; i++) {
        int *const free = before;
        before = last, last = row, row = free;
        row[0] = i + 1;
        for (int j = 0; j < width; j++) {
            row[j + 1] = (int)gw_min(last[j] + !same(a[i], b[j]), 1 + gw_min(row[j], last[j + 1]));
            if (i > 0 && j > 0 && same(a[i], b[j - 1]) && same(a[i - 1], b[j]))
                row[j + 1] = (int)gw_min(row[j + 1], before[j - 1] + 1);
        }
    }
    return row[width];
}

bool gw_is_nearer(const char *meant, const char *name, int *least) {
    const size_t letters = strlen(meant), other = strlen(name), longer = letters > other ? letters : other;
    const int between = gw_letters_between(meant, name);
    if (between >= *least || 2 * (size_t)between > longer) return false;
    *least = between;
    return true;
}
