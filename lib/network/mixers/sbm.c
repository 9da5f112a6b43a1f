// SPDX-License-Identifier: MIT
// Attention over token graphs that the model draws for each input, head and layer, with its own clusters (nn/sbm.h,
// docs/background/sbm.md).
#include "network/mixers/sbm.h"

#include "base/log.h"
#include "model/mixer.h"
#include "network/network_private.h"
#include "nn/sbm.h"

#include <math.h>

// sbm:K[/HOW]: keys drawn for each query by K clusters. A band is read whatever is drawn; loops: so is each token
// itself; shared: one membership network for all heads of a layer. The seed is that of a model that is only run.
enum { CLUSTERS, DRAWS, LOOPS, SHARED, BAND, SEED };
static const gw_mixer_word words[] = {
    [CLUSTERS] = {"sbm", .usual = 128, .low = 1, .high = 1024},
    [DRAWS] = {"way to draw graphs", .mark = '/', .choices = "exact|fastrg|bernoulli"}, // as gw_sbm_mode
    [LOOPS] = {"loops"},
    [SHARED] = {"shared"},
    [BAND] = {"band", .usual = 256, .low = 1, .high = 1 << 24},
    [SEED] = {"seed", .usual = -1, .high = INT64_MAX, .drawn = true},
    {0},
};

// C [heads clusters][head size], W_1 and W_2 [heads or 1 times head size][head size]
enum { ROLE_CLUSTERS = GW_ROLE_MIXER, ROLE_NODES, ROLE_NODES_LAST };

static int64_t fixed_of(const gw_config *config) {
    const int64_t *number = config->mixer_number;
    return number[BAND] > 0 ? number[BAND] : number[LOOPS] ? 0 : -1;
}

static gw_status make(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_network_options *options = &network->options;
    const gw_sbm_learning *learning = &options->mixer.sbm;
    const int64_t sequences = options->step_sequences > 0 ? options->step_sequences : options->sequences;
    const double share = learning->weight / ((double)config->layers * (double)config->heads * (double)sequences);
    const gw_sbm_options sbm = {.layers = (int)config->layers,
                                .heads = (int)config->heads,
                                .clusters = (int)config->mixer_number[CLUSTERS],
                                .draws = (gw_sbm_mode)config->mixer_number[DRAWS],
                                .shared = config->mixer_number[SHARED] > 0,
                                .fixed = fixed_of(config),
                                .seed = (uint64_t)config->mixer_number[SEED],
                                .dense = GW_SBM_DENSE,
                                .precision = network->builder.precision,
                                .exploration = learning->exploration,
                                .mask_gradient = learning->gradient == GW_EDGES_LEARN_BY_MASK,
                                .penalty = learning->expected ? 0 : share,
                                .density_penalty = learning->expected ? share : 0};
    gw_sbm_graphs *graphs;
    GW_TRY(gw_sbm_graphs_new(&sbm, &graphs));
    network->mixing = graphs;
    return GW_OK;
}

static void free_graphs(void *mixing) {
    gw_sbm_graphs_free(mixing);
}

// Layers of single heads, which no product lays out.
static gw_linear declare_network(gw_builder *b, gw_role role, const char *stem, int64_t out, int64_t in) {
    gw_linear linear = {.weight = gw_declare_weight(b, role, stem, out, in), .precision = b->precision};
    linear.bias = gw_declare_bias(b, role, stem, out);
    return linear;
}

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    const gw_config *config = b->config;
    const int64_t size = config->width / config->heads, clusters = config->heads * config->mixer_number[CLUSTERS];
    const int64_t networks = config->mixer_number[SHARED] ? 1 : config->heads;
    gw_sbm_weights w;
    // As in He et al., 2015, equation 10; of clusters the authors' code takes all numbers of a head for inputs.
    b->deviation = sqrt(2.0 / ((double)config->mixer_number[CLUSTERS] * (double)size));
    w.clusters = gw_declare_weight(b, ROLE_CLUSTERS, "attention.self.clusters", clusters, size);
    b->deviation = sqrt(2.0 / (double)size);
    w.nodes = declare_network(b, ROLE_NODES, "attention.self.nodes.dense", networks * size, size);
    w.nodes_last = declare_network(b, ROLE_NODES_LAST, "attention.self.nodes.output", networks * size, size);
    b->deviation = -1;
    return b->lists ? value : gw_plan_sbm_attention(b->plan, query, key, value, layer, &w, b->network->mixing);
}

static void restart(gw_network *network) {
    gw_sbm_graphs_restart(network->mixing);
}

static double *sums(gw_network *network, int64_t *count) {
    return gw_sbm_graphs_sums(network->mixing, count);
}

// "density": for each layer a list of its heads'.
static void add_metrics(const gw_network *network, json_t *row) {
    const gw_config *config = &network->model->config;
    json_t *layers = json_array();
    for (int l = 0; l < config->layers; l++) {
        json_t *heads = json_array();
        for (int h = 0; h < config->heads; h++)
            json_array_append_new(heads, json_real(gw_sbm_graphs_density(network->mixing, l, h)));
        json_array_append_new(layers, heads);
    }
    json_object_set_new(row, "density", layers);
}

static void note_metrics(const gw_network *network) {
    const gw_config *config = &network->model->config;
    gw_string text = {0};
    for (int l = 0; l < config->layers; l++) {
        gw_string_printf(&text, "; layer %d:", l);
        for (int h = 0; h < config->heads; h++)
            gw_string_printf(&text, " %.3g", gw_sbm_graphs_density(network->mixing, l, h));
    }
    if (text.data) gw_note("densities of sampled graphs by head%s", text.data);
    gw_string_free(&text);
}

static void print_options(const gw_mixer_options *options, gw_string *out) {
    const gw_sbm_learning *learning = &options->sbm;
    gw_string_printf(out, ", exploration %.9g, price of %s %.9g%s", learning->exploration,
                     learning->expected ? "probabilities" : "edges", learning->weight,
                     learning->gradient == GW_EDGES_LEARN_BY_MASK ? ", gradient of the mask" : "");
}

static void watch(gw_network *network, int layer, int head) {
    gw_sbm_graphs_watch(network->mixing, layer, head);
}

static gw_drawn_graph drawn(const gw_network *network, int layer, int head) {
    return (gw_drawn_graph){gw_sbm_graphs_graph(network->mixing, layer, head), fixed_of(&network->model->config),
                            gw_sbm_graphs_memberships(network->mixing)};
}

const gw_mixer_row gw_mixer_sbm = {
    .words = words,
    .no_graph = "sbm has no graph before a model draws one of its data",
    .make = make,
    .free = free_graphs,
    .describe = describe,
    .restart = restart,
    .sums = sums,
    .add_metrics = add_metrics,
    .note_metrics = note_metrics,
    .print_options = print_options,
    .watch = watch,
    .drawn = drawn,
};
