// SPDX-License-Identifier: MIT
// Learning byte-pair merges: the most frequent pair of neighbours becomes a token, again and again.
//
// count(l, r) = neighbouring spans l, r inside the sentences, overlapping ones in runs included. Ties go to the smaller
// l, then the smaller r. This is the rule of Hugging Face's BpeTrainer with min_frequency 2, and the merges are the
// same up to the order of the letters' ids (there A C G N T).
//
// The text is one array with [PAD] between the sentences; a span of bases holds its token at its first and last
// position and nothing in between. Every pair that occurs twice keeps the positions where it did, in order. Only the
// making of a token adds occurrences, all of pairs that hold it, so a list is complete when it is made and afterwards
// only loses positions. The heap is ordered by counts that may be too high; the pair on top is recounted before it is
// believed.
#include "base/log.h"
#include "base/memory.h"
#include "text/dna/vocabulary.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_COUNT = 2, PREFETCH = 16 };
static const uint32_t INSIDE = UINT32_MAX; // a position within a span

typedef struct {
    int32_t left, right;
    uint32_t count;      // length of positions; the pair's count when they were last checked
    uint32_t *positions; // first position of the left span, ascending
} counted_pair;

struct gw_bpe_trainer {
    uint32_t *text;
    int64_t length, capacity, bases;
    // While learning:
    uint32_t *width; // [size] bases of a token, 1 for [PAD] and [UNK]
    int32_t tokens;  // made so far
    counted_pair *heap;
    int64_t pairs, heap_capacity;
    struct side {
        uint32_t *counts;     // [size] of the pairs of the new token with each token on this side; zero between merges
        uint32_t **positions; // [size] their lists while being filled
        int32_t *seen;        // tokens with a count
        int32_t seen_count;
    } sides[2];
};

gw_status gw_bpe_trainer_new(gw_bpe_trainer **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    const gw_status status = gw_bpe_trainer_add(*out, "", 0); // the text opens with a [PAD]
    if (status != GW_OK) {
        gw_bpe_trainer_free(*out);
        *out = NULL;
    }
    return status;
}

gw_status gw_bpe_trainer_add(gw_bpe_trainer *t, const char *bases, int64_t length) {
    if (t->length + length + 1 >= UINT32_MAX)
        return gw_fail(GW_ERR_RANGE, "more than %u bases to learn from: use a part of the corpus", UINT32_MAX);
    GW_TRY(gw_reserve(&t->text, &t->capacity, t->length + length + 1, sizeof *t->text));
    for (int64_t i = 0; i < length; i++) {
        const uint32_t letter = gw_letter_ids[(uint8_t)bases[i]];
        t->text[t->length++] = letter;
        t->bases += letter >= GW_SPECIAL_TOKENS;
    }
    t->text[t->length++] = GW_TOKEN_PAD;
    return GW_OK;
}

static void free_learning(gw_bpe_trainer *t) {
    for (int64_t i = 0; i < t->pairs; i++) free(t->heap[i].positions);
    free(t->heap);
    free(t->width);
    for (int s = 0; s < 2; s++) {
        free(t->sides[s].counts);
        free(t->sides[s].positions);
        free(t->sides[s].seen);
    }
}

void gw_bpe_trainer_free(gw_bpe_trainer *trainer) {
    if (!trainer) return;
    free_learning(trainer);
    free(trainer->text);
    free(trainer);
}

// --- the heap of pairs ---------------------------------------------------------------------------------------------

static bool goes_first(const counted_pair *a, const counted_pair *b) {
    if (a->count != b->count) return a->count > b->count;
    return a->left != b->left ? a->left < b->left : a->right < b->right;
}

static gw_status push(gw_bpe_trainer *t, counted_pair pair) {
    GW_TRY(gw_reserve(&t->heap, &t->heap_capacity, t->pairs + 1, sizeof *t->heap));
    int64_t at = t->pairs++;
    for (; at > 0 && goes_first(&pair, &t->heap[(at - 1) / 2]); at = (at - 1) / 2) t->heap[at] = t->heap[(at - 1) / 2];
    t->heap[at] = pair;
    return GW_OK;
}

static counted_pair pop(gw_bpe_trainer *t) {
    const counted_pair top = t->heap[0], moved = t->heap[--t->pairs];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < t->pairs; at = child) {
        if (child + 1 < t->pairs && goes_first(&t->heap[child + 1], &t->heap[child])) child++;
        if (!goes_first(&t->heap[child], &moved)) break;
        t->heap[at] = t->heap[child];
    }
    t->heap[at] = moved;
    return top;
}

