// SPDX-License-Identifier: MIT
// A pixel's share is that of 4 x 4 points in it.
#include "data/arena/canvas.h"

#include <math.h>

enum { POINTS = 4 };

static double covered(gw_inside *inside, const void *shape, int x, int y) {
    int count = 0;
    for (int i = 0; i < POINTS * POINTS; i++) {
        const gw_point point = {x + (i % POINTS + 0.5) / POINTS, y + (i / POINTS + 0.5) / POINTS};
        count += inside(shape, point);
    }
    return (double)count / (POINTS * POINTS);
}

// Pixels from `low` on, below `high`.
static int low_pixel(double place) {
    return place > 0 ? (int)fmin(place, GW_CANVAS) : 0;
}
static int high_pixel(double place) {
    return place > 0 ? (int)fmin(ceil(place), GW_CANVAS) : 0;
}

void gw_canvas_fill(gw_canvas *canvas, gw_inside *inside, const void *shape, gw_point middle, double reach,
                    double level) {
    for (int y = low_pixel(middle.y - reach); y < high_pixel(middle.y + reach); y++)
        for (int x = low_pixel(middle.x - reach); x < high_pixel(middle.x + reach); x++) {
            const double share = covered(inside, shape, x, y);
            canvas->level[y][x] += share * (level - canvas->level[y][x]);
        }
}

void gw_canvas_put(const gw_canvas *canvas, gw_string *out) {
    for (int i = 0; i < GW_CANVAS * GW_CANVAS; i++) {
        const double level = canvas->level[i / GW_CANVAS][i % GW_CANVAS];
        gw_string_printf(out, "%s%d", i > 0 ? " " : "", (int)lround(255 * fmin(fmax(level, 0), 1)));
    }
}

double gw_point_distance(gw_point a, gw_point b) {
    return hypot(a.x - b.x, a.y - b.y);
}

double gw_line_distance(gw_point a, gw_point b, gw_point point) {
    const gw_point along = {b.x - a.x, b.y - a.y};
    const double square = along.x * along.x + along.y * along.y;
    const double share = square > 0 ? ((point.x - a.x) * along.x + (point.y - a.y) * along.y) / square : 0;
    const double at = fmin(fmax(share, 0), 1);
    return gw_point_distance(point, (gw_point){a.x + at * along.x, a.y + at * along.y});
}
