// SPDX-License-Identifier: MIT
// The graph that a model draws for a region, and the memberships behind the draw.
#include "base/memory.h"
#include "network/forward.h"
#include "network/token_batch.h"
#include "seq/genome/genome.h"
#include "seq/genome/regions.h"
#include "tools/graph/graph_parts.h"
#include "tools/picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const gw_graph_sampled_options *options;
    gw_model *model;
    gw_genome *genome;
    gw_forward forward;
    gw_token_batch batch;
    gw_regions regions;
    char *bases, *spec;
} sampled;

static gw_status load_and_run(sampled *s) {
    GW_TRY(gw_model_load(s->options->model, &s->model));
    const gw_config *config = &s->model->config;
    const gw_graph_sampled_options *o = s->options;
    if (!gw_mixer_of(config->mixer)->drawn)
        return gw_fail(GW_ERR_MISMATCH, "%s does not sample its graphs: draw its pattern with -p", o->model);
    if (o->layer >= config->layers || o->head >= config->heads)
        return gw_fail(GW_ERR_RANGE, "layer %d, head %d: the model has %lld layers of %lld heads", o->layer, o->head,
                       (long long)config->layers, (long long)config->heads);
    s->spec = gw_config_pattern(&s->model->config);
    if (!s->spec) return GW_ERR_MEMORY;
    GW_TRY(gw_genome_open(s->options->fasta, &s->genome));
    GW_TRY(gw_regions_parse(&s->regions, s->genome, s->options->region));
    if (s->regions.count != 1)
        return gw_fail(GW_ERR_UNSUPPORTED, "a graph is of one region, '%s' are %lld", s->options->region,
                       (long long)s->regions.count);
    const gw_region *region = &s->regions.items[0];
    s->bases = gw_alloc(region->end - region->begin + 1, 1);
    if (!s->bases) return GW_ERR_MEMORY;
    GW_TRY(gw_genome_fetch(s->genome, region->contig, region->begin, region->end, s->bases));
    const int64_t positions = gw_config_longest(&s->model->config);
    const gw_network_options options = {.tokens = positions, .sequences = 1};
    bool full;
    GW_TRY(gw_forward_make(&s->forward, s->model, &options, &s->batch.batch, s));
    gw_network_watch(s->forward.network, s->options->layer, s->options->head);
    GW_TRY(gw_token_batch_make(&s->batch, s->model->tokenizer, positions, 1, positions));
    GW_TRY(gw_token_batch_add(&s->batch, s->bases, s->regions.items[0].end - s->regions.items[0].begin, &full));
    return gw_forward_run(&s->forward);
}

gw_status gw_graph_sampled(const gw_graph_sampled_options *options,
                           gw_status (*use)(void *context, const gw_graph_of_model *drawn), void *context) {
    sampled s = {.options = options};
    gw_status status = load_and_run(&s);
    if (status == GW_OK) {
        const gw_drawn_graph read = gw_network_drawn(s.forward.network, options->layer, options->head);
        const gw_token_graph *tokens = read.graph;
        gw_graph_of_model drawn = {s.spec, .pattern = {.block = 1, .band = read.band > 0 ? (int)read.band : 0},
                                   .memberships = read.memberships};
        drawn.graph = (gw_graph){.block = 1,
                                 .query_blocks = (int32_t)tokens->queries,
                                 .key_blocks = (int32_t)tokens->keys,
                                 .edges = tokens->row_start[tokens->queries],
                                 .row_start = tokens->row_start,
                                 .column = tokens->column};
        status = use(context, &drawn);
    }
    gw_token_batch_free(&s.batch);
    gw_forward_free(&s.forward);
    gw_regions_free(&s.regions);
    gw_genome_close(s.genome);
    gw_model_free(s.model);
    free(s.bases);
    free(s.spec);
    return status;
}

// Y and Z, turned so that tokens go from left to right, as one map.

enum { HEIGHT = 640, LEAST = 3, MOST = 16, NAME = 16 }; // points of the picture and of a row

typedef char row_name[NAME];

static void turn(const float *from, int64_t tokens, int64_t clusters, float *to) {
    for (int64_t i = 0; i < tokens; i++)
        for (int64_t c = 0; c < clusters; c++) to[c * tokens + i] = from[i * clusters + c];
}

gw_status gw_memberships_picture(const char *path, int layer, int head, const gw_memberships *m) {
    const int64_t clusters = m->clusters, rows = 2 * clusters;
    const double height = fmin(fmax(HEIGHT / (double)rows, LEAST), MOST);
    float *value = gw_alloc(rows * m->tokens, sizeof *value);
    row_name *name = gw_alloc(rows, sizeof *name);
    const char **label = gw_alloc(rows, sizeof *label);
    char *title = gw_strprintf("Memberships in %d clusters: layer %d, head %d", m->clusters, layer, head);
    gw_status status = GW_ERR_MEMORY;
    if (value && name && label && title) {
        turn(m->query, m->tokens, clusters, value);
        turn(m->key, m->tokens, clusters, value + clusters * m->tokens);
        // Every row has a name where there is room for it, others each eighth.
        const bool all = height == MOST;
        for (int64_t r = 0; r < 2 * clusters; r++) {
            const int64_t cluster = r % clusters;
            if (all || cluster % 8 == 0)
                snprintf(name[r], sizeof name[r], "%c %lld", r < clusters ? 'Y' : 'Z', (long long)cluster);
            label[r] = name[r];
        }
        status = gw_picture_map(path, &(gw_picture_matrix){.title = title,
                                                           .x_label = "token",
                                                           .value_label = "membership",
                                                           .rows = rows,
                                                           .columns = m->tokens,
                                                           .value = value,
                                                           .row_label = label,
                                                           .row_height = height});
    }
    free(value);
    free(name);
    free((void *)label);
    free(title);
    return status;
}
