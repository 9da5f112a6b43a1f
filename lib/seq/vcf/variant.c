// SPDX-License-Identifier: MIT
// Trims an allele, checks it against the reference, and makes both windows; and alleles from user input.
#include "seq/vcf/variant.h"

#include "base/memory.h"
#include "base/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *gw_allele_status_name(gw_allele_status status) {
    static const char *const names[GW_ALLELE_STATUSES] = {
        "PASS",   "NOALT",     "SPANNING", "SYMBOLIC", "NOLENGTH", "BREAKEND", "NOCONTIG", "REFMISMATCH",
        "ABSENT", "AMBIGUOUS", "TOOLONG",  "EDGE",     "NOSITE",   "NOGENE",   "NOSIGNAL", "NOTSNV",
        "KNOWN",  "NRICH",     "SWAPPED",  "COMPLEX",  "LONG",     "PADDED",   "OUTSIDE",
    };
    return names[status];
}

bool gw_allele_is_scored(gw_allele_status status) {
    return status == GW_ALLELE_PASS || status >= GW_ALLELE_NRICH;
}

bool gw_allele_is_ambiguous(const char *bases) {
    return bases[strspn(bases, "ACGTacgt")] != 0;
}

bool gw_window_is_n_rich(const char *window, int64_t length) {
    int64_t unknown = 0;
    for (int64_t i = 0; i < length; i++) unknown += window[i] == 'N';
    return 2 * unknown > length;
}

gw_allele_status gw_allele_kind(const char *alt) {
    const size_t length = strlen(alt);
    if (strcmp(alt, ".") == 0) return GW_ALLELE_NOALT;
    if (strcmp(alt, "*") == 0) return GW_ALLELE_SPANNING;
    if (alt[0] == '<') return GW_ALLELE_SYMBOLIC;
    if (strpbrk(alt, "[]") || alt[0] == '.' || alt[length - 1] == '.') return GW_ALLELE_BREAKEND;
    return GW_ALLELE_PASS;
}

static bool same_base(char a, char b) {
    return toupper((unsigned char)a) == toupper((unsigned char)b);
}

gw_variant gw_variant_trim(int contig, int64_t position, const char *ref, const char *alt) {
    gw_variant v = {contig, position, ref, alt, (int64_t)strlen(ref), (int64_t)strlen(alt)};
    while (v.ref_length > 1 && v.alt_length > 1 && same_base(v.ref[v.ref_length - 1], v.alt[v.alt_length - 1])) {
        v.ref_length--;
        v.alt_length--;
    }
    while (v.ref_length > 1 && v.alt_length > 1 && same_base(v.ref[0], v.alt[0])) {
        v.ref++;
        v.alt++;
        v.position++;
        v.ref_length--;
        v.alt_length--;
    }
    return v;
}

bool gw_variant_is_indel(const gw_variant *v) {
    return v->ref && (v->ref_length == 1) != (v->alt_length == 1) && same_base(v->ref[0], v->alt[0]);
}

// The bases that an insertion or deletion inserts or deletes, and how many they are.
static const char *moved_bases(const gw_variant *v, int64_t *count) {
    *count = (v->ref_length > 1 ? v->ref_length : v->alt_length) - 1;
    return (v->ref_length > 1 ? v->ref : v->alt) + 1;
}

