// SPDX-License-Identifier: MIT
// The contract of every op: argument structs, shapes, formulas.
//
// Shape letters: M, N, K of a product; R rows (packed tokens: sequences end to end without padding); E width; V
// vocabulary; H heads; D head size; L labels. All data are row-major f32. A launcher makes no lasting allocations, does
// not repeat the checks of lib/nn, ADDS into gradients (*_gradient of inputs and weights), is deterministic, and gives
// the same numbers for every number of threads. Pointers do not alias unless stated. `scratch` is free memory for the
// launch, of the size that the backend asks for (backend.h).
#ifndef GW_KERNELS_KERNEL_H
#define GW_KERNELS_KERNEL_H

#include "base/status.h"
#include "kernels/activation.h"
#include "kernels/graph.h"
#include "kernels/number_loss.h"

#include <stdbool.h>
#include <stdint.h>

// Type of the numbers that a product multiplies. Sums are always f32.
typedef enum { GW_F32, GW_BF16 } gw_precision;

// Tensors and gradients stored as bf16. If takes_bf16() (backend.h) is true, `in_bf16` replaces `in`: the op computes
// with the rounded numbers. If it rounds `in` itself (operands of products), its results keep their bits. `out_bf16`
// gets the rounded values of `out`. `in_gradient_bf16` gets the rounded gradient, and is written, not added to. NULL:
// floats are used. Rows of such a tensor are gw_bf16_stride() numbers apart and begin at multiples of 16 bytes.
// Products may write the eight numbers at the end of a row.
static inline int64_t gw_bf16_stride(int64_t width) {
    return (width + 7) / 8 * 8 + 8;
}

// The matrix of a linear layer in a backend's packed layout (backend.h).
typedef struct gw_packed gw_packed;

// c = op(a) op(b) + bias [+ c with `accumulate`];  op(a) is M x K, op(b) is K x N, c is M x N. K may be 0 only with
// `accumulate` and without a bias; c then stays unchanged. Strides are floats between stored rows. A linear layer y = x
// W^T + b has transpose_b (W is stored N x K); dx += dy W has neither; dW += dy^T x has transpose_a. Each row of c has
// the same bits for any M, except with transpose_a, where M is the size of a layer.
//
// bf16, if the backend multiplies it: both operands are rounded within the product; a_sum[m] += sum over k of
// op(a)[m][k] before rounding (with dy^T: bias gradients). a and b then stand for of_a(a) and of_b(b), rounded after
// the function. The bits equal those of the activation op followed by a product.
//
// With backward_of, c is the gradient of the input before[M][N] of this function: each element of c is multiplied by
// the derivative at that input. c must have no gaps, and there is no bias.
typedef struct {
    bool transpose_a, transpose_b, accumulate;
    int64_t m, n, k;
    const float *a;
    int64_t a_stride;
    const float *b;
    int64_t b_stride;
    float *c;
    int64_t c_stride;
    const float *bias; // [N] or NULL
    gw_precision precision;
    float *scratch;
    float *a_sum;             // bf16 with transpose_a: [M] or NULL
    gw_activation of_a, of_b; // with bf16
    gw_activation backward_of;
    const float *before;
    uint16_t *a_bf16, *b_bf16; // of_a and of_b: none
    uint16_t *c_bf16;          // in the place of c, without `accumulate` and backward_of
} gw_gemm_args;

// Linear layers over packed weights, each y = f(x W^T + bias):
//   out[i] = f_i(x W_i^T + b_i); x is `in` or, with a feed-forward layer, its result f(in W^T + b), which is never
//   whole in memory;  with a residual and a norm, out[0] = LN(f_0(x W_0^T + b_0) + residual).
// bf16 weights multiply x rounded to bf16. All layers have weights of the same precision. Each row of out has the same
// bits for any R.
typedef struct {
    const gw_packed *weight; // [N][K]; NULL: no such layer
    const float *bias;       // [N] or NULL
    gw_activation activation;
} gw_linear_layer;
enum { GW_LINEAR_OUTS = 3 };
typedef struct {
    int64_t rows;
    const float *in; // [R][K]
    gw_linear_layer feed_forward;
    gw_linear_layer layer[GW_LINEAR_OUTS]; // up to the first without weights; several layers have neither residual nor
                                           // norm
    float *out[GW_LINEAR_OUTS];            // [R][N] for each layer
    const float *residual;                 // [R][N] or NULL
    const float *norm_weight, *norm_bias;  // [N]; both NULL: no norm; only the bias NULL: RMS norm
    float epsilon;
    float *scratch;
    uint16_t *in_bf16;
    uint16_t *out_bf16[GW_LINEAR_OUTS]; // in the place of out; with a norm beside it
} gw_linear_args;

