// SPDX-License-Identifier: MIT
// Layers as plan entries. Each call appends one plain step. Later passes fuse steps, share memory and plan
// recomputation (nn/plan.h).
#ifndef GW_NN_LAYERS_H
#define GW_NN_LAYERS_H

#include "graph/source.h"
#include "nn/plan.h"

// y = x W^T + b; weight is [out][in], bias [out] (value NULL: no bias).
typedef struct {
    gw_weight weight, bias;
    const gw_packed *packed; // the weight in packed layout, for fixed weights; or NULL
    gw_precision precision;  // of the products in training
} gw_linear;
gw_tensor gw_plan_linear(gw_plan *plan, gw_tensor in, gw_linear linear, int64_t width);

// Layer norm; bias.value NULL: RMS norm, x / sqrt(mean(x^2) + epsilon) * weight.
typedef struct {
    gw_weight weight, bias; // [width]
} gw_norm;
gw_tensor gw_plan_norm(gw_plan *plan, gw_tensor in, gw_norm norm, double epsilon);

gw_tensor gw_plan_activation(gw_plan *plan, gw_tensor in, gw_activation activation);
// gate * in, element by element, of the same rows and width. SwiGLU: the gate is silu(W x).
gw_tensor gw_plan_gate(gw_plan *plan, gw_tensor gate, gw_tensor in);

// Dropout; no step without training. The index of a draw is (first row + row of the stream) * width + column,
// independent of the batch.
typedef struct {
    double probability;
    uint32_t site; // layer and place; each dropout of a network has its own
} gw_dropout;
gw_tensor gw_plan_dropout(gw_plan *plan, gw_tensor in, gw_dropout dropout);
// (first, second): rows of two tensors side by side.
gw_tensor gw_plan_concatenate(gw_plan *plan, gw_tensor first, gw_tensor second);
// in + residual, of the same rows and width.
gw_tensor gw_plan_sum(gw_plan *plan, gw_tensor in, gw_tensor residual);

// The rows of a stream's tensor that a row set picks, or the rows of a stream that is part of this stream. Returns `in`
// if it already has these rows.
gw_tensor gw_plan_gather(gw_plan *plan, gw_tensor in, int rows);
// Joins the tensors of two streams that together have all rows of `stream`.
gw_tensor gw_plan_merge(gw_plan *plan, const gw_tensor in[2], int stream);

// token_scale * token + position + segment. A table with value NULL is skipped. The token's embedding is also
// multiplied by the stream's `scale` of the row, if the batch has one.
typedef struct {
    gw_weight token, position, segment;
    double token_scale;
    int64_t vocabulary, positions, segments;
} gw_embedding;
gw_tensor gw_plan_embedding(gw_plan *plan, gw_embedding embedding, int64_t width, int stream);
// Adds a table [positions][width] by each row's position in its stream, in + P, or multiplies by it, in * P element by
// element.
gw_tensor gw_plan_add_places(gw_plan *plan, gw_tensor in, gw_weight table, int64_t positions);
gw_tensor gw_plan_weigh_places(gw_plan *plan, gw_tensor in, gw_weight table, int64_t positions);

// Rotary positions: the cosines and sines of position * base^(-2j / rotary), or of position * frequency[j] if frequency
// is not NULL (device memory); [positions][rotary / 2] each. They rotate queries and keys after their linear layers:
// the first `rotary` values of a head, j paired with j + rotary / 2.
typedef struct {
    int64_t rotary;
    float *cosine, *sine;
} gw_angles;
gw_angles gw_plan_angles(gw_plan *plan, int64_t positions, int64_t rotary, double base, const float *frequency);
gw_tensor gw_plan_rotary(gw_plan *plan, gw_tensor in, int heads, gw_angles angles);

// Softmax attention of every sequence of one stream to the sequence of the same number in another stream, or in the
// same one, over the source's block graphs for this layer. The source must outlive the plan. query [rows][heads * D]
// belongs to the first stream, key and value to the other. `precision` is the type of the forward products; backward
// products are f32.
gw_tensor gw_plan_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads, int layer,
                            gw_precision precision, gw_graph_source *graphs);

