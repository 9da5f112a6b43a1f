// SPDX-License-Identifier: MIT
// The transformer that BERT and related families share, and its decoder.
//
// Encoder, per block and sequence (post-norm, as BERT and BigBird):
//   x = LN(x + dropout(W_o mixing(W_q x, W_k x, W_v x)))
//   x = LN(x + dropout(W_2 act(W_1 x)))
// With norms before the sublayers: x = x + dropout(f(LN(x))) for both, and LN(x) after the last block if the family has
// it. A gated feed-forward layer is W_2 (act(W_1 x) * W_g x). If only some rows of the last block are read, all rows
// have keys and values there, and queries and later steps are computed only for these rows. Blocks may run on a stream
// with more rows than tokens: the last block computes all rows, and the tokens' rows are then picked. Rows that are no
// tokens may have separate output and feed-forward layers; the two kinds are then separated after attention and joined
// at the end of the block. With a stem that pools, the blocks run at its coarsest resolution, and all rows are
// computed.
//
// Decoder, per block and sequence, with norms before the sublayers, as in Pegasus:
//   x = x + dropout(W_o attention(W_q LN(x), W_k LN(x), W_v LN(x)))      over the target's tokens up to each one
//   x = x + dropout(W_o attention(W_q LN(x), W_k m, W_v m))              over all of the source's hidden states m
//   x = x + dropout(W_2 act(W_1 LN(x)))
// With norms behind them: x = LN(x + dropout(f(x))) for all three.
#include "model/transformer.h"

#include "model/head.h"
#include "model/mixer.h"
#include "model/stem.h"

#include <math.h>
#include <stdio.h>

// Embeddings, of the encoder's tokens and of a decoder's.

static const char *encoder_prefix(const gw_builder *b) {
    return gw_head_of(b->config->head)->bare ? "" : b->of.prefix;
}

static bool shares_decoder(const gw_builder *b) {
    return b->of.twin != NULL;
}

// A decoder has the encoder's tables but for its positions, which families that share tensors share too.
static gw_embedding declare_embedding(gw_builder *b, bool decoder) {
    const gw_config *config = b->config;
    const int64_t letters = config->stem.count > 0 ? config->stem.letters : config->width;
    gw_embedding e = {.token_scale = config->rescale ? sqrt((double)config->width) : 1,
                      .vocabulary = config->vocabulary,
                      .positions = config->positions,
                      .segments = config->segments};
    b->prefix = encoder_prefix(b);
    e.token = gw_declare_weight(b, GW_ROLE_TOKEN_EMBEDDING, b->of.tokens, config->vocabulary, letters);
    for (int i = 0; i < GW_TRANSFORMER_TIES && b->of.ties[i]; i++) gw_declare_alias(b, b->of.ties[i], ".weight");
    if (config->rotary == 0 && !(decoder && !shares_decoder(b)))
        e.position = gw_declare_weight(b, GW_ROLE_POSITION, b->of.positions, config->positions, letters);
    if (b->of.segments) e.segment = gw_declare_weight(b, GW_ROLE_SEGMENT, b->of.segments, config->segments, letters);
    if (!decoder || shares_decoder(b)) return e;
    b->prefix = "";
    e.position =
        gw_declare_weight(b, GW_ROLE_DECODER_POSITION, b->of.decoder_positions, config->positions, config->width);
    return e;
}

// Tokens by the norm, other rows by one of their own.
static gw_tensor norm_apart(gw_builder *b, gw_tensor x, gw_norm norm, gw_norm beside) {
    gw_tensor part[2];
    for (int i = 0; i < 2; i++)
        part[i] = gw_plan_norm(b->plan, gw_plan_gather(b->plan, x, i == 0 ? b->rows.tokens : b->rows.others),
                               i == 0 ? norm : beside, b->config->epsilon);
    return gw_plan_merge(b->plan, part, x.rows);
}

static gw_tensor embed(gw_builder *b, gw_embedding e, int64_t width, int stream, uint32_t site) {
    const gw_config *config = b->config;
    const gw_dropout dropout = {config->dropout, site};
    gw_tensor x = gw_plan_embedding(b->plan, e, width, stream);
    if (b->of.order == GW_DROPOUT_THEN_NORM) x = gw_plan_dropout(b->plan, x, dropout);
    if (b->of.embedding_norm && config->embedding_norm) {
        b->prefix = encoder_prefix(b);
        const bool apart = site == GW_DROPOUT_EMBEDDING && (gw_config_own_layers(config) & GW_OWN_OUTPUTS);
        const gw_norm norm = gw_declare_norm(b, GW_ROLE_EMBEDDING_NORM, b->of.embedding_norm, width);
        if (apart)
            x = norm_apart(b, x, norm,
                           gw_declare_norm(b, GW_ROLE_BESIDE_EMBEDDING_NORM, "embeddings.beside.LayerNorm", width));
        else x = gw_plan_norm(b->plan, x, norm, config->epsilon);
    }
    return b->of.order == GW_NORM_THEN_DROPOUT ? gw_plan_dropout(b->plan, x, dropout) : x;
}

