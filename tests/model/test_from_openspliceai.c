// SPDX-License-Identifier: MIT
// State dicts of OpenSpliceAI: a network of random weights gives each base what its formulas give, written out here in
// double precision over one-hot letters, with batch norms that keep their statistics. The same numbers as SpliceAI's
// Keras models have them are the same network.
#include "base/random.h"
#include "fixtures.h"
#include "model/convert.h"
#include "model/model.h"
#include "store/checkpoint.h"
#include "store/installed.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDTH = 32, BASES = 300, UNITS = 8, TENSORS = 8 + UNITS * 14, CLASSES = 3 };

typedef struct {
    char name[96];
    int64_t shape[3], count;
    int dimensions;
    float *values;
} tensor;

static tensor dict[TENSORS + 1];
static int tensors;

static void make(const char *name, double scale, double offset, int64_t a, int64_t b, int64_t c) {
    tensor *t = &dict[tensors];
    gw_random random = gw_random_at(5, GW_SITE_TEST, (uint64_t)tensors++, 0);
    snprintf(t->name, sizeof t->name, "%s", name);
    t->dimensions = b ? 3 : 1;
    memcpy(t->shape, (int64_t[3]){a, b, c}, sizeof t->shape);
    t->count = b ? a * b * c : a;
    t->values = malloc((size_t)t->count * sizeof *t->values);
    for (int64_t i = 0; i < t->count; i++) t->values[i] = (float)(offset + scale * gw_random_normal(&random));
}

static void make_pair(const char *name, int64_t out, int64_t in, int64_t taps) {
    char full[64];
    snprintf(full, sizeof full, "%s.weight", name);
    make(full, 1 / sqrt((double)(in * taps)), 0, out, in, taps);
    snprintf(full, sizeof full, "%s.bias", name);
    make(full, 0.1, 0, out, 0, 0);
}

static void make_norm(const char *name) {
    static const struct {
        const char *name;
        double scale, offset;
    } fields[] = {{"weight", 0.1, 1}, {"bias", 0.2, 0}, {"running_mean", 0.3, 0}, {"running_var", 0.05, 1}};
    char full[64];
    for (int f = 0; f < 4; f++) {
        snprintf(full, sizeof full, "%s.%s", name, fields[f].name);
        make(full, fields[f].scale, fields[f].offset, WIDTH, 0, 0);
    }
}

// 400 nt: two stages of four units and a skip, of 11 taps with dilations of 1 and 4.
static void make_dict(void) {
    char name[48];
    tensors = 0;
    make_pair("initial_conv", WIDTH, 4, 1);
    make_pair("initial_skip.conv", WIDTH, WIDTH, 1);
    for (int i = 0; i < UNITS + UNITS / 4; i++) {
        if (i % 5 == 4) {
            snprintf(name, sizeof name, "residual_units.%d.conv", i);
            make_pair(name, WIDTH, WIDTH, 1);
            continue;
        }
        for (int k = 1; k <= 2; k++) {
            snprintf(name, sizeof name, "residual_units.%d.batchnorm%d", i, k);
            make_norm(name);
            snprintf(name, sizeof name, "residual_units.%d.conv%d", i, k);
            make_pair(name, WIDTH, WIDTH, 11);
        }
    }
    make_pair("final_conv", CLASSES, WIDTH, 1);
}

static void save_dict(const char *path, int count) {
    gw_tensor_values values[TENSORS + 1] = {0};
    for (int i = 0; i < count; i++) {
        values[i] = (gw_tensor_values){
            .name = dict[i].name, .dimensions = dict[i].dimensions, .count = dict[i].count, .values = dict[i].values};
        memcpy(values[i].shape, dict[i].shape, sizeof dict[i].shape);
    }
    cr_assert_eq(gw_checkpoint_save(path, values, count, GW_STORE_F32), GW_OK, "%s", gw_message());
}

static void free_dict(void) {
    for (int i = 0; i < tensors; i++) free(dict[i].values);
}

