// SPDX-License-Identifier: MIT
// What the kernel tests share: guarded arrays of random numbers, comparison with the reference, the digest by which
// runs with different thread counts are compared, central differences.
//
// Every op of ops.def has a function check_<op>(backend), declared here; every_op.c runs it on every backend with 1, 2
// and 3 threads and fails where it is missing.
#ifndef GW_TESTS_KERNEL_SUPPORT_H
#define GW_TESTS_KERNEL_SUPPORT_H

#include "kernels/backend.h"

#include <stdbool.h>
#include <stdint.h>

#define GW_OP(op, arguments) void check_##op(const gw_backend *backend);
#include "kernels/ops.def"
#undef GW_OP

// Numbers as the kernels see them and as the reference does, equal at first. Sentinels stand before and behind `value`.
typedef struct {
    float *value;
    double *wide;
    int64_t count;
    double size; // root of the sum of squares at first
} test_array;

// All are freed by test_release(). Random numbers are normal, times `scale`, the same in every run of a check.
test_array test_normal(int64_t count, double scale);
test_array test_zeros(int64_t count);
test_array test_filled(int64_t count, double value);
// What the reference sees, as bf16 holds it: the upper half of an f32, rounded to the nearest, ties to even.
void test_round_to_bf16(test_array array);
// count draws below `limit`
int32_t *test_indices(int64_t count, int32_t limit);
double test_uniform(void);                     // [0, 1)
void *test_alloc(int64_t count, int64_t size); // zeroed
void *test_copy(const void *from, int64_t count, int64_t size);
// Where all of this lies: memory that a backend's ops reach, zeroed. NULL: the host's.
typedef struct {
    void *(*allocate)(int64_t bytes);
    void (*release)(void *memory);
    void (*forbid)(const void *memory, int64_t bytes); // to ops: they fail that touch it; or NULL
} test_memory;
void test_use_memory(test_memory *memory);
void test_draw_again(void); // the random numbers start again
void test_restart(void);    // and the digest is emptied
void test_release(void);
uint64_t test_digest(void);

// Asserts that the root mean square of value - wide is at most limit times that of wide (exactly 0 where limit is 0),
// that NaN and infinities agree, and that the sentinels stand. Adds the values to the digest. A sum into an array is
// measured by what stood there where that is larger, since both may cancel; few numbers get four times the limit, since
// their errors do not average out.
void test_compare(const char *what, test_array array, double limit);
// Asserts that nothing was written outside, and nothing inside where value was made from wide.
void test_unchanged(const char *what, test_array array);

// Asserts that gradient[i] = (loss(x + step e_i) - loss(x - step e_i)) / (2 step) within 1e-6 of the largest.
void test_central_differences(const char *what, double (*loss)(const void *context), const void *context, double *x,
                              const double *gradient, int64_t count);

#endif
