// SPDX-License-Identifier: MIT
// Computes the rate of a step from its number alone; sums squares for clipping, then updates one tensor after another.
#include "run/optimiser.h"

#include "base/memory.h"
#include "base/number.h"
#include "run/ranks.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const schedules[GW_SCHEDULES] = {"linear", "cosine", "one-cycle", "sqrt", "hold-sqrt"};

const char *gw_schedule_name(gw_schedule_kind kind) {
    return schedules[kind];
}

gw_schedule gw_schedule_make(gw_schedule_kind kind, double peak, int64_t warmup, int64_t steps) {
    enum { LONGEST = 10000 };
    if (warmup < 0 && kind == GW_SCHEDULE_ONE_CYCLE) warmup = 3 * steps / 10;
    else if (warmup < 0) warmup = gw_min(steps / 10, LONGEST);
    return (gw_schedule){kind, peak, warmup, steps};
}

// From `high` at x = 0 to `low` at x = 1.
static double half_wave(double high, double low, double x) {
    return low + (high - low) * (1 + cos(M_PI * x)) / 2;
}

double gw_schedule_rate(const gw_schedule *s, int64_t step) {
    const double low = s->peak / 25, end = low / 1e4, done = (double)step + 1;
    if (s->kind == GW_SCHEDULE_HOLD_SQRT) return s->peak * fmin(1, sqrt((double)s->warmup / done));
    if (step < s->warmup) {
        if (s->kind == GW_SCHEDULE_ONE_CYCLE) return half_wave(low, s->peak, (double)step / (double)s->warmup);
        return s->peak * done / (double)s->warmup;
    }
    if (s->kind == GW_SCHEDULE_SQRT) return s->peak * sqrt(fmax((double)s->warmup, 1) / done);
    if (s->kind == GW_SCHEDULE_LINEAR) return s->peak * (double)(s->steps - step) / (double)(s->steps - s->warmup);
    const double x = (double)(step - s->warmup) / (double)(s->steps - s->warmup);
    return half_wave(s->peak, s->kind == GW_SCHEDULE_ONE_CYCLE ? end : 0, x);
}

// --- slices

// Every rank knows all slices, and so what each of them gives and takes.

enum { ALIGNED = 16 };

gw_slice gw_slice_of_rank(int64_t floats, int rank, int ranks) {
    const int64_t steps = (floats + ALIGNED - 1) / ALIGNED, end = steps * (rank + 1) / ranks * ALIGNED;
    return (gw_slice){steps * rank / ranks * ALIGNED, gw_min(end, floats)};
}

// What of [begin, begin + count) is in a slice.
static gw_slice meet(gw_slice slice, int64_t begin, int64_t count) {
    const int64_t end = gw_min(slice.end, begin + count);
    if (begin > slice.begin) slice.begin = gw_min(begin, slice.end);
    slice.end = gw_max(end, slice.begin);
    return slice;
}

static gw_slice own_slice(int64_t floats) {
    return gw_slice_of_rank(floats, gw_rank(), gw_rank_count());
}

// Each turn brings so many numbers of every slice; those of a slice that has ended are not read.
void gw_slices_gather(float *whole, int64_t floats, float *piece) {
    const int ranks = gw_rank_count();
    const gw_slice own = own_slice(floats);
    const int64_t each = GW_SLICE_PIECE / (ranks + 1);
    const int64_t longest = (floats / ALIGNED / ranks + 2) * ALIGNED;
    if (ranks == 1) return;
    float *mine = piece + ranks * each;
    for (int64_t at = 0; at < longest; at += each) {
        const gw_slice out = meet(own, own.begin + at, each);
        memcpy(mine, whole + out.begin, (size_t)(out.end - out.begin) * sizeof *mine);
        gw_ranks_gather(mine, each * (int64_t)sizeof *mine, piece);
        for (int r = 0; r < ranks; r++) {
            const gw_slice theirs = gw_slice_of_rank(floats, r, ranks), in = meet(theirs, theirs.begin + at, each);
            memcpy(whole + in.begin, piece + r * each, (size_t)(in.end - in.begin) * sizeof *piece);
        }
    }
}

