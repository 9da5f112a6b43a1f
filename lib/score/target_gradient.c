// SPDX-License-Identifier: MIT
// Backward passes from a target to the letters. A batch has pairs of the sequence and a reference, as many as fit, or
// only the sequence.
#include "score/target_gradient.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "network/network.h"
#include "nn/rescale.h"
#include "score/target_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 16384, LETTERS = 4 };

struct gw_target_gradient {
    int64_t length; // bases of a sequence
    int64_t most;   // sequences of a batch, even
    gw_network **network;
    int members;
    gw_batch batch;
    gw_frame frame;
    int32_t token[256];
    int64_t width; // of what a letter embeds as
    float *table;  // [letters][length][width]
    float *slope;  // [sequences][tokens][width]
    float *seed;
    int64_t seed_capacity;
};

void gw_target_gradient_free(gw_target_gradient *g) {
    if (!g) return;
    for (int m = 0; g->network && m < g->members; m++) gw_network_free(g->network[m]);
    free(g->network);
    gw_batch_free(&g->batch);
    free(g->table);
    free(g->slope);
    free(g->seed);
    free(g);
}

static int64_t tokens_of(const gw_target_gradient *g) {
    return g->length + gw_frame_tokens(&g->frame);
}

static void put_sequence(gw_target_gradient *g, const char *bases, char every) {
    gw_rows *stream = &g->batch.of[GW_ROWS_TOKENS];
    int32_t *to = stream->token + stream->count;
    for (int64_t i = 0; i < g->frame.begins; i++) *to++ = g->frame.before[i];
    for (int64_t i = 0; i < g->length; i++) *to++ = g->token[(unsigned char)(every ? every : bases[i])];
    for (int64_t i = 0; i < g->frame.ends; i++) *to++ = g->frame.after[i];
    stream->count += tokens_of(g);
    gw_rows_end_sequence(stream);
}

// What each letter embeds as at each place.
static gw_status read_table(gw_target_gradient *g, gw_network *network) {
    for (int b = 0; b < LETTERS; b++) {
        gw_batch_clear(&g->batch);
        put_sequence(g, NULL, "ACGT"[b]);
        GW_TRY(gw_network_forward(network, &g->batch, NULL));
        GW_TRY(gw_network_embedded(network, g->slope));
        memcpy(g->table + b * g->length * g->width, g->slope + g->frame.begins * g->width,
               (size_t)(g->length * g->width) * sizeof *g->slope);
    }
    return GW_OK;
}

static gw_status make(const gw_target *t, int64_t references, gw_target_gradient *g) {
    if (t->long_tokens)
        return gw_fail(GW_ERR_UNSUPPORTED, "a token of the model has several bases: only --method ism explains it");
    if (t->model->config.token_dropout)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "the model rescales its embeddings by the share of masked tokens; gradients do not support this");
    if (!gw_kernels() || !gw_kernels()->shares_host)
        return gw_fail(GW_ERR_UNSUPPORTED, "gradients are computed on the processor: --device cpu");
    gw_base_map_letters(t->model, g->token);
    for (int b = 0; b < LETTERS; b++)
        if (!g->token[(unsigned char)"ACGT"[b]])
            return gw_fail(GW_ERR_UNSUPPORTED, "the model has no token of the single base %c", "ACGT"[b]);
    if (t->kind == GW_TARGET_LABEL) GW_TRY(gw_tokenizer_frame(t->model->tokenizer, &g->frame));
    else GW_TRY(gw_base_frame(t->model, &g->frame));
    const int64_t tokens = tokens_of(g), pairs = gw_max(1, gw_min(references, MOST_TOKENS / (2 * tokens)));
    g->most = references > 0 ? 2 * pairs : 1;
    g->members = gw_model_member_count(t->model);
    const gw_network_options options = {
        .tokens = g->most * tokens, .sequences = g->most, .training = true, .still = true, .plain = true};
    g->network = gw_alloc(g->members, sizeof(gw_network *));
    if (!g->network) return GW_ERR_MEMORY;
    for (int m = 0; m < g->members; m++) GW_TRY(gw_network_new(gw_model_member(t->model, m), &options, &g->network[m]));
    g->width = gw_network_embedded_width(g->network[0]);
    if (g->width == 0) return gw_fail(GW_ERR_UNSUPPORTED, "the model's first layer is not of its letters");
    GW_TRY(gw_rows_make(&g->batch.of[GW_ROWS_TOKENS], g->most * tokens, g->most, GW_WITH_TOKEN));
    g->table = gw_alloc(LETTERS * g->length * g->width, sizeof *g->table);
    g->slope = gw_alloc(g->most * tokens * g->width, sizeof *g->slope);
    return g->table && g->slope ? GW_OK : GW_ERR_MEMORY;
}

