// SPDX-License-Identifier: MIT
// activation, gate, adamw, lamb, gradient_norm: ops on every value alone, or on all of them.
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>

// At most twice the error of the plain formula in f32 on the same numbers.
static const double GELU_LIMIT = 7e-8, EXACT_LIMIT = 1e-7, TANH_LIMIT = 6e-8, SILU_LIMIT = 7e-8, GATE_LIMIT = 7e-8,
                    DERIVATIVE_LIMIT = 1.4e-7, ADAMW_LIMIT = 7e-8, LAMB_LIMIT = 1.5e-7, NORM_LIMIT = 1e-14;

static const int64_t COUNTS[] = {1, 3, 16, 37, 40961};
enum { COUNT_CASES = sizeof COUNTS / sizeof COUNTS[0] };

typedef void map(int64_t count, const double *in, double *out);
typedef void map_backward(int64_t count, const double *in, const double *dout, double *din);

static void same(int64_t count, const double *in, double *out) {
    for (int64_t i = 0; i < count; i++) out[i] = in[i];
}

static void same_backward(int64_t count, const double *in, const double *dout, double *din) {
    (void)in;
    for (int64_t i = 0; i < count; i++) din[i] += dout[i];
}

static const struct {
    const char *name;
    gw_activation kind;
    map *forward;
    map_backward *backward;
    double limit; // of forward
} FUNCTIONS[] = {
    {"none", GW_ACTIVATION_NONE, same, same_backward, 0.0},
    {"gelu", GW_ACTIVATION_GELU, ref_gelu, ref_gelu_backward, GELU_LIMIT},
    {"gelu_exact", GW_ACTIVATION_GELU_EXACT, ref_gelu_exact, ref_gelu_exact_backward, EXACT_LIMIT},
    {"gelu_quick", GW_ACTIVATION_GELU_QUICK, ref_gelu_quick, ref_gelu_quick_backward, SILU_LIMIT},
    {"softplus", GW_ACTIVATION_SOFTPLUS, ref_softplus, ref_softplus_backward, SILU_LIMIT},
    {"relu", GW_ACTIVATION_RELU, ref_relu, ref_relu_backward, 0.0},
    {"tanh", GW_ACTIVATION_TANH, ref_tanh, ref_tanh_backward, TANH_LIMIT},
    {"silu", GW_ACTIVATION_SILU, ref_silu, ref_silu_backward, SILU_LIMIT},
    {"elu_plus_one", GW_ACTIVATION_ELU_PLUS_ONE, ref_elu_plus_one, ref_elu_plus_one_backward, SILU_LIMIT},
    {"sigmoid", GW_ACTIVATION_SIGMOID, ref_sigmoid, ref_sigmoid_backward, SILU_LIMIT},
};
enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

// out against the function of in, then with numbers from far outside the interesting range, which would hide the
// others' errors, and NaN.
static void check_function(const gw_backend *backend, int f) {
    static const float SPECIAL[] = {0.0f, -0.0f, 1e-30f, 100.0f, -100.0f, 1e4f, -1e4f, NAN};
    for (int c = 0; c < 2 * COUNT_CASES; c++) {
        const int64_t count = COUNTS[c / 2];
        test_array in = test_normal(count, 2.0), out = test_zeros(count);
        for (int64_t i = 0; i < 8 && c % 2 && count > 16; i++) in.wide[i + 5] = in.value[i + 5] = SPECIAL[i];
        const gw_activation_args args = {
            .kind = FUNCTIONS[f].kind, .count = in.count, .in = in.value, .out = out.value};
        cr_assert(backend->activation(&args) == GW_OK);
        FUNCTIONS[f].forward(in.count, in.wide, out.wide);
        test_compare(FUNCTIONS[f].name, out, FUNCTIONS[f].limit);
        test_unchanged("in", in);
    }
}

