// SPDX-License-Identifier: MIT
// The reference: the formula of every op in double precision, with plain loops and only libc. Only tests use it.
//
// Arrays are dense and row-major. The letters of shapes are those of each file. Functions *_backward add to the
// gradients of inputs and weights (names that begin with d).
#ifndef GW_REFERENCE_REF_H
#define GW_REFERENCE_REF_H

#include <stdbool.h>
#include <stdint.h>

// c[M][N] = op(a) op(b) + bias (NULL: none) [+ c]
void ref_gemm(bool transpose_a, bool transpose_b, bool accumulate, int64_t m, int64_t n, int64_t k, const double *a,
              const double *b, const double *bias, double *c);
// One sequence: in[R][in_width], weight[taps][width][in_width / groups], bias[width], out[R][width]
typedef struct {
    int64_t rows, in_width, width;
    int taps, dilation, groups;
} ref_convolution_shape;
void ref_convolution(const ref_convolution_shape *shape, const double *in, const double *weight, const double *bias,
                     double *out);
void ref_convolution_backward(const ref_convolution_shape *shape, const double *in, const double *weight,
                              const double *dout, double *din, double *dweight, double *dbias);
// One sequence of `rows` rows in ceil(rows / factor) windows. how: 'x' the largest value, 'm' the mean, 's' the sum
void ref_pool(int64_t rows, int64_t width, int64_t factor, char how, const double *in, double *out);
void ref_pool_backward(int64_t rows, int64_t width, int64_t factor, char how, const double *in, const double *dout,
                       double *din);
// The same windows: in[R][width], summed with the softmax of logit[R][width]. out: the result of the forward pass.
void ref_softmax_pool(int64_t rows, int64_t width, int64_t factor, const double *in, const double *logit, double *out);
void ref_softmax_pool_backward(int64_t rows, int64_t width, int64_t factor, const double *in, const double *logit,
                               const double *out, const double *dout, double *din, double *dlogit);
// One sequence of rows, summed with the softmax of factor * score, and the gradients.
void ref_attention_pool(int64_t rows, int64_t width, double factor, const double *in, const double *score, double *out);
void ref_attention_pool_backward(int64_t rows, int64_t width, double factor, const double *in, const double *score,
                                 const double *dout, double *din, double *dscore);
// out[R][width] from in[ceil(R / factor)][width]
void ref_unpool(int64_t rows, int64_t width, int64_t factor, const double *in, double *out);
// out[N] += sum over rows of in[R][N]
void ref_column_sum(int64_t rows, int64_t width, const double *in, double *out);
// out[R][E]; position and dposition may be NULL
void ref_embedding(int64_t rows, int64_t width, const int32_t *token, const int32_t *position, const int32_t *segment,
                   double scale, const double *row_scale, const double *token_embedding,
                   const double *position_embedding, const double *segment_embedding, double *out);
void ref_embedding_backward(int64_t rows, int64_t width, const int32_t *token, const int32_t *position,
                            const int32_t *segment, double scale, const double *row_scale, const double *dout,
                            double *dtoken, double *dposition, double *dsegment);
// out[R][E], mean[R], inverse_deviation[R]
void ref_affine(int64_t rows, int64_t width, double slope, const double *in, const double *weight, const double *bias,
                double *out);
void ref_affine_backward(int64_t rows, int64_t width, double slope, const double *in, const double *weight,
                         const double *bias, const double *dout, double *din, double *dweight, double *dbias);

void ref_layer_norm(int64_t rows, int64_t width, double epsilon, const double *in, const double *weight,
                    const double *bias, double *out, double *mean, double *inverse_deviation);
void ref_layer_norm_backward(int64_t rows, int64_t width, double epsilon, const double *in, const double *weight,
                             const double *dout, double *din, double *dweight, double *dbias);
void ref_rms_norm(int64_t rows, int64_t width, double epsilon, const double *in, const double *weight, double *out);
void ref_rms_norm_backward(int64_t rows, int64_t width, double epsilon, const double *in, const double *weight,
                           const double *dout, double *din, double *dweight);
