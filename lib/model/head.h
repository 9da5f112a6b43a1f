// SPDX-License-Identifier: MIT
// A head on an encoder: the words of its config.json, its tensors, its computation, and its inputs in a batch. A head
// is a row of heads.def. network/network_private.h has the parts of descriptions.
#ifndef GW_MODEL_HEAD_H
#define GW_MODEL_HEAD_H

#include "model/config.h"
#include "nn/plan.h"

// The head's use of the encoder's pooler. UNREAD: present if all heads of the family have it, but not read. READ: read.
// OR_DENSE: read unless the family has a separate layer for the head (dense_labels). ABSENT: in no family.
typedef enum { GW_POOLER_UNREAD, GW_POOLER_READ, GW_POOLER_OR_DENSE, GW_POOLER_ABSENT } gw_head_pooler;

// Further inputs of a head, beside the tokens and the first of each sequence: nothing; some rows of the tokens; one row
// for each sequence, or for each group of consecutive sequences; a stream with as many sequences; or choices among the
// logits, if config.json names them.
typedef enum { GW_OWN_NOTHING, GW_OWN_ROWS, GW_OWN_SEQUENCES, GW_OWN_STREAM, GW_OWN_CHOICES } gw_head_own;

typedef struct gw_builder gw_builder; // model/builder.h
typedef struct gw_network gw_network;

typedef struct {
    // config.json
    const char *suffix; // of architectures: "ForMaskedLM"
    bool masked;        // predicts masked tokens
    bool pairs;         // predicts whether the second of two sentences follows the first
    bool labels;        // has the labels of config.json: "id2label", "num_labels"
    bool columns;       // or, if "id2label" begins with "start", columns with these names
    bool problem;       // labels of sequences are of the kind in "problem_type"
    bool answers;       // answers questions about a text
    bool apart;         // a pair of texts is two sequences; transformers has no class with such a head
    bool generates;     // has a decoder, which writes a text about the source
    bool bare;          // only the encoder with its pooler
    gw_head_pooler pooler;
    // computation
    gw_status (*check)(const gw_config *config); // fails for models without support for the head; NULL: none
    bool tokens;                                 // logits are of tokens; reads every token's hidden state
    bool tracks;                                 // outputs are tracks, which the family describes
    // Declares the tensors, and appends the steps from hidden states to logits and losses.
    void (*describe)(gw_builder *b, gw_tensor hidden);
    // a batch
    gw_head_own own;
    void (*add_inputs)(gw_network *network); // adds its inputs to the completed batch; NULL: none
    gw_status (*check_labels)(const gw_network *network);
} gw_head_row;

int gw_head_count(void);
const gw_head_row *gw_head_of(gw_head head);
int gw_head_by_suffix(const char *suffix); // -1: none
bool gw_head_names_spans(gw_head head);    // logits of tokens are the ends of answers

// The rows. Another table that continues this one may replace it: only rows.c counts the rows.
#ifndef GW_HEADS_DEF
#define GW_HEADS_DEF "model/heads.def"
#endif
#define GW_HEAD(NAME, row) extern const gw_head_row gw_head_##row;
#include GW_HEADS_DEF
#undef GW_HEAD

#endif
