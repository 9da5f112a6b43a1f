// SPDX-License-Identifier: MIT
// A model made ready to run: the plan of its ops over packed batches, with all memory placed beforehand.
//
// A batch is sequences end to end without padding. The same sequence gives the same outputs within rounding in any
// batch, and short sequences get full attention on their own.
#ifndef GW_NETWORK_NETWORK_H
#define GW_NETWORK_NETWORK_H

#include "base/batch.h"
#include "base/string.h"
#include "model/mixer.h"
#include "model/model.h"
#include "network/mixers.h"
#include "nn/layers.h"

// Whose hidden states of the last layer are made: those of all tokens, of each sequence's first, or of masked ones.
typedef enum { GW_OUTPUT_ALL, GW_OUTPUT_FIRST, GW_OUTPUT_MASKED } gw_output_rows;

typedef struct {
    int64_t tokens;    // most tokens of a batch, special tokens included
    int64_t sequences; // most sequences of a batch
    int64_t masked;    // most MLM positions of a batch (0: no MLM head)
    int64_t targets;   // most tokens of targets of a batch, of a model with a decoder
    int64_t globals;   // most global tokens that a batch gives (GW_ROWS_GLOBALS)
    int64_t contrasts; // with training: most global tokens that predict an encoding (0: the loss is not there)
    bool nsp_head;     // NSP logits
    bool memory;       // of a model with a decoder: the encoder, and what each layer of the decoder reads of it
    double smoothing;  // of the labels of targets: 1 - smoothing for the token, the rest spread over all others
    double focus;      // of the classes of tokens: the loss of one weighs (1 - p)^focus, p the label's probability
    int layers;        // run so many layers and no head; 0: the whole model; -1: the embeddings alone
    gw_output_rows output_rows; // what is read of the last layer; the rest is not computed (not with training)
    bool training;              // room for the backward pass; dropout in effect
    bool still;     // with training: no dropout, and weights may be fixed ones: of gradients those of inputs count
    bool recompute; // the backward pass runs each layer forward again instead of reading what it kept: less memory
                    // and more time for the same bits (with training)
    gw_precision precision; // with training: of the products of linear layers over tokens, both ways, and of attention,
                            // forward; all else is f32. Without: gw_model_freeze() says it
    bool plain;    // the plan's steps as described: nothing is fused, shared or computed again (slow, to compare)
    bool parts;    // it may be run in part (network/partial.h; not with training)
    int64_t rows;  // in part: of each resolution so many at a time; 0: as many as the tokens have
    uint64_t seed; // of dropout, and with training of what a mixer draws
    int64_t step_sequences; // of a step, over all of its batches; 0: as many as a batch may have
    gw_mixer_options mixer; // with training
} gw_network_options;

// What the parts of a batch are to a language model. A batch is borrowed, up to the backward pass; what is absent
// is filled in: labels are missing, rows of sequences are all of them. Positions are never read. Which labels there are
// the model's head says (lib/network/heads).
//   tokens     token: with [CLS] ... [SEP] as the caller placed them; segment: 0 or 1, NULL: all 0, or what
//              transformers' BigBird takes for answering questions: 0 up to the first separator (the first token, where
//              there is none), then 1; label: classes of tokens
//   first      the first token of each sequence; label: 0 (B follows A) or 1 (random) of sentence pairs, the class of
//              sequences with one label of many, [2] first and last token of a span, 0-based within the sequence;
//              number: [labels] of other sequences, 0 or 1 or any number
//   own        what the head reads beside them (gw_head_own of model/head.h)
//   globals    the structure of each sequence, for a mixer that adds global tokens to it (etc; others pass it over): a
//              stream of as many sequences, at most as many rows as a sequence has tokens; begin, end: tokens that a
//              row stands for; token: what it embeds as (negative, or NULL: the mixer's choice); segment. Without
//              `start` the mixer makes its own. tokens' part: what near tokens do not read across
//   predicted, encoded  row: of the globals, as many of each; label of the former: its number. A global token's state
//   is
//              to find that of the same number among all encoded ones (nn/layers.h)
// The network's own streams are that of a mixer (own_rows of model/mixer.h), and, one for each pooling of a stem, are
// numbered from the last downwards.
enum { GW_ROWS_TOKENS, GW_ROWS_OWN, GW_ROWS_FIRST, GW_ROWS_MIXER, GW_ROWS_GLOBALS, GW_ROWS_PREDICTED, GW_ROWS_ENCODED };
// What heads have as their own, by other names.
//   masked     row: ascending; label: token to predict (NULL: logits only)
//   questions  label: which of its sequences, count of the first over count in a row, a multiple choice takes; count 0:
//              as many as sequences
//   choices    a stream: entries of choices among the logits of a question head with named columns (nn/layers.h)
//   target     sequences of a decoder, as many as there are of tokens: token: decoder_start, then the text as far as it
//              is known; label: the token that follows each
enum {
    GW_ROWS_MASKED = GW_ROWS_OWN,
    GW_ROWS_QUESTIONS = GW_ROWS_OWN,
    GW_ROWS_CHOICES = GW_ROWS_OWN,
    GW_ROWS_TARGET = GW_ROWS_OWN
};
// Room for the entries of choices, in a batch of so many tokens.
static inline int64_t gw_choice_entries(const gw_config *config, int64_t tokens) {
    return config->labels > 0 ? (config->labels + 1) * tokens : 0;
}

