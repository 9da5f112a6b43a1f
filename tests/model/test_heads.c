// SPDX-License-Identifier: MIT
// Every family of encoders with every head: outputs and gradients against the double reference, and their independence
// of the batch.
#include "apart.h"
#include "base/memory.h"
#include "fixtures.h"
#include "gradient_check.h"
#include "model/config_reader.h"
#include "model/family.h"
#include "model/head.h"
#include "run/optimiser.h"
#include "tests/kernel/emulated.h"
#include "text/dna/vocabulary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS = FIXTURE_LABELS, WIDTH = 16, LAYERS = 2 };
static const uint64_t dropout_seed = 11; // of fixture_network()

static void bigbird(gw_config *config) {
    config->family = GW_FAMILY_BIGBIRD;
}

static void other_bigbird(gw_config *config) {
    config->activation = GW_ACTIVATION_RELU;
    config->bias = false;
    config->rescale = true;
}

static void bert(gw_config *config) {
    config->family = GW_FAMILY_BERT;
    config->activation = GW_ACTIVATION_GELU_EXACT;
    config->pattern.full = true;
}

static void roberta(gw_config *config) {
    config->family = GW_FAMILY_ROBERTA;
    config->activation = GW_ACTIVATION_GELU; // its masked-token head has the exact form all the same
    config->pattern.full = true;
    config->segments = 1;
    config->pad = 6; // a letter, so that padding stands in the middle of sequences
}

static void gena(gw_config *config) {
    config->family = GW_FAMILY_GENA;
    config->activation = GW_ACTIVATION_GELU_EXACT;
    config->pattern.full = true;
    config->pre_norm = config->last_norm = true;
    config->rotary = 6; // of 8
}

static void dense_gena(gw_config *config) {
    gena(config);
    config->last_norm = false;
    config->rotary_base = 100;
}

static void relu_gena(gw_config *config) {
    gena(config);
    config->rotary = 0;
    config->head_activation = GW_ACTIVATION_RELU;
    config->pooling = GW_SEQUENCE_MEAN;
}

static void modernbert(gw_config *config) {
    config->family = GW_FAMILY_MODERNBERT;
    config->activation = config->head_activation = GW_ACTIVATION_GELU_EXACT;
    config->pattern = (gw_pattern){.block = 8, .band = 5, .every = 2};
    config->pre_norm = config->last_norm = true;
    config->bias = config->norm_bias = config->feed_forward_bias = config->head_bias = false;
    config->segments = 1;
    config->rotary = 8;
    config->rotary_base = 1000;
    config->local_rotary_base = 50;
}

static void other_modernbert(gw_config *config) {
    modernbert(config);
    config->activation = config->head_activation = GW_ACTIVATION_SILU;
    config->bias = config->norm_bias = config->feed_forward_bias = config->head_bias = true;
    config->decoder_bias = false;
    config->pooling = GW_SEQUENCE_MEAN;
}

// As ESM-2 has it.
static void esm(gw_config *config) {
    config->family = GW_FAMILY_ESM;
    config->activation = GW_ACTIVATION_GELU_EXACT;
    config->pattern.full = true;
    config->pre_norm = config->last_norm = true;
    config->embedding_norm = false;
    config->token_dropout = true;
    config->mask = GW_TOKEN_MASK;
    config->segments = 1;
    config->rotary = 8;
    config->rotary_base = 100;
}

// Learned positions, a norm of the embeddings, and logits with weights of their own.
static void other_esm(gw_config *config) {
    esm(config);
    config->rotary = 0;
    config->embedding_norm = true;
    config->tied = false;
}

// A layout as checkpoints of GENA-LM carry, one for each head: the first blocks, the neighbours and some others.
static void add_layout(gw_model *model) {
    const int blocks = (int)model->config.positions / model->config.pattern.block, cells = blocks * blocks;
    gw_layout *layout = gw_alloc(1, sizeof *layout);
    *layout = (gw_layout){LAYERS, (int)model->config.heads, blocks, gw_alloc((int64_t)LAYERS * 2 * cells, 1)};
    for (int graph = 0; graph < LAYERS * 2; graph++)
        for (int i = 0; i < blocks; i++)
            for (int j = 0; j < blocks; j++)
                layout->cell[graph * cells + i * blocks + j] =
                    i < 2 || j < 2 || abs(i - j) <= 1 || (i * 7 + j * 3 + graph) % 11 == 0;
    model->layout = layout;
    model->config.pattern.full = false;
}