// With a the base before the inserted or deleted bases S and n their number: a step to the left is possible where S
// ends in a, and turns S by one place, its last base to the front; a step to the right where the base behind (behind
// the deleted bases, or the insertion's place) is the first of S. So after i steps the bases that count are S[n - 1 -
// i] and S[i], indices modulo n. The reference is read piece by piece, since most go no further than a few bases.
gw_status gw_variant_steps(gw_genome *genome, const gw_variant *v, int64_t most, int64_t *left, int64_t *right) {
    enum { PIECE = 64 };
    char piece[PIECE];
    *left = *right = 0;
    if (!gw_variant_is_indel(v) || v->position < 0) return GW_OK;
    int64_t n;
    const char *s = moved_bases(v, &n);
    const int64_t behind = v->position + v->ref_length; // the base that a step to the right looks at first
    const int64_t most_left = gw_min(most, v->position),
                  most_right = gw_min(most, gw_genome_length(genome, v->contig) - behind);
    for (bool moves = true; moves && *left < most_left;) {
        const int64_t end = v->position + 1 - *left, begin = gw_max(end - PIECE, 0);
        GW_TRY(gw_genome_fetch(genome, v->contig, begin, end, piece));
        for (int64_t at = end - 1; moves && at >= begin && *left < most_left; at--) {
            moves = piece[at - begin] != 'N' && same_base(s[gw_modulo(n - 1 - *left, n)], piece[at - begin]);
            *left += moves;
        }
    }
    for (bool moves = true; moves && *right < most_right;) {
        const int64_t begin = behind + *right, end = gw_min(begin + PIECE, behind + most_right);
        GW_TRY(gw_genome_fetch(genome, v->contig, begin, end, piece));
        for (int64_t at = begin; moves && at < end; at++) {
            moves = piece[at - begin] != 'N' && same_base(s[gw_modulo(*right, n)], piece[at - begin]);
            *right += moves;
        }
    }
    return GW_OK;
}

bool gw_variant_is_same(const gw_variant *a, int64_t a_left, const gw_variant *b, int64_t b_left) {
    if (a->contig != b->contig || a->position - a_left != b->position - b_left) return false;
    if (a->ref_length != b->ref_length || a->alt_length != b->alt_length) return false;
    const bool moved = a_left != b_left && gw_variant_is_indel(a) && gw_variant_is_indel(b);
    int64_t n;
    if (!moved)
        return strncasecmp(a->ref, b->ref, (size_t)a->ref_length) == 0 &&
               strncasecmp(a->alt, b->alt, (size_t)a->alt_length) == 0;
    const char *of_a = moved_bases(a, &n), *of_b = moved_bases(b, &n);
    bool same = true;
    for (int64_t i = 0; i < n && same; i++)
        same = same_base(of_a[gw_modulo(i - a_left, n)], of_b[gw_modulo(i - b_left, n)]);
    return same;
}

// Whether `base` (ACGT) is one of the bases that an IUPAC letter stands for.
static bool fits(char letter, char base) {
    static const char *const meanings[26] = {
        ['A' - 'A'] = "A",   ['C' - 'A'] = "C",    ['G' - 'A'] = "G",   ['T' - 'A'] = "T",
        ['U' - 'A'] = "T",   ['N' - 'A'] = "ACGT", ['R' - 'A'] = "AG",  ['Y' - 'A'] = "CT",
        ['S' - 'A'] = "CG",  ['W' - 'A'] = "AT",   ['K' - 'A'] = "GT",  ['M' - 'A'] = "AC",
        ['B' - 'A'] = "CGT", ['D' - 'A'] = "AGT",  ['H' - 'A'] = "ACT", ['V' - 'A'] = "ACG",
    };
    const int upper = toupper((unsigned char)letter);
    const char *bases = upper >= 'A' && upper <= 'Z' ? meanings[upper - 'A'] : NULL;
    return bases && strchr(bases, base) != NULL;
}

gw_status gw_variant_check_ref(gw_genome *genome, int contig, int64_t position, const char *ref,
                               gw_allele_status *status) {
    const int64_t length = (int64_t)strlen(ref);
    *status = GW_ALLELE_REFMISMATCH;
    if (position < 0) { // POS 0 stands before the first base: nothing to compare, and no window
        *status = GW_ALLELE_EDGE;
        return GW_OK;
    }
    if (position + length > gw_genome_length(genome, contig)) return GW_OK;
    char *bases = gw_alloc(length, 1);
    if (!bases) return GW_ERR_MEMORY;
    const gw_status fetched = gw_genome_fetch(genome, contig, position, position + length, bases);
    bool agrees = fetched == GW_OK, known = false;
    for (int64_t i = 0; agrees && i < length; i++) {
        known = known || bases[i] != 'N';
        agrees = bases[i] == 'N' || fits(ref[i], bases[i]);
    }
    if (agrees) *status = known ? GW_ALLELE_PASS : GW_ALLELE_ABSENT;
    free(bases);
    return fetched;
}

