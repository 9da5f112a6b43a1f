// SPDX-License-Identifier: MIT
// Finds the two arrays by their axes, and converts groups of rows to packed rows.
#include "label/mat_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "label/row_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 4, MOST_SLAB_VALUES = 1 << 26 }; // 256 MB

static gw_status refuse(const gw_mat_file *file, const char *what) {
    char found[512]; // "trainxdata 4400000 x 4 x 1000, ..."
    size_t at = 0;
    if (file->count == 0) snprintf(found, sizeof found, "no array of two or three axes");
    for (int i = 0; i < file->count && at < sizeof found; i++) {
        const gw_mat_array *a = &file->arrays[i];
        at += (size_t)snprintf(found + at, sizeof found - at, "%s%s", i ? ", " : "", a->name);
        for (int d = 0; d < a->axes && at < sizeof found; d++)
            at += (size_t)snprintf(found + at, sizeof found - at, "%s%lld", d ? " x " : " ", (long long)a->size[d]);
    }
    return gw_fail(GW_ERR_FORMAT, "%s: %s; it has %s", file->path, what, found);
}

static int axis_of(const gw_mat_array *array, int64_t size) {
    for (int a = 0; a < array->axes; a++)
        if (array->size[a] == size) return a;
    return -1;
}

// The one array of so many axes (and of that name).
static gw_status find_array(const gw_mat_file *file, int axes, const char *name, const gw_mat_array **out) {
    const char *const what = axes == 2 ? "labels (an array of two axes)" : "windows (an array of three axes, one of 4)";
    char text[128];
    int found = 0;
    for (int i = 0; i < file->count; i++) {
        const gw_mat_array *a = &file->arrays[i];
        if (a->axes != axes || (name && strcmp(name, a->name) != 0)) continue;
        if (axes == GW_MAT_AXES && axis_of(a, CHANNELS) < 0) continue;
        *out = a;
        found++;
    }
    if (found == 1) return GW_OK;
    snprintf(text, sizeof text, found == 0 ? "it lacks %s%s%s" : "more than one array could be %s%s%s: name it", what,
             name ? " named " : "", name ? name : "");
    return refuse(file, text);
}

gw_status gw_mat_set_find(const gw_mat_file *file, const char *windows, const char *labels, gw_mat_set *set) {
    *set = (gw_mat_set){0};
    GW_TRY(find_array(file, GW_MAT_AXES, windows, &set->windows));
    GW_TRY(find_array(file, 2, labels, &set->labels));
    const gw_mat_array *w = set->windows, *l = set->labels;
    set->channel = axis_of(w, CHANNELS);
    int matches = 0;
    for (int a = 0; a < GW_MAT_AXES; a++) {
        for (int b = 0; b < 2; b++) {
            if (a == set->channel || w->size[a] != l->size[b]) continue;
            matches++;
            set->window_row = a;
            set->label_row = b;
        }
    }
    if (matches != 1)
        return refuse(file, matches == 0 ? "windows and labels share no axis, so none counts the examples"
                                         : "windows and labels share more than one axis: which counts the examples?");
    set->place = GW_MAT_AXES - set->channel - set->window_row;
    set->rows = w->size[set->window_row];
    set->bases = w->size[set->place];
    set->targets = l->size[1 - set->label_row];
    if (set->rows == 0 || set->bases == 0 || set->targets == 0) return refuse(file, "an axis is empty");
    GW_TRY(gw_mat_check_size(file, w));
    return gw_mat_check_size(file, l);
}

// A slab of rows of both arrays, as it lies in memory.
typedef struct {
    const gw_mat_file *file;
    const gw_mat_set *set;
    const char *channels;
    float *windows, *labels;
    int64_t first, count;                                // rows
    int64_t window_stride[GW_MAT_AXES], label_stride[2]; // values
    uint8_t *base_row, *label_row;
} slab;

static gw_status read_part(gw_mat_file *file, const gw_mat_array *array, int row_axis, const slab *s, int64_t *stride,
                           float *values) {
    int64_t first[GW_MAT_AXES] = {0}, size[GW_MAT_AXES], step = 1;
    first[row_axis] = s->first;
    for (int a = 0; a < array->axes; a++) {
        size[a] = a == row_axis ? s->count : array->size[a];
        stride[a] = step;
        step *= size[a];
    }
    return gw_mat_read(file, array, first, size, values);
}

static gw_status bad_value(const slab *s, const gw_mat_array *array, int64_t row, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s: %s, example %lld: %s", s->file->path, array->name,
                   (long long)(s->first + row + 1), what);
}

