// SPDX-License-Identifier: MIT
// Byte-pair encoding of a word in O(n): the table of pairs, passes over bytes for the first merges, and the sweep for
// all.
#include "text/dna/bpe_sweep.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// --- the table of pairs --------------------------------------------------------------------------------------------

// Hash and displace (Belazzougui, Botelho, Dietzfelbinger, ESA 2009): the pairs fall into buckets of about four; the
// buckets, the fullest first, each look for the smallest shift that sends all their pairs to free slots. Half of the
// slots stay free, so the search is short; should one fail all the same, there are twice as many slots next time.
// A slot holds only what its own number does not say of the pair (quotienting: Knuth, TAOCP 3, 6.4, exercise 13), so
// that four bytes do for ids of up to 16 bits, and the table of a large vocabulary stays in the cache.

enum { BUCKET_PAIRS = 4, LAST_SHIFT = 1 << 16, LEAST_ID_BITS = 4 };

// The pairs of each bucket: pairs members[starts[b] .. starts[b + 1]).
typedef struct {
    int32_t *starts, *members;
    int32_t buckets, fullest;
} bucket_list;

static int bits_for(int64_t count) {
    int bits = 1;
    while ((int64_t)1 << bits < count) bits++;
    return bits;
}

static uint64_t hash_of(const gw_pair_table *table, const int32_t pair[2]) {
    return gw_pair_hash(table, pair[0], pair[1]);
}

static int64_t bucket_of(const gw_pair_table *table, const int32_t pair[2]) {
    return (int64_t)(gw_pair_rest(table, hash_of(table, pair)) >> table->bucket_down);
}

static gw_status sort_into_buckets(bucket_list *list, const gw_pair_table *table, const int32_t (*pairs)[2],
                                   int32_t count) {
    list->buckets = (int32_t)((table->hash_mask >> table->slot_bits >> table->bucket_down) + 1);
    list->starts = gw_alloc(list->buckets + 2, sizeof *list->starts);
    list->members = gw_alloc(count, sizeof *list->members);
    if (!list->starts || !list->members) return GW_ERR_MEMORY;
    int32_t *ends = list->starts + 1; // moves up while members are placed, to end as starts
    for (int32_t i = 0; i < count; i++) ends[bucket_of(table, pairs[i]) + 1]++;
    for (int32_t b = 0; b < list->buckets; b++) {
        if (ends[b + 1] > list->fullest) list->fullest = ends[b + 1];
        ends[b + 1] += ends[b];
    }
    for (int32_t i = 0; i < count; i++) list->members[ends[bucket_of(table, pairs[i])]++] = i;
    return GW_OK;
}

static uint8_t *slot_of(const gw_pair_table *table, const int32_t pair[2], uint32_t shift) {
    return table->slots + (gw_pair_slot(table, hash_of(table, pair), shift) << table->slot_size);
}

// Puts the bucket's pairs into their slots under `shift`; takes them out again where one was occupied.
static bool place_bucket(gw_pair_table *table, const int32_t (*pairs)[2], int32_t first, const int32_t *members,
                         int32_t count, uint32_t shift) {
    const size_t bytes = (size_t)1 << table->slot_size;
    for (int32_t i = 0; i < count; i++) {
        const int32_t *pair = pairs[members[i]];
        const uint64_t rest = gw_pair_rest(table, hash_of(table, pair));
        uint64_t entry = 0;
        memcpy(&entry, slot_of(table, pair, shift), bytes); // little endian, as every machine this runs on
        if (entry == 0) {
            entry = rest << table->id_bits | (uint32_t)(first + members[i]);
            memcpy(slot_of(table, pair, shift), &entry, bytes);
            continue;
        }
        while (i-- > 0) memset(slot_of(table, pairs[members[i]], shift), 0, bytes);
        return false;
    }
    return true;
}

static bool place_all(gw_pair_table *table, const bucket_list *list, const int32_t (*pairs)[2], int32_t first) {
    for (int32_t size = list->fullest; size > 0; size--)
        for (int32_t b = 0; b < list->buckets; b++) {
            if (list->starts[b + 1] - list->starts[b] != size) continue;
            uint32_t shift = 0;
            while (!place_bucket(table, pairs, first, list->members + list->starts[b], size, shift))
                if (++shift == LAST_SHIFT) return false;
            table->shifts[b] = (uint16_t)shift;
        }
    return true;
}

