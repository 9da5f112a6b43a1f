// SPDX-License-Identifier: MIT
// Opens what is read, hands the gradient to the trainer, validates, and writes the folder at each save.
#include "task/masked/pretrain.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "data/homologs.h"
#include "file/digest.h"
#include "model/head.h"
#include "network/network.h"
#include "run/ranks.h"
#include "run/step.h"
#include "run/trainer.h"
#include "run/training_folder.h"
#include "task/finetune.h"
#include "task/masked/evaluate_genome.h"
#include "task/masked/pretrain_data.h"
#include "task/trained_on.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const gw_pretrain_options *options;
    int64_t length;        // tokens of a sequence
    gw_model *start;       // or NULL
    gw_genome_text text;   // of genomes
    gw_tokenizer *letters; // of genomes, without `start`
    gw_pretrain_source data;
    gw_pretrain_valid valid;
    gw_model *model;
    gw_steps step;
    gw_training training;
    char *metrics; // path
    double guess;  // loss of guessing among all tokens that are masked
    gw_chance chance;
} pretrain_run;

// The same model with weights that stay as they are.
static gw_status snapshot(const pretrain_run *run, const float *weight, gw_model **out) {
    gw_tokenizer *tokenizer;
    gw_string fresh = {0};
    GW_TRY(gw_tokenizer_copy(run->model->tokenizer, &tokenizer));
    const gw_status status = gw_model_continue(run->model, &run->model->config, tokenizer, 0, &fresh, out);
    gw_string_free(&fresh);
    GW_TRY(status);
    memcpy((*out)->parameters.weight, weight, (size_t)run->model->parameters.floats * sizeof *weight);
    return GW_OK;
}

// Takes over the tokenizer.
static gw_status go_on_from(const gw_model *start, const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed,
                            gw_model **out) {
    gw_string fresh = {0};
    const gw_status status = gw_model_continue(start, config, tokenizer, seed, &fresh, out);
    if (status == GW_OK && fresh.length > 0) gw_note("fresh weights of %s", fresh.data);
    gw_string_free(&fresh);
    return status;
}

static gw_status make_model(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    gw_config config;
    gw_tokenizer *tokenizer = NULL;
    GW_TRY(gw_config_copy(o->config, &config));
    const gw_tokenizer *shared = run->data.tokenizer;
    gw_status status = GW_OK;
    if (config.vocabulary > 0 && config.vocabulary < gw_tokenizer_size(shared))
        status = gw_fail(GW_ERR_MISMATCH, "the config's vocab_size is %lld, but the tokenizer of %s has %d tokens",
                         (long long)config.vocabulary, o->genome_count > 0 ? o->genomes[0].fasta : o->data.items[0],
                         gw_tokenizer_size(shared));
    if (status == GW_OK) status = gw_tokenizer_copy(shared, &tokenizer);
    const int64_t needed = o->species ? gw_species_vocabulary(shared, o->genome_count) : 0;
    if (config.vocabulary < needed) config.vocabulary = needed;
    config.mean_bases = run->data.mean_bases;
    free(config.command);
    config.command = o->command ? gw_strdup(o->command) : NULL;
    if (status == GW_OK)
        status = run->start ? go_on_from(run->start, &config, tokenizer, o->seed, &run->model)
                            : gw_model_new(&config, tokenizer, o->seed, &run->model);
    gw_config_free(&config);
    return status;
}

static gw_status make_step(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    const gw_network_options network = {.nsp_head = gw_head_of(run->model->config.head)->pairs,
                                        .training = true,
                                        .recompute = o->recompute,
                                        .precision = o->precision,
                                        .mixer = o->mixer,
                                        .seed = o->seed};
    GW_TRY(gw_steps_make(&run->step, run->model, &run->data.examples, network));
    return gw_steps_share(&run->step, o->groups, o->all_reduce);
}

