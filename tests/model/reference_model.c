// SPDX-License-Identifier: MIT
// Embeddings: sum, dropout, norm (BigBird) or sum, norm, dropout. Blocks with norms after the sums or before the
// sublayers, and then maybe one more at the end.
#include "graph/hashed.h"
#include "network/mixers/performer.h"
#include "reference/ref.h"
#include "reference_parts.h"
#include "tests/kernel/graphs.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double *reference_make(int64_t count) {
    double *values = calloc(count > 0 ? (size_t)count : 1, sizeof *values);
    assert(values);
    return values;
}

const double *reference_weight(const context *c, gw_role role, int layer, bool bias) {
    const gw_parameter *parameter = gw_model_role(c->model, role, layer, bias);
    return parameter ? c->weight + parameter->offset : NULL;
}

// The role that rows beside the tokens have for this one, where the model has it; else the same.
static gw_role role_beside(const context *c, gw_role role, int layer) {
    gw_role own = role;
    if (role == GW_ROLE_EMBEDDING_NORM) own = GW_ROLE_BESIDE_EMBEDDING_NORM;
    if (role == GW_ROLE_ATTENTION_OUTPUT) own = GW_ROLE_BESIDE_ATTENTION_OUTPUT;
    if (role == GW_ROLE_ATTENTION_NORM) own = GW_ROLE_BESIDE_ATTENTION_NORM;
    if (role == GW_ROLE_FEED_FORWARD) own = GW_ROLE_BESIDE_FEED_FORWARD;
    if (role == GW_ROLE_GATE) own = GW_ROLE_BESIDE_GATE;
    if (role == GW_ROLE_OUTPUT) own = GW_ROLE_BESIDE_OUTPUT;
    if (role == GW_ROLE_OUTPUT_NORM) own = GW_ROLE_BESIDE_OUTPUT_NORM;
    return c->beside && reference_weight(c, own, layer, false) ? own : role;
}

static void take_beside(const context *c, int64_t rows, int64_t width, const double *from, double *to) {
    for (int64_t i = 0; i < rows; i++)
        if (c->beside[i]) memcpy(to + i * width, from + i * width, (size_t)width * sizeof *to);
}

static double *linear(const context *c, gw_role role, int layer, int64_t rows, int64_t in, int64_t out,
                      const double *x) {
    double *y = reference_make(rows * out);
    ref_gemm(false, true, false, rows, out, in, x, reference_weight(c, role, layer, false),
             reference_weight(c, role, layer, true), y);
    return y;
}

double *reference_linear(const context *c, gw_role role, int layer, int64_t rows, int64_t in, int64_t out,
                         const double *x) {
    double *y = linear(c, role, layer, rows, in, out, x);
    const gw_role own = role_beside(c, role, layer);
    if (own == role) return y;
    double *beside = linear(c, own, layer, rows, in, out, x);
    take_beside(c, rows, out, beside, y);
    free(beside);
    return y;
}

static void normalise(const context *c, gw_role role, int layer, int64_t rows, double *x) {
    const double *weight = reference_weight(c, role, layer, false), *bias = reference_weight(c, role, layer, true);
    double *moments = reference_make(2 * rows), *zeros = reference_make(c->config->width);
    if (weight)
        ref_layer_norm(rows, c->config->width, c->config->epsilon, x, weight, bias ? bias : zeros, x, moments,
                       moments + rows);
    free(moments);
    free(zeros);
}

void reference_normalise(const context *c, gw_role role, int layer, int64_t rows, double *x) {
    const gw_role own = role_beside(c, role, layer);
    const int64_t count = rows * c->config->width;
    double *beside = reference_make(count);
    memcpy(beside, x, (size_t)count * sizeof *x);
    normalise(c, role, layer, rows, x);
    if (own != role) {
        normalise(c, own, layer, rows, beside);
        take_beside(c, rows, c->config->width, beside, x);
    }
    free(beside);
}

void reference_activate(gw_activation hidden, int64_t count, double *x) {
    if (hidden == GW_ACTIVATION_GELU) ref_gelu(count, x, x);
    if (hidden == GW_ACTIVATION_GELU_EXACT) ref_gelu_exact(count, x, x);
    if (hidden == GW_ACTIVATION_RELU) ref_relu(count, x, x);
    if (hidden == GW_ACTIVATION_SILU) ref_silu(count, x, x);
    if (hidden == GW_ACTIVATION_TANH) ref_tanh(count, x, x);
}

