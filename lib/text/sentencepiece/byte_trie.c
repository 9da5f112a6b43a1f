// SPDX-License-Identifier: MIT
// Builds the double array. The keys are sorted; a node is a range of keys with a common prefix. The children of a node
// are placed together at the first free offset among the newest blocks of 256 units. Only a few blocks and positions
// are tried, so that the time is linear in the keys.
#include "text/sentencepiece/byte_trie.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 256,
    WINDOW = 16 * BLOCK, // free units further back are given up
    MOST_TRIES = 512,    // free units tried for the children of one node
    ROOT_OFFSETS = 1,    // offset 0 stands for "no children"
};

typedef struct {
    int64_t first, last; // the keys [first, last)
    int32_t depth;       // bytes that they share
    uint32_t node;
} key_range;

typedef struct {
    gw_byte_trie *trie;
    const gw_trie_key *keys;
    key_range *waiting; // a stack: the ranges in it are disjoint, so it holds at most as many as there are keys
    int64_t waiting_count;
    // Per unit: the circular list of free units in the window (head: unit 0), and whether the offset is taken.
    int32_t *next, *before;
    uint8_t *offset_taken;
    int64_t capacity, next_capacity, before_capacity, taken_capacity;
} builder;

static int by_text(const void *a, const void *b) {
    const gw_trie_key *x = a, *y = b;
    const int order = memcmp(x->text, y->text, (size_t)(x->length < y->length ? x->length : y->length));
    if (order) return order;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

int64_t gw_trie_keys_sort(gw_trie_key *keys, int64_t count) {
    if (count > 1) qsort(keys, (size_t)count, sizeof *keys, by_text);
    for (int64_t i = 1; i < count; i++)
        if (keys[i].length == keys[i - 1].length && memcmp(keys[i].text, keys[i - 1].text, (size_t)keys[i].length) == 0)
            return i;
    return -1;
}

static void take_unit(builder *b, int64_t unit) {
    b->next[b->before[unit]] = b->next[unit];
    b->before[b->next[unit]] = b->before[unit];
    b->before[unit] = -1;
}

static bool is_free(const builder *b, int64_t unit) {
    return unit != 0 && b->before[unit] >= 0;
}

// A new block at the end; free units that leave the window are forgotten.
static gw_status add_block(builder *b) {
    const int64_t old = b->trie->count, count = old + BLOCK;
    if (count > GW_TRIE_MOST_UNITS)
        return gw_fail(GW_ERR_RANGE, "the pieces need a trie of more than %d units", GW_TRIE_MOST_UNITS);
    GW_TRY(gw_reserve(&b->trie->units, &b->capacity, count, sizeof *b->trie->units));
    GW_TRY(gw_reserve(&b->next, &b->next_capacity, count, sizeof *b->next));
    GW_TRY(gw_reserve(&b->before, &b->before_capacity, count, sizeof *b->before));
    GW_TRY(gw_reserve(&b->offset_taken, &b->taken_capacity, count, sizeof *b->offset_taken));
    b->trie->count = count;
    if (old == 0) b->next[0] = b->before[0] = 0;
    for (int64_t i = old; i < count; i++) {
        b->trie->units[i] = (gw_trie_unit){GW_TRIE_FREE, GW_TRIE_NO_VALUE};
        b->offset_taken[i] = i < ROOT_OFFSETS;
        if (i == 0) continue;
        b->before[i] = b->before[0];
        b->next[i] = 0;
        b->next[b->before[0]] = (int32_t)i;
        b->before[0] = (int32_t)i;
    }
    for (int64_t i = old - WINDOW; i >= 0 && i < old - WINDOW + BLOCK; i++)
        if (is_free(b, i)) take_unit(b, i);
    return GW_OK;
}

static bool fits(const builder *b, int64_t offset, const uint8_t *labels, int count) {
    if (b->offset_taken[offset]) return false;
    for (int i = 0; i < count; i++)
        if (!is_free(b, offset ^ labels[i])) return false;
    return true;
}

static gw_status find_offset(builder *b, const uint8_t *labels, int count, int64_t *offset) {
    int tries = 0;
    for (int64_t unit = b->next[0]; unit != 0 && tries < MOST_TRIES; unit = b->next[unit], tries++) {
        *offset = unit ^ labels[0];
        if (fits(b, *offset, labels, count)) return GW_OK;
    }
    *offset = b->trie->count; // the first offset of a new block: not 0, as the first block is there from the start
    return add_block(b);
}

static gw_status place_children(builder *b, key_range range) {
    gw_trie_unit *unit = &b->trie->units[range.node];
    if (b->keys[range.first].length == range.depth) unit->value = b->keys[range.first].value;
    uint8_t labels[BLOCK];
    int64_t firsts[BLOCK + 1], offset;
    // Splits a range by its next byte; returns the number of children, and where each begins.
    int count = 0;
    for (int64_t i = range.first; i < range.last; i++) {
        if (b->keys[i].length == range.depth) continue; // the node's own string
        const uint8_t label = (uint8_t)b->keys[i].text[range.depth];
        if (count > 0 && labels[count - 1] == label) continue;
        labels[count] = label;
        firsts[count++] = i;
    }
    firsts[count] = range.last;
    if (count == 0) return GW_OK;
    GW_TRY(find_offset(b, labels, count, &offset));
    b->offset_taken[offset] = 1;
    b->trie->units[range.node].link |= (uint32_t)offset << GW_TRIE_LABEL_BITS;
    for (int i = 0; i < count; i++) {
        const uint32_t child = (uint32_t)offset ^ labels[i];
        take_unit(b, child);
        b->trie->units[child].link = labels[i];
        b->waiting[b->waiting_count++] = (key_range){firsts[i], firsts[i + 1], range.depth + 1, child};
    }
    return GW_OK;
}

gw_status gw_byte_trie_build(gw_byte_trie *trie, gw_trie_key *keys, int64_t count, int64_t *duplicate) {
    *trie = (gw_byte_trie){0};
    *duplicate = gw_trie_keys_sort(keys, count);
    if (count == 0 || *duplicate >= 0) return GW_OK;
    builder b = {.trie = trie, .keys = keys, .waiting = gw_alloc(count, sizeof *b.waiting)};
    gw_status status = b.waiting ? add_block(&b) : GW_ERR_MEMORY;
    if (status == GW_OK) b.waiting[b.waiting_count++] = (key_range){0, count, 0, 0};
    while (status == GW_OK && b.waiting_count > 0) status = place_children(&b, b.waiting[--b.waiting_count]);
    free(b.waiting);
    free(b.next);
    free(b.before);
    free(b.offset_taken);
    if (status != GW_OK) gw_byte_trie_free(trie);
    return status;
}

void gw_byte_trie_free(gw_byte_trie *trie) {
    free(trie->units);
    *trie = (gw_byte_trie){0};
}

int32_t gw_byte_trie_find(const gw_byte_trie *trie, const char *text, int64_t length) {
    uint32_t node = 0;
    if (gw_byte_trie_is_empty(trie)) return GW_TRIE_NO_VALUE;
    for (int64_t i = 0; i < length; i++)
        if (!gw_byte_trie_step(trie, &node, (uint8_t)text[i])) return GW_TRIE_NO_VALUE;
    return trie->units[node].value;
}

int64_t gw_byte_trie_longest(const gw_byte_trie *trie, const char *text, int64_t length, int most) {
    uint32_t node = 0;
    int64_t longest = 0;
    if (gw_byte_trie_is_empty(trie)) return 0;
    for (int64_t i = 0; i < length && most > 0 && gw_byte_trie_step(trie, &node, (uint8_t)text[i]); i++)
        if (trie->units[node].value != GW_TRIE_NO_VALUE) {
            longest = i + 1;
            most--;
        }
    return longest;
}