static gw_status pack_bases(slab *s, int64_t row) {
    const gw_mat_set *set = s->set;
    memset(s->base_row, 0, (size_t)gw_row_bytes(&gw_base_rows, set->bases));
    const float *values = s->windows + row * s->window_stride[set->window_row];
    for (int64_t i = 0; i < set->bases; i++) {
        int code = 4, ones = 0;
        for (int c = 0; c < CHANNELS; c++) {
            const float value = values[i * s->window_stride[set->place] + c * s->window_stride[set->channel]];
            if (value != 0 && value != 1) return bad_value(s, set->windows, row, "a channel is neither 0 nor 1");
            if (value == 0) continue;
            ones++;
            code = (int)(strchr("ACGT", s->channels[c]) - "ACGT");
        }
        if (ones > 1) return bad_value(s, set->windows, row, "a base has more than one channel of 1");
        gw_set_packed_base(s->base_row, i, code);
    }
    return GW_OK;
}

static gw_status pack_labels(slab *s, int64_t row, int64_t *positives) {
    const gw_mat_set *set = s->set;
    memset(s->label_row, 0, (size_t)gw_row_bytes(&gw_label_rows, set->targets));
    const float *values = s->labels + row * s->label_stride[set->label_row];
    for (int64_t t = 0; t < set->targets; t++) {
        const float value = values[t * s->label_stride[1 - set->label_row]];
        if (value != 0 && value != 1) return bad_value(s, set->labels, row, "a label is neither 0 nor 1");
        if (value == 0) continue;
        gw_set_label_bit(s->label_row, t);
        positives[t]++;
    }
    return GW_OK;
}

static gw_status write_slabs(gw_mat_file *file, slab *s, gw_row_writer *bases, gw_row_writer *labels,
                             int64_t *positives) {
    const gw_mat_set *set = s->set;
    const int64_t values = CHANNELS * set->bases + set->targets, fit = MOST_SLAB_VALUES / values;
    const int64_t most = gw_max(gw_min(fit, set->rows), 1);
    s->windows = gw_alloc(most * CHANNELS * set->bases, sizeof *s->windows);
    s->labels = gw_alloc(most * set->targets, sizeof *s->labels);
    s->base_row = gw_alloc(gw_row_bytes(&gw_base_rows, set->bases), 1);
    s->label_row = gw_alloc(gw_row_bytes(&gw_label_rows, set->targets), 1);
    if (!s->windows || !s->labels || !s->base_row || !s->label_row) return GW_ERR_MEMORY;
    for (s->first = 0; s->first < set->rows; s->first += s->count) {
        s->count = gw_min(set->rows - s->first, most);
        GW_TRY(read_part(file, set->windows, set->window_row, s, s->window_stride, s->windows));
        GW_TRY(read_part(file, set->labels, set->label_row, s, s->label_stride, s->labels));
        for (int64_t row = 0; row < s->count; row++) {
            GW_TRY(pack_bases(s, row));
            GW_TRY(pack_labels(s, row, positives));
            GW_TRY(gw_row_writer_add(bases, s->base_row));
            GW_TRY(gw_row_writer_add(labels, s->label_row));
        }
        GW_TRY(gw_check_interrupt());
        gw_progress("mat", s->first + s->count, set->rows, "windows", NULL);
    }
    return GW_OK;
}

gw_status gw_mat_set_write(gw_mat_file *file, const gw_mat_set *set, const char *channels, const char *prefix,
                           int64_t *positives) {
    slab s = {.file = file, .set = set, .channels = channels};
    char *base_path = gw_strprintf("%s.bases", prefix), *label_path = gw_strprintf("%s.labels", prefix);
    gw_row_writer *bases = NULL, *labels = NULL;
    gw_status status = base_path && label_path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_row_writer_open(base_path, &gw_base_rows, set->bases, &bases);
    if (status == GW_OK) status = gw_row_writer_open(label_path, &gw_label_rows, set->targets, &labels);
    if (status == GW_OK) status = write_slabs(file, &s, bases, labels, positives);
    gw_progress_end();
    if (status != GW_OK) {
        gw_row_writer_abandon(bases);
        gw_row_writer_abandon(labels);
    } else {
        status = gw_row_writer_close(bases);
        status = gw_first_failure(status, gw_row_writer_close(labels));
    }
    free(base_path);
    free(label_path);
    free(s.windows);
    free(s.labels);
    free(s.base_row);
    free(s.label_row);
    return status;
}
