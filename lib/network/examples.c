// SPDX-License-Identifier: MIT
// Batches of as many examples as there is room for.
#include "network/examples.h"

gw_status gw_examples_fill(const gw_examples *e, int64_t step, int64_t *next, int64_t end, int64_t stride) {
    const int64_t first = *next;
    gw_batch_clear(e->batch);
    for (bool full = false; *next < end; *next += stride) {
        GW_TRY(e->add(e->self, step, *next, &full));
        if (full && *next > first) return GW_OK;
        if (full)
            return gw_fail(GW_ERR_RANGE, "example %lld of step %lld does not fit a batch", (long long)*next + 1,
                           (long long)step + 1);
    }
    return GW_OK;
}

void gw_examples_free(gw_examples *examples) {
    if (examples->self) examples->free(examples->self);
    *examples = (gw_examples){0};
}

gw_examples gw_examples_of(const gw_examples *kind, void *self, gw_batch *batch, gw_network_options limits,
                           int64_t sequences) {
    gw_examples examples = *kind;
    examples.self = self;
    examples.batch = batch;
    examples.limits = limits;
    examples.sequences = sequences;
    return examples;
}

gw_status gw_examples_made(gw_examples *examples, gw_status status) {
    if (status != GW_OK) gw_examples_free(examples);
    return status;
}
