// SPDX-License-Identifier: MIT
// Signals along a genome, as files for browsers and pyBigWig: bigWig (.bw, .bigwig), if the program was built with
// libBigWig, or bedGraph (.bedgraph, also .gz, which is BGZF).
#ifndef GW_SEQ_TRACK_TRACK_H
#define GW_SEQ_TRACK_TRACK_H

#include "base/status.h"
#include "seq/genome/genome.h"
#include "seq/genome/regions.h"

#include <stdbool.h>
#include <stdint.h>

// `count` stretches of `span` bp, end to end from `begin` (0-based), with a value each; NaN: no value.
typedef struct {
    int contig; // of the genome
    int64_t begin, span, count;
    const float *values;
} gw_track_piece;

// GW_OK if the program can write the format of this suffix. Call this before long work.
gw_status gw_track_check(const char *path) GW_MUST_CHECK;
bool gw_track_is_named(const char *path); // the suffix is that of a track

// Writes pieces, which must be in the genome's order and disjoint; at least one must have a value. The file appears
// whole or not at all.
gw_status gw_track_write(const char *path, const gw_genome *genome, const gw_track_piece *pieces,
                         int64_t count) GW_MUST_CHECK;

// The values of a track in a region: the stretches that overlap it, sorted by begin.
typedef struct {
    int64_t begin, end; // 0-based half-open, bp
    double value;
} gw_track_value;
typedef struct {
    gw_track_value *items;
    int64_t count, capacity;
} gw_track_values;
// A file without this contig gives no values. Aliases of contig names are allowed.
gw_status gw_track_read(const char *path, gw_genome *genome, const gw_region *region,
                        gw_track_values *values) GW_MUST_CHECK;
void gw_track_values_free(gw_track_values *values);
// Makes counts positive that a track holds as negative numbers, as tracks of the - strand often do. *sign is the sign
// of earlier values, 0 if all were 0; a value of the other sign is an error.
gw_status gw_track_make_positive(const char *path, const gw_genome *genome, int contig, gw_track_values *values,
                                 int *sign) GW_MUST_CHECK;
// Adds the value of each base in [begin, end) to out[stride x its number]; backwards: numbered from the last base.
void gw_track_values_add(const gw_track_values *values, int64_t begin, int64_t end, bool backwards, float *out,
                         int64_t stride);

#endif
