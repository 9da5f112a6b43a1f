// SPDX-License-Identifier: MIT
// A network of few rows for each member. A portion runs its plan stage by stage.
#include "network/partial.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "model/family.h"
#include "model/model.h"
#include "network/network_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of a whole run's products, from which on that is as good: where attention runs a sequence at a time.
#define MOST_SHARE 0.75
// Of a whole run: seconds of a processor. A first sequence that takes more is not run whole as a check of its own:
// those that are begin with its rows.
#define COSTLY_PRODUCTS 1e11
static const float bound = 1e-5F; // as docs/background/numerics.md has it, of outputs beyond 1 relative
enum { BATCH_ROWS = 4096, MASKED_ROWS = 2048, SEQUENCES = 256 };

// A sequence that is run whole too.
typedef struct {
    gw_variation sequence;
    int64_t index; // of those that were asked; -1: none
    bool done;
    int32_t *token;
    int64_t capacity;
} check;

struct gw_partial {
    gw_model *model;
    gw_network **network; // [members]
    int members, rows;
    gw_portion *portion;
    gw_tensor output;
    int64_t memory;
    bool has_first, ran; // the first sequence was computed, and is still there
    int32_t *first;      // its tokens
    int64_t first_capacity, start[2];
    gw_variation reference;
    int64_t first_id;
    int64_t *id; // [asked]
    int64_t id_capacity;
    check same, other; // of the first one's length, of another
    double share;
    gw_string shares;
    bool is_told;
    float *out; // of masked tokens
    int64_t out_capacity, length;
};

static bool is_of_convolutions(const gw_config *config) {
    return config->stem.count > 0 && config->layers == 0;
}

// Whether a base's row says nothing of where the base stands.
static bool has_no_places(const gw_config *config) {
    if (gw_config_has_tracks(config)) return gw_family_of(config->family)->tracks(config).reach > 0;
    return is_of_convolutions(config) && config->stem.levels == 0 && !gw_stem_has_positions(&config->stem);
}

// Whether outputs are rows of the tokens' stream, or of a coarser one.
static bool is_stream(const gw_partial *p) {
    return p->rows == GW_ROWS_TOKENS || p->rows >= GW_BATCH_ROWS - GW_STEM_LEVELS + 1;
}

// Rows of a batch: with those beside them that convolutions read, at each resolution; of networks of tracks as many as
// attention reads at their coarsest one.
static int64_t batch_rows(const gw_config *config, int of) {
    const gw_stem *stem = &config->stem;
    int64_t rows = of == GW_ROWS_MASKED ? MASKED_ROWS : BATCH_ROWS;
    int factor[GW_STEM_LEVELS] = {1};
    const int levels = gw_config_has_tracks(config) ? gw_config_levels(config, factor) : 0;
    for (int i = 0; i < stem->count; i++) {
        const gw_stem_layer *part = &stem->part[i];
        const int64_t reach = (int64_t)(part->taps - 1) / 2 * part->dilation * stem->factor[part->level];
        rows = gw_max(rows, 4 * reach);
    }
    return levels > 0 ? gw_max(rows, gw_config_longest(config) / factor[levels]) : rows;
}

// Tokens of a batch: of a network whose first sequence is completed as one, as many as that may have.
static int64_t batch_tokens(const gw_config *config, int of) {
    const int64_t rows = batch_rows(config, of);
    return of == GW_ROWS_TOKENS && has_no_places(config) ? rows : gw_max(rows, gw_config_longest(config));
}

static gw_network_options options_of(const gw_partial *p, int64_t tokens, int64_t sequences) {
    return (gw_network_options){.tokens = tokens,
                                .sequences = sequences,
                                .masked = p->rows == GW_ROWS_MASKED ? sequences : 0,
                                .output_rows = p->rows == GW_ROWS_FIRST    ? GW_OUTPUT_FIRST
                                               : p->rows == GW_ROWS_MASKED ? GW_OUTPUT_MASKED
                                                                           : GW_OUTPUT_ALL};
}

