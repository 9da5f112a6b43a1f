// SPDX-License-Identifier: MIT
// The spool is written chunk by chunk at each label's place and read back label by label.
#include "task/windows/track_folder.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"
#include "file/lines.h"
#include "seq/track/track.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static gw_status cannot(const gw_track_folder *tracks, const char *verb) {
    return gw_fail(GW_ERR_IO, "cannot %s values in %s: %s", verb, tracks->folder, strerror(errno));
}

gw_status gw_track_folder_open(gw_track_folder *tracks) {
    tracks->spool = NULL;
    tracks->with_value = 0;
    GW_TRY(gw_make_directory(tracks->folder));
    char *name = gw_join_path(tracks->folder, ".values.XXXXXX");
    if (!name) return GW_ERR_MEMORY;
    const int file = mkstemp(name);
    if (file >= 0) unlink(name);
    free(name);
    tracks->spool = file >= 0 ? fdopen(file, "w+b") : NULL;
    if (tracks->spool) return GW_OK;
    if (file >= 0) close(file);
    return cannot(tracks, "keep");
}

void gw_track_folder_free(gw_track_folder *tracks) {
    if (tracks->spool) fclose(tracks->spool);
    tracks->spool = NULL;
}

// Place of a label's tile in the spool.
static off_t place(const gw_track_folder *tracks, int64_t label, int64_t tile) {
    return (off_t)((label * tracks->tiles->count + tile) * (int64_t)sizeof(float));
}

static gw_status write_column(const gw_track_folder *tracks, const float *column, int64_t count, off_t to) {
    const char *at = (const char *)column;
    int64_t left = count * (int64_t)sizeof *column;
    while (left > 0) {
        const ssize_t put = pwrite(fileno(tracks->spool), at, (size_t)left, to);
        if (put <= 0) return cannot(tracks, "keep");
        at += put, to += put, left -= put;
    }
    return GW_OK;
}

gw_status gw_track_folder_add(void *context, int64_t first, int64_t count, const float *values) {
    gw_track_folder *tracks = context;
    float *column = gw_alloc(count, sizeof *column);
    gw_status status = column ? GW_OK : GW_ERR_MEMORY;
    for (int64_t l = 0; status == GW_OK && l < tracks->labels; l++) {
        for (int64_t i = 0; i < count; i++) column[i] = values[i * tracks->labels + l];
        status = write_column(tracks, column, count, place(tracks, l, first));
    }
    for (int64_t i = 0; status == GW_OK && i < count * tracks->labels; i++) tracks->with_value += !isnan(values[i]);
    free(column);
    return status;
}

static gw_status read_column(const gw_track_folder *tracks, int64_t label, float *column) {
    char *at = (char *)column;
    int64_t left = tracks->tiles->count * (int64_t)sizeof *column;
    off_t from = place(tracks, label, 0);
    while (left > 0) {
        const ssize_t got = pread(fileno(tracks->spool), at, (size_t)left, from);
        if (got == 0) errno = ENODATA;
        if (got <= 0) return cannot(tracks, "read");
        at += got, from += got, left -= got;
    }
    return GW_OK;
}

// The label's name with anything but letters, digits and ._+- as _, and its number where another label comes to the
// same (behind a ~, so that it is no other label's).
static char *file_stem(const gw_track_folder *tracks, int64_t label) {
    char *stem = gw_strdup(tracks->names[label]);
    for (char *c = stem; c && *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._+-", *c)) *c = '_';
    if (stem && (stem[0] == '.' || stem[0] == '-' || stem[0] == 0)) {
        char *longer = gw_strprintf("_%s", stem);
        free(stem);
        stem = longer;
    }
    return stem;
}

typedef struct {
    char *stem;
    int64_t label;
} named_label;

static int by_stem(const void *a, const void *b) {
    const named_label *x = a, *y = b;
    const int order = strcasecmp(x->stem, y->stem); // file systems that fold case
    return order ? order : (x->label > y->label) - (x->label < y->label);
}

// Sets names[label] to the label's file, "<stem><suffix>".
static gw_status name_files(const gw_track_folder *tracks, char **names) {
    named_label *sorted = gw_alloc(tracks->labels, sizeof *sorted);
    if (!sorted) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    for (int64_t l = 0; status == GW_OK && l < tracks->labels; l++) {
        sorted[l] = (named_label){file_stem(tracks, l), l};
        if (!sorted[l].stem) status = GW_ERR_MEMORY;
    }
    if (status == GW_OK) qsort(sorted, (size_t)tracks->labels, sizeof *sorted, by_stem);
    for (int64_t i = 0; status == GW_OK && i < tracks->labels; i++) {
        const bool again = i > 0 && strcasecmp(sorted[i].stem, sorted[i - 1].stem) == 0;
        char **name = &names[sorted[i].label];
        *name = again ? gw_strprintf("%s~%lld%s", sorted[i].stem, (long long)sorted[i].label, tracks->suffix)
                      : gw_strprintf("%s%s", sorted[i].stem, tracks->suffix);
        if (!*name) status = GW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < tracks->labels; i++) free(sorted[i].stem);
    free(sorted);
    return status;
}

static gw_status write_track(const gw_track_folder *tracks, int64_t label, const char *name, gw_track_piece *pieces,
                             float *column) {
    GW_TRY(read_column(tracks, label, column));
    char *path = gw_join_path(tracks->folder, name);
    if (!path) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < tracks->tiles->run_count; i++) {
        const gw_tile_run *run = &tracks->tiles->runs[i];
        const int64_t step = tracks->tiles->step;
        pieces[i] = (gw_track_piece){run->contig, run->first * step, step, run->count, column + run->before};
    }
    const gw_status status = gw_track_write(path, tracks->genome, pieces, tracks->tiles->run_count);
    free(path);
    return status;
}

static gw_status write_list(const gw_track_folder *tracks, char *const *names) {
    gw_string text = {0};
    gw_string_puts(&text, "label\tfile\n");
    for (int64_t l = 0; l < tracks->labels; l++) gw_string_printf(&text, "%s\t%s\n", tracks->names[l], names[l]);
    gw_status status = gw_string_status(&text);
    char *path = status == GW_OK ? gw_join_path(tracks->folder, "tracks.tsv") : NULL;
    if (status == GW_OK) status = path ? gw_write_file(path, text.data, text.length) : GW_ERR_MEMORY;
    free(path);
    gw_string_free(&text);
    return status;
}

gw_status gw_track_folder_write(gw_track_folder *tracks) {
    if (tracks->with_value == 0)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "no tile of the regions has a value: their windows leave the contig or are N");
    char **names = gw_alloc(tracks->labels, sizeof *names);
    gw_track_piece *pieces = gw_alloc(tracks->tiles->run_count, sizeof *pieces);
    float *column = gw_alloc(tracks->tiles->count, sizeof *column);
    gw_status status = names && pieces && column ? name_files(tracks, names) : GW_ERR_MEMORY;
    for (int64_t l = 0; status == GW_OK && l < tracks->labels; l++) {
        status = write_track(tracks, l, names[l], pieces, column);
        gw_progress("write", l + 1, tracks->labels, "tracks", NULL);
    }
    gw_progress_end();
    if (status == GW_OK) status = write_list(tracks, names);
    for (int64_t l = 0; names && l < tracks->labels; l++) free(names[l]);
    free(names);
    free(pieces);
    free(column);
    return status;
}
