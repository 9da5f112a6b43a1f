// SPDX-License-Identifier: MIT
// The loss of a step is the mean over its masked tokens plus, of token shards, the mean over its pairs, whatever the
// passes it is cut into.
#include "run/pretrain.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "model/head.h"
#include "model/network.h"
#include "run/genome_bits.h"
#include "run/pretrain_data.h"
#include "run/pretrain_genome.h"
#include "run/shard_tokenizer.h"
#include "run/trainer.h"
#include "seq/md5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALID_TOKENS = 1 << 16 };

typedef struct {
    const gw_pretrain_options *options;
    int64_t length;                 // tokens of a sequence
    gw_model *start;                // or NULL
    gw_genome_text text;            // of genomes
    gw_tokenizer *letters;          // of genomes, without `start`
    gw_pretrain_source data, valid; // valid of token shards, where there are some
    gw_genome_text valid_text;      // of genomes, where there is some
    gw_genome_tiles valid_tiles;
    int64_t valid_sample; // of the tiles
    gw_model *model;
    gw_network *network;
    float *average, *best; // [floats] as gw_training has them, or NULL
    json_t *notes;         // "best", of validation, and "best_step"
    char *metrics;         // path
    struct {
        double loss, recent; // of guessing; running mean of the masked tokens'
        int64_t steps, patience;
    } chance;
} pretrain_run;

// The same model with weights that stay as they are.
static gw_status snapshot(const pretrain_run *run, const float *weight, gw_model **out) {
    gw_tokenizer *tokenizer;
    GW_TRY(gw_tokenizer_copy(run->model->tokenizer, &tokenizer));
    GW_TRY(gw_model_new(&run->model->config, tokenizer, 0, out));
    memcpy((*out)->parameters.weight, weight, (size_t)run->model->parameters.floats * sizeof *weight);
    return GW_OK;
}

static void copy_start(const pretrain_run *run) {
    gw_string fresh = {0};
    for (int i = 0; i < run->model->parameters.count; i++) {
        const gw_parameter *to = &run->model->parameters.list[i], *from = gw_model_parameter(run->start, to->name);
        if (from && from->count == to->count)
            memcpy(run->model->parameters.weight + to->offset, run->start->parameters.weight + from->offset,
                   (size_t)to->count * sizeof(float));
        else gw_string_printf(&fresh, "%s%s", fresh.length > 0 ? ", " : "", to->name);
    }
    if (fresh.length > 0) gw_note("fresh weights of %s", fresh.data);
    gw_string_free(&fresh);
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
                         (long long)config.vocabulary, o->genome_count > 0 ? o->genomes[0].fasta : o->data[0],
                         gw_tokenizer_size(shared));
    if (status == GW_OK) status = gw_tokenizer_copy(shared, &tokenizer);
    config.mean_bases = run->data.mean_bases;
    free(config.command);
    config.command = o->command ? gw_strdup(o->command) : NULL;
    if (status == GW_OK) status = gw_model_new(&config, tokenizer, o->seed, &run->model);
    if (status == GW_OK && run->start) copy_start(run);
    gw_config_free(&config);
    return status;
}

static gw_status make_network(const pretrain_run *run, gw_model *model, const gw_pretrain_source *source, bool training,
                              gw_network **out) {
    gw_network_options options = source->room;
    options.nsp_head = gw_head_of(model->config.head)->pairs;
    options.training = training;
    options.recompute = run->options->recompute;
    options.precision = run->options->precision;
    options.seed = run->options->seed;
    return gw_network_new(model, &options, out);
}

static gw_status open_shards(pretrain_run *run, const char *const *prefixes, int count, int64_t tokens_per_step,
                             gw_pretrain_source *out) {
    const gw_pretrain_options *o = run->options;
    const gw_pretrain_data_options data = {.prefixes = prefixes,
                                           .count = count,
                                           .length = run->length,
                                           .tokens_per_step = tokens_per_step,
                                           .mask_rate = o->mask_rate,
                                           .seed = o->seed};
    return gw_pretrain_data_open(&data, out);
}

// The same vocabulary as PREFIX's.
static gw_status check_vocabulary(const char *prefix, const gw_tokenizer *tokenizer) {
    gw_tokenizer *same;
    GW_TRY(gw_shard_tokenizer(prefix, tokenizer, &same));
    gw_tokenizer_free(same);
    return GW_OK;
}