static gw_status make(gw_partial *p, bool *can) {
    const gw_config *config = &p->model->config;
    const bool masked = p->rows == GW_ROWS_MASKED;
    const int64_t longest = gw_config_longest(config);
    int64_t bytes = 0;
    p->network = gw_alloc(p->members, sizeof(gw_network *));
    if (!p->network) return GW_ERR_MEMORY;
    for (int m = 0; m < p->members; m++) {
        gw_network_options options = options_of(p, batch_tokens(config, p->rows), SEQUENCES);
        options.parts = true;
        if (gw_config_has_tracks(config)) options.rows = batch_rows(config, p->rows);
        GW_TRY(gw_network_new(gw_model_member(p->model, m), &options, &p->network[m]));
        bytes += gw_network_bytes(p->network[m]);
    }
    p->output = p->network[0]->output[p->rows].tensor;
    if (p->output.width == 0) return GW_OK;
    GW_TRY(gw_portion_new(&p->network[0]->plan, GW_ROWS_TOKENS, p->output, masked, &p->portion));
    *can = p->portion && (p->members == 1 || !gw_portion_attends(p->portion)) &&
           (gw_partial_shifts(p) || bytes + gw_portion_row_bytes(p->portion) * longest <= p->memory);
    return GW_OK;
}

gw_status gw_partial_new(gw_model *model, int rows, int64_t memory, gw_partial **out) {
    const gw_backend *kernels = gw_kernels();
    *out = NULL;
    if (!kernels) return GW_ERR_UNSUPPORTED;
    // Whether a change leaves rows of the next layer but one as they are.
    const gw_config *config = &model->config;
    const gw_pattern *pattern = &config->pattern;
    const bool local =
        config->mixer == GW_MIXER_ATTENTION && !pattern->full && pattern->global == 0 && pattern->every == 0;
    const bool known = is_of_convolutions(config) || gw_config_has_tracks(config) || local;
    if (!kernels->shares_host || config->token_dropout || !known) return GW_OK;
    gw_partial *made = gw_alloc(1, sizeof *made);
    if (!made) return GW_ERR_MEMORY;
    made->model = model;
    made->members = gw_model_member_count(model);
    made->rows = rows;
    made->memory = memory;
    made->same.index = made->other.index = -1;
    bool can = false;
    const gw_status status = make(made, &can);
    if (status == GW_OK && can) *out = made;
    else gw_partial_free(made);
    return status;
}

void gw_partial_free(gw_partial *p) {
    if (!p) return;
    gw_portion_free(p->portion);
    for (int m = 0; p->network && m < p->members; m++) gw_network_free(p->network[m]);
    free(p->network);
    free(p->first);
    free(p->id);
    free(p->same.token);
    free(p->other.token);
    gw_string_free(&p->shares);
    free(p->out);
    free(p);
}

bool gw_partial_shifts(const gw_partial *p) {
    return gw_portion_shifts(p->portion) && has_no_places(&p->model->config);
}

int64_t gw_partial_most(const gw_partial *p) {
    return p->memory / gw_portion_row_bytes(p->portion);
}

gw_status gw_partial_gap(gw_partial *p, int64_t *rows) {
    return gw_portion_gap(p->portion, rows);
}

static gw_run run_of(const gw_partial *p, int member) {
    gw_run run = gw_network_run(p->network[member]);
    run.plan = &p->network[member]->plan;
    return run;
}

// What ops read of the first sequence's rows, where that is more than their tokens.
static gw_status begin(gw_partial *p, const gw_variation *first) {
    const gw_batch batch = {
        .of = {[GW_ROWS_TOKENS] = {.sequences = 1, .start = p->start, .token = (int32_t *)first->token}}};
    const gw_batch none = {0};
    gw_run run = run_of(p, 0);
    p->start[1] = first->count;
    if (gw_partial_shifts(p)) run.batch = &none;
    else GW_TRY(gw_network_complete(p->network[0], &batch));
    GW_TRY(gw_portion_begin(p->portion, &run, first));
    return GW_OK;
}

// What was asked for and not run, after an error or where a batch is left to a whole run.
static void forget(gw_partial *p) {
    gw_portion_clear(p->portion);
    p->same.index = p->other.index = -1;
}

gw_status gw_partial_begin(gw_partial *p, const gw_variation *first, int64_t id) {
    const gw_variation *before = &p->reference;
    const bool fixed = gw_model_member(p->model, 0)->packed != NULL; // else weights may have changed
    const bool same = fixed && p->has_first && first->count == before->count && first->begin == before->begin &&
                      first->end == before->end &&
                      memcmp(p->first, first->token, (size_t)first->count * sizeof *p->first) == 0;
    p->first_id = id;
    forget(p);
    if (same) return GW_OK;
    p->has_first = p->ran = false;
    GW_TRY(gw_reserve(&p->first, &p->first_capacity, first->count, sizeof *p->first));
    memcpy(p->first, first->token, (size_t)first->count * sizeof *p->first);
    p->reference = *first;
    p->reference.token = p->first;
    GW_TRY(begin(p, &p->reference));
    p->has_first = true;
    return GW_OK;
}