static const struct {
    const char *name;
    void (*set)(gw_config *config);
} families[] = {{"BigBird", bigbird},
                {"other BigBird", other_bigbird},
                {"BERT", bert},
                {"RoBERTa", roberta},
                {"GENA-LM", gena},
                {"dense GENA-LM", dense_gena},
                {"GENA-LM with a head's activation", relu_gena},
                {"ModernBERT", modernbert},
                {"other ModernBERT", other_modernbert},
                {"ESM", esm},
                {"other ESM", other_esm}};
enum { FAMILIES = sizeof families / sizeof families[0] };

static const struct {
    const char *name;
    gw_head head;
    gw_problem problem;
    gw_number_loss_kind loss;
    bool shared;
} heads[] = {{"pretraining", GW_HEAD_PRETRAINING, 0},
             {"masked", GW_HEAD_MASKED, 0},
             {"none", GW_HEAD_NONE, 0},
             {"labels", GW_HEAD_SEQUENCE, GW_PROBLEM_MULTI_LABEL},
             {"one label", GW_HEAD_SEQUENCE, GW_PROBLEM_SINGLE_LABEL},
             {"regression", GW_HEAD_SEQUENCE, GW_PROBLEM_REGRESSION},
             {"counts", GW_HEAD_SEQUENCE, GW_PROBLEM_REGRESSION, GW_NUMBER_LOSS_POISSON},
             {"variance", GW_HEAD_SEQUENCE, GW_PROBLEM_REGRESSION, GW_NUMBER_LOSS_GAUSSIAN},
             {"sources", GW_HEAD_SEQUENCE, GW_PROBLEM_REGRESSION, GW_NUMBER_LOSS_SQUARED, true},
             {"tokens", GW_HEAD_TOKEN, 0},
             {"question", GW_HEAD_SPAN, 0},
             {"choice", GW_HEAD_MULTIPLE_CHOICE, 0},
             {"matching", GW_HEAD_MATCHING, GW_PROBLEM_SINGLE_LABEL},
             {"columns", GW_HEAD_SPAN, 0}};
enum { HEADS = sizeof heads / sizeof heads[0], COLUMNS = HEADS - 1 };

static void weigh_columns(gw_numbers *numbers) {
    numbers->weight = gw_alloc(LABELS, sizeof *numbers->weight);
    for (int l = 0; l < LABELS; l++) numbers->weight[l] = 0.5 + l;
}

// Answers to questions and pairs are left out where transformers has no such class.
static bool has_head(int family, int head) {
    gw_config config = fixture_config(0, 0);
    families[family].set(&config);
    return config.family != GW_FAMILY_ESM || gw_family_has_head(GW_FAMILY_ESM, heads[head].head);
}

static gw_model *make_model(int family, int head, double dropout) {
    gw_config config = fixture_config(0, dropout);
    config.classifier_dropout = dropout * 1.5;
    config.head = heads[head].head;
    config.problem = heads[head].problem;
    config.numbers.loss = heads[head].loss;
    config.numbers.shared = heads[head].shared;
    if (config.numbers.loss == GW_NUMBER_LOSS_GAUSSIAN) weigh_columns(&config.numbers);
    if (gw_head_of(config.head)->labels || head == COLUMNS) config.labels = LABELS;
    families[family].set(&config);
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    if (families[family].set == gena) add_layout(model);
    return model;
}

static int32_t one_label[FIXTURE_SEQUENCES] = {2, -1, 3}, one_choice[1] = {1};
static int32_t spans[2 * FIXTURE_SEQUENCES] = {60, 71, 4, 4, -1, -1};
static int32_t token_labels[FIXTURE_TOKENS];

