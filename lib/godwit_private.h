// SPDX-License-Identifier: MIT
// Declarations that the sources of the public interface share: the predictor, and checks of the caller's arguments.
#ifndef GW_GODWIT_PRIVATE_H
#define GW_GODWIT_PRIVATE_H

#include "base/string.h"
#include "godwit.h"
#include "network/embedder.h"
#include "network/forward.h"
#include "network/label_predictor.h"

enum { GW_STRAND_COUNTS = 2 };

// Inputs in the form that the rest of the library takes. Zero-initialise.
typedef struct {
    gw_string letters; // DNA: all inputs, normalised, end to end
    const char **bases;
    int64_t *lengths;
    int64_t bases_capacity, lengths_capacity;
} gw_inputs;

struct gw_predictor {
    gw_model *model;
    char *folder; // path or name of the model
    gw_predictor_options options;
    int threads;
    gw_inputs inputs;
    // Made at first use:
    gw_encoder *encoder;
    int32_t *tokens; // [tokens_capacity] of gw_predictor_tokenize()
    int64_t tokens_capacity;
    gw_label_predictor *labels[GW_STRAND_COUNTS]; // one strand, both strands
    gw_embedder *embedder;
    gw_sentence_folder sentences; // pooling of the folder
    gw_embed_pool pool;           // current pooling of the embedder
    int64_t layer;
    float *row;                                  // destination of the embedder's next row, or of hidden states
    int64_t row_width;                           // of the embedder's rows
    gw_forward hidden;                           // network for one sequence
    gw_batch hidden_run;                         // its batch
    gw_forward masked;                           // network with the head for masked tokens
    gw_batch masked_run;                         // its batch
    float *masked_probabilities, *masked_logits; // destination of the next masked token's outputs; or NULL
};

// Copies a caller's struct to `out`, `known` bytes. Fields that the caller's struct lacks become zero. The first field
// of both structs is their size. `given` NULL: all zeros.
gw_status gw_copy_struct(const void *given, void *out, size_t known, const char *name) GW_MUST_CHECK;
gw_status gw_check_pointer(const void *pointer, const char *name) GW_MUST_CHECK;

// Sets the calling thread's number of threads to the predictor's. Returns the former number, to be restored afterwards.
int gw_predictor_enter(const gw_predictor *predictor);

#endif
