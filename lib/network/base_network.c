// SPDX-License-Identifier: MIT
// Windows are put end to end into batches in the given order. Every member runs each batch.
#include "network/base_network.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/softmax.h"
#include "model/family.h"
#include "model/head.h"
#include "model/model.h"
#include "model/task.h"
#include "network/forward.h"
#include "network/partial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOKENS = 32768, MOST_WINDOWS = 512 };

struct gw_base_network {
    gw_model *model;
    gw_forward forward; // of its members, of whole windows; made when there is one
    bool has_forward;
    int64_t flank, classes, longest, most; // longest: of a window; most: tokens of a batch
    int64_t bin;                           // bases to a row of the output
    int output;                            // row set of that
    int members;
    bool logits;
    gw_batch batch;
    int32_t token[256]; // of letters
    gw_frame frame;
    const gw_labelling_window *in_batch[MOST_WINDOWS];
    gw_partial *partial; // of windows that differ from others, or NULL
    int32_t *tokens;     // of a window for that
    int64_t token_capacity;
    char *flipped;
    int64_t flipped_capacity;
};

static bool is_of_convolutions(const gw_config *config) {
    if (gw_config_has_tracks(config)) return true;
    return config->stem.count > 0 && config->layers == 0 && config->stem.levels == 0;
}

bool gw_model_labels_bases(const gw_model *model) {
    const gw_config *config = &model->config;
    const bool splices = gw_family_of(config->family)->scoring.splices && is_of_convolutions(config);
    const bool counts = config->labels > 1 && config->labels <= GW_BASE_CLASSES + 1 && !gw_config_has_tracks(config);
    return counts && !gw_model_reads_signals(model) && (gw_task_of(config->task)->bases || splices);
}

bool gw_model_reads_signals(const gw_model *model) {
    return gw_family_of(model->config.family)->scoring.signals && is_of_convolutions(&model->config);
}

bool gw_model_splices(const gw_model *model) {
    const gw_config *config = &model->config;
    const gw_family_scoring *scoring = &gw_family_of(config->family)->scoring;
    return scoring->splices && scoring->splices(config) && is_of_convolutions(config);
}

gw_status gw_check_labels_bases(const gw_config *config, const gw_tokenizer *tokenizer) {
    if (config->stem.count > 0 && gw_stem_end_level(&config->stem) > 0)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "the stem %s ends with a row for %d bases; labels of bases need one each (unpool)",
                       config->stem.text, config->stem.factor[gw_stem_end_level(&config->stem)]);
    for (int32_t i = 0; i < gw_tokenizer_size(tokenizer); i++)
        if (gw_tokenizer_bases(tokenizer, i) > 1)
            return gw_fail(GW_ERR_UNSUPPORTED,
                           "a token of the model stands for several bases (%s); labels of bases need a model of single "
                           "ones",
                           gw_tokenizer_text(tokenizer, i));
    return GW_OK;
}

int64_t gw_base_reach(const gw_config *config) {
    return config->stem.count > 0 ? (gw_stem_receptive_field(&config->stem) - 1) / 2 : 0;
}

int64_t gw_base_flank(const gw_model *model) {
    const gw_config *config = &model->config;
    if (is_of_convolutions(config)) return gw_base_reach(config);
    return config->window > config->bin && config->bin > 0 ? (config->window - config->bin) / 2 : 0;
}

int64_t gw_base_network_tokens(const gw_base_network *network) {
    return network->most;
}

int64_t gw_base_network_classes(const gw_base_network *network) {
    return network->classes;
}

int64_t gw_base_network_flank(const gw_base_network *network) {
    return network->flank;
}

void gw_base_map_letters(const gw_model *model, int32_t token[256]) {
    const gw_tokenizer *tokenizer = model->tokenizer;
    for (int32_t i = 0; i < gw_tokenizer_size(tokenizer); i++) {
        const char *text = gw_tokenizer_text(tokenizer, i);
        if (strlen(text) == 1) token[(unsigned char)*text] = i;
    }
}

gw_status gw_base_frame(const gw_model *model, gw_frame *out) {
    *out = (gw_frame){0};
    return is_of_convolutions(&model->config) ? GW_OK : gw_tokenizer_frame(model->tokenizer, out);
}

gw_status gw_base_fetch(gw_genome *genome, int contig, int64_t begin, int64_t end, int64_t least, int64_t most,
                        char *bases) {
    const int64_t from = gw_max(begin, least), to = gw_min(end, most);
    memset(bases, 'N', (size_t)(end - begin));
    return from < to ? gw_genome_fetch(genome, contig, from, to, bases + (from - begin)) : GW_OK;
}

static bool add_each(const float *z, int64_t count, double share, float *classes) {
    bool finite = true;
    for (int64_t c = 0; c < count; c++) {
        classes[c] += (float)(share / (1 + exp(-(double)z[c])));
        finite = finite && isfinite(z[c]);
    }
    return finite;
}