// Convolution along the rows of sequences, which are end to end. With shift_t = (t - (taps - 1) / 2) dilation and odd
// taps,
//   out[r] = bias + sum over taps t of W_t in[r + shift_t],
// Rows beyond the ends of r's sequence are zeros. Output n of group g reads the in / groups inputs of this group. Rows
// of out nearer than `halo` to an end of their sequence need not be written (forward only).
//
// bf16, if the backend multiplies it: all operands of products are rounded. Each row of out has the same bits beside
// any other sequences.
// backward: in_gradient[r] += sum over t of W_t^T out_gradient[r - shift_t], or = with `overwrites`;
//   weight_gradient_t += sum over r of out_gradient[r] in[r + shift_t]^T
typedef struct {
    int64_t sequences, rows;
    const int64_t *start; // [sequences + 1] first row of each, then the number of rows
    int64_t in_width, width;
    int taps, dilation, groups;
    int64_t halo;
    const float *in;     // [R][in]
    const float *weight; // [taps][width][in / groups]
    const float *bias;   // [width] or NULL
    float *out;          // [R][width]
    const float *out_gradient;
    float *in_gradient, *weight_gradient;
    bool overwrites;
    gw_precision precision;
    float *scratch;
} gw_convolution_args;

// Windows of `factor` rows of a finer stream, and the rows of a coarser stream with the same sequences. Row w of a
// coarser sequence covers rows w factor .. (w + 1) factor - 1 of the finer one, as far as they exist: ceil(n / factor)
// rows for n. Without coarser_start a window is a sequence. In pool, `in` is the finer and `out` the coarser stream; in
// unpool, its gradient, the other way round:
//   pool: out[w] = the largest, the mean or the sum of in[r] over the rows r of the window  (+ out[w] with `adds`)
//   unpool: out[r] = in[w] times 1 for the sum, 1 / rows of the window for the mean, and for the largest [r is the
//     first row of the window with the largest of[r]]  (+ out[r] with `adds`)
typedef enum { GW_POOL_MAX, GW_POOL_MEAN, GW_POOL_SUM } gw_pool;
typedef struct {
    int64_t sequences, width;
    const int64_t *start,
        *coarser_start; // [sequences + 1] first row of each, of the finer and of the coarser stream; or NULL
    int64_t coarser_rows;
    int factor;
    gw_pool how;
    bool adds;
    const float *in;
    const float *of; // unpool of GW_POOL_MAX: [finer rows][width]
    float *out;
} gw_pool_args;

// Sums of windows of rows, each column weighted by the softmax P of its logits (Avsec et al., 2021, Enformer):
//   softmax_pool: out[w] = sum over the rows r of the window of P[r] in[r],  P[r] = e^logit[r] / sum of e^logit
//   softmax_pool_backward, with g = out_gradient[w]: in_gradient[r] += P[r] g,
//     logit_gradient[r] += P[r] g (in[r] - out[w])
typedef struct {
    gw_pool_args pool;         // the windows, in and, for the forward, out; how, adds and of are ignored
    const float *logit;        // [finer rows][width]
    const float *out_gradient; // [coarser rows][width]
    float *in_gradient;        // [finer rows][width]
    float *logit_gradient;     // [finer rows][width]
} gw_softmax_pool_args;

// Sums of the rows of each sequence, weighted by the softmax P of scale * score over them (a sequence has at least one
// row):
//   attention_pool: out[s] = sum over the rows r of s of P[r] in[r]
//   attention_pool_backward, with g = gradient[s]: in_gradient[r] += P[r] g,
//     score_gradient[r] += scale P[r] (g . in[r] - sum over the rows q of s of P[q] g . in[q])
typedef struct {
    int64_t sequences, width;
    float scale;
    const int64_t *start;  // [sequences + 1] first row of each
    const float *in;       // [rows][width]
    const float *score;    // [rows]
    float *out;            // [sequences][width]; forward only; the members below are for the backward
    const float *gradient; // [sequences][width]
    float *in_gradient;    // [rows][width]
    float *score_gradient; // [rows]
} gw_attention_pool_args;

// out[n] += sum over rows of in[r][n]  (bias gradients)
typedef struct {
    int64_t rows, width;
    const float *in;
    int64_t in_stride;
    float *out;
} gw_column_sum_args;

// out[r] = s[r] token_embedding[token[r]] + position_embedding[position[r]] + segment_embedding[segment[r]], with s[r]
// = token_scale row_scale[r]. row_scale NULL: 1. A table and its gradient NULL: this term is absent. backward:
// token_gradient[token[r]] += s[r] out_gradient[r], and so on. Rows with the same token are added in row order.
typedef struct {
    int64_t rows, width;
    const int32_t *token, *position, *segment; // [R]
    float token_scale;
    const float *row_scale; // [R]
    const float *token_embedding, *position_embedding, *segment_embedding;
    float *out;                // [R][E]
    const float *out_gradient; // backward
    float *token_gradient, *position_gradient, *segment_gradient;
    int64_t vocabulary, positions, segments; // rows of the three tables
} gw_embedding_args;

