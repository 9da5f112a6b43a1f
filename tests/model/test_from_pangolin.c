// SPDX-License-Identifier: MIT
// State dicts of Pangolin: networks of made values, whose labels have what torch 2.15 gives the same numbers; the
// change of a variant by rows that are known; and what is refused.
#include "made_dict.h"
#include "model/convert.h"
#include "model/family.h"
#include "model/model.h"
#include "network/base_network.h"
#include "store/checkpoint.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDTH = 32, UNITS = 4, TAPS = 11, BASES = 120, FLANK = 40, FILES = 4 };

static void save(const char *name, int number, int outputs) {
    made_dict d = {.number = 100 * number};
    char layer[48];
    made_dict_put_pair(&d, "conv1", WIDTH, 4, 1);
    made_dict_put_pair(&d, "skip", WIDTH, WIDTH, 1);
    for (int unit = 0; unit < UNITS; unit++)
        for (int half = 1; half <= 2; half++) {
            snprintf(layer, sizeof layer, "resblocks.%d.bn%d", unit, half);
            made_dict_put_norm(&d, layer, WIDTH, true);
            snprintf(layer, sizeof layer, "resblocks.%d.conv%d", unit, half);
            made_dict_put_pair(&d, layer, WIDTH, WIDTH, TAPS);
        }
    made_dict_put_pair(&d, "convs.0", WIDTH, WIDTH, 1);
    for (int output = 1; output <= outputs; output++) {
        snprintf(layer, sizeof layer, "conv_last%d", output);
        made_dict_put_pair(&d, layer, output % 2 ? 2 : 1, WIDTH, 1);
    }
    made_dict_save(&d, name);
}

static void save_all(void) {
    cr_assert_eq(mkdir("dicts", 0777), 0);
    save("dicts/final.1.0.3.v2", 0, 8);
    save("dicts/final.1.6.3.v2", 1, 8);
    save("dicts/final.2.0.3.v2", 2, 8);
    save("dicts/final.2.6.3.v2", 3, 8);
    scratch_text("dicts/final.1.1.3.v2", "how much a site is used is not read");
}

TestSuite(pangolin, .init = scratch_enter, .fini = scratch_leave);

Test(pangolin, each_network_fills_a_label_as_torch_does) {
    static const char *const names[] = {"none", "heart_1", "testis_1", "heart_2", "testis_2"};
    static const int rows[] = {0, 17, 39};
    static const float expected[3][FILES] = {{0.4773687F, 0.5834258F, 0.1833629F, 0.4977804F},
                                             {0.4777306F, 0.2244476F, 0.3466350F, 0.5389829F},
                                             {0.4771694F, 0.6654026F, 0.3042569F, 0.7421088F}};
    char bases[BASES];
    float found[BASES - 2 * FLANK][1 + FILES];
    gw_model *made, *model;
    gw_base_network *network;
    for (int i = 0; i < BASES; i++) bases[i] = "ACGT"[(i * i + i / 3) % 4];
    bases[50] = 'N';
    save_all();
    cr_assert_eq(gw_model_from_pangolin("dicts", &made), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_save(made, "folder"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_load("folder", &model), GW_OK, "%s", gw_message());
    cr_assert_eq(model->config.labels, 1 + FILES);
    cr_assert_eq(gw_model_member_count(model), FILES);
    for (int l = 0; l <= FILES; l++) cr_expect_str_eq(model->config.label_names[l], names[l]);
    cr_expect(gw_model_labels_bases(model) && !gw_model_splices(model));
    cr_expect_eq(gw_base_flank(model), FLANK);
    const gw_base_network_options options = {.longest = BASES, .flank = FLANK};
    cr_assert_eq(gw_base_network_new(model, &options, &network), GW_OK, "%s", gw_message());
    const gw_labelling_window window = {
        .bases = bases, .length = BASES, .strand = '+', .rows = &found[0][0], .ref = -1};
    cr_assert_eq(gw_base_network_run(network, &window, 1), GW_OK, "%s", gw_message());
    for (int r = 0; r < 3; r++)
        for (int f = 0; f < FILES; f++) {
            const double off = fabs((double)(found[rows[r]][1 + f] - expected[r][f]));
            cr_expect(off < 1e-5, "row %d of %s is off by %g", rows[r], names[1 + f], off);
        }
    gw_base_network_free(network);
    gw_model_free(model);
    gw_model_free(made);
}

// Two networks of heart, one of liver: means within a tissue, then the largest of tissues.
Test(pangolin, gain_and_loss_are_those_of_the_tissue_where_they_are_largest) {
    char *names[] = {"none", "heart_1", "liver_1", "heart_2"};
    const gw_config config = {.labels = 4, .label_names = names};
    const float ref[3][4] = {{0, 0.2F, 0.1F, 0.4F}, {0, 0.9F, 0.8F, 0.9F}, {0, 0, 0, 0}};
    const float alt[3][4] = {{0, 0.6F, 0.2F, 0.6F}, {0, 0.3F, 0.1F, 0.7F}, {0, 0.1F, 0.2F, 0.1F}};
    const bool first[3] = {true, false, false};
    float values[GW_ANSWER_VALUES];
    gw_base_rows rows = {.config = &config, .ref = ref[0], .alt = alt[0], .rows = 3, .at = 1};
    gw_family_pangolin.scoring.change(&rows, values);
    const float all[] = {0.3F, 0.7F, -1, 0, 0.3F, 0.8F, 0.6F, 0.1F};
    for (int i = 0; i < GW_ANSWER_VALUES; i++) cr_expect(fabsf(values[i] - all[i]) < 1e-6F, "%d: %g", i, values[i]);
    // The gain at the boundary and the loss beside it do not count.
    rows.boundary = first;
    gw_family_pangolin.scoring.change(&rows, values);
    cr_expect(fabsf(values[0] - 0.2F) < 1e-6F && values[2] == 1, "%g at %g", values[0], values[2]);
    cr_expect(values[1] == 0 && values[3] == 0, "%g at %g", values[1], values[3]);
}

static void expect_refused(const char *path, const char *message) {
    gw_model *model;
    cr_expect_neq(gw_model_from_pangolin(path, &model), GW_OK);
    cr_expect_not_null(strstr(gw_message(), message), "%s", gw_message());
}

Test(pangolin, other_files_are_refused) {
    save("final.1.0.3.v2", 0, 7);
    expect_refused("final.1.0.3.v2", "final.1.0.3.v2: no tensor conv_last8.weight: not a state dict of Pangolin");
    save("final.1.0.3.v2", 0, 9);
    expect_refused("final.1.0.3.v2", "tensors, and a network of 4 units has");
    save("final.1.1.3.v2", 0, 8);
    expect_refused("final.1.1.3.v2", "expected a name like final.1.0.3.v2");
    cr_assert_eq(mkdir("empty", 0777), 0);
    expect_refused("empty", "no file in the folder is named final.[1-9].[0246].3.v2");
}