// Takes the outputs of a sequence or row that was asked for, which `id` names.
typedef gw_status gw_forward_answer(void *context, int64_t id, const float *outputs);

typedef struct gw_network gw_network;
gw_status gw_network_new(gw_model *model, const gw_network_options *options, gw_network **out) GW_MUST_CHECK;
void gw_network_free(gw_network *network);
int64_t gw_network_bytes(const gw_network *network); // memory placed
// A line for each step of the plan: gw_plan_print().
void gw_network_print_plan(const gw_network *network, gw_string *out);

// Runs the batch and fills losses (may be NULL): binary or squared errors of numbers, cross entropies of classes in
// natural logarithms, and for each answer the mean of its two. Outputs stay until the next call.
gw_status gw_network_forward(gw_network *network, const gw_batch *batch, gw_losses *losses) GW_MUST_CHECK;
// After a forward of a batch with labels, which is still there: adds the gradient of the sum of scale[r] * losses.of[r]
// over the row sets r with respect to every parameter into gw_network_gradient(). scale [GW_BATCH_ROWS]
gw_status gw_network_backward(gw_network *network, const float *scale) GW_MUST_CHECK;
float *
gw_network_gradient(gw_network *network); // [parameters.floats] of the device; zeroed by the caller between steps

// The backward pass from one output instead of losses, of a network with `plain` and `training`: seed [rows][width] is
// its gradient, and `rule` runs in the place of each step's backward step (gw_plan_backward_from()).
gw_status gw_network_backward_from(gw_network *network, int rows, const float *seed,
                                   gw_step_function rule) GW_MUST_CHECK;

// After a forward pass of such a network: what each token embeds as, as below.
gw_status gw_network_embedded(const gw_network *network, float *out) GW_MUST_CHECK;
// After a backward pass: the gradient of what each token embeds as, [tokens][gw_network_embedded_width()], copied to
// `out`. Width 0: the network's first layer is not of its tokens.
int64_t gw_network_embedded_width(const gw_network *network);
gw_status gw_network_embedded_gradient(const gw_network *network, float *out) GW_MUST_CHECK;

// A backward pass is a list of actions, the same for every batch. From now on `acted` (NULL: nobody) is called after
// each, with how many have been done.
void gw_network_tell(gw_network *network, void (*acted)(void *context, int64_t actions), void *context);
// After how many actions the floats [begin, end) of the gradient change no more.
int64_t gw_network_last_write(const gw_network *network, int64_t begin, int64_t end);

// Metrics that the model's mixer has of the batches since the restart: into a row of metrics, or as a note.
void gw_network_restart_metrics(gw_network *network);
// The numbers that they are made of, each a sum over batches, to be added to those of other ranks; none: *count is 0.
double *gw_network_metric_sums(gw_network *network, int64_t *count);
void gw_network_add_metrics(const gw_network *network, json_t *row);
void gw_network_note_metrics(const gw_network *network); // NULL: none
// What a layer's head drew for the first sequence of the last batch, with its memberships since the head is watched;
// `graph` NULL where nothing is drawn. Lasts until the next batch.
void gw_network_watch(gw_network *network, int layer, int head);
gw_drawn_graph gw_network_drawn(const gw_network *network, int layer, int head);
// What a run's fingerprint says of the options of a model's mixer.
void gw_mixer_print_options(const gw_config *config, const gw_mixer_options *options, gw_string *out);

// Outputs of the last batch, read back from the device: they stay until the next call of the same kind or the next
// batch. NULL where the network has none, and, with a message, where reading fails.
const float *gw_network_hidden(const gw_network *network); // last layer: [tokens][E], or the rows of `read`
// What the head makes of a row set: logits of its labels, ln w of binary ones not yet taken off, those of spans with
// question tokens masked, those of a multiple choice one of each of the first tokens; of a bare encoder with a pooler
// that of the first tokens, [sequences][E].
const float *gw_network_output(const gw_network *network, int rows); // [rows][gw_network_output_width()]
int64_t gw_network_output_width(const gw_network *network, int rows);

#endif