void ref_gelu(int64_t count, const double *in, double *out);
void ref_gelu_backward(int64_t count, const double *in, const double *dout, double *din);
void ref_gelu_exact(int64_t count, const double *in, double *out);
void ref_gelu_exact_backward(int64_t count, const double *in, const double *dout, double *din);
void ref_gelu_quick(int64_t count, const double *in, double *out);
void ref_gelu_quick_backward(int64_t count, const double *in, const double *dout, double *din);
void ref_softplus(int64_t count, const double *in, double *out);
void ref_softplus_backward(int64_t count, const double *in, const double *dout, double *din);
void ref_relu(int64_t count, const double *in, double *out);
void ref_relu_backward(int64_t count, const double *in, const double *dout, double *din);
void ref_silu(int64_t count, const double *in, double *out);
void ref_silu_backward(int64_t count, const double *in, const double *dout, double *din);
void ref_elu_plus_one(int64_t count, const double *in, double *out);
void ref_elu_plus_one_backward(int64_t count, const double *in, const double *dout, double *din);
void ref_sigmoid(int64_t count, const double *in, double *out);
void ref_sigmoid_backward(int64_t count, const double *in, const double *dout, double *din);
// in[count][size], out[count][count]
void ref_exp_features(int64_t rows, int64_t features, int64_t size, double half, bool of_all, const double *in,
                      const double *projected, double *out);
void ref_exp_features_backward(int64_t rows, int64_t features, int64_t size, double half, const double *in,
                               const double *out, const double *dout, double *din, double *dprojected);
void ref_linear_attention(int64_t rows, int64_t features, int64_t size, bool causal, const double *query,
                          const double *key, const double *value, double *out);
void ref_linear_attention_backward(int64_t rows, int64_t features, int64_t size, bool causal, const double *query,
                                   const double *key, const double *value, const double *dout, double *dquery,
                                   double *dkey, double *dvalue);
// query, key, value and out [m][size]
void ref_landmark_product(int64_t m, int64_t size, double scale, int iterations, const double *query, const double *key,
                          const double *value, double *out);
void ref_landmark_product_backward(int64_t m, int64_t size, double scale, int iterations, const double *query,
                                   const double *key, const double *value, const double *dout, double *dquery,
                                   double *dkey, double *dvalue);
// in [2 pairs][width], out [pairs][4 width]
void ref_pair_features(int64_t pairs, int64_t width, const double *in, double *out);
void ref_pair_features_backward(int64_t pairs, int64_t width, const double *in, const double *dout, double *din);
void ref_segment_mean(int64_t rows, int64_t segments, int64_t width, const double *in, double *out);
void ref_segment_mean_backward(int64_t rows, int64_t segments, int64_t width, const double *dout, double *din);
void ref_head_convolution(int64_t rows, int64_t size, int64_t taps, const double *in, const double *weight,
                          double *out);
void ref_head_convolution_backward(int64_t rows, int64_t size, int64_t taps, const double *in, const double *weight,
                                   const double *dout, double *din, double *dweight);
void ref_pair_softmax(int64_t count, int64_t size, const double *in, double *out);
void ref_pair_softmax_backward(int64_t count, int64_t size, const double *in, const double *out, const double *dout,
                               double *din);
// p[queries][keys] = Y B Z^T
void ref_sbm_probability(int64_t queries, int64_t keys, int64_t clusters, const double *y, const double *b,
                         const double *z, double *p);
// mask and factor [queries][keys]; dfactor is overwritten, for factors of 1
void ref_scaled_attention(int64_t queries, int64_t keys, int64_t size, double scale, const double *query,
                          const double *key, const double *value, const uint8_t *mask, const double *factor,
                          double *out);
void ref_scaled_attention_backward(int64_t queries, int64_t keys, int64_t size, double scale, const double *query,
                                   const double *key, const double *value, const uint8_t *mask, const double *dout,
                                   double *dfactor);
