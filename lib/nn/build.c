// SPDX-License-Identifier: MIT
// Fuses steps that one op computes together, if no other step reads the values between them: a dropout and the
// following sum, in training on a device with its norm; in bf16 training an activation and the linear layer that reads
// it; with packed weights a linear layer, its activation, the sum with a residual and the norm; a layer and the
// following layer; and layers of one input. The fused step is at the position of its last part. Absorbed steps have no
// op until the list is compacted.
#include "base/number.h"
#include "base/parallel.h"
#include "nn/plan.h"
#include "nn/steps.h"

#include <stdlib.h>
#include <string.h>

// The only step that reads the tensor, or NULL.
static gw_step *only_reader(gw_plan *plan, gw_tensor tensor) {
    gw_step *reader = NULL;
    if (plan->tensors[tensor.id].output) return NULL;
    for (int64_t i = 0; i < plan->count; i++) {
        gw_step *step = &plan->steps[i];
        for (int k = 0; step->op && k < step->ins; k++) {
            if (step->in[k].id != tensor.id) continue;
            if (reader) return NULL;
            reader = step;
        }
    }
    return reader;
}

// The only reader of a step's result, where it is of that op and reads it as its first input.
static gw_step *follower(gw_plan *plan, const gw_step *step, const gw_plan_op *op) {
    gw_step *reader = only_reader(plan, step->out[0]);
    return reader && reader->op == op && reader->in[0].id == step->out[0].id ? reader : NULL;
}

static void list_parts(const gw_step *first, gw_step *second) {
    const gw_step then = *second;
    for (int i = 0; i < first->parts; i++) second->part[i] = first->part[i];
    for (int i = 0; i < then.parts; i++) second->part[first->parts + i] = then.part[i];
    second->parts = first->parts + then.parts;
}

// The first step ends in the second, which has its place and result.
static void end_in(gw_step *first, gw_step *second) {
    list_parts(first, second);
    second->op = first->op;
    second->arguments = first->arguments;
    second->ins = first->ins;
    for (int k = 0; k < first->ins; k++) second->in[k] = first->in[k];
    first->op = NULL;
}

// The second step begins with the first, and reads what that read.
static void begin_with(gw_step *first, gw_step *second) {
    list_parts(first, second);
    second->in[0] = first->in[0];
    first->op = NULL;
}

// Whether products apply an activation on the way (kernels/activation.h).
static bool products_apply(gw_activation activation) {
    return activation != GW_ACTIVATION_SIGMOID && activation != GW_ACTIVATION_ELU_PLUS_ONE;
}

// A linear layer over packed weights with the activation, the sum and the norm behind it.
static void join_packed(gw_plan *plan, gw_step *step) {
    gw_linear_arguments *a = step->arguments;
    gw_step *activation = follower(plan, step, &gw_activation_op);
    if (activation && products_apply(*(const gw_activation *)activation->arguments)) {
        a->activation = *(const gw_activation *)activation->arguments;
        end_in(step, activation);
        step = activation;
    }
    gw_step *sum = follower(plan, step, &gw_sum_op);
    if (sum) {
        step->in[step->ins++] = sum->in[1];
        end_in(step, sum);
        step = sum;
    }
    gw_step *norm = follower(plan, step, &gw_norm_op);
    if (!norm || step->ins < 2) return;
    const gw_norm_arguments *of_norm = norm->arguments;
    a->norm = of_norm->norm;
    a->epsilon = of_norm->epsilon;
    end_in(step, norm);
}

// A tile of the first layer's result stays in the cache as bf16; f32 would push out all else, and is better kept whole.
static void join_layer(gw_plan *plan, gw_step *step) {
    gw_step *outer = follower(plan, step, &gw_packed_op);
    const gw_linear_arguments *a = step->arguments;
    if (!outer || step->ins > 1 || outer->ins < 2 || a->feed_forward.packed || a->linear[0].precision != GW_BF16)
        return;
    ((gw_linear_arguments *)outer->arguments)->feed_forward = a->linear[0];
    ((gw_linear_arguments *)outer->arguments)->inside = step->out[0].width;
    ((gw_linear_arguments *)outer->arguments)->feed_forward_activation = a->activation;
    begin_with(step, outer);
}

