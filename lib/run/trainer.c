// SPDX-License-Identifier: MIT
// Runs steps from the saved state on; saves, logs, and stops when asked.
#include "run/trainer.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "run/ranks.h"
#include "run/settings.h"
#include "run/state.h"
#include "run/training_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_training *training;
    const gw_trainer_options *options;
    gw_optimiser optimiser;
    gw_metrics *metrics;
    int64_t tokens, tokens_before; // of this process, and of those that it goes on from
    int64_t done;                  // steps whose update is in the weights
    double began, seconds_before;  // when this process began to train, and how long the ones before took
    double saved, saving;          // when the last save ended, and how long it took
    struct {
        double since; // when the steps that are timed began; 0: none has
        int64_t tokens;
        bool reported;
    } speed;
} trainer;

// The slices of split moments, which are the state's second and third block.
static float *own_moments(const trainer *t, int block) {
    return (block == 1 ? &t->optimiser.first_moment : &t->optimiser.second_moment)->host;
}

static void give_moments(void *context, int block, int64_t begin, int64_t count, float *to) {
    const trainer *t = context;
    gw_slices_collect(own_moments(t, block), t->training->model->parameters.floats, begin, count, to);
}

static void take_moments(void *context, int block, int64_t begin, int64_t count, const float *from) {
    const trainer *t = context;
    gw_slices_spread(own_moments(t, block), t->training->model->parameters.floats, begin, count, from);
}

static gw_training_state state_of(trainer *t) {
    gw_training_state state = {
        .fingerprint = t->options->fingerprint,
        .floats = t->training->model->parameters.floats,
        .blocks = 1,
        .block = {t->training->model->parameters.weight},
    };
    if (t->optimiser.piece) {
        state.blocks += 2;
        state.context = t;
        state.give = give_moments;
        state.take = take_moments;
        state.piece = t->optimiser.piece;
    } else {
        if (t->optimiser.first_moment.host) state.block[state.blocks++] = t->optimiser.first_moment.host;
        state.size[state.blocks] = t->optimiser.second_moment.bytes / (int64_t)sizeof(float);
        state.block[state.blocks++] = t->optimiser.second_moment.host;
    }
    if (t->training->kept) state.block[state.blocks++] = t->training->kept;
    if (t->training->average) state.block[state.blocks++] = t->training->average;
    return state;
}

static double seconds_so_far(const trainer *t) {
    return t->seconds_before + gw_seconds_now() - t->began;
}

static gw_status read_back(const trainer *t) {
    const gw_optimiser *o = &t->optimiser;
    GW_TRY(gw_parameters_to_host(&t->training->model->parameters));
    if (o->first_moment.host) GW_TRY(gw_mirror_to_host(&o->first_moment, o->first_moment.bytes));
    return gw_mirror_to_host(&o->second_moment, o->second_moment.bytes);
}

// Of rank 0. Moments that are split come from all ranks.
static gw_status write_state(trainer *t, int64_t done) {
    gw_training_state state = state_of(t);
    gw_training_record *record = &t->training->record;
    const double began = gw_seconds_now();
    record->total_tokens = t->tokens_before + t->tokens;
    record->seconds = seconds_so_far(t);
    state.step = done;
    state.notes = gw_training_record_json(record);
    const gw_status status = state.notes ? gw_state_save(&state, t->options->checkpoints) : GW_ERR_MEMORY;
    json_decref(state.notes);
    GW_TRY(status);
    t->saved = gw_seconds_now();
    t->saving = t->saved - began;
    return GW_OK;
}

static gw_status save_state(trainer *t, int64_t done) {
    if (t->optimiser.piece) GW_TRY(gw_ranks_agree(read_back(t)));
    else if (gw_is_first_rank()) GW_TRY(read_back(t));
    if (gw_is_first_rank()) return write_state(t, done);
    const gw_training_state state = state_of(t);
    gw_state_attend(&state);
    return GW_OK;
}

// What is due after a step.
typedef enum { SAVE_NOTHING, SAVE_STATE, SAVE_ALL } due;

// By all ranks.
static gw_status save(trainer *t, int64_t done, due what) {
    if (what != SAVE_NOTHING && t->options->checkpoints) GW_TRY(save_state(t, done));
    const bool derives = what == SAVE_ALL && gw_is_first_rank() && t->training->saved;
    return derives ? t->training->saved(t->training->context, done) : GW_OK;
}

