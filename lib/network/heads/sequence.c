// SPDX-License-Identifier: MIT
// Labels of sequences: logits [sequences][labels] of the pooled sequence, or, if the family has a separate layer for
// the head, W dropout(act(dense dropout(h))) + b, with LN(h) for h if there is a norm too. If the labels are one number
// from several sources, W is one row, and each label has a slope and an offset.
#include "network/heads/pooled.h"

enum { ROLE_NORM = GW_ROLE_OWN, ROLE_SHARED };

// A number that all sources share is one row of W; each label has a slope of that.
static gw_tensor logits_of(gw_builder *b, gw_tensor x, const char *stem, bool bias) {
    const gw_config *config = b->config;
    const int64_t count = gw_config_logits(config);
    if (!config->numbers.shared) return gw_build_linear(b, x, GW_ROLE_LOGITS, stem, count, bias);
    x = gw_build_linear(b, x, ROLE_SHARED, "classifier.shared", 1, false);
    return gw_plan_linear(b->plan, x, gw_declare_slopes(b, GW_ROLE_LOGITS, stem, count, bias), count);
}

static gw_tensor dense_logits(gw_builder *b, gw_tensor hidden) {
    const gw_config *config = b->config;
    const gw_activation own = b->of.dense_activation;
    const double dropout = config->classifier_dropout;
    gw_tensor x = gw_head_sequence_rows(b, hidden);
    if (b->of.label_norm) x = gw_build_norm(b, x, ROLE_NORM, b->of.label_norm);
    x = gw_plan_dropout(b->plan, x, (gw_dropout){dropout, GW_DROPOUT_HEAD_IN});
    x = gw_build_linear(b, x, GW_ROLE_HEAD_DENSE, "classifier.dense", config->width, config->head_bias);
    x = gw_plan_activation(b->plan, x, own != GW_ACTIVATION_NONE ? own : config->activation);
    x = gw_plan_dropout(b->plan, x, (gw_dropout){dropout, GW_DROPOUT_HEAD_OUT});
    return logits_of(b, x, "classifier.out_proj", config->head_bias);
}

static void describe(gw_builder *b, gw_tensor hidden) {
    const gw_config *config = b->config;
    gw_tensor logits;
    if (gw_reads_pooler(b) || b->of.transforms == GW_TRANSFORMS_ALL) {
        const gw_dropout dropout = {config->classifier_dropout, GW_DROPOUT_HEAD_OUT};
        logits = logits_of(b, gw_plan_dropout(b->plan, gw_head_pool(b, hidden), dropout), "classifier", true);
    } else logits = dense_logits(b, hidden);
    if (b->lists) return;
    const float *weight = b->network->label_weight.device;
    switch (config->problem) {
    case GW_PROBLEM_SINGLE_LABEL: gw_plan_cross_entropy(b->plan, logits); break;
    case GW_PROBLEM_REGRESSION:
        gw_plan_number_loss(b->plan, logits,
                            (gw_number_loss){config->numbers.loss, (float)gw_numbers_bend(&config->numbers), weight});
        break;
    default: gw_plan_bce(b->plan, logits, weight);
    }
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_FIRST, "class", network->model->config.labels);
}

const gw_head_row gw_head_sequence = {
    .suffix = "ForSequenceClassification",
    .labels = true,
    .problem = true,
    .pooler = GW_POOLER_OR_DENSE,
    .describe = describe,
    .check_labels = check_labels,
};