// out = max(z, slope z) with z = in * weight + bias, per column: a batch norm with fixed statistics (Ioffe & Szegedy,
// 2015: weight = gamma / sqrt(variance + epsilon), bias = beta - mean weight), followed by leaky ReLU. slope 1: no
// activation; 0: ReLU. backward recomputes z, and adds to in_gradient (with `overwrites` it replaces it),
// weight_gradient and bias_gradient. out may alias in (forward only).
typedef struct {
    int64_t rows, width;
    float slope;                // 0 to 1
    const float *in;            // [R][E]
    const float *weight, *bias; // [E]
    float *out;
    const float *out_gradient;
    float *in_gradient, *weight_gradient, *bias_gradient;
    bool overwrites;
    float *scratch; // backward
} gw_affine_args;

// out = f(in) over count values. backward: in_gradient += out_gradient * f'(in); out is not read. Kinds of f: none is
// x; gelu is the tanh form: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); gelu_exact is x/2 (1 + erf(x / sqrt 2));
// gelu_quick is x s(1.702 x) with s = 1 / (1 + exp(-x)); relu is max(x, 0); sigmoid is s; silu is x s; softplus is ln(1
// + exp(x)). out may alias in. If in_gradient aliases out_gradient, the product replaces it.
typedef struct {
    gw_activation kind;
    int64_t count;
    const float *in;
    float *out;
    const float *out_gradient;
    float *in_gradient;
    int64_t width; // of a row, a multiple of 8; with bf16
    const uint16_t *in_bf16, *out_gradient_bf16;
    uint16_t *out_bf16, *in_gradient_bf16; // in_gradient_bf16 may be out_gradient_bf16
} gw_activation_args;

// out[r] = (first[r], second[r]): rows of two arrays joined. backward: the gradients of both += their columns of
// out_gradient.
typedef struct {
    int64_t rows, first_width, second_width;
    const float *first, *second;
    float *out;
    const float *out_gradient;
    float *first_gradient, *second_gradient;
} gw_concatenate_args;

// out = gate * in; out may alias gate. backward: gate_gradient += out_gradient * in (replaces out_gradient if it
// aliases it); in_gradient += out_gradient * gate, or = with `overwrites`.
typedef struct {
    int64_t count;
    const float *gate, *in;
    float *out;
    const float *out_gradient;
    float *gate_gradient, *in_gradient;
    bool overwrites;
} gw_gate_args;

// out = residual + in * keep / (1 - p), keep = [philox word >= p 2^32]. residual may be NULL (0). out may alias in or
// residual. The word of element i is word i mod 4 of gw_philox({first + i / 4 as 64 bits, site, step}, seed), where
// first counts blocks of four: `first_element` is a multiple of 4. p = 0 copies or adds. With `row`, the elements are
// rows of `width`, a multiple of 4, and element i of row r is drawn as element row[r] * width + i.
//
// backward: in_gradient += out_gradient * keep / (1 - p); residual_gradient += out_gradient, or = with `overwrites`.
// Either may be NULL and is then skipped. One of them may alias out_gradient: residual_gradient then stays unchanged,
// in_gradient is replaced by the product.
typedef struct {
    int64_t count;
    float probability;
    uint64_t seed;
    uint32_t step, site;
    int64_t first_element;
    const int32_t *row; // [count / width] or NULL
    int64_t width;      // with `row` and with bf16
    const float *in, *residual;
    float *out;
    const float *out_gradient;
    float *in_gradient, *residual_gradient;
    bool overwrites;
    const uint16_t *in_bf16;
    uint16_t *in_gradient_bf16;
} gw_dropout_args;

// out = (in - mean) / sqrt(variance + epsilon) * weight + bias, per row; variance divides by E. Without a bias it is
// RMS norm: the mean and the bias are 0. forward stores mean[R] and inverse_deviation[R]. backward adds to in_gradient
// (with `overwrites` it replaces it), weight_gradient, bias_gradient. out may alias in (forward only).
//
// With `sum`, if takes_bf16() is true: `in` is the result of this sum, which forward writes first. backward then needs
// `overwrites`: in_gradient is also the gradient of the sum's residual, and the gradient of the sum's input is made
// from it as the sum's backward pass makes it.
typedef struct {
    int64_t rows, width;
    float epsilon;
    const float *in, *weight, *bias;
    float *out, *mean, *inverse_deviation;
    const float *out_gradient;
    float *in_gradient, *weight_gradient, *bias_gradient;
    bool overwrites;
    float *scratch;             // backward
    uint16_t *out_bf16;         // beside out, which may be NULL then
    const gw_dropout_args *sum; // with rows of a multiple of 8; NULL: none
} gw_layer_norm_args;

