// SPDX-License-Identifier: MIT
// Makes of every change a stretch of the genome and the bases in its place.
#include "seq/vcf/hgvs_alleles.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1000000, BLOCK = 256 };

// Bases [begin, end) of a contig become `bases`.
typedef struct {
    gw_genome *genome;
    int contig;
    int64_t begin, end;
    char *bases; // upper case
} change;

static gw_status read_bases(const change *c, int64_t begin, int64_t end, char **out) {
    *out = gw_alloc(end - begin + 1, 1);
    return *out ? gw_genome_fetch(c->genome, c->contig, begin, end, *out) : GW_ERR_MEMORY;
}

static gw_status invert(change *c) {
    const int64_t length = c->end - c->begin;
    char *bases;
    gw_status status = read_bases(c, c->begin, c->end, &bases);
    if (status == GW_OK && !(c->bases = gw_alloc(length + 1, 1))) status = GW_ERR_MEMORY;
    if (status == GW_OK) gw_reverse_complement(bases, length, c->bases);
    free(bases);
    return status;
}

// A fresh copy of bases that were written, as the forward strand has them.
static char *copy_bases(const gw_hgvs *h, const char *bases, int64_t length) {
    char *copy = gw_strndup(length > 0 ? bases : "", (size_t)length);
    if (!copy) return NULL;
    gw_normalise_bases(copy, length);
    char *forward = h->reverse ? gw_strdup(copy) : copy;
    if (h->reverse && forward) gw_reverse_complement(copy, length, forward);
    if (h->reverse) free(copy);
    return forward;
}

static gw_status take_inserted(const gw_hgvs *h, change *c) {
    c->bases = copy_bases(h, h->inserted, h->inserted_length);
    return c->bases ? GW_OK : GW_ERR_MEMORY;
}

static gw_status fill(const gw_hgvs *h, change *c) {
    c->begin = h->first - 1;
    c->end = h->last;
    if (h->change == GW_HGVS_INVERT) return invert(c);
    if (h->change == GW_HGVS_DUPLICATE) {
        GW_TRY(read_bases(c, c->begin, c->end, &c->bases));
        c->begin = c->end;
        return GW_OK;
    }
    if (h->change == GW_HGVS_INSERT) c->begin = c->end = h->first;
    return take_inserted(h, c);
}

// The last `steps` bases of a circle of them come first.
static gw_status turn(char *bases, int64_t steps) {
    const int64_t length = (int64_t)strlen(bases), moved = length > 0 ? steps % length : 0;
    char *copy = gw_strdup(bases);
    if (!copy) return GW_ERR_MEMORY;
    memcpy(bases, copy + length - moved, (size_t)moved);
    memcpy(bases + moved, copy, (size_t)(length - moved));
    free(copy);
    return GW_OK;
}

// An insertion or deletion goes one place to the left where the base before it is its last one, which then becomes its
// first one: its bases are a circle.
static gw_status move_left(change *c) {
    char before[BLOCK], *deleted = NULL;
    int64_t steps = 0;
    gw_status status = c->bases[0] ? GW_OK : read_bases(c, c->begin, c->end, &deleted);
    const char *circle = deleted ? deleted : c->bases;
    const int64_t length = c->bases[0] ? (int64_t)strlen(c->bases) : c->end - c->begin;
    for (bool can = true; can && c->begin > 0 && status == GW_OK;) {
        const int64_t count = c->begin < BLOCK ? c->begin : BLOCK;
        int64_t at = count;
        status = gw_genome_fetch(c->genome, c->contig, c->begin - count, c->begin, before);
        while (status == GW_OK && at > 0 && before[at - 1] != 'N' &&
               before[at - 1] == circle[length - 1 - steps % length])
            at--, steps++;
        c->begin -= count - at;
        c->end -= count - at;
        can = at == 0;
    }
    free(deleted);
    return status == GW_OK ? turn(c->bases, steps) : status;
}

// The base beside what is inserted or deleted belongs to both alleles.
static gw_status put_base_beside(change *c) {
    char base[2] = "";
    const bool before = c->begin > 0;
    if (!before && c->end == gw_genome_length(c->genome, c->contig))
        return gw_fail(GW_ERR_UNSUPPORTED, "nothing would be left of '%s'", gw_genome_name(c->genome, c->contig));
    if (before) c->begin--;
    else c->end++;
    const int64_t at = before ? c->begin : c->end - 1;
    GW_TRY(gw_genome_fetch(c->genome, c->contig, at, at + 1, base));
    char *bases = before ? gw_strprintf("%s%s", base, c->bases) : gw_strprintf("%s%s", c->bases, base);
    free(c->bases);
    c->bases = bases;
    return bases ? GW_OK : GW_ERR_MEMORY;
}

static gw_status make_alleles(const gw_hgvs *h, change *c, gw_written_alleles *out) {
    GW_TRY(fill(h, c));
    const bool one_empty = c->begin == c->end || !c->bases[0];
    if (one_empty) GW_TRY(move_left(c));
    if (one_empty) GW_TRY(put_base_beside(c));
    out->position = c->begin;
    GW_TRY(read_bases(c, c->begin, c->end, &out->ref));
    out->alt = gw_strdup(c->bases);
    return out->alt ? GW_OK : GW_ERR_MEMORY;
}

static gw_status check(const gw_hgvs *h, gw_genome *genome, int contig) {
    GW_TRY(gw_written_ref_check(genome, contig, h->last - 1, "N")); // that it lies on the contig
    if (h->last - h->first >= LONGEST)
        return gw_fail(GW_ERR_UNSUPPORTED, "%lld bases are more than the %d that a change may have",
                       (long long)(h->last - h->first + 1), LONGEST);
    if (h->named_length == 0) return GW_OK;
    char *named = copy_bases(h, h->named, h->named_length);
    if (!named) return GW_ERR_MEMORY;
    const gw_status status = gw_written_ref_check(genome, contig, h->first - 1, named);
    free(named);
    return status;
}

gw_status gw_hgvs_alleles(const gw_hgvs *hgvs, gw_genome *genome, gw_written_alleles *out) {
    change c = {.genome = genome, .contig = out->contig};
    GW_TRY(check(hgvs, genome, out->contig));
    const gw_status status = make_alleles(hgvs, &c, out);
    free(c.bases);
    return status;
}
