// SPDX-License-Identifier: MIT
// Packs the passes of tiles into batches, and reads the probabilities of what was masked.
#include "run/genome_bits.h"

#include "base/log.h"
#include "base/memory.h"
#include "data/base_tokens.h"
#include "model/network.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PASSES = GW_GENOME_PASSES, PASS_TOKENS = 8192 };

typedef struct {
    gw_model *model;
    const gw_genome_text *text;
    gw_network *network;
    gw_base_tokens tokens;
    int32_t mask; // [MASK]
    gw_batch batch;
    char *base; // [masked] what stood in the text
    int64_t pad_to;
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

static void add_prediction(evaluation *e, const float *logit, char base) {
    const int64_t vocabulary = e->model->config.vocabulary;
    int64_t best = 0;
    for (int64_t v = 1; v < vocabulary; v++)
        if (logit[v] > logit[best]) best = v;
    double sum = 0;
    for (int64_t v = 0; v < vocabulary; v++) sum += exp((double)logit[v] - (double)logit[best]);
    const int32_t token = e->tokens.of[(unsigned char)base];
    gw_base_sums_add(e->sums, base, exp((double)logit[token] - (double)logit[best]) / sum, best == token);
}

static gw_status flush(evaluation *e) {
    const gw_rows *masked = &e->batch.of[GW_ROWS_MASKED];
    if (masked->count > 0) {
        GW_TRY(gw_check_interrupt());
        e->batch.of[GW_ROWS_TOKENS].pad_to = e->pad_to;
        GW_TRY(gw_network_forward(e->network, &e->batch, NULL));
        const float *logits = gw_network_mlm_logits(e->network);
        if (!logits) return GW_ERR_IO;
        for (int64_t i = 0; i < masked->count; i++)
            add_prediction(e, logits + i * e->model->config.vocabulary, e->base[i]);
    }
    gw_batch_clear(&e->batch);
    return GW_OK;
}

// Masks every seventh base from number `pass` on of the window at row `first`. Those that count are asked about.
static void mask_pass(evaluation *e, const gw_genome_tile *tile, int64_t first, int64_t pass) {
    gw_rows *stream = &e->batch.of[GW_ROWS_TOKENS], *masked = &e->batch.of[GW_ROWS_MASKED];
    for (int64_t at = tile->begin + pass; at < tile->end; at += PASSES) {
        const char base = e->text->bases[at];
        if (toupper(base) == 'N') continue;
        const int64_t row = first + at - tile->begin;
        stream->token[row] = e->mask;
        if (at < tile->first || at >= tile->last) continue;
        e->base[masked->count] = base;
        masked->row[masked->count++] = (int32_t)row;
    }
}

static gw_status add_tile(evaluation *e, const gw_genome_tile *tile) {
    const int64_t count = tile->end - tile->begin;
    for (int64_t pass = 0; pass < PASSES && pass < count; pass++) {
        gw_rows *stream = &e->batch.of[GW_ROWS_TOKENS];
        if (!gw_rows_fit(stream, count + GW_BASE_SPECIALS)) GW_TRY(flush(e));
        const int64_t first = gw_base_tokens_append(&e->tokens, stream, e->text->bases + tile->begin, count);
        mask_pass(e, tile, first, pass);
    }
    return GW_OK;
}

static gw_status prepare(evaluation *e) {
    const int64_t positions = gw_config_longest(&e->model->config);
    const int64_t tokens = positions > PASS_TOKENS ? positions : PASS_TOKENS, sequences = tokens / 4,
                  masked = tokens / PASSES + sequences;
    const gw_network_options options = {
        .tokens = tokens, .sequences = sequences, .masked = masked, .output_rows = GW_OUTPUT_MASKED};
    GW_TRY(gw_base_tokens_make(&e->tokens, e->model->tokenizer));
    GW_TRY(gw_tokenizer_need(e->model->tokenizer, GW_SPECIAL_MASK, &e->mask));
    GW_TRY(gw_rows_make(&e->batch.of[GW_ROWS_TOKENS], tokens, sequences, GW_WITH_TOKEN));
    GW_TRY(gw_rows_make(&e->batch.of[GW_ROWS_MASKED], masked, 0, GW_WITH_ROW));
    e->base = gw_alloc(masked, 1);
    return e->base ? gw_network_new(e->model, &options, &e->network) : GW_ERR_MEMORY;
}

static gw_status evaluate(evaluation *e, const gw_genome_tiles *tiles, int64_t wanted) {
    GW_TRY(prepare(e));
    for (int64_t i = 0; i < wanted; i++) {
        const gw_genome_tile tile = gw_genome_tile_at(tiles, gw_evenly_spaced(i, wanted, tiles->count));
        char detail[64];
        GW_TRY(add_tile(e, &tile));
        snprintf(detail, sizeof detail, "%.3f bits per base", gw_bits_per_base(e->sums));
        gw_progress("evaluate", i + 1, wanted, "windows", e->sums->bases[0] + e->sums->bases[1] > 0 ? detail : NULL);
    }
    return flush(e);
}

gw_status gw_genome_bits(gw_model *model, const gw_genome_tiles *tiles, int64_t sample, int64_t pad_to,
                         gw_base_sums *sums) {
    evaluation e = {.model = model, .text = tiles->text, .pad_to = pad_to, .sums = sums};
    *sums = (gw_base_sums){0};
    const gw_status status = evaluate(&e, tiles, sample > 0 && sample < tiles->count ? sample : tiles->count);
    gw_progress_end();
    gw_network_free(e.network);
    gw_batch_free(&e.batch);
    free(e.base);
    return status;
}
