// SPDX-License-Identifier: MIT
// The plan of a network: its steps in order, each with its backward step, and all memory placed in advance.
//
// A describing function appends plain steps of one op each, without memory. Passes over the list then fuse steps. They
// also decide which tensors share memory, which values the backward pass keeps or recomputes, and which gradients are
// overwritten instead of added to (nn/build.c). A plain plan skips these passes: every step runs as described, every
// tensor has its own memory, and every gradient is zeroed and added to.
//
// The forward pass calls the steps from first to last. The backward pass calls their backward steps from last to first.
#ifndef GW_NN_PLAN_H
#define GW_NN_PLAN_H

#include "base/batch.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/string.h"
#include "kernels/backend.h"

#include <stdbool.h>
#include <stdint.h>

// A tensor belongs to a stream or a row set of the batch (`rows`: its number). The number of rows changes from batch to
// batch.
typedef struct {
    int id;
    int rows;
    int64_t width;
} gw_tensor;

// A parameter and its gradient (NULL without training).
typedef struct {
    float *value, *gradient;
} gw_weight;

typedef struct gw_plan gw_plan;
typedef struct gw_step gw_step;

// Inputs of a run.
typedef struct {
    const gw_backend *kernels;
    const gw_batch *batch;      // completed, with all arrays that the steps read
    const gw_rows *device;      // [GW_BATCH_ROWS] the batch's rows with arrays in device memory; NULL: host memory
                                // serves
    uint64_t seed;              // of dropout
    float scale[GW_BATCH_ROWS]; // factor of the summed losses of each row set, in the backward pass
    const gw_plan *plan;        // set by gw_plan_forward() and gw_plan_backward()
    int64_t halo;               // convolutions need not compute rows nearer than this to an end of their sequence
    // Called after each action of the backward pass with the number of finished actions; NULL: none.
    void (*acted)(void *context, int64_t actions);
    void *context; // of acted()
} gw_run;

typedef gw_status (*gw_step_function)(const gw_run *run, const gw_step *step);

// The input rows on which a row of a step's result depends, within the same sequence.
typedef enum {
    GW_READS_UNKNOWN,
    GW_READS_ROW,      // the same row of each input
    GW_READS_NEAR,     // near rows: a convolution
    GW_READS_POOLED,   // result in a coarser stream: the rows of its window
    GW_READS_REPEATED, // result in a finer stream: the row that contains it
    GW_READS_BLOCKS,   // rows that a block graph lists: attention
    GW_READS_DENSE,    // the same row of the first input, all rows of the others: dense attention
    GW_READS_PICKED,   // result in a row set: the picked row of its stream
    GW_READS_SEQUENCE  // all rows; the result has one row for each sequence
} gw_reads;

// Which tensors and gradients of a step may be stored as bf16 (nn/stored_bf16.c).
typedef struct {
    // Bit k: the step's products round in[k], forward and backward, and the step reads it for nothing else. Stored as
    // bf16, it changes no bit of a result.
    unsigned rounds;
    unsigned takes; // bit k: the step can read in[k] as bf16, forward and backward, which rounds it
    // How the step can write its results: as f32; as f32 or as bf16; as f32, bf16 or both.
    enum { GW_MAKES_FLOATS, GW_MAKES_EITHER, GW_MAKES_BOTH } makes;
    // The step computes with rounded numbers: its result may be rounded for steps that only take it so, and the
    // backward step can read the gradient of the result as bf16.
    bool rounded;
    unsigned makes_gradients; // bit k: the backward step can write the gradient of in[k] as bf16; all of these or none
} gw_storage;

// An operation of a step, and the permissions for the passes. The backward step adds to the gradients of its inputs.
typedef struct {
    const char *name;
    gw_step_function forward, backward; // backward NULL: the gradient of the input is the gradient of the output
    void (*size_scratch)(gw_plan *plan, gw_step *step); // sets saved_floats and declares the launched ops; NULL: none
    gw_storage (*storage)(const gw_plan *plan, const gw_step *step); // on a device that takes bf16; NULL: floats
    bool must_be_in_place;    // out uses the memory of in[0], and their gradients share memory; no later step reads
                              // in[0]
    bool in_place;            // the same is allowed, if in[0] has no other reader
    bool gradient_in_place;   // the gradient of out may be changed into that of in[0]
    bool gradient_over_value; // the backward step may write the gradient of in[0] over the value of in[0]
    bool cheap;               // may be recomputed in the backward pass instead of keeping its result
    bool reads_in, reads_out; // the backward step reads these values
    gw_reads reads;
    bool reads_batch; // reads the batch's arrays for its rows: tokens, positions
    int overwrites;   // 1 + index of the input with a gradient that the backward step overwrites if the plan asks for
                      // it; 0: none
} gw_plan_op;

