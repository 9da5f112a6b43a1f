// SPDX-License-Identifier: MIT
// The loss of a step is the mean over its masked tokens plus, of token shards, the mean over its pairs, whatever the
// passes it is cut into.
#include "run/pretrain.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "model/head.h"
#include "model/network.h"
#include "run/pretrain_data.h"
#include "run/pretrain_genome.h"
#include "run/shard_tokenizer.h"
#include "run/trainer.h"

#include <stdlib.h>
#include <string.h>

enum { VALID_TOKENS = 1 << 16 };

typedef struct {
    const gw_pretrain_options *options;
    gw_genome_text text;            // of genomes
    gw_tokenizer *letters;          // of genomes
    gw_pretrain_source data, valid; // valid of token shards, where there are some
    gw_model *model;
    gw_network *network, *valid_network;
    char *metrics; // path
} pretrain_run;

static gw_status make_model(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    gw_config config;
    gw_tokenizer *tokenizer = NULL;
    GW_TRY(gw_config_copy(o->config, &config));
    const gw_tokenizer *shared = run->data.tokenizer;
    gw_status status = GW_OK;
    if (config.vocabulary > 0 && config.vocabulary < gw_tokenizer_size(shared))
        status = gw_fail(GW_ERR_MISMATCH, "the config's vocab_size is %lld, but the tokenizer of %s has %d tokens",
                         (long long)config.vocabulary, o->genome_count > 0 ? o->genomes[0].fasta : o->data[0],
                         gw_tokenizer_size(shared));
    if (status == GW_OK) status = gw_tokenizer_copy(shared, &tokenizer);
    config.mean_bases = run->data.mean_bases;
    free(config.command);
    config.command = o->command ? gw_strdup(o->command) : NULL;
    if (status == GW_OK) status = gw_model_new(&config, tokenizer, o->seed, &run->model);
    gw_config_free(&config);
    return status;
}

static gw_status make_network(const pretrain_run *run, const gw_pretrain_source *source, bool training,
                              gw_network **out) {
    gw_network_options options = source->room;
    options.nsp_head = gw_head_of(run->model->config.head)->pairs;
    options.training = training;
    options.recompute = run->options->recompute;
    options.precision = run->options->precision;
    options.seed = run->options->seed;
    return gw_network_new(run->model, &options, out);
}

static gw_status open_shards(pretrain_run *run, const char *const *prefixes, int count, int64_t tokens_per_step,
                             gw_pretrain_source *out) {
    const gw_pretrain_options *o = run->options;
    const gw_pretrain_data_options data = {.prefixes = prefixes,
                                           .count = count,
                                           .length = gw_config_longest(o->config),
                                           .tokens_per_step = tokens_per_step,
                                           .mask_rate = o->mask_rate,
                                           .seed = o->seed};
    return gw_pretrain_data_open(&data, out);
}

static gw_status open_genomes(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    for (int i = 0; i < o->genome_count; i++) GW_TRY(gw_genome_text_add(&run->text, &o->genomes[i]));
    GW_TRY(gw_tokenizer_letters(&run->letters));
    const gw_pretrain_genome_options genome = {.text = &run->text,
                                               .tokenizer = run->letters,
                                               .length = gw_config_longest(o->config),
                                               .tokens_per_step = o->tokens_per_step,
                                               .mask_rate = o->mask_rate,
                                               .repeat_weight = o->repeat_weight,
                                               .seed = o->seed};
    return gw_pretrain_genome_open(&genome, &run->data);
}

static gw_status open_run(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    GW_TRY(o->genome_count > 0 ? open_genomes(run)
                               : open_shards(run, o->data, o->data_count, o->tokens_per_step, &run->data));
    GW_TRY(make_model(run));
    GW_TRY(make_network(run, &run->data, true, &run->network));
    if (!o->valid) return GW_OK;
    GW_TRY(open_shards(run, &o->valid, 1, VALID_TOKENS, &run->valid));
    gw_tokenizer *same;
    GW_TRY(gw_shard_tokenizer(o->valid, run->model->tokenizer, &same));
    gw_tokenizer_free(same);
    return make_network(run, &run->valid, false, &run->valid_network);
}

