// SPDX-License-Identifier: MIT
// Models from the files of programs that hold the tensors of a family under names of their own: state dicts of torch,
// and what Keras writes.
//
// Every tensor of the model is looked for; those that are missing, of another shape or too many are errors that name
// them. A batch norm of fixed statistics becomes a scale and a shift: a = gamma / sqrt(variance + epsilon) and
// beta - mean a.
#ifndef GW_MODEL_STATE_DICT_H
#define GW_MODEL_STATE_DICT_H

#include "model/model.h"
#include "store/checkpoint.h"

// Where a file has a tensor: its name there, and, of one that holds others too, which of its inputs are this one's, and
// with which of its outputs this one begins.
typedef struct {
    char name[GW_PARAMETER_NAME];
    int64_t first, inputs;         // inputs 0: all
    int64_t first_output, outputs; // outputs: of the file's tensor; 0: as many as this one has
} gw_stored_place;

typedef struct {
    const char *are; // what the file is, for messages: "a state dict of BPNet"
    // `out` comes with the tensor's own name. NULL: names are the same.
    void (*place)(const gw_config *config, const char *name, gw_stored_place *out);
    const char *twins;         // what stands before names of tensors that are others once more. NULL: there are none
    double epsilon;            // of batch norms
    bool taps_first;           // Keras: convolutions are [taps][in][out] and matrices [in][out], not [out][in][taps]
    const char *const *passed; // ends of names of tensors that nothing here reads; ends with NULL. NULL: none
} gw_state_dict_layout;

// A model of single bases of that config, which is copied, with the file's values.
gw_status gw_model_from_state_dict(const gw_state_dict_layout *layout, const gw_checkpoint *stored,
                                   const gw_config *config, gw_model **out) GW_MUST_CHECK;
// Sets the extents of a tensor of the file; a missing one is an error. At most `dimensions`, others are 1.
gw_status gw_state_dict_shape(const gw_state_dict_layout *layout, const gw_checkpoint *stored, const char *name,
                              int dimensions, int64_t *shape) GW_MUST_CHECK;

#endif