void reference_dropout(const context *c, uint32_t site, double probability, int64_t rows, int64_t token,
                       const double *residual, double *x) {
    const int64_t count = rows * c->config->width;
    uint8_t *keep = calloc((size_t)count, 1);
    assert(keep);
    ref_dropout_keep(count, (double)(float)probability, c->seed, c->batch->step, site,
                     (c->batch->of[GW_ROWS_TOKENS].first + token) * c->config->width, keep);
    ref_dropout_add(count, probability, keep, x, residual, x);
    free(keep);
}

// terms[queries][keys] of a layout: 0 where a block is listed, else -infinity.
static double *layout_terms(const context *c, int64_t tokens, int layer, int head) {
    const gw_layout *layout = c->model->layout;
    const int64_t block = c->config->pattern.block, blocks = layout->blocks;
    const uint8_t *cell = layout->cell + ((int64_t)layer * layout->heads + head) * blocks * blocks;
    double *terms = reference_make(tokens * tokens);
    for (int64_t i = 0; i < tokens; i++)
        for (int64_t j = 0; j < tokens; j++)
            terms[i * tokens + j] = cell[i / block * blocks + j / block] ? 0 : -INFINITY;
    return terms;
}

// terms[queries][keys] of a graph: ln m where a block is listed, else -infinity. The graph is the padded input's;
// padded keys have no weight, and padded queries are nobody's business.
static double *dense_terms(const context *c, int64_t tokens, int layer, int head) {
    gw_graph *graph;
    const gw_pattern *pattern = &c->config->pattern;
    if (c->model->layout && !pattern->full) return layout_terms(c, tokens, layer, head);
    const int64_t pad_to = c->batch->of[GW_ROWS_TOKENS].pad_to;
    const gw_graph_shape shape = gw_graph_square(pad_to > 0 ? pad_to : tokens);
    const gw_status status =
        gw_pattern_graph(pattern, &shape, layer, head, (int)c->config->heads, c->config->positions, &graph);
    assert(status == GW_OK);
    (void)status;
    double *terms = reference_make(tokens * tokens);
    for (int64_t i = 0; i < tokens * tokens; i++) terms[i] = -INFINITY;
    for (int64_t i = 0; i < tokens; i++) {
        const int64_t row = i / graph->block;
        for (int64_t e = graph->row_start[row]; e < graph->row_start[row + 1]; e++)
            for (int64_t j = (int64_t)graph->column[e] * graph->block;
                 j < tokens && j < ((int64_t)graph->column[e] + 1) * graph->block; j++)
                if (test_graph_reads(graph, e, i, j))
                    terms[i * tokens + j] = graph->log_multiplicity ? (double)graph->log_multiplicity[e] : 0;
    }
    gw_graph_free(graph);
    return terms;
}

// What a head of a sequence reads of its queries, keys and values [count][size], by the model's mixer.
typedef void reader(const context *c, int64_t count, int layer, int head, double *const part[3], double *out);

static void read_graph(const context *c, int64_t count, int layer, int head, double *const part[3], double *out) {
    const int64_t size = c->config->width / c->config->heads;
    double *terms = dense_terms(c, count, layer, head), *log_sum = reference_make(count);
    ref_attention(count, count, size, 1 / sqrt((double)size), part[0], part[1], part[2], terms, out, log_sum);
    free(terms);
    free(log_sum);
}

static void read_linear(const context *c, int64_t count, int layer, int head, double *const part[3], double *out) {
    const int64_t size = c->config->width / c->config->heads;
    (void)layer, (void)head;
    for (int i = 0; i < 2; i++) ref_elu_plus_one(count * size, part[i], part[i]);
    ref_linear_attention(count, size, size, c->config->mixer_number[1] > 0, part[0], part[1], part[2], out);
}

