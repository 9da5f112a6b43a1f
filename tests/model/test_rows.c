// SPDX-License-Identifier: MIT
// Two heads and a family more than the product has, each a file and a line: head_residual.c and head_twofold.c with
// more_heads.def, and family_renamed.c with more_families.def; and a task, a line of more_tasks.def. Nothing else knows
// of them, and all that reads, writes, loads and trains models takes them as its own. The tables are compiled once more
// here, with those lines, and the library's give way.
#define GW_HEADS_DEF "tests/model/more_heads.def"
#define GW_FAMILIES_DEF "tests/model/more_families.def"
#define GW_TASKS_DEF "tests/model/more_tasks.def"
#include "model/rows.c"
#include "task/kinds.c"

#include "apart.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/random.h"
#include "fixtures.h"
#include "gradient_check.h"
#include "reference/ref.h"
#include "reference_parts.h"
#include "run/optimiser.h"
#include "task/finetune.h"
#include "task/windows/predict.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LABELS = FIXTURE_LABELS, BLOCK = GW_ROLE_OWN, NORM };
static int32_t classes[FIXTURE_SEQUENCES] = {2, -1, 3};

static gw_model *model_with(const char *head) {
    gw_config config = fixture_config(0, 0);
    config.head = (gw_head)gw_head_by_suffix(head);
    config.labels = LABELS;
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    return model;
}

static gw_batch residual_batch(void) {
    gw_batch batch = fixture_batch();
    batch.of[GW_ROWS_MASKED].count = 0;
    batch.of[GW_ROWS_FIRST] = (gw_rows){.label = classes};
    return batch;
}

// The hidden states of the reference's encoder.
static double *hidden_of(const gw_model *model, const double *weight, const gw_batch *batch) {
    double *hidden = reference_make(FIXTURE_TOKENS * model->config.width);
    gw_model bare = *model;
    bare.config.head = GW_HEAD_NONE;
    reference_loss(&bare, weight, batch, 0, check_scales, &(reference_outputs){.hidden = hidden});
    return hidden;
}

static double *first_of(const gw_batch *batch, int64_t width, const double *hidden) {
    double *first = reference_make(FIXTURE_SEQUENCES * width);
    for (int s = 0; s < FIXTURE_SEQUENCES; s++)
        memcpy(first + s * width, hidden + batch->of[GW_ROWS_TOKENS].start[s] * width, (size_t)width * sizeof *first);
    return first;
}

// The sum of the cross entropies of W x + b.
static double classes_loss(const context *c, const double *x) {
    double *logits = reference_linear(c, GW_ROLE_LOGITS, 0, FIXTURE_SEQUENCES, c->config->width, LABELS, x);
    double loss[FIXTURE_SEQUENCES], gradient[FIXTURE_SEQUENCES * LABELS];
    int32_t best[FIXTURE_SEQUENCES];
    ref_cross_entropy(FIXTURE_SEQUENCES, LABELS, logits, classes, 0, 1, loss, best, gradient);
    free(logits);
    return loss[0] + loss[1] + loss[2];
}

// A head's loss in double precision.
typedef double head_loss(const gw_model *model, const double *weight, const gw_batch *batch);

static double residual_loss(const gw_model *model, const double *weight, const gw_batch *batch) {
    const int64_t width = model->config.width;
    double *hidden = hidden_of(model, weight, batch), *first = first_of(batch, width, hidden);
    const context c = {.model = model, .config = &model->config, .weight = weight, .batch = batch};
    double *x = reference_linear(&c, BLOCK, 0, FIXTURE_SEQUENCES, width, width, first);
    reference_activate(model->config.activation, FIXTURE_SEQUENCES * width, x);
    for (int64_t i = 0; i < FIXTURE_SEQUENCES * width; i++) x[i] += first[i];
    reference_normalise(&c, NORM, 0, FIXTURE_SEQUENCES, x);
    const double loss = classes_loss(&c, x);
    free(hidden);
    free(first);
    free(x);
    return loss;
}

