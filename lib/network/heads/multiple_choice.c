// SPDX-License-Identifier: MIT
// Multiple choice: one logit a sequence, from the pooled first token. Consecutive sequences are the answers of a
// question.
#include "network/heads/pooled.h"

static void describe(gw_builder *b, gw_tensor hidden) {
    const gw_config *config = b->config;
    const bool of_hidden = b->of.choice_drops_hidden;
    const gw_dropout dropout = {of_hidden ? config->dropout : config->classifier_dropout, GW_DROPOUT_HEAD_OUT};
    const gw_tensor x = gw_plan_dropout(b->plan, gw_head_pool(b, hidden), dropout);
    gw_plan_multiple_choice_loss(b->plan, gw_build_linear(b, x, GW_ROLE_LOGITS, "classifier", 1, true),
                                 GW_ROWS_QUESTIONS);
}

static gw_status check_labels(const gw_network *network) {
    const gw_rows *of = network->batch.of;
    return gw_network_check_classes(network, GW_ROWS_QUESTIONS, "class",
                                    of[GW_ROWS_FIRST].count / of[GW_ROWS_QUESTIONS].count);
}

const gw_head_row gw_head_multiple_choice = {
    .suffix = "ForMultipleChoice",
    .answers = true,
    .pooler = GW_POOLER_READ,
    .describe = describe,
    .own = GW_OWN_SEQUENCES,
    .check_labels = check_labels,
};
