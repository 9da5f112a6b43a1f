// SPDX-License-Identifier: MIT
// Copies tokens, segments and labels row by row.
#include "task/texts/text_batch.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Whose labels a set has.
static int labelled_of(const gw_text_set *set) {
    switch (set->labels) {
    case GW_TEXT_WORDS: return GW_ROWS_TOKENS;
    case GW_TEXT_ANSWER: return GW_ROWS_QUESTIONS;
    default: return GW_ROWS_FIRST;
    }
}

gw_status gw_text_batch_make(gw_text_batch *batch, const gw_model *model, const gw_text_set *set, int64_t tokens,
                             int64_t sequences) {
    *batch = (gw_text_batch){.model = model, .set = set, .labelled = labelled_of(set)};
    const int64_t labels = set->labels == GW_TEXT_WORDS   ? tokens
                           : set->labels == GW_TEXT_SPANS ? GW_SPAN_ENDS * sequences
                                                          : sequences;
    GW_TRY(gw_rows_make(&batch->batch.of[GW_ROWS_TOKENS], tokens, sequences, GW_WITH_TOKEN | GW_WITH_SEGMENT));
    if (set->label && !(batch->label = gw_alloc(labels, sizeof *batch->label))) return GW_ERR_MEMORY;
    if (!set->number) return GW_OK;
    batch->number = gw_alloc(sequences * set->classes, sizeof *batch->number);
    return batch->number ? GW_OK : GW_ERR_MEMORY;
}

void gw_text_batch_free(gw_text_batch *batch) {
    for (int i = 0; i < GW_BATCH_ROWS; i++) batch->batch.of[i].label = NULL;
    gw_batch_free(&batch->batch);
    free(batch->label);
    free(batch->number);
    *batch = (gw_text_batch){0};
}

void gw_text_batch_clear(gw_text_batch *batch) {
    gw_batch_clear(&batch->batch);
    batch->rows = 0;
}

int64_t gw_text_labels_of(const gw_text_set *set, int64_t row) {
    int64_t count = 0;
    if (set->labels == GW_TEXT_WORDS)
        for (int64_t i = set->start[row]; i < set->start[row + 1]; i++) count += set->label[i] >= 0;
    else if (set->number)
        for (int64_t i = 0; i < set->classes; i++) count += !isnan(set->number[row * set->classes + i]);
    else if (set->labels == GW_TEXT_SPANS) count = set->label[GW_SPAN_ENDS * row] >= 0;
    else count = set->label != NULL;
    return count;
}

static void point_to_labels(gw_text_batch *b) {
    gw_rows *of = b->batch.of;
    of[b->labelled].label = b->label;
    of[b->labelled].number = b->number;
    if (b->set->per_row > 1) of[GW_ROWS_QUESTIONS].count = b->rows;
}

static void add_sequence(gw_text_batch *b, int64_t sequence) {
    const gw_text_set *set = b->set;
    gw_rows *stream = &b->batch.of[GW_ROWS_TOKENS];
    const int32_t last_segment = (int32_t)b->model->config.segments - 1;
    for (int64_t i = set->start[sequence]; i < set->start[sequence + 1]; i++) {
        if (set->labels == GW_TEXT_WORDS) b->label[stream->count] = set->label[i];
        stream->segment[stream->count] = set->segment[i] < last_segment ? set->segment[i] : last_segment;
        stream->token[stream->count++] = set->token[i];
    }
    gw_rows_end_sequence(stream);
}

bool gw_text_batch_add(gw_text_batch *b, int64_t row) {
    const gw_text_set *set = b->set;
    const gw_rows *stream = &b->batch.of[GW_ROWS_TOKENS];
    b->rows = stream->sequences / set->per_row;
    const int64_t first = row * set->per_row, tokens = set->start[first + set->per_row] - set->start[first];
    if (stream->sequences + set->per_row > stream->most_sequences || stream->count + tokens > stream->most)
        return false;
    for (int64_t s = 0; s < set->per_row; s++) add_sequence(b, first + s);
    if (set->labels == GW_TEXT_ONE || set->labels == GW_TEXT_ANSWER) b->label[b->rows] = set->label[row];
    for (int e = 0; set->labels == GW_TEXT_SPANS && e < GW_SPAN_ENDS; e++)
        b->label[GW_SPAN_ENDS * b->rows + e] = set->label[GW_SPAN_ENDS * row + e];
    if (set->number)
        memcpy(b->number + b->rows * set->classes, set->number + row * set->classes,
               (size_t)set->classes * sizeof *set->number);
    b->rows++;
    point_to_labels(b);
    return true;
}

gw_status gw_texts_fit(const gw_config *config, gw_text_options *texts) {
    const int64_t longest = gw_config_longest(config);
    if (texts->most == 0) texts->most = config->text_length > 0 ? config->text_length : longest;
    if (texts->most <= longest) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "texts of %lld tokens: the model has %lld positions", (long long)texts->most,
                   (long long)longest);
}
