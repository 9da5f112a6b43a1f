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

// --- words of texts ------------------------------------------------------------------------------------------------
//
// x of a word is 1 / sqrt(known words of the row) where it occurs, else 0.

// Rows of words, each a number: row i has word[start[i] .. start[i + 1]), rising.
typedef struct {
    int64_t rows;
    const int64_t *start;
    const uint64_t *word;
} gw_words_of_rows;

// Words that are features, by their place: those in at least two rows, at most 65,536, the most frequent ones.
typedef struct {
    int64_t count;
    uint64_t *word; // [count] rising
} gw_known_words;

gw_status gw_known_words_find(const gw_words_of_rows *rows, gw_known_words *out) GW_MUST_CHECK;
void gw_known_words_free(gw_known_words *known);

// Free the result with gw_sparse_rows_free(), also on failure.
gw_status gw_word_rows_make(const gw_words_of_rows *rows, const gw_known_words *known,
                            gw_sparse_rows *out) GW_MUST_CHECK;

#endif
