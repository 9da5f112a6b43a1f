// SPDX-License-Identifier: MIT
// nystrom[:L]: softmax attention through L landmarks, in time linear in the tokens (Xiong et al., Nystroemformer,
// 2021). q~ and k~ are the means of L segments of a sequence's queries and keys:
//   softmax(q k~^T / sqrt(D)) softmax(q~ k~^T / sqrt(D))^+ softmax(q~ k^T / sqrt(D)) v  +  a convolution of v
// Each head has its own filter for the convolution, over the R tokens on either side (reach:R). A sequence with fewer
// than L tokens has one landmark for each token.
#include "base/number.h"
#include "model/mixer.h"
#include "network/network_private.h"

#include <assert.h>
#include <math.h>

enum { LANDMARKS, REACH };
static const gw_mixer_word words[] = {[LANDMARKS] = {"nystrom", .usual = 64, .low = 1, .high = 4096},
                                      [REACH] = {"reach", .usual = -1, .low = 1, .high = 1 << 10},
                                      {0}};

enum { USUAL_REACH = 17 };
enum { ROLE_SKIP = GW_ROLE_MIXER };

enum { ITERATIONS = 6 };

static gw_segment_mean_args means_args(const gw_run *run, const gw_step *step) {
    const gw_tensor in = step->in[0], out = step->out[0];
    const gw_rows *rows = gw_run_inputs(run, in.rows);
    return (gw_segment_mean_args){.sequences = rows->sequences,
                                  .width = in.width,
                                  .start = rows->start,
                                  .out_start = gw_run_inputs(run, out.rows)->start,
                                  .in = gw_value(run, in),
                                  .out = gw_value(run, out),
                                  .out_gradient = gw_gradient(run, out),
                                  .in_gradient = gw_gradient(run, in)};
}

GW_STEP_FUNCTIONS(means, segment_mean)

static const gw_plan_op means_op = {.name = "segment means", .forward = means_forward, .backward = means_backward};

// in [rows of a stream][width] -> [rows of the stream `out`, at most as many of each sequence][width]: means of as many
// segments of the sequence.
static gw_tensor segment_means(gw_plan *plan, gw_tensor in, int out) {
    gw_plan_needs(plan, GW_OP_segment_mean);
    if (plan->training) gw_plan_needs(plan, GW_OP_segment_mean_backward);
    return gw_plan_append(plan, &means_op, NULL, 0, &in, 1, out, in.width);
}

typedef struct {
    int heads;
} product_arguments;
enum { QUERY, KEY, VALUE, INPUTS };

static gw_landmark_product_args product_args(const gw_run *run, const gw_step *step) {
    const product_arguments *a = step->arguments;
    const gw_tensor *in = step->in, out = step->out[0];
    const gw_rows *rows = gw_run_inputs(run, out.rows);
    const int64_t size = out.width / a->heads, *start = run->batch->of[out.rows].start;
    int64_t longest = 0; // rows of a sequence
    for (int64_t s = 0; s < rows->sequences; s++) longest = gw_max(longest, start[s + 1] - start[s]);
    return (gw_landmark_product_args){.sequences = rows->sequences,
                                      .heads = a->heads,
                                      .iterations = ITERATIONS,
                                      .size = size,
                                      .most = longest,
                                      .scale = (float)(1 / sqrt((double)size)),
                                      .start = rows->start,
                                      .query = gw_value(run, in[QUERY]),
                                      .key = gw_value(run, in[KEY]),
                                      .value = gw_value(run, in[VALUE]),
                                      .out = gw_value(run, out),
                                      .out_gradient = gw_gradient(run, out),
                                      .query_gradient = gw_gradient(run, in[QUERY]),
                                      .key_gradient = gw_gradient(run, in[KEY]),
                                      .value_gradient = gw_gradient(run, in[VALUE]),
                                      .scratch = step->scratch};
}

GW_STEP_FUNCTIONS(product, landmark_product)

static void size_product_scratch(gw_plan *plan, gw_step *step) {
    const product_arguments *a = step->arguments;
    const gw_tensor out = step->out[0];
    const gw_plan_rows *rows = &plan->rows[out.rows];
    const gw_landmark_product_args most = {.sequences = rows->most_sequences,
                                           .heads = a->heads,
                                           .iterations = ITERATIONS,
                                           .size = out.width / a->heads,
                                           .most = rows->most / rows->most_sequences};
    gw_plan_launches(plan, step, GW_OP_landmark_product, &most);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_landmark_product_backward, &most);
}

