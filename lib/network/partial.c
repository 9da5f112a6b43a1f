// SPDX-License-Identifier: MIT
// A sequence is computed in part where that saves enough, and its rows lie behind those that stay.
#include "network/partial.h"

#include "base/log.h"

// Of a run's products, from which on a whole one is as good.
#define MOST_SHARE 0.75
enum { LEAST_ROOM = 4096, MOST_SEQUENCES = GW_PARTIAL_SEQUENCES + 1 };

// Whether a change leaves rows of the next layer but one as they are, and the least that the values of so many rows
// take is within `memory` bytes.
static bool may_be_worth(const gw_model *model, int64_t rows, int64_t memory) {
    const gw_config *config = &model->config;
    const gw_pattern *pattern = &config->pattern;
    const int64_t floats = config->layers * (8 * config->width + config->feed_forward) +
                           config->stem.count * 2 * (config->stem.count > 0 ? config->stem.letters : 0);
    return !model->members && config->mixer == GW_MIXER_ATTENTION && !config->token_dropout && !pattern->full &&
           pattern->global == 0 && pattern->every == 0 && floats * rows * (int64_t)sizeof(float) <= memory;
}

static int outputs_of(int rows) {
    switch (rows) {
    case GW_ROWS_FIRST: return GW_OUTPUT_FIRST;
    case GW_ROWS_MASKED: return GW_OUTPUT_MASKED;
    default: return GW_OUTPUT_ALL;
    }
}

gw_status gw_partial_make(gw_partial *p, gw_model *model, int rows, int64_t memory, bool *can) {
    const int64_t longest = gw_config_longest(&model->config), room = longest > LEAST_ROOM ? longest : LEAST_ROOM;
    const bool masked = rows == GW_ROWS_MASKED;
    const gw_network_options options = {.tokens = longest + room,
                                        .sequences = MOST_SEQUENCES,
                                        .masked = masked ? MOST_SEQUENCES : 0,
                                        .output_rows = outputs_of(rows),
                                        .keeps = true};
    *can = may_be_worth(model, longest + room, memory);
    if (!*can) return GW_OK;
    GW_TRY(gw_network_new(model, &options, &p->network));
    p->output = p->network->output[rows].tensor;
    *can = gw_network_bytes(p->network) <= memory && p->output.width > 0;
    if (!*can) return GW_OK;
    GW_TRY(gw_changes_new(&p->network->plan, GW_ROWS_TOKENS, masked ? rows : GW_CHANGES_OF_NONE, &p->changes));
    *can = p->changes != NULL;
    return GW_OK;
}

void gw_partial_free(gw_partial *p) {
    gw_changes_free(p->changes);
    gw_network_free(p->network);
    gw_string_free(&p->shares);
}

void gw_partial_begin(gw_partial *p) {
    const gw_run run = gw_network_run(p->network);
    gw_changes_begin(p->changes, &run);
}

gw_status gw_partial_add(gw_partial *p, const int32_t *token, int64_t row, gw_partial_flush *flush, void *context,
                         bool *taken) {
    double share;
    GW_TRY(gw_changes_add(p->changes, token, row, MOST_SHARE, &share, taken));
    if (!*taken && share <= MOST_SHARE && gw_changes_count(p->changes) > 0) {
        GW_TRY(flush(context));
        GW_TRY(gw_changes_add(p->changes, token, row, MOST_SHARE, &share, taken));
    }
    if (!*taken || p->shares.length > 0) return GW_OK;
    p->share = share;
    gw_changes_print_shares(p->changes, &p->shares);
    return gw_string_status(&p->shares);
}

void gw_partial_note(const gw_partial *p, const char *what) {
    if (p->shares.length > 0)
        gw_detail("%s %.3g %% of its window's products; of the rows of each layer, in %%:%s", what, 100 * p->share,
                  p->shares.data);
}
