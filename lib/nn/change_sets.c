// SPDX-License-Identifier: MIT
// Which rows of each level a change reaches, or which lead to the one that is asked for, and what they cost.
#include "base/memory.h"
#include "nn/attention.h"
#include "nn/changes_private.h"
#include "nn/convolution.h"

#include <string.h>

// Forward from what differs.

static gw_status find_tokens(gw_changes *c, const int32_t *token, gw_row_set *out) {
    const int32_t *first = c->ref.batch->of[c->stream].token;
    gw_row_set_clear(out);
    for (int64_t i = 0; i < c->rows; i++)
        if (token[i] != first[i]) GW_TRY(gw_row_set_add(out, i, i + 1));
    return GW_OK;
}

static gw_status find_set(gw_changes *c, int of) {
    gw_change_level *l = &c->levels[of];
    const gw_row_set *from = gw_change_set(c, c->count, l->from);
    gw_row_set *out = gw_change_set(c, c->count, of);
    if (!l->step) return gw_row_set_join(from, gw_change_set(c, c->count, l->with), out);
    if (l->step->op->reads == GW_READS_NEAR)
        return gw_row_set_widen(from, gw_convolution_step_reach(l->step), c->rows, out);
    return gw_attention_reached(&c->ref, l->step, from, out, &l->keys);
}

// Backward from what is asked for. Attention makes whole blocks of rows.

static gw_status need(gw_changes *c, int of, const gw_row_set *rows) {
    const gw_step *maker = c->levels[of].step;
    gw_row_set *set = gw_change_set(c, c->count, of), before = *set;
    GW_TRY(gw_row_set_join(set, rows, &c->joined));
    if (maker && maker->op->reads == GW_READS_BLOCKS) return gw_attention_blocks(&c->ref, maker, &c->joined, set);
    *set = c->joined;
    c->joined = before;
    return GW_OK;
}

// What a step reads of an input of other rows than its own.
static gw_status need_input(gw_changes *c, const gw_step *step, int k, const gw_row_set *made) {
    const int of = c->level_of[step->in[k].id];
    double keys;
    if (step->op->reads == GW_READS_NEAR) {
        GW_TRY(gw_row_set_widen(made, gw_convolution_step_reach(step), c->rows, &c->read));
        return need(c, of, &c->read);
    }
    if (step->op->reads != GW_READS_BLOCKS || k == 0) return need(c, of, made);
    GW_TRY(gw_attention_listed(&c->ref, step, made, &c->read, &keys));
    if (c->level_of[step->out[0].id] != GW_LEVEL_OF_SEQUENCE) c->levels[c->level_of[step->out[0].id]].keys = keys;
    return need(c, of, &c->read);
}

static gw_status find_needed(gw_changes *c, int64_t row) {
    gw_row_range range = {row, row + 1};
    const gw_row_set asked = {.range = &range, .count = 1};
    for (int k = 0; k < c->level_count; k++) gw_row_set_clear(gw_change_set(c, c->count, k));
    for (int64_t i = c->plan->count - 1; i >= 0; i--) {
        const gw_step *step = &c->plan->steps[i];
        if (step->outs == 0) continue;
        const int of = c->level_of[step->out[0].id];
        for (int k = 0; k < step->ins; k++) {
            if (!gw_change_is_of_stream(c, step->in[k]) || c->level_of[step->in[k].id] == of) continue;
            GW_TRY(need_input(c, step, k, of == GW_LEVEL_OF_SEQUENCE ? &asked : gw_change_set(c, c->count, of)));
        }
    }
    return GW_OK;
}

static gw_status find_sets(gw_changes *c, const int32_t *token, int64_t row) {
    if (c->asked != GW_CHANGES_OF_NONE) return find_needed(c, row);
    GW_TRY(find_tokens(c, token, gw_change_set(c, c->count, 0)));
    for (int k = 1; k < c->level_count; k++) GW_TRY(find_set(c, k));
    return GW_OK;
}

// Rows that a level takes in memory, with those on either side that a convolution reads.
static int64_t rows_with_halo(const gw_changes *c, int of, const gw_row_set *set) {
    const gw_step *step = c->levels[of].step;
    const int64_t reach = step && step->op->reads == GW_READS_NEAR ? gw_convolution_step_reach(step) : 0;
    return gw_row_set_rows(set) + 2 * reach * set->count;
}

static bool has_room(const gw_changes *c) {
    if (c->count == c->most) return false;
    for (int k = 0; k < c->level_count; k++) {
        const gw_row_set *set = gw_change_set(c, c->count, k);
        if (c->used[k] + rows_with_halo(c, k, set) > c->room || set->count > c->most) return false;
    }
    return true;
}

// Products of a row: with each key and its value, or of a matrix, or one of each tap.
static double products_of(const gw_changes *c, const gw_step *step) {
    double products = 0;
    if (step->op->reads == GW_READS_BLOCKS)
        return 2 * c->levels[c->level_of[step->out[0].id]].keys * (double)step->out[0].width;
    for (int k = 0; k < step->outs && step->ins > 0; k++) products += (double)(step->in[0].width * step->out[k].width);
    return step->op->reads == GW_READS_NEAR ? products * (double)gw_convolution_taps(step) : products;
}

static double share_of(const gw_changes *c) {
    double some = 0, all = 0;
    for (int64_t i = 0; i < c->plan->count; i++) {
        const gw_step *step = &c->plan->steps[i];
        if (step->outs == 0 || !gw_change_is_of_stream(c, step->out[0])) continue;
        const double products = products_of(c, step);
        some += products * (double)gw_row_set_rows(gw_change_set(c, c->count, c->level_of[step->out[0].id]));
        all += products * (double)c->rows;
    }
    return all > 0 ? some / all : 1;
}

gw_status gw_changes_add(gw_changes *c, const int32_t *token, int64_t row, double most, double *share, bool *fits) {
    *fits = c->count < c->most;
    *share = 0;
    if (!*fits) return GW_OK;
    GW_TRY(find_sets(c, token, row));
    *share = share_of(c);
    *fits = *share <= most && has_room(c);
    if (!*fits) return GW_OK;
    GW_TRY(gw_reserve(&c->token, &c->capacity, (c->count + 1) * c->rows, sizeof *c->token));
    memcpy(c->token + c->count * c->rows, token, (size_t)c->rows * sizeof *token);
    const int32_t *position = c->ref_batch.of[c->stream].position;
    c->asked_row[c->count] = (int32_t)row;
    c->asked_position[c->count] = position ? position[row] : 0;
    for (int k = 0; k < c->level_count; k++) c->used[k] += rows_with_halo(c, k, gw_change_set(c, c->count, k));
    c->count++;
    return GW_OK;
}

void gw_changes_print_shares(const gw_changes *c, gw_string *out) {
    for (int k = 1; k < c->level_count && c->count > 0; k++)
        gw_string_printf(out, " %.3g",
                         100 * (double)gw_row_set_rows(gw_change_set(c, c->count - 1, k)) / (double)c->rows);
}