// Blocks.

// What the layers share.
typedef struct {
    gw_angles angles, local_angles; // by rotary_base, and by local_rotary_base
    int stream, rows;               // of the blocks, and whose hidden states their last one makes
} shared;

enum { TOKENS, OTHERS, KINDS }; // of rows with layers of their own
enum { SITE_ATTENTION, SITE_FEED_FORWARD };

// The sublayer's input x and its output y: x + dropout(y); `site` is the sublayer's number within its layer.
static gw_tensor join(gw_builder *b, gw_tensor x, gw_tensor y, int layer, int site) {
    const gw_dropout dropout = {b->config->dropout, (uint32_t)(GW_DROPOUT_SITES * (layer + 1) + site)};
    return gw_plan_sum(b->plan, gw_plan_dropout(b->plan, y, dropout), x);
}

static void scope_layer(gw_builder *b, int layer) {
    b->prefix = encoder_prefix(b);
    gw_builder_scope(b, b->of.layers, layer);
}

// A layer's tensor of a kind of rows: that of the tokens, where the others have none of their own.
static gw_role role_of(const gw_builder *b, gw_role role, int kind, const char **name) {
    static const char *const own[] = {"beside.attention.output.dense", "beside.attention.output.LayerNorm",
                                      "beside.intermediate.dense",     "beside.intermediate.gate",
                                      "beside.output.dense",           "beside.output.LayerNorm"};
    const unsigned layers = kind == OTHERS ? gw_config_own_layers(b->config) : 0;
    const unsigned needed = role <= GW_ROLE_ATTENTION_NORM ? GW_OWN_OUTPUTS : GW_OWN_FEED_FORWARDS;
    if (!(layers & needed)) return role;
    *name = own[role - GW_ROLE_ATTENTION_OUTPUT];
    return role - GW_ROLE_ATTENTION_OUTPUT + GW_ROLE_BESIDE_ATTENTION_OUTPUT;
}

static gw_tensor layer_linear(gw_builder *b, gw_tensor x, gw_role role, const char *name, int kind, int64_t out,
                              bool bias) {
    const gw_role of = role_of(b, role, kind, &name);
    return gw_build_linear(b, x, of, name, out, bias);
}

static gw_tensor layer_norm(gw_builder *b, gw_tensor x, gw_role role, const char *name, int kind) {
    const gw_role of = role_of(b, role, kind, &name);
    return gw_build_norm(b, x, of, name);
}

static bool is_normed_before(const gw_builder *b, int layer) {
    return b->config->pre_norm && (layer > 0 || b->of.first_norm);
}

static gw_tensor norm_before(gw_builder *b, gw_tensor x, int layer, int kind) {
    return is_normed_before(b, layer) ? layer_norm(b, x, GW_ROLE_ATTENTION_NORM, b->of.attention.norm, kind) : x;
}

static gw_tensor turned(gw_builder *b, gw_tensor x, int layer, const shared *s) {
    const int every = b->config->pattern.every;
    const gw_angles angles = every > 0 && layer % every != 0 ? s->local_angles : s->angles;
    return b->config->rotary > 0 ? gw_plan_rotary(b->plan, x, (int)b->config->heads, angles) : x;
}

// What is read of each other, by all rows, or those that are made.
static gw_tensor mix(gw_builder *b, gw_tensor x, int layer, const shared *s, int rows) {
    const gw_config *config = b->config;
    const bool shares = gw_mixer_of(config->mixer)->shares_query; // one vector is query and key
    // Queries are computed of the rows that are made alone. Where there are many to a sequence they share what a block
    // of queries reads, and all are computed.
    const bool picks = rows != s->stream && b->picks && !b->plan->training &&
                       b->plan->rows[rows].most <= b->plan->rows[s->stream].most_sequences;
    const gw_tensor asking = picks ? gw_plan_gather(b->plan, x, rows) : x;
    gw_tensor query = x;
    if (!shares) query = gw_build_linear(b, asking, GW_ROLE_QUERY, b->of.attention.query, config->width, config->bias);
    gw_tensor key = gw_build_linear(b, x, GW_ROLE_KEY, b->of.attention.key, config->width, config->bias);
    const gw_tensor value = gw_build_linear(b, x, GW_ROLE_VALUE, b->of.attention.value, config->width, config->bias);
    if (!shares) query = turned(b, query, layer, s);
    key = turned(b, key, layer, s);
    return b->mix(b, layer, shares ? key : query, key, value);
}

