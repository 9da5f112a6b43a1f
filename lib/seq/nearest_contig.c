// SPDX-License-Identifier: MIT
// Levenshtein's distance, one row at a time.
#include "seq/nearest_contig.h"

#include "seq/aliases.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 }; // longer names are compared by their first letters

static int distance(const char *a, const char *b) {
    int row[LONGEST + 1];
    const int width = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= width; j++) row[j] = j;
    for (int i = 0; i < LONGEST && a[i]; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < width; j++) {
            const int change = diagonal + (tolower((unsigned char)a[i]) != tolower((unsigned char)b[j]));
            const int gap = 1 + (row[j] < row[j + 1] ? row[j] : row[j + 1]);
            diagonal = row[j + 1];
            row[j + 1] = change < gap ? change : gap;
        }
    }
    return row[width];
}

// Writes the Roman numeral of 1 to 49; an empty text where `digits` is no such number.
static void roman_numeral(const char *digits, char text[16]) {
    static const struct {
        int value;
        const char *letters;
    } steps[] = {{40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}};
    char *end;
    long left = strtol(digits, &end, 10);
    text[0] = 0;
    if (*end || left < 1 || left > 49) return;
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
        for (; left >= steps[s].value; left -= steps[s].value) strcat(text, steps[s].letters);
}

int gw_nearest_contig(const gw_genome *genome, const char *name) {
    const char *meant = gw_conventional_name(name);
    char roman[16];
    int best = -1, least = LONGEST + 1;
    roman_numeral(meant, roman);
    for (int c = 0; c < gw_genome_contigs(genome); c++) {
        const char *has = gw_conventional_name(gw_genome_name(genome, c));
        const size_t longer = strlen(has) > strlen(meant) ? strlen(has) : strlen(meant);
        const int found = strcmp(has, roman) == 0 ? 0 : distance(meant, has);
        if (found >= least || 2 * (size_t)found > longer) continue;
        best = c;
        least = found;
    }
    return best;
}
