// SPDX-License-Identifier: MIT
// Chain files, line by line. A chain is
//   chain score tName tSize tStrand tStart tEnd qName qSize qStrand qStart qEnd id
//   size dt dq     (a block, then source and target bases without partner)
//   size           (the last block)
// with an empty line behind it, which other makers leave out. Source:
// https://genome.ucsc.edu/goldenPath/help/chain.html
#include "base/memory.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/lift/chain_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static gw_status read_line(chain_parser *p, char *line) {
    line += strspn(line, " \t");
    if (!line[0] || line[0] == '#') return GW_OK;
    const bool header = strncmp(line, "chain", 5) == 0 && strchr(" \t", line[5]);
    return header ? begin_chain(p, line) : read_block(p, line);
}

static gw_status read_lines(chain_parser *p) {
    for (;;) {
        char *line;
        int64_t length;
        GW_TRY(gw_lines_next(p->lines, &line, &length));
        if (!line) break;
        GW_TRY(read_line(p, line));
    }
    if (p->open)
        return gw_lines_fail(p->lines, GW_ERR_FORMAT, "the file ends within the chain of line %lld: it is truncated",
                             (long long)p->header_line);
    return p->chains->count > 0 ? GW_OK : gw_fail(GW_ERR_FORMAT, "%s holds no chain", gw_lines_path(p->lines));
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
    if (status == GW_OK) {
        gw_chains_index(p.chains);
        *out = p.chains;
    } else {
        gw_chains_free(p.chains);
    }
    return status;
}
