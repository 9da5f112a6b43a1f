// SPDX-License-Identifier: MIT
// Finds the memory of a step's tensors, and makes graphs on all threads.
#include "nn/token_attention.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { QUERY, KEY, VALUE };

gw_token_attention_args gw_token_attention_of(const gw_run *run, const gw_step *step, int heads) {
    const gw_tensor *in = step->in;
    return (gw_token_attention_args){.heads = heads,
                                     .head_size = (int)(in[QUERY].width / heads),
                                     .query = gw_value(run, in[QUERY]),
                                     .key = gw_value(run, in[KEY]),
                                     .value = gw_value(run, in[VALUE]),
                                     .stride = in[QUERY].width,
                                     .query_rows = gw_run_rows(run, in[QUERY]),
                                     .out = gw_value(run, step->out[0]),
                                     .log_sum = step->saved,
                                     .out_gradient = gw_gradient(run, step->out[0]),
                                     .query_gradient = gw_gradient(run, in[QUERY]),
                                     .key_gradient = gw_gradient(run, in[KEY]),
                                     .value_gradient = gw_gradient(run, in[VALUE]),
                                     .fixed = -1};
}

gw_status gw_layer_graphs_make(gw_layer_graphs *layer, const gw_backend *kernels, int64_t sequences, int heads) {
    layer->kernels = kernels;
    layer->capacity = sequences * heads;
    layer->graph = gw_alloc(layer->capacity, sizeof *layer->graph);
    layer->reached = kernels->shares_host ? layer->graph : gw_alloc(layer->capacity, sizeof *layer->reached);
    layer->sequence = gw_alloc(sequences, sizeof *layer->sequence);
    return layer->graph && layer->reached && layer->sequence ? GW_OK : GW_ERR_MEMORY;
}

void gw_layer_graphs_free(gw_layer_graphs *layer) {
    if (layer->device) layer->kernels->release(layer->device);
    if (layer->reached != layer->graph) free(layer->reached);
    free(layer->lists);
    free(layer->graph);
    free(layer->sequence);
}

static int64_t row_bytes(const gw_token_graph *graph) {
    return (graph->queries + 1) * (int64_t)sizeof *graph->row_start;
}

// Of keys, up to where the next graph's rows are aligned.
static int64_t key_bytes(const gw_token_graph *graph) {
    return (graph->row_start[graph->queries] + 1) / 2 * 2 * (int64_t)sizeof *graph->column;
}

gw_status gw_layer_graphs_send(gw_layer_graphs *layer, int64_t graphs) {
    int64_t bytes = 0;
    if (layer->kernels->shares_host) return GW_OK;
    for (int64_t g = 0; g < graphs; g++) bytes += row_bytes(&layer->graph[g]) + key_bytes(&layer->graph[g]);
    GW_TRY(gw_reserve(&layer->lists, &layer->lists_capacity, bytes, 1));
    if (bytes > layer->device_bytes) { // grows by half, since batches differ little
        if (layer->device) layer->kernels->release(layer->device);
        layer->device = NULL;
        layer->device_bytes = 0;
        GW_TRY(layer->kernels->allocate(bytes + bytes / 2, &layer->device));
        layer->device_bytes = bytes + bytes / 2;
    }
    int64_t at = 0;
    for (int64_t g = 0; g < graphs; g++) {
        const gw_token_graph *from = &layer->graph[g];
        const int64_t edges = from->row_start[from->queries], column = at + row_bytes(from);
        memcpy(layer->lists + at, from->row_start, (size_t)row_bytes(from));
        if (edges > 0) memcpy(layer->lists + column, from->column, (size_t)edges * sizeof *from->column);
        layer->reached[g] = *from;
        layer->reached[g].row_start = (const int64_t *)((char *)layer->device + at);
        layer->reached[g].column = (const int32_t *)((char *)layer->device + column);
        at = column + key_bytes(from);
    }
    return layer->kernels->to_device(layer->device, layer->lists, bytes);
}

gw_status gw_host_numbers_get(gw_host_numbers *numbers, const gw_backend *kernels, const float *device, int64_t count) {
    numbers->number = device;
    if (kernels->shares_host) return GW_OK;
    GW_TRY(gw_reserve(&numbers->copy, &numbers->capacity, count, sizeof *numbers->copy));
    numbers->number = numbers->copy;
    return kernels->to_host(numbers->copy, device, count * (int64_t)sizeof *device);
}

void gw_host_numbers_free(gw_host_numbers *numbers) {
    free(numbers->copy);
}

typedef struct {
    gw_graph_maker *make;
    void *context;
    atomic_int failed; // a gw_status
} making;

static void make_some(void *context, int64_t begin, int64_t end, int thread) {
    making *m = context;
    for (int64_t g = begin; g < end && m->failed == GW_OK; g++) {
        const gw_status status = m->make(m->context, g, thread);
        if (status != GW_OK) m->failed = (int)status;
    }
}

gw_status gw_graphs_make(int64_t graphs, gw_graph_maker *make, void *context, const char *drawn) {
    making m = {.make = make, .context = context};
    gw_parallel_for(graphs, 1, make_some, &m);
    return m.failed == GW_OK ? GW_OK : gw_fail((gw_status)m.failed, "out of memory for a %s graph", drawn);
}