// Choices among all starts, of a first token's columns, between one logit and 0, and without a right entry.
static gw_rows choices_of(int64_t tokens) {
    enum { CHOICES = 4 };
    static int64_t start[CHOICES + 1];
    static int32_t entry[FIXTURE_TOKENS + 20];
    static float number[FIXTURE_TOKENS + 20];
    gw_rows own = {.start = start, .token = entry, .number = number, .sequences = CHOICES};
    for (int64_t t = 0; t < tokens; t++) {
        number[own.count] = t == 5 || t == 40 ? 0.5f : 0;
        entry[own.count++] = (int32_t)(t * LABELS);
    }
    start[1] = own.count;
    for (int32_t column = 1; column < LABELS; column++) {
        number[own.count] = column == 2;
        entry[own.count++] = column;
    }
    start[2] = own.count;
    number[own.count] = 0.25f;
    entry[own.count++] = 9 * LABELS + 3;
    number[own.count] = 0;
    entry[own.count++] = -1;
    start[3] = own.count;
    number[own.count] = 0;
    entry[own.count++] = 17;
    start[CHOICES] = own.count;
    return own;
}

// The fixture's batch with the labels that the model's head reads.
static gw_batch make_batch(const gw_model *model) {
    const gw_config *config = &model->config;
    gw_batch batch = fixture_batch();
    const bool own_segments = config->family == GW_FAMILY_BIGBIRD && config->head == GW_HEAD_SPAN;
    if (config->segments == 1 || own_segments) batch.of[GW_ROWS_TOKENS].segment = NULL;
    if (config->head != GW_HEAD_PRETRAINING && config->head != GW_HEAD_MASKED) batch.of[GW_ROWS_MASKED].count = 0;
    for (int i = 0; i < FIXTURE_TOKENS; i++) token_labels[i] = i % 7 == 0 ? -1 : i * i % LABELS;
    if (config->head == GW_HEAD_SEQUENCE) batch.of[GW_ROWS_FIRST].label = one_label;
    if (config->head == GW_HEAD_TOKEN) batch.of[GW_ROWS_TOKENS].label = token_labels;
    if (config->head == GW_HEAD_SPAN && config->labels == 0) batch.of[GW_ROWS_FIRST].label = spans;
    if (config->head == GW_HEAD_SPAN && config->labels > 0) batch.of[GW_ROWS_CHOICES] = choices_of(100);
    if (config->head == GW_HEAD_MATCHING) {
        batch.of[GW_ROWS_TOKENS].sequences = 2; // the third has no other
        batch.of[GW_ROWS_QUESTIONS] = (gw_rows){.count = 1, .label = one_choice};
    }
    if (config->head == GW_HEAD_MULTIPLE_CHOICE)
        batch.of[GW_ROWS_QUESTIONS] = (gw_rows){.count = 1, .label = one_choice};
    return batch;
}

// What the model's head gives and how much it is of a batch.
static const float *logits_of(const gw_network *network, const gw_model *model, const gw_batch *batch, int64_t *count) {
    const gw_rows *tokens = &batch->of[GW_ROWS_TOKENS];
    const gw_head_row *head = gw_head_of(model->config.head);
    const int rows = head->masked   ? GW_ROWS_MASKED
                     : head->tokens ? GW_ROWS_TOKENS
                     : head->apart  ? GW_ROWS_QUESTIONS
                                    : GW_ROWS_FIRST;
    *count = gw_network_output_width(network, rows) * (head->masked   ? batch->of[rows].count
                                                       : head->tokens ? tokens->start[tokens->sequences]
                                                       : head->apart  ? tokens->sequences / 2
                                                                      : tokens->sequences);
    return gw_network_output(network, rows);
}

static void expect_near(const char *family, const char *head, const char *what, const float *found, const double *want,
                        int64_t count) {
    double worst = 0;
    cr_assert_not_null(found, "%s, %s: no %s", family, head, what);
    for (int64_t i = 0; i < count; i++) worst = fmax(worst, fabs((double)found[i] - want[i]) / fmax(1, fabs(want[i])));
    cr_expect(worst < 1e-5, "%s, %s: %s differ by %g", family, head, what, worst);
}

