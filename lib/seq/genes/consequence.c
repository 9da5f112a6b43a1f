// SPDX-License-Identifier: MIT
// A record is held against CDS, UTRs and exons of all transcripts; where none of them has it, against whole
// transcripts. Each of them is looked for in a stretch one base longer than REF, for insertions behind it.
#include "seq/genes/consequence.h"

#include "base/memory.h"
#include "seq/genes/codons.h"
#include "seq/genes/consequence_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SPLICED = 64 }; // spliced transcripts that are kept; records come in order

struct gw_consequences {
    gw_genome *genome;
    gw_csq_entries entries;
    gw_csq_spliced spliced[SPLICED];
    gw_csq_residues residues;
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

static gw_status take_texts(gw_consequences *c) {
    GW_TRY(gw_reserve(&c->alts, &c->alt_capacity, c->site->alts, sizeof *c->alts));
    gw_string_clear(&c->texts);
    put_upper(&c->texts, c->site->ref);
    for (int i = 0; i < c->site->alts; i++) {
        const char *alt = c->site->alt[i];
        c->alts[i] = alt && alt[0] != '<' ? c->texts.length : -1;
        if (c->alts[i] >= 0) put_upper(&c->texts, alt);
    }
    return gw_string_status(&c->texts);
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

// Without the codon of a start the CDS is incomplete.
static gw_status starts_with_start(gw_consequences *c, const gw_gene_part *cds, bool *starts) {
    const gw_annotated *t = transcript_of(c, cds);
    gw_string *codon = &c->edge.ref_text;
    const int64_t begin = t->strand == '+' ? cds->begin : cds->end - 3;
    gw_string_clear(codon);
    GW_TRY(gw_csq_bases(c->genome, t->contig, begin, begin + 3, codon));
    const bool forward = t->strand == '+';
    if (t->bacterial) *starts = (forward ? gw_codon_starts_bacteria : gw_codon_starts_bacteria_reverse)(codon->data);
    else *starts = (forward ? gw_codon_residue : gw_codon_residue_reverse)(codon->data) == 'M';
    return GW_OK;
}

static gw_status edge_of_cds(gw_consequences *c, const gw_gene_part *cds, int alt, gw_csq_edge **edge) {
    const gw_annotated *t = transcript_of(c, cds);
    const bool leftmost = cds->index == 0, rightmost = cds->index == t->cds_count - 1, forward = t->strand == '+';
    bool start = !t->starts_late && (forward ? leftmost : rightmost);
    if (start) GW_TRY(starts_with_start(c, cds, &start));
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
static gw_csq_change change_of(const gw_consequences *c, const gw_csq_edge *e, const gw_gene_part *cds) {
    const int64_t outside = e->from < cds->begin ? cds->begin - e->from : 0, from = e->from + outside;
    const char *alt = c->site->alt[e->alt_number];
    return (gw_csq_change){.at = cds->place + from - cds->begin,
                           .ref_length = e->ref_text.length - outside,
                           .alt = e->alt_text.data + (outside < e->alt_text.length ? outside : e->alt_text.length),
                           .alt_length = outside < e->alt_text.length ? e->alt_text.length - outside : 0,
                           .grows = (int64_t)strlen(alt) - (int64_t)strlen(c->site->ref),
                           .position = c->site->position,
                           .record_ref = c->site->ref,
                           .record_alt = alt,
                           .terms = e->terms & ~(unsigned)GW_SYNONYMOUS};
}

static gw_status add_change(gw_consequences *c, const gw_csq_change *change, const gw_gene_part *cds, int alt) {
    gw_csq_spliced *spliced = &c->spliced[cds->transcript % SPLICED];
    gw_string *changes = &c->entries.changes;
    const int64_t text = changes->length;
    unsigned terms;
    GW_TRY(gw_csq_splice(spliced, c->entries.annotation, cds->transcript, c->genome));
    GW_TRY(gw_csq_translate(spliced, transcript_of(c, cds), change, &c->residues, changes, &terms));
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
    const gw_csq_change change = change_of(c, e, cds);
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

// Whether an allele is within a part, or across its ends.
static gw_status meets(gw_consequences *c, const gw_gene_part *part, int alt, bool *met) {
    gw_csq_side side;
    GW_TRY(gw_csq_look_at(edge_of(c, part->transcript, alt), part->begin, part->end - 1, &side));
    *met = side == GW_CSQ_INSIDE || side == GW_CSQ_ACROSS;
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
            bool met = false;
            if (c->alts[i] >= 0) GW_TRY(meets(c, part, i, &met));
            if (!met) continue;
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

static gw_status tell_alleles(gw_consequences *c) {
    bool hit = false;
    GW_TRY(look_at_cds(c, &hit));
    GW_TRY(look_at(c, GW_UTR_PART, &hit));
    GW_TRY(look_at_exons(c, &hit));
    return hit ? GW_OK : look_at(c, GW_WHOLE_PART, &hit);
}

static bool is_insertion(const char *alt) {
    return alt && strncmp(alt, "<INS", 4) == 0;
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
    GW_TRY(take_texts(c));
    GW_TRY(site->alts > 0 && is_insertion(site->alt[0]) ? tell_insertion(c) : tell_alleles(c));
    *any = c->entries.count > 0;
    gw_csq_write(&c->entries, out);
    return gw_string_status(out);
}
