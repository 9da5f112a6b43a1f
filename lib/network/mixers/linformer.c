// SPDX-License-Identifier: MIT
// linformer[:K]: softmax attention to K weighted sums of a sequence's keys and values, with weights by the tokens'
// positions (Wang et al., Linformer, 2020): softmax(q (E k)^T / sqrt(D)) F v. E and F [K][positions] belong to a layer;
// its heads share them.
#include "base/number.h"
#include "model/mixer.h"
#include "network/network_private.h"

#include <math.h>

enum { SUMS };
static const gw_mixer_word words[] = {[SUMS] = {"linformer", .usual = 256, .low = 1, .high = 1 << 16}, {0}};

enum { ROLE_KEYS = GW_ROLE_MIXER, ROLE_VALUES };

typedef struct {
    gw_weight weight;
    int64_t places;
} project_arguments;

// A sequence's rows of the input and of the result.
typedef struct {
    int64_t in, count, out, sums;
} sequence;

static sequence sequence_of(const gw_run *run, const gw_step *step, int64_t s) {
    const int64_t *in = run->batch->of[step->in[0].rows].start, *out = run->batch->of[step->out[0].rows].start;
    return (sequence){in[s], in[s + 1] - in[s], out[s], out[s + 1] - out[s]};
}

static gw_status project_forward(const gw_run *run, const gw_step *step) {
    const project_arguments *a = step->arguments;
    const int64_t width = step->in[0].width;
    for (int64_t i = 0; i < run->batch->of[step->in[0].rows].sequences; i++) {
        const sequence s = sequence_of(run, step, i);
        GW_TRY(run->kernels->gemm(&(gw_gemm_args){.m = s.sums,
                                                  .n = width,
                                                  .k = s.count,
                                                  .a = a->weight.value,
                                                  .a_stride = a->places,
                                                  .b = gw_value(run, step->in[0]) + s.in * width,
                                                  .b_stride = width,
                                                  .c = gw_value(run, step->out[0]) + s.out * width,
                                                  .c_stride = width,
                                                  .scratch = step->scratch}));
    }
    return GW_OK;
}

// dE += dout in^T, din += E^T dout.
static gw_status project_backward(const gw_run *run, const gw_step *step) {
    const project_arguments *a = step->arguments;
    const int64_t width = step->in[0].width;
    for (int64_t i = 0; i < run->batch->of[step->in[0].rows].sequences; i++) {
        const sequence s = sequence_of(run, step, i);
        const float *gradient = gw_gradient(run, step->out[0]) + s.out * width;
        GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_b = true,
                                                  .accumulate = true,
                                                  .m = s.sums,
                                                  .n = s.count,
                                                  .k = width,
                                                  .a = gradient,
                                                  .a_stride = width,
                                                  .b = gw_value(run, step->in[0]) + s.in * width,
                                                  .b_stride = width,
                                                  .c = a->weight.gradient,
                                                  .c_stride = a->places,
                                                  .scratch = step->scratch}));
        GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_a = true,
                                                  .accumulate = !step->overwrites,
                                                  .m = s.count,
                                                  .n = width,
                                                  .k = s.sums,
                                                  .a = a->weight.value,
                                                  .a_stride = a->places,
                                                  .b = gradient,
                                                  .b_stride = width,
                                                  .c = gw_gradient(run, step->in[0]) + s.in * width,
                                                  .c_stride = width,
                                                  .scratch = step->scratch}));
    }
    return GW_OK;
}

static void project_size_scratch(gw_plan *plan, gw_step *step) {
    const project_arguments *a = step->arguments;
    const int64_t width = step->in[0].width, most = gw_min(gw_plan_most(plan, step->in[0]), a->places),
                  sums = gw_plan_most(plan, step->out[0]);
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = sums, .n = width, .k = most});
    if (!plan->training) return;
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.transpose_b = true, .m = sums, .n = most, .k = width});
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.transpose_a = true, .m = most, .n = width, .k = sums});
}

static const gw_plan_op project_op = {.name = "project_rows",
                                      .forward = project_forward,
                                      .backward = project_backward,
                                      .size_scratch = project_size_scratch,
                                      .reads_in = true,
                                      .overwrites = 1};

// in [rows of a stream][width] -> [rows of the stream `out`, K for each of its sequences][width]; weight E [K][places],
// of which a sequence of n rows takes the first n columns.
static gw_tensor project_rows(gw_plan *plan, gw_tensor in, gw_weight weight, int64_t places, int out) {
    const project_arguments arguments = {weight, places};
    const gw_tensor made = gw_plan_append(plan, &project_op, &arguments, sizeof arguments, &in, 1, out, in.width);
    gw_plan_learns(plan, weight);
    return made;
}

static int64_t own_rows(const gw_config *config, int64_t rows) {
    (void)rows;
    return config->mixer_number[SUMS];
}

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    const gw_config *config = b->config;
    const int64_t sums = config->mixer_number[SUMS], places = config->positions;
    b->deviation = 1 / sqrt((double)places); // a sum over all positions is as large as what it sums
    const gw_weight keys = gw_declare_weight(b, ROLE_KEYS, "attention.self.key_projection", sums, places);
    const gw_weight values = gw_declare_weight(b, ROLE_VALUES, "attention.self.value_projection", sums, places);
    b->deviation = -1;
    if (b->lists) return value;
    key = project_rows(b->plan, key, keys, places, GW_ROWS_MIXER);
    value = project_rows(b->plan, value, values, places, GW_ROWS_MIXER);
    return gw_plan_attention(b->plan, query, key, value, (int)config->heads, layer, b->precision, b->network->mixing);
}

const gw_mixer_row gw_mixer_linformer = {
    .words = words,
    .no_graph = "a Linformer has no graph of its tokens: every one reads sums of its sequence",
    .by_place = true,
    .own_rows = own_rows,
    .make = gw_mixer_make_full_graphs,
    .free = gw_mixer_free_graphs,
    .describe = describe,
};