static void check_outputs(int family, int head, const gw_model *model, gw_network *network, const gw_batch *batch) {
    const char *family_name = families[family].name, *head_name = heads[head].name;
    double *weight = check_double_weights(model), *hidden = calloc(FIXTURE_TOKENS * WIDTH, sizeof *hidden);
    double *logits = calloc(FIXTURE_TOKENS * WIDTH, sizeof *logits), pair[2 * FIXTURE_SEQUENCES];
    reference_outputs outputs = {.hidden = hidden, .logits = logits, .pair = pair};
    if (model->config.head == GW_HEAD_NONE) outputs.pooled = logits;
    const gw_losses losses = check_forward(network, batch);
    const double loss = reference_loss(model, weight, batch, 0, (reference_scales){1, 1}, &outputs);
    double found = 0;
    for (int rows = 0; rows < GW_BATCH_ROWS; rows++) found += losses.of[rows].loss;
    cr_expect(fabs(found - loss) <= 1e-5 * fmax(1, loss), "%s, %s: loss %.9g, not %.9g", family_name, head_name, found,
              loss);
    int64_t count;
    const float *values = logits_of(network, model, batch, &count);
    const bool pools = model->config.head != GW_HEAD_NONE || gw_model_role(model, GW_ROLE_POOLER, 0, false);
    if (pools) expect_near(family_name, head_name, "logits", values, logits, count);
    expect_near(family_name, head_name, "hidden states", gw_network_hidden(network), hidden,
                batch->of[GW_ROWS_TOKENS].start[batch->of[GW_ROWS_TOKENS].sequences] * WIDTH);
    if (model->config.head == GW_HEAD_PRETRAINING)
        expect_near(family_name, head_name, "pair logits", gw_network_output(network, GW_ROWS_FIRST), pair,
                    2 * batch->of[GW_ROWS_TOKENS].sequences);
    free(weight);
    free(hidden);
    free(logits);
}

// Sequences of 1, 9 and 90 tokens of the same batch.
static int64_t odd_start[] = {0, 1, 10, 100};
static int32_t odd_spans[] = {0, 0, 8, 2, 50, 89};
static int32_t odd_masked[] = {0, 8, 50, 97};

static gw_batch odd_lengths(gw_batch batch) {
    batch.of[GW_ROWS_TOKENS].start = odd_start;
    if (batch.of[GW_ROWS_FIRST].label == spans) batch.of[GW_ROWS_FIRST].label = odd_spans;
    if (batch.of[GW_ROWS_MASKED].count > 0 && batch.of[GW_ROWS_MASKED].row)
        batch.of[GW_ROWS_MASKED].count = 4, batch.of[GW_ROWS_MASKED].row = odd_masked;
    return batch;
}

Test(heads, outputs_are_those_of_the_reference) {
    for (int family = 0; family < FAMILIES; family++)
        for (int head = 0; head < HEADS; head++) {
            if (!has_head(family, head)) continue;
            gw_model *model = make_model(family, head, 0);
            gw_network *network = fixture_network(model, false);
            gw_batch batch = make_batch(model);
            check_outputs(family, head, model, network, &batch);
            batch = odd_lengths(batch);
            check_outputs(family, head, model, network, &batch);
            gw_network_free(network);
            gw_model_free(model);
        }
}

// Segments that the caller gives are used for answering questions too.
Test(heads, questions_with_given_segments) {
    gw_model *model = make_model(0, 7, 0);
    gw_network *network = fixture_network(model, false);
    gw_batch batch = make_batch(model);
    batch.of[GW_ROWS_TOKENS].segment = fixture_batch().of[GW_ROWS_TOKENS].segment;
    check_outputs(0, 7, model, network, &batch);
    gw_network_free(network);
    gw_model_free(model);
}

// The head's tensors, and some of the encoder's.
static bool is_near_head(const gw_parameter *parameter) {
    return !parameter->of_encoder || parameter->role == GW_ROLE_POOLER || parameter->role == GW_ROLE_TOKEN_EMBEDDING ||
           (parameter->role == GW_ROLE_OUTPUT && parameter->layer == LAYERS - 1);
}

static void check_family_gradients(int family, int head, double dropout, bool odd,
                                   bool (*wanted)(const gw_parameter *)) {
    char name[80];
    snprintf(name, sizeof name, "%s, %s", families[family].name, heads[head].name);
    gw_model *model = make_model(family, head, dropout);
    gw_network *network = fixture_network(model, true);
    const gw_batch batch = odd ? odd_lengths(make_batch(model)) : make_batch(model);
    check_gradients(name, model, network, &batch, dropout_seed, wanted);
    gw_network_free(network);
    gw_model_free(model);
}

Test(heads, gradients_of_every_head) {
    for (int family = 0; family < FAMILIES; family++)
        for (int head = 0; head < HEADS; head++)
            if (heads[head].head != GW_HEAD_NONE && has_head(family, head))
                check_family_gradients(family, head, 0.2, true, is_near_head);
}

