// SPDX-License-Identifier: MIT
// Sequences that share what they have in common with one, against each of them run whole.
#include "base/random.h"
#include "fixtures.h"
#include "network/partial.h"
#include "network/token_batch.h"
#include "nn/row_set.h"
#include "text/dna/vocabulary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { LONGEST = 322, COUNT = 300, SEQUENCES = 40, FEW = 6 };
#define MEMORY INT64_C(1000000000)

typedef struct {
    const char *pattern, *stem; // stem NULL: none
    gw_sequence_pooling pooling;
    bool pre_norm, rotary, freezes;
    int layers;
} shape;

static gw_model *model_of(const shape *s) {
    gw_config config = fixture_config(FIXTURE_LABELS, 0);
    cr_assert_eq(gw_pattern_parse(s->pattern, &config.pattern), GW_OK, "%s", gw_message());
    config.family = s->stem ? GW_FAMILY_DNA : GW_FAMILY_BIGBIRD;
    config.positions = LONGEST;
    config.layers = s->layers;
    config.pre_norm = config.last_norm = s->pre_norm;
    config.rotary = s->rotary ? 8 : 0;
    config.pooling = s->pooling;
    if (s->stem) cr_assert_eq(gw_stem_parse(s->stem, config.width, &config.stem), GW_OK, "%s", gw_message());
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    if (s->freezes) cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK, "%s", gw_message());
    return model;
}

static void draw(int32_t *tokens) {
    gw_random random = gw_random_at(3, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < COUNT; i++) tokens[i] = GW_SPECIAL_TOKENS + (int32_t)gw_random_below(&random, 4);
}

// Sequence i differs from the first one in one place, or in two, of which the other is its end.
static void change(const int32_t *first, int i, int32_t *tokens) {
    const int at = i * 37 % COUNT;
    memcpy(tokens, first, COUNT * sizeof *tokens);
    tokens[at] = GW_SPECIAL_TOKENS + (first[at] - GW_SPECIAL_TOKENS + 1 + i % 3) % 4;
    if (i % 5 == 4) tokens[COUNT - 1] = GW_SPECIAL_TOKENS + (first[COUNT - 1] - GW_SPECIAL_TOKENS + 2) % 4;
}

typedef struct {
    float outputs[SEQUENCES + 1][FIXTURE_LABELS]; // the first one's last
    int answers[SEQUENCES + 1];
} answers;

static gw_status take(void *context, int64_t id, const float *outputs) {
    answers *a = context;
    a->answers[id]++;
    memcpy(a->outputs[id], outputs, sizeof a->outputs[id]);
    return GW_OK;
}

// A sequence in its frame.
static gw_variation framed(gw_model *model, const int32_t *tokens, int64_t count, int32_t *out) {
    gw_token_batch batch;
    cr_assert_eq(gw_token_batch_make(&batch, model->tokenizer, LONGEST, 1, LONGEST), GW_OK);
    cr_assert(gw_token_batch_add_tokens(&batch, tokens, count));
    const int64_t all = batch.batch.of[GW_ROWS_TOKENS].count;
    memcpy(out, batch.batch.of[GW_ROWS_TOKENS].token, (size_t)all * sizeof *out);
    gw_token_batch_free(&batch);
    return (gw_variation){.token = out, .count = all, .span = all, .end = all};
}

static void run_whole(gw_model *model, const int32_t *tokens, float *outputs) {
    gw_token_batch batch;
    gw_network *network;
    const gw_network_options options = {.tokens = LONGEST, .sequences = 1, .output_rows = GW_OUTPUT_FIRST};
    cr_assert_eq(gw_token_batch_make(&batch, model->tokenizer, LONGEST, 1, LONGEST), GW_OK);
    cr_assert(gw_token_batch_add_tokens(&batch, tokens, COUNT));
    cr_assert_eq(gw_network_new(model, &options, &network), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_network_forward(network, &batch.batch, NULL), GW_OK, "%s", gw_message());
    memcpy(outputs, gw_network_output(network, GW_ROWS_FIRST), FIXTURE_LABELS * sizeof *outputs);
    gw_network_free(network);
    gw_token_batch_free(&batch);
}

static void expect_whole(const shape *s, gw_model *model, const int32_t *tokens, const float *outputs, int i) {
    float whole[FIXTURE_LABELS];
    run_whole(model, tokens, whole);
    for (int l = 0; l < FIXTURE_LABELS; l++)
        cr_expect_float_eq(outputs[l], whole[l], 1e-6F, "%s, %s: sequence %d, label %d: %g and %g", s->pattern,
                           s->stem ? s->stem : "no stem", i, l, (double)outputs[l], (double)whole[l]);
}

