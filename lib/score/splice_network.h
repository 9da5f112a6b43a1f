// SPDX-License-Identifier: MIT
// Probabilities of none, acceptor and donor for each base of windows, by a network of convolutions over single bases
// and averaged over the model's members.
#ifndef GW_SCORE_SPLICE_NETWORK_H
#define GW_SCORE_SPLICE_NETWORK_H

#include "model/model.h"

// A window of bases (A, C, G, T, N), with what each of those gets that have their whole context in it. One of ALT says
// what of REF it stands for.
typedef struct {
    const char *bases;
    int64_t length;       // more than 2 flanks
    char strand;          // '-': the network reads the reverse complement; rows stay in the order of the bases
    float *rows;          // [length - 2 flank][3]
    int64_t ref;          // index among those of the run of REF's window; -1: this is one
    int64_t offset, span; // the bases of REF's window in whose place these stand
} gw_splice_window;

typedef struct gw_splice_network gw_splice_network;
// Borrows the model. tokens: bases computed at a time, 0: the default; `longest`: of a window.
gw_status gw_splice_network_new(gw_model *model, int64_t tokens, int64_t longest,
                                gw_splice_network **out) GW_MUST_CHECK;
void gw_splice_network_free(gw_splice_network *network); // NULL is fine
gw_status gw_splice_network_run(gw_splice_network *network, const gw_splice_window *windows,
                                int64_t count) GW_MUST_CHECK;

// Tokens of a model's letters.
void gw_splice_map_letters(const gw_model *model, int32_t token[256]);

// Whether a model is of this kind; bases on either side that a base's classes depend on; bases of a batch.
bool gw_model_splices(const gw_model *model);
int64_t gw_splice_flank(const gw_model *model);
int64_t gw_splice_network_tokens(const gw_splice_network *network);

#endif