Test(heads, gradients_of_every_encoder) {
    for (int family = 0; family < FAMILIES; family++) check_family_gradients(family, 6, 0, false, NULL);
}

Test(heads, gradients_of_every_encoder_with_dropout) {
    for (int family = 0; family < FAMILIES; family++) check_family_gradients(family, 1, 0.2, false, NULL);
}

Test(heads, a_sequence_alone_gives_the_same) {
    for (int family = 0; family < FAMILIES; family++)
        for (int head = 3; head < HEADS; head++) {
            if (!has_head(family, head) || gw_head_of(heads[head].head)->apart) continue;
            gw_model *model = make_model(family, head, 0);
            gw_network *together = fixture_network(model, false), *alone = fixture_network(model, false);
            gw_batch batch = make_batch(model);
            for (int i = 0; i < GW_BATCH_ROWS; i++) batch.of[i].label = NULL;
            batch.of[GW_ROWS_CHOICES].count = 0;
            int64_t all, one, done = 0;
            check_forward(together, &batch);
            const float *there = logits_of(together, model, &batch, &all);
            for (int s = 0; s < FIXTURE_SEQUENCES; s++) {
                int64_t start[] = {0, batch.of[GW_ROWS_TOKENS].start[s + 1] - batch.of[GW_ROWS_TOKENS].start[s]};
                gw_batch part = batch;
                part.of[GW_ROWS_TOKENS].sequences = 1;
                part.of[GW_ROWS_TOKENS].start = start;
                part.of[GW_ROWS_TOKENS].token += batch.of[GW_ROWS_TOKENS].start[s];
                if (batch.of[GW_ROWS_TOKENS].segment)
                    part.of[GW_ROWS_TOKENS].segment += batch.of[GW_ROWS_TOKENS].start[s];
                check_forward(alone, &part);
                const float *here = logits_of(alone, model, &part, &one);
                float worst = 0;
                for (int64_t i = 0; i < one; i++) worst = fmaxf(worst, fabsf(here[i] - there[done + i]));
                cr_expect(worst <= 2e-6f, "%s, %s: sequence %d differs by %g", families[family].name, heads[head].name,
                          s, (double)worst);
                done += one;
            }
            cr_expect_eq(done, all);
            gw_network_free(together);
            gw_network_free(alone);
            gw_model_free(model);
        }
}

Test(heads, a_network_stops_after_any_layer) {
    for (int family = 0; family < FAMILIES; family++) {
        gw_model *model = make_model(family, 3, 0);
        const gw_batch batch = make_batch(model);
        double *weight = check_double_weights(model);
        double *after = calloc((LAYERS + 1) * FIXTURE_TOKENS * WIDTH, sizeof *after);
        reference_loss(model, weight, &batch, 0, check_scales, &(reference_outputs){.after = after});
        for (int layers = 0; layers <= LAYERS; layers++) {
            const gw_network_options options = {
                .tokens = FIXTURE_TOKENS, .sequences = FIXTURE_SEQUENCES, .layers = layers == 0 ? -1 : layers};
            gw_network *network;
            cr_assert_eq(gw_network_new(model, &options, &network), GW_OK, "%s", gw_message());
            check_forward(network, &batch);
            expect_near(families[family].name, "layers", "hidden states", gw_network_hidden(network),
                        after + layers * FIXTURE_TOKENS * WIDTH, FIXTURE_TOKENS * WIDTH);
            for (int rows = 0; rows < GW_BATCH_ROWS; rows++) cr_expect_null(gw_network_output(network, rows));
            gw_network_free(network);
        }
        free(weight);
        free(after);
        gw_model_free(model);
    }
}

// ---- the same on a device whose memory lies apart

// What a model gives: losses of two steps (of one, without training), the gradient of the first, its weights
// afterwards, hidden states and logits.
typedef struct {
    gw_losses losses[2];
    int64_t floats, hidden_count, logit_count;
    float *gradient, *weight, *hidden, *logits;
} run_results;

static float *copy_of(const float *values, int64_t count) {
    cr_assert(values, "%s", gw_message());
    float *copy = malloc((size_t)count * sizeof *copy);
    return memcpy(copy, values, (size_t)count * sizeof *copy);
}

static float *gradient_of(const gw_mirror *weights, gw_network *network) {
    float *copy = malloc((size_t)weights->bytes);
    cr_assert_eq(weights->kernels->to_host(copy, gw_network_gradient(network), weights->bytes), GW_OK);
    return copy;
}

