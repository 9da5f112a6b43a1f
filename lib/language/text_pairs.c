// SPDX-License-Identifier: MIT
// Converts rows to tokens, one file after another. In a batch, a source is a sequence of the tokens' stream, and its
// target is a sequence of the target's stream, shifted by one token.
#include "language/text_pairs.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/string.h"
#include "file/table.h"
#include "run/step.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCE, TARGET };
enum { CAPACITY_SOURCE, CAPACITY_TARGET, CAPACITY_PAIRS, CAPACITY_REFERENCES };

typedef struct {
    const gw_text_pairs_options *options;
    const gw_config *config;
    gw_encoder *encoder;
    gw_table *table;
    int column[2]; // of the table: source, target
    gw_string text;
    gw_text_pairs *out;
} reader;

static const char *column(const reader *r, int which) {
    return which == SOURCE ? r->options->source : r->options->target;
}

// Where a text's tokens go: the list at its place `capacity`, up to `most` with the end token and what begins them (-1:
// nothing does).
typedef struct {
    int which, capacity;
    int64_t most, begin;
    int32_t **list;
    int64_t *used, *cut;
} destination;

static gw_status append(reader *r, const destination *to, const char *text) {
    const int32_t *tokens;
    const int64_t begins = to->begin >= 0, capacity = to->most - begins - 1;
    int64_t count;
    if (gw_encode(r->encoder, text, (int64_t)strlen(text), &tokens, &count) != GW_OK)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "column '%s': %s", column(r, to->which), gw_message());
    if (count == 0)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "the text of column '%s' is empty", column(r, to->which));
    *to->cut += count > capacity;
    count = gw_min(count, capacity);
    GW_TRY(gw_reserve(to->list, &r->out->capacity[to->capacity], *to->used + begins + count + 1, sizeof **to->list));
    int32_t *end = *to->list + *to->used;
    if (begins) *end++ = (int32_t)to->begin;
    memcpy(end, tokens, (size_t)count * sizeof *tokens);
    end[count] = (int32_t)r->config->end;
    *to->used += begins + count + 1;
    return GW_OK;
}

// Texts of a column of the row: 1, or as many as the list has.
static int64_t texts_of(const reader *r, int which) {
    const int64_t items = gw_table_items(r->table, r->column[which]);
    return items < 0 ? 1 : items;
}

static gw_status text_of(reader *r, int which, int64_t i, const char **text) {
    if (gw_table_items(r->table, r->column[which]) < 0) return gw_table_text(r->table, r->column[which], text);
    return gw_table_item(r->table, r->column[which], i, text);
}

static gw_status keep_texts(reader *r) {
    gw_text_pairs *out = r->out;
    const int64_t references = texts_of(r, TARGET), first = out->reference_start[out->count];
    GW_TRY(
        gw_reserve(&out->reference, &out->capacity[CAPACITY_REFERENCES], first + references, sizeof *out->reference));
    out->reference_start[out->count + 1] = first;
    for (int64_t i = 0; i < references; i++) {
        const char *text;
        GW_TRY(text_of(r, TARGET, i, &text));
        char *kept = gw_strdup(text);
        if (!kept) return GW_ERR_MEMORY;
        out->reference[out->reference_start[out->count + 1]++] = kept;
    }
    out->source_text[out->count] = gw_strdup(r->text.data);
    return out->source_text[out->count] ? GW_OK : GW_ERR_MEMORY;
}

static gw_status reserve(gw_text_pairs *out) {
    int64_t capacity = out->capacity[CAPACITY_PAIRS], again = capacity, texts = capacity, references = capacity;
    if (out->count + 2 <= capacity) return GW_OK;
    GW_TRY(gw_reserve(&out->source_start, &capacity, out->count + 2, sizeof *out->source_start));
    GW_TRY(gw_reserve(&out->target_start, &again, out->count + 2, sizeof *out->target_start));
    GW_TRY(gw_reserve(&out->reference_start, &references, out->count + 2, sizeof *out->reference_start));
    GW_TRY(gw_reserve(&out->source_text, &texts, out->count + 2, sizeof *out->source_text));
    if (out->count == 0) out->source_start[0] = out->target_start[0] = out->reference_start[0] = 0;
    out->capacity[CAPACITY_PAIRS] = capacity;
    return GW_OK;
}

