// SPDX-License-Identifier: MIT
// The most frequent pair of neighbours becomes a token, again and again.
//
// The text is one array with breaks between the words; a span of letters holds its token at its first and last position
// and nothing in between. Every pair that occurs twice keeps the positions where it did, in order. Only the making of a
// token adds occurrences, all of pairs that hold it, so a list is complete when it is made and afterwards only loses
// positions. The heap is ordered by counts that may be too high; the pair on top is recounted before it is believed.
#include "base/log.h"
#include "base/memory.h"
#include "text/bpe_learn.h"
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

struct gw_bpe_learner {
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
};

gw_status gw_bpe_learner_new(int32_t first_letter, int32_t first_merge, gw_bpe_learner **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    (*out)->first_letter = (uint32_t)first_letter;
    (*out)->first_merge = (uint32_t)first_merge;
    const gw_status status = gw_bpe_learner_add(*out, NULL, "", 0); // the text opens with a break
    if (status != GW_OK) {
        gw_bpe_learner_free(*out);
        *out = NULL;
    }
    return status;
}

gw_status gw_bpe_learner_add(gw_bpe_learner *t, const uint16_t ids[256], const char *word, int64_t length) {
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

int64_t gw_bpe_learner_letters(const gw_bpe_learner *learner) {
    return learner->letters;
}

void gw_bpe_learner_free(gw_bpe_learner *learner) {
    if (!learner) return;
    for (int64_t i = 0; i < learner->pairs; i++) free(learner->heap[i].positions);
    free(learner->heap);
    free(learner->width);
    for (int s = 0; s < 2; s++) {
        free(learner->sides[s].counts);
        free(learner->sides[s].positions);
        free(learner->sides[s].seen);
    }
    free(learner->text);
    free(learner);
}

// --- the heap of pairs ---------------------------------------------------------------------------------------------

static bool goes_first(const counted_pair *a, const counted_pair *b) {
    if (a->count != b->count) return a->count > b->count;
    return a->left != b->left ? a->left < b->left : a->right < b->right;
}

static gw_status push(gw_bpe_learner *t, counted_pair pair) {
    GW_TRY(gw_reserve(&t->heap, &t->heap_capacity, t->pairs + 1, sizeof *t->heap));
    int64_t at = t->pairs++;
    for (; at > 0 && goes_first(&pair, &t->heap[(at - 1) / 2]); at = (at - 1) / 2) t->heap[at] = t->heap[(at - 1) / 2];
    t->heap[at] = pair;
    return GW_OK;
}

static counted_pair pop(gw_bpe_learner *t) {
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
static inline bool stands_at(const gw_bpe_learner *t, const counted_pair *pair, uint32_t position) {
    return t->text[position] == (uint32_t)pair->left &&
           t->text[position + t->width[pair->left]] == (uint32_t)pair->right;
}

static inline void prefetch_position(const gw_bpe_learner *t, const counted_pair *pair, uint32_t i) {
    if (i + PREFETCH < pair->count) __builtin_prefetch(&t->text[pair->positions[i + PREFETCH]]);
}

static void recount(const gw_bpe_learner *t, counted_pair *pair) {
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
static void merge_everywhere(gw_bpe_learner *t, counted_pair *pair, uint32_t token) {
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

static inline void count_neighbour(const gw_bpe_learner *t, struct side *side, uint32_t token) {
    if (token >= t->first_letter && side->counts[token]++ == 0) side->seen[side->seen_count++] = (int32_t)token;
}

// The neighbour of the new token at `position`: the left one (side 0) or the right one (side 1). A pair of two new
// tokens belongs to side 1 alone; a break stands for it on side 0.
static inline uint32_t neighbour(const gw_bpe_learner *t, uint32_t position, uint32_t token, int side) {
    const uint32_t found = t->text[side == 0 ? position - 1 : position + t->width[token]];
    return side == 0 && found == token ? BREAK : found;
}

// Takes a pair into the heap with a list that is to be filled; *positions stays NULL where it is too rare.
static gw_status open_list(gw_bpe_learner *t, int32_t left, int32_t right, uint32_t count, uint32_t **positions) {
    if (count < LEAST_COUNT) return GW_OK;
    *positions = malloc(count * sizeof **positions);
    if (!*positions) return gw_fail(GW_ERR_MEMORY, "out of memory: the positions of %u pairs", count);
    const gw_status status = push(t, (counted_pair){left, right, count, *positions});
    if (status != GW_OK) free(*positions);
    return status;
}

static gw_status open_lists(gw_bpe_learner *t, int32_t token, int which) {
    struct side *side = &t->sides[which];
    for (int32_t i = 0; i < side->seen_count; i++) {
        const int32_t other = side->seen[i];
        const uint32_t count = side->counts[other];
        side->counts[other] = 0;
        GW_TRY(open_list(t, which == 0 ? other : token, which == 0 ? token : other, count, &side->positions[other]));
    }
    return GW_OK;
}

// The pairs that the new token makes with its neighbours; `made` lists its positions.
static gw_status add_pairs_of(gw_bpe_learner *t, uint32_t token, const counted_pair *made) {
    for (int which = 0; which < 2; which++) {
        struct side *side = &t->sides[which];
        side->seen_count = 0;
        for (uint32_t i = 0; i < made->count; i++) {
            prefetch_position(t, made, i);
            count_neighbour(t, side, neighbour(t, made->positions[i], token, which));
        }
        GW_TRY(open_lists(t, (int32_t)token, which));
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
static inline int64_t cell_of(const gw_bpe_learner *t, int64_t i) {
    const uint32_t left = t->text[i], right = t->text[i + 1];
    return left < t->first_letter || right < t->first_letter ? -1 : (int64_t)left * t->first_merge + right;
}

static gw_status fill_pairs_of_letters(gw_bpe_learner *t, uint32_t *counts, uint32_t **positions) {
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

static gw_status add_pairs_of_letters(gw_bpe_learner *t) {
    const int64_t cells = (int64_t)t->first_merge * t->first_merge;
    uint32_t *counts = gw_alloc(cells, sizeof *counts), **positions = gw_alloc(cells, sizeof *positions);
    const gw_status status = counts && positions ? fill_pairs_of_letters(t, counts, positions) : GW_ERR_MEMORY;
    free(counts);
    free(positions);
    return status;
}

// --- learning ------------------------------------------------------------------------------------------------------

static gw_status prepare(gw_bpe_learner *t, int32_t size) {
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
    return add_pairs_of_letters(t);
}

// The most frequent pair with its true count; count 0 where no pair is frequent enough. The caller frees its positions.
static gw_status take_best(gw_bpe_learner *t, counted_pair *best) {
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

gw_status gw_bpe_learner_run(gw_bpe_learner *t, int32_t size, int32_t (*merges)[2], int64_t *count, int64_t *merged) {
    const int32_t first = (int32_t)t->first_merge;
    *count = *merged = 0;
    GW_TRY(prepare(t, size));
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

// Two alphabets for one learner: nucleotide letters, whose merges are a vocabulary of DNA, and bytes, whose merges
// become a tokenizer.json. Nucleotides have the ids that they have in that vocabulary (A C G T N, where Hugging Face's
// trainer has A C G N T), bytes those of their letters in the order of code points, as there.

struct gw_bpe_trainer {
    gw_bpe_learner *learner;
    uint16_t ids[256]; // of bytes
    bool of_bytes;
    double mean; // letters a token
};

static gw_status make_trainer(int32_t first_merge, gw_bpe_trainer **out) {
    *out = NULL;
    gw_bpe_trainer *trainer = gw_alloc(1, sizeof *trainer);
    if (!trainer) return GW_ERR_MEMORY;
    const gw_status status = gw_bpe_learner_new(GW_SPECIAL_TOKENS, first_merge, &trainer->learner);
    if (status == GW_OK) *out = trainer;
    else free(trainer);
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

void gw_bpe_trainer_free(gw_bpe_trainer *trainer) {
    if (!trainer) return;
    gw_bpe_learner_free(trainer->learner);
    free(trainer);
}

static gw_status add_words(gw_bpe_trainer *trainer, const char *text, int64_t length) {
    static const gw_text_pattern words = {.kind = GW_PATTERN_GPT2};
    for (gw_match_walk walk = gw_match_walk_over(&words, NULL, text, length);;) {
        GW_TRY(gw_match_walk_next(&walk));
        if (walk.begin < 0) return GW_OK;
        GW_TRY(gw_bpe_learner_add(trainer->learner, trainer->ids, text + walk.begin, walk.end - walk.begin));
    }
}

gw_status gw_bpe_trainer_add(gw_bpe_trainer *trainer, const char *text, int64_t length) {
    return trainer->of_bytes ? add_words(trainer, text, length)
                             : gw_bpe_learner_add(trainer->learner, trainer->ids, text, length);
}

gw_status gw_bpe_trainer_run(gw_bpe_trainer *trainer, int32_t size, gw_tokenizer **out) {
    const int32_t first = trainer->of_bytes ? GW_FIRST_BYTE_MERGE : GW_FIRST_MERGE;
    const int64_t letters = gw_bpe_learner_letters(trainer->learner);
    *out = NULL;
    if (size < first || size > GW_LARGEST_VOCABULARY)
        return gw_fail(GW_ERR_RANGE, "a vocabulary of %d tokens, expected %d to %d", size, first,
                       GW_LARGEST_VOCABULARY);
    if (letters == 0) return gw_fail(GW_ERR_FORMAT, "no %s to learn from", trainer->of_bytes ? "text" : "bases");
    int64_t count, merged;
    int32_t(*merges)[2] = gw_alloc(size - first, sizeof *merges);
    if (!merges) return GW_ERR_MEMORY;
    gw_status status = gw_bpe_learner_run(trainer->learner, size, merges, &count, &merged);
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
