// SPDX-License-Identifier: MIT
// The chains of a contig, sorted by begin, are an implicit balanced tree: the middle of a range is the root of its
// subtree, and stores the largest end of the subtree. A search thus skips chains that end before the span, even with
// long chains that begin early.
#include "seq/lift/chain.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/genome/aliases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t source, target, size; // target: offset on the chain's strand
} gw_chain_block;

typedef struct {
    int source, target; // contigs
    bool reverse;
    double score;
    int64_t begin, end;         // of the source
    int64_t reach;              // largest end among the chains of its subtree, see above
    int64_t first_block, count; // into gw_chains.blocks, in order of the source
} gw_chain;

typedef struct {
    char *name;
    int64_t length;
    int64_t first, count; // source contigs: their chains
} gw_chain_contig;

typedef struct {
    gw_chain_contig *items;
    int64_t count, capacity;
    gw_aliases names;
    int last; // the contig met last: they come in runs
} gw_chain_contigs;

struct gw_chains {
    char *path;
    gw_chain_contigs sources, targets;
    gw_chain *chains; // sorted by source, begin, falling score
    int64_t count, capacity;
    gw_chain_block *blocks;
    int64_t block_count, block_capacity;
};

// Chain files, line by line. A chain is
//   chain score tName tSize tStrand tStart tEnd qName qSize qStrand qStart qEnd id
//   size dt dq     (a block, then source and target bases without partner)
//   size           (the last block)
// with an empty line behind it, which other makers leave out. Source:
// https://genome.ucsc.edu/goldenPath/help/chain.html
enum { HEADER_COLUMNS = 13, LONGEST = 1 << 30 };
static const int64_t LONGEST_CONTIG = INT64_C(1) << 40;

typedef struct {
    gw_chains *chains;
    gw_line_reader *lines;
    gw_chain chain;                      // the one being read
    int64_t header_line, source, target; // where its next block begins
    int64_t target_end;                  // by its header, on its strand
    bool open;
} chain_parser;

static gw_status number(const chain_parser *p, const char *what, const char *text, int64_t most, int64_t *out) {
    if (gw_parse_int(text, 0, most, out) == GW_OK) return GW_OK;
    return gw_lines_fail(p->lines, GW_ERR_FORMAT, "%s: %s", what, gw_message());
}

// The contig of this name, added where it is new; its size must be the same in all chains.
static gw_status take_contig(const chain_parser *p, gw_chain_contigs *contigs, const char *name, int64_t length,
                             int *out) {
    for (int64_t i = 0; i < contigs->count; i++) {
        const int at = (int)((contigs->last + i) % contigs->count);
        const gw_chain_contig *known = &contigs->items[at];
        if (strcmp(known->name, name) != 0) continue;
        *out = contigs->last = at;
        if (known->length == length) return GW_OK;
        return gw_lines_fail(p->lines, GW_ERR_FORMAT, "contig '%s' has %lld bp here, but %lld bp in chains above", name,
                             (long long)length, (long long)known->length);
    }
    GW_TRY(gw_reserve(&contigs->items, &contigs->capacity, contigs->count + 1, sizeof *contigs->items));
    *out = contigs->last = (int)contigs->count;
    contigs->items[*out] = (gw_chain_contig){.name = gw_strdup(name), .length = length};
    if (!contigs->items[*out].name) return GW_ERR_MEMORY;
    contigs->count++;
    return gw_aliases_add(&contigs->names, name, *out);
}

// "name size strand start end", for source and target.
static gw_status read_side(const chain_parser *p, char **columns, gw_chain_contigs *contigs, int *contig,
                           gw_span *span) {
    int64_t length;
    GW_TRY(number(p, "the size of the contig", columns[1], LONGEST_CONTIG, &length));
    if (strcmp(columns[2], "+") != 0 && strcmp(columns[2], "-") != 0)
        return gw_lines_fail(p->lines, GW_ERR_FORMAT, "the strand: expected + or -, found '%s'", columns[2]);
    GW_TRY(number(p, "the start", columns[3], length, &span->begin));
    GW_TRY(number(p, "the end", columns[4], length, &span->end));
    if (span->begin >= span->end) return gw_lines_fail(p->lines, GW_ERR_FORMAT, "the chain ends before it begins");
    return take_contig(p, contigs, columns[0], length, contig);
}

