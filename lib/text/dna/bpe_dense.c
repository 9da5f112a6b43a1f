// SPDX-License-Identifier: MIT
// A pass replaces every pair (left, right) by its merged token, and closes the gaps in place.
//
// Merges happen in the order of ids, but two neighbours in that order may swap or share a pass where they cannot meet:
// (a, b) -> m and (c, d) -> k where b != c, d != a, and neither k is made from m. So a merge is made at the first level
// after those of all earlier merges that it can meet; the merges of a level share passes.
//
// In 64 bytes at once: a bit for each place that starts a pair, from compares of the bytes and of the bytes one
// further; the merged token goes to the starts, and the place after a start goes away. What was read lies never before
// what is written.
#include "text/dna/bpe_sweep.h"

#include <stddef.h>

enum { PLAIN_MERGES = 6 }; // a pass token by token costs more than later merges do in a sweep

// --- which merges share a pass -------------------------------------------------------------------------------------

static bool can_meet(const int32_t *earlier, int32_t made, const int32_t *later) {
    return earlier[1] == later[0] || later[1] == earlier[0] || later[0] == made || later[1] == made;
}

static int32_t level_of(const int32_t (*parts)[2], const int32_t *levels, int32_t letters, int32_t id) {
    int32_t level = 0;
    for (int32_t i = letters; i < id; i++)
        if (levels[i] >= level && can_meet(parts[i], i, parts[id])) level = levels[i] + 1;
    return level;
}

static void add_pair(gw_dense_pass *pass, const int32_t *parts, int32_t merged) {
    pass->left[pass->pairs] = (uint8_t)parts[0];
    pass->right[pass->pairs] = (uint8_t)parts[1];
    pass->merged[pass->pairs++] = (uint8_t)merged;
}

static void plan_level(gw_bpe_dense *d, const int32_t (*parts)[2], const int32_t *levels, int32_t letters,
                       int32_t level) {
    gw_dense_pass *pass = NULL;
    for (int32_t i = letters; i < d->ids; i++) {
        if (levels[i] != level || parts[i][0] == parts[i][1]) continue;
        if (!pass || pass->pairs == GW_DENSE_PAIRS) pass = &d->passes[d->count++];
        add_pair(pass, parts[i], i);
    }
    for (int32_t i = letters; i < d->ids; i++)
        if (levels[i] == level && parts[i][0] == parts[i][1]) add_pair(&d->passes[d->count++], parts[i], i);
}

void gw_dense_plan(gw_bpe_dense *dense, const int32_t (*parts)[2], int32_t letters, int32_t size, bool vectors) {
    int32_t levels[GW_DENSE_IDS];
    int32_t ids = size < GW_DENSE_IDS ? size : GW_DENSE_IDS;
    if (!vectors && ids > letters + PLAIN_MERGES) ids = letters + PLAIN_MERGES;
    *dense = (gw_bpe_dense){.ids = ids, .vectors = vectors};
    if (letters > dense->ids) dense->ids = letters;
    int32_t level_count = 0;
    for (int32_t i = letters; i < dense->ids; i++) {
        levels[i] = level_of(parts, levels, letters, i);
        if (levels[i] >= level_count) level_count = levels[i] + 1;
    }
    for (int32_t level = 0; level < level_count; level++) plan_level(dense, parts, levels, letters, level);
}

// --- passes --------------------------------------------------------------------------------------------------------

// One merge, token by token. A run of a token that merges with itself pairs up from its left end.
static int64_t merge_plainly(uint8_t *tokens, int64_t count, uint8_t left, uint8_t right, uint8_t merged) {
    int64_t written = 0;
    bool gone = false; // the token here is part of the one before
    tokens[count] = 0;
    uint8_t here = tokens[0];
    for (int64_t i = 0; i < count; i++) {
        const uint8_t next = tokens[i + 1];
        const bool found = !gone & (here == left) & (next == right);
        tokens[written] = found ? merged : here;
        written += !gone;
        gone = found;
        here = next;
    }
    return written;
}

#ifdef __x86_64__
#include <immintrin.h>

#define VECTOR __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi,popcnt")))
#define VECTOR_INLINE VECTOR __attribute__((always_inline)) static inline

bool gw_dense_has_vectors(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi2");
}

// Bits in an ordinary register: with masks the compiler would go on among those, where shifts and sums take long.
static inline uint64_t bits_of(__mmask64 mask) {
    uint64_t bits = mask;
    __asm__("" : "+r"(bits));
    return bits;
}

// Writes the bytes that stay. `starts`: places whose right neighbour goes; *carry: whether the first byte does.
VECTOR_INLINE uint8_t *keep_bytes(uint8_t *out, __m512i bytes, uint64_t starts, uint64_t *carry) {
    const uint64_t kept = ~(starts << 1 | *carry);
    *carry = starts >> 63;
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, bytes)); // to memory itself it would be slow
    return out + _mm_popcnt_u64(kept);
}

