// SPDX-License-Identifier: MIT
// distance_attention and its backward pass. A head's block of queries is multiplied with all keys, and with the rows of
// R for its distances. Query i of a block of n is i rows behind the first, so its terms begin n - 1 - i columns later
// in a row of these products.
//
//   distance of a column:  -(p + n - 1) .. keys - 1 - p, p being the position of the first query
//   query 0        . . . . [ keys terms ]
//   query 1        . . . [ keys terms ] .
//   query n - 1    [ keys terms ] . . . .
//
// Each product runs on one thread. Threads take blocks (forward) or groups of heads (backward, because the blocks of a
// group add to the same keys). Products of bf16 pack both operands, one part of the depth after another; all others use
// gemm.
#include "base/parallel.h"
#include "kernels/cpu/distance_work.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/row_sums.h"
#include "kernels/cpu/isa/vmath.h"
#include "kernels/cpu/matmul/dot.h"
#include "kernels/cpu/matmul/operand.h"
#if defined GW_ISA_amx
#include "kernels/cpu/matmul/tiles.h"
#endif

#include <stdatomic.h>
#include <string.h>

typedef struct {
    const gw_distance_attention_args *args;
    gw_distance_table table;
    _Atomic int status; // the first failure
} work;

// Queries [first, first + count) of a sequence, of one head.
typedef struct {
    work *of;
    const gw_distance_attention_args *args;
    const gw_distance_sequence *sequence;
    gw_distance_rows rows;
    int64_t head, group, first, count, keys;
} block;

static block block_of(work *w, const gw_distance_sequence *sequence, int64_t head, int64_t first,
                      gw_distance_rows rows) {
    const gw_distance_attention_args *args = w->args;
    const int64_t left = sequence->query_count - first;
    return (block){.of = w,
                   .args = args,
                   .sequence = sequence,
                   .rows = rows,
                   .head = head,
                   .group = head / (args->heads / args->groups),
                   .first = first,
                   .count = left < GW_DISTANCE_QUERIES ? left : GW_DISTANCE_QUERIES,
                   .keys = sequence->key_count};
}

// The first row of a block in arrays of the queries' rows, and of its keys in arrays of the keys'.
static int64_t query_at(const block *b, int64_t size) {
    return ((b->sequence->query_begin + b->first) * b->args->heads + b->head) * size;
}

static int64_t key_at(const block *b, int64_t size) {
    return (b->sequence->key_begin * b->args->groups + b->group) * size;
}

// The first of the rows of R that the block reads, and how many these are.
static int64_t position_at(const block *b) {
    const int64_t before =
        b->sequence->first + b->first + b->count - 1; // rows from the block's last query to the start
    return ((b->args->most - 1 - before) * b->args->heads + b->head) * b->args->key_size;
}

static int64_t term_count(const block *b) {
    return b->keys + b->count - 1;
}

// --- products ------------------------------------------------------------------------------------------------------

#ifdef __x86_64__
static void multiply_bf16(const gw_gemm_args *p) {
#if defined GW_ISA_amx
    const bool squares = true;
#else
    const bool squares = false;
#endif
    uint32_t *a = (uint32_t *)p->scratch, *b = a + GW_DISTANCE_LINES * GW_DISTANCE_DEPTH / 2;
    for (int64_t depth = 0; depth < p->k; depth += GW_DISTANCE_DEPTH) {
        const int64_t part = p->k - depth < GW_DISTANCE_DEPTH ? p->k - depth : GW_DISTANCE_DEPTH;
        const int64_t whole = (part + 2 * GW_SQUARE - 1) / (2 * GW_SQUARE) * (2 * GW_SQUARE);
        gw_dot dot = {.rows = p->m,
                      .words = whole / 2,
                      .a = a,
                      .row = whole / 2,
                      .word = 1,
                      .b = b,
                      .add = p->accumulate || depth > 0,
                      .c_stride = p->c_stride};
        gw_operand_pack(&(gw_operand){.from = p->a + depth,
                                      .stride = p->a_stride,
                                      .lines = p->m,
                                      .depth = part,
                                      .whole_lines = GW_DISTANCE_LINES,
                                      .whole_depth = whole,
                                      .squares = squares,
                                      .to = a});
        for (int64_t column = 0; column < p->n; column += GW_DISTANCE_PANEL) {
            dot.columns = p->n - column < GW_DISTANCE_PANEL ? p->n - column : GW_DISTANCE_PANEL;
            dot.c = p->c + column;
            gw_operand_pack(&(gw_operand){
                .from = p->b + (p->transpose_b ? column * p->b_stride + depth : depth * p->b_stride + column),
                .stride = p->b_stride,
                .lines_adjacent = !p->transpose_b,
                .lines = dot.columns,
                .depth = part,
                .whole_lines = GW_DISTANCE_PANEL,
                .whole_depth = whole,
                .micro_panel = true,
                .squares = squares,
                .to = b});
#if defined GW_ISA_amx
            gw_tiles_dot(&dot);
#else
            gw_dot_tile(&dot);
#endif
        }
    }
}
#endif

