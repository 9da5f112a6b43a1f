// SPDX-License-Identifier: MIT
// Facts that meet only through two hops: what does a pattern reach, and how soon is it learnt?
//   bench_hops [SPEC [TOKENS [STEPS [BATCH [SEED [SHORT [RATE]]]]]]]   (etc:16+hard 1024 100 8 1 60 2e-3)
// A sequence is paragraphs of 128 tokens. The first asks for some x; each other one states one fact, x y or y z, two
// neighbouring tokens among ones that mean nothing, in random order; the label of x is z, one of 64. All x, y and z of
// a sequence differ, and (paragraphs - 1) / 2 chains x -> y -> z are stated and asked for, so that the right z can be
// told from the others by its y alone, and the y by its x. Facts and questions are more than 64 tokens apart from facts
// of other paragraphs: further than four layers of at most 16 tokens to either side reach. Every other step asks for y,
// whose label is the z of one hop; and in the first SHORT percent of the steps paragraphs have 16 tokens, of eight
// times as many sequences. Where the mixer has global tokens each paragraph has one. A line each STEPS / 100 steps:
// means of loss (nats) and of the share of right answers to x since the last one, and to y. Every sequence is drawn
// anew, so that what is right is right of sequences never seen.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/parse.h"
#include "base/random.h"
#include "network/network.h"
#include "run/optimiser.h"
#include "run/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PARAGRAPH = 128, SHORT = 16, KINDS = 3, ENTITIES = 64, FILLER = 4, WIDTH = 64, LAYERS = 4 };

typedef struct {
    int64_t tokens; // of a sequence of long paragraphs
    int64_t batch, steps, short_steps;
    uint64_t seed;
} made_task;

static void check(gw_status status) {
    if (status == GW_OK) return;
    fprintf(stderr, "bench_hops: %s\n", gw_message());
    exit(1);
}

static int64_t number(int count, char **values, int index, int64_t low, int64_t usual) {
    int64_t value = usual;
    if (count > index) check(gw_parse_int(values[index], low, INT32_MAX, &value));
    return value;
}

static gw_model *make_model(const char *spec, const made_task *task) {
    gw_config config;
    gw_model *model;
    check(gw_config_preset("tiny", &config));
    check(gw_config_use_pattern(&config, spec));
    config.vocabulary = FILLER + KINDS * ENTITIES;
    config.positions = task->tokens;
    config.width = WIDTH;
    config.feed_forward = 2 * WIDTH;
    config.layers = LAYERS;
    config.heads = 2;
    config.segments = 1;
    config.rotary = WIDTH / 2;
    config.pre_norm = config.last_norm = true;
    config.initializer_range = 0.125; // 1 / sqrt(WIDTH)
    config.dropout = config.classifier_dropout = 0;
    config.head = GW_HEAD_TOKEN;
    config.labels = ENTITIES;
    check(gw_model_new(&config, NULL, task->seed, &model));
    gw_config_free(&config);
    return model;
}

// `count` different numbers below ENTITIES.
static void draw_different(gw_random *random, int64_t count, int32_t *out) {
    int32_t all[ENTITIES];
    for (int32_t i = 0; i < ENTITIES; i++) all[i] = i;
    for (int64_t i = 0; i < count; i++) {
        const int64_t j = i + (int64_t)gw_random_below(random, (uint64_t)(ENTITIES - i));
        out[i] = all[j];
        all[j] = all[i];
    }
}

static int32_t entity(int kind, int32_t which) {
    return FILLER + kind * ENTITIES + which;
}

static int64_t chains_of(const made_task *task) {
    const int64_t chains = (task->tokens / PARAGRAPH - 1) / 2;
    return chains < ENTITIES ? chains : ENTITIES;
}

// Paragraphs 1 .. 2 chains of a sequence in random order.
static void draw_order(gw_random *random, int64_t count, int64_t *order) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t j = (int64_t)gw_random_below(random, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = i + 1;
    }
}

