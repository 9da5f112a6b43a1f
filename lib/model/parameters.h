// SPDX-License-Identifier: MIT
// The tensors of a model: a list by role and name, and one block with their values.
#ifndef GW_MODEL_PARAMETERS_H
#define GW_MODEL_PARAMETERS_H

#include "base/status.h"
#include "kernels/mirror.h"
#include "model/config.h"
#include "model/roles.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_PARAMETER_NAME = 96 };

// Initial values of a fresh tensor, and of a tensor that a file may lack.
typedef enum {
    GW_BEGINS_CONSTANT,    // all begins_at
    GW_BEGINS_DRAWN,       // normal, with standard deviation begins_at
    GW_BEGINS_SINUSOIDS,   // sines and cosines of a row's position (Vaswani et al., 2017, section 3.5), sines in the
                           // first half of a row, as in Pegasus
    GW_BEGINS_FREQUENCIES, // of rotary positions, with base begins_at
    GW_BEGINS_ONE_HOT      // row begins_at + i is 1 at column i
} gw_beginning;

// A tensor of the model, by its Hugging Face name. Linear weights are stored [out][in].
typedef struct {
    char name[GW_PARAMETER_NAME];
    gw_role role;
    int layer; // layer, or part of a stem, for roles that these have; else 0
    bool bias; // the role's bias, not its weight
    int dimensions;
    int64_t shape[3];
    int64_t count;  // product of shape
    int64_t offset; // in floats from the start of the block
    gw_beginning beginning;
    double begins_at;
    bool decay;      // weight decay applies: matrices, not biases and layer norms
    bool fixed;      // not trained
    bool multiplied; // a linear layer's weight, which is packed when weights are fixed
    bool of_encoder; // belongs to the encoder, not to a head
    // In files:
    char stored[GW_PARAMETER_NAME]; // name of the stored tensor: the name above, or that of a tensor with several parts
    int part, parts;                // index and number of the parts, stacked by rows; 0 of 1: the only one
    char twin[GW_PARAMETER_NAME];   // second name under which the tensor is stored; "": none
    bool absent;                    // files do not hold it
    bool optional;                  // a file may lack it: it is then fresh, or (a pooler) removed from the list
    bool taps_last;                 // stored as [width][in][taps]; networks read [taps][width][in]
} gw_parameter;

// Another name that files may use for a stored tensor.
typedef struct {
    char name[GW_PARAMETER_NAME], stored[GW_PARAMETER_NAME];
} gw_parameter_alias;

// All parameters lie in one block, in the order of the list. Gradients and Adam moments have the same layout, so that a
// checkpoint is one write and clipping is one sum. Offsets are multiples of 16 floats; the gaps are zero.
typedef struct {
    gw_parameter *list;
    int count;
    gw_parameter_alias *alias;
    int alias_count;
    char prefix[16]; // prefix of the family's encoders under a head
    bool bare;       // the names have no prefix
    int64_t floats;  // size of the block
    float *weight;
    gw_mirror mirror; // `weight` and its copy for ops (gw_parameters_on_device()); zeros before
} gw_parameters;

void gw_parameters_free(gw_parameters *parameters);
// Fills the initial values of a tensor that is not drawn.
void gw_parameter_begin(const gw_parameter *parameter, float *values);
// Convert values between the layout of a file, without other parts, and the layout of the network. `in` and `out` must
// not overlap.
void gw_parameter_from_file(const gw_parameter *parameter, const float *in, float *out);
void gw_parameter_to_file(const gw_parameter *parameter, const float *in, float *out);
// The shape of the stored tensor.
void gw_parameter_stored_shape(const gw_parameter *parameter, int64_t shape[3]);
// Computes the offsets again, after entries were removed.
void gw_parameters_set_offsets(gw_parameters *parameters);
const gw_parameter *gw_parameters_find(const gw_parameters *parameters, const char *name);
// The weight or bias of a role, or NULL. `layer` matters for roles of layers and of stem parts.
const gw_parameter *gw_parameters_role(const gw_parameters *parameters, gw_role role, int layer, bool bias);

// on_device: copies the parameters to the memory of the current backend at the first call. to_host: copies changes by
// ops back. to_device: copies changes by the host to the device. If the device uses host memory, ops read and write
// `weight`, and nothing is copied.
gw_status gw_parameters_on_device(gw_parameters *parameters) GW_MUST_CHECK;
gw_status gw_parameters_to_device(gw_parameters *parameters) GW_MUST_CHECK;
gw_status gw_parameters_to_host(gw_parameters *parameters) GW_MUST_CHECK;

// Lists the tensors of a config in the order of its description and assigns offsets. `weight` stays NULL. Free with
// gw_parameters_free().
gw_status gw_parameters_make(const gw_config *config, gw_parameters *out) GW_MUST_CHECK;

#endif