// Behind the tokens there are zeros, as far as a pass reads.
VECTOR_INLINE int64_t end_pass(uint8_t *tokens, const uint8_t *out, int64_t count) {
    const int64_t left = out - tokens - (-count & 63);
    _mm512_storeu_si512(tokens + left, _mm512_setzero_si512());
    return left;
}

VECTOR_INLINE int64_t merge_pairs(const gw_dense_pass *pass, int pairs, uint8_t *tokens, int64_t count) {
    __m512i left[GW_DENSE_PAIRS], right[GW_DENSE_PAIRS], merged[GW_DENSE_PAIRS];
#pragma GCC unroll 8
    for (int p = 0; p < pairs; p++) {
        left[p] = _mm512_set1_epi8((char)pass->left[p]);
        right[p] = _mm512_set1_epi8((char)pass->right[p]);
        merged[p] = _mm512_set1_epi8((char)pass->merged[p]);
    }
    uint8_t *out = tokens;
    uint64_t carry = 0;
    for (int64_t i = 0; i < count; i += 64) {
        const __m512i here = _mm512_loadu_si512(tokens + i), next = _mm512_loadu_si512(tokens + i + 1);
        __m512i made = here;
        __mmask64 starts = 0;
#pragma GCC unroll 8
        for (int p = 0; p < pairs; p++) {
            const __mmask64 found = _mm512_mask_cmpeq_epi8_mask(_mm512_cmpeq_epi8_mask(here, left[p]), next, right[p]);
            made = _mm512_mask_mov_epi8(made, found, merged[p]);
            starts |= found;
        }
        out = keep_bytes(out, made, bits_of(starts), &carry);
    }
    return end_pass(tokens, out, count);
}

// Every other bit of each run of ones, from its lowest.
static inline uint64_t every_other(uint64_t ones) {
    const uint64_t even = 0x5555555555555555u, begins = ones & ~(ones << 1);
    const uint64_t even_runs = ones & ~(ones + (begins & even)); // the sum carries through them
    return (even_runs & even) | (ones & ~even_runs & ~even);
}

VECTOR_INLINE int64_t merge_runs(const gw_dense_pass *pass, uint8_t *tokens, int64_t count) {
    const __m512i part = _mm512_set1_epi8((char)pass->left[0]), merged = _mm512_set1_epi8((char)pass->merged[0]);
    uint8_t *out = tokens;
    uint64_t carry = 0;
    for (int64_t i = 0; i < count; i += 64) {
        const __m512i here = _mm512_loadu_si512(tokens + i), next = _mm512_loadu_si512(tokens + i + 1);
        const uint64_t parts = bits_of(_mm512_cmpeq_epi8_mask(here, part));
        const uint64_t more = bits_of(_mm512_cmpeq_epi8_mask(next, part));
        const uint64_t starts = every_other(carry ? parts & ~1ull : parts) & more;
        out = keep_bytes(out, _mm512_mask_mov_epi8(here, starts, merged), starts, &carry);
    }
    return end_pass(tokens, out, count);
}

VECTOR static int64_t merge_vectors(const gw_bpe_dense *dense, uint8_t *tokens, int64_t count) {
    _mm512_storeu_si512(tokens + count, _mm512_setzero_si512());
    for (int32_t i = 0; i < dense->count; i++) {
        const gw_dense_pass *pass = &dense->passes[i];
        switch (pass->left[0] == pass->right[0] ? 0 : pass->pairs) {
        case 0: count = merge_runs(pass, tokens, count); break;
        case 1: count = merge_pairs(pass, 1, tokens, count); break;
        case 2: count = merge_pairs(pass, 2, tokens, count); break;
        case 3: count = merge_pairs(pass, 3, tokens, count); break;
        default: count = merge_pairs(pass, GW_DENSE_PAIRS, tokens, count);
        }
    }
    return count;
}
#else
bool gw_dense_has_vectors(void) {
    return false;
}

static int64_t merge_vectors(const gw_bpe_dense *dense, uint8_t *tokens, int64_t count) {
    (void)dense, (void)tokens;
    return count;
}
#endif

int64_t gw_dense_merge(const gw_bpe_dense *dense, uint8_t *tokens, int64_t count) {
    if (dense->vectors) return merge_vectors(dense, tokens, count);
    for (int32_t i = 0; i < dense->count; i++) {
        const gw_dense_pass *pass = &dense->passes[i];
        for (int32_t p = 0; p < pass->pairs; p++)
            count = merge_plainly(tokens, count, pass->left[p], pass->right[p], pass->merged[p]);
    }
    return count;
}
