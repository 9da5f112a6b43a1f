// SPDX-License-Identifier: MIT
// The chains of a contig, sorted by begin, are an implicit balanced tree: the middle of a range is the root of its
// subtree, and knows how far the chains of that subtree reach. So a search leaves out what ends before the span,
// however long the chains are that begin early.
#include "seq/lift/chain_private.h"

#include "base/memory.h"

#include <stdlib.h>

const char *gw_lift_reason(gw_lift_result result) {
    static const char *const reasons[GW_LIFT_RESULTS] = {
        "Lifted",         "No such contig in the chain file",
        "Deleted in new", "Partially deleted in new",
        "Split in new",   "Duplicated in new",
    };
    return reasons[result];
}

static int compare(const void *a, const void *b) {
    const gw_chain *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return (x->first_block > y->first_block) - (x->first_block < y->first_block);
}

static int64_t set_reach(gw_chain *chains, int64_t low, int64_t high) {
    if (low >= high) return 0;
    const int64_t middle = low + (high - low) / 2;
    const int64_t before = set_reach(chains, low, middle), behind = set_reach(chains, middle + 1, high);
    int64_t reach = chains[middle].end;
    if (before > reach) reach = before;
    if (behind > reach) reach = behind;
    return chains[middle].reach = reach;
}

void gw_chains_index(gw_chains *c) {
    if (c->count > 1) qsort(c->chains, (size_t)c->count, sizeof *c->chains, compare);
    for (int64_t i = 0; i < c->count; i++) {
        gw_chain_contig *contig = &c->sources.items[c->chains[i].source];
        if (contig->count++ == 0) contig->first = i;
    }
    for (int64_t s = 0; s < c->sources.count; s++) {
        const gw_chain_contig *contig = &c->sources.items[s];
        set_reach(c->chains, contig->first, contig->first + contig->count);
    }
}

static gw_status find_overlapping(const gw_chains *c, int64_t low, int64_t high, gw_span span, gw_chain_list *list) {
    if (low >= high) return GW_OK;
    const int64_t middle = low + (high - low) / 2;
    const gw_chain *chain = &c->chains[middle];
    if (chain->reach <= span.begin) return GW_OK;
    GW_TRY(find_overlapping(c, low, middle, span, list));
    if (chain->begin >= span.end) return GW_OK;
    if (chain->end > span.begin) {
        GW_TRY(gw_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items));
        list->items[list->count++] = middle;
    }
    return find_overlapping(c, middle + 1, high, span, list);
}

// The first block that ends behind `position`, or chain->count.
static int64_t first_block(const gw_chains *c, const gw_chain *chain, int64_t position) {
    const gw_chain_block *blocks = c->blocks + chain->first_block;
    int64_t low = 0, high = chain->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (blocks[middle].source + blocks[middle].size <= position) low = middle + 1;
        else high = middle;
    }
    return low;
}

// From the chain's strand to the contig's + strand.
static void put_on_forward_strand(const gw_chains *c, const gw_chain *chain, gw_lifted *lifted) {
    lifted->target = chain->target;
    lifted->reverse = chain->reverse;
    if (!chain->reverse) return;
    const int64_t length = c->targets.items[chain->target].length, begin = lifted->begin;
    lifted->begin = length - lifted->end;
    lifted->end = length - begin;
}

static gw_lifted map_bases(const gw_chains *c, const gw_chain *chain, gw_span span) {
    const gw_chain_block *blocks = c->blocks + chain->first_block;
    gw_lifted lifted = {0};
    for (int64_t i = first_block(c, chain, span.begin); i < chain->count && blocks[i].source < span.end; i++) {
        const gw_chain_block *block = &blocks[i];
        const int64_t from = span.begin > block->source ? span.begin - block->source : 0;
        const int64_t to = span.end - block->source < block->size ? span.end - block->source : block->size;
        if (lifted.aligned == 0) lifted.begin = block->target + from;
        lifted.end = block->target + to;
        lifted.aligned += to - from;
    }
    if (lifted.aligned > 0) put_on_forward_strand(c, chain, &lifted);
    return lifted;
}

// The bases on both sides of an empty span; at an end of the contig there is one.
static gw_span sides_of(const gw_chains *c, const gw_chain *chain, int64_t at) {
    const int64_t length = c->sources.items[chain->source].length;
    return (gw_span){at > 0 ? at - 1 : 0, at < length ? at + 1 : length};
}

