// SPDX-License-Identifier: MIT
// The curves of a run: each point is the mean over a range of steps, so that long runs stay readable.
#include "tools/picture/loss_picture.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "tools/picture/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CURVES = 16, PANELS = 3, MOST_POINTS = 400 };

// What lines of metrics may have. Panels without a point are left out.
static const char *const labels[PANELS] = {"loss (nats)", "mean over targets", "density of sampled graphs"};
static const struct {
    const char *field, *name;
    int panel;
    gw_curve_style style;
} rows[CURVES] = {
    {"mlm_loss", "masked tokens", 0, GW_CURVE_LINE},
    {"nsp_loss", "next sentence", 0, GW_CURVE_LINE},
    {"valid_mlm_loss", "masked tokens, validation", 0, GW_CURVE_LINE},
    {"train_loss", "training", 0, GW_CURVE_LINE},
    {"valid_loss", "validation", 0, GW_CURVE_LINE},
    {"chance_loss", "label frequencies alone", 0, GW_CURVE_DASHES},
    {"valid_auroc", "AUROC, validation", 1, GW_CURVE_LINE},
    {"valid_auprc", "AUPRC, validation", 1, GW_CURVE_LINE},
    {"baseline_auroc", "AUROC, k-mers", 1, GW_CURVE_DASHES},
    {"baseline_auprc", "AUPRC, k-mers", 1, GW_CURVE_DASHES},
    {"valid_mse", "squared error, validation", 0, GW_CURVE_LINE},
    {"valid_pearson", "Pearson, validation", 1, GW_CURVE_LINE},
    {"baseline_pearson", "Pearson, 5-mers", 1, GW_CURVE_DASHES},
    {"least_density", "sparsest head", 2, GW_CURVE_LINE},
    {"mean_density", "mean of all heads", 2, GW_CURVE_LINE},
    {"most_density", "densest head", 2, GW_CURVE_LINE},
};

typedef struct {
    double *x, *y;
    int64_t count, capacity_x, capacity_y;
} curve;

typedef struct {
    curve curves[CURVES];
    bool epochs;      // the x axis is of epochs; runs of old metrics have tokens alone
    double kept;      // where the weights that were kept stand on it; NaN: the last ones are the model
    char *kept_label; // "kept: epoch 4"
} run_curves;

// The densities of all heads of all layers, which a line lists, as fields of their own.
static void spread_density(json_t *row) {
    const json_t *layers = json_object_get(row, "density");
    const size_t layer_count = json_array_size(layers), heads = json_array_size(json_array_get(layers, 0));
    double sum = 0, least = 1, most = 0;
    for (size_t l = 0; l < layer_count; l++)
        for (size_t h = 0; h < heads; h++) {
            const double density = json_number_value(json_array_get(json_array_get(layers, l), h));
            sum += density;
            least = density < least ? density : least;
            most = density > most ? density : most;
        }
    if (layer_count * heads == 0) return;
    json_object_set_new(row, "least_density", json_real(least));
    json_object_set_new(row, "mean_density", json_real(sum / (double)(layer_count * heads)));
    json_object_set_new(row, "most_density", json_real(most));
}

static gw_status add_row(run_curves *run, const json_t *row) {
    const double at = json_number_value(json_object_get(row, run->epochs ? "epoch" : "total_tokens"));
    for (int i = 0; i < CURVES; i++) {
        const json_t *value = json_object_get(row, rows[i].field);
        if (!value) continue;
        curve *c = &run->curves[i];
        GW_TRY(gw_reserve(&c->x, &c->capacity_x, c->count + 1, sizeof *c->x));
        GW_TRY(gw_reserve(&c->y, &c->capacity_y, c->count + 1, sizeof *c->y));
        c->x[c->count] = at;
        c->y[c->count++] = json_number_value(value);
    }
    if (json_is_true(json_object_get(row, "kept"))) run->kept = at;
    return GW_OK;
}

static gw_status read_rows(run_curves *run, const char *text, int64_t length, const char *path) {
    for (const char *line = text, *end; (end = memchr(line, '\n', (size_t)(text + length - line))); line = end + 1) {
        json_t *row = json_loadb(line, (size_t)(end - line), 0, NULL);
        if (!row) return gw_fail(GW_ERR_FORMAT, "%s: a line is not JSON", path);
        spread_density(row);
        if (line == text) run->epochs = json_object_get(row, "epoch") != NULL;
        const gw_status status = add_row(run, row);
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

// The panels that have points; series is room for all curves.
static gw_status draw_panels(run_curves *run, const char *title, const char *picture) {
    curve *curves = run->curves;
    gw_picture_series series[CURVES];
    gw_picture_panel panels[PANELS];
    int drawn = 0, count = 0;
    double epochs = 0;
    for (int i = 0; i < CURVES; i++)
        if (curves[i].count > 0) epochs = fmax(epochs, curves[i].x[curves[i].count - 1]);
    for (int p = 0; p < PANELS; p++) {
        const int first = count;
        for (int i = 0; i < CURVES; i++) {
            if (rows[i].panel != p || curves[i].count == 0) continue;
            thin(&curves[i]);
            series[count++] = (gw_picture_series){.name = rows[i].name,
                                                  .x = curves[i].x,
                                                  .y = curves[i].y,
                                                  .count = curves[i].count,
                                                  .style = rows[i].style};
        }
        if (count == first) continue;
        panels[drawn] = (gw_picture_panel){drawn == 0 ? title : NULL,
                                           run->epochs ? "epochs" : "tokens",
                                           labels[p],
                                           .series = series + first,
                                           .count = count - first,
                                           .whole_x = run->epochs && epochs >= 2, // a run of one has ticks within it
                                           .line = run->kept,
                                           .line_label = run->kept_label};
        drawn++;
    }
    return drawn > 0 ? gw_picture_panels(picture, panels, drawn) : GW_OK;
}

gw_status gw_draw_metrics(const char *metrics, const char *title, const char *picture) {
    run_curves run = {.kept = NAN};
    char *text;
    int64_t length;
    GW_TRY(gw_read_file(metrics, &text, &length));
    gw_status status = read_rows(&run, text, length, metrics);
    if (status == GW_OK && isfinite(run.kept)) {
        run.kept_label = gw_strprintf(run.epochs ? "kept: epoch %.3g" : "kept: after %.0f tokens", run.kept);
        if (!run.kept_label) status = GW_ERR_MEMORY;
    }
    if (status == GW_OK) status = draw_panels(&run, title, picture);
    for (int i = 0; i < CURVES; i++) {
        free(run.curves[i].x);
        free(run.curves[i].y);
    }
    free(run.kept_label);
    free(text);
    return status;
}

static bool newer(const char *a, const char *b) {
    struct stat x, y;
    if (stat(a, &x) != 0 || stat(b, &y) != 0) return true;
    return x.st_mtim.tv_sec != y.st_mtim.tv_sec ? x.st_mtim.tv_sec > y.st_mtim.tv_sec
                                                : x.st_mtim.tv_nsec > y.st_mtim.tv_nsec;
}

// A picture that is as new as the metrics belongs to a finished run.
gw_status gw_draw_run(const char *model, const char *title) {
    char *metrics = gw_join_path(model, "metrics.jsonl"), *picture = gw_join_path(model, "loss.png");
    gw_status status = metrics && picture ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && newer(metrics, picture)) status = gw_draw_metrics(metrics, title, picture);
    free(metrics);
    free(picture);
    return status;
}
