// SPDX-License-Identifier: MIT
// A network for the sources. The plan of a step shares its weights. A target's keys and values are in a slot. The first
// row that continues the target takes over the slot. Each further row copies the slot to one that no row continues.
#include "network/decoding.h"

#include "base/memory.h"
#include "network/network_private.h"

#include <stdlib.h>
#include <string.h>

struct gw_decoding {
    gw_decoding_options options;
    gw_network *encoder;
    const float **source; // [2 decoder_layers] keys and values that the encoder's run leaves
    gw_plan plan;         // of a step
    gw_key_cache cache;
    gw_tensor logits;
    gw_mirror read_logits;
    gw_rows rows, device;     // of a step, and their memory on the device where it has its own
    int64_t steps, count;     // made so far; rows of the last one
    int32_t *slot, *new_slot; // [targets] of the last step's rows and of this one's
    int32_t *slot_row;        // [targets] row of each slot; of a free one the first
    bool *taken;              // [targets] slots
    int64_t *source_start;    // [sources + 1] first token of each source
};

static void describe_step(gw_plan *plan, void *context) {
    gw_decoding *d = context;
    const int64_t targets = d->options.targets, bytes = sizeof(int32_t);
    gw_plan_stream(plan, GW_ROWS_TARGET, targets, targets);
    if (!plan->kernels->shares_host)
        d->device = (gw_rows){.token = gw_plan_memory(plan, targets, bytes),
                              .segment = gw_plan_memory(plan, targets, bytes),
                              .position = gw_plan_memory(plan, targets, bytes)};
    gw_builder b = d->encoder->builder;
    b.plan = plan;
    d->logits = gw_describe_target_logits(&b, GW_ROWS_TARGET, (gw_tensor){0}, &d->cache);
    gw_plan_output(plan, d->logits);
}

static gw_status make_lists(gw_decoding *d) {
    const int64_t targets = d->options.targets;
    d->slot = gw_alloc(targets, sizeof *d->slot);
    d->new_slot = gw_alloc(targets, sizeof *d->new_slot);
    d->slot_row = gw_alloc(targets, sizeof *d->slot_row);
    d->taken = gw_alloc(targets, sizeof *d->taken);
    d->rows.token = gw_alloc(targets, sizeof *d->rows.token);
    d->rows.position = gw_alloc(targets, sizeof *d->rows.position);
    d->rows.segment = gw_alloc(targets, sizeof *d->rows.segment);
    d->source_start = gw_alloc(d->options.sources + 1, sizeof *d->source_start);
    const bool made = d->slot && d->new_slot && d->slot_row && d->taken && d->rows.token && d->rows.position;
    return made && d->rows.segment && d->source_start ? GW_OK : GW_ERR_MEMORY;
}

static gw_status build(gw_decoding *d, gw_model *model) {
    const gw_config *config = &model->config;
    const int layers = (int)config->decoder_layers;
    const gw_network_options options = {
        .tokens = d->options.source_tokens, .sequences = d->options.sources, .memory = true};
    if (d->options.length < 1 || d->options.length > config->positions)
        return gw_fail(GW_ERR_RANGE, "a target of %lld tokens; the model has %lld positions",
                       (long long)d->options.length, (long long)config->positions);
    GW_TRY(gw_network_new(model, &options, &d->encoder));
    const gw_plan *source = &d->encoder->plan;
    GW_TRY(gw_key_cache_make(&d->cache, source->kernels, d->options.targets, d->options.length, config->width, layers,
                             d->options.source_tokens));
    d->source = gw_alloc(2 * layers, sizeof *d->source);
    if (!d->source) return GW_ERR_MEMORY;
    for (int i = 0; i < 2 * layers; i++) d->source[i] = gw_plan_value(source, d->encoder->memory[i]);
    d->cache.source = d->source;
    GW_TRY(make_lists(d));
    GW_TRY(gw_plan_build(&d->plan, describe_step, d));
    return gw_mirror_make(&d->read_logits, d->plan.kernels, NULL, gw_plan_value(&d->plan, d->logits),
                          d->options.targets * config->vocabulary * (int64_t)sizeof(float));
}

gw_status gw_decoding_new(gw_model *model, const gw_decoding_options *options, gw_decoding **out) {
    *out = NULL;
    gw_decoding *d = gw_alloc(1, sizeof *d);
    if (!d) return GW_ERR_MEMORY;
    d->options = *options;
    const gw_status status = build(d, model);
    if (status == GW_OK) *out = d;
    else gw_decoding_free(d);
    return status;
}

void gw_decoding_free(gw_decoding *d) {
    if (!d) return;
    gw_mirror_free(&d->read_logits);
    if (d->plan.kernels) gw_plan_free(&d->plan);
    gw_key_cache_free(&d->cache);
    gw_network_free(d->encoder);
    free(d->source);
    free(d->slot);
    free(d->new_slot);
    free(d->slot_row);
    free(d->taken);
    free(d->rows.token);
    free(d->rows.position);
    free(d->rows.segment);
    free(d->source_start);
    free(d);
}

int64_t gw_decoding_bytes(const gw_decoding *d) {
    return gw_network_bytes(d->encoder) + gw_plan_bytes(&d->plan) + gw_key_cache_bytes(&d->cache);
}