static bool is_read_behind(const gw_plan *plan, gw_tensor tensor, const gw_step *step) {
    for (const gw_step *later = step + 1; later < plan->steps + plan->count; later++)
        for (int k = 0; later->op && k < later->ins; k++)
            if (later->in[k].id == tensor.id) return true;
    return false;
}

// In training on a device, a sum and its norm. With `recompute` a sum is made again, and not kept.
static void join_norm(gw_plan *plan, gw_step *sum) {
    const gw_layer_norm_args args = {.width = sum->in[0].width};
    if (!plan->training || plan->recompute || !plan->kernels->takes_bf16 || args.width % 8 != 0) return;
    gw_step *norm = follower(plan, sum, &gw_norm_op);
    const bool last = sum->in[0].id != sum->in[1].id && !is_read_behind(plan, sum->in[1], sum);
    if (!norm || !last || !plan->kernels->takes_bf16(GW_OP_layer_norm, &args)) return;
    gw_sum_norm_arguments *joined = gw_plan_alloc(plan, 1, sizeof *joined);
    if (!joined) return;
    *joined = (gw_sum_norm_arguments){*(const gw_dropout_arguments *)sum->arguments,
                                      *(const gw_norm_arguments *)norm->arguments};
    end_in(sum, norm);
    norm->op = &gw_sum_norm_op;
    norm->arguments = joined;
}

static bool is_single_layer(const gw_step *step) {
    return step->op == &gw_packed_op && step->parts == step->outs;
}

// The next step is another layer of the same input.
static bool joins_next(gw_step *step, const gw_step *next) {
    if (!is_single_layer(step) || !is_single_layer(next) || step->outs == GW_LINEAR_OUTS) return false;
    if (step->in[0].id != next->in[0].id || step->out[0].width != next->out[0].width) return false;
    ((gw_linear_arguments *)step->arguments)->linear[step->outs] = ((gw_linear_arguments *)next->arguments)->linear[0];
    step->out[step->outs++] = next->out[0];
    step->part[step->parts++] = next->op;
    return true;
}

static void fuse(gw_plan *plan) {
    for (int64_t i = 0; i < plan->count; i++) {
        gw_step *step = &plan->steps[i];
        if (!step->op || step->parts > 1) continue;
        if (step->op == &gw_dropout_op) {
            gw_step *sum = follower(plan, step, &gw_sum_op);
            if (!sum) continue;
            sum->arguments = step->arguments;
            begin_with(step, sum);
        } else if (step->op == &gw_activation_op) {
            gw_step *linear = follower(plan, step, &gw_linear_op);
            gw_linear_arguments *a = linear ? linear->arguments : NULL;
            if (!linear || !products_apply(*(const gw_activation *)step->arguments)) continue;
            if (a->linear[0].precision != GW_BF16 || !only_reader(plan, step->in[0])) continue;
            if (plan->kernels->takes_bf16 && step->in[0].width % 8 == 0) continue; // both sides are stored as bf16
            a->of = *(const gw_activation *)step->arguments;
            begin_with(step, linear);
        } else if (step->op == &gw_packed_op) join_packed(plan, step);
    }
    for (int64_t i = 0; i < plan->count; i++) {
        if (plan->steps[i].op == &gw_packed_op) join_layer(plan, &plan->steps[i]);
        if (plan->steps[i].op == &gw_sum_op) join_norm(plan, &plan->steps[i]);
    }
    int64_t count = 0;
    for (int64_t i = 0; i < plan->count; i++)
        if (plan->steps[i].op && (count == 0 || !joins_next(&plan->steps[count - 1], &plan->steps[i])))
            plan->steps[count++] = plan->steps[i];
    plan->count = count;
}

