// SPDX-License-Identifier: MIT
// What training loops share: the schedule, the state file, the lines of metrics.
#include "base/output.h"
#include "run/optimiser.h"
#include "run/settings.h"
#include "run/state.h"
#include "run/training_folder.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(training, .init = scratch_enter, .fini = scratch_leave);

Test(training, schedules_of_waves) {
    const gw_schedule cosine = {.kind = GW_SCHEDULE_COSINE, .peak = 0.5, .warmup = 4, .steps = 12};
    cr_assert_eq(gw_schedule_rate(&cosine, 0), 0.125);
    cr_assert_eq(gw_schedule_rate(&cosine, 4), 0.5);
    cr_assert_float_eq(gw_schedule_rate(&cosine, 6), 0.25 * (1 + sqrt(0.5)), 1e-15);
    cr_assert_float_eq(gw_schedule_rate(&cosine, 8), 0.25, 1e-15);
    const gw_schedule root = {.kind = GW_SCHEDULE_SQRT, .peak = 0.5, .warmup = 4, .steps = 100};
    cr_assert_eq(gw_schedule_rate(&root, 0), 0.125);
    cr_assert_eq(gw_schedule_rate(&root, 3), 0.5);
    cr_assert_float_eq(gw_schedule_rate(&root, 15), 0.25, 1e-15);
    const gw_schedule hold = {.kind = GW_SCHEDULE_HOLD_SQRT, .peak = 0.5, .warmup = 4, .steps = 100};
    cr_assert_eq(gw_schedule_rate(&hold, 0), 0.5);
    cr_assert_float_eq(gw_schedule_rate(&hold, 15), 0.25, 1e-15);
    const gw_schedule cycle = {.kind = GW_SCHEDULE_ONE_CYCLE, .peak = 0.5, .warmup = 4, .steps = 12};
    cr_assert_float_eq(gw_schedule_rate(&cycle, 0), 0.02, 1e-15);
    cr_assert_float_eq(gw_schedule_rate(&cycle, 2), 0.26, 1e-15);
    cr_assert_float_eq(gw_schedule_rate(&cycle, 4), 0.5, 1e-15);
    cr_assert_float_eq(gw_schedule_rate(&cycle, 8), 0.250001, 1e-15);
    cr_assert_float_eq(gw_schedule_rate(&cycle, 12), 2e-6, 1e-15);
    char names[64] = "";
    for (gw_schedule_kind kind = 0; kind < GW_SCHEDULES; kind++)
        strcat(strcat(names, kind > 0 ? "|" : ""), gw_schedule_name(kind));
    cr_assert_str_eq(names, GW_SCHEDULE_NAMES);
}

Test(training, schedule) {
    const gw_schedule s = {.peak = 0.5, .warmup = 4, .steps = 12};
    cr_assert_eq(gw_schedule_rate(&s, 0), 0.125);
    cr_assert_eq(gw_schedule_rate(&s, 3), 0.5);
    cr_assert_eq(gw_schedule_rate(&s, 4), 0.5);
    cr_assert_eq(gw_schedule_rate(&s, 8), 0.25);
    cr_assert_eq(gw_schedule_rate(&s, 11), 0.0625);
    const gw_schedule none = {.peak = 1, .steps = 2};
    cr_assert_eq(gw_schedule_rate(&none, 0), 1);
    cr_assert_eq(gw_schedule_make(GW_SCHEDULE_LINEAR, 1, -1, 900).warmup, 90);
    cr_assert_eq(gw_schedule_make(GW_SCHEDULE_COSINE, 1, -1, 1000000).warmup, 10000);
    cr_assert_eq(gw_schedule_make(GW_SCHEDULE_ONE_CYCLE, 1, -1, 900).warmup, 270);
    cr_assert_eq(gw_schedule_make(GW_SCHEDULE_ONE_CYCLE, 1, 0, 900).warmup, 0);
}

