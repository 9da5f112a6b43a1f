// SPDX-License-Identifier: MIT
// Codons that a change meets are read in both transcripts, up to the first stop; after a frameshift all that follow.
// They are cut out on the forward strand, whole, and read from the end where the strand begins.
#include "seq/genes/codons.h"
#include "seq/genes/consequence_private.h"

#include <string.h>

gw_status gw_csq_splice(gw_csq_spliced *spliced, const gw_annotation *annotation, int64_t transcript,
                        gw_genome *genome) {
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
    int64_t from = r->at - missing;
    if (from < -GW_CSQ_PAD) from = -GW_CSQ_PAD;
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
static unsigned check_ends(const gw_csq_residues *r, const gw_annotated *t, unsigned terms) {
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

static unsigned terms_of_length(const gw_csq_residues *r, int64_t grows) {
    const unsigned stop = last_of(&r->ref) != '*' && last_of(&r->alt) == '*' ? GW_STOP_GAINED : 0;
    if (grows % 3) return GW_FRAMESHIFT | stop;
    return (grows < 0 ? GW_INFRAME_DELETION : GW_INFRAME_INSERTION) | stop;
}

static unsigned terms_of_residues(const gw_csq_residues *r) {
    unsigned terms = 0;
    for (int64_t i = 0; i < r->ref.length; i++) {
        const char alt = i < r->alt.length ? r->alt.data[i] : 0;
        if (r->ref.data[i] == alt) continue;
        terms |= r->ref.data[i] == '*' ? GW_STOP_LOST : alt == '*' ? GW_STOP_GAINED : GW_MISSENSE;
    }
    return terms ? terms : GW_SYNONYMOUS;
}

// |12A>12V|345C>T
static void write_change(const gw_annotated *t, const gw_csq_change *change, const gw_csq_residues *r, unsigned terms,
                         gw_string *text) {
    const bool forward = t->strand == '+';
    const int64_t behind = t->coding_length - change->at - change->ref_length,
                  behind_alt = t->coding_length + change->grows - change->at - change->alt_length;
    gw_string_printf(text, "|%lld%s", (long long)((forward ? change->at : behind) / 3 + 1), r->ref.data);
    if (!(terms & GW_SYNONYMOUS))
        gw_string_printf(text, ">%lld%s", (long long)((forward ? change->at : behind_alt) / 3 + 1), r->alt.data);
    gw_string_printf(text, "|%lld%s>%s", (long long)change->position + 1, change->record_ref, change->record_alt);
}

gw_status gw_csq_translate(const gw_csq_spliced *spliced, const gw_annotated *t, const gw_csq_change *change,
                           gw_csq_residues *scratch, gw_string *text, unsigned *terms) {
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
    *terms |= change->grows != 0 ? terms_of_length(scratch, change->grows) : terms_of_residues(scratch);
    write_change(t, change, scratch, *terms, text);
    return GW_OK;
}