// Adds into in_gradient, or replaces it where it is out_gradient.
static void check_derivative(const gw_backend *backend, int f) {
    for (int c = 0; c < 2 * COUNT_CASES; c++) {
        const int64_t count = COUNTS[c / 2];
        const bool alias = c % 2;
        test_array in = test_normal(count, 1.5), dout = test_normal(count, 1.0);
        test_array din = alias ? dout : test_normal(count, 1.0);
        double *sum = test_alloc(count, sizeof *sum);
        for (int64_t i = 0; i < count; i++) sum[i] = alias ? 0.0 : din.wide[i];
        FUNCTIONS[f].backward(count, in.wide, dout.wide, sum);
        const gw_activation_args args = {.kind = FUNCTIONS[f].kind,
                                         .count = count,
                                         .in = in.value,
                                         .out_gradient = dout.value,
                                         .in_gradient = din.value};
        cr_assert(backend->activation_backward(&args) == GW_OK);
        for (int64_t i = 0; i < count; i++) din.wide[i] = sum[i];
        test_compare(FUNCTIONS[f].name, din, DERIVATIVE_LIMIT);
        if (!alias) test_unchanged("out_gradient", dout);
    }
}

// Every function on the same numbers.
static void each_function(const gw_backend *backend, void (*check)(const gw_backend *, int)) {
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        test_draw_again();
        check(backend, f);
        test_release();
    }
}

void check_activation(const gw_backend *backend) {
    each_function(backend, check_function);
}

void check_activation_backward(const gw_backend *backend) {
    each_function(backend, check_derivative);
}

void check_concatenate(const gw_backend *backend) {
    static const int64_t sizes[][3] = {{1, 1, 1}, {37, 2, 1}, {300, 16, 33}};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        const int64_t rows = sizes[c][0], m = sizes[c][1], n = sizes[c][2];
        test_array first = test_normal(rows * m, 1), second = test_normal(rows * n, 1),
                   out = test_zeros(rows * (m + n));
        const gw_concatenate_args args = {.rows = rows,
                                          .first_width = m,
                                          .second_width = n,
                                          .first = first.value,
                                          .second = second.value,
                                          .out = out.value};
        ref_concatenate(rows, m, n, first.wide, second.wide, out.wide);
        cr_assert(backend->concatenate(&args) == GW_OK);
        test_compare("out", out, 0);
        test_unchanged("first", first);
        test_unchanged("second", second);
    }
}

void check_concatenate_backward(const gw_backend *backend) {
    static const int64_t sizes[][3] = {{1, 1, 1}, {37, 2, 1}, {300, 16, 33}};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        const int64_t rows = sizes[c][0], m = sizes[c][1], n = sizes[c][2];
        test_array dout = test_normal(rows * (m + n), 1), da = test_normal(rows * m, 1), db = test_normal(rows * n, 1);
        const gw_concatenate_args args = {.rows = rows,
                                          .first_width = m,
                                          .second_width = n,
                                          .out_gradient = dout.value,
                                          .first_gradient = da.value,
                                          .second_gradient = db.value};
        ref_concatenate_backward(rows, m, n, dout.wide, da.wide, db.wide);
        cr_assert(backend->concatenate_backward(&args) == GW_OK);
        test_compare("first_gradient", da, DERIVATIVE_LIMIT);
        test_compare("second_gradient", db, DERIVATIVE_LIMIT);
        test_unchanged("out_gradient", dout);
    }
}

void check_gate(const gw_backend *backend) {
    for (int c = 0; c < 2 * COUNT_CASES; c++) {
        const int64_t count = COUNTS[c / 2];
        const bool alias = c % 2;
        test_array gate = test_normal(count, 1.5), in = test_normal(count, 2.0), out = alias ? gate : test_zeros(count);
        double *want = test_alloc(count, sizeof *want);
        ref_gate(count, gate.wide, in.wide, want);
        const gw_gate_args args = {.count = count, .gate = gate.value, .in = in.value, .out = out.value};
        cr_assert(backend->gate(&args) == GW_OK);
        for (int64_t i = 0; i < count; i++) out.wide[i] = want[i];
        test_compare("out", out, GATE_LIMIT);
        test_unchanged("in", in);
        if (!alias) test_unchanged("gate", gate);
    }
}

