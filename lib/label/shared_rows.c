// SPDX-License-Identifier: MIT
// k-mers of either strand in one set of keys, whole sequences by their hashes.
#include "label/shared_rows.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void gw_seen_rows_free(gw_seen_rows *seen) {
    gw_kmer_set_free(&seen->kmers);
    gw_seen_windows_free(&seen->whole);
}

void gw_shared_rows_free(gw_shared_rows *shared) {
    free(shared->shares);
    *shared = (gw_shared_rows){0};
}

gw_status gw_seen_rows_make(gw_labelled_set *set, int k, gw_seen_rows *out) {
    const int64_t rows = gw_labelled_set_count(set);
    const char *bases;
    int64_t length, bases_in_all = 0;
    *out = (gw_seen_rows){0};
    for (int64_t i = 0; i < rows; i++) {
        GW_TRY(gw_labelled_set_bases(set, i, &bases, &length));
        bases_in_all += length;
    }
    GW_TRY(gw_kmer_set_make(&out->kmers, k, bases_in_all));
    for (int64_t i = 0; i < rows; i++) {
        GW_TRY(gw_labelled_set_bases(set, i, &bases, &length));
        gw_kmer_set_add(&out->kmers, bases, length);
        GW_TRY(gw_seen_windows_add(&out->whole, bases, length));
    }
    gw_seen_windows_sort(&out->whole);
    return GW_OK;
}

static bool is_whole(const gw_seen_windows *whole, const char *bases, int64_t length, char *flipped) {
    if (gw_seen_windows_has(whole, bases, length)) return true;
    gw_reverse_complement(bases, length, flipped);
    return gw_seen_windows_has(whole, flipped, length);
}

gw_status gw_shared_rows_find(gw_labelled_set *set, const gw_seen_rows *seen, gw_shared_rows *out) {
    *out = (gw_shared_rows){.rows = gw_labelled_set_count(set)};
    out->shares = gw_alloc(out->rows, sizeof *out->shares);
    char *flipped = gw_alloc(gw_labelled_set_longest(set) + 1, 1);
    gw_status status = out->shares && flipped ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < out->rows; i++) {
        const char *bases;
        int64_t length;
        status = gw_labelled_set_bases(set, i, &bases, &length);
        if (status != GW_OK) break;
        const bool identical = is_whole(&seen->whole, bases, length, flipped);
        out->shares[i] = identical || gw_kmer_set_count(&seen->kmers, bases, length, NULL) > 0;
        out->identical += identical;
        out->sharing += out->shares[i];
    }
    free(flipped);
    return status;
}

void gw_shared_rows_name(const gw_labelled_set *set, const gw_shared_rows *shared, int most, gw_string *text) {
    int named = 0;
    for (int64_t i = 0; i < shared->rows && named < most; i++) {
        if (!shared->shares[i]) continue;
        if (named++ > 0) gw_string_puts(text, ", ");
        gw_labelled_set_describe(set, i, text);
    }
}
