// SPDX-License-Identifier: MIT
// Names in the order in which they came first, found by their letters; and the name that somebody may have meant.
#ifndef GW_BASE_NAMES_H
#define GW_BASE_NAMES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Zero-initialise.
typedef struct {
    char **items;
    int64_t count, capacity;
    int64_t *slots; // [size] of a table: 1 + an item, 0: none
    int64_t size;   // a power of 2
} gw_names;

// The index of a name, of which a copy is added where it is new.
gw_status gw_names_add(gw_names *names, const char *name, int64_t *index) GW_MUST_CHECK;
// -1: there is none.
int64_t gw_names_find(const gw_names *names, const char *name);
// Adds a name behind all others, whether it is there or not; it is not found by its letters. Takes it over, also on
// failure; NULL: memory is out.
gw_status gw_names_append(gw_names *names, char *name) GW_MUST_CHECK;
// The items, which are the caller's from then on; `names` is empty.
char **gw_names_take(gw_names *names);
void gw_names_free(gw_names *names);

// The name that somebody may have meant by another one. For messages: nothing is read by it.

enum { GW_NEAREST_ANY = 1 << 16 }; // more letters than any two names differ by

// The fewest letters to change, add, drop or swap with their neighbours between two names, in any case; of longer names
// the first 64 letters count.
int gw_letters_between(const char *a, const char *b);

// Whether `name` is nearer to `meant` than *least letters, with at most half of the letters of the longer one between
// them; then these are put into *least, which begins as GW_NEAREST_ANY.
bool gw_is_nearer(const char *meant, const char *name, int *least);

#endif