// How many of the sequences are taken.
static int check(const shape *s) {
    static int32_t first[COUNT], tokens[COUNT];
    static answers a;
    gw_model *model = model_of(s);
    gw_partial *partial;
    int taken = 0;
    memset(&a, 0, sizeof a);
    draw(first);
    cr_assert_eq(gw_partial_new(model, GW_ROWS_FIRST, MEMORY, &partial), GW_OK, "%s", gw_message());
    cr_assert_not_null(partial);
    for (int round = 0; round < 2; round++) { // the second one finds the first sequence there
        int32_t room[LONGEST];
        gw_variation sequence = framed(model, first, COUNT, room);
        cr_assert_eq(gw_partial_begin(partial, &sequence, SEQUENCES), GW_OK, "%s", gw_message());
        for (int i = round; i < SEQUENCES; i += 2) {
            bool is_taken;
            change(first, i, tokens);
            sequence = framed(model, tokens, COUNT, room);
            cr_assert_eq(gw_partial_ask(partial, &sequence, i, &is_taken), GW_OK, "%s", gw_message());
            taken += is_taken;
        }
        cr_assert_eq(gw_partial_run(partial, take, &a), GW_OK, "%s", gw_message());
        cr_expect_eq(a.answers[SEQUENCES], round + 1);
        expect_whole(s, model, first, a.outputs[SEQUENCES], -1);
    }
    int answered = 0;
    for (int i = 0; i < SEQUENCES; i++) {
        answered += a.answers[i];
        cr_expect_leq(a.answers[i], 1);
        if (a.answers[i] == 0 || i % FEW != 0) continue;
        change(first, i, tokens);
        expect_whole(s, model, tokens, a.outputs[i], i);
    }
    cr_expect_eq(answered, taken);
    gw_partial_free(partial);
    gw_model_free(model);
    return taken;
}

Test(partial, sequences_have_the_outputs_of_whole_runs) {
    static const shape shapes[] = {
        {"window:3+block:8", NULL, GW_SEQUENCE_MEAN, false, false, false, 2},
        {"window:3+block:8", NULL, GW_SEQUENCE_FIRST, false, false, true, 2},
        {"window:5+random:2+block:8", NULL, GW_SEQUENCE_MEAN, false, false, true, 1},
        {"band:20+block:8", NULL, GW_SEQUENCE_ATTENTION, true, true, false, 2},
        {"window:3+causal+block:8", "res:3@1,2", GW_SEQUENCE_PLACES, true, true, true, 2},
        {"window:3+block:8", "conv:5+res:3@1,4", GW_SEQUENCE_ATTENTION, true, true, true, 1},
        {"window:3+block:8", "res:3@1", GW_SEQUENCE_FLATTEN, true, true, true, 1},
        {"window:3+block:8", "letters:8+conv:5x16", GW_SEQUENCE_MEAN, true, false, false, 1},
        {"window:3+block:8", "conv:5+mean:2+res:3@1", GW_SEQUENCE_MEAN, true, false, false, 1},
        {"window:3+block:8", "res:3@1,2+pool:3+res:3@1+mean:2+conv:3", GW_SEQUENCE_MEAN, true, false, true, 1},
        {"window:3+block:8", "conv:5+pool:8+res:41@3", GW_SEQUENCE_MEAN, true, false, true,
         1}, // a batch of few windows
        {"window:3+block:8", "conv:5+pool:4+res:3@1+attention+res:3@2+unpool:4+res:3@1", GW_SEQUENCE_MEAN, true, false,
         true, 1},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        cr_expect_gt(check(&shapes[i]), SEQUENCES / 2, "%s", shapes[i].pattern);
}

// So wide a window covers the sequence, which gets full attention.
Test(partial, a_sequence_of_which_all_changes_is_not_taken) {
    const shape s = {"window:61+block:8", NULL, GW_SEQUENCE_MEAN, false, false, false, 1};
    cr_expect_eq(check(&s), 0);
}

static void expect_none(const shape *s, int64_t memory) {
    gw_model *model = model_of(s);
    gw_partial *partial;
    cr_assert_eq(gw_partial_new(model, GW_ROWS_FIRST, memory, &partial), GW_OK, "%s", gw_message());
    cr_expect_null(partial, "%s", s->pattern);
    gw_model_free(model);
}

// A global row reads every change, and all rows read it.
Test(partial, models_that_share_nothing_are_left_to_whole_runs) {
    static const shape shapes[] = {
        {"window:3+global:2+block:8", NULL, GW_SEQUENCE_MEAN, false, false, false, 2},
        {"full+block:8", NULL, GW_SEQUENCE_MEAN, false, false, false, 2},
        {"window:3+every:2+block:8", NULL, GW_SEQUENCE_MEAN, false, false, false, 2},
    };
    const shape shares = {"window:3+block:8", NULL, GW_SEQUENCE_MEAN, false, false, false, 2};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) expect_none(&shapes[i], MEMORY);
    expect_none(&shares, 1000);
}