static gw_status add_pair(reader *r, int64_t most_source, int64_t most_target) {
    gw_text_pairs *out = r->out;
    int64_t *sources, *targets;
    const char *text;
    GW_TRY(reserve(out));
    gw_string_clear(&r->text);
    for (int64_t i = 0; i < texts_of(r, SOURCE); i++) {
        GW_TRY(text_of(r, SOURCE, i, &text));
        gw_string_printf(&r->text, "%s%s", i > 0 ? "\n" : "", text);
    }
    GW_TRY(gw_string_status(&r->text));

    sources = out->source_start + out->count;
    targets = out->target_start + out->count;
    sources[1] = sources[0];
    targets[1] = targets[0];
    const destination source = {SOURCE,       CAPACITY_SOURCE, most_source,      gw_config_source_begin(r->config),
                                &out->source, &sources[1],     &out->cut_sources};
    const destination target = {TARGET, CAPACITY_TARGET, most_target, -1, &out->target, &targets[1], &out->cut_targets};
    GW_TRY(append(r, &source, r->text.data ? r->text.data : ""));
    if (texts_of(r, TARGET) == 0)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "the list of column '%s' is empty", r->options->target);
    GW_TRY(text_of(r, TARGET, 0, &text));
    GW_TRY(append(r, &target, text));
    out->longest_source = gw_max(out->longest_source, sources[1] - sources[0]);
    out->longest_target = gw_max(out->longest_target, targets[1] - targets[0]);
    if (r->options->texts) GW_TRY(keep_texts(r));
    out->count++;
    return GW_OK;
}

static gw_status read_file(reader *r, const char *path, int64_t most_source, int64_t most_target) {
    const gw_table_options options = {0};
    const int64_t before = r->out->count;
    bool found = true;
    GW_TRY(gw_table_open(path, &options, &r->table));
    GW_TRY(gw_table_column(r->table, r->options->source, &r->column[SOURCE]));
    GW_TRY(gw_table_column(r->table, r->options->target, &r->column[TARGET]));
    while (found) {
        GW_TRY(gw_table_next(r->table, &found));
        if (found) GW_TRY(add_pair(r, most_source, most_target));
    }
    gw_table_close(r->table);
    r->table = NULL;
    return r->out->count > before ? GW_OK : gw_fail(GW_ERR_FORMAT, "%s has no rows", path);
}

static gw_status choose_most(const char *what, int64_t asked, int64_t positions, int64_t *out) {
    *out = asked > 0 ? asked : positions;
    if (*out >= 3 && *out <= positions) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "%ss of %lld tokens are asked for, the model's positions hold 3 to %lld", what,
                   (long long)*out, (long long)positions);
}

gw_status gw_text_pairs_read(const char *const *files, int file_count, const gw_model *model,
                             const gw_text_pairs_options *options, gw_text_pairs *out) {
    reader r = {.options = options, .config = &model->config, .out = out};
    int64_t most_source, most_target;
    *out = (gw_text_pairs){0};
    GW_TRY(choose_most("source", options->most_source, gw_config_longest(&model->config), &most_source));
    GW_TRY(choose_most("target", options->most_target, gw_config_longest(&model->config), &most_target));
    gw_status status = gw_encoder_new(model->tokenizer, &r.encoder);
    for (int f = 0; status == GW_OK && f < file_count; f++) status = read_file(&r, files[f], most_source, most_target);
    if (status == GW_OK && out->cut_sources + out->cut_targets > 0)
        gw_note("%lld of %lld sources were cut to %lld tokens, %lld targets to %lld", (long long)out->cut_sources,
                (long long)out->count, (long long)most_source, (long long)out->cut_targets, (long long)most_target);
    gw_table_close(r.table);
    gw_encoder_free(r.encoder);
    gw_string_free(&r.text);
    if (status != GW_OK) gw_text_pairs_free(out);
    return status;
}

void gw_text_pairs_free(gw_text_pairs *pairs) {
    const int64_t references = pairs->reference ? pairs->reference_start[pairs->count] : 0;
    for (int64_t i = 0; i < references; i++) free(pairs->reference[i]);
    for (int64_t i = 0; pairs->reference && i < pairs->count; i++) free(pairs->source_text[i]);
    free(pairs->source);
    free(pairs->target);
    free(pairs->source_start);
    free(pairs->target_start);
    free(pairs->source_text);
    free(pairs->reference);
    free(pairs->reference_start);
    *pairs = (gw_text_pairs){0};
}

// --- examples --------------------------------------------------------------------------------------------------------