// cosine[p][j] and sine[p][j] of the angle p * base^(-2j / rotary), for positions p and j < rotary / 2. The power, the
// frequency (1 / power) and the angle are each rounded to f32, as in training of such models. At large positions the
// rounding of an angle is larger than that of its sine.
typedef struct {
    int64_t positions, rotary;
    double base;
    const float *frequency; // [rotary / 2] frequencies that do not follow the base; or NULL
    float *cosine, *sine;   // [positions][rotary / 2]
} gw_rotary_angles_args;

// Rotates pairs of values in place, by angles of the row's position (rotary positions). In each head's first `rotary`
// values, h = rotary / 2, c = cosine[position][j], s = sine[position][j] (-s with `inverse`, for gradients):
//   x_j' = c x_j - s x_j+h;   x_j+h' = c x_j+h + s x_j
typedef struct {
    int64_t rows;
    int heads;
    int64_t head_size, rotary;  // rotary: even, at most head_size
    const int32_t *position;    // [R]
    const float *cosine, *sine; // [positions][h]
    bool inverse;
    float *data; // head n of a row starts at n * head_size
    int64_t stride;
} gw_rotary_args;

// Block-graph attention over packed rows. For sequence s, head h, query row i and the keys j in its row of the graph:
//   z_ij = scale q_i . k_j + ln m;  out_i = sum_j softmax(z_i)_j v_j;  log_sum_i = ln sum_j exp z_ij
// A row without keys gives out = 0, log_sum = -infinity and no gradients. Head h of a row starts at h * D.
// backward, with P = exp(z - log_sum), delta_i = dout_i . out_i:
//   dv_j += sum_i P_ij dout_i;  dz_ij = P_ij (dout_i . v_j - delta_i);  dq_i += scale sum_j dz_ij k_j;
//   dk_j += scale sum_i dz_ij q_i
typedef struct {
    int64_t query_begin, query_count; // rows of query and out
    int64_t key_begin, key_count;     // rows of key and value
    const gw_graph *const *graphs;    // graph of head h: graphs[h * graph_step]
    int graph_step;                   // 0: one graph for all heads
} gw_attention_sequence;

typedef struct {
    int sequences;
    const gw_attention_sequence *sequence; // on the host, with the graphs and their lists; but arrays in the graphs are
                                           // device memory
    int heads, head_size;
    int block;              // tokens of a block, of every graph
    gw_precision precision; // of the products; bf16: rounded numbers, if the backend multiplies them
    float scale;
    const float *query, *key, *value;
    int64_t query_stride, key_stride, value_stride; // floats between rows; gradients use the same strides
    int64_t query_rows, key_rows;                   // total rows of query and out; of key and value
    float *out;
    int64_t out_stride;
    float *log_sum;            // [H][query_rows]
    const float *out_gradient; // stride out_stride
    float *query_gradient, *key_gradient, *value_gradient;
    float *scratch;
    const uint16_t *query_bf16, *key_bf16, *value_bf16; // all or none
    uint16_t *out_bf16;                                 // the backward pass reads it, too
    const uint16_t *out_gradient_bf16;
    uint16_t *query_gradient_bf16, *key_gradient_bf16, *value_gradient_bf16; // all or none
} gw_attention_args;

// Block-graph attention within sequences, with terms of the position of a key relative to a query (Shaw et al., 2018;
// with the bias inside the scale, and two kinds of rows, as in ETC, Ainslie et al., 2020). The first rows of a sequence
// are its global tokens, the others its long tokens. With g = 1 if query i is global, else 0, and d = distance,
//   z_ij = scale (q_i . (k_j + E_g[id]) + b_g[id]) + ln m
//   id if both are global, or neither: min(j - i, d) for j >= i, else d + min(i - j, d)
//   id if one is global: 2d + 2 if the long row is in the global row's segment or linked with it; 2d + 3 if the global
//   row has no segment; else 2d + 1
// All else is as in block-graph attention. Products are f32 for any `precision`.
// backward, with the same dz: dE_g[id] += scale sum dz_ij q_i and db_g[id] += scale sum dz_ij over the pairs of this
//   id, dq_i += scale sum_j dz_ij (k_j + E_g[id])
typedef struct {
    gw_attention_args attention; // queries and keys: the same rows
    // On the host, for the first rows of each sequence: the number of global rows; and for each of these the rows where
    // its segment begins and ends, counted from the sequence's first row. A begin below 0: no segment.
    const int64_t *globals;                     // [sequences]
    const int32_t *segment_begin, *segment_end; // [rows]
    const int32_t *linked; // [rows] the global row, counted in the same way, that a long row is linked with; -1: none.
                           // Or NULL
    int64_t distance, ids; // ids: rows of the tables, 2 distance + 4 or more
    const float *embedding, *bias; // E [2][ids][H][D], b [2][ids][H]
    float *embedding_gradient, *bias_gradient;
} gw_relative_attention_args;

