// SPDX-License-Identifier: MIT
// Shared parts of the kernel tests: guarded arrays of random numbers, comparison with the reference, a digest for
// comparing runs with different numbers of threads, and central differences.
//
// Every op of ops.def has a function check_<op>(backend), declared here. every_op.c runs it on every backend with 1, 2
// and 3 threads, and fails if it is missing.
#ifndef GW_TESTS_KERNEL_SUPPORT_H
#define GW_TESTS_KERNEL_SUPPORT_H

#include "kernels/backend.h"

#include <stdbool.h>
#include <stdint.h>

#define GW_OP(op, arguments) void check_##op(const gw_backend *backend);
#include "kernels/ops.def"
#undef GW_OP

// Numbers for the kernels and for the reference, equal at first. There are sentinels before and behind `value`.
typedef struct {
    float *value;
    double *wide;
    int64_t count;
    double size; // root of the sum of squares of the initial numbers
} test_array;

// test_release() frees all arrays. Random numbers are normal, times `scale`, and the same in every run of a check.
test_array test_normal(int64_t count, double scale);
test_array test_zeros(int64_t count);
test_array test_filled(int64_t count, double value);
// Rounds the reference's numbers to bf16: the upper half of an f32, to nearest, ties to even.
void test_round_to_bf16(test_array array);
// count draws below `limit`
int32_t *test_indices(int64_t count, int32_t limit);
double test_uniform(void);                     // [0, 1)
void *test_alloc(int64_t count, int64_t size); // zeroed
void *test_copy(const void *from, int64_t count, int64_t size);
// Memory for all arrays, zeroed, which a backend's ops can access. NULL: host memory.
typedef struct {
    void *(*allocate)(int64_t bytes);
    void (*release)(void *memory);
    void (*forbid)(const void *memory, int64_t bytes); // forbids ops to access the memory; they then fail; or NULL
} test_memory;
void test_use_memory(test_memory *memory);
void test_draw_again(void); // restarts the random numbers
void test_restart(void);    // the same, and empties the digest
void test_release(void);
uint64_t test_digest(void);

// Asserts that the root mean square of value - wide is at most limit times that of wide (exactly 0 if limit is 0), that
// NaN and infinities agree, and that the sentinels are intact. Adds the values to the digest. A sum into an array is
// compared with the initial numbers if these are larger, because both may cancel. Few numbers get four times the limit,
// because their errors do not average out.
void test_compare(const char *what, test_array array, double limit);
// Asserts that nothing was written outside, and that value still equals wide.
void test_unchanged(const char *what, test_array array);

// Asserts that gradient[i] = (loss(x + step e_i) - loss(x - step e_i)) / (2 step) within 1e-6 of the largest.
void test_central_differences(const char *what, double (*loss)(const void *context), const void *context, double *x,
                              const double *gradient, int64_t count);

#endif
