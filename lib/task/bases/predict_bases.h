// SPDX-License-Identifier: MIT
// What `predict` writes of a model that labels bases: stretches of a class as BED, or a track for each class.
#ifndef GW_TASK_BASES_PREDICT_BASES_H
#define GW_TASK_BASES_PREDICT_BASES_H

#include "model/model.h"
#include "network/base_network.h"
#include "seq/genome/genome.h"
#include "seq/genome/regions.h"
#include "task/windows/tracks.h"

typedef struct {
    gw_regions *regions; // merged for that; NULL: all contigs
    const char *output;  // BED; NULL: standard output
    double least; // probability of a class in its stretches; 0: it is the most probable one, or, where classes overlap,
                  // has 0.5
    const char *tracks; // folder of tracks instead; or NULL
    const char *suffix; // of tracks
    int64_t batch_tokens;
} gw_predict_bases_options;

// BED: contig, begin, end, class, 1,000 times the mean probability, strand, and that probability. Tracks: CLASS.plus of
// all classes but none, and then CLASS.minus.
gw_status gw_write_bases(gw_model *model, gw_genome *genome, const gw_predict_bases_options *options) GW_MUST_CHECK;

// A model's probabilities for every base of regions, on both strands.

enum { GW_BASE_STRANDS = 2 };

// Bases [first, first + count) of the tiles, from `begin` of a contig on: values[count][strands][classes].
typedef gw_status gw_base_tiles_sink(void *context, int contig, int64_t begin, int64_t first, int64_t count,
                                     const float *values);
// `tiles` are of a single base each; runs come in order.
gw_status gw_predict_bases(gw_model *model, gw_genome *genome, const gw_tiles *tiles, int64_t batch_tokens,
                           gw_base_tiles_sink *sink, void *context) GW_MUST_CHECK;

#endif
