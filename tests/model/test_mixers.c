// SPDX-License-Identifier: MIT
// Mixers' words: what a config's pattern says, how it is written back, and what is refused.
#include "model/mixer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void expect_text(const char *spec, const char *text, const char *provenance) {
    gw_config config = {0};
    cr_assert_eq(gw_config_use_pattern(&config, spec), GW_OK, "%s", gw_message());
    char *written = gw_config_pattern(&config), *named = gw_config_provenance(&config);
    cr_expect_str_eq(written, text);
    cr_expect_str_eq(named, provenance);
    gw_config again = {0};
    cr_assert_eq(gw_config_use_pattern(&again, written), GW_OK, "%s", gw_message());
    cr_expect(again.mixer == config.mixer &&
                  memcmp(again.mixer_number, config.mixer_number, sizeof again.mixer_number) == 0,
              "%s", spec);
    free(written);
    free(named);
}

Test(mixers, specs_and_their_text) {
    expect_text("window:3+global", "window:3+global:2", "window:3+global:2");
    expect_text("itc", "itc", "itc/seeded");
    expect_text("sbm", "sbm:128", "sbm:128/exact+seed:0");
    expect_text("sbm:16/exact+seed:3", "sbm:16+seed:3", "sbm:16/exact+seed:3");
    expect_text("shared+band:32+sbm/fastrg+loops", "sbm:128/fastrg+loops+shared+band:32",
                "sbm:128/fastrg+loops+shared+band:32+seed:0");
}

static void expect_refusal(const char *spec, const char *said) {
    gw_config config = {0};
    cr_assert_neq(gw_config_use_pattern(&config, spec), GW_OK, "%s", spec);
    cr_assert(strstr(gw_message(), said) != NULL, "%s: %s", spec, gw_message());
}

Test(mixers, wrong_specs_are_named) {
    expect_refusal("itcc", "unknown part 'itcc'; known are itc[/TABLES]");
    expect_refusal("sbm+every:3", "'every' cannot stand beside sbm: what can is loops, shared, band, seed");
    expect_refusal("sbm+window", "'window' cannot stand beside sbm");
    expect_refusal("causal+sbm", "'causal' cannot stand beside sbm");
    expect_refusal("sbm/dense", "unknown way to draw graphs 'dense' of sbm: expected one of exact|fastrg|bernoulli");
    expect_refusal("sbm+sbm:3", "'sbm' is there twice");
    expect_refusal("sbm+loops:3", "'loops' takes no number");
    expect_refusal("sbm+seed", "'seed' needs a number");
    expect_refusal("full+loops", "unknown part 'loops'");
    expect_refusal("sbm:0", "pattern 'sbm:0': sbm: ");
    expect_refusal("sbm:1025", "sbm: ");
    expect_refusal("sbm:", "sbm: ");
}

Test(mixers, modes_of_a_model) {
    gw_config config = {0};
    cr_assert_eq(gw_config_use_pattern(&config, "sbm:8+band:2"), GW_OK);
    cr_assert_eq(gw_config_use_mode(&config, "seeded"), GW_ERR_UNSUPPORTED);
    cr_assert(strstr(gw_message(), "the model's own pattern is sbm:8+band:2") != NULL, "%s", gw_message());
    cr_assert_eq(gw_config_use_mode(&config, "sparse"), GW_ERR_RANGE);
    cr_assert_eq(gw_config_use_mode(&config, "full"), GW_OK);
    char *text = gw_config_pattern(&config);
    cr_assert_str_eq(text, "full");
    free(text);
}