// way: bit 0 the gate's gradient replaces that of out, bit 1 overwrites
static void check_gate_gradient(const gw_backend *backend, int64_t count, int way) {
    const bool alias = way & 1, overwrites = way & 2;
    test_array gate = test_normal(count, 1.5), in = test_normal(count, 2.0), dout = test_normal(count, 1.0);
    test_array dgate = alias ? dout : test_normal(count, 1.0), din = test_normal(count, 1.0);
    double *of_gate = test_alloc(count, sizeof *of_gate);
    for (int64_t i = 0; i < count; i++) of_gate[i] = alias ? 0.0 : dgate.wide[i];
    for (int64_t i = 0; i < count && overwrites; i++) din.wide[i] = 0.0;
    ref_gate_backward(count, gate.wide, in.wide, dout.wide, of_gate, din.wide);
    const gw_gate_args args = {.count = count,
                               .gate = gate.value,
                               .in = in.value,
                               .out_gradient = dout.value,
                               .gate_gradient = dgate.value,
                               .in_gradient = din.value,
                               .overwrites = overwrites};
    cr_assert(backend->gate_backward(&args) == GW_OK);
    for (int64_t i = 0; i < count; i++) dgate.wide[i] = of_gate[i];
    test_compare("gate_gradient", dgate, DERIVATIVE_LIMIT);
    test_compare("in_gradient", din, DERIVATIVE_LIMIT);
    if (!alias) test_unchanged("out_gradient", dout);
}

void check_gate_backward(const gw_backend *backend) {
    for (int c = 0; c < 4 * COUNT_CASES; c++) check_gate_gradient(backend, COUNTS[c / 4], c % 4);
}

typedef struct {
    gw_status (*run)(const gw_adamw_args *args);
    void (*reference)(int64_t count, const ref_adamw_options *options, const double *gradient, double *weight,
                      double *first_moment, double *second_moment);
    double limit; // of weights
} moments_case;

static void check_moments(moments_case of, double size) {
    for (int c = 0; c < COUNT_CASES; c++) {
        const int64_t count = COUNTS[c];
        test_array weight = test_normal(count, size), first = test_normal(count, 0.01),
                   second = test_normal(count, 0.01);
        test_array gradient = test_normal(count, 0.1);
        for (int64_t i = 0; i < count; i++) second.wide[i] = second.value[i] = second.value[i] * second.value[i];
        const gw_gradient_norm norm = {c, 0.5f}, infinite = {INFINITY, 0.0f};
        const gw_gradient_norm *norms = test_copy((const gw_gradient_norm[]){norm, infinite}, 2, sizeof norm);
        gw_adamw_args args = {.count = count,
                              .weight = weight.value,
                              .first_moment = first.value,
                              .second_moment = second.value,
                              .gradient = gradient.value,
                              .norm = &norms[1],
                              .rate = 1e-2f,
                              .beta1 = 0.9f,
                              .beta2 = 0.999f,
                              .epsilon = 1e-6f,
                              .decay = 0.01f,
                              .correction1 = 0.19f,
                              .correction2 = 0.001999f};
        cr_assert(of.run(&args) == GW_OK);
        test_unchanged("weight", weight);
        test_unchanged("first moment", first);
        test_unchanged("second moment", second);
        args.norm = &norms[0];
        const ref_adamw_options options = {norm.scale,   args.rate,  args.beta1,       args.beta2,
                                           args.epsilon, args.decay, args.correction1, args.correction2};
        cr_assert(of.run(&args) == GW_OK);
        of.reference(count, &options, gradient.wide, weight.wide, first.wide, second.wide);
        test_compare("weight", weight, of.limit);
        test_compare("first moment", first, ADAMW_LIMIT);
        test_compare("second moment", second, ADAMW_LIMIT);
        test_unchanged("gradient", gradient);
    }
}

