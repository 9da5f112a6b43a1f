// SPDX-License-Identifier: MIT
// Finds the numbers of a step's tensors, and makes graphs on all threads.
#include "nn/token_attention.h"

#include "base/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>

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

gw_status gw_layer_graphs_make(gw_layer_graphs *layer, int64_t sequences, int heads) {
    layer->capacity = sequences * heads;
    layer->graph = gw_alloc(layer->capacity, sizeof *layer->graph);
    layer->sequence = gw_alloc(sequences, sizeof *layer->sequence);
    return layer->graph && layer->sequence ? GW_OK : GW_ERR_MEMORY;
}

void gw_layer_graphs_free(gw_layer_graphs *layer) {
    free(layer->graph);
    free(layer->sequence);
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
