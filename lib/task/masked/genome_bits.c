// SPDX-License-Identifier: MIT
// Packs the passes of tiles into batches, and reads the probabilities of what was masked.
#include "task/masked/genome_bits.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/softmax.h"
#include "data/base_tokens.h"
#include "data/genome_windows.h"
#include "network/forward.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = GW_GENOME_PASSES };

static const char letters[] = "ACGT"; // number x and number 3 - x are complements

// A base that was asked about: how much of the batch's probability its letters have, on all strands together.
typedef struct {
    char base; // of the text
    double p[4];
} question;

// What a row of masked tokens answers.
typedef struct {
    int64_t question;
    bool reverse;
} answer;

typedef struct {
    gw_model *model;
    const gw_genome_text *text;
    const gw_genome_bits_options *options;
    gw_forward forward;
    gw_base_tokens tokens;
    int32_t mask; // [MASK]
    gw_batch batch;
    answer *answers;     // [masked] of the batch's rows
    question *questions; // [question_count] of the batch, room for as many as rows
    int64_t question_count;
    char *window; // a reverse complement
    int64_t tiles_gathered, tiles_wanted;
    gw_base_sums *sums;
} evaluation;

void gw_base_sums_add(gw_base_sums *sums, char base, double p, bool right) {
    const int part = gw_text_is_repeat(base);
    sums->nats[part] -= log(p);
    sums->bases[part]++;
    sums->right[part] += right;
}

double gw_bits_per_base(const gw_base_sums *sums) {
    return (sums->nats[0] + sums->nats[1]) / M_LN2 / (double)(sums->bases[0] + sums->bases[1]);
}

int64_t gw_genome_window_length(const gw_model *model) {
    return gw_config_longest(&model->config) - GW_BASE_SPECIALS;
}

int64_t gw_evenly_spaced(int64_t i, int64_t wanted, int64_t count) {
    return (int64_t)((__int128)i * count / wanted);
}

// Adds the softmax's share of each letter.
static gw_status add_answer(const evaluation *e, const float *logit, bool reverse, double p[4]) {
    const gw_softmax softmax = gw_softmax_of(logit, e->model->config.vocabulary, 1);
    if (!isfinite(gw_softmax_log_sum(softmax))) return gw_output_not_finite();
    for (int x = 0; x < 4; x++) {
        const int32_t token = e->tokens.of[(unsigned char)letters[reverse ? 3 - x : x]];
        p[x] += gw_softmax_share(softmax, logit[token]);
    }
    return GW_OK;
}

static void count_question(const evaluation *e, const question *q) {
    const int truth = (int)(strchr(letters, toupper(q->base)) - letters);
    bool right = true;
    for (int x = 0; x < 4; x++) right = right && q->p[x] <= q->p[truth];
    gw_base_sums_add(e->sums, q->base, q->p[truth] / (e->options->both_strands ? 2 : 1), right);
}

// Of tiles that are gathered whole all were answered by the batch that has just run.
static void show(const evaluation *e) {
    char detail[64];
    if (e->tiles_gathered == 0) return;
    snprintf(detail, sizeof detail, "%.3f bits per base", gw_bits_per_base(e->sums));
    gw_progress("evaluate", e->tiles_gathered, e->tiles_wanted, "windows",
                e->sums->bases[0] + e->sums->bases[1] > 0 ? detail : NULL);
}

static gw_status take_answers(void *context, const gw_losses *losses) {
    (void)losses;
    evaluation *e = context;
    const float *logits = gw_network_output(e->forward.network, GW_ROWS_MASKED);
    if (!logits) return GW_ERR_IO;
    for (int64_t i = 0; i < e->batch.of[GW_ROWS_MASKED].count; i++)
        GW_TRY(add_answer(e, logits + i * e->model->config.vocabulary, e->answers[i].reverse,
                          e->questions[e->answers[i].question].p));
    for (int64_t i = 0; i < e->question_count; i++) count_question(e, &e->questions[i]);
    return GW_OK;
}

// Batches that ask nothing are not run.
static gw_status run_batch(evaluation *e) {
    if (e->batch.of[GW_ROWS_MASKED].count > 0) GW_TRY(gw_forward_run(&e->forward));
    gw_batch_clear(&e->batch);
    e->question_count = 0;
    show(e);
    return GW_OK;
}

// Whether base number `at` of the text is masked in this pass over its tile, and whether it is asked about.
static bool is_masked(const evaluation *e, const gw_genome_tile *tile, int64_t pass, int64_t at) {
    return (at - tile->begin) % PASSES == pass && toupper(e->text->bases[at]) != 'N';
}

static bool is_asked(const gw_genome_tile *tile, int64_t at) {
    return at >= tile->first && at < tile->last;
}

