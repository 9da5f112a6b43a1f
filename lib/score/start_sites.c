// SPDX-License-Identifier: MIT
// Start sites as sorted 1-bp regions.
#include "score/start_sites.h"

#include "base/memory.h"
#include "base/number.h"
#include "seq/genes/genes.h"
#include "seq/genes/tss.h"

#include <string.h>

gw_status gw_start_sites_read(const char *path, gw_genome *genome, gw_regions *out) {
    gw_genes genes = {0};
    *out = (gw_regions){0};
    gw_status status = gw_genes_read(path, genome, &genes);
    for (int64_t i = 0; status == GW_OK && i < genes.regions.count; i++) {
        const gw_region *gene = &genes.regions.items[i];
        if (gene->strand == '.') continue;
        gw_region site = *gene;
        site.begin = gw_tss_position(gene);
        site.end = site.begin + 1;
        site.name = gw_strdup(gene->name);
        status = site.name ? gw_regions_add(out, site) : GW_ERR_MEMORY;
    }
    if (status == GW_OK && out->count == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s has no gene with a strand, and so no start sites", path);
    gw_genes_free(&genes);
    gw_regions_sort(out);
    return status;
}

int64_t gw_start_sites_most(const gw_regions *sites, int64_t span) {
    int64_t most = 0;
    for (int64_t first = 0, i = 0; i < sites->count; i++) {
        const gw_region *last = &sites->items[i];
        while (sites->items[first].contig != last->contig || sites->items[first].begin + span <= last->begin) first++;
        most = gw_max(most, i - first + 1);
    }
    return most;
}

int64_t gw_start_sites_from(const gw_regions *sites, int contig, int64_t begin) {
    const gw_region *items = sites->items;
    return GW_FIRST_NOT(i, sites->count,
                        items[i].contig < contig || (items[i].contig == contig && items[i].begin < begin));
}