// One try with 2^slot_bits slots.
static gw_status fill(gw_pair_table *table, const int32_t (*pairs)[2], int32_t count, int32_t first, bool *placed) {
    const int rest_bits = 2 * table->id_bits - table->slot_bits, bucket_bits = bits_for(count / BUCKET_PAIRS);
    table->bucket_down = rest_bits > bucket_bits ? rest_bits - bucket_bits : 0;
    table->slot_size = rest_bits + table->id_bits <= 32 ? 2 : 3;
    table->entry_mask = table->slot_size == 2 ? UINT32_MAX : UINT64_MAX;
    bucket_list list = {0};
    gw_status status = sort_into_buckets(&list, table, pairs, count);
    if (status == GW_OK) {
        table->shifts = gw_alloc(list.buckets, sizeof *table->shifts);
        table->slots = gw_alloc(((int64_t)1 << table->slot_bits << table->slot_size) + 8, 1);
        if (table->shifts && table->slots) *placed = place_all(table, &list, pairs, first);
        else status = GW_ERR_MEMORY;
    }
    free(list.starts);
    free(list.members);
    return status;
}

// With a slot for each hash no try fails.
gw_status gw_pair_table_make(gw_pair_table *table, const int32_t (*pairs)[2], int32_t count, int32_t first,
                             int32_t ids) {
    gw_status status = GW_OK;
    int slot_bits = bits_for(2 * (int64_t)count);
    *table = (gw_pair_table){0};
    for (bool placed = false; status == GW_OK && !placed; slot_bits++) {
        gw_pair_table_free(table);
        table->id_bits = bits_for(ids) > LEAST_ID_BITS ? bits_for(ids) : LEAST_ID_BITS;
        table->hash_mask = ((uint64_t)1 << 2 * table->id_bits) - 1;
        table->slot_bits = slot_bits;
        status = fill(table, pairs, count, first, &placed);
    }
    if (status != GW_OK) gw_pair_table_free(table);
    return status;
}

void gw_pair_table_free(gw_pair_table *table) {
    free(table->slots);
    free(table->shifts);
    *table = (gw_pair_table){0};
}

// --- passes over bytes ---------------------------------------------------------------------------------------------

// A pass replaces every pair (left, right) by its merged token, and closes the gaps in place.
//
// Merges happen in the order of ids, but two neighbours in that order may swap or share a pass where they cannot meet:
// (a, b) -> m and (c, d) -> k where b != c, d != a, and neither k is made from m. So a merge is made at the first level
// after those of all earlier merges that it can meet; the merges of a level share passes.
//
// In 64 bytes at once: a bit for each place that starts a pair, from compares of the bytes and of the bytes one
// further; the merged token goes to the starts, and the place after a start goes away. What was read lies never before
// what is written.

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

// --- the sweep -----------------------------------------------------------------------------------------------------

// Exact byte-pair encoding of a word of n letters in O(n): of all neighbouring pairs the one whose merge comes first is
// merged, the leftmost first where one merge applies several times, until no pair has a merge.
//
// A merge only makes pairs that hold the new token, and those merge later than it was made. So the merges that wait are
// taken in one sweep over the ids, from a list of positions per merged token and a bit for each list that may hold
// some. Positions of one merge never overlap, except in runs of a token that merges with itself: a run is merged as a
// whole, from its left end.
//
// A span of positions that is one token holds the token at its first and last position, so that both neighbours of a
// span are found without links. Position 0 and position n + 1 hold 0, which has no merges.
//
// Nodes [0, size) are the heads of the lists, one for each merged token; node size + p is the pair whose right span
// begins at position p: so a merge knows all pairs around it from the widths of its own two parts. Every pair is in a
// list, so that moving it needs no branch.

enum {
    LEFT_PART = 1,
    RIGHT_PART = 2,
    MOST_POSITION_BITS = 8,
    DENSE_LETTERS = 64 // words from so many letters on are merged by passes first
};

// What ids below `positions` merge into, each of which is one position at the start of a sweep.
static gw_status fill_start(gw_sweep_start *start, const gw_bpe_sweep *e, int32_t positions) {
    start->width = gw_alloc(e->size, sizeof *start->width);
    if (!start->width) return GW_ERR_MEMORY;
    for (int32_t i = 0; i < e->size; i++)
        start->width[i] = i < positions ? 1 : start->width[e->parts[i][0]] + start->width[e->parts[i][1]];
    while (1 << start->bits < positions) start->bits++;
    if (start->bits > MOST_POSITION_BITS) return GW_OK;
    start->merged = gw_alloc((int64_t)1 << 2 * start->bits, sizeof *start->merged);
    if (!start->merged) return GW_ERR_MEMORY;
    for (int32_t i = e->first_merge; i < e->size; i++)
        if (e->parts[i][0] < positions && e->parts[i][1] < positions)
            start->merged[e->parts[i][0] << start->bits | e->parts[i][1]] = i;
    return GW_OK;
}