enum { GW_STEP_TENSORS = 6, GW_STEP_PARTS = 6, GW_STEP_LEARNS = 3 };

struct gw_step {
    const gw_plan_op *op;
    const gw_plan_op *part[GW_STEP_PARTS]; // the joined ops, its own included, in order
    int parts;
    void *arguments; // arguments of the op
    int rows;        // the step is skipped if the batch has no such rows
    int segment;     // 0: none
    int ins, outs;
    gw_tensor in[GW_STEP_TENSORS], out[GW_STEP_TENSORS];
    int learnt;
    const float *learns[GW_STEP_LEARNS];  // gradients of parameters to which the backward step adds
    bool overwrites;                      // overwrite the gradient that the op can overwrite
    int64_t saved_floats, scratch_floats; // floats that forward leaves for backward; floats of both while they run
    float *saved, *scratch;
};

// A declared stream or row set.
typedef struct {
    int stream;                   // stream of a row set; for a stream its own number
    int within;                   // for a stream with some of the rows of another stream: the other's number; else
                                  // equals `stream`
    int64_t most, most_sequences; // capacities for any batch; most_sequences: of a stream
    bool each_sequence;           // a row set with one row for each sequence of the stream
    int64_t classes, numbers;     // labels of each row that losses read
} gw_plan_rows;

// The sum of the losses of a row set's labels after a run.
typedef struct {
    int rows;
    gw_loss_sum *sum; // on the device
} gw_plan_loss_sum;

// Memory of a tensor.
typedef struct {
    gw_tensor tensor;
    int maker;               // index of the step that computes it
    bool output;             // read after a run
    bool floats, bf16;       // how it is stored: one or both
    bool gradient_bf16;      // how its gradient is stored
    float *value, *gradient; // [most rows][width]; value NULL where not `floats`; gradient NULL without training, and
                             // where it is bf16
    uint16_t *rounded;       // [most rows][gw_bf16_stride(width)] NULL where not `bf16`
    uint16_t *rounded_gradient; // the same; NULL where not `gradient_bf16`
} gw_plan_tensor;

// An action of the backward pass: a step's backward, a repeated forward, or zeroing the gradient of a tensor.
typedef struct {
    enum { GW_BACKWARD, GW_AGAIN, GW_ZERO } what;
    int index;
} gw_action;

struct gw_plan {
    bool training, recompute, plain; // set by the caller; recompute: segments share the memory of their kept values
    bool parts;                      // set by the caller: the plan may run in part (nn/portion.h)
    bool still;                      // set by the caller: training without dropout
    const gw_backend *kernels;       // backend of the plan
    gw_status status;                // the first failure of describing
    int threads;                     // capacity of the scratch memory; a run with more threads is an error
    gw_plan_rows rows[GW_BATCH_ROWS];
    gw_step *steps;
    int64_t count, capacity;
    gw_plan_tensor *tensors;
    int64_t tensor_count, tensor_capacity;
    gw_plan_loss_sum *losses; // in the order of description
    int64_t loss_count, loss_capacity;
    gw_action *actions;
    int64_t action_count, action_capacity;
    int segments; // number of segments so far
    bool in_segment;
    void **pieces; // of gw_plan_alloc()
    int64_t piece_count, piece_capacity, piece_bytes;
    void **device_pieces; // of gw_plan_memory()
    int64_t device_count, device_capacity;
    bool needs[GW_OPS]; // ops that steps launch
    gw_arena arena;     // of the device: tensors, what is saved, scratch
};

typedef void (*gw_describe)(gw_plan *plan, void *context);

// Describes, fuses and places the plan for gw_kernels(), which must have the needed ops. The caller sets `training`,
// `recompute`, `plain`, `parts` and `still`. GODWIT_PLAN=plain in the environment makes every plan plain. Free with
// gw_plan_free(), also after a failure.
gw_status gw_plan_build(gw_plan *plan, gw_describe describe, void *context) GW_MUST_CHECK;
void gw_plan_free(gw_plan *plan);
int64_t gw_plan_bytes(const gw_plan *plan); // all memory of the plan
gw_status gw_plan_forward(const gw_plan *plan, const gw_run *run) GW_MUST_CHECK;
gw_status gw_plan_backward(const gw_plan *plan, const gw_run *run) GW_MUST_CHECK;
// The backward pass of a plain plan from one output, with gradient `seed` [rows][width]; losses are ignored. `rule`
// replaces each step's backward step, and may call it.
gw_status gw_plan_backward_from(const gw_plan *plan, const gw_run *run, gw_tensor output, const float *seed,
                                gw_step_function rule) GW_MUST_CHECK;