static const gw_plan_op product_op = {.name = "landmark product",
                                      .forward = product_forward,
                                      .backward = product_backward,
                                      .size_scratch = size_product_scratch,
                                      .reads_in = true};

// Of one stream, [rows][heads D]: softmax(q k^T / sqrt(D))^+ value, per head and sequence, the pseudo-inverse by six
// iterations.
static gw_tensor pseudo_inverse(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads) {
    const product_arguments arguments = {heads};
    assert(query.rows == key.rows && query.rows == value.rows && query.width == key.width);
    return gw_plan_append(plan, &product_op, &arguments, sizeof arguments, (gw_tensor[]){query, key, value}, INPUTS,
                          query.rows, value.width);
}

typedef struct {
    gw_weight weight;
    int heads, taps;
} convolution_arguments;

static gw_head_convolution_args convolution_args(const gw_run *run, const gw_step *step) {
    const convolution_arguments *a = step->arguments;
    const gw_tensor in = step->in[0], out = step->out[0];
    const gw_rows *rows = gw_run_inputs(run, in.rows);
    return (gw_head_convolution_args){.sequences = rows->sequences,
                                      .heads = a->heads,
                                      .taps = a->taps,
                                      .size = in.width / a->heads,
                                      .start = rows->start,
                                      .in = gw_value(run, in),
                                      .weight = a->weight.value,
                                      .out = gw_value(run, out),
                                      .out_gradient = gw_gradient(run, out),
                                      .in_gradient = gw_gradient(run, in),
                                      .weight_gradient = a->weight.gradient};
}

GW_STEP_FUNCTIONS(convolution, head_convolution)

static const gw_plan_op convolution_op = {
    .name = "convolution of heads", .forward = convolution_forward, .backward = convolution_backward, .reads_in = true};

// in [rows][heads D]; weight [heads][taps], taps odd: a filter along the sequence for each head.
static gw_tensor head_convolution(gw_plan *plan, gw_tensor in, gw_weight weight, int heads, int taps) {
    const convolution_arguments arguments = {weight, heads, taps};
    gw_plan_needs(plan, GW_OP_head_convolution);
    if (plan->training) gw_plan_needs(plan, GW_OP_head_convolution_backward);
    const gw_tensor out =
        gw_plan_append(plan, &convolution_op, &arguments, sizeof arguments, &in, 1, in.rows, in.width);
    gw_plan_learns(plan, weight);
    return out;
}

static int64_t own_rows(const gw_config *config, int64_t rows) {
    return gw_min(rows, config->mixer_number[LANDMARKS]);
}

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    const int64_t reach = b->config->mixer_number[REACH];
    const int heads = (int)b->config->heads, taps = 1 + 2 * (reach > 0 ? (int)reach : USUAL_REACH);
    b->deviation = 1 / sqrt(3.0 * taps); // as the authors' code begins: even between -1 and 1 over sqrt(taps)
    const gw_weight filter = gw_declare_weight(b, ROLE_SKIP, "attention.self.convolution", heads, taps);
    b->deviation = -1;
    if (b->lists) return value;
    gw_graph_source *graphs = b->network->mixing;
    gw_plan *plan = b->plan;
    const gw_tensor queries = segment_means(plan, query, GW_ROWS_MIXER), keys = segment_means(plan, key, GW_ROWS_MIXER);
    const gw_tensor read = gw_plan_attention(plan, queries, key, value, heads, layer, b->precision, graphs);
    const gw_tensor landmarks = pseudo_inverse(plan, queries, keys, read, heads);
    const gw_tensor out = gw_plan_attention(plan, query, keys, landmarks, heads, layer, b->precision, graphs);
    return gw_plan_sum(plan, head_convolution(plan, value, filter, heads, taps), out);
}

const gw_mixer_row gw_mixer_nystrom = {
    .words = words,
    .no_graph = "a Nystroemformer has no graph of its tokens: every one reads landmarks of its sequence",
    .own_rows = own_rows,
    .make = gw_mixer_make_full_graphs,
    .free = gw_mixer_free_graphs,
    .describe = describe,
};
