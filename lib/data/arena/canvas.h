// SPDX-License-Identifier: MIT
// Grey pictures of 32 x 32 pixels that shapes are drawn into, each pixel by the share of it that a shape covers.
#ifndef GW_DATA_ARENA_CANVAS_H
#define GW_DATA_ARENA_CANVAS_H

#include "base/string.h"

#include <stdbool.h>

enum { GW_CANVAS = 32 };
typedef struct {
    double level[GW_CANVAS][GW_CANVAS]; // [y][x] 0 to 1
} gw_canvas;

typedef struct {
    double x, y; // in pixels, from the upper left corner
} gw_point;

// Whether a point is part of a shape.
typedef bool gw_inside(const void *shape, gw_point point);
// Blends `level` over what is there; `reach` are pixels around `middle` that hold all of the shape.
void gw_canvas_fill(gw_canvas *canvas, gw_inside *inside, const void *shape, gw_point middle, double reach,
                    double level);
// Appends the pixels, row by row, as numbers of 0 to 255 between blanks; what lies outside is cut.
void gw_canvas_put(const gw_canvas *canvas, gw_string *out);

double gw_point_distance(gw_point a, gw_point b);
// Of a point to what lies between a and b.
double gw_line_distance(gw_point a, gw_point b, gw_point point);

#endif