// The first of its kind is run whole too.
static gw_status remember(check *c, const gw_variation *sequence, int64_t index) {
    if (c->done || c->index >= 0) return GW_OK;
    GW_TRY(gw_reserve(&c->token, &c->capacity, sequence->count, sizeof *c->token));
    memcpy(c->token, sequence->token, (size_t)sequence->count * sizeof *sequence->token);
    c->sequence = *sequence;
    c->sequence.token = c->token;
    c->index = index;
    return GW_OK;
}

static gw_status add(gw_partial *p, const gw_variation *sequence, bool *taken) {
    const double most = gw_portion_attends(p->portion) ? MOST_SHARE : INFINITY;
    double share;
    GW_TRY(gw_portion_add(p->portion, sequence, most, &share, taken));
    if (!*taken) return GW_OK;
    if (p->shares.length == 0) {
        p->share = share;
        gw_portion_print_shares(p->portion, &p->shares);
        GW_TRY(gw_string_status(&p->shares));
    }
    return remember(sequence->count == sequence->span ? &p->same : &p->other, sequence,
                    gw_portion_count(p->portion) - 1);
}

gw_status gw_partial_ask(gw_partial *p, const gw_variation *sequence, int64_t id, bool *taken) {
    *taken = sequence->count == sequence->span || gw_partial_shifts(p);
    if (!*taken) return GW_OK;
    GW_TRY(add(p, sequence, taken));
    if (!*taken) return GW_OK;
    GW_TRY(gw_reserve(&p->id, &p->id_capacity, gw_portion_count(p->portion), sizeof *p->id));
    p->id[gw_portion_count(p->portion) - 1] = id;
    return GW_OK;
}

// Rows [begin, end) of tokens that are run whole.
static gw_status compare(const gw_partial *p, gw_network *network, const gw_variation *sequence, const float *outputs) {
    int64_t start[] = {0, sequence->count};
    int32_t row = (int32_t)sequence->begin;
    gw_batch batch = {.of = {[GW_ROWS_TOKENS] = {.sequences = 1, .start = start, .token = (int32_t *)sequence->token}}};
    if (p->rows == GW_ROWS_MASKED) batch.of[GW_ROWS_MASKED] = (gw_rows){.count = 1, .row = &row};
    GW_TRY(gw_network_forward(network, &batch, NULL));
    const float *whole = gw_network_output(network, p->rows);
    if (!whole) return GW_ERR_IO;
    const bool stream = is_stream(p);
    const int64_t count = (stream ? sequence->end - sequence->begin : 1) * p->output.width;
    if (stream) whole += sequence->begin * p->output.width;
    for (int64_t i = 0; i < count; i++) {
        const float off = fabsf(outputs[i] - whole[i]);
        if (!(off <= bound * fmaxf(1, fabsf(whole[i]))))
            return gw_fail(GW_ERR_RANGE,
                           "an output of the first sequences is %g off what a whole window gives; use --plain",
                           (double)off);
    }
    return GW_OK;
}

// A sequence's window, and the rows of the first one that it stands for.
static gw_status check_one(const gw_partial *p, int member, const check *c, const float *outputs) {
    const gw_variation *sequence = &c->sequence;
    const gw_network_options options = options_of(p, gw_max(sequence->count, sequence->span), 1);
    gw_network *network;
    gw_variation window = *sequence;
    window.begin -= sequence->offset;
    window.end -= sequence->offset;
    GW_TRY(gw_network_new(gw_model_member(p->model, member), &options, &network));
    gw_status status = compare(p, network, &window, outputs);
    if (status == GW_OK && p->rows != GW_ROWS_MASKED && gw_portion_products(p->portion) < COSTLY_PRODUCTS) {
        const float *first;
        status = gw_portion_output(p->portion, -1, &first);
        if (is_stream(p)) first += (sequence->begin - p->reference.begin) * p->output.width;
        window.token = p->first + sequence->offset;
        window.count = sequence->span;
        window.end += sequence->span - sequence->count;
        if (status == GW_OK) status = compare(p, network, &window, first);
    }
    gw_network_free(network);
    return status;
}