// Dense attention of rows of a sequence to all of its rows, with terms of their distance. Keys and values have separate
// sizes, and heads share them in groups: head h reads group h / (H / G). With R = F W^T,
//   z_ij = scale q_i . k_j + u_h . k_j + (scale q_i + v_h) . R_h[j - i];  out_i = sum_j softmax(z_i)_j value_j
//   log_sum_i = ln sum_j exp z_ij
// (Dai et al., 2019, section 3.3.) F is a constant table of features of the distances -(most - 1) .. most - 1. Without
// F, z_ij = scale q_i . k_j, and W, u and v are not read. backward, with P = exp(z - log_sum) and dz_ij = P_ij (dout_i
// . value_j - dout_i . out_i):
//   dvalue_j += sum_i P_ij dout_i;  dk_j += sum_i dz_ij (scale q_i + u);  dq_i += scale sum_j dz_ij (k_j + R[j - i])
//   du += sum_ij dz_ij k_j;  dv += sum_ij dz_ij R[j - i];  dW += dR^T F with dR[d] = sum of dz_ij (scale q_i + v) over
//   j - i = d
// CPU backends process a sequence's queries in blocks of GW_DISTANCE_QUERIES. If `first` is a multiple of this, rows of
// whole blocks have the same bits as in a run over all queries.
enum { GW_DISTANCE_QUERIES = 128 };
typedef struct {
    int64_t query_begin, query_count; // rows of query and out
    int64_t key_begin, key_count;     // rows of key and value, at most `most`
    int64_t first;                    // index of the first query among the keys' rows; further queries follow
} gw_distance_sequence;

typedef struct {
    int sequences;
    const gw_distance_sequence *sequence; // on the host
    int heads, groups;                    // H of queries, G of keys and values
    int64_t key_size, value_size;         // of a head
    int64_t most, features;               // features of a distance
    float scale;
    gw_precision precision;           // of the products without F; bf16: rounded numbers, on backends that have it
    const float *query, *key, *value; // [query rows][H key_size], [key rows][G key_size], [key rows][G value_size]
    int64_t query_rows;
    const float *table;                        // F [2 most - 1][features]; or NULL
    const float *weight;                       // W [H key_size][features]
    const float *content_bias, *position_bias; // u, v [H key_size]
    float *out;                                // [query rows][H value_size]
    float *log_sum;                            // [H][query_rows]
    const float *out_gradient;
    float *query_gradient, *key_gradient, *value_gradient;
    float *weight_gradient, *content_bias_gradient, *position_bias_gradient;
    float *scratch;
} gw_distance_attention_args;

// Edges of a token graph, each drawn independently with the probabilities of a head of a sequence,
//   p_ij = min(product_i . key_j + exploration, most),
// Query i reads key j if number j of the 32-bit words of gw_random_at(seed, site, first_query + i, 0) is below 2^32
// p_ij. NaN gives no edge. The draw of a pair depends only on the pair. Runs on the calling thread.
typedef struct {
    int64_t listed, keys;
    const int32_t *query; // [listed] the queries to draw for, on the host, like the bits
    int clusters;
    const float *product, *key; // rows for all queries and keys
    int64_t stride;             // floats between rows
    float exploration, most;    // most: below 1
    uint64_t seed, first_query;
    uint32_t site;
    uint64_t *bits; // [listed][(keys + 63) / 64] bit j of a query: it reads key j; 0 behind the keys
    float *scratch;
} gw_draw_edges_args;

// Attention of single tokens. Query i of sequence s reads in head h the keys j in its graph. The backward pass uses the
// bits of the graph if it has them, in blocks of queries and keys.
//   z_ij = scale q_i . k_j;  out_i = sum_j softmax(z_i)_j v_j;  log_sum_i = ln sum_j exp z_ij
// A query without edges gives out = 0, log_sum = -infinity and no gradients. Head h of a row starts at h * D, of its
// memberships at h * clusters. Threads share the queries, and in the backward pass the heads of sequences.
//
// backward, with P, delta and dz as in block-graph attention, and the same gradients; for edges that were drawn:
//   g_ij = dz_ij z_ij + penalty / (queries keys): dL/dp_ij of the edge's probability p_ij by the straight-through
//   estimator (Cho et al., 2022, equation 9), plus the price of edges; with mask_gradient g_ij = dz_ij + ..., the
//   gradient of a mask that multiplies e^z
// Edges within `fixed` tokens of the query were not drawn and have g = 0.
// With memberships, p_ij = u_i . z_j:
//   du_i += sum_j g_ij z_j;  dz_j += sum_i g_ij u_i
// and for density_penalty times the expected density, u . z summed over all pairs / (queries keys), for any draws,
//   du_i += density_penalty sum_j z_j / (queries keys);  dz_j += density_penalty sum_i u_i / (queries keys)
typedef struct {
    int64_t query_begin, key_begin; // rows of the first query and key
    const gw_token_graph *graph;    // [heads], for the queries and keys of the sequence
    float *const *edge_gradient;    // [heads] g of each edge, written; or NULL
} gw_token_sequence;