// d loss / d t of weight + t * direction, by central differences.
static double slope(head_loss *loss_of, const gw_model *model, const gw_batch *batch, const gw_parameter *parameter,
                    const double *direction) {
    double side[2];
    for (int s = 0; s < 2; s++) {
        double *weight = check_double_weights(model);
        for (int64_t i = 0; i < parameter->count; i++)
            weight[parameter->offset + i] += (s == 0 ? 1e-4 : -1e-4) * direction[i];
        side[s] = loss_of(model, weight, batch);
        free(weight);
    }
    return (side[0] - side[1]) / 2e-4;
}

static void check_parameter(head_loss *loss_of, const gw_model *model, const gw_batch *batch,
                            const gw_parameter *parameter, const float *gradient, double floor) {
    double *direction = reference_make(parameter->count), expected = 0;
    gw_random random = gw_random_at(3, GW_SITE_TEST, (uint64_t)parameter->offset, 0);
    for (int64_t i = 0; i < parameter->count; i++) {
        direction[i] = (double)gw_random_normal(&random);
        expected += direction[i] * (double)gradient[i];
    }
    const double found = slope(loss_of, model, batch, parameter, direction);
    cr_expect(fabs(found - expected) <= 2e-5 * check_norm(gradient, parameter->count) + floor,
              "%s: slope %.9g, gradient gives %.9g", parameter->name, found, expected);
    free(direction);
}

// The gradient of every tensor by a slope of the loss.
static void check_slopes(head_loss *loss_of, const gw_model *model, const gw_batch *batch, const float *gradient) {
    const double floor = 5e-7 * check_norm(gradient, model->parameters.floats);
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *parameter = &model->parameters.list[i];
        check_parameter(loss_of, model, batch, parameter, gradient + parameter->offset, floor);
    }
}

Test(rows, a_head_is_a_file_and_a_line_and_trains) {
    gw_model *model = model_with("ForResidualLabels");
    gw_batch batch = residual_batch();
    gw_network *network = fixture_network(model, true);
    double *weight = check_double_weights(model), norm;
    const double expected = residual_loss(model, weight, &batch),
                 before = check_forward(network, &batch).of[GW_ROWS_FIRST].loss;
    cr_expect(fabs(before - expected) <= 1e-5 * expected, "loss %.9g, reference %.9g", before, expected);
    check_finals(network, (float[GW_BATCH_ROWS]){[GW_ROWS_FIRST] = 1});
    const float *gradient = gw_network_gradient(network);
    check_slopes(residual_loss, model, &batch, gradient);
    const gw_optimiser_options adam = gw_optimiser_defaults();
    gw_optimiser optimiser;
    cr_assert_eq(gw_optimiser_new(&optimiser, &adam, &model->parameters), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_optimiser_step(&optimiser, &model->parameters, gradient, 0, 1e-3, &norm), GW_OK, "%s",
                 gw_message());
    cr_expect(check_forward(network, &batch).of[GW_ROWS_FIRST].loss < 0.99 * before);
    gw_optimiser_free(&optimiser);
    gw_network_free(network);
    gw_model_free(model);
    free(weight);
}

static const double class_scale = 0.5, number_scale = 2;

static double numbers_loss(const context *c, const double *hidden) {
    double *values = reference_linear(c, GW_ROLE_OWN, 0, FIXTURE_TOKENS, c->config->width, 1, hidden), sum = 0;
    double number[FIXTURE_TOKENS], loss[FIXTURE_TOKENS], gradient[FIXTURE_TOKENS];
    for (int i = 0; i < FIXTURE_TOKENS; i++) number[i] = (double)c->batch->of[GW_ROWS_TOKENS].number[i];
    ref_number_loss(&(ref_numbers){.rows = FIXTURE_TOKENS, .columns = 1}, values, number, 1, loss, gradient);
    for (int i = 0; i < FIXTURE_TOKENS; i++) sum += loss[i];
    free(values);
    return sum;
}

// Sums of both losses.
static void twofold_losses(const gw_model *model, const double *weight, const gw_batch *batch, double sum[2]) {
    double *hidden = hidden_of(model, weight, batch), *first = first_of(batch, model->config.width, hidden);
    const context c = {.model = model, .config = &model->config, .weight = weight, .batch = batch};
    sum[0] = classes_loss(&c, first);
    sum[1] = numbers_loss(&c, hidden);
    free(hidden);
    free(first);
}

