// SPDX-License-Identifier: MIT
// Cross-validation by contigs: from the longest down each goes to the fold that has the fewest bases so far, so that
// folds are about as long; of equals the first comes first.
#include "label/split.h"

#include "base/memory.h"

#include <stdlib.h>

typedef struct {
    int contig;
    int64_t length;
} dealt_contig;

static int by_length_falling(const void *a, const void *b) {
    const dealt_contig *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? 1 : -1;
    return (x->contig > y->contig) - (x->contig < y->contig);
}

static int shortest_fold(const int64_t *bases, int folds) {
    int best = 0;
    for (int f = 1; f < folds; f++)
        if (bases[f] < bases[best]) best = f;
    return best;
}

static gw_status hold_out(gw_held_out *held_out, const dealt_contig *contig, int of, int fold, int folds) {
    const gw_region region = {.contig = contig->contig, .end = contig->length, .strand = '.'};
    if (of == fold) return gw_regions_add(&held_out->test, region);
    return of == (fold + 1) % folds ? gw_regions_add(&held_out->valid, region) : GW_OK;
}

gw_status gw_held_out_fold(gw_held_out *held_out, gw_genome *genome, int64_t fold, int64_t folds,
                           const char *excluded) {
    const int contigs = gw_genome_contigs(genome);
    if (folds < 3 || folds > contigs)
        return gw_fail(GW_ERR_RANGE, "--fold: contigs are dealt into 3 to %d folds in this genome, not %lld", contigs,
                       (long long)folds);
    GW_TRY(gw_held_out_read(held_out, genome, NULL, NULL, excluded));
    held_out->any = true;
    dealt_contig *sorted = gw_alloc(contigs, sizeof *sorted);
    int64_t *bases = gw_alloc(folds, sizeof *bases);
    gw_status status = sorted && bases ? GW_OK : GW_ERR_MEMORY;
    for (int c = 0; status == GW_OK && c < contigs; c++) sorted[c] = (dealt_contig){c, gw_genome_length(genome, c)};
    if (status == GW_OK) qsort(sorted, (size_t)contigs, sizeof *sorted, by_length_falling);
    for (int c = 0; status == GW_OK && c < contigs; c++) {
        const int of = shortest_fold(bases, (int)folds);
        bases[of] += sorted[c].length;
        status = hold_out(held_out, &sorted[c], of, (int)fold - 1, (int)folds);
    }
    free(sorted);
    free(bases);
    gw_regions_merge(&held_out->test);
    gw_regions_merge(&held_out->valid);
    if (status != GW_OK) gw_held_out_free(held_out);
    return status;
}
