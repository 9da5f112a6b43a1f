// SPDX-License-Identifier: MIT
// etc[:RADIUS]: the two streams of ETC (Ainslie et al., 2020; BigBird-ETC): global tokens made by the network, one for
// each segment of a sequence, computed beside the sequence's own long tokens. A long token reads long tokens at most
// RADIUS away and all global tokens. A global token reads all tokens or, with hard, only its segment (graph/etc.h).
// Scores have terms of a key's relative position (gw_relative_attention_args).
//
// segment:N is the number of tokens in a segment; globals:G limits the number of segments; distance:M limits relative
// positions; block:B is the number of tokens in a block of the graph. Both streams share all layers, so that weights of
// encoders without global tokens can be used. Two words of the pattern give separate layers: two-outputs (attention's
// output layers, the norms behind them and those of embeddings) and two-feed-forwards (with their norms). Each stream
// has its own tables of relative positions. A global token embeds as the separator (or as padding, if a model has
// none), in segment 0, at the position of its segment's first token.
#include "graph/etc.h"
#include "base/memory.h"
#include "graph/pattern.h"
#include "model/mixer.h"
#include "network/network_private.h"
#include "nn/attention.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { RADIUS, SEGMENT, GLOBALS, DISTANCE, HARD, OWN, BLOCK, OUTPUTS, FEED_FORWARDS };
static const gw_mixer_word words[] = {
    [RADIUS] = {"etc", .usual = 84, .low = 1, .high = 1 << 20},
    [SEGMENT] = {"segment", .usual = 32, .low = 1, .high = 1 << 20},
    [GLOBALS] = {"globals", .usual = 256, .low = 1, .high = 1 << 20},
    [DISTANCE] = {"distance", .usual = 12, .low = 1, .high = 1 << 12},
    [HARD] = {"hard"},
    [OWN] = {"own"},
    [BLOCK] = {"block", .usual = 64, .low = 1, .high = 1 << 10},
    [OUTPUTS] = {"two-outputs"},
    [FEED_FORWARDS] = {"two-feed-forwards"},
    {0},
};

enum { ROLE_EMBEDDING = GW_ROLE_MIXER, ROLE_BIAS };
enum { TABLES = 2, OTHER_IDS = 3 }; // of long queries and global ones; ids of a long and a global token

// What a batch's sequences are to relative attention (gw_relative_attention_args), filled in before it runs.
typedef struct {
    int block;
    int64_t distance, ids;
    gw_attention_sequence *sequence; // [most sequences]
    int64_t *globals;
    int32_t *segment_begin, *segment_end, *linked; // [most rows]
    bool links;                                    // whether any row is linked
} relative_rows;

typedef struct {
    int heads;
    const relative_rows *rows;
    gw_weight embedding, bias;
} relative_arguments;

static gw_relative_attention_args relative_args(const gw_run *run, const gw_step *step) {
    const relative_arguments *a = step->arguments;
    gw_relative_attention_args args = {
        .attention = gw_attention_of(run, step, a->heads),
        .globals = a->rows->globals,
        .segment_begin = a->rows->segment_begin,
        .segment_end = a->rows->segment_end,
        .linked = a->rows->links ? a->rows->linked : NULL,
        .distance = a->rows->distance,
        .ids = a->rows->ids,
        .embedding = a->embedding.value,
        .bias = a->bias.value,
        .embedding_gradient = a->embedding.gradient,
        .bias_gradient = a->bias.gradient,
    };
    args.attention.sequence = a->rows->sequence;
    args.attention.sequences = (int)run->batch->of[step->in[0].rows].sequences;
    args.attention.block = a->rows->block;
    return args;
}

GW_STEP_FUNCTIONS(relative, relative_attention)

static void relative_size_scratch(gw_plan *plan, gw_step *step) {
    const relative_arguments *a = step->arguments;
    const gw_tensor query = step->in[0];
    const int64_t rows = gw_plan_most(plan, query);
    const gw_relative_attention_args most = {.attention = {.sequences = (int)plan->rows[query.rows].most_sequences,
                                                           .heads = a->heads,
                                                           .head_size = (int)(query.width / a->heads),
                                                           .block = a->rows->block,
                                                           .query_rows = rows,
                                                           .key_rows = rows},
                                             .distance = a->rows->distance,
                                             .ids = a->rows->ids};
    step->saved_floats = a->heads * rows;
    gw_plan_launches(plan, step, GW_OP_relative_attention, &most);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_relative_attention_backward, &most);
}

