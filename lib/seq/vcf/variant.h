// SPDX-License-Identifier: MIT
// One ALT of a record: its kind, its agreement with the reference, and its windows.
//
// Trimming removes the common suffix of REF and ALT, then the common prefix, and keeps at least one base of each:
//   REF CAGT ALT CT  ->  T is removed on the right, C is kept as the one base: CAG > C
// The window of W bases of the reference begins floor((W - 1) / 2) bases before the trimmed POS. The ALT window has the
// same bases before the variant and ALT's bases instead of REF's. It is filled to W with the reference bases behind
// REF.
#ifndef GW_SEQ_VCF_VARIANT_H
#define GW_SEQ_VCF_VARIANT_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

// Reasons why an allele is not scored, in the order of the checks; and PASS and other statuses of scored alleles.
typedef enum {
    GW_ALLELE_PASS,
    GW_ALLELE_NOALT,       // ALT is '.'
    GW_ALLELE_SPANNING,    // ALT is '*'
    GW_ALLELE_SYMBOLIC,    // <INS>, <*> ...; <DEL>, <DUP> and <INV> are converted to bases (gw_symbolic_allele)
    GW_ALLELE_NOLENGTH,    // <DEL>, <DUP> or <INV> without a possible length
    GW_ALLELE_BREAKEND,    // [ or ], or bases with '.' at one end
    GW_ALLELE_NOCONTIG,    // the genome has no such contig
    GW_ALLELE_REFMISMATCH, // REF contradicts the reference, or ends beyond the contig
    GW_ALLELE_ABSENT,      // the reference has only N under REF
    GW_ALLELE_AMBIGUOUS,   // REF or ALT has a letter other than A, C, G, T
    GW_ALLELE_TOOLONG,     // trimmed REF or ALT is longer than W / 4, or the window's tokens exceed the positions
    GW_ALLELE_EDGE,        // a window extends beyond the contig
    GW_ALLELE_NOSITE,      // no window of a site covers the variant
    GW_ALLELE_NOGENE,      // no gene of the table contains the variant
    GW_ALLELE_NOSIGNAL,    // no window of a polyadenylation signal contains the variant, with REF or with ALT
    GW_ALLELE_NOTSNV,      // not a change of a single base, which gradients need
    GW_ALLELE_KNOWN,       // a table has another program's score for it, written beside the model's
    GW_ALLELE_NRICH,       // scored, but more than half of a window is N
    GW_ALLELE_SWAPPED,     // scored with REF and ALT exchanged, because the reference has ALT
    GW_ALLELE_COMPLEX,     // splicing score: neither allele is a single base; SpliceAI gives no score
    GW_ALLELE_LONG,        // the same: a deletion too long for SpliceAI
    GW_ALLELE_PADDED,      // the same: N replaces bases beyond the contig's end
    GW_ALLELE_OUTSIDE,     // the same: no gene contains it, so both strands are scored
    GW_ALLELE_STATUSES,
} gw_allele_status;
const char *gw_allele_status_name(gw_allele_status status); // "PASS", "NOALT" ...
bool gw_allele_is_scored(gw_allele_status status);          // PASS, or a status of scored alleles
// Whether an allele's text has a letter other than A, C, G, T, in either case.
bool gw_allele_is_ambiguous(const char *bases);
// Whether more than half of a window is N.
bool gw_window_is_n_rich(const char *window, int64_t length);

// The kind by the text of ALT: PASS (bases), NOALT, SPANNING, SYMBOLIC or BREAKEND.
gw_allele_status gw_allele_kind(const char *alt);

// A trimmed pair of alleles. The record owns the texts.
typedef struct {
    int contig;       // of the genome
    int64_t position; // 0-based, of the first base of ref
    const char *ref, *alt;
    int64_t ref_length, alt_length;
} gw_variant;

gw_variant gw_variant_trim(int contig, int64_t position, const char *ref, const char *alt);

// Whether the trimmed variant is only an insertion or deletion of bases.
bool gw_variant_is_indel(const gw_variant *variant);
// The number of bases by which an insertion or deletion can be moved left and right without changing its meaning, at
// most `most`; 0 for other variants.
gw_status gw_variant_steps(gw_genome *genome, const gw_variant *variant, int64_t most, int64_t *left,
                           int64_t *right) GW_MUST_CHECK;
// Whether two trimmed variants are the same. Each is first moved left by `left` steps, from gw_variant_steps(); case is
// ignored.
bool gw_variant_is_same(const gw_variant *a, int64_t a_left, const gw_variant *b, int64_t b_left);

// Compares REF with the reference, letter by letter, in any case. An IUPAC letter matches each of its bases. N in the
// reference (also used for all other letters) matches everything. Status PASS, REFMISMATCH, or ABSENT if the reference
// is N under all of REF. position: 0-based, -1 allowed.
gw_status gw_variant_check_ref(gw_genome *genome, int contig, int64_t position, const char *ref,
                               gw_allele_status *status) GW_MUST_CHECK;

// Windows [W] of both alleles in ref and alt, upper-case ACGTN. *status is PASS, TOOLONG or EDGE (the windows are then
// undefined). shift: bases to the right in the reference (negative: left).
gw_status gw_variant_windows(gw_genome *genome, const gw_variant *variant, int64_t window, int64_t shift, char *ref,
                             char *alt, gw_allele_status *status) GW_MUST_CHECK;

// The same in a fixed window [begin, begin + W) of the reference, which must contain the trimmed REF; otherwise NOSITE.
// The ALT window is filled at its right end, with bases behind REF; with `grow_left` at its left end, so that the bases
// right of the variant keep their positions.
gw_status gw_variant_windows_at(gw_genome *genome, const gw_variant *variant, int64_t begin, int64_t window,
                                bool grow_left, char *ref, char *alt, gw_allele_status *status) GW_MUST_CHECK;

// REF and ALT from user input, to be compared with the genome. The error message says what the genome has.

typedef struct {
    int contig;
    int64_t position; // 0-based
    char *ref, *alt;  // upper case
    char codons[8];   // for a protein change: "TCC>TTG" in its transcript; else empty
} gw_written_alleles;

// Zero-initialise.
typedef struct {
    gw_written_alleles *items;
    int64_t count, capacity;
} gw_written_list;

void gw_written_alleles_free(gw_written_alleles *alleles);
void gw_written_list_free(gw_written_list *list);
// Fails if the genome has other bases than `ref`, with both in the message, or if `ref` ends beyond the contig. Letters
// that are not A, C, G, T match the bases that they stand for (gw_variant_check_ref()).
gw_status gw_written_ref_check(gw_genome *genome, int contig, int64_t position, const char *ref) GW_MUST_CHECK;

#endif
