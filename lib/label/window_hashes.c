// SPDX-License-Identifier: MIT
// Residues of the two polynomials, moved base by base.
#include "label/window_hashes.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

#define PRIME ((UINT64_C(1) << 61) - 1)
#define BASE UINT64_C(1152921504606846883) // any residue of about the prime's size

static uint64_t reduce(uint64_t x) {
    x = (x & PRIME) + (x >> 61);
    return x >= PRIME ? x - PRIME : x;
}

static uint64_t times(uint64_t a, uint64_t b) {
    const unsigned __int128 product = (unsigned __int128)a * b;
    return reduce((uint64_t)(product & PRIME) + (uint64_t)(product >> 61));
}

static uint64_t power(uint64_t a, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, a = times(a, a))
        if (exponent & 1) result = times(result, a);
    return result;
}

static unsigned letter_of(char base) {
    return base == 'A' ? 1 : base == 'C' ? 2 : base == 'G' ? 3 : base == 'T' ? 4 : 5;
}

// 0 stands for no letter: an empty window is one of zeros.
static unsigned complement(unsigned letter) {
    return letter == 0 || letter == 5 ? letter : 5 - letter;
}

gw_status gw_window_hashes_new(gw_window_hashes *hashes, gw_genome *genome, int64_t width) {
    *hashes = (gw_window_hashes){.genome = genome, .width = width, .contig = -1};
    hashes->out = gw_alloc(width, 1);
    hashes->in = gw_alloc(width, 1);
    hashes->inverse = power(BASE, PRIME - 2);
    const uint64_t highest = power(BASE, (uint64_t)width - 1);
    for (unsigned v = 0; v < GW_HASH_LETTERS; v++) hashes->last[v] = times(v, highest);
    return hashes->out && hashes->in ? GW_OK : GW_ERR_MEMORY;
}

void gw_window_hashes_free(gw_window_hashes *hashes) {
    free(hashes->out);
    free(hashes->in);
    *hashes = (gw_window_hashes){0};
}

static void move(gw_window_hashes *h, unsigned out, unsigned in) {
    h->forward = reduce(times(reduce(h->forward + PRIME - h->last[out]), BASE) + in);
    h->reverse = reduce(times(reduce(h->reverse + PRIME - complement(out)), h->inverse) + h->last[complement(in)]);
}

gw_status gw_window_hash(gw_window_hashes *h, int contig, int64_t begin, uint64_t *hash) {
    const int64_t moved = begin - h->begin;
    const bool slides = contig == h->contig && moved >= 0 && moved < h->width;
    const int64_t count = slides ? moved : h->width, end = begin + h->width;
    if (slides) GW_TRY(gw_genome_fetch(h->genome, contig, h->begin, begin, h->out));
    else h->forward = h->reverse = 0;
    h->contig = -1; // until all is read
    GW_TRY(gw_genome_fetch(h->genome, contig, end - count, end, h->in));
    for (int64_t i = 0; i < count; i++) move(h, slides ? letter_of(h->out[i]) : 0, letter_of(h->in[i]));
    h->contig = contig;
    h->begin = begin;
    *hash = h->forward < h->reverse ? h->forward : h->reverse;
    return GW_OK;
}
