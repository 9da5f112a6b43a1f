// SPDX-License-Identifier: MIT
// Multiple choice: one logit a sequence, of the pooled first token; so many sequences in a row are a question's
// answers.
#include "model/family.h"
#include "network/heads/pooled.h"
#include "network/heads/transform.h"

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_list_head_transform(config, out);
    gw_list_linear(out, GW_ROLE_LOGITS, "classifier", 1, config->width);
}

static void describe(gw_plan *plan, gw_network *network) {
    const gw_config *config = &network->model->config;
    const bool hidden = gw_family_of(config->family)->choice_drops_hidden;
    const double dropout = hidden ? config->dropout : config->classifier_dropout;
    const gw_tensor logits = gw_network_pooled_logits(plan, network, GW_ROLE_LOGITS, dropout, 1);
    gw_plan_multiple_choice_loss(plan, logits, GW_ROWS_QUESTIONS);
}

static gw_status check_labels(const gw_network *network) {
    const gw_rows *of = network->batch.of;
    return gw_network_check_classes(network, GW_ROWS_QUESTIONS, "class",
                                    of[GW_ROWS_FIRST].count / of[GW_ROWS_QUESTIONS].count);
}

const gw_head_row gw_head_multiple_choice = {
    .suffix = "ForMultipleChoice",
    .answers = true,
    .list = list,
    .pooler = GW_POOLER_READ,
    .describe = describe,
    .own = GW_OWN_SEQUENCES,
    .check_labels = check_labels,
};