// *gradient: of the first step.
static void train_step(gw_model *model, gw_network *network, gw_optimiser *optimiser, int step, float **gradient) {
    const gw_mirror *weights = &model->parameters.mirror;
    double norm;
    cr_assert_eq(weights->kernels->zero(gw_network_gradient(network), weights->bytes), GW_OK);
    check_backward(network);
    if (step == 0) *gradient = gradient_of(weights, network);
    cr_assert_eq(gw_optimiser_step(optimiser, &model->parameters, gw_network_gradient(network), step, 1e-2, &norm),
                 GW_OK, "%s", gw_message());
    cr_assert(norm > 0);
}

static run_results run_model(int family, int head, bool training) {
    gw_model *model = make_model(family, head, 0.2);
    gw_batch batch = make_batch(model);
    const gw_optimiser_options options = gw_optimiser_defaults();
    gw_optimiser optimiser = {0};
    const gw_rows *tokens = &batch.of[GW_ROWS_TOKENS];
    run_results r = {.floats = model->parameters.floats, .hidden_count = tokens->start[tokens->sequences] * WIDTH};
    if (!training) cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK, "%s", gw_message());
    gw_network *network = fixture_network(model, training);
    if (training) cr_assert_eq(gw_optimiser_new(&optimiser, &options, &model->parameters), GW_OK, "%s", gw_message());
    for (int step = 0; step < 1 + training; step++) {
        r.losses[step] = check_forward(network, &batch);
        if (training) train_step(model, network, &optimiser, step, &r.gradient);
    }
    if (training) r.losses[1] = check_forward(network, &batch); // the backward pass took the logits' place
    r.hidden = copy_of(gw_network_hidden(network), r.hidden_count);
    const float *logits = logits_of(network, model, &batch, &r.logit_count);
    if (logits) r.logits = copy_of(logits, r.logit_count);
    cr_assert_eq(gw_parameters_to_host(&model->parameters), GW_OK);
    r.weight = copy_of(model->parameters.weight, r.floats);
    gw_optimiser_free(&optimiser);
    gw_network_free(network);
    gw_model_free(model);
    return r;
}

static void free_results(run_results *r) {
    free(r->gradient);
    free(r->weight);
    free(r->hidden);
    free(r->logits);
}

// Whether making a network and an optimiser without this op fails, and names it.
static void expect_missed(int family, int head, bool training, gw_op op) {
    apart_use_without(op);
    gw_model *model = make_model(family, head, 0.2);
    const gw_head of = model->config.head;
    const bool masks = of == GW_HEAD_PRETRAINING || of == GW_HEAD_MASKED;
    const gw_network_options options = {.tokens = FIXTURE_TOKENS,
                                        .sequences = FIXTURE_SEQUENCES,
                                        .masked = masks ? FIXTURE_MASKED : 0,
                                        .nsp_head = of == GW_HEAD_PRETRAINING,
                                        .training = training};
    const gw_optimiser_options adam = gw_optimiser_defaults();
    gw_optimiser optimiser = {0};
    gw_network *network = NULL;
    gw_status status = training ? GW_OK : gw_model_freeze(model, GW_F32);
    if (status == GW_OK) status = gw_network_new(model, &options, &network);
    if (status == GW_OK) status = gw_optimiser_new(&optimiser, &adam, &model->parameters);
    cr_expect_eq(status, GW_ERR_UNSUPPORTED, "%s, %s: %s is missed by nobody", families[family].name, heads[head].name,
                 gw_op_name(op));
    cr_expect(strstr(gw_message(), gw_op_name(op)) != NULL, "%s", gw_message());
    gw_optimiser_free(&optimiser);
    gw_network_free(network);
    gw_model_free(model);
}

