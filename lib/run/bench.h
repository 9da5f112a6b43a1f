// SPDX-License-Identifier: MIT
// Times the parts of a base-size BigBird (12 layers, 768 wide, 12 heads, blocks of 64, random weights): its linear
// layers alone, its attention alone, its layer norms, the forward pass and a training step. Each time is the median of
// some runs after one that warms up; together with the work done it says how near a part is to the machine's limits
// (run/bench_peak.h). Matrices and patterns are those of real models; numbers are made up.
#ifndef GW_RUN_BENCH_H
#define GW_RUN_BENCH_H

#include "base/memory.h"
#include "base/string.h"
#include "kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_BENCH_LAYERS = 12, GW_BENCH_WIDTH = 768, GW_BENCH_HEADS = 12, GW_BENCH_WORDS = 32000 };

// What a part's work is counted in: multiply-adds of numbers of one kind (2 FLOPs each), or bytes that must move.
typedef enum { GW_BENCH_FLOPS_F32, GW_BENCH_FLOPS_BF16, GW_BENCH_BYTES } gw_bench_unit;

typedef struct {
    const char *part; // "linear", "forward" ...: one word
    gw_precision precision;
    double seconds, work;
    gw_bench_unit unit;
} gw_bench_row;

typedef struct {
    int64_t tokens, sequences; // of a sequence; of a batch
    int64_t repeats;
    bool recompute;                                      // the training step recomputes its layers
    void (*row)(void *context, const gw_bench_row *row); // called for each part when it has been measured
    void *context;
} gw_bench;

// A benchmark of one part: measures it in this precision and hands over its rows. Precisions that the processor or the
// part does not have are the caller's to leave out.
typedef gw_status gw_bench_case(const gw_bench *bench, gw_precision precision);
gw_bench_case gw_bench_linear;             // all linear layers of the encoder, forward
gw_bench_case gw_bench_attention;          // all layers' attention, pattern itc, forward
gw_bench_case gw_bench_attention_backward; // the same, backward
gw_bench_case gw_bench_layer_norm;         // all of the encoder, forward; f32 only
gw_bench_case gw_bench_forward;            // the encoder with embeddings, no head
gw_bench_case gw_bench_step;               // masked tokens, sentence pair, AdamW; its optimiser alone

// The median time of bench->repeats calls of run(context), after one that is not counted.
gw_status gw_bench_time(const gw_bench *bench, gw_status (*run)(void *), void *context, double *seconds) GW_MUST_CHECK;

// Appends the steps of the plan of a model with one such layer, for scoring or a training step (gw_plan_print), as they
// were described and as they run.
gw_status gw_bench_plan(bool training, gw_precision precision, gw_string *described, gw_string *runs) GW_MUST_CHECK;

// Arrays of the device's memory for kernels that are timed alone.

// As gw_arena_place() and gw_arena_free(), of memory of the device.
gw_status gw_bench_place(gw_arena *arena) GW_MUST_CHECK;
void gw_bench_release(gw_arena *arena);
// Writes made-up numbers there.
gw_status gw_bench_fill(float *device, int64_t count) GW_MUST_CHECK;

#endif
