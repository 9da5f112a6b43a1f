// SPDX-License-Identifier: MIT
// Folders of the package sentence-transformers. modules.json lists the steps for a text: a network ("Transformer", in
// the folder itself or in a subfolder), the pooling of its tokens to one vector ("Pooling", 1_Pooling/config.json), and
// scaling to length 1 ("Normalize"). sentence_bert_config.json has the longest text and whether texts become lower
// case. config_sentence_transformers.json has the default prompt, which precedes every text.
#ifndef GW_NETWORK_SENTENCE_FOLDER_H
#define GW_NETWORK_SENTENCE_FOLDER_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// A vector from the hidden states h of n tokens, special tokens included: the state of the first token or of the last
// token, the largest value of each column, sum(h) / n, sum(h) / sqrt(n), or sum(i h_i) / sum(i) with i from 1.
typedef enum {
    GW_SENTENCE_CLS,
    GW_SENTENCE_MAX,
    GW_SENTENCE_MEAN,
    GW_SENTENCE_MEAN_SQRT,
    GW_SENTENCE_WEIGHTED,
    GW_SENTENCE_LAST,
    GW_SENTENCE_MODES // number of modes
} gw_sentence_mode;

typedef struct {
    char *network;                            // folder with config.json, the tokenizer and the weights
    gw_sentence_mode mode[GW_SENTENCE_MODES]; // vectors to join, in this order
    int modes;                                // 0: the folder has no modules.json
    bool normalises;                          // the joined vector is scaled to length 1
    int64_t longest;                          // texts are cut to this number of tokens, special tokens included; 0: the
                                              // positions
    bool lowers;                              // texts are read in lower case
    char *prompt;                             // precedes every text; or NULL
    bool pools_prompt;                        // the pooling includes tokens of the prompt
    char *unsupported;                        // reason why godwit cannot compute the folder's vectors; or NULL
} gw_sentence_folder;

// Reads these files of a folder (or of an installed model). Malformed files are errors that name file and key. Modules
// that godwit cannot compute set `unsupported`. Free `out`, also after a failure.
gw_status gw_sentence_folder_read(const char *model, gw_sentence_folder *out) GW_MUST_CHECK;
void gw_sentence_folder_free(gw_sentence_folder *folder);

#endif
