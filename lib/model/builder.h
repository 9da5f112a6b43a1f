// SPDX-License-Identifier: MIT
// A network while it is described: tensors are declared where they are used, and steps are appended to a plan.
//
// A description runs for two purposes. gw_parameters_make() runs it to list a model's tensors: each declaration appends
// a parameter, the first one of a name counts, and the plan takes no steps. A network runs it to compute: each
// declaration finds its parameter by name, and steps are appended. The order of the declarations of a listing run is
// the order of the tensors in memory and in training states.
//
// A tensor's name is the file's: prefix + scope + stem + ".weight" or ".bias". Stems are BERT's; gw_family_stem() says
// what the family calls them.
#ifndef GW_MODEL_BUILDER_H
#define GW_MODEL_BUILDER_H

#include "model/config.h"
#include "model/parameters.h"
#include "nn/key_cache.h"
#include "nn/layers.h"

typedef struct gw_builder gw_builder;
typedef struct gw_network gw_network;

// Where a declared tensor lies: weight.value NULL where the model lacks it.
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
    int cone[GW_STEM_PARTS];   // row set of those of a stem part's rows that are made (gw_stem_reads_few()); 0: all
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
    bool picks; // queries may be rows picked from the stream: each reads what it reads among all
    // Finds or lists a declared tensor.
    gw_found_tensor (*find)(gw_builder *b, const gw_parameter *declared);
    void *tensors;       // of find()
    bool lists;          // tensors are listed, and nothing is computed
    gw_network *network; // that is made; NULL: another plan, or none
    float *zeros;        // [width] of the device: in the place of biases that norms do not have; NULL where they have
    // where the description stands
    const char *prefix; // of names: the encoder's, or ""
    char scope[48];     // of names: "encoder.layer.3."
    int number;         // of the layer or part that is described
    bool in_encoder;
    double deviation; // that values are drawn with; negative: the family's
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
// A linear layer [out][1] whose weights begin at 1 and do not decay.
gw_linear gw_declare_slopes(gw_builder *b, gw_role role, const char *stem, int64_t out, bool bias);
gw_norm gw_declare_norm(gw_builder *b, gw_role role, const char *stem, int64_t width);

// y = x W^T + b and layer norm, of tensors that are declared here.
gw_tensor gw_build_linear(gw_builder *b, gw_tensor x, gw_role role, const char *stem, int64_t out, bool bias);
gw_tensor gw_build_norm(gw_builder *b, gw_tensor x, gw_role role, const char *stem);

// transformer.c: the encoder and the decoder that BERT's relatives share, by the config and its family

// [rows.made][width]: the last layer's hidden state; of a stem that ends in windows of bases, of all of these. Of a row
// the bits are the same whichever rows are made. `beside`: the rows of rows.beside, where that is a stream; may be
// NULL.
gw_tensor gw_describe_encoder(gw_builder *b, gw_tensor *beside);
// The encoder's pooler, where its files have one; value NULL: none.
gw_linear gw_declare_pooler(gw_builder *b);
// What the decoder's attention reads: the source's hidden states, of another stream, over these graphs; or, with
// `cache`, what was kept of earlier tokens, and neither of them.
typedef struct {
    gw_tensor memory;
    gw_graph_source *own, *cross; // of a target's own tokens (causal), and of its tokens to those of the source
    gw_key_cache *cache;
} gw_decoder_reads;
// [rows of the stream][width] after the last norm.
gw_tensor gw_describe_decoder(gw_builder *b, int stream, const gw_decoder_reads *reads);
// Keys and values that each layer of the decoder reads of the source: memory [2 layers], keys and values in turn.
void gw_describe_source(gw_builder *b, gw_tensor hidden, gw_tensor *memory);

// stem.c: the parts [begin, end) of the config's stem. `skips` is what poolings took by level, and at 0 the sum of
// skips.
gw_tensor gw_describe_stem(gw_builder *b, int begin, int end, gw_tensor x, gw_tensor skips[GW_STEM_LEVELS]);

#endif
