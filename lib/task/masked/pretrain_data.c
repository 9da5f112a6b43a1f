// SPDX-License-Identifier: MIT
// The data of pretraining as examples, made from their numbers in the run: chunks of token shards, or windows of
// genomes.
#include "task/masked/pretrain_data.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "data/batch.h"
#include "data/shuffle.h"
#include "file/digest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- the tokenizer beside token shards

gw_status gw_shard_tokenizer(const char *prefix, const gw_tokenizer *expected, gw_tokenizer **out) {
    *out = NULL;
    char *path = gw_strprintf("%s.tokenizer.json", prefix);
    gw_tokenizer *found = NULL;
    gw_status status = path ? gw_tokenizer_load(path, &found) : GW_ERR_MEMORY;
    const int32_t size = expected ? gw_tokenizer_size(expected) : 0;
    if (status == GW_OK && expected && gw_tokenizer_size(found) != size)
        status = gw_fail(GW_ERR_MISMATCH, "%s: another vocabulary: found %d tokens, expected %d", path,
                         gw_tokenizer_size(found), size);
    for (int32_t token = 0; status == GW_OK && token < size; token++)
        if (strcmp(gw_tokenizer_text(found, token), gw_tokenizer_text(expected, token)) != 0)
            status = gw_fail(GW_ERR_MISMATCH, "%s: another vocabulary: token %d is %s, expected %s", path, token,
                             gw_tokenizer_text(found, token), gw_tokenizer_text(expected, token));
    if (status == GW_OK) *out = found;
    else gw_tokenizer_free(found);
    free(path);
    return status;
}

// --- token shards

enum {
    PASS_TOKENS = 8192,          // of a batch, where a sequence is no longer
    SAMPLED_SENTENCES = 1 << 14, // for the digest and the mean bases of a token
    LEAST_TOKENS = 2             // of a chunk: one for A, one for B
};

const gw_example_format gw_pretrain_format = {.tokens = GW_ROWS_TOKENS,
                                              .masked = GW_ROWS_MASKED,
                                              .pairs = GW_ROWS_FIRST,
                                              .globals = GW_ROWS_GLOBALS,
                                              .predicted = GW_ROWS_PREDICTED,
                                              .encoded = GW_ROWS_ENCODED};

typedef struct {
    gw_pretrain_data_options options;
    gw_shards **shards; // [count]
    gw_tokenizer *tokenizer;
    gw_pack *pack;
    gw_pair_maker *pairs;
    gw_masker masker;
    gw_example_format format;
    gw_contrast contrast;
    gw_batch batch, one; // `one` has room for one example
    int64_t examples;    // of a step
    bool alone;          // chunks are not cut in two
    double mean_bases, mean_tokens;
    char digest[33];
} pretrain_data;

// Adds a sentence to the digest, and its tokens and bases to the sums.
static gw_status sample_sentence(pretrain_data *data, int index, int64_t sentence, gw_md5 *md5, int64_t sums[2]) {
    const int64_t count = gw_shards_sentence_length(data->shards[index], sentence);
    int32_t *tokens = gw_alloc(count, sizeof *tokens);
    if (!tokens) return GW_ERR_MEMORY;
    gw_shards_read(data->shards[index], sentence, 0, count, tokens);
    gw_md5_add(md5, tokens, count * (int64_t)sizeof *tokens);
    gw_status status = GW_OK;
    const int32_t size = gw_tokenizer_size(data->tokenizer);
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        if (tokens[i] < 0 || tokens[i] >= size)
            status = gw_fail(GW_ERR_MISMATCH, "%s.bin holds token %d, but its tokenizer has %d tokens",
                             data->options.prefixes[index], tokens[i], size);
        else sums[1] += gw_tokenizer_bases(data->tokenizer, tokens[i]);
    }
    sums[0] += count;
    free(tokens);
    return status;
}

