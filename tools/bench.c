// SPDX-License-Identifier: MIT
// godwit bench: how fast the parts of a model are on this machine, beside what the machine can do.
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
static const bench_arguments defaults = {.of = {.tokens = 4096, .sequences = 1, .repeats = 5},
                                         .dtype = (gw_precision)EITHER};

static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Benchmark"},
    {GW_OPTION_INT, 'n', "tokens", "N", offsetof(bench_arguments, of.tokens), "tokens of a sequence", .min = 64,
     .max = 1 << 20},
    {GW_OPTION_INT, 0, "batch", "N", offsetof(bench_arguments, of.sequences), "sequences at once", .min = 1,
     .max = 1024},
    {GW_OPTION_INT, 0, "repeats", "N", offsetof(bench_arguments, of.repeats),
     "runs of each part, after one that is not counted; their median is printed", .min = 1, .max = 1000},
    {GW_OPTION_NAMED, 0, "dtype", "TYPE", offsetof(bench_arguments, dtype),
     "numbers that products multiply (both, where the processor has bf16)", .choices = "f32|bf16"},
    {GW_OPTION_FLAG, 0, "recompute", NULL, offsetof(bench_arguments, of.recompute),
     "the training step computes layers again instead of keeping all of them"},
    {GW_OPTION_FLAG, 0, "plan", NULL, offsetof(bench_arguments, plan),
     "measure nothing; print the steps of a model with one layer, as described and as they run"},
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
    printf("%-20s%-6s%12.4f%12.1f  %-8s%8.1f\n", row->part, precision_name(row->precision), row->seconds, rate * 1e-9,
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

static void print_plan(bool training, gw_precision precision, const char *way, const char *steps) {
    printf("# %s, %s, %s: step, ops, what they read, what they make: tensor[rows][width]\n%s",
           training ? "a training step" : "scoring", precision_name(precision), way, steps);
}

static gw_status print_plans(bool training, gw_precision precision) {
    gw_string described = {0}, runs = {0};
    const gw_status status = gw_bench_plan(training, precision, &described, &runs);
    if (status == GW_OK) {
        print_plan(training, precision, "as described", described.data);
        print_plan(training, precision, "as it runs", runs.data);
    }
    gw_string_free(&described);
    gw_string_free(&runs);
    return status;
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
    if (a->dtype == GW_BF16 && !gw_has_bf16())
        return gw_fail(GW_ERR_UNSUPPORTED, "--dtype bf16: this processor has no bf16 instructions (AVX512_BF16)");
    GW_TRY(gw_device_apply(a->device));
    if (a->plan) {
        const gw_precision precision = a->dtype == GW_BF16 ? GW_BF16 : GW_F32;
        GW_TRY(print_plans(false, precision));
        return print_plans(true, precision);
    }
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
                "godwit bench -n 65536 --dtype bf16 attention",
    GW_COMMAND_TAKES(0, -1),
    .run = run,
};