static gw_status give(gw_partial *p, int member, int64_t i, gw_forward_answer *answer, void *context) {
    const float *outputs;
    GW_TRY(gw_portion_output(p->portion, i, &outputs));
    if (i >= 0 && i == p->same.index) GW_TRY(check_one(p, member, &p->same, outputs));
    if (i >= 0 && i == p->other.index) GW_TRY(check_one(p, member, &p->other, outputs));
    if (i >= 0) GW_TRY(gw_portion_output(p->portion, i, &outputs));
    return answer(context, i < 0 ? p->first_id : p->id[i], outputs);
}

// Checks that were made are not made again.
static void end_checks(gw_partial *p) {
    p->same.done |= p->same.index >= 0;
    p->other.done |= p->other.index >= 0;
    p->same.index = p->other.index = -1;
    if (p->is_told || p->shares.length == 0) return;
    p->is_told = true;
    gw_detail("%s %.3g %% of its window's products; of the rows of each layer, in %%:%s",
              p->rows == GW_ROWS_MASKED ? "a masked token takes" : "an allele computes", 100 * p->share,
              p->shares.data);
}

static gw_status run_all(gw_partial *p, const gw_run *run, int member, gw_forward_answer *answer, void *context) {
    for (int64_t from = 0, count; from < gw_portion_count(p->portion); from += count) {
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_portion_run(p->portion, run, from, &count));
        for (int64_t i = from; i < from + count; i++) GW_TRY(give(p, member, i, answer, context));
    }
    return GW_OK;
}

gw_status gw_partial_run(gw_partial *p, gw_forward_answer *answer, void *context) {
    for (int m = 0; m < p->members; m++) {
        const gw_run run = run_of(p, m);
        GW_TRY(gw_check_interrupt());
        if (!p->ran || gw_portion_has_grown(p->portion)) GW_TRY(gw_portion_run_first(p->portion, &run));
        GW_TRY(give(p, m, -1, answer, context));
        GW_TRY(run_all(p, &run, m, answer, context));
    }
    p->ran = p->members == 1;
    end_checks(p);
    gw_portion_clear(p->portion);
    return GW_OK;
}

// Masked tokens.

static gw_status put_logits(void *context, int64_t id, const float *logits) {
    gw_partial *p = context;
    memcpy(p->out + id * p->output.width, logits, (size_t)p->output.width * sizeof *p->out);
    return GW_OK;
}

static gw_status run_masked(gw_partial *p) {
    const gw_run run = run_of(p, 0);
    GW_TRY(run_all(p, &run, 0, put_logits, p));
    end_checks(p);
    gw_portion_clear(p->portion);
    return GW_OK;
}

gw_status gw_partial_masked(gw_partial *p, const gw_batch *batch, const float **logits) {
    const gw_rows *stream = &batch->of[GW_ROWS_TOKENS], *masked = &batch->of[GW_ROWS_MASKED];
    *logits = NULL;
    bool one_each = masked->count == stream->sequences;
    for (int64_t s = 0; one_each && s < stream->sequences; s++)
        one_each = masked->row[s] >= stream->start[s] && masked->row[s] < stream->start[s + 1];
    if (!one_each) return GW_OK;
    GW_TRY(gw_reserve(&p->out, &p->out_capacity, masked->count * p->output.width, sizeof *p->out));
    forget(p);
    for (int64_t s = 0; s < stream->sequences; s++) {
        const int64_t first = stream->start[s], count = stream->start[s + 1] - first, row = masked->row[s] - first;
        const gw_variation sequence = {
            .token = stream->token + first, .count = count, .span = count, .begin = row, .end = row + 1};
        bool taken;
        if (count != p->length) {
            GW_TRY(run_masked(p));
            GW_TRY(begin(p, &sequence));
            p->length = count;
        }
        GW_TRY(add(p, &sequence, &taken));
        if (!taken) return GW_OK;
        GW_TRY(gw_reserve(&p->id, &p->id_capacity, gw_portion_count(p->portion), sizeof *p->id));
        p->id[gw_portion_count(p->portion) - 1] = s;
    }
    GW_TRY(run_masked(p));
    *logits = p->out;
    return GW_OK;
}
