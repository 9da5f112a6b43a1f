// SPDX-License-Identifier: MIT
// Reads groups by name, or deals DeepSEA's out by number.
#include "task/windows/windows_private.h"

#include "base/log.h"
#include "base/memory.h"
#include "file/lines.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int64_t end; // behind its last target
} DEEPSEA[] = {{"DHS", 125}, {"TF", 815}, {"HM", 919}};
enum { DEEPSEA_GROUPS = sizeof DEEPSEA / sizeof DEEPSEA[0] };

void gw_target_groups_free(gw_target_groups *groups) {
    for (int64_t g = 0; g < groups->count; g++) free(groups->names[g]);
    free(groups->names);
    free(groups->group);
    *groups = (gw_target_groups){0};
}

// The number of a group, which is made where it is new.
static gw_status find_group(gw_target_groups *groups, const char *name, int64_t *out) {
    for (*out = 0; *out < groups->count; ++*out)
        if (strcmp(groups->names[*out], name) == 0) return GW_OK;
    GW_TRY(gw_reserve(&groups->names, &groups->capacity, groups->count + 1, sizeof *groups->names));
    groups->names[groups->count] = gw_strdup(name);
    return groups->names[groups->count++] ? GW_OK : GW_ERR_MEMORY;
}

static gw_status deal_deepsea(const gw_labelled_set *set, gw_target_groups *groups) {
    const int64_t labels = gw_labelled_set_labels(set), all = DEEPSEA[DEEPSEA_GROUPS - 1].end;
    if (labels != all)
        return gw_fail(GW_ERR_MISMATCH, "the groups of DeepSEA are of %lld targets, the set has %lld", (long long)all,
                       (long long)labels);
    for (int64_t g = 0, l = 0; g < DEEPSEA_GROUPS; g++) {
        int64_t group;
        GW_TRY(find_group(groups, DEEPSEA[g].name, &group));
        for (; l < DEEPSEA[g].end; l++) groups->group[l] = group;
    }
    return GW_OK;
}

// The target that a line means: the next one, where it has the name; otherwise the first of that name without a group.
static int64_t find_target(const gw_labelled_set *set, const gw_target_groups *groups, const char *name, int64_t next) {
    const int64_t labels = gw_labelled_set_labels(set);
    if (next < labels && strcmp(gw_labelled_set_label_name(set, next), name) == 0) return next;
    for (int64_t l = 0; l < labels; l++)
        if (groups->group[l] < 0 && strcmp(gw_labelled_set_label_name(set, l), name) == 0) return l;
    return -1;
}

static gw_status read_lines(gw_line_reader *in, const gw_labelled_set *set, gw_target_groups *groups) {
    char *line, *fields[3];
    int64_t length, next = 0;
    for (;;) {
        GW_TRY(gw_lines_next(in, &line, &length));
        if (!line) return GW_OK;
        if (length == 0 || line[0] == '#') continue;
        if (gw_split(line, '\t', fields, 3) != 2 || !fields[0][0] || !fields[1][0])
            return gw_lines_fail(in, GW_ERR_FORMAT, "expected a target and its group, joined by a tab");
        const int64_t target = find_target(set, groups, fields[0], next);
        if (target < 0)
            return gw_lines_fail(in, GW_ERR_MISMATCH, "the set has no target '%s', or no further one of that name",
                                 fields[0]);
        GW_TRY(find_group(groups, fields[1], &groups->group[target]));
        next = target + 1;
    }
}

static gw_status read_file(const char *path, const gw_labelled_set *set, gw_target_groups *groups) {
    gw_line_reader *in;
    int64_t without = 0;
    GW_TRY(gw_lines_open(path, &in));
    const gw_status status = read_lines(in, set, groups);
    gw_lines_close(in);
    for (int64_t l = 0; l < gw_labelled_set_labels(set); l++) without += groups->group[l] < 0;
    if (status == GW_OK && without > 0) gw_warn("%s: %lld targets are in no group", path, (long long)without);
    return status;
}

gw_status gw_target_groups_read(const char *what, const gw_labelled_set *set, gw_target_groups *out) {
    const int64_t labels = gw_labelled_set_labels(set);
    *out = (gw_target_groups){.group = gw_alloc(labels, sizeof *out->group)};
    if (!out->group) return GW_ERR_MEMORY;
    for (int64_t l = 0; l < labels; l++) out->group[l] = -1;
    const gw_status status = strcmp(what, "deepsea") == 0 ? deal_deepsea(set, out) : read_file(what, set, out);
    if (status != GW_OK) gw_target_groups_free(out);
    return status;
}
