// SPDX-License-Identifier: MIT
#include "nn/heads.h"

// The rows of hidden states that a head reads; the hidden states themselves where no others were made.
static gw_tensor rows_read(gw_plan *plan, gw_tensor hidden, int rows) {
    return hidden.rows == rows ? hidden : gw_plan_gather(plan, hidden, rows);
}

static void release_rows(gw_plan *plan, gw_tensor hidden, gw_tensor rows) {
    if (rows.rows != hidden.rows) gw_plan_release(plan, rows);
}

gw_tensor gw_plan_mask_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_mask_head head,
                            int64_t vocabulary) {
    const gw_tensor rows = rows_read(plan, hidden, head.rows);
    const gw_tensor dense = gw_plan_linear(plan, rows, head.transform, hidden.width);
    release_rows(plan, hidden, rows);
    const gw_tensor active = gw_plan_activation(plan, dense, head.activation, false);
    const gw_tensor normal = gw_plan_norm(plan, active, head.norm, architecture->epsilon, false);
    gw_plan_release(plan, active);
    const gw_tensor logits = gw_plan_output(plan, head.rows, vocabulary);
    gw_plan_linear_into(plan, normal, head.decoder, logits);
    gw_plan_release(plan, normal);
    return logits;
}

gw_tensor gw_plan_pooled(gw_plan *plan, gw_tensor hidden, gw_linear pooler, int rows) {
    const gw_tensor first = rows_read(plan, hidden, rows);
    const gw_tensor dense = gw_plan_output(plan, rows, hidden.width);
    gw_plan_linear_into(plan, first, pooler, dense);
    release_rows(plan, hidden, first);
    return gw_plan_activation(plan, dense, GW_ACTIVATION_TANH, true);
}

gw_tensor gw_plan_pooled_head(gw_plan *plan, gw_tensor hidden, gw_pooled_head head, int64_t width) {
    const gw_tensor first = rows_read(plan, hidden, head.rows);
    const gw_tensor dense = gw_plan_linear(plan, first, head.pooler, hidden.width);
    release_rows(plan, hidden, first);
    const gw_tensor pooled = gw_plan_activation(plan, dense, GW_ACTIVATION_TANH, true);
    gw_plan_dropout(plan, pooled, NULL, (gw_dropout){head.dropout, GW_DROPOUT_HEAD_OUT});
    const gw_tensor logits = gw_plan_output(plan, head.rows, width);
    gw_plan_linear_into(plan, pooled, head.output, logits);
    gw_plan_release(plan, pooled);
    return logits;
}

gw_tensor gw_plan_label_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_label_head head,
                             int64_t labels) {
    const double dropout = architecture->classifier_dropout;
    const gw_tensor first = rows_read(plan, hidden, head.rows);
    gw_plan_dropout(plan, first, NULL, (gw_dropout){dropout, GW_DROPOUT_HEAD_IN});
    const gw_tensor dense = gw_plan_linear(plan, first, head.dense, hidden.width);
    release_rows(plan, hidden, first);
    const gw_tensor active = gw_plan_activation(plan, dense, head.activation, true);
    gw_plan_dropout(plan, active, NULL, (gw_dropout){dropout, GW_DROPOUT_HEAD_OUT});
    const gw_tensor logits = gw_plan_output(plan, head.rows, labels);
    gw_plan_linear_into(plan, active, head.output, logits);
    gw_plan_release(plan, active);
    return logits;
}

// Tokens' heads read hidden states that others read too: dropped values are a tensor of their own, or the hidden states
// themselves where nothing is dropped.
static bool drops(const gw_plan *plan, double dropout) {
    return plan->training && dropout > 0;
}

static gw_tensor dropped(gw_plan *plan, gw_tensor hidden, gw_dropout dropout) {
    return drops(plan, dropout.probability) ? gw_plan_dropped(plan, hidden, dropout) : hidden;
}

gw_tensor gw_plan_token_head(gw_plan *plan, gw_tensor hidden, gw_linear output, double dropout, int64_t labels) {
    const gw_tensor in = dropped(plan, hidden, (gw_dropout){dropout, GW_DROPOUT_HEAD_OUT});
    const gw_tensor logits = gw_plan_output(plan, hidden.rows, labels);
    gw_plan_linear_into(plan, in, output, logits);
    if (drops(plan, dropout)) gw_plan_release(plan, in);
    return logits;
}

gw_tensor gw_plan_span_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_span_head head) {
    const gw_architecture *a = architecture;
    const gw_tensor in = dropped(plan, hidden, (gw_dropout){a->dropout, GW_DROPOUT_HEAD_IN});
    const gw_tensor feed_forward =
        gw_plan_linear_activation(plan, in, head.feed_forward, a->feed_forward, a->activation, false);
    if (drops(plan, a->dropout)) gw_plan_release(plan, in);
    const gw_tensor sum = gw_plan_linear(plan, feed_forward, head.output, a->width);
    gw_plan_release(plan, feed_forward);
    gw_plan_dropout(plan, sum, &hidden, (gw_dropout){a->dropout, GW_DROPOUT_HEAD_OUT});
    const gw_tensor normal = gw_plan_norm(plan, sum, head.norm, a->epsilon, false);
    gw_plan_release(plan, sum);
    const gw_tensor logits = gw_plan_output(plan, hidden.rows, 2);
    gw_plan_linear_into(plan, normal, head.logits, logits);
    gw_plan_release(plan, normal);
    gw_plan_question_mask(plan, logits);
    return logits;
}