// Features by the projections that the model draws.
static void read_performer(const context *c, int64_t count, int layer, int head, double *const part[3], double *out) {
    const gw_config *config = c->config;
    const int64_t size = config->width / config->heads, features = config->mixer_number[0];
    const gw_random_features draws = {.features = features, .size = size, .seed = (uint64_t)config->mixer_number[3]};
    const int64_t redraw = config->mixer_number[2];
    float *drawn = calloc((size_t)(features * size), sizeof *drawn);
    double *weight = reference_make(features * size), *feature[2];
    (void)head;
    gw_random_features_draw(&draws, layer, redraw > 0 ? c->batch->step / redraw : 0, drawn);
    for (int64_t i = 0; i < features * size; i++) weight[i] = (double)drawn[i];
    for (int i = 0; i < 2; i++) {
        double *projected = reference_make(count * features);
        feature[i] = reference_make(count * features);
        ref_gemm(false, true, false, count, features, size, part[i], weight, NULL, projected);
        ref_exp_features(count, features, size, 0.5 / sqrt((double)size), i == 1, part[i], projected, feature[i]);
        free(projected);
    }
    ref_linear_attention(count, features, size, config->mixer_number[1] > 0, feature[0], feature[1], part[2], out);
    free(drawn);
    free(weight);
    for (int i = 0; i < 2; i++) free(feature[i]);
}

static void read_linformer(const context *c, int64_t count, int layer, int head, double *const part[3], double *out) {
    const gw_config *config = c->config;
    const int64_t size = config->width / config->heads, sums = config->mixer_number[0], places = config->positions;
    double *sum[2], *terms = reference_make(count * sums), *log_sum = reference_make(count);
    (void)head;
    for (int i = 0; i < 2; i++) { // of keys and of values
        const double *weight = reference_weight(c, GW_ROLE_MIXER + i, layer, false);
        sum[i] = reference_make(sums * size);
        for (int64_t k = 0; k < sums; k++)
            for (int64_t j = 0; j < count; j++)
                for (int64_t d = 0; d < size; d++)
                    sum[i][k * size + d] += weight[k * places + j] * part[i + 1][j * size + d];
    }
    ref_attention(count, sums, size, 1 / sqrt((double)size), part[0], sum[0], sum[1], terms, out, log_sum);
    free(sum[0]);
    free(sum[1]);
    free(terms);
    free(log_sum);
}

// Landmarks, products through them and the skip of values.
static void read_nystrom(const context *c, int64_t count, int layer, int head, double *const part[3], double *out) {
    const gw_config *config = c->config;
    const int64_t size = config->width / config->heads, reach = config->mixer_number[1],
                  taps = 1 + 2 * (reach > 0 ? reach : 17);
    const int64_t most = config->mixer_number[0], landmarks = count < most ? count : most;
    const double *filter = reference_weight(c, GW_ROLE_MIXER, layer, false) + head * taps;
    const double scale = 1 / sqrt((double)size);
    double *mean[2], *terms = reference_make(count * landmarks), *log_sum = reference_make(count),
                     *read = reference_make(landmarks * size), *inverse = reference_make(landmarks * size),
                     *skip = reference_make(count * size);
    for (int i = 0; i < 2; i++) {
        mean[i] = reference_make(landmarks * size);
        ref_segment_mean(count, landmarks, size, part[i], mean[i]);
    }
    ref_attention(landmarks, count, size, scale, mean[0], part[1], part[2], terms, read, log_sum);
    ref_landmark_product(landmarks, size, scale, 6, mean[0], mean[1], read, inverse);
    ref_attention(count, landmarks, size, scale, part[0], mean[1], inverse, terms, out, log_sum);
    ref_head_convolution(count, size, taps, part[2], filter, skip);
    for (int64_t i = 0; i < count * size; i++) out[i] += skip[i];
    double *const made[] = {mean[0], mean[1], terms, log_sum, read, inverse, skip};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
}

// The bucket of a vector: the direction along which it is longest, or the opposite one.
static int64_t bucket_of(int64_t half, int64_t size, const float *direction, const double *vector) {
    double largest = -INFINITY;
    int64_t bucket = 0;
    for (int64_t b = 0; b < 2 * half; b++) {
        double along = 0;
        for (int64_t d = 0; d < size; d++) along += (double)direction[b % half * size + d] * vector[d];
        if (b >= half) along = -along;
        if (along > largest) largest = along, bucket = b;
    }
    return bucket;
}

