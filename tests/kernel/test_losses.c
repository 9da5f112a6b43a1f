// SPDX-License-Identifier: MIT
// cross_entropy, bce, number_loss, profile_loss, question_mask, span_loss, choice_loss and loss_sum.
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

// At most twice the error of the plain formula in f32 on the same numbers.
static const double LOSS_LIMIT = 1e-7, GRADIENT_LIMIT = 1e-6;
static const double EXP_LIMIT = 3e-7; // of losses with the exponential of a logit

typedef struct {
    int64_t rows, classes;
} loss_shape;
static const loss_shape SHAPES[] = {{1, 1}, {3, 2}, {5, 10}, {9, 37}, {6, 32000}};
enum { SHAPE_CASES = sizeof SHAPES / sizeof SHAPES[0] };

static void check_softmax(const gw_backend *backend, int64_t rows, int64_t classes, bool alias, double smoothing) {
    const int64_t stride = classes + (alias ? 0 : 3);
    test_array logit = test_normal(rows * stride, 3.0), loss = test_zeros(rows);
    test_array gradient = alias ? logit : test_filled(rows * stride, 7.0);
    int32_t *label = test_indices(rows, (int32_t)classes), *best = test_alloc(rows, 4),
            *want_best = test_alloc(rows, 4);
    double *dense = test_alloc(rows * classes, sizeof *dense), *slope = test_alloc(rows * classes, sizeof *slope);
    if (rows > 2) label[2] = -100;
    if (classes > 4)
        logit.wide[1] = logit.value[1] = logit.wide[4] = logit.value[4] = 90.0f; // a tie, and exp(90) overflows
    for (int64_t i = 0; i < rows * classes; i++) dense[i] = logit.wide[i / classes * stride + i % classes];
    ref_cross_entropy(rows, classes, dense, label, smoothing, 0.125, loss.wide, want_best, slope);
    const gw_cross_entropy_args args = {.rows = rows,
                                        .classes = classes,
                                        .logit = logit.value,
                                        .logit_stride = stride,
                                        .label = label,
                                        .loss = loss.value,
                                        .best = best,
                                        .gradient = gradient.value,
                                        .gradient_scale = 0.125f,
                                        .smoothing = (float)smoothing};
    cr_assert(backend->cross_entropy(&args) == GW_OK);
    for (int64_t i = 0; i < rows * classes; i++) gradient.wide[i / classes * stride + i % classes] = slope[i];
    test_compare("loss", loss, LOSS_LIMIT);
    test_compare("gradient", gradient, GRADIENT_LIMIT);
    cr_assert(memcmp(best, want_best, (size_t)rows * sizeof *best) == 0);
    if (!alias) test_unchanged("logit", logit);
}

// Without a gradient and without best: the loss alone, nothing else touched.
static void check_loss_only(const gw_backend *backend) {
    test_array logit = test_normal(40, 1.0), loss = test_zeros(4);
    int32_t *label = test_indices(4, 10), best[4];
    double slope[40];
    const gw_cross_entropy_args args = {
        .rows = 4, .classes = 10, .logit = logit.value, .logit_stride = 10, .label = label, .loss = loss.value};
    cr_assert(backend->cross_entropy(&args) == GW_OK);
    ref_cross_entropy(4, 10, logit.wide, label, 0.0, 1.0, loss.wide, best, slope);
    test_compare("loss", loss, LOSS_LIMIT);
    test_unchanged("logit", logit);
}

