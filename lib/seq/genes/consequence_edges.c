// SPDX-License-Identifier: MIT
// A variant and one range of a transcript, [begin, end] with both ends included, on the forward strand. There is an
// intron on a side if another exon follows there:
//
//        8 .. 3      2 1 | 1 2 3            3 2 1 | 1 2      3 .. 8
//     splice_region site | splice_region          | site splice_region
//          intron        |          exon          |       intron
//
// A site is the donor behind an exon, and the acceptor before one. The first and last three bases of a range with the
// first or last codon are this codon. For insertions and deletions, the bases of REF and ALT next to the boundary are
// compared too, because the same change may be written at another position: if they agree, the splice site is
// unchanged.
#include "seq/genes/consequence_private.h"

#include "base/number.h"

#include <string.h>

enum { SITE = 2, CODON = 3, REACH = GW_SPLICE_REACH };
typedef enum { SUBSTITUTION, INSERTION, DELETION } change_kind;

static gw_annotated *transcript_of(const gw_csq_edge *e) {
    return &e->entries->annotation->items[e->transcript];
}

static bool is_forward(const gw_csq_edge *e) {
    return transcript_of(e)->strand == '+';
}

static change_kind kind_of(const gw_csq_edge *e) {
    if (e->ref_length == e->alt_length) return SUBSTITUTION;
    return e->ref_length < e->alt_length ? INSERTION : DELETION;
}

gw_status gw_csq_bases(gw_genome *genome, int contig, int64_t begin, int64_t end, gw_string *out) {
    const int64_t length = gw_genome_length(genome, contig), old = out->length;
    for (int64_t i = begin; i < end; i++) gw_string_putc(out, 'N');
    GW_TRY(gw_string_status(out));
    const int64_t from = gw_max(begin, 0), to = gw_min(end, length);
    if (from >= to) return GW_OK;
    return gw_genome_fetch(genome, contig, from, to, out->data + old + (from - begin));
}

static gw_status add(const gw_csq_edge *e, unsigned terms) {
    if (!terms) return GW_OK;
    return gw_csq_add(e->entries, (gw_csq_entry){terms, e->transcript, e->alt_number, -1, false});
}

// `length` bases of the reference and of the changed one, both from `from` on; past the record's end they go on to the
// end of the transcript and no further.
static gw_status read_both(gw_csq_edge *e, int64_t from, int64_t length) {
    const gw_annotated *t = transcript_of(e);
    const int64_t end = e->position + e->ref_length;
    gw_string_clear(&e->ref_text);
    gw_string_clear(&e->alt_text);
    int64_t to = from + length;
    if (to > end && to > t->end) to = gw_max(t->end, end);
    GW_TRY(gw_csq_bases(e->genome, t->contig, from, to, &e->ref_text));
    int64_t skipped = from - e->position; // bases of ALT, then of what follows it
    if (skipped < 0) {
        GW_TRY(gw_csq_bases(e->genome, t->contig, from, e->position, &e->alt_text));
        skipped = 0;
    }
    if (skipped < e->alt_length && e->alt_text.length < length) {
        const int64_t taken = gw_min(e->alt_length - skipped, length - e->alt_text.length);
        gw_string_append(&e->alt_text, e->alt + skipped, taken);
        skipped -= taken;
    }
    skipped = skipped < 0 ? 0 : skipped - 1;
    if (e->alt_text.length < length) {
        const int64_t rest = gw_min(length - e->alt_text.length, t->end - end - skipped);
        if (rest > 0) GW_TRY(gw_csq_bases(e->genome, t->contig, end + skipped, end + skipped + rest, &e->alt_text));
    }
    GW_TRY(gw_string_status(&e->alt_text));
    return gw_string_status(&e->ref_text);
}

static const char *bases_from(const gw_string *text, int64_t from) {
    return text->length > from ? text->data + from : "";
}

// Whether `count` bases from `from` on are the same in both.
static bool agree(const gw_csq_edge *e, int64_t from, size_t count) {
    if (e->ref_text.length < from || e->alt_text.length < from) return false;
    return strncmp(bases_from(&e->ref_text, from), bases_from(&e->alt_text, from), count) == 0;
}

// The transcript's UTR in bases [from, to] takes what lies outside of its CDS.
static gw_status take_utr(gw_csq_edge *e, int64_t from, int64_t to, bool *found) {
    const gw_annotation *annotation = e->entries->annotation;
    const int contig = transcript_of(e)->contig;
    const gw_gene_part *part;
    *found = false;
    if (!e->sequence) return GW_OK;
    for (int64_t at = -1; (part = gw_annotation_next(annotation, GW_UTR_PART, contig, from, to + 1, &at));) {
        if (part->transcript != e->transcript) continue;
        *found = true;
        return add(e, (part->five ? GW_UTR_5 : GW_UTR_3) | e->terms);
    }
    return GW_OK;
}

