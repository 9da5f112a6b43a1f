// SPDX-License-Identifier: MIT
// Draws the windows of a step by their numbers, and packs and masks them.
#include "run/pretrain_genome.h"

#include "base/memory.h"
#include "base/random.h"
#include "data/base_tokens.h"
#include "data/genome_windows.h"
#include "data/mask.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    gw_pretrain_genome_options options;
    gw_genome_windows windows;
    gw_base_tokens tokens;
    gw_masker masker;
    char *bases; // of a window
    gw_pretrain_step step;
    int64_t examples; // of a step
    gw_network_options room;
} pretrain_genome;

static void close_genome(void *context) {
    pretrain_genome *genome = context;
    for (int64_t i = 0; i < genome->step.capacity; i++) gw_batch_free(&genome->step.batches[i]);
    free(genome->step.batches);
    free(genome->bases);
    gw_masker_free(&genome->masker);
    gw_genome_windows_free(&genome->windows);
    free(genome);
}

// A sequence's masks are rounded up by less than one.
static void set_room(pretrain_genome *genome) {
    const int64_t length = genome->options.length;
    int64_t tokens = length > GW_PRETRAIN_PASS_TOKENS ? length : GW_PRETRAIN_PASS_TOKENS;
    if (tokens > genome->examples * length) tokens = genome->examples * length;
    const int64_t most = tokens / (GW_BASE_SPECIALS + 1), sequences = most < genome->examples ? most : genome->examples;
    genome->room = (gw_network_options){
        .tokens = tokens, .sequences = sequences, .masked = gw_mask_most(&genome->masker, tokens) + sequences};
}

static gw_status next_batch(pretrain_genome *genome) {
    gw_pretrain_step *step = &genome->step;
    if (step->count == step->capacity) {
        int64_t capacity = step->capacity;
        GW_TRY(gw_reserve(&step->batches, &capacity, step->capacity + 1, sizeof *step->batches));
        gw_batch *batch = &step->batches[step->capacity++];
        *batch = (gw_batch){0};
        GW_TRY(gw_rows_make(&batch->of[GW_ROWS_TOKENS], genome->room.tokens, genome->room.sequences, GW_WITH_TOKEN));
        GW_TRY(gw_rows_make(&batch->of[GW_ROWS_MASKED], genome->room.masked, 0, GW_WITH_ROW | GW_WITH_LABEL));
    }
    gw_batch_clear(&step->batches[step->count++]);
    return GW_OK;
}

// Masks the bases of a window, which are the stream's rows from `first` on. Those of repeats stay masked, but only a
// share of them counts.
static void mask_window(pretrain_genome *genome, gw_batch *batch, int64_t first, int64_t count, int64_t example) {
    const double weight = genome->options.repeat_weight;
    gw_rows *masked = &batch->of[GW_ROWS_MASKED];
    int32_t *row = masked->row + masked->count, *label = masked->label + masked->count;
    gw_random random = gw_random_at(genome->options.seed, GW_SITE_MASK, (uint64_t)example, 0);
    gw_random counts = gw_random_at(genome->options.seed, GW_SITE_WINDOW, (uint64_t)example, 1);
    const int64_t chosen =
        gw_mask(&genome->masker, &random, batch->of[GW_ROWS_TOKENS].token + first, count, row, label);
    int64_t kept = 0;
    for (int64_t i = 0; i < chosen; i++) {
        const bool repeat = gw_text_is_repeat(genome->bases[row[i]]);
        if (repeat && (double)gw_random_uniform(&counts) >= weight) continue;
        row[kept] = row[i] + (int32_t)first;
        label[kept++] = label[i];
    }
    masked->count += kept;
}

int64_t gw_species_vocabulary(const gw_tokenizer *tokenizer, int genomes) {
    return gw_tokenizer_size(tokenizer) + (genomes > 1 ? genomes - 1 : 0);
}

static int32_t first_token(const pretrain_genome *genome, const gw_text_region *region) {
    if (!genome->options.species || region->genome == 0) return genome->tokens.classifier;
    return (int32_t)gw_species_vocabulary(genome->options.tokenizer, region->genome);
}

static gw_status add_example(pretrain_genome *genome, int64_t example) {
    const gw_genome_window window = gw_genome_window_draw(&genome->windows, example);
    gw_pretrain_step *step = &genome->step;
    const int64_t tokens = window.count + GW_BASE_SPECIALS;
    if (step->count == 0 || !gw_rows_fit(&step->batches[step->count - 1].of[GW_ROWS_TOKENS], tokens))
        GW_TRY(next_batch(genome));
    gw_batch *batch = &step->batches[step->count - 1];
    const int64_t before = batch->of[GW_ROWS_MASKED].count;
    gw_genome_window_read(genome->options.text, window, genome->bases);
    const int64_t first = gw_base_tokens_append(&genome->tokens, &batch->of[GW_ROWS_TOKENS],
                                                first_token(genome, window.region), genome->bases, window.count);
    mask_window(genome, batch, first, window.count, example);
    step->masked += batch->of[GW_ROWS_MASKED].count - before;
    step->tokens += tokens;
    return GW_OK;
}

static gw_status make_step(void *context, int64_t step, const gw_pretrain_step **out) {
    pretrain_genome *genome = context;
    genome->step.count = genome->step.masked = genome->step.tokens = 0;
    for (int64_t i = 0; i < genome->examples; i++) GW_TRY(add_example(genome, step * genome->examples + i));
    *out = &genome->step;
    return GW_OK;
}

static gw_status prepare(pretrain_genome *genome) {
    const gw_pretrain_genome_options *o = &genome->options;
    const int64_t length = o->length - GW_BASE_SPECIALS;
    if (length < 1)
        return gw_fail(GW_ERR_RANGE, "sequences of %lld tokens hold no base beside [CLS] and [SEP]",
                       (long long)o->length);
    GW_TRY(gw_genome_windows_make(&genome->windows, o->text, length, o->seed));
    GW_TRY(gw_base_tokens_make(&genome->tokens, o->tokenizer));
    GW_TRY(gw_masker_make(&genome->masker, o->tokenizer, o->mask_rate));
    genome->bases = gw_alloc(length, 1);
    genome->examples = llround((double)o->tokens_per_step / (double)o->length);
    if (genome->examples < 1) genome->examples = 1;
    set_room(genome);
    return genome->bases ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_pretrain_genome_open(const gw_pretrain_genome_options *options, gw_pretrain_source *out) {
    *out = (gw_pretrain_source){0};
    pretrain_genome *genome = gw_alloc(1, sizeof *genome);
    if (!genome) return GW_ERR_MEMORY;
    genome->options = *options;
    gw_status status = prepare(genome);
    if (status == GW_OK) status = gw_genome_text_digest(options->text, out->digest);
    if (status != GW_OK) {
        close_genome(genome);
        return status;
    }
    const int64_t length = genome->windows.length;
    int64_t bases = 0;
    for (int64_t r = 0; r < options->text->region_count; r++)
        bases += options->text->regions[r].end - options->text->regions[r].begin;
    out->tokenizer = options->tokenizer;
    out->mean_bases = 1;
    out->epoch = (bases + length - 1) / length;
    out->examples = genome->examples;
    out->mean_tokens = (double)(length + GW_BASE_SPECIALS);
    out->room = genome->room;
    out->data = genome;
    out->step = make_step;
    out->close = close_genome;
    return GW_OK;
}
