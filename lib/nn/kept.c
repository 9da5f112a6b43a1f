// SPDX-License-Identifier: MIT
// Attention to kept keys and values. Those of targets lie as
//   [layer][key, value][slot][token][width]
// so that a layer's are rows of one matrix, and a token of all slots is written by one gather: out rows are `most` rows
// apart. Products are of f32: what is kept would have to be rounded anew in each run, for few queries.
#include "nn/kept.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 64 };

static gw_status make_graphs(gw_kept *kept, int64_t longest) {
    const gw_pattern full = {.block = BLOCK, .full = true};
    GW_TRY(gw_pattern_source_new(&full, NULL, 1, 1, longest, &kept->graphs));
    kept->graphs->kernels = kept->kernels;
    return GW_OK;
}

static gw_status make_each_layer(gw_kept *kept) {
    const int64_t count = 2 * kept->layers, bytes = count * (int64_t)sizeof(int32_t);
    int32_t *each = gw_alloc(count, sizeof *each);
    if (!each) return GW_ERR_MEMORY;
    for (int32_t i = 0; i < count; i++) each[i] = i;
    gw_status status = kept->kernels->allocate(bytes, (void **)&kept->each_layer);
    if (status == GW_OK) status = kept->kernels->to_device(kept->each_layer, each, bytes);
    free(each);
    return status;
}

gw_status gw_kept_make(gw_kept *kept, const gw_backend *kernels, int64_t slots, int64_t most, int64_t width, int layers,
                       int64_t source_rows) {
    *kept = (gw_kept){
        .kernels = kernels, .slots = slots, .most = most, .width = width, .layers = layers, .source_rows = source_rows};
    kept->own_reader = gw_alloc(slots, sizeof *kept->own_reader);
    kept->of_source = gw_alloc(slots, sizeof *kept->of_source);
    kept->sequence = gw_alloc(slots, sizeof *kept->sequence);
    if (!kept->own_reader || !kept->of_source || !kept->sequence) return GW_ERR_MEMORY;
    GW_TRY(kernels->allocate(gw_kept_bytes(kept), (void **)&kept->own));
    GW_TRY(kernels->allocate(slots * (int64_t)sizeof(int32_t), (void **)&kept->slot_row));
    GW_TRY(make_each_layer(kept));
    return make_graphs(kept, source_rows > most ? source_rows : most);
}

void gw_kept_free(gw_kept *kept) {
    if (!kept->kernels) return;
    kept->kernels->release(kept->own);
    kept->kernels->release(kept->slot_row);
    kept->kernels->release(kept->each_layer);
    gw_graph_source_free(kept->graphs);
    free(kept->own_reader);
    free(kept->of_source);
    free(kept->sequence);
    *kept = (gw_kept){0};
}

int64_t gw_kept_bytes(const gw_kept *kept) {
    return 2 * kept->layers * kept->slots * kept->most * kept->width * (int64_t)sizeof(float);
}

// Keys, or values, of a layer.
static float *part_of(const gw_kept *kept, int layer, int part) {
    return kept->own + (2 * layer + part) * kept->slots * kept->most * kept->width;
}

// A slot's tokens of a layer are one row of this copy.
gw_status gw_kept_copy(gw_kept *kept, int64_t from, int64_t to) {
    const int64_t slot = kept->most * kept->width, stride = kept->slots * slot;
    return kept->kernels->gather_rows(&(gw_rows_args){.rows = 2 * kept->layers,
                                                      .width = kept->length * kept->width,
                                                      .index = kept->each_layer,
                                                      .in = kept->own + from * slot,
                                                      .in_stride = stride,
                                                      .out = kept->own + to * slot,
                                                      .out_stride = stride,
                                                      .out_rows = 2 * kept->layers});
}

gw_status gw_kept_set_rows(gw_kept *kept, const int32_t *slot_row) {
    return kept->kernels->to_device(kept->slot_row, slot_row, kept->slots * (int64_t)sizeof *slot_row);
}

typedef struct {
    int heads, layer;
    gw_kept *kept;
} kept_arguments;