static gw_status open_genomes(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    for (int i = 0; i < o->genome_count; i++) GW_TRY(gw_genome_text_add(&run->text, &o->genomes[i]));
    if (!run->start) GW_TRY(gw_tokenizer_letters(&run->letters));
    const gw_pretrain_genome_options genome = {.text = &run->text,
                                               .tokenizer = run->start ? run->start->tokenizer : run->letters,
                                               .length = run->length,
                                               .tokens_per_step = o->tokens_per_step,
                                               .mask_rate = o->mask_rate,
                                               .repeat_weight = o->repeat_weight,
                                               .seed = o->seed};
    return gw_pretrain_genome_open(&genome, &run->data);
}

// Evenly spaced windows whose middle halves hold about as many bases as asked for.
static gw_status open_valid_genomes(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    for (int i = 0; i < o->genome_count; i++) {
        const gw_genome_part part = {.fasta = o->genomes[i].fasta, .regions = o->genomes[i].without};
        if (part.regions) GW_TRY(gw_genome_text_add(&run->valid_text, &part));
    }
    if (run->valid_text.count == 0) return GW_OK;
    GW_TRY(gw_genome_tiles_make(&run->valid_tiles, &run->valid_text, gw_genome_window_length(run->model)));
    const double share = (double)o->valid_bases / (double)run->valid_text.count;
    const int64_t tiles = run->valid_tiles.count, wanted = (int64_t)ceil(share * (double)tiles);
    run->valid_sample = wanted > 1 && wanted < tiles ? wanted : wanted > 1 ? tiles : 1;
    return GW_OK;
}

static gw_status open_valid(pretrain_run *run) {
    const gw_pretrain_options *o = run->options;
    if (o->genome_count > 0) return open_valid_genomes(run);
    if (!o->valid) return GW_OK;
    GW_TRY(open_shards(run, &o->valid, 1, VALID_TOKENS, &run->valid));
    return check_vocabulary(o->valid, run->model->tokenizer);
}

static bool validates(const pretrain_run *run) {
    return run->valid.data || run->valid_text.count > 0;
}

static gw_status make_blocks(pretrain_run *run) {
    const int64_t floats = run->model->parameters.floats;
    run->notes = json_object();
    if (run->options->average_decay > 0) {
        run->average = gw_alloc(floats, sizeof *run->average);
        if (!run->average) return GW_ERR_MEMORY;
    }
    if (validates(run) && run->options->keep_best) {
        run->best = gw_alloc(floats, sizeof *run->best);
        if (!run->best) return GW_ERR_MEMORY;
    }
    return run->notes ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory");
}

// What guessing among all tokens that are masked costs.
static gw_status set_chance(pretrain_run *run) {
    enum { PATIENCE = 200 };
    gw_masker masker;
    GW_TRY(gw_masker_make(&masker, run->model->tokenizer, run->options->mask_rate));
    run->chance.loss = log((double)masker.ordinary_count);
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
    GW_TRY(o->genome_count > 0 ? open_genomes(run)
                               : open_shards(run, o->data, o->data_count, o->tokens_per_step, &run->data));
    if (run->start && o->data_count > 0) GW_TRY(check_vocabulary(o->data[0], run->start->tokenizer));
    GW_TRY(make_model(run));
    GW_TRY(make_network(run, run->model, &run->data, true, &run->network));
    GW_TRY(open_valid(run));
    GW_TRY(make_blocks(run));
    return set_chance(run);
}

