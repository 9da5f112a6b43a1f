// SPDX-License-Identifier: MIT
// Masked tokens: logits [masked][vocabulary] = LN(act(W h + b)) D^T + bias. D is the embedding table, or a separate
// matrix if they are not tied.
#include "model/head.h"
#include "network/heads/pooled.h"

// Files of models whose weights are tied may hold logits' weight and bias once more.
gw_tensor gw_describe_mask_logits(gw_builder *b, gw_tensor x) {
    const gw_config *config = b->config;
    const int64_t words = config->vocabulary;
    x = gw_head_transform(b, x);
    gw_linear decoder = config->tied
                            ? gw_declare_words(b)
                            : gw_declare_linear(b, GW_ROLE_MASK_DECODER, b->of.words_weight, words, x.width, false);
    if (config->tied) gw_declare_alias(b, b->of.words, ".decoder.weight");
    if (config->decoder_bias) decoder.bias = gw_declare_bias(b, GW_ROLE_MASK_DECODER, b->of.words, words);
    if (config->decoder_bias) gw_declare_alias(b, b->of.words, ".decoder.bias");
    return gw_plan_linear(b->plan, x, decoder, words);
}

static void describe(gw_builder *b, gw_tensor hidden) {
    if (!b->lists && b->network->options.masked == 0) return;
    gw_plan_cross_entropy(b->plan, gw_describe_mask_logits(b, gw_plan_gather(b->plan, hidden, GW_ROWS_MASKED)));
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_MASKED, "masked label", network->model->config.vocabulary);
}

const gw_head_row gw_head_masked = {
    .suffix = "ForMaskedLM",
    .masked = true,
    .describe = describe,
    .own = GW_OWN_ROWS,
    .check_labels = check_labels,
};
