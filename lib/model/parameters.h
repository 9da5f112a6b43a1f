// SPDX-License-Identifier: MIT
// The tensors of a model: a list of them by role and by name, and one block with their values.
#ifndef GW_MODEL_PARAMETERS_H
#define GW_MODEL_PARAMETERS_H

#include "base/status.h"
#include "kernels/mirror.h"
#include "model/config.h"
#include "model/roles.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_PARAMETER_NAME = 96 };

// How the values of a fresh tensor begin, and those of one that a file may lack.
typedef enum {
    GW_BEGINS_CONSTANT,    // at begins_at
    GW_BEGINS_DRAWN,       // normal, of the deviation begins_at
    GW_BEGINS_SINUSOIDS,   // sines and cosines of a row's position (Vaswani et al., 2017, section 3.5): sines in the
                           // first half of a row, as Pegasus has them
    GW_BEGINS_FREQUENCIES, // of rotary positions, by the base begins_at
    GW_BEGINS_ONE_HOT      // row begins_at + i is 1 at column i
} gw_beginning;

// One tensor of the model, by its Hugging Face name. Linear weights are stored [out][in].
typedef struct {
    char name[GW_PARAMETER_NAME];
    gw_role role;
    int layer; // of a role that layers have, or parts of a stem, else 0
    bool bias; // the role's bias, not its weight
    int dimensions;
    int64_t shape[3];
    int64_t count;  // product of shape
    int64_t offset; // floats from the start of the blocks below
    gw_beginning beginning;
    double begins_at;
    bool decay;      // weight decay applies: matrices, not biases and layer norms
    bool fixed;      // training leaves it as it is
    bool multiplied; // a linear layer's weight, which is laid out for products where it stays as it is
    bool of_encoder; // not of a head
    // In a file
    char stored[GW_PARAMETER_NAME]; // its name there: the name above, or that of a tensor that holds several
    int part, parts;                // which of how many of these, one below the other; 0 of 1: the only one
    char twin[GW_PARAMETER_NAME];   // stored once more under this name; "": it is not
    bool absent;                    // no file holds it
    bool optional;                  // a file may lack it: it begins as a fresh one, or is no parameter then (a pooler)
    bool taps_last;                 // a convolution as [width][in][taps], where networks read [taps][width][in]
} gw_parameter;

// A name that files may have for a stored tensor.
typedef struct {
    char name[GW_PARAMETER_NAME], stored[GW_PARAMETER_NAME];
} gw_parameter_alias;

// All parameters lie in one block, in the order of the list; gradients and Adam moments use the same layout, so that a
// checkpoint is one write and clipping is one sum. Offsets are multiples of 16 floats; the gaps are zero.
typedef struct {
    gw_parameter *list;
    int count;
    gw_parameter_alias *alias;
    int alias_count;
    char prefix[16]; // of the family's encoders under a head
    bool bare;       // these names have none
    int64_t floats;  // size of a block
    float *weight;
    gw_mirror mirror; // `weight` and what ops read (gw_parameters_on_device()); zeros before
} gw_parameters;

void gw_parameters_free(gw_parameters *parameters);
// The first values of a tensor that is not drawn.
void gw_parameter_begin(const gw_parameter *parameter, float *values);
// The values of a tensor in a file of the parameter's own, parts apart -> as the network has them, and back. `in` and
// `out` do not overlap.
void gw_parameter_from_file(const gw_parameter *parameter, const float *in, float *out);
void gw_parameter_to_file(const gw_parameter *parameter, const float *in, float *out);
// The shape of the stored tensor.
void gw_parameter_stored_shape(const gw_parameter *parameter, int64_t shape[3]);
// Places the list anew, after some of it was taken out.
void gw_parameters_set_offsets(gw_parameters *parameters);
const gw_parameter *gw_parameters_find(const gw_parameters *parameters, const char *name);
// The weight or bias of a role, or NULL; `layer` is read for roles that layers, or parts of a stem, have.
const gw_parameter *gw_parameters_role(const gw_parameters *parameters, gw_role role, int layer, bool bias);

// Has the parameters in memory of the backend in use: copies them there the first time. What ops change afterwards is
// read back by gw_parameters_to_host(), and what the host changes is sent by gw_parameters_to_device(). Where device
// memory is the host's, `weight` is what ops read and write, and none of these copies.
gw_status gw_parameters_on_device(gw_parameters *parameters) GW_MUST_CHECK;
gw_status gw_parameters_to_device(gw_parameters *parameters) GW_MUST_CHECK;
gw_status gw_parameters_to_host(gw_parameters *parameters) GW_MUST_CHECK;

// Which tensors a model has.

// Lists the tensors of a config in the order of its description and places them in a block; `weight` is left NULL. Free
// with gw_parameters_free().
gw_status gw_parameters_make(const gw_config *config, gw_parameters *out) GW_MUST_CHECK;

#endif
