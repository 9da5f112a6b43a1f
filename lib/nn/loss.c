// SPDX-License-Identifier: MIT
// Losses on logits. The backward pass starts here: gradients factor * (d loss / d logit) replace the logits.
#include "nn/layers.h"

#include <assert.h>
#include <math.h>

typedef struct {
    gw_loss out;
    int labels; // the row set that has them: the logits' own, or questions, whose classes are rows of the logits
    const float *positive_weight; // [labels]
    float smoothing;              // of classes
    const float *class_weight;    // [classes] or NULL
    float focus;
    gw_number_loss numbers;
    gw_profile_loss profile;
    int64_t columns; // numbers of a row
} loss_arguments;

static gw_cross_entropy_args classes_arguments(const gw_run *run, const gw_step *step) {
    const loss_arguments *a = step->arguments;
    const gw_tensor logits = step->in[0];
    const gw_rows *labelled = gw_run_inputs(run, a->labels);
    const int64_t classes = gw_run_rows(run, logits) * logits.width / labelled->count;
    return (gw_cross_entropy_args){
        .rows = labelled->count,
        .classes = classes,
        .logit = gw_value(run, logits),
        .logit_stride = classes,
        .label = labelled->label,
        .loss = a->out.loss,
        .best = a->out.best,
        .smoothing = a->smoothing,
        .weight = a->class_weight,
        .focus = a->focus,
    };
}

static gw_status classes_forward(const gw_run *run, const gw_step *step) {
    const gw_cross_entropy_args args = classes_arguments(run, step);
    GW_TRY(run->kernels->cross_entropy(&args));
    return run->kernels->loss_sum(&(gw_loss_sum_args){.rows = args.rows,
                                                      .parts = 1,
                                                      .loss = args.loss,
                                                      .label = args.label,
                                                      .best = args.best,
                                                      .out = ((const loss_arguments *)step->arguments)->out.sum});
}

static gw_status classes_backward(const gw_run *run, const gw_step *step) {
    gw_cross_entropy_args args = classes_arguments(run, step);
    args.gradient = gw_gradient(run, step->in[0]);
    args.gradient_scale = run->scale[step->rows];
    return run->kernels->cross_entropy(&args);
}

gw_loss gw_plan_loss(gw_plan *plan, int rows, int64_t labels, bool classes) {
    gw_plan_rows *of = &plan->rows[rows];
    const gw_loss loss = {gw_plan_memory(plan, of->most * labels, sizeof(float)),
                          classes ? gw_plan_memory(plan, of->most * labels, sizeof(int32_t)) : NULL,
                          gw_plan_memory(plan, 1, sizeof(gw_loss_sum))};
    *(classes ? &of->classes : &of->numbers) = labels;
    gw_plan_needs(plan, GW_OP_loss_sum);
    if (plan->status == GW_OK)
        plan->status = gw_reserve(&plan->losses, &plan->loss_capacity, plan->loss_count + 1, sizeof *plan->losses);
    if (plan->status == GW_OK) plan->losses[plan->loss_count++] = (gw_plan_loss_sum){rows, loss.sum};
    return loss;
}

static void add_sum(gw_loss_sum *sum, const gw_loss_sum *one) {
    sum->loss += one->loss;
    sum->count += one->count;
    sum->right += one->right;
}

void gw_losses_add(gw_losses *sum, const gw_losses *losses) {
    for (int rows = 0; rows < GW_BATCH_ROWS; rows++) add_sum(&sum->of[rows], &losses->of[rows]);
}

// A batch without rows of a loss has left its sum as it was.
gw_status gw_plan_read_losses(const gw_plan *plan, const gw_batch *batch, gw_losses *out) {
    *out = (gw_losses){0};
    for (int64_t i = 0; i < plan->loss_count; i++) {
        const gw_plan_loss_sum *loss = &plan->losses[i];
        gw_loss_sum sum;
        if (batch->of[loss->rows].count == 0) continue;
        GW_TRY(plan->kernels->to_host(&sum, loss->sum, sizeof sum));
        add_sum(&out->of[loss->rows], &sum);
    }
    return GW_OK;
}

#define LOSS(NAME, STEM)                                                                                               \
    static const gw_plan_op STEM##_op = {.name = NAME,                                                                 \
                                         .forward = STEM##_forward,                                                    \
                                         .backward = STEM##_backward,                                                  \
                                         .gradient_over_value = true,                                                  \
                                         .reads_in = true,                                                             \
                                         .overwrites = 1}

