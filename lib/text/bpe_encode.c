// SPDX-License-Identifier: MIT
// Exact byte-pair encoding of a word of n bases in O(n): of all neighbouring pairs the one whose merge comes first is
// merged, the leftmost first where one merge applies several times, until no pair has a merge.
//
// A merge only makes pairs that hold the new token, and those merge later than it was made. So the merges that wait are
// taken in one sweep over the ids, from a list of places per merged token and a bit for each list that may hold some.
// Places of one merge never overlap, except in runs of a token that merges with itself: a run is merged as a whole,
// from its left end.
//
// A span of bases that is one token holds the token at its first and last place, so that both neighbours of a span are
// found without links. Place 0 and place n + 1 hold [PAD], which has no merges.
#include "base/memory.h"
#include "text/vocabulary.h"

#include <stdlib.h>

enum { NO_MERGE = 0 }; // the list of pairs that do not merge

// A node of a circular list. Nodes [0, size) are the heads of the lists, one for each merged token; node size + p is
// the pair whose left span begins at place p. Every pair is in a list, so that moving it needs no branch.
typedef struct {
    int32_t next, before;
} list_node;

typedef struct {
    const gw_dna_vocabulary *vocabulary;
    int32_t size;
    int32_t *width;    // [size] places a token takes: its bases, 1 for specials
    uint64_t *waiting; // [words] bits: the list of this token may hold places
    int32_t words;
    list_node *nodes; // [size + places]
    int32_t *token;   // [places] at the first and last place of a span
    int64_t nodes_capacity, token_capacity;
    int32_t letter_pairs[GW_FIRST_MERGE][GW_FIRST_MERGE]; // what pairs of letters merge into
} bpe_scratch;

void gw_dna_scratch_free(void *scratch) {
    bpe_scratch *e = scratch;
    if (!e) return;
    free(e->width);
    free(e->waiting);
    free(e->nodes);
    free(e->token);
    free(e);
}

gw_status gw_dna_scratch_new(const gw_tokenizer *tokenizer, void **out) {
    *out = NULL;
    bpe_scratch *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    e->vocabulary = tokenizer->state;
    e->size = tokenizer->size;
    e->words = e->size / 64 + 1;
    e->width = gw_alloc(e->size, sizeof *e->width);
    e->waiting = gw_alloc(e->words, sizeof *e->waiting);
    if (!e->width || !e->waiting || gw_reserve(&e->nodes, &e->nodes_capacity, e->size, sizeof *e->nodes) != GW_OK) {
        gw_dna_scratch_free(e);
        return GW_ERR_MEMORY;
    }
    for (int32_t i = 0; i < e->size; i++) {
        e->width[i] = i < GW_SPECIAL_TOKENS ? 1 : tokenizer->bases[i];
        e->nodes[i] = (list_node){i, i};
    }
    for (int32_t i = 0; i < GW_FIRST_MERGE; i++)
        for (int32_t j = 0; j < GW_FIRST_MERGE; j++)
            e->letter_pairs[i][j] = gw_merged_token(&e->vocabulary->pairs, i, j);
    *out = e;
    return GW_OK;
}

static inline void join_list(bpe_scratch *e, int32_t place, int32_t merged) {
    list_node *const nodes = e->nodes;
    const int32_t node = e->size + place, first = nodes[merged].next;
    nodes[node] = (list_node){first, merged};
    nodes[first].before = node;
    nodes[merged].next = node;
    e->waiting[merged >> 6] |= 1ull << (merged & 63);
}

static inline void leave_list(bpe_scratch *e, int32_t place) {
    const list_node node = e->nodes[e->size + place];
    e->nodes[node.before].next = node.next;
    e->nodes[node.next].before = node.before;
}

// The spans [place, middle) and [middle, end), whose pair is in no list, become one of `merged`.
static inline void merge_at(bpe_scratch *e, int32_t place, int32_t middle, int32_t end, int32_t merged) {
    const int32_t left = e->token[place - 1], right = e->token[end];
    const int32_t left_place = place - e->width[left];
    const int32_t with_left = gw_merged_token(&e->vocabulary->pairs, left, merged);
    const int32_t with_right = gw_merged_token(&e->vocabulary->pairs, merged, right);
    leave_list(e, left_place);
    leave_list(e, middle);
    e->token[place] = e->token[end - 1] = merged;
    join_list(e, left_place, with_left);
    join_list(e, place, with_right);
}