static gw_status sample_shards(pretrain_data *data, gw_md5 *md5, int64_t sums[2]) {
    for (int index = 0; index < data->options.count; index++) {
        const gw_shards *shards = data->shards[index];
        const int64_t sentences = gw_shards_sentences(shards);
        const int64_t sizes[3] = {gw_shards_documents(shards), sentences, gw_shards_tokens(shards)};
        gw_md5_add(md5, sizes, sizeof sizes);
        const int64_t samples = gw_min(sentences, SAMPLED_SENTENCES);
        for (int64_t i = 0; i < samples; i++)
            GW_TRY(sample_sentence(data, index, (int64_t)((double)sentences * (double)i / (double)samples), md5, sums));
    }
    return GW_OK;
}

// Tokens of one example: predicted sentences stand there twice.
static int64_t longest(const pretrain_data *data) {
    const int64_t length = data->options.length;
    return data->format.most_contrasts > 0 ? 2 * length + data->format.most_contrasts * GW_PAIR_SPECIALS : length;
}

static gw_network_options limits_of(const pretrain_data *data) {
    const int64_t length = longest(data), all = data->examples * length;
    const int64_t tokens = gw_min(gw_max(length, PASS_TOKENS), all);
    const int64_t sequences = data->examples * (1 + data->format.most_contrasts);
    return (gw_network_options){.tokens = tokens,
                                .sequences = gw_min(tokens / (LEAST_TOKENS + GW_PAIR_SPECIALS), sequences),
                                .masked = gw_mask_most(&data->masker, tokens),
                                .globals = gw_example_most_globals(&data->format, tokens),
                                .contrasts = gw_example_most_contrasts(&data->format, tokens)};
}

static gw_status make_pack(pretrain_data *data) {
    const gw_pretrain_data_options *o = &data->options;
    const int64_t capacity = o->length - GW_PAIR_SPECIALS;
    if (o->contrast > 0)
        return gw_pack_of_sentences(data->shards, o->count, capacity, LEAST_TOKENS, GW_CONTRAST_SENTENCES, &data->pack);
    if (data->alone && o->globals == 0)
        return gw_pack_joined(data->shards, o->count, capacity, LEAST_TOKENS, data->format.separator, &data->pack);
    return gw_pack_new(data->shards, o->count, capacity, LEAST_TOKENS, &data->pack);
}

static gw_status open_all(pretrain_data *data) {
    const gw_pretrain_data_options *o = &data->options;
    const int64_t capacity = o->length - GW_PAIR_SPECIALS;
    if (capacity < LEAST_TOKENS)
        return gw_fail(GW_ERR_RANGE, "sequences of %lld tokens cannot hold a pair; at least %d are needed",
                       (long long)o->length, GW_PAIR_SPECIALS + LEAST_TOKENS);
    data->shards = gw_alloc(o->count, sizeof *data->shards);
    if (!data->shards) return GW_ERR_MEMORY;
    for (int i = 0; i < o->count; i++) {
        gw_tokenizer *tokenizer;
        GW_TRY(gw_shards_open(o->prefixes[i], &data->shards[i]));
        GW_TRY(gw_shard_tokenizer(o->prefixes[i], data->tokenizer, &tokenizer));
        if (!data->tokenizer) data->tokenizer = tokenizer;
        else gw_tokenizer_free(tokenizer);
    }
    int64_t sums[2] = {0};
    gw_md5 *md5;
    GW_TRY(gw_md5_start(&md5));
    const gw_status sampled = sample_shards(data, md5, sums);
    gw_md5_finish_hex(md5, data->digest);
    GW_TRY(sampled);
    data->mean_bases = sums[0] > 0 ? (double)sums[1] / (double)sums[0] : 0;
    data->alone = data->options.alone && !gw_tokenizer_is_dna(data->tokenizer);
    data->format = gw_pretrain_format;
    data->format.one_segment = o->one_segment;
    data->format.most_globals = o->globals;
    GW_TRY(gw_example_format_make(&data->format, data->tokenizer));
    if (o->contrast > 0) {
        data->format.most_contrasts = gw_contrast_most(&data->format);
        GW_TRY(gw_contrast_make(&data->contrast, &data->format, o->length));
    }
    const gw_status status = make_pack(data);
    if (status != GW_OK) return gw_fail_in(status, "%s", o->prefixes[0]);
    GW_TRY(gw_masker_make(&data->masker, data->tokenizer, o->mask_rate));
    if (o->whole_words) GW_TRY(gw_masker_take_words(&data->masker, data->tokenizer));
    GW_TRY(gw_pair_maker_new(data->pack, data->tokenizer, o->seed, &data->pairs));
    data->mean_tokens = gw_pack_mean_chunk(data->pack) + GW_PAIR_SPECIALS;
    data->examples = llround((double)o->tokens_per_step / data->mean_tokens);
    data->examples = gw_max(data->examples, 1);
    const gw_network_options limits = limits_of(data);
    const int64_t tokens = longest(data);
    GW_TRY(gw_example_batch_make(&data->format, &data->one, 1 + data->format.most_contrasts, tokens,
                                 gw_mask_most(&data->masker, tokens)));
    return gw_example_batch_make(&data->format, &data->batch, limits.sequences, limits.tokens, limits.masked);
}

