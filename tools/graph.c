// SPDX-License-Identifier: MIT
// godwit graph: prints, draws and measures an attention pattern.
#include "base/memory.h"
#include "base/output.h"
#include "graph/measure.h"
#include "graph/pattern.h"
#include "model/mixer.h"
#include "nn/stem.h"
#include "tools/cli/cli.h"
#include "tools/graph/graph_parts.h"
#include "tools/picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const char *pattern, *structure, *picture, *curves, *stem, *model, *fasta, *region, *memberships;
    int64_t width, tokens, offset, layer, head, heads, positions;
    bool edges;
} graph_arguments;

static const graph_arguments defaults = {
    .pattern = "itc", .width = 128, .tokens = 4096, .heads = 12, .positions = 4096};

static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Pattern"},
    {GW_OPTION_STRING, 'p', "pattern", "SPEC", offsetof(graph_arguments, pattern),
     "itc, longformer, full, or parts joined by + such as window:3+global:2+random:3"},
    {GW_OPTION_STRING, 0, "structure", "FILE", offsetof(graph_arguments, structure),
     "for etc: JSON with the segments of an input's global tokens (docs/reference/patterns.md)"},
    {GW_OPTION_INT, 'n', "tokens", "N", offsetof(graph_arguments, tokens), "length of the input", .min = 1,
     .max = 1 << 24},
    {GW_OPTION_INT, 0, "offset", "N", offsetof(graph_arguments, offset),
     "queries are the tokens from position N on, whose keys before it are kept (a decoder)", .min = 0, .max = 1 << 24},
    {GW_OPTION_INT, 0, "layer", "N", offsetof(graph_arguments, layer), "layer, from 0", .min = 0, .max = 65535},
    {GW_OPTION_INT, 0, "head", "N", offsetof(graph_arguments, head), "head, from 0", .min = 0, .max = 65534},
    {GW_OPTION_INT, 0, "heads", "N", offsetof(graph_arguments, heads), "heads of the model (itc draws for all of them)",
     .min = 1, .max = 65535},
    {GW_OPTION_INT, 0, "positions", "N", offsetof(graph_arguments, positions),
     "positions of the model (itc draws for all of them)", .min = 1, .max = 1 << 24},
    {GW_OPTION_GROUP, .help = "Sampled graphs"},
    {GW_OPTION_STRING, 'm', "model", "MODEL", offsetof(graph_arguments, model),
     "instead: the graph that this model samples, token by token, of the region"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", offsetof(graph_arguments, fasta), "genome of the region"},
    {GW_OPTION_STRING, 'r', "region", "REGION", offsetof(graph_arguments, region), "chr:beg-end (1-based): a window"},
    {GW_OPTION_STRING, 0, "memberships", "FILE", offsetof(graph_arguments, memberships),
     "draw how far the region's queries and keys belong to each cluster of the head: .png or .svg", .writes = true,
     .endings = GW_PICTURE_ENDINGS},
    {GW_OPTION_GROUP, .help = "Stem"},
    {GW_OPTION_STRING, 0, "stem", "TEXT", offsetof(graph_arguments, stem),
     "instead: the output and the reach of each part of a convolutional stem, such as res:9@1,2,4,8"},
    {GW_OPTION_INT, 0, "width", "N", offsetof(graph_arguments, width), "hidden_size of the stem's model", .min = 1,
     .max = 1 << 16},
    {GW_OPTION_GROUP, .help = "Output"},
    {GW_OPTION_STRING, 'o', "output", "FILE", offsetof(graph_arguments, picture),
     "draw the pattern, or the stem's receptive field: .png or .svg", .writes = true, .endings = GW_PICTURE_ENDINGS},
    {GW_OPTION_STRING, 0, "curves", "FILE", offsetof(graph_arguments, curves),
     "instead: measures against the number of blocks, beside random graphs; draws them: .png or .svg", .writes = true,
     .endings = GW_PICTURE_ENDINGS},
    {GW_OPTION_FLAG, 0, "edges", NULL, offsetof(graph_arguments, edges),
     "print the blocks that each row reads instead of the measures (of a structure: the tokens, and why)"},
    {.help = NULL},
};