static double twofold_loss(const gw_model *model, const double *weight, const gw_batch *batch) {
    double sum[2];
    twofold_losses(model, weight, batch, sum);
    return class_scale * sum[0] + number_scale * sum[1];
}

// Every third token has no number.
Test(rows, a_head_has_losses_on_two_row_sets_one_of_them_a_number_for_each_row_of_the_sequences) {
    gw_model *model = model_with("ForTwofoldLabels");
    gw_batch batch = residual_batch();
    float number[FIXTURE_TOKENS];
    for (int i = 0; i < FIXTURE_TOKENS; i++) number[i] = i % 3 == 0 ? NAN : (float)(i % 5) - 2;
    batch.of[GW_ROWS_TOKENS].number = number;
    gw_network *network = fixture_network(model, true);
    const gw_losses losses = check_forward(network, &batch);
    double *weight = check_double_weights(model), expected[2];
    twofold_losses(model, weight, &batch, expected);
    const gw_loss_sum *found[] = {&losses.of[GW_ROWS_FIRST], &losses.of[GW_ROWS_TOKENS]};
    for (int i = 0; i < 2; i++)
        cr_expect(fabs(found[i]->loss - expected[i]) <= 1e-5 * expected[i], "loss %d: %.9g, reference %.9g", i,
                  found[i]->loss, expected[i]);
    cr_expect_eq(found[0]->count, FIXTURE_SEQUENCES - 1);
    cr_expect_eq(found[1]->count, FIXTURE_TOKENS - (FIXTURE_TOKENS + 2) / 3);
    cr_expect_eq(gw_network_output_width(network, GW_ROWS_FIRST), LABELS);
    cr_expect_eq(gw_network_output_width(network, GW_ROWS_TOKENS), 1);
    const float scale[GW_BATCH_ROWS] = {[GW_ROWS_FIRST] = (float)class_scale, [GW_ROWS_TOKENS] = (float)number_scale};
    check_finals(network, scale);
    check_slopes(twofold_loss, model, &batch, gw_network_gradient(network));
    gw_network_free(network);
    gw_model_free(model);
    free(weight);
}

// The same bits on a device whose memory lies apart, to which the numbers must be sent; labels that are left out count
// for nothing there either.
static gw_losses losses_on_device(gw_batch *batch) {
    gw_model *model = model_with("ForTwofoldLabels");
    gw_network *network = fixture_network(model, false);
    const gw_losses losses = check_forward(network, batch);
    gw_network_free(network);
    gw_model_free(model);
    return losses;
}

Test(rows, numbers_for_each_row_go_to_the_device) {
    gw_batch batch = residual_batch();
    float number[FIXTURE_TOKENS];
    for (int i = 0; i < FIXTURE_TOKENS; i++) number[i] = (float)(i % 7);
    batch.of[GW_ROWS_TOKENS].number = number;
    const gw_losses here = losses_on_device(&batch);
    apart_use();
    const gw_losses there = losses_on_device(&batch);
    batch.of[GW_ROWS_TOKENS].number = NULL;
    const gw_losses without = losses_on_device(&batch);
    gw_use_device(NULL);
    cr_expect_eq(memcmp(&here, &there, sizeof here), 0);
    cr_expect_eq(here.of[GW_ROWS_TOKENS].count, FIXTURE_TOKENS);
    cr_expect_eq(without.of[GW_ROWS_TOKENS].count, 0);
}

Test(rows, a_head_of_its_own_says_what_is_wrong_with_a_batch) {
    gw_model *model = model_with("ForResidualLabels");
    gw_batch batch = residual_batch();
    gw_network *network = fixture_network(model, false);
    classes[0] = LABELS;
    cr_expect_eq(gw_network_forward(network, &batch, NULL), GW_ERR_RANGE);
    cr_expect_str_eq(gw_message(), "residual class 4 of the batch is outside the 4 that there are");
    gw_network_free(network);
    gw_model_free(model);
}

// ---- folders

static char folder[] = "/tmp/godwit-rows-XXXXXX";