// Adds `share` of the probabilities behind logits of a model's classes to those of a base, or, where members are
// summed, all of them; false: they are not finite.
static bool add_classes(const gw_config *config, const float *logits, double share, float *classes) {
    const int64_t count = config->labels;
    const double temperature = gw_config_temperature(config);
    float z[GW_BASE_CLASSES + 1];
    for (int64_t c = 0; c < count; c++) {
        z[c] = logits[c];
        if (config->positive_weights) z[c] -= (float)log(config->positive_weights[c]);
        if (temperature != 1) z[c] /= (float)temperature;
    }
    if (config->overlap) return add_each(z, count, share, classes);
    const gw_softmax softmax = gw_softmax_of(z, count, 1);
    for (int64_t c = 0; c < count; c++) classes[c] += (float)(share * gw_softmax_share(softmax, z[c]));
    return isfinite(softmax.sum);
}

static bool add_logits(const float *z, int64_t count, int members, float *to) {
    bool finite = true;
    for (int64_t c = 0; c < count; c++) {
        to[c] += z[c] / (float)members;
        finite = finite && isfinite(z[c]);
    }
    return finite;
}

// `logits` of the first base that has a flank before it.
static gw_status take_window(const gw_base_network *n, const gw_labelling_window *window, const float *logits) {
    const gw_config *config = &n->model->config;
    const gw_family_scoring *scoring = &gw_family_of(config->family)->scoring;
    const double share = config->overlap && scoring->share ? scoring->share(n->members) : 1.0 / n->members;
    const int64_t rows = (window->length - 2 * n->flank) / n->bin;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t at = window->strand == '-' ? rows - 1 - row : row;
        const float *z = logits + row * n->classes;
        float *to = window->rows + at * n->classes;
        if (n->logits ? !add_logits(z, n->classes, n->members, to) : !add_classes(config, z, share, to))
            return gw_output_not_finite();
    }
    return GW_OK;
}

static gw_status take_windows(void *network, const gw_losses *losses) {
    const gw_base_network *n = network;
    const gw_rows *stream = &n->batch.of[GW_ROWS_TOKENS];
    const float *logits = gw_network_output(n->forward.network, n->output);
    (void)losses;
    if (!logits) return GW_ERR_IO;
    for (int64_t s = 0; s < stream->sequences; s++) {
        const int64_t rows = (stream->start[s + 1] - stream->start[s] + n->bin - 1) / n->bin;
        GW_TRY(take_window(n, n->in_batch[s], logits + ((n->frame.begins + n->flank) / n->bin) * n->classes));
        logits += rows * n->classes;
    }
    return GW_OK;
}

static gw_status make_whole(gw_base_network *n) {
    const gw_network_options options = {.tokens = n->most, .sequences = MOST_WINDOWS};
    n->has_forward = true;
    GW_TRY(gw_forward_members(&n->forward, n->model, &options, &n->batch, n));
    n->forward.ran = take_windows;
    return gw_rows_make(&n->batch.of[GW_ROWS_TOKENS], n->most, MOST_WINDOWS, GW_WITH_TOKEN);
}

static gw_status make(gw_base_network *n, const gw_base_network_options *o) {
    GW_TRY(gw_base_frame(n->model, &n->frame));
    gw_base_map_letters(n->model, n->token);
    n->longest = o->longest + gw_frame_tokens(&n->frame);
    n->most = gw_max(o->tokens > 0 ? o->tokens : DEFAULT_TOKENS, n->longest);
    if (o->memory > 0) GW_TRY(gw_partial_new(n->model, n->output, o->memory, &n->partial));
    if (gw_base_network_shifts(n)) return GW_OK;
    if (n->longest > gw_config_longest(&n->model->config))
        return gw_fail(GW_ERR_MISMATCH, "windows of %lld bases do not fit the model's %lld positions",
                       (long long)o->longest, (long long)gw_config_longest(&n->model->config));
    return n->partial ? GW_OK : make_whole(n);
}

gw_status gw_base_network_new(gw_model *model, const gw_base_network_options *options, gw_base_network **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    (*out)->model = model;
    (*out)->flank = options->flank;
    (*out)->logits = options->logits;
    (*out)->classes = model->config.labels;
    (*out)->bin = 1;
    (*out)->output = GW_ROWS_TOKENS;
    if (gw_config_has_tracks(&model->config)) {
        const gw_tracks tracks = gw_family_of(model->config.family)->tracks(&model->config);
        (*out)->classes = tracks.columns;
        (*out)->bin = tracks.bin;
        (*out)->output = tracks.level > 0 ? GW_BATCH_ROWS - tracks.level : GW_ROWS_TOKENS;
    }
    (*out)->members = gw_model_member_count(model);
    const gw_status status = make(*out, options);
    if (status == GW_OK) return GW_OK;
    gw_base_network_free(*out);
    *out = NULL;
    return status;
}

void gw_base_network_free(gw_base_network *network) {
    if (!network) return;
    gw_forward_free(&network->forward);
    gw_batch_free(&network->batch);
    gw_partial_free(network->partial);
    free(network->tokens);
    free(network->flipped);
    free(network);
}