// Rank 0 alone need see the checkpoints, and all begin with its weights: not every machine draws the same ones.
static gw_status share_state(gw_training_state *state) {
    char *mine = state->notes ? json_dumps(state->notes, JSON_COMPACT) : NULL, *first;
    const gw_status status = gw_ranks_text(mine ? mine : "", &first);
    free(mine);
    GW_TRY(status);
    if (*first && !state->notes) state->notes = json_loads(first, 0, NULL);
    free(first);
    gw_ranks_broadcast(&state->step, sizeof state->step);
    for (int b = 0; b < (state->notes ? state->blocks : 1); b++)
        if (state->block[b])
            gw_ranks_broadcast(state->block[b], gw_state_block_floats(state, b) * (int64_t)sizeof(float));
    return gw_ranks_agree(state->notes ? gw_state_load_rest(state) : GW_OK);
}

static gw_status resume(trainer *t) {
    gw_training_state state = state_of(t);
    t->training->resumed_at = 0;
    bool found = false;
    const bool reads = t->options->resume && t->options->checkpoints && gw_is_first_rank();
    GW_TRY(gw_ranks_agree(reads ? gw_state_load(&state, t->options->checkpoints, &found) : GW_OK));
    if (gw_rank_count() > 1) GW_TRY(share_state(&state));
    if (!state.notes) return gw_rank_count() > 1 ? gw_parameters_to_device(&t->training->model->parameters) : GW_OK;
    GW_TRY(gw_parameters_to_device(&t->training->model->parameters));
    if (t->optimiser.first_moment.host) GW_TRY(gw_mirror_to_device(&t->optimiser.first_moment));
    GW_TRY(gw_mirror_to_device(&t->optimiser.second_moment));
    t->done = t->training->resumed_at = state.step;
    gw_training_record_read(state.notes, &t->training->record);
    json_decref(state.notes);
    t->tokens_before = t->training->record.total_tokens;
    t->seconds_before = t->training->record.seconds;
    gw_note("resumed after step %lld of %lld", (long long)t->done, (long long)t->options->schedule.steps);
    return GW_OK;
}

static void show(const trainer *t, int64_t done, double loss) {
    char detail[96];
    const char *bits = t->training->bits;
    const double passed = gw_seconds_now() - t->began;
    snprintf(detail, sizeof detail, "loss %.4f%s%s, %.0f tokens/s", bits ? loss / M_LN2 : loss, bits ? " " : "",
             bits ? bits : "", passed > 0 ? (double)t->tokens / passed : 0);
    gw_progress("train", done, t->options->schedule.steps, "steps", detail);
}

// Steps on which a run's speed is measured: the first ones take memory and lay out what later ones find.
static void tell_time(trainer *t) {
    enum { FIRST_STEPS = 3, MORE_STEPS = 3 };
    static const double least_seconds = 5;
    const int64_t steps = t->options->schedule.steps, since_resuming = t->done - t->training->resumed_at;
    if (t->speed.reported || since_resuming < FIRST_STEPS) return;
    const double now = gw_seconds_now();
    if (since_resuming == FIRST_STEPS) {
        t->speed.since = now;
        t->speed.tokens = t->tokens;
        return;
    }
    const double passed = now - t->speed.since;
    if (since_resuming < FIRST_STEPS + MORE_STEPS || passed < least_seconds) return;
    const double rate = (double)(t->tokens - t->speed.tokens) / passed, left = (double)(steps - t->done);
    const double tokens =
        left * (double)t->tokens / (double)since_resuming + (double)t->options->extra_tokens * left / (double)steps;
    const int64_t minutes = (int64_t)ceil(tokens / rate / 60);
    t->speed.reported = true;
    if (minutes <= 1) return;
    gw_progress_end();
    gw_note("the %lld steps to come will take about %lld h %02lld min, at %.0f tokens a second", (long long)left,
            (long long)(minutes / 60), (long long)(minutes % 60), rate);
}

// a += (1 - d) (w - a)
typedef struct {
    float *average;
    const float *weight;
    float share; // 1 - d
} average_job;

