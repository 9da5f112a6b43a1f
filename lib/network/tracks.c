// SPDX-License-Identifier: MIT
// A track is a row of the last layer, or of one of its heads. The rows of selected tracks are moved to the front of the
// first head's weights.
#include "network/tracks.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/table.h"
#include "model/family.h"

#include <stdlib.h>
#include <string.h>

static gw_status check_tracks(const gw_model *model, const char *what) {
    const gw_config *config = &model->config;
    if (gw_config_has_tracks(config) && !gw_family_of(config->family)->tracks(config).profiles) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: the model has no tracks to choose from", what);
}

static gw_status name_track(gw_table *table, int column, int description, char **out) {
    const char *name, *more = "";
    GW_TRY(gw_table_text(table, column, &name));
    char *first = gw_strdup(name);
    gw_status status = first ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && description >= 0) status = gw_table_text(table, description, &more);
    if (status == GW_OK) *out = *more ? gw_strprintf("%s:%s", first, more) : gw_strdup(first);
    free(first);
    if (status != GW_OK) return status;
    return *out ? GW_OK : GW_ERR_MEMORY;
}

static gw_status read_names(gw_table *table, char **names, int64_t tracks, int64_t *count) {
    int column, description = -1;
    bool found;
    GW_TRY(gw_table_column(table, "identifier|name", &column));
    if (gw_table_has(table, "description")) GW_TRY(gw_table_column(table, "description", &description));
    for (;; ++*count) {
        GW_TRY(gw_table_next(table, &found));
        if (!found) return GW_OK;
        if (*count < tracks) GW_TRY(name_track(table, column, description, &names[*count]));
    }
}

gw_status gw_model_name_tracks(gw_model *model, const char *path) {
    gw_config *config = &model->config;
    gw_table *table = NULL;
    int64_t count = 0;
    GW_TRY(check_tracks(model, path));
    char **names = gw_alloc(config->labels, sizeof *names);
    gw_status status = names ? gw_table_open(path, &(gw_table_options){.ragged = true}, &table) : GW_ERR_MEMORY;
    if (status == GW_OK) status = read_names(table, names, config->labels, &count);
    gw_table_close(table);
    if (status == GW_OK && count != config->labels)
        status = gw_fail(GW_ERR_MISMATCH, "%s has %lld tracks, the model %lld", path, (long long)count,
                         (long long)config->labels);
    char **old = config->label_names;
    if (status == GW_OK) config->label_names = names;
    else old = names;
    for (int64_t i = 0; old && i < config->labels; i++) free(old[i]);
    free(old);
    return status;
}

static gw_status no_such_track(const gw_config *config, const char *item) {
    int least = GW_NEAREST_ANY;
    const char *nearest = NULL;
    for (int64_t i = 0; config->label_names && i < config->labels; i++)
        if (gw_is_nearer(item, config->label_names[i], &least)) nearest = config->label_names[i];
    return gw_fail(GW_ERR_RANGE, "the model has no track '%s' among its %lld%s%s", item, (long long)config->labels,
                   nearest ? "; the nearest is " : "", nearest ? nearest : "");
}

static gw_status add_item(const gw_config *config, const char *item, int64_t *chosen, bool *taken, int64_t *count) {
    const int64_t before = *count;
    int64_t number;
    if (!config->label_names && *item == '~')
        return gw_fail(GW_ERR_UNSUPPORTED, "'%s': the model's tracks have no names; give a table of them", item);
    const bool is_number = gw_parse_int(item, 0, config->labels - 1, &number) == GW_OK;
    for (int64_t i = 0; i < config->labels; i++) {
        const char *name = config->label_names ? config->label_names[i] : "";
        const bool meant = *item == '~' ? strstr(name, item + 1) != NULL : strcmp(name, item) == 0;
        if (!meant && !(is_number && number == i)) continue;
        if (!taken[i]) chosen[(*count)++] = i;
        else if (*count == before) return GW_OK; // it was there already
        taken[i] = true;
    }
    return *count > before ? GW_OK : no_such_track(config, item);
}

