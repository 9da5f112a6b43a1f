// SPDX-License-Identifier: MIT
// Symbolic alleles of known length as bases: what <DEL>, <DUP> and <INV> say of the reference (VCF 4.3, section 3).
//
// The base at POS stays; with n the length, the n bases behind it
//   <DEL>  are left out              REF = b x1..xn   ALT = b
//   <DUP>  come twice in a row       REF = b          ALT = b x1..xn
//   <INV>  are reverse-complemented  REF = b x1..xn   ALT = b rc(x1..xn)
// n is the size of the allele's SVLEN; without it END - POS.
#ifndef GW_SCORE_SYMBOLIC_H
#define GW_SCORE_SYMBOLIC_H

#include "score/allele.h"
#include "seq/vcf/vcf.h"

// The bases of ALT number `alt` of a record, where it is one of those; subtypes as <DEL:ME> and <DUP:TANDEM> too.
// *bases is "REF\0ALT\0", free() it; NULL where the status says why there are none: SYMBOLIC (another symbol),
// NOLENGTH, NOCONTIG, REFMISMATCH (the stretch leaves the contig), TOOLONG (n over `longest`), EDGE (POS 0).
gw_status gw_symbolic_allele(gw_genome *genome, const gw_vcf_reader *reader, const gw_vcf_record *record, int alt,
                             int64_t longest, char **bases, gw_allele_status *status) GW_MUST_CHECK;

#endif
