// SPDX-License-Identifier: MIT
// Collects the scores of a map while they are written, and draws them by position and base.
#include "tools/score_map.h"

#include "base/log.h"
#include "base/memory.h"
#include "tools/picture.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BASES = 4, MOST_COLUMNS = 30000 };

static int base_row(char base) {
    const char *at = strchr("ACGT", toupper((unsigned char)base));
    return at && *at ? (int)(at - "ACGT") : -1;
}

static gw_status make_room(gw_score_map *map, int64_t columns) {
    GW_TRY(gw_reserve(&map->value, &map->capacity, columns * BASES, sizeof *map->value));
    GW_TRY(gw_reserve(&map->reference, &map->marks, columns, sizeof *map->reference));
    for (; map->columns < columns; map->columns++) {
        for (int b = 0; b < BASES; b++) map->value[map->columns * BASES + b] = NAN;
        map->reference[map->columns] = -1;
    }
    return GW_OK;
}

gw_status gw_score_map_add(gw_score_map *map, const gw_vcf_record *record, const gw_allele *allele) {
    const gw_variant *v = &allele->variant;
    if (!gw_allele_is_scored(allele->status) || v->ref_length != 1 || v->alt_length != 1) return GW_OK;
    const int ref = base_row(v->ref[0]), alt = base_row(v->alt[0]);
    if (alt < 0) return GW_OK;
    if (!map->contig) {
        map->begin = v->position;
        if (!(map->contig = gw_strdup(record->contig))) return GW_ERR_MEMORY;
    }
    const int64_t column = v->position - map->begin;
    if (strcmp(map->contig, record->contig) != 0 || column < 0 || column >= MOST_COLUMNS)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "a map shows at most %d positions of one contig in order: %s:%lld does not go with %s:%lld",
                       MOST_COLUMNS, record->contig, (long long)v->position + 1, map->contig,
                       (long long)map->begin + 1);
    GW_TRY(make_room(map, column + 1));
    map->value[column * BASES + alt] = map->bits ? allele->bits : allele->difference;
    map->reference[column] = ref;
    return GW_OK;
}

gw_status gw_score_map_draw(const gw_score_map *map, const char *path) {
    static const char *const rows[BASES] = {"A", "C", "G", "T"};
    if (map->columns == 0) {
        gw_warn("no single-base change was scored: %s is not drawn", path);
        return GW_OK;
    }
    float *turned = gw_alloc(BASES * map->columns, sizeof *turned);
    if (!turned) return GW_ERR_MEMORY;
    for (int64_t c = 0; c < map->columns; c++)
        for (int b = 0; b < BASES; b++) turned[b * map->columns + c] = map->value[c * BASES + b];
    const gw_picture_matrix matrix = {
        .title = "effect of every single-base change",
        .x_label = map->contig,
        .value_label = map->bits ? "log-likelihood ratio (bits)" : "p(ALT) - p(REF)",
        .rows = BASES,
        .columns = map->columns,
        .value = turned,
        .row_label = rows,
        .first = (double)(map->begin + 1),
        .marked = map->reference,
    };
    const gw_status status = gw_picture_map(path, &matrix);
    free(turned);
    return status;
}

void gw_score_map_free(gw_score_map *map) {
    free(map->contig);
    free(map->value);
    free(map->reference);
    *map = (gw_score_map){0};
}
