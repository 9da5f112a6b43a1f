// SPDX-License-Identifier: MIT
// Five bases and ALT as one number, digit by digit, and back.
#include "score/context.h"

#include <ctype.h>
#include <string.h>

enum { BASES = 5, MIDDLE = 2 };
static const char letters[] = "ACGT"; // of which 3 - i complements i

static int code_of(char base) {
    const char *at = strchr(letters, toupper((unsigned char)base));
    return at && *at ? (int)(at - letters) : -1;
}

static int32_t number_of(const int code[BASES], int alt) {
    int32_t number = 0;
    for (int i = 0; i < BASES; i++) number = number * (i == MIDDLE ? 2 : 4) + code[i];
    return 3 * number + alt - (alt > code[MIDDLE]);
}

gw_status gw_context_of(gw_genome *genome, const gw_variant *v, int32_t *context) {
    *context = -1;
    const int64_t begin = v->position - MIDDLE;
    if (!v->ref || v->ref_length != 1 || v->alt_length != 1 || v->contig < 0 || begin < 0 ||
        begin + BASES > gw_genome_length(genome, v->contig))
        return GW_OK;
    char bases[BASES];
    int code[BASES], alt = code_of(v->alt[0]);
    GW_TRY(gw_genome_fetch(genome, v->contig, begin, begin + BASES, bases));
    bases[MIDDLE] = v->ref[0];
    for (int i = 0; i < BASES; i++)
        if ((code[i] = code_of(bases[i])) < 0) return GW_OK;
    if (alt < 0 || alt == code[MIDDLE]) return GW_OK;
    if (code[MIDDLE] >= 2) {
        int turned[BASES];
        for (int i = 0; i < BASES; i++) turned[i] = 3 - code[BASES - 1 - i];
        memcpy(code, turned, sizeof code);
        alt = 3 - alt;
    }
    *context = number_of(code, alt);
    return GW_OK;
}

void gw_context_name(int32_t context, char name[GW_CONTEXT_NAME]) {
    const int rank = context % 3;
    int32_t number = context / 3;
    int code[BASES];
    for (int i = BASES - 1; i >= 0; i--) {
        const int choices = i == MIDDLE ? 2 : 4;
        code[i] = number % choices;
        number /= choices;
    }
    for (int i = 0; i < BASES; i++) name[i] = letters[code[i]];
    name[BASES] = '>';
    name[BASES + 1] = letters[rank + (rank >= code[MIDDLE])];
    name[BASES + 2] = 0;
}