// A row whose label has nearly all of the probability, one without a label, one whose label has nearly none.
static void check_focal(const gw_backend *backend, int64_t classes, bool weighs, double focus) {
    enum { ROWS = 9 };
    test_array logit = test_normal(ROWS * classes, 3.0), loss = test_zeros(ROWS), gradient = test_zeros(ROWS * classes),
               weight = test_normal(classes, 1.0);
    int32_t *label = test_indices(ROWS, (int32_t)classes);
    for (int64_t v = 0; v < classes; v++) weight.wide[v] = weight.value[v] = fabsf(weight.value[v]) + 0.5f;
    label[2] = -1;
    logit.wide[label[0]] = logit.value[label[0]] = 20.0f;
    logit.wide[classes + label[1]] = logit.value[classes + label[1]] = -20.0f;
    const ref_focal of = {ROWS, classes, weighs ? weight.wide : NULL, focus};
    ref_focal_cross_entropy(&of, logit.wide, label, 0.125, loss.wide, gradient.wide);
    const gw_cross_entropy_args args = {.rows = ROWS,
                                        .classes = classes,
                                        .logit = logit.value,
                                        .logit_stride = classes,
                                        .label = label,
                                        .loss = loss.value,
                                        .gradient = gradient.value,
                                        .gradient_scale = 0.125f,
                                        .weight = weighs ? weight.value : NULL,
                                        .focus = (float)focus};
    cr_assert(backend->cross_entropy(&args) == GW_OK);
    test_compare("loss", loss, GRADIENT_LIMIT);
    test_compare("gradient", gradient, GRADIENT_LIMIT);
}

void check_cross_entropy(const gw_backend *backend) {
    for (int c = 0; c < 2 * SHAPE_CASES; c++) {
        const loss_shape shape = SHAPES[c / 2];
        check_softmax(backend, shape.rows, shape.classes, c % 2, 0.0);
        if (shape.classes > 1) check_softmax(backend, shape.rows, shape.classes, c % 2, 0.125);
    }
    check_loss_only(backend);
    static const double FOCUS[] = {0.0, 0.5, 1.0, 2.0};
    for (int c = 0; c < 8; c++) check_focal(backend, c < 4 ? 5 : 37, c % 4 != 2, FOCUS[c % 4]);
}

void check_bce(const gw_backend *backend) {
    static const double wide[] = {8.0, 0.5};
    const float *weight = test_copy((const float[]){8.0f, 0.5f}, 2, sizeof *weight);
    static const int64_t COUNTS[] = {1, 7, 2500};
    for (int c = 0; c < 3; c++) {
        const int64_t count = COUNTS[c];
        test_array logit = test_normal(count, 6.0), label = test_zeros(count), loss = test_zeros(count);
        test_array gradient = test_filled(count, 5.0);
        for (int64_t i = 0; i < count; i++) {
            const double draw = test_uniform();
            label.wide[i] = label.value[i] = draw < 0.1 ? NAN : draw < 0.5 ? 0.0f : draw < 0.9 ? 1.0f : (float)draw;
        }
        if (count > 7) logit.wide[0] = logit.value[0] = 200.0f, logit.wide[1] = logit.value[1] = -200.0f;
        const gw_bce_args args = {.count = count,
                                  .logit = logit.value,
                                  .label = label.value,
                                  .labels = 2,
                                  .positive_weight = weight,
                                  .loss = loss.value,
                                  .gradient = gradient.value,
                                  .gradient_scale = 0.25f};
        cr_assert(backend->bce(&args) == GW_OK);
        ref_bce(count, logit.wide, label.wide, wide, 2, 0.25, loss.wide, gradient.wide);
        test_compare("loss", loss, LOSS_LIMIT);
        test_compare("gradient", gradient, LOSS_LIMIT);
        test_unchanged("logit", logit);
        test_unchanged("label", label);
    }
}