static void multiply(const block *b, gw_precision precision, gw_gemm_args product) {
    product.scratch = b->rows.product;
#ifdef __x86_64__
    if (precision == GW_BF16) {
        multiply_bf16(&product);
        return;
    }
#else
    (void)precision;
#endif
    const gw_status status = GW_KERNEL(gemm)(&product);
    if (status != GW_OK) atomic_store(&b->of->status, (int)status);
}

// --- a block's scores ----------------------------------------------------------------------------------------------

// to[i] = scale q_i + bias
static void scale_queries(const block *b, const float *bias, float *to) {
    const gw_distance_attention_args *args = b->args;
    const int64_t size = args->key_size, width = args->heads * size;
    const float *query = args->query + query_at(b, size);
    for (int64_t i = 0; i < b->count; i++)
        for (int64_t c = 0; c < size; c++)
            to[i * size + c] = args->scale * query[i * width + c] + (bias ? bias[b->head * size + c] : 0.0f);
}

// Products of the queries with the keys, and with the rows of R.
static void score_block(const block *b) {
    const gw_distance_attention_args *args = b->args;
    const gw_distance_rows *r = &b->rows;
    const int64_t size = args->key_size;
    scale_queries(b, args->table ? args->content_bias : NULL, r->content);
    multiply(b, args->precision,
             (gw_gemm_args){.transpose_b = true,
                            .m = b->count,
                            .n = b->keys,
                            .k = size,
                            .a = r->content,
                            .a_stride = size,
                            .b = args->key + key_at(b, size),
                            .b_stride = args->groups * size,
                            .c = r->score,
                            .c_stride = r->score_stride});
    if (!args->table) return;
    scale_queries(b, args->position_bias, r->position);
    multiply(b, args->precision,
             (gw_gemm_args){.transpose_b = true,
                            .m = b->count,
                            .n = term_count(b),
                            .k = size,
                            .a = r->position,
                            .a_stride = size,
                            .b = b->of->table.position + position_at(b),
                            .b_stride = args->heads * size,
                            .c = r->term,
                            .c_stride = r->term_stride});
}

static float *scores_of(const block *b, int64_t i) {
    return b->rows.score + i * b->rows.score_stride;
}

static float *terms_of(const block *b, int64_t i) {
    return b->rows.term + i * b->rows.term_stride + b->count - 1 - i;
}

// Row i of scores becomes z, -infinity behind its end; the largest.
static float add_terms(const block *b, int64_t i) {
    float *score = scores_of(b, i);
    const float *term = b->args->table ? terms_of(b, i) : NULL;
    gw_f32v largest = gw_all(-INFINITY);
    for (int64_t j = 0; j < b->keys; j += GW_LANES) {
        gw_f32v z = gw_load(score + j);
        if (term) z += gw_load_some(term + j, b->keys - j);
        for (int64_t l = b->keys - j; l < GW_LANES; l++) z[l] = -INFINITY;
        gw_store(score + j, z);
        largest = gw_max(largest, z);
    }
    return gw_largest(largest);
}

// Row i of z becomes e^(z - shift); their sum.
static float weigh(const block *b, int64_t i, float shift) {
    float *score = scores_of(b, i);
    gw_f32v sum = gw_all(0.0f);
    for (int64_t j = 0; j < b->keys; j += GW_LANES) {
        const gw_f32v weight = gw_exp2_bounded((gw_load(score + j) - gw_all(shift)) * gw_all(GW_LOG2_E));
        gw_store(score + j, weight);
        sum += weight;
    }
    return gw_sum(sum);
}

static float *log_sum_of(const block *b) {
    return b->args->log_sum + b->head * b->args->query_rows + b->sequence->query_begin + b->first;
}

