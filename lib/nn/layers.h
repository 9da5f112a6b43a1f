// SPDX-License-Identifier: MIT
// Layers as plan entries: each call appends its step together with its backward step.
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

typedef struct {
    gw_weight weight, bias; // [width]
} gw_norm;

gw_tensor gw_plan_linear(gw_plan *plan, gw_tensor in, gw_linear linear, int64_t width);
// The same into a tensor that exists (an output).
void gw_plan_linear_into(gw_plan *plan, gw_tensor in, gw_linear linear, gw_tensor out);
// The same of activation(in), and the end of `in`. With bf16 training products take the activation while they read
// `in`: its result never is in memory.
void gw_plan_linear_of(gw_plan *plan, gw_tensor in, gw_activation activation, gw_linear linear, gw_tensor out);
// `count` layers (at most GW_LINEAR_OUTS) of one input, in one step where their weights are packed.
void gw_plan_linears(gw_plan *plan, gw_tensor in, const gw_linear *linears, int count, int64_t width, gw_tensor *out);
// gw_plan_activation() of gw_plan_linear(), in one step where the weight is packed.
gw_tensor gw_plan_linear_activation(gw_plan *plan, gw_tensor in, gw_linear linear, int64_t width,
                                    gw_activation activation, bool kept);
// `kept`: the result is changed in place afterwards, so that the backward pass cannot make it again.
gw_tensor gw_plan_norm(gw_plan *plan, gw_tensor in, gw_norm norm, double epsilon, bool kept);
// Replaces `in`, which is not to be used or released afterwards.
gw_tensor gw_plan_activation(gw_plan *plan, gw_tensor in, gw_activation activation, bool kept);
// Its backward step alone, where later steps read activation(in) from `in` and leave the gradient of that.
void gw_plan_activation_backward(gw_plan *plan, gw_tensor in, gw_activation activation);

// tensor = residual + dropout(tensor), in place; residual NULL: dropout alone, which is left out without training.
// Element index of the draws: (first row + row of the stream) * width + column, whatever batch the row came in.
typedef struct {
    double probability;
    uint32_t site; // layer and site: no two dropouts of a network share it
} gw_dropout;
void gw_plan_dropout(gw_plan *plan, gw_tensor tensor, const gw_tensor *residual, gw_dropout dropout);
// dropout(in) as a tensor of its own, where `in` has other readers. With training only.
gw_tensor gw_plan_dropped(gw_plan *plan, gw_tensor in, gw_dropout dropout);

// The rows of a stream's tensor that a row set picks.
gw_tensor gw_plan_gather(gw_plan *plan, gw_tensor in, int rows);

// token_scale * token + position + segment; position.value NULL: none.
typedef struct {
    gw_weight token, position, segment;
    double token_scale;
    int64_t vocabulary, positions, segments;
} gw_embedding;
gw_tensor gw_plan_embedding(gw_plan *plan, gw_embedding embedding, int64_t width, int stream);

// Rotary positions: the cosines and sines of position * base^(-2j / rotary), [positions][rotary / 2] each. Queries and
// keys are turned in place after their linear layers; the first `rotary` values of a head, j paired with j + rotary
// / 2.
typedef struct {
    int64_t rotary;
    float *cosine, *sine;
} gw_angles;
gw_angles gw_plan_angles(gw_plan *plan, int64_t positions, int64_t rotary, double base);
void gw_plan_rotary(gw_plan *plan, gw_tensor tensor, int heads, gw_angles angles);

// Softmax attention of every sequence of one stream to the sequence of the same number of another, or of the same one,
// over the block graphs that the source, which outlives the plan, has for this layer. query [rows][heads * D] belongs
// to the one, key and value to the other. `precision` is of the forward products; the backward ones are of f32.
gw_tensor gw_plan_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads, int layer,
                            gw_precision precision, gw_graph_source *graphs);

// logits -= 1e6 for a sequence's tokens that cannot start or end an answer: those of the question but the first.
void gw_plan_question_mask(gw_plan *plan, gw_tensor logits);

// Losses of a tensor of logits (an output). The forward leaves the loss of each row (bce, squared_error: of each
// logit), the index of its largest logit (of classes), and what the losses of rows with a label add up to.
typedef struct {
    float *loss;
    int32_t *best; // NULL without classes
    gw_loss_sum *sum;
} gw_loss;
gw_loss gw_plan_loss(gw_plan *plan, int64_t rows, bool classes); // memory for one
gw_loss gw_plan_cross_entropy(gw_plan *plan, gw_tensor logits);
gw_loss gw_plan_bce(gw_plan *plan, gw_tensor logits, double positive_weight);
gw_loss gw_plan_squared_error(gw_plan *plan, gw_tensor logits);
// One logit a sequence; so many sequences in a row are the classes of a question as there are to each of the row set
// `questions`, which has the labels. A loss per question.
gw_loss gw_plan_multiple_choice_loss(gw_plan *plan, gw_tensor logits, int questions);
// Two logits a token; a sequence's tokens are the classes of its first and of its last token of an answer, the two
// labels of each row of `answers`. Two losses a sequence, whose mean counts.
gw_loss gw_plan_span_loss(gw_plan *plan, gw_tensor logits, int answers);

#endif