// Places a plan's memory, and writes its backward pass.
//
// Tensors are grouped into buffers: a step that may work in place overwrites its result where its input lay, if nobody
// reads that afterwards. A buffer lives from the step that makes its first tensor to the last one that reads its last.
// Without training, values share one pool by these lifetimes. With training, values that backward steps read are kept,
// and gradients share the pool: a gradient lives in the backward pass from the tensor's last reader back to its maker,
// which is the same span read backwards. Cheap values (norms, activations) of kept ones are not kept: their maker runs
// again before the first backward step that reads them, into the pool.
//
//                 maker            reader   last reader
//   forward    -->  |  value ......  |  .......  |
//   backward        |  gradient ...  |  .......  |  zeros  <--
//
// The last reader of a tensor is the first to write its gradient: where its backward step is able to overwrite, it is
// asked to, and nothing is zeroed.
//
// Recomputing. A description may cut itself into segments, each with one result that later steps read. With `recompute`
// all segments keep what they keep in one region, the same for all, and only results stay. Where the backward pass
// comes to the end of a segment, the steps that lead to its result run again and fill the region with the same bits:
//
//                 segment            end
//   forward    -->  |  to region .... |  next segment, to the same region ...
//   backward        |  from region .. |  <-- region filled again

enum { ALIGN = 16 }; // floats

// Where a buffer lies.
typedef enum { POOL, SAVED, REGION, OVER_VALUE, HOMES = OVER_VALUE } home;

typedef struct {
    home home;
    int64_t floats, offset;       // in its home
    int first, last, last_reader; // steps that it lives for; the last of them that reads it
    int members;                  // tensors
    bool gradient, needed;        // needed: in the backward pass
    bool placed;                  // in the pool
    bool rounded;                 // bf16 of `value`: kept rather than made again
    int value;                    // of a rounded one, and of OVER_VALUE: the buffer of the floats
} buffer;

typedef struct {
    gw_plan *plan;
    int *readers, *last, *last_needing; // [tensors] how many; the last one (the maker where none), the last whose
                                        // backward step reads the floats (-1: none)
    bool *crosses;                      // [tensors] a segment reads it that has not made it
    bool *needs_rounded;                // [tensors] a backward step reads the bf16
    int *value, *rounded, *gradient;    // [tensors] buffers
    buffer *buffers;                    // [3 * tensors]
    int count;
    int *first_step, *end_step;   // [segments + 1]
    int64_t *region_used;         // [segments + 1]
    int64_t *saved_offset;        // [steps]
    int64_t size[HOMES], scratch; // floats
} placing;

static int64_t aligned(int64_t floats) {
    return (floats + ALIGN - 1) / ALIGN * ALIGN;
}

// The segment that a step belongs to where segments run again; 0: none.
static int segment_of(const placing *p, int step) {
    return p->plan->training && p->plan->recompute ? p->plan->steps[step].segment : 0;
}

static void count_readers(placing *p) {
    const gw_plan *plan = p->plan;
    for (int64_t t = 0; t < plan->tensor_count; t++) p->last_needing[t] = -1;
    for (int i = 0; i < plan->count; i++) {
        const gw_step *step = &plan->steps[i];
        const int segment = segment_of(p, i);
        if (p->end_step[segment] == 0) p->first_step[segment] = i;
        p->end_step[segment] = i + 1;
        for (int k = 0; k < step->ins; k++) {
            const int in = step->in[k].id;
            p->readers[in]++;
            p->last[in] = (int)gw_max(p->last[in], i);
            if (step->op->reads_in && gw_step_reads_bf16(plan, step, k)) p->needs_rounded[in] = true;
            else if (step->op->reads_in) p->last_needing[in] = i;
            p->crosses[in] |= segment > 0 && segment != segment_of(p, plan->tensors[in].maker);
        }
        for (int k = 0; k < step->outs; k++) {
            const int out = step->out[k].id;
            plan->tensors[out].maker = p->last[out] = i;
            p->needs_rounded[out] = step->op->reads_out && !plan->tensors[out].floats;
        }
    }
}