// Merges the pairs of a token with itself, run by run.
static void merge_runs(bpe_scratch *e, int32_t merged, int32_t part) {
    const int32_t width = e->width[merged];
    while (e->nodes[merged].next != merged) {
        int32_t place = e->nodes[merged].next - e->size;
        while (e->token[place - 1] == part) place -= width / 2; // to the left end of the run
        for (; e->token[place] == part && e->token[place + width / 2] == part; place += width) {
            leave_list(e, place);
            merge_at(e, place, place + width / 2, place + width, merged);
        }
    }
}

// Merges every pair that waits for `merged`. Pairs of two different tokens do not overlap, so the list can be walked as
// it was: where it goes on is known before the work on a pair is done, and a wrong guess of its end costs little.
static void merge_all(bpe_scratch *e, int32_t merged) {
    const int32_t left = e->vocabulary->parts[merged][0], right = e->vocabulary->parts[merged][1];
    if (left == right) {
        merge_runs(e, merged, left);
        return;
    }
    const int32_t left_width = e->width[left], width = e->width[merged];
    int32_t node = e->nodes[merged].next;
    e->nodes[merged] = (list_node){merged, merged};
    while (node != merged) {
        const int32_t place = node - e->size;
        node = e->nodes[node].next;
        merge_at(e, place, place + left_width, place + width, merged);
    }
}

// [UNK] for what is no nucleotide letter: one for a whole UTF-8 character, whose bytes after the first give [PAD].
static inline int32_t token_of_byte(uint8_t byte) {
    const int32_t letter = gw_letter_ids[byte];
    return letter || (byte & 0xC0) == 0x80 ? letter : GW_TOKEN_UNK;
}

// Letters of the text into places 1 .. , and every pair into its list; returns the number of letters.
static int32_t place_letters(bpe_scratch *e, const char *bases, int64_t length) {
    int32_t places = 0;
    e->token[0] = GW_TOKEN_PAD;
    for (int64_t i = 0; i < length; i++) {
        const int32_t letter = token_of_byte((uint8_t)bases[i]);
        if (letter != GW_TOKEN_PAD) e->token[++places] = letter;
    }
    e->token[places + 1] = GW_TOKEN_PAD;
    e->nodes[NO_MERGE] = (list_node){NO_MERGE, NO_MERGE};
    for (int32_t p = places; p >= 0; p--) join_list(e, p, e->letter_pairs[e->token[p]][e->token[p + 1]]);
    e->waiting[NO_MERGE >> 6] &= ~(1ull << (NO_MERGE & 63));
    return places;
}

// Merges in the order of the merged tokens' ids, which is that of their ranks.
static void sweep(bpe_scratch *e) {
    for (int32_t w = 0; w < e->words; w++) {
        const uint64_t lists = w == 0 ? ~1ull : ~0ull; // all but NO_MERGE
        while (e->waiting[w] & lists) {
            const int bit = __builtin_ctzll(e->waiting[w] & lists);
            merge_all(e, w * 64 + bit);
            e->waiting[w] &= ~(1ull << bit);
        }
    }
}

gw_status gw_dna_encode(void *scratch, const char *bases, int64_t length, gw_encoded *out) {
    bpe_scratch *e = scratch;
    const int32_t most = INT32_MAX - GW_LARGEST_VOCABULARY - 2;
    if (length > most)
        return gw_fail(GW_ERR_RANGE, "a sequence of %lld bases, expected at most %d", (long long)length, most);
    GW_TRY(gw_reserve(&e->token, &e->token_capacity, length + 2, sizeof *e->token));
    GW_TRY(gw_reserve(&e->nodes, &e->nodes_capacity, e->size + length + 1, sizeof *e->nodes));
    const int32_t places = place_letters(e, bases, length);
    sweep(e);
    int32_t written = 0; // the tokens move to the front of their own array, never past a place still to be read
    for (int32_t p = 1; p <= places;) {
        const int32_t token = e->token[p];
        e->token[written++] = token;
        p += e->width[token];
    }
    *out = (gw_encoded){.tokens = e->token, .count = written};
    return GW_OK;
}
