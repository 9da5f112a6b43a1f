// SPDX-License-Identifier: MIT
// The curves of a run: each point is the mean over a stretch of steps, so that long runs stay readable.
#include "tools/loss_picture.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "tools/picture.h"

#include <stdlib.h>
#include <string.h>

enum { CURVES = 3, MOST_POINTS = 400 };
static const char *const fields[CURVES] = {"mlm_loss", "nsp_loss", "valid_mlm_loss"};
static const char *const names[CURVES] = {"masked tokens", "next sentence", "masked tokens, validation"};

typedef struct {
    double *x, *y;
    int64_t count, capacity_x, capacity_y;
} curve;

static gw_status add_point(curve *c, double x, double y) {
    GW_TRY(gw_reserve(&c->x, &c->capacity_x, c->count + 1, sizeof *c->x));
    GW_TRY(gw_reserve(&c->y, &c->capacity_y, c->count + 1, sizeof *c->y));
    c->x[c->count] = x;
    c->y[c->count++] = y;
    return GW_OK;
}

static gw_status add_row(curve *curves, const json_t *row) {
    const double tokens = json_number_value(json_object_get(row, "total_tokens"));
    for (int i = 0; i < CURVES; i++) {
        const json_t *value = json_object_get(row, fields[i]);
        if (value) GW_TRY(add_point(&curves[i], tokens, json_number_value(value)));
    }
    return GW_OK;
}

static gw_status read_rows(curve *curves, const char *text, int64_t length, const char *path) {
    for (const char *line = text, *end; (end = memchr(line, '\n', (size_t)(text + length - line))); line = end + 1) {
        json_t *row = json_loadb(line, (size_t)(end - line), 0, NULL);
        if (!row) return gw_fail(GW_ERR_FORMAT, "%s: a line is not JSON", path);
        const gw_status status = add_row(curves, row);
        json_decref(row);
        GW_TRY(status);
    }
    return GW_OK;
}

// Means over stretches of equally many points, in place.
static void thin(curve *c) {
    const int64_t stretch = (c->count + MOST_POINTS - 1) / MOST_POINTS;
    int64_t points = 0;
    for (int64_t begin = 0; stretch > 1 && begin < c->count; begin += stretch, points++) {
        const int64_t end = begin + stretch < c->count ? begin + stretch : c->count;
        double x = 0, y = 0;
        for (int64_t i = begin; i < end; i++) {
            x += c->x[i];
            y += c->y[i];
        }
        c->x[points] = x / (double)(end - begin);
        c->y[points] = y / (double)(end - begin);
    }
    if (stretch > 1) c->count = points;
}

gw_status gw_draw_losses(const char *metrics, const char *picture) {
    curve curves[CURVES] = {0};
    gw_picture_series series[CURVES];
    char *text;
    int64_t length;
    int count = 0;
    GW_TRY(gw_read_file(metrics, &text, &length));
    gw_status status = read_rows(curves, text, length, metrics);
    for (int i = 0; status == GW_OK && i < CURVES; i++) {
        thin(&curves[i]);
        if (curves[i].count > 0)
            series[count++] = (gw_picture_series){names[i], curves[i].x, curves[i].y, curves[i].count};
    }
    if (status == GW_OK && count > 0)
        status = gw_picture_lines(picture, "Pretraining", "tokens", "loss (nats)", series, count);
    for (int i = 0; i < CURVES; i++) {
        free(curves[i].x);
        free(curves[i].y);
    }
    free(text);
    return status;
}
