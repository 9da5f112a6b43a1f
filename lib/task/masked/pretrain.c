// SPDX-License-Identifier: MIT
// Opens the training and validation data, passes the gradient to the trainer, validates, and writes the model folder at
// each save.
#include "task/masked/pretrain.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "data/genome_text.h"
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

enum { VALID_TOKENS = 1 << 16 };

// What a run is validated on: token shards (the same examples with the same masks every time) or regions of genomes, on
// evenly spaced windows. Zeros: no validation.
typedef struct {
    gw_pretrain_source shards; // where its examples are of something
    gw_genome_text text;       // where it has bases
    gw_genome_tiles tiles;
    int64_t sample; // of the tiles; 0: all
    char digest[33];
    int64_t tokens; // of the sequences of one validation, roughly
} validation;

typedef struct {
    const gw_pretrain_options *options;
    int64_t length;        // tokens of a sequence
    gw_model *start;       // or NULL
    gw_genome_text text;   // of genomes
    gw_tokenizer *letters; // of genomes, without `start`
    gw_pretrain_source data;
    validation valid;
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
    config.vocabulary = gw_max(config.vocabulary, needed);
    config.mean_bases = run->data.mean_bases;
    free(config.command);
    config.command = o->command ? gw_strdup(o->command) : NULL;
    gw_string fresh = {0};
    if (status == GW_OK)
        status = run->start ? gw_model_continue(run->start, &config, tokenizer, o->seed, &fresh, &run->model)
                            : gw_model_new(&config, tokenizer, o->seed, &run->model);
    if (status == GW_OK && fresh.length > 0) gw_note("fresh weights of %s", fresh.data);
    gw_string_free(&fresh);
    gw_config_free(&config);
    return status;
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
    validation *valid = &run->valid;
    if (o->valid) {
        gw_pretrain_data_options data = shard_options(run);
        data.prefixes = &o->valid;
        data.count = 1;
        data.tokens_per_step = valid->tokens = VALID_TOKENS;
        GW_TRY(gw_pretrain_data_open(&data, &valid->shards));
        memcpy(valid->digest, valid->shards.digest, sizeof valid->digest);
        return check_vocabulary(o->valid, run->model->tokenizer);
    }
    for (int i = 0; i < o->genome_count; i++) {
        const gw_genome_source part = {.fasta = o->genomes[i].fasta, .regions = o->genomes[i].without};
        if (part.regions) GW_TRY(gw_genome_text_add(&valid->text, &part));
    }
    if (valid->text.count == 0) return GW_OK;
    GW_TRY(gw_genome_tiles_make(&valid->tiles, &valid->text, gw_genome_window_length(run->model)));
    const double share = fmin(1, (double)o->valid_bases / (double)valid->text.count);
    valid->sample = (int64_t)ceil(share * (double)valid->tiles.count);
    valid->tokens = valid->sample * GW_GENOME_PASSES * gw_config_longest(&run->model->config);
    return gw_genome_text_digest(&valid->text, valid->digest);
}

static bool validates(const pretrain_run *run) {
    return run->valid.shards.examples.self || run->valid.text.count > 0;
}

static gw_status open_run(pretrain_run *run) {
    enum { PATIENCE = 200 };
    const gw_pretrain_options *o = run->options;
    const int64_t longest = gw_config_longest(o->config);
    run->length = o->length > 0 ? o->length : longest;
    if (run->length > longest)
        return gw_fail(GW_ERR_RANGE, "sequences of %lld tokens: the model has %lld positions", (long long)run->length,
                       (long long)longest);
    if (o->start) GW_TRY(gw_model_load(o->start, &run->start));
    GW_TRY(o->genome_count > 0 ? open_genomes(run) : open_shards(run));
    GW_TRY(make_model(run));
    const gw_network_options network = {.nsp_head = gw_head_of(run->model->config.head)->pairs,
                                        .training = true,
                                        .recompute = o->recompute,
                                        .precision = o->precision,
                                        .mixer = o->mixer,
                                        .seed = o->seed};
    GW_TRY(gw_steps_make(&run->step, run->model, &run->data.examples, network));
    GW_TRY(gw_steps_share(&run->step, o->groups, o->all_reduce));
    GW_TRY(open_valid(run));
    GW_TRY(gw_training_make_blocks(&run->training, run->model, o->average_decay > 0,
                                   validates(run) && o->keep == GW_KEEP_BEST));
    gw_masker masker;
    GW_TRY(gw_masker_make(&masker, run->model->tokenizer, o->mask_rate));
    run->guess = log((double)masker.ordinary_count);
    run->chance.patience = PATIENCE;
    gw_masker_free(&masker);
    return GW_OK;
}

