// SPDX-License-Identifier: MIT
// The encoder, per block and sequence (post-norm, as BERT and BigBird):
//   x = LN(x + dropout(W_o mixing(W_q x, W_k x, W_v x)))
//   x = LN(x + dropout(W_2 act(W_1 x)))
// With norms before the sublayers: x = x + dropout(f(LN(x))) for both, and LN(x) after the last block where asked for.
// A gated feed-forward layer is W_2 (act(W_1 x) * W_g x). Norms without weights are left out.
// Where only some rows of the last block are read, all of them give keys and values there, and queries and what follows
// the attention are computed for those few. Blocks may stand in a stream of more rows, whose last ones are all made and
// the tokens' picked; rows that are no tokens may have output and feed-forward layers of their own, and then the two
// kinds part behind what they read and come together again at the end of the block. With a stem that pools, the blocks
// stand at its coarsest resolution, and all rows are made there.
#include "nn/encoder.h"

#include <stddef.h>

enum { SITE_ATTENTION, SITE_FEED_FORWARD };

// What the layers share.
typedef struct {
    gw_angles angles, local_angles; // by rotary_base, and by local_rotary_base
    int stream, rows;               // of the blocks, and whose hidden states their last one makes
} shared;

static bool is_local(const gw_architecture *a, int layer) {
    return a->every > 0 && layer % a->every != 0;
}

static gw_tensor turned(gw_plan *plan, const gw_architecture *a, gw_tensor x, int layer, const shared *s) {
    const gw_angles angles = is_local(a, layer) ? s->local_angles : s->angles;
    return a->rotary > 0 ? gw_plan_rotary(plan, x, a->heads, angles) : x;
}

// Whether queries are computed of the rows that are made alone. Where there are many to a sequence they share what a
// block of queries reads, and all are computed.
static bool picks_queries(const gw_plan *plan, const gw_architecture *a, int rows, int stream) {
    return rows != stream && a->mixing.picks && !plan->training &&
           plan->rows[rows].most <= plan->rows[stream].most_sequences;
}

// What is read of each other, by all rows, or those that are made.
static gw_tensor mix(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w, gw_tensor x, int layer,
                     const shared *s, int rows) {
    const gw_tensor asking = picks_queries(plan, a, rows, s->stream) ? gw_plan_gather(plan, x, rows) : x;
    const bool shares = !w->query.weight.value; // one vector is query and key
    gw_tensor query = shares ? x : gw_plan_linear(plan, asking, w->query, a->width),
              key = gw_plan_linear(plan, x, w->key, a->width);
    const gw_tensor value = gw_plan_linear(plan, x, w->value, a->width);
    if (!shares) query = turned(plan, a, query, layer, s);
    key = turned(plan, a, key, layer, s);
    return a->mixing.describe(plan, a->mixing.context, layer, shares ? key : query, key, value);
}

// Of x and what was read, of those rows: up to the block's last sum.
static gw_tensor rest(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w, gw_tensor x, gw_tensor read,
                      int layer, int rows) {
    gw_tensor y = gw_plan_linear(plan, gw_plan_gather(plan, read, rows), w->attention_output, a->width);
    x = gw_plan_join(plan, a, gw_plan_gather(plan, x, rows), y, layer, SITE_ATTENTION);
    x = gw_plan_norm_at(plan, a, GW_NORM_AFTER, x, w->attention_norm);

    y = gw_plan_norm_at(plan, a, GW_NORM_BEFORE, x, w->output_norm);
    y = gw_plan_feed_forward(plan, a, w->feed_forward, w->gate, w->output, y);
    return gw_plan_join(plan, a, x, y, layer, SITE_FEED_FORWARD);
}

// A block up to its last sum is a segment of the plan.
static gw_tensor block(gw_plan *plan, const gw_architecture *a, const gw_block_weights *w, gw_tensor x, int layer,
                       const shared *s) {
    const int rows = layer + 1 == a->layers ? s->rows : s->stream;
    gw_plan_segment_begin(plan);
    const gw_tensor y = gw_plan_norm_at(plan, a, GW_NORM_BEFORE, x, w->attention_norm);
    x = rest(plan, a, w, x, mix(plan, a, w, y, layer, s, rows), layer, rows);
    gw_plan_segment_end(plan);
    return gw_plan_norm_at(plan, a, GW_NORM_AFTER, x, w->output_norm);
}