static bool is_needed(const placing *p, gw_tensor tensor) {
    const gw_step *maker = &p->plan->steps[p->plan->tensors[tensor.id].maker];
    const bool read = p->last_needing[tensor.id] >= 0 || (maker->op->reads_out && p->plan->tensors[tensor.id].floats);
    return p->plan->training && (read || p->crosses[tensor.id]);
}

// Whether the step's result lies where its input lay: nobody reads that later, forward or backward.
static bool value_in_place(const placing *p, const gw_step *step, int i) {
    if (step->ins == 0 || step->op->must_be_in_place) return step->ins > 0;
    if (p->plan->plain || !step->op->in_place) return false;
    const gw_tensor in = step->in[0];
    return p->last[in.id] == i && p->plan->tensors[in.id].floats && !p->plan->tensors[in.id].output &&
           !is_needed(p, in);
}

// The input whose gradient lies where the gradient of the step's result lay; -1: none. That of a residual passes
// through whole, if no step has written it before.
static int gradient_in_place(const placing *p, const gw_step *step, int i) {
    if (step->ins == 0) return -1;
    if (step->op->must_be_in_place) return 0;
    if (p->plan->plain || !step->op->gradient_in_place || p->readers[step->in[0].id] > 1) return -1;
    const bool rounded = p->plan->tensors[step->in[0].id].gradient_bf16;
    if (rounded == p->plan->tensors[step->out[0].id].gradient_bf16) return 0;
    return step->op == &gw_sum_op && rounded && p->last[step->in[1].id] == i ? 1 : -1;
}

// A loss turns logits into their gradient.
static bool is_over_value(const placing *p, gw_tensor tensor) {
    const int reader = p->last_needing[tensor.id];
    return !p->plan->plain && p->readers[tensor.id] == 1 && reader >= 0 &&
           p->plan->steps[reader].op->gradient_over_value;
}

static int new_buffer(placing *p, int64_t floats, int first, bool gradient) {
    p->buffers[p->count] = (buffer){.floats = aligned(floats), .first = first, .gradient = gradient};
    return p->count++;
}

static buffer *join(placing *p, int index, gw_tensor tensor) {
    buffer *b = &p->buffers[index];
    b->members++;
    b->last_reader = (int)gw_max(b->last_reader, p->last[tensor.id]);
    b->last = (int)gw_max(b->last, p->plan->tensors[tensor.id].output ? (int)p->plan->count : p->last[tensor.id]);
    return b;
}

static void make_buffers(placing *p) {
    const gw_plan *plan = p->plan;
    for (int i = 0; i < plan->count; i++) {
        const gw_step *step = &plan->steps[i];
        for (int k = 0; k < step->outs; k++) {
            const gw_tensor out = step->out[k];
            const gw_plan_tensor *of = &plan->tensors[out.id];
            const int64_t rows = gw_plan_most(plan, out), floats = rows * out.width;
            p->value[out.id] = k == 0 && value_in_place(p, step, i) ? p->value[step->in[0].id]
                                                                    : new_buffer(p, of->floats ? floats : 0, i, false);
            p->rounded[out.id] = new_buffer(p, of->bf16 ? rows * gw_bf16_stride(out.width) / 2 : 0, i, false);
            buffer *rounded = join(p, p->rounded[out.id], out);
            rounded->rounded = true, rounded->value = p->value[out.id];
            rounded->needed = plan->training && (p->needs_rounded[out.id] || p->crosses[out.id]);
            join(p, p->value[out.id], out)->needed |= is_needed(p, out);
            if (!plan->training) continue;
            const int shared = k == 0 ? gradient_in_place(p, step, i) : -1;
            const int64_t of_gradient = of->gradient_bf16 ? rows * gw_bf16_stride(out.width) / 2 : floats;
            p->gradient[out.id] = shared >= 0 ? p->gradient[step->in[shared].id] : new_buffer(p, of_gradient, i, true);
            buffer *gradient = join(p, p->gradient[out.id], out);
            if (is_over_value(p, out)) gradient->home = OVER_VALUE, gradient->value = p->value[out.id];
        }
    }
}