static void close_data(void *context) {
    pretrain_data *data = context;
    gw_batch_free(&data->batch);
    gw_batch_free(&data->one);
    gw_contrast_free(&data->contrast);
    gw_masker_free(&data->masker);
    gw_pair_maker_free(data->pairs);
    gw_pack_free(data->pack);
    for (int i = 0; data->shards && i < data->options.count; i++) gw_shards_close(data->shards[i]);
    free(data->shards);
    gw_tokenizer_free(data->tokenizer);
    free(data);
}

static int64_t count_chunk(const void *context, int64_t step) {
    (void)step;
    return ((const pretrain_data *)context)->examples;
}

static gw_status append_chunk(pretrain_data *data, gw_batch *batch, int64_t example, bool *full) {
    const int64_t chunks = gw_pack_chunks(data->pack);
    const int64_t chunk = gw_shuffle(data->options.seed, (uint64_t)(example / chunks), chunks, example % chunks);
    gw_random random = gw_random_at(data->options.seed, GW_SITE_MASK, (uint64_t)example, 0);
    gw_pair pair;
    if (data->alone) pair = (gw_pair){.a = gw_pack_chunk(data->pack, chunk)};
    else GW_TRY(gw_pair_draw(data->pairs, GW_SITE_PAIR, example, chunk, &pair));
    gw_example_size size = gw_example_size_of(&data->format, data->pack, &pair);
    gw_random sentences = gw_random_at(data->options.seed, GW_SITE_MASK, (uint64_t)example, 1);
    size.masked = gw_mask_most(&data->masker, size.tokens);
    if (data->options.contrast > 0)
        gw_contrast_draw(&data->contrast, &data->format, data->pack, &pair, &sentences, &size);
    *full = !gw_example_fits(&data->format, batch, size);
    if (*full) return GW_OK;
    gw_example_append(&data->format, batch, data->pack, &pair);
    if (data->options.contrast > 0) gw_contrast_mask(&data->contrast, &data->format, batch, data->masker.mask);
    gw_example_mask(&data->format, batch, &data->masker, &random);
    if (data->options.contrast > 0) gw_contrast_append(&data->contrast, &data->format, batch);
    return GW_OK;
}

static gw_status add_chunk(void *context, int64_t step, int64_t i, bool *full) {
    pretrain_data *data = context;
    return append_chunk(data, &data->batch, step * data->examples + i, full);
}

