// SPDX-License-Identifier: MIT
// Grey pictures of 32 x 32 pixels with drawn shapes. The grey of a pixel is the share that a shape covers.
#ifndef GW_DATA_ARENA_PICTURES_H
#define GW_DATA_ARENA_PICTURES_H

#include "base/random.h"
#include "base/string.h"

#include <stdbool.h>

enum { GW_CANVAS = 32 };
typedef struct {
    double level[GW_CANVAS][GW_CANVAS]; // [y][x] 0 to 1
} gw_canvas;

typedef struct {
    double x, y; // in pixels, from the upper left corner
} gw_point;

// Pathfinder (Linsley et al., 2018) at 32 x 32: two long dashed paths, short distracting paths, and two round marks.
// The label says whether both marks are at the ends of one path.

// Dashes of the long paths: 6, 9 and 14 in the published sets of this size. The other paths have a third of them.
enum { GW_PATH_LEAST = 3, GW_PATH_MOST = 14, GW_PATH_DISTRACTORS = 5, GW_PATHS = 2 + GW_PATH_DISTRACTORS };

typedef struct {
    gw_point from[GW_PATH_MOST], to[GW_PATH_MOST];
    int dashes;
} gw_path;

typedef struct {
    gw_path path[GW_PATHS]; // the two long paths first; a distractor that found no space has no dashes
    gw_point mark[2];
    bool joined;
} gw_pathfinder;

// Draws a picture with long paths of `dashes` dashes, GW_PATH_LEAST to GW_PATH_MOST.
void gw_pathfinder_draw(gw_random *random, int dashes, gw_pathfinder *out);
void gw_pathfinder_paint(const gw_pathfinder *of, gw_canvas *canvas);

// CIFAR-10 in its binary form: files of records with a class (0 to 9) and 3,072 bytes: red, green and blue of 32 x 32
// pixels.

enum { GW_CIFAR_FILES = 6, GW_CIFAR_IMAGES = 10000 }; // data_batch_1.bin to 5, test_batch.bin; images of each

// Whole files in memory. Zero-initialise; free.
typedef struct {
    char *bytes[GW_CIFAR_FILES];
} gw_cifar_files;

// A missing file, or a file of another size, is an error that names the file.
gw_status gw_cifar_open(const char *folder, gw_cifar_files *out) GW_MUST_CHECK;
void gw_cifar_free(gw_cifar_files *files);
// Image i of the five training files, or of the test file, as 1,024 grey values from 0 to 255 between blanks, and its
// class.
gw_status gw_cifar_read(const gw_cifar_files *files, bool test, int64_t i, gw_string *text,
                        gw_string *label) GW_MUST_CHECK;

#endif