// Whether the buffer is read within the segment of its first step alone.
static bool stays_inside(const placing *p, const buffer *b) {
    const int segment = segment_of(p, b->first);
    return segment > 0 && b->last < p->end_step[segment];
}

// Whether its value can be made again from what is still there.
static bool runs_again(const placing *p, const buffer *b) {
    const gw_step *maker = &p->plan->steps[b->first];
    if (b->members > 1 || b->rounded || !maker->op->cheap) return false;
    for (int k = 0; k < maker->ins; k++) {
        const buffer *in = &p->buffers[p->value[maker->in[k].id]];
        if (in->home == POOL || (in->home == REGION && !stays_inside(p, b))) return false;
    }
    return true;
}

// The first gap between the buffers that live at the same time.
static void place_in_pool(placing *p, buffer *b) {
    b->offset = 0;
    for (int i = 0; i < p->count; i++) {
        const buffer *a = &p->buffers[i];
        const bool meet = a->placed && a->first <= b->last && b->first <= a->last &&
                          a->offset < b->offset + b->floats && b->offset < a->offset + a->floats;
        if (!meet) continue;
        b->offset = a->offset + a->floats;
        i = -1; // from the first one again
    }
    b->placed = true;
    if (b->offset + b->floats > p->size[POOL]) p->size[POOL] = b->offset + b->floats;
}

// Of the buffers that begin at a step the one that lives longest: what ends first then leaves no gaps below others.
static buffer *next_of_pool(const placing *p, int step) {
    buffer *next = NULL;
    for (int i = 0; i < p->count; i++) {
        buffer *b = &p->buffers[i];
        if (b->home == POOL && b->first == step && !b->placed && (!next || b->last > next->last)) next = b;
    }
    return next;
}

static int64_t take(int64_t *used, int64_t floats) {
    *used += aligned(floats);
    return *used - aligned(floats);
}

static int64_t take_region(placing *p, int step, int64_t floats) {
    const int64_t offset = take(&p->region_used[segment_of(p, step)], floats);
    if (offset + aligned(floats) > p->size[REGION]) p->size[REGION] = offset + aligned(floats);
    return offset;
}

// Whether it is read in its segment alone, and made there again: its step does not run again where its floats stay.
static bool is_made_inside(const placing *p, const buffer *b) {
    return stays_inside(p, b) && !(b->rounded && p->buffers[b->value].home == SAVED);
}

static void place_buffers(placing *p) {
    for (int i = 0; i < p->count; i++) {
        buffer *b = &p->buffers[i];
        const int segment = segment_of(p, b->first);
        if (b->home == OVER_VALUE) continue;
        if (p->plan->plain) b->home = SAVED;
        else if (b->needed && !runs_again(p, b)) b->home = is_made_inside(p, b) ? REGION : SAVED;
        // While the steps of a segment run again, gradients that are read after it have their places already.
        else if (b->gradient && segment > 0 && !stays_inside(p, b)) b->first = p->first_step[segment];
        if (b->home == SAVED) b->offset = take(&p->size[SAVED], b->floats);
        if (b->home == REGION) b->offset = take_region(p, b->first, b->floats);
    }
    for (int step = 0; step < p->plan->count; step++)
        for (buffer *b = next_of_pool(p, step); b; b = next_of_pool(p, step)) place_in_pool(p, b);
}

// Whether the step runs again with its segment: what it makes does not stay.
static bool is_of_region(const placing *p, int i) {
    const gw_step *step = &p->plan->steps[i];
    return segment_of(p, i) > 0 && (step->outs == 0 || p->buffers[p->value[step->out[0].id]].home != SAVED);
}

static void place_scratch(placing *p) {
    for (int i = 0; i < p->plan->count; i++) {
        gw_step *step = &p->plan->steps[i];
        if (step->op->size_scratch) step->op->size_scratch(p->plan, step);
        int64_t used = aligned(step->scratch_floats);
        if (!p->plan->training) p->saved_offset[i] = take(&used, step->saved_floats);
        else if (is_of_region(p, i)) p->saved_offset[i] = take_region(p, i, step->saved_floats);
        else p->saved_offset[i] = take(&p->size[SAVED], step->saved_floats);
        if (used > p->scratch) p->scratch = used;
    }
}