// --- a stem ---------------------------------------------------------------------------------------------------------

// The picture is a funnel: for each part from the bottom up the bases, to the left and right of one, that it sees.

static const char *const kind_names[] = {
    [GW_STEM_CONVOLUTION] = "conv", [GW_STEM_RESIDUAL] = "res",          [GW_STEM_MAX_POOL] = "pool",
    [GW_STEM_MEAN_POOL] = "mean",   [GW_STEM_UNPOOL] = "unpool",         [GW_STEM_POSITIONS] = "positions",
    [GW_STEM_UNIT] = "unit",        [GW_STEM_LEAKY_UNIT] = "leaky-unit", [GW_STEM_SKIP] = "skip",
    [GW_STEM_GPN] = "gpn",          [GW_STEM_CONVNET] = "convnet"};

// The receptive field after so many parts.
static int64_t field_after(const gw_stem *stem, int parts) {
    gw_stem first = *stem;
    first.before = parts < stem->before ? parts : stem->before;
    return gw_stem_receptive_field(&first);
}

// --- an attention graph ---------------------------------------------------------------------------------------------

static const char *const kind_suffixes[] = {
    [GW_EDGE_FULL] = "", [GW_EDGE_CAUSAL] = "/causal", [GW_EDGE_BAND] = "/band", [GW_EDGE_BITS] = "/bits"};

// "3" or, listed twice, "3*2"; of a block that is read in part how, as in "3/band". Commas separate a row's blocks.
static void print_rows(const gw_graph *graph) {
    puts("query_block\tkey_blocks");
    for (int32_t r = 0; r < graph->query_blocks; r++) {
        printf("%d\t", r);
        for (int64_t e = graph->row_start[r]; e < graph->row_start[r + 1]; e++) {
            printf("%s%d", e > graph->row_start[r] ? "," : "", graph->column[e]);
            const float log_m = graph->log_multiplicity ? graph->log_multiplicity[e] : 0;
            if (log_m > 0) printf("*%ld", lroundf(expf(log_m)));
            if (graph->kind) fputs(kind_suffixes[graph->kind[e]], stdout);
        }
        putchar('\n');
    }
}

static gw_graph_shape shape_of(const graph_arguments *a) {
    return (gw_graph_shape){.queries = a->tokens - a->offset, .keys = a->tokens, .offset = a->offset};
}

static gw_status print_measures(const graph_arguments *a, const char *spec, const gw_pattern *pattern,
                                const gw_graph *graph) {
    gw_graph_measures m;
    GW_TRY(gw_graph_measure(graph, &m));
    printf("measure\tvalue\npattern\t%s\ntokens\t%lld\n", spec, (long long)a->tokens);
    printf("block\t%d\nblocks\t%lld\nlayer\t%lld\nhead\t%lld\n", pattern->block, (long long)m.blocks,
           (long long)a->layer, (long long)a->head);
    if (a->offset > 0) printf("offset\t%lld\n", (long long)a->offset);
    const gw_pattern own = gw_pattern_of_layer(pattern, (int)a->layer);
    printf("full_attention\t%s\n", gw_pattern_is_full(&own, a->tokens) ? "yes" : "no");
    printf("edges\t%lld\nedges_listed\t%.0f\ndensity\t%.6g\n", (long long)m.edges, m.listed, m.density);
    const gw_graph_shape shape = shape_of(a);
    printf("token_pairs\t%lld\n", (long long)gw_graph_token_pairs(graph, shape.queries, shape.keys));
    if (graph->query_blocks != graph->key_blocks) return GW_OK; // paths lead from blocks to blocks of the same sequence
    printf("mean_path\t%.6g\nlongest_path\t%lld\nunreachable_pairs\t%lld\n", m.mean_path, (long long)m.longest_path,
           (long long)m.unreachable);
    printf("clustering\t%.6g\nspectral_gap\t%.6g\n", m.clustering, m.spectral_gap);
    return GW_OK;
}