// All but one rank give, or take, nothing; that one trades with all.
static void trade_with_first(const float *out, float *in, int64_t floats, int64_t begin, int64_t count, bool collects) {
    const int ranks = gw_rank_count();
    const gw_slice mine = meet(own_slice(floats), begin, count);
    // bytes [at[r], at[r + 1]) of the range are rank r's
    int64_t *of_all = gw_alloc((int64_t)ranks + 1, sizeof *of_all),
            *of_one = gw_alloc((int64_t)ranks + 1, sizeof *of_one);
    if (!of_all || !of_one) gw_ranks_abort();
    for (int r = 0; r < ranks; r++) {
        const gw_slice part = meet(gw_slice_of_rank(floats, r, ranks), begin, count);
        if (gw_is_first_rank()) of_all[r + 1] = of_all[r] + (part.end - part.begin) * (int64_t)sizeof(float);
        of_one[r + 1] = (mine.end - mine.begin) * (int64_t)sizeof(float);
    }
    if (collects) gw_ranks_trade(out, of_one, in, of_all);
    else gw_ranks_trade(out, of_all, in, of_one);
    free(of_all);
    free(of_one);
}

void gw_slices_collect(const float *own, int64_t floats, int64_t begin, int64_t count, float *to) {
    const gw_slice slice = own_slice(floats), mine = meet(slice, begin, count);
    const float *out = own + (mine.begin - slice.begin);
    if (gw_rank_count() == 1) memcpy(to, out, (size_t)count * sizeof *to);
    else trade_with_first(out, to, floats, begin, count, true);
}

void gw_slices_spread(float *own, int64_t floats, int64_t begin, int64_t count, const float *from) {
    const gw_slice slice = own_slice(floats), mine = meet(slice, begin, count);
    float *in = own + (mine.begin - slice.begin);
    if (gw_rank_count() == 1) memcpy(in, from, (size_t)count * sizeof *in);
    else trade_with_first(from, in, floats, begin, count, false);
}

// --- updates

gw_optimiser_options gw_optimiser_defaults(void) {
    return (gw_optimiser_options)GW_OPTIMISER_DEFAULTS;
}

gw_optimiser_options gw_optimiser_adafactor(void) {
    return (gw_optimiser_options){
        .kind = GW_OPTIMISER_ADAFACTOR, .epsilon = 1e-30, .decay_power = 0.8, .threshold = 1, .least_size = 1e-3};
}

const char *gw_optimiser_name(gw_optimiser_kind kind) {
    static const char *const names[] = {
        [GW_OPTIMISER_ADAM] = "Adam", [GW_OPTIMISER_ADAFACTOR] = "Adafactor", [GW_OPTIMISER_LAMB] = "LAMB"};
    return names[kind];
}

static gw_status check_ops(const gw_backend *kernels, gw_optimiser_kind kind) {
    static const gw_op own[] = {[GW_OPTIMISER_ADAM] = GW_OP_adamw,
                                [GW_OPTIMISER_ADAFACTOR] = GW_OP_adafactor,
                                [GW_OPTIMISER_LAMB] = GW_OP_lamb};
    // LAMB leaves biases and norms to Adam.
    const gw_op needs[] = {GW_OP_gradient_norm, own[kind], kind == GW_OPTIMISER_LAMB ? GW_OP_adamw : own[kind]};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (!gw_backend_has(kernels, needs[i]))
            return gw_fail(GW_ERR_UNSUPPORTED, "training needs %s, for which backend %s has no kernel",
                           gw_op_name(needs[i]), kernels->name);
    return GW_OK;
}

// A tensor as the matrix whose columns are its last dimension; of a vector, or what is one, rows is 1.
typedef struct {
    int64_t rows, columns;
} matrix;

static matrix matrix_of(const gw_parameter *p) {
    const int64_t last = p->shape[p->dimensions - 1];
    return p->count == last || last == 1 ? (matrix){1, p->count} : (matrix){p->count / last, last};
}

static int64_t moments_of(matrix m) {
    return m.rows > 1 ? m.rows + m.columns : m.columns;
}

