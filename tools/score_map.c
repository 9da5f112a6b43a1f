// SPDX-License-Identifier: MIT
// Collects the scores of a map during writing, and draws or writes them by position and base.
#include "tools/score_map.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"
#include "seq/track/track.h"
#include "tools/picture/picture.h"
#include "tools/scored_vcf.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BASES = 4, MOST_COLUMNS = 30000, TABLE_COLUMNS = 7 };

static int base_row(char base) {
    const char *at = strchr("ACGT", toupper((unsigned char)base));
    return at && *at ? (int)(at - "ACGT") : -1;
}

// The column of a position (0-based) in *column, with room for it.
static gw_status take_column(gw_score_map *map, const char *contig, int64_t position, int64_t *column) {
    if (!map->contig) {
        map->begin = position;
        if (!(map->contig = gw_strdup(contig))) return GW_ERR_MEMORY;
    }
    *column = position - map->begin;
    if (strcmp(map->contig, contig) != 0 || *column < 0 || *column >= MOST_COLUMNS)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "a map shows at most %d positions of one contig in order: %s:%lld does not go with %s:%lld",
                       MOST_COLUMNS, contig, (long long)position + 1, map->contig, (long long)map->begin + 1);
    const int64_t columns = *column + 1;
    GW_TRY(gw_reserve(&map->value, &map->capacity, columns * BASES, sizeof *map->value));
    GW_TRY(gw_reserve(&map->stops, &map->stop_capacity, columns * BASES, sizeof *map->stops));
    GW_TRY(gw_reserve(&map->reference, &map->marks, columns, sizeof *map->reference));
    for (; map->columns < columns; map->columns++) {
        for (int64_t i = map->columns * BASES; i < (map->columns + 1) * BASES; i++)
            map->value[i] = NAN, map->stops[i] = false;
        map->reference[map->columns] = -1;
    }
    return GW_OK;
}

static gw_status find_stop(gw_consequences *consequences, const gw_vcf_record *record, const gw_variant *v,
                           bool *stops) {
    const char ref[] = {v->ref[0], 0}, alt[] = {v->alt[0], 0}, *const alts[] = {alt};
    const gw_consequence_site site = {record->genome_contig, v->position, ref, alts, 1};
    gw_string text = {0};
    bool any;
    const gw_status status = gw_consequences_of(consequences, &site, &text, &any);
    *stops = status == GW_OK && any && strstr(text.data, "stop_gained");
    gw_string_free(&text);
    return status;
}

gw_status gw_score_map_add(gw_score_map *map, const gw_vcf_record *record, const gw_allele *allele,
                           gw_consequences *consequences) {
    const gw_variant *v = &allele->variant;
    if (!gw_allele_is_scored(allele->status) || v->ref_length != 1 || v->alt_length != 1) return GW_OK;
    const int ref = base_row(v->ref[0]), alt = base_row(v->alt[0]);
    if (alt < 0) return GW_OK;
    int64_t column;
    GW_TRY(take_column(map, record->contig, v->position, &column));
    map->genome_contig = record->genome_contig;
    map->value[column * BASES + alt] = strcmp(map->key, "LLR") == 0 ? allele->bits : allele->difference;
    map->reference[column] = ref;
    return consequences ? find_stop(consequences, record, v, &map->stops[column * BASES + alt]) : GW_OK;
}

static int by_value(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// A few cells do not set the scale: the full colour is a round size that all but a fiftieth of the changes stay within
// (1 digit).
static gw_status choose_scale(const gw_score_map *map, double *limit, gw_string *note) {
    float *sizes = gw_alloc(map->columns * BASES, sizeof *sizes);
    int64_t count = 0, beyond = 0;
    if (!sizes) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < map->columns * BASES; i++)
        if (isfinite(map->value[i])) sizes[count++] = fabsf(map->value[i]);
    qsort(sizes, (size_t)count, sizeof *sizes, by_value);
    const double largest = count > 0 ? sizes[count - 1] : 0, usual = count > 0 ? sizes[(count - 1) * 49 / 50] : 0;
    const double size = usual > 0 ? usual : largest > 0 ? largest : 1, unit = pow(10, floor(log10(size)));
    *limit = ceil(size / unit - 1e-9) * unit;
    for (int64_t i = 0; i < count; i++) beyond += sizes[i] > *limit;
    gw_string_printf(note, "scale: full colour at a size of %g or more; the largest change is %.3g", *limit, largest);
    if (beyond > 0) gw_string_printf(note, " (%lld of %lld lie beyond the scale)", (long long)beyond, (long long)count);
    free(sizes);
    return GW_OK;
}

