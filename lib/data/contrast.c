// SPDX-License-Identifier: MIT
// Draws sentences by Floyd's choice of distinct numbers, masks them, and appends them.
#include "data/contrast.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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
    gw_example_list_globals(format, pack, pair, globals);
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

void gw_contrast_append(const gw_contrast *contrast, const gw_example_format *format, gw_batch *batch) {
    gw_rows *encoded = &batch->of[format->encoded];
    for (int64_t i = 0; i < contrast->count; i++) {
        const int64_t g = contrast->chosen[i];
        gw_example_append_sentence(format, batch, contrast->tokens + contrast->globals.begin[g],
                                   tokens_of(&contrast->globals, g));
        encoded->row[encoded->count++] = (int32_t)batch->of[format->globals].count - 1;
    }
}