static gw_status make_factored(gw_optimiser *optimiser, const gw_parameters *parameters) {
    int64_t moments = 0, rows = 1;
    for (int i = 0; i < parameters->count; i++) {
        const matrix m = matrix_of(&parameters->list[i]);
        moments += moments_of(m);
        if (m.rows > rows) rows = m.rows;
    }
    const gw_backend *kernels = parameters->mirror.kernels;
    const int64_t size = sizeof(float);
    GW_TRY(gw_mirror_make(&optimiser->second_moment, kernels, NULL, NULL, moments * size));
    return gw_mirror_make(&optimiser->scratch, kernels, NULL, NULL, 2 * rows * size);
}

static gw_status make_adam(gw_optimiser *optimiser, const gw_parameters *parameters) {
    const bool split = optimiser->options.split && gw_rank_count() > 1;
    optimiser->own =
        split ? gw_slice_of_rank(parameters->floats, gw_rank(), gw_rank_count()) : (gw_slice){0, parameters->floats};
    const int64_t bytes = (optimiser->own.end - optimiser->own.begin) * (int64_t)sizeof(float);
    if (split && !(optimiser->piece = gw_alloc(GW_SLICE_PIECE, sizeof *optimiser->piece))) return GW_ERR_MEMORY;
    GW_TRY(gw_mirror_make(&optimiser->first_moment, parameters->mirror.kernels, NULL, NULL, bytes));
    return gw_mirror_make(&optimiser->second_moment, parameters->mirror.kernels, NULL, NULL, bytes);
}

static gw_status make(gw_optimiser *optimiser, gw_parameters *parameters) {
    GW_TRY(gw_parameters_on_device(parameters));
    const gw_backend *kernels = parameters->mirror.kernels;
    GW_TRY(check_ops(kernels, optimiser->options.kind));
    GW_TRY(gw_mirror_make(&optimiser->norm, kernels, NULL, NULL, sizeof(gw_gradient_norm)));
    return optimiser->options.kind == GW_OPTIMISER_ADAFACTOR ? make_factored(optimiser, parameters)
                                                             : make_adam(optimiser, parameters);
}

gw_status gw_optimiser_new(gw_optimiser *optimiser, const gw_optimiser_options *options, gw_parameters *parameters) {
    *optimiser = (gw_optimiser){.options = *options};
    const gw_status status = make(optimiser, parameters);
    if (status != GW_OK) gw_optimiser_free(optimiser);
    return status;
}

void gw_optimiser_free(gw_optimiser *optimiser) {
    if (optimiser->record) optimiser->norm.kernels->record_free(optimiser->record);
    gw_mirror_free(&optimiser->first_moment);
    gw_mirror_free(&optimiser->second_moment);
    gw_mirror_free(&optimiser->norm);
    gw_mirror_free(&optimiser->scratch);
    free(optimiser->piece);
    *optimiser = (gw_optimiser){0};
}

// Of a tensor's weights those whose moments are kept here. LAMB's ratio of norms is of whole tensors that decay: as in
// its authors' code biases and norms have Adam's steps.
static gw_status adam(const gw_optimiser *o, gw_parameters *parameters, const gw_parameter *p, const float *gradient,
                      int64_t step, double rate) {
    const double t = (double)step + 1;
    const int64_t begin = p->offset > o->own.begin ? p->offset : o->own.begin;
    const int64_t end = p->offset + p->count < o->own.end ? p->offset + p->count : o->own.end;
    if (begin >= end) return GW_OK;
    const gw_backend *kernels = parameters->mirror.kernels;
    const bool scaled = o->options.kind == GW_OPTIMISER_LAMB && p->decay;
    return (scaled ? kernels->lamb : kernels->adamw)(&(gw_adamw_args){
        .count = end - begin,
        .weight = (float *)parameters->mirror.device + begin,
        .first_moment = (float *)o->first_moment.device + (begin - o->own.begin),
        .second_moment = (float *)o->second_moment.device + (begin - o->own.begin),
        .gradient = gradient + begin,
        .norm = o->norm.device,
        .rate = (float)rate,
        .beta1 = (float)o->options.beta1,
        .beta2 = (float)o->options.beta2,
        .epsilon = (float)o->options.epsilon,
        .decay = p->decay ? (float)o->options.decay : 0,
        .correction1 = (float)(1 - pow(o->options.beta1, t)),
        .correction2 = (float)(1 - pow(o->options.beta2, t)),
    });
}