// Both windows, where the reference holds [low, high): REF's is [begin, begin + W), ALT's begins at alt_begin.
static gw_status fill(gw_genome *genome, const gw_variant *v, int64_t begin, int64_t alt_begin, int64_t window,
                      char *ref, char *alt, gw_allele_status *status) {
    const int64_t before = v->position - alt_begin, after = window - before - v->alt_length;
    const int64_t next = v->position + v->ref_length; // first base behind REF
    const int64_t length = gw_genome_length(genome, v->contig);
    *status = GW_ALLELE_EDGE;
    if (begin < 0 || alt_begin < 0 || begin + window > length || next + after > length) return GW_OK;
    GW_TRY(gw_genome_fetch(genome, v->contig, begin, begin + window, ref));
    GW_TRY(gw_genome_fetch(genome, v->contig, alt_begin, v->position, alt));
    memcpy(alt + before, v->alt, (size_t)v->alt_length);
    gw_normalise_bases(alt + before, v->alt_length);
    GW_TRY(gw_genome_fetch(genome, v->contig, next, next + after, alt + before + v->alt_length));
    *status = GW_ALLELE_PASS;
    return GW_OK;
}

static bool too_long(const gw_variant *v, int64_t window) {
    return 4 * v->ref_length > window || 4 * v->alt_length > window;
}

gw_status gw_variant_windows(gw_genome *genome, const gw_variant *variant, int64_t window, int64_t shift, char *ref,
                             char *alt, gw_allele_status *status) {
    *status = GW_ALLELE_TOOLONG;
    if (too_long(variant, window)) return GW_OK;
    const int64_t begin = variant->position - (window - 1) / 2 + shift;
    return fill(genome, variant, begin, begin, window, ref, alt, status);
}

gw_status gw_variant_windows_at(gw_genome *genome, const gw_variant *variant, int64_t begin, int64_t window,
                                bool grow_left, char *ref, char *alt, gw_allele_status *status) {
    const int64_t end = begin + window, ref_end = variant->position + variant->ref_length;
    const int64_t longer = variant->alt_length - variant->ref_length;
    *status = GW_ALLELE_NOSITE;
    if (variant->position < begin || ref_end > end) return GW_OK;
    *status = GW_ALLELE_TOOLONG;
    if (too_long(variant, window)) return GW_OK;
    const int64_t alt_begin = grow_left ? begin + longer : begin;
    // An insertion near the end that bases enter from may not fit in its own window.
    if (alt_begin > variant->position || variant->position - alt_begin + variant->alt_length > window) return GW_OK;
    return fill(genome, variant, begin, alt_begin, window, ref, alt, status);
}

enum { LONGEST_SHOWN = 40 };

void gw_written_alleles_free(gw_written_alleles *v) {
    free(v->ref);
    free(v->alt);
    *v = (gw_written_alleles){0};
}

void gw_written_list_free(gw_written_list *list) {
    for (int64_t i = 0; i < list->count; i++) gw_written_alleles_free(&list->items[i]);
    free(list->items);
    *list = (gw_written_list){0};
}

gw_status gw_written_ref_check(gw_genome *genome, int contig, int64_t position, const char *ref) {
    gw_allele_status agrees;
    const int64_t end = position + (int64_t)strlen(ref), contig_length = gw_genome_length(genome, contig);
    if (end > contig_length)
        return gw_fail(GW_ERR_RANGE, "position %lld lies past the end of '%s' (%lld bp)", (long long)end,
                       gw_genome_name(genome, contig), (long long)contig_length);
    GW_TRY(gw_variant_check_ref(genome, contig, position, ref, &agrees));
    if (agrees != GW_ALLELE_REFMISMATCH) return GW_OK;
    char *found = gw_alloc(end - position + 1, 1);
    gw_status status = found ? gw_genome_fetch(genome, contig, position, end, found) : GW_ERR_MEMORY;
    if (status == GW_OK)
        status = gw_fail(GW_ERR_MISMATCH, "the genome has '%.*s' at %s:%lld, not '%.*s'", LONGEST_SHOWN, found,
                         gw_genome_name(genome, contig), (long long)position + 1, LONGEST_SHOWN, ref);
    free(found);
    return status;
}