// --- occurrences ---------------------------------------------------------------------------------------------------

// Whether the pair still stands at a position where it once stood. Spans only grow, and a longer span at this position
// is another token, so the token alone says that the span is the same.
static inline bool stands_at(const gw_bpe_trainer *t, const counted_pair *pair, uint32_t position) {
    return t->text[position] == (uint32_t)pair->left &&
           t->text[position + t->width[pair->left]] == (uint32_t)pair->right;
}

static inline void prefetch_position(const gw_bpe_trainer *t, const counted_pair *pair, uint32_t i) {
    if (i + PREFETCH < pair->count) __builtin_prefetch(&t->text[pair->positions[i + PREFETCH]]);
}

static void recount(const gw_bpe_trainer *t, counted_pair *pair) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pair->count; i++) {
        prefetch_position(t, pair, i);
        if (stands_at(t, pair, pair->positions[i])) pair->positions[kept++] = pair->positions[i];
    }
    if (kept < pair->count / 2) {
        uint32_t *smaller = realloc(pair->positions, (kept + 1) * sizeof *smaller);
        if (smaller) pair->positions = smaller;
    }
    pair->count = kept;
}

// Makes the token at every occurrence from left to right, so that a run a a a becomes aa a. The positions of the new
// token remain in the pair's list.
static void merge_everywhere(gw_bpe_trainer *t, counted_pair *pair, uint32_t token) {
    const uint32_t left_width = t->width[pair->left], width = t->width[token];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pair->count; i++) {
        prefetch_position(t, pair, i);
        const uint32_t position = pair->positions[i];
        if (!stands_at(t, pair, position)) continue;
        t->text[position + left_width - 1] = t->text[position + left_width] = INSIDE;
        t->text[position] = t->text[position + width - 1] = token;
        pair->positions[kept++] = position;
    }
    pair->count = kept;
}

static inline void count_neighbour(struct side *side, uint32_t token) {
    if (token >= GW_SPECIAL_TOKENS && side->counts[token]++ == 0) side->seen[side->seen_count++] = (int32_t)token;
}

// The neighbour of the new token at `position`: the left one (side 0) or the right one (side 1). A pair of two new
// tokens belongs to side 1 alone; [PAD] stands for it on side 0.
static inline uint32_t neighbour(const gw_bpe_trainer *t, uint32_t position, uint32_t token, int side) {
    const uint32_t found = t->text[side == 0 ? position - 1 : position + t->width[token]];
    return side == 0 && found == token ? GW_TOKEN_PAD : found;
}

// Takes each counted pair that is frequent enough into the heap, with a list to be filled.
static gw_status open_lists(gw_bpe_trainer *t, uint32_t token, int which) {
    struct side *side = &t->sides[which];
    for (int32_t i = 0; i < side->seen_count; i++) {
        const int32_t other = side->seen[i];
        const uint32_t count = side->counts[other];
        side->counts[other] = 0;
        if (count < LEAST_COUNT) continue;
        uint32_t *positions = malloc(count * sizeof *positions);
        if (!positions) return gw_fail(GW_ERR_MEMORY, "out of memory: the positions of %u pairs", count);
        const counted_pair pair = {which == 0 ? other : (int32_t)token, which == 0 ? (int32_t)token : other, count,
                                   positions};
        side->positions[other] = positions;
        const gw_status status = push(t, pair);
        if (status != GW_OK) {
            free(positions);
            return status;
        }
    }
    return GW_OK;
}

// The pairs that the new token makes with its neighbours; `made` lists its positions.
static gw_status add_pairs_of(gw_bpe_trainer *t, uint32_t token, const counted_pair *made) {
    for (int which = 0; which < 2; which++) {
        struct side *side = &t->sides[which];
        side->seen_count = 0;
        for (uint32_t i = 0; i < made->count; i++) {
            prefetch_position(t, made, i);
            count_neighbour(side, neighbour(t, made->positions[i], token, which));
        }
        GW_TRY(open_lists(t, token, which));
        for (uint32_t i = 0; i < made->count; i++) {
            prefetch_position(t, made, i);
            const uint32_t position = made->positions[i], other = neighbour(t, position, token, which);
            if (other < GW_SPECIAL_TOKENS || !side->positions[other]) continue;
            *side->positions[other]++ = which == 0 ? position - t->width[other] : position;
        }
        for (int32_t i = 0; i < side->seen_count; i++) side->positions[side->seen[i]] = NULL;
    }
    return GW_OK;
}

