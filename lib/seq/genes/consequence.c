// SPDX-License-Identifier: MIT
// Compares a record with CDS, UTRs and exons of all transcripts, and, if none of them contains it, with whole
// transcripts. Each is searched in a range one base longer than REF, for insertions behind it.
#include "seq/genes/consequence.h"

#include "base/memory.h"
#include "base/number.h"
#include "seq/genes/codons.h"
#include "seq/genes/consequence_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Coding sequence end to end, and what is read of it. Codons that a change meets are read in both transcripts, up to
// the first stop; after a frameshift all that follow. They are cut out on the forward strand, whole, and read from the
// end where the strand begins. A codon that an insertion leaves open at the end goes on behind the coding sequence.

// Zero-initialise.
typedef struct {
    int64_t transcript; // + 1; 0: none
    gw_string bases;    // GW_CSQ_PAD, those of the CDS on the forward strand, GW_CSQ_PAD
} spliced_cds;

// A change of spliced bases.
typedef struct {
    int64_t at, ref_length; // of the CDS
    const char *alt;
    int64_t alt_length;
    int64_t grows; // bases that the transcript is longer
    int64_t position;
    const char *record_ref, *record_alt; // as the record writes them
    unsigned terms;                      // of the edge
} cds_change;

typedef struct {
    gw_string ref, alt; // residues up to the first stop
} both_residues;

static gw_status splice(spliced_cds *spliced, const gw_annotation *annotation, int64_t transcript, gw_genome *genome) {
    const gw_annotated *t = &annotation->items[transcript];
    const int64_t first = t->cds[0].begin, last = t->cds[t->cds_count - 1].begin;
    if (spliced->transcript == transcript + 1) return GW_OK;
    spliced->transcript = 0;
    gw_string_clear(&spliced->bases);
    GW_TRY(gw_csq_bases(genome, t->contig, first - GW_CSQ_PAD, first, &spliced->bases));
    for (int64_t i = 0; i < t->cds_count; i++)
        GW_TRY(gw_csq_bases(genome, t->contig, t->cds[i].begin, t->cds[i].end, &spliced->bases));
    // csq has the first bases of the last stretch here, not those behind it
    GW_TRY(gw_csq_bases(genome, t->contig, last, last + GW_CSQ_PAD, &spliced->bases));
    spliced->transcript = transcript + 1;
    return gw_string_status(&spliced->bases);
}

// Bases [at, at + ref_length) of the CDS with others in their place.
typedef struct {
    const char *spliced; // first base of the CDS
    int64_t length;      // of the CDS
    int64_t at, ref_length;
    const char *bases;
    int64_t count;
    int64_t behind; // bases of the changed CDS behind these
    bool forward, to_the_end;
} reading;

// The whole codons that hold these bases, appended.
static void append_codons(const reading *r, gw_string *out) {
    const int64_t end = r->at + r->ref_length;
    if (r->forward) {
        const int64_t open = r->at % 3, missing = (3 - (open + r->count) % 3) % 3;
        int64_t to = end + missing;
        if (r->to_the_end && r->length > to) to += (r->length - to) / 3 * 3;
        gw_string_append(out, r->spliced + r->at - open, open);
        gw_string_append(out, r->bases, r->count);
        gw_string_append(out, r->spliced + end, to - end);
        return;
    }
    const int64_t open = (r->behind % 3 + 3) % 3, missing = (3 - (open + r->count) % 3) % 3;
    int64_t from = gw_max(r->at - missing, -GW_CSQ_PAD);
    if (r->to_the_end && from > 0) from -= from / 3 * 3;
    gw_string_append(out, r->spliced + from, r->at - from);
    gw_string_append(out, r->bases, r->count);
    gw_string_append(out, r->spliced + end, open);
}

// Residues up to the first stop; '?' where there are none.
static gw_status read_residues(const reading *r, gw_string *codons, gw_string *out) {
    gw_string_clear(out);
    gw_string_clear(codons);
    if (r->count == 0) {
        gw_string_putc(out, '?');
        return gw_string_status(out);
    }
    append_codons(r, codons);
    GW_TRY(gw_string_status(codons));
    for (int64_t i = 0; i + 3 <= codons->length; i += 3) {
        const char residue = r->forward ? gw_codon_residue(codons->data + i)
                                        : gw_codon_residue_reverse(codons->data + codons->length - 3 - i);
        gw_string_putc(out, residue);
        if (residue == '*') break;
    }
    if (out->length == 0) gw_string_putc(out, '?');
    return gw_string_status(out);
}