static void check_numbers(const gw_backend *backend, int kind, int64_t rows, int64_t columns, bool weighs, bool alias) {
    test_array weight = test_filled(2, 3.0);
    weight.wide[0] = weight.value[0] = 0.5f;
    const int64_t labels = rows * columns, logits = gw_number_logits((gw_number_loss_kind)kind) * labels;
    test_array logit = test_normal(logits, 3.0), label = test_normal(labels, 3.0), loss = test_zeros(labels);
    test_array gradient = alias ? logit : test_filled(logits, 5.0);
    double *slope = test_alloc(logits, sizeof *slope);
    for (int64_t i = 0; kind == REF_POISSON && i < labels; i++)
        label.wide[i] = label.value[i] = roundf(fabsf(label.value[i]));
    if (labels > 1) label.wide[1] = label.value[1] = NAN;
    const ref_numbers of = {kind, 1.5, rows, columns, weighs ? weight.wide : NULL};
    ref_number_loss(&of, logit.wide, label.wide, 0.25, loss.wide, slope);
    const gw_number_loss_args args = {.kind = (gw_number_loss_kind)kind,
                                      .bend = 1.5f,
                                      .rows = rows,
                                      .columns = columns,
                                      .logit = logit.value,
                                      .label = label.value,
                                      .weight = weighs ? weight.value : NULL,
                                      .loss = loss.value,
                                      .gradient = gradient.value,
                                      .gradient_scale = 0.25f};
    cr_assert(backend->number_loss(&args) == GW_OK);
    for (int64_t i = 0; i < logits; i++) gradient.wide[i] = slope[i];
    test_compare("loss", loss, kind < REF_POISSON ? LOSS_LIMIT : EXP_LIMIT);
    test_compare("gradient", gradient, kind < REF_POISSON ? LOSS_LIMIT : EXP_LIMIT);
    test_unchanged("label", label);
}

void check_number_loss(const gw_backend *backend) {
    static const int64_t ROWS_OF[] = {1, 7, 1300};
    for (int kind = REF_SQUARED; kind <= REF_GAUSSIAN; kind++)
        for (int c = 0; c < 12; c++) check_numbers(backend, kind, ROWS_OF[c / 4], 1 + c % 2, c % 2, c / 2 % 2);
}

// Sequences of one row, without labels, of counts that are all zero, with labels in the middle and gaps among them, of
// large counts, and of logits whose exponentials overflow.
static const int64_t PROFILE_STARTS[] = {0, 1, 8, 20, 420, 431, 1431};
enum { PROFILES = 6, PROFILE_ROWS = 1431 };

static void make_counts(test_array label, test_array logit, int64_t columns) {
    for (int64_t i = 0; i < PROFILE_ROWS * columns; i++) {
        const int64_t row = i / columns;
        double count = floor(-3.0 * log(1.0 - test_uniform()));
        if (row >= 420) count *= 1000.0;
        if (row >= 8 && row < 20) count = 0.0;
        if ((row >= 1 && row < 8) || (row >= 20 && row < 50) || row == 60 || (row >= 400 && row < 420)) count = NAN;
        label.wide[i] = label.value[i] = (float)count;
    }
    for (int64_t r = 425; r < 428; r++)
        logit.wide[r * (columns + 1)] = logit.value[r * (columns + 1)] = (float)(95 + r % 2);
}

static void check_profile(const gw_backend *backend, int64_t columns, int64_t margin, bool alias) {
    const int64_t width = columns + 1, logits = PROFILE_ROWS * width;
    test_array logit = test_normal(logits, 2.0), label = test_zeros(PROFILE_ROWS * columns),
               loss = test_zeros(PROFILES), gradient = alias ? logit : test_filled(logits, 5.0);
    double *slope = test_alloc(logits, sizeof *slope);
    make_counts(label, logit, columns);
    for (int s = 0; s < PROFILES; s++) {
        const int64_t begin = PROFILE_STARTS[s];
        loss.wide[s] = ref_profile_loss(PROFILE_STARTS[s + 1] - begin, columns, margin, 1.5, logit.wide + begin * width,
                                        label.wide + begin * columns, 0.25, slope + begin * width);
    }
    gw_profile_loss_args args = {.sequences = PROFILES,
                                 .columns = columns,
                                 .margin = margin,
                                 .count_weight = 1.5f,
                                 .start = test_copy(PROFILE_STARTS, PROFILES + 1, sizeof PROFILE_STARTS[0]),
                                 .logit = logit.value,
                                 .label = label.value,
                                 .loss = loss.value,
                                 .gradient_scale = 0.25f};
    cr_assert(backend->profile_loss(&args) == GW_OK);
    test_compare("loss", loss, LOSS_LIMIT);
    args.gradient = gradient.value;
    cr_assert(backend->profile_loss(&args) == GW_OK);
    memcpy(gradient.wide, slope, (size_t)logits * sizeof *slope);
    test_compare("loss", loss, LOSS_LIMIT);
    test_compare("gradient", gradient, GRADIENT_LIMIT);
    test_unchanged("label", label);
}