Test(training, state_comes_back) {
    float a[3] = {1, 2, 3}, b[3] = {4, 5, 6}, c[3] = {0}, d[3] = {0};
    gw_training_state state = {.fingerprint = "settings", .step = 7, .floats = 3, .blocks = 2, .block = {a, b}};
    state.notes = json_pack("{s:f}", "best", 0.5);
    cr_assert_eq(gw_state_save(&state, "deep/folder"), GW_OK, "%s", gw_message());
    json_decref(state.notes);
    gw_training_state loaded = {.fingerprint = "settings", .floats = 3, .blocks = 2, .block = {c, d}};
    bool found;
    cr_assert_eq(gw_state_load(&loaded, "deep/folder", &found), GW_OK, "%s", gw_message());
    cr_assert(found);
    cr_assert_eq(loaded.step, 7);
    cr_assert_arr_eq(c, a, sizeof a);
    cr_assert_arr_eq(d, b, sizeof b);
    cr_assert_eq(json_real_value(json_object_get(loaded.notes, "best")), 0.5);
    json_decref(loaded.notes);
    cr_assert_eq(gw_state_load(&loaded, "elsewhere", &found), GW_OK);
    cr_assert_not(found);
}

// The names are those of states that earlier versions wrote; what there is none of is not said.
Test(training, record_comes_back_under_its_names) {
    const gw_training_record record = {.total_tokens = 99,
                                       .seconds = 1.5,
                                       .stop = true,
                                       .best = -0.25,
                                       .best_step = 7,
                                       .epoch_loss = 3,
                                       .epoch_chance = 4,
                                       .epoch_steps = 5,
                                       .beside = {true, 0.1, 0.2, 0.3, 0.4, 0.5}};
    json_t *whole = gw_training_record_json(&record), *empty = gw_training_record_json(&(gw_training_record){0});
    json_t *want = json_pack("{s:i, s:f, s:b, s:f, s:i, s:f, s:f, s:f, s:[f, f, f, f, f]}", "total_tokens", 99,
                             "seconds", 1.5, "stopped", 1, "best", -0.25, "best_step", 7, "epoch_loss", 3.0,
                             "epoch_chance", 4.0, "epoch_steps", 5.0, "beside_baseline", 0.1, 0.2, 0.3, 0.4, 0.5);
    gw_training_record again = {.unfinished = json_object()}, none = {.best_step = 3};
    cr_assert(json_equal(whole, want));
    cr_assert_eq(json_object_size(empty), 2);
    gw_training_record_read(whole, &again);
    cr_assert(again.stop && again.beside.known && !again.unfinished && gw_training_has_best(&again));
    json_t *same = gw_training_record_json(&again);
    cr_assert(json_equal(same, whole));
    gw_training_record_read(empty, &none);
    cr_assert(none.best_step == 0 && !none.stop && !none.beside.known && !gw_training_has_best(&none));
    json_decref(same);
    json_decref(want);
    json_decref(empty);
    json_decref(whole);
}

Test(training, state_of_another_run_or_damaged) {
    float a[3] = {1, 2, 3}, b[3] = {0};
    bool found;
    const gw_training_state state = {.fingerprint = "settings", .floats = 3, .blocks = 1, .block = {a}};
    cr_assert_eq(gw_state_save(&state, "s"), GW_OK);
    gw_training_state other = {.fingerprint = "others", .floats = 3, .blocks = 1, .block = {b}};
    cr_assert_eq(gw_state_load(&other, "s", &found), GW_ERR_MISMATCH);
    cr_assert_not_null(strstr(gw_message(), "settings (now not), others (only now)"));
    gw_training_state larger = {.fingerprint = "settings", .floats = 4, .blocks = 1, .block = {b}};
    cr_assert_eq(gw_state_load(&larger, "s", &found), GW_ERR_MISMATCH);
    gw_training_state same = {.fingerprint = "settings", .floats = 3, .blocks = 1, .block = {b}};
    scratch_cut("s/training.state", 1);
    cr_assert_eq(gw_state_load(&same, "s", &found), GW_ERR_FORMAT);
    cr_assert_eq(b[0], 0);
    scratch_text("s/training.state", "nothing of the kind, but long enough");
    cr_assert_eq(gw_state_load(&same, "s", &found), GW_ERR_FORMAT);
    cr_assert_not_null(strstr(gw_message(), "s/training.state"));
}