static gw_pretrain_data_options shard_options(const pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    return (gw_pretrain_data_options){.prefixes = o->data.items,
                                      .count = o->data.count,
                                      .length = run->length,
                                      .tokens_per_step = o->tokens_per_step,
                                      .mask_rate = o->mask_rate,
                                      .whole_words = o->whole_words,
                                      .one_segment = (run->start ? &run->start->config : o->config)->segments == 1,
                                      .alone = !gw_head_of((run->start ? &run->start->config : o->config)->head)->pairs,
                                      .globals = gw_config_globals(o->config),
                                      .contrast = o->contrast,
                                      .seed = o->seed};
}

// The same vocabulary as PREFIX's.
static gw_status check_vocabulary(const char *prefix, const gw_tokenizer *tokenizer) {
    gw_tokenizer *same;
    GW_TRY(gw_shard_tokenizer(prefix, tokenizer, &same));
    gw_tokenizer_free(same);
    return GW_OK;
}

static gw_status cut_homologs(pretrain_run *run) {
    gw_genome_text held_out = {0};
    int64_t bases;
    const gw_genome_source part = {.fasta = run->options->genomes[0].fasta, .regions = run->options->unlike};
    gw_status status = gw_genome_text_add(&held_out, &part);
    if (status == GW_OK) status = gw_homologs_cut(&run->text, &held_out, &bases);
    gw_genome_text_free(&held_out);
    if (status == GW_OK)
        gw_note("%lld bases of other genomes are like %s and left out", (long long)bases, part.regions);
    return status;
}

static gw_status open_genomes(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    for (int i = 0; i < o->genome_count; i++) GW_TRY(gw_genome_text_add(&run->text, &o->genomes[i]));
    if (o->unlike) GW_TRY(cut_homologs(run));
    if (!run->start) GW_TRY(gw_tokenizer_letters(&run->letters));
    const gw_pretrain_genome_options genome = {.text = &run->text,
                                               .tokenizer = run->start ? run->start->tokenizer : run->letters,
                                               .length = run->length,
                                               .tokens_per_step = o->tokens_per_step,
                                               .mask_rate = o->mask_rate,
                                               .repeat_weight = o->repeat_weight,
                                               .species = o->species,
                                               .seed = o->seed};
    return gw_pretrain_genome_open(&genome, &run->data);
}

static gw_status open_shards(pretrain_run *run) {
    const gw_pretrain_data_options data = shard_options(run);
    GW_TRY(gw_pretrain_data_open(&data, &run->data));
    return run->start ? check_vocabulary(data.prefixes[0], run->start->tokenizer) : GW_OK;
}

static gw_status open_valid(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    if (o->valid) {
        GW_TRY(gw_pretrain_valid_shards(&run->valid, o->valid, shard_options(run)));
        return check_vocabulary(o->valid, run->model->tokenizer);
    }
    for (int i = 0; i < o->genome_count; i++) {
        const gw_genome_source part = {.fasta = o->genomes[i].fasta, .regions = o->genomes[i].without};
        if (part.regions) GW_TRY(gw_genome_text_add(&run->valid.text, &part));
    }
    return run->valid.text.count > 0 ? gw_pretrain_valid_genomes(&run->valid, run->model, o->valid_bases) : GW_OK;
}

static gw_status set_chance(pretrain_run *run) {
    enum { PATIENCE = 200 };
    gw_masker masker;
    GW_TRY(gw_masker_make(&masker, run->model->tokenizer, run->options->mask_rate));
    run->guess = log((double)masker.ordinary_count);
    run->chance.patience = PATIENCE;
    gw_masker_free(&masker);
    return GW_OK;
}

static gw_status open_run(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    const int64_t longest = gw_config_longest(o->config);
    run->length = o->length > 0 ? o->length : longest;
    if (run->length > longest)
        return gw_fail(GW_ERR_RANGE, "sequences of %lld tokens: the model has %lld positions", (long long)run->length,
                       (long long)longest);
    if (o->start) GW_TRY(gw_model_load(o->start, &run->start));
    GW_TRY(o->genome_count > 0 ? open_genomes(run) : open_shards(run));
    GW_TRY(make_model(run));
    GW_TRY(make_step(run));
    GW_TRY(open_valid(run));
    GW_TRY(gw_training_make_blocks(&run->training, run->model, o->average_decay > 0,
                                   gw_pretrain_validates(&run->valid) && o->keep == GW_KEEP_BEST));
    return set_chance(run);
}