static void set_pointers(placing *p, float *const memory[HOMES], float *scratch) {
    gw_plan *plan = p->plan;
    for (int i = 0; i < plan->count; i++) {
        gw_step *step = &plan->steps[i];
        float *saved = !plan->training ? scratch : memory[is_of_region(p, i) ? REGION : SAVED];
        step->saved = saved + p->saved_offset[i];
        step->scratch = scratch;
        for (int k = 0; k < step->outs; k++) {
            gw_plan_tensor *tensor = &plan->tensors[step->out[k].id];
            const buffer *value = &p->buffers[p->value[tensor->tensor.id]];
            const buffer *rounded = &p->buffers[p->rounded[tensor->tensor.id]];
            if (tensor->floats) tensor->value = memory[value->home] + value->offset;
            if (tensor->bf16) tensor->rounded = (uint16_t *)(memory[rounded->home] + rounded->offset);
            if (!plan->training) continue;
            const buffer *gradient = &p->buffers[p->gradient[tensor->tensor.id]];
            if (gradient->home == OVER_VALUE) gradient = &p->buffers[gradient->value];
            float *at = memory[gradient->home] + gradient->offset;
            if (tensor->gradient_bf16) tensor->rounded_gradient = (uint16_t *)at;
            else tensor->gradient = at;
        }
    }
}

static gw_status take_memory(placing *p) {
    gw_arena *arena = &p->plan->arena;
    float *memory[HOMES], *scratch = NULL;
    for (int round = 0; round < 2; round++) {
        for (int h = 0; h < HOMES; h++) memory[h] = gw_arena_alloc(arena, p->size[h], sizeof(float));
        scratch = gw_arena_alloc(arena, p->scratch, sizeof(float));
        if (round == 0) { // as gw_arena_place() does on the host
            void *placed;
            GW_TRY(p->plan->kernels->allocate(arena->used, &placed));
            *arena = (gw_arena){.memory = placed, .size = arena->used};
        }
    }
    set_pointers(p, memory, scratch);
    return GW_OK;
}

static void add_action(gw_plan *plan, int what, int index) {
    if (plan->status == GW_OK)
        plan->status =
            gw_reserve(&plan->actions, &plan->action_capacity, plan->action_count + 1, sizeof *plan->actions);
    if (plan->status == GW_OK) plan->actions[plan->action_count++] = (gw_action){what, index};
}

static bool read_before(const gw_step *step, int k) {
    for (int j = 0; j < k; j++)
        if (step->in[j].id == step->in[k].id) return true;
    return false;
}

static bool is_again(const placing *p, gw_tensor tensor) {
    const buffer *value = &p->buffers[p->value[tensor.id]];
    return value->needed && value->home == POOL;
}

// What leads to the results of a segment, and what that reads from before it.
static void run_segment_again(placing *p, int segment) {
    gw_plan *plan = p->plan;
    for (int i = p->first_step[segment]; i < p->end_step[segment]; i++) {
        const gw_step *step = &plan->steps[i];
        for (int k = 0; k < step->ins; k++) {
            const int maker = plan->tensors[step->in[k].id].maker;
            if (maker < p->first_step[segment] && is_again(p, step->in[k]) && !read_before(step, k))
                add_action(plan, GW_AGAIN, maker);
        }
        if (is_of_region(p, i)) add_action(plan, GW_AGAIN, i);
    }
}

// Before the step's backward: values that it reads made again, gradients that it is the first to write zeroed.
static void prepare_input(placing *p, int i, int k) {
    gw_plan *plan = p->plan;
    gw_step *step = &plan->steps[i];
    const gw_tensor in = step->in[k];
    if (read_before(step, k)) return;
    if (is_again(p, in) && p->last_needing[in.id] == i) add_action(plan, GW_AGAIN, plan->tensors[in.id].maker);
    if (plan->tensors[in.id].gradient_bf16) return; // its only writer overwrites it
    const int gradient = p->gradient[in.id];
    const bool in_place = step->outs > 0 && p->gradient[step->out[0].id] == gradient;
    if (in_place || p->buffers[gradient].last_reader != i) return;
    bool read_after = false;
    for (int j = k + 1; j < step->ins; j++) read_after |= step->in[j].id == in.id;
    if (!plan->plain && step->op->overwrites == k + 1 && !read_after) step->overwrites = true;
    else if (p->buffers[gradient].home != OVER_VALUE) add_action(plan, GW_ZERO, in.id);
}

