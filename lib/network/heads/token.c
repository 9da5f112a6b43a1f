// SPDX-License-Identifier: MIT
// Labels of tokens: logits [tokens][labels] = W dropout(h) + b, of h what a family's layer before it makes
// (heads/transform.h).
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
    gw_plan_cross_entropy(plan,
                          gw_plan_linear(plan, x, gw_view_linear(&network->weights, GW_ROLE_LOGITS), config->labels));
}

static gw_status check_labels(const gw_network *network) {
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
