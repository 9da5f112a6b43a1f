// SPDX-License-Identifier: MIT
// The entries of a record. An entry derived from residues is merged with one of the same transcript, allele and change.
// An entry with a change and one without are merged if both concern the start or the stop. Other entries are merged
// with an entry of their transcript that is not derived from residues; introns and RNAs with that of any transcript of
// the same biotype.
#include "base/memory.h"
#include "base/parse.h"
#include "seq/genes/consequence_private.h"
#include "seq/vcf/vcf.h"

#include <string.h>

static const char *change_of(const gw_csq_entries *entries, const gw_csq_entry *entry) {
    return entry->change < 0 ? NULL : entries->changes.data + entry->change;
}

static const char *biotype_of(const gw_csq_entries *entries, const gw_csq_entry *entry) {
    return gw_biotype_name(entries->annotation->items[entry->transcript].biotype);
}

// Transcripts are named but of introns and RNAs.
static bool names_transcript(unsigned terms) {
    return (terms & ~(unsigned)(GW_INTRON | GW_NON_CODING)) != 0;
}

static bool may_share(const gw_csq_entries *entries, const gw_csq_entry *a, const gw_csq_entry *b) {
    if (a->transcript != b->transcript && names_transcript(a->terms | b->terms)) return false;
    return strcmp(biotype_of(entries, a), biotype_of(entries, b)) == 0;
}

// Returns whether the new entry went into `old`.
static bool join_residues(const gw_csq_entries *entries, gw_csq_entry *old, const gw_csq_entry *new) {
    const char *a = change_of(entries, old), *b = change_of(entries, new);
    if (!may_share(entries, old, new) || old->alt != new->alt) return false;
    if (!a != !b) {
        if (!(old->terms & GW_OF_ENDS) || !(new->terms &GW_OF_ENDS)) return false;
        old->terms |= new->terms;
        if (old->terms & GW_STOP_RETAINED) old->terms &= ~(unsigned)(GW_STOP_LOST | GW_SYNONYMOUS);
        if (!a) old->change = new->change, old->shown = new->shown;
        return true;
    }
    if (a && strcmp(a, b) != 0) return false;
    old->terms |= new->terms;
    return true;
}

gw_status gw_csq_add(gw_csq_entries *entries, gw_csq_entry entry) {
    if (entry.terms & (GW_SPLICE_DONOR | GW_SPLICE_ACCEPTOR)) entry.terms &= ~(unsigned)GW_SPLICE_REGION;
    for (int64_t i = 0; i < entries->count; i++) {
        gw_csq_entry *old = &entries->items[i];
        if (entry.terms & GW_OF_RESIDUES) {
            if (join_residues(entries, old, &entry)) return GW_OK;
            continue;
        }
        const bool adds = (old->terms | entry.terms) != old->terms;
        if (!may_share(entries, old, &entry) || ((old->terms & GW_OF_RESIDUES) && adds)) continue;
        old->terms |= entry.terms;
        return GW_OK;
    }
    GW_TRY(gw_reserve(&entries->items, &entries->capacity, entries->count + 1, sizeof *entries->items));
    entries->items[entries->count++] = entry;
    return GW_OK;
}

static void write_terms(unsigned terms, bool decays, gw_string *out) {
    static const char *const names[] = {"synonymous",       "missense",           "stop_lost",     "stop_gained",
                                        "inframe_deletion", "inframe_insertion",  "frameshift",    "splice_acceptor",
                                        "splice_donor",     "start_lost",         "splice_region", "stop_retained",
                                        "5_prime_utr",      "3_prime_utr",        "non_coding",    "intron",
                                        "coding_sequence",  "feature_elongation", "start_retained"};
    bool any = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!(terms & 1U << i)) continue;
        if (any) gw_string_putc(out, '&');
        gw_string_puts(out, names[i]);
        any = true;
    }
    if (decays && names_transcript(terms)) gw_string_puts(out, any ? "&NMD_transcript" : "NMD_transcript");
}

int gw_consequence_rank(const char *entry) {
    static const char *const ordered[] = {"splice_acceptor",
                                          "splice_donor",
                                          "stop_gained",
                                          "frameshift",
                                          "stop_lost",
                                          "start_lost",
                                          "feature_elongation",
                                          "inframe_insertion",
                                          "inframe_deletion",
                                          "missense",
                                          "splice_region",
                                          "start_retained",
                                          "stop_retained",
                                          "synonymous",
                                          "coding_sequence",
                                          "5_prime_utr",
                                          "3_prime_utr",
                                          "non_coding",
                                          "intron"};
    enum { TERMS = sizeof ordered / sizeof *ordered };
    const char *end = entry + strcspn(entry, "|");
    int gravest = TERMS;
    for (const char *term = entry; term && term < end; term = gw_next_item(term, '&')) {
        if (*term == '*') term++; // behind a stop that was gained
        const size_t length = strcspn(term, "&|");
        for (int i = 0; i < gravest; i++)
            if (strlen(ordered[i]) == length && strncmp(term, ordered[i], length) == 0) gravest = i;
    }
    return gravest;
}

static void write_entry(const gw_csq_entries *entries, const gw_csq_entry *entry, gw_string *out) {
    const gw_annotated *t = &entries->annotation->items[entry->transcript];
    const unsigned ends = GW_OF_ENDS | GW_INCOMPLETE_CDS;
    unsigned terms = entry->terms;
    // Of CDS that ends early no start and stop is told beside anything else; of starts and stops no missense.
    if ((terms & GW_INCOMPLETE_CDS) && (terms & ~ends)) terms &= ~ends;
    if (terms & GW_OF_ENDS) terms &= ~(unsigned)GW_MISSENSE;
    write_terms(terms, gw_biotype_decays(t->biotype), out);
    gw_string_putc(out, '|');
    gw_percent_encode(out, t->gene);
    gw_string_putc(out, '|');
    if (names_transcript(terms)) gw_percent_encode(out, t->id);
    gw_string_printf(out, "|%s", gw_biotype_name(t->biotype));
    const bool shown = entry->change >= 0 && entry->shown;
    if (shown || ((terms & GW_OF_RESIDUES) && !(terms & GW_OF_SPLICING))) gw_string_printf(out, "|%c", t->strand);
    if (shown) gw_string_puts(out, change_of(entries, entry));
}

void gw_csq_write(const gw_csq_entries *entries, gw_string *out) {
    for (int64_t i = 0; i < entries->count; i++) {
        if (i > 0) gw_string_putc(out, ',');
        write_entry(entries, &entries->items[i], out);
    }
}
