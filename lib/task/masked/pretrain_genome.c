// SPDX-License-Identifier: MIT
// Draws windows by their numbers in the run, and masks them.
#include "task/masked/pretrain_genome.h"

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
    char *bases;               // of a window
    gw_batch batch, one;       // `one` has room for one example
    int64_t examples;          // of a step
    gw_network_options limits; // of `batch`
} pretrain_genome;

static void close_genome(void *context) {
    pretrain_genome *genome = context;
    gw_batch_free(&genome->batch);
    gw_batch_free(&genome->one);
    free(genome->bases);
    gw_masker_free(&genome->masker);
    gw_genome_windows_free(&genome->windows);
    free(genome);
}

// A sequence's masks are rounded up by less than one.
static void set_limits(pretrain_genome *genome) {
    const int64_t length = genome->options.length;
    int64_t tokens = length > GW_PRETRAIN_PASS_TOKENS ? length : GW_PRETRAIN_PASS_TOKENS;
    if (tokens > genome->examples * length) tokens = genome->examples * length;
    const int64_t most = tokens / (GW_BASE_SPECIALS + 1), sequences = most < genome->examples ? most : genome->examples;
    genome->limits = (gw_network_options){
        .tokens = tokens, .sequences = sequences, .masked = gw_mask_most(&genome->masker, tokens) + sequences};
}

static gw_status make_batch(gw_batch *batch, int64_t tokens, int64_t sequences, int64_t masked) {
    GW_TRY(gw_rows_make(&batch->of[GW_ROWS_TOKENS], tokens, sequences, GW_WITH_TOKEN));
    return gw_rows_make(&batch->of[GW_ROWS_MASKED], masked, 0, GW_WITH_ROW | GW_WITH_LABEL);
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

// A species' own token stands in the place of [CLS].
static gw_frame frame_of(const pretrain_genome *genome, const gw_text_region *region) {
    gw_frame frame = genome->tokens.frame;
    if (!genome->options.species || region->genome == 0) return frame;
    frame.before[0] = (int32_t)gw_species_vocabulary(genome->options.tokenizer, region->genome);
    frame.begins = 1;
    return frame;
}

static int64_t count(const void *context, int64_t step) {
    (void)step;
    return ((const pretrain_genome *)context)->examples;
}

static bool append(pretrain_genome *genome, gw_batch *batch, int64_t example) {
    const gw_genome_window window = gw_genome_window_draw(&genome->windows, example);
    if (!gw_rows_fit(&batch->of[GW_ROWS_TOKENS], window.count + GW_BASE_SPECIALS)) return false;
    gw_genome_window_read(genome->options.text, window, genome->bases);
    const gw_frame frame = frame_of(genome, window.region);
    const int64_t first =
        gw_base_tokens_append(&genome->tokens, &batch->of[GW_ROWS_TOKENS], &frame, genome->bases, window.count);
    mask_window(genome, batch, first, window.count, example);
    return true;
}

static gw_status add(void *context, int64_t step, int64_t i, bool *full) {
    pretrain_genome *genome = context;
    *full = !append(genome, &genome->batch, step * genome->examples + i);
    return GW_OK;
}

// How many bases are masked, and count, is known once they are.
static gw_status labels(void *context, int64_t step, int64_t i, int64_t *labels) {
    pretrain_genome *genome = context;
    gw_batch_clear(&genome->one);
    append(genome, &genome->one, step * genome->examples + i);
    labels[GW_ROWS_MASKED] += genome->one.of[GW_ROWS_MASKED].count;
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
    set_limits(genome);
    if (!genome->bases) return GW_ERR_MEMORY;
    GW_TRY(make_batch(&genome->one, o->length, 1, gw_mask_most(&genome->masker, o->length)));
    return make_batch(&genome->batch, genome->limits.tokens, genome->limits.sequences, genome->limits.masked);
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
    out->mean_tokens = (double)(length + GW_BASE_SPECIALS);
    out->examples = (gw_examples){.self = genome,
                                  .batch = &genome->batch,
                                  .limits = genome->limits,
                                  .sequences = genome->examples,
                                  .count = count,
                                  .add = add,
                                  .labels = labels,
                                  .free = close_genome};
    return GW_OK;
}
