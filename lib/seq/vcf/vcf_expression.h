// SPDX-License-Identifier: MIT
// Expressions that select records by their site columns, as in `bcftools view -i`. Private to lib/seq.
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
// A comparison with a list is true if it is true for one of its values. An absent key, an index behind the end of its
// list and '.' are missing values. They satisfy !=, !~ and = ".", and = if both sides are missing. != "." requires a
// known value. Arithmetic with a missing value gives a missing value; functions ignore missing values. FILTER is
// compared as a set: = is equality; ~ means that the names are among it. Names must be declared. For TYPE (snp, mnp,
// indel, bnd, overlap, ref, other), = means that all alleles have this type, ~ that one has it. For other texts, a
// comma means "or", and ~ takes a POSIX extended regular expression; "/i" behind it ignores case. Flags are 1 or 0.
// Names of samples' values (FORMAT, GT ...) are errors, and so are other unsupported features of bcftools.
//
// docs/reference/variants.md lists differences from bcftools 1.16.
#ifndef GW_SEQ_VCF_VCF_EXPRESSION_H
#define GW_SEQ_VCF_VCF_EXPRESSION_H

#include "seq/vcf/vcf.h"

typedef struct gw_vcf_expression gw_vcf_expression;

// Compiles `text` for records of the reader, which must declare the INFO keys in its header. Messages name the
// position.
gw_status gw_vcf_expression_new(const char *text, const gw_vcf_reader *reader, gw_vcf_expression **out) GW_MUST_CHECK;
void gw_vcf_expression_free(gw_vcf_expression *expression); // NULL is fine
gw_status gw_vcf_expression_test(gw_vcf_expression *expression, const gw_vcf_record *record, bool *yes) GW_MUST_CHECK;

#endif