void ref_concatenate(int64_t rows, int64_t m, int64_t n, const double *a, const double *b, double *y);
void ref_concatenate_backward(int64_t rows, int64_t m, int64_t n, const double *dy, double *da, double *db);
void ref_gate(int64_t count, const double *gate, const double *in, double *out);
void ref_gate_backward(int64_t count, const double *gate, const double *in, const double *dout, double *dgate,
                       double *din);
void ref_tanh(int64_t count, const double *in, double *out);
void ref_tanh_backward(int64_t count, const double *in, const double *dout, double *din);
// keep[i] for the element first_element + i, from Philox 4x32-10
void ref_dropout_keep(int64_t count, double probability, uint64_t seed, uint32_t step, uint32_t site,
                      int64_t first_element, uint8_t *keep);
// residual, din and dresidual may be NULL
void ref_dropout_add(int64_t count, double probability, const uint8_t *keep, const double *in, const double *residual,
                     double *out);
void ref_dropout_add_backward(int64_t count, double probability, const uint8_t *keep, const double *dout, double *din,
                              double *dresidual);
// cosine and sine [positions][rotary / 2], of the angles rounded to f32
void ref_rotary_angles(int64_t positions, int64_t rotary, double base, const double *given, double *cosine,
                       double *sine);
// data[R][heads][head_size], turned in place. direction: 1, or -1 for gradients
void ref_rotary(int64_t rows, int heads, int64_t head_size, int64_t rotary, double base, double direction,
                const int32_t *position, double *data);
// One head of one sequence. term[Q][K] is added to the scores: ln m + bias, or -INFINITY if the query does not read the
// key. query[Q][D], key[K][D], value[K][D], out[Q][D], log_sum[Q].
void ref_attention(int64_t queries, int64_t keys, int64_t head_size, double scale, const double *query,
                   const double *key, const double *value, const double *term, double *out, double *log_sum);
// dterm[Q][K] may be NULL
void ref_attention_backward(int64_t queries, int64_t keys, int64_t head_size, double scale, const double *query,
                            const double *key, const double *value, const double *term, const double *dout,
                            double *dquery, double *dkey, double *dvalue, double *dterm);
// The same with the terms of relative attention: `rows` tokens, each a query and a key; the first `globals` tokens are
// global. embedding[2][ids][D] and bias[2][ids] belong to long queries and to global queries. segment_begin and
// segment_end[globals].
typedef struct {
    int64_t rows, globals, head_size, distance, ids;
    double scale;
    const int32_t *segment_begin, *segment_end;
    const double *query, *key, *value, *term, *embedding, *bias;
    const int32_t *linked; // [rows] the global row that is linked with a long row, -1: none; or NULL
} ref_relative;
int64_t ref_relative_id(const ref_relative *of, int64_t query, int64_t key);
void ref_relative_attention(const ref_relative *of, double *out, double *log_sum);
void ref_relative_attention_backward(const ref_relative *of, const double *dout, double *dquery, double *dkey,
                                     double *dvalue, double *dembedding, double *dbias);
// One head of one sequence of `keys` rows. The queries are `queries` rows from row `first` on. query[Q][key_size],
// key[K][key_size], value[K][value_size]; table[2 most - 1][features] for the distances -(most - 1) .. most - 1, or
// NULL; weight[key_size][features], content_bias and position_bias[key_size]. out[Q][value_size], log_sum[Q].
typedef struct {
    int64_t queries, keys, first, key_size, value_size, most, features;
    double scale;
    const double *query, *key, *value, *table, *weight, *content_bias, *position_bias;
} ref_distance;
typedef struct {
    double *query, *key, *value, *weight, *content_bias, *position_bias;
} ref_distance_gradients;
void ref_distance_attention(const ref_distance *of, double *out, double *log_sum);
void ref_distance_attention_backward(const ref_distance *of, const double *dout, const ref_distance_gradients *to);
// A block of a decoder: x[targets][width], changed in place, for one target and the memory[sources][width] of its
// source.
typedef struct {
    int64_t targets, sources, width, wide;
    int heads;
    bool norm_before;
    char activation; // 'r' ReLU, 't' GELU by tanh, 'e' its exact form
    double epsilon;
} ref_decoder_shape;
typedef struct {
    const double *weight[4], *bias[4]; // query, key, value, output: [width][width]; a bias may be NULL
    const double *norm, *norm_bias;
} ref_decoder_attention;
typedef struct {
    ref_decoder_attention own, cross;
    const double *inner, *inner_bias, *outer, *outer_bias, *norm, *norm_bias; // [wide][width], [width][wide]
} ref_decoder_weights;
void ref_decoder_block(const ref_decoder_shape *shape, const ref_decoder_weights *weights, const double *memory,
                       double *x);
