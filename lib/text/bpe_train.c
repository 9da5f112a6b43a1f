// SPDX-License-Identifier: MIT
// Learns byte-pair merges: the most frequent pair of neighbours becomes a token, repeatedly.
//
// count(l, r) is the number of neighbouring tokens l, r within words, including overlapping ones in runs. Of equal
// counts the smaller l, then the smaller r, is taken. This is the rule of Hugging Face's BpeTrainer with min_frequency
// 2.
//
// The text is one array with breaks between words. A span of letters holds its token at its first and last position.
// Every pair with at least two occurrences keeps their positions, in order. Only making a token adds occurrences, all
// of pairs with this token, so a list is complete when it is made and afterwards only loses positions. The heap is
// sorted by counts that may be too high; the top pair is counted again before it is used.
#include "base/log.h"
#include "base/memory.h"
#include "text/dna/vocabulary.h"
#include "text/json/own_json.h"
#include "text/json/pieces.h"

#include <stdlib.h>
#include <string.h>

enum { BREAK = 0, LEAST_COUNT = 2, PREFETCH = 16 };
static const uint32_t INSIDE = UINT32_MAX; // a position within a span

typedef struct {
    int32_t left, right;
    uint32_t count;      // length of positions; the pair's count when they were last checked
    uint32_t *positions; // first position of the left span, ascending
} counted_pair;

typedef struct {
    // letters are the ids [first_letter, first_merge), at most some hundreds; ids below are never part of a merge
    uint32_t first_letter, first_merge;
    uint32_t *text;
    int64_t length, capacity, letters;
    // While learning:
    uint32_t *width; // [size] letters of a token, 1 for those below the letters
    int32_t tokens;  // made so far
    counted_pair *heap;
    int64_t pairs, heap_capacity;
    struct side {
        uint32_t *counts;     // [size] of the pairs of the new token with each token on this side; zero between merges
        uint32_t **positions; // [size] their lists while being filled
        int32_t *seen;        // tokens with a count
        int32_t seen_count;
    } sides[2];
} learner;

// A word: ids[byte] of each of its bytes.
static gw_status learner_add(learner *t, const uint16_t ids[256], const char *word, int64_t length) {
    if (t->length + length + 1 >= UINT32_MAX)
        return gw_fail(GW_ERR_RANGE, "more than %u letters to learn from: use a part of the corpus", UINT32_MAX);
    GW_TRY(gw_reserve(&t->text, &t->capacity, t->length + length + 1, sizeof *t->text));
    for (int64_t i = 0; i < length; i++) {
        const uint32_t letter = ids[(uint8_t)word[i]];
        t->text[t->length++] = letter;
        t->letters += letter >= t->first_letter;
    }
    t->text[t->length++] = BREAK;
    return GW_OK;
}

// --- the heap of pairs ---------------------------------------------------------------------------------------------

static bool goes_first(const counted_pair *a, const counted_pair *b) {
    if (a->count != b->count) return a->count > b->count;
    return a->left != b->left ? a->left < b->left : a->right < b->right;
}

static gw_status push(learner *t, counted_pair pair) {
    GW_TRY(gw_reserve(&t->heap, &t->heap_capacity, t->pairs + 1, sizeof *t->heap));
    int64_t at = t->pairs++;
    for (; at > 0 && goes_first(&pair, &t->heap[(at - 1) / 2]); at = (at - 1) / 2) t->heap[at] = t->heap[(at - 1) / 2];
    t->heap[at] = pair;
    return GW_OK;
}

