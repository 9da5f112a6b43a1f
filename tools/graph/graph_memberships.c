// SPDX-License-Identifier: MIT
// Y and Z, turned so that tokens go from left to right, as one map.
#include "tools/graph/graph_parts.h"

#include "base/memory.h"
#include "tools/picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEIGHT = 640, LEAST = 3, MOST = 16, NAME = 16 }; // points of the picture and of a row

typedef char row_name[NAME];

// Every row has a name where there is room for it, others each eighth.
static void name_rows(int64_t clusters, bool all, row_name *name, const char **label) {
    for (int64_t r = 0; r < 2 * clusters; r++) {
        const int64_t cluster = r % clusters;
        if (all || cluster % 8 == 0)
            snprintf(name[r], sizeof name[r], "%c %lld", r < clusters ? 'Y' : 'Z', (long long)cluster);
        label[r] = name[r];
    }
}

static void turn(const float *from, int64_t tokens, int64_t clusters, float *to) {
    for (int64_t i = 0; i < tokens; i++)
        for (int64_t c = 0; c < clusters; c++) to[c * tokens + i] = from[i * clusters + c];
}

gw_status gw_memberships_picture(const char *path, int layer, int head, const gw_memberships *m) {
    const int64_t clusters = m->clusters, rows = 2 * clusters;
    const double height = fmin(fmax(HEIGHT / (double)rows, LEAST), MOST);
    float *value = gw_alloc(rows * m->tokens, sizeof *value);
    row_name *name = gw_alloc(rows, sizeof *name);
    const char **label = gw_alloc(rows, sizeof *label);
    char *title = gw_strprintf("Memberships in %d clusters: layer %d, head %d", m->clusters, layer, head);
    gw_status status = GW_ERR_MEMORY;
    if (value && name && label && title) {
        turn(m->query, m->tokens, clusters, value);
        turn(m->key, m->tokens, clusters, value + clusters * m->tokens);
        name_rows(clusters, height == MOST, name, label);
        status = gw_picture_map(path, &(gw_picture_matrix){.title = title,
                                                           .x_label = "token",
                                                           .value_label = "membership",
                                                           .rows = rows,
                                                           .columns = m->tokens,
                                                           .value = value,
                                                           .row_label = label,
                                                           .row_height = height});
    }
    free(value);
    free(name);
    free((void *)label);
    free(title);
    return status;
}