static char last_of(const gw_string *residues) {
    return residues->length > 0 ? residues->data[residues->length - 1] : 0;
}

// Stops and starts that the edge said are lost, now that residues are known.
static unsigned check_ends(const both_residues *r, const gw_annotated *t, unsigned terms) {
    if (terms & GW_STOP_LOST) {
        if (last_of(&r->ref) == '*' && last_of(&r->alt) == '*') {
            terms &= ~(unsigned)GW_STOP_LOST;
            terms |= GW_STOP_RETAINED;
        } else if (last_of(&r->ref) != '*' && last_of(&r->alt) == '*') {
            terms &= ~(unsigned)GW_STOP_GAINED;
            terms |= GW_STOP_RETAINED;
        } else if (last_of(&r->ref) != '*') {
            terms |= GW_INCOMPLETE_CDS;
        }
    }
    if ((terms & GW_START_LOST) && !t->bacterial && r->ref.data[0] != 'M') terms &= ~(unsigned)GW_START_LOST;
    return terms;
}

// Terms, and the change's text appended to `text`.
static gw_status translate(const spliced_cds *spliced, const gw_annotated *t, const cds_change *change,
                           both_residues *scratch, gw_string *text, unsigned *terms) {
    gw_string codons = {0};
    reading r = {.spliced = spliced->bases.data + GW_CSQ_PAD,
                 .length = t->coding_length,
                 .at = change->at,
                 .ref_length = change->ref_length,
                 .bases = change->alt,
                 .count = change->alt_length,
                 .behind = t->coding_length + change->grows - change->at - change->alt_length,
                 .forward = t->strand == '+',
                 .to_the_end = change->grows % 3 != 0 && change->alt_length > 0};
    gw_status status = read_residues(&r, &codons, &scratch->alt);
    r.bases = r.spliced + change->at;
    r.count = change->ref_length;
    r.behind = t->coding_length - change->at - change->ref_length;
    if (status == GW_OK) status = read_residues(&r, &codons, &scratch->ref);
    gw_string_free(&codons);
    GW_TRY(status);
    *terms = check_ends(scratch, t, change->terms);
    const gw_string *ref = &scratch->ref, *alt = &scratch->alt;
    if (change->grows != 0) {
        if (change->grows % 3) *terms |= GW_FRAMESHIFT;
        else *terms |= change->grows < 0 ? GW_INFRAME_DELETION : GW_INFRAME_INSERTION;
        if (last_of(ref) != '*' && last_of(alt) == '*') *terms |= GW_STOP_GAINED;
    } else {
        unsigned differences = 0;
        for (int64_t i = 0; i < ref->length; i++) {
            const char to = i < alt->length ? alt->data[i] : 0;
            if (ref->data[i] == to) continue;
            differences |= ref->data[i] == '*' ? GW_STOP_LOST : to == '*' ? GW_STOP_GAINED : GW_MISSENSE;
        }
        *terms |= differences ? differences : GW_SYNONYMOUS;
    }
    // |12A>12V|345C>T
    const int64_t at = r.forward ? change->at : t->coding_length - change->at - change->ref_length;
    const int64_t at_alt = r.forward ? at : at + change->grows + change->ref_length - change->alt_length;
    gw_string_printf(text, "|%lld%s", (long long)(at / 3 + 1), ref->data);
    if (!(*terms & GW_SYNONYMOUS)) gw_string_printf(text, ">%lld%s", (long long)(at_alt / 3 + 1), alt->data);
    gw_string_printf(text, "|%lld%s>%s", (long long)change->position + 1, change->record_ref, change->record_alt);
    return GW_OK;
}

enum { SPLICED = 64 }; // spliced transcripts that are kept; records come in order

struct gw_consequences {
    gw_genome *genome;
    gw_csq_entries entries;
    spliced_cds spliced[SPLICED];
    both_residues residues;
    gw_csq_edge edge; // its texts are kept for the next
    gw_string texts;  // REF and ALTs of the record in upper case, each ended by a zero byte
    int64_t *alts;    // [alts] in it; -1: nothing is told of it
    int64_t alt_capacity;
    const gw_consequence_site *site;
};