// A change whose last base is `last` before the stretch.
static gw_status tell_before(gw_csq_edge *e, int64_t begin, int64_t last) {
    const bool compare = e->sequence && kind_of(e) != SUBSTITUTION;
    if (compare) GW_TRY(read_both(e, begin - REACH, REACH));
    if (last >= begin - REACH && e->from < begin - SITE) {
        e->terms |= GW_SPLICE_REGION;
        if (compare && agree(e, 0, REACH)) e->terms |= GW_SYNONYMOUS;
    }
    if (last >= begin - SITE) {
        if (e->splices) e->terms |= is_forward(e) ? GW_SPLICE_ACCEPTOR : GW_SPLICE_DONOR;
        if (compare && agree(e, REACH - SITE, SITE)) e->terms |= GW_SYNONYMOUS;
    }
    return GW_OK;
}

// A change whose first base is `first` behind it. Of deletions the last two of the eight bases are compared: so does
// csq.
static gw_status tell_behind(gw_csq_edge *e, int64_t end, int64_t first) {
    const change_kind kind = kind_of(e);
    const bool compare = e->sequence && kind != SUBSTITUTION;
    if (compare) GW_TRY(read_both(e, end + 1, REACH));
    if (first <= end + REACH && e->to > end + SITE) {
        e->terms |= GW_SPLICE_REGION;
        if (compare && agree(e, 0, REACH)) e->terms |= GW_SYNONYMOUS;
    }
    if (first <= end + SITE) {
        if (e->splices) e->terms |= is_forward(e) ? GW_SPLICE_DONOR : GW_SPLICE_ACCEPTOR;
        if (compare && agree(e, kind == DELETION ? REACH - SITE : 0, SITE)) e->terms |= GW_SYNONYMOUS;
    }
    return GW_OK;
}

// A change from `first` to `last` within.
static void tell_inside(gw_csq_edge *e, int64_t begin, int64_t end, int64_t first, int64_t last) {
    const bool forward = is_forward(e);
    if (first < begin + CODON) {
        if (e->left) e->terms |= GW_SPLICE_REGION;
        if (forward && e->start) e->terms |= GW_START_LOST;
        if (!forward && e->stop) e->terms |= GW_STOP_LOST;
    }
    if (last > end - CODON) {
        if (e->right) e->terms |= GW_SPLICE_REGION;
        if (!forward && e->start) e->terms |= GW_START_LOST;
        if (forward && e->stop) e->terms |= GW_STOP_LOST;
    }
}

static gw_status end_outside(gw_csq_edge *e, gw_csq_side *side) {
    *side = GW_CSQ_OUTSIDE;
    return add(e, e->terms);
}

// The inserted bases lie between e->from and e->to.
static gw_status look_at_insertion(gw_csq_edge *e, int64_t begin, int64_t end, gw_csq_side *side) {
    bool utr;
    const bool at_left = e->head == 0 && e->ref[0] == e->alt[0];
    if (at_left && e->tail > 0) e->tail--;
    e->from = at_left ? e->position : e->position + e->head - 1;
    e->to = e->position + e->ref_length - e->tail;
    if (e->from >= end) {
        GW_TRY(take_utr(e, e->from + 1, e->from + 1, &utr));
        *side = GW_CSQ_OUTSIDE;
        if (utr || !e->right) return GW_OK;
        GW_TRY(tell_behind(e, end, e->from + 1));
        return end_outside(e, side);
    }
    if (e->to < begin || (e->to == begin && !e->left)) {
        GW_TRY(take_utr(e, e->to - 1, e->to - 1, &utr));
        *side = GW_CSQ_OUTSIDE;
        if (utr || !e->left) return GW_OK;
        GW_TRY(tell_before(e, begin, e->to - 1));
        return end_outside(e, side);
    }
    tell_inside(e, begin, end, e->from, e->to - 1);
    if (e->sequence) { // REF is what lies from e->from on, without what both share
        if (e->from < e->position) {
            e->head++;
            if (e->head + e->tail == e->ref_length) e->tail--;
            e->from = e->position;
        }
        if (e->to == begin) e->tail--; // so that REF is not empty
        GW_TRY(read_both(e, e->from, e->alt_length - e->tail - e->head + 1));
        gw_string_cut(&e->ref_text, e->ref_length - (e->tail + e->head - 1));
    }
    *side = GW_CSQ_INSIDE;
    return add(e, e->terms);
}

// REF, and as many bases of ALT, without what both share at their beginning.
static void put_texts(gw_csq_edge *e, int64_t alt_length) {
    gw_string_clear(&e->ref_text);
    gw_string_clear(&e->alt_text);
    gw_string_append(&e->ref_text, e->ref + e->head, e->ref_length);
    gw_string_append(&e->alt_text, e->alt + e->head, alt_length);
}

