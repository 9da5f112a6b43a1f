// SPDX-License-Identifier: MIT
// A model that is ready to run: the plan of its ops over packed batches, with all memory placed.
//
// A batch holds sequences end to end, without padding. A sequence gives the same outputs within rounding in any batch.
// Short sequences get full attention.
#ifndef GW_NETWORK_NETWORK_H
#define GW_NETWORK_NETWORK_H

#include "base/batch.h"
#include "base/string.h"
#include "model/mixer.h"
#include "model/model.h"
#include "network/mixers.h"
#include "nn/layers.h"
#include "nn/work.h"

// Tokens of which the last layer's hidden states are computed: all, the first of each sequence, or masked tokens.
typedef enum { GW_OUTPUT_ALL, GW_OUTPUT_FIRST, GW_OUTPUT_MASKED } gw_output_rows;

typedef struct {
    int64_t tokens;    // most tokens of a batch, special tokens included
    int64_t sequences; // most sequences of a batch
    int64_t masked;    // most MLM positions of a batch (0: no MLM head)
    int64_t targets;   // most target tokens of a batch, with a decoder
    int64_t globals;   // most global tokens in a batch that gives its own (GW_ROWS_GLOBALS)
    int64_t contrasts; // with training: most global tokens that predict an encoding (0: without this loss)
    bool nsp_head;     // computes NSP logits
    bool memory;       // with a decoder: computes only the encoder, and the keys and values that the decoder's layers
                       // read
    double smoothing;  // of target labels: 1 - smoothing for the token, the rest spread over all others
    double focus;      // of token classes: losses are weighted by (1 - p)^focus, p the probability of the label
    int layers;        // number of layers to run, without a head; 0: the whole model; -1: only the embeddings
    gw_output_rows output_rows; // hidden states that are read; others are not computed (not with training)
    bool training;              // allocates the backward pass; dropout is active
    bool still;     // with training: no dropout, and weights may be fixed; only gradients of inputs are computed
    bool recompute; // with training: the backward pass recomputes each layer instead of keeping its values: less
                    // memory, more time, the same bits
    gw_precision precision; // with training: type of the products of linear layers over tokens, both ways, and of
                            // attention, forward; all else is f32. Without training: see gw_model_freeze()
    bool plain;    // runs the steps as described: nothing is fused, shared or recomputed (slow, for comparison)
    bool parts;    // the network may run in part (network/partial.h; not with training)
    int64_t rows;  // in part: rows of each resolution at a time; 0: as many as tokens
    uint64_t seed; // of dropout, and of the mixer's draws in training
    int64_t step_sequences; // sequences of a step, over all of its batches; 0: as many as a batch may have
    gw_mixer_options mixer; // with training
} gw_network_options;

// Streams and row sets of a language model's batch. The batch is borrowed until after the backward pass. Missing arrays
// get defaults: no labels, and all sequences. Positions are never read. The model's head decides which labels exist
// (lib/network/heads).
//   tokens     token: with [CLS] ... [SEP] as the caller placed them; segment: 0 or 1, NULL: all 0, or what
//              transformers' BigBird takes for answering questions: 0 up to the first separator (the first token, where
//              there is none), then 1; label: classes of tokens
//   first      the first token of each sequence; label: 0 (B follows A) or 1 (random) of sentence pairs, the class of
//              sequences with one label of many, [2] first and last token of a span, 0-based within the sequence;
//              number: [labels] of other sequences, 0 or 1 or any number
//   own        further inputs of the head (gw_head_own of model/head.h)
//   globals    global tokens of each sequence, for a mixer that adds them (etc; others ignore them): a stream with as
//              many sequences, and at most as many rows per sequence as tokens; begin, end: tokens that a row
//              summarises; token: id of its embedding (negative, or NULL: the mixer chooses); segment. Without `start`
//              the mixer makes its own. tokens' part: borders that local attention does not cross
//   predicted, encoded  row: rows of the globals, as many of each; label of the predicted rows: their number. A global
//              token's state is to find the encoding of the same number among all encoded tokens (nn/layers.h)
// The network numbers its own streams from the last number downwards: the stream of a mixer (own_rows of
// model/mixer.h), and one for each pooling of a stem.
enum { GW_ROWS_TOKENS, GW_ROWS_OWN, GW_ROWS_FIRST, GW_ROWS_MIXER, GW_ROWS_GLOBALS, GW_ROWS_PREDICTED, GW_ROWS_ENCODED };
// Other names of GW_ROWS_OWN, by head:
//   masked     row: ascending; label: token to predict (NULL: logits only)
//   questions  label: the correct choice of a multiple-choice question, with (first tokens / questions) choices each;
//              count 0: as many questions as sequences
//   choices    a stream: entries of choices among the logits of a question head with named columns (nn/layers.h)
//   target     sequences of a decoder, as many as there are of tokens: token: decoder_start, then the known text;
//              label: the token that follows each
enum {
    GW_ROWS_MASKED = GW_ROWS_OWN,
    GW_ROWS_QUESTIONS = GW_ROWS_OWN,
    GW_ROWS_CHOICES = GW_ROWS_OWN,
    GW_ROWS_TARGET = GW_ROWS_OWN
};
// Capacity for the entries of choices in a batch of this number of tokens.
static inline int64_t gw_choice_entries(const gw_config *config, int64_t tokens) {
    return config->labels > 0 ? (config->labels + 1) * tokens : 0;
}

