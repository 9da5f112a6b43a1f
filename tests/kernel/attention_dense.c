// SPDX-License-Identifier: MIT
// Dense attention over a case's arrays, by the formulas of reference/.
#include "reference/ref.h"
#include "tests/kernel/attention_cases.h"

#include <math.h>

double *attention_head_rows(const attention_test *t, test_array array, int64_t begin, int64_t count, int head) {
    const int64_t size = t->shape->head_size;
    double *dense = test_alloc(count * size, sizeof *dense);
    for (int64_t i = 0; i < count * size; i++)
        dense[i] = array.wide[(begin + i / size) * (t->width + GAP) + head * size + i % size];
    return dense;
}

void attention_put_head_rows(const attention_test *t, test_array array, int64_t begin, int64_t count, int head,
                             const double *dense) {
    const int64_t size = t->shape->head_size;
    for (int64_t i = 0; i < count * size; i++)
        array.wide[(begin + i / size) * (t->width + GAP) + head * size + i % size] = dense[i];
}

// ln m for every query i and key j of the sequence that an edge covers and the graph lets read.
static void set_terms(const attention_test *t, int s, int head, double *term) {
    const gw_attention_sequence *sequence = &t->sequence[s];
    const gw_graph *graph = sequence->graphs[head * sequence->graph_step];
    const int64_t block = graph->block;
    for (int64_t i = 0; i < sequence->query_count; i++)
        for (int64_t e = graph->row_start[i / block]; e < graph->row_start[i / block + 1]; e++)
            for (int64_t j = graph->column[e] * block; j < (graph->column[e] + 1) * block; j++) {
                if (j >= sequence->key_count || !test_graph_reads(graph, e, i, j)) continue;
                term[i * sequence->key_count + j] = graph->log_multiplicity ? graph->log_multiplicity[e] : 0.0f;
            }
}

double *attention_terms(const attention_test *t, int s, int head) {
    const int64_t pairs = t->sequence[s].query_count * t->sequence[s].key_count;
    double *term = test_alloc(pairs, sizeof *term);
    for (int64_t i = 0; i < pairs; i++) term[i] = -INFINITY;
    set_terms(t, s, head, term);
    return term;
}

void attention_want_forward(attention_test *t) {
    for (int s = 0; s < SEQUENCES; s++)
        for (int head = 0; head < t->shape->heads; head++) {
            const gw_attention_sequence *q = &t->sequence[s];
            double *out = test_alloc(q->query_count * t->shape->head_size, sizeof *out);
            ref_attention(q->query_count, q->key_count, t->shape->head_size, t->args.scale,
                          attention_head_rows(t, t->query, q->query_begin, q->query_count, head),
                          attention_head_rows(t, t->key, q->key_begin, q->key_count, head),
                          attention_head_rows(t, t->value, q->key_begin, q->key_count, head),
                          attention_terms(t, s, head), out, t->log_sum.wide + head * t->query_rows + q->query_begin);
            attention_put_head_rows(t, t->out, q->query_begin, q->query_count, head, out);
        }
}

void attention_want_backward(attention_test *t) {
    for (int s = 0; s < SEQUENCES; s++)
        for (int head = 0; head < t->shape->heads; head++) {
            const gw_attention_sequence *q = &t->sequence[s];
            double *dquery = attention_head_rows(t, t->dquery, q->query_begin, q->query_count, head);
            double *dkey = attention_head_rows(t, t->dkey, q->key_begin, q->key_count, head);
            double *dvalue = attention_head_rows(t, t->dvalue, q->key_begin, q->key_count, head);
            double *dterm = test_alloc(q->query_count * q->key_count, sizeof *dterm);
            ref_attention_backward(
                q->query_count, q->key_count, t->shape->head_size, t->args.scale,
                attention_head_rows(t, t->query, q->query_begin, q->query_count, head),
                attention_head_rows(t, t->key, q->key_begin, q->key_count, head),
                attention_head_rows(t, t->value, q->key_begin, q->key_count, head), attention_terms(t, s, head),
                attention_head_rows(t, t->dout, q->query_begin, q->query_count, head), dquery, dkey, dvalue, dterm);
            attention_put_head_rows(t, t->dquery, q->query_begin, q->query_count, head, dquery);
            attention_put_head_rows(t, t->dkey, q->key_begin, q->key_count, head, dkey);
            attention_put_head_rows(t, t->dvalue, q->key_begin, q->key_count, head, dvalue);
        }
}
