// SPDX-License-Identifier: MIT
// Convolution as products: the rows that an output's taps read are gathered side by side, group by group, rounded where
// products are of bf16, for some rows at a time; so are dy for the gradient of the inputs, and weights are turned.
// Depthwise convolutions, of a group for each channel, are not products: a thread makes a number of them.
#include "kernels/cuda/products.h"
#include "kernels/cuda/scratch.h"

namespace {

enum : int64_t { NUMBERS = int64_t(1) << 24, GROUP = 8 }; // gathered at a time; numbers that rows are padded to

// in[r + direction shift_t] of the rows first.. , zeros beyond the ends of their sequences: [rows][groups][depth], of
// which taps * width numbers are filled.
struct gathering {
    const int64_t *start;
    int64_t sequences, first, rows, groups, taps, width, depth, dilation, direction;
    const float *in; // [R][groups width]
    void *out;
};

// [groups][outputs][depth] of weights [taps][groups outputs][inputs], as a product wants them: or, turned, of the
// inputs' gradient, [groups][inputs][taps outputs].
struct turning {
    int64_t groups, taps, outputs, inputs, depth;
    bool turned;
    const float *in;
    void *out;
};

GPU_FN void put(float *out, int64_t at, float x) {
    out[at] = x;
}
GPU_FN void put(uint16_t *out, int64_t at, float x) {
    out[at] = uint16_t(gpu_pack_bf16(x, 0.0f));
}

// The last sequence that starts at or before the row and has rows.
GPU_FN int64_t sequence_of(const int64_t *start, int64_t sequences, int64_t row) {
    int64_t low = 0, high = sequences;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (start[middle] <= row) low = middle;
        else high = middle;
    }
    return low;
}

GPU_FN float gathered(const gathering &g, int64_t row, int64_t group, int64_t i) {
    const int64_t tap = i / g.width, s = sequence_of(g.start, g.sequences, row);
    const int64_t from = row + g.direction * (tap - (g.taps - 1) / 2) * g.dilation;
    if (tap >= g.taps || from < g.start[s] || from >= g.start[s + 1]) return 0.0f;
    return g.in[(from * g.groups + group) * g.width + i % g.width];
}

template <typename T> __global__ void gather(gathering g) {
    const int64_t at = gpu_element(), row = at / (g.groups * g.depth), group = at / g.depth % g.groups;
    if (row < g.rows) put(static_cast<T *>(g.out), at, gathered(g, g.first + row, group, at % g.depth));
}

template <typename T> __global__ void turn(turning w) {
    const int64_t lines = w.turned ? w.inputs : w.outputs, width = w.turned ? w.outputs : w.inputs;
    const int64_t at = gpu_element(), i = at % w.depth, line = at / w.depth % lines, group = at / w.depth / lines;
    if (group >= w.groups) return;
    const int64_t tap = i / width, output = w.turned ? i % width : line, input = w.turned ? line : i % width;
    const int64_t from = ((tap * w.groups + group) * w.outputs + output) * w.inputs + input;
    put(static_cast<T *>(w.out), at, tap < w.taps ? w.in[from] : 0.0f);
}

// weight_gradient += the product [groups][outputs][taps inputs]
__global__ void add_turned(turning w, const float *product, float *gradient) {
    const int64_t from = gpu_element(), input = from % w.inputs, output = from / w.inputs % w.outputs;
    const int64_t group = from / w.inputs / w.outputs % w.groups, tap = from / w.inputs / w.outputs / w.groups;
    if (tap < w.taps)
        gradient[from] += product[(group * w.outputs + output) * w.taps * w.inputs + tap * w.inputs + input];
}

// Sizes of a call, and its pieces of scratch memory.
struct sizes {
    const gw_convolution_args *args;
    int64_t inputs, outputs, in_depth, out_depth, number; // inputs, outputs: of a group; number: bytes of one
    int64_t rows;                                         // at a time
};

int64_t padded(int64_t count) {
    return gw_cuda_divide(count, GROUP) * GROUP;
}

sizes sizes_of(const gw_convolution_args *args) {
    sizes s = {args,
               args->in_width / args->groups,
               args->width / args->groups,
               0,
               0,
               args->precision == GW_BF16 ? int64_t(sizeof(uint16_t)) : int64_t(sizeof(float)),
               0};
    s.in_depth = padded(args->taps * s.inputs);
    s.out_depth = padded(args->taps * s.outputs);
    const int64_t deepest = args->groups * (s.in_depth > s.out_depth ? s.in_depth : s.out_depth);
    s.rows = NUMBERS / deepest > 0 ? NUMBERS / deepest : 1;
    if (s.rows > args->rows) s.rows = args->rows;
    return s;
}