void check_adamw(const gw_backend *backend) {
    check_moments((moments_case){backend->adamw, ref_adamw, ADAMW_LIMIT}, 0.1);
}

// Also of weights that are all 0, whose norm says nothing.
void check_lamb(const gw_backend *backend) {
    check_moments((moments_case){backend->lamb, ref_lamb, LAMB_LIMIT}, 0.1);
    check_moments((moments_case){backend->lamb, ref_lamb, LAMB_LIMIT}, 0);
}

void check_gradient_norm(const gw_backend *backend) {
    for (int c = 0; c < 3 * COUNT_CASES; c++) {
        const double clip = c % 3; // of no effect for the first and for all but the smallest counts
        test_array in = test_normal(COUNTS[c / 3], 1.0), digits = test_zeros(3);
        gw_gradient_norm got, *out = test_alloc(1, sizeof *out);
        cr_assert(backend->gradient_norm(
                      &(gw_gradient_norm_args){.count = in.count, .in = in.value, .clip = clip, .out = out}) == GW_OK);
        got = *out;
        double scale;
        const double want = ref_gradient_norm(in.count, in.wide, clip, &scale);
        cr_assert(fabs(got.norm - want) <= NORM_LIMIT * want);
        cr_assert((double)got.scale == (double)(float)scale);
        digits.wide[0] = digits.value[0] = (float)got.norm; // the digest sees all of the norm
        digits.wide[1] = digits.value[1] = (float)(got.norm - (double)digits.value[0]);
        digits.wide[2] = digits.value[2] = got.scale;
        test_compare("norm", digits, 0.0);
        test_unchanged("in", in);
    }
    gw_gradient_norm *none = test_alloc(1, sizeof *none);
    *none = (gw_gradient_norm){-1.0, -1.0f};
    cr_assert(backend->gradient_norm(&(gw_gradient_norm_args){.count = 0, .clip = 1, .out = none}) == GW_OK);
    cr_assert(none->norm == 0.0 && none->scale == 1.0f);
}

typedef struct {
    void (*forward)(int64_t, const double *, double *);
    const double *in, *weight;
} unary_loss;

static double loss_of(const void *context) {
    const unary_loss *loss = context;
    double out[32], sum = 0.0;
    loss->forward(32, loss->in, out);
    for (int i = 0; i < 32; i++) sum += out[i] * loss->weight[i];
    return sum;
}

typedef struct {
    const double *gate, *in, *weight;
} gate_loss;

static double gated(const void *context) {
    const gate_loss *loss = context;
    double out[32], sum = 0.0;
    ref_gate(32, loss->gate, loss->in, out);
    for (int i = 0; i < 32; i++) sum += out[i] * loss->weight[i];
    return sum;
}

Test(reference, gate_gradients) {
    test_restart();
    test_array gate = test_normal(32, 1.0), in = test_normal(32, 1.0), weight = test_normal(32, 1.0);
    test_array dgate = test_zeros(32), din = test_zeros(32);
    const gate_loss loss = {gate.wide, in.wide, weight.wide};
    ref_gate_backward(32, gate.wide, in.wide, weight.wide, dgate.wide, din.wide);
    test_central_differences("gate", gated, &loss, gate.wide, dgate.wide, 32);
    test_central_differences("in", gated, &loss, in.wide, din.wide, 32);
    test_release();
}

Test(reference, gradients_of_single_values) {
    test_restart();
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        test_array in = test_normal(32, 1.5), weight = test_normal(32, 1.0), gradient = test_zeros(32);
        const unary_loss loss = {FUNCTIONS[f].forward, in.wide, weight.wide};
        FUNCTIONS[f].backward(32, in.wide, weight.wide, gradient.wide);
        test_central_differences(FUNCTIONS[f].name, loss_of, &loss, in.wide, gradient.wide, 32);
    }
    test_release();
}
