// SPDX-License-Identifier: MIT
// What the files behind the public header share: the predictor, and checks of what a caller hands in.
#ifndef GW_GODWIT_PRIVATE_H
#define GW_GODWIT_PRIVATE_H

#include "base/string.h"
#include "godwit.h"
#include "network/embedder.h"
#include "network/forward.h"
#include "network/label_predictor.h"

enum { GW_STRAND_COUNTS = 2 };

// Inputs as the parts of the library take them. Zero-initialise.
typedef struct {
    gw_string letters; // of DNA: all inputs, normalised, end to end
    const char **bases;
    int64_t *lengths;
    int64_t bases_capacity, lengths_capacity;
} gw_inputs;

struct gw_predictor {
    gw_model *model;
    char *folder; // of the model, or its name
    gw_predictor_options options;
    int threads;
    gw_inputs inputs;
    // Made when first used:
    gw_encoder *encoder;
    int32_t *tokens; // [tokens_capacity] of gw_predictor_tokenize()
    int64_t tokens_capacity;
    gw_label_predictor *labels[GW_STRAND_COUNTS]; // one strand, both strands
    gw_embedder *embedder;
    gw_sentence_folder sentences; // of the folder
    gw_embed_pool pool;           // of the embedder
    int64_t layer;
    float *row;                                  // where the embedder's next row, or hidden states, go
    int64_t row_width;                           // of the embedder's rows
    gw_forward hidden;                           // of one sequence
    gw_batch hidden_run;                         // of that network
    gw_forward masked;                           // with the head for masked tokens
    gw_batch masked_run;                         // of that network
    float *masked_probabilities, *masked_logits; // where those of the next masked token go; or NULL
};

// A caller's struct into `known` bytes at `out`, zeros where it is shorter. The first field of both is its size. NULL
// is all zeros.
gw_status gw_copy_struct(const void *given, void *out, size_t known, const char *name) GW_MUST_CHECK;
gw_status gw_check_pointer(const void *pointer, const char *name) GW_MUST_CHECK;

// Sets the threads of the calling thread to the predictor's; returns those that it had, to be set again afterwards.
int gw_predictor_enter(const gw_predictor *predictor);

#endif
