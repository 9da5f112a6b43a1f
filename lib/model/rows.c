// SPDX-License-Identifier: MIT
// The tables of families, heads, mixers and tasks, from their .def files.
#include "base/parse.h"
#include "model/family.h"
#include "model/head.h"
#include "model/mixer.h"
#include "model/task.h"

#include <string.h>

static const gw_family_row *const family_rows[] = {
#define GW_FAMILY(NAME, row) &gw_family_##row,
#include GW_FAMILIES_DEF
#undef GW_FAMILY
};

int gw_family_count(void) {
    return sizeof family_rows / sizeof *family_rows;
}

const gw_family_row *gw_family_of(gw_family family) {
    return family_rows[family];
}

const char *gw_family_field(gw_family family, const char *field) {
    const gw_config_field *own = gw_family_of(family)->fields;
    for (; own && own->bert; own++)
        if (strcmp(own->bert, field) == 0) return own->own;
    return field;
}

static const gw_head_row *const head_rows[] = {
#define GW_HEAD(NAME, row) &gw_head_##row,
#include GW_HEADS_DEF
#undef GW_HEAD
};

int gw_head_count(void) {
    return sizeof head_rows / sizeof *head_rows;
}

const gw_head_row *gw_head_of(gw_head head) {
    return head_rows[head];
}

int gw_head_by_suffix(const char *suffix) {
    for (int head = 0; head < gw_head_count(); head++)
        if (strcmp(head_rows[head]->suffix, suffix) == 0) return head;
    return -1;
}

bool gw_head_names_spans(gw_head head) {
    return head_rows[head]->answers && head_rows[head]->tokens;
}

static const gw_mixer_row *const mixer_rows[] = {
#define GW_MIXER(NAME, row) &gw_mixer_##row,
#include GW_MIXERS_DEF
#undef GW_MIXER
};

int gw_mixer_count(void) {
    return sizeof mixer_rows / sizeof *mixer_rows;
}

const gw_mixer_row *gw_mixer_of(gw_mixer mixer) {
    return mixer_rows[mixer];
}

int64_t gw_config_globals(const gw_config *config) {
    const int word = gw_mixer_of(config->mixer)->globals;
    if (word == 0) return 0;
    return config->mixer_number[word] > 0 ? config->mixer_number[word] : gw_mixer_of(config->mixer)->words[word].usual;
}

void gw_config_use_globals(gw_config *config, int64_t most) {
    const int word = gw_mixer_of(config->mixer)->globals;
    if (word > 0) config->mixer_number[word] = most;
}

unsigned gw_config_own_layers(const gw_config *config) {
    const gw_mixer_row *mixer = gw_mixer_of(config->mixer);
    return mixer->own_layers ? mixer->own_layers(config) : 0;
}

// Whether a part of the spec has this name, whatever number follows it.
static bool names(const char *spec, const char *name) {
    const size_t length = strlen(name);
    for (const char *part = spec; part; part = gw_next_item(part, '+'))
        if (strncmp(part, name, length) == 0 && strchr(":/+", part[length])) return true;
    return false;
}

gw_mixer gw_mixer_of_pattern(const char *spec) {
    for (int m = 0; m < gw_mixer_count(); m++)
        if (mixer_rows[m]->words && names(spec, mixer_rows[m]->words[0].name)) return (gw_mixer)m;
    return GW_MIXER_ATTENTION;
}

gw_status gw_mixer_parse_blocks(const char *spec, gw_pattern *out) {
    gw_string others = {0};
    for (int m = 0; m < gw_mixer_count(); m++)
        if (mixer_rows[m]->words)
            gw_string_printf(&others, "%s%s", others.length > 0 ? ", " : "", mixer_rows[m]->words[0].name);
    gw_status status = gw_string_status(&others);
    if (status == GW_OK) status = gw_pattern_parse_or(spec, others.data, out);
    gw_string_free(&others);
    return status;
}

// Before the tasks of tasks.def stands pretraining, the task of all heads that have none there.
static const gw_task_row task_rows[] = {
    {.name = "pretrain", .head = GW_HEAD_PRETRAINING},
#define GW_TASK(NAME, word, kind, help, ...) {.name = #word, __VA_ARGS__},
#include GW_TASKS_DEF
#undef GW_TASK
};
enum { TASKS = sizeof task_rows / sizeof *task_rows };

const gw_task_row *gw_task_of(gw_task task) {
    return &task_rows[task];
}

gw_task gw_task_usual(gw_head head) {
    for (int task = 1; task < TASKS; task++)
        if (task_rows[task].head == head) return (gw_task)task;
    return GW_TASK_PRETRAIN;
}

gw_task gw_task_by_name(const char *name) {
    for (int task = 1; task < TASKS; task++)
        if (strcmp(task_rows[task].name, name) == 0) return (gw_task)task;
    return GW_TASK_PRETRAIN;
}
