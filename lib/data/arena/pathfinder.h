// SPDX-License-Identifier: MIT
// Pathfinder (Linsley et al., 2018) at 32 x 32: two long dashed paths, short ones that distract, and two round marks.
// The label is whether both marks stand at the ends of one path.
#ifndef GW_DATA_ARENA_PATHFINDER_H
#define GW_DATA_ARENA_PATHFINDER_H

#include "base/random.h"
#include "data/arena/canvas.h"

// Dashes of the long paths: the published sets at this size have 6, 9 and 14; the others have a third of them.
enum { GW_PATH_LEAST = 3, GW_PATH_MOST = 14, GW_PATH_DISTRACTORS = 5, GW_PATHS = 2 + GW_PATH_DISTRACTORS };

typedef struct {
    gw_point from[GW_PATH_MOST], to[GW_PATH_MOST];
    int dashes;
} gw_path;

typedef struct {
    gw_path path[GW_PATHS]; // the two long ones first; a distractor that found no room has no dashes
    gw_point mark[2];
    bool joined;
} gw_pathfinder;

// With long paths of so many dashes, GW_PATH_LEAST to GW_PATH_MOST.
void gw_pathfinder_draw(gw_random *random, int dashes, gw_pathfinder *out);
void gw_pathfinder_paint(const gw_pathfinder *of, gw_canvas *canvas);

#endif
