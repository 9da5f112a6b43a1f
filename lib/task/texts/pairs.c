// SPDX-License-Identifier: MIT
// Texts about texts. Training makes the model, which gets a decoder if it has none, reads the pairs, and evaluates next
// tokens after each epoch. Evaluation first writes texts about all sources, then evaluates them, and the first
// sentences of each source.
#include "task/texts/pairs.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "file/lines.h"
#include "file/table_writer.h"
#include "language/generate.h"
#include "language/rouge.h"
#include "language/text_pairs.h"
#include "model/convert.h"
#include "task/classifier.h"
#include "task/data_kind.h"
#include "task/kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a run has of its own.
typedef struct {
    gw_text_pairs train, valid;
    double entropy; // sum_v t_v ln t_v of smoothed labels
} pairs_run;

// BigBird's Table 17, and the released Pegasus, whose rate does not rise.
static void preset(gw_finetune_options *o, const char *name) {
    static const struct {
        const char *name;
        int64_t source, target;
    } lengths[] = {{"xsum-", 1024, 64}, {"cnn-", 2048, 128}, {"long-", 3072, 256}};
    const bool pegasus = strcmp(name, "pegasus") == 0, base = strstr(name, "-base") != NULL;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (strncmp(name, lengths[i].name, strlen(lengths[i].name)) != 0) continue;
        GW_UNLESS_GIVEN(o, pairs.most_source, lengths[i].source);
        GW_UNLESS_GIVEN(o, pairs.most_target, lengths[i].target);
        GW_UNLESS_GIVEN(o, tuning.batch, 128);
        GW_UNLESS_GIVEN(o, tuning.dropout, 0.1);
    }
    GW_UNLESS_GIVEN(o, smoothing, 0.1);
    GW_UNLESS_GIVEN(o, tuning.warmup, 10000);
    if (!base) GW_UNLESS_GIVEN(o, tuning.optimiser.kind, GW_OPTIMISER_ADAFACTOR);
    GW_UNLESS_GIVEN(o, tuning.schedule, pegasus ? GW_SCHEDULE_HOLD_SQRT : GW_SCHEDULE_SQRT);
    if (base) GW_UNLESS_GIVEN(o, tuning.rate, 1e-5);
}

static gw_status complete(gw_finetune_options *o) {
    if (o->positions > 0) return gw_fail(GW_ERR_USAGE, "--length goes with --from-scratch where the task writes texts");
    return GW_OK;
}

static gw_status describe(const gw_tuning *t, gw_config *config) {
    if (t->dropout >= 0) config->dropout = t->dropout;
    if (t->attention) GW_TRY(gw_config_use_mode(config, t->attention));
    config->task = GW_TASK_SUMMARIZE;
    return gw_tuning_keep_command(t, config);
}

static gw_status fresh_model(gw_finetune_run *run) {
    const gw_tuning *t = &run->options->tuning;
    gw_config config;
    gw_tokenizer *tokenizer = NULL;
    GW_TRY(gw_config_copy(t->fresh, &config));
    gw_status status = describe(t, &config);
    if (status == GW_OK)
        status = t->tokenizer ? gw_tokenizer_load(t->tokenizer, &tokenizer) : gw_tokenizer_letters(&tokenizer);
    config.vocabulary = 0; // the tokenizer's
    if (status == GW_OK) status = gw_model_new(&config, tokenizer, t->seed, &run->model);
    gw_config_free(&config);
    return status;
}

static gw_status make_model(gw_finetune_run *run) {
    const gw_tuning *t = &run->options->tuning;
    if (!t->model) return fresh_model(run);
    GW_TRY(gw_model_load(t->model, &run->model));
    if (run->model->config.decoder_layers == 0) { // an encoder alone becomes both, as the paper's base model did
        gw_model *encoder = run->model;
        run->model = NULL;
        const gw_status status = gw_model_with_decoder(encoder, t->seed, &run->model);
        gw_model_free(encoder);
        if (status != GW_OK) return gw_fail_in(status, "%s", t->model);
        gw_note("%s has no decoder: one that shares its tensors was added, with fresh attention to the source",
                t->model);
    }
    return describe(t, &run->model->config);
}

