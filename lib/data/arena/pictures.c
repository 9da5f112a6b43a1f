// SPDX-License-Identifier: MIT
// Pictures of paths and of shapes, and those of CIFAR-10.
#include "data/arena/pictures.h"
#include "base/memory.h"
#include "base/output.h"
#include "data/arena/arena.h"

#include <math.h>
#include <stdlib.h>

// --- the canvas: a pixel's share is that of 4 x 4 points in it ------------------------------------------------------

enum { POINTS = 4 };

// Whether a point is part of a shape.
typedef bool inside_shape(const void *shape, gw_point point);

// Pixels from `low` on, below `high`.
static int low_pixel(double place) {
    return place > 0 ? (int)fmin(place, GW_CANVAS) : 0;
}
static int high_pixel(double place) {
    return place > 0 ? (int)fmin(ceil(place), GW_CANVAS) : 0;
}

// Blends `level` over what is there; `reach` are pixels around `middle` that hold all of the shape.
static void fill(gw_canvas *canvas, inside_shape *inside, const void *shape, gw_point middle, double reach,
                 double level) {
    for (int y = low_pixel(middle.y - reach); y < high_pixel(middle.y + reach); y++)
        for (int x = low_pixel(middle.x - reach); x < high_pixel(middle.x + reach); x++) {
            int count = 0;
            for (int i = 0; i < POINTS * POINTS; i++)
                count += inside(shape, (gw_point){x + (i % POINTS + 0.5) / POINTS, y + (i / POINTS + 0.5) / POINTS});
            const double share = (double)count / (POINTS * POINTS);
            canvas->level[y][x] += share * (level - canvas->level[y][x]);
        }
}

// Appends the pixels, row by row, as numbers of 0 to 255 between blanks; what lies outside is cut.
static void put_pixels(const gw_canvas *canvas, gw_string *out) {
    for (int i = 0; i < GW_CANVAS * GW_CANVAS; i++) {
        const double level = canvas->level[i / GW_CANVAS][i % GW_CANVAS];
        gw_string_printf(out, "%s%d", i > 0 ? " " : "", (int)lround(255 * fmin(fmax(level, 0), 1)));
    }
}

// Of a point to what lies between a and b.
static double line_distance(gw_point a, gw_point b, gw_point point) {
    const gw_point along = {b.x - a.x, b.y - a.y};
    const double square = along.x * along.x + along.y * along.y;
    const double share = square > 0 ? ((point.x - a.x) * along.x + (point.y - a.y) * along.y) / square : 0;
    const double at = fmin(fmax(share, 0), 1);
    return hypot(point.x - (a.x + at * along.x), point.y - (a.y + at * along.y));
}

// --- paths ----------------------------------------------------------------------------------------------------------
//
// Paths grow dash by dash: the next one begins a gap behind the end of the last, turned by a random angle, and keeps
// off all others. A path that finds no room is begun anew.

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
            if (line_distance(path->from[d], path->to[d], p) < clearance) return false;
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

typedef struct {
    gw_point from, to;
    double radius;
} stroke;

static bool in_stroke(const void *shape, gw_point point) {
    const stroke *s = shape;
    return line_distance(s->from, s->to, point) <= s->radius;
}

static void paint(gw_canvas *canvas, const stroke *s, double level) {
    const gw_point middle = {(s->from.x + s->to.x) / 2, (s->from.y + s->to.y) / 2};
    fill(canvas, in_stroke, s, middle, dash_length / 2 + s->radius, level);
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
    put_pixels(&canvas, &out->text);
    gw_string_puts(&out->label, drawn.joined ? "1" : "0");
    return GW_OK;
}

// --- CIFAR-10 -------------------------------------------------------------------------------------------------------
//
// Grey is 0.2989 red + 0.587 green + 0.114 blue, as the benchmark's pictures are.

enum { PIXELS = 32 * 32, RECORD = 1 + 3 * PIXELS, CLASSES = 10, TEST_FILE = GW_CIFAR_FILES - 1 };

