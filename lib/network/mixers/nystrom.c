// SPDX-License-Identifier: MIT
// nystrom[:L]: softmax attention through L landmarks, in time of the tokens (Xiong et al., Nystroemformer, 2021): q~
// and k~ the means of L segments of a sequence's queries and keys,
//   softmax(q k~^T / sqrt(D)) softmax(q~ k~^T / sqrt(D))^+ softmax(q~ k^T / sqrt(D)) v  +  a convolution of v
// whose filter each head has of its own, over the R tokens on either side (reach:R). A sequence of fewer tokens has as
// many landmarks.
#include "nn/nystrom.h"
#include "model/mixer.h"
#include "network/mixers/full_graphs.h"

#include <math.h>

enum { LANDMARKS, REACH };
static const gw_mixer_word words[] = {[LANDMARKS] = {"nystrom", .usual = 64, .low = 1, .high = 4096},
                                      [REACH] = {"reach", .usual = -1, .low = 1, .high = 1 << 10},
                                      {0}};

enum { USUAL_REACH = 17 };
enum { ROLE_SKIP = GW_ROLE_MIXER };

static int taps_of(const gw_config *config) {
    const int64_t reach = config->mixer_number[REACH];
    return 1 + 2 * (reach > 0 ? (int)reach : USUAL_REACH);
}

static int64_t own_rows(const gw_config *config, int64_t rows) {
    return rows < config->mixer_number[LANDMARKS] ? rows : config->mixer_number[LANDMARKS];
}

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    const int heads = (int)b->config->heads, taps = taps_of(b->config);
    b->deviation = 1 / sqrt(3.0 * taps); // as the authors' code begins: even between -1 and 1 over sqrt(taps)
    const gw_weight filter = gw_declare_weight(b, ROLE_SKIP, "attention.self.convolution", heads, taps);
    b->deviation = -1;
    if (b->lists) return value;
    gw_graph_source *graphs = b->network->mixing;
    gw_plan *plan = b->plan;
    const gw_tensor queries = gw_plan_segment_means(plan, query, GW_ROWS_MIXER),
                    keys = gw_plan_segment_means(plan, key, GW_ROWS_MIXER);
    const gw_tensor read = gw_plan_attention(plan, queries, key, value, heads, layer, b->precision, graphs);
    const gw_tensor landmarks = gw_plan_landmark_product(plan, queries, keys, read, heads);
    const gw_tensor out = gw_plan_attention(plan, query, keys, landmarks, heads, layer, b->precision, graphs);
    return gw_plan_sum(plan, gw_plan_head_convolution(plan, value, filter, heads, taps), out);
}

const gw_mixer_row gw_mixer_nystrom = {
    .words = words,
    .no_graph = "a Nystroemformer has no graph of its tokens: every one reads landmarks of its sequence",
    .own_rows = own_rows,
    .make = gw_mixer_make_full_graphs,
    .free = gw_mixer_free_full_graphs,
    .describe = describe,
};
