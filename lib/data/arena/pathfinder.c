// SPDX-License-Identifier: MIT
// Paths grow dash by dash: the next one begins a gap behind the end of the last, turned by a random angle, and keeps
// off all others. A path that finds no room is begun anew.
#include "data/arena/pathfinder.h"

#include "data/arena/arena.h"

#include <math.h>

// Pixels, and radians of a turn; at most so many tries of a dash and of a path.
static const double dash_length = 2, dash_width = 0.5, gap = 1, clearance = 1.5, padding = 1, begins_within = 7,
                    largest_turn = 1, mark_radius = 1.5, dash_level = 0.75;
enum { DASH_TRIES = 3, PATH_TRIES = 4, DASH_POINTS = 5 };

static double between(gw_random *random, double low, double high) {
    return low + (high - low) * gw_random_uniform(random);
}

static gw_point towards(gw_point from, double angle, double length) {
    return (gw_point){from.x + length * cos(angle), from.y + length * sin(angle)};
}

static bool is_within(gw_point p) {
    return fmin(p.x, p.y) >= padding && fmax(p.x, p.y) <= GW_CANVAS - padding;
}

// Whether a dash keeps off the first `dashes` of a path.
static bool keeps_off(const gw_path *path, int dashes, gw_point from, gw_point to) {
    for (int d = 0; d < dashes; d++)
        for (int i = 0; i < DASH_POINTS; i++) {
            const double share = (double)i / (DASH_POINTS - 1);
            const gw_point p = {from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
            if (gw_line_distance(path->from[d], path->to[d], p) < clearance) return false;
        }
    return true;
}

// Of its own path a dash may touch the last one, behind which it begins.
static bool has_room(const gw_pathfinder *of, int path, gw_point from, gw_point to) {
    bool free = is_within(from) && is_within(to);
    for (int p = 0; free && p <= path; p++) free = keeps_off(&of->path[p], of->path[p].dashes - (p == path), from, to);
    return free;
}

static bool add_dash(gw_random *random, gw_pathfinder *of, int p, double *angle) {
    gw_path *path = &of->path[p];
    const double before = *angle;
    for (int t = 0; t < DASH_TRIES; t++) {
        *angle = before + between(random, -largest_turn, largest_turn);
        const gw_point from = towards(path->to[path->dashes - 1], *angle, gap), to = towards(from, *angle, dash_length);
        if (!has_room(of, p, from, to)) continue;
        path->from[path->dashes] = from;
        path->to[path->dashes++] = to;
        return true;
    }
    return false;
}

// Of so many dashes, the first of which begins at `from`.
static bool grow(gw_random *random, gw_pathfinder *of, int p, int dashes, gw_point from) {
    gw_path *path = &of->path[p];
    double angle = between(random, 0, 2 * M_PI);
    *path = (gw_path){0};
    const gw_point to = towards(from, angle, dash_length);
    if (!has_room(of, p, from, to)) return false;
    path->from[0] = from;
    path->to[0] = to;
    path->dashes = 1;
    while (path->dashes < dashes)
        if (!add_dash(random, of, p, &angle)) {
            *path = (gw_path){0};
            return false;
        }
    return true;
}

static gw_point anywhere(gw_random *random) {
    return (gw_point){between(random, padding, GW_CANVAS - padding), between(random, padding, GW_CANVAS - padding)};
}

// Both long paths, which begin near each other; false where they found no room.
static bool grow_long(gw_random *random, int dashes, gw_pathfinder *of) {
    const gw_point first = anywhere(random);
    *of = (gw_pathfinder){0};
    if (!grow(random, of, 0, dashes, first)) return false;
    for (int t = 0; t < PATH_TRIES; t++) {
        const gw_point second = towards(first, between(random, 0, 2 * M_PI), between(random, clearance, begins_within));
        if (grow(random, of, 1, dashes, second)) return true;
    }
    return false;
}

void gw_pathfinder_draw(gw_random *random, int dashes, gw_pathfinder *out) {
    while (!grow_long(random, dashes, out)) {
    }
    for (int p = 2; p < GW_PATHS; p++)
        for (int t = 0; t < PATH_TRIES && out->path[p].dashes == 0; t++)
            grow(random, out, p, dashes / 3, anywhere(random));
    const int begins = (int)gw_random_below(random, 2);
    out->joined = gw_random_below(random, 2) == 1;
    const int ends = out->joined ? begins : 1 - begins;
    out->mark[0] = out->path[begins].from[0];
    out->mark[1] = out->path[ends].to[dashes - 1];
}

// --- painting ------------------------------------------------------------------------------------------------------

typedef struct {
    gw_point from, to;
    double radius;
} stroke;

static bool in_stroke(const void *shape, gw_point point) {
    const stroke *s = shape;
    return gw_line_distance(s->from, s->to, point) <= s->radius;
}

static void paint(gw_canvas *canvas, const stroke *s, double level) {
    const gw_point middle = {(s->from.x + s->to.x) / 2, (s->from.y + s->to.y) / 2};
    gw_canvas_fill(canvas, in_stroke, s, middle, dash_length / 2 + s->radius, level);
}

void gw_pathfinder_paint(const gw_pathfinder *of, gw_canvas *canvas) {
    *canvas = (gw_canvas){0};
    for (int p = 0; p < GW_PATHS; p++)
        for (int d = 0; d < of->path[p].dashes; d++)
            paint(canvas, &(stroke){of->path[p].from[d], of->path[p].to[d], dash_width / 2}, dash_level);
    for (int m = 0; m < 2; m++) paint(canvas, &(stroke){of->mark[m], of->mark[m], mark_radius}, 1);
}

gw_status gw_pathfinder_make(gw_arena_source *source, gw_arena_split split, int64_t i, gw_random *random,
                             gw_arena_example *out) {
    gw_pathfinder drawn;
    gw_canvas canvas;
    (void)split, (void)i;
    gw_pathfinder_draw(random, source->dashes, &drawn);
    gw_pathfinder_paint(&drawn, &canvas);
    gw_canvas_put(&canvas, &out->text);
    gw_string_puts(&out->label, drawn.joined ? "1" : "0");
    return GW_OK;
}