Test(partial, a_longer_sequence_is_not_taken) {
    static int32_t first[COUNT];
    int32_t room[LONGEST], other[LONGEST];
    const shape s = {"window:3+block:8", NULL, GW_SEQUENCE_MEAN, false, false, false, 1};
    gw_model *model = model_of(&s);
    gw_partial *partial;
    bool taken = true;
    draw(first);
    const gw_variation shorter = framed(model, first, COUNT - 1, room);
    gw_variation longer = framed(model, first, COUNT, other);
    longer.span = shorter.count;
    cr_assert_eq(gw_partial_new(model, GW_ROWS_FIRST, MEMORY, &partial), GW_OK);
    cr_assert_eq(gw_partial_begin(partial, &shorter, 0), GW_OK);
    cr_assert_eq(gw_partial_ask(partial, &longer, 1, &taken), GW_OK);
    cr_expect_not(taken);
    gw_partial_free(partial);
    gw_model_free(model);
}

// The embedding changes behind the back of what was computed of the first sequence.
Test(partial, outputs_that_are_not_those_of_a_whole_run_are_an_error) {
    static int32_t first[COUNT], tokens[COUNT];
    static answers a;
    int32_t room[LONGEST];
    const shape s = {"window:3+block:8", NULL, GW_SEQUENCE_MEAN, false, false, true, 1};
    gw_model *model = model_of(&s);
    gw_partial *partial;
    bool taken;
    draw(first);
    gw_variation sequence = framed(model, first, COUNT, room);
    cr_assert_eq(gw_partial_new(model, GW_ROWS_FIRST, MEMORY, &partial), GW_OK);
    cr_assert_eq(gw_partial_begin(partial, &sequence, SEQUENCES), GW_OK);
    cr_assert_eq(gw_partial_run(partial, take, &a), GW_OK, "%s", gw_message());
    const gw_parameter *embedding = gw_model_role(model, GW_ROLE_TOKEN_EMBEDDING, 0, false);
    for (int64_t i = 0; i < embedding->count; i++)
        model->parameters.weight[embedding->offset + i] += 0.5F * (float)(i % 3);
    change(first, 0, tokens);
    cr_assert_eq(gw_partial_begin(partial, &sequence, SEQUENCES), GW_OK);
    sequence = framed(model, tokens, COUNT, room);
    cr_assert_eq(gw_partial_ask(partial, &sequence, 0, &taken), GW_OK);
    cr_assert(taken);
    cr_expect_eq(gw_partial_run(partial, take, &a), GW_ERR_RANGE);
    cr_expect_not_null(strstr(gw_message(), "off what a whole window gives; use --plain"), "%s", gw_message());
    gw_partial_free(partial);
    gw_model_free(model);
}

Test(partial, sets_of_rows_join_and_widen) {
    gw_row_set a = {0}, b = {0}, out = {0};
    cr_assert(gw_row_set_add(&a, 2, 4) == GW_OK && gw_row_set_add(&a, 4, 5) == GW_OK &&
              gw_row_set_add(&a, 9, 9) == GW_OK && gw_row_set_add(&a, 10, 12) == GW_OK &&
              gw_row_set_add(&b, 0, 1) == GW_OK && gw_row_set_add(&b, 3, 11) == GW_OK);
    cr_expect(a.count == 2 && gw_row_set_rows(&a) == 5);
    cr_assert_eq(gw_row_set_join(&a, &b, &out), GW_OK);
    cr_expect(out.count == 2 && out.range[0].end == 1 && out.range[1].begin == 2 && out.range[1].end == 12);
    cr_assert_eq(gw_row_set_widen(&a, 3, 13, &out), GW_OK);
    cr_expect(out.count == 1 && out.range[0].begin == 0 && out.range[0].end == 13);
    cr_assert_eq(gw_row_set_meet(&a, &b, &out), GW_OK);
    cr_expect(out.count == 2 && out.range[0].begin == 3 && out.range[0].end == 5 && out.range[1].begin == 10 &&
              out.range[1].end == 11);
    cr_assert_eq(gw_row_set_without(&a, &b, &out), GW_OK);
    cr_expect(out.count == 2 && out.range[0].begin == 2 && out.range[0].end == 3 && out.range[1].begin == 11 &&
              out.range[1].end == 12);
    cr_assert_eq(gw_row_set_without(&b, &a, &out), GW_OK);
    cr_expect(out.count == 2 && out.range[0].end == 1 && out.range[1].begin == 5 && out.range[1].end == 10);
    cr_assert_eq(gw_row_set_pool(&a, 3, &out), GW_OK);
    cr_expect(out.count == 2 && out.range[0].begin == 0 && out.range[0].end == 2 && out.range[1].begin == 3 &&
              out.range[1].end == 4);
    cr_assert_eq(gw_row_set_repeat(&a, 3, 35, &out), GW_OK);
    cr_expect(out.count == 2 && out.range[0].begin == 6 && out.range[1].begin == 30 && out.range[1].end == 35);
    gw_row_set_free(&a);
    gw_row_set_free(&b);
    gw_row_set_free(&out);
}
