// SPDX-License-Identifier: MIT
// The encoder, per block and sequence (post-norm, as BERT and BigBird):
//   x = LN(x + dropout(W_o attention(W_q x, W_k x, W_v x)))
//   x = LN(x + dropout(W_2 act(W_1 x)))
// With norms before the sublayers: x = x + dropout(f(LN(x))) for both, and LN(x) after the last block where asked for.
// Where only some rows of the last block are read, all of them give keys and values there, and what follows the
// attention is computed for those few.
#include "nn/encoder.h"
#include "nn/packed.h"

#include <stddef.h>

enum { SITE_ATTENTION = 0, SITE_FEED_FORWARD = 1 };

static gw_dropout layer_dropout(const gw_architecture *a, int layer, int site) {
    return (gw_dropout){a->dropout, (uint32_t)(GW_DROPOUT_SITES * (layer + 1) + site)};
}

static gw_tensor embed(gw_plan *plan, const gw_architecture *a, const gw_encoder_weights *w) {
    const gw_dropout dropout = {a->dropout, GW_DROPOUT_EMBEDDING};
    const gw_tensor sum = gw_plan_embedding(plan, w->embedding, a->width, a->stream);
    if (a->order == GW_DROPOUT_THEN_NORM) gw_plan_dropout(plan, sum, NULL, dropout);
    const gw_tensor x = gw_plan_norm(plan, sum, w->embedding_norm, a->epsilon, a->order == GW_NORM_THEN_DROPOUT);
    gw_plan_release(plan, sum);
    if (a->order == GW_NORM_THEN_DROPOUT) gw_plan_dropout(plan, x, NULL, dropout);
    return x;
}

// What the attention of all layers reads.
typedef struct {
    gw_graph_source *graphs;
    gw_angles angles;
} shared;

// The rows of a token tensor that are made of the last layer, in its place.
static gw_tensor output_rows(gw_plan *plan, gw_tensor x, int rows) {
    if (x.rows == rows) return x;
    const gw_tensor out = gw_plan_gather(plan, x, rows);
    gw_plan_release(plan, x);
    return out;
}

// What attention reads for the rows that are made; queries, keys and values are linear layers of x.
static gw_tensor read_sequence(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w, gw_tensor x,
                               int layer, const shared *s, int rows) {
    gw_tensor of_x[3];
    gw_plan_linears(plan, x, (const gw_linear[3]){w->query, w->key, w->value}, 3, a->width, of_x);
    for (int i = 0; a->rotary > 0 && i < 2; i++) gw_plan_rotary(plan, of_x[i], a->heads, s->angles);
    const gw_tensor read = gw_plan_attention(plan, of_x[0], of_x[1], of_x[2], a->heads, layer, a->precision, s->graphs);
    for (int i = 0; i < 3; i++) gw_plan_release(plan, of_x[i]);
    return output_rows(plan, read, rows);
}

static gw_tensor attention_sublayer(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w, gw_tensor x,
                                    int layer, const shared *s, int rows) {
    const gw_tensor read = read_sequence(plan, a, w, x, layer, s, rows);
    const gw_tensor out = gw_plan_linear(plan, read, w->attention_output, a->width);
    gw_plan_release(plan, read);
    return out;
}

static gw_tensor feed_forward_sublayer(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w,
                                       gw_tensor x) {
    const gw_tensor feed_forward = gw_plan_linear(plan, x, w->feed_forward, a->feed_forward),
                    out = gw_plan_result(plan);
    gw_plan_linear_of(plan, feed_forward, a->activation, w->output, out);
    return out;
}

// y = x + dropout(y): the sublayer's input x ends in its output y.
static void join(gw_plan *plan, gw_tensor x, gw_tensor y, gw_dropout dropout) {
    gw_plan_dropout(plan, y, &x, dropout);
    gw_plan_release(plan, x);
}

// LN(y) in place of y where norms stand after residual sums.
static gw_tensor after_sum(gw_plan *plan, const gw_architecture *a, gw_tensor y, gw_norm norm) {
    if (a->norm == GW_NORM_BEFORE) return y;
    const gw_tensor out = gw_plan_norm(plan, y, norm, a->epsilon, false);
    gw_plan_release(plan, y);
    return out;
}

