// SPDX-License-Identifier: MIT
// Masked tokens: logits [masked][vocabulary] = LN(act(W h + b)) D^T + bias, D the embeddings of tokens, or weights of
// its own where these are not tied.
#include "model/head.h"
#include "network/heads/transform.h"

static const char decoder_stem[] = "cls.predictions";

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_list_transform(config, out);
    if (!config->tied)
        gw_list_weight(out, GW_ROLE_MASK_DECODER, "cls.predictions.decoder", config->vocabulary, config->width);
    if (config->decoder_bias) gw_list_bias(out, GW_ROLE_MASK_DECODER, decoder_stem, config->vocabulary);
}

gw_tensor gw_network_describe_mask_logits(gw_plan *plan, const gw_network *network, gw_tensor x) {
    const gw_config *config = &network->model->config;
    gw_linear decoder =
        gw_view_linear(&network->weights, config->tied ? GW_ROLE_TOKEN_EMBEDDING : GW_ROLE_MASK_DECODER);
    decoder.bias = gw_view_bias(&network->weights, GW_ROLE_MASK_DECODER);
    x = gw_network_transform(plan, network, x);
    return gw_plan_linear(plan, x, decoder, config->vocabulary);
}

static void describe(gw_plan *plan, gw_network *network) {
    if (network->options.masked == 0) return;
    const gw_tensor masked = gw_plan_gather(plan, network->hidden, GW_ROWS_MASKED);
    gw_plan_cross_entropy(plan, gw_network_describe_mask_logits(plan, network, masked));
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_MASKED, "masked label", network->model->config.vocabulary);
}

const gw_head_row gw_head_masked = {
    .suffix = "ForMaskedLM",
    .masked = true,
    .list = list,
    .decoder = decoder_stem,
    .describe = describe,
    .own = GW_OWN_ROWS,
    .check_labels = check_labels,
};