int64_t floats_of(const sizes &s, int64_t numbers) {
    return gw_cuda_divide(padded(numbers) * s.number, int64_t(sizeof(float)));
}

gw_status launch_gather(const sizes &s, const gathering &g) {
    const int64_t count = g.rows * g.groups * g.depth;
    return gw_cuda_launch_elements("convolution", s.args->precision == GW_BF16 ? gather<uint16_t> : gather<float>,
                                   count, g);
}

gw_status launch_turn(const sizes &s, const turning &w) {
    const int64_t count = w.groups * (w.turned ? w.inputs : w.outputs) * w.depth;
    return gw_cuda_launch_elements("convolution", s.args->precision == GW_BF16 ? turn<uint16_t> : turn<float>, count,
                                   w);
}

const void *at_number(const sizes &s, const void *from, int64_t number) {
    return static_cast<const char *>(from) + number * s.number;
}

// out[rows][groups lines] = gathered [rows][groups][depth] turned[groups][lines][depth]^T
struct products {
    const void *gathered, *turned;
    int64_t rows, lines, depth;
    const float *bias;
    float *out;
    bool adds;
};

gw_status multiply_groups(const sizes &s, const products &of) {
    const int64_t groups = s.args->groups;
    for (int64_t group = 0; group < groups; group++) {
        const gw_cuda_product p = {false,
                                   true,
                                   of.adds,
                                   s.args->precision,
                                   of.rows,
                                   of.lines,
                                   of.depth,
                                   at_number(s, of.gathered, group * of.depth),
                                   at_number(s, of.turned, group * of.lines * of.depth),
                                   groups * of.depth,
                                   of.depth,
                                   of.out + group * of.lines,
                                   groups * of.lines,
                                   of.bias ? of.bias + group * of.lines : nullptr,
                                   GW_ACTIVATION_NONE,
                                   nullptr};
        GW_TRY(gw_cuda_multiply(&p));
    }
    return GW_OK;
}

int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

gathering gathering_of(const sizes &s, bool of_inputs, int64_t first, float *out) {
    const gw_convolution_args *a = s.args;
    const int64_t rows = least(s.rows, a->rows - first);
    return {a->start,
            a->sequences,
            first,
            rows,
            a->groups,
            a->taps,
            of_inputs ? s.inputs : s.outputs,
            of_inputs ? s.in_depth : s.out_depth,
            a->dilation,
            of_inputs ? 1 : -1,
            of_inputs ? a->in : a->out_gradient,
            out};
}

// Either of out, or of the inputs' gradient.
gw_status run(const sizes &s, bool forward) {
    const gw_convolution_args *a = s.args;
    const int64_t depth = forward ? s.in_depth : s.out_depth, lines = forward ? s.outputs : s.inputs;
    float *turned = a->scratch, *rows = turned + floats_of(s, a->groups * lines * depth);
    GW_TRY(launch_turn(s, {a->groups, a->taps, s.outputs, s.inputs, depth, !forward, a->weight, turned}));
    for (int64_t first = 0; first < a->rows; first += s.rows) {
        const gathering g = gathering_of(s, forward, first, rows);
        float *out = forward ? a->out : a->in_gradient;
        GW_TRY(launch_gather(s, g));
        GW_TRY(multiply_groups(s, {rows, turned, g.rows, lines, depth, forward ? a->bias : nullptr,
                                   out + first * a->groups * lines, !forward && !a->overwrites}));
    }
    return GW_OK;
}

// product[groups][outputs][taps inputs] (+)= dy^T gathered, dy gathered as of one tap.
gw_status multiply_weights(const sizes &s, const gathering &in, const gathering &dy, float *product) {
    const int64_t groups = s.args->groups, width = in.taps * s.inputs;
    for (int64_t group = 0; group < groups; group++) {
        const gw_cuda_product p = {true,
                                   false,
                                   in.first > 0,
                                   s.args->precision,
                                   s.outputs,
                                   width,
                                   in.rows,
                                   at_number(s, dy.out, group * dy.depth),
                                   at_number(s, in.out, group * in.depth),
                                   groups * dy.depth,
                                   groups * in.depth,
                                   product + group * s.outputs * width,
                                   width,
                                   nullptr,
                                   GW_ACTIVATION_NONE,
                                   nullptr};
        GW_TRY(gw_cuda_multiply(&p));
    }
    return GW_OK;
}