static void close_run(pretrain_run *run) {
    gw_steps_free(&run->step);
    gw_model_free(run->model);
    gw_training_free(&run->training);
    gw_pretrain_valid_close(&run->valid);
    gw_examples_free(&run->data.examples);
    gw_tokenizer_free(run->letters);
    gw_model_free(run->start);
    gw_genome_text_free(&run->text);
    free(run->metrics);
}

static double epochs(const pretrain_run *run, int64_t steps) {
    return (double)steps * (double)run->data.examples.sequences / (double)run->data.epoch;
}

static void watch_chance(pretrain_run *run, double loss, int64_t done) {
    if (!gw_chance_stays(&run->chance, loss, run->guess)) return;
    gw_progress_end();
    gw_warn("after %lld steps the loss of masked tokens is still %.3f bits, guessing has %.3f: nothing is learnt so "
            "far; try another --lr, a longer --warmup, shorter sequences, or more steps",
            (long long)done, run->chance.loss / M_LN2, run->guess / M_LN2);
}

// What losses are shown in: of DNA as of any code, whose bases one would write in 2 bits each.
static const char *bits_of(const pretrain_run *run) {
    if (run->options->genome_count > 0) return "bits per base";
    return gw_tokenizer_is_dna(run->model->tokenizer) ? "bits" : NULL;
}

static gw_status compute(void *context, int64_t step, json_t *row, double *loss, int64_t *tokens) {
    pretrain_run *run = context;
    gw_step_sums sums;
    GW_TRY(gw_step_gradient(&run->step, step, &sums));
    const gw_loss_sum *masked = &sums.losses.of[GW_ROWS_MASKED];
    *loss = gw_losses_report(&sums.losses, "", row);
    if (masked->count > 0) watch_chance(run, masked->loss / (double)masked->count, step + 1);
    *tokens = sums.tokens;
    json_object_set_new(row, "epoch", json_real(epochs(run, step + 1)));
    gw_network_add_metrics(run->step.network, row);
    gw_steps_add_metrics(&run->step, row);
    return GW_OK;
}

static gw_status keep_best(pretrain_run *run, const float *weight, double value, int64_t done, json_t *row) {
    const gw_training_record *record = &run->training.record;
    if (!run->training.kept || (gw_training_has_best(record) && record->best <= value)) return GW_OK;
    return gw_training_keep(&run->training, weight, value, done, row);
}

static gw_status validate(pretrain_run *run, int64_t done, json_t *row) {
    gw_model *model;
    double value = 0;
    GW_TRY(gw_parameters_to_host(&run->model->parameters));
    const float *weight = run->training.average ? run->training.average : run->model->parameters.weight;
    GW_TRY(snapshot(run, weight, &model));
    gw_status status = gw_pretrain_valid_run(&run->valid, model, run->options->precision, row, &value);
    if (status == GW_OK) status = keep_best(run, weight, value, done, row);
    gw_model_free(model);
    return status;
}

static gw_status updated(void *context, int64_t done, json_t *row, bool *report) {
    pretrain_run *run = context;
    const gw_pretrain_options *o = run->options;
    const bool saves = done == o->steps || (o->save_every > 0 && done % o->save_every == 0);
    if (!gw_pretrain_validates(&run->valid) || !saves) return GW_OK;
    *report = true;
    return validate(run, done, row);
}

// Of the best validation, where one is kept, and otherwise of the last step.
static const float *final_weights(const pretrain_run *run) {
    if (run->training.kept && gw_training_has_best(&run->training.record)) return run->training.kept;
    return run->training.average ? run->training.average : run->model->parameters.weight;
}