// gradient[R][V] is overwritten
void ref_cross_entropy(int64_t rows, int64_t classes, const double *logit, const int32_t *label, double smoothing,
                       double scale, double *loss, int32_t *best, double *gradient);
typedef struct {
    int64_t rows, classes;
    const double *weight; // [classes] or NULL
    double focus;
} ref_focal;
void ref_focal_cross_entropy(const ref_focal *of, const double *logit, const int32_t *label, double scale, double *loss,
                             double *gradient);
void ref_bce(int64_t count, const double *logit, const double *label, const double *positive_weight, int64_t labels,
             double scale, double *loss, double *gradient);
// logit and gradient [rows][1, or 2 of REF_GAUSSIAN][columns], label and loss [rows][columns]
enum { REF_SQUARED, REF_HUBER, REF_POISSON, REF_GAUSSIAN };
typedef struct {
    int kind;
    double bend; // for REF_HUBER
    int64_t rows, columns;
    const double *weight; // [columns] or NULL
} ref_numbers;
void ref_number_loss(const ref_numbers *of, const double *logit, const double *label, double scale, double *loss,
                     double *gradient);
// One sequence: logit and gradient [rows][columns + 1], label [rows][columns]. Returns the loss; NaN without labels.
double ref_profile_loss(int64_t rows, int64_t columns, int64_t margin, double count_weight, const double *logit,
                        const double *label, double scale, double *gradient);
void ref_gather_rows(int64_t rows, int64_t width, const int32_t *index, const double *in, double *out);
void ref_scatter_add_rows(int64_t rows, int64_t width, const int32_t *index, const double *in, double *out);
// Returns the norm; *scale: the factor that clips.
double ref_gradient_norm(int64_t count, const double *in, double clip, double *scale);
// logit[tokens][width]
void ref_question_mask(int64_t sequences, int64_t width, const int64_t *start, const int32_t *question, double *logit);
// logit[tokens][2], label, loss and best [sequences][2]; gradient[tokens][2] is overwritten
void ref_span_loss(int64_t sequences, const int64_t *start, const double *logit, const int32_t *label, double scale,
                   double *loss, int32_t *best, double *gradient);
// Choices among logits; choice c has the entries start[c] .. start[c + 1] - 1. entry: the number of a logit, or -1 for
// a zero. number: 0 for wrong entries, the weight of the choice for right entries. loss[choices]; gradient[logits] is
// overwritten.
void ref_choice_loss(int64_t choices, const int64_t *start, const int32_t *entry, const double *number, int64_t logits,
                     const double *logit, double scale, double *loss, double *gradient);
// Returns the sum.
double ref_loss_sum(int64_t rows, int64_t parts, const double *loss, const int32_t *label, const int32_t *best,
                    const double *number, int64_t *count, int64_t *right);

typedef struct {
    double gradient_scale, rate, beta1, beta2, epsilon, decay, correction1, correction2;
} ref_adamw_options;
void ref_adamw(int64_t count, const ref_adamw_options *options, const double *gradient, double *weight,
               double *first_moment, double *second_moment);
// For one whole tensor.
void ref_lamb(int64_t count, const ref_adamw_options *options, const double *gradient, double *weight,
              double *first_moment, double *second_moment);

typedef struct {
    double gradient_scale, rate, decay, epsilon, threshold, least_size;
} ref_adafactor_options;
// weight[rows][columns], row_moment[rows] (NULL: a vector), column_moment[columns]
void ref_adafactor(int64_t rows, int64_t columns, const ref_adafactor_options *options, const double *gradient,
                   double *weight, double *row_moment, double *column_moment);

#endif
