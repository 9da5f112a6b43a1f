// SPDX-License-Identifier: MIT
// Reads places from a file, and gets their signals from the scorer.
#include "score/places.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/genome/regions.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SUMMIT_COLUMN = 9, NARROW_PEAK_COLUMNS = 10, PLACES_AT_A_TIME = 64 };

typedef struct {
    gw_genome *genome;
    const gw_track_scorer *scorer;
    gw_regions places; // of a base each
    int64_t rows;
} places_reader;

static gw_status read_place(void *context, const gw_line_reader *in, char *line) {
    places_reader *r = context;
    gw_bed_row row;
    if (gw_bed_is_comment(line)) return GW_OK;
    const gw_status status = gw_bed_parse(&row, line);
    if (status != GW_OK) return gw_lines_fail(in, status, "%s", gw_message());
    int64_t at = (row.end - row.begin) / 2, summit;
    if (row.count == NARROW_PEAK_COLUMNS) {
        if (gw_parse_int(row.columns[SUMMIT_COLUMN], -1, gw_max(row.end - row.begin - 1, 0), &summit) != GW_OK)
            return gw_lines_fail(in, GW_ERR_FORMAT, "the summit (column 10) is '%.20s', expected -1 to %" PRId64,
                                 row.columns[SUMMIT_COLUMN], row.end - row.begin - 1);
        if (summit >= 0) at = summit;
    }
    const int contig = gw_genome_find(r->genome, row.contig, -1);
    r->rows++;
    if (contig < 0 || !gw_track_scorer_fits(r->scorer, contig, row.begin + at)) return GW_OK;
    return gw_regions_add(&r->places,
                          (gw_region){.contig = contig, .begin = row.begin + at, .end = row.begin + at + 1});
}

static gw_status predict(gw_track_scorer *scorer, const gw_regions *places, gw_activity *out) {
    const int64_t tracks = out->tracks, count = places->count;
    float *values = gw_alloc(PLACES_AT_A_TIME * tracks, sizeof *values);
    gw_status status = values ? GW_OK : GW_ERR_MEMORY;
    for (int64_t from = 0; status == GW_OK && from < count; from += PLACES_AT_A_TIME) {
        const int64_t some = gw_min(PLACES_AT_A_TIME, count - from);
        status = gw_check_interrupt();
        if (status == GW_OK) status = gw_track_scorer_signals(scorer, places->items + from, some, values);
        for (int64_t i = 0; status == GW_OK && i < some; i++)
            for (int64_t t = 0; t < tracks; t++) out->signals[t * count + from + i] = values[i * tracks + t];
        if (status == GW_OK) gw_progress("background", from + some, count, "places", NULL);
    }
    gw_progress_end();
    free(values);
    gw_activity_sort(out);
    return status;
}

gw_status gw_predict_places(gw_track_scorer *scorer, gw_genome *genome, const char *path, gw_activity *out) {
    places_reader r = {.genome = genome, .scorer = scorer};
    *out = (gw_activity){0};
    gw_status status = gw_lines_each(path, read_place, &r);
    if (status == GW_OK && r.places.count == 0)
        status = gw_fail(GW_ERR_MISMATCH,
                         "%s has no place whose window of %lld bases lies on its contig: %lld rows were read", path,
                         (long long)gw_track_scorer_window(scorer), (long long)r.rows);
    if (status == GW_OK && r.places.count < r.rows)
        gw_note("%lld of %lld places were left out: their windows leave the contig, or the genome lacks it",
                (long long)(r.rows - r.places.count), (long long)r.rows);
    if (status == GW_OK) status = gw_activity_make(gw_track_scorer_tracks(scorer), r.places.count, out);
    if (status == GW_OK) status = predict(scorer, &r.places, out);
    gw_regions_free(&r.places);
    return status;
}
