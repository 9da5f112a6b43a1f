// SPDX-License-Identifier: MIT
// An allele read from its last base to its first, complemented, is what it was: so items hold the complement of the
// allele as the file has it, "take off the right" is a step at the front that all share, and "put on at the left"
// appends.
#include "seq/lift/lift_vcf.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char BASES[] = "ACGTURYSWKMBDHVNacgturyswkmbdhvn";
static const char PARTNERS[] = "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn";

static bool is_plain(const char *allele) {
    return allele[0] && allele[strspn(allele, BASES)] == 0;
}

static void complement(gw_string *bases) {
    for (int64_t i = 0; i < bases->length; i++) bases->data[i] = PARTNERS[strchr(BASES, bases->data[i]) - BASES];
}

static gw_status take(gw_lift_alleles *a, const char *allele) {
    const int64_t before = a->capacity;
    GW_TRY(gw_reserve(&a->items, &a->capacity, a->count + 1, sizeof *a->items));
    GW_TRY(gw_reserve(&a->plain, &a->plain_capacity, a->count + 1, sizeof *a->plain));
    for (int64_t i = before; i < a->capacity; i++) a->items[i] = (gw_string){0};
    gw_string *item = &a->items[a->count];
    gw_string_clear(item);
    gw_string_puts(item, allele);
    GW_TRY(gw_string_status(item));
    a->plain[a->count] = is_plain(allele);
    if (a->flipped && a->plain[a->count]) complement(item);
    a->count++;
    return GW_OK;
}

gw_status gw_lift_alleles_take(gw_lift_alleles *alleles, const char *ref, char **alts, int count, bool flip) {
    alleles->flipped = flip;
    alleles->count = 0;
    alleles->dropped = 0;
    GW_TRY(take(alleles, ref));
    for (int i = 0; i < count; i++) GW_TRY(take(alleles, alts[i]));
    return GW_OK;
}

// The bases that an allele has left.
static int64_t length_of(const gw_lift_alleles *a, int i) {
    return a->items[i].length - a->dropped;
}

static bool have_one_length(const gw_lift_alleles *a) {
    for (int i = 1; i < a->count; i++)
        if (a->plain[i] && length_of(a, i) != length_of(a, 0)) return false;
    return true;
}

static int64_t shortest(const gw_lift_alleles *a) {
    int64_t least = length_of(a, 0);
    for (int i = 1; i < a->count; i++)
        if (a->plain[i] && length_of(a, i) < least) least = length_of(a, i);
    return least;
}

// Whether all have the same base: their last one, or their first.
static bool share_base(const gw_lift_alleles *a, bool last) {
    const gw_string *ref = &a->items[0];
    const int base = toupper((unsigned char)ref->data[last ? a->dropped : ref->length - 1]);
    for (int i = 1; i < a->count; i++) {
        const gw_string *item = &a->items[i];
        if (a->plain[i] && toupper((unsigned char)item->data[last ? a->dropped : item->length - 1]) != base)
            return false;
    }
    return true;
}

static gw_status put_on_left(gw_lift_alleles *a, gw_genome *genome, int contig, int64_t *position) {
    char base;
    --*position;
    GW_TRY(gw_genome_fetch(genome, contig, *position, *position + 1, &base));
    for (int i = 0; i < a->count; i++) {
        if (!a->plain[i]) continue;
        gw_string_putc(&a->items[i], base);
        GW_TRY(gw_string_status(&a->items[i]));
    }
    return GW_OK;
}

static void take_off_left(gw_lift_alleles *a, int64_t *position) {
    while (shortest(a) > 1 && share_base(a, false)) {
        for (int i = 0; i < a->count; i++) a->items[i].length -= a->plain[i];
        ++*position;
    }
}

gw_status gw_lift_alleles_shift(gw_lift_alleles *alleles, gw_genome *genome, int contig, int64_t *position,
                                bool *fits) {
    *fits = true;
    if (have_one_length(alleles)) return GW_OK;
    while (share_base(alleles, true)) {
        alleles->dropped++;
        if (shortest(alleles) > 0) continue;
        *fits = *position > 0;
        if (!*fits) return GW_OK;
        GW_TRY(put_on_left(alleles, genome, contig, position));
    }
    take_off_left(alleles, position);
    return GW_OK;
}

void gw_lift_alleles_put(const gw_lift_alleles *alleles, int i, gw_string *out) {
    const gw_string *item = &alleles->items[i];
    if (!alleles->flipped || !alleles->plain[i]) {
        gw_string_append(out, item->data, item->length);
        return;
    }
    for (int64_t at = item->length - 1; at >= alleles->dropped; at--) gw_string_putc(out, item->data[at]);
}

void gw_lift_alleles_free(gw_lift_alleles *alleles) {
    for (int64_t i = 0; i < alleles->capacity; i++) gw_string_free(&alleles->items[i]);
    free(alleles->items);
    free(alleles->plain);
    *alleles = (gw_lift_alleles){0};
}