gw_status run_weights(const sizes &s) {
    const gw_convolution_args *a = s.args;
    const int64_t count = a->taps * a->width * s.inputs;
    float *product = a->scratch, *rows = product + padded(count),
          *gradients = rows + floats_of(s, s.rows * a->groups * s.in_depth);
    for (int64_t first = 0; first < a->rows; first += s.rows) {
        const gathering in = gathering_of(s, true, first, rows);
        gathering dy = gathering_of(s, false, first, gradients);
        dy.taps = 1;
        dy.depth = padded(s.outputs);
        GW_TRY(launch_gather(s, in));
        GW_TRY(launch_gather(s, dy));
        GW_TRY(multiply_weights(s, in, dy, product));
    }
    const turning w = {a->groups, a->taps, s.outputs, s.inputs, 0, false, nullptr, nullptr};
    return gw_cuda_launch_elements("convolution_backward", add_turned, count, w, static_cast<const float *>(product),
                                   a->weight_gradient);
}

bool is_depthwise(const gw_convolution_args *a) {
    return a->groups > 1 && a->groups == a->width && a->groups == a->in_width && a->precision == GW_F32;
}

__global__ void depthwise(gw_convolution_args a, bool forward) {
    const int64_t at = gpu_element(), row = at / a.width, column = at % a.width;
    if (row >= a.rows) return;
    const int64_t s = sequence_of(a.start, a.sequences, row), step = forward ? a.dilation : -int64_t(a.dilation);
    const float *in = forward ? a.in : a.out_gradient;
    float sum = forward && a.bias ? a.bias[column] : 0.0f;
    for (int64_t tap = 0; tap < a.taps; tap++) {
        const int64_t from = row + (tap - (a.taps - 1) / 2) * step;
        if (from >= a.start[s] && from < a.start[s + 1])
            sum += a.weight[tap * a.width + column] * in[from * a.width + column];
    }
    float *out = (forward ? a.out : a.in_gradient) + at;
    *out = forward || a.overwrites ? sum : *out + sum;
}

// A block has a tap's weights of 32 channels; its warps share the rows.
__global__ void depthwise_weights(gw_convolution_args a) {
    constexpr int WARPS = GW_CUDA_THREADS / GW_CUDA_WARP;
    __shared__ float of_warp[WARPS][GW_CUDA_WARP];
    const int64_t parts = (a.width + GW_CUDA_WARP - 1) / GW_CUDA_WARP, tap = blockIdx.x / parts;
    const int64_t column = blockIdx.x % parts * GW_CUDA_WARP + gpu_lane();
    const int64_t shift = (tap - (a.taps - 1) / 2) * a.dilation;
    const int warp = int(threadIdx.x) >> 5;
    float sum = 0;
    for (int64_t s = 0; s < a.sequences && column < a.width; s++) {
        const int64_t first = a.start[s] - (shift < 0 ? shift : 0), end = a.start[s + 1] - (shift > 0 ? shift : 0);
        for (int64_t row = first + warp; row < end; row += WARPS)
            sum += a.out_gradient[row * a.width + column] * a.in[(row + shift) * a.width + column];
    }
    of_warp[warp][gpu_lane()] = sum;
    __syncthreads();
    if (warp > 0 || column >= a.width) return;
    for (int w = 1; w < WARPS; w++) sum += of_warp[w][gpu_lane()];
    a.weight_gradient[tap * a.width + column] += sum;
}

gw_status run_depthwise(const gw_convolution_args *a, bool forward) {
    return gw_cuda_launch_elements("convolution", depthwise, a->rows * a->width, *a, forward);
}

} // namespace

int64_t gw_cuda_convolution_scratch(const gw_convolution_args *args) {
    const sizes s = sizes_of(args);
    return floats_of(s, args->groups * s.outputs * s.in_depth) + floats_of(s, s.rows * args->groups * s.in_depth);
}

int64_t gw_cuda_convolution_backward_scratch(const gw_convolution_args *args) {
    const sizes s = sizes_of(args);
    const int64_t of_inputs =
        floats_of(s, args->groups * s.inputs * s.out_depth) + floats_of(s, s.rows * args->groups * s.out_depth);
    const int64_t of_weights = padded(args->taps * args->width * s.inputs) +
                               floats_of(s, s.rows * args->groups * s.in_depth) +
                               floats_of(s, s.rows * args->groups * padded(s.outputs));
    return of_inputs > of_weights ? of_inputs : of_weights;
}

GW_CUDA_OP(convolution, gw_convolution_args) {
    if (args->rows == 0) return GW_OK;
    return is_depthwise(args) ? run_depthwise(args, true) : run(sizes_of(args), true);
}

GW_CUDA_OP(convolution_backward, gw_convolution_args) {
    if (args->rows == 0) return GW_OK;
    if (is_depthwise(args)) {
        GW_TRY(run_depthwise(args, false));
        return gw_cuda_launch("convolution_backward", depthwise_weights,
                              gw_cuda_divide(args->width, GW_CUDA_WARP) * args->taps, GW_CUDA_THREADS, *args);
    }
    const sizes s = sizes_of(args);
    GW_TRY(run(s, false));
    return run_weights(s);
}
