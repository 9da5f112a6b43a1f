// SPDX-License-Identifier: MIT
// Facts that meet only through two hops: what does a pattern reach, and how soon is it learnt?
//   bench_hops [SPEC [TOKENS [STEPS [BATCH [SEED [RATE]]]]]]   (etc:2+hard+block:32+distance:4 1024 780 4 1 2e-3)
// A sequence is paragraphs of 128 tokens. The first asks for some x; six of the others, in random order, state one fact
// each, x y or y z, two neighbouring tokens among ones that mean nothing; the label of x is z, one of 64. All x, y and
// z of a sequence differ, and three chains x -> y -> z are stated and asked for, so that the right z can be told from
// the others by its y alone, and the y by its x. Facts and questions are more than 64 tokens apart from facts of other
// paragraphs: further than four layers of at most 16 tokens to either side reach. Where the mixer has global tokens
// each paragraph has one. Every sequence is drawn anew, so that what is right is right of sequences never seen.
//
// What makes two hops learnable in so few steps, for every pattern alike:
//   stages      in the first 6/13 of the steps the model has two layers, and the label of x is y: one hop. Then the
//               second layer stands three times (Gong et al., 2019), and x is to find z. In both, y is asked for too,
//               whose label is z.
//   paragraphs  of 4 tokens in the first 10/13 of the steps, of 32 in the next one, six of them, then of 128.
//   answers     are products with the embeddings of the z and y that they name.
//   beginnings  an attention's output layer begins as its value layer transposed (after Trockman and Kolter, 2023), so
//               that a layer copies what it reads.
//   positions   turn 8 of a head's 32 numbers alone; the others say what a token is.
// In one step of ten x alone is asked for, in the next y alone; they are what is counted. A line each STEPS / 39 steps:
// layers, tokens of a paragraph, mean loss of the questions for x (nats), shares of right answers to x and to y since
// the last line; and a last one, of step "test", of TESTS sequences when all is learnt.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/parse.h"
#include "base/random.h"
#include "network/network.h"
#include "run/optimiser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PARAGRAPH = 128, MIDDLE = 32, SHORT = 4, MOST_PARAGRAPHS = 1024 }; // tokens, but the last
enum { KINDS = 3, ENTITIES = 64, FILLER = 4, CHAINS = 3, WIDTH = 64, LAYERS = 4, TESTS = 128 };
enum { ASKS_X, ASKS_Y, ASKS_BOTH, ASKED };

// Steps `begin` up to `end` of the run, of a model of so many layers; one_hop: x is to find y.
typedef struct {
    int64_t begin, end;
    int layers;
    bool one_hop;
} stage;