static void write_backward(placing *p) {
    gw_plan *plan = p->plan;
    for (int i = (int)plan->count - 1; i >= 0; i--) {
        const gw_step *step = &plan->steps[i];
        const int segment = segment_of(p, i);
        // What the last segment kept is still there.
        if (segment > 0 && segment < plan->segments && i + 1 == p->end_step[segment]) run_segment_again(p, segment);
        for (int k = 0; k < step->outs; k++)
            if (p->readers[step->out[k].id] == 0) add_action(plan, GW_ZERO, step->out[k].id);
        for (int k = 0; k < step->ins; k++) prepare_input(p, i, k);
        if (step->op->backward) add_action(plan, GW_BACKWARD, i);
    }
}

static gw_status place(placing *p) {
    count_readers(p);
    make_buffers(p);
    place_buffers(p);
    place_scratch(p);
    for (gw_op op = 0; op < GW_OPS; op++)
        if (p->plan->needs[op] && !gw_backend_has(p->plan->kernels, op))
            return gw_fail(GW_ERR_UNSUPPORTED, "the model needs %s, for which backend %s has no kernel", gw_op_name(op),
                           p->plan->kernels->name);
    GW_TRY(take_memory(p));
    if (p->plan->training) write_backward(p);
    return p->plan->status;
}

static gw_status place_all(gw_plan *plan) {
    const int64_t tensors = plan->tensor_count, segments = plan->segments + 1;
    gw_arena arena = {0};
    placing p = {0};
    gw_status status = GW_OK;
    for (int round = 0; status == GW_OK && round < 2; round++) {
        p = (placing){.plan = plan,
                      .readers = gw_arena_alloc(&arena, tensors, sizeof(int)),
                      .last = gw_arena_alloc(&arena, tensors, sizeof(int)),
                      .last_needing = gw_arena_alloc(&arena, tensors, sizeof(int)),
                      .crosses = gw_arena_alloc(&arena, tensors, sizeof(bool)),
                      .needs_rounded = gw_arena_alloc(&arena, tensors, sizeof(bool)),
                      .value = gw_arena_alloc(&arena, tensors, sizeof(int)),
                      .rounded = gw_arena_alloc(&arena, tensors, sizeof(int)),
                      .gradient = gw_arena_alloc(&arena, tensors, sizeof(int)),
                      .buffers = gw_arena_alloc(&arena, 3 * tensors, sizeof(buffer)),
                      .first_step = gw_arena_alloc(&arena, segments, sizeof(int)),
                      .end_step = gw_arena_alloc(&arena, segments, sizeof(int)),
                      .region_used = gw_arena_alloc(&arena, segments, sizeof(int64_t)),
                      .saved_offset = gw_arena_alloc(&arena, plan->count, sizeof(int64_t))};
        if (round == 0) status = gw_arena_place(&arena);
    }
    if (status == GW_OK) status = place(&p);
    gw_arena_free(&arena);
    return status;
}

gw_status gw_plan_build(gw_plan *plan, gw_describe describe, void *context) {
    const char *mode = getenv("GODWIT_PLAN");
    plan->plain |= mode && strcmp(mode, "plain") == 0;
    plan->threads = gw_threads();
    plan->kernels = gw_kernels();
    if (!plan->kernels) return GW_ERR_UNSUPPORTED;
    describe(plan, context);
    GW_TRY(plan->status);
    if (!plan->plain) fuse(plan);
    GW_TRY(plan->status);
    if (!plan->plain) gw_plan_store_bf16(plan);
    return place_all(plan);
}
