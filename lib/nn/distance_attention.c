// SPDX-License-Identifier: MIT
// Dense attention with terms of the distance: the plan entry, its use in partial runs, and tables of features.
#include "nn/distance_attention.h"

#include "base/memory.h"
#include "base/number.h"

#include <assert.h>
#include <math.h>

enum { QUERY, KEY, VALUE, INPUTS };

typedef struct {
    gw_distance_attention of;
    gw_distance_sequence *sequences; // [most sequences]
} distance_arguments;

static gw_distance_attention_args arguments_of(const gw_run *run, const gw_step *step) {
    const distance_arguments *a = step->arguments;
    const gw_distance_attention *of = &a->of;
    const gw_tensor *in = step->in, out = step->out[0];
    return (gw_distance_attention_args){
        .sequence = a->sequences,
        .heads = of->heads,
        .groups = of->groups,
        .key_size = in[QUERY].width / of->heads,
        .value_size = out.width / of->heads,
        .most = of->most,
        .features = of->features,
        .scale = (float)of->scale,
        .precision = of->precision,
        .query = gw_value(run, in[QUERY]),
        .key = gw_value(run, in[KEY]),
        .value = gw_value(run, in[VALUE]),
        .query_rows = gw_run_rows(run, in[QUERY]),
        .table = of->table,
        .weight = of->weight.value,
        .content_bias = of->content_bias.value,
        .position_bias = of->position_bias.value,
        .out = gw_value(run, out),
        .log_sum = step->saved,
        .out_gradient = gw_gradient(run, out),
        .query_gradient = gw_gradient(run, in[QUERY]),
        .key_gradient = gw_gradient(run, in[KEY]),
        .value_gradient = gw_gradient(run, in[VALUE]),
        .weight_gradient = of->weight.gradient,
        .content_bias_gradient = of->content_bias.gradient,
        .position_bias_gradient = of->position_bias.gradient,
        .scratch = step->scratch,
    };
}

static gw_status check_length(const gw_step *step, int64_t rows) {
    const int64_t most = ((const distance_arguments *)step->arguments)->of.most;
    if (rows <= most) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "attention over %lld rows; the model has distances of up to %lld", (long long)rows,
                   (long long)most - 1);
}

static gw_status whole_sequences(const gw_run *run, const gw_step *step, gw_distance_attention_args *args) {
    const distance_arguments *a = step->arguments;
    const gw_rows *rows = &run->batch->of[step->in[QUERY].rows];
    *args = arguments_of(run, step);
    args->sequences = (int)rows->sequences;
    for (int64_t s = 0; s < rows->sequences; s++) {
        const int64_t first = rows->start[s], count = rows->start[s + 1] - first;
        GW_TRY(check_length(step, count));
        a->sequences[s] = (gw_distance_sequence){first, count, first, count, 0};
    }
    return GW_OK;
}

static gw_status distance_forward(const gw_run *run, const gw_step *step) {
    gw_distance_attention_args args;
    GW_TRY(whole_sequences(run, step, &args));
    return run->kernels->distance_attention(&args);
}

static gw_status distance_backward(const gw_run *run, const gw_step *step) {
    gw_distance_attention_args args;
    GW_TRY(whole_sequences(run, step, &args));
    return run->kernels->distance_attention_backward(&args);
}

static void distance_size_scratch(gw_plan *plan, gw_step *step) {
    const distance_arguments *a = step->arguments;
    const gw_distance_attention_args most = {.heads = a->of.heads,
                                             .groups = a->of.groups,
                                             .key_size = step->in[QUERY].width / a->of.heads,
                                             .value_size = step->out[0].width / a->of.heads,
                                             .most = a->of.most,
                                             .features = a->of.features,
                                             .table = a->of.table,
                                             .precision = a->of.precision,
                                             .query_rows = gw_plan_most(plan, step->in[QUERY])};
    step->saved_floats = a->of.heads * most.query_rows;
    gw_plan_launches(plan, step, GW_OP_distance_attention, &most);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_distance_attention_backward, &most);
}

static const gw_plan_op distance_op = {.name = "distance_attention",
                                       .reads = GW_READS_DENSE,
                                       .forward = distance_forward,
                                       .backward = distance_backward,
                                       .size_scratch = distance_size_scratch,
                                       .reads_in = true,
                                       .reads_out = true};

