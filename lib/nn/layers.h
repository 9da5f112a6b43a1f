// SPDX-License-Identifier: MIT
// Layers as plan entries: each call appends one plain step. What of them is done together, in place or again is decided
// afterwards (nn/plan.h).
#ifndef GW_NN_LAYERS_H
#define GW_NN_LAYERS_H

#include "graph/source.h"
#include "nn/plan.h"

// y = x W^T + b; weight is [out][in], bias [out] (value NULL: none).
typedef struct {
    gw_weight weight, bias;
    const gw_packed *packed; // the weight laid out for products, where it stays as it is; or NULL
    gw_precision precision;  // of the products with training
} gw_linear;
gw_tensor gw_plan_linear(gw_plan *plan, gw_tensor in, gw_linear linear, int64_t width);

// Layer norm; bias.value NULL: RMS norm, x / sqrt(mean(x^2) + epsilon) * weight.
typedef struct {
    gw_weight weight, bias; // [width]
} gw_norm;
gw_tensor gw_plan_norm(gw_plan *plan, gw_tensor in, gw_norm norm, double epsilon);

gw_tensor gw_plan_activation(gw_plan *plan, gw_tensor in, gw_activation activation);
// gate * in, value by value, of the same rows and width. SwiGLU: the gate is silu(W x).
gw_tensor gw_plan_gate(gw_plan *plan, gw_tensor gate, gw_tensor in);

// Left out without training. Element index of the draws: (first row + row of the stream) * width + column, whatever
// batch the row came in.
typedef struct {
    double probability;
    uint32_t site; // layer and site: no two dropouts of a network share it
} gw_dropout;
gw_tensor gw_plan_dropout(gw_plan *plan, gw_tensor in, gw_dropout dropout);
// (first, second): rows of two tensors side by side.
gw_tensor gw_plan_concatenate(gw_plan *plan, gw_tensor first, gw_tensor second);
// in + residual, of the same rows and width.
gw_tensor gw_plan_sum(gw_plan *plan, gw_tensor in, gw_tensor residual);

// The rows of a stream's tensor that a row set picks, or a stream that stands within it; `in` itself where it has those
// rows.
gw_tensor gw_plan_gather(gw_plan *plan, gw_tensor in, int rows);
// A stream's tensor of those of two streams that stand within it and have all of its rows between them.
gw_tensor gw_plan_merge(gw_plan *plan, const gw_tensor in[2], int stream);

// token_scale * token + position + segment; a table whose value is NULL gives nothing. The token's is multiplied by the
// stream's `scale` of the row too, where the batch has one.
typedef struct {
    gw_weight token, position, segment;
    double token_scale;
    int64_t vocabulary, positions, segments;
} gw_embedding;
gw_tensor gw_plan_embedding(gw_plan *plan, gw_embedding embedding, int64_t width, int stream);
// A table [positions][width] by each row's position in its stream: in + P, or in * P value by value.
gw_tensor gw_plan_add_places(gw_plan *plan, gw_tensor in, gw_weight table, int64_t positions);
gw_tensor gw_plan_weigh_places(gw_plan *plan, gw_tensor in, gw_weight table, int64_t positions);

// Rotary positions: the cosines and sines of position * base^(-2j / rotary), or of position * frequency[j] where that
// is not NULL (memory of the device), [positions][rotary / 2] each. Queries and keys are turned after their linear
// layers; the first `rotary` values of a head, j paired with j + rotary / 2.
typedef struct {
    int64_t rotary;
    float *cosine, *sine;
} gw_angles;
gw_angles gw_plan_angles(gw_plan *plan, int64_t positions, int64_t rotary, double base, const float *frequency);
gw_tensor gw_plan_rotary(gw_plan *plan, gw_tensor in, int heads, gw_angles angles);

// Softmax attention of every sequence of one stream to the sequence of the same number of another, or of the same one,
// over the block graphs that the source, which outlives the plan, has for this layer. query [rows][heads * D] belongs
// to the one, key and value to the other. `precision` is of the forward products; the backward ones are of f32.
gw_tensor gw_plan_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads, int layer,
                            gw_precision precision, gw_graph_source *graphs);