// The pairs of letters: each letter in turn is the left one.
static gw_status add_pairs_of_letters(gw_bpe_trainer *t) {
    struct side *side = &t->sides[1];
    for (uint32_t letter = GW_SPECIAL_TOKENS; letter < GW_FIRST_MERGE; letter++) {
        side->seen_count = 0;
        for (int64_t i = 0; i < t->length; i++)
            if (t->text[i] == letter) count_neighbour(side, t->text[i + 1]);
        GW_TRY(open_lists(t, letter, 1));
        for (int64_t i = 0; i < t->length; i++) {
            if (t->text[i] != letter) continue;
            const uint32_t other = t->text[i + 1];
            if (other >= GW_SPECIAL_TOKENS && side->positions[other]) *side->positions[other]++ = (uint32_t)i;
        }
        for (int32_t i = 0; i < side->seen_count; i++) side->positions[side->seen[i]] = NULL;
    }
    return GW_OK;
}

// --- learning ------------------------------------------------------------------------------------------------------

static gw_status prepare(gw_bpe_trainer *t, int32_t size) {
    t->width = gw_alloc(size, sizeof *t->width);
    if (!t->width) return GW_ERR_MEMORY;
    for (int32_t i = 0; i < GW_FIRST_MERGE; i++) t->width[i] = 1;
    t->tokens = GW_FIRST_MERGE;
    for (int s = 0; s < 2; s++) {
        struct side *side = &t->sides[s];
        side->counts = gw_alloc(size, sizeof *side->counts);
        side->positions = gw_alloc(size, sizeof *side->positions);
        side->seen = gw_alloc(size, sizeof *side->seen);
        if (!side->counts || !side->positions || !side->seen) return GW_ERR_MEMORY;
    }
    return add_pairs_of_letters(t);
}

// The most frequent pair with its true count; count 0 where no pair is frequent enough. The caller frees its positions.
static gw_status take_best(gw_bpe_trainer *t, counted_pair *best) {
    while (t->pairs > 0) {
        *best = pop(t);
        recount(t, best);
        if (best->count >= LEAST_COUNT && (t->pairs == 0 || goes_first(best, &t->heap[0]))) return GW_OK;
        if (best->count < LEAST_COUNT) {
            free(best->positions);
            continue;
        }
        const gw_status status = push(t, *best);
        if (status == GW_OK) continue;
        free(best->positions);
        return status;
    }
    *best = (counted_pair){0};
    return GW_OK;
}

static gw_status learn(gw_bpe_trainer *t, int32_t size, int32_t (*merges)[2], int64_t *merged) {
    while (t->tokens < size) {
        GW_TRY(gw_check_interrupt());
        counted_pair best;
        GW_TRY(take_best(t, &best));
        if (best.count == 0) break;
        int32_t *merge = merges[t->tokens - GW_FIRST_MERGE];
        merge[0] = best.left;
        merge[1] = best.right;
        t->width[t->tokens] = t->width[best.left] + t->width[best.right];
        merge_everywhere(t, &best, (uint32_t)t->tokens);
        *merged += best.count;
        const gw_status status = add_pairs_of(t, (uint32_t)t->tokens, &best);
        free(best.positions);
        GW_TRY(status);
        t->tokens++;
        gw_progress("learning merges", t->tokens - GW_FIRST_MERGE, size - GW_FIRST_MERGE, "merges", NULL);
    }
    return GW_OK;
}

gw_status gw_bpe_trainer_run(gw_bpe_trainer *trainer, int32_t size, gw_tokenizer **out) {
    *out = NULL;
    if (size < GW_FIRST_MERGE || size > GW_LARGEST_VOCABULARY)
        return gw_fail(GW_ERR_RANGE, "a vocabulary of %d tokens, expected %d to %d", size, GW_FIRST_MERGE,
                       GW_LARGEST_VOCABULARY);
    if (trainer->bases == 0) return gw_fail(GW_ERR_FORMAT, "no bases to learn from");
    int64_t merged = 0; // occurrences, so bases - merged tokens are left
    int32_t(*merges)[2] = gw_alloc(size - GW_FIRST_MERGE, sizeof *merges);
    if (!merges) return GW_ERR_MEMORY;
    gw_status status = prepare(trainer, size);
    if (status == GW_OK) status = learn(trainer, size, merges, &merged);
    if (status == GW_OK) status = gw_tokenizer_from_merges(merges, trainer->tokens - GW_FIRST_MERGE, out);
    if (status == GW_OK) (*out)->mean_bases = (double)trainer->bases / (double)(trainer->bases - merged);
    free(merges);
    return status;
}