gw_tensor gw_plan_distance_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value,
                                     gw_distance_attention attention) {
    assert(query.rows == key.rows && query.rows == value.rows && plan->rows[query.rows].stream == query.rows);
    assert(attention.heads % attention.groups == 0 && query.width % attention.heads == 0);
    assert(key.width == query.width / attention.heads * attention.groups && value.width % attention.groups == 0);
    distance_arguments arguments = {.of = attention};
    arguments.sequences = gw_plan_alloc(plan, plan->rows[query.rows].most_sequences, sizeof *arguments.sequences);
    const gw_tensor made =
        gw_plan_append(plan, &distance_op, &arguments, sizeof arguments, (gw_tensor[]){query, key, value}, INPUTS,
                       query.rows, value.width / attention.groups * attention.heads);
    gw_plan_learns(plan, attention.weight);
    gw_plan_learns(plan, attention.content_bias);
    gw_plan_learns(plan, attention.position_bias);
    return made;
}

const float *gw_plan_constant(gw_plan *plan, const float *table, int64_t count) {
    float *made = gw_plan_memory(plan, count, sizeof *made);
    if (made && plan->status == GW_OK)
        plan->status = plan->kernels->to_device(made, table, count * (int64_t)sizeof *made);
    return made;
}

// Runs in part.

gw_status gw_distance_blocks(const gw_row_set *rows, int64_t count, gw_row_set *out) {
    gw_row_set blocks = {0};
    gw_status status = gw_row_set_pool(rows, GW_DISTANCE_QUERIES, &blocks);
    if (status == GW_OK) status = gw_row_set_repeat(&blocks, GW_DISTANCE_QUERIES, count, out);
    gw_row_set_free(&blocks);
    return status;
}

gw_status gw_distance_some(const gw_run *run, const gw_step *step, const gw_row_set *rows, int64_t count,
                           const float *query, float *out) {
    const distance_arguments *a = step->arguments;
    gw_distance_attention_args args = arguments_of(run, step);
    GW_TRY(check_length(step, count));
    args.query = query;
    args.out = out;
    args.query_rows = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        const gw_row_range *range = &rows->range[i];
        const int64_t queries = range->end - range->begin;
        a->sequences[args.sequences++] = (gw_distance_sequence){args.query_rows, queries, 0, count, range->begin};
        args.query_rows += queries;
    }
    return run->kernels->distance_attention(&args);
}

double gw_distance_step_products(const gw_step *step) {
    const distance_arguments *a = step->arguments;
    return (double)(step->in[QUERY].width * (a->of.table ? 2 : 1) + step->out[0].width);
}

// Tables.

// Sets column i of a distance, and its twin.
static void put(const gw_distance_columns *c, int64_t distance, int64_t i, double value) {
    float *row = c->table + (distance + c->most - 1) * c->features;
    row[c->first + i] = (float)value;
    row[c->signed_at + i] = (float)(distance > 0 ? value : distance < 0 ? -value : 0);
}

void gw_distance_central_mask(const gw_distance_columns *c, int64_t longest) {
    const double base = longest > 0 ? exp(log((double)longest + 1) / (double)c->count) : 2;
    for (int64_t distance = 1 - c->most; distance < c->most; distance++)
        for (int64_t i = 0; i < c->count; i++)
            put(c, distance, i, pow(base, (double)i + 1) - 1 > fabs((double)distance));
}

void gw_distance_exponential(const gw_distance_columns *c, int64_t longest) {
    const double shortest = 3, step = c->count > 1 ? (log2((double)longest) - shortest) / (double)(c->count - 1) : 0;
    for (int64_t distance = 1 - c->most; distance < c->most; distance++)
        for (int64_t i = 0; i < c->count; i++)
            put(c, distance, i, exp(-log(2.0) * fabs((double)distance) / exp2(shortest + step * (double)i)));
}

static double gamma_density(double x, double mean, double deviation) {
    const double shape = mean * mean / (deviation * deviation), rate = mean / (deviation * deviation);
    if (x == 0 && shape > 1) return 0;
    const double log_power = shape == 1 ? 0 : (shape - 1) * log(x);
    return exp(log_power - rate * x - (lgamma(shape) - shape * log(rate)));
}

void gw_distance_gamma(const gw_distance_columns *c, int64_t longest, bool by_column) {
    const double smallest = 1e-8, deviation = (double)longest / (double)(2 * c->count);
    const int64_t outer = by_column ? c->count : 2 * c->most - 1, inner = by_column ? 2 * c->most - 1 : c->count;
    for (int64_t o = 0; o < outer; o++) {
        double largest = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t k = 0; k < inner; k++) {
                const int64_t i = by_column ? o : k, distance = (by_column ? k : o) + 1 - c->most;
                const double mean = (double)longest * (double)(i + 1) / (double)c->count;
                const double density = gamma_density(fabs((double)distance), mean, deviation) + smallest;
                if (pass == 0) largest = fmax(largest, density);
                else put(c, distance, i, density / largest);
            }
    }
}