typedef struct {
    int sequences;
    const gw_token_sequence *sequence; // on the host, with the graphs; but arrays in the graphs are device memory
    int heads, head_size;
    gw_precision precision; // of the backward products for graphs of bits; bf16: as in block-graph attention
    float scale;
    const float *query, *key, *value;
    int64_t stride;       // floats between rows of these, of out and of their gradients
    int64_t query_rows;   // total number
    float *out, *log_sum; // log_sum: [H][query_rows]
    const float *out_gradient;
    float *query_gradient, *key_gradient, *value_gradient;
    int clusters;                                   // 0: no memberships
    const float *query_membership, *key_membership; // u and z, [rows][H * clusters]
    float *query_membership_gradient, *key_membership_gradient;
    int64_t fixed; // tokens; -1: all edges were drawn
    bool mask_gradient;
    float penalty, density_penalty;
} gw_token_attention_args;

// Positive features of a head's rows (Choromanski et al., 2021, Lemma 1):
//   out[r][f] = exp(projected[r][f] - half |in[r]|^2 - shift),
// The shift is the largest exponent of the row or, with `of_sequence`, of the head in the sequence. It is a factor that
// cancels in attention's mean. backward: in_gradient[r] -= 2 half in[r] sum_f e[r][f] with e = out_gradient out, which
// is added to projected_gradient, or replaces it if it aliases out_gradient.
typedef struct {
    int64_t sequences;
    int heads;
    int64_t features, size; // of a head
    float half;
    bool of_sequence;
    const int64_t *start;   // [sequences + 1] first row of each
    const float *in;        // [rows][heads size]
    const float *projected; // [rows][heads features]
    float *out;             // [rows][heads features]; may alias projected; the backward reads it
    const float *out_gradient;
    float *in_gradient, *projected_gradient;
} gw_exp_features_args;

// Attention with products of non-negative features as weights, over the rows j of the same sequence, or if causal those
// with j <= i,
//   out[i] = sum of (query[i] . key[j]) value[j] / sum[i],  sum[i] = sum of query[i] . key[j]
// per head, in time linear in the rows. A row with sum 0 gives 0. backward adds the gradients of query, key and value.
typedef struct {
    int64_t sequences, rows;
    int heads;
    int64_t features, size; // of a head
    bool causal;
    const int64_t *start;     // [sequences + 1] first row of each, then the number of rows
    const float *query, *key; // [rows][heads features]
    const float *value;       // [rows][heads size]
    float *out;               // [rows][heads size]; the backward reads it
    float *sum;               // [rows][heads]; the backward reads it
    const float *out_gradient;
    float *query_gradient, *key_gradient, *value_gradient;
    float *scratch;
} gw_linear_attention_args;

// Features of a pair of rows x0, x1: out[i] = x0, x1, x0 x1, x0 - x1 of rows 2i and 2i + 1, element by element.
// backward adds to the gradient of in.
typedef struct {
    int64_t pairs, width;
    const float *in; // [2 pairs][width]
    float *out;      // [pairs][4 width]
    const float *out_gradient;
    float *in_gradient;
} gw_pair_features_args;

// Means of segments. The n rows of a sequence are divided into its m segments, m <= n:
//   out[j] = mean of in[i], floor(j n / m) <= i < floor((j + 1) n / m)
// backward adds to the gradient of in.
typedef struct {
    int64_t sequences, width;
    const int64_t *start;     // [sequences + 1] first row of each
    const int64_t *out_start; // [sequences + 1] first segment of each
    const float *in;          // [rows][width]
    float *out;               // [segments][width]
    const float *out_gradient;
    float *in_gradient;
} gw_segment_mean_args;

// Products with pseudo-inverses of softmaxes, approximated by an iteration. Per head of a sequence of m rows, with A =
// softmax(scale query key^T) [m][m],
//   Z = A^T / (largest sum of a column of A);  `iterations` times Z = Z (13 - A Z (15 - A Z (7 - A Z))) / 4
//   out = Z value
// backward repeats the iterations, and adds the gradients of query, key and value through all of them.
typedef struct {
    int64_t sequences;
    int heads, iterations; // iterations: at most 12
    int64_t size;          // of a head
    int64_t most;          // rows of the longest sequence
    float scale;
    const int64_t *start;             // [sequences + 1] first row of each
    const float *query, *key, *value; // [rows][heads size]
    float *out;                       // [rows][heads size]
    const float *out_gradient;
    float *query_gradient, *key_gradient, *value_gradient;
    float *scratch;
} gw_landmark_product_args;

