// SPDX-License-Identifier: MIT
// Names are compared as conventions have them: without "chr", and numbers as Roman numerals too.
#include "seq/genome/nearest_contig.h"

#include "base/names.h"
#include "seq/genome/aliases.h"

#include <stdlib.h>
#include <string.h>

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
    int best = -1, least = GW_NEAREST_ANY;
    roman_numeral(meant, roman);
    for (int c = 0; c < gw_genome_contigs(genome); c++) {
        const char *has = gw_conventional_name(gw_genome_name(genome, c));
        const bool numeral = least > 0 && strcmp(has, roman) == 0;
        if (!numeral && !gw_is_nearer(meant, has, &least)) continue;
        if (numeral) least = 0;
        best = c;
    }
    return best;
}