static gw_tensor feed_forward(gw_builder *b, gw_tensor x, int kind) {
    const gw_config *config = b->config;
    const bool bias = config->feed_forward_bias;
    gw_tensor wide = layer_linear(b, x, GW_ROLE_FEED_FORWARD, b->of.feed_forward, kind, config->feed_forward, bias);
    wide = gw_plan_activation(b->plan, wide, config->activation);
    if (b->of.gate)
        wide =
            gw_plan_gate(b->plan, wide, layer_linear(b, x, GW_ROLE_GATE, b->of.gate, kind, config->feed_forward, bias));
    return layer_linear(b, wide, GW_ROLE_OUTPUT, b->of.output, kind, config->width, bias);
}

static gw_tensor attention_output(gw_builder *b, gw_tensor x, int kind) {
    const bool bias = b->of.bias_in_output ? b->config->bias : true;
    return layer_linear(b, x, GW_ROLE_ATTENTION_OUTPUT, b->of.attention.output, kind, b->config->width, bias);
}

// Of x and what was read, of those rows: up to the block's last sum.
static gw_tensor rest(gw_builder *b, gw_tensor x, gw_tensor read, int layer, int rows, int kind) {
    const gw_config *config = b->config;
    gw_tensor y = attention_output(b, gw_plan_gather(b->plan, read, rows), kind);
    x = join(b, gw_plan_gather(b->plan, x, rows), y, layer, SITE_ATTENTION);
    if (!config->pre_norm) x = layer_norm(b, x, GW_ROLE_ATTENTION_NORM, b->of.attention.norm, kind);
    y = config->pre_norm ? layer_norm(b, x, GW_ROLE_OUTPUT_NORM, b->of.output_norm, kind) : x;
    return join(b, x, feed_forward(b, y, kind), layer, SITE_FEED_FORWARD);
}

static gw_tensor norm_after(gw_builder *b, gw_tensor x, int kind) {
    return b->config->pre_norm ? x : layer_norm(b, x, GW_ROLE_OUTPUT_NORM, b->of.output_norm, kind);
}

// A block up to its last sum is a segment of the plan.
static gw_tensor block(gw_builder *b, gw_tensor x, int layer, const shared *s) {
    const int rows = layer + 1 == b->layers ? s->rows : s->stream;
    gw_plan_segment_begin(b->plan);
    const gw_tensor y = norm_before(b, x, layer, TOKENS);
    x = rest(b, x, mix(b, y, layer, s, rows), layer, rows, TOKENS);
    gw_plan_segment_end(b->plan);
    return norm_after(b, x, TOKENS);
}

// A block whose kinds of rows share queries, keys and values alone; the last one makes what is read.
static gw_tensor block_of_kinds(gw_builder *b, gw_tensor x, int layer, const shared *s) {
    const int of[KINDS] = {b->rows.tokens, b->rows.others};
    const int made = layer + 1 < b->layers || b->rows.beside > 0 ? KINDS : 1;
    gw_tensor part[KINDS], y = x;
    gw_plan_segment_begin(b->plan);
    for (int k = 0; is_normed_before(b, layer) && k < KINDS; k++)
        part[k] = norm_before(b, gw_plan_gather(b->plan, x, of[k]), layer, k);
    if (is_normed_before(b, layer)) y = gw_plan_merge(b->plan, part, x.rows);
    const gw_tensor read = mix(b, y, layer, s, s->stream);
    for (int k = 0; k < made; k++) part[k] = norm_after(b, rest(b, x, read, layer, of[k], k), k);
    x = made == KINDS ? gw_plan_merge(b->plan, part, s->stream) : part[0];
    gw_plan_segment_end(b->plan);
    return x;
}