// Losses of a tensor of logits, which is an output from then on, by the labels of its rows or of another row set. The
// forward leaves the loss of each label, the index of its largest logit (of classes), and what they add up to.
typedef struct {
    float *loss;
    int32_t *best; // NULL without classes
    gw_loss_sum *sum;
} gw_loss;
// Memory for that of so many labels of each row, which are classes or numbers; the plan lists it.
gw_loss gw_plan_loss(gw_plan *plan, int rows, int64_t labels, bool classes);
void gw_plan_cross_entropy(gw_plan *plan, gw_tensor logits);
// The same of smoothed labels: 1 - smoothing for the label, smoothing / (classes - 1) for each other class.
void gw_plan_smoothed_cross_entropy(gw_plan *plan, gw_tensor logits, double smoothing);
// The same weighed by class, and by (1 - p)^focus with p the probability of the label (kernels/kernel.h).
void gw_plan_focal_cross_entropy(gw_plan *plan, gw_tensor logits,
                                 const float *weight, // [classes] of the device, or NULL
                                 double focus);
void gw_plan_bce(gw_plan *plan, gw_tensor logits, const float *positive_weight); // [labels], of the device
// Of numbers (kernels/number_loss.h); logits [rows][logits of a number][columns].
typedef struct {
    gw_number_loss_kind kind;
    float bend;
    const float *weight; // [columns] of the device, or NULL
} gw_number_loss;
void gw_plan_number_loss(gw_plan *plan, gw_tensor logits, gw_number_loss loss);
// Of counts along the sequences of a stream (kernels/kernel.h): logits [rows][columns + 1], labels `columns` numbers a
// row. A loss per sequence: the labels of the stream are its sequences with a label.
typedef struct {
    int64_t margin; // rows
    double count_weight;
} gw_profile_loss;
void gw_plan_profile_loss(gw_plan *plan, gw_tensor logits, gw_profile_loss loss);
// One logit a sequence; so many sequences in a row are the classes of a question as there are to each of the row set
// `questions`, which has the labels. A loss per question.
void gw_plan_multiple_choice_loss(gw_plan *plan, gw_tensor logits, int questions);

// Sums of losses by the row set that has the labels, in double; means are the caller's.
typedef struct {
    gw_loss_sum of[GW_BATCH_ROWS];
} gw_losses;
void gw_losses_add(gw_losses *sum, const gw_losses *losses);
// Those of a run over the batch.
gw_status gw_plan_read_losses(const gw_plan *plan, const gw_batch *batch, gw_losses *out) GW_MUST_CHECK;

// A batch norm of fixed statistics, with the leaky ReLU behind it, as a plan entry.

// max(z, slope z) with z = in * weight + bias, per column. slope 1: z.
gw_tensor gw_plan_affine(gw_plan *plan, gw_tensor in, gw_norm affine, double slope);

// Linear layers of heads: y_h = W_h x_h + b_h for the head's part of a row.

// in [rows][heads D] -> [rows][heads out]; weight [heads or, shared, 1][out][D], without gradient a constant; bias
// [heads or 1][out] or NULL.
gw_tensor gw_plan_head_linear(gw_plan *plan, gw_tensor in, gw_weight weight, gw_weight bias, int heads, bool shared,
                              int64_t out);

// Contrastive prediction (van den Oord et al., 2018, equation 4, with products of normed states in the place of a
// bilinear form): each row of one tensor is to find the row of its number of another among all rows of that.

// loss_i = ln sum_j exp(s_ij) - s_ii,  s_ij = p_i . t_j / sqrt(E);  p, t [rows][E] of two row sets with as many rows. A
// loss for each row of p, whose label is its number.
void gw_plan_contrast_loss(gw_plan *plan, gw_tensor predicted, gw_tensor encoded);

#endif
