// SPDX-License-Identifier: MIT
// Bases as tokens, masks, pairs end to end in a batch, and predicted sentences.
#include "data/batch.h"

#include "base/memory.h"
#include "base/string.h"

#include <assert.h>
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

gw_status gw_base_tokens_make(gw_base_tokens *tokens, const gw_tokenizer *tokenizer) {
    gw_encoder *encoder;
    for (int32_t t = 0; t < gw_tokenizer_size(tokenizer); t++)
        if (gw_tokenizer_bases(tokenizer, t) > 1)
            return gw_fail(
                GW_ERR_UNSUPPORTED,
                "a token of the model has several bases (%s): only models of single bases read a genome; other "
                "models read token shards (godwit encode)",
                gw_tokenizer_text(tokenizer, t));
    GW_TRY(gw_tokenizer_frame(tokenizer, &tokens->frame));
    GW_TRY(gw_encoder_new(tokenizer, &encoder));
    gw_status status = GW_OK;
    for (const char *letter = "NACGT"; status == GW_OK && *letter; letter++) { // N is what every other letter is
        const int32_t *token;
        int64_t count;
        status = gw_encode(encoder, letter, 1, &token, &count);
        if (status == GW_OK && count != 1)
            status = gw_fail(GW_ERR_UNSUPPORTED, "the tokenizer makes %lld tokens of %c", (long long)count, *letter);
        for (int c = 0; status == GW_OK && c < 256; c++)
            if (*letter == 'N' || toupper(c) == *letter) tokens->of[c] = token[0];
    }
    gw_encoder_free(encoder);
    return status;
}

int64_t gw_base_tokens_append(const gw_base_tokens *tokens, gw_rows *stream, const gw_frame *frame, const char *bases,
                              int64_t count) {
    const int64_t row = stream->count + frame->begins;
    if (frame->begins > 0) stream->token[stream->count] = frame->before[0];
    for (int64_t i = 0; i < count; i++) stream->token[row + i] = tokens->of[(unsigned char)bases[i]];
    if (frame->ends > 0) stream->token[row + count] = frame->after[0];
    stream->count += count + gw_frame_tokens(frame);
    gw_rows_end_sequence(stream);
    return row;
}

// --- masks ----------------------------------------------------------------------------------------------------------
//
// Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S): of the `left` candidates still to come, `wanted` are to be
// chosen, so the next one is with probability wanted / left. One pass, in ascending order. A word of several tokens is
// a candidate like one token, so that each token is as likely to be chosen as without words.

gw_status gw_masker_make(gw_masker *masker, const gw_tokenizer *tokenizer, double rate) {
    const int32_t vocabulary = gw_tokenizer_size(tokenizer);
    *masker = (gw_masker){.vocabulary = vocabulary, .rate = rate};
    GW_TRY(gw_tokenizer_need(tokenizer, GW_SPECIAL_MASK, &masker->mask));
    masker->maskable = gw_alloc(vocabulary, sizeof *masker->maskable);
    masker->ordinary = gw_alloc(vocabulary, sizeof *masker->ordinary);
    if (!masker->maskable || !masker->ordinary) {
        gw_masker_free(masker);
        return GW_ERR_MEMORY;
    }
    for (int32_t token = 0; token < vocabulary; token++) {
        masker->maskable[token] =
            gw_tokenizer_is_dna(tokenizer)
                ? gw_tokenizer_bases(tokenizer, token) > 0 && !gw_tokenizer_has_n(tokenizer, token)
                : !gw_tokenizer_is_special(tokenizer, token) && gw_tokenizer_text(tokenizer, token)[0];
        if (masker->maskable[token]) masker->ordinary[masker->ordinary_count++] = token;
    }
    return GW_OK;
}

