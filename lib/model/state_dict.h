// SPDX-License-Identifier: MIT
// Models from files of other programs that name the tensors of a family differently: state dicts of torch, and Keras
// files.
//
// Every tensor of the model must be found. Missing, misshapen and unknown tensors are errors that name them. A batch
// norm with fixed statistics becomes a scale and a shift: a = gamma / sqrt(variance + epsilon) and beta - mean a.
#ifndef GW_MODEL_STATE_DICT_H
#define GW_MODEL_STATE_DICT_H

#include "model/model.h"
#include "store/checkpoint.h"

// A tensor's place in a file: its name there. If the file's tensor contains others too: the range of its inputs, and
// its first output.
typedef struct {
    char name[GW_PARAMETER_NAME];
    int64_t first, inputs;         // first input; number of inputs, 0: all
    int64_t first_output, outputs; // first output; outputs of the file's tensor, 0: as many as this tensor has
} gw_stored_place;

typedef struct {
    const char *are; // what the file is, for messages: "a state dict of BPNet"
    // `out` begins with the tensor's own name. NULL: names are the same.
    void (*place)(const gw_config *config, const char *name, gw_stored_place *out);
    const char *twins;         // prefix of tensors that repeat other tensors. NULL: none
    double epsilon;            // of batch norms
    bool taps_first;           // Keras: convolutions are [taps][in][out] and matrices [in][out], not [out][in][taps]
    const char *const *passed; // endings of the names of ignored tensors; ends with NULL. NULL: none
} gw_state_dict_layout;

// Makes a model of single bases with the file's values. The config is copied.
gw_status gw_model_from_state_dict(const gw_state_dict_layout *layout, const gw_checkpoint *stored,
                                   const gw_config *config, gw_model **out) GW_MUST_CHECK;
// Sets the sizes of a tensor in the file: at most `dimensions`, others become 1. A missing tensor is an error.
gw_status gw_state_dict_shape(const gw_state_dict_layout *layout, const gw_checkpoint *stored, const char *name,
                              int dimensions, int64_t *shape) GW_MUST_CHECK;

#endif