gw_status gw_consequences_new(const gw_annotation *annotation, gw_genome *genome, gw_consequences **out) {
    gw_consequences *c = gw_alloc(1, sizeof *c);
    *out = c;
    if (!c) return GW_ERR_MEMORY;
    c->genome = genome;
    c->entries.annotation = annotation;
    return GW_OK;
}

void gw_consequences_free(gw_consequences *c) {
    if (!c) return;
    for (int i = 0; i < SPLICED; i++) gw_string_free(&c->spliced[i].bases);
    gw_string_free(&c->entries.changes);
    gw_string_free(&c->residues.ref);
    gw_string_free(&c->residues.alt);
    gw_string_free(&c->edge.ref_text);
    gw_string_free(&c->edge.alt_text);
    gw_string_free(&c->texts);
    free(c->entries.items);
    free(c->alts);
    free(c);
}

static void put_upper(gw_string *texts, const char *bases) {
    for (; *bases; bases++) gw_string_putc(texts, (char)toupper((unsigned char)*bases));
    gw_string_putc(texts, 0);
}

static const gw_annotated *transcript_of(const gw_consequences *c, const gw_gene_part *part) {
    return &c->entries.annotation->items[part->transcript];
}

static const gw_gene_part *next_part(const gw_consequences *c, gw_gene_part_kind kind, int64_t *at) {
    const int64_t begin = c->site->position, end = begin + (int64_t)strlen(c->site->ref) + 1;
    return gw_annotation_next(c->entries.annotation, kind, c->site->contig, begin, end, at);
}

// The edge of an allele at a transcript, all of whose checks are off.
static gw_csq_edge *edge_of(gw_consequences *c, int64_t transcript, int alt) {
    const char *ref = c->texts.data, *bases = ref + c->alts[alt];
    c->edge = (gw_csq_edge){.entries = &c->entries,
                            .genome = c->genome,
                            .transcript = transcript,
                            .alt_number = alt,
                            .position = c->site->position,
                            .ref = ref,
                            .alt = bases,
                            .ref_length = (int64_t)strlen(ref),
                            .alt_length = (int64_t)strlen(bases),
                            .ref_text = c->edge.ref_text,
                            .alt_text = c->edge.alt_text};
    return &c->edge;
}

static gw_status add(gw_consequences *c, const gw_gene_part *part, int alt, unsigned terms) {
    return gw_csq_add(&c->entries, (gw_csq_entry){terms, part->transcript, alt, -1, false});
}

static gw_status edge_of_cds(gw_consequences *c, const gw_gene_part *cds, int alt, gw_csq_edge **edge) {
    const gw_annotated *t = transcript_of(c, cds);
    const bool leftmost = cds->index == 0, rightmost = cds->index == t->cds_count - 1, forward = t->strand == '+';
    bool start = !t->starts_late && (forward ? leftmost : rightmost);
    if (start) { // without the codon of a start the CDS is incomplete
        gw_string *codon = &c->edge.ref_text;
        const int64_t begin = forward ? cds->begin : cds->end - 3;
        gw_string_clear(codon);
        GW_TRY(gw_csq_bases(c->genome, t->contig, begin, begin + 3, codon));
        if (t->bacterial) start = (forward ? gw_codon_starts_bacteria : gw_codon_starts_bacteria_reverse)(codon->data);
        else start = (forward ? gw_codon_residue : gw_codon_residue_reverse)(codon->data) == 'M';
    }
    gw_csq_edge *e = edge_of(c, cds->transcript, alt);
    e->splices = e->sequence = true;
    e->start = start;
    e->stop = !t->ends_early && (forward ? rightmost : leftmost);
    e->left = !leftmost;
    e->right = !rightmost;
    *edge = e;
    return GW_OK;
}

// The edge's bases as a change of the spliced CDS.
static cds_change changed_bases(const gw_consequences *c, const gw_csq_edge *e, const gw_gene_part *cds) {
    const int64_t outside = gw_max(cds->begin - e->from, 0), from = e->from + outside;
    const int64_t skipped = gw_min(outside, e->alt_text.length);
    const char *alt = c->site->alt[e->alt_number];
    return (cds_change){.at = cds->place + from - cds->begin,
                        .ref_length = e->ref_text.length - outside,
                        .alt = e->alt_text.data + skipped,
                        .alt_length = e->alt_text.length - skipped,
                        .grows = (int64_t)strlen(alt) - (int64_t)strlen(c->site->ref),
                        .position = c->site->position,
                        .record_ref = c->site->ref,
                        .record_alt = alt,
                        .terms = e->terms & ~(unsigned)GW_SYNONYMOUS};
}

