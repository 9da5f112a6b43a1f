// SPDX-License-Identifier: MIT
// From the second step of a shape on nothing is allocated: not by plans, not by kernels but for matrix products, not by
// the optimiser. Counted at malloc() itself, which the test program stands in front of.
#include "fixtures.h"
#include "gradient_check.h"
#include "run/optimiser.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define COUNTS 1
static atomic_bool counting;
static atomic_int allocations;

static void count_one(void) {
    if (atomic_load(&counting)) atomic_fetch_add(&allocations, 1);
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    count_one();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    count_one();
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    count_one();
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_one();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count_one();
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
#else
#define COUNTS 0
static int counting, allocations;
#endif

// Products are oneDNN's, which may allocate in a call: what they do is left out.
static const gw_backend *host;

static gw_status gemm(const gw_gemm_args *args) {
    counting = 0;
    const gw_status status = host->gemm(args);
    counting = 1;
    return status;
}

static gw_status linear(const gw_linear_args *args) {
    counting = 0;
    const gw_status status = host->linear(args);
    counting = 1;
    return status;
}

static void use_counted_backend(void) {
    static gw_backend counted;
    host = gw_kernels();
    counted = *host;
    counted.gemm = gemm;
    counted.linear = linear;
    gw_use_device(&counted);
}

// What a call allocates.
static int count_of(void (*call)(void *context), void *context) {
    allocations = 0;
    counting = 1;
    call(context);
    counting = 0;
    return allocations;
}

typedef struct {
    gw_model *model;
    gw_network *network;
    gw_optimiser optimiser;
    gw_batch batch;
    int step;
} stepper;

static void train(void *context) {
    stepper *s = context;
    const gw_mirror *weights = &s->model->parameters.mirror;
    gw_losses losses;
    double norm;
    cr_assert_eq(weights->kernels->zero(gw_network_gradient(s->network), weights->bytes), GW_OK);
    cr_assert_eq(gw_network_forward(s->network, &s->batch, &losses), GW_OK);
    cr_assert_eq(gw_network_backward(s->network, 1, 1, 1), GW_OK);
    cr_assert_eq(gw_optimiser_step(&s->optimiser, &s->model->parameters, gw_network_gradient(s->network), s->step++,
                                   1e-3, &norm),
                 GW_OK);
}

static void score(void *context) {
    stepper *s = context;
    cr_assert_eq(gw_network_forward(s->network, &s->batch, NULL), GW_OK);
    cr_assert_not_null(gw_network_mlm_logits(s->network));
}

Test(allocations, are_counted) {
    if (!COUNTS) cr_skip_test("a sanitizer or another C library has malloc()");
    allocations = 0;
    counting = 1;
    void *volatile memory = malloc(1);
    counting = 0;
    free(memory);
    cr_assert_eq(allocations, 1);
}

static stepper make(bool recompute, bool training, gw_precision precision) {
    gw_config config = fixture_config(0, 0.1);
    config.width = 64, config.feed_forward = 128; // wide enough for products of bf16
    stepper s = {.model = fixture_model_of(&config), .batch = fixture_batch()};
    const gw_network_options options = {.tokens = FIXTURE_TOKENS,
                                        .sequences = FIXTURE_SEQUENCES,
                                        .masked = FIXTURE_MASKED,
                                        .nsp_head = true,
                                        .training = training,
                                        .recompute = recompute,
                                        .precision = precision};
    const gw_optimiser_options adam = gw_optimiser_defaults();
    if (!training) cr_assert_eq(gw_model_freeze(s.model, precision), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_network_new(s.model, &options, &s.network), GW_OK, "%s", gw_message());
    if (training) cr_assert_eq(gw_optimiser_new(&s.optimiser, &adam, &s.model->parameters), GW_OK);
    gw_config_free(&config);
    return s;
}

static void check(void (*step)(void *context), stepper s, const char *what) {
    step(&s);
    const int again = count_of(step, &s);
    cr_expect_eq(again, 0, "%s allocates %d times when it is done again", what, again);
    gw_optimiser_free(&s.optimiser);
    gw_network_free(s.network);
    gw_model_free(s.model);
}

Test(allocations, there_are_none_in_a_step) {
    if (!COUNTS) cr_skip_test("a sanitizer or another C library has malloc()");
    use_counted_backend();
    for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++) {
        for (int recompute = 0; recompute < 2; recompute++)
            check(train, make(recompute, true, precision), precision ? "a step of bf16" : "a step of f32");
        check(score, make(false, false, precision), precision ? "a batch of bf16" : "a batch of f32");
    }
}
