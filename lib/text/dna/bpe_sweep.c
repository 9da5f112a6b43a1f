// SPDX-License-Identifier: MIT
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
#include "text/dna/bpe_sweep.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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
static void merge_runs(gw_bpe_sweep *e, int32_t merged, int32_t part, int32_t part_width) {
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
        merge_runs(e, merged, left, width[left]);
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
