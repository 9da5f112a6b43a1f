// SPDX-License-Identifier: MIT
// Counts the work of a plan's steps. A device that takes bf16 rounds the operands of products into memory first, and
// leaves results there; a processor rounds and adds in its caches.
#include "nn/work.h"

#include "nn/attention.h"
#include "nn/steps.h"

enum { FLOAT = sizeof(float), HALF = sizeof(uint16_t) };

static bool is_device(const gw_plan *plan) {
    return plan->kernels->takes_bf16;
}

static double numbers(const gw_plan *plan, gw_tensor tensor) {
    return (double)gw_plan_most(plan, tensor) * (double)tensor.width;
}

// Bytes of a number that `times` products of that precision read: on a device of bf16 a rounded copy, made first where
// the number is not stored so.
static double operand(const gw_plan *plan, bool rounded, gw_precision precision, int times) {
    if (!is_device(plan) || precision == GW_F32) return FLOAT * times;
    return (rounded ? 0 : FLOAT + HALF) + HALF * times;
}

static double operand_of(const gw_plan *plan, gw_tensor tensor, gw_precision precision, int times) {
    return numbers(plan, tensor) * operand(plan, plan->tensors[tensor.id].bf16, precision, times);
}

static double result_of(const gw_plan *plan, gw_tensor tensor) {
    const gw_plan_tensor *t = &plan->tensors[tensor.id];
    return numbers(plan, tensor) * (FLOAT * t->floats + HALF * t->bf16);
}

static double stored_bytes(const gw_plan *plan, gw_tensor tensor) {
    return numbers(plan, tensor) * (plan->tensors[tensor.id].floats ? FLOAT : HALF);
}

// Bytes of a gradient that is read or written once.
static double gradient_of(const gw_plan *plan, gw_tensor tensor) {
    return numbers(plan, tensor) * (plan->tensors[tensor.id].gradient_bf16 ? HALF : FLOAT);
}

// Of a gradient that a step adds to, or writes over.
static double added_gradient_of(const gw_plan *plan, gw_tensor tensor, bool overwrites) {
    return gradient_of(plan, tensor) * (overwrites || plan->tensors[tensor.id].gradient_bf16 ? 1 : 2);
}

static double gradient_operand_of(const gw_plan *plan, gw_tensor tensor, gw_precision precision, int times) {
    return numbers(plan, tensor) * operand(plan, plan->tensors[tensor.id].gradient_bf16, precision, times);
}

// ---- layers over packed weights

// The inside of a feed-forward layer: written and read, as bf16 after a pass that applies the activation and rounds if
// products do not.
static double inside_bytes(const gw_plan *plan, const gw_linear_arguments *a) {
    if (!is_device(plan)) return 0;
    if (a->linear[0].precision == GW_BF16)
        return gw_product_rounds(a->feed_forward_activation) ? 2 * HALF : FLOAT + operand(plan, false, GW_BF16, 1);
    return FLOAT + FLOAT + (gw_product_rounds(a->feed_forward_activation) ? 0 : 2 * FLOAT);
}

static gw_work packed_work(const gw_plan *plan, const gw_step *step) {
    const gw_linear_arguments *a = step->arguments;
    const gw_precision precision = a->linear[0].precision;
    const gw_tensor in = step->in[0];
    const double rows = (double)gw_plan_most(plan, in), weight = precision == GW_BF16 ? HALF : FLOAT;
    double width = (double)in.width;
    gw_work work = {.tensors = operand_of(plan, in, precision, a->feed_forward.packed ? 1 : step->outs)};
    if (a->feed_forward.packed) {
        const double inside = (double)a->inside;
        work.tensors += rows * inside * inside_bytes(plan, a);
        work.weights += weight * width * inside;
        work.products += rows * width * inside;
        width = inside;
    }
    for (int k = 0; k < step->outs; k++) {
        const gw_tensor out = step->out[k];
        work.tensors += result_of(plan, out);
        if (is_device(plan) && !gw_product_rounds(a->activation)) work.tensors += 2 * FLOAT * numbers(plan, out);
        work.weights += weight * width * (double)out.width;
        work.products += rows * width * (double)out.width;
    }
    // The sum with the residual and the norm of that: a device's pass over the product's result.
    if (step->ins > 1)
        work.tensors +=
            stored_bytes(plan, step->in[1]) + (is_device(plan) ? 2 * FLOAT * numbers(plan, step->out[0]) : 0);
    return work;
}

// ---- layers over weights that are learnt

static gw_work linear_forward_work(const gw_plan *plan, const gw_step *step) {
    const gw_linear_arguments *a = step->arguments;
    const gw_precision precision = a->linear[0].precision;
    const gw_tensor in = step->in[0], out = step->out[0];
    const double weights = (double)in.width * (double)out.width;
    return (gw_work){.tensors = operand_of(plan, in, precision, 1) + result_of(plan, out),
                     .weights = weights * operand(plan, false, precision, 1),
                     .products = (double)gw_plan_most(plan, in) * weights};
}

