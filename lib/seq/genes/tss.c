// SPDX-License-Identifier: MIT
// Reads the sites, and computes their windows.
#include "seq/genes/tss.h"

#include "base/log.h"

#include <stdbool.h>
#include <stdlib.h>

static void warn_of_skipped(const char *path, int64_t no_strand, int64_t empty) {
    if (no_strand > 0)
        gw_warn("%s: %lld records have no strand (column 6: + or -), so that they are no start sites; left out", path,
                (long long)no_strand);
    if (empty > 0) gw_warn("%s: %lld records of 0 bp are no start sites; left out", path, (long long)empty);
}

gw_status gw_read_tss(gw_regions *tss, gw_genome *genome, const char *path) {
    int64_t kept = 0, no_strand = 0, empty = 0;
    GW_TRY(gw_regions_read_bed(tss, genome, path));
    for (int64_t i = 0; i < tss->count; i++) {
        gw_region *r = &tss->items[i];
        const bool strandless = r->strand != '+' && r->strand != '-', holds_none = r->begin == r->end;
        no_strand += strandless;
        empty += holds_none && !strandless;
        if (strandless || holds_none) free(r->name);
        else tss->items[kept++] = *r;
    }
    tss->count = kept;
    warn_of_skipped(path, no_strand, empty);
    if (kept > 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s holds no TSS: a record of at least 1 bp with its strand, + or -, in column 6",
                   path);
}

int64_t gw_tss_position(const gw_region *record) {
    return record->strand == '-' ? record->end - 1 : record->begin;
}

void gw_tss_window(int64_t tss, char strand, int64_t upstream, int64_t downstream, int64_t *begin, int64_t *end) {
    *begin = strand == '-' ? tss - downstream + 1 : tss - upstream;
    *end = *begin + upstream + downstream;
}
