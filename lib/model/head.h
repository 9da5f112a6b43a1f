// SPDX-License-Identifier: MIT
// What stands on an encoder: the words of its config.json, its tensors, what it computes of them and what of a batch it
// reads. A head is a row of this (heads.def); network/network_private.h has what descriptions are made of.
#ifndef GW_MODEL_HEAD_H
#define GW_MODEL_HEAD_H

#include "model/config.h"
#include "nn/plan.h"

// What a head does with the encoder's pooler: has one where all heads of its family do and leaves it unread, reads it,
// reads it unless the family gives the head a layer of its own (dense_labels), has none in any family.
typedef enum { GW_POOLER_UNREAD, GW_POOLER_READ, GW_POOLER_OR_DENSE, GW_POOLER_ABSENT } gw_head_pooler;

// What a head reads of a batch beside the tokens and the first of each sequence: nothing; some rows of the tokens; a
// row for each sequence, or for each so many of them in a row; a stream with as many sequences; choices among the
// logits, where config.json names these.
typedef enum { GW_OWN_NOTHING, GW_OWN_ROWS, GW_OWN_SEQUENCES, GW_OWN_STREAM, GW_OWN_CHOICES } gw_head_own;

typedef struct gw_builder gw_builder; // model/builder.h
typedef struct gw_network gw_network;

typedef struct {
    // config.json
    const char *suffix; // of architectures: "ForMaskedLM"
    bool masked;        // predicts masked tokens
    bool pairs;         // tells whether the second of two sentences follows on the first
    bool labels;        // has the labels of config.json: "id2label", "num_labels"
    bool columns;       // or, where "id2label" begins with "start", columns of those names
    bool problem;       // of sequences, where "problem_type" says what they are
    bool answers;       // questions about a text
    bool apart;         // a pair of texts is two sequences; no class of transformers has such a head
    bool generates;     // a decoder, which writes a text about the source
    bool bare;          // there is nothing on the encoder but its pooler
    gw_head_pooler pooler;
    // computation
    gw_status (*check)(const gw_config *config); // refuses models that it cannot be computed for; NULL: none
    bool tokens;                                 // reads every token's hidden state: logits are of tokens
    bool tracks;                                 // its outputs are what the family describes: tracks
    // Declares its tensors and appends steps from the encoder's hidden states to logits, and their losses.
    void (*describe)(gw_builder *b, gw_tensor hidden);
    // a batch
    gw_head_own own;
    void (*add_inputs)(gw_network *network); // to the completed batch; NULL: nothing
    gw_status (*check_labels)(const gw_network *network);
} gw_head_row;

int gw_head_count(void);
const gw_head_row *gw_head_of(gw_head head);
int gw_head_by_suffix(const char *suffix); // -1: none
bool gw_head_names_spans(gw_head head);    // its logits of tokens are the ends of answers to questions

// The rows. Another table, which goes on after these, can stand in their place: rows.c alone counts them.
#ifndef GW_HEADS_DEF
#define GW_HEADS_DEF "model/heads.def"
#endif
#define GW_HEAD(NAME, row) extern const gw_head_row gw_head_##row;
#include GW_HEADS_DEF
#undef GW_HEAD

#endif