gw_status gw_masker_take_words(gw_masker *masker, const gw_tokenizer *tokenizer) {
    static const char *const marks[] = {"##", "\xC4\xA0", "\xE2\x96\x81"};
    int64_t found[3] = {0};
    for (int32_t i = 0; i < masker->ordinary_count; i++)
        for (int m = 0; m < 3; m++)
            found[m] += gw_has_prefix(gw_tokenizer_text(tokenizer, masker->ordinary[i]), marks[m]);
    const int mark = found[0] >= found[1] ? found[0] >= found[2] ? 0 : 2 : found[1] >= found[2] ? 1 : 2;
    if (found[mark] == 0 || gw_tokenizer_is_dna(tokenizer))
        return gw_fail(GW_ERR_UNSUPPORTED, "whole words: no token of the vocabulary shows where a word begins");
    masker->continues = gw_alloc(masker->vocabulary, sizeof *masker->continues);
    if (!masker->continues) return GW_ERR_MEMORY;
    for (int32_t i = 0; i < masker->ordinary_count; i++) {
        const int32_t token = masker->ordinary[i];
        masker->continues[token] = gw_has_prefix(gw_tokenizer_text(tokenizer, token), marks[mark]) == (mark == 0);
    }
    return GW_OK;
}

void gw_masker_free(gw_masker *masker) {
    free(masker->continues);
    free(masker->maskable);
    free(masker->ordinary);
    *masker = (gw_masker){0};
}

int64_t gw_mask_most(const gw_masker *masker, int64_t count) {
    const int64_t most = (int64_t)(masker->rate * (double)count + 0.5);
    return most > 1 ? most : 1;
}

// Tokens of the word that begins at the first of token[count].
static int64_t word_length(const gw_masker *masker, const int32_t *token, int64_t count) {
    int64_t length = 1;
    while (masker->continues && length < count && gw_maskable(masker, token[length]) &&
           masker->continues[token[length]])
        length++;
    return length;
}

int64_t gw_mask(const gw_masker *masker, gw_random *random, int32_t *token, int64_t count, int32_t *row,
                int32_t *label) {
    int64_t left = 0, chosen = 0;
    for (int64_t i = 0; i < count; i++) left += gw_maskable(masker, token[i]);
    if (left == 0) return 0;
    const int64_t wanted = gw_mask_most(masker, left);
    for (int64_t i = 0, next; i < count && chosen < wanted; i = next) {
        next = i + 1;
        if (!gw_maskable(masker, token[i])) continue;
        next = i + word_length(masker, token + i, count - i);
        const bool take = gw_random_below(random, (uint64_t)left) < (uint64_t)(wanted - chosen);
        left -= next - i;
        if (!take || next - i > wanted - chosen) continue;
        for (int64_t t = i; t < next; t++) {
            row[chosen] = (int32_t)t;
            label[chosen++] = token[t];
            const uint64_t draw = gw_random_below(random, 10); // eight masked, one another token, one as it is
            if (draw < 8) token[t] = masker->mask;
            else if (draw == 8) token[t] = masker->ordinary[gw_random_below(random, (uint64_t)masker->ordinary_count)];
        }
    }
    return chosen;
}

// --- pairs ----------------------------------------------------------------------------------------------------------
//
// Appends examples to a batch: tokens and segments to its stream, masked rows and pair labels to its row sets.

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