// A block up to its last sum is a segment of the plan.
static gw_tensor block(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w, gw_tensor x, int layer,
                       const shared *s) {
    const bool before = a->norm == GW_NORM_BEFORE;
    const int rows = layer + 1 == a->layers ? a->rows : a->stream;
    gw_plan_segment(plan, x, rows);
    gw_tensor in = before ? gw_plan_norm(plan, x, w->attention_norm, a->epsilon, false) : x;
    gw_tensor y = attention_sublayer(plan, a, w, in, layer, s, rows);
    if (before) gw_plan_release(plan, in);
    x = output_rows(plan, x, rows);
    join(plan, x, y, layer_dropout(a, layer, SITE_ATTENTION));
    x = after_sum(plan, a, y, w->attention_norm);

    in = before ? gw_plan_norm(plan, x, w->output_norm, a->epsilon, false) : x;
    y = feed_forward_sublayer(plan, a, w, in);
    if (before) gw_plan_release(plan, in);
    join(plan, x, y, layer_dropout(a, layer, SITE_FEED_FORWARD));
    gw_plan_segment_end(plan);
    return after_sum(plan, a, y, w->output_norm);
}

// x' = LN(x + y), or x + y where the norm stood before; y as `layers` make it.
static gw_tensor packed_join(gw_plan *plan, const gw_architecture *a, gw_tensor x, gw_packed_layers layers,
                             gw_norm norm) {
    layers.count = 1;
    layers.out[0] = gw_plan_tensor(plan, x.rows, a->width, true);
    layers.has_residual = true;
    layers.residual = x;
    layers.epsilon = a->epsilon;
    if (a->norm == GW_NORM_AFTER) layers.norm = norm;
    gw_plan_packed(plan, &layers);
    gw_plan_release(plan, x);
    return layers.out[0];
}

// A tile of the feed-forward layer's result stays in the cache as bf16; f32 would push out all else, and is better kept
// whole.
static gw_tensor packed_feed_forward(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w, gw_tensor in,
                                     gw_tensor x) {
    gw_packed_layers layers = {.in = in, .linear = {w->output}};
    if (a->precision == GW_BF16) {
        layers.feed_forward = w->feed_forward;
        layers.feed_forward_activation = a->activation;
        return packed_join(plan, a, x, layers, w->output_norm);
    }
    layers.in = gw_plan_linear_activation(plan, in, w->feed_forward, a->feed_forward, a->activation, false);
    const gw_tensor out = packed_join(plan, a, x, layers, w->output_norm);
    gw_plan_release(plan, layers.in);
    return out;
}

// The same block where weights are packed, and nothing comes between a sublayer's layers, sum and norm: as one step.
static gw_tensor packed_block(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w, gw_tensor x,
                              int layer, const shared *s) {
    const bool before = a->norm == GW_NORM_BEFORE;
    const int rows = layer + 1 == a->layers ? a->rows : a->stream;
    gw_tensor in = before ? gw_plan_norm(plan, x, w->attention_norm, a->epsilon, false) : x;
    const gw_tensor read = read_sequence(plan, a, w, in, layer, s, rows);
    if (before) gw_plan_release(plan, in);
    x = output_rows(plan, x, rows);
    x = packed_join(plan, a, x, (gw_packed_layers){.in = read, .linear = {w->attention_output}}, w->attention_norm);
    gw_plan_release(plan, read);

    in = before ? gw_plan_norm(plan, x, w->output_norm, a->epsilon, false) : x;
    const gw_tensor out = packed_feed_forward(plan, a, w, in, x);
    if (before) gw_plan_release(plan, in);
    return out;
}

gw_tensor gw_plan_encoder(gw_plan *plan, const gw_architecture *architecture, const gw_encoder_weights *weights,
                          gw_graph_source *graphs) {
    const gw_architecture *a = architecture;
    shared s = {.graphs = graphs};
    if (a->rotary > 0) s.angles = gw_plan_angles(plan, weights->embedding.positions, a->rotary, a->rotary_base);
    gw_tensor x = embed(plan, a, weights);
    for (int layer = 0; layer < a->layers; layer++) {
        const gw_block_weights *w = &weights->blocks[layer];
        x = w->query.packed && !plan->training ? packed_block(plan, a, w, x, layer, &s)
                                               : block(plan, a, w, x, layer, &s);
    }
    x = output_rows(plan, x, a->rows);
    if (!a->last_norm) return x;
    const gw_tensor out = gw_plan_norm(plan, x, weights->last_norm, a->epsilon, false);
    gw_plan_release(plan, x);
    return out;
}
