// SPDX-License-Identifier: MIT
// What the sources of a network share: its struct (network.c) and the completion of a batch (batch.c).
#ifndef GW_NETWORK_PRIVATE_H
#define GW_NETWORK_PRIVATE_H

#include "model/head.h"
#include "model/mixer.h"
#include "model/model.h"
#include "model/transformer.h"
#include "network/network.h"
#include "nn/key_cache.h"

// Memory of what the host may read of a run.
typedef struct {
    gw_tensor tensor;
    gw_mirror mirror;
} gw_network_read;

struct gw_network {
    gw_model *model;
    gw_network_options options;
    const gw_head_row *head; // the model's, or none where layers are left out
    gw_builder builder;      // that describes it
    int next_parameter;      // behind the one that was declared last
    float *gradient, *zeros; // of the device: gradients in the parameters' layout, NULL without training; the builder's
    const gw_mixer_row *mixer;
    void *mixing;                               // of the mixer
    gw_graph_source *own_graphs, *cross_graphs; // of a decoder that knows its targets; else NULL
    gw_mirror label_weight;                     // [labels] f32, of positives or numbers in the loss
    gw_plan plan;
    gw_tensor hidden;  // of the encoder
    gw_tensor *memory; // with options.memory, by 2 layer of the decoder + 0 for keys, + 1 for values
    gw_batch batch;    // the caller's, with what it may leave out and what the network adds
    // Memory of that.
    int32_t *position, *segment;               // [tokens]
    float *token_scale;                        // [tokens] of a model that makes up for masked tokens; else NULL
    int32_t *picked_position[GW_BATCH_ROWS];   // [rows] of the row sets that have rotary positions; else NULL
    int32_t *target_position, *target_segment; // [targets]
    int32_t *first_row, *prefix;               // [sequences]
    int levels, factor[GW_STEM_LEVELS];        // gw_config_levels()
    gw_rows level[GW_STEM_LEVELS];             // rows of these
    gw_rows own_rows;                          // of the mixer's stream
    int32_t *token_row, *global_row;           // where tokens and a batch's global ones stand in that, of one that
                                               // holds the tokens
    int64_t *global_start;                     // [sequences + 1] where its rows have layers of their own
    int64_t no_class_count, no_number_count;
    int32_t *no_class;                             // [no_class_count] -1 and
    float *no_number;                              // [no_number_count] NaN, for labels that a batch leaves out
    gw_rows device[GW_BATCH_ROWS];                 // memory of the device for the batch's arrays, where it has its own
    void (*acted)(void *context, int64_t actions); // of gw_network_tell()
    void *acted_context;
    gw_network_read read_hidden, output[GW_BATCH_ROWS]; // of the head, by the row set that they have a row for
};

// network.c: what the plan runs on, of the batch that was completed last
gw_run gw_network_run(const gw_network *network);

// heads/masked.c: logits [rows][vocabulary] = LN(act(W x + b)) token_embedding^T + bias
gw_tensor gw_describe_mask_logits(gw_builder *b, gw_tensor x);
// heads/generation.c: logits [rows of the stream][vocabulary] of a decoder over whole targets or, with `kept`, over
// rows that go on with them
gw_tensor gw_describe_target_logits(gw_builder *b, int stream, gw_tensor memory, gw_key_cache *kept);

// The model's stem; NULL: it has none.
static inline const gw_stem *gw_network_stem(const gw_network *network) {
    const gw_stem *stem = &network->model->config.stem;
    return stem->count > 0 ? stem : NULL;
}

// The stream whose rows read each other: the tokens, or a stem's coarsest rows.
static inline int gw_network_mixed_stream(const gw_network *network) {
    const gw_stem *stem = gw_network_stem(network);
    return stem && stem->levels > 0 ? network->builder.rows.level[stem->levels] : GW_ROWS_TOKENS;
}

// batch.c
gw_status gw_network_complete(gw_network *network, const gw_batch *batch) GW_MUST_CHECK;
// Refuses labels of the rows from `classes` on; `what` names one.
gw_status gw_network_check_classes(const gw_network *network, int rows, const char *what,
                                   int64_t classes) GW_MUST_CHECK;

// mixers/attention.c: graphs of softmax attention to or from rows that a mixer adds (GW_ROWS_MIXER), in which every
// query reads every key: a gw_graph_source in network->mixing, and its end; `make` and `free` of a mixer's row
gw_status gw_mixer_make_full_graphs(gw_network *network) GW_MUST_CHECK;
void gw_mixer_free_graphs(void *mixing);

#endif