// Files have a layer's tensors of the tokens first, and then those of other rows.
static gw_tensor list_kinds(gw_builder *b, gw_tensor x, int layer, const shared *s) {
    const gw_tensor y = block(b, x, layer, s);
    if (!b->config->pre_norm || is_normed_before(b, layer))
        layer_norm(b, y, GW_ROLE_ATTENTION_NORM, b->of.attention.norm, OTHERS);
    attention_output(b, y, OTHERS);
    feed_forward(b, y, OTHERS);
    layer_norm(b, y, GW_ROLE_OUTPUT_NORM, b->of.output_norm, OTHERS);
    return y;
}

static gw_tensor layer_of(gw_builder *b, gw_tensor x, int layer, const shared *s) {
    scope_layer(b, layer);
    if (gw_config_own_layers(b->config) == 0) x = block(b, x, layer, s);
    else if (b->lists) x = list_kinds(b, x, layer, s);
    else x = block_of_kinds(b, x, layer, s);
    gw_builder_scope(b, NULL, 0);
    return x;
}

// Cosines and sines by the frequencies that the model stores, or by the base.
static void make_angles(gw_builder *b, shared *s) {
    const gw_config *config = b->config;
    const float *frequency = NULL;
    if (config->rotary == 0) return;
    if (b->of.frequencies) {
        frequency = gw_declare_buffer(b, GW_ROLE_FREQUENCIES, b->of.frequencies, false, config->rotary / 2, 0).value;
        gw_declare_alias(b, "*", b->of.frequencies); // each layer has them in some files
    }
    if (b->layers > 0)
        s->angles = gw_plan_angles(b->plan, config->positions, config->rotary, config->rotary_base, frequency);
    if (config->pattern.every > 0 && b->layers > 1)
        s->local_angles = gw_plan_angles(b->plan, config->positions, config->rotary, config->local_rotary_base, NULL);
}

gw_linear gw_declare_pooler(gw_builder *b) {
    const gw_config *config = b->config;
    const gw_head_row *head = gw_head_of(config->head);
    const bool always = b->of.pools_always && head->pooler != GW_POOLER_ABSENT;
    const bool bare = head->bare && b->of.transforms != GW_TRANSFORMS_ALL, outer = b->in_encoder;
    if (!bare && !always && !gw_reads_pooler(b)) return (gw_linear){0};
    b->prefix = encoder_prefix(b);
    b->in_encoder = true;
    const gw_linear pooler = gw_declare_linear(b, GW_ROLE_POOLER, b->of.pooler, config->width, config->width, true);
    b->in_encoder = outer;
    b->prefix = "";
    return pooler;
}

gw_linear gw_declare_words(gw_builder *b) {
    const gw_config *config = b->config;
    b->prefix = encoder_prefix(b);
    const gw_linear words =
        gw_declare_linear(b, GW_ROLE_TOKEN_EMBEDDING, b->of.tokens, config->vocabulary, config->width, false);
    b->prefix = "";
    return words;
}

static gw_tensor last_normed(gw_builder *b, gw_tensor x) {
    const bool whole = b->layers == b->config->layers;
    if (!b->config->last_norm || !whole) return x;
    return gw_build_norm(b, x, GW_ROLE_LAST_NORM, b->of.last_norm);
}

// What the head reads is [rows.made][width], the last layer's hidden state; of a stem that ends in windows of bases, of
// all of these. Of a row the bits are the same whichever rows are made.
void gw_describe_transformer(gw_builder *b, const gw_transformer *of) {
    const gw_config *config = b->config;
    const gw_stem *stem = config->stem.count > 0 ? &config->stem : NULL;
    const int64_t letters = stem ? stem->letters : config->width;
    gw_tensor skips[GW_STEM_LEVELS], beside = {0}; // beside: the rows of rows.beside, where that is a stream
    b->of = *of;
    if (!b->plan) return;
    shared s = {.stream = b->rows.blocks, .rows = b->rows.made};
    if (b->rows.tokens != b->rows.blocks) s.rows = b->rows.blocks;
    if (stem && stem->levels > 0) s.stream = s.rows = b->rows.level[stem->levels];
    b->in_encoder = true;
    const gw_embedding embedding = declare_embedding(b, false);
    gw_tensor x = embed(b, embedding, letters, b->rows.blocks, GW_DROPOUT_EMBEDDING);
    make_angles(b, &s);
    if (stem) x = gw_describe_stem(b, 0, stem->before, x, skips);
    if (stem && b->lists) x = gw_describe_stem(b, stem->before, stem->count, x, skips); // listed before the blocks
    for (int layer = 0; layer < b->layers; layer++) x = layer_of(b, x, layer, &s);
    if (stem) x = gw_describe_stem(b, stem->before, stem->count, x, skips);
    b->prefix = encoder_prefix(b);
    if (b->rows.beside > 0) beside = last_normed(b, gw_plan_gather(b->plan, x, b->rows.beside));
    if (x.rows == b->rows.blocks) x = gw_plan_gather(b->plan, x, b->rows.tokens);
    if (!stem || gw_stem_end_level(stem) == 0) x = gw_plan_gather(b->plan, x, b->rows.made);
    x = last_normed(b, x);
    if (b->of.contacts) {
        gw_declare_weight(b, GW_ROLE_CONTACTS, b->of.contacts, 1, config->layers * config->heads);
        gw_declare_bias(b, GW_ROLE_CONTACTS, b->of.contacts, 1);
    }
    b->prefix = "";
    gw_declare_pooler(b);
    b->in_encoder = false;
    b->end(b, x, beside);
}

