// SPDX-License-Identifier: MIT
// Allocates batches, and marks the ends of their sequences.
#include "base/batch.h"

#include "base/memory.h"

#include <stdlib.h>

static gw_status reserve(int32_t **values, int64_t count, bool wanted) {
    if (!wanted) return GW_OK;
    *values = gw_alloc(count, sizeof **values);
    return *values ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_rows_make(gw_rows *rows, int64_t most, int64_t most_sequences, unsigned with) {
    *rows = (gw_rows){.most = most, .most_sequences = most_sequences};
    if (most_sequences > 0) {
        rows->start = gw_alloc(most_sequences + 1, sizeof *rows->start);
        if (!rows->start) return GW_ERR_MEMORY;
    }
    GW_TRY(reserve(&rows->row, most, with & GW_WITH_ROW));
    GW_TRY(reserve(&rows->token, most, with & GW_WITH_TOKEN));
    GW_TRY(reserve(&rows->segment, most, with & GW_WITH_SEGMENT));
    GW_TRY(reserve(&rows->part, most, with & GW_WITH_PART));
    GW_TRY(reserve(&rows->link, most, with & GW_WITH_LINK));
    GW_TRY(reserve(&rows->begin, most, with & GW_WITH_SPAN));
    GW_TRY(reserve(&rows->end, most, with & GW_WITH_SPAN));
    return reserve(&rows->label, most, with & GW_WITH_LABEL);
}

void gw_batch_free(gw_batch *batch) {
    for (int i = 0; i < GW_BATCH_ROWS; i++) {
        gw_rows *rows = &batch->of[i];
        free(rows->start);
        free(rows->row);
        free(rows->token);
        free(rows->segment);
        free(rows->label);
        free(rows->part);
        free(rows->link);
        free(rows->begin);
        free(rows->end);
    }
    *batch = (gw_batch){0};
}

void gw_batch_clear(gw_batch *batch) {
    for (int i = 0; i < GW_BATCH_ROWS; i++) batch->of[i].count = batch->of[i].sequences = 0;
}

bool gw_rows_fit(const gw_rows *stream, int64_t count) {
    return stream->sequences < stream->most_sequences && stream->count + count <= stream->most;
}

void gw_rows_end_sequence(gw_rows *stream) {
    stream->start[++stream->sequences] = stream->count;
}

void gw_rows_coarsen(const gw_rows *finer, int factor, gw_rows *coarser) {
    coarser->count = coarser->sequences = 0;
    coarser->first = finer->first;
    coarser->start[0] = 0;
    for (int64_t s = 0; s < finer->sequences; s++) {
        coarser->count += (finer->start[s + 1] - finer->start[s] + factor - 1) / factor;
        gw_rows_end_sequence(coarser);
    }
}

void gw_rows_drop_sequence(gw_rows *stream) {
    stream->count = stream->start[--stream->sequences];
}