// A convolution along a sequence with one filter for all values of a head:
//   out[i] = sum over t of weight[t] in[i + t - (taps - 1) / 2], rows of the same sequence
// backward adds the gradients of in and weight.
typedef struct {
    int64_t sequences;
    int heads, taps;          // taps: odd
    int64_t size;             // of a head
    const int64_t *start;     // [sequences + 1] first row of each
    const float *in, *weight; // [rows][heads size], [heads][taps]
    float *out;               // [rows][heads size]
    const float *out_gradient;
    float *in_gradient, *weight_gradient;
} gw_head_convolution_args;

// The softmax of all pairs of a head's vectors: with a_uv = c_u . c_v,
//   out_uv = exp a_uv / sum over u', v' of exp a_u'v'       (Cho et al., 2022, equation 5)
// backward: dc_u += sum over v of (e_uv + e_vu) c_v, with e_uv = out_uv (dout_uv - sum over u', v' of out_u'v'
// dout_u'v')
typedef struct {
    int heads, count, size;
    const float *in; // [H][count][size]
    float *out;      // [H][count][count]
    const float *out_gradient;
    float *in_gradient;
    float *scratch; // backward: [H][count][count]
} gw_pair_softmax_args;

// loss[r] = ln sum_v exp(logit[r][v]) - sum_v t_v logit[r][v], where t is 1 - smoothing at v = label[r] and smoothing /
// (V - 1) elsewhere. Rows with a negative label have loss 0. gradient, unless NULL: gradient[r][v] = gradient_scale
// (softmax(logit[r])_v - t_v), 0 for rows without a label; it is written, not added, and may alias logit. best[r] (may
// be NULL) = index of the largest logit, the lowest of equal ones. Without smoothing, the loss l of a row may be
// multiplied by w (1 - p)^g: w is the weight of its label, p = exp -l the label's probability, g the focus (Lin et al.,
// 2017, equation 5). The gradient is that of the product.
typedef struct {
    int64_t rows, classes;
    const float *logit;
    int64_t logit_stride;
    const int32_t *label;
    float *loss;     // [R]
    int32_t *best;   // [R] or NULL
    float *gradient; // stride logit_stride
    float gradient_scale;
    float smoothing;     // 0 to below 1; not 0: V is 2 or more
    const float *weight; // [V] or NULL: 1 each
    float focus;         // g, 0 or more
} gw_cross_entropy_args;

// Binary cross entropy of rows of labels, each column with its positive weight w. Labels are in [0, 1], or NaN
// (ignored). loss = w y softplus(-z) + (1 - y) softplus(z); gradient = gradient_scale ((1 - y) s(z) - w y s(-z)), s the
// logistic function; written, not added; NULL: none.
typedef struct {
    int64_t count, labels;        // number of values; of a row's values
    const float *logit, *label;   // [count]
    const float *positive_weight; // [labels]
    float *loss;                  // [count]
    float *gradient;
    float gradient_scale;
} gw_bce_args;

// Losses of numbers (number_loss.h), each column with its weight w. NaN labels are ignored. loss = w times the formula.
// gradient = w gradient_scale times the derivative by each logit; written, not added; may alias logit; NULL: none.
typedef struct {
    gw_number_loss_kind kind;
    float bend; // for HUBER
    int64_t rows, columns;
    const float *logit;  // [rows][gw_number_logits()][columns]: every z, then every s
    const float *label;  // [rows][columns]
    const float *weight; // [columns] or NULL: 1 each
    float *loss;         // [rows][columns]
    float *gradient;     // as logit
    float gradient_scale;
} gw_number_loss_args;

// Counts along sequences (Avsec et al., 2021, Nature Genetics 53, p. 354). The loss of a sequence is that of its
// profile plus that of its total. n are its labels, NaN: none; N is their sum; z is the logit of a label. c is the mean
// of the last column over the rows from the first to the last label, with `margin` more rows at each end, within the
// sequence:
//   loss = -ln(N! / product of n!) - sum of n ln p + count_weight (ln(1 + N) - c)^2,  p the softmax of z over all
//   labels of the sequence, n! by the gamma function;  NaN without labels
//   gradient = gradient_scale (N p - n) of a z; gradient_scale count_weight 2 (c - ln(1 + N)) / rows of the mean in the
//   last column; 0 elsewhere; written, not added, and may alias logit; NULL: none
typedef struct {
    int64_t sequences, columns, margin;
    float count_weight;
    const int64_t *start; // [sequences + 1] first row of each
    const float *logit;   // [rows][columns + 1]
    const float *label;   // [rows][columns]
    float *loss;          // [sequences]
    float *gradient;      // as logit
    float gradient_scale;
} gw_profile_loss_args;

// logit -= 1e6 (transformers' number) for the tokens of a sequence that cannot start or end an answer: the tokens of
// the question, i.e. its first question[s] tokens, except the very first.
typedef struct {
    int64_t sequences, width;
    const int64_t *start;    // [sequences + 1] first token of each
    const int32_t *question; // [sequences]
    float *logit;            // [tokens][width]
} gw_question_mask_args;