static gw_status add_change(gw_consequences *c, const cds_change *change, const gw_gene_part *cds, int alt) {
    spliced_cds *spliced = &c->spliced[cds->transcript % SPLICED];
    gw_string *changes = &c->entries.changes;
    const int64_t text = changes->length;
    unsigned terms;
    GW_TRY(splice(spliced, c->entries.annotation, cds->transcript, c->genome));
    GW_TRY(translate(spliced, transcript_of(c, cds), change, &c->residues, changes, &terms));
    gw_string_putc(changes, 0);
    GW_TRY(gw_string_status(changes));
    const unsigned told = terms & GW_OF_RESIDUES, others = terms & ~(unsigned)GW_OF_RESIDUES;
    if (told) GW_TRY(gw_csq_add(&c->entries, (gw_csq_entry){told, cds->transcript, alt, text, true}));
    if (!others) return GW_OK;
    return gw_csq_add(&c->entries, (gw_csq_entry){others, cds->transcript, alt, told ? text : -1, false});
}

static gw_status tell_cds(gw_consequences *c, const gw_gene_part *cds, int alt) {
    gw_csq_edge *e;
    gw_csq_side side;
    GW_TRY(edge_of_cds(c, cds, alt, &e));
    GW_TRY(gw_csq_look_at(e, cds->begin, cds->end - 1, &side));
    if (side == GW_CSQ_SAME) return GW_OK;
    if (side != GW_CSQ_INSIDE || e->terms == GW_START_LOST) return e->terms ? add(c, cds, alt, e->terms) : GW_OK;
    const cds_change change = changed_bases(c, e, cds);
    if (change.at - cds->place + change.ref_length <= cds->end - cds->begin) return add_change(c, &change, cds, alt);
    return add(c, cds, alt, change.terms ? change.terms : GW_CODING_SEQUENCE);
}

static gw_status look_at_cds(gw_consequences *c, bool *hit) {
    const gw_gene_part *part;
    for (int64_t at = -1; (part = next_part(c, GW_CDS_PART, &at));) {
        if (!transcript_of(c, part)->biotype->coding) continue;
        *hit = true;
        for (int i = 0; i < c->site->alts; i++)
            if (c->alts[i] >= 0) GW_TRY(tell_cds(c, part, i));
    }
    return GW_OK;
}

static unsigned utr_of(const gw_gene_part *part) {
    return part->five ? GW_UTR_5 : GW_UTR_3;
}

static unsigned within(const gw_annotated *t) {
    return t->biotype->coding ? GW_INTRON : GW_NON_CODING;
}

static gw_status look_at(gw_consequences *c, gw_gene_part_kind kind, bool *hit) {
    const gw_gene_part *part;
    for (int64_t at = -1; (part = next_part(c, kind, &at));)
        for (int i = 0; i < c->site->alts; i++) {
            gw_csq_side side;
            if (c->alts[i] < 0) continue;
            GW_TRY(gw_csq_look_at(edge_of(c, part->transcript, i), part->begin, part->end - 1, &side));
            if (side != GW_CSQ_INSIDE && side != GW_CSQ_ACROSS) continue;
            *hit = true;
            GW_TRY(add(c, part, i, kind == GW_UTR_PART ? utr_of(part) : within(transcript_of(c, part))));
        }
    return GW_OK;
}

// Splice sites of transcripts that have CDS.
static gw_status look_at_exons(gw_consequences *c, bool *hit) {
    const gw_gene_part *part;
    for (int64_t at = -1; (part = next_part(c, GW_EXON_PART, &at));) {
        const gw_annotated *t = transcript_of(c, part);
        const int64_t begin = part->begin + GW_SPLICE_REACH, end = part->end - GW_SPLICE_REACH;
        for (int i = 0; i < c->site->alts && t->cds_count > 0; i++) {
            gw_csq_side side;
            if (c->alts[i] < 0) continue;
            gw_csq_edge *e = edge_of(c, part->transcript, i);
            e->splices = true;
            e->left = begin != t->begin;
            e->right = end != t->end;
            GW_TRY(gw_csq_look_at(e, begin, end - 1, &side));
            *hit = *hit || e->terms;
        }
    }
    return GW_OK;
}

