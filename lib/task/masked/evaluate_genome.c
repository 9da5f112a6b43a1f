// SPDX-License-Identifier: MIT
// Bits per base of a genome: puts the passes of tiles into batches, and reads the probabilities of masked bases; for
// `eval`, beside Markov chains on the same bases.
#include "task/masked/evaluate_genome.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/softmax.h"
#include "data/batch.h"
#include "data/genome_text.h"
#include "file/table_writer.h"
#include "measure/markov.h"
#include "network/forward.h"
#include "task/data_kind.h"

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

static void add_base(gw_base_sums *sums, char base, double p, bool right) {
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

// Number i of `wanted` among `count`.
static int64_t evenly_spaced(int64_t i, int64_t wanted, int64_t count) {
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
    for (int64_t i = 0; i < e->question_count; i++) {
        const question *q = &e->questions[i];
        const int truth = (int)(strchr(letters, toupper(q->base)) - letters);
        bool right = true;
        for (int x = 0; x < 4; x++) right = right && q->p[x] <= q->p[truth];
        add_base(e->sums, q->base, q->p[truth] / (e->options->both_strands ? 2 : 1), right);
    }
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

// Whether base number `at` of the text is masked in this pass over its tile.
static bool is_masked(const evaluation *e, const gw_genome_tile *tile, int64_t pass, int64_t at) {
    return (at - tile->begin) % PASSES == pass && toupper(e->text->bases[at]) != 'N';
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
        if (at < tile->first || at >= tile->last) continue; // read, and not asked about
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

gw_status gw_genome_bits(gw_model *model, const gw_genome_tiles *tiles, const gw_genome_bits_options *options,
                         gw_base_sums *sums) {
    evaluation e = {.model = model, .text = tiles->text, .options = options, .sums = sums};
    *sums = (gw_base_sums){0};
    const bool some = options->sample > 0 && options->sample < tiles->count;
    e.tiles_wanted = some ? options->sample : tiles->count;
    gw_status status = prepare(&e);
    for (int64_t i = 0; status == GW_OK && i < e.tiles_wanted; i++) {
        const gw_genome_tile tile = gw_genome_tile_at(tiles, evenly_spaced(i, e.tiles_wanted, tiles->count));
        status = add_tile(&e, &tile);
        e.tiles_gathered = i + 1;
    }
    if (status == GW_OK) status = run_batch(&e);
    gw_progress_end();
    if (status == GW_OK && options->note_metrics) gw_network_note_metrics(e.forward.network);
    gw_forward_free(&e.forward);
    gw_batch_free(&e.batch);
    free(e.answers);
    free(e.questions);
    free(e.window);
    return status;
}

// --- a genome's regions, by the model and by chains

enum { BASE_GRAIN = 64 };

typedef struct {
    const gw_eval_options *options;
    gw_genome_text text;
    gw_genome_tiles tiles;
    uint8_t *code;     // [text.count] gw_base_code
    gw_markov *markov; // or NULL
    gw_base_sums model, chain[GW_MARKOV_KINDS];
} comparison;

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

static gw_status count_chains(comparison *e) {
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
    const comparison *of;
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
            gw_markov_predict(job->of->markov, kind, job->of->code + region->first, job->first + i - region->first,
                              region->end - region->begin, job->p[i][kind]);
}

static gw_status add_chains(comparison *e, const gw_genome_tile *tile) {
    const int64_t count = tile->last - tile->first;
    chain_job job = {e, tile->region, tile->first, gw_alloc(count, sizeof *job.p)};
    if (!job.p) return GW_ERR_MEMORY;
    gw_parallel_for(count, BASE_GRAIN, predict_bases, &job);
    for (int64_t i = 0; i < count; i++) {
        const int x = e->code[tile->first + i];
        for (gw_markov_kind kind = 0; x < 4 && kind < GW_MARKOV_KINDS; kind++) {
            const double *p = job.p[i][kind];
            int best = 0;
            for (int y = 1; y < 4; y++)
                if (p[y] > p[best]) best = y;
            add_base(&e->chain[kind], e->text.bases[tile->first + i], p[x], best == x);
        }
    }
    free(job.p);
    return GW_OK;
}

static gw_status evaluate_chains(comparison *e) {
    const int64_t sample = e->options->sample, count = e->tiles.count,
                  wanted = sample > 0 && sample < count ? sample : count;
    GW_TRY(count_chains(e));
    e->code = codes_of(&e->text);
    if (!e->code) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < wanted; i++) {
        const gw_genome_tile tile = gw_genome_tile_at(&e->tiles, evenly_spaced(i, wanted, count));
        GW_TRY(gw_check_interrupt());
        GW_TRY(add_chains(e, &tile));
    }
    return GW_OK;
}

static gw_status write_row(gw_table_writer *out, const char *predictor, const char *part, int64_t bases, int64_t right,
                           double nats) {
    const double n = bases > 0 ? (double)bases : (double)NAN;
    gw_cell_text(out, predictor);
    gw_cell_text(out, part);
    gw_cell_integer(out, bases);
    gw_cell_real(out, (double)right / n);
    gw_cell_real(out, nats / n);
    gw_cell_real(out, nats / M_LN2 / n);
    return gw_row_end(out);
}

static gw_status write_predictor(gw_table_writer *out, const char *predictor, const gw_base_sums *s) {
    GW_TRY(write_row(out, predictor, "all", s->bases[0] + s->bases[1], s->right[0] + s->right[1],
                     s->nats[0] + s->nats[1]));
    GW_TRY(write_row(out, predictor, "repeats", s->bases[1], s->right[1], s->nats[1]));
    return write_row(out, predictor, "rest", s->bases[0], s->right[0], s->nats[0]);
}

static gw_status open_table(const char *path, gw_table_writer **out) {
    gw_columns columns = {0};
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "predictor");
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "part");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "bases");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.5f", "accuracy");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.5f", "loss");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.5f", "bits_per_base");
    return gw_table_writer_open(path, &columns, "NA", out);
}

static gw_status write_table(const comparison *e, gw_table_writer *out) {
    static const char *const names[GW_MARKOV_KINDS] = {"causal", "two_sided"};
    GW_TRY(write_predictor(out, "model", &e->model));
    for (gw_markov_kind kind = 0; e->markov && kind < GW_MARKOV_KINDS; kind++) {
        char name[64];
        snprintf(name, sizeof name, "markov_%s_%d", names[kind], (int)e->options->order);
        GW_TRY(write_predictor(out, name, &e->chain[kind]));
    }
    return GW_OK;
}

static gw_status run(comparison *e, gw_model *model) {
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
    gw_table_writer *out;
    GW_TRY(open_table(o->in.output, &out));
    return gw_table_writer_end(write_table(e, out), out);
}

static gw_status evaluate(gw_model *const *models, int count, const gw_eval_options *options) {
    comparison e = {.options = options};
    if (count > 1) return gw_fail(GW_ERR_USAGE, "a genome is evaluated one model at a time");
    const gw_status status = run(&e, models[0]);
    gw_markov_free(e.markov);
    free(e.code);
    gw_genome_tiles_free(&e.tiles);
    gw_genome_text_free(&e.text);
    return status;
}

const gw_data_kind gw_data_genome = {.evaluate = evaluate};
