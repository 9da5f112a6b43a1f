// SPDX-License-Identifier: MIT
// The least value of a smooth convex function by L-BFGS (Nocedal and Wright 2006, algorithm 7.5), with a backtracking
// line search. On one thread and without draws: the same input gives the same bits.
#ifndef GW_MEASURE_LBFGS_H
#define GW_MEASURE_LBFGS_H

#include "base/status.h"

#include <stdint.h>

typedef struct {
    int64_t size;
    int64_t most_steps;
    double tolerance; // done where no value of the gradient is larger
    void *context;
    double (*value)(void *context, const double *x, double *gradient); // f(x); fills gradient[size]
} gw_lbfgs_problem;

// x[size]: where to begin, and the result: of the last step where the steps did not suffice. Returns after no step
// that makes the value less, too, which is as far as double precision goes.
gw_status gw_lbfgs(const gw_lbfgs_problem *problem, double *x) GW_MUST_CHECK;

#endif
