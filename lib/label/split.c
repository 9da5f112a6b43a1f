// SPDX-License-Identifier: MIT
// Reads the lists of held-out regions, and asks them for a window's split.
#include "label/split.h"

#include <string.h>

const char *const gw_split_names[GW_SPLITS] = {"train", "valid", "test"};

gw_set_split gw_split_named(const char *name) {
    gw_set_split split = GW_SPLIT_TRAIN;
    while (split < GW_SPLITS && strcmp(gw_split_names[split], name) != 0) split++;
    return split;
}

static gw_status read_list(gw_regions *regions, gw_genome *genome, const char *option, const char *text) {
    if (!text) return GW_OK;
    const gw_status status = gw_regions_parse(regions, genome, text);
    if (status != GW_OK) return gw_fail_in(status, "%s", option);
    gw_regions_merge(regions);
    return GW_OK;
}

gw_status gw_held_out_read(gw_held_out *held_out, gw_genome *genome, const char *valid, const char *test,
                           const char *excluded) {
    *held_out = (gw_held_out){.any = valid || test};
    gw_status status = read_list(&held_out->valid, genome, "--valid", valid);
    if (status == GW_OK) status = read_list(&held_out->test, genome, "--test", test);
    if (status == GW_OK) status = read_list(&held_out->excluded, genome, "--exclude", excluded);
    for (int64_t i = 0; status == GW_OK && i < held_out->valid.count; i++) {
        const gw_region *r = &held_out->valid.items[i];
        if (gw_regions_overlap(&held_out->test, r->contig, r->begin, r->end))
            status = gw_fail(GW_ERR_MISMATCH, "--valid and --test overlap on %s", gw_genome_name(genome, r->contig));
    }
    if (status != GW_OK) gw_held_out_free(held_out);
    return status;
}

void gw_held_out_free(gw_held_out *held_out) {
    gw_regions_free(&held_out->valid);
    gw_regions_free(&held_out->test);
    gw_regions_free(&held_out->excluded);
    *held_out = (gw_held_out){0};
}

gw_set_split gw_split_of_window(const gw_held_out *held_out, int contig, int64_t begin, int64_t end, int64_t point) {
    if (gw_regions_overlap(&held_out->excluded, contig, begin, end)) return GW_SPLIT_NONE;
    if (gw_regions_overlap(&held_out->test, contig, point, point + 1)) return GW_SPLIT_TEST;
    if (gw_regions_overlap(&held_out->test, contig, begin, end)) return GW_SPLIT_NONE;
    if (gw_regions_overlap(&held_out->valid, contig, point, point + 1)) return GW_SPLIT_VALID;
    return gw_regions_overlap(&held_out->valid, contig, begin, end) ? GW_SPLIT_NONE : GW_SPLIT_TRAIN;
}