// What step asks for: x, or y.
static int asked_in(int64_t step) {
    return step % 2 == 0;
}

static int64_t paragraph_in(const made_task *task, int64_t step) {
    return step < task->short_steps ? SHORT : PARAGRAPH;
}

// Questions of a sequence, which stand in its first half paragraph.
static int64_t questions_of(const made_task *task, int64_t paragraph) {
    const int64_t chains = chains_of(task), most = paragraph / 4;
    return chains < most ? chains : most;
}

// `paragraph` tokens of each; asked: the kind of entity that is asked for.
static void draw_sequence(const made_task *task, gw_random *random, int64_t paragraph, int asked, int32_t *token,
                          int32_t *label) {
    const int64_t chains = chains_of(task), tokens = task->tokens / PARAGRAPH * paragraph;
    int32_t of[KINDS][ENTITIES];
    int64_t order[2 * ENTITIES];
    for (int64_t i = 0; i < tokens; i++) {
        token[i] = (int32_t)gw_random_below(random, FILLER);
        label[i] = -1;
    }
    for (int kind = 0; kind < KINDS; kind++) draw_different(random, chains, of[kind]);
    draw_order(random, 2 * chains, order);
    for (int64_t f = 0; f < 2 * chains; f++) {
        const int64_t kind = f / chains, chain = f % chains;
        int32_t *fact = token + order[f] * paragraph + gw_random_between(random, paragraph / 4, 3 * paragraph / 4 - 2);
        fact[0] = entity((int)kind, of[kind][chain]);
        fact[1] = entity((int)kind + 1, of[kind + 1][chain]);
    }
    for (int64_t i = 0; i < questions_of(task, paragraph); i++) {
        token[2 * i + 1] = entity(asked, of[asked][i]);
        label[2 * i + 1] = of[2][i];
    }
}

static void fill_tokens(const made_task *task, gw_rows *rows, int64_t step) {
    const int64_t paragraph = paragraph_in(task, step), tokens = task->tokens / PARAGRAPH * paragraph;
    rows->sequences = task->batch * (PARAGRAPH / paragraph);
    for (int64_t s = 0; s < rows->sequences; s++) {
        gw_random random = gw_random_at(task->seed, GW_SITE_CORPUS, (uint64_t)step, (uint32_t)s);
        rows->start[s + 1] = (s + 1) * tokens;
        draw_sequence(task, &random, paragraph, asked_in(step), rows->token + s * tokens, rows->label + s * tokens);
    }
    rows->count = rows->start[rows->sequences];
}

// One for each paragraph.
static void fill_globals(const made_task *task, gw_rows *globals, int64_t sequences, int64_t step) {
    const int64_t paragraph = paragraph_in(task, step);
    globals->count = globals->sequences = 0;
    for (int64_t s = 0; s < sequences; s++) {
        for (int64_t p = 0; p < task->tokens / PARAGRAPH; p++) {
            globals->token[globals->count] = -1;
            globals->begin[globals->count] = (int32_t)(p * paragraph);
            globals->end[globals->count++] = (int32_t)((p + 1) * paragraph);
        }
        gw_rows_end_sequence(globals);
    }
}

