// SPDX-License-Identifier: MIT
// Folders of the package sentence-transformers. modules.json lists what a text goes through: a network ("Transformer",
// in the folder itself or one below it), how its tokens become one vector ("Pooling", 1_Pooling/config.json), and
// whether that has length 1 ("Normalize"). sentence_bert_config.json says how long texts may be and whether they are
// put in lower case, config_sentence_transformers.json what stands before every text (its default prompt).
#ifndef GW_NETWORK_SENTENCE_FOLDER_H
#define GW_NETWORK_SENTENCE_FOLDER_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// A vector of the hidden states h of n tokens, special ones included: the first token's, the last one's, the largest of
// each column, sum(h) / n, sum(h) / sqrt(n), or sum(i h_i) / sum(i) with i from 1 on.
typedef enum {
    GW_SENTENCE_CLS,
    GW_SENTENCE_MAX,
    GW_SENTENCE_MEAN,
    GW_SENTENCE_MEAN_SQRT,
    GW_SENTENCE_WEIGHTED,
    GW_SENTENCE_LAST,
    GW_SENTENCE_MODES // how many there are
} gw_sentence_mode;

typedef struct {
    char *network;                            // folder of config.json, the tokenizer and the weights
    gw_sentence_mode mode[GW_SENTENCE_MODES]; // vectors that stand end to end
    int modes;                                // 0: the folder has no modules.json
    bool normalises;                          // the whole vector has length 1
    int64_t longest;                          // tokens that texts are cut to, special ones included; 0: the positions
    bool lowers;                              // texts are read in lower case
    char *prompt;                             // before every text; or NULL
    bool pools_prompt;                        // its tokens are among those that are pooled
    char *unsupported;                        // why the folder's vectors cannot be computed here; or NULL
} gw_sentence_folder;

// Reads what the folder (or the name of an installed model) has of these files. Malformed ones are errors that name
// file and key; modules that godwit does not compute leave a message in `unsupported`. Free it also after a failure.
gw_status gw_sentence_folder_read(const char *model, gw_sentence_folder *out) GW_MUST_CHECK;
void gw_sentence_folder_free(gw_sentence_folder *folder);

#endif
