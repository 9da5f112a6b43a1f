// SPDX-License-Identifier: MIT
// Long Range Arena's tasks: lists whose values were worked out by hand, pictures whose parts are measured.
#include "base/output.h"
#include "data/arena/arena.h"
#include "data/arena/listops.h"
#include "data/arena/pictures.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int value_of(const char *text) {
    int value = -1;
    cr_assert_eq(gw_list_read(text, &value), GW_OK, "%s", gw_message());
    return value;
}

Test(arena, lists_have_the_values_that_a_hand_gives) {
    cr_expect_eq(value_of("7"), 7);
    cr_expect_eq(value_of("[MIN 5 [SM 7 8 ] 6 ]"), 5);
    cr_expect_eq(value_of("[MAX 2 9 [MIN 4 7 9 ] [MED 1 8 0 ] ]"), 9);
    cr_expect_eq(value_of("[MED 4 [MAX 2 9 ] 7 ]"), 7);
    cr_expect_eq(value_of("[MED 1 4 ]"), 2); // 2.5, rounded down
    cr_expect_eq(value_of("[MED 9 2 4 7 ]"), 5);
    cr_expect_eq(value_of("[SM 9 9 9 [SM 1 2 ] ]"), 0);
}

Test(arena, what_is_no_list_is_refused) {
    static const char *const bad[] = {"",    "[MAX ]",      "[MAX 1", "[FOO 1 2 ]",
                                      "3 4", "[MAX 12 3 ]", "]",      "[MAX 1 1 1 1 1 1 1 1 1 1 1 ]"};
    int value;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(gw_list_read(bad[i], &value), GW_ERR_FORMAT, "%s", bad[i]);
    cr_expect_eq(gw_list_read("[MAX 1 x ]", &value), GW_ERR_FORMAT);
    cr_expect_str_eq(gw_message(), "list: character 8 is not a digit or list");
}

static void free_example(gw_arena_example *example) {
    gw_string_free(&example->text);
    gw_string_free(&example->second);
    gw_string_free(&example->label);
    *example = (gw_arena_example){0};
}

static gw_arena_example make(const char *task, uint64_t seed, int64_t i) {
    gw_arena_source source = {.seed = seed};
    gw_arena_example out = {0};
    gw_random random = gw_random_at(seed, GW_SITE_TEST, (uint64_t)i, 0);
    cr_assert_eq(gw_arena_task_of(task)->make(&source, GW_ARENA_TRAIN, i, &random, &out), GW_OK, "%s", gw_message());
    return out;
}

static int words_of(const char *text) {
    int words = 1;
    for (const char *c = text; *c; c++) words += *c == ' ';
    return words;
}

Test(arena, drawn_lists_are_of_their_length_and_value) {
    int seen[10] = {0};
    for (int64_t i = 0; i < 60; i++) {
        gw_arena_example example = make("listops", 7, i), again = make("listops", 7, i);
        const int words = words_of(example.text.data);
        cr_expect(words > 500 && words < 2000, "%d", words);
        cr_expect_eq(value_of(example.text.data), atoi(example.label.data));
        cr_expect_str_eq(example.text.data, again.text.data);
        seen[atoi(example.label.data)]++;
        free_example(&example);
        free_example(&again);
    }
    cr_expect(seen[0] > 0 && seen[9] > 0 && seen[0] < 30);
}

// --- Pathfinder ----------------------------------------------------------------------------------------------------

static double length_of(gw_point from, gw_point to) {
    return hypot(to.x - from.x, to.y - from.y);
}

static void check_path(const gw_path *path) {
    for (int d = 0; d < path->dashes; d++) {
        cr_expect_float_eq(length_of(path->from[d], path->to[d]), 2, 1e-9);
        cr_expect(fmin(path->from[d].x, path->to[d].y) >= 1 && fmax(path->to[d].x, path->from[d].y) <= 31);
        if (d == 0) continue;
        cr_expect_float_eq(length_of(path->to[d - 1], path->from[d]), 1, 1e-9);
        const double before = atan2(path->to[d - 1].y - path->from[d - 1].y, path->to[d - 1].x - path->from[d - 1].x);
        const double after = atan2(path->to[d].y - path->from[d].y, path->to[d].x - path->from[d].x);
        cr_expect(fabs(remainder(after - before, 2 * M_PI)) <= 1 + 1e-9);
    }
}

// The least distance of the ends and middles of two paths' dashes.
static double least_distance(const gw_path *a, const gw_path *b) {
    double least = INFINITY;
    for (int i = 0; i < a->dashes * 3; i++)
        for (int j = 0; j < b->dashes * 3; j++) {
            const double s = i % 3 / 2.0, t = j % 3 / 2.0;
            const gw_point *af = &a->from[i / 3], *at = &a->to[i / 3], *bf = &b->from[j / 3], *bt = &b->to[j / 3];
            const gw_point p = {af->x + s * (at->x - af->x), af->y + s * (at->y - af->y)};
            least = fmin(least, length_of(p, (gw_point){bf->x + t * (bt->x - bf->x), bf->y + t * (bt->y - bf->y)}));
        }
    return least;
}

static bool is_end(const gw_path *path, gw_point mark) {
    return length_of(path->from[0], mark) == 0 || length_of(path->to[path->dashes - 1], mark) == 0;
}

