// SPDX-License-Identifier: MIT
// Of a stem of convolutions alone the logits of a few masked tokens read few rows of the last parts: that of a token,
// what the last convolution reads of the one before it, and so on. From the first part on of which they are less than
// three rows in four, rows that nobody reads are not made. Which part that is says the model and a token in the middle
// of its longest sequence, never a batch: outputs do not depend on their company.
#include "network/network_private.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_FREE = GW_ROWS_ENCODED + 1, FEW = 3, OF = 4 };

// The tokens that a part reads for token `row` of a sequence [begin, end), by tap; -1: beyond it.
static int64_t read_by(const gw_stem_layer *part, int64_t row, int tap, int64_t begin, int64_t end) {
    const int64_t from = row + (int64_t)(tap - (part->taps - 1) / 2) * part->dilation;
    return from >= begin && from < end ? from : -1;
}

// Of a sequence of `length`, whose rows `made` are made by the part: marks those that it reads. Returns how many.
static int64_t mark_read(const gw_stem_layer *part, const bool *made, bool *read, int64_t length) {
    int64_t count = 0;
    memset(read, 0, (size_t)length);
    for (int64_t row = 0; row < length; row++)
        for (int tap = 0; made[row] && tap < part->taps; tap++) {
            const int64_t from = read_by(part, row, tap, 0, length);
            if (from < 0 || read[from]) continue;
            read[from] = true;
            count++;
        }
    return count;
}

void gw_network_choose_cone(gw_network *network) {
    const gw_network_options *options = &network->options;
    const gw_config *config = &network->model->config;
    const gw_stem *stem = &config->stem;
    const int64_t length = gw_config_longest(config);
    if (options->output_rows != GW_OUTPUT_MASKED || options->masked > options->sequences || config->layers > 0 ||
        !gw_stem_reads_few(stem))
        return;
    bool *made = calloc((size_t)length, 2), *read = made ? made + length : NULL;
    if (!made) return;
    int i = stem->count;
    made[(length - 1) / 2] = true;
    for (int64_t count = 1, number = GW_BATCH_ROWS; i > 0 && number > FIRST_FREE && OF * count < FEW * length;) {
        i--;
        network->builder.rows.cone[i] = i + 1 == stem->count ? GW_ROWS_MASKED : (int)--number;
        count = mark_read(&stem->part[i], made, read, length);
        memcpy(made, read, (size_t)length);
    }
    free(made);
    network->cone.first = i;
    network->cone.count = stem->count - i;
}

void gw_network_describe_cone(gw_network *network, gw_plan *plan) {
    gw_cone *cone = &network->cone;
    const int64_t tokens = network->options.tokens, id = sizeof(int32_t);
    if (cone->count == 0) return;
    cone->made = gw_plan_alloc(plan, cone->count, sizeof *cone->made);
    cone->last = gw_plan_alloc(plan, cone->count * tokens, id);
    cone->rank = gw_plan_alloc(plan, tokens, id);
    for (int n = 0, before = GW_ROWS_TOKENS; cone->made && n < cone->count; n++) {
        const int part = cone->first + n, number = network->builder.rows.cone[part],
                  taps = network->model->config.stem.part[part].taps;
        const int64_t most = number == GW_ROWS_MASKED ? network->options.masked : tokens;
        gw_plan_row_set(plan, number, before, most);
        cone->made[n] = (gw_rows){.row = gw_plan_alloc(plan, most, id),
                                  .from = gw_plan_alloc(plan, most * taps, id),
                                  .to = gw_plan_alloc(plan, most * taps, id),
                                  .tap = gw_plan_alloc(plan, taps + 1, sizeof(int64_t))};
        before = number;
    }
}

// Tokens, by their numbers in the batch, ascending.
typedef struct {
    const int32_t *token;
    int64_t count;
} token_list;

// The tokens of a stream are in the order of sequences: *s goes on to the one that has the token.
static void find_sequence(const gw_rows *tokens, int64_t token, int64_t *s) {
    while (tokens->start[*s + 1] <= token) ++*s;
}

// Ranks the tokens that a part reads to make the list, in the order of the batch. Puts them into `read`, or NULL.
static int64_t rank_read(const gw_cone *cone, const gw_rows *tokens, const gw_stem_layer *part, token_list made,
                         int32_t *read) {
    const int64_t all = tokens->start[tokens->sequences];
    int64_t count = 0, s = 0;
    for (int64_t t = 0; t < all; t++) cone->rank[t] = read ? -1 : (int32_t)t;
    if (!read) return all;
    for (int64_t i = 0; i < made.count; i++) {
        find_sequence(tokens, made.token[i], &s);
        for (int tap = 0; tap < part->taps; tap++) {
            const int64_t from = read_by(part, made.token[i], tap, tokens->start[s], tokens->start[s + 1]);
            if (from >= 0) cone->rank[from] = 0;
        }
    }
    for (int64_t t = 0; t < all; t++)
        if (cone->rank[t] == 0) {
            read[count] = (int32_t)t;
            cone->rank[t] = (int32_t)count++;
        }
    return count;
}

// Where the rows of the list, and those that each tap reads for them, stand among the ranked ones.
static void list_pairs(const gw_cone *cone, const gw_rows *tokens, const gw_stem_layer *part, token_list made,
                       gw_rows *rows) {
    int64_t pairs = 0;
    rows->count = made.count;
    for (int64_t i = 0; i < made.count; i++) rows->row[i] = cone->rank[made.token[i]];
    for (int tap = 0; tap < part->taps; tap++) {
        rows->tap[tap] = pairs;
        for (int64_t i = 0, s = 0; i < made.count; i++) {
            find_sequence(tokens, made.token[i], &s);
            const int64_t from = read_by(part, made.token[i], tap, tokens->start[s], tokens->start[s + 1]);
            if (from < 0) continue;
            rows->from[pairs] = cone->rank[from];
            rows->to[pairs++] = (int32_t)i;
        }
    }
    rows->tap[part->taps] = pairs;
}

void gw_network_fill_cone(gw_network *network) {
    const gw_cone *cone = &network->cone;
    const gw_rows *tokens = &network->batch.of[GW_ROWS_TOKENS];
    token_list made = {network->batch.of[GW_ROWS_MASKED].row, network->batch.of[GW_ROWS_MASKED].count};
    for (int n = cone->count - 1; n >= 0; n--) {
        const int part = cone->first + n;
        const gw_stem_layer *of = &network->model->config.stem.part[part];
        gw_rows *rows = &network->batch.of[network->builder.rows.cone[part]];
        int32_t *read = n > 0 ? cone->last + n * network->options.tokens : NULL;
        const int64_t count = rank_read(cone, tokens, of, made, read);
        list_pairs(cone, tokens, of, made, &cone->made[n]);
        rows->count = made.count;
        rows->row = cone->made[n].row;
        rows->from = cone->made[n].from;
        rows->to = cone->made[n].to;
        rows->tap = cone->made[n].tap;
        made = (token_list){read, count};
    }
}
