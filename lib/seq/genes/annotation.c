// SPDX-License-Identifier: MIT
// Parts are sorted by where they begin. With the furthest end of all before, the first that can meet a stretch is found
// by halving.
#include "seq/genes/annotation.h"

#include <stdlib.h>

void gw_annotation_free(gw_annotation *a) {
    for (int64_t i = 0; i < a->count; i++) {
        free(a->items[i].id);
        free(a->items[i].gene);
        free(a->items[i].cds);
    }
    free(a->items);
    for (int kind = 0; kind < GW_GENE_PARTS; kind++) {
        free(a->index[kind].items);
        free(a->index[kind].first);
        free(a->index[kind].reach);
    }
    *a = (gw_annotation){0};
}

const gw_gene_part *gw_annotation_next(const gw_annotation *annotation, gw_gene_part_kind kind, int contig,
                                       int64_t begin, int64_t end, int64_t *at) {
    const gw_gene_part_index *index = &annotation->index[kind];
    if (contig < 0 || !index->first) return NULL;
    const int64_t last = index->first[contig + 1];
    int64_t i = *at + 1;
    if (*at < 0) {
        int64_t high = last;
        for (i = index->first[contig]; i < high;) {
            const int64_t middle = i + (high - i) / 2;
            if (index->reach[middle] > begin) high = middle;
            else i = middle + 1;
        }
    }
    for (; i < last && index->items[i].begin < end; i++) {
        if (index->items[i].end <= begin) continue;
        *at = i;
        return &index->items[i];
    }
    return NULL;
}
