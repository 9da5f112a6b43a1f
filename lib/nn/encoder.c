// SPDX-License-Identifier: MIT
// The encoder, per block and sequence (post-norm, as BERT and BigBird):
//   x = LN(x + dropout(W_o attention(W_q x, W_k x, W_v x)))
//   x = LN(x + dropout(W_2 act(W_1 x)))
// With norms before the sublayers: x = x + dropout(f(LN(x))) for both.
#include "nn/encoder.h"

#include <stddef.h>

// Dropout places: 8 for each layer, the first 8 for what is not a layer.
enum { PLACES = 8, PLACE_EMBEDDING = 0, PLACE_LABEL_IN = 1, PLACE_LABEL_OUT = 2 };
enum { SITE_ATTENTION = 0, SITE_INNER = 1 };

static gw_dropout layer_dropout(const gw_architecture *a, int layer, int site) {
    return (gw_dropout){a->dropout, (uint32_t)(PLACES * (layer + 1) + site)};
}

static gw_tensor embed(gw_plan *plan, const gw_architecture *a, const gw_encoder_weights *w) {
    const gw_dropout dropout = {a->dropout, PLACE_EMBEDDING};
    const gw_tensor sum = gw_plan_embedding(plan, w->embedding, a->width);
    if (a->order == GW_DROPOUT_THEN_NORM) gw_plan_dropout(plan, sum, NULL, dropout);
    const gw_tensor x = gw_plan_norm(plan, sum, w->embedding_norm, a->epsilon, a->order == GW_NORM_THEN_DROPOUT);
    gw_plan_release(plan, sum);
    if (a->order == GW_NORM_THEN_DROPOUT) gw_plan_dropout(plan, x, NULL, dropout);
    return x;
}

static gw_tensor attention_sublayer(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w, gw_tensor x,
                                    int layer, gw_graph_cache *graphs) {
    const gw_tensor query = gw_plan_linear(plan, x, w->query, a->width);
    const gw_tensor key = gw_plan_linear(plan, x, w->key, a->width);
    const gw_tensor value = gw_plan_linear(plan, x, w->value, a->width);
    const gw_tensor read = gw_plan_attention(plan, query, key, value, a->heads, layer, a->block, graphs);
    gw_plan_release(plan, query);
    gw_plan_release(plan, key);
    gw_plan_release(plan, value);
    const gw_tensor out = gw_plan_linear(plan, read, w->attention_output, a->width);
    gw_plan_release(plan, read);
    return out;
}

static gw_tensor inner_sublayer(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w, gw_tensor x) {
    const gw_tensor inner = gw_plan_activation(plan, gw_plan_linear(plan, x, w->inner, a->inner), a->activation, false);
    const gw_tensor out = gw_plan_linear(plan, inner, w->output, a->width);
    gw_plan_release(plan, inner);
    return out;
}

// The sublayer's input x and its output y become x' = LN(x + dropout(y)), or x + dropout(y) where the norm stood
// before.
static gw_tensor join(gw_plan *plan, const gw_architecture *a, gw_tensor x, gw_tensor y, gw_norm norm,
                      gw_dropout dropout) {
    gw_plan_dropout(plan, y, &x, dropout);
    gw_plan_release(plan, x);
    if (a->norm == GW_NORM_BEFORE) return y;
    const gw_tensor out = gw_plan_norm(plan, y, norm, a->epsilon, false);
    gw_plan_release(plan, y);
    return out;
}

static gw_tensor block(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w, gw_tensor x, int layer,
                       gw_graph_cache *graphs) {
    const bool before = a->norm == GW_NORM_BEFORE;
    gw_tensor in = before ? gw_plan_norm(plan, x, w->attention_norm, a->epsilon, false) : x;
    gw_tensor y = attention_sublayer(plan, a, w, in, layer, graphs);
    if (before) gw_plan_release(plan, in);
    x = join(plan, a, x, y, w->attention_norm, layer_dropout(a, layer, SITE_ATTENTION));

    in = before ? gw_plan_norm(plan, x, w->output_norm, a->epsilon, false) : x;
    y = inner_sublayer(plan, a, w, in);
    if (before) gw_plan_release(plan, in);
    return join(plan, a, x, y, w->output_norm, layer_dropout(a, layer, SITE_INNER));
}

gw_tensor gw_plan_encoder(gw_plan *plan, const gw_architecture *architecture, const gw_encoder_weights *weights,
                          gw_graph_cache *graphs) {
    gw_tensor x = embed(plan, architecture, weights);
    for (int layer = 0; layer < architecture->layers; layer++)
        x = block(plan, architecture, &weights->blocks[layer], x, layer, graphs);
    return x;
}

gw_tensor gw_plan_mask_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_mask_head head,
                            int64_t vocabulary) {
    const gw_tensor rows = gw_plan_gather(plan, hidden, GW_ROWS_MASKED);
    const gw_tensor dense = gw_plan_linear(plan, rows, head.transform, hidden.width);
    gw_plan_release(plan, rows);
    const gw_tensor active = gw_plan_activation(plan, dense, architecture->activation, false);
    const gw_tensor normal = gw_plan_norm(plan, active, head.norm, architecture->epsilon, false);
    gw_plan_release(plan, active);
    const gw_tensor logits = gw_plan_output(plan, GW_ROWS_MASKED, vocabulary);
    gw_plan_linear_into(plan, normal, head.decoder, logits);
    gw_plan_release(plan, normal);
    return logits;
}

gw_tensor gw_plan_pair_head(gw_plan *plan, gw_tensor hidden, gw_pair_head head) {
    const gw_tensor first = gw_plan_gather(plan, hidden, GW_ROWS_SEQUENCES);
    const gw_tensor pooled =
        gw_plan_activation(plan, gw_plan_linear(plan, first, head.pooler, hidden.width), GW_ACTIVATION_TANH, false);
    gw_plan_release(plan, first);
    const gw_tensor logits = gw_plan_output(plan, GW_ROWS_SEQUENCES, 2);
    gw_plan_linear_into(plan, pooled, head.relationship, logits);
    gw_plan_release(plan, pooled);
    return logits;
}

gw_tensor gw_plan_label_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_label_head head,
                             int64_t labels) {
    const double dropout = architecture->classifier_dropout;
    const gw_tensor first = gw_plan_gather(plan, hidden, GW_ROWS_SEQUENCES);
    gw_plan_dropout(plan, first, NULL, (gw_dropout){dropout, PLACE_LABEL_IN});
    const gw_tensor dense = gw_plan_linear(plan, first, head.dense, hidden.width);
    gw_plan_release(plan, first);
    const gw_tensor active = gw_plan_activation(plan, dense, architecture->activation, true);
    gw_plan_dropout(plan, active, NULL, (gw_dropout){dropout, PLACE_LABEL_OUT});
    const gw_tensor logits = gw_plan_output(plan, GW_ROWS_SEQUENCES, labels);
    gw_plan_linear_into(plan, active, head.output, logits);
    gw_plan_release(plan, active);
    return logits;
}
