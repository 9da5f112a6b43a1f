// SPDX-License-Identifier: MIT
// Stages and sequences of a portion: portion.c cuts the stages and finds the sets of rows, portion_run.c computes.
#ifndef GW_NN_PORTION_PRIVATE_H
#define GW_NN_PORTION_PRIVATE_H

#include "nn/portion.h"

typedef enum {
    GW_STAGE_ROWS,    // each row by itself, behind a step that reads others where there is one
    GW_STAGE_BLOCKS,  // attention
    GW_STAGE_SEQUENCE // a step that makes rows for a sequence from all of its rows
} gw_stage_kind;

// What a stage reads of an earlier one. `near`: by way of its first reader; `own`: at the rows that it makes.
typedef struct {
    gw_tensor tensor;
    bool near, own;
} gw_stage_input;

typedef struct {
    gw_stage_kind kind;
    int64_t begin, end; // steps
    int64_t reader; // the step that reads other rows than its own: a convolution, a pooling or its reverse; -1: none
    gw_reads reads; // of that; else of its first step
    int64_t reach, factor; // of a convolution; of a pooling
    int near_rows;         // of the batch: what the reader reads
    int rows;              // of the batch
    bool reads_token;      // the rows' tokens
    double products;       // of a row; of attention those of a key
    double keys;           // that a row of attention reads, in the mean
    gw_stage_input *in;
    int64_t ins;
    gw_tensor *out; // that are kept
    int64_t outs;
} gw_stage;

// A tensor that is kept, by its number; of others `made` is -1.
typedef struct {
    int made, last; // stages: that makes it, that reads it last
    int slot;       // in a sequence's memory
    bool whole;     // all rows of the first sequence have a place for good
    int64_t first;  // of these: floats of `coarsest` rows of the first sequence that stand before it
    int64_t at;     // of others: where in the memory of what is held its rows begin
    gw_row_set held;
} gw_kept;

// Rows [at, at + removed) of the first sequence are `put` others; of `length` rows [begin, end) are asked for. In its
// memory, but of whole tensors of the first sequence, are the rows that each stage makes, end to end.
typedef struct {
    bool is_first;
    int64_t at, removed, put, length, begin, end;
    int64_t whole;   // rows of the run that it stands for
    int64_t token;   // place of the `put` tokens
    gw_row_set *set; // [stages] rows that are made
    int64_t *slot;   // [slots] where they begin in its memory
    float *memory;
} gw_sequence;

// Rows [begin, end) of a sequence in a batch; they are the `at`-th of those that its stage makes.
typedef struct {
    const gw_sequence *sequence;
    int64_t begin, end, at;
} gw_portion_task;

struct gw_portion {
    const gw_plan *plan;
    int stream;
    int64_t factor[GW_BATCH_ROWS]; // rows of the stream to a row of a coarser one; 0: that is none
    gw_tensor output;
    bool alone;
    gw_stage *stages;
    int64_t stage_count;
    gw_kept *kept; // [tensors]
    int slots;
    int64_t coarsest;    // rows of the stream that all factors divide
    int64_t first_width; // floats that are kept of so many rows of the first sequence
    int64_t slot_width;  // floats of so many rows in a sequence's memory
    bool ranged;         // of the first sequence rows that others read are held, the rest is forgotten stage by stage
    bool *reached_all;   // [stages] any change reaches all rows
    bool grown;          // rows are wanted that are not held
    gw_sequence around;  // changes whole spans of `coarsest` rows: what it reads is held for any change in them
    float *held_memory;
    int64_t held_capacity;
    gw_run run;     // of the first sequence, as it began
    gw_batch batch; // that run's
    gw_sequence first;
    float *first_memory; // [kept tensor][rows][width]
    int64_t first_capacity;
    gw_sequence *sequences;
    int64_t count, made, capacity; // `made` have memory for sets
    int64_t from;                  // the first of those that were run last
    double products;               // of a whole run of the one that was added last
    float *group;                  // their memory
    int64_t group_capacity, group_most;
    int32_t *token;
    int64_t tokens, token_capacity;
    gw_row_set *reached, *needed, joined, other, differs; // [stages] of the sequence that is added
    float *out;
    int64_t out_capacity;
    // of a batch of rows
    gw_portion_task *task;       // [most_tasks]
    int64_t *start, *made_start; // [most_tasks + 1] of the rows that are read, and of those that are made
    int64_t most_tasks;
    int32_t *batch_token, *batch_position, *batch_segment; // [most rows]
    gw_plan view;                                          // the plan with the first sequence's values
    float *saved;                                          // [rows][widest] of an exchange
    int64_t saved_capacity;
};

static inline bool gw_portion_is_stream(const gw_portion *p, gw_tensor tensor) {
    return p->factor[tensor.rows] > 0;
}

// How often `coarsest` rows are begun in so many.
static inline int64_t gw_portion_spans(const gw_portion *p, int64_t rows) {
    return (rows + p->coarsest - 1) / p->coarsest;
}

// Rows of the first sequence's memory of a tensor that is whole there.
static inline float *gw_portion_first_rows(const gw_portion *p, gw_tensor tensor) {
    return p->first_memory + p->kept[tensor.id].first * gw_portion_spans(p, p->first.length);
}

static inline bool gw_portion_is_whole(const gw_portion *p, const gw_sequence *sequence, gw_tensor tensor) {
    return sequence->is_first && p->kept[tensor.id].whole;
}

static inline float *gw_portion_rows(const gw_portion *p, const gw_sequence *sequence, gw_tensor tensor) {
    if (gw_portion_is_whole(p, sequence, tensor)) return gw_portion_first_rows(p, tensor);
    return sequence->memory + sequence->slot[p->kept[tensor.id].slot];
}

// Rows of a sequence in a stream, or the one that a row set has of it.
static inline int64_t gw_portion_length(const gw_portion *p, const gw_sequence *sequence, int rows) {
    const int64_t factor = p->factor[rows];
    return factor > 0 ? (sequence->length + factor - 1) / factor : 1;
}

#endif