// The weights of a track: of the head that has it, and its row there.
static const float *row_of(const gw_model *model, int64_t track, bool bias, int64_t *width) {
    const gw_parameters *all = &model->parameters;
    for (int i = 0; i < all->count; i++) {
        const gw_parameter *p = &all->list[i];
        if (p->role != GW_ROLE_LOGITS || p->bias != bias) continue;
        *width = p->count / p->shape[0];
        if (track < p->shape[0]) return all->weight + p->offset + track * *width;
        track -= p->shape[0];
    }
    return NULL;
}

// Rows `chosen` of the last layer, or of the heads of two species, become the first ones of its first head, whose only
// ones they are.
static gw_status keep_rows(gw_model *model, const int64_t *chosen, int64_t count) {
    for (int bias = 0; bias < 2; bias++) {
        gw_parameter *p = (gw_parameter *)(uintptr_t)gw_model_role(model, GW_ROLE_LOGITS, 0, bias);
        if (!p) continue;
        if (count > p->shape[0])
            return gw_fail(GW_ERR_UNSUPPORTED, "at most %lld tracks can be chosen of this model; the list has %lld",
                           (long long)p->shape[0], (long long)count);
        int64_t width = p->count / p->shape[0];
        float *copy = gw_alloc(count * width, sizeof *copy);
        if (!copy) return GW_ERR_MEMORY;
        for (int64_t i = 0; i < count; i++) {
            const float *row = row_of(model, chosen[i], bias, &width);
            if (row) memcpy(copy + i * width, row, (size_t)width * sizeof *copy);
        }
        memcpy(model->parameters.weight + p->offset, copy, (size_t)(count * width) * sizeof *copy);
        free(copy);
        p->shape[0] = count;
        p->count = count * width;
    }
    return GW_OK;
}

static gw_status keep_names(gw_config *config, const int64_t *chosen, int64_t count) {
    char **names = gw_alloc(count, sizeof *names);
    if (!names) return GW_ERR_MEMORY;
    for (int64_t i = 0; config->label_names && i < count; i++) {
        names[i] = config->label_names[chosen[i]];
        config->label_names[chosen[i]] = NULL;
    }
    for (int64_t i = 0; !config->label_names && i < count; i++)
        if (!(names[i] = gw_strprintf("track%lld", (long long)chosen[i]))) return GW_ERR_MEMORY;
    for (int64_t i = 0; config->label_names && i < config->labels; i++) free(config->label_names[i]);
    free(config->label_names);
    config->label_names = names;
    config->labels = count;
    const gw_family_row *family = gw_family_of(config->family);
    if (family->keep_tracks) family->keep_tracks(config, count);
    return GW_OK;
}

gw_status gw_model_choose_tracks(gw_model *model, const char *list) {
    GW_TRY(check_tracks(model, list));
    const int64_t tracks = model->config.labels;
    int64_t *chosen = gw_alloc(tracks, sizeof *chosen), count = 0;
    bool *taken = gw_alloc(tracks, sizeof *taken);
    char *items = gw_strdup(list), *rest = items;
    gw_status status = chosen && taken && items ? GW_OK : GW_ERR_MEMORY;
    while (status == GW_OK && rest) {
        char *item = rest;
        rest = strchr(rest, ',');
        if (rest) *rest++ = 0;
        status = add_item(&model->config, item, chosen, taken, &count);
    }
    const int members = gw_model_member_count(model);
    for (int m = 0; status == GW_OK && m < members; m++) {
        gw_model *member = gw_model_member(model, m);
        status = keep_rows(member, chosen, count);
        if (status == GW_OK && member != model) status = keep_names(&member->config, chosen, count);
    }
    if (status == GW_OK) status = keep_names(&model->config, chosen, count);
    free(chosen);
    free(taken);
    free(items);
    return status;
}
