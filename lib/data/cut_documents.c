// SPDX-License-Identifier: MIT
// Everything is done in the coordinates of the strand that is read. Forward position p is L - p on the other strand, so
// that the stretch [begin, end) becomes [L - end, L - begin).
#include "data/cut_documents.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t begin, end;
} stretch;

typedef struct {
    stretch *items; // between long runs of N, ascending
    int64_t count, capacity;
} stretches;

static gw_status add(stretches *list, int64_t begin, int64_t end) {
    if (begin == end) return GW_OK;
    GW_TRY(gw_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items));
    list->items[list->count++] = (stretch){begin, end};
    return GW_OK;
}

static gw_status find_stretches(stretches *list, const char *bases, int64_t length) {
    int64_t begin = 0, at = 0;
    while (at < length) {
        const char *found = memchr(bases + at, 'N', (size_t)(length - at));
        if (!found) break;
        const int64_t run = found - bases;
        at = run;
        while (at < length && bases[at] == 'N') at++;
        if (at - run <= GW_LONG_N_RUN) continue;
        GW_TRY(add(list, begin, run));
        begin = at;
    }
    return add(list, begin, length);
}

typedef struct {
    const gw_cut_options *options;
    gw_cut_sink sink;
    void *context;
    int64_t length;
    gw_random random;
    char strand;
} cutter;

static int64_t draw(cutter *c, const int64_t range[2]) {
    return gw_random_between(&c->random, range[0], range[1]);
}

// Documents from `at` to the end of the stretch, both on the strand that is read.
static gw_status cut_stretch(cutter *c, int64_t at, int64_t end) {
    while (at < end) {
        const int64_t sentences = draw(c, c->options->sentences);
        for (int64_t i = 0; i < sentences && at < end; i++) {
            const int64_t length = draw(c, c->options->sentence_length), stop = length < end - at ? at + length : end;
            const bool forward = c->strand == '+';
            const gw_cut cut = {.begin = forward ? at : c->length - stop,
                                .end = forward ? stop : c->length - at,
                                .strand = c->strand,
                                .first = i == 0};
            GW_TRY(c->sink(c->context, &cut));
            at = stop;
        }
    }
    return GW_OK;
}

static gw_status cut_once(cutter *c, const stretches *list) {
    const int64_t start = gw_random_between(&c->random, 0, c->options->max_offset);
    for (int64_t i = 0; i < list->count; i++) {
        const bool forward = c->strand == '+';
        const stretch s = list->items[forward ? i : list->count - 1 - i];
        const int64_t begin = forward ? s.begin : c->length - s.end, end = forward ? s.end : c->length - s.begin;
        GW_TRY(cut_stretch(c, begin > start ? begin : start, end));
    }
    return GW_OK;
}

gw_status gw_cut_documents(const gw_cut_options *options, const char *bases, int64_t length, uint64_t contig,
                           gw_cut_sink sink, void *context) {
    stretches list = {0};
    cutter c = {.options = options, .sink = sink, .context = context, .length = length};
    gw_status status = find_stretches(&list, bases, length);
    const int strands = options->both_strands ? 2 : 1;
    for (int64_t pass = 0; status == GW_OK && pass < 2 * options->repeats; pass++) {
        if (pass % 2 >= strands) continue;
        c.random = gw_random_at(options->seed, GW_SITE_CORPUS, contig, (uint32_t)pass);
        c.strand = pass % 2 ? '-' : '+';
        status = cut_once(&c, &list);
        if (status == GW_OK) status = gw_check_interrupt();
    }
    free(list.items);
    return status;
}