static gw_status fill_sides(gw_bpe_sweep *e) {
    e->sides = gw_alloc(e->size, sizeof *e->sides);
    if (!e->sides) return GW_ERR_MEMORY;
    for (int32_t i = e->first_merge; i < e->size; i++) {
        e->sides[e->parts[i][0]] |= LEFT_PART;
        e->sides[e->parts[i][1]] |= RIGHT_PART;
    }
    return GW_OK;
}

gw_status gw_bpe_sweep_make(gw_bpe_sweep *e, const gw_pair_table *pairs, const int32_t (*parts)[2], int32_t size,
                            int32_t letters, bool vectors) {
    *e = (gw_bpe_sweep){.pairs = pairs, .parts = parts, .first_merge = letters, .size = size, .words = size / 64 + 1};
    e->dense_from = DENSE_LETTERS;
    gw_dense_plan(&e->dense, parts, letters, size, vectors);
    e->waiting = gw_alloc(e->words, sizeof *e->waiting);
    gw_status status = e->waiting ? gw_reserve(&e->nodes, &e->nodes_capacity, size, sizeof *e->nodes) : GW_ERR_MEMORY;
    if (status == GW_OK) status = fill_sides(e);
    if (status == GW_OK) status = fill_start(&e->plain, e, letters);
    if (status == GW_OK && e->dense.count > 0) status = fill_start(&e->densely, e, e->dense.ids);
    if (status != GW_OK) {
        gw_bpe_sweep_free(e);
        return status;
    }
    for (int32_t i = 0; i < size; i++) e->nodes[i] = (gw_sweep_node){i, i};
    return GW_OK;
}

void gw_bpe_sweep_free(gw_bpe_sweep *sweep) {
    free(sweep->plain.width);
    free(sweep->plain.merged);
    free(sweep->densely.width);
    free(sweep->densely.merged);
    free(sweep->bytes);
    free(sweep->begins);
    free(sweep->sides);
    free(sweep->waiting);
    free(sweep->nodes);
    free(sweep->token);
    *sweep = (gw_bpe_sweep){0};
}

gw_status gw_bpe_sweep_reserve(gw_bpe_sweep *sweep, int64_t letters) {
    const int64_t most = INT32_MAX - sweep->size - 2;
    if (letters > most)
        return gw_fail(GW_ERR_RANGE, "a sequence of %lld bases, expected at most %lld", (long long)letters,
                       (long long)most);
    GW_TRY(gw_reserve(&sweep->bytes, &sweep->bytes_capacity, letters + GW_DENSE_SLACK, 1));
    GW_TRY(gw_reserve(&sweep->begins, &sweep->begins_capacity, letters + 2, 1));
    GW_TRY(gw_reserve(&sweep->token, &sweep->token_capacity, letters + 2, sizeof *sweep->token));
    return gw_reserve(&sweep->nodes, &sweep->nodes_capacity, sweep->size + letters + 2, sizeof *sweep->nodes);
}

// Without a branch, which would be guessed wrong often among the pairs that a sweep begins with.
static inline void join_list(gw_bpe_sweep *e, int32_t position, int32_t merged) {
    gw_sweep_node *const nodes = e->nodes;
    const int32_t node = e->size + position, head = merged ? merged : node;
    nodes[node].next = node;
    const int32_t first = nodes[head].next;
    nodes[node] = (gw_sweep_node){first, head};
    nodes[first].before = node;
    nodes[head].next = node;
    e->waiting[merged >> 6] |= 1ull << (merged & 63);
}

static inline void leave_list(gw_bpe_sweep *e, int32_t position) {
    const gw_sweep_node node = e->nodes[e->size + position];
    e->nodes[node.before].next = node.next;
    e->nodes[node.next].before = node.before;
}

// The same around a token just made: all but the first tokens have few merges, so that the branch is guessed well.
static inline void put_pair(gw_bpe_sweep *e, int32_t position, int32_t token, int32_t merged) {
    if (__builtin_expect(token < GW_DENSE_IDS || merged, 0)) join_list(e, position, merged);
    else e->nodes[e->size + position] = (gw_sweep_node){e->size + position, e->size + position};
}

