// SPDX-License-Identifier: MIT
// Updates of the weights: the learning rate of each step, arrays divided among the ranks, and the optimisers.
//
// The learning rate is a function of the step t = 0 .. steps - 1. With w = warmup and, after the warm-up, x = (t - w) /
// (steps - w):
//
//   linear     peak (t + 1) / w                        t < w
//              peak (1 - x)                            after it
//   cosine     the same rise;  peak (1 + cos(pi x)) / 2
//   sqrt       the same rise;  peak sqrt(w / (t + 1)), without w as of w = 1 (Vaswani et al. 2017, section 5.3)
//   hold-sqrt  peak min(1, sqrt(w / (t + 1)))
//   one-cycle  low + (peak - low) (1 - cos(pi t / w)) / 2        low = peak / 25
//              end + (peak - end) (1 + cos(pi x)) / 2            end = low / 10,000 (Smith and Topin 2017)
#ifndef GW_RUN_OPTIMISER_H
#define GW_RUN_OPTIMISER_H

#include "base/status.h"
#include "model/model.h"

#include <stdint.h>

typedef enum {
    GW_SCHEDULE_LINEAR,
    GW_SCHEDULE_COSINE,
    GW_SCHEDULE_ONE_CYCLE,
    GW_SCHEDULE_SQRT,
    GW_SCHEDULE_HOLD_SQRT,
    GW_SCHEDULES
} gw_schedule_kind;
#define GW_SCHEDULE_NAMES "linear|cosine|one-cycle|sqrt|hold-sqrt"

typedef struct {
    gw_schedule_kind kind;
    double peak;
    int64_t warmup, steps;
} gw_schedule;

// Makes a schedule. A negative `warmup` means the default: the smaller of 10,000 and a tenth of the steps; three tenths
// for one-cycle.
gw_schedule gw_schedule_make(gw_schedule_kind kind, double peak, int64_t warmup, int64_t steps);
double gw_schedule_rate(const gw_schedule *schedule, int64_t step);
const char *gw_schedule_name(gw_schedule_kind kind); // one of GW_SCHEDULE_NAMES

// An array divided among the ranks. Rank r of R keeps numbers [n r / R, n (r + 1) / R) of n, rounded to multiples of 16
// to keep the alignment for vectors. A single rank keeps all.

typedef struct {
    int64_t begin, end;
} gw_slice;

enum { GW_SLICE_PIECE = 1 << 20 }; // floats moved at a time; the caller has memory for them

gw_slice gw_slice_of_rank(int64_t floats, int rank, int ranks);

// All ranks make these calls. `piece` has GW_SLICE_PIECE floats. `own` is this rank's slice.

// Completes whole arrays in which each rank has only its own slice.
void gw_slices_gather(float *whole, int64_t floats, float *piece);
// Copies numbers [begin, begin + count) to `to` on rank 0, at most GW_SLICE_PIECE. Other ranks ignore `to`.
void gw_slices_collect(const float *own, int64_t floats, int64_t begin, int64_t count, float *to);
// The opposite: copies numbers from rank 0 to the ranks that keep them.
void gw_slices_spread(float *own, int64_t floats, int64_t begin, int64_t count, const float *from);

// Updates of the weights, after clipping by the norm of the whole gradient: Adam with decoupled weight decay; LAMB,
// with steps relative to the size of each tensor; or Adafactor, which keeps only the means over rows and over columns
// of a matrix's second moments.

typedef enum { GW_OPTIMISER_ADAM, GW_OPTIMISER_ADAFACTOR, GW_OPTIMISER_LAMB } gw_optimiser_kind;
#define GW_OPTIMISERS "adam|adafactor|lamb"

typedef struct {
    gw_optimiser_kind kind;
    bool split;     // each rank keeps a slice of Adam's moments and updates these weights (ZeRO, stage 1)
    double clip;    // largest norm of the gradient; 0: no limit
    double epsilon; // Adam: beside the root of the second moment; Adafactor: in the squares
    // Adam and LAMB
    double beta1, beta2;
    double decay; // of matrices, not of biases and layer norms
    // Adafactor
    double decay_power; // second moments move at the rate 1 - t^-decay_power in update t = 1, 2 ...
    double threshold;   // largest root mean square of a tensor's update, before the rate
    double least_size;  // the rate is multiplied by the size of the tensor's weights, at least this; 0: not multiplied
} gw_optimiser_options;

// For Adam and LAMB.
#define GW_OPTIMISER_DEFAULTS                                                                                          \
    { .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-6, .decay = 0.01, .clip = 1 }
gw_optimiser_options gw_optimiser_defaults(void);
// Adafactor with tensor2tensor's defaults, as used by Big Bird and Pegasus: 0.8, 1, 1e-3, 1e-30, no clipping by the
// norm.
gw_optimiser_options gw_optimiser_adafactor(void);
const char *gw_optimiser_name(gw_optimiser_kind kind); // "Adam"

// Moments on the device of the parameters. Adam and LAMB: of the `own` weights, in the layout of [parameters.floats].
// Adafactor: no first moments, second moments by tensor.
typedef struct {
    gw_optimiser_options options;
    gw_slice own; // all, if moments are not split
    gw_mirror first_moment, second_moment;
    gw_mirror norm;    // gw_gradient_norm of the last step
    gw_mirror scratch; // for Adafactor
    gw_record *record; // the update's launches, as a device keeps them
    float *piece;      // [GW_SLICE_PIECE] updated weights to send to all ranks; NULL: moments are not split
} gw_optimiser;

gw_status gw_optimiser_new(gw_optimiser *optimiser, const gw_optimiser_options *options,
                           gw_parameters *parameters) GW_MUST_CHECK;
void gw_optimiser_free(gw_optimiser *optimiser);
// Launches update number `step` (0, 1, ...) with this learning rate. `gradient` is device memory. A gradient that is
// not finite changes nothing. With split moments all ranks call this, and all get the same weights as a single rank
// would compute.
gw_status gw_optimiser_launch(gw_optimiser *optimiser, gw_parameters *parameters, const float *gradient, int64_t step,
                              double rate) GW_MUST_CHECK;
// Waits for this update. *norm is the gradient's norm before clipping; one that is not finite is an error.
gw_status gw_optimiser_norm(const gw_optimiser *optimiser, int64_t step, double *norm) GW_MUST_CHECK;
// Launches the update, and waits for it.
gw_status gw_optimiser_step(gw_optimiser *optimiser, gw_parameters *parameters, const float *gradient, int64_t step,
                            double rate, double *norm) GW_MUST_CHECK;

#endif