// dW += dy^T x, db += sums of dy, dx += dy W; each product rounds its operands.
static gw_work linear_backward_work(const gw_plan *plan, const gw_step *step) {
    const gw_linear_arguments *a = step->arguments;
    const gw_precision precision = a->linear[0].precision;
    const gw_tensor in = step->in[0], out = step->out[0];
    const double weights = (double)in.width * (double)out.width;
    gw_work work = {.products = 2 * (double)gw_plan_most(plan, in) * weights};
    work.tensors += operand_of(plan, in, precision, 1) + 2 * gradient_operand_of(plan, out, precision, 1);
    // A processor sums dy while it packs it for bf16 products.
    if (a->linear[0].bias.gradient && (is_device(plan) || precision == GW_F32)) work.tensors += gradient_of(plan, out);
    work.tensors += added_gradient_of(plan, in, step->overwrites);
    if (a->of != GW_ACTIVATION_NONE && is_device(plan)) work.tensors += 3 * FLOAT * numbers(plan, in); // times f'(x)
    else if (a->of != GW_ACTIVATION_NONE) work.tensors += FLOAT * numbers(plan, in);
    work.weights = weights * (2 * FLOAT + operand(plan, false, precision, 1));
    return work;
}

// ---- attention

// Products forward: scores and their sums of values. Backward a device goes through all pairs twice: for the gradient
// of queries it makes three products, for those of keys and values four; a processor makes five.
enum { FORWARD_PRODUCTS = 2, BACKWARD_PRODUCTS = 5, BACKWARD_TWICE = 7 };

static gw_precision precision_of_attention(const gw_plan *plan, const gw_step *step) {
    return gw_step_rounds(plan, step, 0) ? GW_BF16 : GW_F32;
}

static gw_work attention_forward_work(const gw_plan *plan, const gw_step *step, double pairs) {
    const gw_precision precision = is_device(plan) ? precision_of_attention(plan, step) : GW_F32;
    gw_work work = {.products = FORWARD_PRODUCTS * pairs * (double)step->out[0].width};
    for (int k = 0; k < step->ins; k++) work.tensors += operand_of(plan, step->in[k], precision, 1);
    work.tensors += result_of(plan, step->out[0]) + FLOAT * (double)step->saved_floats;
    return work;
}

static gw_work attention_backward_work(const gw_plan *plan, const gw_step *step, double pairs) {
    const gw_precision precision = is_device(plan) ? precision_of_attention(plan, step) : GW_F32;
    const int walks = is_device(plan) ? 2 : 1;
    const gw_tensor out = step->out[0];
    gw_work work = {.products = (is_device(plan) ? BACKWARD_TWICE : BACKWARD_PRODUCTS) * pairs * (double)out.width};
    for (int k = 0; k < step->ins; k++) {
        work.tensors += operand_of(plan, step->in[k], precision, walks);
        work.tensors += added_gradient_of(plan, step->in[k], false);
    }
    work.tensors += gradient_operand_of(plan, out, precision, walks);
    work.tensors += gradient_of(plan, out) + stored_bytes(plan, out); // for delta
    work.tensors += FLOAT * (double)step->saved_floats * walks;
    return work;
}

// ---- other steps: each tensor once

static gw_work plain_forward_work(const gw_plan *plan, const gw_step *step) {
    gw_work work = {0};
    for (int k = 0; k < step->ins; k++) work.tensors += stored_bytes(plan, step->in[k]);
    for (int k = 0; k < step->outs; k++) work.tensors += result_of(plan, step->out[k]);
    return work;
}

static bool shares_gradient(const gw_plan *plan, const gw_step *step, int k) {
    const gw_plan_tensor *in = &plan->tensors[step->in[k].id];
    if (step->outs == 0) return false;
    const gw_plan_tensor *out = &plan->tensors[step->out[0].id];
    return in->gradient == out->gradient && in->rounded_gradient == out->rounded_gradient;
}

static gw_work plain_backward_work(const gw_plan *plan, const gw_step *step) {
    gw_work work = {0};
    for (int k = 0; k < step->outs; k++) {
        work.tensors += gradient_of(plan, step->out[k]);
        if (step->op->reads_out) work.tensors += stored_bytes(plan, step->out[k]);
    }
    for (int k = 0; k < step->ins; k++) {
        const bool is_sum = step->op == &gw_sum_op, shares = shares_gradient(plan, step, k);
        const bool whole =
            is_sum && (k == 1 || ((const gw_dropout_arguments *)step->arguments)->dropout.probability == 0);
        const bool overwrites = shares || (step->overwrites && step->op->overwrites == k + 1);
        if (step->op->reads_in) work.tensors += stored_bytes(plan, step->in[k]);
        // A gradient that passes through whole and in place is there already.
        if (!shares || !whole) work.tensors += added_gradient_of(plan, step->in[k], overwrites);
    }
    // A norm's weights and its input have their gradients in two walks.
    if (step->op == &gw_norm_op) work.tensors += 2 * FLOAT * numbers(plan, step->in[0]);
    return work;
}

