// SPDX-License-Identifier: MIT
// The plan of a network: its steps in order of work, each with its backward step, and all memory placed beforehand.
//
// A describing function appends the steps. It runs twice: once to measure, once to place; what it appends must not
// depend on which. Running forward calls the steps first to last, running backward their backward steps last to first.
//
// Memory. A tensor lives from the step that makes it to gw_plan_release(), after its last reader. Without training,
// values share one pool by these lifetimes. With training, values that the backward pass reads are kept, and gradients
// share the pool: a gradient lives in the backward pass from the tensor's last reader back to its maker, which is the
// same span read backwards. Cheap tensors (norms, activations) are not kept with training either: releasing them makes
// the backward pass run their maker again, into the pool.
//
//                 maker            reader   last reader  release
//   forward    -->  |  value ......  |  .......  |           |
//   backward        |  gradient ...  |  .......  |  zeroed   |  <--
//
// Recomputing. A description may cut itself into segments, each with one result that later steps read. With `recompute`
// all segments keep what they keep in one region, the same for all, and only results stay. Where the backward pass
// comes to the end of a segment, the steps that lead to its result run again and fill the region with the same bits:
//
//                 segment        result       end
//   forward    -->  |  to region    |  in place  |  next segment, to the same region ...
//   backward        |  from region ............  |  <-- region filled again
#ifndef GW_NN_PLAN_H
#define GW_NN_PLAN_H

#include "base/batch.h"
#include "base/memory.h"
#include "base/status.h"
#include "kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

// A tensor belongs to a stream or a row set of the batch, by its number; how many rows that has changes from batch to
// batch.
typedef struct {
    int rows;
    int64_t width;
    float *value;                          // [most rows][width]
    float *gradient;                       // the same shape; NULL without training
    int64_t value_offset, gradient_offset; // in the pool; -1: not of the pool
    int64_t maker;                         // step that runs again before the backward pass of the readers; -1: kept
} gw_tensor;

// A parameter and its gradient (NULL without training).
typedef struct {
    float *value, *gradient;
} gw_weight;

// What a step runs on.
typedef struct {
    const gw_backend *kernels;
    const gw_batch *batch;      // with all that the description's steps read
    uint64_t seed;              // of dropout
    float scale[GW_BATCH_ROWS]; // of the summed losses of the rows' labels, in the backward pass
} gw_run;

// The rows of a tensor in this batch.
static inline int64_t gw_run_rows(const gw_run *run, gw_tensor tensor) {
    return run->batch->of[tensor.rows].count;
}

typedef gw_status (*gw_step_function)(const gw_run *run, const void *arguments);

typedef struct {
    int rows;                           // a batch without such rows skips the step
    gw_step_function forward, backward; // NULL: nothing to do
    const void *arguments;
} gw_step;

// A stream or row set as declared.
typedef struct {
    int stream;                   // that a row set is of; a stream's own number
    int64_t most, most_sequences; // of any batch; sequences: of a stream
    bool each_sequence;           // a row for each sequence of the stream
} gw_plan_rows;

enum { GW_PLAN_LIVE = 32 };

typedef struct {
    const gw_backend *kernels; // that runs it
    gw_status status;          // the first failure of what describing computes
    bool training, recompute;  // recompute: with training, segments share the memory of what they keep
    gw_plan_rows rows[GW_BATCH_ROWS];
    gw_arena arena;
    gw_step *steps;
    int64_t count, most_steps;
    int threads; // that `scratch` has room for: a run with more is refused
    float *pool, *scratch;
    int64_t pool_size, scratch_size, scratch_used; // floats
    struct {
        int64_t begin, end;
    } live[GW_PLAN_LIVE]; // places of the pool in use, ascending
    int live_count;
    struct {
        int64_t end, place;           // steps up to it, and the place of the gradient
        bool *overwrites;             // among its arguments
    } overwriter;                     // the last step that is able to overwrite a gradient
    float *region;                    // of the segments
    int64_t region_size, region_used; // floats
    struct {
        bool open;           // what is kept goes to the region
        int64_t first, made; // the steps [first, made) lead to the result
        gw_tensor result;
    } segment; // the last one begun
} gw_plan;

typedef void (*gw_describe)(gw_plan *plan, void *context);

// Describes, measures and places, for gw_kernels(). `training` and `recompute` are set by the caller. Free with
// gw_plan_free().
gw_status gw_plan_build(gw_plan *plan, gw_describe describe, void *context) GW_MUST_CHECK;
void gw_plan_free(gw_plan *plan);
gw_status gw_plan_forward(const gw_plan *plan, const gw_run *run) GW_MUST_CHECK;
gw_status gw_plan_backward(const gw_plan *plan, const gw_run *run) GW_MUST_CHECK;

// For describing functions. Pointers are NULL while measuring.

// Declares the stream or row set of that number, before the first tensor that belongs to it: packed sequences; some
// rows of a stream; a row for each of its sequences.
void gw_plan_stream(gw_plan *plan, int number, int64_t most, int64_t most_sequences);
void gw_plan_row_set(gw_plan *plan, int number, int stream, int64_t most);
void gw_plan_sequence_rows(gw_plan *plan, int number, int stream);
// Most rows of a tensor.
int64_t gw_plan_most(const gw_plan *plan, gw_tensor tensor);

// A tensor, made by the next step; `kept`: the backward pass finds its value as it is. Else its maker runs again, which
// must read kept tensors only.
gw_tensor gw_plan_tensor(gw_plan *plan, int rows, int64_t width, bool kept);
// A tensor that replaces `in`, for ops that may work in place: without training the same memory; with training a value
// of its own and the same gradient.
gw_tensor gw_plan_successor(gw_plan *plan, gw_tensor in, bool kept);
// An output of the network: it stays until the next run; the backward pass writes the gradient over the value.
gw_tensor gw_plan_output(gw_plan *plan, int rows, int64_t width);
// Ends a tensor's life.
void gw_plan_release(gw_plan *plan, gw_tensor tensor);
// Memory of the plan; what a step's forward leaves for its backward; and what a step needs while it runs.
void *gw_plan_take(gw_plan *plan, int64_t count, int64_t size);
float *gw_plan_kept(gw_plan *plan, int64_t floats);
float *gw_plan_scratch(gw_plan *plan, int64_t floats);
// A segment, from the step that makes `in` (of the pool) or the next one (`in` is kept) to gw_plan_segment_end(). Of
// all that is made outside it reads `in` alone. gw_plan_result() gives the tensor [rows][in.width] that the next steps
// make, without keeping anything, and later ones may only change in place; what else the segment made is to be released
// before its end.
void gw_plan_segment(gw_plan *plan, gw_tensor in, int rows);
gw_tensor gw_plan_result(gw_plan *plan);
void gw_plan_segment_end(gw_plan *plan);
// Appends a step with a copy of its arguments, which is returned.
void *gw_plan_append(gw_plan *plan, int rows, gw_step_function forward, gw_step_function backward,
                     const void *arguments, int64_t size);
// The backward step of the last appended one is able to overwrite the gradient of `in` in place of adding to it, and is
// told so by *overwrites among its arguments, where it is the first to write there: the gradient then is not zeroed
// beforehand.
void gw_plan_can_overwrite(gw_plan *plan, gw_tensor in, bool *overwrites);

#endif