// Parts that hold the base behind POS.
static const gw_gene_part *next_behind(const gw_consequences *c, gw_gene_part_kind kind, int64_t *at) {
    const int64_t begin = c->site->position + 1;
    return gw_annotation_next(c->entries.annotation, kind, c->site->contig, begin, begin + 1, at);
}

static gw_status elongate(gw_consequences *c, gw_gene_part_kind kind, bool *hit) {
    const gw_gene_part *part;
    for (int64_t at = -1; (part = next_behind(c, kind, &at)); *hit = true) {
        const unsigned coding = transcript_of(c, part)->biotype->coding ? GW_CODING_SEQUENCE : GW_NON_CODING;
        GW_TRY(add(c, part, 0, (kind == GW_UTR_PART ? utr_of(part) : coding) | GW_ELONGATION));
    }
    return GW_OK;
}

// The edge at an insertion: its symbol stands for bases that differ from REF.
static gw_status look_at_symbol(gw_consequences *c, const gw_gene_part *part, int64_t begin, int64_t end, bool splices,
                                gw_csq_side *side) {
    const gw_annotated *t = transcript_of(c, part);
    gw_csq_edge *e = edge_of(c, part->transcript, 0);
    e->splices = splices;
    e->left = splices && begin != t->begin;
    e->right = splices && end != t->end;
    e->terms = GW_ELONGATION;
    return gw_csq_look_at(e, begin, end - 1, side);
}

static gw_status tell_insertion(gw_consequences *c) {
    bool hit = false;
    gw_csq_side side;
    const gw_gene_part *part;
    c->alts[0] = c->texts.length;
    put_upper(&c->texts, c->site->alt[0]);
    GW_TRY(gw_string_status(&c->texts));
    GW_TRY(elongate(c, GW_CDS_PART, &hit));
    GW_TRY(elongate(c, GW_UTR_PART, &hit));
    for (int64_t at = -1; (part = next_behind(c, GW_EXON_PART, &at));) {
        if (transcript_of(c, part)->cds_count == 0) continue;
        hit = true;
        GW_TRY(look_at_symbol(c, part, part->begin + GW_SPLICE_REACH, part->end - GW_SPLICE_REACH, true, &side));
    }
    for (int64_t at = -1; !hit && (part = next_behind(c, GW_WHOLE_PART, &at));) {
        GW_TRY(look_at_symbol(c, part, part->begin, part->end, false, &side));
        if (side == GW_CSQ_OUTSIDE) continue;
        GW_TRY(add(c, part, 0, within(transcript_of(c, part)) | GW_ELONGATION));
    }
    return GW_OK;
}

gw_status gw_consequences_of(gw_consequences *c, const gw_consequence_site *site, gw_string *out, bool *any) {
    c->site = site;
    c->entries.count = 0;
    gw_string_clear(&c->entries.changes);
    *any = false;
    if (site->contig < 0 || site->position < 0) return GW_OK;
    GW_TRY(gw_reserve(&c->alts, &c->alt_capacity, site->alts, sizeof *c->alts));
    gw_string_clear(&c->texts);
    put_upper(&c->texts, site->ref);
    for (int i = 0; i < site->alts; i++) {
        const char *alt = site->alt[i];
        c->alts[i] = alt && alt[0] != '<' ? c->texts.length : -1;
        if (c->alts[i] >= 0) put_upper(&c->texts, alt);
    }
    GW_TRY(gw_string_status(&c->texts));
    if (site->alts > 0 && site->alt[0] && gw_has_prefix(site->alt[0], "<INS")) GW_TRY(tell_insertion(c));
    else {
        bool hit = false;
        GW_TRY(look_at_cds(c, &hit));
        GW_TRY(look_at(c, GW_UTR_PART, &hit));
        GW_TRY(look_at_exons(c, &hit));
        if (!hit) GW_TRY(look_at(c, GW_WHOLE_PART, &hit));
    }
    *any = c->entries.count > 0;
    gw_csq_write(&c->entries, out);
    return gw_string_status(out);
}