// Whether a deletion at the first codon leaves it, since as many bases beside it are the deleted ones.
static gw_status leaves_start(gw_csq_edge *e, int64_t begin, int64_t end, bool *leaves) {
    const bool forward = is_forward(e);
    const gw_annotated *t = transcript_of(e);
    const int64_t deleted = e->ref_length - e->alt_length, behind = e->position + e->ref_length;
    const int64_t from = forward ? behind - 2 * deleted : behind;
    *leaves = false;
    if (forward ? e->position >= begin + CODON : behind + 2 <= end) return GW_OK;
    if (forward && (from < 0 || from + GW_CSQ_PAD < begin)) return GW_OK;
    if (!forward && behind + deleted > t->end + GW_CSQ_PAD) return GW_OK;
    gw_string_clear(&e->ref_text);
    GW_TRY(gw_csq_bases(e->genome, t->contig, from, from + deleted, &e->ref_text));
    *leaves = memcmp(e->ref_text.data, e->ref + e->alt_length, (size_t)deleted) == 0;
    return GW_OK;
}

// What a change from `first` to e->to does on the left of the stretch, and on its right.
static gw_status tell_left(gw_csq_edge *e, int64_t begin, int64_t first) {
    bool utr;
    if (first >= begin || !e->left) return GW_OK;
    GW_TRY(take_utr(e, e->from, begin - 1, &utr));
    return utr ? GW_OK : tell_before(e, begin, e->to);
}

static gw_status tell_right(gw_csq_edge *e, int64_t end, int64_t first) {
    bool utr;
    if (e->to <= end || !e->right) return GW_OK;
    GW_TRY(take_utr(e, end + 1, e->to, &utr));
    return utr ? GW_OK : tell_behind(e, end, first);
}

// The deleted bases are those behind e->from up to e->to.
static gw_status look_at_deletion(gw_csq_edge *e, int64_t begin, int64_t end, gw_csq_side *side) {
    bool leaves = false;
    if (e->start) GW_TRY(leaves_start(e, begin, end, &leaves));
    if (leaves) {
        e->terms |= GW_START_RETAINED;
        *side = GW_CSQ_ACROSS;
        return GW_OK;
    }
    e->from = e->position + e->head - 1;
    e->to = e->position + e->ref_length - e->tail - 1;
    GW_TRY(tell_left(e, begin, e->from + 1));
    if (e->from + 1 < begin && e->to >= begin) {
        e->from = begin - 1;
        if (e->head + e->tail == e->alt_length && e->tail-- == 0) {
            e->terms |= GW_CODING_SEQUENCE;
            *side = GW_CSQ_ACROSS;
            return GW_OK;
        }
    }
    GW_TRY(tell_right(e, end, e->from + 1));
    if (end < e->to && e->from < end) {
        e->tail = e->ref_length - (e->to - e->position + 1);
        e->to = end;
    }
    if (e->to < begin || e->from >= end) return end_outside(e, side);
    tell_inside(e, begin, end, e->from + 1, e->to);
    if (e->sequence) {
        // What is left of the deletion inside, as REF and ALT.
        if (e->head > 0) e->head--;
        const int64_t shared = e->head + e->tail;
        if (e->ref_length > shared && e->alt_length > shared) {
            e->ref_length -= shared;
            e->alt_length -= shared;
        }
        put_texts(e, e->alt_length);
        const int64_t first = e->from + 1;
        if ((first < begin && e->to >= begin) || (first < end && e->to >= end)) {
            const int64_t gone = e->to - e->from - e->alt_text.length + 1; // but for bases that ALT has instead
            if (gone > 0) e->terms |= gone % CODON ? GW_FRAMESHIFT : GW_INFRAME_DELETION;
            *side = GW_CSQ_ACROSS;
            return GW_OK;
        }
    }
    *side = GW_CSQ_INSIDE;
    return add(e, e->terms);
}

static gw_status look_at_substitution(gw_csq_edge *e, int64_t begin, int64_t end, gw_csq_side *side) {
    *side = GW_CSQ_SAME;
    if (e->head + e->tail == e->ref_length) return GW_OK;
    e->from = e->position + e->head;
    e->to = e->position + e->ref_length - e->tail - 1;
    GW_TRY(tell_left(e, begin, e->from));
    if (e->from < begin && e->to >= begin) e->from = begin;
    GW_TRY(tell_right(e, end, e->from));
    if (end < e->to && e->from <= end) e->to = end;
    if (e->to < begin || e->from > end) return end_outside(e, side);
    tell_inside(e, begin, end, e->from, e->to);
    if (e->sequence) {
        e->ref_length -= e->head + e->tail;
        put_texts(e, e->ref_length);
    }
    *side = GW_CSQ_INSIDE;
    return add(e, e->terms);
}

gw_status gw_csq_look_at(gw_csq_edge *e, int64_t begin, int64_t end, gw_csq_side *side) {
    const int64_t shorter = gw_min(e->ref_length, e->alt_length);
    e->tail = e->head = 0; // common bases go from the right first
    while (e->tail < shorter && e->ref[e->ref_length - 1 - e->tail] == e->alt[e->alt_length - 1 - e->tail]) e->tail++;
    while (e->head < shorter - e->tail && e->ref[e->head] == e->alt[e->head]) e->head++;
    switch (kind_of(e)) {
    case INSERTION: return look_at_insertion(e, begin, end, side);
    case DELETION: return look_at_deletion(e, begin, end, side);
    default: return look_at_substitution(e, begin, end, side);
    }
}