typedef struct {
    int64_t tokens; // of a sequence of long paragraphs
    int64_t batch, steps;
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

static int32_t entity(int kind, int32_t which) {
    return FILLER + kind * ENTITIES + which;
}

static float *values(gw_model *model, gw_role role, int layer) {
    return model->parameters.weight + gw_model_role(model, role, layer, false)->offset;
}

// Answers are the embeddings of z, then of y.
static void tie_answers(gw_model *model) {
    const float *embedding = values(model, GW_ROLE_TOKEN_EMBEDDING, 0);
    float *answer = values(model, GW_ROLE_LOGITS, 0);
    for (int kind = 2; kind > 0; kind--, answer += ENTITIES * WIDTH)
        memcpy(answer, embedding + entity(kind, 0) * WIDTH, ENTITIES * WIDTH * sizeof *answer);
}

static void copy_what_is_read(gw_model *model) {
    for (int layer = 0; layer < model->config.layers; layer++) {
        const float *value = values(model, GW_ROLE_VALUE, layer);
        float *output = values(model, GW_ROLE_ATTENTION_OUTPUT, layer);
        for (int i = 0; i < WIDTH; i++)
            for (int j = 0; j < WIDTH; j++) output[j * WIDTH + i] = value[i * WIDTH + j];
    }
}

static gw_model *make_model(const char *spec, const made_task *task, int layers) {
    gw_config config;
    gw_model *model;
    check(gw_config_preset("tiny", &config));
    check(gw_config_use_pattern(&config, spec));
    config.vocabulary = FILLER + KINDS * ENTITIES;
    config.positions = task->tokens;
    config.width = WIDTH;
    config.feed_forward = 2 * WIDTH;
    config.layers = layers;
    config.heads = 2;
    config.segments = 1;
    config.rotary = 8;
    config.pre_norm = config.last_norm = true;
    config.initializer_range = 0.125; // 1 / sqrt(WIDTH)
    config.dropout = config.classifier_dropout = 0;
    config.head = GW_HEAD_TOKEN;
    config.labels = 2 * ENTITIES;
    check(gw_model_new(&config, NULL, task->seed, &model));
    gw_config_free(&config);
    copy_what_is_read(model);
    tie_answers(model);
    return model;
}

// LAYERS of them: the last one of `model` stands again and again.
static gw_model *stack(const char *spec, const made_task *task, const gw_model *model) {
    gw_model *deep = make_model(spec, task, LAYERS);
    const int last = (int)model->config.layers - 1;
    for (int i = 0; i < deep->parameters.count; i++) {
        const gw_parameter *to = &deep->parameters.list[i];
        const gw_parameter *from = gw_model_role(model, to->role, to->layer < last ? to->layer : last, to->bias);
        memcpy(deep->parameters.weight + to->offset, model->parameters.weight + from->offset,
               (size_t)to->count * sizeof(float));
    }
    return deep;
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

// `count` numbers from 0 on in random order.
static void draw_order(gw_random *random, int64_t count, int64_t *order) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t j = (int64_t)gw_random_below(random, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

static int asked_in(int64_t step) {
    return step % 10 < ASKS_BOTH ? (int)(step % 10) : ASKS_BOTH;
}

static int64_t paragraph_in(const made_task *task, int64_t step) {
    const int64_t part = 13 * step / task->steps;
    return part < 10 ? SHORT : part < 11 ? MIDDLE : PARAGRAPH;
}

// Tokens of the first paragraph, of which every other one may be a question.
static int64_t questions_in(int64_t paragraph) {
    return paragraph > 4 * CHAINS ? paragraph : 4 * CHAINS;
}

// Those behind it, of which 2 CHAINS state facts.
static int64_t others_in(const made_task *task, int64_t paragraph) {
    return paragraph == PARAGRAPH ? task->tokens / PARAGRAPH - 1 : 2 * CHAINS;
}

static int64_t tokens_in(const made_task *task, int64_t paragraph) {
    return questions_in(paragraph) + others_in(task, paragraph) * paragraph;
}

// Facts do not stand in the first or the last quarter of a paragraph, but of the shortest ones.
static int64_t draw_place(gw_random *random, int64_t paragraph) {
    const int64_t margin = paragraph > SHORT ? paragraph / 4 : 0;
    return gw_random_between(random, margin, paragraph - margin - 2);
}

static void draw_sequence(const made_task *task, const stage *now, gw_random *random, int64_t paragraph, int asked,
                          int32_t *token, int32_t *label) {
    const int64_t tokens = tokens_in(task, paragraph);
    int32_t of[KINDS][ENTITIES], *facts = token + questions_in(paragraph);
    int64_t order[MOST_PARAGRAPHS], at = 0;
    for (int64_t i = 0; i < tokens; i++) {
        token[i] = (int32_t)gw_random_below(random, FILLER);
        label[i] = -1;
    }
    for (int kind = 0; kind < KINDS; kind++) draw_different(random, CHAINS, of[kind]);
    draw_order(random, others_in(task, paragraph), order);
    for (int64_t f = 0; f < 2 * CHAINS; f++) {
        const int64_t kind = f / CHAINS, chain = f % CHAINS;
        int32_t *fact = facts + order[f] * paragraph + draw_place(random, paragraph);
        fact[0] = entity((int)kind, of[kind][chain]);
        fact[1] = entity((int)kind + 1, of[kind + 1][chain]);
    }
    for (int kind = 0; kind < 2; kind++) {
        const bool next = now->one_hop && kind == 0; // y answers
        for (int64_t i = 0; i < CHAINS && (asked == ASKS_BOTH || asked == kind); i++, at += 2) {
            token[at] = entity(kind, of[kind][i]);
            label[at] = next ? ENTITIES + of[1][i] : of[2][i];
        }
    }
}

// As many sequences as have the tokens of `batch` long ones, but at most so many.
enum { MOST_SEQUENCES = 64 };
static int64_t sequences_of(const made_task *task, int64_t paragraph) {
    const int64_t sequences = task->batch * (PARAGRAPH / paragraph);
    return sequences < MOST_SEQUENCES || paragraph == PARAGRAPH ? sequences : MOST_SEQUENCES;
}

static void fill_tokens(const made_task *task, const stage *now, gw_rows *rows, int64_t step, int asked) {
    const int64_t paragraph = paragraph_in(task, step), tokens = tokens_in(task, paragraph);
    rows->sequences = sequences_of(task, paragraph);
    for (int64_t s = 0; s < rows->sequences; s++) {
        gw_random random = gw_random_at(task->seed, GW_SITE_CORPUS, (uint64_t)step, (uint32_t)s);
        rows->start[s + 1] = (s + 1) * tokens;
        draw_sequence(task, now, &random, paragraph, asked, rows->token + s * tokens, rows->label + s * tokens);
    }
    rows->count = rows->start[rows->sequences];
}

// One for each paragraph.
static void fill_globals(const made_task *task, gw_rows *globals, int64_t sequences, int64_t step) {
    const int64_t paragraph = paragraph_in(task, step), first = questions_in(paragraph);
    globals->count = globals->sequences = 0;
    for (int64_t s = 0; s < sequences; s++) {
        for (int64_t p = 0; p <= others_in(task, paragraph); p++) {
            globals->token[globals->count] = -1;
            globals->begin[globals->count] = (int32_t)(p > 0 ? first + (p - 1) * paragraph : 0);
            globals->end[globals->count++] = (int32_t)(first + p * paragraph);
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
    tie_answers(model);
    return losses.of[GW_ROWS_TOKENS];
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_sums(const made_task *task, const stage *now, int64_t step, const gw_loss_sum sums[ASKED],
                       double passed) {
    const gw_loss_sum *x = &sums[ASKS_X], *y = &sums[ASKS_Y];
    if (step < task->steps) printf("%lld", (long long)step + 1);
    else fputs("test", stdout);
    printf("\t%d\t%lld\t%.5f\t%.5f\t%.5f\t%.1f\n", now->layers, (long long)paragraph_in(task, step),
           x->loss / (double)x->count, (double)x->right / (double)x->count, (double)y->right / (double)y->count,
           passed);
    fflush(stdout);
}

static void add(gw_loss_sum *sum, gw_loss_sum more) {
    *sum = (gw_loss_sum){sum->loss + more.loss, sum->count + more.count, sum->right + more.right};
}

// Sequences behind those of the last step.
static void test(const made_task *task, const stage *now, gw_network *network, gw_batch *data, double begin) {
    gw_loss_sum sums[ASKED] = {0};
    gw_losses losses;
    for (int64_t step = task->steps; step < task->steps + TESTS / task->batch; step++)
        for (int asked = ASKS_X; asked <= ASKS_Y; asked++) {
            fill_tokens(task, now, &data->of[GW_ROWS_TOKENS], step, asked);
            fill_globals(task, &data->of[GW_ROWS_GLOBALS], data->of[GW_ROWS_TOKENS].sequences, step);
            check(gw_network_forward(network, data, &losses));
            add(&sums[asked], losses.of[GW_ROWS_TOKENS]);
        }
    print_sums(task, now, task->steps, sums, seconds() - begin);
}

static void run_steps(const made_task *task, const stage *now, gw_network *network, gw_model *model, gw_batch *data,
                      double peak) {
    gw_optimiser optimiser;
    gw_optimiser_options adam = gw_optimiser_defaults();
    const gw_schedule schedule = gw_schedule_make(GW_SCHEDULE_LINEAR, peak, -1, now->end - now->begin);
    const int64_t every = task->steps / 39;
    const double begin = seconds();
    gw_rows *tokens = &data->of[GW_ROWS_TOKENS];
    gw_loss_sum sums[ASKED] = {0};
    check(gw_optimiser_new(&optimiser, &adam, &model->parameters));
    for (int64_t step = now->begin; step < now->end; step++) {
        const int asked = asked_in(step);
        fill_tokens(task, now, tokens, step, asked);
        fill_globals(task, &data->of[GW_ROWS_GLOBALS], tokens->sequences, step);
        const int64_t labels = tokens->sequences * CHAINS * (asked == ASKS_BOTH ? 2 : 1);
        const double rate = gw_schedule_rate(&schedule, step - now->begin);
        add(&sums[asked], take_step(network, model, &optimiser, data, labels, step - now->begin, rate));
        if ((step + 1) % every != 0) continue;
        print_sums(task, now, step, sums, seconds() - begin);
        memset(sums, 0, sizeof sums);
    }
    gw_optimiser_free(&optimiser);
    if (now->end == task->steps) test(task, now, network, data, begin);
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void train(gw_model *model, const made_task *task, const stage *now, double peak) {
    const int64_t shortest = sequences_of(task, SHORT), middle = sequences_of(task, MIDDLE);
    const int64_t globals = larger(shortest * (2 * CHAINS + 1), task->batch * (task->tokens / PARAGRAPH));
    const int64_t most =
        larger(task->batch * task->tokens, larger(shortest * tokens_in(task, SHORT), middle * tokens_in(task, MIDDLE)));
    const gw_network_options options = {
        .tokens = most, .sequences = shortest, .training = true, .seed = task->seed, .globals = globals};
    gw_batch data = {0};
    gw_network *network;
    check(gw_rows_make(&data.of[GW_ROWS_TOKENS], most, shortest, GW_WITH_TOKEN | GW_WITH_LABEL));
    check(gw_rows_make(&data.of[GW_ROWS_GLOBALS], globals, shortest, GW_WITH_TOKEN | GW_WITH_SPAN));
    check(gw_network_new(model, &options, &network));
    run_steps(task, now, network, model, &data, peak);
    gw_network_free(network);
    gw_batch_free(&data);
}

int main(int count, char **values) {
    const char *spec = count > 1 ? values[1] : "etc:2+hard+block:32+distance:4";
    made_task task = {.tokens = number(count, values, 2, (2 * CHAINS + 1) * PARAGRAPH, 1024)};
    double rate = 2e-3;
    task.steps = number(count, values, 3, 390, 780);
    task.batch = number(count, values, 4, 1, 4);
    task.seed = (uint64_t)number(count, values, 5, 0, 1);
    if (count > 6) check(gw_parse_double(values[6], 0, 1, &rate));
    if (task.tokens % PARAGRAPH != 0 || task.tokens > MOST_PARAGRAPHS * PARAGRAPH) {
        fprintf(stderr, "bench_hops: %lld tokens are not paragraphs of %d, at most %d\n", (long long)task.tokens,
                PARAGRAPH, MOST_PARAGRAPHS);
        return 1;
    }
    gw_set_threads(1);
    const stage first = {0, 6 * task.steps / 13, 2, true}, second = {first.end, task.steps, LAYERS, false};
    puts("step\tlayers\tparagraph\tloss\tright\tright_of_one_hop\tseconds");
    gw_model *shallow = make_model(spec, &task, first.layers);
    train(shallow, &task, &first, rate);
    gw_model *model = stack(spec, &task, shallow);
    gw_model_free(shallow);
    train(model, &task, &second, rate);
    gw_model_free(model);
    return 0;
}