static void close_run(pretrain_run *run) {
    gw_steps_free(&run->step);
    gw_model_free(run->model);
    gw_training_free(&run->training);
    gw_examples_free(&run->valid.shards.examples);
    gw_genome_tiles_free(&run->valid.tiles);
    gw_genome_text_free(&run->valid.text);
    gw_examples_free(&run->data.examples);
    gw_tokenizer_free(run->letters);
    gw_model_free(run->start);
    gw_genome_text_free(&run->text);
    free(run->metrics);
}

static double epochs(const pretrain_run *run, int64_t steps) {
    return (double)steps * (double)run->data.examples.sequences / (double)run->data.epoch;
}

static void prepare_step(void *context, int64_t step) {
    pretrain_run *run = context;
    gw_steps_prepare(&run->step, step);
}

static gw_status compute(void *context, int64_t step, json_t *row, double *loss, int64_t *tokens) {
    pretrain_run *run = context;
    gw_step_sums sums;
    GW_TRY(gw_step_gradient(&run->step, step, &sums));
    const gw_loss_sum *masked = &sums.losses.of[GW_ROWS_MASKED];
    *loss = gw_losses_report(&sums.losses, "", row);
    if (masked->count > 0 && gw_chance_stays(&run->chance, masked->loss / (double)masked->count, run->guess)) {
        gw_progress_end();
        gw_warn(
            "after %lld steps the loss of masked tokens is still %.3f bits, guessing has %.3f: nothing is learnt so "
            "far; try another --lr, a longer --warmup, shorter sequences, or more steps",
            (long long)step + 1, run->chance.loss / M_LN2, run->guess / M_LN2);
    }
    *tokens = sums.tokens;
    json_object_set_new(row, "epoch", json_real(epochs(run, step + 1)));
    gw_network_add_metrics(run->step.network, row);
    gw_steps_add_metrics(&run->step, row);
    return GW_OK;
}

// Both judge a model whose weights stay as they are, add to row, and note, what was found; *value is less for better
// ones: the loss of shards, bits per base of genomes.

static gw_status run_shards(const gw_examples *shards, gw_model *model, json_t *row, double *value) {
    gw_steps step = {0};
    gw_step_sums sums;
    const gw_network_options options = {.nsp_head = gw_head_of(model->config.head)->pairs};
    gw_status status = gw_steps_make(&step, model, shards, options);
    if (status == GW_OK) status = gw_step_losses(&step, 0, &sums);
    gw_steps_free(&step);
    GW_TRY(status);
    const gw_loss_sum *masked = &sums.losses.of[GW_ROWS_MASKED], *pairs = &sums.losses.of[GW_ROWS_FIRST];
    *value = gw_losses_report(&sums.losses, "valid_", row);
    const bool dna = gw_tokenizer_is_dna(model->tokenizer);
    char of_pairs[32] = "";
    if (pairs->count > 0)
        snprintf(of_pairs, sizeof of_pairs, ", of pairs %.4f", gw_mean((double)pairs->right, pairs->count));
    gw_note("validation: loss of masked tokens %.4f%s, accuracy %.4f%s",
            gw_mean(masked->loss, masked->count) / (dna ? M_LN2 : 1), dna ? " bits" : "",
            gw_mean((double)masked->right, masked->count), of_pairs);
    return GW_OK;
}