static void close_run(pretrain_run *run) {
    gw_network_free(run->network);
    gw_model_free(run->model);
    free(run->average);
    free(run->best);
    json_decref(run->notes);
    gw_genome_tiles_free(&run->valid_tiles);
    gw_genome_text_free(&run->valid_text);
    gw_pretrain_source_close(&run->valid);
    gw_pretrain_source_close(&run->data);
    gw_tokenizer_free(run->letters);
    gw_model_free(run->start);
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

// A run whose loss does not leave that of guessing says so, after ever more steps.
static void watch_chance(pretrain_run *run, double loss, int64_t done) {
    static const double near = 0.995;
    run->chance.recent = run->chance.steps == 0 ? loss : run->chance.recent + (loss - run->chance.recent) / 50;
    if (++run->chance.steps < run->chance.patience || run->chance.recent < near * run->chance.loss) return;
    run->chance.patience = 2 * run->chance.steps;
    gw_progress_end();
    gw_warn("after %lld steps the loss of masked tokens is still %.3f bits, guessing has %.3f: nothing is learnt so "
            "far; try another --lr, a longer --warmup, shorter sequences, or more steps",
            (long long)done, run->chance.recent / M_LN2, run->chance.loss / M_LN2);
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
    if (sum.mlm_count > 0) watch_chance(run, sum.mlm_loss / (double)sum.mlm_count, step + 1);
    *tokens = batches->tokens;
    json_object_set_new(row, "epoch", json_real(epochs(run, step + 1)));
    return GW_OK;
}

// The same examples with the same masks every time.
static gw_status validate_shards(pretrain_run *run, gw_model *model, json_t *row, double *value) {
    const gw_pretrain_step *batches;
    gw_network *network;
    gw_losses sum = {0}, losses;
    GW_TRY(make_network(run, model, &run->valid, false, &network));
    gw_status status = run->valid.step(run->valid.data, 0, &batches);
    for (int64_t i = 0; status == GW_OK && i < batches->count; i++) {
        status = gw_network_forward(network, &batches->batches[i], &losses);
        if (status == GW_OK) add_losses(&sum, &losses);
    }
    gw_network_free(network);
    GW_TRY(status);
    *value = report_losses(&sum, "valid_", row);
    gw_note("validation loss of masked tokens %.4f, accuracy %.4f, of pairs %.4f", mean(sum.mlm_loss, sum.mlm_count),
            mean((double)sum.mlm_right, sum.mlm_count), mean((double)sum.nsp_right, sum.nsp_count));
    return GW_OK;
}

static gw_status validate_genomes(pretrain_run *run, gw_model *model, json_t *row, double *value) {
    gw_base_sums sums;
    GW_TRY(gw_model_freeze(model, run->options->precision));
    GW_TRY(gw_genome_bits(model, &run->valid_tiles, run->valid_sample, 0, &sums));
    const int64_t bases = sums.bases[0] + sums.bases[1];
    const double accuracy = mean((double)(sums.right[0] + sums.right[1]), bases);
    *value = gw_bits_per_base(&sums);
    json_object_set_new(row, "valid_mlm_loss", json_real(*value * M_LN2));
    json_object_set_new(row, "valid_mlm_accuracy", json_real(accuracy));
    json_object_set_new(row, "valid_bits_per_base", json_real(*value));
    gw_note("validation: %.4f bits per base, accuracy %.4f, on %lld bases", *value, accuracy, (long long)bases);
    return GW_OK;
}

static void keep_best(pretrain_run *run, const float *weight, double value, int64_t done) {
    const json_t *best = json_object_get(run->notes, "best");
    if (!run->best || (best && json_real_value(best) <= value)) return;
    json_object_set_new(run->notes, "best", json_real(value));
    json_object_set_new(run->notes, "best_step", json_integer(done));
    memcpy(run->best, weight, (size_t)run->model->parameters.floats * sizeof *weight);
}

static gw_status validate(pretrain_run *run, int64_t done, json_t *row) {
    gw_model *model;
    double value = 0;
    GW_TRY(gw_parameters_to_host(&run->model->parameters));
    const float *weight = run->average ? run->average : run->model->parameters.weight;
    GW_TRY(snapshot(run, weight, &model));
    gw_progress_end();
    const gw_status status =
        run->valid.data ? validate_shards(run, model, row, &value) : validate_genomes(run, model, row, &value);
    if (status == GW_OK) keep_best(run, weight, value, done);
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
    if (run->best && json_object_get(run->notes, "best")) return run->best;
    return run->average ? run->average : run->model->parameters.weight;
}

static gw_status write_model(const pretrain_run *run) {
    gw_model *model;
    GW_TRY(snapshot(run, final_weights(run), &model));
    gw_status status = gw_model_save(model, run->options->model);
    char *copy = gw_join_path(run->options->model, "metrics.jsonl");
    if (!copy) status = gw_first_failure(status, GW_ERR_MEMORY);
    if (status == GW_OK) status = gw_copy_file(run->metrics, copy);
    free(copy);
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

static gw_status print_validation(const pretrain_run *run, gw_string *out) {
    char hex[33];
    if (!run->best) return GW_OK;
    memcpy(hex, run->valid.digest, sizeof hex);
    if (!run->valid.data) GW_TRY(gw_genome_text_digest(&run->valid_text, hex));
    gw_string_printf(out, ", best on %s, %lld windows", hex, (long long)run->valid_sample);
    return GW_OK;
}

// Everything that a resumed run must share with the one it continues, in words.
static gw_status fingerprint(const pretrain_run *run, const gw_schedule *schedule, gw_string *out) {
    const gw_pretrain_options *o = run->options;
    const gw_config *c = &run->model->config;
    char *pattern = gw_pattern_text(&c->pattern);
    gw_string_printf(
        out,
        "pretrain on data %s, %d tokens of vocabulary; %lld layers, width %lld, heads %lld, feed_forward %lld, "
        "positions %lld, length %lld, pattern %s, dropout %.9g, initial range %.9g, epsilon %.9g; steps %lld, tokens "
        "per batch %lld, lr %.9g, schedule %s, warmup %lld, weight decay %.9g, clip %.9g, betas %.9g %.9g %.9g, "
        "average "
        "%.9g, mask rate %.9g, repeat weight %.9g, seed %llu%s",
        run->data.digest, gw_tokenizer_size(run->model->tokenizer), (long long)c->layers, (long long)c->width,
        (long long)c->heads, (long long)c->feed_forward, (long long)c->positions, (long long)run->length,
        pattern ? pattern : "", c->dropout, c->initializer_range, c->epsilon, (long long)o->steps,
        (long long)o->tokens_per_step, o->rate, gw_schedule_name(schedule->kind), (long long)schedule->warmup,
        o->optimiser.decay, o->optimiser.clip, o->optimiser.beta1, o->optimiser.beta2, o->optimiser.epsilon,
        o->average_decay, o->mask_rate, o->repeat_weight, (unsigned long long)o->seed,
        o->precision == GW_BF16 ? ", products of bf16" : "");
    free(pattern);
    if (run->start) print_weights(run->start, out);
    GW_TRY(print_validation(run, out));
    return gw_string_status(out);
}

// Validations run forward alone, a third of a step on as many tokens.
static int64_t validation_tokens(const pretrain_run *run) {
    enum { PASSES = 7 };
    const gw_pretrain_options *o = run->options;
    const int64_t saves = 1 + (o->save_every > 0 ? o->steps / o->save_every : 0);
    return saves * (run->valid.data ? VALID_TOKENS : run->valid_sample * PASSES * run->length) / 3;
}

static void tell_size(const pretrain_run *run) {
    const gw_parameters *p = &run->model->parameters;
    const int blocks = 4 + !!run->average + !!run->best; // weights, gradient, two moments
    const double bytes = (double)gw_network_bytes(run->network) + (double)run->text.count +
                         (double)run->valid_text.count + 4.0 * blocks * (double)p->floats;
    gw_note("%.1f million weights, %.2f GB of memory; %lld tokens a step, %lld examples of at most %lld tokens; %.2f "
            "epochs",
            (double)p->floats / 1e6, bytes / 1e9, (long long)(run->data.examples * run->length),
            (long long)run->data.examples, (long long)run->length, epochs(run, run->options->steps));
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
        .resume = o->resume,
        .metrics = run->metrics,
        .report_every = 1,
        .fingerprint = print->data,
        .average_decay = o->average_decay,
        .extra_tokens = validates(run) ? validation_tokens(run) : 0,
    };
    gw_training training = {.model = run->model,
                            .gradient = gw_network_gradient(run->network),
                            .context = run,
                            .compute = compute,
                            .updated = updated,
                            .saved = saved,
                            .kept = run->best,
                            .average = run->average,
                            .notes = run->notes};
    GW_TRY(gw_make_directory(o->checkpoints));
    GW_TRY(gw_train(&training, &trainer));
    if (training.resumed_at < o->steps) return GW_OK;
    gw_note("the run is finished: %lld steps", (long long)o->steps);
    return model_is_written(run) ? GW_OK : write_model(run);
}

static gw_status train(pretrain_run *run) {
    gw_string print = {0};
    run->metrics = gw_join_path(run->options->checkpoints, "metrics.jsonl");
    const gw_status status = run->metrics ? run_training(run, &print) : GW_ERR_MEMORY;
    gw_string_free(&print);
    const json_t *best = json_object_get(run->notes, "best");
    if (status == GW_OK && run->best && best)
        gw_note("the model is that of step %lld, whose validation was best: %.4f",
                (long long)json_integer_value(json_object_get(run->notes, "best_step")), json_real_value(best));
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
    if (status == GW_OK) tell_size(&run);
    if (status == GW_OK) status = train(&run);
    close_run(&run);
    return status;
}