void check_profile_loss(const gw_backend *backend) {
    for (int c = 0; c < 8; c++) check_profile(backend, 1 + c % 2, c / 2 % 2 * 37, c / 4);
}

typedef struct {
    const double *logit, *label;
    double slope[27];
} profile_slope;

static double profile_of(const void *context) {
    const profile_slope *of = context;
    double unread[27];
    return ref_profile_loss(9, 2, 1, 1.5, of->logit, of->label, 1.0, unread);
}

Test(reference, profile_loss_gradient) {
    test_restart();
    test_array logit = test_normal(27, 1.0), label = test_zeros(18);
    for (int i = 0; i < 18; i++) label.wide[i] = i < 6 || i == 9 || i >= 14 ? NAN : i % 4;
    profile_slope of = {.logit = logit.wide, .label = label.wide};
    ref_profile_loss(9, 2, 1, 1.5, logit.wide, label.wide, 1.0, of.slope);
    test_central_differences("logit", profile_of, &of, logit.wide, of.slope, 27);
    test_release();
}

// Sequences of one token, of a few and of many; questions of one token, of some and of all.
static const int64_t STARTS[] = {0, 1, 8, 20, 420, 431};
static const int32_t QUESTIONS[] = {1, 7, 1, 37, 4};
enum { SEQUENCES = 5, TOKENS = 431 };

void check_question_mask(const gw_backend *backend) {
    for (int64_t width = 1; width <= 3; width++) {
        test_array logit = test_normal(TOKENS * width, 2.0);
        ref_question_mask(SEQUENCES, width, STARTS, QUESTIONS, logit.wide);
        const int64_t *start = test_copy(STARTS, SEQUENCES + 1, sizeof *start);
        const int32_t *question = test_copy(QUESTIONS, SEQUENCES, sizeof *question);
        cr_assert(
            backend->question_mask(&(gw_question_mask_args){
                .sequences = SEQUENCES, .width = width, .start = start, .question = question, .logit = logit.value}) ==
            GW_OK);
        test_compare("logit", logit, LOSS_LIMIT);
    }
}

// way 0: the loss alone; 1: a gradient apart; 2: over the logits
static void check_spans(const gw_backend *backend, int way) {
    static const int32_t LABELS[] = {0, 0, 3, 6, -1, -1, 399, 17, 5, -1};
    test_array logit = test_normal(TOKENS * GW_SPAN_ENDS, 3.0), loss = test_zeros(SEQUENCES * GW_SPAN_ENDS);
    test_array gradient = way == 2 ? logit : test_filled(TOKENS * GW_SPAN_ENDS, 7.0);
    int32_t *best = test_alloc(SEQUENCES * GW_SPAN_ENDS, sizeof *best), want_best[SEQUENCES * GW_SPAN_ENDS];
    double *slope = test_alloc(TOKENS * GW_SPAN_ENDS, sizeof *slope);
    ref_span_loss(SEQUENCES, STARTS, logit.wide, LABELS, 0.25, loss.wide, want_best, slope);
    gw_span_loss_args args = {.sequences = SEQUENCES,
                              .tokens = TOKENS,
                              .start = test_copy(STARTS, SEQUENCES + 1, sizeof STARTS[0]),
                              .logit = logit.value,
                              .label = test_copy(LABELS, SEQUENCES * GW_SPAN_ENDS, sizeof LABELS[0]),
                              .loss = loss.value,
                              .best = best,
                              .gradient = way > 0 ? gradient.value : NULL,
                              .gradient_scale = 0.25f};
    args.scratch = test_filled(backend->scratch(GW_OP_span_loss, &args), NAN).value;
    cr_assert(backend->span_loss(&args) == GW_OK);
    if (way > 0) memcpy(gradient.wide, slope, TOKENS * GW_SPAN_ENDS * sizeof *slope);
    test_compare("loss", loss, LOSS_LIMIT);
    test_compare("gradient", gradient, way > 0 ? GRADIENT_LIMIT : 0.0);
    cr_assert(memcmp(best, want_best, sizeof want_best) == 0);
    if (way < 2) test_unchanged("logit", logit);
}