// ---- what a target's change is made of, by the outputs of a sequence and of a reference (NULL: slopes)

static double softplus(double x) {
    return x > 30 ? x : log1p(exp(x));
}

static double quotient(double from, double to, double off, double slope) {
    return fabs(off) < 1e-6 ? slope : (from - to) / off;
}

// The target is a line in the logits.
static void seed_logits(const gw_target *t, float *seed) {
    const gw_config *config = &t->model->config;
    const gw_numbers *numbers = &config->numbers;
    const double share = 1 / gw_config_temperature(config);
    memset(seed, 0, (size_t)gw_config_logits(config) * sizeof *seed);
    if (gw_config_has_numbers(config)) {
        const bool logarithm = numbers->loss == GW_NUMBER_LOSS_POISSON || !numbers->deviation;
        seed[t->label] = logarithm ? 1 : (float)numbers->deviation[t->label];
        return;
    }
    for (int64_t l = 0; config->problem == GW_PROBLEM_SINGLE_LABEL && l < config->labels; l++)
        seed[l] = (float)(-share / (double)(config->labels - 1));
    seed[t->label] = (float)share;
}

// p (z - mean) of a strand's rows, which the mean of all rows is taken off.
static gw_status seed_profile(const gw_target *t, const float *rows, const float *others, float *seed) {
    const gw_tracks *of = &t->tracks;
    const int64_t strands = of->strands, count = of->rows * strands;
    double *p = gw_alloc(4 * count, sizeof *p), off = 0;
    if (!p) return GW_ERR_MEMORY;
    for (int side = 0; side < (others ? 2 : 1); side++) { // p and z of each side
        const float *z = (side ? others : rows) + of->margin * t->columns;
        double *share = p + 2 * side * count, *at = share + count, most = -INFINITY, sum = 0, mean = 0;
        for (int64_t i = 0; i < count; i++) {
            at[i] = (double)z[i / strands * t->columns + i % strands];
            most = fmax(most, at[i]);
            mean += at[i] / (double)count;
        }
        for (int64_t i = 0; i < count; i++) sum += share[i] = exp(at[i] - most);
        for (int64_t i = 0; i < count; i++) share[i] /= sum, at[i] -= mean;
    }
    for (int64_t i = 0; i < count; i++) {
        if (i % strands != t->label) continue;
        const double z = p[count + i], own = p[i] * z;
        const double m = others ? quotient(own, p[2 * count + i] * p[3 * count + i], z - p[3 * count + i], p[i]) : p[i];
        seed[(of->margin + i / strands) * t->columns + i % strands] += (float)m;
        off += m / (double)count;
    }
    for (int64_t i = 0; i < count; i++) seed[(of->margin + i / strands) * t->columns + i % strands] -= (float)off;
    free(p);
    return GW_OK;
}

static gw_status seed_rows(const gw_target *t, const float *rows, const float *others, float *seed) {
    const int64_t columns = t->columns, l = t->label;
    memset(seed, 0, (size_t)(t->rows * columns) * sizeof *seed);
    if (t->kind == GW_TARGET_PROFILE) return seed_profile(t, rows, others, seed);
    if (t->kind == GW_TARGET_COUNTS)
        for (int64_t r = 0; r < t->rows; r++) seed[r * columns + t->tracks.strands] = (float)(1 / (double)t->rows);
    if (t->kind == GW_TARGET_BASE)
        for (int64_t c = 0; c < columns; c++) seed[c] = c == l ? 1 : (float)(-1.0 / (double)(columns - 1));
    if (t->kind != GW_TARGET_TRACK) return GW_OK;
    double sum[2] = {0};
    for (int64_t r = 0; r < t->rows; r++)
        for (int side = 0; side < (others ? 2 : 1); side++) {
            const double x = (double)(side ? others : rows)[r * columns + l];
            sum[side] += t->tracks.softplus ? softplus(x) : x;
        }
    const double slope = 1 / ((1 + sum[0]) * log(2));
    const double above = others ? quotient(log2(1 + sum[0]), log2(1 + sum[1]), sum[0] - sum[1], slope) : slope;
    for (int64_t r = 0; r < t->rows; r++) {
        const double x = (double)rows[r * columns + l], logistic = 1 / (1 + exp(-x));
        const double y = others ? (double)others[r * columns + l] : x;
        const double m = !t->tracks.softplus ? 1
                         : others            ? quotient(softplus(x), softplus(y), x - y, logistic)
                                             : logistic;
        seed[r * columns + l] = (float)(above * m);
    }
    return GW_OK;
}