static gw_loss_sum take_step(gw_network *network, gw_model *model, gw_optimiser *optimiser, gw_batch *data,
                             int64_t labels, int64_t step, double rate) {
    const gw_mirror *mirror = &model->parameters.mirror;
    gw_losses losses;
    double norm;
    data->step = (uint32_t)step;
    check(mirror->kernels->zero(gw_network_gradient(network), mirror->bytes));
    check(gw_network_forward(network, data, &losses));
    check(gw_network_backward(network, (float[GW_BATCH_ROWS]){[GW_ROWS_TOKENS] = 1 / (float)labels}));
    check(gw_optimiser_step(optimiser, &model->parameters, gw_network_gradient(network), step, rate, &norm));
    return losses.of[GW_ROWS_TOKENS];
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Sums over answers to x, and to y.
static void print_sums(int64_t step, const gw_loss_sum sums[2], double passed) {
    printf("%lld\t%.5f\t%.5f\t%.5f\t%.1f\n", (long long)step, sums[0].loss / (double)sums[0].count,
           (double)sums[0].right / (double)sums[0].count, (double)sums[1].right / (double)sums[1].count, passed);
    fflush(stdout);
}

static void run_steps(const made_task *task, gw_network *network, gw_model *model, gw_batch *data, double peak) {
    gw_optimiser optimiser;
    gw_optimiser_options adam = gw_optimiser_defaults();
    const gw_schedule schedule = gw_schedule_make(GW_SCHEDULE_LINEAR, peak, -1, task->steps);
    const int64_t every = task->steps < 200 ? 2 : task->steps / 100;
    const double begin = seconds();
    gw_rows *tokens = &data->of[GW_ROWS_TOKENS];
    gw_loss_sum sums[2] = {0};
    check(gw_optimiser_new(&optimiser, &adam, &model->parameters));
    puts("step\tloss\tright\tright_of_one_hop\tseconds");
    for (int64_t step = 0; step < task->steps; step++) {
        gw_loss_sum *sum = &sums[asked_in(step)];
        fill_tokens(task, tokens, step);
        fill_globals(task, &data->of[GW_ROWS_GLOBALS], tokens->sequences, step);
        const int64_t labels = tokens->sequences * questions_of(task, paragraph_in(task, step));
        const gw_loss_sum more =
            take_step(network, model, &optimiser, data, labels, step, gw_schedule_rate(&schedule, step));
        *sum = (gw_loss_sum){sum->loss + more.loss, sum->count + more.count, sum->right + more.right};
        if ((step + 1) % every != 0) continue;
        print_sums(step + 1, sums, seconds() - begin);
        sums[0] = sums[1] = (gw_loss_sum){0};
    }
    gw_optimiser_free(&optimiser);
}

static void train(gw_model *model, const made_task *task, double peak) {
    const int64_t most = task->batch * task->tokens, sequences = task->batch * (PARAGRAPH / SHORT),
                  globals = most / SHORT;
    const gw_network_options options = {
        .tokens = most, .sequences = sequences, .training = true, .seed = task->seed, .globals = globals};
    gw_batch data = {0};
    gw_network *network;
    check(gw_rows_make(&data.of[GW_ROWS_TOKENS], most, sequences, GW_WITH_TOKEN | GW_WITH_LABEL));
    check(gw_rows_make(&data.of[GW_ROWS_GLOBALS], globals, sequences, GW_WITH_TOKEN | GW_WITH_SPAN));
    check(gw_network_new(model, &options, &network));
    run_steps(task, network, model, &data, peak);
    gw_network_free(network);
    gw_batch_free(&data);
}

int main(int count, char **values) {
    const char *spec = count > 1 ? values[1] : "etc:16+hard";
    made_task task = {.tokens = number(count, values, 2, 3 * PARAGRAPH, 1024)};
    double rate = 2e-3;
    task.steps = number(count, values, 3, 1, 100);
    task.batch = number(count, values, 4, 1, 8);
    task.seed = (uint64_t)number(count, values, 5, 0, 1);
    task.short_steps = task.steps * number(count, values, 6, 0, 60) / 100;
    if (count > 7) check(gw_parse_double(values[7], 0, 1, &rate));
    if (task.tokens % PARAGRAPH != 0) {
        fprintf(stderr, "bench_hops: %lld tokens are no paragraphs of %d\n", (long long)task.tokens, PARAGRAPH);
        return 1;
    }
    gw_set_threads(1);
    gw_model *model = make_model(spec, &task);
    train(model, &task, rate);
    gw_model_free(model);
    return 0;
}
