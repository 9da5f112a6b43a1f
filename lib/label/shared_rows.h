// SPDX-License-Identifier: MIT
// Which rows of a set hold sequence that rows of other sets hold too: what was trained on says nothing of what is new.
#ifndef GW_LABEL_SHARED_ROWS_H
#define GW_LABEL_SHARED_ROWS_H

#include "label/labelled_set.h"
#include "label/seen_windows.h"
#include "seq/genome/kmers.h"

enum { GW_SHARED_KMER = 31 };

// What the rows of a set are made of.
typedef struct {
    gw_kmer_set kmers;
    gw_seen_windows whole;
} gw_seen_rows;
// Free it, also after failure. 1 <= k <= 31.
gw_status gw_seen_rows_make(gw_labelled_set *set, int k, gw_seen_rows *out) GW_MUST_CHECK;
void gw_seen_rows_free(gw_seen_rows *seen);

typedef struct {
    int64_t rows, sharing, identical; // identical: as a whole, which counts as sharing however short it is
    bool *shares;                     // [rows]
} gw_shared_rows;
// A row shares where one of its k-mers, or all of it, is one of those seen, on either strand. Free it with
// gw_shared_rows_free(), also after failure.
gw_status gw_shared_rows_find(gw_labelled_set *set, const gw_seen_rows *seen, gw_shared_rows *out) GW_MUST_CHECK;
void gw_shared_rows_free(gw_shared_rows *shared);
// Appends what names the first `most` rows that share, between commas (gw_labelled_set_describe()).
void gw_shared_rows_name(const gw_labelled_set *set, const gw_shared_rows *shared, int most, gw_string *text);

#endif