// For a placed plan: the number of backward actions after which gradients of parameters in [begin, end) are final; 0 if
// there are none.
int64_t gw_plan_last_write(const gw_plan *plan, const float *begin, const float *end);
// Memory of a tensor's value in a placed plan.
float *gw_plan_value(const gw_plan *plan, gw_tensor tensor);

// For describing functions.

// Declares a stream or row set before its first tensor. stream: packed sequences. row_set: some rows of a stream.
// sequence_rows: one row for each sequence of a stream.
void gw_plan_stream(gw_plan *plan, int number, int64_t most, int64_t most_sequences);
void gw_plan_row_set(gw_plan *plan, int number, int stream, int64_t most);
void gw_plan_sequence_rows(gw_plan *plan, int number, int stream);
// Most rows of a tensor.
int64_t gw_plan_most(const gw_plan *plan, gw_tensor tensor);
// Appends a step with a copy of its arguments. The step reads `ins` tensors and makes one tensor [rows][width], or none
// if width is 0.
gw_tensor gw_plan_append(gw_plan *plan, const gw_plan_op *op, const void *arguments, int64_t size, const gw_tensor *in,
                         int ins, int rows, int64_t width);
// Declares that the backward step of the last appended step adds to the weight's gradient, if the weight has one.
void gw_plan_learns(gw_plan *plan, gw_weight weight);
// Declares that the tensor is read after a run. Its value stays until the next run.
void gw_plan_output(gw_plan *plan, gw_tensor tensor);
// Steps appended in between form a segment. Later steps read one tensor of a segment.
void gw_plan_segment_begin(gw_plan *plan);
void gw_plan_segment_end(gw_plan *plan);
// Zeroed memory of the plan, on the host (alloc) and on the device (memory). NULL sets plan->status.
void *gw_plan_alloc(gw_plan *plan, int64_t count, int64_t size);
void *gw_plan_memory(gw_plan *plan, int64_t count, int64_t size);
// Declares that steps launch the op.
void gw_plan_needs(gw_plan *plan, gw_op op);
// For `size_scratch`: declares that a step launches the op with arguments up to these. The ops of a step use one
// scratch memory in turn.
void gw_plan_launches(gw_plan *plan, gw_step *step, gw_op op, const void *arguments);

// For steps.

static inline int64_t gw_run_rows(const gw_run *run, gw_tensor tensor) {
    return run->batch->of[tensor.rows].count;
}

// Arrays of a stream or row set of this batch, for ops.
static inline const gw_rows *gw_run_inputs(const gw_run *run, int rows) {
    return run->device ? &run->device[rows] : &run->batch->of[rows];
}

static inline float *gw_value(const gw_run *run, gw_tensor tensor) {
    return run->plan->tensors[tensor.id].value;
}

// The tensor as bf16, or NULL.
static inline uint16_t *gw_rounded(const gw_run *run, gw_tensor tensor) {
    return run->plan->tensors[tensor.id].rounded;
}

// The tensor as bf16 where it is stored so alone, or NULL.
static inline uint16_t *gw_rounded_alone(const gw_run *run, gw_tensor tensor) {
    return gw_value(run, tensor) ? NULL : gw_rounded(run, tensor);
}

// NULL where it is stored as bf16.
static inline float *gw_gradient(const gw_run *run, gw_tensor tensor) {
    return run->plan->tensors[tensor.id].gradient;
}

// NULL where it is stored as f32.
static inline uint16_t *gw_rounded_gradient(const gw_run *run, gw_tensor tensor) {
    return run->plan->tensors[tensor.id].rounded_gradient;
}

// Defines STEM_forward() and STEM_backward(). They launch an op and its backward op with the arguments of STEM_args().
#define GW_STEP_FUNCTIONS(STEM, OP)                                                                                    \
    static gw_status STEM##_forward(const gw_run *run, const gw_step *step) {                                          \
        const gw_##OP##_args args = STEM##_args(run, step);                                                            \
        return run->kernels->OP(&args);                                                                                \
    }                                                                                                                  \
    static gw_status STEM##_backward(const gw_run *run, const gw_step *step) {                                         \
        const gw_##OP##_args args = STEM##_args(run, step);                                                            \
        return run->kernels->OP##_backward(&args);                                                                     \
    }

#endif