static void check_apart(int family, int head, bool training) {
    gw_use_device(NULL);
    run_results here = run_model(family, head, training);
    apart_use();
    run_results there = run_model(family, head, training);
    cr_expect_eq(apart_bytes(), 0, "%s, %s: device memory is left over", families[family].name, heads[head].name);
    cr_expect_eq(memcmp(here.losses, there.losses, sizeof here.losses), 0, "%s, %s: losses", families[family].name,
                 heads[head].name);
    cr_expect_eq(memcmp(here.weight, there.weight, (size_t)here.floats * sizeof(float)), 0, "%s, %s: weights",
                 families[family].name, heads[head].name);
    cr_expect_eq(memcmp(here.hidden, there.hidden, (size_t)here.hidden_count * sizeof(float)), 0,
                 "%s, %s: hidden states", families[family].name, heads[head].name);
    if (here.logits)
        cr_expect_eq(memcmp(here.logits, there.logits, (size_t)here.logit_count * sizeof(float)), 0, "%s, %s: logits",
                     families[family].name, heads[head].name);
    free_results(&here);
    free_results(&there);
    bool launched[GW_OPS];
    for (gw_op op = 0; op < GW_OPS; op++) launched[op] = apart_launched(op);
    for (gw_op op = 0; op < GW_OPS; op++)
        if (launched[op] && family % 4 == 0) expect_missed(family, head, training, op); // the two that differ most
    gw_use_device(NULL);
}

Test(heads, run_on_a_device_whose_memory_lies_apart) {
    for (int family = 0; family < FAMILIES; family++)
        for (int head = 0; head < HEADS && families[family].set != other_modernbert; head++) // launches what that does
            for (int training = 0; training < 2 && has_head(family, head); training++)
                if (!training || heads[head].head != GW_HEAD_NONE) check_apart(family, head, training);
}

// ---- the same over the CUDA plugin in its emulation

static void expect_alike(int family, int head, const char *what, const float *here, const float *there, int64_t count,
                         double bound) {
    double worst = 0;
    for (int64_t i = 0; i < count; i++) worst = fmax(worst, fabs((double)here[i] - (double)there[i]));
    cr_expect(worst <= bound, "%s, %s: %s: %g apart", families[family].name, heads[head].name, what, worst);
}

static double largest(const run_results *r) {
    double most = 0;
    for (int64_t i = 0; i < r->floats; i++) most = fmax(most, fabs((double)r->gradient[i]));
    return most;
}

// Weights after a step of Adam are not compared: where a gradient is nearly 0 its sign decides.
static void check_emulated(int family, int head, bool training) {
    gw_use_device(NULL);
    run_results here = run_model(family, head, training);
    cr_assert_not_null(test_use_emulated());
    run_results there = run_model(family, head, training);
    gw_use_device(NULL);
    for (int step = 0; step < 1 + training; step++)
        for (int rows = 0; rows < GW_BATCH_ROWS; rows++) {
            const gw_loss_sum *a = &here.losses[step].of[rows], *b = &there.losses[step].of[rows];
            cr_expect(a->count == b->count && fabs(a->loss - b->loss) <= 1e-4 * fabs(a->loss) + 1e-6,
                      "%s, %s: loss %g, not %g", families[family].name, heads[head].name, b->loss, a->loss);
        }
    if (training)
        expect_alike(family, head, "gradient", here.gradient, there.gradient, here.floats, 1e-5 * largest(&here));
    if (!training) {
        const double bound = test_on_gpu() ? 2e-5 : 1e-5; // a GPU's long sums have one order
        expect_alike(family, head, "hidden states", here.hidden, there.hidden, here.hidden_count, bound);
        if (here.logits) expect_alike(family, head, "logits", here.logits, there.logits, here.logit_count, bound);
    }
    free_results(&here);
    free_results(&there);
}

// Each family and each head, not all pairs of them, which take a second each; there are more heads.
static int family_of(int head) {
    int family = head % FAMILIES;
    while (!has_head(family, head)) family = (family + 1) % FAMILIES;
    return family;
}

Test(cuda, families_and_heads) {
    if (!test_use_emulated()) cr_skip_test("the emulation of the CUDA plugin could not be built here");
    gw_use_device(NULL);
    bool learnt[FAMILIES] = {false};
    for (int head = 0; head < HEADS; head++) {
        const int family = family_of(head);
        check_emulated(family, head, false);
        if (heads[head].head == GW_HEAD_NONE) continue;
        check_emulated(family, head, true);
        learnt[family] = true;
    }
    for (int family = 0; family < FAMILIES; family++)
        for (int head = 0; head < HEADS && !learnt[family]; head++) {
            if (!has_head(family, head) || heads[head].head == GW_HEAD_NONE) continue;
            check_emulated(family, head, true);
            learnt[family] = true;
        }
}