static void close_run(pretrain_run *run) {
    gw_network_free(run->valid_network);
    gw_network_free(run->network);
    gw_model_free(run->model);
    gw_pretrain_source_close(&run->valid);
    gw_pretrain_source_close(&run->data);
    gw_tokenizer_free(run->letters);
    gw_genome_text_free(&run->text);
    free(run->metrics);
}

static void add_losses(gw_losses *sum, const gw_losses *losses) {
    sum->mlm_loss += losses->mlm_loss;
    sum->mlm_count += losses->mlm_count;
    sum->mlm_right += losses->mlm_right;
    sum->nsp_loss += losses->nsp_loss;
    sum->nsp_count += losses->nsp_count;
    sum->nsp_right += losses->nsp_right;
}

static double mean(double sum, int64_t count) {
    return count > 0 ? sum / (double)count : 0;
}

static double report_losses(const gw_losses *sum, const char *prefix, json_t *row) {
    const double mlm = mean(sum->mlm_loss, sum->mlm_count), pair = mean(sum->nsp_loss, sum->nsp_count);
    const struct {
        const char *name;
        double value;
    } entries[] = {{"mlm_loss", mlm},
                   {"mlm_accuracy", mean((double)sum->mlm_right, sum->mlm_count)},
                   {"nsp_loss", pair},
                   {"nsp_accuracy", mean((double)sum->nsp_right, sum->nsp_count)}};
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        char name[64] = "";
        strcat(strcpy(name, prefix), entries[i].name);
        if (sum->nsp_count > 0 || strncmp(entries[i].name, "nsp", 3) != 0)
            json_object_set_new(row, name, json_real(entries[i].value));
    }
    return mlm + pair;
}

static double epochs(const pretrain_run *run, int64_t steps) {
    return (double)steps * (double)run->data.examples / (double)run->data.epoch;
}

static gw_status compute(void *context, int64_t step, json_t *row, double *loss, int64_t *tokens) {
    pretrain_run *run = context;
    const gw_pretrain_step *batches;
    gw_losses sum = {0}, losses;
    int64_t first_token = 0;
    GW_TRY(run->data.step(run->data.data, step, &batches));
    const float mlm_scale = batches->masked > 0 ? 1 / (float)batches->masked : 0,
                nsp_scale = batches->pairs > 0 ? 1 / (float)batches->pairs : 0;
    for (int64_t i = 0; i < batches->count; i++) {
        gw_batch *batch = &batches->batches[i];
        batch->step = (uint32_t)step;
        batch->of[GW_ROWS_TOKENS].first = first_token;
        first_token += batch->of[GW_ROWS_TOKENS].count;
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_network_forward(run->network, batch, &losses));
        GW_TRY(gw_network_backward(run->network, mlm_scale, nsp_scale, 0));
        add_losses(&sum, &losses);
    }
    *loss = report_losses(&sum, "", row);
    *tokens = batches->tokens;
    json_object_set_new(row, "epoch", json_real(epochs(run, step + 1)));
    return GW_OK;
}

// The same examples with the same masks every time.
static gw_status validate(pretrain_run *run, int64_t done, json_t *row) {
    const gw_pretrain_step *batches;
    gw_losses sum = {0}, losses;
    GW_TRY(run->valid.step(run->valid.data, 0, &batches));
    for (int64_t i = 0; i < batches->count; i++) {
        GW_TRY(gw_network_forward(run->valid_network, &batches->batches[i], &losses));
        add_losses(&sum, &losses);
    }
    report_losses(&sum, "valid_", row);
    gw_progress_end();
    gw_note("step %lld: validation loss of masked tokens %.4f, accuracy %.4f, of pairs %.4f", (long long)done,
            mean(sum.mlm_loss, sum.mlm_count), mean((double)sum.mlm_right, sum.mlm_count),
            mean((double)sum.nsp_right, sum.nsp_count));
    return GW_OK;
}

static gw_status updated(void *context, int64_t done, json_t *row, bool *report) {
    pretrain_run *run = context;
    const gw_pretrain_options *o = run->options;
    const bool saves = done == o->steps || (o->save_every > 0 && done % o->save_every == 0);
    if (!o->valid || !saves) return GW_OK;
    *report = true;
    return validate(run, done, row);
}

static gw_status write_model(const pretrain_run *run) {
    GW_TRY(gw_model_save(run->model, run->options->model));
    char *copy = gw_join_path(run->options->model, "metrics.jsonl");
    const gw_status status = copy ? gw_copy_file(run->metrics, copy) : GW_ERR_MEMORY;
    free(copy);
    return status;
}