gw_transformer gw_bert(void) {
    return (gw_transformer){
        .prefix = "bert.",
        .tokens = "embeddings.word_embeddings",
        .positions = "embeddings.position_embeddings",
        .segments = "embeddings.token_type_embeddings",
        .embedding_norm = "embeddings.LayerNorm",
        .layers = "encoder.layer",
        .attention = {"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
                      "attention.output.LayerNorm"},
        .feed_forward = "intermediate.dense",
        .output = "output.dense",
        .output_norm = "output.LayerNorm",
        .last_norm = "encoder.last_layer_ln",
        .pooler = "pooler.dense",
        .transform = "cls.predictions.transform.dense",
        .transform_norm = "cls.predictions.transform.LayerNorm",
        .words = "cls.predictions",
        .words_weight = "cls.predictions.decoder",
        .questions = "qa_outputs",
        .order = GW_NORM_THEN_DROPOUT,
        .first_norm = true,
    };
}

void gw_name_stem(gw_transformer *of) {
    of->parts = "stem";
    of->convolution = "convolution";
    of->convolution_mix = "convolution_mix";
    of->convolution_norm = "convolution_norm";
    of->second_convolution = "second_convolution";
    of->part_norm = "output_norm";
    of->part_feed_forward = "feed_forward";
    of->part_output = "output";
}

// The decoder.

enum { SITE_OWN, SITE_CROSS, SITE_DECODER_FEED_FORWARD };

typedef struct {
    gw_linear query, key, value, output;
    gw_norm norm;
} attention_weights;

static gw_linear declare_square(gw_builder *b, gw_role role, const char *stem, bool bias) {
    return gw_declare_linear(b, role, stem, b->config->width, b->config->width, bias);
}

static attention_weights declare_attention(gw_builder *b, gw_role query, const gw_attention_names *names) {
    const bool bias = b->of.bias_in_output ? b->config->bias : true;
    attention_weights w;
    w.query = declare_square(b, query, names->query, b->config->bias);
    w.key = declare_square(b, query + 1, names->key, b->config->bias);
    w.value = declare_square(b, query + 2, names->value, b->config->bias);
    w.output = declare_square(b, query + 3, names->output, bias);
    w.norm = gw_declare_norm(b, query + 4, names->norm, b->config->width);
    return w;
}

static void scope_decoder(gw_builder *b, int layer) {
    b->prefix = "";
    gw_builder_scope(b, b->of.decoder_layers, layer);
}

// Attention to the target itself: the encoder's tensors, where the decoder shares them.
static attention_weights declare_own(gw_builder *b, int layer) {
    if (!shares_decoder(b)) {
        scope_decoder(b, layer);
        return declare_attention(b, GW_ROLE_OWN_QUERY, &b->of.own);
    }
    scope_layer(b, layer);
    attention_weights w;
    w.query = declare_square(b, GW_ROLE_QUERY, b->of.attention.query, b->config->bias);
    w.key = declare_square(b, GW_ROLE_KEY, b->of.attention.key, b->config->bias);
    w.value = declare_square(b, GW_ROLE_VALUE, b->of.attention.value, b->config->bias);
    w.output = declare_square(b, GW_ROLE_ATTENTION_OUTPUT, b->of.attention.output, true);
    w.norm = gw_declare_norm(b, GW_ROLE_ATTENTION_NORM, b->of.attention.norm, b->config->width);
    return w;
}

static attention_weights declare_cross(gw_builder *b, int layer) {
    scope_decoder(b, layer);
    return declare_attention(b, GW_ROLE_CROSS_QUERY, &b->of.cross);
}

