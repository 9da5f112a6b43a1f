// SPDX-License-Identifier: MIT
// SpliceAI's network (Jaganathan et al., 2019) from the files of programs that train it: a convolution of one tap to 32
// channels, stages of four residual units of norm, activation and convolution twice, skips before the first unit and
// behind every stage, and three classes or a logit. A program's layout of these files says what tensors are called.
#ifndef GW_MODEL_SPLICE_WEIGHTS_H
#define GW_MODEL_SPLICE_WEIGHTS_H

#include "base/string.h"
#include "model/builder.h"
#include "model/model.h"

enum { GW_SPLICE_STAGE_UNITS = 4, GW_SPLICE_NORM_FIELDS = 4, GW_SPLICE_LAYER_NAME = 128 };

typedef enum {
    GW_SPLICE_FIRST,
    GW_SPLICE_SKIP,
    GW_SPLICE_NORM, // of a unit, and so to GW_SPLICE_SECOND
    GW_SPLICE_CONVOLUTION,
    GW_SPLICE_SECOND_NORM,
    GW_SPLICE_SECOND,
    GW_SPLICE_LAST
} gw_splice_layer_kind;

// families/splice.c: what families of this network share, whose encoders' names begin with a prefix.
void gw_splice_defaults(gw_config *config);
void gw_splice_describe(gw_builder *b, const char *prefix);

typedef struct gw_splice_source gw_splice_source;

// Taps and dilation of the units of a stage.
typedef struct {
    int taps, dilation;
} gw_splice_stage;

typedef struct {
    const char *are;                         // what the files are, for messages
    const char *files;                       // the names of a folder's files, as the shell matches them
    const char *unit;                        // of stems (nn/stem.h)
    const char *weight, *bias;               // fields of a convolution, behind the layer's name
    const char *norm[GW_SPLICE_NORM_FIELDS]; // gamma, beta, mean, variance
    const char *batches;                     // a count that norms may have, of no use; NULL: none
    double epsilon;                          // that is added to variances
    bool taps_first;                         // weights are [taps][in][out], not [out][in][taps]
    bool unknown_is_mean;                    // N is the mean of the four letters, not none of them
    // Stages that all files have, and how many. NULL: SpliceAI's first one to four, as many as a file has.
    const gw_splice_stage *stages;
    int stage_count;
    // The name of a layer that so many units stand before.
    void (*name)(gw_splice_layer_kind kind, int units, char out[GW_SPLICE_LAYER_NAME]);
    // NULL: the classes none, acceptor and donor, by a last convolution. Else the family of the model, whose labels
    // overlap; the names of its labels behind "none", as many as files, of a program whose files tell one each; and the
    // logit of file `of`: a row of 32 weights, and a bias.
    const gw_family *family;
    gw_status (*label)(const char *path, gw_string *name);
    gw_status (*logit)(gw_splice_source *from, const char *path, float *weight, float *bias);
    gw_status (*rest)(gw_splice_source *from, gw_model *model); // takes what no other network has; NULL: nothing
} gw_splice_weights;

// Values of a tensor of the file that is read, which has that shape (0: dimensions behind the last), until the next
// call.
gw_status gw_splice_source_read(gw_splice_source *from, const char *name, const int64_t shape[3],
                                const float **values) GW_MUST_CHECK;

// Reads a file of weights, or all of a folder that are called so, in order of name, as members of one model
// (model/model.h), with single letters and labels for each base. Statistics of norms are joined with their weights: y
// = a x + b with a = gamma / sqrt(variance + epsilon), b = beta - mean a. Tensors that are missing, of another shape or
// too many are errors that name them.
gw_status gw_splice_weights_read(const gw_splice_weights *layout, const char *path, gw_model **out) GW_MUST_CHECK;

#endif
