// SPDX-License-Identifier: MIT
// Labels of sequences: logits [sequences][labels] of the pooled sequence, or, where the family gives the head a
// layer of its own, W dropout(act(dense dropout(h))) + b, of LN(h) where it has a norm too. Of numbers that are one as
// several sources have it, W is one row and each label has a slope and an offset of that.
#include "model/family.h"
#include "network/heads/pooled.h"
#include "network/heads/transform.h"

enum { ROLE_NORM = GW_ROLE_OWN, ROLE_SHARED };

// Whether the logits read what stands for the sequence as other heads of the family have it too.
static bool is_pooled(const gw_config *config) {
    return gw_head_reads_pooler(config) || gw_family_of(config->family)->head_transform;
}

// The layer before the logits, and the norm before that.
static void list_dense(const gw_config *config, gw_tensor_list *out) {
    static const char dense[] = "classifier.dense";
    if (gw_family_of(config->family)->norm_labels) gw_list_norm(out, ROLE_NORM, "classifier.norm");
    gw_list_weight(out, GW_ROLE_HEAD_DENSE, dense, config->width, config->width);
    if (config->head_bias) gw_list_bias(out, GW_ROLE_HEAD_DENSE, dense, config->width);
}

static void list(const gw_config *config, gw_tensor_list *out) {
    const bool pooled = is_pooled(config);
    if (config->pooling == GW_SEQUENCE_PLACES)
        gw_list_weight(out, GW_ROLE_PLACES, "classifier.places", gw_config_pooled_rows(config), config->width);
    if (config->pooling == GW_SEQUENCE_FLATTEN)
        gw_list_weight(out, GW_ROLE_FLATTEN, "classifier.flatten", config->width,
                       gw_config_pooled_rows(config) * config->width);
    if (config->pooling == GW_SEQUENCE_ATTENTION)
        gw_list_weight(out, GW_ROLE_POOL_QUERY, "pool_query", 1, config->width);
    gw_list_head_transform(config, out);
    if (!pooled) list_dense(config, out);
    const char *logits = pooled ? "classifier" : "classifier.out_proj";
    if (config->numbers.shared) {
        gw_list_weight(out, ROLE_SHARED, "classifier.shared", 1, config->width);
        gw_list_slopes(out, GW_ROLE_LOGITS, logits, gw_config_logits(config));
    } else {
        gw_list_weight(out, GW_ROLE_LOGITS, logits, gw_config_logits(config), config->width);
    }
    if (pooled || config->head_bias) gw_list_bias(out, GW_ROLE_LOGITS, logits, gw_config_logits(config));
}

static gw_tensor logits_of(gw_plan *plan, const gw_network *network, gw_tensor x) {
    const gw_config *config = &network->model->config;
    if (config->numbers.shared) x = gw_plan_linear(plan, x, gw_view_linear(&network->weights, ROLE_SHARED), 1);
    return gw_plan_linear(plan, x, gw_view_linear(&network->weights, GW_ROLE_LOGITS), gw_config_logits(config));
}

static gw_tensor dense_logits(gw_plan *plan, const gw_network *network) {
    const gw_config *config = &network->model->config;
    const double dropout = config->classifier_dropout;
    gw_tensor x = gw_network_sequence_rows(plan, network);
    if (gw_family_of(config->family)->norm_labels)
        x = gw_plan_norm(plan, x, gw_view_norm(&network->weights, ROLE_NORM), config->epsilon);
    x = gw_plan_dropout(plan, x, (gw_dropout){dropout, GW_DROPOUT_HEAD_IN});
    x = gw_plan_linear(plan, x, gw_view_linear(&network->weights, GW_ROLE_HEAD_DENSE), config->width);
    x = gw_plan_activation(plan, x,
                           gw_view_activation(&network->weights, gw_family_of(config->family)->dense_activation));
    x = gw_plan_dropout(plan, x, (gw_dropout){dropout, GW_DROPOUT_HEAD_OUT});
    return logits_of(plan, network, x);
}

static gw_tensor pooled_logits(gw_plan *plan, const gw_network *network) {
    const gw_dropout dropout = {network->model->config.classifier_dropout, GW_DROPOUT_HEAD_OUT};
    return logits_of(plan, network, gw_plan_dropout(plan, gw_network_pool(plan, network), dropout));
}

static void add_loss(gw_plan *plan, const gw_network *network, gw_tensor logits) {
    const gw_config *config = &network->model->config;
    const float *weight = network->label_weight.device;
    switch (config->problem) {
    case GW_PROBLEM_SINGLE_LABEL: gw_plan_cross_entropy(plan, logits); break;
    case GW_PROBLEM_REGRESSION:
        gw_plan_number_loss(plan, logits,
                            (gw_number_loss){config->numbers.loss, (float)gw_numbers_bend(&config->numbers), weight});
        break;
    default: gw_plan_bce(plan, logits, weight);
    }
}

static void describe(gw_plan *plan, gw_network *network) {
    add_loss(plan, network,
             is_pooled(&network->model->config) ? pooled_logits(plan, network) : dense_logits(plan, network));
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_FIRST, "class", network->model->config.labels);
}

const gw_head_row gw_head_sequence = {
    .suffix = "ForSequenceClassification",
    .labels = true,
    .problem = true,
    .list = list,
    .pooler = GW_POOLER_OR_DENSE,
    .describe = describe,
    .check_labels = check_labels,
};