static gw_status make_examples(gw_finetune_run *run, const gw_tuning *t) {
    pairs_run *own = run->own;
    const gw_finetune_options *o = run->options;
    GW_TRY(gw_text_pairs_read(t->sets.items, t->sets.count, run->model, &o->pairs, &own->train));
    if (t->valid.count > 0)
        GW_TRY(gw_text_pairs_read(t->valid.items, t->valid.count, run->model, &o->pairs, &own->valid));
    const gw_epochs order = gw_tuning_order(t, own->train.count);
    // With smoothing s the loss of a token is sum_v t_v (ln t_v - ln p_v), t = 1 - s for the token, s / (V - 1) for
    // each other (Szegedy et al., 2016, section 7), which is 0 where p = t, as google-research/bigbird reports it.
    const double s = o->smoothing, others = (double)(run->model->config.vocabulary - 1);
    own->entropy = s == 0 ? 0 : (1 - s) * log(1 - s) + s * log(s / others);
    run->epoch_steps = gw_epochs_steps(&order);
    return gw_pair_examples_open(run->model, &own->train, &order, t->tokens, &run->examples);
}

static bool validates(const gw_finetune_run *run) {
    return run->options->tuning.valid.count > 0;
}

static double added_loss(const gw_finetune_run *run) {
    return ((const pairs_run *)run->own)->entropy;
}

static gw_status validate(gw_finetune_run *run, gw_epoch *epoch, json_t *row, double *value) {
    const pairs_run *own = run->own;
    gw_pair_metrics metrics;
    GW_TRY(gw_pairs_rate(run->model, &own->valid, run->options->tuning.tokens, &metrics));
    json_object_set_new(row, "valid_loss", json_real(metrics.loss));
    json_object_set_new(row, "valid_accuracy", json_real(metrics.correct));
    gw_epoch_column_add(&epoch->valid, "valid loss", 12, metrics.loss);
    gw_epoch_column_add(&epoch->valid, "next token", 12, metrics.correct);
    *value = metrics.loss;
    return GW_OK;
}

static const char *metric(const gw_finetune_run *run) {
    (void)run;
    return "loss";
}

static void print(const gw_finetune_run *run, gw_string *out) {
    const gw_finetune_options *o = run->options;
    const gw_tuning *t = &o->tuning;
    const pairs_run *own = run->own;
    gw_string_printf(
        out,
        "summarize: %lld pairs of %lld and %lld tokens, validated on %lld; %lld steps of %lld, %s, rate %.9g, schedule "
        "%s, warm-up %lld, decay %.9g, clip %.9g, smoothing %.9g, dropout %.9g, average %.9g, patience %lld, seed "
        "%llu, from %s%s%s%s",
        (long long)own->train.count, (long long)own->train.source_start[own->train.count],
        (long long)own->train.target_start[own->train.count], (long long)own->valid.count, (long long)run->steps,
        (long long)t->batch, gw_optimiser_name(t->optimiser.kind), t->rate, gw_schedule_name(t->schedule),
        (long long)t->warmup, t->optimiser.decay, t->optimiser.clip, o->smoothing, run->model->config.dropout,
        t->average_decay, (long long)t->patience, (unsigned long long)t->seed, t->model ? t->model : "a fresh model",
        t->attention ? ", attention " : "", t->attention ? t->attention : "",
        t->precision == GW_BF16 ? ", products of bf16" : "");
}

// What generate and transformers' generate() begin with; the rest is theirs.
static gw_status save(const gw_finetune_run *run) {
    const gw_config *config = &run->model->config;
    const pairs_run *own = run->own;
    char *path = gw_join_path(run->options->tuning.output, "generation_config.json");
    json_t *json = json_pack("{s:I, s:I, s:I, s:I, s:i}", "decoder_start_token_id", (json_int_t)config->decoder_start,
                             "eos_token_id", (json_int_t)config->end, "pad_token_id", (json_int_t)config->pad,
                             "max_length", (json_int_t)own->train.longest_target + 1, "num_beams", 5);
    gw_status status = path && json ? gw_json_save(path, json) : GW_ERR_MEMORY;
    json_decref(json);
    free(path);
    return status;
}

