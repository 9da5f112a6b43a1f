// SPDX-License-Identifier: MIT
// Levels are laid out when the executor is made, sets of rows when a change is added, and values when they run. The
// rows of a level stand change by change, end to end, in the tensors' own memory behind the first sequence's.
//
// A step whose inputs have other levels than its result gets them copied together: rows of the change where the input
// has them, and the first sequence's elsewhere. Where a change needs all rows of an input (keys and values, what is
// pooled), its rows are put into the first sequence's for as long as the step runs.
#ifndef GW_NN_CHANGES_PRIVATE_H
#define GW_NN_CHANGES_PRIVATE_H

#include "nn/changes.h"

enum { GW_LEVEL_OF_SEQUENCE = -1 }; // the level of tensors with a row for each sequence

// How the sets of a level are made: those of `from` as `step` reaches on, or with NULL joined with those of `with`.
typedef struct {
    const gw_step *step;
    int from, with;
    double keys; // that a row of attention reads
} gw_change_level;

// Copied inputs of a step, and what a convolution makes of one.
enum { GW_CHANGE_COPIES = GW_STEP_TENSORS };

struct gw_changes {
    const gw_plan *plan;
    int stream, asked;
    gw_change_level *levels;
    int level_count;
    int *level_of; // [tensors]
    gw_run ref;    // of the first sequence
    gw_batch ref_batch;
    int64_t rows; // that it has
    gw_plan view; // the plan with the changes' values
    gw_batch batch;
    int64_t room, most; // rows and changes
    // of the changes
    int64_t count;
    int32_t *token;   // [most][tokens of a sequence]
    int64_t capacity; // of that, tokens
    gw_row_set *sets; // [most][levels]
    gw_row_set read, joined;
    int32_t *asked_row, *asked_position;   // [most]
    int64_t *used;                         // [levels] rows, and with what lies beside them for a convolution
    int64_t *start;                        // [room + 1] of the ranges that a convolution reads
    int32_t *row, *tokens, *segments;      // [room] of a level's rows: the first sequence's, tokens and segments
    float *copy[GW_CHANGE_COPIES], *saved; // [room][widest]
};

static inline gw_row_set *gw_change_set(const gw_changes *c, int64_t change, int of) {
    return &c->sets[change * c->level_count + of];
}

static inline bool gw_change_is_of_stream(const gw_changes *c, gw_tensor tensor) {
    return tensor.rows == c->stream;
}

// Memory of a change's rows; NULL of a tensor that the plan keeps none for.
static inline float *gw_change_value(const gw_changes *c, gw_tensor tensor) {
    const int64_t before = gw_change_is_of_stream(c, tensor) ? c->rows : 1;
    float *value = gw_plan_value(c->plan, tensor);
    return value ? value + before * tensor.width : NULL;
}

#endif
