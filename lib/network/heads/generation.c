// SPDX-License-Identifier: MIT
// A text about the source, one token after another: logits [targets][vocabulary] = decoder(h) token_embedding^T + bias,
// each of the token that follows (teacher forcing). What writes texts is network/decoding.h.
#include "model/head.h"
#include "network/network_private.h"

static void list(const gw_config *config, gw_tensor_list *out) {
    (void)config;
    gw_list_decoder(out);
}

static void describe(gw_plan *plan, gw_network *network) {
    const gw_tensor logits = gw_network_describe_decoder(plan, network, GW_ROWS_TARGET, NULL);
    gw_plan_smoothed_cross_entropy(plan, logits, network->options.smoothing);
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_TARGET, "label", network->model->config.vocabulary);
}

const gw_head_row gw_head_generation = {
    .suffix = "ForConditionalGeneration",
    .generates = true,
    .list = list,
    .pooler = GW_POOLER_UNREAD,
    .decoder = "cls.predictions",
    .tokens = true,
    .describe = describe,
    .own = GW_OWN_STREAM,
    .check_labels = check_labels,
};
