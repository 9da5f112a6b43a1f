// SPDX-License-Identifier: MIT
// Borzoi and Flashzoi beside borzoi-pytorch (tests/data/borzoi, by tests/oracle/borzoi_oracle.py): the tracks of a
// window; windows that share what they have in common with another, beside whole runs; what is refused.
#include "model/convert.h"
#include "model/family.h"
#include "network/base_network.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW = 4096, ROWS = 40, TRACKS = 5, BIN = 32, CHANGES = 3 };
#define DATA "tests/data/borzoi/"
static const double bound = 2e-5; // of the largest value

static const char *const folders[] = {DATA "borzoi", DATA "flashzoi"};
enum { FOLDERS = sizeof folders / sizeof folders[0] };

static void read_window(char *bases) {
    FILE *file = fopen(DATA "window.txt", "r");
    cr_assert_not_null(file);
    cr_assert_eq(fread(bases, 1, WINDOW, file), WINDOW);
    fclose(file);
}

static gw_base_network *network_of(gw_model *model, int64_t memory) {
    const gw_tracks t = gw_family_of(model->config.family)->tracks(&model->config);
    gw_base_network *network;
    cr_assert(t.window == WINDOW && t.rows == ROWS && t.columns == TRACKS && t.bin == BIN && t.softplus);
    const gw_base_network_options options = {
        .longest = WINDOW, .flank = (WINDOW - ROWS * BIN) / 2, .logits = true, .memory = memory};
    cr_assert_eq(gw_base_network_new(model, &options, &network), GW_OK, "%s", gw_message());
    return network;
}

Test(borzoi, tracks_are_those_of_borzoi_pytorch) {
    static char bases[WINDOW];
    static float rows[ROWS * TRACKS];
    read_window(bases);
    for (int f = 0; f < FOLDERS; f++) {
        char path[128];
        gw_model *model;
        double largest = 0, error = 0;
        cr_assert_eq(gw_model_from_borzoi(folders[f], &model), GW_OK, "%s", gw_message());
        gw_base_network *network = network_of(model, 0);
        const gw_labelling_window window = {.bases = bases, .length = WINDOW, .rows = rows, .ref = -1};
        cr_assert_eq(gw_base_network_run(network, &window, 1), GW_OK, "%s", gw_message());
        snprintf(path, sizeof path, "%s/expected.tsv", folders[f]);
        FILE *file = fopen(path, "r");
        cr_assert_not_null(file);
        for (int i = 0; i < ROWS * TRACKS; i++) {
            double expected;
            cr_assert_eq(fscanf(file, "%lf", &expected), 1);
            largest = fmax(largest, expected);
            error = fmax(error, fabs(log1p(exp((double)rows[i])) - expected));
        }
        fclose(file);
        cr_expect_leq(error, bound * largest, "%s: error %g, largest %g", folders[f], error, largest);
        gw_base_network_free(network);
        gw_model_free(model);
    }
}

// A change near the middle, one at an end, and one of many bases.
static void change(const char *from, int i, char *to) {
    static const int place[CHANGES] = {2048, 3, 1500}, count[CHANGES] = {1, 1, 40};
    memcpy(to, from, WINDOW);
    for (int k = 0; k < count[i]; k++) to[place[i] + k] = to[place[i] + k] == 'A' ? 'C' : 'A';
}

Test(borzoi, alleles_in_part_are_as_whole_windows) {
    static char bases[WINDOW], changed[CHANGES][WINDOW];
    static float whole[CHANGES + 1][ROWS * TRACKS], part[CHANGES + 1][ROWS * TRACKS];
    const int64_t memory = INT64_C(1000000000);
    read_window(bases);
    for (int i = 0; i < CHANGES; i++) change(bases, i, changed[i]);
    for (int f = 0; f < FOLDERS; f++) {
        gw_model *model;
        cr_assert_eq(gw_model_from_borzoi(folders[f], &model), GW_OK, "%s", gw_message());
        for (int way = 0; way < 2; way++) {
            gw_labelling_window windows[CHANGES + 1];
            gw_base_network *network = network_of(model, way ? memory : 0);
            for (int i = 0; i <= CHANGES; i++)
                windows[i] = (gw_labelling_window){.bases = i == 0 ? bases : changed[i - 1],
                                                   .length = WINDOW,
                                                   .rows = way ? part[i] : whole[i],
                                                   .ref = i == 0 ? -1 : 0,
                                                   .span = WINDOW};
            cr_assert_eq(gw_base_network_run(network, windows, CHANGES + 1), GW_OK, "%s", gw_message());
            gw_base_network_free(network);
        }
        for (int i = 0; i <= CHANGES; i++) {
            double moved = 0;
            for (int k = 0; k < ROWS * TRACKS; k++) {
                cr_expect_float_eq(part[i][k], whole[i][k], 2e-6F, "%s, window %d: %g and %g", folders[f], i,
                                   (double)part[i][k], (double)whole[i][k]);
                moved = fmax(moved, fabs((double)whole[i][k] - (double)whole[0][k]));
            }
            cr_expect(i == 0 || moved > 0, "%s: change %d changes nothing", folders[f], i);
        }
        gw_model_free(model);
    }
}
