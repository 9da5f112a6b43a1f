// SPDX-License-Identifier: MIT
// Changes are put in from the first base on; what lies between two of them stays.
#include "score/construct_change.h"

#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/genome/genome.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t begin; // 0-based
    char *ref, *alt;
} change;

enum { MOST_CHANGES = 1000 };

static bool is_word(const char *text) {
    for (const char *c = text; *c; c++)
        if (!isalpha((unsigned char)*c)) return false;
    return *text != '\0';
}

static gw_status parse(char *text, change *out) {
    char *fields[4];
    int64_t position = 0;
    if (gw_split(text, ':', fields, 4) != 3 || gw_parse_int(fields[0], 1, INT64_MAX, &position) != GW_OK ||
        !is_word(fields[1]) || !is_word(fields[2]))
        return gw_fail(GW_ERR_FORMAT, "a change is POS:REF:ALT, POS from 1 on and a base or more of REF and ALT");
    *out = (change){position - 1, fields[1], fields[2]};
    gw_normalise_bases(out->ref, (int64_t)strlen(out->ref));
    gw_normalise_bases(out->alt, (int64_t)strlen(out->alt));
    return GW_OK;
}

static int by_begin(const void *a, const void *b) {
    const change *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static gw_allele_status judge(const char *sequence, int64_t length, const change *c) {
    const int64_t bases = (int64_t)strlen(c->ref);
    if (strchr(c->ref, 'N') || strchr(c->alt, 'N')) return GW_ALLELE_AMBIGUOUS;
    if (c->begin > length || bases > length - c->begin || memcmp(sequence + c->begin, c->ref, (size_t)bases) != 0)
        return GW_ALLELE_REFMISMATCH;
    return GW_ALLELE_PASS;
}

static gw_status apply(const char *sequence, int64_t length, const change *changes, int count, gw_string *changed,
                       gw_allele_status *status) {
    int64_t at = 0;
    for (int i = 0; i < count; i++) {
        *status = judge(sequence, length, &changes[i]);
        if (*status != GW_ALLELE_PASS) return GW_OK;
        if (changes[i].begin < at)
            return gw_fail(GW_ERR_FORMAT, "the change at base %lld overlaps the one before",
                           (long long)changes[i].begin + 1);
        gw_string_append(changed, sequence + at, changes[i].begin - at);
        gw_string_puts(changed, changes[i].alt);
        at = changes[i].begin + (int64_t)strlen(changes[i].ref);
    }
    gw_string_append(changed, sequence + at, length - at);
    return gw_string_status(changed);
}

// Splits `text`, in place.
static gw_status read_changes(char *text, change *changes, int *count) {
    char *fields[MOST_CHANGES + 1];
    *count = gw_split(text, ',', fields, MOST_CHANGES + 1);
    if (*count > MOST_CHANGES) return gw_fail(GW_ERR_RANGE, "more than %d changes", MOST_CHANGES);
    for (int i = 0; i < *count; i++) GW_TRY(parse(fields[i], &changes[i]));
    qsort(changes, (size_t)*count, sizeof *changes, by_begin);
    return GW_OK;
}

gw_status gw_construct_change(const char *sequence, int64_t length, const char *text, gw_string *changed,
                              gw_allele_status *status) {
    *status = GW_ALLELE_NOALT;
    if (!*text || strcmp(text, ".") == 0) {
        gw_string_append(changed, sequence, length);
        return gw_string_status(changed);
    }
    int count = 0;
    char *copy = gw_strdup(text);
    change *changes = gw_alloc(MOST_CHANGES + 1, sizeof *changes);
    gw_status result = copy && changes ? read_changes(copy, changes, &count) : GW_ERR_MEMORY;
    if (result == GW_OK) result = apply(sequence, length, changes, count, changed, status);
    free(copy);
    free(changes);
    return result;
}
