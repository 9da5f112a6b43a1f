// SPDX-License-Identifier: MIT
// Bytes as a chain file: wherever a span of a source lies, what a chain makes of it lies on the chain's target.
#include "seq/lift/chain.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

static void check(const gw_chains *chains, const gw_lifted *lifted, gw_span span) {
    if (lifted->aligned == 0) return;
    if (lifted->begin < 0 || lifted->end < lifted->begin || lifted->aligned > span.end - span.begin ||
        lifted->end > gw_chains_target_length(chains, lifted->target))
        abort();
}

static void lift(const gw_chains *chains, int source, gw_span span, gw_chain_list *list) {
    gw_lift_result result;
    if (gw_chains_find(chains, source, &span, 1, 0.5, list, &result) != GW_OK) return;
    for (int64_t i = 0; i < list->count; i++) {
        const gw_lifted lifted = gw_chains_map(chains, list->items[i], span);
        check(chains, &lifted, span);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    gw_chains *chains;
    gw_chain_list list = {0};
    if (gw_chains_read(fuzz_file(path, "in.chain", data, size), &chains) != GW_OK) return 0;
    for (int source = 0; source < gw_chains_sources(chains); source++) {
        const int64_t length = gw_chains_source_length(chains, source);
        lift(chains, source, (gw_span){0, length}, &list);
        for (int64_t part = 0; part < 8; part++) {
            const int64_t begin = length / 8 * part;
            if (begin < length) lift(chains, source, (gw_span){begin, begin + 1}, &list);
            if (length / 8 > 0) lift(chains, source, (gw_span){begin, begin + length / 8}, &list);
        }
    }
    free(list.items);
    gw_chains_free(chains);
    return 0;
}