static void free_own(void *pairs) {
    pairs_run *own = pairs;
    gw_text_pairs_free(&own->train);
    gw_text_pairs_free(&own->valid);
}

const gw_task_kind gw_task_kind_pairs = {.data = &gw_data_pairs,
                                         .of = GW_OF_PAIRS,
                                         .size = sizeof(pairs_run),
                                         .writes = true,
                                         .presets = GW_PAIRS_PRESETS,
                                         .preset = preset,
                                         .complete = complete,
                                         .make_model = make_model,
                                         .make_examples = make_examples,
                                         .validates = validates,
                                         .added_loss = added_loss,
                                         .validate = validate,
                                         .less_is_better = true,
                                         .metric = metric,
                                         .print = print,
                                         .save = save,
                                         .free = free_own};

// --- evaluation ------------------------------------------------------------------------------------------------------

enum { TOKENS = 4096, SAMPLES = 1000 }; // of a pass that computes the loss; of bootstrap intervals

typedef struct {
    const gw_eval_options *options;
    gw_model *model;
    gw_text_pairs pairs;
    gw_generate_text *texts; // [pairs]
    gw_rouge_mean *own, *lead;
    gw_table_writer *table;
    gw_text_writer *lines; // or NULL
    gw_string line;
} evaluation;

static gw_status copy_sources(evaluation *e) {
    e->texts = gw_alloc(e->pairs.count, sizeof *e->texts);
    if (!e->texts) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < e->pairs.count; i++) {
        gw_generate_text *text = &e->texts[i];
        text->source_count = e->pairs.source_start[i + 1] - e->pairs.source_start[i];
        text->source = gw_alloc(text->source_count, sizeof *text->source);
        if (!text->source) return GW_ERR_MEMORY;
        memcpy(text->source, e->pairs.source + e->pairs.source_start[i],
               (size_t)text->source_count * sizeof *text->source);
    }
    return GW_OK;
}

// The source's first sentences, each with a newline. A sentence ends with its line, or with a full stop, question or
// exclamation mark before a blank.
static gw_status take_lead(evaluation *e, int64_t i) {
    const char *c = e->pairs.source_text[i];
    gw_string_clear(&e->line);
    for (int64_t s = 0; s < e->options->lead && *c; s++) {
        const char *end = c;
        while (*end && *end != '\n' && !(strchr(".?!", *end) && (end[1] == ' ' || end[1] == '\n' || !end[1]))) end++;
        if (*end && *end != '\n') end++;
        gw_string_append(&e->line, c, end - c);
        gw_string_puts(&e->line, "\n");
        for (c = end; *c == ' ' || *c == '\n';) c++;
    }
    return gw_string_status(&e->line);
}

static gw_status rate(evaluation *e, gw_rouge_mean *mean, int64_t i) {
    gw_rouge scores[GW_ROUGES];
    const int64_t first = e->pairs.reference_start[i];
    return gw_rouge_mean_add(mean, (const char *const *)e->pairs.reference + first,
                             e->pairs.reference_start[i + 1] - first, e->line.data ? e->line.data : "", scores);
}

static gw_status rate_all(evaluation *e) {
    for (int64_t i = 0; i < e->pairs.count; i++) {
        gw_string_clear(&e->line);
        GW_TRY(gw_decode(e->model->tokenizer, e->texts[i].target, e->texts[i].target_count, &e->line));
        GW_TRY(rate(e, e->own, i));
        for (int64_t c = 0; c < e->line.length; c++)
            if (e->line.data[c] == '\n' || e->line.data[c] == '\r') e->line.data[c] = ' ';
        if (e->lines) GW_TRY(gw_writer_printf(e->lines, "%s\n", e->line.length > 0 ? e->line.data : ""));
        if (e->options->lead == 0) continue;
        GW_TRY(take_lead(e, i));
        GW_TRY(rate(e, e->lead, i));
    }
    return GW_OK;
}

static gw_status print_value(const evaluation *e, const char *metric, double value) {
    gw_cell_text(e->table, "model");
    gw_cell_text(e->table, metric);
    gw_cell_integer(e->table, e->pairs.count);
    gw_cell_real(e->table, value);
    for (int i = 0; i < 4; i++) gw_cell_missing(e->table);
    return gw_row_end(e->table);
}