static gw_tensor attention(gw_builder *b, const attention_weights *w, gw_tensor x, int layer, int site,
                           const gw_decoder_reads *reads) {
    const double epsilon = b->config->epsilon;
    const int heads = (int)b->config->decoder_heads;
    const bool own = site == SITE_OWN;
    const gw_tensor asking = b->config->pre_norm ? gw_plan_norm(b->plan, x, w->norm, epsilon) : x;
    gw_tensor y = gw_plan_linear(b->plan, asking, w->query, x.width);
    if (!b->lists && !own && reads->cache) y = gw_plan_attention_source(b->plan, y, heads, layer, reads->cache);
    else if (!b->lists) {
        const gw_tensor read = own ? asking : reads->memory, key = gw_plan_linear(b->plan, read, w->key, x.width),
                        value = gw_plan_linear(b->plan, read, w->value, x.width);
        if (own && reads->cache) y = gw_plan_attention_cached(b->plan, y, key, value, heads, layer, reads->cache);
        else y = gw_plan_attention(b->plan, y, key, value, heads, layer, b->precision, own ? reads->own : reads->cross);
    }
    x = join(b, x, gw_plan_linear(b->plan, y, w->output, x.width), (int)b->config->layers + layer, site);
    return b->config->pre_norm ? x : gw_plan_norm(b->plan, x, w->norm, epsilon);
}

// A block up to its last sum is a segment of the plan.
static gw_tensor decoder_block(gw_builder *b, gw_tensor x, int layer, const gw_decoder_reads *reads) {
    const gw_config *config = b->config;
    const attention_weights own = declare_own(b, layer), cross = declare_cross(b, layer);
    const bool shares = shares_decoder(b), bias = !shares || config->feed_forward_bias;
    const int64_t width = config->width, wide = config->decoder_feed_forward;
    if (shares) scope_layer(b, layer);
    const gw_linear inner =
        gw_declare_linear(b, shares ? GW_ROLE_FEED_FORWARD : GW_ROLE_DECODER_FEED_FORWARD,
                          shares ? b->of.feed_forward : b->of.decoder_feed_forward, wide, width, bias);
    const gw_linear outer = gw_declare_linear(b, shares ? GW_ROLE_OUTPUT : GW_ROLE_DECODER_OUTPUT,
                                              shares ? b->of.output : b->of.decoder_output, width, wide, bias);
    const gw_norm norm = gw_declare_norm(b, shares ? GW_ROLE_OUTPUT_NORM : GW_ROLE_DECODER_OUTPUT_NORM,
                                         shares ? b->of.output_norm : b->of.decoder_output_norm, width);
    gw_builder_scope(b, NULL, 0);
    gw_plan_segment_begin(b->plan);
    x = attention(b, &own, x, layer, SITE_OWN, reads);
    x = attention(b, &cross, x, layer, SITE_CROSS, reads);
    gw_tensor y = config->pre_norm ? gw_plan_norm(b->plan, x, norm, config->epsilon) : x;
    y = gw_plan_activation(b->plan, gw_plan_linear(b->plan, y, inner, wide), config->activation);
    x = join(b, x, gw_plan_linear(b->plan, y, outer, width), (int)config->layers + layer, SITE_DECODER_FEED_FORWARD);
    gw_plan_segment_end(b->plan);
    return config->pre_norm ? x : gw_plan_norm(b->plan, x, norm, config->epsilon);
}

gw_tensor gw_describe_decoder(gw_builder *b, int stream, const gw_decoder_reads *reads) {
    const gw_config *config = b->config;
    gw_tensor x = embed(b, declare_embedding(b, true), config->width, stream, GW_DROPOUT_TARGET);
    for (int layer = 0; layer < config->decoder_layers; layer++) x = decoder_block(b, x, layer, reads);
    b->prefix = "";
    if (shares_decoder(b)) return x;
    const gw_norm norm = gw_declare_norm(b, GW_ROLE_DECODER_LAST_NORM, b->of.decoder_last_norm, config->width);
    return config->last_norm ? gw_plan_norm(b->plan, x, norm, config->epsilon) : x;
}

void gw_describe_source(gw_builder *b, gw_tensor hidden, gw_tensor *memory) {
    for (int layer = 0; layer < b->config->decoder_layers; layer++) {
        const attention_weights cross = declare_cross(b, layer);
        memory[2 * layer] = gw_plan_linear(b->plan, hidden, cross.key, hidden.width);
        memory[2 * layer + 1] = gw_plan_linear(b->plan, hidden, cross.value, hidden.width);
    }
    gw_builder_scope(b, NULL, 0);
}