LOSS("cross_entropy", classes);

static void append(gw_plan *plan, const gw_plan_op *op, gw_op launches, gw_tensor logits, loss_arguments arguments) {
    gw_plan_needs(plan, launches);
    gw_plan_append(plan, op, &arguments, sizeof arguments, &logits, 1, arguments.labels, 0);
    gw_plan_output(plan, logits);
}

static void classes_loss(gw_plan *plan, gw_tensor logits, int labels, double smoothing) {
    append(
        plan, &classes_op, GW_OP_cross_entropy, logits,
        (loss_arguments){.out = gw_plan_loss(plan, labels, 1, true), .labels = labels, .smoothing = (float)smoothing});
}

void gw_plan_cross_entropy(gw_plan *plan, gw_tensor logits) {
    classes_loss(plan, logits, logits.rows, 0);
}

void gw_plan_smoothed_cross_entropy(gw_plan *plan, gw_tensor logits, double smoothing) {
    assert(smoothing >= 0 && smoothing < 1 && logits.width > 1);
    classes_loss(plan, logits, logits.rows, smoothing);
}

void gw_plan_focal_cross_entropy(gw_plan *plan, gw_tensor logits, const float *weight, double focus) {
    append(plan, &classes_op, GW_OP_cross_entropy, logits,
           (loss_arguments){.out = gw_plan_loss(plan, logits.rows, 1, true),
                            .labels = logits.rows,
                            .class_weight = weight,
                            .focus = (float)focus});
}

void gw_plan_multiple_choice_loss(gw_plan *plan, gw_tensor logits, int questions) {
    assert(logits.width == 1);
    classes_loss(plan, logits, questions, 0);
}

static gw_status sum_numbers(const gw_run *run, const gw_step *step) {
    const loss_arguments *a = step->arguments;
    const gw_tensor logits = step->in[0];
    return run->kernels->loss_sum(&(gw_loss_sum_args){.rows = gw_run_rows(run, logits) * a->columns,
                                                      .parts = 1,
                                                      .loss = a->out.loss,
                                                      .number = gw_run_inputs(run, logits.rows)->number,
                                                      .out = a->out.sum});
}

static gw_bce_args bce_arguments(const gw_run *run, const gw_step *step) {
    const loss_arguments *a = step->arguments;
    const gw_tensor logits = step->in[0];
    return (gw_bce_args){
        .count = gw_run_rows(run, logits) * logits.width,
        .labels = logits.width,
        .logit = gw_value(run, logits),
        .label = gw_run_inputs(run, logits.rows)->number,
        .positive_weight = a->positive_weight,
        .loss = a->out.loss,
    };
}

static gw_status bce_forward(const gw_run *run, const gw_step *step) {
    const gw_bce_args args = bce_arguments(run, step);
    GW_TRY(run->kernels->bce(&args));
    return sum_numbers(run, step);
}

static gw_status bce_backward(const gw_run *run, const gw_step *step) {
    gw_bce_args args = bce_arguments(run, step);
    args.gradient = gw_gradient(run, step->in[0]);
    args.gradient_scale = run->scale[step->in[0].rows];
    return run->kernels->bce(&args);
}

LOSS("bce", bce);

void gw_plan_bce(gw_plan *plan, gw_tensor logits, const float *positive_weight) {
    append(plan, &bce_op, GW_OP_bce, logits,
           (loss_arguments){.out = gw_plan_loss(plan, logits.rows, logits.width, false),
                            .labels = logits.rows,
                            .columns = logits.width,
                            .positive_weight = positive_weight});
}

static gw_number_loss_args numbers_arguments(const gw_run *run, const gw_step *step) {
    const loss_arguments *a = step->arguments;
    const gw_tensor logits = step->in[0];
    return (gw_number_loss_args){
        .kind = a->numbers.kind,
        .bend = a->numbers.bend,
        .rows = gw_run_rows(run, logits),
        .columns = a->columns,
        .logit = gw_value(run, logits),
        .label = gw_run_inputs(run, logits.rows)->number,
        .weight = a->numbers.weight,
        .loss = a->out.loss,
    };
}

static gw_status numbers_forward(const gw_run *run, const gw_step *step) {
    const gw_number_loss_args args = numbers_arguments(run, step);
    GW_TRY(run->kernels->number_loss(&args));
    return sum_numbers(run, step);
}