static void average_part(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    const average_job *job = context;
    for (int64_t i = begin; i < end; i++) job->average[i] += job->share * (job->weight[i] - job->average[i]);
}

static gw_status update_average(const trainer *t, int64_t step) {
    enum { GRAIN = 1 << 16 };
    gw_parameters *parameters = &t->training->model->parameters;
    const double first = (1 + (double)step) / (10 + (double)step), decay = t->options->average_decay;
    if (!t->training->average || !gw_is_first_rank()) return GW_OK;
    GW_TRY(gw_parameters_to_host(parameters));
    average_job job = {t->training->average, parameters->weight, (float)(1 - (first < decay ? first : decay))};
    gw_parallel_for(parameters->floats, GRAIN, average_part, &job);
    return GW_OK;
}

gw_status gw_average_exchange(gw_training *training) {
    gw_parameters *parameters = &training->model->parameters;
    if (!training->average) return GW_OK;
    GW_TRY(gw_parameters_to_host(parameters));
    for (int64_t i = 0; i < parameters->floats; i++) {
        const float weight = parameters->weight[i];
        parameters->weight[i] = training->average[i];
        training->average[i] = weight;
    }
    return gw_parameters_to_device(parameters);
}

gw_status gw_training_make_blocks(gw_training *training, const gw_model *model, bool average, bool kept) {
    const int64_t floats = model->parameters.floats;
    if (average) training->average = gw_alloc(floats, sizeof(float));
    if (kept) training->kept = gw_alloc(floats, sizeof(float));
    return (!average || training->average) && (!kept || training->kept) ? GW_OK : GW_ERR_MEMORY;
}

void gw_training_free(gw_training *training) {
    free(training->average);
    free(training->kept);
}

gw_status gw_training_keep(gw_training *training, const float *weight, double value, int64_t done, json_t *row) {
    gw_parameters *parameters = &training->model->parameters;
    GW_TRY(gw_parameters_to_host(parameters));
    training->record.best = value;
    training->record.best_step = done;
    json_object_set_new(row, "kept", json_true());
    memcpy(training->kept, weight, (size_t)parameters->floats * sizeof(float));
    return GW_OK;
}

static gw_status train_step(trainer *t, int64_t step, json_t *row) {
    gw_training *training = t->training;
    gw_parameters *parameters = &training->model->parameters;
    const double rate = gw_schedule_rate(&t->options->schedule, step);
    double loss = 0, norm = 0;
    const double began = gw_seconds_now();
    int64_t tokens = 0;
    GW_TRY(parameters->mirror.kernels->zero(training->gradient, parameters->mirror.bytes));
    GW_TRY(training->compute(training->context, step, row, &loss, &tokens));
    if (!isfinite(loss))
        return gw_fail(GW_ERR_RANGE, "the loss of step %lld is not finite: lower the learning rate",
                       (long long)step + 1);
    GW_TRY(gw_optimiser_launch(&t->optimiser, parameters, training->gradient, step, rate));
    if (training->prepare && step + 1 < t->options->schedule.steps) training->prepare(training->context, step + 1);
    GW_TRY(gw_optimiser_norm(&t->optimiser, step, &norm));
    GW_TRY(update_average(t, step));
    t->done = step + 1;
    t->tokens += tokens;
    json_object_set_new(row, "loss", json_real(loss));
    json_object_set_new(row, "rate", json_real(rate));
    json_object_set_new(row, "gradient_norm", json_real(norm));
    json_object_set_new(row, "tokens", json_integer(tokens));
    json_object_set_new(row, "total_tokens", json_integer(t->tokens_before + t->tokens));
    json_object_set_new(row, "seconds", json_real(seconds_so_far(t)));
    json_object_set_new(row, "tokens_per_second", json_real((double)tokens / (gw_seconds_now() - began)));
    show(t, step + 1, loss);
    tell_time(t);
    return GW_OK;
}

