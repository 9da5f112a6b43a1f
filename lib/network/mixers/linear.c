// SPDX-License-Identifier: MIT
// linear[+causal]: attention with products of features phi(x) = elu(x) + 1 as weights, in time linear in the tokens
// (Katharopoulos et al., Transformers are RNNs, 2020, section 3.2): out_i = sum_j phi(q_i) . phi(k_j) v_j / sum_j
// phi(q_i) . phi(k_j), over all tokens of a sequence or, if causal, those up to i. It has the tensors of attention.
#include "model/mixer.h"
#include "network/network_private.h"
#include "nn/attention.h"

enum { LINEAR, CAUSAL };
static const gw_mixer_word words[] = {[LINEAR] = {"linear"}, [CAUSAL] = {"causal"}, {0}};

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    (void)layer;
    if (b->lists) return value;
    return gw_plan_linear_attention(b->plan, gw_plan_activation(b->plan, query, GW_ACTIVATION_ELU_PLUS_ONE),
                                    gw_plan_activation(b->plan, key, GW_ACTIVATION_ELU_PLUS_ONE), value,
                                    (int)b->config->heads, b->config->mixer_number[CAUSAL] > 0);
}

const gw_mixer_row gw_mixer_linear = {
    .words = words,
    .no_graph = "linear attention has no graph: every token reads sums over all of its sequence",
    .describe = describe,
};
