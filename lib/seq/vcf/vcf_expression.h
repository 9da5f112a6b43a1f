// SPDX-License-Identifier: MIT
// Expressions that choose records, as `bcftools view -i` has them, of what belongs to a site. Private to lib/seq.
//
//   or       = and { ("||" | "|") and }
//   and      = compare { ("&&" | "&") compare }
//   compare  = "(" or ")" | sum ("=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~") sum
//   sum      = product { ("+" | "-") product }
//   product  = unary { ("*" | "/" | "%") unary }
//   unary    = "-" unary | number | "text" | 'text' | "(" sum ")" | function "(" sum ")" | name [ "[" (index | "*") "]"
//   ]
// name: CHROM POS ID REF ALT QUAL FILTER TYPE N_ALT, INFO/KEY or KEY; function: MAX MIN SUM AVG (MEAN) ABS STRLEN.
//
// A comparison of a list holds where it holds for one of its values. A key that is absent, an index past the end of its
// list and '.' are missing values: these satisfy !=, !~ and = ".", and = where both sides are missing; != "." asks for
// one that is known. Arithmetic with a missing value is missing; functions pass over them.
// FILTER is compared as a set: = is equality, ~ says that the names are among it; names must be declared. TYPE (snp,
// mnp, indel, bnd, overlap, ref, other): = says that the record's alleles are all of that type, ~ that one is. Other
// texts: a comma stands for "or", ~ takes a POSIX extended regular expression, "/i" behind it passes over case. Flags
// are 1 or 0. Of samples (FORMAT, GT ...) there is nothing: such names are an error, and so is everything else that
// bcftools knows and this does not.
//
// Where bcftools 1.16 differs is said in docs/reference/variants.md.
#ifndef GW_SEQ_VCF_VCF_EXPRESSION_H
#define GW_SEQ_VCF_VCF_EXPRESSION_H

#include "seq/vcf/vcf.h"

typedef struct gw_vcf_expression gw_vcf_expression;

// Compiles `text` for the records of the reader, whose header must declare the INFO keys. A message names the place.
gw_status gw_vcf_expression_new(const char *text, const gw_vcf_reader *reader, gw_vcf_expression **out) GW_MUST_CHECK;
void gw_vcf_expression_free(gw_vcf_expression *expression); // NULL is fine
gw_status gw_vcf_expression_test(gw_vcf_expression *expression, const gw_vcf_record *record, bool *yes) GW_MUST_CHECK;

#endif