static gw_lifted map_place(const gw_chains *c, const gw_chain *chain, int64_t at) {
    const gw_span sides = sides_of(c, chain, at);
    const int64_t wanted = sides.end - sides.begin;
    gw_lifted lifted = map_bases(c, chain, sides);
    if (lifted.aligned < wanted || lifted.end - lifted.begin != wanted) return (gw_lifted){0};
    const int64_t before = lifted.reverse ? sides.end - at : at - sides.begin;
    lifted.begin += before;
    lifted.end = lifted.begin;
    return lifted;
}

gw_lifted gw_chains_map(const gw_chains *chains, int64_t chain, gw_span span) {
    const gw_chain *c = &chains->chains[chain];
    return span.begin == span.end ? map_place(chains, c, span.begin) : map_bases(chains, c, span);
}

double gw_chains_score(const gw_chains *chains, int64_t chain) {
    return chains->chains[chain].score;
}

static int64_t aligned_bases(const gw_chains *c, int64_t chain, const gw_span *spans, int count) {
    int64_t aligned = 0;
    for (int i = 0; i < count; i++) aligned += gw_chains_map(c, chain, spans[i]).aligned;
    return aligned;
}

// By insertion: few chains overlap one span.
static void sort_by_score(const gw_chains *c, gw_chain_list *list) {
    for (int64_t i = 1; i < list->count; i++) {
        const int64_t chain = list->items[i];
        int64_t at = i;
        for (; at > 0 && c->chains[list->items[at - 1]].score < c->chains[chain].score; at--)
            list->items[at] = list->items[at - 1];
        list->items[at] = chain;
    }
}

gw_status gw_chains_find(const gw_chains *c, int source, const gw_span *spans, int count, double min_match,
                         gw_chain_list *list, gw_lift_result *result) {
    list->count = 0;
    const gw_chain_contig *contig = &c->sources.items[source];
    gw_span hull = {spans[0].begin, spans[count - 1].end};
    int64_t bases = 0, partial = 0, kept = 0;
    for (int i = 0; i < count; i++) bases += spans[i].end - spans[i].begin;
    if (bases == 0) { // a place between two bases
        hull = (gw_span){hull.begin - 1, hull.end + 1};
        bases = 1;
    }
    GW_TRY(find_overlapping(c, contig->first, contig->first + contig->count, hull, list));
    for (int64_t i = 0; i < list->count; i++) {
        const int64_t aligned = aligned_bases(c, list->items[i], spans, count);
        if (aligned > 0 && (double)aligned >= min_match * (double)bases) list->items[kept++] = list->items[i];
        else partial += aligned > 0;
    }
    list->count = kept;
    sort_by_score(c, list);
    if (kept > 0) *result = kept == 1 ? GW_LIFT_ONE : GW_LIFT_DUPLICATED;
    else if (partial == 0) *result = GW_LIFT_DELETED;
    else *result = partial == 1 ? GW_LIFT_PARTIAL : GW_LIFT_SPLIT;
    return GW_OK;
}

const char *gw_chains_path(const gw_chains *chains) {
    return chains->path;
}

int gw_chains_sources(const gw_chains *chains) {
    return (int)chains->sources.count;
}

const char *gw_chains_source_name(const gw_chains *chains, int source) {
    return chains->sources.items[source].name;
}

int64_t gw_chains_source_length(const gw_chains *chains, int source) {
    return chains->sources.items[source].length;
}

int gw_chains_find_source(const gw_chains *chains, const char *name) {
    int by_convention;
    return gw_aliases_find(&chains->sources.names, name, &by_convention);
}

gw_status gw_chains_read_aliases(gw_chains *chains, const char *path) {
    return gw_aliases_read(&chains->sources.names, path);
}

const char *gw_chains_target_name(const gw_chains *chains, int target) {
    return chains->targets.items[target].name;
}

int64_t gw_chains_target_length(const gw_chains *chains, int target) {
    return chains->targets.items[target].length;
}

static void free_contigs(gw_chain_contigs *contigs) {
    for (int64_t i = 0; i < contigs->count; i++) free(contigs->items[i].name);
    free(contigs->items);
    gw_aliases_free(&contigs->names);
}

void gw_chains_free(gw_chains *chains) {
    if (!chains) return;
    free_contigs(&chains->sources);
    free_contigs(&chains->targets);
    free(chains->chains);
    free(chains->blocks);
    free(chains->path);
    free(chains);
}
