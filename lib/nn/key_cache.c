// SPDX-License-Identifier: MIT
// Attention to kept keys and values. Those of targets have the layout
//   [layer][key, value][slot][token][width]
// The keys of a layer are thus rows of one matrix, and one gather writes a token of all slots, with `most` rows between
// them. Products are f32, because in bf16 the kept values would have to be rounded again in each run, for few queries.
#include "nn/key_cache.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 64 };

static gw_status make_graphs(gw_key_cache *cache, int64_t longest) {
    const gw_pattern full = {.block = BLOCK, .full = true};
    GW_TRY(gw_pattern_source_new(&full, NULL, 1, 1, longest, &cache->graphs));
    cache->graphs->kernels = cache->kernels;
    return GW_OK;
}

static gw_status make_each_layer(gw_key_cache *cache) {
    const int64_t count = 2 * cache->layers, bytes = count * (int64_t)sizeof(int32_t);
    int32_t *each = gw_alloc(count, sizeof *each);
    if (!each) return GW_ERR_MEMORY;
    for (int32_t i = 0; i < count; i++) each[i] = i;
    gw_status status = cache->kernels->allocate(bytes, (void **)&cache->each_layer);
    if (status == GW_OK) status = cache->kernels->to_device(cache->each_layer, each, bytes);
    free(each);
    return status;
}

gw_status gw_key_cache_make(gw_key_cache *cache, const gw_backend *kernels, int64_t slots, int64_t most, int64_t width,
                            int layers, int64_t source_rows) {
    *cache = (gw_key_cache){
        .kernels = kernels, .slots = slots, .most = most, .width = width, .layers = layers, .source_rows = source_rows};
    cache->own_reader = gw_alloc(slots, sizeof *cache->own_reader);
    cache->of_source = gw_alloc(slots, sizeof *cache->of_source);
    cache->sequence = gw_alloc(slots, sizeof *cache->sequence);
    if (!cache->own_reader || !cache->of_source || !cache->sequence) return GW_ERR_MEMORY;
    GW_TRY(kernels->allocate(gw_key_cache_bytes(cache), (void **)&cache->own));
    GW_TRY(kernels->allocate(slots * (int64_t)sizeof(int32_t), (void **)&cache->slot_row));
    GW_TRY(make_each_layer(cache));
    return make_graphs(cache, source_rows > most ? source_rows : most);
}

void gw_key_cache_free(gw_key_cache *cache) {
    if (!cache->kernels) return;
    cache->kernels->release(cache->own);
    cache->kernels->release(cache->slot_row);
    cache->kernels->release(cache->each_layer);
    gw_graph_source_free(cache->graphs);
    free(cache->own_reader);
    free(cache->of_source);
    free(cache->sequence);
    *cache = (gw_key_cache){0};
}

int64_t gw_key_cache_bytes(const gw_key_cache *cache) {
    return 2 * cache->layers * cache->slots * cache->most * cache->width * (int64_t)sizeof(float);
}

// Keys, or values, of a layer.
static float *part_of(const gw_key_cache *cache, int layer, int part) {
    return cache->own + (2 * layer + part) * cache->slots * cache->most * cache->width;
}

// A slot's tokens of a layer are one row of this copy.
gw_status gw_key_cache_copy(gw_key_cache *cache, int64_t from, int64_t to) {
    const int64_t slot = cache->most * cache->width, stride = cache->slots * slot;
    return cache->kernels->gather_rows(&(gw_rows_args){.rows = 2 * cache->layers,
                                                       .width = cache->length * cache->width,
                                                       .index = cache->each_layer,
                                                       .in = cache->own + from * slot,
                                                       .in_stride = stride,
                                                       .out = cache->own + to * slot,
                                                       .out_stride = stride,
                                                       .out_rows = 2 * cache->layers});
}

gw_status gw_key_cache_set_rows(gw_key_cache *cache, const int32_t *slot_row) {
    return cache->kernels->to_device(cache->slot_row, slot_row, cache->slots * (int64_t)sizeof *slot_row);
}

typedef struct {
    int heads, layer;
    gw_key_cache *cache;
} saved_arguments;

// Makes the kept sequences those of the readers.
static gw_status fill_sequences(gw_key_cache *cache, const gw_key_cache_reader *reader, int64_t count) {
    const int64_t longest = cache->source_rows > cache->most ? cache->source_rows : cache->most;
    const gw_graph_request request = {.shape = {.queries = longest, .keys = longest}};
    for (int64_t i = 0; i < count; i++) {
        gw_attention_sequence *s = &cache->sequence[i];
        *s = (gw_attention_sequence){.query_begin = reader[i].query_begin,
                                     .query_count = reader[i].query_count,
                                     .key_begin = reader[i].key_begin,
                                     .key_count = reader[i].key_count};
        GW_TRY(gw_graph_get(cache->graphs, &request, &s->graphs, &s->graph_step));
    }
    return GW_OK;
}