static gw_status run_genomes(const validation *valid, gw_model *model, gw_precision precision, json_t *row,
                             double *value) {
    gw_base_sums sums;
    GW_TRY(gw_model_freeze(model, precision));
    GW_TRY(gw_genome_bits(model, &valid->tiles, &(gw_genome_bits_options){.sample = valid->sample}, &sums));
    const int64_t bases = sums.bases[0] + sums.bases[1];
    const double accuracy = gw_mean((double)(sums.right[0] + sums.right[1]), bases);
    *value = gw_bits_per_base(&sums);
    json_object_set_new(row, "valid_mlm_loss", json_real(*value * M_LN2));
    json_object_set_new(row, "valid_mlm_accuracy", json_real(accuracy));
    json_object_set_new(row, "valid_bits_per_base", json_real(*value));
    gw_note("validation: %.4f bits per base, accuracy %.4f, on %lld bases", *value, accuracy, (long long)bases);
    return GW_OK;
}

static gw_status validate(pretrain_run *run, int64_t done, json_t *row) {
    gw_model *model;
    double value = 0;
    GW_TRY(gw_parameters_to_host(&run->model->parameters));
    const float *weight = run->training.average ? run->training.average : run->model->parameters.weight;
    GW_TRY(snapshot(run, weight, &model));
    gw_progress_end();
    gw_status status = run->valid.shards.examples.self
                           ? run_shards(&run->valid.shards.examples, model, row, &value)
                           : run_genomes(&run->valid, model, run->options->precision, row, &value);
    const gw_training_record *record = &run->training.record;
    if (status == GW_OK && run->training.kept && (!gw_training_has_best(record) || !(record->best <= value)))
        status = gw_training_keep(&run->training, weight, value, done, row);
    gw_model_free(model);
    return status;
}

static gw_status updated(void *context, int64_t done, json_t *row, bool *report) {
    pretrain_run *run = context;
    const gw_pretrain_options *o = run->options;
    const bool saves = done == o->steps || (o->save_every > 0 && done % o->save_every == 0);
    if (!validates(run) || !saves) return GW_OK;
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
    if (run->start) {
        const gw_parameters *p = &run->start->parameters;
        gw_md5 *md5;
        char hex[33];
        GW_TRY(gw_md5_start(&md5));
        gw_md5_add(md5, p->weight, p->floats * (int64_t)sizeof *p->weight);
        gw_md5_finish_hex(md5, hex);
        gw_string_printf(out, ", from weights %s", hex);
    }
    if (run->training.kept)
        gw_string_printf(out, ", best on %s, %lld windows", run->valid.digest, (long long)run->valid.sample);
    return gw_string_status(out);
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
        // validations run forward alone, a third of a step on as many tokens
        .extra_tokens = (1 + (o->save_every > 0 ? o->steps / o->save_every : 0)) * run->valid.tokens / 3,
    };
    run->training = (gw_training){.model = run->model,
                                  .gradient = gw_network_gradient(run->step.network),
                                  .context = run,
                                  .compute = compute,
                                  .prepare = prepare_step,
                                  .updated = updated,
                                  .saved = saved,
                                  .kept = run->training.kept,
                                  .average = run->training.average,
                                  // of DNA as of any code, whose bases one would write in 2 bits each
                                  .bits = o->genome_count > 0                          ? "bits per base"
                                          : gw_tokenizer_is_dna(run->model->tokenizer) ? "bits"
                                                                                       : NULL};
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
        gw_note("the model has the weights of step %lld, with the best validation: %.4f", (long long)record->best_step,
                record->best);
    return status;
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
    const char *checkpoints = options->checkpoints;
    const size_t length = strlen(options->model);
    if (checkpoints && strncmp(checkpoints, options->model, length) == 0 &&
        (checkpoints[length] == '/' || checkpoints[length] == 0))
        return gw_fail(GW_ERR_IO, "the checkpoints (%s) must lie outside the model folder (%s)", checkpoints,
                       options->model);
    GW_TRY(gw_training_folders_lock(&locks, options->model, options->checkpoints));
    const gw_status status = pretrain(options);
    gw_training_folders_unlock(&locks);
    return status;
}
