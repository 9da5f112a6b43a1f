// SPDX-License-Identifier: MIT
// One ALT of a record: what kind of allele it is, whether it fits the reference, and its windows.
//
// Trimming: the common suffix of REF and ALT goes first, then the common prefix, and one base of each is kept:
//   REF CAGT ALT CT  ->  T goes from the right, C stays as the one base kept: CAG > C
// The window of W bases of the reference begins floor((W - 1) / 2) bases before the trimmed POS; the ALT window has the
// same bases before it, the ALT bases in place of REF's, and is filled to W with what follows REF in the reference.
#ifndef GW_SEQ_VCF_VARIANT_H
#define GW_SEQ_VCF_VARIANT_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

// Why an allele is not scored, in the order in which the reasons are looked for.
typedef enum {
    GW_ALLELE_PASS,
    GW_ALLELE_NOALT,       // ALT is '.'
    GW_ALLELE_SPANNING,    // ALT is '*'
    GW_ALLELE_SYMBOLIC,    // <INS>, <*> ...; <DEL>, <DUP> and <INV> are read as bases (gw_symbolic_allele)
    GW_ALLELE_NOLENGTH,    // <DEL>, <DUP> or <INV> without a length that can be
    GW_ALLELE_BREAKEND,    // [ or ], or bases with '.' at one end
    GW_ALLELE_NOCONTIG,    // the genome has no such contig
    GW_ALLELE_REFMISMATCH, // REF contradicts the reference, or reaches past the contig's end
    GW_ALLELE_ABSENT,      // the reference has nothing but N under REF
    GW_ALLELE_AMBIGUOUS,   // REF or ALT holds a letter other than A, C, G, T
    GW_ALLELE_TOOLONG,     // trimmed REF or ALT is longer than W / 4, or the window's tokens exceed the positions
    GW_ALLELE_EDGE,        // a window leaves the contig
    GW_ALLELE_NOSITE,      // no window of a site covers the variant
    GW_ALLELE_NOGENE,      // no gene of a table holds the variant
    GW_ALLELE_NOSIGNAL,    // no signal of polyadenylation has the variant in its window, with REF or with ALT
    GW_ALLELE_NOTSNV,      // more than one base in the place of one, which an approximation by gradients takes alone
    GW_ALLELE_KNOWN,       // a table has another program's score of it, which stands beside the model's
    GW_ALLELE_NRICH,       // scored, but more than half of a window is N
    GW_ALLELE_SWAPPED,     // scored with REF and ALT changed about, since the reference has ALT
    GW_ALLELE_COMPLEX,     // scored by splicing: neither allele is a single base, as SpliceAI has no scores of
    GW_ALLELE_LONG,        // the same: a deletion longer than it has scores of
    GW_ALLELE_PADDED,      // the same: N stands for what lies beyond the contig's end
    GW_ALLELE_OUTSIDE,     // the same: no gene holds it, so that both strands are scored
    GW_ALLELE_STATUSES,
} gw_allele_status;
const char *gw_allele_status_name(gw_allele_status status); // "PASS", "NOALT" ...
bool gw_allele_is_scored(gw_allele_status status);          // PASS, or one that says that it is
// Whether an allele's text holds a letter other than A, C, G, T in either case.
bool gw_allele_is_ambiguous(const char *bases);
// Whether more than half of a window is N.
bool gw_window_is_n_rich(const char *window, int64_t length);

// By the text of ALT alone: PASS (bases), NOALT, SPANNING, SYMBOLIC or BREAKEND.
gw_allele_status gw_allele_kind(const char *alt);

// A trimmed pair of alleles; the texts are borrowed from the record.
typedef struct {
    int contig;       // of the genome
    int64_t position; // 0-based, of the first base of ref
    const char *ref, *alt;
    int64_t ref_length, alt_length;
} gw_variant;

gw_variant gw_variant_trim(int contig, int64_t position, const char *ref, const char *alt);

// Whether the trimmed variant is an insertion or deletion of bases, and nothing else.
bool gw_variant_is_indel(const gw_variant *variant);
// How far an insertion or deletion may be moved to the left and to the right and say the same, at most `most` bases; 0
// of any other variant.
gw_status gw_variant_steps(gw_genome *genome, const gw_variant *variant, int64_t most, int64_t *left,
                           int64_t *right) GW_MUST_CHECK;
// Whether two trimmed variants are one. Each is moved `left` steps to the left first, as far as gw_variant_steps() has
// it; case does not count.
bool gw_variant_is_same(const gw_variant *a, int64_t a_left, const gw_variant *b, int64_t b_left);

// REF against the reference, letter by letter: case does not count; an IUPAC letter fits each of its bases, and N in
// the reference (which stands for all its other letters too) fits everything. Status PASS, REFMISMATCH, or ABSENT where
// the reference is N under all of REF. position 0-based, -1 allowed.
gw_status gw_variant_check_ref(gw_genome *genome, int contig, int64_t position, const char *ref,
                               gw_allele_status *status) GW_MUST_CHECK;

// Windows [W] of both alleles into ref and alt, upper-cased ACGTN; *status is PASS, TOOLONG or EDGE (then they are
// undefined). shift: so many bases further to the right (of the reference; negative: left).
gw_status gw_variant_windows(gw_genome *genome, const gw_variant *variant, int64_t window, int64_t shift, char *ref,
                             char *alt, gw_allele_status *status) GW_MUST_CHECK;

// The same in a fixed window: [begin, begin + W) of the reference, which must hold the trimmed REF; otherwise NOSITE.
// The ALT window is filled up at its right end (what follows REF there), or, where `grow_left`, at its left end: the
// bases right of the variant then keep their places.
gw_status gw_variant_windows_at(gw_genome *genome, const gw_variant *variant, int64_t begin, int64_t window,
                                bool grow_left, char *ref, char *alt, gw_allele_status *status) GW_MUST_CHECK;

// REF and ALT as somebody wrote them, to be held to the genome: an error says what the genome has.

typedef struct {
    int contig;
    int64_t position; // 0-based
    char *ref, *alt;  // upper case
    char codons[8];   // of a change of a protein: "TCC>TTG", as its transcript has them; else empty
} gw_written_alleles;

// Zero-initialise.
typedef struct {
    gw_written_alleles *items;
    int64_t count, capacity;
} gw_written_list;

void gw_written_alleles_free(gw_written_alleles *alleles);
void gw_written_list_free(gw_written_list *list);
// Fails where the genome has other bases than `ref`, with both, and past the contig's end. Letters that are not A, C,
// G, T agree with anything that they stand for (gw_variant_check_ref).
gw_status gw_written_ref_check(gw_genome *genome, int contig, int64_t position, const char *ref) GW_MUST_CHECK;

#endif
