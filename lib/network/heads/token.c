// SPDX-License-Identifier: MIT
// Labels of tokens: logits [tokens][labels] = W dropout(h) + b, with h from a family's layer before it
// (heads/pooled.h). Classes exclude each other, or, in some models, are independent.
#include "model/head.h"
#include "network/heads/pooled.h"

static void describe(gw_builder *b, gw_tensor hidden) {
    const gw_config *config = b->config;
    const gw_dropout dropout = {config->classifier_dropout, GW_DROPOUT_HEAD_OUT};
    gw_tensor x = b->of.transforms == GW_TRANSFORMS_ALL ? gw_head_transform(b, hidden) : hidden;
    x = gw_plan_dropout(b->plan, x, dropout);
    const gw_tensor logits = gw_build_linear(b, x, GW_ROLE_LOGITS, "classifier", config->labels, true);
    if (b->lists) return;
    const gw_network *network = b->network;
    const float *weight = config->positive_weights || config->overlap ? network->label_weight.device : NULL;
    if (config->overlap) gw_plan_bce(b->plan, logits, weight);
    else gw_plan_focal_cross_entropy(b->plan, logits, weight, network->options.focus);
}

static gw_status check_labels(const gw_network *network) {
    if (network->model->config.overlap) return GW_OK;
    return gw_network_check_classes(network, GW_ROWS_TOKENS, "class", network->model->config.labels);
}

const gw_head_row gw_head_token = {
    .suffix = "ForTokenClassification",
    .labels = true,
    .tokens = true,
    .describe = describe,
    .check_labels = check_labels,
};
