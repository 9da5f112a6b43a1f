// SPDX-License-Identifier: MIT
// A window's letters and classes go into the stream of tokens, those of the - strand in reverse.
#include "task/bases/base_examples.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    const gw_base_set *set;
    gw_base_examples_options options;
    gw_batch batch;
    int32_t letter[256];
    gw_frame frame;
    char *bases, *flipped; // [longest window with its flanks]
    int32_t *class;        // [longest window]
    int64_t classes;
    float *number; // [tokens of a batch][classes] where classes overlap; else NULL
} base_examples;

static void free_examples(void *self) {
    base_examples *e = self;
    gw_batch_free(&e->batch);
    free(e->bases);
    free(e->flipped);
    free(e->class);
    free(e->number);
    free(e);
}

static int64_t count(const void *self, int64_t step) {
    return gw_epochs_count(&((const base_examples *)self)->options.order, step);
}

// The example's window, at the place that is drawn for it, which lies on the contig.
static gw_region draw_window(const base_examples *e, int64_t step, int64_t i) {
    const gw_epochs *order = &e->options.order;
    gw_region window = gw_base_set_window(e->set, gw_epochs_at(order, step, i));
    const int64_t reach = e->options.shift, length = gw_genome_length(e->set->genome, window.contig);
    if (reach == 0) return window;
    gw_random random = gw_random_at(order->seed, GW_SITE_AUGMENT, (uint64_t)gw_epochs_number(order, step, i), 0);
    int64_t shift = (int64_t)gw_random_below(&random, (uint64_t)(2 * reach + 1)) - reach;
    if (shift < -window.begin) shift = -window.begin;
    if (shift > length - window.end) shift = length - window.end;
    window.begin += shift, window.end += shift;
    return window;
}

// label: as the set's classes fill it; -1: none is known.
static void put(base_examples *e, int32_t token, int32_t label) {
    gw_rows *tokens = &e->batch.of[GW_ROWS_TOKENS];
    float *number = e->number ? e->number + tokens->count * e->classes : NULL;
    for (int64_t c = 0; number && c < e->classes; c++)
        number[c] = label < 0 ? NAN : (float)gw_base_has_class(true, label, c);
    tokens->token[tokens->count] = token;
    tokens->label[tokens->count++] = label;
}

static void put_frame(base_examples *e, const int32_t *special, int64_t specials) {
    for (int64_t i = 0; i < specials; i++) put(e, special[i], -1);
}

static void put_window(base_examples *e, const gw_region *window, const char *bases) {
    const int64_t flank = e->options.flank, length = window->end - window->begin;
    put_frame(e, e->frame.before, e->frame.begins);
    for (int64_t i = 0; i < length + 2 * flank; i++) {
        const int64_t at = i - flank, base = window->strand == '-' ? length - 1 - at : at;
        put(e, e->letter[(unsigned char)bases[i]], at < 0 || at >= length ? -1 : e->class[base]);
    }
    put_frame(e, e->frame.after, e->frame.ends);
    gw_rows_end_sequence(&e->batch.of[GW_ROWS_TOKENS]);
}

static gw_status add(void *self, int64_t step, int64_t i, bool *full) {
    base_examples *e = self;
    const gw_region window = draw_window(e, step, i);
    const int64_t flank = e->options.flank, length = window.end - window.begin + 2 * flank;
    const char *bases = e->bases;
    *full = !gw_rows_fit(&e->batch.of[GW_ROWS_TOKENS], length + gw_frame_tokens(&e->frame));
    if (*full) return GW_OK;
    GW_TRY(gw_base_fetch(e->set->genome, window.contig, window.begin - flank, window.end + flank, 0,
                         gw_genome_length(e->set->genome, window.contig), e->bases));
    if (window.strand == '-') {
        gw_reverse_complement(e->bases, length, e->flipped);
        bases = e->flipped;
    }
    gw_base_classes_fill(e->set->classes, window.contig, window.begin, window.end, window.strand, e->class);
    put_window(e, &window, bases);
    return GW_OK;
}

static gw_status labels(void *self, int64_t step, int64_t i, int64_t *labels) {
    const base_examples *e = self;
    const gw_region window = gw_base_set_window(e->set, gw_epochs_at(&e->options.order, step, i));
    labels[GW_ROWS_TOKENS] += (window.end - window.begin) * (e->number ? e->classes : 1);
    return GW_OK;
}

static gw_status make(base_examples *e, const gw_model *model, int64_t tokens) {
    const int64_t longest = gw_labelled_set_longest(e->set->set), all = longest + 2 * e->options.flank;
    e->bases = gw_alloc(all, 1);
    e->flipped = gw_alloc(all, 1);
    e->class = gw_alloc(longest, sizeof *e->class);
    if (!e->bases || !e->flipped || !e->class) return GW_ERR_MEMORY;
    gw_base_map_letters(model, e->letter);
    GW_TRY(gw_rows_make(&e->batch.of[GW_ROWS_TOKENS], tokens, e->options.order.batch, GW_WITH_TOKEN | GW_WITH_LABEL));
    e->classes = model->config.labels;
    if (!model->config.overlap) return GW_OK;
    e->number = gw_alloc(tokens * e->classes, sizeof *e->number);
    e->batch.of[GW_ROWS_TOKENS].number = e->number;
    return e->number ? GW_OK : GW_ERR_MEMORY;
}

static const gw_examples kind = {.count = count, .add = add, .labels = labels, .free = free_examples};

gw_status gw_base_examples_open(const gw_model *model, const gw_base_set *set, const gw_base_examples_options *options,
                                gw_examples *out) {
    *out = (gw_examples){0};
    gw_frame frame;
    GW_TRY(gw_base_frame(model, &frame));
    base_examples *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = (base_examples){.set = set, .options = *options, .frame = frame};
    const int64_t longest = gw_labelled_set_longest(set->set) + 2 * options->flank + gw_frame_tokens(&frame);
    const int64_t tokens = options->tokens > longest ? options->tokens : longest, sequences = options->order.batch;
    *out =
        gw_examples_of(&kind, e, &e->batch, (gw_network_options){.tokens = tokens, .sequences = sequences}, sequences);
    return gw_examples_made(out, make(e, model, tokens));
}
