// SPDX-License-Identifier: MIT
// Sorted signals, and reading and writing of their rows.
#include "score/activity.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void gw_activity_free(gw_activity *activity) {
    free(activity->signals);
    *activity = (gw_activity){0};
}

gw_status gw_activity_make(int64_t tracks, int64_t places, gw_activity *out) {
    *out = (gw_activity){.tracks = tracks, .places = places};
    out->signals = gw_alloc(tracks * places, sizeof *out->signals);
    return out->signals ? GW_OK : GW_ERR_MEMORY;
}

static int ascending(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void gw_activity_sort(gw_activity *activity) {
    const int64_t places = activity->places;
    for (int64_t t = 0; t < activity->tracks; t++)
        qsort(activity->signals + t * places, (size_t)places, sizeof *activity->signals, ascending);
}

double gw_activity_quantile(const gw_activity *activity, int64_t track, float signal) {
    const float *sorted = activity->signals + track * activity->places;
    if (activity->places < GW_ACTIVITY_LEAST || !isfinite(signal)) return (double)NAN;
    const int64_t below = GW_FIRST_NOT(i, activity->places, sorted[i] < signal);
    return (double)below / (double)activity->places;
}

// ---- rows

static void mean_of(const float *values, int64_t count, double *mean, double *sd) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; i++) sum += (double)values[i];
    *mean = sum / (double)count;
    for (int64_t i = 0; i < count; i++) squares += ((double)values[i] - *mean) * ((double)values[i] - *mean);
    *sd = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

gw_status gw_activity_write(const gw_activity *activity, const gw_config *config, gw_text_writer *out) {
    const int64_t places = activity->places;
    for (int64_t t = 0; t < activity->tracks; t++) {
        const float *sorted = activity->signals + t * places;
        double mean, sd;
        mean_of(sorted, places, &mean, &sd);
        GW_TRY(gw_writer_printf(out, "%" PRId64 "\t%s\t%.9g\t%.9g\t", t,
                                config->label_names ? config->label_names[t] : ".", mean, sd));
        for (int64_t i = 0, next; i < places; i = next) {
            for (next = i + 1; next < places && sorted[next] == sorted[i];) next++;
            GW_TRY(gw_writer_printf(out, "%s%.9g:%" PRId64, i > 0 ? "," : "", (double)sorted[i], next - i));
        }
        GW_TRY(gw_writer_printf(out, "\n"));
    }
    return GW_OK;
}

static gw_status read_signals(const gw_line_reader *in, char *list, int64_t places, float *sorted) {
    int64_t found = 0, count;
    for (char *one; (one = strsep(&list, ",")) != NULL && one[0];) {
        double signal;
        char *colon = strchr(one, ':');
        if (colon) *colon = 0;
        if (!colon || gw_parse_double(one, -1e30, 1e30, &signal) != GW_OK ||
            gw_parse_int(colon + 1, 1, places, &count) != GW_OK)
            return gw_lines_fail(in, GW_ERR_FORMAT, "'%.40s' is no signal and its places", one);
        if (count > places - found)
            return gw_lines_fail(in, GW_ERR_FORMAT, "more than %" PRId64 " places are counted", places);
        if (found > 0 && (float)signal <= sorted[found - 1])
            return gw_lines_fail(in, GW_ERR_FORMAT, "the signal %g does not ascend", signal);
        while (count-- > 0) sorted[found++] = (float)signal;
    }
    if (found == places) return GW_OK;
    return gw_lines_fail(in, GW_ERR_FORMAT, "%" PRId64 " places are counted, not %" PRId64, found, places);
}

gw_status gw_activity_read(gw_line_reader *in, const gw_config *config, int64_t places, gw_activity *out) {
    enum { INDEX, SIGNALS = 4, FIELDS };
    GW_TRY(gw_activity_make(config->labels, places, out));
    for (int64_t t = 0; t < out->tracks; t++) {
        char *line, *fields[FIELDS];
        int64_t length, index;
        GW_TRY(gw_lines_next(in, &line, &length));
        if (!line)
            return gw_lines_fail(in, GW_ERR_FORMAT, "ends too early: the model has %" PRId64 " tracks", out->tracks);
        if (gw_split(line, '\t', fields, FIELDS) != FIELDS || gw_parse_int(fields[INDEX], t, t, &index) != GW_OK)
            return gw_lines_fail(in, GW_ERR_FORMAT,
                                 "expected the row of track %" PRId64 ": its index, name, mean, sd and signals", t);
        GW_TRY(read_signals(in, fields[SIGNALS], places, out->signals + t * places));
    }
    return GW_OK;
}
