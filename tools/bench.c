// SPDX-License-Identifier: MIT
// godwit bench: the speed of the parts of a model on this machine, beside the machine's limits.
#include "run/bench.h"
#include "base/parallel.h"
#include "kernels/backend.h"
#include "run/bench_peak.h"
#include "tools/cli/cli.h"
#include "tools/cli/device.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    gw_bench of;
    gw_precision dtype; // EITHER: both
    const char *device;
    bool plan;
} bench_arguments;

enum { EITHER = -1 };
static const bench_arguments defaults = {.of = {.tokens = 4096, .sequences = 1, .repeats = 5, .heads = GW_BENCH_HEADS},
                                         .dtype = (gw_precision)EITHER};

static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Benchmark"},
    {GW_OPTION_INT, 'n', "tokens", "N", offsetof(bench_arguments, of.tokens), "tokens of a sequence", .min = 64,
     .max = 1 << 20},
    {GW_OPTION_INT, 0, "batch", "N", offsetof(bench_arguments, of.sequences), "sequences at once", .min = 1,
     .max = 1024},
    {GW_OPTION_INT, 0, "heads", "N", offsetof(bench_arguments, of.heads), "heads of attention, 768 numbers in all",
     .min = 1, .max = GW_BENCH_WIDTH},
    {GW_OPTION_INT, 0, "repeats", "N", offsetof(bench_arguments, of.repeats),
     "runs of each part, after one that is not counted; their median is printed", .min = 1, .max = 1000},
    {GW_OPTION_NAMED, 0, "dtype", "TYPE", offsetof(bench_arguments, dtype),
     "numbers that products multiply (both, where the processor has bf16)", .choices = "f32|bf16"},
    {GW_OPTION_FLAG, 0, "recompute", NULL, offsetof(bench_arguments, of.recompute),
     "the training step computes layers again instead of keeping all of them"},
    {GW_OPTION_FLAG, 0, "plan", NULL, offsetof(bench_arguments, plan),
     "measure nothing; print the steps of a model with two layers, as described and as they run, with their bytes "
     "and products; --device cuda: on a GPU, which need not be there"},
    {GW_OPTION_ROW_DEVICE(offsetof(bench_arguments, device))},
    {.help = NULL},
};

static const struct {
    const char *name;
    gw_bench_case *run;
    bool bf16;
} parts[] = {
    {"linear", gw_bench_linear, true},
    {"attention", gw_bench_attention, true},
    {"attention_backward", gw_bench_attention_backward, true},
    {"layer_norm", gw_bench_layer_norm, false},
    {"forward", gw_bench_forward, true},
    {"step", gw_bench_step, true},
};
enum { PARTS = sizeof parts / sizeof parts[0], UNITS = GW_BENCH_BYTES + 1 };

typedef struct {
    const bench_arguments *arguments;
    double peak[UNITS]; // by gw_bench_unit
} bench_print;

static const char *precision_name(gw_precision precision) {
    return precision == GW_BF16 ? "bf16" : "f32";
}

static void print_row(void *context, const gw_bench_row *row) {
    const bench_print *print = context;
    const double rate = row->work / row->seconds;
    printf("%-20s%-6s%12.6f%12.1f  %-8s%8.1f\n", row->part, precision_name(row->precision), row->seconds, rate * 1e-9,
           row->unit == GW_BENCH_BYTES ? "GB/s" : "GFLOP/s", 100.0 * rate / print->peak[row->unit]);
    fflush(stdout);
}

static gw_status print_peaks(bench_print *print) {
    const bench_arguments *a = print->arguments;
    GW_TRY(gw_peak_flops(GW_F32, &print->peak[GW_BENCH_FLOPS_F32]));
    if (gw_has_bf16()) GW_TRY(gw_peak_flops(GW_BF16, &print->peak[GW_BENCH_FLOPS_BF16]));
    GW_TRY(gw_peak_bytes(&print->peak[GW_BENCH_BYTES]));
    printf("# base size, %lld x %lld tokens, %d threads, median of %lld\n", (long long)a->of.sequences,
           (long long)a->of.tokens, gw_threads(), (long long)a->of.repeats);
    printf("%-20s%-6s%12s%12s  %-8s%8s\n", "part", "type", "seconds", "rate", "unit", "% peak");
    const char *limit = gw_kernels()->shares_host ? "registers" : "squares";
    printf("%-20s%-6s%12s%12.1f  %-8s%8s\n", limit, "f32", ".", print->peak[GW_BENCH_FLOPS_F32] * 1e-9, "GFLOP/s", ".");
    if (gw_has_bf16())
        printf("%-20s%-6s%12s%12.1f  %-8s%8s\n", limit, "bf16", ".", print->peak[GW_BENCH_FLOPS_BF16] * 1e-9, "GFLOP/s",
               ".");
    printf("%-20s%-6s%12s%12.1f  %-8s%8s\n", "copy", ".", ".", print->peak[GW_BENCH_BYTES] * 1e-9, "GB/s", ".");
    return GW_OK;
}