// Appends a tile's window on one strand. Its questions are numbered from `first` on, in the forward strand's order.
static void add_strand(evaluation *e, const gw_genome_tile *tile, int64_t pass, bool reverse, int64_t first) {
    gw_rows *stream = &e->batch.of[GW_ROWS_TOKENS], *masked = &e->batch.of[GW_ROWS_MASKED];
    const int64_t count = tile->end - tile->begin, asked = e->question_count - first;
    const char *bases = e->text->bases + tile->begin;
    if (reverse) {
        gw_genome_window_read(e->text, (gw_genome_window){tile->region, tile->begin, count, true}, e->window);
        bases = e->window;
    }
    const int64_t row = gw_base_tokens_append(&e->tokens, stream, &e->tokens.frame, bases, count);
    int64_t next = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = reverse ? tile->end - 1 - i : tile->begin + i;
        if (!is_masked(e, tile, pass, at)) continue;
        stream->token[row + i] = e->mask;
        if (!is_asked(tile, at)) continue;
        e->answers[masked->count] = (answer){reverse ? first + asked - 1 - next : first + next, reverse};
        masked->row[masked->count++] = (int32_t)(row + i);
        next++;
    }
}

static gw_status add_tile(evaluation *e, const gw_genome_tile *tile) {
    const int64_t count = tile->end - tile->begin, strands = e->options->both_strands ? 2 : 1;
    for (int64_t pass = 0; pass < PASSES && pass < count; pass++) {
        const gw_rows *stream = &e->batch.of[GW_ROWS_TOKENS];
        if (stream->sequences + strands > stream->most_sequences ||
            stream->count + strands * (count + GW_BASE_SPECIALS) > stream->most)
            GW_TRY(run_batch(e));
        const int64_t first = e->question_count;
        for (int64_t at = tile->first; at < tile->last; at++)
            if (is_masked(e, tile, pass, at))
                e->questions[e->question_count++] = (question){.base = e->text->bases[at]};
        for (int64_t strand = 0; strand < strands; strand++) add_strand(e, tile, pass, strand == 1, first);
    }
    return GW_OK;
}

static gw_status prepare(evaluation *e) {
    const int64_t positions = gw_config_longest(&e->model->config);
    const int64_t strands = e->options->both_strands ? 2 : 1, tokens = gw_forward_tokens(0, strands * positions),
                  sequences = tokens / 4 > strands ? tokens / 4 : strands, masked = tokens / PASSES + sequences;
    const gw_network_options options = {
        .tokens = tokens, .sequences = sequences, .masked = masked, .output_rows = GW_OUTPUT_MASKED};
    GW_TRY(gw_base_tokens_make(&e->tokens, e->model->tokenizer));
    GW_TRY(gw_tokenizer_need(e->model->tokenizer, GW_SPECIAL_MASK, &e->mask));
    GW_TRY(gw_rows_make(&e->batch.of[GW_ROWS_TOKENS], tokens, sequences, GW_WITH_TOKEN));
    GW_TRY(gw_rows_make(&e->batch.of[GW_ROWS_MASKED], masked, 0, GW_WITH_ROW));
    e->answers = gw_alloc(masked, sizeof *e->answers);
    e->questions = gw_alloc(masked, sizeof *e->questions);
    e->window = gw_alloc(positions, 1);
    if (!e->answers || !e->questions || !e->window) return GW_ERR_MEMORY;
    GW_TRY(gw_forward_make(&e->forward, e->model, &options, &e->batch, e));
    e->forward.ran = take_answers;
    return GW_OK;
}

static gw_status evaluate(evaluation *e, const gw_genome_tiles *tiles, int64_t wanted) {
    e->tiles_wanted = wanted;
    GW_TRY(prepare(e));
    for (int64_t i = 0; i < wanted; i++) {
        const gw_genome_tile tile = gw_genome_tile_at(tiles, gw_evenly_spaced(i, wanted, tiles->count));
        GW_TRY(add_tile(e, &tile));
        e->tiles_gathered = i + 1;
    }
    return run_batch(e);
}

gw_status gw_genome_bits(gw_model *model, const gw_genome_tiles *tiles, const gw_genome_bits_options *options,
                         gw_base_sums *sums) {
    evaluation e = {.model = model, .text = tiles->text, .options = options, .sums = sums};
    *sums = (gw_base_sums){0};
    const bool some = options->sample > 0 && options->sample < tiles->count;
    const gw_status status = evaluate(&e, tiles, some ? options->sample : tiles->count);
    gw_progress_end();
    if (status == GW_OK && options->note_metrics) gw_network_note_metrics(e.forward.network);
    gw_forward_free(&e.forward);
    gw_batch_free(&e.batch);
    free(e.answers);
    free(e.questions);
    free(e.window);
    return status;
}
