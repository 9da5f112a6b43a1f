// SPDX-License-Identifier: MIT
// Times the parts of a base-size BigBird (12 layers, width 768, 12 heads, blocks of 64, random weights): its linear
// layers, its attention, its layer norms, the forward pass and a training step. Each time is the median of several runs
// after a warm-up run. Times and operation counts show how near a part is to the machine's limits (run/bench_peak.h).
// Matrices and patterns have the sizes of real models; the numbers are artificial.
#ifndef GW_RUN_BENCH_H
#define GW_RUN_BENCH_H

#include "base/memory.h"
#include "base/string.h"
#include "kernels/kernel.h"
#include "nn/work.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_BENCH_LAYERS = 12, GW_BENCH_WIDTH = 768, GW_BENCH_HEADS = 12, GW_BENCH_WORDS = 32000 };

// The unit of a part's work: multiply-adds of one type (2 FLOPs each), or bytes that must move.
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
    int64_t heads;                                       // of attention; a divisor of GW_BENCH_WIDTH
    bool recompute;                                      // the training step recomputes its layers
    void (*row)(void *context, const gw_bench_row *row); // called after each part is measured
    void *context;
} gw_bench;

// A benchmark of one part. It measures the part in this precision and passes rows to bench->row. The caller must skip
// precisions that the processor or the part lacks.
typedef gw_status gw_bench_case(const gw_bench *bench, gw_precision precision);
gw_bench_case gw_bench_linear;             // all linear layers of the encoder, forward
gw_bench_case gw_bench_attention;          // all layers' attention, pattern itc, forward
gw_bench_case gw_bench_attention_backward; // the same, backward
gw_bench_case gw_bench_layer_norm;         // all layer norms of the encoder, forward; f32 only
gw_bench_case gw_bench_forward;            // the encoder with embeddings, without a head
gw_bench_case gw_bench_step;               // masked tokens, sentence pairs, AdamW; also the optimiser alone

// The median time of bench->repeats calls of run(context), after one warm-up call.
gw_status gw_bench_time(const gw_bench *bench, gw_status (*run)(void *), void *context, double *seconds) GW_MUST_CHECK;

// The plan of a model with two such layers and 4,096 tokens, for scoring or a training step. Appends its steps
// (gw_plan_print) as they were described or as they run; *layer: the work of the first layer.
enum { GW_BENCH_PLAN_TOKENS = 4096 };
gw_status gw_bench_plan(bool training, gw_precision precision, bool described, gw_string *steps,
                        gw_work_sum *layer) GW_MUST_CHECK;
// Makes plans from now on those of the CUDA plugin, on any machine: the backend in use has all ops, and runs none that
// a plan does not need.
gw_status gw_bench_plan_cuda(void) GW_MUST_CHECK;

// Arrays in device memory, for timing single kernels.

// Like gw_arena_place() and gw_arena_free(), in memory of the device.
gw_status gw_bench_place(gw_arena *arena) GW_MUST_CHECK;
void gw_bench_release(gw_arena *arena);
// Fills device memory with artificial numbers.
gw_status gw_bench_fill(float *device, int64_t count) GW_MUST_CHECK;

#endif