static gw_status begin_chain(chain_parser *p, char *line) {
    char *columns[HEADER_COLUMNS];
    const int count = gw_split_blanks(line, columns, HEADER_COLUMNS);
    gw_span source, target;
    if (p->open)
        return gw_lines_fail(p->lines, GW_ERR_FORMAT, "the chain of line %lld has no last block",
                             (long long)p->header_line);
    if (count < HEADER_COLUMNS - 1) // the id may be missing
        return gw_lines_fail(p->lines, GW_ERR_FORMAT, "the header of a chain has 13 columns, found %d", count);
    p->chain = (gw_chain){.first_block = p->chains->block_count};
    if (gw_parse_double(columns[1], -HUGE_VAL, HUGE_VAL, &p->chain.score) != GW_OK)
        return gw_lines_fail(p->lines, GW_ERR_FORMAT, "the score: %s", gw_message());
    GW_TRY(read_side(p, columns + 2, &p->chains->sources, &p->chain.source, &source));
    GW_TRY(read_side(p, columns + 7, &p->chains->targets, &p->chain.target, &target));
    if (columns[4][0] != '+') return gw_lines_fail(p->lines, GW_ERR_FORMAT, "the first strand of a chain must be +");
    p->chain.reverse = columns[9][0] == '-';
    p->chain.begin = p->source = source.begin;
    p->chain.end = source.end;
    p->target = target.begin;
    p->target_end = target.end;
    p->header_line = gw_lines_number(p->lines);
    p->open = true;
    return GW_OK;
}

static gw_status end_chain(chain_parser *p) {
    gw_chains *c = p->chains;
    if (p->source != p->chain.end || p->target != p->target_end)
        return gw_lines_fail(
            p->lines, GW_ERR_FORMAT,
            "the blocks of the chain of line %lld end at %lld and %lld, but its header says %lld and %lld",
            (long long)p->header_line, (long long)p->source, (long long)p->target, (long long)p->chain.end,
            (long long)p->target_end);
    p->chain.count = c->block_count - p->chain.first_block;
    p->open = false;
    GW_TRY(gw_reserve(&c->chains, &c->capacity, c->count + 1, sizeof *c->chains));
    c->chains[c->count++] = p->chain;
    return GW_OK;
}

static gw_status read_block(chain_parser *p, char *line) {
    gw_chains *c = p->chains;
    char *columns[4];
    const int count = gw_split_blanks(line, columns, 4);
    int64_t size, source_gap = 0, target_gap = 0;
    if (!p->open)
        return gw_lines_fail(p->lines, GW_ERR_FORMAT, "expected 'chain' and its columns, found '%.40s'", line);
    if (count != 1 && count != 3)
        return gw_lines_fail(p->lines, GW_ERR_FORMAT, "a block has 3 columns, or 1 where it is the last; found %d",
                             count);
    GW_TRY(number(p, "the size of the block", columns[0], LONGEST, &size));
    if (count == 3) {
        GW_TRY(number(p, "the gap in the source", columns[1], LONGEST_CONTIG, &source_gap));
        GW_TRY(number(p, "the gap in the target", columns[2], LONGEST_CONTIG, &target_gap));
    }
    if (p->source + size + source_gap > p->chain.end || p->target + size + target_gap > p->target_end)
        return gw_lines_fail(p->lines, GW_ERR_FORMAT, "the block reaches past the end of its chain (line %lld)",
                             (long long)p->header_line);
    if (size > 0) {
        GW_TRY(gw_reserve(&c->blocks, &c->block_capacity, c->block_count + 1, sizeof *c->blocks));
        c->blocks[c->block_count++] = (gw_chain_block){p->source, p->target, size};
    }
    p->source += size + source_gap;
    p->target += size + target_gap;
    return count == 1 ? end_chain(p) : GW_OK;
}