// ---- passes

// Of each pair of a batch the seeds of both halves, and the targets; *rows: the output that they are of.
static gw_status seed_batch(const gw_target *t, gw_target_gradient *g, const gw_network *network, int *rows,
                            double *values) {
    const int64_t sequences = g->batch.of[GW_ROWS_TOKENS].sequences, half = sequences > 1 ? sequences / 2 : 1;
    const int64_t bin = t->tracks.bin > 0 ? t->tracks.bin : 1;
    *rows = t->rows == 0 ? GW_ROWS_FIRST : t->tracks.level > 0 ? GW_BATCH_ROWS - t->tracks.level : GW_ROWS_TOKENS;
    const int64_t each = t->rows == 0 ? 1 : (tokens_of(g) + bin - 1) / bin,
                  width = gw_network_output_width(network, *rows);
    const int64_t first = t->rows == 0 ? 0 : (g->frame.begins + (t->window - t->rows * bin) / 2) / bin;
    const float *value = gw_network_output(network, *rows);
    if (!value) return gw_fail(GW_ERR_UNSUPPORTED, "the model has no outputs whose gradient could be taken");
    GW_TRY(gw_reserve(&g->seed, &g->seed_capacity, sequences * each * width, sizeof *g->seed));
    memset(g->seed, 0, (size_t)(sequences * each * width) * sizeof *g->seed);
    for (int64_t s = 0; s < sequences; s++) {
        const int64_t at = (s * each + first) * width, own = (s % half * each + first) * width;
        const float *reference = sequences > 1 ? value + ((s % half + half) * each + first) * width : NULL;
        values[s] = t->rows > 0 ? gw_target_of_rows(t, value + at) : gw_target_of_logits(t, value + at);
        if (t->rows > 0) GW_TRY(seed_rows(t, value + own, reference, g->seed + at));
        else seed_logits(t, g->seed + at);
    }
    return GW_OK;
}

static int letter_of(char base) {
    const char *at = strchr("ACGT", base);
    return at && base ? (int)(at - "ACGT") : -1;
}

// Adds `share` times the multipliers of the batch's first half, less those of the reference's letters.
static void add_multipliers(const gw_target_gradient *g, const char *bases, const char *const *references,
                            int64_t pairs, double share, const double *values, double *out, double *off) {
    const int64_t tokens = tokens_of(g), width = g->width;
    for (int64_t s = 0; s < pairs; s++) {
        double sum = 0;
        for (int64_t i = 0; i < g->length; i++) {
            const float *slope = g->slope + (s * tokens + g->frame.begins + i) * width;
            double m[LETTERS] = {0};
            for (int b = 0; b < LETTERS; b++)
                for (int64_t e = 0; e < width; e++)
                    m[b] += (double)g->table[(b * g->length + i) * width + e] * (double)slope[e];
            const int base = letter_of(bases[i]), reference = references ? letter_of(references[s][i]) : -1;
            for (int b = 0; b < LETTERS; b++)
                out[LETTERS * i + b] += share * (m[b] - (reference < 0 ? 0 : m[reference]));
            sum += base >= 0 && reference >= 0 ? m[base] - m[reference] : 0;
        }
        if (references) *off = fmax(*off, fabs(sum - (values[s] - values[pairs + s])));
    }
}

static gw_status run(const gw_target *t, gw_target_gradient *g, const char *bases, const char *const *references,
                     int64_t count, double share, double *out, double *off) {
    const int64_t pairs = references ? gw_min(count, g->most / 2) : 1;
    double *values = gw_alloc(g->most, sizeof *values);
    gw_status status = values ? GW_OK : GW_ERR_MEMORY;
    for (int64_t from = 0; status == GW_OK && from < (references ? count : 1); from += pairs) {
        const int64_t some = references ? gw_min(pairs, count - from) : 1;
        gw_batch_clear(&g->batch);
        for (int64_t s = 0; s < some; s++) put_sequence(g, bases, 0);
        for (int64_t s = 0; references && s < some; s++) put_sequence(g, references[from + s], 0);
        for (int m = 0; status == GW_OK && m < g->members; m++) {
            gw_network *network = g->network[m];
            int rows;
            status = gw_check_interrupt();
            if (status == GW_OK) status = gw_network_forward(network, &g->batch, NULL);
            if (status == GW_OK) status = seed_batch(t, g, network, &rows, values);
            if (status == GW_OK)
                status = gw_network_backward_from(network, rows, g->seed,
                                                  references ? gw_rescale_backward : gw_slope_backward);
            if (status == GW_OK) status = gw_network_embedded_gradient(network, g->slope);
            if (status == GW_OK)
                add_multipliers(g, bases, references ? references + from : NULL, some, share / g->members, values, out,
                                off);
        }
    }
    free(values);
    return status;
}

