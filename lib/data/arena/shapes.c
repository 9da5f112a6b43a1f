// SPDX-License-Identifier: MIT
// Pictures of ten kinds of shapes, each of any size, place, turn and grey, with noise; or those of CIFAR-10.
#include "data/arena/arena.h"
#include "data/arena/canvas.h"

#include <math.h>

// A point of a shape of size 1 around 0, which is not turned.
static double radius(gw_point p) {
    return hypot(p.x, p.y);
}
static double square(gw_point p) {
    return fmax(fabs(p.x), fabs(p.y));
}
static bool in_disc(gw_point p) {
    return radius(p) <= 0.8;
}
static bool in_ring(gw_point p) {
    return radius(p) <= 0.9 && radius(p) >= 0.5;
}
static bool in_square(gw_point p) {
    return square(p) <= 0.7;
}
static bool in_frame(gw_point p) {
    return square(p) <= 0.75 && square(p) >= 0.4;
}
static bool in_triangle(gw_point p) {
    return p.y <= 0.6 && p.y >= 1.7 * fabs(p.x) - 0.9;
}
static bool in_cross(gw_point p) {
    return square(p) <= 0.9 && fmin(fabs(p.x), fabs(p.y)) <= 0.25;
}
static bool in_bar(gw_point p) {
    return fabs(p.x) <= 1 && fabs(p.y) <= 0.25;
}
static bool in_crescent(gw_point p) {
    return radius(p) <= 0.9 && radius((gw_point){p.x - 0.4, p.y}) >= 0.75;
}
static bool in_star(gw_point p) {
    return radius(p) <= 0.6 + 0.35 * cos(5 * atan2(p.y, p.x));
}
static bool in_stripes(gw_point p) {
    return square(p) <= 0.8 && fmod(fabs(p.y) + 0.2, 0.8) <= 0.4;
}

static bool (*const kinds[])(gw_point) = {in_disc,  in_ring, in_square,   in_frame, in_triangle,
                                          in_cross, in_bar,  in_crescent, in_star,  in_stripes};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct {
    int kind;
    gw_point middle;
    double size, cosine, sine;
} placed;

static bool in_placed(const void *shape, gw_point point) {
    const placed *s = shape;
    const double x = (point.x - s->middle.x) / s->size, y = (point.y - s->middle.y) / s->size;
    return kinds[s->kind]((gw_point){x * s->cosine + y * s->sine, y * s->cosine - x * s->sine});
}

static double between(gw_random *random, double low, double high) {
    return low + (high - low) * gw_random_uniform(random);
}

static void draw(gw_random *random, int kind, gw_canvas *canvas) {
    static const double least_contrast = 0.2, noise = 0.08;
    const double size = between(random, 5, 11), angle = between(random, 0, 2 * M_PI);
    const gw_point middle = {between(random, size, GW_CANVAS - size), between(random, size, GW_CANVAS - size)};
    const placed shape = {kind, middle, size, cos(angle), sin(angle)};
    const double ground = gw_random_uniform(random);
    double level;
    do level = gw_random_uniform(random);
    while (fabs(level - ground) < least_contrast);
    for (int i = 0; i < GW_CANVAS * GW_CANVAS; i++) canvas->level[i / GW_CANVAS][i % GW_CANVAS] = ground;
    gw_canvas_fill(canvas, in_placed, &shape, middle, 1.3 * size, level);
    for (int i = 0; i < GW_CANVAS * GW_CANVAS; i++)
        canvas->level[i / GW_CANVAS][i % GW_CANVAS] += noise * gw_random_normal(random);
}

// Kinds take turns, so that a split has as many of each.
gw_status gw_shapes_make(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                         gw_arena_example *out) {
    gw_canvas canvas;
    if (source->cifar) return gw_cifar_read(&source->images, split == GW_ARENA_TEST, i, &out->text, &out->label);
    draw(random, (int)(i % KINDS), &canvas);
    gw_string_printf(&out->label, "%d", (int)(i % KINDS));
    gw_canvas_put(&canvas, &out->text);
    return GW_OK;
}