static gw_status draw(const gw_score_map *map, const char *path) {
    static const char *const rows[BASES] = {"A", "C", "G", "T"};
    const gw_score_axis axis = gw_score_axis_of(map->key ? map->key : "", map->numbers);
    const int64_t columns = map->columns, sites = map->sites ? map->sites->count : 0;
    float *value = gw_alloc(BASES * columns, sizeof *value); // turned, so that a row is a base
    bool *stops = gw_alloc(BASES * columns, sizeof *stops);
    gw_picture_span *spans = gw_alloc(sites + 1, sizeof *spans); // sites on the axis, which counts from 1
    gw_string title = {0}, note = {0}, label = {0};
    int64_t span_count = 0;
    double limit = 0;
    gw_status status = value && stops && spans ? choose_scale(map, &limit, &note) : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < BASES * columns; i++) {
        const int64_t turned = i % BASES * columns + i / BASES;
        value[turned] = map->value[i];
        stops[turned] = map->stops[i];
    }
    for (int64_t i = 0; status == GW_OK && i < sites; i++) {
        const gw_region *site = &map->sites->items[i];
        if (site->contig != map->genome_contig) continue;
        spans[span_count++] = (gw_picture_span){site->name, (double)site->begin + 1, (double)site->end + 1};
    }
    gw_string_puts(&title, "effect of every single-base change");
    if (axis.measure) gw_string_printf(&title, ": %s", axis.measure);
    gw_string_printf(&label, "position on %s (bp)", map->contig);
    const gw_picture_matrix matrix = {
        .title = title.data,
        .note = note.data,
        .x_label = label.data,
        .rows = BASES,
        .columns = columns,
        .value = value,
        .row_label = rows,
        .limit = limit,
        .first = (double)(map->begin + 1),
        .marked = map->reference,
        .mark_label = "reference base",
        .above = axis.above,
        .below = axis.below,
        .crossed = stops,
        .cross_label = "creates stop",
        .spans = spans,
        .span_count = span_count,
    };
    if (status == GW_OK) status = gw_picture_map(path, &matrix);
    gw_string_free(&title);
    gw_string_free(&note);
    gw_string_free(&label);
    free(spans);
    free(stops);
    free(value);
    return status;
}

static gw_status write_table(const gw_score_map *map, const char *path) {
    gw_text_writer *out;
    gw_string text = {0};
    gw_string_puts(&text, "contig\tposition\tref\tA\tC\tG\tT\n");
    for (int64_t c = 0; c < map->columns; c++) {
        if (map->reference[c] < 0) continue;
        gw_string_printf(&text, "%s\t%lld\t%c", map->contig, (long long)(map->begin + c + 1),
                         "ACGT"[map->reference[c]]);
        for (int b = 0; b < BASES; b++) {
            const double value = map->value[c * BASES + b];
            if (isnan(value)) gw_string_puts(&text, "\t.");
            else gw_string_printf(&text, "\t%.7g", value);
        }
        gw_string_putc(&text, '\n');
    }
    gw_status status = gw_string_status(&text);
    if (status == GW_OK) status = gw_writer_open(path, &out);
    if (status == GW_OK) status = gw_writers_close(gw_writer_write(out, text.data, text.length), out, NULL);
    gw_string_free(&text);
    return status;
}

static gw_status read_row(void *context, const gw_line_reader *lines, char *line) {
    gw_score_map *map = context;
    char *fields[TABLE_COLUMNS];
    int64_t position, column;
    if (gw_lines_number(lines) == 1) return GW_OK; // the header
    if (gw_split(line, '\t', fields, TABLE_COLUMNS) != TABLE_COLUMNS)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "expected %d columns", TABLE_COLUMNS);
    gw_status status = gw_parse_int(fields[1], 1, INT64_MAX, &position);
    if (status == GW_OK) status = take_column(map, fields[0], position - 1, &column);
    if (status == GW_OK) map->reference[column] = base_row(fields[2][0]);
    for (int b = 0; status == GW_OK && b < BASES; b++) {
        double value = NAN;
        if (strcmp(fields[3 + b], ".") != 0) status = gw_parse_double(fields[3 + b], -1e300, 1e300, &value);
        map->value[column * BASES + b] = (float)value;
    }
    return status == GW_OK ? GW_OK : gw_lines_fail(lines, status, "%s", gw_message());
}

gw_status gw_score_map_read(gw_score_map *map, const char *path) {
    const gw_status status = gw_lines_each(path, read_row, map);
    if (status != GW_OK) gw_score_map_free(map);
    return status;
}

static gw_status write_track(const gw_score_map *map, const gw_genome *genome, const char *path) {
    float *mean = gw_alloc(map->columns, sizeof *mean);
    if (!mean) return GW_ERR_MEMORY;
    for (int64_t c = 0; c < map->columns; c++) {
        double sum = 0;
        int changes = 0;
        for (int b = 0; b < BASES; b++) {
            const double value = map->value[c * BASES + b];
            if (!isnan(value)) sum += value, changes++;
        }
        mean[c] = changes > 0 ? (float)(sum / changes) : NAN;
    }
    const gw_track_piece piece = {map->genome_contig, map->begin, 1, map->columns, mean};
    const gw_status status = gw_track_write(path, genome, &piece, 1);
    free(mean);
    return status;
}

gw_status gw_score_map_write(const gw_score_map *map, const gw_genome *genome, const char *path) {
    if (map->columns == 0) {
        gw_warn("no single-base change was scored: %s is not written", path);
        return GW_OK;
    }
    if (gw_has_suffix(path, ".tsv") || gw_has_suffix(path, ".tsv.gz")) return write_table(map, path);
    return gw_track_is_named(path) ? write_track(map, genome, path) : draw(map, path);
}

void gw_score_map_free(gw_score_map *map) {
    free(map->contig);
    free(map->value);
    free(map->stops);
    free(map->reference);
    *map = (gw_score_map){0};
}