static gw_model *through_folder(const gw_model *model) {
    gw_model *again;
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(gw_model_save(model, folder), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_load(folder, &again), GW_OK, "%s", gw_message());
    cr_assert_eq(again->parameters.count, model->parameters.count);
    for (int i = 0; i < model->parameters.count; i++)
        cr_expect_str_eq(again->parameters.list[i].name, model->parameters.list[i].name);
    cr_expect_eq(
        memcmp(again->parameters.weight, model->parameters.weight, (size_t)model->parameters.floats * sizeof(float)),
        0);
    return again;
}

static void remove_folder(void) {
    static const char *const files[] = {"config.json",           "model.safetensors", "tokenizer.json",
                                        "tokenizer_config.json", "metrics.jsonl",     "set.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = gw_join_path(folder, files[i]);
        unlink(path);
        free(path);
    }
    cr_expect_eq(rmdir(folder), 0);
}

Test(rows, a_head_of_its_own_is_written_and_read) {
    gw_model *model = model_with("ForResidualLabels"), *again = through_folder(model);
    char name[64];
    gw_architecture_name(again->config.family, again->config.head, name);
    cr_expect_str_eq(name, "BigBirdForResidualLabels");
    cr_expect_eq(again->config.labels, LABELS);
    cr_expect_not_null(gw_model_parameter(again, "residual.LayerNorm.weight"));
    remove_folder();
    gw_model_free(again);
    gw_model_free(model);
}

static gw_model *masked_model(gw_family family) {
    gw_config config = fixture_config(0, 0);
    config.family = family;
    config.head = GW_HEAD_MASKED;
    config.pattern = (gw_pattern){.block = 64, .full = true};
    config.rescale = true;
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    return model;
}

Test(rows, a_family_is_a_file_and_a_line) {
    gw_model *bert = masked_model(GW_FAMILY_BERT), *model = masked_model((gw_family)(gw_family_count() - 1));
    gw_model *again = through_folder(model);
    const gw_batch batch = fixture_batch();
    cr_expect_str_eq(gw_family_of(again->config.family)->model_type, "renamed");
    cr_expect(again->config.rescale);
    static const char *const names[] = {"net.encoder.layer.1.mixer.asks.bias", "net.encoder.layer.0.norm_2.weight",
                                        "net.pooler.dense.weight", "words.bias"};
    for (int i = 0; i < 4; i++) cr_expect_eq(gw_model_parameter(again, names[i]) == NULL, i == 2, "%s", names[i]);
    gw_network *one = fixture_network(bert, true), *other = fixture_network(again, true);
    cr_expect_eq(check_forward(one, &batch).of[GW_ROWS_MASKED].loss,
                 check_forward(other, &batch).of[GW_ROWS_MASKED].loss);
    remove_folder();
    gw_network_free(one);
    gw_network_free(other);
    gw_model_free(again);
    gw_model_free(model);
    gw_model_free(bert);
}

Test(rows, a_task_is_a_line) {
    static const char table[] = "sequence,label\nACGTACGT,1\nTTTTAAAA,0\nACGTTTTT,1\nGGGGCCCC,0\n";
    gw_config fresh = fixture_config(0, 0);
    gw_model *model;
    cr_assert_not_null(mkdtemp(folder));
    char *path = gw_join_path(folder, "set.csv");
    const char *const sets[] = {path};
    cr_assert_eq(gw_write_file(path, table, (int64_t)strlen(table)), GW_OK);
    const gw_finetune_options options = {.tuning = {.fresh = &fresh,
                                                    .sets = {sets, 1},
                                                    .steps = 2,
                                                    .batch = 2,
                                                    .tokens = 100,
                                                    .rate = 1e-3,
                                                    .optimiser = gw_optimiser_defaults(),
                                                    .dropout = -1,
                                                    .output = folder,
                                                    .report_every = 1},
                                         .task = gw_task_by_name("enhancer"),
                                         .strands = GW_STRANDS_BY_TASK,
                                         .tss_offset = 3};
    cr_assert_eq(gw_finetune(&options), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_load(folder, &model), GW_OK, "%s", gw_message());
    cr_expect_str_eq(gw_task_of(model->config.task)->name, "enhancer");
    cr_expect(model->config.positive_weight == 3 && model->config.tss_offset == -1 && model->config.window == 8);
    cr_expect(gw_both_strands_by_default(model));
    remove_folder();
    free(path);
    gw_model_free(model);
    gw_config_free(&fresh);
}
