// SPDX-License-Identifier: MIT
// What the tests of attention share: cases over every kind of graph, a case's arrays, and dense attention over them in
// double.
#ifndef GW_TESTS_KERNEL_ATTENTION_CASES_H
#define GW_TESTS_KERNEL_ATTENTION_CASES_H

#include "tests/kernel/graphs.h"
#include "tests/kernel/support.h"

enum { SEQUENCES = 3, GAP = 3 };
typedef struct {
    int block, heads, head_size;
    int queries[SEQUENCES], keys[SEQUENCES]; // tokens of each sequence
    test_graph_kind kind;
    int padding;           // blocks of the graphs past the sequences' ends
    bool per_head;         // one graph for each head
    bool rising;           // each block of keys has higher scores than the one before
    const char *spec;      // graphs are the pattern's, not of `kind` ...
    int offset[SEQUENCES]; // ... from this position on
    bool structure;        // ... with every seventh token global
} attention_case;
extern const attention_case ATTENTION_CASES[];
extern const int ATTENTION_CASE_COUNT;
// Those whose bf16 products are made for the CUDA plugin's tensor cores: blocks of whole tiles, heads of 32, 64, 128.
extern const attention_case TENSOR_CASES[];
extern const int TENSOR_CASE_COUNT;

// One case with its arrays; rows hold heads * head_size numbers and a gap.
typedef struct {
    const attention_case *shape;
    gw_attention_sequence sequence[SEQUENCES];
    gw_attention_args args; // of the sequences above
    int64_t width, query_rows, key_rows;
    test_array query, key, value, out, log_sum, scratch, dout, dquery, dkey, dvalue;
} attention_test;

// Fills *t, whose address args keeps, with the first random numbers; attention_end() looks at the sentinels of the
// scratch memory, test_release() frees all.
void attention_begin(attention_test *t, const attention_case *shape, gw_precision precision);
void attention_end(attention_test *t);
// Products of tensor cores, of 16 x 8 x 16 numbers, that a case in tiles of at most so many rows takes for each product
// of all queries that are listed with all of their keys; of keys with the queries that the transpose lists for them.
long attention_products(const attention_case *shape, int most, bool by_keys);
// Scratch memory of what is there beforehand as little as behind it.
void attention_give_scratch(attention_test *t, const gw_backend *backend, gw_op op);

// In bf16 queries and keys are rounded by 2^-9 at most, scores have a deviation of 2.25 sqrt(D) / sqrt(D).
#define ATTENTION_BF16_LIMIT 1e-2

// Numbers of one head of one sequence, dense: from the wide half of an array and back; and what its graph adds to the
// scores, [queries][keys]: ln m, or -infinity.
double *attention_head_rows(const attention_test *t, test_array array, int64_t begin, int64_t count, int head);
void attention_put_head_rows(const attention_test *t, test_array array, int64_t begin, int64_t count, int head,
                             const double *dense);
double *attention_terms(const attention_test *t, int s, int head);

// The reference's results, into the wide halves.
void attention_want_forward(attention_test *t);
void attention_want_backward(attention_test *t);

#endif
