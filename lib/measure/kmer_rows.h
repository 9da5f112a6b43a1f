// SPDX-License-Identifier: MIT
// Frequencies of k-mers as sparse rows of features.
#ifndef GW_MEASURE_KMER_ROWS_H
#define GW_MEASURE_KMER_ROWS_H

#include "base/status.h"
#include "measure/logistic.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_MOST_KMER = 7 };

typedef struct {
    int k;
    int64_t features;  // 4^k, or with both strands one for each k-mer and its reverse complement
    uint16_t *feature; // [4^k]
    int32_t *count;    // [features] scratch of a row
    gw_sparse_rows rows;
    int64_t row_capacity, feature_capacity, value_capacity;
} gw_kmer_rows;

// 1 <= k <= GW_MOST_KMER. Free it with gw_kmer_rows_free(), also on failure.
gw_status gw_kmer_rows_make(gw_kmer_rows *kmers, int k, bool both_strands) GW_MUST_CHECK;
void gw_kmer_rows_free(gw_kmer_rows *kmers);
// Appends a row: how often each k-mer without N occurs in the bases, over how many of them there are.
gw_status gw_kmer_rows_add(gw_kmer_rows *kmers, const char *bases, int64_t length) GW_MUST_CHECK;

#endif
