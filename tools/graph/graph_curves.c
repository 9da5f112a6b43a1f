// SPDX-License-Identifier: MIT
// Measures five draws of each graph at each size, and makes means, fits and dots from them.
#include "tools/graph/graph_parts.h"

#include "base/log.h"
#include "base/memory.h"
#include "graph/measure.h"
#include "tools/picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Nodes double from FEWEST; every point is a mean over DRAWS graphs. Degree 12: with 8, as many as BigBird's random and
// window blocks have, an Erdos-Renyi graph of 1,024 nodes already leaves one alone in a third of the draws.
enum { FEWEST = 64, SIZES = 5, DRAWS = 5, DEGREE = 12, MODELS = 4, MEASURES = 3 };
static const double REWIRED = 0.1;

typedef struct {
    gw_pattern pattern, without_globals;
    double nodes[SIZES], logarithm[SIZES];
    double mean[MODELS][MEASURES][SIZES], fitted[MODELS][MEASURES][SIZES];
    gw_line_fit fit[MODELS][MEASURES];
    char *names[MODELS];
} curves;

static const char *const measures[MEASURES] = {"mean_path", "clustering", "spectral_gap"};
static const char *const titles[MEASURES] = {"Mean length of the paths between two nodes", "Clustering coefficient",
                                             "Spectral gap"};

static gw_status make_graph(const curves *c, int model, int64_t nodes, int draw, gw_graph **graph) {
    const uint64_t seed = (uint64_t)draw + 1;
    if (model == 0) return gw_erdos_renyi(nodes, DEGREE, seed, graph);
    if (model == 1) return gw_watts_strogatz(nodes, DEGREE, REWIRED, seed, graph);
    gw_pattern pattern = model == 2 ? c->without_globals : c->pattern;
    pattern.seed += seed;
    const gw_graph_shape shape = gw_graph_square(nodes * pattern.block);
    return gw_pattern_graph(&pattern, &shape, draw, 0, 1, shape.keys, graph);
}

static gw_status measure(curves *c, int model, int size) {
    for (int draw = 0; draw < DRAWS; draw++) {
        gw_graph *graph;
        gw_graph_measures m;
        GW_TRY(make_graph(c, model, (int64_t)c->nodes[size], draw, &graph));
        const gw_status status = gw_graph_measure(graph, &m);
        gw_graph_free(graph);
        GW_TRY(status);
        const double values[MEASURES] = {m.mean_path, m.clustering, m.spectral_gap};
        for (int k = 0; k < MEASURES; k++) c->mean[model][k][size] += values[k] / DRAWS;
        gw_progress("measuring", ((int64_t)size * MODELS + model) * DRAWS + draw + 1, SIZES * MODELS * DRAWS, "graphs",
                    NULL);
    }
    return GW_OK;
}

static gw_status draw(const char *path, const curves *c) {
    gw_picture_series series[MEASURES][2 * MODELS];
    gw_picture_panel panels[MEASURES];
    // without global blocks the last two models are one
    const int models = strcmp(c->names[2], c->names[3]) == 0 ? MODELS - 1 : MODELS;
    for (int k = 0; k < MEASURES; k++) {
        for (int model = 0; model < models; model++) {
            series[k][2 * model] =
                (gw_picture_series){c->names[model], c->nodes, c->mean[model][k], SIZES, GW_CURVE_DOTS, model + 1};
            series[k][2 * model + 1] =
                (gw_picture_series){NULL, c->nodes, c->fitted[model][k], SIZES, GW_CURVE_DASHES, model + 1};
        }
        panels[k] = (gw_picture_panel){titles[k], "nodes (dashes: a + b ln n)", .logarithmic_x = true,
                                       .series = series[k], .count = 2 * models};
    }
    return gw_picture_panels(path, panels, MEASURES);
}

gw_status gw_graph_curves(const char *path, const gw_pattern *pattern) {
    curves *c = gw_alloc(1, sizeof *c);
    if (!c) return GW_ERR_MEMORY;
    c->pattern = c->without_globals = *pattern;
    c->without_globals.global = 0;
    c->without_globals.tables = GW_TABLES_OWN;
    c->names[0] = gw_strdup("Erdos-Renyi");
    c->names[1] = gw_strdup("Watts-Strogatz");
    c->names[2] = gw_pattern_text(&c->without_globals);
    c->names[3] = gw_pattern_text(&c->pattern);
    gw_status status = c->names[0] && c->names[1] && c->names[2] && c->names[3] ? GW_OK : GW_ERR_MEMORY;
    for (int size = 0; size < SIZES && status == GW_OK; size++) {
        c->nodes[size] = FEWEST << size;
        c->logarithm[size] = log(c->nodes[size]);
        for (int model = 0; model < MODELS && status == GW_OK; model++) status = measure(c, model, size);
    }
    gw_progress_end();
    if (status == GW_OK) {
        printf("model\tnodes\tmean_path\tclustering\tspectral_gap\n");
        for (int model = 0; model < MODELS; model++)
            for (int size = 0; size < SIZES; size++)
                printf("%s\t%.0f\t%.6g\t%.6g\t%.6g\n", c->names[model], c->nodes[size], c->mean[model][0][size],
                       c->mean[model][1][size], c->mean[model][2][size]);
        printf("\nmodel\tmeasure\ta\tb\tr2\n");
        for (int model = 0; model < MODELS; model++)
            for (int k = 0; k < MEASURES; k++) {
                const gw_line_fit fit = c->fit[model][k] = gw_fit_line(c->logarithm, c->mean[model][k], SIZES);
                for (int size = 0; size < SIZES; size++) c->fitted[model][k][size] = fit.a + fit.b * c->logarithm[size];
                printf("%s\t%s\t%.6g\t%.6g\t%.4f\n", c->names[model], measures[k], fit.a, fit.b, fit.r2);
            }
        status = draw(path, c);
    }
    for (int model = 0; model < MODELS; model++) free(c->names[model]);
    free(c);
    return status;
}