static gw_status saved(void *context, int64_t done) {
    (void)done;
    return write_model(context);
}

// Whether the model folder holds the weights of the state.
static bool model_is_written(const pretrain_run *run) {
    gw_model *model;
    if (gw_model_load(run->options->model, &model) != GW_OK) return false;
    const gw_parameters *a = &model->parameters, *b = &run->model->parameters;
    const bool same = a->floats == b->floats && memcmp(a->weight, b->weight, (size_t)a->floats * sizeof(float)) == 0;
    gw_model_free(model);
    return same;
}

// Everything that a resumed run must share with the one it continues, in words.
static char *fingerprint(const pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    const gw_config *c = &run->model->config;
    char *pattern = gw_pattern_text(&c->pattern);
    char *text = gw_strprintf(
        "pretrain on data %s, %d tokens of vocabulary; %lld layers, width %lld, heads %lld, feed_forward %lld, "
        "length %lld, pattern %s, dropout %.9g, initial range %.9g, epsilon %.9g; steps %lld, tokens per batch %lld, "
        "lr %.9g, warmup %lld, weight decay %.9g, clip %.9g, betas %.9g %.9g %.9g, mask rate %.9g, repeat weight %.9g, "
        "seed %llu%s",
        run->data.digest, gw_tokenizer_size(run->model->tokenizer), (long long)c->layers, (long long)c->width,
        (long long)c->heads, (long long)c->feed_forward, (long long)c->positions, pattern ? pattern : "", c->dropout,
        c->initializer_range, c->epsilon, (long long)o->steps, (long long)o->tokens_per_step, o->rate,
        (long long)o->warmup, o->optimiser.decay, o->optimiser.clip, o->optimiser.beta1, o->optimiser.beta2,
        o->optimiser.epsilon, o->mask_rate, o->repeat_weight, (unsigned long long)o->seed,
        o->precision == GW_BF16 ? ", products of bf16" : "");
    free(pattern);
    return text;
}

static gw_status train(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    char *print = fingerprint(run);
    json_t *notes = json_object();
    run->metrics = gw_join_path(o->checkpoints, "metrics.jsonl");
    const gw_trainer_options trainer = {
        .schedule = {o->rate, o->warmup >= 0 ? o->warmup : gw_default_warmup(o->steps), o->steps},
        .optimiser = o->optimiser,
        .checkpoints = o->checkpoints,
        .save_every = o->save_every,
        .resume = o->resume,
        .metrics = run->metrics,
        .report_every = 1,
        .fingerprint = print,
    };
    gw_training training = {.model = run->model,
                            .gradient = gw_network_gradient(run->network),
                            .context = run,
                            .compute = compute,
                            .updated = updated,
                            .saved = saved,
                            .notes = notes};
    gw_status status = print && notes && run->metrics ? gw_make_directory(o->checkpoints) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_train(&training, &trainer);
    if (status == GW_OK && training.resumed_at == o->steps) {
        gw_note("the run is finished: %lld steps", (long long)o->steps);
        if (!model_is_written(run)) status = write_model(run);
    }
    json_decref(notes);
    free(print);
    return status;
}

static gw_status check_folders(const gw_pretrain_options *o) {
    if (!o->resume && gw_file_exists(o->model))
        return gw_fail(GW_ERR_IO, "%s exists: remove it, choose another folder, or continue with --resume", o->model);
    const size_t length = strlen(o->model);
    if (strncmp(o->checkpoints, o->model, length) == 0 &&
        (o->checkpoints[length] == '/' || o->checkpoints[length] == 0))
        return gw_fail(GW_ERR_IO, "the checkpoints (%s) must lie outside the model folder (%s)", o->checkpoints,
                       o->model);
    return GW_OK;
}

gw_status gw_pretrain(const gw_pretrain_options *options) {
    pretrain_run run = {.options = options};
    GW_TRY(check_folders(options));
    gw_status status = open_run(&run);
    if (status == GW_OK)
        gw_note("%lld examples of at most %lld tokens; %lld a step; %.2f epochs", (long long)run.data.epoch,
                (long long)gw_config_longest(options->config), (long long)run.data.examples,
                epochs(&run, options->steps));
    if (status == GW_OK) status = train(&run);
    close_run(&run);
    return status;
}
