// SPDX-License-Identifier: MIT
// Rolls a code of two bits a base along the sequence.
#include "measure/kmer_rows.h"

#include "base/memory.h"
#include "measure/markov.h"

#include <stdlib.h>

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

// Returns how many k-mers there are.
static int64_t count_kmers(gw_kmer_rows *kmers, const char *bases, int64_t length) {
    const uint32_t mask = (1U << (2 * kmers->k)) - 1;
    uint32_t code = 0;
    int64_t known = 0, total = 0;
    for (int64_t i = 0; i < length; i++) {
        const uint8_t base = gw_base_code(bases[i]);
        known = base < 4 ? known + 1 : 0;
        code = (code << 2 | (base & 3)) & mask;
        if (known < kmers->k) continue;
        kmers->count[kmers->feature[code]]++;
        total++;
    }
    return total;
}

gw_status gw_kmer_rows_add(gw_kmer_rows *kmers, const char *bases, int64_t length) {
    gw_sparse_rows *rows = &kmers->rows;
    int64_t end = rows->start[rows->rows];
    const int64_t most = end + (length < kmers->features ? length : kmers->features);
    GW_TRY(gw_reserve(&rows->start, &kmers->row_capacity, rows->rows + 2, sizeof *rows->start));
    GW_TRY(gw_reserve(&rows->feature, &kmers->feature_capacity, most, sizeof *rows->feature));
    GW_TRY(gw_reserve(&rows->value, &kmers->value_capacity, most, sizeof *rows->value));
    const int64_t total = count_kmers(kmers, bases, length);
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
