// SPDX-License-Identifier: MIT
// A list of names in the order of their addition, with a hash table to find them; and suggestions for misspelt names.
#ifndef GW_BASE_NAMES_H
#define GW_BASE_NAMES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Zero-initialise.
typedef struct {
    char **items;
    int64_t count, capacity;
    int64_t *slots; // [size] hash table: 1 + index of an item, 0: empty
    int64_t size;   // a power of 2
} gw_names;

// Sets *index to the index of the name. A new name is copied and added.
gw_status gw_names_add(gw_names *names, const char *name, int64_t *index) GW_MUST_CHECK;
// The index of the name; -1: the list does not have it.
int64_t gw_names_find(const gw_names *names, const char *name);
// Adds a name behind all others, even if the list has it. gw_names_find() does not find a name added so. Takes
// ownership of `name`, also after a failure. NULL fails as out of memory.
gw_status gw_names_append(gw_names *names, char *name) GW_MUST_CHECK;
// Returns the items, which the caller then owns. `names` is empty afterwards.
char **gw_names_take(gw_names *names);
void gw_names_free(gw_names *names);

// Suggestions for misspelt names. Only messages use them.

enum { GW_NEAREST_ANY = 1 << 16 }; // more than the edit distance of any two names

// The edit distance between two names, without regard to case: the fewest letters to change, add, drop or swap with
// their neighbours. Only the first 64 letters of a name count.
int gw_letters_between(const char *a, const char *b);

// Whether the distance of `name` to `meant` is below *least and at most half of the letters of the longer name. If so,
// *least becomes this distance. *least begins as GW_NEAREST_ANY.
bool gw_is_nearer(const char *meant, const char *name, int *least);

#endif