static gw_status write_model(const pretrain_run *run) {
    gw_model *model;
    GW_TRY(snapshot(run, final_weights(run), &model));
    const gw_pretrain_options *o = run->options;
    gw_status status = gw_model_save(model, o->model);
    if (status == GW_OK) status = gw_trained_on_write(o->model, o->start, &run->text.genomes);
    if (status == GW_OK) status = gw_training_folder_take_metrics(o->model, o->checkpoints);
    gw_model_free(model);
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
    const gw_parameters *a = &model->parameters;
    const bool same = a->floats == run->model->parameters.floats &&
                      memcmp(a->weight, final_weights(run), (size_t)a->floats * sizeof(float)) == 0;
    gw_model_free(model);
    return same;
}

static void print_weights(const gw_model *model, gw_string *out) {
    gw_md5 *md5;
    char hex[33] = "";
    if (gw_md5_start(&md5) == GW_OK) {
        gw_md5_add(md5, model->parameters.weight, model->parameters.floats * (int64_t)sizeof(float));
        gw_md5_finish_hex(md5, hex);
    }
    gw_string_printf(out, ", from weights %s", hex);
}

// Everything that a resumed run must share with the one it continues, in words.
static gw_status fingerprint(const pretrain_run *run, const gw_schedule *schedule, gw_string *out) {
    const gw_pretrain_options *o = run->options;
    const gw_config *c = &run->model->config;
    char *pattern = gw_config_pattern(c), architecture[64];
    gw_architecture_name(c->family, c->head, architecture);
    gw_string_printf(
        out,
        "pretrain %s on data %s, %d tokens of vocabulary; stem '%s', rotary %lld, activation %d; %lld layers, width "
        "%lld, heads %lld, feed_forward %lld, positions %lld, length %lld, pattern %s, dropout %.9g, initial range "
        "%.9g, epsilon %.9g; steps %lld, tokens per batch %lld, lr %.9g, schedule %s, warmup %lld, weight decay %.9g, "
        "clip %.9g, betas %.9g %.9g %.9g, average %.9g, mask rate %.9g, repeat weight %.9g, seed %llu%s%s%s",
        architecture, run->data.digest, gw_tokenizer_size(run->model->tokenizer), c->stem.text, (long long)c->rotary,
        (int)c->activation, (long long)c->layers, (long long)c->width, (long long)c->heads, (long long)c->feed_forward,
        (long long)c->positions, (long long)run->length, pattern ? pattern : "", c->dropout, c->initializer_range,
        c->epsilon, (long long)o->steps, (long long)o->tokens_per_step, o->rate, gw_schedule_name(schedule->kind),
        (long long)schedule->warmup, o->optimiser.decay, o->optimiser.clip, o->optimiser.beta1, o->optimiser.beta2,
        o->optimiser.epsilon, o->average_decay, o->mask_rate, o->repeat_weight, (unsigned long long)o->seed,
        o->precision == GW_BF16 ? ", products of bf16" : "", o->species ? ", species" : "",
        o->whole_words ? ", whole words" : "");
    free(pattern);
    gw_mixer_print_options(c, &o->mixer, out);
    if (o->genome_count == 0 && gw_config_globals(c) > 0) gw_string_puts(out, ", sentences have global tokens");
    if (o->contrast > 0) gw_string_printf(out, ", contrast %.9g", o->contrast);
    gw_steps_print(&run->step, out);
    if (run->start) print_weights(run->start, out);
    if (run->training.kept)
        gw_string_printf(out, ", best on %s, %lld windows", run->valid.digest, (long long)run->valid.sample);
    return gw_string_status(out);
}

// Validations run forward alone, a third of a step on as many tokens.
static int64_t validation_tokens(const pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    return (1 + (o->save_every > 0 ? o->steps / o->save_every : 0)) * run->valid.tokens / 3;
}

