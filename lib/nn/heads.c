// SPDX-License-Identifier: MIT
#include "nn/heads.h"

gw_tensor gw_plan_mask_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_mask_head head,
                            int64_t vocabulary) {
    gw_tensor x = gw_plan_linear(plan, gw_plan_gather(plan, hidden, head.rows), head.transform, hidden.width);
    x = gw_plan_activation(plan, x, head.activation);
    x = gw_plan_norm(plan, x, head.norm, architecture->epsilon);
    return gw_plan_linear(plan, x, head.decoder, vocabulary);
}

gw_tensor gw_plan_pooled(gw_plan *plan, gw_tensor hidden, gw_linear pooler, int rows) {
    const gw_tensor dense = gw_plan_linear(plan, gw_plan_gather(plan, hidden, rows), pooler, hidden.width);
    return gw_plan_activation(plan, dense, GW_ACTIVATION_TANH);
}

gw_tensor gw_plan_pooled_head(gw_plan *plan, gw_tensor hidden, gw_pooled_head head, int64_t width) {
    gw_tensor x = gw_plan_pooled(plan, hidden, head.pooler, head.rows);
    x = gw_plan_dropout(plan, x, (gw_dropout){head.dropout, GW_DROPOUT_HEAD_OUT});
    return gw_plan_linear(plan, x, head.output, width);
}

gw_tensor gw_plan_label_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_label_head head,
                             int64_t labels) {
    const double dropout = architecture->classifier_dropout;
    gw_tensor x = gw_plan_gather(plan, hidden, head.rows);
    x = gw_plan_dropout(plan, x, (gw_dropout){dropout, GW_DROPOUT_HEAD_IN});
    x = gw_plan_activation(plan, gw_plan_linear(plan, x, head.dense, hidden.width), head.activation);
    x = gw_plan_dropout(plan, x, (gw_dropout){dropout, GW_DROPOUT_HEAD_OUT});
    return gw_plan_linear(plan, x, head.output, labels);
}

gw_tensor gw_plan_token_head(gw_plan *plan, gw_tensor hidden, gw_linear output, double dropout, int64_t labels) {
    const gw_tensor x = gw_plan_dropout(plan, hidden, (gw_dropout){dropout, GW_DROPOUT_HEAD_OUT});
    return gw_plan_linear(plan, x, output, labels);
}

gw_tensor gw_plan_span_head(gw_plan *plan, const gw_architecture *architecture, gw_tensor hidden, gw_span_head head) {
    const gw_architecture *a = architecture;
    gw_tensor x = gw_plan_dropout(plan, hidden, (gw_dropout){a->dropout, GW_DROPOUT_HEAD_IN});
    x = gw_plan_activation(plan, gw_plan_linear(plan, x, head.feed_forward, a->feed_forward), a->activation);
    x = gw_plan_linear(plan, x, head.output, a->width);
    x = gw_plan_dropout(plan, x, (gw_dropout){a->dropout, GW_DROPOUT_HEAD_OUT});
    x = gw_plan_norm(plan, gw_plan_sum(plan, x, hidden), head.norm, a->epsilon);
    return gw_plan_question_mask(plan, gw_plan_linear(plan, x, head.logits, 2));
}