// The window's tokens in their frame; *count of them.
static gw_status put_window(gw_base_network *n, const gw_labelling_window *window, int32_t *out, int64_t *count) {
    const char *bases = window->bases;
    int64_t at = 0;
    if (window->strand == '-') {
        GW_TRY(gw_reserve(&n->flipped, &n->flipped_capacity, window->length, 1));
        gw_reverse_complement(bases, window->length, n->flipped);
        bases = n->flipped;
    }
    for (int64_t i = 0; i < n->frame.begins; i++) out[at++] = n->frame.before[i];
    for (int64_t i = 0; i < window->length; i++) out[at++] = n->token[(unsigned char)bases[i]];
    for (int64_t i = 0; i < n->frame.ends; i++) out[at++] = n->frame.after[i];
    *count = at;
    return GW_OK;
}

static gw_status run_whole(gw_base_network *n, const gw_labelling_window *window) {
    gw_rows *stream = &n->batch.of[GW_ROWS_TOKENS];
    int64_t count;
    if (!n->has_forward) GW_TRY(make_whole(n));
    GW_TRY(gw_forward_reserve(&n->forward, window->length + gw_frame_tokens(&n->frame), 0));
    GW_TRY(put_window(n, window, stream->token + stream->count, &count));
    stream->count += count;
    n->in_batch[stream->sequences] = window;
    gw_rows_end_sequence(stream);
    return GW_OK;
}

// Windows of a run, while some are of alleles of one of REF's.
typedef struct {
    gw_base_network *of;
    const gw_labelling_window *windows;
} alike;

static gw_status take_alike(void *context, int64_t id, const float *logits) {
    const alike *a = context;
    return take_window(a->of, &a->windows[id], logits);
}

// Whether an allele's window may be computed as far as it differs from REF's.
static bool is_like(const gw_base_network *n, const gw_labelling_window *windows, int64_t i, int64_t ref) {
    if (!n->partial || windows[i].ref != ref) return false;
    return gw_base_network_shifts(n) || (windows[i].length == windows[ref].length && windows[i].offset == 0);
}

// A window as a sequence that stands in place of REF's rows from `offset` on; on the strand that the network reads.
static gw_status sequence_of(gw_base_network *n, const gw_labelling_window *window, const gw_labelling_window *ref,
                             gw_variation *out) {
    const int64_t frame = gw_frame_tokens(&n->frame), span = window == ref ? ref->length : window->span;
    const int64_t offset = window == ref           ? 0
                           : window->strand == '-' ? ref->length - window->offset - span
                                                   : window->offset;
    GW_TRY(gw_reserve(&n->tokens, &n->token_capacity, window->length + frame, sizeof *n->tokens));
    *out =
        (gw_variation){.offset = offset, .span = span + frame, .begin = (offset + n->frame.begins + n->flank) / n->bin};
    out->end = out->begin + (window->length - 2 * n->flank) / n->bin;
    GW_TRY(put_window(n, window, n->tokens, &out->count));
    out->token = n->tokens;
    return GW_OK;
}

// REF's window and those of its alleles.
static gw_status run_alike(gw_base_network *n, const gw_labelling_window *windows, int64_t count, int64_t ref) {
    alike a = {n, windows};
    gw_variation sequence;
    GW_TRY(sequence_of(n, &windows[ref], &windows[ref], &sequence));
    GW_TRY(gw_partial_begin(n->partial, &sequence, ref));
    for (int64_t i = 0; i < count; i++) {
        bool taken;
        if (!is_like(n, windows, i, ref)) continue;
        GW_TRY(sequence_of(n, &windows[i], &windows[ref], &sequence));
        GW_TRY(gw_partial_ask(n->partial, &sequence, i, &taken));
        if (!taken) GW_TRY(run_whole(n, &windows[i]));
    }
    return gw_partial_run(n->partial, take_alike, &a);
}

gw_status gw_base_network_run(gw_base_network *network, const gw_labelling_window *windows, int64_t count) {
    gw_status status = GW_OK;
    for (int64_t i = 0; i < count; i++)
        memset(windows[i].rows, 0,
               (size_t)((windows[i].length - 2 * network->flank) / network->bin * network->classes) * sizeof(float));
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        const int64_t ref = windows[i].ref;
        bool has_alike = false;
        if (ref >= 0 && is_like(network, windows, i, ref)) continue; // REF's run has it
        for (int64_t k = 0; ref < 0 && k < count && !has_alike; k++) has_alike = is_like(network, windows, k, i);
        status = has_alike ? run_alike(network, windows, count, i) : run_whole(network, &windows[i]);
    }
    if (status == GW_OK && network->has_forward) status = gw_forward_run(&network->forward);
    gw_batch_clear(&network->batch);
    return status;
}

bool gw_base_network_shifts(const gw_base_network *network) {
    return network->partial && gw_partial_shifts(network->partial);
}

int64_t gw_base_network_most(const gw_base_network *network) {
    return gw_partial_most(network->partial);
}

gw_status gw_base_network_gap(gw_base_network *network, int64_t *bases) {
    return gw_partial_gap(network->partial, bases);
}
