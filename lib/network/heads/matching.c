// SPDX-License-Identifier: MIT
// Classes of pairs of texts, each of which the encoder reads by itself (Long Range Arena's matching): of the rows x0,
// x1 that stand for both, after dropout, W relu(dense [x0, x1, x0 x1, x0 - x1]) + b.
#include "network/heads/pooled.h"
#include "nn/pair_features.h"

enum { FEATURES = 4 };
static const char dense[] = "matching.dense", logits[] = "matching.out_proj";

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_list_linear(out, GW_ROLE_HEAD_DENSE, dense, config->width, FEATURES * config->width);
    gw_list_linear(out, GW_ROLE_LOGITS, logits, config->labels, config->width);
}

static void describe(gw_plan *plan, gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_dropout dropout = {config->classifier_dropout, GW_DROPOUT_HEAD_IN};
    gw_tensor x = gw_plan_dropout(plan, gw_network_sequence_rows(plan, network), dropout);
    x = gw_plan_pair_features(plan, x, GW_ROWS_QUESTIONS);
    x = gw_plan_linear(plan, x, gw_view_linear(&network->weights, GW_ROLE_HEAD_DENSE), config->width);
    x = gw_plan_activation(plan, x, GW_ACTIVATION_RELU);
    gw_plan_cross_entropy(plan,
                          gw_plan_linear(plan, x, gw_view_linear(&network->weights, GW_ROLE_LOGITS), config->labels));
}

static gw_status check(const gw_config *config) {
    const bool weighs = config->pooling != GW_SEQUENCE_FIRST && config->pooling != GW_SEQUENCE_MEAN;
    if (config->problem != GW_PROBLEM_SINGLE_LABEL)
        return gw_fail(GW_ERR_UNSUPPORTED, "pairs of texts that are read one by one have one class each");
    if (!weighs) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "pairs of texts have no learned pooling: first or mean is what can be run");
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_QUESTIONS, "class", network->model->config.labels);
}

const gw_head_row gw_head_matching = {
    .suffix = "ForTextMatching",
    .labels = true,
    .problem = true,
    .apart = true,
    .list = list,
    .pooler = GW_POOLER_ABSENT,
    .check = check,
    .describe = describe,
    .own = GW_OWN_SEQUENCES,
    .check_labels = check_labels,
};
