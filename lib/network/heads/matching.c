// SPDX-License-Identifier: MIT
// Classes of pairs of texts, which the encoder reads separately (Long Range Arena's matching). x0 and x1 are the rows
// of the two texts, after dropout: W relu(dense [x0, x1, x0 x1, x0 - x1]) + b.
#include "network/heads/pooled.h"

static gw_pair_features_args pair_args(const gw_run *run, const gw_step *step) {
    const gw_tensor in = step->in[0], out = step->out[0];
    return (gw_pair_features_args){.pairs = gw_run_rows(run, out),
                                   .width = in.width,
                                   .in = gw_value(run, in),
                                   .out = gw_value(run, out),
                                   .out_gradient = gw_gradient(run, out),
                                   .in_gradient = gw_gradient(run, in)};
}

GW_STEP_FUNCTIONS(pair, pair_features)

static const gw_plan_op pair_features_op = {
    .name = "pair features", .forward = pair_forward, .backward = pair_backward, .reads_in = true};

// in: rows two by two, x0 and x1 -> a row of the set `pairs` for both, [x0, x1, x0 x1, x0 - x1].
static gw_tensor pair_features(gw_plan *plan, gw_tensor in, int pairs) {
    gw_plan_needs(plan, GW_OP_pair_features);
    if (plan->training) gw_plan_needs(plan, GW_OP_pair_features_backward);
    return gw_plan_append(plan, &pair_features_op, NULL, 0, &in, 1, pairs, 4 * in.width);
}

static void describe(gw_builder *b, gw_tensor hidden) {
    const gw_config *config = b->config;
    const gw_dropout dropout = {config->classifier_dropout, GW_DROPOUT_HEAD_IN};
    gw_tensor x = gw_plan_dropout(b->plan, gw_head_sequence_rows(b, hidden), dropout);
    x = pair_features(b->plan, x, GW_ROWS_QUESTIONS);
    x = gw_build_linear(b, x, GW_ROLE_HEAD_DENSE, "matching.dense", config->width, true);
    x = gw_plan_activation(b->plan, x, GW_ACTIVATION_RELU);
    gw_plan_cross_entropy(b->plan, gw_build_linear(b, x, GW_ROLE_LOGITS, "matching.out_proj", config->labels, true));
}

static gw_status check(const gw_config *config) {
    const bool weighs = config->pooling != GW_SEQUENCE_FIRST && config->pooling != GW_SEQUENCE_MEAN;
    if (config->problem != GW_PROBLEM_SINGLE_LABEL)
        return gw_fail(GW_ERR_UNSUPPORTED, "pairs of texts that are read one by one have one class each");
    if (!weighs) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "pairs of texts have no learned pooling: first or mean is supported");
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_QUESTIONS, "class", network->model->config.labels);
}

const gw_head_row gw_head_matching = {
    .suffix = "ForTextMatching",
    .labels = true,
    .problem = true,
    .apart = true,
    .pooler = GW_POOLER_ABSENT,
    .check = check,
    .describe = describe,
    .own = GW_OWN_SEQUENCES,
    .check_labels = check_labels,
};
