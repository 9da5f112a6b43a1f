// SPDX-License-Identifier: MIT
// Reads the sites, and computes their windows.
#include "seq/tss.h"

gw_status gw_read_tss(gw_regions *tss, gw_genome *genome, const char *path) {
    GW_TRY(gw_regions_read_bed(tss, genome, path));
    for (int64_t i = 0; i < tss->count; i++) {
        const gw_region *r = &tss->items[i];
        if (r->strand != '+' && r->strand != '-')
            return gw_fail(GW_ERR_FORMAT, "%s:%lld: a TSS needs a strand (column 6: + or -)", path, (long long)r->line);
        if (r->begin == r->end)
            return gw_fail(GW_ERR_FORMAT, "%s:%lld: an empty region holds no TSS", path, (long long)r->line);
    }
    if (tss->count == 0) return gw_fail(GW_ERR_FORMAT, "%s holds no TSS", path);
    return GW_OK;
}

int64_t gw_tss_position(const gw_region *record) {
    return record->strand == '-' ? record->end - 1 : record->begin;
}

void gw_tss_window(int64_t tss, char strand, int64_t upstream, int64_t downstream, int64_t *begin, int64_t *end) {
    *begin = strand == '-' ? tss - downstream + 1 : tss - upstream;
    *end = *begin + upstream + downstream;
}
