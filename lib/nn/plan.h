// SPDX-License-Identifier: MIT
// The plan of a network: its steps in order of work, each with its backward step, and all memory placed beforehand.
//
// A describing function appends plain steps, one op each, and says nothing of memory. Passes over the list then join
// steps that one op does together, and decide what shares memory, what is saved for the backward pass and what runs
// again there, and which gradients are overwritten instead of added to (nn/build.c). A plain plan does without: every
// step as described, every tensor in memory of its own, every gradient zeroed and added to.
//
// Running forward calls the steps first to last, running backward their backward steps last to first.
#ifndef GW_NN_PLAN_H
#define GW_NN_PLAN_H

#include "base/batch.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/string.h"
#include "kernels/backend.h"

#include <stdbool.h>
#include <stdint.h>

// A tensor belongs to a stream or a row set of the batch, by its number; how many rows that has changes from batch to
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

// What a step runs on.
typedef struct {
    const gw_backend *kernels;
    const gw_batch *batch;      // with all that the description's steps read
    const gw_rows *device;      // [GW_BATCH_ROWS] the batch's rows with arrays of device memory; NULL: the batch's own
    uint64_t seed;              // of dropout
    float scale[GW_BATCH_ROWS]; // of the summed losses of the rows' labels, in the backward pass
    const gw_plan *plan;        // set by gw_plan_forward() and gw_plan_backward()
    int64_t halo;               // rows nearer than that to an end of their sequence are not wanted of convolutions
    // Called after each action of the backward pass, with how many have been done; NULL: none.
    void (*acted)(void *context, int64_t actions);
    void *context; // of acted()
} gw_run;

typedef gw_status (*gw_step_function)(const gw_run *run, const gw_step *step);

// Which rows of a step's inputs a row of its result depends on, of the same sequence.
typedef enum {
    GW_READS_UNKNOWN,
    GW_READS_ROW,      // the same row of each input
    GW_READS_NEAR,     // rows near it: a convolution
    GW_READS_POOLED,   // of a coarser stream: the rows that it stands for
    GW_READS_REPEATED, // of a finer stream: the row that it is a part of
    GW_READS_BLOCKS,   // those that its row of a block graph lists: attention
    GW_READS_DENSE,    // of the first input the same row, of the others all: dense attention
    GW_READS_PICKED,   // the row of its stream that a row of a row set stands for
    GW_READS_SEQUENCE  // any; its result has a row for each sequence
} gw_reads;

// What a step does, and what the passes may do with it. The backward step adds to the gradients of its inputs.
typedef struct {
    const char *name;
    gw_step_function forward, backward; // backward NULL: the gradient of the input is that of the output
    void (*size_scratch)(gw_plan *plan, gw_step *step); // sets saved_floats, says what ops it launches; NULL: none
    bool must_be_in_place;    // out takes the memory of in[0], which nobody reads afterwards, and so do their gradients
    bool in_place;            // out may do so, where in[0] has no other reader
    bool gradient_in_place;   // the gradient of out may be turned into that of in[0]
    bool gradient_over_value; // the backward step may write the gradient of in[0] over its value
    bool cheap;               // may run again in the backward pass instead of keeping its result
    bool reads_in, reads_out; // values that the backward step reads
    gw_reads reads;
    bool reads_batch; // what stands in its rows there: tokens, positions
    int overwrites;   // 1 + index of the input whose gradient the backward step overwrites where the plan asks for it
} gw_plan_op;

enum { GW_STEP_TENSORS = 6, GW_STEP_PARTS = 6, GW_STEP_LEARNS = 3 };

struct gw_step {
    const gw_plan_op *op;
    const gw_plan_op *part[GW_STEP_PARTS]; // what was joined to it, itself included, in order of work
    int parts;
    void *arguments; // of the op
    int rows;        // a batch without such rows skips the step
    int segment;     // 0: none
    int ins, outs;
    gw_tensor in[GW_STEP_TENSORS], out[GW_STEP_TENSORS];
    int learnt;
    const float *learns[GW_STEP_LEARNS];  // gradients of parameters that its backward step adds to
    bool overwrites;                      // the gradient that the op can overwrite
    int64_t saved_floats, scratch_floats; // what forward leaves for backward, what both need while they run
    float *saved, *scratch;
};

// A stream or row set as declared.
typedef struct {
    int stream;                   // that a row set is of; a stream's own number
    int within;                   // of a stream whose rows are some of another's: that one's number; else as `stream`
    int64_t most, most_sequences; // of any batch; sequences: of a stream
    bool each_sequence;           // a row for each sequence of the stream
    int64_t classes, numbers;     // labels of each row that losses read
} gw_plan_rows;

// What the losses of a row set's labels add up to after a run.
typedef struct {
    int rows;
    gw_loss_sum *sum; // of the device
} gw_plan_loss_sum;

// What becomes of a tensor.
typedef struct {
    gw_tensor tensor;
    int maker;               // step
    bool output;             // read after a run
    float *value, *gradient; // [most rows][width]; gradient NULL without training
} gw_plan_tensor;

// A part of the backward pass: of a step its backward or once more its forward; or zeros for the gradient of a tensor.
typedef struct {
    enum { GW_BACKWARD, GW_AGAIN, GW_ZERO } what;
    int index;
} gw_action;