// terms 0 where a round lists a key for a query, written by the place that each token has among those sorted by bucket.
static void list_round(const gw_hashing *h, int64_t round, const double *vector, double *terms) {
    const int64_t n = h->tokens, half = gw_hashed_buckets(n, h->chunk) / 2;
    float *direction = calloc((size_t)(half * h->size + 1), sizeof *direction);
    int64_t *bucket = calloc((size_t)n, sizeof *bucket), *chunk = calloc((size_t)n, sizeof *chunk);
    gw_hashed_directions(h, round, direction);
    for (int64_t i = 0; i < n && half > 0; i++) bucket[i] = bucket_of(half, h->size, direction, vector + i * h->size);
    for (int64_t i = 0; i < n; i++) {
        int64_t before = 0;
        for (int64_t j = 0; j < n; j++) before += bucket[j] < bucket[i] || (bucket[j] == bucket[i] && j < i);
        chunk[i] = before / h->chunk;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const bool beside = chunk[j] == chunk[i] || chunk[j] == chunk[i] - 1;
            if (i != j && beside && bucket[i] == bucket[j] && !(h->causal && j > i)) terms[i * n + j] = 0;
        }
    free(direction);
    free(bucket);
    free(chunk);
}

static void read_reformer(const context *c, int64_t count, int layer, int head, double *const part[3], double *out) {
    const gw_config *config = c->config;
    const int64_t size = config->width / config->heads;
    const gw_hashing h = {.tokens = count,
                          .size = size,
                          .chunk = config->mixer_number[0],
                          .rounds = config->mixer_number[1],
                          .causal = config->mixer_number[2] > 0,
                          .seed = c->seed,
                          .draw = c->batch->step,
                          .place = (uint32_t)(layer * config->heads + head)};
    double *terms = reference_make(count * count), *key = reference_make(count * size),
           *log_sum = reference_make(count);
    for (int64_t i = 0; i < count * count; i++) terms[i] = -INFINITY;
    for (int64_t round = 0; round < h.rounds; round++) list_round(&h, round, part[1], terms);
    for (int64_t i = 0; i < count; i++) {
        double square = 0;
        bool any = false;
        for (int64_t j = 0; j < count; j++) any = any || terms[i * count + j] == 0;
        if (!any) terms[i * count + i] = 0;
        for (int64_t d = 0; d < size; d++) square += part[1][i * size + d] * part[1][i * size + d];
        for (int64_t d = 0; d < size; d++) key[i * size + d] = part[1][i * size + d] / sqrt(square);
    }
    ref_attention(count, count, size, 1 / sqrt((double)size), part[1], key, part[2], terms, out, log_sum);
    free(terms);
    free(key);
    free(log_sum);
}

static reader *const readers[] = {
    [GW_MIXER_ATTENTION] = read_graph,     [GW_MIXER_LINEAR] = read_linear,     [GW_MIXER_PERFORMER] = read_performer,
    [GW_MIXER_LINFORMER] = read_linformer, [GW_MIXER_REFORMER] = read_reformer, [GW_MIXER_ETC] = reference_read_etc,
    [GW_MIXER_NYSTROM] = read_nystrom};

// One head of one sequence, copied out of and into rows of E values.
static void attend(const context *c, int layer, int head, double *const qkv[3], double *out) {
    const gw_rows *rows = &c->batch->of[GW_ROWS_TOKENS];
    const int64_t width = c->config->width, size = width / c->config->heads, begin = rows->start[c->sequence],
                  count = rows->start[c->sequence + 1] - begin;
    double *packed = reference_make(4 * count * size), *part[3];
    for (int64_t p = 0; p < 3; p++) {
        part[p] = packed + p * count * size;
        for (int64_t i = 0; i < count; i++)
            memcpy(part[p] + i * size, qkv[p] + (begin + i) * width + head * size, (size_t)size * sizeof(double));
    }
    double *result = packed + 3 * count * size;
    readers[c->config->mixer](c, count, layer, head, part, result);
    for (int64_t i = 0; i < count; i++)
        memcpy(out + (begin + i) * width + head * size, result + i * size, (size_t)size * sizeof(double));
    free(packed);
}

// Positions of the batch's tokens: RoBERTa's, and ESM's learned ones, begin after its padding token's, which is every
// padding token's.
static int32_t *positions(const context *c) {
    int32_t *position = calloc((size_t)c->rows, sizeof *position);
    assert(position);
    for (int64_t i = 0; i < c->rows && c->position; i++) position[i] = c->position[i];
    if (c->position) return position;
    const bool roberta =
        c->config->family == GW_FAMILY_ROBERTA || (c->config->family == GW_FAMILY_ESM && c->config->rotary == 0);
    const int32_t pad = (int32_t)c->config->pad;
    for (int s = 0; s < c->batch->of[GW_ROWS_TOKENS].sequences; s++) {
        int32_t seen = 0;
        for (int64_t i = c->batch->of[GW_ROWS_TOKENS].start[s]; i < c->batch->of[GW_ROWS_TOKENS].start[s + 1]; i++)
            if (!roberta) position[i] = (int32_t)(i - c->batch->of[GW_ROWS_TOKENS].start[s]);
            else position[i] = c->batch->of[GW_ROWS_TOKENS].token[i] == pad ? pad : pad + ++seen;
    }
    return position;
}

