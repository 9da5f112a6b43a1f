// SPDX-License-Identifier: MIT
// Levenshtein's distance with swaps of neighbours (optimal string alignment), row by row.
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 64 };

static int smaller(int a, int b) {
    return a < b ? a : b;
}

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
            row[j + 1] = smaller(last[j] + !same(a[i], b[j]), 1 + smaller(row[j], last[j + 1]));
            if (i > 0 && j > 0 && same(a[i], b[j - 1]) && same(a[i - 1], b[j]))
                row[j + 1] = smaller(row[j + 1], before[j - 1] + 1);
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