static void expect_difference(const char *stored, const char *now, const char *want) {
    gw_string found = {0};
    gw_settings_differ(stored, now, &found);
    cr_expect_str_eq(found.data ? found.data : "", want);
    gw_string_free(&found);
}

// Values, settings that only one run has, numbers that stand for names, and words that no option says.
Test(training, settings_that_differ_are_named) {
    expect_difference("a: steps 4, lr 0.1", "a: steps 4, lr 0.1", "");
    expect_difference("a: steps 4, lr 0.1, seed 3", "a: steps 5, lr 0.1, seed 1",
                      "--steps 4 (now 5), --seed 3 (now 1)");
    expect_difference("f: 64 examples; 40 steps of 16, rate 0.1", "f: 60 examples; 30 steps of 32, rate 0.1",
                      "training examples 64 (now 60), steps 40 (now 30), --batch 16 (now 32)");
    expect_difference("f: best by 0, strands 0, pooling 3, weight 1", "f: best by 101, strands 2, pooling 0, weight -1",
                      "--metric auroc (now accuracy), strands as the task reads (now both), --pooling attention (now "
                      "first), --positive-weight 1 (now -1)");
    expect_difference("f: seed 1, from a fresh encoder, products of bf16", "f: seed 1, from yeast, encoder frozen",
                      "model a fresh encoder (now yeast), --dtype bf16 (now not), --freeze-encoder (only now)");
    expect_difference("s: 3 pairs of 40 and 20 tokens, Adam", "s: 4 pairs of 50 and 20 tokens, Adafactor",
                      "training pairs 3 (now 4), tokens of sources 40 (now 50), Adam (now not), Adafactor (only now)");
    expect_difference("p: betas 0.9 0.98, clip 1, tail 2", "p: betas 0.9 0.99, clip 1",
                      "betas 0.9 0.98 (now 0.99), tail 2 (now not)");
    expect_difference("f: seed 1", "f: seed 1, shifts of 3", "--shift 3 (only now)");
    expect_difference("", "p: seed 1", " (now not), p (only now), --seed 1 (only now)");
}

static void add(gw_metrics *metrics, int step) {
    json_t *row = json_pack("{s:i, s:f}", "step", step, "loss", 0.25);
    cr_assert_eq(gw_metrics_add(metrics, row), GW_OK);
    json_decref(row);
}

Test(training, metrics_continue_after_the_resumed_step) {
    gw_metrics *metrics;
    char *text;
    int64_t length;
    cr_assert_eq(gw_metrics_open("m.jsonl", 0, &metrics), GW_OK);
    for (int step = 1; step <= 3; step++) add(metrics, step);
    cr_assert_eq(gw_metrics_close(metrics), GW_OK);
    scratch_cut("m.jsonl", 3); // the last line was being written
    cr_assert_eq(gw_metrics_open("m.jsonl", 1, &metrics), GW_OK);
    add(metrics, 5);
    cr_assert_eq(gw_metrics_close(metrics), GW_OK);
    cr_assert_eq(gw_read_file("m.jsonl", &text, &length), GW_OK);
    cr_assert_str_eq(text, "{\"step\":1,\"loss\":0.25}\n{\"step\":5,\"loss\":0.25}\n");
    free(text);
    cr_assert_eq(gw_metrics_open("m.jsonl", 0, &metrics), GW_OK); // anew
    cr_assert_eq(gw_metrics_close(metrics), GW_OK);
    cr_assert_eq(gw_read_file("m.jsonl", &text, &length), GW_OK);
    cr_assert_eq(length, 0);
    free(text);
}