// Of 100 pictures with paths of so many dashes.
static void check_pictures(int dashes) {
    int joined = 0, distractors = 0;
    for (uint64_t i = 0; i < 100; i++) {
        gw_random random = gw_random_at(3, GW_SITE_TEST, i, 0);
        gw_pathfinder of;
        gw_pathfinder_draw(&random, dashes, &of);
        for (int p = 0; p < GW_PATHS; p++) {
            check_path(&of.path[p]);
            cr_expect(of.path[p].dashes == (p < 2 ? dashes : dashes / 3) || (p >= 2 && of.path[p].dashes == 0));
            distractors += p >= 2 && of.path[p].dashes > 0;
            for (int q = 0; q < p; q++) cr_expect_geq(least_distance(&of.path[p], &of.path[q]), 1.5);
        }
        int both = 0;
        for (int p = 0; p < 2; p++) both += is_end(&of.path[p], of.mark[0]) && is_end(&of.path[p], of.mark[1]);
        cr_expect_eq(both, of.joined);
        joined += of.joined;
    }
    cr_expect(joined > 30 && joined < 70, "%d", joined);
    cr_expect(distractors > 200, "%d", distractors);
}

Test(arena, paths_keep_apart_and_marks_stand_at_their_ends) {
    check_pictures(14);
    check_pictures(9);
    check_pictures(6);
}

Test(arena, a_painted_path_is_as_bright_as_its_marks_and_dashes) {
    gw_pathfinder of = {.mark = {{8, 8}, {24.5, 20.5}}};
    gw_canvas canvas;
    double sum = 0;
    of.path[0] = (gw_path){.from = {{4, 16.5}}, .to = {{6, 16.5}}, .dashes = 1};
    gw_pathfinder_paint(&of, &canvas);
    for (int i = 0; i < GW_CANVAS * GW_CANVAS; i++) sum += canvas.level[i / GW_CANVAS][i % GW_CANVAS];
    // two discs of radius 1.5; half of two pixels' height, 0.75 bright, and round ends
    cr_expect_float_eq(sum, 2 * M_PI * 1.5 * 1.5 + 0.75 * (2 * 0.5 + M_PI / 16), 0.6);
    cr_expect_eq(canvas.level[7][7], 1);
    cr_expect_eq(canvas.level[20][24], 1);
    cr_expect_float_eq(canvas.level[16][4], 0.75 / 2, 1e-9);
    cr_expect_eq(canvas.level[28][2], 0);
}

// --- pictures ------------------------------------------------------------------------------------------------------

Test(arena, shapes_take_turns) {
    for (int64_t i = 0; i < 20; i++) {
        gw_arena_example example = make("image", 1, i);
        cr_expect_eq(atoi(example.label.data), i % 10);
        cr_expect_eq(words_of(example.text.data), 1024);
        char *at = example.text.data;
        for (int p = 0; p < 1024; p++) {
            const long grey = strtol(at, &at, 10);
            cr_expect(grey >= 0 && grey <= 255);
        }
        free_example(&example);
    }
}

enum { CIFAR_RECORD = 3073 };
static void write_cifar(int file, int64_t bytes) {
    char path[32];
    unsigned char *content = calloc(1, (size_t)bytes);
    snprintf(path, sizeof path, file == 5 ? "test_batch.bin" : "data_batch_%d.bin", file + 1);
    unsigned char *record = content + 2 * CIFAR_RECORD; // the third image
    record[0] = (unsigned char)(file + 1);
    memset(record + 1, 10, 1024);
    memset(record + 1 + 1024, 20, 1024);
    memset(record + 1 + 2048, 200, 1024);
    cr_assert_eq(gw_write_file(path, content, bytes), GW_OK);
    free(content);
}

Test(arena, cifar_becomes_grey, .init = scratch_enter, .fini = scratch_leave) {
    gw_cifar_files files = {0};
    gw_string text = {0}, label = {0};
    for (int f = 0; f < 6; f++) write_cifar(f, (int64_t)GW_CIFAR_IMAGES * CIFAR_RECORD);
    cr_assert_eq(gw_cifar_open(".", &files), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_cifar_read(&files, false, 30002, &text, &label), GW_OK);
    cr_expect_str_eq(label.data, "4");
    cr_expect_eq(strncmp(text.data, "38 38 38 ", 9), 0, "%.20s", text.data); // 2.989 + 11.74 + 22.8
    cr_expect_eq(words_of(text.data), 1024);
    gw_string_clear(&label);
    cr_assert_eq(gw_cifar_read(&files, true, 2, &text, &label), GW_OK);
    cr_expect_str_eq(label.data, "6");
    cr_expect_eq(gw_cifar_read(&files, true, 10000, &text, &label), GW_ERR_RANGE);
    gw_cifar_free(&files);
    write_cifar(3, 10 * CIFAR_RECORD);
    cr_expect_eq(gw_cifar_open(".", &files), GW_ERR_FORMAT);
    cr_expect(strstr(gw_message(), "data_batch_4.bin: 30730 bytes, expected 30730000 of 10000 images"), "%s",
              gw_message());
    gw_cifar_free(&files);
    gw_string_free(&text);
    gw_string_free(&label);
}