static gw_status print_rouge(const evaluation *e, const char *predictor, const gw_rouge_mean *mean) {
    gw_rouge_summary s;
    GW_TRY(gw_rouge_mean_summarise(mean, SAMPLES, e->options->seed, &s));
    for (int k = 0; k < GW_ROUGES; k++) {
        gw_cell_text(e->table, predictor);
        gw_cell_text(e->table, gw_rouge_names[k]);
        gw_cell_integer(e->table, s.pairs);
        gw_cell_real(e->table, s.mean[k].f1);
        gw_cell_real(e->table, s.f1[k].low);
        gw_cell_real(e->table, s.f1[k].high);
        gw_cell_real(e->table, s.mean[k].precision);
        gw_cell_real(e->table, s.mean[k].recall);
        GW_TRY(gw_row_end(e->table));
    }
    return GW_OK;
}

static gw_status open_table(evaluation *e) {
    static const char *const values[] = {"value", "low", "high", "precision", "recall"};
    gw_columns columns = {0};
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "predictor");
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "metric");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "pairs");
    for (int i = 0; i < 5; i++) gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6f", "%s", values[i]);
    return gw_table_writer_open(e->options->in.output, &columns, ".", &e->table);
}

static gw_status print_table(evaluation *e, const gw_pair_metrics *metrics) {
    char lead[32];
    int64_t exact = 0;
    for (int64_t i = 0; i < e->pairs.count; i++) {
        const int64_t first = e->pairs.target_start[i], count = e->pairs.target_start[i + 1] - first - 1;
        exact += e->texts[i].target_count == count &&
                 memcmp(e->texts[i].target, e->pairs.target + first, (size_t)count * sizeof(int32_t)) == 0;
    }
    GW_TRY(open_table(e));
    GW_TRY(print_value(e, "loss", metrics->loss));
    GW_TRY(print_value(e, "next_token", metrics->correct));
    GW_TRY(print_value(e, "exact", (double)exact / (double)e->pairs.count));
    GW_TRY(print_rouge(e, "model", e->own));
    snprintf(lead, sizeof lead, "lead_%lld", (long long)e->options->lead);
    return e->options->lead > 0 ? print_rouge(e, lead, e->lead) : GW_OK;
}

static gw_status run(evaluation *e) {
    const gw_eval_options *o = e->options;
    gw_text_pairs_options pairs = o->pairs;
    gw_generate_options generate = o->generate;
    gw_pair_metrics metrics;
    pairs.texts = true;
    GW_TRY(gw_generate_complete(o->in.models.items[0], e->model, &generate));
    GW_TRY(gw_text_pairs_read(o->in.sets.items, o->in.sets.count, e->model, &pairs, &e->pairs));
    GW_TRY(gw_rouge_mean_new(&e->own));
    GW_TRY(gw_rouge_mean_new(&e->lead));
    if (o->written) GW_TRY(gw_writer_open(o->written, &e->lines));
    GW_TRY(gw_pairs_rate(e->model, &e->pairs, TOKENS, &metrics));
    GW_TRY(copy_sources(e));
    GW_TRY(gw_generate(e->model, &generate, e->texts, e->pairs.count));
    GW_TRY(rate_all(e));
    return print_table(e, &metrics);
}

static gw_status evaluate(gw_model *const *models, int count, const gw_eval_options *options) {
    evaluation e = {.options = options, .model = models[0]};
    if (count > 1) return gw_fail(GW_ERR_USAGE, "texts are written by one model at a time");
    gw_status status = run(&e);
    status = gw_table_writer_end(gw_writers_close(status, e.lines, NULL), e.table);
    gw_generate_texts_free(e.texts, e.pairs.count);
    gw_text_pairs_free(&e.pairs);
    gw_rouge_mean_free(e.own);
    gw_rouge_mean_free(e.lead);
    gw_string_free(&e.line);
    return status;
}

const gw_data_kind gw_data_pairs = {
    .evaluate = evaluate, .refusal = "the model has a decoder: it writes texts (godwit generate), and gives no labels"};