// `moments` are the tensor's: of its rows, where it is a matrix, then of its columns.
static gw_status adafactor(const gw_optimiser *o, gw_parameters *parameters, const gw_parameter *p, float *moments,
                           const float *gradient, int64_t step, double rate) {
    const matrix m = matrix_of(p);
    return parameters->mirror.kernels->adafactor(&(gw_adafactor_args){
        .rows = m.rows,
        .columns = m.columns,
        .weight = (float *)parameters->mirror.device + p->offset,
        .row_moment = m.rows > 1 ? moments : NULL,
        .column_moment = m.rows > 1 ? moments + m.rows : moments,
        .scratch = o->scratch.device,
        .gradient = gradient + p->offset,
        .norm = o->norm.device,
        .rate = (float)rate,
        .decay = (float)(1 - pow((double)step + 1, -o->options.decay_power)),
        .epsilon = (float)o->options.epsilon,
        .threshold = (float)o->options.threshold,
        .least_size = (float)o->options.least_size,
    });
}

// The weights that other ranks have updated.
static gw_status gather_weights(const gw_optimiser *o, gw_parameters *parameters) {
    const gw_backend *kernels = parameters->mirror.kernels;
    const int64_t bytes = (o->own.end - o->own.begin) * (int64_t)sizeof(float);
    float *own = parameters->weight + o->own.begin;
    const gw_status status =
        kernels->shares_host ? GW_OK : kernels->to_host(own, (float *)parameters->mirror.device + o->own.begin, bytes);
    GW_TRY(gw_ranks_agree(status));
    gw_slices_gather(parameters->weight, parameters->floats, o->piece);
    return gw_parameters_to_device(parameters);
}

typedef struct {
    const gw_optimiser *optimiser;
    gw_parameters *parameters;
    const float *gradient;
    int64_t step;
    double rate;
} weight_update;

static gw_status launch_update(void *context) {
    const weight_update *u = context;
    const gw_optimiser *o = u->optimiser;
    GW_TRY(u->parameters->mirror.kernels->gradient_norm(&(gw_gradient_norm_args){
        .count = u->parameters->floats, .in = u->gradient, .clip = o->options.clip, .out = o->norm.device}));
    float *moments = o->second_moment.device;
    for (int i = 0; i < u->parameters->count; i++) {
        const gw_parameter *p = &u->parameters->list[i];
        float *own = moments;
        moments += moments_of(matrix_of(p));
        if (p->fixed) continue;
        GW_TRY(o->options.kind == GW_OPTIMISER_ADAFACTOR
                   ? adafactor(o, u->parameters, p, own, u->gradient, u->step, u->rate)
                   : adam(o, u->parameters, p, u->gradient, u->step, u->rate));
    }
    return GW_OK;
}

gw_status gw_optimiser_launch(gw_optimiser *optimiser, gw_parameters *parameters, const float *gradient, int64_t step,
                              double rate) {
    weight_update update = {optimiser, parameters, gradient, step, rate};
    GW_TRY(parameters->mirror.kernels->repeat(&optimiser->record, launch_update, &update));
    return optimiser->piece ? gather_weights(optimiser, parameters) : GW_OK;
}

gw_status gw_optimiser_norm(const gw_optimiser *optimiser, int64_t step, double *norm) {
    GW_TRY(gw_mirror_to_host(&optimiser->norm, optimiser->norm.bytes));
    *norm = ((const gw_gradient_norm *)optimiser->norm.host)->norm;
    if (isfinite(*norm)) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "the gradient of step %lld is not finite: lower the learning rate",
                   (long long)step + 1);
}

gw_status gw_optimiser_step(gw_optimiser *optimiser, gw_parameters *parameters, const float *gradient, int64_t step,
                            double rate, double *norm) {
    GW_TRY(gw_optimiser_launch(optimiser, parameters, gradient, step, rate));
    return gw_optimiser_norm(optimiser, step, norm);
}
