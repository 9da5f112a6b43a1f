// SPDX-License-Identifier: MIT
// Stages and sequences of a portion. portion.c cuts the stages and finds the sets of rows; portion_run.c computes.
#ifndef GW_NN_PORTION_PRIVATE_H
#define GW_NN_PORTION_PRIVATE_H

#include "nn/portion.h"

typedef enum {
    GW_STAGE_ROWS,    // each row by itself, after an optional step that reads other rows
    GW_STAGE_BLOCKS,  // attention
    GW_STAGE_SEQUENCE // a step that makes one row for a sequence from all of its rows
} gw_stage_kind;

// A tensor that a stage reads from an earlier stage. `near`: through its first step; `own`: at the rows that the stage
// makes.
typedef struct {
    gw_tensor tensor;
    bool near, own;
} gw_stage_input;

typedef struct {
    gw_stage_kind kind;
    int64_t begin, end;    // steps
    int64_t reader;        // step that reads other rows than its own: a convolution, a pooling or its reverse; -1: none
    gw_reads reads;        // of this step; else of the stage's first step
    int64_t reach, factor; // reach of a convolution; factor of a pooling
    int near_rows;         // stream or row set that the reader reads
    int rows;              // stream or row set of the stage
    bool reads_token;      // reads the tokens of its rows
    double products;       // products of a row; for attention, of a key
    double keys;           // keys that a row of attention reads, on average
    gw_stage_input *in;
    int64_t ins;
    gw_tensor *out; // kept tensors
    int64_t outs;
} gw_stage;

// A kept tensor, by number. For other tensors `made` is -1.
typedef struct {
    int made, last; // stage that makes it, last stage that reads it
    int slot;       // place in a sequence's memory
    bool whole;     // all rows of the first sequence are kept permanently
    int64_t first;  // if whole: offset in floats for `coarsest` rows of the first sequence
    int64_t at;     // otherwise: offset of its rows in held_memory
    gw_row_set held;
} gw_kept;

// `put` rows replace rows [at, at + removed) of the first sequence. Rows [begin, end) of the resulting `length` rows
// are asked for. The memory holds the rows of each stage, end to end, except whole tensors of the first sequence.
typedef struct {
    bool is_first;
    int64_t at, removed, put, length, begin, end;
    int64_t whole;   // rows of the corresponding whole run
    int64_t token;   // offset of the `put` tokens
    gw_row_set *set; // [stages] rows to compute
    int64_t *slot;   // [slots] offsets of these rows in the memory
    float *memory;
} gw_sequence;

// Rows [begin, end) of a sequence in a batch. The first of them is row number `at` of those that the stage makes.
typedef struct {
    const gw_sequence *sequence;
    int64_t begin, end, at;
} gw_portion_task;

struct gw_portion {
    const gw_plan *plan;
    int stream;
    int64_t factor[GW_BATCH_ROWS]; // rows of the stream per row of a coarser stream; 0: not a stream
    gw_tensor output;
    bool alone;
    gw_stage *stages;
    int64_t stage_count;
    gw_kept *kept; // [tensors]
    int slots;
    int64_t coarsest;    // rows of the stream, a multiple of all factors
    int64_t first_width; // kept floats per `coarsest` rows of the first sequence
    int64_t slot_width;  // floats per `coarsest` rows in a sequence's memory
    bool ranged;         // only rows of the first sequence that others read are kept; the rest is dropped stage by
                         // stage
    bool *reached_all;   // [stages] a change reaches all rows
    bool grown;          // rows are needed that were not kept
    gw_sequence around;  // changes whole spans of `coarsest` rows; its inputs are kept for any change within
    float *held_memory;
    int64_t held_capacity;
    gw_run run;     // of the first sequence, at its beginning
    gw_batch batch; // batch of this run
    gw_sequence first;
    float *first_memory; // [kept tensor][rows][width]
    int64_t first_capacity;
    gw_sequence *sequences;
    int64_t count, made, capacity; // `made` sequences have memory for their sets
    int64_t from;                  // first sequence of the last run
    double products;               // of a whole run of the last added sequence
    float *group;                  // memory of the sequences
    int64_t group_capacity, group_most;
    int32_t *token;
    int64_t tokens, token_capacity;
    gw_row_set *reached, *needed, joined, other, differs; // [stages] of the sequence that is being added
    float *out;
    int64_t out_capacity;
    // For a batch of rows:
    gw_portion_task *task;       // [most_tasks]
    int64_t *start, *made_start; // [most_tasks + 1] of the rows read, and of the rows made
    int64_t most_tasks;
    int32_t *batch_token, *batch_position, *batch_segment; // [most rows]
    gw_plan view;                                          // the plan with values of the first sequence
    float *saved;                                          // [rows][widest] for an exchange
    int64_t saved_capacity;
};

static inline bool gw_portion_is_stream(const gw_portion *p, gw_tensor tensor) {
    return p->factor[tensor.rows] > 0;
}

// Number of started spans of `coarsest` rows in `rows` rows.
static inline int64_t gw_portion_spans(const gw_portion *p, int64_t rows) {
    return (rows + p->coarsest - 1) / p->coarsest;
}

// Rows of a whole tensor in the first sequence's memory.
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

// Number of a sequence's rows in a stream, or 1 for a row set.
static inline int64_t gw_portion_length(const gw_portion *p, const gw_sequence *sequence, int rows) {
    const int64_t factor = p->factor[rows];
    return factor > 0 ? (sequence->length + factor - 1) / factor : 1;
}

#endif