// What follows the update that makes `done` steps, also that of a run which was stopped there: on rank 0, which writes,
// and says what is to be saved.
static gw_status finish_as_first(trainer *t, json_t *row, due *saved) {
    enum { TIMES = 50 };
    const gw_trainer_options *o = t->options;
    gw_training *training = t->training;
    const int64_t done = t->done;
    bool report = done == o->schedule.steps || (o->report_every > 0 && done % o->report_every == 0);
    gw_training_record_free(&training->record);
    gw_status status = training->updated ? training->updated(training->context, done, row, &report) : GW_OK;
    if (status == GW_ERR_INTERRUPTED) training->record.unfinished = json_incref(row);
    if (status == GW_OK && report && t->metrics) status = gw_metrics_add(t->metrics, row);
    const bool last = done == o->schedule.steps || training->record.stop;
    // a save that takes long is rarer: saves take a fiftieth of the time at most
    const double unsaved = gw_seconds_now() - t->saved, wait = fmax(o->save_seconds, TIMES * t->saving);
    if (last || (o->save_every > 0 && done % o->save_every == 0)) *saved = SAVE_ALL;
    else if (o->checkpoints && o->save_seconds > 0 && unsaved >= wait) *saved = SAVE_STATE;
    return status;
}

static gw_status finish_step(trainer *t, json_t *row) {
    bool *stop = &t->training->record.stop;
    due saved = SAVE_NOTHING;
    GW_TRY(gw_ranks_agree(gw_is_first_rank() ? finish_as_first(t, row, &saved) : GW_OK));
    gw_ranks_broadcast(stop, sizeof *stop);
    gw_ranks_broadcast(&saved, sizeof saved);
    return saved == SAVE_NOTHING ? GW_OK : gw_ranks_agree(save(t, t->done, saved));
}

static gw_status run_step(trainer *t, int64_t step) {
    GW_TRY(gw_ranks_agree(gw_check_interrupt()));
    json_t *row = json_pack("{s:I}", "step", (json_int_t)step + 1);
    if (!row) return gw_fail(GW_ERR_MEMORY, "out of memory for metrics");
    gw_status status = train_step(t, step, row);
    if (status == GW_OK) status = finish_step(t, row);
    json_decref(row);
    return status;
}

// Whether all ranks train the same: of rank 0 the settings are known, and those that differ are named.
static gw_status compare_settings(const char *settings) {
    char *first;
    gw_string differences = {0};
    gw_status status = gw_ranks_text(settings, &first);
    if (status != GW_OK) return status;
    if (strcmp(first, settings) != 0) {
        gw_settings_differ(first, settings, &differences);
        status = gw_fail(GW_ERR_MISMATCH, "its settings differ from those of rank 0: %s",
                         differences.data ? differences.data : settings);
    }
    gw_string_free(&differences);
    free(first);
    return gw_ranks_agree(status);
}

gw_status gw_train(gw_training *training, const gw_trainer_options *options) {
    trainer t = {.training = training, .options = options};
    GW_TRY(compare_settings(options->fingerprint ? options->fingerprint : ""));
    GW_TRY(gw_optimiser_new(&t.optimiser, &options->optimiser, &training->model->parameters));
    if (training->average)
        memcpy(training->average, training->model->parameters.weight,
               (size_t)training->model->parameters.floats * sizeof(float));
    gw_status status = resume(&t);
    if (status == GW_OK && options->metrics && gw_is_first_rank())
        status = gw_metrics_open(options->metrics, t.done, &t.metrics);
    t.began = t.saved = gw_seconds_now();
    json_t *unfinished = json_incref(training->record.unfinished);
    if (status == GW_OK && unfinished) status = finish_step(&t, unfinished);
    json_decref(unfinished);
    while (status == GW_OK && t.done < options->schedule.steps && !training->record.stop) status = run_step(&t, t.done);
    gw_progress_end();
    if (status == GW_ERR_INTERRUPTED) {
        // a step that was not computed to its end is thrown away; its draws will be the same again
        status = options->checkpoints ? save(&t, t.done, SAVE_ALL) : GW_OK;
        if (status == GW_OK)
            status = gw_fail(GW_ERR_INTERRUPTED, "interrupted after step %lld of %lld, %s", (long long)t.done,
                             (long long)options->schedule.steps,
                             options->checkpoints ? "which is saved: the same command with --resume goes on"
                                                  : "of which nothing is saved (--checkpoints no)");
    }
    if (status == GW_OK) status = gw_parameters_to_host(&training->model->parameters);
    status = gw_first_failure(status, gw_metrics_close(t.metrics));
    gw_training_record_free(&training->record);
    gw_optimiser_free(&t.optimiser);
    return status;
}