typedef struct {
    const gw_text_pairs *pairs;
    gw_epochs order; // batch 0: as they stand
    gw_batch batch;
    int32_t start; // the token before a target's first
} pair_examples;

static void free_examples(void *self) {
    pair_examples *e = self;
    gw_batch_free(&e->batch);
    free(e);
}

static int64_t count(const void *self, int64_t step) {
    const pair_examples *e = self;
    return e->order.batch > 0 ? gw_epochs_count(&e->order, step) : e->pairs->count;
}

static int64_t pair_at(const pair_examples *e, int64_t step, int64_t i) {
    return e->order.batch > 0 ? gw_epochs_at(&e->order, step, i) : i;
}

static gw_status add(void *self, int64_t step, int64_t i, bool *full) {
    pair_examples *e = self;
    gw_rows *source = &e->batch.of[GW_ROWS_TOKENS], *target = &e->batch.of[GW_ROWS_TARGET];
    const gw_text_pairs *pairs = e->pairs;
    const int64_t pair = pair_at(e, step, i), *sources = pairs->source_start + pair;
    const int64_t *starts = pairs->target_start + pair, tokens = sources[1] - sources[0],
                  targets = starts[1] - starts[0];
    *full = !gw_rows_fit(source, tokens) || !gw_rows_fit(target, targets);
    if (*full) return GW_OK;
    const int32_t *text = pairs->target + starts[0];
    memcpy(source->token + source->count, pairs->source + sources[0], (size_t)tokens * sizeof(int32_t));
    target->token[target->count] = e->start;
    memcpy(target->token + target->count + 1, text, (size_t)(targets - 1) * sizeof(int32_t));
    memcpy(target->label + target->count, text, (size_t)targets * sizeof(int32_t));
    source->count += tokens;
    target->count += targets;
    gw_rows_end_sequence(source);
    gw_rows_end_sequence(target);
    return GW_OK;
}

static gw_status labels(void *self, int64_t step, int64_t i, int64_t *labels) {
    const pair_examples *e = self;
    const int64_t *start = e->pairs->target_start + pair_at(e, step, i);
    labels[GW_ROWS_TARGET] += start[1] - start[0];
    return GW_OK;
}

static const gw_examples kind = {.count = count, .add = add, .labels = labels, .free = free_examples};

gw_status gw_pair_examples_open(const gw_model *model, const gw_text_pairs *pairs, const gw_epochs *order,
                                int64_t tokens, gw_examples *out) {
    *out = (gw_examples){0};
    pair_examples *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = (pair_examples){.pairs = pairs, .start = (int32_t)model->config.decoder_start};
    if (order) e->order = *order;
    // The targets' share of a batch is their share of all pairs, and a quarter more.
    const double share = (double)pairs->target_start[pairs->count] / (double)pairs->source_start[pairs->count];
    gw_network_options limits = {.tokens = gw_max(tokens, pairs->longest_source)};
    limits.targets = gw_max((int64_t)(1.25 * share * (double)limits.tokens), pairs->longest_target);
    limits.sequences = order ? order->batch : gw_min(pairs->count, tokens);
    *out = gw_examples_of(&kind, e, &e->batch, limits, order ? order->batch : pairs->count);
    gw_rows *of = e->batch.of;
    gw_status status = gw_rows_make(&of[GW_ROWS_TOKENS], limits.tokens, limits.sequences, GW_WITH_TOKEN);
    if (status == GW_OK)
        status = gw_rows_make(&of[GW_ROWS_TARGET], limits.targets, limits.sequences, GW_WITH_TOKEN | GW_WITH_LABEL);
    return gw_examples_made(out, status);
}

gw_status gw_pairs_rate(gw_model *model, const gw_text_pairs *pairs, int64_t tokens, gw_pair_metrics *out) {
    gw_examples examples;
    gw_steps step = {0};
    gw_step_sums sums;
    GW_TRY(gw_pair_examples_open(model, pairs, NULL, tokens, &examples));
    gw_status status = gw_steps_make(&step, model, &examples, (gw_network_options){0});
    if (status == GW_OK) status = gw_step_losses(&step, 0, &sums);
    if (status == GW_OK) {
        const gw_loss_sum *targets = &sums.losses.of[GW_ROWS_TARGET];
        *out =
            (gw_pair_metrics){targets->loss / (double)targets->count, (double)targets->right / (double)targets->count};
    }
    gw_steps_free(&step);
    gw_examples_free(&examples);
    return status;
}
