// SPDX-License-Identifier: MIT
// Writes a text about the source, one token after another: logits [targets][vocabulary] = decoder(h) token_embedding^T
// + bias, each for the next token (teacher forcing). network/decoding.h writes texts.
#include "model/head.h"
#include "network/network_private.h"

// Behind the transformation of the masked head, where the decoder shares the encoder's tensors.
gw_tensor gw_describe_target_logits(gw_builder *b, int stream, gw_tensor memory, gw_key_cache *kept) {
    const gw_config *config = b->config;
    gw_decoder_reads reads = {.memory = memory, .cache = kept};
    if (!b->lists) reads.own = b->network->own_graphs;
    if (!b->lists) reads.cross = b->network->cross_graphs;
    const gw_tensor x = gw_describe_decoder(b, stream, &reads);
    if (b->of.twin) return gw_describe_mask_logits(b, x);
    gw_linear logits = gw_declare_words(b);
    const gw_weight bias =
        gw_declare_buffer(b, GW_ROLE_TARGET_LOGITS, "final_logits_bias", true, 1, config->vocabulary);
    logits.bias = (gw_weight){bias.value, NULL}; // which nothing trains
    return gw_plan_linear(b->plan, x, logits, config->vocabulary);
}

static void describe(gw_builder *b, gw_tensor hidden) {
    const double smoothing = b->lists ? 0 : b->network->options.smoothing;
    gw_plan_smoothed_cross_entropy(b->plan, gw_describe_target_logits(b, GW_ROWS_TARGET, hidden, NULL), smoothing);
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_TARGET, "label", network->model->config.vocabulary);
}

const gw_head_row gw_head_generation = {
    .suffix = "ForConditionalGeneration",
    .generates = true,
    .pooler = GW_POOLER_UNREAD,
    .tokens = true,
    .describe = describe,
    .own = GW_OWN_STREAM,
    .check_labels = check_labels,
};
