// SPDX-License-Identifier: MIT
// Links stand in an n x n table until the graph is built from its rows.
#include "graph/random_graphs.h"

#include "base/memory.h"
#include "base/random.h"
#include "graph/lists.h"

#include <stdbool.h>
#include <stdlib.h>

// links[i * n + j]: whether i and j are linked.
static gw_status build(const bool *links, int64_t n, gw_graph **out) {
    gw_block_lists lists = {.block = 1, .blocks = n};
    int32_t *row = gw_alloc(n, sizeof *row);
    gw_status status = row ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; i < n && status == GW_OK; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++)
            if (links[i * n + j]) row[count++] = (int32_t)j;
        status = gw_block_lists_add(&lists, row, count);
    }
    if (status == GW_OK) status = gw_graph_build(&lists, out);
    gw_block_lists_free(&lists);
    free(row);
    return status;
}

static void link_nodes(bool *links, int64_t n, int64_t i, int64_t j, bool linked) {
    links[i * n + j] = links[j * n + i] = linked;
}

gw_status gw_erdos_renyi(int64_t n, double degree, uint64_t seed, gw_graph **out) {
    bool *links = gw_alloc(n * n, sizeof *links);
    if (!links) return GW_ERR_MEMORY;
    const double probability = n > 1 ? degree / (double)(n - 1) : 0;
    for (int64_t i = 0; i < n; i++) {
        gw_random random = gw_random_at(seed, GW_SITE_LINKS, (uint64_t)i, 0);
        for (int64_t j = i + 1; j < n; j++) link_nodes(links, n, i, j, gw_random_uniform(&random) < probability);
    }
    const gw_status status = build(links, n, out);
    free(links);
    return status;
}

// Moves the far end of the link i - j to a node that i is not linked to; i stays linked to fewer than n - 1 nodes.
static void rewire(bool *links, int64_t n, int64_t i, int64_t j, gw_random *random) {
    int64_t to;
    do to = (int64_t)gw_random_below(random, (uint64_t)n);
    while (to == i || links[i * n + to]);
    link_nodes(links, n, i, j, false);
    link_nodes(links, n, i, to, true);
}

static bool has_free_place(const bool *links, int64_t n, int64_t i) {
    int64_t linked = 0;
    for (int64_t j = 0; j < n; j++) linked += links[i * n + j];
    return linked < n - 1;
}

gw_status gw_watts_strogatz(int64_t n, int degree, double rewired, uint64_t seed, gw_graph **out) {
    if (degree < 2 || degree % 2 != 0 || degree >= n)
        return gw_fail(GW_ERR_RANGE, "a ring of %lld nodes with %d links each", (long long)n, degree);
    bool *links = gw_alloc(n * n, sizeof *links);
    if (!links) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 1; k <= degree / 2; k++) link_nodes(links, n, i, (i + k) % n, true);
    gw_random random = gw_random_at(seed, GW_SITE_LINKS, (uint64_t)n, 1);
    for (int64_t k = 1; k <= degree / 2; k++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t j = (i + k) % n;
            if (gw_random_uniform(&random) < rewired && links[i * n + j] && has_free_place(links, n, i))
                rewire(links, n, i, j, &random);
        }
    const gw_status status = build(links, n, out);
    free(links);
    return status;
}