static const float *values_of(const char *name, const char *field) {
    char full[64];
    snprintf(full, sizeof full, "%s.%s", name, field);
    for (int i = 0; i < tensors; i++)
        if (strcmp(dict[i].name, full) == 0) return dict[i].values;
    cr_assert_fail("%s", full);
    return NULL;
}

// out[r][o] = b[o] + sum over taps and inputs; zeros beyond the ends.
static void convolve(const char *name, int out, int in, int taps, int dilation, const double *x, double *y) {
    const float *weight = values_of(name, "weight"), *bias = values_of(name, "bias");
    for (int r = 0; r < BASES; r++)
        for (int o = 0; o < out; o++) {
            double sum = (double)bias[o];
            for (int t = 0; t < taps; t++) {
                const int at = r + (t - taps / 2) * dilation;
                for (int i = 0; at >= 0 && at < BASES && i < in; i++)
                    sum += (double)weight[(o * in + i) * taps + t] * x[at * in + i];
            }
            y[r * out + o] = sum;
        }
}

static void normalise(const char *name, const double *x, double *y) {
    const float *gamma = values_of(name, "weight"), *beta = values_of(name, "bias"),
                *mean = values_of(name, "running_mean"), *variance = values_of(name, "running_var");
    for (int i = 0; i < BASES * WIDTH; i++) {
        const int c = i % WIDTH;
        const double z =
            ((double)x[i] - (double)mean[c]) / sqrt((double)variance[c] + 1e-5) * (double)gamma[c] + (double)beta[c];
        y[i] = z > 0 ? z : 0.1 * z;
    }
}

static void add_unit(int unit, double *x) {
    static double y[BASES * WIDTH], z[BASES * WIDTH];
    char name[48];
    const int dilation = unit < 5 ? 1 : 4;
    memcpy(z, x, sizeof z);
    for (int k = 1; k <= 2; k++) {
        snprintf(name, sizeof name, "residual_units.%d.batchnorm%d", unit, k);
        normalise(name, z, y);
        snprintf(name, sizeof name, "residual_units.%d.conv%d", unit, k);
        convolve(name, WIDTH, WIDTH, 11, dilation, y, z);
    }
    for (int i = 0; i < BASES * WIDTH; i++) x[i] += z[i];
}

static void add_skip(const char *name, const double *x, double *sum) {
    static double y[BASES * WIDTH];
    convolve(name, WIDTH, WIDTH, 1, 1, x, y);
    for (int i = 0; i < BASES * WIDTH; i++) sum[i] += y[i];
}

// letter: 0 to 3, or 4 for N.
static void reference(const int *letter, double *sum) {
    static double one_hot[BASES * 4], x[BASES * WIDTH];
    char name[48];
    for (int i = 0; i < BASES * 4; i++) one_hot[i] = letter[i / 4] == i % 4;
    convolve("initial_conv", WIDTH, 4, 1, 1, one_hot, x);
    memset(sum, 0, BASES * WIDTH * sizeof *sum);
    add_skip("initial_skip.conv", x, sum);
    for (int unit = 0; unit < UNITS + UNITS / 4; unit++) {
        snprintf(name, sizeof name, "residual_units.%d.conv", unit);
        if (unit % 5 == 4) add_skip(name, x, sum);
        else add_unit(unit, x);
    }
}

// The hidden states that godwit's network gives the same letters, through a folder.
static const float *hidden_of(gw_model *model, const int *letter, gw_network **network) {
    static int32_t token[BASES];
    static int64_t start[2] = {0, BASES};
    for (int i = 0; i < BASES; i++) token[i] = 5 + letter[i]; // after the special tokens
    const gw_network_options options = {.tokens = BASES, .sequences = 1};
    cr_assert_eq(gw_network_new(model, &options, network), GW_OK, "%s", gw_message());
    const gw_batch batch = {.of = {[GW_ROWS_TOKENS] = {.sequences = 1, .start = start, .token = token}}};
    cr_assert_eq(gw_network_forward(*network, &batch, NULL), GW_OK, "%s", gw_message());
    return gw_network_hidden(*network);
}