// The spans [position, middle) and [middle, end), whose pair is in no list, become one of `merged`.
static inline void merge_at(gw_bpe_sweep *e, int32_t position, int32_t middle, int32_t end, int32_t merged) {
    const uint8_t sides = e->sides[merged];
    const int32_t with_left = sides & RIGHT_PART ? gw_merged_token(e->pairs, e->token[position - 1], merged) : 0;
    const int32_t with_right = sides & LEFT_PART ? gw_merged_token(e->pairs, merged, e->token[end]) : 0;
    leave_list(e, position);
    leave_list(e, end);
    e->token[position] = e->token[end - 1] = merged;
    e->begins[middle] = 0;
    put_pair(e, position, merged, with_left);
    put_pair(e, end, merged, with_right);
}

// Merges the pairs of a token with itself, run by run.
static void merge_plain_runs(gw_bpe_sweep *e, int32_t merged, int32_t part, int32_t part_width) {
    while (e->nodes[merged].next != merged) {
        int32_t position = e->nodes[merged].next - e->size - part_width;
        while (e->token[position - 1] == part) position -= part_width; // to the left end of the run
        for (; e->token[position] == part && e->token[position + part_width] == part; position += 2 * part_width) {
            leave_list(e, position + part_width);
            merge_at(e, position, position + part_width, position + 2 * part_width, merged);
        }
    }
}

// Merges every pair that waits for `merged`. Pairs of two different tokens do not overlap, so the list can be walked as
// it was: where it goes on is known before the work on a pair is done, and a wrong guess of its end costs little.
static void merge_all(gw_bpe_sweep *e, const int32_t *width, int32_t merged) {
    const int32_t left = e->parts[merged][0], right = e->parts[merged][1];
    if (left == right) {
        merge_plain_runs(e, merged, left, width[left]);
        return;
    }
    const int32_t left_width = width[left], right_width = width[right];
    int32_t node = e->nodes[merged].next;
    e->nodes[merged] = (gw_sweep_node){merged, merged};
    while (node != merged) {
        const int32_t middle = node - e->size;
        node = e->nodes[node].next;
        merge_at(e, middle - left_width, middle, middle + right_width, merged);
    }
}

// The ids of word w whose lists hold positions; none of the word wait any more. Half of the lists that waited have lost
// their positions again: found here, that costs no wrong guess of a branch.
static int take_waiting(gw_bpe_sweep *e, int32_t w, int32_t *ids) {
    int count = 0;
    for (uint64_t bits = e->waiting[w]; bits; bits &= bits - 1) {
        const int32_t id = w * 64 + __builtin_ctzll(bits);
        ids[count] = id;
        count += e->nodes[id].next != id;
    }
    e->waiting[w] = 0;
    return count;
}

// Merges in the order of the merged tokens' ids, which is that of their ranks.
static void sweep(gw_bpe_sweep *e, const int32_t *width) {
    for (int32_t w = 0; w < e->words; w++) {
        int32_t ids[64];
        while (e->waiting[w]) {
            const int count = take_waiting(e, w, ids);
            int done = 0;
            while (done < count && !e->waiting[w]) merge_all(e, width, ids[done++]);
            for (; done < count; done++) e->waiting[w] |= 1ull << (ids[done] & 63); // a new list may come before it
        }
    }
}

// Every pair of neighbours into its list.
static void list_pairs(gw_bpe_sweep *e, const gw_sweep_start *start, int32_t positions) {
    const int32_t *token = e->token, *merged = start->merged;
    const int bits = start->bits;
    if (merged)
        for (int32_t p = positions + 1; p > 0; p--) join_list(e, p, merged[token[p - 1] << bits | token[p]]);
    else
        for (int32_t p = positions + 1; p > 0; p--) join_list(e, p, gw_merged_token(e->pairs, token[p - 1], token[p]));
}

static int32_t merge_position(gw_bpe_sweep *e, const gw_sweep_start *start, int32_t positions) {
    e->token[0] = e->token[positions + 1] = 0;
    memset(e->begins, 1, (size_t)positions + 2);
    list_pairs(e, start, positions);
    sweep(e, start->width);
    int32_t written = 0; // the tokens move to the front of their own array, never past a position still to be read
    for (int32_t p = 1; p <= positions; p++) {
        e->token[written] = e->token[p];
        written += e->begins[p];
    }
    return written;
}

int32_t gw_bpe_sweep_run(gw_bpe_sweep *e, int32_t letters) {
    return merge_position(e, &e->plain, letters);
}

int32_t gw_bpe_sweep_run_bytes(gw_bpe_sweep *e, int32_t letters) {
    const bool densely = letters >= e->dense_from && e->dense.count > 0;
    const int32_t positions = densely ? (int32_t)gw_dense_merge(&e->dense, e->bytes, letters) : letters;
    for (int32_t i = 0; i < positions; i++) e->token[i + 1] = e->bytes[i];
    return merge_position(e, densely ? &e->densely : &e->plain, positions);
}