struct gw_plan {
    bool training, recompute, plain; // of the caller; recompute: segments share the memory of what they keep
    bool parts;                      // of the caller: it may be run in part (nn/portion.h)
    bool still;                      // of the caller: training without dropout
    const gw_backend *kernels;       // that runs it
    gw_status status;                // the first failure of describing
    int threads;                     // that scratch has room for: a run with more is refused
    gw_plan_rows rows[GW_BATCH_ROWS];
    gw_step *steps;
    int64_t count, capacity;
    gw_plan_tensor *tensors;
    int64_t tensor_count, tensor_capacity;
    gw_plan_loss_sum *losses; // in the order in which they were described
    int64_t loss_count, loss_capacity;
    gw_action *actions;
    int64_t action_count, action_capacity;
    int segments; // begun so far
    bool in_segment;
    void **pieces; // of gw_plan_alloc()
    int64_t piece_count, piece_capacity, piece_bytes;
    void **device_pieces; // of gw_plan_memory()
    int64_t device_count, device_capacity;
    bool needs[GW_OPS]; // ops that steps launch
    gw_arena arena;     // of the device: tensors, what is saved, scratch
};

typedef void (*gw_describe)(gw_plan *plan, void *context);

// Describes, fuses and places, for gw_kernels(), which must have the ops that are needed. `training`, `recompute`,
// `plain`, `parts` and `still` are set by the caller; GODWIT_PLAN=plain in the environment makes every plan plain. Free
// with gw_plan_free(), also on failure.
gw_status gw_plan_build(gw_plan *plan, gw_describe describe, void *context) GW_MUST_CHECK;
void gw_plan_free(gw_plan *plan);
int64_t gw_plan_bytes(const gw_plan *plan); // memory of it all
gw_status gw_plan_forward(const gw_plan *plan, const gw_run *run) GW_MUST_CHECK;
gw_status gw_plan_backward(const gw_plan *plan, const gw_run *run) GW_MUST_CHECK;
// The backward pass of a plain plan from one output alone, whose gradient is `seed` [rows][width]; losses are passed
// over. `rule` runs in the place of each step's own backward step, which it may call.
gw_status gw_plan_backward_from(const gw_plan *plan, const gw_run *run, gw_tensor output, const float *seed,
                                gw_step_function rule) GW_MUST_CHECK;
// Of a placed plan: how many actions of the backward pass have been done once nothing is added any more to gradients of
// parameters that begin in [begin, end); 0 where none is.
int64_t gw_plan_last_write(const gw_plan *plan, const float *begin, const float *end);
// Appends a line for each step: its number, op, inputs and outputs, rows and widths.
void gw_plan_print(const gw_plan *plan, gw_string *out);

// Of a placed plan.
float *gw_plan_value(const gw_plan *plan, gw_tensor tensor);

// For describing functions.

// Declares the stream or row set of that number, before the first tensor that belongs to it: packed sequences; some
// rows of a stream; a row for each of its sequences.
void gw_plan_stream(gw_plan *plan, int number, int64_t most, int64_t most_sequences);
void gw_plan_row_set(gw_plan *plan, int number, int stream, int64_t most);
void gw_plan_sequence_rows(gw_plan *plan, int number, int stream);
// Most rows of a tensor.
int64_t gw_plan_most(const gw_plan *plan, gw_tensor tensor);
// Appends a step with a copy of its arguments, which reads `ins` tensors and makes one [rows][width], or none where the
// width is 0.
gw_tensor gw_plan_append(gw_plan *plan, const gw_plan_op *op, const void *arguments, int64_t size, const gw_tensor *in,
                         int ins, int rows, int64_t width);
// Says that the backward step of what was appended last adds to the weight's gradient, where it has one.
void gw_plan_learns(gw_plan *plan, gw_weight weight);
// The tensor is read after a run: it stays until the next one.
void gw_plan_output(gw_plan *plan, gw_tensor tensor);
// What is appended in between is a segment, of which later steps read one tensor.
void gw_plan_segment_begin(gw_plan *plan);
void gw_plan_segment_end(gw_plan *plan);
// Zeroed memory of the plan, on the host and on the device; NULL with plan->status where there is none.
void *gw_plan_alloc(gw_plan *plan, int64_t count, int64_t size);
void *gw_plan_memory(gw_plan *plan, int64_t count, int64_t size);
// Says that steps launch the op.
void gw_plan_needs(gw_plan *plan, gw_op op);
// For `size_scratch`: the same of a step that launches it with arguments up to these; its ops use one scratch memory in
// turn.
void gw_plan_launches(gw_plan *plan, gw_step *step, gw_op op, const void *arguments);

// For steps.

static inline int64_t gw_run_rows(const gw_run *run, gw_tensor tensor) {
    return run->batch->of[tensor.rows].count;
}

// What ops read of a stream or row set of this batch.
static inline const gw_rows *gw_run_inputs(const gw_run *run, int rows) {
    return run->device ? &run->device[rows] : &run->batch->of[rows];
}

static inline float *gw_value(const gw_run *run, gw_tensor tensor) {
    return run->plan->tensors[tensor.id].value;
}

static inline float *gw_gradient(const gw_run *run, gw_tensor tensor) {
    return run->plan->tensors[tensor.id].gradient;
}

// Defines STEM_forward() and STEM_backward(), which launch an op and its backward op with what STEM_args() makes.
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
