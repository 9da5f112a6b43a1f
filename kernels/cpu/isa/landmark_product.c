// SPDX-License-Identifier: MIT
// landmark_product and its backward pass. Threads share the heads of all sequences. With X = A Z, an iteration is
//   R = 7 - X,  Q = 15 - X R,  P = 13 - X Q,  Z' = Z P / 4
// and its backward pass, with dY the gradient of the loss by Y,
//   dZ = dZ' P^T / 4,  dP = Z^T dZ' / 4,  dQ = -X^T dP,  dR = -X^T dQ,  dX = -dP Q^T - dQ R^T - dR
//   dA += dX Z^T,  dZ += A^T dX
// The first Z = A^T / c has dA += dZ^T / c, and the column whose sum is c gets -(dZ . Z) / c.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/row_sums.h"
#include "kernels/cpu/isa/small_product.h"
#include "kernels/cpu/isa/vmath.h"
#include "kernels/cpu/scratch.h"

#include <string.h>

// Of a head of a sequence: squares [m][m], and how many iterations begin with z[i].
typedef struct {
    const gw_landmark_product_args *args;
    int64_t m, at, width; // rows; where the head begins in rows, which are so far apart
    float *a, *x, *q, *p, *turned, *dz, *da, *dp, *dq, *dx, *rows, *z[GW_LANDMARK_ITERATIONS + 1];
} head;

static head head_of(const gw_landmark_product_args *args, int64_t item, int thread) {
    const int64_t s = item / args->heads, square = args->most * args->most;
    head h = {.args = args, .m = args->start[s + 1] - args->start[s], .width = args->heads * args->size};
    h.at = args->start[s] * h.width + item % args->heads * args->size;
    float *memory = args->scratch + thread * gw_landmark_memory(args);
    float **const squares[GW_LANDMARK_SQUARES] = {&h.a, &h.x, &h.q, &h.p, &h.turned, &h.dz, &h.da, &h.dp, &h.dq, &h.dx};
    for (int i = 0; i < GW_LANDMARK_SQUARES; i++, memory += square) *squares[i] = memory;
    for (int i = 0; i <= args->iterations; i++, memory += square) h.z[i] = memory;
    h.rows = memory;
    return h;
}

// c (+)= factor a b of squares; with `turned` a^T b.
static void multiply(const head *h, const float *a, bool turned, const float *b, float factor, bool adds, float *c) {
    const int64_t m = h->m;
    gw_small_product(m, m, m, (gw_left){a, turned ? 1 : m, turned ? m : 1}, (gw_right){b, m}, factor,
                     (gw_result){c, m, adds});
}

// c (+)= factor a b^T, which h->turned holds meanwhile.
static void multiply_turned(const head *h, const float *a, const float *b, float factor, bool adds, float *c) {
    gw_turn(h->m, h->m, b, h->m, h->turned);
    multiply(h, a, false, h->turned, factor, adds, c);
}

static void add_diagonal(const head *h, float *square, float value) {
    for (int64_t i = 0; i < h->m; i++) square[i * h->m + i] += value;
}

// e^(x - largest) over its sum.
static void normalise(float *row, int64_t count) {
    float largest = row[0], sum = 0;
    for (int64_t j = 1; j < count; j++) largest = row[j] > largest ? row[j] : largest;
    for (int64_t j = 0; j < count; j += GW_LANES) {
        const gw_f32v e = gw_exp_bounded(gw_load_some(row + j, count - j) - gw_all(largest));
        gw_store_some(row + j, e, count - j);
    }
    for (int64_t j = 0; j < count; j++) sum += row[j];
    for (int64_t j = 0; j < count; j++) row[j] /= sum;
}

static void make_softmax(const head *h) {
    const gw_landmark_product_args *args = h->args;
    gw_turn(h->m, args->size, args->key + h->at, h->width, h->rows);
    gw_small_product(h->m, h->m, args->size, (gw_left){args->query + h->at, h->width, 1}, (gw_right){h->rows, h->m},
                     args->scale, (gw_result){h->a, h->m, false});
    for (int64_t i = 0; i < h->m; i++) normalise(h->a + i * h->m, h->m);
}

// The column of A with the largest sum, and the sum.
static float largest_column(const head *h, int64_t *column) {
    float largest = 0;
    for (int64_t j = 0; j < h->m; j++) {
        float sum = 0;
        for (int64_t i = 0; i < h->m; i++) sum += h->a[i * h->m + j];
        if (sum > largest) *column = j;
        if (sum > largest) largest = sum;
    }
    return largest;
}

static void begin_inverse(const head *h) {
    int64_t column = 0;
    const float factor = 1 / largest_column(h, &column);
    gw_turn(h->m, h->m, h->a, h->m, h->z[0]);
    for (int64_t i = 0; i < h->m * h->m; i++) h->z[0][i] *= factor;
}

