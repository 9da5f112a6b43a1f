// SPDX-License-Identifier: MIT
// A network while it is described: tensors are declared where they are used, and steps are appended to a plan.
//
// A description runs for two purposes. gw_parameters_make() runs it to list a model's tensors: each declaration appends
// a parameter, the first one of a name counts, and the plan takes no steps. A network runs it to compute: each
// declaration finds its parameter by name, and steps are appended. The order of the declarations of a listing run is
// the order of the tensors in memory and in training states.
//
// A tensor's name is the file's: prefix + scope + stem + ".weight" or ".bias".
#ifndef GW_MODEL_BUILDER_H
#define GW_MODEL_BUILDER_H

#include "model/config.h"
#include "model/parameters.h"
#include "nn/key_cache.h"
#include "nn/layers.h"

typedef struct gw_builder gw_builder;
typedef struct gw_network gw_network;

// What a family's tensors are called, and what it computes otherwise than BERT.

// Order of the two steps that follow the sum of embeddings, or a norm alone.
typedef enum { GW_DROPOUT_THEN_NORM, GW_NORM_THEN_DROPOUT, GW_NORM_ALONE } gw_embedding_order; // BigBird, BERT, ESM
// Which heads read LN(act(W h)) of their rows: those of masked tokens, or all, and then there is no pooler.
typedef enum { GW_TRANSFORMS_MASKED, GW_TRANSFORMS_ALL } gw_head_transforms;
// What the labels of sequences read: the pooler's rows, or a layer of their own.
typedef enum { GW_LABELS_OF_POOLER, GW_LABELS_OF_DENSE } gw_label_rows;
// The deviation that weights are drawn with: initializer_range; of products 1 / sqrt(inputs); of those whose result is
// added to others smaller by sqrt(2 layers); 1 / sqrt(3 inputs), as torch's layers have it.
typedef enum { GW_DRAWN_BY_RANGE, GW_DRAWN_BY_INPUTS, GW_DRAWN_BY_DEPTH, GW_DRAWN_AS_TORCH } gw_drawn_by;

enum { GW_TRANSFORMER_TIES = 3 };

typedef struct {
    const char *query, *key, *value, *output, *norm;
} gw_attention_names;

typedef struct {
    // Names of tensors; NULL: the family has no such tensor. Those of layers stand behind the layer's scope. A name
    // with a slash, "attn.Wqkv/query", is a part of the stored tensor attn.Wqkv: parts lie one below the other in the
    // order in which they are declared, and the part's own name has a full stop there.
    const char *prefix; // of the encoder's names under a head: "bert."; a bare encoder's have none
    const char *tokens, *positions, *segments, *embedding_norm;
    const char *frequencies; // of rotary positions as they were rounded in training, which files may hold
    const char *layers;      // "encoder.layer"
    gw_attention_names attention;
    const char *feed_forward, *gate, *output, *output_norm; // W_1, W_g, W_2
    const char *last_norm, *pooler;
    const char *contacts;                      // a head of contacts that files may hold, and that is kept as it is
    const char *ties[GW_TRANSFORMER_TIES];     // whole names under which files hold the table of tokens too
    const char *parts;                         // of a stem: "stem", and what belongs to each; NULL: no stem
    const char *convolution, *convolution_mix; // a convolution, a linear layer behind it
    const char *convolution_norm, *second_convolution, *part_norm, *part_feed_forward, *part_output;
    const char *transform, *transform_norm; // before the logits of masked tokens, or of all heads
    const char *words, *words_weight;       // these logits' bias; their weight where it is not the table of tokens
    const char *label_norm;                 // before the labels' layer of their own
    const char *questions;                  // these logits; NULL: no head answers questions
    const char *decoder_layers;             // of a decoder, as what follows
    const char *decoder_positions;
    gw_attention_names own, cross; // to the target itself, to the source
    const char *decoder_feed_forward, *decoder_output, *decoder_output_norm, *decoder_last_norm;
    const char *twin; // a decoder has the encoder's tensors, which files hold once more behind this: "decoder.bert."
    // Computation
    gw_embedding_order order;
    gw_head_transforms transforms;
    gw_label_rows labels;
    gw_drawn_by drawn_by;
    gw_activation mask_activation, dense_activation; // of the transform and of the labels' layer; NONE: hidden_act
    bool question_block;      // questions have a feed-forward block before their logits, and context is
                              // segment 1
    bool pools_always;        // files have a pooler under every head but question answering, read or not
    bool bias_in_output;      // use_bias says of attention's output layer too whether it has one
    bool first_norm;          // a layer 0 with norms before its sublayers has the first of them
    bool choice_drops_hidden; // multiple choice: hidden_dropout_prob, not classifier_dropout
    bool sinusoids;           // positions are sines and cosines, which nothing trains and a file may lack
    bool taps_last;           // files hold convolutions as [width][in][taps]
} gw_transformer;

// A declared tensor: weight.value is NULL if the model lacks it.
typedef struct {
    gw_weight weight;
    const gw_packed *packed;
} gw_found_tensor;