static const gw_plan_op relative_op = {.name = "relative_attention",
                                       .forward = relative_forward,
                                       .backward = relative_backward,
                                       .size_scratch = relative_size_scratch,
                                       .reads_in = true,
                                       .reads_out = true};

// query, key and value [rows][heads * D] of one stream; embedding [2][ids][heads * D], bias [2][ids][heads]. `rows`
// outlives the plan.
static gw_tensor relative_attention(gw_plan *plan, const gw_tensor qkv[3], int heads, const relative_rows *rows,
                                    gw_weight embedding, gw_weight bias) {
    const relative_arguments arguments = {heads, rows, embedding, bias};
    assert(qkv[0].rows == qkv[1].rows && qkv[1].rows == qkv[2].rows);
    const gw_tensor made =
        gw_plan_append(plan, &relative_op, &arguments, sizeof arguments, qkv, 3, qkv[0].rows, qkv[0].width);
    gw_plan_learns(plan, embedding);
    gw_plan_learns(plan, bias);
    return made;
}

// What is not said is the bare word's.
static int64_t number(const gw_config *config, int word) {
    return config->mixer_number[word] > 0 ? config->mixer_number[word] : words[word].usual;
}

static int64_t ids_of(const gw_config *config) {
    return 2 * number(config, DISTANCE) + 1 + OTHER_IDS;
}

static int64_t own_rows(const gw_config *config, int64_t rows) {
    return rows + gw_etc_globals(rows, number(config, SEGMENT), number(config, GLOBALS));
}

static int64_t most_rows(const gw_config *config, int64_t rows, int64_t sequences) {
    return rows + rows / number(config, SEGMENT) + sequences;
}

typedef struct {
    relative_rows rows; // first
    gw_etc_graphs graphs;
} etc_mixing;

enum { KEPT_BYTES = 1 << 28 }; // of graphs

static void free_mixing(void *mixing) {
    gw_etc_graphs_free(&((etc_mixing *)mixing)->graphs);
    free(mixing);
}

static gw_etc_rules rules(const gw_config *config) {
    return (gw_etc_rules){(int)number(config, BLOCK), number(config, RADIUS), config->mixer_number[HARD] > 0,
                          config->mixer_number[OWN] > 0};
}

static unsigned own_layers(const gw_config *config) {
    return (config->mixer_number[OUTPUTS] > 0 ? GW_OWN_OUTPUTS : 0) |
           (config->mixer_number[FEED_FORWARDS] > 0 ? GW_OWN_FEED_FORWARDS : 0);
}

static gw_status make(gw_network *network) {
    const gw_config *config = &network->model->config;
    if (config->stem.count > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "etc adds rows to a sequence, which a stem's convolutions cannot pass over");
    if (config->token_dropout)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "etc cannot be combined with embeddings that are rescaled by the share of masked tokens");
    etc_mixing *m = gw_alloc(1, sizeof *m);
    if (!m) return GW_ERR_MEMORY;
    m->graphs.rules = rules(config);
    m->rows.block = m->graphs.rules.block;
    m->rows.distance = number(config, DISTANCE);
    m->rows.ids = ids_of(config);
    network->mixing = m;
    return GW_OK;
}

static void alloc(gw_network *network, gw_plan *plan, int64_t most, int64_t sequences) {
    relative_rows *rows = &((etc_mixing *)network->mixing)->rows;
    rows->sequence = gw_plan_alloc(plan, sequences, sizeof *rows->sequence);
    rows->globals = gw_plan_alloc(plan, sequences, sizeof *rows->globals);
    rows->segment_begin = gw_plan_alloc(plan, most, sizeof *rows->segment_begin);
    rows->segment_end = gw_plan_alloc(plan, most, sizeof *rows->segment_end);
    rows->linked = gw_plan_alloc(plan, most, sizeof *rows->linked);
}