static counted_pair pop(learner *t) {
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
static inline bool stands_at(const learner *t, const counted_pair *pair, uint32_t position) {
    return t->text[position] == (uint32_t)pair->left &&
           t->text[position + t->width[pair->left]] == (uint32_t)pair->right;
}

static inline void prefetch_position(const learner *t, const counted_pair *pair, uint32_t i) {
    if (i + PREFETCH < pair->count) __builtin_prefetch(&t->text[pair->positions[i + PREFETCH]]);
}

static void recount(const learner *t, counted_pair *pair) {
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
static void merge_everywhere(learner *t, counted_pair *pair, uint32_t token) {
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

// The neighbour of the new token at `position`: the left one (side 0) or the right one (side 1). A pair of two new
// tokens belongs to side 1 alone; a break stands for it on side 0.
static inline uint32_t neighbour(const learner *t, uint32_t position, uint32_t token, int side) {
    const uint32_t found = t->text[side == 0 ? position - 1 : position + t->width[token]];
    return side == 0 && found == token ? BREAK : found;
}

// Takes a pair into the heap with a list that is to be filled; *positions stays NULL where it is too rare.
static gw_status open_list(learner *t, int32_t left, int32_t right, uint32_t count, uint32_t **positions) {
    if (count < LEAST_COUNT) return GW_OK;
    *positions = malloc(count * sizeof **positions);
    if (!*positions) return gw_fail(GW_ERR_MEMORY, "out of memory: the positions of %u pairs", count);
    const gw_status status = push(t, (counted_pair){left, right, count, *positions});
    if (status != GW_OK) free(*positions);
    return status;
}

// The pairs that the new token makes with its neighbours; `made` lists its positions.
static gw_status add_pairs_of(learner *t, uint32_t token, const counted_pair *made) {
    for (int which = 0; which < 2; which++) {
        struct side *side = &t->sides[which];
        side->seen_count = 0;
        for (uint32_t i = 0; i < made->count; i++) {
            prefetch_position(t, made, i);
            const uint32_t other = neighbour(t, made->positions[i], token, which);
            if (other >= t->first_letter && side->counts[other]++ == 0) side->seen[side->seen_count++] = (int32_t)other;
        }
        for (int32_t i = 0; i < side->seen_count; i++) {
            const int32_t other = side->seen[i], made_token = (int32_t)token;
            const uint32_t count = side->counts[other];
            side->counts[other] = 0;
            GW_TRY(open_list(t, which == 0 ? other : made_token, which == 0 ? made_token : other, count,
                             &side->positions[other]));
        }
        for (uint32_t i = 0; i < made->count; i++) {
            prefetch_position(t, made, i);
            const uint32_t position = made->positions[i], other = neighbour(t, position, token, which);
            if (other < t->first_letter || !side->positions[other]) continue;
            *side->positions[other]++ = which == 0 ? position - t->width[other] : position;
        }
        for (int32_t i = 0; i < side->seen_count; i++) side->positions[side->seen[i]] = NULL;
    }
    return GW_OK;
}

// Where the pair of letters that begins at position i is counted; -1: one of the two is none.
static inline int64_t cell_of(const learner *t, int64_t i) {
    const uint32_t left = t->text[i], right = t->text[i + 1];
    return left < t->first_letter || right < t->first_letter ? -1 : (int64_t)left * t->first_merge + right;
}

static gw_status fill_pairs_of_letters(learner *t, uint32_t *counts, uint32_t **positions) {
    const int64_t ids = t->first_merge;
    for (int64_t i = 0; i + 1 < t->length; i++)
        if (cell_of(t, i) >= 0) counts[cell_of(t, i)]++;
    for (int64_t cell = 0; cell < ids * ids; cell++)
        GW_TRY(open_list(t, (int32_t)(cell / ids), (int32_t)(cell % ids), counts[cell], &positions[cell]));
    for (int64_t i = 0; i + 1 < t->length; i++) {
        const int64_t cell = cell_of(t, i);
        if (cell >= 0 && positions[cell]) *positions[cell]++ = (uint32_t)i;
    }
    return GW_OK;
}

static gw_status add_pairs_of_letters(learner *t) {
    const int64_t cells = (int64_t)t->first_merge * t->first_merge;
    uint32_t *counts = gw_alloc(cells, sizeof *counts), **positions = gw_alloc(cells, sizeof *positions);
    const gw_status status = counts && positions ? fill_pairs_of_letters(t, counts, positions) : GW_ERR_MEMORY;
    free(counts);
    free(positions);
    return status;
}

// --- learning ------------------------------------------------------------------------------------------------------

// The most frequent pair with its true count; count 0 where no pair is frequent enough. The caller frees its positions.
static gw_status take_best(learner *t, counted_pair *best) {
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

// Learns merges until there are `size` ids or no pair occurs twice: merges[0 .. *count), room for size - first_merge,
// pairs of ids; merge k makes id first_merge + k. *merged: their occurrences, so that letters - *merged tokens are
// left. A learner runs once.
static gw_status learner_run(learner *t, int32_t size, int32_t (*merges)[2], int64_t *count, int64_t *merged) {
    const int32_t first = (int32_t)t->first_merge;
    *count = *merged = 0;
    t->width = gw_alloc(size, sizeof *t->width);
    if (!t->width) return GW_ERR_MEMORY;
    for (uint32_t i = 0; i < t->first_merge; i++) t->width[i] = 1;
    t->tokens = (int32_t)t->first_merge;
    for (int s = 0; s < 2; s++) {
        struct side *side = &t->sides[s];
        side->counts = gw_alloc(size, sizeof *side->counts);
        side->positions = gw_alloc(size, sizeof *side->positions);
        side->seen = gw_alloc(size, sizeof *side->seen);
        if (!side->counts || !side->positions || !side->seen) return GW_ERR_MEMORY;
    }
    GW_TRY(add_pairs_of_letters(t));
    while (t->tokens < size) {
        GW_TRY(gw_check_interrupt());
        counted_pair best;
        GW_TRY(take_best(t, &best));
        if (best.count == 0) break;
        int32_t *merge = merges[(*count)++];
        merge[0] = best.left;
        merge[1] = best.right;
        t->width[t->tokens] = t->width[best.left] + t->width[best.right];
        merge_everywhere(t, &best, (uint32_t)t->tokens);
        *merged += best.count;
        const gw_status status = add_pairs_of(t, (uint32_t)t->tokens, &best);
        free(best.positions);
        GW_TRY(status);
        t->tokens++;
        gw_progress("learning merges", *count, size - first, "merges", NULL);
    }
    return GW_OK;
}

// --- two alphabets -------------------------------------------------------------------------------------------------

// Nucleotide letters, whose merges are a vocabulary of DNA, and bytes, whose merges become a tokenizer.json.
// Nucleotides have the ids that they have in that vocabulary (A C G T N, where Hugging Face's trainer has A C G N T),
// bytes those of their letters in the order of code points, as there.

struct gw_bpe_trainer {
    learner learner;
    uint16_t ids[256]; // of bytes
    bool of_bytes;
    double mean; // letters a token
};

void gw_bpe_trainer_free(gw_bpe_trainer *trainer) {
    if (!trainer) return;
    learner *t = &trainer->learner;
    for (int64_t i = 0; i < t->pairs; i++) free(t->heap[i].positions);
    free(t->heap);
    free(t->width);
    for (int s = 0; s < 2; s++) {
        free(t->sides[s].counts);
        free(t->sides[s].positions);
        free(t->sides[s].seen);
    }
    free(t->text);
    free(trainer);
}

static gw_status make_trainer(int32_t first_merge, gw_bpe_trainer **out) {
    gw_bpe_trainer *trainer = *out = gw_alloc(1, sizeof *trainer);
    if (!trainer) return GW_ERR_MEMORY;
    trainer->learner.first_letter = GW_SPECIAL_TOKENS;
    trainer->learner.first_merge = (uint32_t)first_merge;
    const gw_status status = learner_add(&trainer->learner, NULL, "", 0); // the text opens with a break
    if (status == GW_OK) return GW_OK;
    gw_bpe_trainer_free(trainer);
    *out = NULL;
    return status;
}

gw_status gw_bpe_trainer_new(gw_bpe_trainer **out) {
    GW_TRY(make_trainer(GW_FIRST_MERGE, out));
    for (int byte = 0; byte < 256; byte++) (*out)->ids[byte] = gw_letter_ids[byte];
    return GW_OK;
}

gw_status gw_bpe_trainer_new_bytes(gw_bpe_trainer **out) {
    GW_TRY(make_trainer(GW_FIRST_BYTE_MERGE, out));
    (*out)->of_bytes = true;
    gw_byte_ids((*out)->ids);
    return GW_OK;
}

gw_status gw_bpe_trainer_add(gw_bpe_trainer *trainer, const char *text, int64_t length) {
    static const gw_text_pattern words = {.kind = GW_PATTERN_GPT2};
    if (!trainer->of_bytes) return learner_add(&trainer->learner, trainer->ids, text, length);
    for (gw_match_walk walk = gw_match_walk_over(&words, NULL, text, length);;) {
        GW_TRY(gw_match_walk_next(&walk));
        if (walk.begin < 0) return GW_OK;
        GW_TRY(learner_add(&trainer->learner, trainer->ids, text + walk.begin, walk.end - walk.begin));
    }
}

gw_status gw_bpe_trainer_run(gw_bpe_trainer *trainer, int32_t size, gw_tokenizer **out) {
    const int32_t first = trainer->of_bytes ? GW_FIRST_BYTE_MERGE : GW_FIRST_MERGE;
    const int64_t letters = trainer->learner.letters;
    *out = NULL;
    if (size < first || size > GW_LARGEST_VOCABULARY)
        return gw_fail(GW_ERR_RANGE, "a vocabulary of %d tokens, expected %d to %d", size, first,
                       GW_LARGEST_VOCABULARY);
    if (letters == 0) return gw_fail(GW_ERR_FORMAT, "no %s to learn from", trainer->of_bytes ? "text" : "bases");
    int64_t count, merged;
    int32_t(*merges)[2] = gw_alloc(size - first, sizeof *merges);
    if (!merges) return GW_ERR_MEMORY;
    gw_status status = learner_run(&trainer->learner, size, merges, &count, &merged);
    const int32_t(*learnt)[2] = (const int32_t(*)[2])merges;
    if (status == GW_OK)
        status =
            trainer->of_bytes ? gw_byte_level_new(learnt, count, out) : gw_tokenizer_from_merges(learnt, count, out);
    free(merges);
    if (status != GW_OK) return status;
    trainer->mean = (double)letters / (double)(letters - merged);
    if (!trainer->of_bytes) (*out)->mean_bases = trainer->mean;
    return GW_OK;
}

double gw_bpe_trainer_mean(const gw_bpe_trainer *trainer) {
    return trainer->mean;
}