// Dropout places of a network: GW_DROPOUT_SITES for each layer, the first so many for what is not a layer.
enum {
    GW_DROPOUT_SITES = 8,
    GW_DROPOUT_EMBEDDING = 0,
    GW_DROPOUT_HEAD_IN = 1,
    GW_DROPOUT_HEAD_OUT = 2,
    GW_DROPOUT_TARGET = 3
};

// Streams that the blocks of a network stand in, and rows that are asked of it.
typedef struct {
    int tokens; // stream of the tokens
    int blocks; // stream that the blocks stand in: the tokens', or one that these stand within
    int made;   // rows whose hidden states the last layer makes (a row set's: without training alone)
    int beside; // a stream within that of the blocks, whose hidden states are made too; 0: none
    int others; // the stream within that of all rows that are no tokens and have layers of their own; 0: none
    int level[GW_STEM_LEVELS]; // streams of a stem's resolutions; [0] the tokens
} gw_builder_rows;

struct gw_builder {
    const gw_config *config;
    gw_plan *plan;
    gw_builder_rows rows;
    int layers;             // blocks that are run; fewer than the config's without the last norm and the head
    gw_precision precision; // of the products in linear layers and in attention
    // How rows of a sequence read each other: what a layer's queries, keys and values [rows][width] become,
    // [rows of the query][width].
    gw_tensor (*mix)(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value);
    // What follows the encoder's hidden states, and those of rows.beside.
    void (*end)(gw_builder *b, gw_tensor hidden, gw_tensor beside);
    bool picks; // queries may be rows picked from the stream: each reads what it reads among all
    // Finds or lists a declared tensor.
    gw_found_tensor (*find)(gw_builder *b, const gw_parameter *declared);
    void (*alias)(gw_builder *b, const gw_parameter_alias *alias); // keeps another name of a tensor; NULL: nobody asks
    void *tensors;                                                 // of these
    bool lists;                                                    // tensors are listed, and nothing is computed
    gw_network *network;                                           // that is made; NULL: another plan, or none
    float *zeros; // [width] of the device: in the place of biases that norms do not have; NULL where they have
    // where the description stands
    gw_transformer of;  // the family's, once gw_describe_transformer() runs
    const char *prefix; // of names: the encoder's, or ""
    char scope[48];     // of names: "encoder.layer.3."
    int number;         // of the layer or part that is described
    bool in_encoder;
    char last[GW_PARAMETER_NAME]; // stored name of what was declared last
    double deviation;             // that values are drawn with; negative: the family's
};

// Names of what is declared from now on: "<stem>.<number>." behind the prefix; stem NULL: the prefix alone.
void gw_builder_scope(gw_builder *b, const char *stem, int number);

// Declares [rows][columns], no matrix of a linear layer; a bias [count]; a linear layer [out][in] with its bias [out],
// or without; a norm's weight and bias [width]; a convolution [taps][width][in]. Linear layers carry the builder's
// precision.
gw_weight gw_declare_weight(gw_builder *b, gw_role role, const char *stem, int64_t rows, int64_t columns);
gw_weight gw_declare_bias(gw_builder *b, gw_role role, const char *stem, int64_t count);
gw_weight gw_declare_convolution(gw_builder *b, gw_role role, const char *stem, int64_t taps, int64_t width,
                                 int64_t in);
// A buffer, whose name is the whole stem; columns 0: of one dimension.
gw_weight gw_declare_buffer(gw_builder *b, gw_role role, const char *stem, bool bias, int64_t rows, int64_t columns);
gw_linear gw_declare_linear(gw_builder *b, gw_role role, const char *stem, int64_t out, int64_t in, bool bias);
// The letters A, C, G and T of the tokens as one-hot rows of 4 values, and any other token as zeros. No file holds
// them.
gw_tensor gw_build_letters(gw_builder *b);
// A linear layer [out][1] whose weights begin at 1 and do not decay.
gw_linear gw_declare_slopes(gw_builder *b, gw_role role, const char *stem, int64_t out, bool bias);
gw_norm gw_declare_norm(gw_builder *b, gw_role role, const char *stem, int64_t width);

// y = x W^T + b and layer norm, of tensors that are declared here.
gw_tensor gw_build_linear(gw_builder *b, gw_tensor x, gw_role role, const char *stem, int64_t out, bool bias);
gw_tensor gw_build_norm(gw_builder *b, gw_tensor x, gw_role role, const char *stem);

// A convolution of a dilation that is declared here, with groups of one, and its bias [width] where it has one.
gw_tensor gw_build_convolution(gw_builder *b, gw_tensor x, const char *stem, int64_t width, int taps, int dilation,
                               bool bias);
// Begins the description of a network of tracks (gw_tracks of model/family.h), whose names have no prefix and whose
// files hold convolutions as torch does. false: names alone are asked for, and there is no plan.
bool gw_begin_tracks(gw_builder *b);

// A file may call the tensor that was declared last so as well; a name that begins with '*' is the end of others.
void gw_declare_alias(gw_builder *b, const char *name, const char *kind);

bool gw_reads_pooler(const gw_builder *b); // the config's head

#endif
