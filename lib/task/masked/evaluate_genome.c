// SPDX-License-Identifier: MIT
// Bits per base of a genome: reads the regions with their repeats, predicts them by the model and by chains, and writes
// the table.
#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "file/lines.h"
#include "measure/markov.h"
#include "task/data_kind.h"
#include "task/masked/genome_bits.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BASE_GRAIN = 64 };

typedef struct {
    const gw_eval_options *options;
    gw_genome_text text;
    gw_genome_tiles tiles;
    uint8_t *code;     // [text.count] gw_base_code
    gw_markov *markov; // or NULL
    gw_base_sums model, chain[GW_MARKOV_KINDS];
} evaluation;

// Codes of a text's bases, free() them; NULL with a message.
static uint8_t *codes_of(const gw_genome_text *text) {
    uint8_t *code = gw_alloc(text->count, 1);
    for (int64_t i = 0; code && i < text->count; i++) code[i] = gw_base_code((char)toupper(text->bases[i]));
    return code;
}

static gw_status count_text(gw_markov *markov, const gw_genome_text *text) {
    uint8_t *code = codes_of(text);
    gw_status status = code ? GW_OK : GW_ERR_MEMORY;
    for (int64_t r = 0; status == GW_OK && r < text->region_count; r++) {
        const gw_text_region *region = &text->regions[r];
        status = gw_check_interrupt();
        if (status == GW_OK) status = gw_markov_add(markov, code + region->first, region->end - region->begin);
    }
    free(code);
    return status;
}

static gw_status count_chains(evaluation *e) {
    const gw_eval_options *o = e->options;
    GW_TRY(gw_markov_new((int)o->order, &e->markov));
    for (int i = 0; i < o->baselines.count; i++) {
        gw_genome_text text = {0};
        gw_status status =
            gw_genome_text_add(&text, &(gw_genome_source){.fasta = o->in.fasta, .regions = o->baselines.items[i]});
        if (status == GW_OK) status = count_text(e->markov, &text);
        gw_genome_text_free(&text);
        GW_TRY(status);
    }
    return gw_markov_fit(e->markov);
}

// The chains on what counts of a tile.
typedef struct {
    const evaluation *evaluation;
    const gw_text_region *region;
    int64_t first;
    double (*p)[GW_MARKOV_KINDS][4];
} chain_job;

static void predict_bases(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    const chain_job *job = context;
    const gw_text_region *region = job->region;
    for (int64_t i = begin; i < end; i++)
        for (gw_markov_kind kind = 0; kind < GW_MARKOV_KINDS; kind++)
            gw_markov_predict(job->evaluation->markov, kind, job->evaluation->code + region->first,
                              job->first + i - region->first, region->end - region->begin, job->p[i][kind]);
}

static int best_of(const double p[4]) {
    int best = 0;
    for (int x = 1; x < 4; x++)
        if (p[x] > p[best]) best = x;
    return best;
}

static gw_status add_chains(evaluation *e, const gw_genome_tile *tile) {
    const int64_t count = tile->last - tile->first;
    chain_job job = {e, tile->region, tile->first, gw_alloc(count, sizeof *job.p)};
    if (!job.p) return GW_ERR_MEMORY;
    gw_parallel_for(count, BASE_GRAIN, predict_bases, &job);
    for (int64_t i = 0; i < count; i++) {
        const int x = e->code[tile->first + i];
        for (gw_markov_kind kind = 0; x < 4 && kind < GW_MARKOV_KINDS; kind++)
            gw_base_sums_add(&e->chain[kind], e->text.bases[tile->first + i], job.p[i][kind][x],
                             best_of(job.p[i][kind]) == x);
    }
    free(job.p);
    return GW_OK;
}

static gw_status evaluate_chains(evaluation *e) {
    const int64_t sample = e->options->sample, count = e->tiles.count,
                  wanted = sample > 0 && sample < count ? sample : count;
    GW_TRY(count_chains(e));
    e->code = codes_of(&e->text);
    if (!e->code) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < wanted; i++) {
        const gw_genome_tile tile = gw_genome_tile_at(&e->tiles, gw_evenly_spaced(i, wanted, count));
        GW_TRY(gw_check_interrupt());
        GW_TRY(add_chains(e, &tile));
    }
    return GW_OK;
}

static gw_status write_row(gw_text_writer *out, const char *predictor, const char *part, int64_t bases, int64_t right,
                           double nats) {
    if (bases == 0) return gw_writer_printf(out, "%s\t%s\t0\tNA\tNA\tNA\n", predictor, part);
    const double n = (double)bases;
    return gw_writer_printf(out, "%s\t%s\t%lld\t%.5f\t%.5f\t%.5f\n", predictor, part, (long long)bases,
                            (double)right / n, nats / n, nats / M_LN2 / n);
}

static gw_status write_predictor(gw_text_writer *out, const char *predictor, const gw_base_sums *s) {
    GW_TRY(write_row(out, predictor, "all", s->bases[0] + s->bases[1], s->right[0] + s->right[1],
                     s->nats[0] + s->nats[1]));
    GW_TRY(write_row(out, predictor, "repeats", s->bases[1], s->right[1], s->nats[1]));
    return write_row(out, predictor, "rest", s->bases[0], s->right[0], s->nats[0]);
}

static gw_status write_rows(const evaluation *e, gw_text_writer *out) {
    static const char *const names[GW_MARKOV_KINDS] = {"causal", "two_sided"};
    GW_TRY(gw_writer_printf(out, "predictor\tpart\tbases\taccuracy\tloss\tbits_per_base\n"));
    GW_TRY(write_predictor(out, "model", &e->model));
    for (gw_markov_kind kind = 0; e->markov && kind < GW_MARKOV_KINDS; kind++) {
        char name[64];
        snprintf(name, sizeof name, "markov_%s_%d", names[kind], (int)e->options->order);
        GW_TRY(write_predictor(out, name, &e->chain[kind]));
    }
    return GW_OK;
}

static gw_status write_table(const evaluation *e) {
    gw_text_writer *out;
    GW_TRY(gw_writer_open(NULL, &out));
    return gw_writers_close(write_rows(e, out), out, NULL);
}

static gw_status run(evaluation *e, gw_model *model) {
    const gw_eval_options *o = e->options;
    const int64_t length = gw_genome_window_length(model);
    if (!gw_config_predicts_masked(&model->config))
        return gw_fail(GW_ERR_MISMATCH, "the model has no head for masked tokens");
    if (length < 1) return gw_fail(GW_ERR_RANGE, "the model's positions hold no base");
    GW_TRY(gw_genome_text_add(
        &e->text, &(gw_genome_source){.fasta = o->in.fasta, .regions = o->regions, .repeats = GW_REPEATS_SELF}));
    GW_TRY(gw_genome_tiles_make(&e->tiles, &e->text, length));
    if (o->baselines.count > 0) GW_TRY(evaluate_chains(e));
    const gw_genome_bits_options bits = {o->sample, o->in.strands == GW_STRANDS_BOTH, true};
    GW_TRY(gw_genome_bits(model, &e->tiles, &bits, &e->model));
    return write_table(e);
}

static gw_status evaluate(gw_model *const *models, int count, const gw_eval_options *options) {
    evaluation e = {.options = options};
    if (count > 1) return gw_fail(GW_ERR_USAGE, "a genome is evaluated one model at a time");
    const gw_status status = run(&e, models[0]);
    gw_markov_free(e.markov);
    free(e.code);
    gw_genome_tiles_free(&e.tiles);
    gw_genome_text_free(&e.text);
    return status;
}

const gw_data_kind gw_data_genome = {.evaluate = evaluate};