// R, which is made of X in place.
static float *seven_less(const head *h, float *out) {
    for (int64_t i = 0; i < h->m * h->m; i++) out[i] = -h->x[i];
    add_diagonal(h, out, 7);
    return out;
}

// X, Q and P of the iteration that begins with z; dx serves as R.
static void make_factors(const head *h, const float *z) {
    multiply(h, h->a, false, z, 1, false, h->x);
    multiply(h, h->x, false, seven_less(h, h->dx), -1, false, h->q);
    add_diagonal(h, h->q, 15);
    multiply(h, h->x, false, h->q, -1, false, h->p);
    add_diagonal(h, h->p, 13);
}

static void invert(const head *h) {
    make_softmax(h);
    begin_inverse(h);
    for (int i = 0; i < h->args->iterations; i++) {
        make_factors(h, h->z[i]);
        multiply(h, h->z[i], false, h->p, 0.25f, false, h->z[i + 1]);
    }
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_landmark_product_args *args = context;
    for (int64_t item = begin; item < end; item++) {
        const head h = head_of(args, item, thread);
        invert(&h);
        gw_small_product(h.m, args->size, h.m, (gw_left){h.z[args->iterations], h.m, 1},
                         (gw_right){args->value + h.at, h.width}, 1, (gw_result){args->out + h.at, h.width, false});
    }
}

// --- backward ------------------------------------------------------------------------------------------------------

// dvalue += Z^T dout, dZ = dout value^T
static void begin_backward(const head *h) {
    const gw_landmark_product_args *args = h->args;
    const gw_right gradient = {args->out_gradient + h->at, h->width};
    gw_small_product(h->m, args->size, h->m, (gw_left){h->z[args->iterations], 1, h->m}, gradient, 1,
                     (gw_result){args->value_gradient + h->at, h->width, true});
    gw_turn(h->m, args->size, args->value + h->at, h->width, h->rows);
    gw_small_product(h->m, h->m, args->size, (gw_left){gradient.at, h->width, 1}, (gw_right){h->rows, h->m}, 1,
                     (gw_result){h->dz, h->m, false});
    memset(h->da, 0, (size_t)(h->m * h->m) * sizeof(float));
}

// dZ of an iteration's result becomes that of z, which it began with.
static void iteration_backward(const head *h, const float *z) {
    make_factors(h, z);
    multiply(h, z, true, h->dz, 0.25f, false, h->dp);
    multiply_turned(h, h->dz, h->p, 0.25f, false, h->dq); // dZ, until it is moved
    memcpy(h->dz, h->dq, (size_t)(h->m * h->m) * sizeof(float));
    multiply(h, h->x, true, h->dp, -1, false, h->dq);
    float *r = seven_less(h, h->p); // P is read no more
    multiply_turned(h, h->dp, h->q, -1, false, h->dx);
    multiply_turned(h, h->dq, r, -1, true, h->dx);
    multiply(h, h->x, true, h->dq, 1, true, h->dx);
    multiply_turned(h, h->dx, z, 1, true, h->da);
    multiply(h, h->a, true, h->dx, 1, true, h->dz);
}

static void first_backward(const head *h) {
    int64_t column = 0;
    const int64_t m = h->m;
    const float factor = 1 / largest_column(h, &column), along = gw_row_product(h->dz, h->z[0], m * m);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) h->da[i * m + j] += factor * h->dz[j * m + i];
    for (int64_t i = 0; i < m; i++) h->da[i * m + column] -= factor * along;
}

// dA becomes the gradient of the scores, times the scale.
static void softmax_backward(const head *h) {
    for (int64_t i = 0; i < h->m; i++) {
        float *gradient = h->da + i * h->m;
        const float *row = h->a + i * h->m, along = gw_row_product(gradient, row, h->m);
        for (int64_t j = 0; j < h->m; j++) gradient[j] = h->args->scale * row[j] * (gradient[j] - along);
    }
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_landmark_product_args *args = context;
    for (int64_t item = begin; item < end; item++) {
        const head h = head_of(args, item, thread);
        invert(&h);
        begin_backward(&h);
        for (int i = args->iterations - 1; i >= 0; i--) iteration_backward(&h, h.z[i]);
        first_backward(&h);
        softmax_backward(&h);
        gw_small_product(h.m, args->size, h.m, (gw_left){h.da, h.m, 1}, (gw_right){args->key + h.at, h.width}, 1,
                         (gw_result){args->query_gradient + h.at, h.width, true});
        gw_small_product(h.m, args->size, h.m, (gw_left){h.da, 1, h.m}, (gw_right){args->query + h.at, h.width}, 1,
                         (gw_result){args->key_gradient + h.at, h.width, true});
    }
}

gw_status GW_KERNEL(landmark_product)(const gw_landmark_product_args *args) {
    gw_parallel_for(args->sequences * args->heads, 1, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(landmark_product_backward)(const gw_landmark_product_args *args) {
    gw_parallel_for(args->sequences * args->heads, 1, backward, (void *)args);
    return GW_OK;
}
