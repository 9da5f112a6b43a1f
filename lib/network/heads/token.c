// SPDX-License-Identifier: MIT
// Labels of tokens: logits [tokens][labels] = W dropout(h) + b, of h what a family's layer before it makes
// (heads/transform.h). Classes exclude each other, or, of a model that says so, each is there or not by itself.
#include "model/head.h"
#include "network/heads/transform.h"

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_list_head_transform(config, out);
    gw_list_linear(out, GW_ROLE_LOGITS, "classifier", config->labels, config->width);
}

static void describe(gw_plan *plan, gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_dropout dropout = {config->classifier_dropout, GW_DROPOUT_HEAD_OUT};
    const gw_tensor x = gw_plan_dropout(plan, gw_network_head_transform(plan, network, network->hidden), dropout);
    const gw_tensor logits = gw_plan_linear(plan, x, gw_view_linear(&network->weights, GW_ROLE_LOGITS), config->labels);
    const float *weight = config->positive_weights || config->overlap ? network->label_weight.device : NULL;
    if (config->overlap) gw_plan_bce(plan, logits, weight);
    else gw_plan_focal_cross_entropy(plan, logits, weight, network->options.focus);
}

static gw_status check_labels(const gw_network *network) {
    if (network->model->config.overlap) return GW_OK;
    return gw_network_check_classes(network, GW_ROWS_TOKENS, "class", network->model->config.labels);
}

const gw_head_row gw_head_token = {
    .suffix = "ForTokenClassification",
    .labels = true,
    .list = list,
    .tokens = true,
    .describe = describe,
    .check_labels = check_labels,
};