// What ESM multiplies the tokens' embeddings by: 0 of a masked one, and of the others 0.88 by the share of these. Else
// NULL.
static double *token_scales(const context *c) {
    const gw_rows *tokens = &c->batch->of[GW_ROWS_TOKENS];
    if (!c->config->token_dropout) return NULL;
    double *scale = reference_make(c->rows);
    for (int s = 0; s < tokens->sequences; s++) {
        double left = 0;
        for (int64_t i = tokens->start[s]; i < tokens->start[s + 1]; i++) left += tokens->token[i] != c->config->mask;
        left /= (double)(tokens->start[s + 1] - tokens->start[s]);
        for (int64_t i = tokens->start[s]; i < tokens->start[s + 1]; i++)
            scale[i] = tokens->token[i] == c->config->mask ? 0 : 0.88 / left;
    }
    return scale;
}

// out [R][E] of the attention's linear layer
static double *attention(const context *c, int layer, const double *x) {
    static const gw_role parts[] = {GW_ROLE_QUERY, GW_ROLE_KEY, GW_ROLE_VALUE};
    const gw_config *config = c->config;
    const int64_t width = config->width;
    double *qkv[3], *read = reference_make(c->rows * width);
    const bool shares = gw_mixer_of(config->mixer)->shares_query; // the first is left unread then
    for (int i = 0; i < 3; i++)
        qkv[i] = reference_linear(c, shares && i == 0 ? GW_ROLE_KEY : parts[i], layer, c->rows, width, width, x);
    int32_t *position = positions(c);
    const bool local = gw_pattern_is_local(&config->pattern, layer);
    for (int i = 0; i < 2 && config->rotary > 0; i++)
        ref_rotary(c->rows, (int)config->heads, width / config->heads, config->rotary,
                   local ? config->local_rotary_base : config->rotary_base, 1, position, qkv[i]);
    for (int s = 0; s < c->batch->of[GW_ROWS_TOKENS].sequences; s++)
        for (int head = 0; head < config->heads; head++) {
            context of = *c;
            of.sequence = s;
            attend(&of, layer, head, qkv, read);
        }
    double *out = reference_linear(c, GW_ROLE_ATTENTION_OUTPUT, layer, c->rows, width, width, read);
    for (int i = 0; i < 3; i++) free(qkv[i]);
    free(position);
    free(read);
    return out;
}

static double *feed_forward(const context *c, int layer, const double *x) {
    const int64_t width = c->config->width, wide = c->config->feed_forward;
    double *feed_forward = reference_linear(c, GW_ROLE_FEED_FORWARD, layer, c->rows, width, wide, x);
    reference_activate(c->config->activation, c->rows * wide, feed_forward);
    if (reference_weight(c, GW_ROLE_GATE, layer, false)) {
        double *gate = reference_linear(c, GW_ROLE_GATE, layer, c->rows, width, wide, x);
        for (int64_t i = 0; i < c->rows * wide; i++) feed_forward[i] *= gate[i];
        free(gate);
    }
    double *out = reference_linear(c, GW_ROLE_OUTPUT, layer, c->rows, wide, width, feed_forward);
    free(feed_forward);
    return out;
}

// x becomes LN(x + dropout(f(x))), or x + dropout(f(LN(x))).
static void sublayer(const context *c, int layer, double *(*f)(const context *, int, const double *), gw_role norm,
                     uint32_t site, double *x) {
    const int64_t count = c->rows * c->config->width;
    double *in = reference_make(count);
    memcpy(in, x, (size_t)count * sizeof *in);
    if (c->config->pre_norm) reference_normalise(c, norm, layer, c->rows, in);
    double *y = f(c, layer, in);
    reference_dropout(c, site, c->config->dropout, c->rows, 0, x, y);
    if (!c->config->pre_norm) reference_normalise(c, norm, layer, c->rows, y);
    memcpy(x, y, (size_t)count * sizeof *x);
    free(in);
    free(y);
}