// The largest difference of two hidden states, as a share of the largest value expected.
static double relative_difference(const double *expected, const float *hidden) {
    double size = 0, worst = 0;
    for (int i = 0; i < BASES * WIDTH; i++) {
        const double off = fabs(expected[i] - (double)hidden[i]);
        if (fabs(expected[i]) > size) size = fabs(expected[i]);
        if (!(off <= worst)) worst = off; // NaN too
    }
    return worst / size;
}

TestSuite(openspliceai, .init = scratch_enter, .fini = scratch_leave);

Test(openspliceai, a_network_gives_what_its_formulas_give) {
    static double expected[BASES * WIDTH];
    int letter[BASES];
    gw_random random = gw_random_at(6, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < BASES; i++) letter[i] = i < 20 ? 4 : (int)gw_random_below(&random, 5);
    make_dict();
    save_dict("state.safetensors", tensors);
    gw_model *made, *model;
    cr_assert_eq(gw_model_from_openspliceai("state.safetensors", &made), GW_OK, "%s", gw_message());
    cr_assert_str_eq(made->config.stem.text, "letters:32+skip+leaky-unit:11@1,1,1,1+skip+leaky-unit:11@4,4,4,4+skip");
    cr_assert_eq(gw_model_save(made, "folder"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_load("folder", &model), GW_OK, "%s", gw_message());
    cr_assert_eq(model->config.labels, CLASSES);
    cr_assert_str_eq(model->config.label_names[1], "acceptor");
    gw_network *network;
    const float *hidden = hidden_of(model, letter, &network);
    reference(letter, expected);
    const double off = relative_difference(expected, hidden);
    cr_expect(off < 2e-6, "off by %g of the largest", off);
    gw_network_free(network);
    gw_model_free(model);
    gw_model_free(made);
    free_dict();
}

// Two state dicts of a folder are the members of one model, in order of name, and come back so from its folder.
Test(openspliceai, a_folder_is_the_members_of_one_model) {
    gw_model *made, *model;
    char licence[GW_CARD_VALUE];
    make_dict();
    cr_assert_eq(mkdir("dicts", 0777), 0);
    save_dict("dicts/b.pt", tensors);
    const float first = dict[tensors - 1].values[0]; // final_conv.bias
    dict[tensors - 1].values[0] = first + 1;
    save_dict("dicts/a.pt", tensors);
    scratch_text("dicts/notes.txt", "none of them");
    cr_assert_eq(gw_model_from_openspliceai("dicts", &made), GW_OK, "%s", gw_message());
    gw_model_free(made);
    cr_assert_eq(gw_convert_foreign("openspliceai", "dicts", "folder", GW_STORE_F32), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_load("folder", &model), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_member_count(model), 2);
    for (int i = 0; i < 2; i++) {
        const gw_model *member = gw_model_member(model, i);
        const gw_parameter *bias = gw_model_role(member, GW_ROLE_LOGITS, 0, true);
        cr_expect_eq(member->parameters.weight[bias->offset], i == 0 ? first + 1 : first);
    }
    cr_assert_eq(gw_card_read_value("folder", "license", licence), GW_OK);
    cr_expect_str_eq(licence, "gpl-3.0");
    gw_model_free(model);
    free_dict();
}

static void expect_refused(const char *message) {
    gw_model *model;
    cr_expect_neq(gw_model_from_openspliceai("state.safetensors", &model), GW_OK);
    cr_expect_not_null(strstr(gw_message(), message), "%s", gw_message());
}

Test(openspliceai, other_tensors_are_refused_by_name) {
    make_dict();
    save_dict("state.safetensors", tensors - 2);
    expect_refused("no tensor final_conv.weight");
    make("more", 1, 0, 4, 0, 0);
    save_dict("state.safetensors", tensors);
    expect_refused("tensors, and a network of");
    dict[0].shape[0] = 16, dict[0].shape[1] = 8;
    save_dict("state.safetensors", tensors - 1);
    expect_refused("initial_conv.weight has 3 dimensions 16, 8, 1, expected 32, 4, 1");
    save_dict("state.safetensors", 4);
    expect_refused("no tensor residual_units.0.batchnorm1.weight: not a state dict of OpenSpliceAI");
    free_dict();
}

// The same numbers as Keras has them: kernels [taps][in][out], and 1e-3 beside variances.
static void as_keras(const char *from, const char *field, const char *name, const char *keras) {
    const float *values = values_of(from, field);
    int at = 0;
    while (strcmp(dict[at].name + strlen(from) + 1, field) != 0 || dict[at].values != values) at++;
    tensor *t = &dict[at];
    snprintf(t->name, sizeof t->name, "model_weights/%s/%s/%s", name, name, keras);
    if (strcmp(field, "running_var") == 0)
        for (int64_t i = 0; i < t->count; i++) t->values[i] += 1e-5F - 1e-3F;
    if (t->dimensions < 3) return;
    float *turned = malloc((size_t)t->count * sizeof *turned);
    const int64_t out = t->shape[0], in = t->shape[1], taps = t->shape[2];
    for (int64_t o = 0; o < out; o++)
        for (int64_t i = 0; i < in; i++)
            for (int64_t k = 0; k < taps; k++) turned[(k * in + i) * out + o] = t->values[(o * in + i) * taps + k];
    free(t->values);
    t->values = turned;
    t->shape[0] = taps, t->shape[2] = out;
}

static void convolution_as_keras(const char *from, int number) {
    char name[48];
    snprintf(name, sizeof name, "conv1d_%d", number);
    as_keras(from, "weight", name, "kernel:0");
    as_keras(from, "bias", name, "bias:0");
}

static void norm_as_keras(const char *from, int number) {
    char name[48];
    snprintf(name, sizeof name, "batch_normalization_%d", number);
    as_keras(from, "weight", name, "gamma:0");
    as_keras(from, "bias", name, "beta:0");
    as_keras(from, "running_mean", name, "moving_mean:0");
    as_keras(from, "running_var", name, "moving_variance:0");
}

static void dict_as_keras(void) {
    int convolutions = 0, norms = 0;
    char name[48];
    convolution_as_keras("initial_conv", ++convolutions);
    convolution_as_keras("initial_skip.conv", ++convolutions);
    for (int i = 0; i < UNITS + UNITS / 4; i++)
        for (int k = 1; k <= 2; k++) {
            snprintf(name, sizeof name, "residual_units.%d.conv%d", i, k);
            if (i % 5 == 4) name[strlen(name) - 1] = 0;
            if (i % 5 < 4 || k == 1) convolution_as_keras(name, ++convolutions);
            snprintf(name, sizeof name, "residual_units.%d.batchnorm%d", i, k);
            if (i % 5 < 4) norm_as_keras(name, ++norms);
        }
    convolution_as_keras("final_conv", ++convolutions);
}

Test(openspliceai, the_same_numbers_of_keras_are_the_same_network) {
    gw_model *torch, *keras;
    make_dict();
    save_dict("state.safetensors", tensors);
    cr_assert_eq(gw_model_from_openspliceai("state.safetensors", &torch), GW_OK, "%s", gw_message());
    dict_as_keras();
    save_dict("keras.safetensors", tensors);
    cr_assert_eq(gw_model_from_spliceai("keras.safetensors", &keras), GW_OK, "%s", gw_message());
    cr_expect_str_eq(keras->config.stem.text, "letters:32+skip+unit:11@1,1,1,1+skip+unit:11@4,4,4,4+skip");
    cr_assert_eq(keras->parameters.floats, torch->parameters.floats);
    for (int64_t i = 0; i < torch->parameters.floats; i++)
        cr_assert_float_eq(keras->parameters.weight[i], torch->parameters.weight[i], 2e-6, "weight %d", (int)i);
    gw_model_free(keras);
    gw_model_free(torch);
    save_dict("state.safetensors", tensors - 2);
    cr_expect_neq(gw_model_from_spliceai("state.safetensors", &keras), GW_OK);
    cr_expect_not_null(strstr(gw_message(), "no tensor model_weights/conv1d_21/conv1d_21/kernel:0: not a Keras model"),
                       "%s", gw_message());
    free_dict();
}

static void rename_layer(const char *from, const char *to) {
    char name[96];
    const size_t length = strlen(from);
    for (int i = 0; i < tensors; i++) {
        if (strncmp(dict[i].name, from, length) != 0 || dict[i].name[length] != '.') continue;
        snprintf(name, sizeof name, "module.%s%s", to, dict[i].name + length);
        memcpy(dict[i].name, name, sizeof name);
    }
}

// The same numbers by Spliceformer's names, whose units have ReLU; a file by other names is refused.
Test(openspliceai, the_same_numbers_of_spliceformer_are_the_same_network) {
    static const char *const parts[][2] = {
        {"batchnorm1", "bn1"}, {"conv1", "convlayer1"}, {"batchnorm2", "bn2"}, {"conv2", "convlayer2"}};
    char from[48], to[64];
    gw_model *open, *other;
    make_dict();
    save_dict("state.safetensors", tensors);
    cr_assert_eq(gw_model_from_openspliceai("state.safetensors", &open), GW_OK, "%s", gw_message());
    cr_expect_neq(gw_model_from_spliceformer("state.safetensors", &other), GW_OK);
    cr_expect_not_null(strstr(gw_message(),
                              "no tensor module.res_layers.0.comboBlock.0.bn1.weight: not a state dict of "
                              "Spliceformer's SpliceAI-10k"),
                       "%s", gw_message());
    rename_layer("initial_conv", "conv_layer_1");
    rename_layer("initial_skip.conv", "skip_layers.0");
    rename_layer("final_conv", "conv_final");
    for (int i = 0; i < UNITS + UNITS / 4; i++)
        for (int k = 0; k < 4; k++) {
            snprintf(from, sizeof from, "residual_units.%d.%s", i, i % 5 == 4 ? "conv" : parts[k][0]);
            if (i % 5 == 4) snprintf(to, sizeof to, "skip_layers.%d", i / 5 + 1);
            else snprintf(to, sizeof to, "res_layers.%d.comboBlock.%d.%s", i / 5, i % 5, parts[k][1]);
            rename_layer(from, to);
        }
    save_dict("state.safetensors", tensors);
    cr_assert_eq(gw_model_from_spliceformer("state.safetensors", &other), GW_OK, "%s", gw_message());
    cr_expect_str_eq(other->config.stem.text, "letters:32+skip+unit:11@1,1,1,1+skip+unit:11@4,4,4,4+skip");
    cr_assert_eq(other->parameters.floats, open->parameters.floats);
    for (int64_t i = 0; i < open->parameters.floats; i++)
        cr_assert_eq(other->parameters.weight[i], open->parameters.weight[i], "weight %d", (int)i);
    gw_model_free(open);
    gw_model_free(other);
    free_dict();
}

// Halves of f32 are what the folder says and holds.
Test(openspliceai, a_folder_may_hold_halves) {
    gw_model *made, *model;
    make_dict();
    save_dict("state.safetensors", tensors);
    cr_assert_eq(gw_convert_foreign("openspliceai", "state.safetensors", "folder", GW_STORE_F16), GW_OK, "%s",
                 gw_message());
    cr_assert_eq(gw_model_from_openspliceai("state.safetensors", &made), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_load("folder", &model), GW_OK, "%s", gw_message());
    int64_t other = 0;
    for (int64_t i = 0; i < made->parameters.floats; i++) {
        const float was = made->parameters.weight[i], is = model->parameters.weight[i];
        cr_assert_leq(fabsf(is - was), 1e-7F + fabsf(was) / 2048, "weight %d", (int)i);
        other += is != was;
    }
    cr_expect_gt(other, made->parameters.floats / 2);
    gw_model_free(made);
    gw_model_free(model);
    free_dict();
}
