// SPDX-License-Identifier: MIT
// Appends examples to a batch: tokens and segments to its stream, masked rows and pair labels to its row sets.
#include "data/batch.h"

#include <assert.h>

gw_status gw_example_format_make(gw_example_format *format, const gw_tokenizer *tokenizer) {
    gw_frame frame;
    GW_TRY(gw_tokenizer_frame(tokenizer, &frame));
    format->classifier = frame.begins > 0 ? frame.before[0] : -1;
    format->separator = frame.ends > 0 ? frame.after[0] : -1;
    return GW_OK;
}

gw_status gw_example_batch_make(const gw_example_format *format, gw_batch *batch, int64_t most_sequences,
                                int64_t most_tokens, int64_t most_masked) {
    *batch = (gw_batch){0};
    GW_TRY(gw_rows_make(&batch->of[format->tokens], most_tokens, most_sequences, GW_WITH_TOKEN | GW_WITH_SEGMENT));
    GW_TRY(gw_rows_make(&batch->of[format->masked], most_masked, 0, GW_WITH_ROW | GW_WITH_LABEL));
    return gw_rows_make(&batch->of[format->pairs], most_sequences, 0, GW_WITH_LABEL);
}

bool gw_example_fits(const gw_example_format *format, const gw_batch *batch, int64_t tokens, int64_t masked) {
    const gw_rows *rows = &batch->of[format->masked];
    return gw_rows_fit(&batch->of[format->tokens], tokens + GW_PAIR_SPECIALS) && rows->count + masked <= rows->most;
}

static void append_special(gw_rows *stream, int32_t token, int32_t segment) {
    if (token < 0) return;
    stream->token[stream->count] = token;
    stream->segment[stream->count++] = segment;
}

static void append_span(const gw_example_format *format, gw_rows *stream, const gw_pack *pack, gw_span span,
                        int32_t segment) {
    gw_pack_read(pack, span, stream->token + stream->count);
    for (int64_t i = 0; i < span.count; i++) stream->segment[stream->count++] = segment;
    append_special(stream, format->separator, segment);
}

void gw_example_append(const gw_example_format *format, gw_batch *batch, const gw_pack *pack, const gw_pair *pair) {
    gw_rows *stream = &batch->of[format->tokens], *pairs = &batch->of[format->pairs];
    assert(gw_example_fits(format, batch, pair->a.count + pair->b.count, 0));
    append_special(stream, format->classifier, 0);
    append_span(format, stream, pack, pair->a, 0);
    if (pair->b.count > 0) append_span(format, stream, pack, pair->b, format->one_segment ? 0 : 1);
    gw_rows_end_sequence(stream);
    pairs->label[pairs->count++] = pair->label;
}

void gw_example_mask(const gw_example_format *format, gw_batch *batch, const gw_masker *masker, gw_random *random) {
    const gw_rows *stream = &batch->of[format->tokens];
    gw_rows *masked = &batch->of[format->masked];
    const int64_t first = stream->start[stream->sequences - 1];
    int32_t *row = masked->row + masked->count;
    const int64_t chosen =
        gw_mask(masker, random, stream->token + first, stream->count - first, row, masked->label + masked->count);
    for (int64_t i = 0; i < chosen; i++) row[i] += (int32_t)first;
    masked->count += chosen;
}