static gw_status read_lines(chain_parser *p) {
    for (;;) {
        char *line;
        int64_t length;
        GW_TRY(gw_lines_next(p->lines, &line, &length));
        if (!line) break;
        line += strspn(line, " \t");
        if (!line[0] || line[0] == '#') continue;
        const bool header = strncmp(line, "chain", 5) == 0 && strchr(" \t", line[5]);
        GW_TRY((header ? begin_chain : read_block)(p, line));
    }
    if (p->open)
        return gw_lines_fail(p->lines, GW_ERR_FORMAT, "the file ends within the chain of line %lld: it is truncated",
                             (long long)p->header_line);
    return p->chains->count > 0 ? GW_OK : gw_fail(GW_ERR_FORMAT, "%s holds no chain", gw_lines_path(p->lines));
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
    return chains[middle].reach = gw_max(chains[middle].end, gw_max(before, behind));
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

gw_status gw_chains_read(const char *path, gw_chains **out) {
    *out = NULL;
    chain_parser p = {.chains = gw_alloc(1, sizeof *p.chains)};
    if (!p.chains) return GW_ERR_MEMORY;
    p.chains->path = gw_strdup(path);
    gw_status status = p.chains->path ? gw_lines_open(path, &p.lines) : GW_ERR_MEMORY;
    if (status == GW_OK) status = read_lines(&p);
    if (status == GW_OK) status = gw_aliases_sort(&p.chains->sources.names, path);
    if (p.lines) gw_lines_close(p.lines);
    if (status != GW_OK) {
        gw_chains_free(p.chains);
        return status;
    }
    gw_chains *c = *out = p.chains;
    qsort(c->chains, (size_t)c->count, sizeof *c->chains, compare);
    for (int64_t i = 0; i < c->count; i++) {
        gw_chain_contig *contig = &c->sources.items[c->chains[i].source];
        if (contig->count++ == 0) contig->first = i;
    }
    for (int64_t s = 0; s < c->sources.count; s++) {
        const gw_chain_contig *contig = &c->sources.items[s];
        set_reach(c->chains, contig->first, contig->first + contig->count);
    }
    return GW_OK;
}

const char *gw_lift_reason(gw_lift_result result) {
    static const char *const reasons[GW_LIFT_RESULTS] = {
        "Lifted",         "No such contig in the chain file",
        "Deleted in new", "Partially deleted in new",
        "Split in new",   "Duplicated in new",
    };
    return reasons[result];
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
    return GW_FIRST_NOT(i, chain->count, blocks[i].source + blocks[i].size <= position);
}

static gw_lifted map_bases(const gw_chains *c, const gw_chain *chain, gw_span span) {
    const gw_chain_block *blocks = c->blocks + chain->first_block;
    gw_lifted lifted = {0};
    for (int64_t i = first_block(c, chain, span.begin); i < chain->count && blocks[i].source < span.end; i++) {
        const gw_chain_block *block = &blocks[i];
        const int64_t from = gw_max(span.begin - block->source, 0);
        const int64_t to = gw_min(span.end - block->source, block->size);
        if (lifted.aligned == 0) lifted.begin = block->target + from;
        lifted.end = block->target + to;
        lifted.aligned += to - from;
    }
    if (lifted.aligned == 0) return lifted;
    lifted.target = chain->target;
    lifted.reverse = chain->reverse;
    if (chain->reverse) { // from the chain's strand to the contig's + strand
        const int64_t length = c->targets.items[chain->target].length, begin = lifted.begin;
        lifted.begin = length - lifted.end;
        lifted.end = length - begin;
    }
    return lifted;
}

// The place between two bases, by the bases on both sides of it; at an end of the contig there is one.
static gw_lifted map_place(const gw_chains *c, const gw_chain *chain, int64_t at) {
    const int64_t length = c->sources.items[chain->source].length;
    const gw_span sides = {gw_max(at - 1, 0), gw_min(at + 1, length)};
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
        int64_t aligned = 0;
        for (int s = 0; s < count; s++) aligned += gw_chains_map(c, list->items[i], spans[s]).aligned;
        if (aligned > 0 && (double)aligned >= min_match * (double)bases) list->items[kept++] = list->items[i];
        else partial += aligned > 0;
    }
    list->count = kept;
    for (int64_t i = 1; i < kept; i++) { // sorted by score, by insertion: few chains overlap one span
        const int64_t chain = list->items[i];
        int64_t at = i;
        for (; at > 0 && c->chains[list->items[at - 1]].score < c->chains[chain].score; at--)
            list->items[at] = list->items[at - 1];
        list->items[at] = chain;
    }
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
