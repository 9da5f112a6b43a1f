// SPDX-License-Identifier: MIT
// The tree that vcf_expression_parse.c builds and vcf_expression.c evaluates.
#ifndef GW_SEQ_VCF_VCF_EXPRESSION_PRIVATE_H
#define GW_SEQ_VCF_VCF_EXPRESSION_PRIVATE_H

#include "seq/vcf/vcf_expression.h"
#include "seq/vcf/vcf_private.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdbool.h>

// Regular expressions of `~`: Perl's syntax on bytes, run by PCRE2 with limits for time and memory. With libc's regular
// expressions both can grow as 2 to the number of repetitions.
typedef struct {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
} gw_vcf_pattern;

typedef enum {
    NODE_OR,
    NODE_AND,
    NODE_COMPARE,    // op: '=', '!' (not equal), '<', 'l' (at most), '>', 'g' (at least), '~', 'n' (does not match)
    NODE_ARITHMETIC, // op: + - * / %
    NODE_NEGATE,
    NODE_FUNCTION, // op: first letter of the function; M: MIN is 'm'
    NODE_NUMBER,
    NODE_TEXT,
    NODE_FIELD,
} node_kind;

typedef enum {
    FIELD_CHROM,
    FIELD_POS,
    FIELD_ID,
    FIELD_REF,
    FIELD_ALT,
    FIELD_QUAL,
    FIELD_FILTER,
    FIELD_TYPE,
    FIELD_N_ALT,
    FIELD_INFO, // numbers
    FIELD_INFO_TEXT,
    FIELD_INFO_FLAG,
} field_kind;

typedef struct {
    node_kind kind;
    int left, right; // nodes; -1: none
    int above;       // the node with this node as its left child; undefined if there is none
    char op;
    double number;
    char *text; // NODE_TEXT; for FIELD_INFO... the key
    field_kind field;
    int64_t index; // index of the value in a list; -1: all
    bool single;   // FIELD_INFO_TEXT: Number=1, one text; commas in it mean "or" in comparisons
    int type;      // NODE_COMPARE with TYPE: HTSlib's bit
    gw_vcf_pattern *pattern;
    int column; // in the expression, for messages
} node;

struct gw_vcf_expression {
    const gw_vcf_reader *reader;
    char *source;
    node *nodes;
    int64_t count, capacity;
    int root;
    // scratch
    gw_string text, list;
    bcf1_t *alleles; // for HTSlib's types
};                   // for HTSlib's types

// Whether a node is text, not numbers.
bool gw_vcf_node_is_text(const gw_vcf_expression *expression, int index);
// Fails with PCRE2's error.
gw_status gw_vcf_pattern_fail(gw_status status, int error);

#endif