// Rates of an H100: bytes of its memory a second as its maker says, and multiply-adds of bf16 as measured
// (docs/background/gpu.md).
static const double MEMORY_RATE = 3e12, PRODUCT_RATE = 669e12 / 2;

static void print_layer(const char *pass, const gw_work *work, bool cuda) {
    const double bytes = work->tensors + work->weights, numbers = (double)GW_BENCH_PLAN_TOKENS * GW_BENCH_WIDTH;
    printf("# its first layer, %s: %.2f bytes of tensors a row and number of its width, %.1f MB with weights, %.2f G "
           "products",
           pass, work->tensors / numbers, bytes * 1e-6, work->products * 1e-9);
    if (cuda)
        printf("; at 3 TB/s %.3f ms, at 669 TFLOP/s %.3f ms", bytes / MEMORY_RATE * 1e3,
               work->products / PRODUCT_RATE * 1e3);
    printf("\n");
}

static gw_status print_plan(bool training, gw_precision precision, bool described, bool cuda) {
    gw_string steps = {0};
    gw_work_sum layer;
    const gw_status status = gw_bench_plan(training, precision, described, &steps, &layer);
    if (status == GW_OK) {
        const char *work = "bytes of tensors, bytes of weights, products";
        printf("# %s, %s%s, %s: step, ops, what they read, what they make: tensor[rows][width]:type%s; %s%s%s\n%s",
               training ? "a training step" : "scoring", precision_name(precision), cuda ? " on cuda" : "",
               described ? "as described" : "as it runs", training ? ":type of the gradient" : "", work,
               training ? "; of the backward pass: " : "", training ? work : "", steps.data);
        print_layer("forward", &layer.forward, cuda);
        if (training) print_layer("backward", &layer.backward, cuda);
    }
    gw_string_free(&steps);
    return status;
}

static gw_status print_plans(gw_precision precision, bool cuda) {
    for (int i = 0; i < 4; i++) GW_TRY(print_plan(i / 2 == 1, precision, i % 2 == 0, cuda));
    return GW_OK;
}

static gw_status run(void *arguments, char **operands, int count) {
    const bench_arguments *a = arguments;
    for (int i = 0; i < count; i++) {
        bool known = false;
        for (int p = 0; p < PARTS; p++) known |= strcmp(operands[i], parts[p].name) == 0;
        if (!known)
            return gw_fail(GW_ERR_USAGE,
                           "unknown part: %s (parts: linear, attention, attention_backward, layer_norm, "
                           "forward, step)",
                           operands[i]);
    }
    if (GW_BENCH_WIDTH % a->of.heads != 0)
        return gw_fail(GW_ERR_USAGE, "--heads: %lld does not divide %d, the width", (long long)a->of.heads,
                       GW_BENCH_WIDTH);
    const bool cuda = a->device && (strcmp(a->device, "cuda") == 0 || strncmp(a->device, "cuda:", 5) == 0);
    GW_TRY(a->plan && cuda ? gw_bench_plan_cuda() : gw_device_apply(a->device));
    if (a->dtype == GW_BF16 && !gw_has_bf16())
        return gw_fail(GW_ERR_UNSUPPORTED, "--dtype bf16: this processor has no bf16 instructions (AVX512_BF16)");
    if (a->plan) return print_plans(a->dtype == GW_BF16 ? GW_BF16 : GW_F32, cuda);
    bench_print print = {.arguments = a};
    GW_TRY(print_peaks(&print));
    gw_bench bench = a->of;
    bench.row = print_row;
    bench.context = &print;
    for (int p = 0; p < PARTS; p++) {
        bool chosen = count == 0;
        for (int i = 0; i < count; i++) chosen |= strcmp(operands[i], parts[p].name) == 0;
        for (gw_precision precision = GW_F32; precision <= GW_BF16; precision++) {
            const bool has = precision == GW_F32 || (parts[p].bf16 && gw_has_bf16());
            const bool asked = (int)a->dtype == EITHER || a->dtype == precision;
            if (has && asked && chosen) GW_TRY(parts[p].run(&bench, precision));
        }
    }
    return GW_OK;
}

const gw_command gw_command_bench = {
    .name = "bench",
    .group = "Machine",
    .summary = "time the parts of a base-size model beside the machine's limits",
    .usage = "[-n N] [options] [part...]",
    .description =
        "Measures a BigBird of base size with random weights part by part: linear (the encoder's linear layers "
        "alone), attention and attention_backward (pattern itc, all layers), layer_norm, forward (the encoder with "
        "its embeddings) and step (a training step: masked tokens, sentence pair, AdamW; a row of its own has the "
        "optimiser alone). Without operands all parts are measured. A row has the time, the rate of the work that "
        "the part must do, and its share of a limit that was measured first. For products the limit is "
        "multiply-adds that never leave the registers (on a GPU the product of two squares of 8192). For parts that "
        "only move numbers it is a copy of memory.",
    .examples = "godwit bench\n"
                "godwit bench -@ 1 --repeats 3 linear attention\n"
                "godwit bench -n 65536 --dtype bf16 --heads 6 attention",
    GW_COMMAND_TAKES(0, -1),
    .run = run,
};
