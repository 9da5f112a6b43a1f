// SPDX-License-Identifier: MIT
// The stretches with a value of each contig are in memory, sorted by begin.
#include "label/base_counts.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "seq/track/track.h"

#include <stdlib.h>
#include <string.h>

struct gw_base_counts {
    int strands, contigs;
    gw_track_values *values; // [contigs][strands]
};

gw_status gw_base_counts_open(const char *const *tracks, int strands, gw_genome *genome, const bool *wanted,
                              gw_base_counts **out) {
    const int contigs = gw_genome_contigs(genome);
    gw_base_counts *counts = *out = gw_alloc(1, sizeof *counts);
    if (!counts) return GW_ERR_MEMORY;
    *counts = (gw_base_counts){.strands = strands, .contigs = contigs};
    counts->values = gw_alloc(contigs * strands, sizeof *counts->values);
    if (!counts->values) return GW_ERR_MEMORY;
    for (int s = 0; s < strands; s++) {
        int sign = 0;
        int64_t found = 0;
        for (int c = 0; c < contigs; c++) {
            const gw_region whole = {.contig = c, .end = gw_genome_length(genome, c)};
            gw_track_values *values = &counts->values[c * strands + s];
            if (!wanted[c]) continue;
            GW_TRY(gw_check_interrupt());
            GW_TRY(gw_track_read(tracks[s], genome, &whole, values));
            GW_TRY(gw_track_make_positive(tracks[s], genome, c, values, &sign));
            found += values->count;
        }
        if (found == 0) return gw_fail(GW_ERR_MISMATCH, "%s has no value on the contigs of the regions", tracks[s]);
    }
    return GW_OK;
}

void gw_base_counts_close(gw_base_counts *counts) {
    if (!counts) return;
    for (int i = 0; counts->values && i < counts->contigs * counts->strands; i++)
        gw_track_values_free(&counts->values[i]);
    free(counts->values);
    free(counts);
}

void gw_base_counts_fill(const gw_base_counts *counts, int contig, int64_t begin, int64_t end, char strand,
                         float *count) {
    const int64_t strands = counts->strands;
    memset(count, 0, (size_t)((end - begin) * strands) * sizeof *count);
    for (int64_t s = 0; s < strands; s++)
        gw_track_values_add(&counts->values[contig * strands + s], begin, end, strand == '-',
                            count + (strand == '-' ? strands - 1 - s : s), strands);
}