// Rows of the model's width, or of as many channels as a stem embeds letters in.
static void embed(const context *whole, double *x) {
    gw_config letters = *whole->config;
    if (letters.stem.count > 0) letters.width = letters.stem.letters;
    context narrow = *whole;
    narrow.config = &letters;
    const context *c = &narrow;
    const gw_config *config = c->config;
    const bool drops_first = config->family == GW_FAMILY_BIGBIRD, drops_nothing = config->family == GW_FAMILY_ESM;
    int32_t *position = positions(c);
    double *scales = token_scales(c);
    ref_embedding(c->rows, config->width, c->batch->of[GW_ROWS_TOKENS].token, position, c->segment,
                  config->rescale ? sqrt((double)config->width) : 1, scales,
                  reference_weight(c, GW_ROLE_TOKEN_EMBEDDING, 0, false),
                  reference_weight(c, GW_ROLE_POSITION, 0, false), reference_weight(c, GW_ROLE_SEGMENT, 0, false), x);
    if (drops_first) reference_dropout(c, 0, config->dropout, c->rows, 0, NULL, x);
    reference_normalise(c, GW_ROLE_EMBEDDING_NORM, 0, c->rows, x);
    if (!drops_first && !drops_nothing) reference_dropout(c, 0, config->dropout, c->rows, 0, NULL, x);
    free(scales);
    free(position);
}

// Segments given, or those of BigBird's question answering, or 0; and how long the questions are.
static void set_apart(context *c) {
    const gw_batch *batch = c->batch;
    const bool split = c->config->head == GW_HEAD_SPAN && c->config->family == GW_FAMILY_BIGBIRD;
    for (int s = 0; s < batch->of[GW_ROWS_TOKENS].sequences; s++) {
        const int64_t begin = batch->of[GW_ROWS_TOKENS].start[s];
        int64_t i = begin;
        while (i < batch->of[GW_ROWS_TOKENS].start[s + 1] && batch->of[GW_ROWS_TOKENS].token[i] != c->config->separator)
            i++;
        c->question[s] = i < batch->of[GW_ROWS_TOKENS].start[s + 1] ? (int32_t)(i - begin) + 1 : 1;
        for (i = begin; i < batch->of[GW_ROWS_TOKENS].start[s + 1]; i++)
            c->segment[i] = batch->of[GW_ROWS_TOKENS].segment ? batch->of[GW_ROWS_TOKENS].segment[i]
                                                              : split && i - begin >= c->question[s];
    }
}

// The layers with a stem around them, whose coarsest rows they see as a batch of their own.
static double *encode_in_stem(const context *c, double *x) {
    const gw_stem *stem = &c->config->stem;
    double *skips[GW_STEM_LEVELS] = {NULL};
    const int sequences = (int)c->batch->of[GW_ROWS_TOKENS].sequences;
    int64_t *start = calloc((size_t)sequences + 1, sizeof *start);
    assert(start);
    for (int s = 0; s <= sequences; s++) start[s] = reference_level_begin(c, stem->levels, s);
    gw_batch batch = *c->batch;
    batch.of[GW_ROWS_TOKENS].start = start;
    context coarse = *c;
    coarse.batch = &batch;
    coarse.rows = start[sequences];
    x = reference_stem(c, 0, stem->before, x, skips);
    for (int layer = 0; layer < c->config->layers; layer++) {
        sublayer(&coarse, layer, attention, GW_ROLE_ATTENTION_NORM, 0, x);
        sublayer(&coarse, layer, feed_forward, GW_ROLE_OUTPUT_NORM, 0, x);
    }
    x = reference_stem(c, stem->before, stem->count, x, skips);
    for (int level = 0; level < GW_STEM_LEVELS; level++) free(skips[level]);
    free(start);
    return x;
}

static void encode_stem(const context *c, double *x, const reference_outputs *outputs) {
    const int64_t width = c->config->width, sequences = c->batch->of[GW_ROWS_TOKENS].sequences,
                  rows = reference_level_begin(c, gw_stem_end_level(&c->config->stem), (int)sequences);
    const size_t bytes = (size_t)(rows * width) * sizeof *x;
    embed(c, x);
    double *in = reference_make(c->rows * width);
    memcpy(in, x, (size_t)(c->rows * width) * sizeof *x);
    double *out = encode_in_stem(c, in);
    reference_normalise(c, GW_ROLE_LAST_NORM, 0, rows, out);
    memcpy(x, out, bytes);
    if (outputs && outputs->hidden) memcpy(outputs->hidden, x, bytes);
    free(out);
}

