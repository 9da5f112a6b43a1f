// SPDX-License-Identifier: MIT
// The name that somebody may have meant by another one. For messages: nothing is read by it.
#ifndef GW_BASE_NEAREST_H
#define GW_BASE_NEAREST_H

#include <stdbool.h>

enum { GW_NEAREST_ANY = 1 << 16 }; // more letters than any two names differ by

// The fewest letters to change, add, drop or swap with their neighbours between two names, in any case; of longer names
// the first 64 letters count.
int gw_letters_between(const char *a, const char *b);

// Whether `name` is nearer to `meant` than *least letters, with at most half of the letters of the longer one between
// them; then these are put into *least, which begins as GW_NEAREST_ANY.
bool gw_is_nearer(const char *meant, const char *name, int *least);

#endif
