// SPDX-License-Identifier: MIT
// k-mers by a rolling code of two bits a base; words by sorting those of all rows.
#include "measure/sparse_rows.h"
#include "base/memory.h"
#include "base/number.h"
#include "measure/markov.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gw_sparse_rows_free(gw_sparse_rows *rows) {
    free(rows->start);
    free(rows->feature);
    free(rows->value);
    *rows = (gw_sparse_rows){0};
}

// --- k-mers --------------------------------------------------------------------------------------------------------

static uint32_t reverse_complement(uint32_t code, int k) {
    uint32_t out = 0;
    for (int i = 0; i < k; i++, code >>= 2) out = out << 2 | (3 - (code & 3));
    return out;
}

gw_status gw_kmer_rows_make(gw_kmer_rows *kmers, int k, bool both_strands) {
    const uint32_t codes = 1U << (2 * k);
    *kmers = (gw_kmer_rows){.k = k};
    kmers->feature = gw_alloc(codes, sizeof *kmers->feature);
    if (!kmers->feature) return GW_ERR_MEMORY;
    for (uint32_t code = 0; code < codes; code++) {
        const uint32_t other = both_strands ? reverse_complement(code, k) : code;
        kmers->feature[code] = other < code ? kmers->feature[other] : (uint16_t)kmers->features++;
    }
    kmers->rows.features = kmers->features;
    kmers->count = gw_alloc(kmers->features, sizeof *kmers->count);
    if (!kmers->count) return GW_ERR_MEMORY;
    GW_TRY(gw_reserve(&kmers->rows.start, &kmers->row_capacity, 1, sizeof *kmers->rows.start));
    kmers->rows.start[0] = 0;
    return GW_OK;
}

void gw_kmer_rows_free(gw_kmer_rows *kmers) {
    free(kmers->feature);
    free(kmers->count);
    gw_sparse_rows_free(&kmers->rows);
    *kmers = (gw_kmer_rows){0};
}

gw_status gw_kmer_rows_add(gw_kmer_rows *kmers, const char *bases, int64_t length) {
    gw_sparse_rows *rows = &kmers->rows;
    int64_t end = rows->start[rows->rows];
    const int64_t most = end + gw_min(length, kmers->features);
    GW_TRY(gw_reserve(&rows->start, &kmers->row_capacity, rows->rows + 2, sizeof *rows->start));
    GW_TRY(gw_reserve(&rows->feature, &kmers->feature_capacity, most, sizeof *rows->feature));
    GW_TRY(gw_reserve(&rows->value, &kmers->value_capacity, most, sizeof *rows->value));
    const uint32_t mask = (1U << (2 * kmers->k)) - 1;
    uint32_t code = 0;
    int64_t known = 0, total = 0; // bases without N so far, k-mers
    for (int64_t i = 0; i < length; i++) {
        const uint8_t base = gw_base_code(bases[i]);
        known = base < 4 ? known + 1 : 0;
        code = (code << 2 | (base & 3)) & mask;
        if (known < kmers->k) continue;
        kmers->count[kmers->feature[code]]++;
        total++;
    }
    rows->rows++;
    for (int64_t f = 0; f < kmers->features; f++) {
        if (kmers->count[f] == 0) continue;
        rows->feature[end] = (uint16_t)f;
        rows->value[end++] = (float)kmers->count[f] / (float)total;
        kmers->count[f] = 0;
    }
    rows->start[rows->rows] = end;
    return GW_OK;
}

// --- words of texts: counted by sorting those of all rows; a word's place is found by halves -----------------------

enum { MOST_WORDS = 1 << 16, LEAST_ROWS = 2 };

typedef struct {
    uint64_t word;
    int64_t rows;
} counted;

static int by_word(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int by_rows_falling(const void *a, const void *b) {
    const counted *x = a, *y = b;
    if (x->rows != y->rows) return (x->rows < y->rows) - (x->rows > y->rows);
    return by_word(&x->word, &y->word);
}

// Takes sorted words, and returns how many different ones occur often enough.
static int64_t count_words(const uint64_t *sorted, int64_t count, counted *out) {
    int64_t found = 0;
    for (int64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && sorted[end] == sorted[begin]; end++) {
        }
        if (end - begin >= LEAST_ROWS) out[found++] = (counted){sorted[begin], end - begin};
    }
    return found;
}

gw_status gw_known_words_find(const gw_words_of_rows *rows, gw_known_words *out) {
    const int64_t total = rows->start[rows->rows];
    uint64_t *sorted = gw_alloc(total + 1, sizeof *sorted);
    counted *words = gw_alloc(total / LEAST_ROWS + 1, sizeof *words);
    *out = (gw_known_words){.word = gw_alloc(MOST_WORDS, sizeof *out->word)};
    const gw_status status = sorted && words && out->word ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && total > 0) {
        memcpy(sorted, rows->word, (size_t)total * sizeof *sorted);
        qsort(sorted, (size_t)total, sizeof *sorted, by_word);
        const int64_t found = count_words(sorted, total, words);
        if (found > 0) qsort(words, (size_t)found, sizeof *words, by_rows_falling);
        out->count = gw_min(found, MOST_WORDS);
        for (int64_t i = 0; i < out->count; i++) out->word[i] = words[i].word;
        if (found > 0) qsort(out->word, (size_t)out->count, sizeof *out->word, by_word);
    }
    free(sorted);
    free(words);
    if (status != GW_OK) gw_known_words_free(out);
    return status;
}

void gw_known_words_free(gw_known_words *known) {
    free(known->word);
    *known = (gw_known_words){0};
}

gw_status gw_word_rows_make(const gw_words_of_rows *rows, const gw_known_words *known, gw_sparse_rows *out) {
    const int64_t total = rows->start[rows->rows];
    *out = (gw_sparse_rows){.rows = rows->rows,
                            .features = known->count,
                            .start = gw_alloc(rows->rows + 1, sizeof *out->start),
                            .feature = gw_alloc(total + 1, sizeof *out->feature),
                            .value = gw_alloc(total + 1, sizeof *out->value)};
    if (!out->start || !out->feature || !out->value) return GW_ERR_MEMORY;
    for (int64_t row = 0; row < rows->rows; row++) {
        const int64_t begin = out->start[row];
        int64_t end = begin;
        for (int64_t i = rows->start[row]; i < rows->start[row + 1]; i++) {
            const uint64_t *at =
                bsearch(&rows->word[i], known->word, (size_t)known->count, sizeof *known->word, by_word);
            if (at) out->feature[end++] = (uint16_t)(at - known->word);
        }
        for (int64_t i = begin; i < end; i++) out->value[i] = (float)(1 / sqrt((double)(end - begin)));
        out->start[row + 1] = end;
    }
    return GW_OK;
}
