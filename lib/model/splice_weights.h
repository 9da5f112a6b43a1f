// SPDX-License-Identifier: MIT
// SpliceAI's network (Jaganathan et al., 2019), read from files of training programs. It has a convolution of one tap
// to 32 channels; stages of four residual units (norm, activation and convolution, twice); skips before the first unit
// and behind every stage; and three classes, or one logit. A layout describes the tensor names of each program.
#ifndef GW_MODEL_SPLICE_WEIGHTS_H
#define GW_MODEL_SPLICE_WEIGHTS_H

#include "base/string.h"
#include "model/builder.h"
#include "model/model.h"

enum { GW_SPLICE_STAGE_UNITS = 4, GW_SPLICE_NORM_FIELDS = 4, GW_SPLICE_LAYER_NAME = 128 };

typedef enum {
    GW_SPLICE_FIRST,
    GW_SPLICE_SKIP,
    GW_SPLICE_NORM, // of a unit, like the kinds down to GW_SPLICE_SECOND
    GW_SPLICE_CONVOLUTION,
    GW_SPLICE_SECOND_NORM,
    GW_SPLICE_SECOND,
    GW_SPLICE_LAST
} gw_splice_layer_kind;

// families/splice.c: functions that families with this network share. Names of the encoder begin with a prefix.
void gw_splice_defaults(gw_config *config);
void gw_splice_describe(gw_builder *b, const char *prefix);

typedef struct gw_splice_source gw_splice_source;

// Taps and dilation of the units in a stage.
typedef struct {
    int taps, dilation;
} gw_splice_stage;

typedef struct {
    const char *are;                         // what the files are, for messages
    const char *files;                       // shell pattern of the file names in a folder
    const char *unit;                        // kind of unit in stems (nn/stem.h)
    const char *weight, *bias;               // fields of a convolution, behind the layer's name
    const char *norm[GW_SPLICE_NORM_FIELDS]; // gamma, beta, mean, variance
    const char *batches;                     // a counter that norms may have, ignored; NULL: none
    double epsilon;                          // added to variances
    bool taps_first;                         // weights are [taps][in][out], not [out][in][taps]
    bool unknown_is_mean;                    // N is the mean of the four letters, not zeros
    // Stages of all files and their number. NULL: the first one to four stages of SpliceAI, as many as a file has.
    const gw_splice_stage *stages;
    int stage_count;
    // Writes the name of the layer that follows `units` units.
    void (*name)(gw_splice_layer_kind kind, int units, char out[GW_SPLICE_LAYER_NAME]);
    // NULL: a last convolution gives the classes none, acceptor and donor. Otherwise the model's family, with
    // overlapping labels. Each file of the program then has one label: its name behind "none", and its logit as a row
    // of 32 weights and a bias.
    const gw_family *family;
    gw_status (*label)(const char *path, gw_string *name);
    gw_status (*logit)(gw_splice_source *from, const char *path, float *weight, float *bias);
    gw_status (*rest)(gw_splice_source *from, gw_model *model); // reads tensors that only this network has; NULL: none
} gw_splice_weights;

// Reads a tensor of the current file, which must have this shape (0: no further dimension). *values is valid until the
// next call.
gw_status gw_splice_source_read(gw_splice_source *from, const char *name, const int64_t shape[3],
                                const float **values) GW_MUST_CHECK;

// Reads a file of weights, or all files of a folder that match the pattern, in order of name, as members of one model
// (model/model.h) with single-letter tokens and labels for each base. Statistics of norms are merged with their
// weights: y = a x + b with a = gamma / sqrt(variance + epsilon), b = beta - mean a. Missing, misshapen and unknown
// tensors are errors that name them.
gw_status gw_splice_weights_read(const gw_splice_weights *layout, const char *path, gw_model **out) GW_MUST_CHECK;

#endif