enum { KINDS = 2 }; // of rows with layers of their own: tokens and others

// The norm before attention, by the layers of each kind.
static gw_tensor norm_kinds_before(gw_plan *plan, const gw_architecture *a, const gw_block_weights *const w[KINDS],
                                   gw_tensor x) {
    gw_tensor part[KINDS];
    if (a->norm != GW_NORM_BEFORE) return x;
    for (int k = 0; k < KINDS; k++)
        part[k] = gw_plan_norm_at(plan, a, GW_NORM_BEFORE, gw_plan_gather(plan, x, k == 0 ? a->tokens : a->others),
                                  w[k]->attention_norm);
    return gw_plan_merge(plan, part, x.rows);
}

// A block whose kinds of rows share queries, keys and values alone; the last one makes what is read.
static gw_tensor block_of_kinds(gw_plan *plan, const gw_architecture *a, const gw_block_weights *const w[KINDS],
                                gw_tensor x, int layer, const shared *s) {
    gw_tensor part[KINDS];
    const int made = layer + 1 < a->layers || a->beside > 0 ? KINDS : 1;
    gw_plan_segment_begin(plan);
    const gw_tensor read = mix(plan, a, w[0], norm_kinds_before(plan, a, w, x), layer, s, s->stream);
    for (int k = 0; k < made; k++) {
        part[k] = rest(plan, a, w[k], x, read, layer, k == 0 ? a->tokens : a->others);
        part[k] = gw_plan_norm_at(plan, a, GW_NORM_AFTER, part[k], w[k]->output_norm);
    }
    x = made == KINDS ? gw_plan_merge(plan, part, s->stream) : part[0];
    gw_plan_segment_end(plan);
    return x;
}

static gw_tensor layer_of(gw_plan *plan, const gw_architecture *a, const gw_encoder_weights *weights, gw_tensor x,
                          int layer, const shared *s) {
    const gw_block_weights *w = &weights->blocks[layer];
    if (!weights->blocks_beside) return block(plan, a, w, x, layer, s);
    return block_of_kinds(plan, a, (const gw_block_weights *const[]){w, &weights->blocks_beside[layer]}, x, layer, s);
}

static gw_tensor last_normed(gw_plan *plan, const gw_architecture *a, gw_tensor x, gw_norm norm) {
    return a->last_norm ? gw_plan_norm(plan, x, norm, a->epsilon) : x;
}

gw_tensor gw_plan_encoder(gw_plan *plan, const gw_architecture *architecture, const gw_encoder_weights *weights,
                          gw_tensor *beside) {
    const gw_architecture *a = architecture;
    const gw_stem_layers *stem = weights->stem;
    gw_tensor skips[GW_STEM_LEVELS];
    shared s = {.stream = a->stream, .rows = a->rows};
    if (a->tokens != a->stream) s.rows = a->stream;
    if (stem && stem->stem->levels > 0) s.stream = s.rows = stem->stream[stem->stem->levels];
    if (a->rotary > 0 && a->layers > 0)
        s.angles =
            gw_plan_angles(plan, weights->embedding.positions, a->rotary, a->rotary_base, weights->frequencies.value);
    if (a->rotary > 0 && a->every > 0 && a->layers > 1)
        s.local_angles = gw_plan_angles(plan, weights->embedding.positions, a->rotary, a->local_rotary_base, NULL);
    const gw_norm norm[2] = {weights->embedding_norm, weights->embedding_norm_beside};
    gw_tensor x =
        gw_plan_embed(plan, a, weights->embedding, norm, stem ? stem->stem->letters : a->width, GW_DROPOUT_EMBEDDING);
    if (stem) x = gw_plan_stem_before(plan, stem, x, skips);
    for (int layer = 0; layer < a->layers; layer++) x = layer_of(plan, a, weights, x, layer, &s);
    if (stem) x = gw_plan_stem_after(plan, stem, x, skips);
    if (a->beside > 0) *beside = last_normed(plan, a, gw_plan_gather(plan, x, a->beside), weights->last_norm);
    if (x.rows == a->stream) x = gw_plan_gather(plan, x, a->tokens);
    if (!stem || gw_stem_end_level(stem->stem) == 0) x = gw_plan_gather(plan, x, a->rows);
    return last_normed(plan, a, x, weights->last_norm);
}