static gw_status show(const graph_arguments *a, const char *spec, const gw_pattern *pattern, const gw_graph *graph) {
    if (a->picture) {
        char *title = gw_strprintf("%s, %lld tokens, layer %lld, head %lld", spec, (long long)a->tokens,
                                   (long long)a->layer, (long long)a->head);
        const gw_pattern own = gw_pattern_of_layer(pattern, (int)a->layer);
        const bool full = gw_pattern_is_full(&own, a->tokens), sampled = a->model != NULL;
        const gw_status status =
            title ? gw_graph_picture(a->picture, title, &own, full, sampled, graph) : GW_ERR_MEMORY;
        free(title);
        GW_TRY(status);
    }
    if (!a->edges) return print_measures(a, spec, pattern, graph);
    print_rows(graph);
    return GW_OK;
}

static gw_status show_sampled(void *context, const gw_graph_of_model *drawn) {
    graph_arguments a = *(const graph_arguments *)context;
    a.tokens = drawn->graph.key_blocks;
    a.offset = 0;
    if (a.memberships && !drawn->memberships)
        return gw_fail(GW_ERR_UNSUPPORTED, "--memberships: %s has no clusters", drawn->spec);
    if (a.memberships) GW_TRY(gw_memberships_picture(a.memberships, (int)a.layer, (int)a.head, drawn->memberships));
    return show(&a, drawn->spec, &drawn->pattern, &drawn->graph);
}

static gw_status run(void *arguments, char **operands, int count) {
    const graph_arguments *a = arguments;
    (void)operands, (void)count;
    gw_pattern pattern;
    if (a->model) {
        const gw_graph_sampled_options sampled = {a->model, a->fasta, a->region, (int)a->layer, (int)a->head};
        if (!a->fasta || !a->region)
            return gw_fail(GW_ERR_USAGE, "-m needs -f and -r: the graph is drawn for a region");
        return gw_graph_sampled(&sampled, show_sampled, (void *)a);
    }
    if (a->memberships) return gw_fail(GW_ERR_USAGE, "--memberships needs -m: a model computes them for a region");
    if (a->head >= a->heads)
        return gw_fail(GW_ERR_USAGE, "--head %lld: heads are numbered 0 to %lld", (long long)a->head,
                       (long long)a->heads - 1);
    if (a->stem) {
        gw_stem stem;
        GW_TRY(gw_stem_parse(a->stem, a->width, &stem));
        if (a->picture) {
            double x[2 * GW_STEM_PARTS + 2], y[2 * GW_STEM_PARTS + 2];
            const int ends = stem.before + 1;
            for (int i = 0; i < ends; i++) {
                const double half = (double)(field_after(&stem, i) - 1) / 2;
                x[ends - 1 - i] = -half, x[ends + i] = half;
                y[ends - 1 - i] = y[ends + i] = i;
            }
            const gw_picture_series funnel = {.x = x, .y = y, .count = 2 * (int64_t)ends};
            const gw_picture_panel panel = {stem.text,           "bases from the one that is looked at",
                                            "parts of the stem", .series = &funnel,
                                            .count = 1,          .whole_y = true};
            GW_TRY(gw_picture_panels(a->picture, &panel, 1));
        }
        // A row for each part of the stem: what it is, the bases to a row of its result, the channels, and the bases
        // that such
        // a row depends on.
        puts("part\tkind\ttaps\tdilation\tfactor\tbases_a_row\tchannels\treceptive_field");
        for (int i = 0; i < stem.count; i++) {
            const gw_stem_layer *part = &stem.part[i];
            printf("%d\t%s\t%d\t%d\t%d\t%d\t%lld\t", i, kind_names[part->kind], part->taps, part->dilation,
                   part->factor, stem.factor[part->level], (long long)part->width);
            // What follows attention sees all that attention does.
            if (i < stem.before) printf("%lld\n", (long long)field_after(&stem, i + 1));
            else puts("-");
        }
        return GW_OK;
    }
    if (a->structure)
        return gw_graph_structure(&(gw_graph_structure_options){a->pattern, a->structure, a->picture, a->edges});
    const gw_mixer_row *mixer = gw_mixer_of(gw_mixer_of_pattern(a->pattern));
    if (mixer->no_graph) return gw_fail(GW_ERR_UNSUPPORTED, "%s", mixer->no_graph);
    const gw_status parsed = gw_mixer_parse_blocks(a->pattern, &pattern);
    if (parsed != GW_OK) return parsed == GW_ERR_MEMORY ? parsed : gw_fail(GW_ERR_USAGE, "%s", gw_message());
    if (a->offset >= a->tokens)
        return gw_fail(GW_ERR_USAGE, "--offset %lld: no query is left of %lld tokens", (long long)a->offset,
                       (long long)a->tokens);
    if (a->curves) return gw_graph_curves(a->curves, &pattern);
    const gw_graph_shape shape = shape_of(a);
    gw_graph *graph;
    GW_TRY(gw_pattern_graph(&pattern, &shape, (int)a->layer, (int)a->head, (int)a->heads, a->positions, &graph));
    char *spec = gw_pattern_text(&pattern);
    const gw_status status = spec ? show(a, spec, &pattern, graph) : GW_ERR_MEMORY;
    free(spec);
    gw_graph_free(graph);
    return status;
}