gw_status gw_target_multipliers(gw_target_gradient **kept, gw_target *t, const char *bases, int64_t length,
                                const char *const *references, int64_t count, double *out, double *off) {
    const int strands = t->labels ? gw_label_predictor_strands(t->labels) : 1;
    const double share = 1.0 / (strands * (double)(references ? count : 1));
    if (*kept && (*kept)->length != length) {
        gw_target_gradient_free(*kept);
        *kept = NULL;
    }
    if (!*kept) {
        gw_target_gradient *made = gw_alloc(1, sizeof *made);
        if (!made) return GW_ERR_MEMORY;
        made->length = length;
        gw_status status = make(t, references ? count : 0, made);
        if (status == GW_OK) status = read_table(made, made->network[0]);
        if (status != GW_OK) {
            gw_target_gradient_free(made);
            return status;
        }
        *kept = made;
    }
    gw_target_gradient *g = *kept;
    memset(out, 0, (size_t)(LETTERS * length) * sizeof *out);
    *off = references ? 0 : (double)NAN;
    GW_TRY(run(t, g, bases, references, count, share, out, off));
    if (strands == 1) return GW_OK;
    // The other strand's sequence and references, and its multipliers turned back.
    double *back = gw_alloc(LETTERS * length, sizeof *back);
    char *flipped = gw_alloc((1 + count) * length, 1);
    const char **turned = gw_alloc(count + 1, sizeof *turned);
    gw_status status = back && flipped && turned ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && references && i < count; i++) {
        turned[i] = flipped + (1 + i) * length;
        gw_reverse_complement(references[i], length, flipped + (1 + i) * length);
    }
    if (status == GW_OK) {
        gw_reverse_complement(bases, length, flipped);
        status = run(t, g, flipped, references ? turned : NULL, count, share, back, off);
    }
    for (int64_t i = 0; status == GW_OK && i < LETTERS * length; i++) out[i] += back[LETTERS * length - 1 - i];
    free(back);
    free(flipped);
    free(turned);
    return status;
}

// ---- references

// A walk over all edges between letters, in an order drawn anew: the last edges out of each letter form a tree to the
// last base's letter, all other orders are drawn at will.
gw_status gw_shuffle_dinucleotides(const char *bases, int64_t length, uint64_t seed, uint64_t region, uint32_t index,
                                   char *out) {
    enum { KINDS = 5 };
    static const char letters[] = "ACGTN";
    int64_t first[KINDS + 1] = {0}, at[KINDS];
    char *next = gw_alloc(length, 1); // letters that follow each letter, one letter's behind another's
    if (!next) return GW_ERR_MEMORY;
    gw_random random = gw_random_at(seed, GW_SITE_REFERENCE, region, index);
#define KIND(c) (letter_of(c) >= 0 ? letter_of(c) : 4)
    for (int64_t i = 0; i + 1 < length; i++) first[KIND(bases[i]) + 1]++;
    for (int k = 0; k < KINDS; k++) first[k + 1] += first[k];
    memcpy(at, first, sizeof at);
    for (int64_t i = 0; i + 1 < length; i++) next[at[KIND(bases[i])]++] = (char)KIND(bases[i + 1]);
    const int root = length > 0 ? KIND(bases[length - 1]) : 0;
    for (bool tree = false; !tree && length > 1;) { // last edges that lead to the root: drawn until they do
        for (int k = 0; k < KINDS; k++)
            for (int64_t i = first[k + 1] - 1; i > first[k]; i--) {
                const int64_t j = first[k] + (int64_t)gw_random_below(&random, (uint64_t)(i - first[k] + 1));
                const char kept = next[i];
                next[i] = next[j];
                next[j] = kept;
            }
        tree = true;
        for (int k = 0; k < KINDS; k++) {
            int walk = k;
            for (int steps = 0; steps < KINDS && walk != root && first[walk + 1] > first[walk]; steps++)
                walk = next[first[walk + 1] - 1];
            tree = tree && (walk == root || first[k + 1] == first[k]);
        }
    }
    memcpy(at, first, sizeof at);
    int now = length > 0 ? KIND(bases[0]) : 0;
    for (int64_t i = 0; i < length; i++) {
        out[i] = letters[now];
        if (i + 1 < length) now = next[at[now]++];
    }
#undef KIND
    free(next);
    return GW_OK;
}