int64_t gw_decoding_cache_bytes(const gw_decoding *d) {
    const int64_t of_source = d->options.source_tokens * d->cache.width * 2 * d->cache.layers * (int64_t)sizeof(float);
    return gw_key_cache_bytes(&d->cache) + of_source;
}

gw_status gw_decoding_begin(gw_decoding *d, const gw_batch *batch) {
    const gw_rows *tokens = &batch->of[GW_ROWS_TOKENS];
    GW_TRY(gw_network_forward(d->encoder, batch, NULL));
    memcpy(d->source_start, tokens->start, (size_t)(tokens->sequences + 1) * sizeof *d->source_start);
    d->steps = d->count = 0;
    return GW_OK;
}

// Slots of this step's rows.
static gw_status take_slots(gw_decoding *d, const gw_decoding_row *rows, int64_t count) {
    memset(d->taken, 0, (size_t)d->options.targets * sizeof *d->taken);
    for (int64_t r = 0; r < count; r++) {
        const int32_t slot = d->steps == 0 ? (int32_t)r : d->slot[rows[r].parent];
        d->new_slot[r] = d->taken[slot] ? -1 : slot;
        d->taken[slot] = true;
    }
    for (int64_t r = 0, free_slot = 0; r < count; r++) {
        if (d->new_slot[r] >= 0) continue;
        while (d->taken[free_slot]) free_slot++;
        d->taken[free_slot] = true;
        d->new_slot[r] = (int32_t)free_slot;
        GW_TRY(gw_key_cache_copy(&d->cache, d->slot[rows[r].parent], free_slot));
    }
    memcpy(d->slot, d->new_slot, (size_t)count * sizeof *d->slot);
    return GW_OK;
}

// What each row reads: its own slot; with the rows beside it that have the same, its source.
static gw_status set_readers(gw_decoding *d, const gw_decoding_row *rows, int64_t count) {
    gw_key_cache *cache = &d->cache;
    cache->own_count = count;
    cache->source_count = 0;
    memset(d->slot_row, 0, (size_t)d->options.targets * sizeof *d->slot_row);
    for (int64_t r = 0; r < count; r++) {
        d->slot_row[d->slot[r]] = (int32_t)r;
        cache->own_reader[r] = (gw_key_cache_reader){r, 1, d->slot[r] * cache->most, d->steps + 1};
        const int64_t *start = d->source_start + rows[r].source;
        if (r == 0 || rows[r].source != rows[r - 1].source)
            cache->of_source[cache->source_count++] = (gw_key_cache_reader){r, 0, start[0], start[1] - start[0]};
        cache->of_source[cache->source_count - 1].query_count++;
    }
    return gw_key_cache_set_rows(cache, d->slot_row);
}

static gw_status check_rows(const gw_decoding *d, const gw_decoding_row *rows, int64_t count) {
    const int64_t vocabulary = d->encoder->model->config.vocabulary;
    if (count < 1 || count > d->options.targets || d->steps == d->options.length)
        return gw_fail(GW_ERR_RANGE, "%lld targets of more than %lld tokens; there is room for %lld of %lld",
                       (long long)count, (long long)d->steps, (long long)d->options.targets,
                       (long long)d->options.length);
    for (int64_t r = 0; r < count; r++)
        if (rows[r].token < 0 || rows[r].token >= vocabulary || (d->steps > 0 && rows[r].parent >= d->count))
            return gw_fail(GW_ERR_RANGE, "a target cannot go on with token %d", rows[r].token);
    return GW_OK;
}

gw_status gw_decoding_step(gw_decoding *d, const gw_decoding_row *rows, int64_t count, const float **logits) {
    GW_TRY(check_rows(d, rows, count));
    d->cache.length = d->steps;
    GW_TRY(take_slots(d, rows, count));
    GW_TRY(set_readers(d, rows, count));
    d->rows.count = d->count = count;
    for (int64_t r = 0; r < count; r++) {
        d->rows.token[r] = rows[r].token;
        d->rows.position[r] = (int32_t)d->steps;
    }
    const gw_backend *kernels = d->plan.kernels;
    const bool shares = kernels->shares_host;
    if (!shares) {
        const int64_t size = count * (int64_t)sizeof(int32_t);
        d->device.count = count;
        GW_TRY(kernels->to_device(d->device.token, d->rows.token, size));
        GW_TRY(kernels->to_device(d->device.segment, d->rows.segment, size));
        GW_TRY(kernels->to_device(d->device.position, d->rows.position, size));
    }
    gw_batch batch = {.of = {[GW_ROWS_TARGET] = d->rows}};
    gw_rows device[GW_BATCH_ROWS] = {[GW_ROWS_TARGET] = d->device};
    const gw_run run = {.kernels = kernels, .batch = &batch, .device = shares ? NULL : device};
    GW_TRY(gw_plan_forward(&d->plan, &run));
    d->steps++;
    const int64_t bytes = count * d->encoder->model->config.vocabulary * (int64_t)sizeof(float);
    GW_TRY(gw_mirror_to_host(&d->read_logits, bytes));
    *logits = d->read_logits.host;
    return GW_OK;
}