static void read_block(const block *b) {
    const gw_distance_attention_args *args = b->args;
    const int64_t size = args->value_size, width = args->heads * size;
    float sum[GW_DISTANCE_QUERIES], *out = args->out + query_at(b, size);
    score_block(b);
    for (int64_t i = 0; i < b->count; i++) {
        const float largest = add_terms(b, i);
        sum[i] = weigh(b, i, largest);
        log_sum_of(b)[i] = largest + logf(sum[i]);
    }
    multiply(b, args->precision,
             (gw_gemm_args){.m = b->count,
                            .n = size,
                            .k = b->keys,
                            .a = b->rows.score,
                            .a_stride = b->rows.score_stride,
                            .b = args->value + key_at(b, size),
                            .b_stride = args->groups * size,
                            .c = out,
                            .c_stride = width});
    for (int64_t i = 0; i < b->count; i++)
        for (int64_t c = 0; c < size; c++) out[i * width + c] /= sum[i];
}

static int64_t blocks_of(const gw_distance_sequence *sequence) {
    return (sequence->query_count + GW_DISTANCE_QUERIES - 1) / GW_DISTANCE_QUERIES;
}

// Items are the blocks of all sequences, each of all heads.
static void read_blocks(void *context, int64_t begin, int64_t end, int thread) {
    work *w = context;
    const gw_distance_rows rows = gw_distance_rows_of(w->args, false, thread);
    for (int64_t item = begin; item < end; item++) {
        const gw_distance_sequence *sequence = w->args->sequence;
        int64_t at = item / w->args->heads;
        for (; at >= blocks_of(sequence); sequence++) at -= blocks_of(sequence);
        const block b = block_of(w, sequence, item % w->args->heads, at * GW_DISTANCE_QUERIES, rows);
        read_block(&b);
    }
}

static gw_status make_positions(work *w) {
    gw_gemm_args product = gw_distance_positions(w->args, w->table.position);
    product.scratch = w->table.product;
    return w->args->table ? GW_KERNEL(gemm)(&product) : GW_OK;
}

gw_status GW_KERNEL(distance_attention)(const gw_distance_attention_args *args) {
    work w = {.args = args, .table = gw_distance_table_of(args, false), .status = GW_OK};
    int64_t blocks = 0;
    for (int s = 0; s < args->sequences; s++) blocks += blocks_of(&args->sequence[s]);
    GW_TRY(make_positions(&w));
    gw_parallel_for(blocks * args->heads, 1, read_blocks, &w);
    return (gw_status)atomic_load(&w.status);
}

// --- backward ------------------------------------------------------------------------------------------------------

// dz of row i, from its P and dout . value; then also among the gradients of its terms.
static void spread_row(const block *b, int64_t i) {
    const gw_distance_attention_args *args = b->args;
    const int64_t size = args->value_size, at = query_at(b, size) + i * args->heads * size;
    const float delta = gw_row_product(args->out_gradient + at, args->out + at, size);
    const float *p = scores_of(b, i);
    float *dz = b->rows.score_gradient + i * b->rows.score_stride;
    for (int64_t j = 0; j < b->keys; j++) dz[j] = p[j] * (dz[j] - delta);
    if (!args->table) return;
    memset(b->rows.term + i * b->rows.term_stride, 0, (size_t)term_count(b) * sizeof *dz);
    memcpy(terms_of(b, i), dz, (size_t)b->keys * sizeof *dz);
}

// Gradients of the value and the key rows, and those of scale q + u.
static void spread_to_keys(const block *b) {
    const gw_distance_attention_args *args = b->args;
    const gw_distance_rows *r = &b->rows;
    const int64_t size = args->key_size, value_size = args->value_size;
    multiply(b, GW_F32,
             (gw_gemm_args){.transpose_a = true,
                            .accumulate = true,
                            .m = b->keys,
                            .n = value_size,
                            .k = b->count,
                            .a = r->score,
                            .a_stride = r->score_stride,
                            .b = args->out_gradient + query_at(b, value_size),
                            .b_stride = args->heads * value_size,
                            .c = args->value_gradient + key_at(b, value_size),
                            .c_stride = args->groups * value_size});
    multiply(b, GW_F32,
             (gw_gemm_args){.transpose_a = true,
                            .accumulate = true,
                            .m = b->keys,
                            .n = size,
                            .k = b->count,
                            .a = r->score_gradient,
                            .a_stride = r->score_stride,
                            .b = r->content,
                            .b_stride = size,
                            .c = args->key_gradient + key_at(b, size),
                            .c_stride = args->groups * size});
    multiply(b, GW_F32,
             (gw_gemm_args){.m = b->count,
                            .n = size,
                            .k = b->keys,
                            .a = r->score_gradient,
                            .a_stride = r->score_stride,
                            .b = args->key + key_at(b, size),
                            .b_stride = args->groups * size,
                            .c = r->content_gradient,
                            .c_stride = size});
}

