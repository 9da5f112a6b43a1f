// SPDX-License-Identifier: MIT
// Networks of dilated convolutions over single bases that give each base classes: SpliceAI (Jaganathan et al., 2019)
// and OpenSpliceAI. All they compute is a stem (nn/stem.h) on embedded letters, without norms around it.
#include "model/config_reader.h"
#include "model/family.h"

static void set_defaults(gw_config *config) {
    config->head = GW_HEAD_TOKEN;
    config->vocabulary = 10;
    config->positions = 1024;
    config->segments = 1;
    config->activation = GW_ACTIVATION_RELU;
}

static void describe(gw_builder *b) {
    gw_transformer of = gw_bert();
    of.prefix = "splice.";
    of.segments = of.embedding_norm = NULL;
    of.order = GW_DROPOUT_THEN_NORM;
    of.drawn_by = GW_DRAWN_BY_INPUTS;
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_splice = {
    .model_type = "godwit",
    .prefix = "Splice",
    .facts = {.single_bases = true, .rotary = true, .splices = true},
    .set_defaults = set_defaults,
    .read = gw_config_read_stem,
    .describe = describe,
};
