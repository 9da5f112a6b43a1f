// SPDX-License-Identifier: MIT
// What a background counts. Private to lib/score.
#ifndef GW_SCORE_BACKGROUND_PRIVATE_H
#define GW_SCORE_BACKGROUND_PRIVATE_H

#include "score/background.h"
#include "score/context.h"

// Bin 0 holds 0 and what is below 2^-40; the last what is 2^8 or more. A float's upper bits are its exponent and the
// sixteenth of the octave it lies in, so they number the bins in order.
enum { GW_BACKGROUND_MANTISSA = 4, GW_BACKGROUND_EXPONENT = -40, GW_BACKGROUND_OCTAVES = 48 };
enum { GW_BACKGROUND_BINS = 1 + (GW_BACKGROUND_OCTAVES << GW_BACKGROUND_MANTISSA) };

typedef struct {
    int64_t count;
    double mean, squares; // sum of squares of what values differ from their mean
} gw_background_moments;

typedef struct {
    gw_background_moments of; // the differences
    int64_t counts[GW_BACKGROUND_BINS];
} gw_background_distribution;

struct gw_background {
    char md5[33];
    int64_t window, alleles;
    double temperature;
    const gw_config *config;
    int64_t profiles;
    gw_background_distribution largest, *profile; // [profiles]
    gw_background_distribution lower;             // of a pretrained model: the ratios below zero
    bool has_lower;
    gw_background_moments *contexts; // [GW_CONTEXTS], or NULL
};

double gw_background_deviation(const gw_background_moments *moments); // 0 of fewer than two values

#endif