void check_span_loss(const gw_backend *backend) {
    for (int way = 0; way < 3; way++) check_spans(backend, way);
}

// Choices with one right entry, with several, with none, with a zero, and with logits that another one has too.
void check_choice_loss(const gw_backend *backend) {
    enum { LOGITS = 50, CHOICES = 5, ENTRIES = 61 };
    static const int64_t starts[] = {0, 40, 42, 50, 59, ENTRIES};
    test_array logit = test_normal(LOGITS, 4.0), loss = test_zeros(CHOICES), gradient = test_filled(LOGITS, 7.0);
    test_array number = test_zeros(ENTRIES);
    int32_t *entry = test_alloc(ENTRIES, sizeof *entry);
    for (int i = 0; i < ENTRIES; i++) entry[i] = i % LOGITS;
    entry[41] = entry[59] = -1;
    logit.wide[3] = logit.value[3] = 95.0f; // exp(95) overflows
    number.value[7] = number.value[9] = 0.5f;
    number.value[40] = number.value[59] = 2.0f;
    number.value[42] = 1.0f;
    for (int i = 0; i < ENTRIES; i++) number.wide[i] = (double)number.value[i];
    double slope[LOGITS];
    ref_choice_loss(CHOICES, starts, entry, number.wide, LOGITS, logit.wide, 0.25, loss.wide, slope);
    gw_choice_loss_args args = {.choices = CHOICES,
                                .logits = LOGITS,
                                .start = test_copy(starts, CHOICES + 1, sizeof starts[0]),
                                .entry = entry,
                                .number = number.value,
                                .logit = logit.value,
                                .loss = loss.value,
                                .gradient_scale = 0.25f};
    cr_assert(backend->choice_loss(&args) == GW_OK);
    test_compare("loss", loss, LOSS_LIMIT);
    args.gradient = gradient.value;
    cr_assert(backend->choice_loss(&args) == GW_OK);
    memcpy(gradient.wide, slope, sizeof slope);
    test_compare("gradient", gradient, GRADIENT_LIMIT);
    test_unchanged("logit", logit);
}

static void compare_sums(const gw_backend *backend, const gw_loss_sum_args *args, test_array loss, test_array number) {
    int64_t count, right;
    gw_loss_sum got, *sum = test_alloc(1, sizeof *sum);
    gw_loss_sum_args out = *args;
    out.out = sum;
    const double want =
        ref_loss_sum(args->rows, args->parts, loss.wide, args->label, args->best, number.wide, &count, &right);
    cr_assert(backend->loss_sum(&out) == GW_OK);
    got = *sum;
    cr_assert(fabs(got.loss - want) <= 1e-13 * fabs(want), "%.17g, not %.17g", got.loss, want);
    cr_assert(got.count == count && got.right == right);
    test_array digits = test_zeros(2); // the digest sees all of the sum
    digits.wide[0] = digits.value[0] = (float)got.loss;
    digits.wide[1] = digits.value[1] = (float)(got.loss - (double)digits.value[0]);
    test_compare("sum", digits, 0.0);
}

void check_loss_sum(const gw_backend *backend) {
    static const int64_t ROW_COUNTS[] = {0, 1, 2, 3001};
    for (int c = 0; c < 8; c++) {
        const int64_t rows = ROW_COUNTS[c / 2], parts = 1 + c % 2;
        test_array loss = test_normal(rows * parts, 3.0), number = test_normal(rows, 1.0);
        int32_t *label = test_indices(rows * parts, 4), *best = test_indices(rows * parts, 3);
        for (int64_t i = 0; i < rows * parts; i++) label[i]--;
        if (rows > 1) number.wide[1] = number.value[1] = NAN;
        gw_loss_sum_args args = {.rows = rows, .parts = parts, .loss = loss.value, .label = label, .best = best};
        compare_sums(backend, &args, loss, number);
        if (parts > 1) continue;
        args.label = args.best = NULL;
        args.number = number.value;
        compare_sums(backend, &args, loss, number);
    }
}

