// SPDX-License-Identifier: MIT
// Computation of consequences. Private to lib/seq/genes.
#ifndef GW_SEQ_GENES_CONSEQUENCE_PRIVATE_H
#define GW_SEQ_GENES_CONSEQUENCE_PRIVATE_H

#include "seq/genes/consequence.h"

// In output order.
enum {
    GW_SYNONYMOUS = 1 << 0,
    GW_MISSENSE = 1 << 1,
    GW_STOP_LOST = 1 << 2,
    GW_STOP_GAINED = 1 << 3,
    GW_INFRAME_DELETION = 1 << 4,
    GW_INFRAME_INSERTION = 1 << 5,
    GW_FRAMESHIFT = 1 << 6,
    GW_SPLICE_ACCEPTOR = 1 << 7,
    GW_SPLICE_DONOR = 1 << 8,
    GW_START_LOST = 1 << 9,
    GW_SPLICE_REGION = 1 << 10,
    GW_STOP_RETAINED = 1 << 11,
    GW_UTR_5 = 1 << 12,
    GW_UTR_3 = 1 << 13,
    GW_NON_CODING = 1 << 14,
    GW_INTRON = 1 << 15,
    GW_CODING_SEQUENCE = 1 << 16,
    GW_ELONGATION = 1 << 17,
    GW_START_RETAINED = 1 << 18,
    GW_INCOMPLETE_CDS = 1 << 19, // not written: suppresses terms of start and stop codons
    // Groups of terms: derived from residues; of start and stop codons; of splicing.
    GW_OF_RESIDUES = GW_SYNONYMOUS | GW_MISSENSE | GW_STOP_LOST | GW_STOP_GAINED | GW_INFRAME_DELETION |
                     GW_INFRAME_INSERTION | GW_FRAMESHIFT | GW_START_LOST | GW_STOP_RETAINED | GW_INCOMPLETE_CDS |
                     GW_START_RETAINED,
    GW_OF_ENDS = GW_STOP_LOST | GW_STOP_GAINED | GW_STOP_RETAINED | GW_START_LOST | GW_START_RETAINED,
    GW_OF_SPLICING = GW_SPLICE_ACCEPTOR | GW_SPLICE_DONOR | GW_SPLICE_REGION,
};

// consequence_entries.c: the entries of a record. Entries of one transcript and allele are merged if possible.
typedef struct {
    unsigned terms;
    int64_t transcript;
    int alt;
    int64_t change; // offset in `changes` of the change of residues and bases as text; -1: none
    bool shown;     // the change is written
} gw_csq_entry;

// Zero-initialise.
typedef struct {
    const gw_annotation *annotation;
    gw_csq_entry *items;
    int64_t count, capacity;
    gw_string changes; // each with a zero byte at its end
} gw_csq_entries;

enum { GW_CSQ_PAD = 10 }; // bases before and behind spliced coding sequence

gw_status gw_csq_add(gw_csq_entries *entries, gw_csq_entry entry) GW_MUST_CHECK;
void gw_csq_write(const gw_csq_entries *entries, gw_string *out);

// consequence_edges.c: the position of a variant relative to a range of a transcript (CDS, UTR, exon, or the whole
// transcript).
typedef enum { GW_CSQ_SAME, GW_CSQ_OUTSIDE, GW_CSQ_INSIDE, GW_CSQ_ACROSS } gw_csq_side;

typedef struct {
    // set by the caller
    gw_csq_entries *entries;
    gw_genome *genome;
    int64_t transcript;
    int alt_number;
    int64_t position;
    const char *ref, *alt; // upper case
    int64_t ref_length, alt_length;
    bool splices;     // report splice sites
    bool start, stop; // the range contains the first codon; the last codon
    bool left, right; // there is another exon on this side
    bool sequence;    // for CDS: adjacent UTRs count, and ref_text and alt_text are filled
    // found
    unsigned terms;
    int64_t head, tail; // bases that REF and ALT share at their begin and end
    int64_t from, to;   // range of the reference for the change, with one base before insertions and deletions
    gw_string ref_text, alt_text;
} gw_csq_edge;

// Compares the variant with the range [begin, end], both ends included.
gw_status gw_csq_look_at(gw_csq_edge *edge, int64_t begin, int64_t end, gw_csq_side *side) GW_MUST_CHECK;
// Appends bases [begin, end) of a contig; N beyond its ends.
gw_status gw_csq_bases(gw_genome *genome, int contig, int64_t begin, int64_t end, gw_string *out) GW_MUST_CHECK;

#endif
