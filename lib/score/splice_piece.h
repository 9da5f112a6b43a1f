// SPDX-License-Identifier: MIT
// Rows of the levels of a stretch of REF and of alleles of it, wherever they are kept. Private to splice_exact.c.
//
// All levels of REF are in memory. Of an allele, whose levels are made one after another, two are: convolution k reads
// level k and, in a residual unit, adds to level k - 1 what makes level k + 1.
#ifndef GW_SCORE_SPLICE_PIECE_H
#define GW_SCORE_SPLICE_PIECE_H

#include "network/base_network.h"
#include "score/splice_cone.h"

typedef struct {
    const gw_labelling_window *window;
    bool is_ref;
    int64_t letters;                // of an allele: place of its `put` bases in the memory for them
    gw_splice_change change;        // of an allele
    gw_splice_range all, last;      // rows that are kept of any level, and those of the last one that are computed
    float *level[GW_SPLICE_LEVELS]; // [rows of all][width]; of an allele those of one parity are the same
    float *sum;                     // of skips: [rows of last][width]
} gw_splice_piece;

// Rows [begin, end) of a level to be computed.
gw_splice_range gw_splice_piece_rows(const gw_splice_layers *layers, const gw_splice_piece *piece, int level);
// Where a row of a level is kept that was computed.
float *gw_splice_piece_row(const gw_splice_layers *layers, const gw_splice_piece *piece, int level, int64_t row);
// Rows of a level, those that an allele does not change from REF.
void gw_splice_piece_copy(const gw_splice_layers *layers, const gw_splice_piece *ref, const gw_splice_piece *piece,
                          int level, gw_splice_range rows, float *to);
// Where the classes of a row go, of `count` rows that are read from `first` on.
float *gw_splice_piece_classes(const gw_splice_piece *piece, int64_t first, int64_t count, int64_t row,
                               int64_t classes);

#endif
