// SPDX-License-Identifier: MIT
// A network while it is described: tensors are declared where they are used, and steps are appended to a plan.
//
// A description has two uses. gw_parameters_make() runs it to list a model's tensors: each declaration appends a
// parameter, only the first declaration of a name counts, and there is no plan. A network runs it to compute: each
// declaration finds its parameter by name, and steps are appended. The order of the declarations when listing is the
// order of the tensors in memory and in training states.
//
// The name of a tensor is its name in files: prefix + scope + stem + ".weight" or ".bias".
#ifndef GW_MODEL_BUILDER_H
#define GW_MODEL_BUILDER_H

#include "model/config.h"
#include "model/parameters.h"
#include "nn/key_cache.h"
#include "nn/layers.h"

typedef struct gw_builder gw_builder;
typedef struct gw_network gw_network;

// The tensor names of a family, and its differences from BERT.

// Order of the two steps after the sum of embeddings; or a norm alone.
typedef enum { GW_DROPOUT_THEN_NORM, GW_NORM_THEN_DROPOUT, GW_NORM_ALONE } gw_embedding_order; // BigBird, BERT, ESM
// Heads that read LN(act(W h)) of their rows: the head for masked tokens, or all heads. With all heads there is no
// pooler.
typedef enum { GW_TRANSFORMS_MASKED, GW_TRANSFORMS_ALL } gw_head_transforms;
// Input of the labels of sequences: the pooler's rows, or a separate layer.
typedef enum { GW_LABELS_OF_POOLER, GW_LABELS_OF_DENSE } gw_label_rows;
// Standard deviation of fresh weights. RANGE: initializer_range. INPUTS: 1 / sqrt(inputs) for matrices of products.
// DEPTH: the same, divided by sqrt(2 layers) for results that are added to others. TORCH: 1 / sqrt(3 inputs), as
// torch's layers.
typedef enum { GW_DRAWN_BY_RANGE, GW_DRAWN_BY_INPUTS, GW_DRAWN_BY_DEPTH, GW_DRAWN_AS_TORCH } gw_drawn_by;

enum { GW_TRANSFORMER_TIES = 3 };

typedef struct {
    const char *query, *key, *value, *output, *norm;
} gw_attention_names;

typedef struct {
    // Names of tensors. NULL: the family has no such tensor. Names of layers follow the layer's scope. A name with a
    // slash, "attn.Wqkv/query", is a part of the stored tensor attn.Wqkv. The parts are stacked by rows in the order of
    // their declaration. The part's own name has a full stop instead of the slash.
    const char *prefix; // prefix of the encoder's names under a head: "bert."; a bare encoder has no prefix
    const char *tokens, *positions, *segments, *embedding_norm;
    const char *frequencies; // frequencies of rotary positions, rounded as in training; optional in files
    const char *layers;      // "encoder.layer"
    gw_attention_names attention;
    const char *feed_forward, *gate, *output, *output_norm; // W_1, W_g, W_2
    const char *last_norm, *pooler;
    const char *contacts;                      // a head of contacts, optional in files; kept unchanged
    const char *ties[GW_TRANSFORMER_TIES];     // full names under which files repeat the table of tokens
    const char *parts;                         // for a stem: "stem", then the names of its tensors; NULL: no stem
    const char *convolution, *convolution_mix; // a convolution, and the linear layer behind it
    const char *convolution_norm, *second_convolution, *part_norm, *part_feed_forward, *part_output;
    const char *transform, *transform_norm; // layer before the logits of masked tokens, or of all heads
    const char *words, *words_weight;       // bias of these logits; their weight if it is not the table of tokens
    const char *label_norm;                 // norm before the labels' separate layer
    const char *questions;                  // layer of question logits; NULL: no head for questions
    const char *decoder_layers;             // of a decoder, like the names below
    const char *decoder_positions;
    gw_attention_names own, cross; // attention to the target itself; to the source
    const char *decoder_feed_forward, *decoder_output, *decoder_output_norm, *decoder_last_norm;
    const char *twin; // prefix of a decoder that repeats the encoder's tensors: "decoder.bert."
    // Computation
    gw_embedding_order order;
    gw_head_transforms transforms;
    gw_label_rows labels;
    gw_drawn_by drawn_by;
    gw_activation mask_activation, dense_activation; // of the transform, and of the labels' layer; NONE: hidden_act
    bool question_block;      // question logits have a feed-forward block before them, and the context is segment 1
    bool pools_always;        // files have a pooler under every head except question answering, even if it is not read
    bool bias_in_output;      // use_bias also decides on the bias of attention's output layer
    bool first_norm;          // with norms before the sublayers, layer 0 has its first norm too
    bool choice_drops_hidden; // multiple choice uses hidden_dropout_prob instead of classifier_dropout
    bool sinusoids;           // positions are fixed sines and cosines, which a file may lack
    bool taps_last;           // files store convolutions as [width][in][taps]
} gw_transformer;

// A declared tensor. weight.value is NULL if the model lacks it.
typedef struct {
    gw_weight weight;
    const gw_packed *packed;
} gw_found_tensor;