// Takes the outputs of an asked sequence or row; `id` names it.
typedef gw_status gw_forward_answer(void *context, int64_t id, const float *outputs);

typedef struct gw_network gw_network;
gw_status gw_network_new(gw_model *model, const gw_network_options *options, gw_network **out) GW_MUST_CHECK;
void gw_network_free(gw_network *network);
int64_t gw_network_bytes(const gw_network *network); // memory placed, in bytes
// Appends a line for each step of the plan, with its work: gw_plan_print(). The work of a layer: gw_plan_work().
gw_status gw_network_print_plan(const gw_network *network, gw_string *out) GW_MUST_CHECK;
gw_status gw_network_work(const gw_network *network, int segment, gw_work_sum *out) GW_MUST_CHECK;

// Runs the batch and fills losses (may be NULL): binary or squared errors of numbers, cross entropies of classes in
// natural logarithms; the loss of an answer is the mean over its two ends. Outputs are valid until the next call.
gw_status gw_network_forward(gw_network *network, const gw_batch *batch, gw_losses *losses) GW_MUST_CHECK;
// The losses of the last batch. Waits for a device that still computes, as the losses of gw_network_forward() do.
gw_status gw_network_losses(const gw_network *network, gw_losses *losses) GW_MUST_CHECK;
// After a forward run of a batch with labels, which must still exist: adds the gradient of the sum over row sets r of
// scale[r] * losses.of[r] to gw_network_gradient(), for every parameter. scale [GW_BATCH_ROWS]
gw_status gw_network_backward(gw_network *network, const float *scale) GW_MUST_CHECK;
float *
gw_network_gradient(gw_network *network); // [parameters.floats] of the device; zeroed by the caller between steps

// The backward pass from one output instead of the losses, for a network with `plain` and `training`. seed
// [rows][width] is the gradient of this output. `rule` replaces the backward step of each step
// (gw_plan_backward_from()).
gw_status gw_network_backward_from(gw_network *network, int rows, const float *seed,
                                   gw_step_function rule) GW_MUST_CHECK;

// After a forward pass of such a network: copies the embedding of each token to `out` (width: see below).
gw_status gw_network_embedded(const gw_network *network, float *out) GW_MUST_CHECK;
// After a backward pass: copies the gradient of each token's embedding, [tokens][gw_network_embedded_width()], to
// `out`. Width 0: the first layer of the network does not read the tokens.
int64_t gw_network_embedded_width(const gw_network *network);
gw_status gw_network_embedded_gradient(const gw_network *network, float *out) GW_MUST_CHECK;

// A backward pass is a list of actions, the same for every batch. From now on `acted` (NULL: none) is called after each
// action with the number of finished actions.
void gw_network_tell(gw_network *network, void (*acted)(void *context, int64_t actions), void *context);
// The number of actions after which the floats [begin, end) of the gradient are final.
int64_t gw_network_last_write(const gw_network *network, int64_t begin, int64_t end);

// Metrics of the model's mixer over the batches since the restart: added to a row of metrics, or printed as a note.
void gw_network_restart_metrics(gw_network *network);
// The numbers behind these metrics. Each is a sum over batches, and may be added to the numbers of other ranks. No
// metrics: *count is 0.
double *gw_network_metric_sums(gw_network *network, int64_t *count);
void gw_network_add_metrics(const gw_network *network, json_t *row);
void gw_network_note_metrics(const gw_network *network); // NULL: none
// The graph that a layer's head drew for the first sequence of the last batch, with its memberships if the head is
// watched. `graph` is NULL if the model draws no graphs. Valid until the next batch.
void gw_network_watch(gw_network *network, int layer, int head);
gw_drawn_graph gw_network_drawn(const gw_network *network, int layer, int head);
// Appends the mixer's options in the words of a run's fingerprint.
void gw_mixer_print_options(const gw_config *config, const gw_mixer_options *options, gw_string *out);

// Outputs of the last batch, copied from the device. They are valid until the next call of the same kind or the next
// batch. NULL without a message: the network has no such output. NULL with a message: reading failed.
const float *gw_network_hidden(const gw_network *network); // last layer: [tokens][E], or the rows of `read`
// The head's output for a row set: logits of its labels. ln w of binary labels is not removed. Logits of spans are
// masked at question tokens. A multiple choice has one logit for each first token. A bare encoder with a pooler gives
// the pooled first tokens, [sequences][E].
const float *gw_network_output(const gw_network *network, int rows); // [rows][gw_network_output_width()]
int64_t gw_network_output_width(const gw_network *network, int rows);
// Of the last batch's masked tokens, ln of the probability of token[i] at masked token i; out[i] of a negative token is
// 0. For a network without training on a device with its own memory, which computes them in single precision.
gw_status gw_network_log_probabilities(gw_network *network, const int32_t *token, double *out) GW_MUST_CHECK;

#endif
