// SPDX-License-Identifier: MIT
// The decoder, per block and sequence, with norms before the sublayers, as Pegasus has them:
//   x = x + dropout(W_o attention(W_q LN(x), W_k LN(x), W_v LN(x)))      over the target's tokens up to each one
//   x = x + dropout(W_o attention(W_q LN(x), W_k m, W_v m))              over all of the source's hidden states m
//   x = x + dropout(W_2 act(W_1 LN(x)))
// With norms after them: x = LN(x + dropout(f(x))) for all three.
#include "nn/decoder.h"

#include "nn/block.h"

enum { SITE_OWN, SITE_CROSS, SITE_FEED_FORWARD };

static gw_tensor attend_own(gw_plan *plan, const gw_architecture *a, const gw_attention_weights *w, gw_tensor x,
                            int layer, const gw_decoder_reads *reads) {
    const gw_tensor query = gw_plan_linear(plan, x, w->query, a->width),
                    key = gw_plan_linear(plan, x, w->key, a->width),
                    value = gw_plan_linear(plan, x, w->value, a->width);
    if (!reads->cache) return gw_plan_attention(plan, query, key, value, a->heads, layer, a->precision, reads->own);
    return gw_plan_attention_cached(plan, query, key, value, a->heads, layer, reads->cache);
}

static gw_tensor attend_source(gw_plan *plan, const gw_architecture *a, const gw_attention_weights *w, gw_tensor x,
                               int layer, const gw_decoder_reads *reads) {
    const gw_tensor query = gw_plan_linear(plan, x, w->query, a->width);
    if (reads->cache) return gw_plan_attention_source(plan, query, a->heads, layer, reads->cache);
    const gw_tensor key = gw_plan_linear(plan, reads->memory, w->key, a->width),
                    value = gw_plan_linear(plan, reads->memory, w->value, a->width);
    return gw_plan_attention(plan, query, key, value, a->heads, layer, a->precision, reads->cross);
}

typedef gw_tensor (*reader)(gw_plan *plan, const gw_architecture *a, const gw_attention_weights *w, gw_tensor x,
                            int layer, const gw_decoder_reads *reads);

static gw_tensor attention(gw_plan *plan, const gw_architecture *a, const gw_attention_weights *w, gw_tensor x,
                           int layer, int site, const gw_decoder_reads *reads, reader attend) {
    gw_tensor y = gw_plan_norm_at(plan, a, GW_NORM_BEFORE, x, w->norm);
    y = gw_plan_linear(plan, attend(plan, a, w, y, layer, reads), w->output, a->width);
    x = gw_plan_join(plan, a, x, y, layer, site);
    return gw_plan_norm_at(plan, a, GW_NORM_AFTER, x, w->norm);
}

// A block up to its last sum is a segment of the plan.
static gw_tensor block(gw_plan *plan, const gw_architecture *a, const gw_decoder_block_weights *w, gw_tensor x,
                       int layer, const gw_decoder_reads *reads) {
    gw_plan_segment_begin(plan);
    x = attention(plan, a, &w->own, x, layer, SITE_OWN, reads, attend_own);
    x = attention(plan, a, &w->cross, x, layer, SITE_CROSS, reads, attend_source);
    gw_tensor y = gw_plan_norm_at(plan, a, GW_NORM_BEFORE, x, w->output_norm);
    y = gw_plan_feed_forward(plan, a, w->feed_forward, (gw_linear){0}, w->output, y);
    x = gw_plan_join(plan, a, x, y, layer, SITE_FEED_FORWARD);
    gw_plan_segment_end(plan);
    return gw_plan_norm_at(plan, a, GW_NORM_AFTER, x, w->output_norm);
}

gw_tensor gw_plan_decoder(gw_plan *plan, const gw_architecture *architecture, const gw_decoder_weights *weights,
                          const gw_decoder_reads *reads) {
    const gw_architecture *a = architecture;
    const gw_norm norm[2] = {weights->embedding_norm};
    gw_tensor x = gw_plan_embed(plan, a, weights->embedding, norm, a->width, GW_DROPOUT_TARGET);
    for (int layer = 0; layer < a->layers; layer++) x = block(plan, a, &weights->blocks[layer], x, layer, reads);
    return a->last_norm ? gw_plan_norm(plan, x, weights->last_norm, a->epsilon) : x;
}