// Rows of a sequence: global tokens, then its own. Segments of global tokens are counted from its first row: those of
// the batch, or equal ones.
static gw_status fill_sequence(gw_network *network, const gw_rows *tokens, const gw_rows *given, gw_rows *own,
                               int64_t s) {
    const gw_config *config = &network->model->config;
    etc_mixing *m = network->mixing;
    const int64_t first = own->start[s], rows = own->start[s + 1] - first, from = tokens->start[s],
                  longs = tokens->start[s + 1] - from, globals = rows - longs, at = given->start ? given->start[s] : 0;
    int32_t *begin = m->rows.segment_begin + first, *end = m->rows.segment_end + first;
    if (!given->start) gw_etc_segments(longs, number(config, SEGMENT), number(config, GLOBALS), begin, end);
    for (int64_t g = 0; given->start && g < globals; g++) {
        const bool of_none = given->begin[at + g] < 0;
        begin[g] = of_none ? -1 : (int32_t)(globals + given->begin[at + g]);
        end[g] = of_none ? 0 : (int32_t)(globals + given->end[at + g]);
    }
    for (int64_t g = 0; g < globals; g++) {
        own->token[first + g] = given->token && given->token[at + g] >= 0 ? given->token[at + g]
                                : config->separator >= 0                  ? (int32_t)config->separator
                                                                          : (int32_t)config->pad;
        own->segment[first + g] = given->segment ? given->segment[at + g] : 0;
        own->position[first + g] = tokens->position[from + (begin[g] < 0 ? 0 : begin[g] - globals)];
        if (given->start) given->row[at + g] = (int32_t)(first + g);
    }
    for (int64_t i = from, row = first + globals; i < tokens->start[s + 1]; i++, row++) {
        own->token[row] = tokens->token[i];
        own->segment[row] = tokens->segment[i];
        own->position[row] = tokens->position[i];
        m->rows.linked[row] = tokens->link ? tokens->link[i] : -1;
        tokens->row[i] = (int32_t)row;
    }
    gw_graph *const *graph;
    const int32_t *part = tokens->part ? tokens->part + from : NULL;
    GW_TRY(gw_etc_graphs_get(&m->graphs, &(gw_etc_structure){rows, globals, begin, end, part}, &graph));
    m->rows.globals[s] = globals;
    m->rows.sequence[s] = (gw_attention_sequence){.query_begin = first,
                                                  .query_count = rows,
                                                  .key_begin = first,
                                                  .key_count = rows,
                                                  .graphs = (const gw_graph *const *)graph};
    return GW_OK;
}

static gw_status fill(gw_network *network, const gw_rows *tokens, const gw_rows *given, gw_rows *own) {
    gw_etc_graphs *graphs = &((etc_mixing *)network->mixing)->graphs;
    graphs->kernels = network->plan.kernels;
    ((etc_mixing *)network->mixing)->rows.links = tokens->link && given->start;
    gw_etc_graphs_forget(graphs, KEPT_BYTES);
    for (int64_t s = 0; s < tokens->sequences; s++) GW_TRY(fill_sequence(network, tokens, given, own, s));
    return GW_OK;
}

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    const int64_t rows = TABLES * ids_of(b->config);
    const int heads = (int)b->config->heads;
    (void)layer;
    b->deviation = b->config->initializer_range * sqrt((double)b->config->width); // as large as the keys
    const gw_weight table =
        gw_declare_weight(b, ROLE_EMBEDDING, "attention.self.relative_embedding", rows, b->config->width);
    b->deviation = 0;
    const gw_weight bias = gw_declare_weight(b, ROLE_BIAS, "attention.self.relative_bias", rows, heads);
    b->deviation = -1;
    if (b->lists) return value;
    const etc_mixing *m = b->network->mixing;
    return relative_attention(b->plan, (gw_tensor[]){query, key, value}, heads, &m->rows, table, bias);
}

const gw_mixer_row gw_mixer_etc = {
    .words = words,
    .no_graph =
        "etc has no graph of tokens alone: rows of its own stand beside them, and graph --structure says for what",
    .holds_tokens = true,
    .own_rows = own_rows,
    .most_rows = most_rows,
    .rules = rules,
    .globals = GLOBALS,
    .own_layers = own_layers,
    .alloc = alloc,
    .fill = fill,
    .make = make,
    .free = free_mixing,
    .describe = describe,
};
