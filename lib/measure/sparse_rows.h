// SPDX-License-Identifier: MIT
// Sparse rows of features: frequencies of k-mers in sequences, and words of texts.
#ifndef GW_MEASURE_SPARSE_ROWS_H
#define GW_MEASURE_SPARSE_ROWS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Row i has value[k] at feature[k] for k in [start[i], start[i + 1]), and 0 elsewhere.
typedef struct {
    int64_t rows, features;
    int64_t *start;    // [rows + 1]
    uint16_t *feature; // at most 65,536 features
    float *value;
} gw_sparse_rows;
void gw_sparse_rows_free(gw_sparse_rows *rows);

// --- k-mers --------------------------------------------------------------------------------------------------------

enum { GW_MOST_KMER = 7 };

typedef struct {
    int k;
    int64_t features;  // 4^k; with both strands one for each k-mer and its reverse complement
    uint16_t *feature; // [4^k]
    int32_t *count;    // [features] scratch for one row
    gw_sparse_rows rows;
    int64_t row_capacity, feature_capacity, value_capacity;
} gw_kmer_rows;

// 1 <= k <= GW_MOST_KMER. Free `kmers` with gw_kmer_rows_free(), also after a failure.
gw_status gw_kmer_rows_make(gw_kmer_rows *kmers, int k, bool both_strands) GW_MUST_CHECK;
void gw_kmer_rows_free(gw_kmer_rows *kmers);
// Appends a row: the frequency of each k-mer without N among the k-mers of the bases.
gw_status gw_kmer_rows_add(gw_kmer_rows *kmers, const char *bases, int64_t length) GW_MUST_CHECK;

// --- words of texts ------------------------------------------------------------------------------------------------
//
// The feature of a word is 1 / sqrt(known words of the row) if the word occurs, otherwise 0.

// Rows of words, given as numbers: row i has word[start[i] .. start[i + 1]), ascending.
typedef struct {
    int64_t rows;
    const int64_t *start;
    const uint64_t *word;
} gw_words_of_rows;

// Words that are features, in the order of their index: the most frequent words, in at least two rows, at most 65,536.
typedef struct {
    int64_t count;
    uint64_t *word; // [count] ascending
} gw_known_words;

gw_status gw_known_words_find(const gw_words_of_rows *rows, gw_known_words *out) GW_MUST_CHECK;
void gw_known_words_free(gw_known_words *known);

// Free `out` with gw_sparse_rows_free(), also after a failure.
gw_status gw_word_rows_make(const gw_words_of_rows *rows, const gw_known_words *known,
                            gw_sparse_rows *out) GW_MUST_CHECK;

#endif
