// SPDX-License-Identifier: MIT
// Question answering: logits [tokens][2] of an answer's first and last token. Families that split questions have a
// feed-forward block of the head's own before them, W LN(h + dropout(W_2 act(W_1 dropout(h)))) + b.
#include "model/family.h"
#include "model/head.h"

static void list(const gw_config *config, gw_tensor_list *out) {
    const bool splits = gw_family_of(config->family)->splits_questions;
    if (splits) {
        const int64_t width = config->width, wide = config->feed_forward;
        gw_list_linear(out, GW_ROLE_SPAN_FEED_FORWARD, "qa_classifier.intermediate.dense", wide, width);
        gw_list_linear(out, GW_ROLE_SPAN_OUTPUT, "qa_classifier.output.dense", width, wide);
        gw_list_norm(out, GW_ROLE_SPAN_NORM, "qa_classifier.output.LayerNorm");
    }
    gw_list_linear(out, GW_ROLE_LOGITS, splits ? "qa_classifier.qa_outputs" : "qa_outputs", 2, config->width);
}

const gw_head_row gw_head_span = {.suffix = "ForQuestionAnswering", .list = list, .pooler = GW_POOLER_ABSENT};