static gw_status numbers_backward(const gw_run *run, const gw_step *step) {
    gw_number_loss_args args = numbers_arguments(run, step);
    args.gradient = gw_gradient(run, step->in[0]);
    args.gradient_scale = run->scale[step->in[0].rows];
    return run->kernels->number_loss(&args);
}

LOSS("number_loss", numbers);

void gw_plan_number_loss(gw_plan *plan, gw_tensor logits, gw_number_loss loss) {
    const int64_t columns = logits.width / gw_number_logits(loss.kind);
    assert(logits.width == columns * gw_number_logits(loss.kind));
    append(plan, &numbers_op, GW_OP_number_loss, logits,
           (loss_arguments){.out = gw_plan_loss(plan, logits.rows, columns, false),
                            .labels = logits.rows,
                            .columns = columns,
                            .numbers = loss});
}

static gw_profile_loss_args profile_arguments(const gw_run *run, const gw_step *step) {
    const loss_arguments *a = step->arguments;
    const gw_tensor logits = step->in[0];
    const gw_rows *rows = gw_run_inputs(run, logits.rows);
    return (gw_profile_loss_args){
        .sequences = rows->sequences,
        .columns = a->columns,
        .margin = a->profile.margin,
        .count_weight = (float)a->profile.count_weight,
        .start = rows->start,
        .logit = gw_value(run, logits),
        .label = rows->number,
        .loss = a->out.loss,
    };
}

// The loss of a sequence without labels is NaN, which the sum leaves out.
static gw_status profile_forward(const gw_run *run, const gw_step *step) {
    const gw_profile_loss_args args = profile_arguments(run, step);
    GW_TRY(run->kernels->profile_loss(&args));
    return run->kernels->loss_sum(&(gw_loss_sum_args){.rows = args.sequences,
                                                      .parts = 1,
                                                      .loss = args.loss,
                                                      .number = args.loss,
                                                      .out = ((const loss_arguments *)step->arguments)->out.sum});
}

static gw_status profile_backward(const gw_run *run, const gw_step *step) {
    gw_profile_loss_args args = profile_arguments(run, step);
    args.gradient = gw_gradient(run, step->in[0]);
    args.gradient_scale = run->scale[step->in[0].rows];
    return run->kernels->profile_loss(&args);
}

LOSS("profile_loss", profile);

void gw_plan_profile_loss(gw_plan *plan, gw_tensor logits, gw_profile_loss loss) {
    assert(logits.width > 1);
    append(plan, &profile_op, GW_OP_profile_loss, logits,
           (loss_arguments){.out = gw_plan_loss(plan, logits.rows, logits.width - 1, false),
                            .labels = logits.rows,
                            .columns = logits.width - 1,
                            .profile = loss});
}

// With P the predictions times 1 / sqrt(E), T the encodings and G the gradient of the logits P T^T:
//   dT += G^T P,  dP' += G T / sqrt(E)

typedef struct {
    gw_loss out;
    const float *scale; // [E] on the host, all 1 / sqrt(E)
} contrast_arguments;

// What is kept, each of the most rows: P, logits, the scale and zeros as a weight and bias of columns on the device,
// and the gradients of these, which nobody reads.
typedef struct {
    float *scaled, *logits, *scale, *zeros, *unread;
} kept;

static kept kept_of(const gw_run *run, const gw_step *step) {
    const int64_t most = gw_plan_most(run->plan, step->in[0]), width = step->in[0].width;
    float *scaled = step->saved, *logits = scaled + most * width, *scale = logits + most * most;
    return (kept){scaled, logits, scale, scale + width, scale + 2 * width};
}

static gw_affine_args scaling(const gw_run *run, const gw_step *step, const kept *k) {
    const int64_t width = step->in[0].width;
    return (gw_affine_args){.rows = gw_run_rows(run, step->in[0]),
                            .width = width,
                            .slope = 1,
                            .in = gw_value(run, step->in[0]),
                            .weight = k->scale,
                            .bias = k->zeros,
                            .out = k->scaled,
                            .scratch = step->scratch};
}

static gw_cross_entropy_args entropy(const gw_run *run, const gw_step *step, const kept *k) {
    const contrast_arguments *a = step->arguments;
    const int64_t rows = gw_run_rows(run, step->in[0]);
    return (gw_cross_entropy_args){.rows = rows,
                                   .classes = rows,
                                   .logit = k->logits,
                                   .logit_stride = rows,
                                   .label = gw_run_inputs(run, step->rows)->label,
                                   .loss = a->out.loss,
                                   .best = a->out.best};
}