// How many tokens are masked is known once they are.
static gw_status label_chunk(void *context, int64_t step, int64_t i, int64_t *labels) {
    pretrain_data *data = context;
    bool full;
    gw_batch_clear(&data->one);
    GW_TRY(append_chunk(data, &data->one, step * data->examples + i, &full));
    labels[GW_ROWS_MASKED] += data->one.of[GW_ROWS_MASKED].count;
    labels[GW_ROWS_PREDICTED] += data->one.of[GW_ROWS_PREDICTED].count;
    labels[GW_ROWS_FIRST]++;
    return GW_OK;
}

gw_status gw_pretrain_data_open(const gw_pretrain_data_options *options, gw_pretrain_source *out) {
    *out = (gw_pretrain_source){0};
    pretrain_data *data = gw_alloc(1, sizeof *data);
    if (!data) return GW_ERR_MEMORY;
    data->options = *options;
    const gw_status status = open_all(data);
    if (status != GW_OK) {
        close_data(data);
        return status;
    }
    *out = (gw_pretrain_source){.tokenizer = data->tokenizer,
                                .mean_bases = data->mean_bases,
                                .epoch = gw_pack_chunks(data->pack),
                                .mean_tokens = data->mean_tokens,
                                .examples = {.self = data,
                                             .batch = &data->batch,
                                             .limits = limits_of(data),
                                             .sequences = data->examples,
                                             .count = count_chunk,
                                             .add = add_chunk,
                                             .labels = label_chunk,
                                             .free = close_data}};
    out->examples.weight[GW_ROWS_PREDICTED] = (float)options->contrast;
    out->examples.weight[GW_ROWS_MASKED] = (float)(1 - options->contrast);
    memcpy(out->digest, data->digest, sizeof out->digest);
    return GW_OK;
}

// --- windows of genomes

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
    return gw_tokenizer_size(tokenizer) + gw_max(genomes - 1, 0);
}

static int64_t count_window(const void *context, int64_t step) {
    (void)step;
    return ((const pretrain_genome *)context)->examples;
}

static bool append_window(pretrain_genome *genome, gw_batch *batch, int64_t example) {
    const gw_genome_window window = gw_genome_window_draw(&genome->windows, example);
    if (!gw_rows_fit(&batch->of[GW_ROWS_TOKENS], window.count + GW_BASE_SPECIALS)) return false;
    gw_genome_window_read(genome->options.text, window, genome->bases);
    gw_frame frame = genome->tokens.frame;
    if (genome->options.species && window.region->genome > 0) { // its own token stands in the place of [CLS]
        frame.before[0] = (int32_t)gw_species_vocabulary(genome->options.tokenizer, window.region->genome);
        frame.begins = 1;
    }
    const int64_t first =
        gw_base_tokens_append(&genome->tokens, &batch->of[GW_ROWS_TOKENS], &frame, genome->bases, window.count);
    mask_window(genome, batch, first, window.count, example);
    return true;
}

static gw_status add_window(void *context, int64_t step, int64_t i, bool *full) {
    pretrain_genome *genome = context;
    *full = !append_window(genome, &genome->batch, step * genome->examples + i);
    return GW_OK;
}

// How many bases are masked, and count, is known once they are.
static gw_status label_window(void *context, int64_t step, int64_t i, int64_t *labels) {
    pretrain_genome *genome = context;
    gw_batch_clear(&genome->one);
    append_window(genome, &genome->one, step * genome->examples + i);
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
    genome->examples = gw_max(genome->examples, 1);
    const int64_t tokens = gw_min(gw_max(o->length, PASS_TOKENS), genome->examples * o->length);
    const int64_t sequences = gw_min(tokens / (GW_BASE_SPECIALS + 1), genome->examples);
    genome->limits = (gw_network_options){.tokens = tokens,
                                          .sequences = sequences,
                                          .masked = gw_mask_most(&genome->masker, tokens) +
                                                    sequences}; // each is rounded up by less than one
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
                                  .count = count_window,
                                  .add = add_window,
                                  .labels = label_window,
                                  .free = close_genome};
    return GW_OK;
}
