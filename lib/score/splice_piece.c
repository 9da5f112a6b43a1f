// SPDX-License-Identifier: MIT
// Copies rows together from where they are.
#include "score/splice_piece.h"

#include <string.h>

gw_splice_range gw_splice_piece_rows(const gw_splice_layers *layers, const gw_splice_piece *piece, int level) {
    if (!piece->is_ref) return gw_splice_cone(layers, &piece->change, level);
    return (gw_splice_range){layers->reach[level], piece->window->length - layers->reach[level]};
}

float *gw_splice_piece_row(const gw_splice_layers *layers, const gw_splice_piece *piece, int level, int64_t row) {
    return piece->level[level] + (row - piece->all.begin) * layers->width;
}

static float *copy(const gw_splice_layers *layers, const gw_splice_piece *from, int level, int64_t begin, int64_t end,
                   float *to) {
    if (begin >= end) return to;
    const int64_t count = (end - begin) * layers->width;
    memcpy(to, gw_splice_piece_row(layers, from, level, begin), (size_t)count * sizeof *to);
    return to + count;
}

void gw_splice_piece_copy(const gw_splice_layers *layers, const gw_splice_piece *ref, const gw_splice_piece *piece,
                          int level, gw_splice_range rows, float *to) {
    if (piece->is_ref) {
        copy(layers, ref, level, rows.begin, rows.end, to);
        return;
    }
    const gw_splice_range felt = gw_splice_felt(layers, &piece->change, level);
    const int64_t moved = piece->change.removed - piece->change.put;
    const int64_t left = felt.begin < rows.end ? felt.begin : rows.end;
    const int64_t right = felt.end > rows.begin ? felt.end : rows.begin;
    to = copy(layers, ref, level, rows.begin, left, to);
    to = copy(layers, piece, level, left > rows.begin ? left : rows.begin, right < rows.end ? right : rows.end, to);
    copy(layers, ref, level, right + moved, rows.end + moved, to);
}

float *gw_splice_piece_classes(const gw_splice_piece *piece, int64_t first, int64_t count, int64_t row,
                               int64_t classes) {
    const int64_t at = piece->window->strand == '-' ? count - 1 - (row - first) : row - first;
    return piece->window->rows + at * classes;
}
