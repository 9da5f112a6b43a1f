// SPDX-License-Identifier: MIT
// The frame of a transcript's CDS. The phase of the first stretch, in the direction of the strand, are bases of a codon
// that begins before the transcript does: they are cut. The others must agree with the bases before them. What is left
// over at the end is cut too.
#include "seq/genes/annotation.h"

#include <stdlib.h>

static int by_begin(const void *a, const void *b) {
    const gw_gene_part *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

// The i-th stretch in the transcript's direction.
static gw_gene_part *stretch(gw_annotated *t, int64_t i) {
    return &t->cds[t->strand == '-' ? t->cds_count - 1 - i : i];
}

static int64_t bases_of(const gw_gene_part *p) {
    return p->end - p->begin;
}

// Cuts bases from the side where the transcript's direction begins, or ends.
static void cut(const gw_annotated *t, gw_gene_part *p, int64_t bases, bool at_start) {
    if ((t->strand == '-') != at_start) p->begin += bases;
    else p->end -= bases;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static void cut_start(gw_annotated *t) {
    int64_t left = stretch(t, 0)->phase;
    if (left <= 0) return;
    t->starts_late = true;
    stretch(t, 0)->phase = 0;
    for (int64_t i = 0; i < t->cds_count && left > 0; i++) {
        const int64_t bases = least(left, bases_of(stretch(t, i)));
        cut(t, stretch(t, i), bases, true);
        left -= bases;
        if (left == 0 && bases_of(stretch(t, i)) > 0) stretch(t, i)->phase = 0;
    }
}

static gw_status check_phases(gw_annotated *t) {
    int64_t before = 0;
    for (int64_t i = 0; i < t->cds_count; i++) {
        const gw_gene_part *p = stretch(t, i);
        const int64_t expected = (3 - before % 3) % 3;
        if (p->phase >= 0 && bases_of(p) > 0 && p->phase != expected)
            return gw_fail(GW_ERR_FORMAT,
                           "transcript %s: CDS at %lld-%lld has phase %d, and the bases before it leave %lld", t->id,
                           (long long)p->begin + 1, (long long)p->end, p->phase, (long long)expected);
        before += bases_of(p);
    }
    t->coding_length = before;
    return GW_OK;
}

static void cut_end(gw_annotated *t) {
    int64_t left = t->coding_length % 3;
    t->coding_length -= left;
    t->ends_early = left > 0;
    for (int64_t i = t->cds_count - 1; i >= 0 && left > 0; i--) {
        const int64_t bases = least(left, bases_of(stretch(t, i)));
        cut(t, stretch(t, i), bases, false);
        left -= bases;
    }
}

gw_status gw_annotated_settle(gw_annotated *t) {
    if (t->cds_count == 0) return GW_OK;
    qsort(t->cds, (size_t)t->cds_count, sizeof *t->cds, by_begin);
    cut_start(t);
    GW_TRY(check_phases(t));
    cut_end(t);
    int64_t before = 0;
    for (int64_t i = 0; i < t->cds_count; i++) {
        t->cds[i].index = i;
        t->cds[i].place = before;
        before += bases_of(&t->cds[i]);
    }
    return GW_OK;
}