// Losses of a tensor of logits, by the labels of its rows or of another row set. The tensor becomes an output. The
// forward step writes the loss of each label, the index of the largest logit (for classes), and the sum of the losses.
typedef struct {
    float *loss;
    int32_t *best; // NULL without classes
    gw_loss_sum *sum;
} gw_loss;
// Memory for the losses of `labels` labels of each row: classes, or numbers. The plan lists it.
gw_loss gw_plan_loss(gw_plan *plan, int rows, int64_t labels, bool classes);
void gw_plan_cross_entropy(gw_plan *plan, gw_tensor logits);
// The same with smoothed labels: 1 - smoothing for the label, smoothing / (classes - 1) for each other class.
void gw_plan_smoothed_cross_entropy(gw_plan *plan, gw_tensor logits, double smoothing);
// The same weighted by class and by (1 - p)^focus, p the probability of the label (kernels/kernel.h).
void gw_plan_focal_cross_entropy(gw_plan *plan, gw_tensor logits,
                                 const float *weight, // [classes] on the device, or NULL
                                 double focus);
void gw_plan_bce(gw_plan *plan, gw_tensor logits, const float *positive_weight); // [labels] on the device
// Losses of numbers (kernels/number_loss.h); logits [rows][logits of a number][columns].
typedef struct {
    gw_number_loss_kind kind;
    float bend;
    const float *weight; // [columns] on the device, or NULL
} gw_number_loss;
void gw_plan_number_loss(gw_plan *plan, gw_tensor logits, gw_number_loss loss);
// Losses of counts along the sequences of a stream (kernels/kernel.h): logits [rows][columns + 1]; labels: `columns`
// numbers a row. One loss per sequence with a label.
typedef struct {
    int64_t margin; // rows
    double count_weight;
} gw_profile_loss;
void gw_plan_profile_loss(gw_plan *plan, gw_tensor logits, gw_profile_loss loss);
// A multiple choice: one logit a sequence. The sequences of each question follow each other, and are its classes. The
// row set `questions` has the labels. One loss per question.
void gw_plan_multiple_choice_loss(gw_plan *plan, gw_tensor logits, int questions);

// Sums of losses by row set of the labels, in double precision. Callers compute the means.
typedef struct {
    gw_loss_sum of[GW_BATCH_ROWS];
} gw_losses;
void gw_losses_add(gw_losses *sum, const gw_losses *losses);
// Reads the losses of a run over the batch.
gw_status gw_plan_read_losses(const gw_plan *plan, const gw_batch *batch, gw_losses *out) GW_MUST_CHECK;

// Batch norm with fixed statistics, followed by leaky ReLU, as a plan entry.

// max(z, slope z) with z = in * weight + bias, per column. With slope 1 the result is z.
gw_tensor gw_plan_affine(gw_plan *plan, gw_tensor in, gw_norm affine, double slope);

// Linear layers of heads: y_h = W_h x_h + b_h for the head's part of a row.

// in [rows][heads D] -> [rows][heads out]. weight [heads or, shared, 1][out][D]; constant if it has no gradient. bias
// [heads or 1][out] or NULL.
gw_tensor gw_plan_head_linear(gw_plan *plan, gw_tensor in, gw_weight weight, gw_weight bias, int heads, bool shared,
                              int64_t out);

// Contrastive prediction (van den Oord et al., 2018, equation 4, with products of normed states instead of a bilinear
// form). Each row of one tensor is to find the row with its number in another tensor.

// loss_i = ln sum_j exp(s_ij) - s_ii,  s_ij = p_i . t_j / sqrt(E);  p, t [rows][E] of two row sets with as many rows.
// One loss for each row of p; the label of a row is its number.
void gw_plan_contrast_loss(gw_plan *plan, gw_tensor predicted, gw_tensor encoded);

#endif
