// SPDX-License-Identifier: MIT
// The text of stems: what each part makes, and what is refused.
#include "nn/stem.h"

#include <criterion/criterion.h>
#include <string.h>

static gw_stem parsed(const char *text) {
    gw_stem stem;
    cr_assert_eq(gw_stem_parse(text, 64, &stem), GW_OK, "%s", gw_message());
    return stem;
}

Test(stem, dilations_are_parts_of_their_own) {
    const gw_stem stem = parsed("conv:15@2+res:9@1,2,4");
    cr_assert_eq(stem.count, 4);
    cr_expect_eq(stem.before, 4);
    cr_expect_eq(stem.levels, 0);
    cr_expect_eq(stem.part[0].kind, GW_STEM_CONVOLUTION);
    cr_expect_eq(stem.part[0].taps, 15);
    cr_expect_eq(stem.part[0].dilation, 2);
    for (int i = 1; i < 4; i++) {
        cr_expect_eq(stem.part[i].kind, GW_STEM_RESIDUAL);
        cr_expect_eq(stem.part[i].taps, 9);
        cr_expect_eq(stem.part[i].dilation, 1 << (i - 1));
        cr_expect_eq(stem.part[i].width, 64);
    }
    cr_expect_eq(gw_stem_receptive_field(&stem), 1 + 14 * 2 + 8 * (1 + 2 + 4));
    cr_expect_str_eq(stem.text, "conv:15@2+res:9@1,2,4");
}

Test(stem, attention_stands_at_the_coarsest_resolution) {
    const gw_stem stem =
        parsed("conv:15x32+pool:2+conv:5x64+mean:4+conv:3x64+attention+res:1+unpool:4+conv:1x32+unpool:2+conv:1x64");
    cr_assert_eq(stem.count, 10);
    cr_expect_eq(stem.before, 5);
    cr_expect_eq(stem.levels, 2);
    cr_expect_eq(stem.factor[1], 2);
    cr_expect_eq(stem.factor[2], 8);
    cr_expect_eq(stem.part[0].in, 64);
    cr_expect_eq(stem.part[0].width, 32);
    cr_expect_eq(stem.part[3].kind, GW_STEM_MEAN_POOL);
    cr_expect_eq(stem.part[5].level, 2);
    cr_expect_eq(stem.part[6].level, 1);
    cr_expect_eq(stem.part[8].level, 0);
    cr_expect_eq(stem.part[9].level, 0);
    cr_expect_eq(gw_stem_receptive_field(&stem), 1 + 14 + 1 + 4 * 2 + 3 * 2 + 2 * 8);
    cr_expect_eq(gw_stem_rows(&stem, 0, 17), 17);
    cr_expect_eq(gw_stem_rows(&stem, 1, 17), 9);
    cr_expect_eq(gw_stem_rows(&stem, 2, 17), 3);
}

Test(stem, letters_have_channels_of_their_own) {
    const gw_stem stem = parsed("letters:8+conv:15x64");
    cr_assert_eq(stem.count, 1);
    cr_expect_eq(stem.letters, 8);
    cr_expect_eq(stem.part[0].in, 8);
    cr_expect_eq(parsed("conv:15x64").letters, 64);
}

Test(stem, positions_keep_level_and_width) {
    const gw_stem stem = parsed("conv:3x32+pool:2+positions+conv:1x64");
    cr_assert_eq(stem.count, 4);
    cr_expect_eq(stem.part[2].kind, GW_STEM_POSITIONS);
    cr_expect_eq(stem.part[2].level, 1);
    cr_expect_eq(stem.part[2].width, 32);
    cr_expect_eq(gw_stem_receptive_field(&stem), 4);
}

Test(stem, pooling_may_stay) {
    const gw_stem stem = parsed("pool:2+res:3+mean:3+unpool:3");
    cr_expect_eq(gw_stem_end_level(&stem), 1);
    const gw_stem whole = parsed("pool:2+unpool:2");
    cr_expect_eq(gw_stem_end_level(&whole), 0);
}

Test(stem, what_cannot_be_is_refused_by_its_part) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "unknown part ''"},
        {"attention", "no part but attention"},
        {"lstm:3",
         "unknown part 'lstm'; known are conv:K[xW][@D], res:K[@D,D,...], unit:K[@D,D,...], leaky-unit:K[@D,D,...], "
         "gpn:K[xW][@D,D,...], convnet:K[@D,D,...], pool:F, mean:F, unpool:F, positions, skip, attention, letters:W"},
        {"conv:3+letters:8", "letters must be the first part"},
        {"letters:8+letters:8+conv:3", "letters must be the first part"},
        {"letters:6+conv:3x64", "found 6 channels, expected a multiple of 4"},
        {"letters:8", "no part but attention"},
        {"letters:8+res:3", "8 channels come to attention, the model's hidden_size is 64"},
        {"res", "'res' needs a number: res:K[@D,D,...]"},
        {"res:4", "found 4 taps, expected an odd number"},
        {"res:9x32", "'x32': residual blocks and units keep their width"},
        {"conv:9x30+conv:1x64", "found 30 channels, expected a multiple of 4"},
        {"conv:9@1,2", "a conv takes one dilation"},
        {"gpn:9x30", "found 30 channels, expected a multiple of 4"},
        {"convnet:9x32", "'x32': residual blocks and units keep their width"},
        {"skip+pool:2", "skip needs a stem without pooling"},
        {"pool:2+skip", "skip needs a stem without pooling"},
        {"letters:8+skip+conv:3x64+skip", "a skip has 64 channels, and an earlier skip has 8"},
        {"res:9@", "res: "},
        {"res:9@0", "res: "},
        {"pool:1", "pool: "},
        {"unpool:2", "unpool needs a pooling before it"},
        {"pool:2+unpool:2+unpool:2", "unpool needs a pooling before it"},
        {"pool:2+unpool:4", "found 4, but the pooling that it undoes is by 2"},
        {"pool:2+unpool:2+pool:2", "pooling must come before attention and every unpool"},
        {"pool:2+unpool:2+attention", "attention occurs once, before every unpool"},
        {"attention+attention", "attention occurs once"},
        {"pool:2+conv:3x32+unpool:2", "32 channels, but 64 went into the pooling that it undoes: put conv:1x64"},
        {"conv:3x32", "32 channels come to attention, the model's hidden_size is 64: put conv:1x64"},
        {"pool:2+unpool:2+conv:3x32", "32 channels come to the end"},
        {"pool:2+pool:2+pool:2+pool:2+pool:2+pool:2+pool:2+pool:2", "more than 7 poolings"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gw_stem stem;
        cr_expect_neq(gw_stem_parse(cases[i].text, 64, &stem), GW_OK, "%s", cases[i].text);
        cr_expect_not_null(strstr(gw_message(), cases[i].message), "%s: %s", cases[i].text, gw_message());
    }
    char longest[300] = "res:9@1";
    while (strlen(longest) < 250) strcat(longest, ",1");
    gw_stem stem;
    cr_expect_neq(gw_stem_parse(longest, 64, &stem), GW_OK);
    cr_expect_not_null(strstr(gw_message(), "more than 64 parts"), "%s", gw_message());
}