// Gradients of R's rows, and those of scale q + v.
static void spread_to_positions(const block *b) {
    const gw_distance_attention_args *args = b->args;
    const gw_distance_rows *r = &b->rows;
    const int64_t size = args->key_size, width = args->heads * size;
    multiply(b, GW_F32,
             (gw_gemm_args){.transpose_a = true,
                            .accumulate = true,
                            .m = term_count(b),
                            .n = size,
                            .k = b->count,
                            .a = r->term,
                            .a_stride = r->term_stride,
                            .b = r->position,
                            .b_stride = size,
                            .c = b->of->table.gradient + position_at(b),
                            .c_stride = width});
    multiply(b, GW_F32,
             (gw_gemm_args){.m = b->count,
                            .n = size,
                            .k = term_count(b),
                            .a = r->term,
                            .a_stride = r->term_stride,
                            .b = b->of->table.position + position_at(b),
                            .b_stride = width,
                            .c = r->position_gradient,
                            .c_stride = size});
}

static void spread_to_queries(const block *b) {
    const gw_distance_attention_args *args = b->args;
    const int64_t size = args->key_size, width = args->heads * size;
    float *query = args->query_gradient + query_at(b, size);
    for (int64_t i = 0; i < b->count; i++) {
        const float *content = b->rows.content_gradient + i * size, *position = b->rows.position_gradient + i * size;
        gw_add_row(query + i * width, content, args->scale, size);
        if (!args->table) continue;
        gw_add_row(query + i * width, position, args->scale, size);
        gw_add_row(args->content_bias_gradient + b->head * size, content, 1, size);
        gw_add_row(args->position_bias_gradient + b->head * size, position, 1, size);
    }
}

static void spread_block(const block *b) {
    const gw_distance_attention_args *args = b->args;
    const int64_t size = args->value_size;
    score_block(b);
    multiply(b, GW_F32,
             (gw_gemm_args){.transpose_b = true,
                            .m = b->count,
                            .n = b->keys,
                            .k = size,
                            .a = args->out_gradient + query_at(b, size),
                            .a_stride = args->heads * size,
                            .b = args->value + key_at(b, size),
                            .b_stride = args->groups * size,
                            .c = b->rows.score_gradient,
                            .c_stride = b->rows.score_stride});
    for (int64_t i = 0; i < b->count; i++) {
        add_terms(b, i);
        weigh(b, i, log_sum_of(b)[i]);
        spread_row(b, i);
    }
    spread_to_keys(b);
    if (args->table) spread_to_positions(b);
    spread_to_queries(b);
}

// Items are the groups of heads.
static void spread_groups(void *context, int64_t begin, int64_t end, int thread) {
    work *w = context;
    const gw_distance_attention_args *args = w->args;
    const gw_distance_rows rows = gw_distance_rows_of(args, true, thread);
    const int64_t shared = args->heads / args->groups;
    for (int64_t head = begin * shared; head < end * shared; head++)
        for (int s = 0; s < args->sequences; s++)
            for (int64_t at = 0; at < blocks_of(&args->sequence[s]); at++) {
                const block b = block_of(w, &args->sequence[s], head, at * GW_DISTANCE_QUERIES, rows);
                spread_block(&b);
            }
}

gw_status GW_KERNEL(distance_attention_backward)(const gw_distance_attention_args *args) {
    work w = {.args = args, .table = gw_distance_table_of(args, true), .status = GW_OK};
    GW_TRY(make_positions(&w));
    if (args->table) gw_parallel_zero(w.table.gradient, (2 * args->most - 1) * args->heads * args->key_size);
    gw_parallel_for(args->groups, 1, spread_groups, &w);
    GW_TRY((gw_status)atomic_load(&w.status));
    if (!args->table) return GW_OK;
    gw_gemm_args weights = gw_distance_weight_gradient(args, w.table.gradient);
    weights.scratch = w.table.product;
    return GW_KERNEL(gemm)(&weights);
}
