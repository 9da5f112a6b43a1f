// SPDX-License-Identifier: MIT
// What the sources of a network share: its struct, the plan of a model (plan.c), the completion of a batch
// (batch.c) and its way to the device and back (device.c).
#ifndef GW_NETWORK_PRIVATE_H
#define GW_NETWORK_PRIVATE_H

#include "model/head.h"
#include "model/mixer.h"
#include "model/model.h"
#include "model/names.h"
#include "network/network.h"
#include "nn/decoder.h"
#include "nn/encoder.h"

// weights.c: a model's tensors by role, as descriptions take them: where they lie on the device, laid out for products
// or not, and their gradients. Values are NULL where the model has no such tensor.

typedef struct {
    gw_model *model;
    float *gradient;        // of the device, the parameters' layout; NULL without training
    gw_precision precision; // of the products of linear layers
    float *zeros;           // [width] of the device, where norms have no biases; NULL where they have
} gw_weights_view;

gw_weight gw_view_weight(const gw_weights_view *view, gw_role role, int layer, bool bias);
gw_linear gw_view_layer_linear(const gw_weights_view *view, gw_role role, int layer);
gw_norm gw_view_layer_norm(const gw_weights_view *view, gw_role role, int layer);
gw_block_weights gw_view_block(const gw_weights_view *view, int layer);
// Of the block: what rows beside the tokens do not share.
void gw_view_block_beside(const gw_weights_view *view, int layer, gw_block_weights *block);
// Of the roles that stand once: their tensors, and a head's own activation, or where that is NONE the feed-forward
// layers'.
gw_linear gw_view_linear(const gw_weights_view *view, gw_role role);
gw_norm gw_view_norm(const gw_weights_view *view, gw_role role);
gw_weight gw_view_bias(const gw_weights_view *view, gw_role role);
gw_activation gw_view_activation(const gw_weights_view *view, gw_activation own);

// Which rows a stem's last parts make, where masked tokens are few (cone.c): those that these depend on.
typedef struct {
    int first;     // part; those before it make all rows
    int count;     // of such parts; 0: there is no cone
    gw_rows *made; // [count] of a batch; the last one's are the masked ones
    int32_t *last; // [count][tokens] memory of lists of rows, as numbers of tokens
    int32_t *rank; // [tokens] a token's number among the rows that a part reads
} gw_cone;

// Memory of what the host may read of a run.
typedef struct {
    gw_tensor tensor;
    gw_mirror mirror;
} gw_network_read;

struct gw_network {
    gw_model *model;
    gw_network_options options;
    const gw_head_row *head; // the model's, or none where layers are left out
    gw_architecture architecture;
    gw_weights_view weights;
    const gw_mixer_row *mixer;
    void *mixing;                               // of the mixer
    gw_block_weights *blocks, *beside;          // [layers]; of rows beside the tokens that have layers of their own
    gw_graph_source *own_graphs, *cross_graphs; // of a decoder that knows its targets; else NULL
    gw_decoder_block_weights *decoder_blocks;   // [decoder_layers]
    gw_stem_layers stem;                        // of a model that has one
    gw_stem_weights *stem_weights;              // [parts]
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
    gw_rows level[GW_STEM_LEVELS];             // rows of a stem's poolings
    gw_cone cone;                              // of a stem whose last rows are made as far as they are read
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

// plan.c
gw_architecture gw_network_architecture(const gw_config *config, int layers);
void gw_network_describe(gw_plan *plan, void *network);

// network.c: what the plan runs on, of the batch that was completed last
gw_run gw_network_run(const gw_network *network);

// heads/masked.c: logits [rows][vocabulary] = LN(act(W x + b)) token_embedding^T + bias
gw_tensor gw_network_describe_mask_logits(gw_plan *plan, const gw_network *network, gw_tensor x);

// decoder.c: the decoder's weights and graphs, where the model has one; its description over whole targets or,
// with `kept`, over rows of the stream that go on with them; what the decoder reads of the source; and positions of
// the batch's targets
gw_status gw_network_make_decoder(gw_network *network) GW_MUST_CHECK;
void gw_network_free_decoder(gw_network *network);
gw_tensor gw_network_describe_decoder(gw_plan *plan, const gw_network *network, int stream, gw_key_cache *kept);
void gw_network_describe_memory(gw_plan *plan, gw_network *network);
gw_status gw_network_check_targets(const gw_network *network, const gw_batch *batch) GW_MUST_CHECK;
void gw_network_fill_targets(gw_network *network);

// stem.c: a model's stem, its levels as streams of the plan, and their rows of a batch that has its tokens
gw_status gw_network_make_stem(gw_network *network) GW_MUST_CHECK;
void gw_network_describe_levels(gw_network *network, gw_plan *plan);
void gw_network_fill_levels(gw_network *network);
int64_t gw_network_level_rows(const gw_network *network, int level); // most of a batch

// cone.c: which rows the parts of a stem make; the row sets of the plan; their rows of a batch
void gw_network_choose_cone(gw_network *network);
void gw_network_describe_cone(gw_network *network, gw_plan *plan);
void gw_network_fill_cone(gw_network *network);

// mixer.c: the mixer's stream, where it has one, and its rows of a batch that has its tokens and levels
void gw_network_describe_mixer(gw_network *network, gw_plan *plan);
gw_status gw_network_fill_mixer(gw_network *network) GW_MUST_CHECK;
gw_status gw_network_check_globals(const gw_network *network, const gw_batch *batch) GW_MUST_CHECK;

// batch.c
void gw_network_fill_absent(gw_network *network);
gw_status gw_network_complete(gw_network *network, const gw_batch *batch) GW_MUST_CHECK;
// Refuses labels of the rows from `classes` on; `what` names one.
gw_status gw_network_check_classes(const gw_network *network, int rows, const char *what,
                                   int64_t classes) GW_MUST_CHECK;

// device.c; inputs: after all is described that reads them
void gw_network_take_inputs(gw_network *network, gw_plan *plan);
gw_status gw_network_send(gw_network *network) GW_MUST_CHECK; // the completed batch
gw_status gw_network_mirror_outputs(gw_network *network) GW_MUST_CHECK;
void gw_network_free_mirrors(gw_network *network);

#endif
