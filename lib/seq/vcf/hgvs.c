// SPDX-License-Identifier: MIT
// Reads positions, then the word that says what happens, then bases.
#include "seq/vcf/hgvs_alleles.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 12 };

static bool take_word(const char **at, const char *word) {
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    return true;
}

static gw_status take_number(const char **at, int64_t *out) {
    const size_t digits = strspn(*at, "0123456789");
    if (**at == '(' || **at == '?') return gw_fail(GW_ERR_UNSUPPORTED, "uncertain positions stand for no bases");
    if (digits == 0 || digits > MOST_DIGITS) return gw_fail(GW_ERR_FORMAT, "expected a position at '%s'", *at);
    *out = strtoll(*at, NULL, 10);
    *at += digits;
    return *out > 0 ? GW_OK : gw_fail(GW_ERR_RANGE, "positions begin at 1");
}

static gw_status take_offset(const char **at, gw_hgvs_place *out) {
    const bool before = **at == '-';
    ++*at;
    GW_TRY(take_number(at, &out->offset));
    if (before) out->offset = -out->offset;
    return GW_OK;
}

static gw_status take_place(char kind, const char **at, gw_hgvs_place *out) {
    const bool coding = kind == 'c', before = coding && take_word(at, "-");
    *out = (gw_hgvs_place){.after_stop = coding && !before && take_word(at, "*")};
    GW_TRY(take_number(at, &out->base));
    if (before) out->base = -out->base;
    if (**at != '+' && **at != '-') return GW_OK;
    if (kind == 'c' || kind == 'n') return take_offset(at, out);
    return gw_fail(GW_ERR_FORMAT, "positions of a genome have no offsets ('%s')", *at);
}

static gw_status take_places(char kind, const char **at, gw_hgvs *out) {
    GW_TRY(take_place(kind, at, &out->from));
    out->to = out->from;
    return take_word(at, "_") ? take_place(kind, at, &out->to) : GW_OK;
}

static bool is_one_place(const gw_hgvs *h) {
    return h->from.base == h->to.base && h->from.offset == h->to.offset && h->from.after_stop == h->to.after_stop;
}

static void take_bases(const char **at, const char **bases, int64_t *length) {
    *bases = *at;
    *length = (int64_t)strspn(*at, "ACGTacgt");
    *at += *length;
}

static gw_status take_inserted(const char **at, gw_hgvs *out) {
    take_bases(at, &out->inserted, &out->inserted_length);
    if (out->inserted_length > 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "inserted bases are to be written out as A, C, G and T, found '%s'", *at);
}

static gw_status take_insertion(const char **at, gw_hgvs *out) {
    out->change = GW_HGVS_INSERT;
    return take_inserted(at, out);
}

static gw_status take_substitution(const char **at, gw_hgvs *out) {
    take_bases(at, &out->named, &out->named_length);
    if (out->named_length == 0 || !take_word(at, ">"))
        return gw_fail(GW_ERR_UNSUPPORTED, "expected X>Y, del, ins, dup, delins or inv behind the position, found '%s'",
                       *at);
    GW_TRY(take_inserted(at, out));
    if (is_one_place(out) && out->named_length == 1 && out->inserted_length == 1) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "a substitution is of one base; more are a delins");
}

static gw_status take_change(const char **at, gw_hgvs *out) {
    if (take_word(at, "ins")) return take_insertion(at, out);
    if (take_word(at, "inv")) {
        out->change = GW_HGVS_INVERT;
        return GW_OK;
    }
    const bool duplicates = take_word(at, "dup");
    if (duplicates) out->change = GW_HGVS_DUPLICATE;
    if (!duplicates && !take_word(at, "del")) return take_substitution(at, out);
    take_bases(at, &out->named, &out->named_length);
    return !duplicates && take_word(at, "ins") ? take_inserted(at, out) : GW_OK;
}

static gw_status check_named(const gw_hgvs *h) {
    const int64_t bases = h->last - h->first + 1;
    if (h->named_length == 0 || h->named_length == bases) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%lld bases are named where the positions hold %lld", (long long)h->named_length,
                   (long long)bases);
}

gw_status gw_hgvs_settle(gw_hgvs *h, int64_t first, int64_t last) {
    h->first = first;
    h->last = last;
    if (last < first)
        return gw_fail(GW_ERR_RANGE, "%lld_%lld ends before it begins", (long long)first, (long long)last);
    if (h->change == GW_HGVS_INSERT && last != first + 1)
        return gw_fail(GW_ERR_FORMAT, "an insertion lies between two neighbours, which %lld and %lld are not",
                       (long long)first, (long long)last);
    return check_named(h);
}

gw_status gw_hgvs_parse(char kind, const char *text, gw_hgvs *out) {
    const char *at = text;
    *out = (gw_hgvs){0};
    GW_TRY(take_places(kind, &at, out));
    GW_TRY(take_change(&at, out));
    return *at ? gw_fail(GW_ERR_FORMAT, "'%s' is left over", at) : GW_OK;
}