static void encode(const context *c, double *x, const reference_outputs *outputs);

// With ETC's global tokens in the batch; x is left the rows of the others.
static void encode_etc(const context *c, double *x, const reference_outputs *outputs) {
    const int64_t width = c->config->width;
    int32_t *position = positions(c), *row = calloc((size_t)c->rows, sizeof *row);
    gw_batch batch;
    assert(row);
    context wide = reference_etc_begin(c, position, &batch, row);
    double *all = reference_make(wide.rows * width);
    encode(&wide, all, NULL);
    for (int64_t i = 0; i < c->rows; i++) memcpy(x + i * width, all + row[i] * width, (size_t)width * sizeof *x);
    const gw_rows *globals = &c->batch->of[GW_ROWS_GLOBALS];
    for (int s = 0; c->globals && s < globals->sequences; s++)
        memcpy(c->globals + globals->start[s] * width, all + batch.of[GW_ROWS_TOKENS].start[s] * width,
               (size_t)((globals->start[s + 1] - globals->start[s]) * width) * sizeof *x);
    if (outputs && outputs->hidden) memcpy(outputs->hidden, x, (size_t)(c->rows * width) * sizeof *x);
    reference_etc_end(&wide);
    free(all);
    free(position);
    free(row);
}

static void encode(const context *c, double *x, const reference_outputs *outputs) {
    const int64_t count = c->rows * c->config->width;
    const size_t bytes = (size_t)count * sizeof *x;
    if (c->config->stem.count > 0) {
        encode_stem(c, x, outputs);
        return;
    }
    if (c->config->mixer == GW_MIXER_ETC && !c->position) {
        encode_etc(c, x, outputs);
        return;
    }
    embed(c, x);
    for (int layer = 0; layer < c->config->layers; layer++) {
        const uint32_t site = 8 * ((uint32_t)layer + 1);
        if (outputs && outputs->after) memcpy(outputs->after + layer * count, x, bytes);
        sublayer(c, layer, attention, GW_ROLE_ATTENTION_NORM, site, x);
        sublayer(c, layer, feed_forward, GW_ROLE_OUTPUT_NORM, site + 1, x);
    }
    if (c->config->last_norm) reference_normalise(c, GW_ROLE_LAST_NORM, 0, c->rows, x);
    if (outputs && outputs->after) memcpy(outputs->after + c->config->layers * count, x, bytes);
    if (outputs && outputs->hidden) memcpy(outputs->hidden, x, bytes);
}

// Each predicted row's cross entropy among products with all encoded ones.
static double contrast_loss(const context *c) {
    const gw_rows *predicted = &c->batch->of[GW_ROWS_PREDICTED], *encoded = &c->batch->of[GW_ROWS_ENCODED];
    const int64_t width = c->config->width, count = predicted->count;
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        double total = 0, own = 0;
        for (int64_t j = 0; j < count; j++) {
            double product = 0;
            for (int64_t d = 0; d < width; d++)
                product += c->globals[predicted->row[i] * width + d] * c->globals[encoded->row[j] * width + d];
            total += exp(product / sqrt((double)width));
            if (j == predicted->label[i]) own = product / sqrt((double)width);
        }
        sum += log(total) - own;
    }
    return sum;
}

double reference_loss(const gw_model *model, const double *weight, const gw_batch *batch, uint64_t seed,
                      reference_scales scales, const reference_outputs *outputs) {
    const int64_t rows = batch->of[GW_ROWS_TOKENS].start[batch->of[GW_ROWS_TOKENS].sequences];
    context c = {.model = model,
                 .config = &model->config,
                 .weight = weight,
                 .batch = batch,
                 .seed = seed,
                 .rows = rows,
                 .segment = calloc((size_t)rows, sizeof *c.segment),
                 .question = calloc((size_t)batch->of[GW_ROWS_TOKENS].sequences, sizeof *c.question)};
    assert(c.segment && c.question);
    c.globals = reference_make(batch->of[GW_ROWS_GLOBALS].count * c.config->width);
    set_apart(&c);
    double *x = reference_make(rows * c.config->width);
    encode(&c, x, outputs);
    const double loss = reference_heads(&c, scales, x, outputs) + scales.label * contrast_loss(&c);
    free(x);
    free(c.globals);
    free(c.segment);
    free(c.question);
    return loss;
}