// Places of dropout in a network: GW_DROPOUT_SITES for each layer, after the first GW_DROPOUT_SITES for other places.
enum {
    GW_DROPOUT_SITES = 8,
    GW_DROPOUT_EMBEDDING = 0,
    GW_DROPOUT_HEAD_IN = 1,
    GW_DROPOUT_HEAD_OUT = 2,
    GW_DROPOUT_TARGET = 3
};

// Streams of a network's blocks, and the rows to compute.
typedef struct {
    int tokens;                // stream of the tokens
    int blocks;                // stream of the blocks: the tokens, or a stream that contains them
    int made;                  // rows to compute in the last layer (a row set: only without training)
    int beside;                // a stream within the blocks' stream with hidden states to compute too; 0: none
    int others;                // the stream of all other rows with layers of their own; 0: none
    int level[GW_STEM_LEVELS]; // streams of a stem's resolutions; [0] the tokens
} gw_builder_rows;

struct gw_builder {
    const gw_config *config;
    gw_plan *plan;
    gw_builder_rows rows;
    int layers;             // number of blocks to run; if fewer than in the config, without the last norm and the head
    gw_precision precision; // of the products in linear layers and in attention
    // Mixes the rows of a sequence: a layer's queries, keys and values [rows][width] become [rows of the query][width].
    gw_tensor (*mix)(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value);
    // Appends the steps after the encoder's hidden states and those of rows.beside.
    void (*end)(gw_builder *b, gw_tensor hidden, gw_tensor beside);
    bool picks; // queries may be some rows of the stream, with the same result as among all rows
    // Finds or lists a declared tensor.
    gw_found_tensor (*find)(gw_builder *b, const gw_parameter *declared);
    void (*alias)(gw_builder *b, const gw_parameter_alias *alias); // lists another name of a tensor; NULL: not needed
    void *tensors;                                                 // context of find and alias
    bool lists;                                                    // only lists tensors, computes nothing
    gw_network *network;                                           // the network to make; NULL: another plan, or no
                                                                   // plan
    float *zeros; // [width] on the device: replaces missing biases of norms; NULL if norms have biases
    // Current state of the description:
    gw_transformer of;  // the family's names, set by gw_describe_transformer()
    const char *prefix; // prefix of names: the encoder's, or ""
    char scope[48];     // scope of names: "encoder.layer.3."
    int number;         // number of the current layer or part
    bool in_encoder;
    char last[GW_PARAMETER_NAME]; // stored name of the last declared tensor
    double deviation;             // standard deviation of fresh values; negative: the family's
};

// Sets the scope of later declarations to "<stem>.<number>." behind the prefix; stem NULL: only the prefix.
void gw_builder_scope(gw_builder *b, const char *stem, int number);

// Declare tensors. weight: [rows][columns], not a matrix of a linear layer. bias: [count]. linear: [out][in] and an
// optional bias [out]; linear layers take the builder's precision. norm: weight and bias [width]. convolution:
// [taps][width][in].
gw_weight gw_declare_weight(gw_builder *b, gw_role role, const char *stem, int64_t rows, int64_t columns);
gw_weight gw_declare_bias(gw_builder *b, gw_role role, const char *stem, int64_t count);
gw_weight gw_declare_convolution(gw_builder *b, gw_role role, const char *stem, int64_t taps, int64_t width,
                                 int64_t in);
// Declares a buffer; `stem` is its full name. columns 0: one dimension.
gw_weight gw_declare_buffer(gw_builder *b, gw_role role, const char *stem, bool bias, int64_t rows, int64_t columns);
gw_linear gw_declare_linear(gw_builder *b, gw_role role, const char *stem, int64_t out, int64_t in, bool bias);
// The tokens A, C, G and T as one-hot rows of 4 values; other tokens are zeros. Files do not hold these rows.
gw_tensor gw_build_letters(gw_builder *b);
// Declares a linear layer [out][1] with initial weights 1 and without weight decay.
gw_linear gw_declare_slopes(gw_builder *b, gw_role role, const char *stem, int64_t out, bool bias);
gw_norm gw_declare_norm(gw_builder *b, gw_role role, const char *stem, int64_t width);

// Declare a linear layer or a norm, and append y = x W^T + b, or layer norm.
gw_tensor gw_build_linear(gw_builder *b, gw_tensor x, gw_role role, const char *stem, int64_t out, bool bias);
gw_tensor gw_build_norm(gw_builder *b, gw_tensor x, gw_role role, const char *stem);

// Declares a dilated convolution with an optional bias [width], and appends its step. One group.
gw_tensor gw_build_convolution(gw_builder *b, gw_tensor x, const char *stem, int64_t width, int taps, int dilation,
                               bool bias);
// Begins the description of a network of tracks (gw_tracks of model/family.h). Names have no prefix, and files store
// convolutions in torch's layout. false: only names are requested, and there is no plan.
bool gw_begin_tracks(gw_builder *b);

// Adds a name that files may use for the last declared tensor. A name that begins with '*' matches the end of names.
void gw_declare_alias(gw_builder *b, const char *name, const char *kind);

bool gw_reads_pooler(const gw_builder *b); // the config's head

#endif