static gw_status forward(const gw_run *run, const gw_step *step) {
    const contrast_arguments *a = step->arguments;
    const kept k = kept_of(run, step);
    const int64_t rows = gw_run_rows(run, step->in[0]), width = step->in[0].width;
    const gw_affine_args scale = scaling(run, step, &k);
    const gw_cross_entropy_args classes = entropy(run, step, &k);
    GW_TRY(run->kernels->to_device(k.scale, a->scale, width * (int64_t)sizeof(float)));
    GW_TRY(run->kernels->zero(k.zeros, width * (int64_t)sizeof(float)));
    GW_TRY(run->kernels->affine(&scale));
    GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_b = true,
                                              .m = rows,
                                              .n = rows,
                                              .k = width,
                                              .a = k.scaled,
                                              .a_stride = width,
                                              .b = gw_value(run, step->in[1]),
                                              .b_stride = width,
                                              .c = k.logits,
                                              .c_stride = rows,
                                              .scratch = step->scratch}));
    GW_TRY(run->kernels->cross_entropy(&classes));
    return run->kernels->loss_sum(&(gw_loss_sum_args){.rows = rows,
                                                      .parts = 1,
                                                      .loss = classes.loss,
                                                      .label = classes.label,
                                                      .best = classes.best,
                                                      .out = a->out.sum});
}

static gw_status backward(const gw_run *run, const gw_step *step) {
    const kept k = kept_of(run, step);
    const int64_t rows = gw_run_rows(run, step->in[0]), width = step->in[0].width;
    gw_affine_args scale = scaling(run, step, &k);
    gw_cross_entropy_args classes = entropy(run, step, &k);
    classes.gradient = k.logits;
    classes.gradient_scale = run->scale[step->rows];
    GW_TRY(run->kernels->cross_entropy(&classes));
    GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_a = true,
                                              .accumulate = true,
                                              .m = rows,
                                              .n = width,
                                              .k = rows,
                                              .a = k.logits,
                                              .a_stride = rows,
                                              .b = k.scaled,
                                              .b_stride = width,
                                              .c = gw_gradient(run, step->in[1]),
                                              .c_stride = width,
                                              .scratch = step->scratch}));
    GW_TRY(run->kernels->gemm(&(gw_gemm_args){.m = rows,
                                              .n = width,
                                              .k = rows,
                                              .a = k.logits,
                                              .a_stride = rows,
                                              .b = gw_value(run, step->in[1]),
                                              .b_stride = width,
                                              .c = k.scaled,
                                              .c_stride = width,
                                              .scratch = step->scratch}));
    scale.out_gradient = k.scaled;
    scale.in_gradient = gw_gradient(run, step->in[0]);
    scale.weight_gradient = k.unread;
    scale.bias_gradient = k.unread + width;
    return run->kernels->affine_backward(&scale);
}

static void size_scratch(gw_plan *plan, gw_step *step) {
    const int64_t rows = gw_plan_most(plan, step->in[0]), width = step->in[0].width;
    const gw_affine_args scale = {.rows = rows, .width = width};
    step->saved_floats = rows * width + rows * rows + 4 * width;
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = rows, .n = rows, .k = width});
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = rows, .n = width, .k = rows});
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.transpose_a = true, .m = rows, .n = width, .k = rows});
    gw_plan_launches(plan, step, GW_OP_affine, &scale);
    gw_plan_launches(plan, step, GW_OP_cross_entropy, &(gw_cross_entropy_args){.rows = rows, .classes = rows});
    if (plan->training) gw_plan_launches(plan, step, GW_OP_affine_backward, &scale);
}

static const gw_plan_op contrast_op = {
    .name = "contrast", .forward = forward, .backward = backward, .size_scratch = size_scratch, .reads_in = true};

void gw_plan_contrast_loss(gw_plan *plan, gw_tensor predicted, gw_tensor encoded) {
    float *scale = gw_plan_alloc(plan, predicted.width, sizeof *scale);
    assert(predicted.width == encoded.width && gw_plan_most(plan, predicted) == gw_plan_most(plan, encoded));
    for (int64_t i = 0; scale && i < predicted.width; i++) scale[i] = (float)(1 / sqrt((double)predicted.width));
    const contrast_arguments arguments = {gw_plan_loss(plan, predicted.rows, 1, true), scale};
    gw_plan_append(plan, &contrast_op, &arguments, sizeof arguments, (gw_tensor[]){predicted, encoded}, 2,
                   predicted.rows, 0);
}