// ---- a sum with its norm, on a device: the sum is written, and is read again in the backward pass

static gw_work sum_norm_forward_work(const gw_plan *plan, const gw_step *step) {
    gw_work work = plain_forward_work(plan, step);
    work.tensors += FLOAT * numbers(plan, step->out[0]);
    return work;
}

static gw_work sum_norm_backward_work(const gw_plan *plan, const gw_step *step) {
    gw_work work = plain_backward_work(plan, step);
    work.tensors += (1 + 2) * FLOAT * numbers(plan, step->out[0]); // as of a norm, whose input is the sum
    return work;
}

// ---- a plan

static gw_status work_of(const gw_plan *plan, const gw_step *step, gw_work_sum *out) {
    double pairs = 0;
    *out = (gw_work_sum){0};
    if (step->op == &gw_packed_op) {
        out->forward = packed_work(plan, step);
    } else if (step->op == &gw_linear_op) {
        out->forward = linear_forward_work(plan, step);
        out->backward = linear_backward_work(plan, step);
    } else if (step->op->reads == GW_READS_BLOCKS) {
        GW_TRY(gw_attention_pairs(plan, step, &pairs));
        out->forward = attention_forward_work(plan, step, pairs);
        out->backward = attention_backward_work(plan, step, pairs);
    } else if (step->op == &gw_sum_norm_op) {
        out->forward = sum_norm_forward_work(plan, step);
        out->backward = sum_norm_backward_work(plan, step);
    } else {
        out->forward = plain_forward_work(plan, step);
        out->backward = plain_backward_work(plan, step);
    }
    return GW_OK;
}

static void add(gw_work *to, gw_work work) {
    to->tensors += work.tensors;
    to->weights += work.weights;
    to->products += work.products;
}

// Of step i, with what the backward pass does besides its own: it zeroes gradients of its results, and runs it again.
static gw_status step_work(const gw_plan *plan, int64_t i, gw_work_sum *out) {
    gw_work_sum of;
    GW_TRY(work_of(plan, &plan->steps[i], &of));
    *out = (gw_work_sum){.forward = of.forward};
    for (int64_t n = 0; n < plan->action_count; n++) {
        const gw_action action = plan->actions[n];
        if (action.what == GW_BACKWARD && action.index == i) add(&out->backward, of.backward);
        if (action.what == GW_AGAIN && action.index == i) add(&out->backward, of.forward);
        if (action.what == GW_ZERO && plan->tensors[action.index].maker == i)
            out->backward.tensors += FLOAT * numbers(plan, plan->tensors[action.index].tensor);
    }
    return GW_OK;
}

gw_status gw_plan_work(const gw_plan *plan, int segment, gw_work_sum *out) {
    *out = (gw_work_sum){0};
    bool inside = false;
    for (int64_t i = 0; i < plan->count; i++) {
        gw_work_sum step;
        if (plan->steps[i].segment > 0) inside = plan->steps[i].segment == segment;
        if (!inside) continue;
        GW_TRY(step_work(plan, i, &step));
        add(&out->forward, step.forward);
        add(&out->backward, step.backward);
    }
    return GW_OK;
}

static void print_tensors(const gw_plan *plan, const gw_tensor *tensors, int count, gw_string *out) {
    for (int i = 0; i < count; i++) {
        const gw_plan_tensor *t = &plan->tensors[tensors[i].id];
        gw_string_printf(out, "%s%d[%d][%lld]:%s%s%s", i > 0 ? "," : "", tensors[i].id, tensors[i].rows,
                         (long long)tensors[i].width, t->floats ? "f32" : "", t->floats && t->bf16 ? "+" : "",
                         t->bf16 ? "bf16" : "");
        if (plan->training) gw_string_printf(out, ":%s", t->gradient_bf16 ? "bf16" : "f32");
    }
    if (count == 0) gw_string_puts(out, ".");
}

static void print_work(gw_work work, gw_string *out) {
    gw_string_printf(out, "\t%.0f\t%.0f\t%.0f", work.tensors, work.weights, work.products);
}

gw_status gw_plan_print(const gw_plan *plan, gw_string *out) {
    for (int64_t i = 0; i < plan->count; i++) {
        const gw_step *step = &plan->steps[i];
        gw_work_sum work;
        GW_TRY(step_work(plan, i, &work));
        gw_string_printf(out, "%lld\t", (long long)i);
        for (int k = 0; k < step->parts; k++) gw_string_printf(out, "%s%s", k > 0 ? "+" : "", step->part[k]->name);
        gw_string_putc(out, '\t');
        print_tensors(plan, step->in, step->ins, out);
        gw_string_putc(out, '\t');
        print_tensors(plan, step->out, step->outs, out);
        print_work(work.forward, out);
        if (plan->training) print_work(work.backward, out);
        gw_string_putc(out, '\n');
    }
    return gw_string_status(out);
}
