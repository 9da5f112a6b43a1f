// SPDX-License-Identifier: MIT
// Declarations that the sources of a network share: its struct (network.c) and the completion of a batch (batch.c).
#ifndef GW_NETWORK_PRIVATE_H
#define GW_NETWORK_PRIVATE_H

#include "model/head.h"
#include "model/mixer.h"
#include "model/model.h"
#include "model/transformer.h"
#include "network/network.h"
#include "nn/key_cache.h"

// Memory for an output that the host may read.
typedef struct {
    gw_tensor tensor;
    gw_mirror mirror;
} gw_network_read;

struct gw_network {
    gw_model *model;
    gw_network_options options;
    const gw_head_row *head; // the model's head, or none if layers are left out
    gw_builder builder;      // describes the network
    int next_parameter;      // the parameter to declare next
    float *gradient, *zeros; // on the device: gradients in the parameters' layout, NULL without training; the builder's
    const gw_mixer_row *mixer;
    void *mixing;                               // state of the mixer
    gw_graph_source *own_graphs, *cross_graphs; // of a decoder with known targets; else NULL
    gw_mirror label_weight;                     // [labels] f32, weights of positives or of numbers in the loss
    gw_plan plan;
    gw_tensor hidden;  // states of the encoder
    gw_tensor *memory; // with options.memory: index 2 layer of the decoder + 0 for keys, + 1 for values
    gw_batch batch;    // the caller's batch, completed by the network
    // Memory of the completed arrays:
    int32_t *position, *segment;               // [tokens]
    float *token_scale;                        // [tokens] for models that rescale embeddings beside masked tokens; else
                                               // NULL
    int32_t *picked_position[GW_BATCH_ROWS];   // [rows] for row sets with rotary positions; else NULL
    int32_t *target_position, *target_segment; // [targets]
    int32_t *first_row, *prefix;               // [sequences]
    int32_t *masked_row, *masked_label;        // [masked] of masked rows that are made up to a round number; else NULL
    int levels, factor[GW_STEM_LEVELS];        // gw_config_levels()
    gw_rows level[GW_STEM_LEVELS];             // streams of these levels
    gw_rows own_rows;                          // the mixer's stream
    int32_t *token_row, *global_row;           // rows of tokens and of the batch's global tokens in the mixer's stream,
                                               // if the stream holds the tokens
    int64_t *global_start;                     // [sequences + 1] first row of the globals that have layers of their own
    int64_t no_class_count, no_number_count;
    int32_t *no_class;                             // [no_class_count] -1 and
    float *no_number;                              // [no_number_count] NaN, for labels that a batch leaves out
    gw_rows device[GW_BATCH_ROWS];                 // memory of the device for the batch's arrays, if the device has its
                                                   // own memory
    gw_record *forward, *backward;                 // the passes' launches, as a device keeps them
    void (*acted)(void *context, int64_t actions); // of gw_network_tell()
    void *acted_context;
    gw_network_read read_hidden, output[GW_BATCH_ROWS]; // outputs of the head, by row set
    gw_mirror masked_loss; // [masked] of gw_network_log_probabilities(); empty where that is not supported
};

// network.c: inputs of the plan for the batch that was completed last
gw_run gw_network_run(const gw_network *network);

// heads/masked.c: logits [rows][vocabulary] = LN(act(W x + b)) token_embedding^T + bias
gw_tensor gw_describe_mask_logits(gw_builder *b, gw_tensor x);
// heads/generation.c: logits [rows of the stream][vocabulary] of a decoder. The stream holds whole targets or, with
// `kept`, the next token of each target
gw_tensor gw_describe_target_logits(gw_builder *b, int stream, gw_tensor memory, gw_key_cache *kept);

// The model's stem; NULL: it has none.
static inline const gw_stem *gw_network_stem(const gw_network *network) {
    const gw_stem *stem = &network->model->config.stem;
    return stem->count > 0 ? stem : NULL;
}

// The stream on which the mixer works: the tokens, or a stem's coarsest rows.
static inline int gw_network_mixed_stream(const gw_network *network) {
    const gw_stem *stem = gw_network_stem(network);
    return stem && stem->levels > 0 ? network->builder.rows.level[stem->levels] : GW_ROWS_TOKENS;
}

// batch.c
gw_status gw_network_complete(gw_network *network, const gw_batch *batch) GW_MUST_CHECK;
// Fails if a label of the row set is `classes` or more; `what` names a row in the message.
gw_status gw_network_check_classes(const gw_network *network, int rows, const char *what,
                                   int64_t classes) GW_MUST_CHECK;

// mixers/attention.c: graphs of softmax attention between rows that a mixer adds (GW_ROWS_MIXER) and others. Every
// query reads every key. Makes a gw_graph_source in network->mixing, and frees it. For `make` and `free` of a mixer's
// row
gw_status gw_mixer_make_full_graphs(gw_network *network) GW_MUST_CHECK;
void gw_mixer_free_graphs(void *mixing);

#endif