// Appends the global tokens of a pair as a sequence of them.
static void list_globals(const gw_example_format *format, const gw_pack *pack, const gw_pair *pair, gw_rows *globals) {
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

void gw_example_append(const gw_example_format *format, gw_batch *batch, const gw_pack *pack, const gw_pair *pair) {
    gw_rows *stream = &batch->of[format->tokens];
    assert(gw_example_fits(format, batch, gw_example_size_of(format, pack, pair)));
    append_special(stream, format->classifier, 0);
    append_span(format, stream, pack, pair->a, 0);
    if (pair->b.count > 0) append_span(format, stream, pack, pair->b, format->one_segment ? 0 : 1);
    if (format->most_globals > 0) list_globals(format, pack, pair, &batch->of[format->globals]);
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

// --- sentences that are predicted -----------------------------------------------------------------------------------
//
// Draws sentences by Floyd's choice of distinct numbers, masks them, and appends them.

enum { PERCENT = 15 };

int64_t gw_contrast_most(const gw_example_format *format) {
    return format->most_globals * PERCENT / 100 + 1;
}

gw_status gw_contrast_make(gw_contrast *contrast, const gw_example_format *format, int64_t most) {
    *contrast = (gw_contrast){.most = most};
    GW_TRY(gw_rows_make(&contrast->globals, format->most_globals, 1, GW_WITH_TOKEN | GW_WITH_SPAN));
    contrast->chosen = gw_alloc(gw_contrast_most(format), sizeof *contrast->chosen);
    contrast->tokens = gw_alloc(most, sizeof *contrast->tokens);
    return contrast->chosen && contrast->tokens ? GW_OK : GW_ERR_MEMORY;
}

void gw_contrast_free(gw_contrast *contrast) {
    free(contrast->globals.start);
    free(contrast->globals.token);
    free(contrast->globals.begin);
    free(contrast->globals.end);
    free(contrast->chosen);
    free(contrast->tokens);
    *contrast = (gw_contrast){0};
}

static int64_t tokens_of(const gw_rows *globals, int64_t g) {
    return globals->end[g] - globals->begin[g];
}

// Puts a number among the chosen ones, in order; false where it is there.
static bool put(gw_contrast *contrast, int64_t number) {
    int64_t at = contrast->count;
    while (at > 0 && contrast->chosen[at - 1] >= number) at--;
    if (at < contrast->count && contrast->chosen[at] == number) return false;
    memmove(contrast->chosen + at + 1, contrast->chosen + at,
            (size_t)(contrast->count - at) * sizeof *contrast->chosen);
    contrast->chosen[at] = number;
    contrast->count++;
    return true;
}

void gw_contrast_draw(gw_contrast *contrast, const gw_example_format *format, const gw_pack *pack, const gw_pair *pair,
                      gw_random *random, gw_example_size *size) {
    gw_rows *globals = &contrast->globals;
    globals->count = globals->sequences = 0;
    list_globals(format, pack, pair, globals);
    const int64_t first = globals->count > 0 && globals->begin[0] < 0, sentences = globals->count - first,
                  wanted = sentences < GW_CONTRAST_SENTENCES ? 0 : (sentences * PERCENT + 50) / 100;
    contrast->count = 0;
    for (int64_t last = sentences - wanted; last < sentences; last++) {
        const int64_t drawn = (int64_t)gw_random_below(random, (uint64_t)last + 1);
        if (!put(contrast, first + drawn)) put(contrast, first + last);
    }
    for (int64_t i = 0; i < contrast->count; i++) {
        size->tokens += tokens_of(globals, contrast->chosen[i]) + GW_PAIR_SPECIALS;
        size->globals += 2;
    }
    size->contrasts += contrast->count;
    size->sequences += contrast->count;
}

void gw_contrast_mask(gw_contrast *contrast, const gw_example_format *format, gw_batch *batch, int32_t mask) {
    gw_rows *stream = &batch->of[format->tokens], *globals = &batch->of[format->globals],
            *predicted = &batch->of[format->predicted];
    const int64_t first = stream->start[stream->sequences - 1], first_global = globals->start[globals->sequences - 1];
    memcpy(contrast->tokens, stream->token + first, (size_t)(stream->count - first) * sizeof *contrast->tokens);
    for (int64_t i = 0; i < contrast->count; i++) {
        const int64_t g = first_global + contrast->chosen[i];
        for (int64_t at = globals->begin[g]; at < globals->end[g]; at++) stream->token[first + at] = mask;
        globals->token[g] = mask;
        predicted->row[predicted->count] = (int32_t)g;
        predicted->label[predicted->count] = (int32_t)predicted->count;
        predicted->count++;
    }
}

// Appends a sentence in a frame, with its global token as the last one: no pair, and nothing masked.
static void append_sentence(const gw_example_format *format, gw_batch *batch, const int32_t *tokens, int64_t count) {
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

void gw_contrast_append(const gw_contrast *contrast, const gw_example_format *format, gw_batch *batch) {
    gw_rows *encoded = &batch->of[format->encoded];
    for (int64_t i = 0; i < contrast->count; i++) {
        const int64_t g = contrast->chosen[i];
        append_sentence(format, batch, contrast->tokens + contrast->globals.begin[g], tokens_of(&contrast->globals, g));
        encoded->row[encoded->count++] = (int32_t)batch->of[format->globals].count - 1;
    }
}