static void tell_size(const pretrain_run *run) {
    const gw_parameters *p = &run->model->parameters;
    const int blocks = 4 + !!run->training.average + !!run->training.kept; // weights, gradient, two moments
    const double bytes = (double)gw_network_bytes(run->step.network) + (double)run->text.count +
                         (double)run->valid.text.count + 4.0 * blocks * (double)p->floats;
    const int64_t examples = run->data.examples.sequences;
    gw_note("%.1f million weights, %.2f GB of memory; about %.0f tokens a step, %lld examples of at most %lld tokens; "
            "%.2f epochs",
            (double)p->floats / 1e6, bytes / 1e9, run->data.mean_tokens * (double)examples, (long long)examples,
            (long long)run->length, epochs(run, run->options->steps));
}

static gw_status run_training(pretrain_run *run, gw_string *print) {
    const gw_pretrain_options *o = run->options;
    const gw_schedule schedule = gw_schedule_make(o->schedule, o->rate, o->warmup, o->steps);
    GW_TRY(fingerprint(run, &schedule, print));
    const gw_trainer_options trainer = {
        .schedule = schedule,
        .optimiser = o->optimiser,
        .checkpoints = o->checkpoints,
        .save_every = o->save_every,
        .save_seconds = GW_SAVE_SECONDS,
        .resume = o->resume,
        .metrics = run->metrics,
        .report_every = 1,
        .fingerprint = print->data,
        .average_decay = o->average_decay,
        .extra_tokens = validation_tokens(run),
    };
    run->training = (gw_training){.model = run->model,
                                  .gradient = gw_network_gradient(run->step.network),
                                  .context = run,
                                  .compute = compute,
                                  .updated = updated,
                                  .saved = saved,
                                  .kept = run->training.kept,
                                  .average = run->training.average,
                                  .bits = bits_of(run)};
    if (gw_is_first_rank()) GW_TRY(gw_make_directory(o->checkpoints ? o->checkpoints : o->model));
    GW_TRY(gw_train(&run->training, &trainer));
    if (run->training.resumed_at < o->steps || !gw_is_first_rank()) return GW_OK;
    gw_note("the run is finished: %lld steps", (long long)o->steps);
    return model_is_written(run) ? GW_OK : write_model(run);
}

static gw_status train(pretrain_run *run) {
    gw_string print = {0};
    const gw_pretrain_options *o = run->options;
    run->metrics = gw_join_path(o->checkpoints ? o->checkpoints : o->model, "metrics.jsonl");
    const gw_status status = run->metrics ? run_training(run, &print) : GW_ERR_MEMORY;
    gw_string_free(&print);
    const gw_training_record *record = &run->training.record;
    if (status == GW_OK && run->training.kept && gw_training_has_best(record))
        gw_note("the model is that of step %lld, whose validation was best: %.4f", (long long)record->best_step,
                record->best);
    return status;
}

static gw_status check_apart(const gw_pretrain_options *o) {
    const size_t length = strlen(o->model);
    if (o->checkpoints && strncmp(o->checkpoints, o->model, length) == 0 &&
        (o->checkpoints[length] == '/' || o->checkpoints[length] == 0))
        return gw_fail(GW_ERR_IO, "the checkpoints (%s) must lie outside the model folder (%s)", o->checkpoints,
                       o->model);
    return GW_OK;
}

static gw_status pretrain(const gw_pretrain_options *options) {
    pretrain_run run = {.options = options};
    if (!options->resume && gw_is_first_rank() && gw_file_exists(options->model))
        return gw_fail(GW_ERR_IO, "%s exists: remove it, choose another folder, or continue with --resume",
                       options->model);
    gw_status status = open_run(&run);
    if (status == GW_OK) tell_size(&run);
    if (status == GW_OK) status = train(&run);
    close_run(&run);
    return status;
}

gw_status gw_pretrain(const gw_pretrain_options *options) {
    gw_training_locks locks = {0};
    GW_TRY(check_apart(options));
    GW_TRY(gw_training_folders_lock(&locks, options->model, options->checkpoints));
    const gw_status status = pretrain(options);
    gw_training_folders_unlock(&locks);
    return status;
}