enum { ROWS = 3, CLASSES = 6, COUNT = ROWS * CLASSES };
typedef struct {
    const double *logit, *target;
    const int32_t *label;
} loss_inputs;

static double softmax_loss(const void *context) {
    const loss_inputs *inputs = context;
    double loss[ROWS], gradient[COUNT];
    int32_t best[ROWS];
    ref_cross_entropy(ROWS, CLASSES, inputs->logit, inputs->label, 0.0, 1.0, loss, best, gradient);
    return loss[0] + loss[1] + loss[2];
}

static const ref_focal focal = {ROWS, CLASSES, (const double[]){1.0, 0.25, 3.0, 2.0, 0.5}, 1.5};

static double focal_loss(const void *context) {
    const loss_inputs *inputs = context;
    double loss[ROWS], gradient[COUNT];
    ref_focal_cross_entropy(&focal, inputs->logit, inputs->label, 1.0, loss, gradient);
    return loss[0] + loss[1] + loss[2];
}

static double binary_loss(const void *context) {
    const loss_inputs *inputs = context;
    double loss[COUNT], gradient[COUNT], sum = 0.0;
    ref_bce(COUNT, inputs->logit, inputs->target, (const double[]){8.0}, 1, 1.0, loss, gradient);
    for (int i = 0; i < COUNT; i++) sum += loss[i];
    return sum;
}

typedef struct {
    ref_numbers of;
    const double *logit, *label;
} number_inputs;

static double number_loss(const void *context) {
    const number_inputs *inputs = context;
    double loss[COUNT], gradient[COUNT], sum = 0.0;
    ref_number_loss(&inputs->of, inputs->logit, inputs->label, 1.0, loss, gradient);
    for (int i = 0; i < inputs->of.rows * inputs->of.columns; i++) sum += loss[i];
    return sum;
}

// Two columns of different weight; labels on both sides of Huber's bend.
Test(reference, number_loss_gradients) {
    static const double weight[] = {0.5, 3.0};
    static const char *const names[] = {"squared", "huber", "poisson", "gaussian"};
    test_restart();
    test_array logit = test_normal(COUNT, 2.0), label = test_zeros(COUNT);
    double loss[COUNT], gradient[COUNT];
    for (int i = 0; i < COUNT; i++) label.wide[i] = i == 3 ? NAN : 4 * test_uniform();
    for (int kind = REF_SQUARED; kind <= REF_GAUSSIAN; kind++) {
        const int parts = kind == REF_GAUSSIAN ? 2 : 1, rows = COUNT / (2 * parts);
        const number_inputs inputs = {{kind, 1.5, rows, 2, weight}, logit.wide, label.wide};
        ref_number_loss(&inputs.of, logit.wide, label.wide, 1.0, loss, gradient);
        test_central_differences(names[kind], number_loss, &inputs, logit.wide, gradient, 2 * parts * rows);
    }
    test_release();
}

Test(reference, loss_gradients) {
    test_restart();
    test_array logit = test_normal(COUNT, 2.0), target = test_zeros(COUNT);
    const int32_t label[ROWS] = {4, -1, 0};
    double loss[COUNT], gradient[COUNT];
    int32_t best[ROWS];
    for (int i = 0; i < COUNT; i++) target.wide[i] = i == 3 ? NAN : test_uniform();
    const loss_inputs inputs = {logit.wide, target.wide, label};
    ref_cross_entropy(ROWS, CLASSES, logit.wide, label, 0.0, 1.0, loss, best, gradient);
    test_central_differences("cross entropy", softmax_loss, &inputs, logit.wide, gradient, COUNT);
    ref_focal_cross_entropy(&focal, logit.wide, label, 1.0, loss, gradient);
    test_central_differences("focal cross entropy", focal_loss, &inputs, logit.wide, gradient, COUNT);
    ref_bce(COUNT, logit.wide, target.wide, (const double[]){8.0}, 1, 1.0, loss, gradient);
    test_central_differences("bce", binary_loss, &inputs, logit.wide, gradient, COUNT);
    test_release();
}
