// SPDX-License-Identifier: MIT
// Shared parts of the attention tests: cases with all kinds of graphs, the arrays of a case, and dense attention over
// them in double precision.
#ifndef GW_TESTS_KERNEL_ATTENTION_CASES_H
#define GW_TESTS_KERNEL_ATTENTION_CASES_H

#include "tests/kernel/graphs.h"
#include "tests/kernel/support.h"

enum { SEQUENCES = 3, GAP = 3 };
typedef struct {
    int block, heads, head_size;
    int queries[SEQUENCES], keys[SEQUENCES]; // tokens of each sequence
    test_graph_kind kind;
    int padding;           // blocks of the graphs behind the sequences' ends
    bool per_head;         // one graph for each head
    bool rising;           // each block of keys has higher scores than the previous one
    const char *spec;      // graphs of this pattern instead of `kind` ...
    int offset[SEQUENCES]; // ... from this position on
    bool structure;        // ... with every seventh token global
} attention_case;
extern const attention_case ATTENTION_CASES[];
extern const int ATTENTION_CASE_COUNT;
// Cases with bf16 products for the CUDA plugin's tensor cores: blocks of whole tiles, heads of 32, 64, 128.
extern const attention_case TENSOR_CASES[];
extern const int TENSOR_CASE_COUNT;

// A case with its arrays. Rows hold heads * head_size numbers and a gap.
typedef struct {
    const attention_case *shape;
    gw_attention_sequence sequence[SEQUENCES];
    gw_attention_args args; // for the sequences above
    int64_t width, query_rows, key_rows;
    test_array query, key, value, out, log_sum, scratch, dout, dquery, dkey, dvalue;
} attention_test;

// begin: fills *t, of which args keeps the address, with random numbers. end: checks the sentinels of the scratch
// memory. test_release() frees all.
void attention_begin(attention_test *t, const attention_case *shape, gw_precision precision);
void attention_end(attention_test *t);
// Products of tensor cores (16 x 8 x 16 numbers) that a case needs, in tiles of at most `most` rows, for each product
// of all queries with their listed keys; by_keys: of keys with the queries of the transpose.
long attention_products(const attention_case *shape, int most, bool by_keys);
// Allocates scratch memory of the exact size that the backend asks for, filled with NaN.
void attention_give_scratch(attention_test *t, const gw_backend *backend, gw_op op);

// In bf16, queries and keys are rounded by at most 2^-9. The standard deviation of scores is 2.25 sqrt(D) / sqrt(D).
#define ATTENTION_BF16_LIMIT 1e-2

// The numbers of one head of one sequence as dense arrays: from and to the wide half of an array; and the graph's terms
// for the scores, [queries][keys]: ln m, or -infinity.
double *attention_head_rows(const attention_test *t, test_array array, int64_t begin, int64_t count, int head);
void attention_put_head_rows(const attention_test *t, test_array array, int64_t begin, int64_t count, int head,
                             const double *dense);
double *attention_terms(const attention_test *t, int s, int head);

// Writes the reference's results to the wide halves.
void attention_want_forward(attention_test *t);
void attention_want_backward(attention_test *t);

#endif