// cross_entropy over a sequence's tokens as classes, for the first and for the last token of an answer; these are the
// columns of logit. gradient is written unless NULL; it may alias logit.
enum { GW_SPAN_ENDS = 2 };
typedef struct {
    int64_t sequences, tokens;
    const int64_t *start; // [sequences + 1] first token of each, then the number of tokens
    const float *logit;   // [tokens][GW_SPAN_ENDS]
    const int32_t *label; // [sequences][GW_SPAN_ENDS] within the sequence; negative: none
    float *loss;          // [sequences][GW_SPAN_ENDS]
    int32_t *best;        // [sequences][GW_SPAN_ENDS]
    float *gradient;      // [tokens][GW_SPAN_ENDS]
    float gradient_scale;
    float *scratch;
} gw_span_loss_args;

// Choices among arbitrary logits. The loss of a choice is weight (ln sum of e^z over all entries - ln sum of e^z over
// the right ones). An entry is the index of a logit, or -1 for a logit that is always 0. number is 0 for a wrong entry,
// and the weight for a right one, the same for all of a choice. Without a right entry a choice has no loss. gradient is
// written completely unless NULL, in the order of the choices; it must not alias logit.
typedef struct {
    int64_t choices, logits;
    const int64_t *start; // [choices + 1] first entry of each
    const int32_t *entry; // [start[choices]]
    const float *number;  // [start[choices]]
    const float *logit;   // [logits]
    float *loss;          // [choices]
    float *gradient;      // [logits]
    float gradient_scale;
} gw_choice_loss_args;

// The sum of the losses of rows with a label. A row has `parts` losses; their mean counts. Its label is a class for
// each part, and the row is right if these are the best classes; or it is one number.
typedef struct {
    double loss;
    int64_t count, right; // rows with a label; rows that are right
} gw_loss_sum;
typedef struct {
    int64_t rows, parts;
    const float *loss;    // [rows][parts]
    const int32_t *label; // [rows][parts] negative in the first part: no label; or NULL
    const int32_t *best;  // [rows][parts], with `label`
    const float *number;  // [rows] if label is NULL; NaN: no label
    gw_loss_sum *out;     // written; summed in double, in order of the rows
} gw_loss_sum_args;

// gather_rows: out[i] = in[index[i]] for i < rows, or += with `accumulate`. scatter_add_rows: out[index[i]] += in[i],
// in order of i.
typedef struct {
    int64_t rows, width;
    const int32_t *index;
    const float *in;
    int64_t in_stride;
    float *out;
    int64_t out_stride;
    int64_t out_rows; // scatter: rows of out
    bool accumulate;  // gather: += instead of =
} gw_rows_args;

// norm = root of the sum of squares, summed in double precision in an order independent of the number of threads. scale
// = clip / norm if 0 < clip < norm, else 1.
typedef struct {
    double norm;
    float scale;
} gw_gradient_norm;
typedef struct {
    int64_t count;
    const float *in;
    double clip;
    gw_gradient_norm *out;
} gw_gradient_norm_args;

// Adam with decoupled weight decay (Loshchilov & Hutter), g = gradient * norm->scale. If the norm is not finite nothing
// changes:
//   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;
//   w -= rate (m / correction1 / (sqrt(v / correction2) + epsilon) + decay w)
typedef struct {
    int64_t count;
    float *weight, *first_moment, *second_moment;
    const float *gradient;
    const gw_gradient_norm *norm;
    float rate, beta1, beta2, epsilon, decay, correction1, correction2;
} gw_adamw_args;

// LAMB (You et al., 2020, Algorithm 2) for one whole tensor; g, m and v as in adamw. If the norm is not finite nothing
// changes:
//   u = m / correction1 / (sqrt(v / correction2) + epsilon) + decay w;  w -= rate |w| / |u| u
// The ratio is 1 where either norm is 0.

// Adafactor without a first moment (Shazeer & Stern, 2018, Algorithms 4 and 5), g = gradient * norm->scale. If the norm
// is not finite nothing changes. S = g^2 + epsilon, R rows of C columns:
//   r_i = d r_i + (1 - d) mean_j S_ij;  c_j = d c_j + (1 - d) mean_i S_ij;  x_ij = g_ij / sqrt(r_i c_j / mean(r))
//   w -= rate size x / max(1, rms(x) / threshold);  size = max(least_size, rms(w)), or 1 if least_size is 0
// row_moment NULL: for a vector, R = 1, x_j = g_j / sqrt(c_j).
typedef struct {
    int64_t rows, columns;
    float *weight;
    float *row_moment, *column_moment; // [R] and [C]
    float *scratch;                    // [2 R]
    const float *gradient;
    const gw_gradient_norm *norm;
    float rate, decay, epsilon, threshold, least_size;
} gw_adafactor_args;

#endif
