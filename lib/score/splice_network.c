// SPDX-License-Identifier: MIT
// Windows go end to end into batches in the order given; every member runs each batch.
#include "score/splice_network.h"

#include "base/memory.h"
#include "model/family.h"
#include "model/members.h"
#include "network/forward.h"
#include "network/network.h"
#include "score/splice_delta.h"
#include "score/splice_layers.h"
#include "seq/genome/genome.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOKENS = 32768, MOST_WINDOWS = 512 };

struct gw_splice_network {
    gw_model *model;
    gw_network **networks; // [members]
    int members;
    int64_t flank;
    gw_batch batch;
    int32_t token[256]; // of letters
    const gw_splice_window *in_batch[MOST_WINDOWS];
    char *flipped;
    int64_t flipped_capacity;
};

bool gw_model_splices(const gw_model *model) {
    const gw_config *config = &model->config;
    return gw_family_of(config->family)->splices && config->labels == GW_SPLICE_CLASSES && config->stem.count > 0 &&
           config->layers == 0 && config->stem.levels == 0;
}

int64_t gw_splice_flank(const gw_model *model) {
    return (gw_stem_receptive_field(&model->config.stem) - 1) / 2;
}

int64_t gw_splice_network_tokens(const gw_splice_network *network) {
    return network->batch.of[GW_ROWS_TOKENS].most;
}

void gw_splice_map_letters(const gw_model *model, int32_t token[256]) {
    const gw_tokenizer *tokenizer = model->tokenizer;
    for (int32_t i = 0; i < gw_tokenizer_size(tokenizer); i++) {
        const char *text = gw_tokenizer_text(tokenizer, i);
        if (strlen(text) == 1) token[(unsigned char)*text] = i;
    }
}

static gw_status make(gw_splice_network *n, int64_t tokens, int64_t longest) {
    const int64_t wanted = tokens > 0 ? tokens : DEFAULT_TOKENS, most = wanted > longest ? wanted : longest;
    const gw_network_options options = {.tokens = most, .sequences = MOST_WINDOWS};
    if (longest > gw_config_longest(&n->model->config))
        return gw_fail(GW_ERR_MISMATCH, "windows of %lld bases do not fit the model's %lld positions",
                       (long long)longest, (long long)gw_config_longest(&n->model->config));
    n->networks = gw_alloc(n->members, sizeof(gw_network *));
    if (!n->networks) return GW_ERR_MEMORY;
    for (int i = 0; i < n->members; i++)
        GW_TRY(gw_network_new(gw_model_member(n->model, i), &options, &n->networks[i]));
    gw_splice_map_letters(n->model, n->token);
    return gw_rows_make(&n->batch.of[GW_ROWS_TOKENS], most, MOST_WINDOWS, GW_WITH_TOKEN);
}

gw_status gw_splice_network_new(gw_model *model, int64_t tokens, int64_t longest, gw_splice_network **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    (*out)->model = model;
    (*out)->members = gw_model_member_count(model);
    (*out)->flank = gw_splice_flank(model);
    const gw_status status = make(*out, tokens, longest);
    if (status == GW_OK) return GW_OK;
    gw_splice_network_free(*out);
    *out = NULL;
    return status;
}

void gw_splice_network_free(gw_splice_network *network) {
    if (!network) return;
    for (int i = 0; network->networks && i < network->members; i++) gw_network_free(network->networks[i]);
    free(network->networks);
    gw_batch_free(&network->batch);
    free(network->flipped);
    free(network);
}

static gw_status add_window(gw_splice_network *n, const gw_splice_window *window) {
    gw_rows *stream = &n->batch.of[GW_ROWS_TOKENS];
    const char *bases = window->bases;
    if (window->strand == '-') {
        GW_TRY(gw_reserve(&n->flipped, &n->flipped_capacity, window->length, 1));
        gw_reverse_complement(bases, window->length, n->flipped);
        bases = n->flipped;
    }
    for (int64_t i = 0; i < window->length; i++) stream->token[stream->count + i] = n->token[(unsigned char)bases[i]];
    stream->count += window->length;
    n->in_batch[stream->sequences] = window;
    gw_rows_end_sequence(stream);
    return GW_OK;
}

static gw_status take_window(const gw_splice_network *n, const gw_splice_window *window, const float *logits) {
    const int64_t rows = window->length - 2 * n->flank;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t at = window->strand == '-' ? rows - 1 - row : row;
        if (!gw_splice_add_classes(logits + (n->flank + row) * GW_SPLICE_CLASSES, 1.0 / n->members,
                                   window->rows + at * GW_SPLICE_CLASSES))
            return gw_output_not_finite();
    }
    return GW_OK;
}

static gw_status flush(gw_splice_network *n) {
    const gw_rows *stream = &n->batch.of[GW_ROWS_TOKENS];
    for (int member = 0; member < n->members && stream->sequences > 0; member++) {
        GW_TRY(gw_network_forward(n->networks[member], &n->batch, NULL));
        const float *logits = gw_network_output(n->networks[member], GW_ROWS_TOKENS);
        if (!logits) return GW_ERR_IO;
        for (int64_t s = 0; s < stream->sequences; s++)
            GW_TRY(take_window(n, n->in_batch[s], logits + stream->start[s] * GW_SPLICE_CLASSES));
    }
    gw_batch_clear(&n->batch);
    return GW_OK;
}

gw_status gw_splice_network_run(gw_splice_network *network, const gw_splice_window *windows, int64_t count) {
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        const int64_t rows = windows[i].length - 2 * network->flank;
        memset(windows[i].rows, 0, (size_t)(rows * GW_SPLICE_CLASSES) * sizeof(float));
        if (!gw_rows_fit(&network->batch.of[GW_ROWS_TOKENS], windows[i].length)) status = flush(network);
        if (status == GW_OK) status = add_window(network, &windows[i]);
    }
    if (status == GW_OK) status = flush(network);
    gw_batch_clear(&network->batch);
    return status;
}
