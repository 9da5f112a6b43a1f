// SPDX-License-Identifier: MIT
// A signal along a genome as a file for browsers and pyBigWig: bigWig (.bw, .bigwig), where the program was built with
// libBigWig, or bedGraph (.bedgraph, also .gz, which is BGZF).
#ifndef GW_SEQ_TRACK_TRACK_H
#define GW_SEQ_TRACK_TRACK_H

#include "base/status.h"
#include "seq/genome/genome.h"
#include "seq/genome/regions.h"

#include <stdbool.h>
#include <stdint.h>

// `count` stretches of `span` bp, end to end from `begin` (0-based) on, with a value each; NaN: none.
typedef struct {
    int contig; // of the genome
    int64_t begin, span, count;
    const float *values;
} gw_track_piece;

// GW_OK where the suffix names a format that this program writes: to be asked before long work.
gw_status gw_track_check(const char *path) GW_MUST_CHECK;
bool gw_track_is_named(const char *path); // the suffix is one of a track

// Pieces are in the genome's order and apart from each other; at least one has a value. The file appears whole or not
// at all.
gw_status gw_track_write(const char *path, const gw_genome *genome, const gw_track_piece *pieces,
                         int64_t count) GW_MUST_CHECK;

// What a track says of a region: the stretches that overlap it, by their begins.
typedef struct {
    int64_t begin, end; // 0-based half-open, bp
    double value;
} gw_track_value;
typedef struct {
    gw_track_value *items;
    int64_t count, capacity;
} gw_track_values;
// A file that knows no such contig has none. Names of contigs hold by alias too.
gw_status gw_track_read(const char *path, gw_genome *genome, const gw_region *region,
                        gw_track_values *values) GW_MUST_CHECK;
void gw_track_values_free(gw_track_values *values);
// Turns the signs of counts that a track holds as negative numbers, as those of - often do. *sign is that of the values
// before, 0 where all were 0; one of the other sign is an error.
gw_status gw_track_make_positive(const char *path, const gw_genome *genome, int contig, gw_track_values *values,
                                 int *sign) GW_MUST_CHECK;
// Adds the value of each of the bases [begin, end) to out[stride x its number]; backwards: from the last base on.
void gw_track_values_add(const gw_track_values *values, int64_t begin, int64_t end, bool backwards, float *out,
                         int64_t stride);

#endif