const gw_command gw_command_graph = {
    .name = "graph",
    .group = "Attention",
    .summary = "print, draw and measure an attention pattern",
    .usage = "[-p SPEC] [-n N] [options]",
    .outputs_together = true,
    .description =
        "A pattern says which blocks of keys each block of queries reads. The command prints its measures, a table "
        "of name and value: edges (block pairs computed), density (their share of full attention), token_pairs "
        "(pairs of query and key tokens that are read), mean_path and longest_path (over directed paths between "
        "blocks: the layers that information needs), unreachable_pairs, clustering (Watts and Strogatz) and "
        "spectral_gap (of the normalised adjacency). The last two are of the undirected graph.\n\n"
        "The parts of a pattern are window[:W] (W blocks around the row's own, odd), global[:G] (the first "
        "ceil(G/2) and last floor(G/2) blocks, as rows and as columns), band[:W] (keys at most W tokens from the "
        "query), random[:R] (R random blocks a row), full, causal (only keys at or before the query), block:N "
        "(tokens a block, 64) and seed:N. longformer is window+global. itc is window:3+global:2+random:3 with the "
        "random tables of transformers' BigBird in training mode. There a block may be listed twice; it then counts "
        "twice. sbm[:K] has no graph until a model draws one from its data: -m, -f and -r show the graph of a "
        "region, in blocks of one token. Inputs of at most 5 + 2R blocks (itc), or of fewer than W + G + R (others "
        "without a band), get full attention.\n\n"
        "--curves measures graphs of 64 to 1,024 blocks, the mean of 5 draws each: Erdos and Renyi's (12 links a "
        "node), Watts and Strogatz's (12 links, one in ten rewired), the pattern without its global blocks and the "
        "pattern. It fits a + b ln n to each measure.\n\n"
        "--stem prints the parts of a convolutional stem, which stands between single bases and attention. The "
        "parts are conv:K[xW][@D] (K taps, to W channels, dilation D; then the activation), res:K[@D,D,...] (for "
        "each dilation a residual block: norm, convolution, activation; norm, feed-forward layer of twice the "
        "width), pool:F and mean:F (the largest or the mean of every F rows) and unpool:F (each row F times, plus "
        "the input of the pooling that it undoes). Attention stands at the part attention, else before the first "
        "unpool or at the end.",
    .examples = "godwit graph -p itc -n 4096 -o itc.png\n"
                "godwit graph -p window:5+global:2 -n 8192\n"
                "godwit graph -p band:256+global:1+causal -n 4096 --offset 3000\n"
                "godwit graph -p itc -n 2048 --layer 3 --head 7 --edges\n"
                "godwit graph -m model -f genome.fa -r chrIV:1001-1400 --layer 1 --head 2 -o sampled.svg "
                "--memberships clusters.png\n"
                "godwit graph -p etc:4+hard --structure document.json --edges -o etc.png\n"
                "godwit graph --curves curves.svg\n"
                "godwit graph --stem conv:15+res:9@1,2,4+pool:4+res:5@1,2+unpool:4 -o stem.svg",
    GW_COMMAND_TAKES(0, 0),
    .run = run,
};