gw_status gw_cifar_open(const char *folder, gw_cifar_files *out) {
    gw_status status = GW_OK;
    for (int f = 0; status == GW_OK && f < GW_CIFAR_FILES; f++) {
        char name[32];
        int64_t length = 0;
        snprintf(name, sizeof name, f == TEST_FILE ? "test_batch.bin" : "data_batch_%d.bin", f + 1);
        char *path = gw_join_path(folder, name);
        status = path ? gw_read_file(path, &out->bytes[f], &length) : GW_ERR_MEMORY;
        if (status == GW_OK && length != (int64_t)GW_CIFAR_IMAGES * RECORD)
            status = gw_fail(GW_ERR_FORMAT, "%s: %lld bytes, expected %lld of %d images", path, (long long)length,
                             (long long)GW_CIFAR_IMAGES * RECORD, GW_CIFAR_IMAGES);
        free(path);
    }
    return status;
}

void gw_cifar_free(gw_cifar_files *files) {
    for (int f = 0; f < GW_CIFAR_FILES; f++) free(files->bytes[f]);
    *files = (gw_cifar_files){0};
}

gw_status gw_cifar_read(const gw_cifar_files *files, bool test, int64_t i, gw_string *text, gw_string *label) {
    const int64_t f = test ? TEST_FILE : i / GW_CIFAR_IMAGES;
    if (f >= (test ? GW_CIFAR_FILES : TEST_FILE) || i >= (test ? 1 : TEST_FILE) * (int64_t)GW_CIFAR_IMAGES)
        return gw_fail(GW_ERR_RANGE, "this part of CIFAR-10 has no image %lld", (long long)i + 1);
    const unsigned char *record = (const unsigned char *)files->bytes[f] + i % GW_CIFAR_IMAGES * RECORD;
    if (record[0] >= CLASSES)
        return gw_fail(GW_ERR_FORMAT, "CIFAR-10: image %lld is of class %d, expected 0 to 9", (long long)i + 1,
                       record[0]);
    gw_string_printf(label, "%d", record[0]);
    for (int p = 0; p < PIXELS; p++) {
        const unsigned char *red = record + 1 + p;
        gw_string_printf(text, "%s%d", p > 0 ? " " : "",
                         (int)lround(0.2989 * red[0] + 0.587 * red[PIXELS] + 0.114 * red[2 * PIXELS]));
    }
    return GW_OK;
}

// --- shapes ---------------------------------------------------------------------------------------------------------
//
// Pictures of ten kinds of shapes, each of any size, place, turn and grey, with noise; or those of CIFAR-10.

enum { DISC, RING, SQUARE, FRAME, TRIANGLE, CROSS, BAR, CRESCENT, STAR, STRIPES, KINDS };

// Whether a point is part of a shape of size 1 around 0, which is not turned.
static bool in_shape(int kind, gw_point p) {
    const double radius = hypot(p.x, p.y), x = fabs(p.x), y = fabs(p.y), square = fmax(x, y);
    switch (kind) {
    case DISC: return radius <= 0.8;
    case RING: return radius <= 0.9 && radius >= 0.5;
    case SQUARE: return square <= 0.7;
    case FRAME: return square <= 0.75 && square >= 0.4;
    case TRIANGLE: return p.y <= 0.6 && p.y >= 1.7 * x - 0.9;
    case CROSS: return square <= 0.9 && fmin(x, y) <= 0.25;
    case BAR: return x <= 1 && y <= 0.25;
    case CRESCENT: return radius <= 0.9 && hypot(p.x - 0.4, p.y) >= 0.75;
    case STAR: return radius <= 0.6 + 0.35 * cos(5 * atan2(p.y, p.x));
    default: return square <= 0.8 && fmod(y + 0.2, 0.8) <= 0.4;
    }
}

typedef struct {
    int kind;
    gw_point middle;
    double size, cosine, sine;
} placed;

static bool in_placed(const void *shape, gw_point point) {
    const placed *s = shape;
    const double x = (point.x - s->middle.x) / s->size, y = (point.y - s->middle.y) / s->size;
    return in_shape(s->kind, (gw_point){x * s->cosine + y * s->sine, y * s->cosine - x * s->sine});
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
    fill(canvas, in_placed, &shape, middle, 1.3 * size, level);
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
    put_pixels(&canvas, &out->text);
    return GW_OK;
}