// Makes the kept sequences those of the readers.
static gw_status fill_sequences(gw_kept *kept, const gw_kept_reader *reader, int64_t count) {
    const int64_t longest = kept->source_rows > kept->most ? kept->source_rows : kept->most;
    const gw_graph_request request = {.shape = {.queries = longest, .keys = longest}};
    for (int64_t i = 0; i < count; i++) {
        gw_attention_sequence *s = &kept->sequence[i];
        *s = (gw_attention_sequence){.query_begin = reader[i].query_begin,
                                     .query_count = reader[i].query_count,
                                     .key_begin = reader[i].key_begin,
                                     .key_count = reader[i].key_count};
        GW_TRY(gw_graph_get(kept->graphs, &request, &s->graphs, &s->graph_step));
    }
    return GW_OK;
}

static gw_attention_args arguments_of(const gw_run *run, const gw_step *step, int64_t sequences) {
    const kept_arguments *a = step->arguments;
    const int64_t width = step->out[0].width;
    return (gw_attention_args){
        .sequences = (int)sequences,
        .sequence = a->kept->sequence,
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
        .log_sum = step->kept,
        .scratch = step->scratch,
    };
}

static gw_status keep(const gw_run *run, const gw_step *step, int part) {
    const kept_arguments *a = step->arguments;
    const gw_kept *kept = a->kept;
    return run->kernels->gather_rows(&(gw_rows_args){.rows = kept->slots,
                                                     .width = kept->width,
                                                     .index = kept->slot_row,
                                                     .in = gw_value(run, step->in[1 + part]),
                                                     .in_stride = kept->width,
                                                     .out = part_of(kept, a->layer, part) + kept->length * kept->width,
                                                     .out_stride = kept->most * kept->width,
                                                     .out_rows = kept->slots});
}

static gw_status forward_own(const gw_run *run, const gw_step *step) {
    const kept_arguments *a = step->arguments;
    gw_kept *kept = a->kept;
    GW_TRY(keep(run, step, 0));
    GW_TRY(keep(run, step, 1));
    GW_TRY(fill_sequences(kept, kept->own_reader, kept->own_count));
    gw_attention_args args = arguments_of(run, step, kept->own_count);
    args.key = part_of(kept, a->layer, 0);
    args.value = part_of(kept, a->layer, 1);
    args.key_rows = kept->slots * kept->most;
    return run->kernels->attention(&args);
}

static gw_status forward_source(const gw_run *run, const gw_step *step) {
    const kept_arguments *a = step->arguments;
    gw_kept *kept = a->kept;
    GW_TRY(fill_sequences(kept, kept->of_source, kept->source_count));
    gw_attention_args args = arguments_of(run, step, kept->source_count);
    args.key = kept->source[2 * a->layer];
    args.value = kept->source[2 * a->layer + 1];
    args.key_rows = kept->source_rows;
    return run->kernels->attention(&args);
}

static void size_scratch(gw_plan *plan, gw_step *step) {
    const kept_arguments *a = step->arguments;
    const gw_kept *kept = a->kept;
    const int64_t own_rows = kept->slots * kept->most;
    const gw_attention_args most = {.sequences = (int)kept->slots,
                                    .heads = a->heads,
                                    .head_size = (int)(step->in[0].width / a->heads),
                                    .block = BLOCK,
                                    .query_rows = gw_plan_most(plan, step->in[0]),
                                    .key_rows = own_rows > kept->source_rows ? own_rows : kept->source_rows};
    step->kept_floats = a->heads * most.query_rows;
    gw_plan_launches(plan, step, GW_OP_attention, &most);
    gw_plan_needs(plan, GW_OP_gather_rows);
}

static const gw_plan_op own_op = {.name = "attention to kept", .forward = forward_own, .size_scratch = size_scratch};
static const gw_plan_op source_op = {.name = "attention to source", .forward = forward_source, .size_scratch = size_scratch};

gw_tensor gw_plan_attention_kept(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads, int layer,
                                 gw_kept *kept) {
    const kept_arguments arguments = {heads, layer, kept};
    return gw_plan_append(plan, &own_op, &arguments, sizeof arguments, (gw_tensor[]){query, key, value}, 3, query.rows,
                          query.width);
}

gw_tensor gw_plan_attention_source(gw_plan *plan, gw_tensor query, int heads, int layer, gw_kept *kept) {
    const kept_arguments arguments = {heads, layer, kept};
    return gw_plan_append(plan, &source_op, &arguments, sizeof arguments, &query, 1, query.rows, query.width);
}