static gw_attention_args arguments_of(const gw_run *run, const gw_step *step, int64_t sequences) {
    const saved_arguments *a = step->arguments;
    const int64_t width = step->out[0].width;
    return (gw_attention_args){
        .sequences = (int)sequences,
        .sequence = a->cache->sequence,
        .heads = a->heads,
        .head_size = (int)(width / a->heads),
        .block = BLOCK,
        .precision = GW_F32,
        .scale = (float)(1 / sqrt((double)(width / a->heads))),
        .query = gw_value(run, step->in[0]),
        .query_stride = width,
        .key_stride = width,
        .value_stride = width,
        .query_rows = gw_run_rows(run, step->in[0]),
        .out = gw_value(run, step->out[0]),
        .out_stride = width,
        .log_sum = step->saved,
        .scratch = step->scratch,
    };
}

static gw_status keep(const gw_run *run, const gw_step *step, int part) {
    const saved_arguments *a = step->arguments;
    const gw_key_cache *cache = a->cache;
    return run->kernels->gather_rows(
        &(gw_rows_args){.rows = cache->slots,
                        .width = cache->width,
                        .index = cache->slot_row,
                        .in = gw_value(run, step->in[1 + part]),
                        .in_stride = cache->width,
                        .out = part_of(cache, a->layer, part) + cache->length * cache->width,
                        .out_stride = cache->most * cache->width,
                        .out_rows = cache->slots});
}

static gw_status forward_own(const gw_run *run, const gw_step *step) {
    const saved_arguments *a = step->arguments;
    gw_key_cache *cache = a->cache;
    GW_TRY(keep(run, step, 0));
    GW_TRY(keep(run, step, 1));
    GW_TRY(fill_sequences(cache, cache->own_reader, cache->own_count));
    gw_attention_args args = arguments_of(run, step, cache->own_count);
    args.key = part_of(cache, a->layer, 0);
    args.value = part_of(cache, a->layer, 1);
    args.key_rows = cache->slots * cache->most;
    return run->kernels->attention(&args);
}

static gw_status forward_source(const gw_run *run, const gw_step *step) {
    const saved_arguments *a = step->arguments;
    gw_key_cache *cache = a->cache;
    GW_TRY(fill_sequences(cache, cache->of_source, cache->source_count));
    gw_attention_args args = arguments_of(run, step, cache->source_count);
    args.key = cache->source[2 * a->layer];
    args.value = cache->source[2 * a->layer + 1];
    args.key_rows = cache->source_rows;
    return run->kernels->attention(&args);
}

static void size_scratch(gw_plan *plan, gw_step *step) {
    const saved_arguments *a = step->arguments;
    const gw_key_cache *cache = a->cache;
    const int64_t own_rows = cache->slots * cache->most;
    const gw_attention_args most = {.sequences = (int)cache->slots,
                                    .heads = a->heads,
                                    .head_size = (int)(step->in[0].width / a->heads),
                                    .block = BLOCK,
                                    .query_rows = gw_plan_most(plan, step->in[0]),
                                    .key_rows = own_rows > cache->source_rows ? own_rows : cache->source_rows};
    step->saved_floats = a->heads * most.query_rows;
    gw_plan_launches(plan, step, GW_OP_attention, &most);
    gw_plan_needs(plan, GW_OP_gather_rows);
}

static const gw_plan_op own_op = {.name = "attention to cache", .forward = forward_own, .size_scratch = size_scratch};
static const gw_plan_op source_op = {
    .name = "attention to source", .forward = forward_source, .size_scratch = size_scratch};

gw_tensor gw_plan_attention_cached(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads, int layer,
                                   gw_key_cache *cache) {
    const saved_arguments arguments = {heads, layer, cache};
    return gw_plan_append(plan, &own_op, &arguments, sizeof arguments, (gw_tensor[]){query, key, value}, 3, query.rows,
                          query.width);
}

gw_tensor gw_plan_attention_source(gw_plan *plan, gw_tensor query, int heads, int layer, gw_key_cache *cache) {
    const saved_arguments arguments = {heads, layer, cache};
    return gw_plan_append(plan, &source_op, &arguments, sizeof arguments, &query, 1, query.rows, query.width);
}
