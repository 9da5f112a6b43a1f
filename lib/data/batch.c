// SPDX-License-Identifier: MIT
// Appends examples to a batch: tokens and segments to its stream, masked rows and pair labels to its row sets.
#include "data/batch.h"

#include <assert.h>
#include <stddef.h>

enum { TOKENS_OF_A_GLOBAL = 8 }; // at least, on the whole

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
    if (format->most_contrasts > 0) {
        const int64_t contrasts = gw_example_most_contrasts(format, most_tokens);
        GW_TRY(gw_rows_make(&batch->of[format->predicted], contrasts, 0, GW_WITH_ROW | GW_WITH_LABEL));
        GW_TRY(gw_rows_make(&batch->of[format->encoded], contrasts, 0, GW_WITH_ROW));
    }
    if (format->most_globals > 0)
        GW_TRY(gw_rows_make(&batch->of[format->globals], gw_example_most_globals(format, most_tokens), most_sequences,
                            GW_WITH_TOKEN | GW_WITH_SPAN));
    return gw_rows_make(&batch->of[format->pairs], most_sequences, 0, GW_WITH_LABEL);
}

// Most sentences of a span that have a global token each, where two spans may share what a sequence may have.
static int64_t most_sentences(const gw_example_format *format, bool shared) {
    return (format->most_globals - 1) / (shared ? 2 : 1);
}

gw_example_size gw_example_size_of(const gw_example_format *format, const gw_pack *pack, const gw_pair *pair) {
    gw_example_size size = {.tokens = pair->a.count + pair->b.count, .sequences = 1};
    if (format->most_globals == 0) return size;
    const bool two = pair->b.count > 0;
    size.globals = (format->classifier >= 0) + gw_pack_sentences(pack, pair->a, most_sentences(format, two), NULL);
    if (two) size.globals += gw_pack_sentences(pack, pair->b, most_sentences(format, two), NULL);
    return size;
}

int64_t gw_example_most_globals(const gw_example_format *format, int64_t most_tokens) {
    return format->most_globals > 0 ? most_tokens / TOKENS_OF_A_GLOBAL + format->most_globals : 0;
}

int64_t gw_example_most_contrasts(const gw_example_format *format, int64_t most_tokens) {
    return format->most_contrasts > 0 ? most_tokens / (2 * TOKENS_OF_A_GLOBAL) + format->most_contrasts : 0;
}

bool gw_example_fits(const gw_example_format *format, const gw_batch *batch, gw_example_size size) {
    const gw_rows *tokens = &batch->of[format->tokens], *masked = &batch->of[format->masked],
                  *globals = &batch->of[format->globals], *predicted = &batch->of[format->predicted];
    return gw_rows_fit(tokens, size.tokens + GW_PAIR_SPECIALS) &&
           tokens->sequences + size.sequences <= tokens->most_sequences &&
           masked->count + size.masked <= masked->most &&
           (format->most_globals == 0 || globals->count + size.globals <= globals->most) &&
           (format->most_contrasts == 0 || predicted->count + size.contrasts <= predicted->most);
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

static void append_global(gw_rows *globals, int32_t token, int64_t begin, int64_t end) {
    globals->token[globals->count] = token;
    globals->begin[globals->count] = (int32_t)begin;
    globals->end[globals->count++] = (int32_t)end;
}

// Those of the sentences of a span, which stands from row `first` of its sequence on.
static void append_sentences(gw_rows *globals, const gw_pack *pack, gw_span span, int64_t most, int64_t first) {
    int32_t *begin = globals->begin + globals->count, *end = globals->end + globals->count;
    const int64_t count = gw_pack_sentences(pack, span, most, begin);
    for (int64_t g = 0; g < count; g++) {
        globals->token[globals->count++] = -1;
        begin[g] += (int32_t)first;
        if (g > 0) end[g - 1] = begin[g];
    }
    if (count > 0) end[count - 1] = (int32_t)(first + span.count);
}

void gw_example_list_globals(const gw_example_format *format, const gw_pack *pack, const gw_pair *pair,
                             gw_rows *globals) {
    const bool two = pair->b.count > 0;
    const int64_t before = format->classifier >= 0, between = format->separator >= 0;
    if (before > 0) append_global(globals, format->classifier, -1, 0);
    append_sentences(globals, pack, pair->a, most_sentences(format, two), before);
    if (two) append_sentences(globals, pack, pair->b, most_sentences(format, two), before + pair->a.count + between);
    gw_rows_end_sequence(globals);
}

static void end_sequence(const gw_example_format *format, gw_batch *batch, int32_t label) {
    gw_rows *pairs = &batch->of[format->pairs];
    gw_rows_end_sequence(&batch->of[format->tokens]);
    pairs->label[pairs->count++] = label;
}

void gw_example_append_sentence(const gw_example_format *format, gw_batch *batch, const int32_t *tokens,
                                int64_t count) {
    gw_rows *stream = &batch->of[format->tokens], *globals = &batch->of[format->globals];
    const int64_t before = format->classifier >= 0;
    append_special(stream, format->classifier, 0);
    for (int64_t i = 0; i < count; i++) append_special(stream, tokens[i], 0);
    append_special(stream, format->separator, 0);
    if (before > 0) append_global(globals, format->classifier, -1, 0);
    append_global(globals, -1, before, before + count);
    gw_rows_end_sequence(globals);
    end_sequence(format, batch, -1);
}

void gw_example_append(const gw_example_format *format, gw_batch *batch, const gw_pack *pack, const gw_pair *pair) {
    gw_rows *stream = &batch->of[format->tokens];
    assert(gw_example_fits(format, batch, gw_example_size_of(format, pack, pair)));
    append_special(stream, format->classifier, 0);
    append_span(format, stream, pack, pair->a, 0);
    if (pair->b.count > 0) append_span(format, stream, pack, pair->b, format->one_segment ? 0 : 1);
    if (format->most_globals > 0) gw_example_list_globals(format, pack, pair, &batch->of[format->globals]);
    end_sequence(format, batch, pair->label);
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
