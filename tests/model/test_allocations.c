// SPDX-License-Identifier: MIT
// From the second step of a shape on nothing is allocated: counted at malloc() itself, which the test program stands in
// front of. What oneDNN takes while it is called is counted apart, by standing in front of its functions too: it is
// given back before the step ends (docs/background/architecture.md says how much it is).
#include "base/parallel.h"
#include "fixtures.h"
#include "gradient_check.h"
#include "run/optimiser.h"
#include "tests/unit/sanitizer.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <dnnl.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined __GLIBC__ && !UNDER_SANITIZER
#define COUNTS 1
static atomic_bool counting;
static atomic_int allocations, of_onednn, released;
static _Thread_local int in_onednn;

static void count_one(void) {
    if (atomic_load(&counting)) atomic_fetch_add(in_onednn ? &of_onednn : &allocations, 1);
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

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

void free(void *memory) {
    if (memory && atomic_load(&counting)) atomic_fetch_add(&released, 1);
    __libc_free(memory);
}

#define ONEDNN(name, parameters, arguments)                                                                            \
    dnnl_status_t DNNL_API name parameters {                                                                           \
        dnnl_status_t(*const real) parameters = (dnnl_status_t(*) parameters)dlsym(RTLD_NEXT, #name);                  \
        in_onednn++;                                                                                                   \
        const dnnl_status_t status = real arguments;                                                                   \
        in_onednn--;                                                                                                   \
        return status;                                                                                                 \
    }
ONEDNN(dnnl_sgemm,
       (char ta, char tb, dnnl_dim_t m, dnnl_dim_t n, dnnl_dim_t k, float alpha, const float *a, dnnl_dim_t as,
        const float *b, dnnl_dim_t bs, float beta, float *c, dnnl_dim_t cs),
       (ta, tb, m, n, k, alpha, a, as, b, bs, beta, c, cs))
ONEDNN(dnnl_primitive_execute,
       (const_dnnl_primitive_t primitive, dnnl_stream_t stream, int count, const dnnl_exec_arg_t *args),
       (primitive, stream, count, args))
#if DNNL_VERSION_MAJOR >= 3
ONEDNN(dnnl_memory_create,
       (dnnl_memory_t * memory, const_dnnl_memory_desc_t layout, dnnl_engine_t engine, void *handle),
       (memory, layout, engine, handle))
#else
ONEDNN(dnnl_memory_create,
       (dnnl_memory_t * memory, const dnnl_memory_desc_t *layout, dnnl_engine_t engine, void *handle),
       (memory, layout, engine, handle))
#endif
#else
#define COUNTS 0
static int counting, allocations, of_onednn, released;
#endif

// What a call allocates outside oneDNN; what is taken at all is given back.
static int count_of(void (*call)(void *context), void *context) {
    allocations = of_onednn = released = 0;
    counting = 1;
    call(context);
    counting = 0;
    cr_expect_eq(allocations + of_onednn, released, "%d blocks are taken, %d given back", allocations + of_onednn,
                 released);
    return allocations;
}

typedef struct {
    gw_model *model;
    gw_network *network;
    gw_optimiser optimiser;
    gw_batch batch;
    int step;
} stepper;

static void learn(void *context) {
    stepper *s = context;
    const gw_mirror *weights = &s->model->parameters.mirror;
    gw_losses losses;
    cr_assert_eq(weights->kernels->zero(gw_network_gradient(s->network), weights->bytes), GW_OK);
    cr_assert_eq(gw_network_forward(s->network, &s->batch, &losses), GW_OK);
    check_backward(s->network);
}

static void train(void *context) {
    stepper *s = context;
    double norm;
    learn(s);
    cr_assert_eq(gw_optimiser_step(&s->optimiser, &s->model->parameters, gw_network_gradient(s->network), s->step++,
                                   1e-3, &norm),
                 GW_OK);
}

static void score(void *context) {
    stepper *s = context;
    cr_assert_eq(gw_network_forward(s->network, &s->batch, NULL), GW_OK);
    cr_assert_not_null(gw_network_output(s->network, GW_ROWS_MASKED));
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

static stepper make(const char *pattern, bool recompute, bool training, gw_precision precision) {
    gw_config config = fixture_config(0, 0.1);
    if (pattern) cr_assert_eq(gw_config_use_pattern(&config, pattern), GW_OK);
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
    for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++) {
        for (int recompute = 0; recompute < 2; recompute++)
            check(train, make(NULL, recompute, true, precision), precision ? "a step of bf16" : "a step of f32");
        check(score, make(NULL, false, false, precision), precision ? "a batch of bf16" : "a batch of f32");
    }
}

// Memory of graphs and of drawing grows to the largest, and which thread draws which graph is nobody's choice: with one
// thread and the same weights the same graphs take the same memory.
Test(allocations, sampled_graphs_keep_their_memory) {
    if (!COUNTS) cr_skip_test("a sanitizer or another C library has malloc()");
    gw_set_threads(1);
    check(score, make("sbm:8", false, false, GW_F32), "a batch of dense graphs");
    for (int recompute = 0; recompute < 2; recompute++)
        check(learn, make("sbm:8+band:1", recompute, true, GW_F32), "a step with sampled graphs");
}
