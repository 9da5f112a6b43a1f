// SPDX-License-Identifier: MIT
// Spec text <-> pattern. Parts are rows of one table: what each may be, and what it is where no number follows.
#include "graph/pattern.h"

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { ITC, LONGFORMER, FULL, WINDOW, GLOBAL, RANDOM, BLOCK, SEED, PARTS };

static const struct {
    const char *name, *shown;
    int64_t usual; // value of the bare name; -1: a number is required, 0: none is allowed
    int64_t low, high;
} parts[PARTS] = {
    [ITC] = {"itc", "itc"},
    [LONGFORMER] = {"longformer", "longformer"},
    [FULL] = {"full", "full"},
    [WINDOW] = {"window", "window[:W]", 3, 1, 65535},
    [GLOBAL] = {"global", "global[:G]", 2, 1, 65535},
    [RANDOM] = {"random", "random[:R]", 3, 1, 65535},
    [BLOCK] = {"block", "block:N", -1, 1, 4096},
    [SEED] = {"seed", "seed:N", -1, 0, INT64_MAX},
};

enum { USUAL_BLOCK = 64, ITC_WINDOW = 3, ITC_GLOBAL = 2 };

typedef struct {
    bool given[PARTS];
    int64_t value[PARTS];
} spec;

static gw_status unknown_part(const char *name) {
    gw_text list = {0};
    for (int i = 0; i < PARTS; i++) gw_text_printf(&list, "%s%s", i > 0 ? ", " : "", parts[i].shown);
    const gw_status status = gw_text_status(&list);
    if (status == GW_OK) gw_fail(GW_ERR_FORMAT, "unknown part '%s'; known are %s", name, list.data);
    gw_text_free(&list);
    return gw_first_failure(status, GW_ERR_FORMAT);
}

// One `name[:number]`, cut from its spec.
static gw_status parse_part(char *text, spec *out) {
    char *colon = strchr(text, ':');
    if (colon) *colon = 0;
    int part = 0;
    while (part < PARTS && strcmp(parts[part].name, text) != 0) part++;
    if (part == PARTS) return unknown_part(text);
    if (out->given[part]) return gw_fail(GW_ERR_FORMAT, "'%s' is there twice", text);
    out->given[part] = true;
    out->value[part] = parts[part].usual;
    if (colon && parts[part].usual == 0) return gw_fail(GW_ERR_FORMAT, "'%s' takes no number", text);
    if (!colon && parts[part].usual < 0)
        return gw_fail(GW_ERR_FORMAT, "'%s' needs a number: %s", text, parts[part].shown);
    if (!colon) return GW_OK;
    const gw_status status = gw_parse_int(colon + 1, parts[part].low, parts[part].high, &out->value[part]);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "%s", text);
}

// Parts that contradict each other.
static gw_status check(const spec *s) {
    const bool *given = s->given;
    const bool sparse = given[ITC] || given[LONGFORMER] || given[WINDOW] || given[GLOBAL] || given[RANDOM];
    if (given[FULL] && sparse) return gw_fail(GW_ERR_FORMAT, "'full' leaves nothing for other parts to add");
    if (!given[FULL] && !sparse) return gw_fail(GW_ERR_FORMAT, "no part says which blocks are read");
    if (given[ITC] && (given[LONGFORMER] || given[WINDOW] || given[GLOBAL] || given[SEED]))
        return gw_fail(GW_ERR_FORMAT, "'itc' fixes window:3, global:2 and the seed; write the parts without it");
    if (given[SEED] && !given[RANDOM]) return gw_fail(GW_ERR_FORMAT, "'seed' without 'random' has no effect");
    if (given[WINDOW] && s->value[WINDOW] % 2 == 0)
        return gw_fail(GW_ERR_FORMAT, "window: found %lld, expected an odd number of blocks",
                       (long long)s->value[WINDOW]);
    return GW_OK;
}

static gw_pattern resolve(const spec *s) {
    const bool itc = s->given[ITC], two = itc || s->given[LONGFORMER]; // two: window and global are implied
    gw_pattern pattern = {.full = s->given[FULL], .huggingface = itc};
    pattern.block = s->given[BLOCK] ? (int)s->value[BLOCK] : USUAL_BLOCK;
    pattern.window = s->given[WINDOW] ? (int)s->value[WINDOW] : two ? ITC_WINDOW : 0;
    pattern.global = s->given[GLOBAL] ? (int)s->value[GLOBAL] : two ? ITC_GLOBAL : 0;
    pattern.random = s->given[RANDOM] ? (int)s->value[RANDOM] : itc ? (int)parts[RANDOM].usual : 0;
    pattern.seed = s->given[SEED] ? (uint64_t)s->value[SEED] : 0;
    return pattern;
}

gw_status gw_pattern_parse(const char *text, gw_pattern *out) {
    char *copy = gw_strdup(text);
    if (!copy) return GW_ERR_MEMORY;
    spec s = {0};
    gw_status status = GW_OK;
    for (char *at = copy, *next; status == GW_OK && at; at = next) {
        next = strchr(at, '+');
        if (next) *next++ = 0;
        status = parse_part(at, &s);
    }
    free(copy);
    if (status == GW_OK) status = check(&s);
    if (status != GW_OK) return gw_fail_in(status, "pattern '%s'", text);
    *out = resolve(&s);
    return GW_OK;
}

static void put_part(gw_text *text, int part, int64_t value) {
    gw_text_printf(text, "%s%s:%lld", text->length > 0 ? "+" : "", parts[part].name, (long long)value);
}

char *gw_pattern_text(const gw_pattern *pattern) {
    gw_text text = {0};
    if (pattern->full || pattern->huggingface) gw_text_puts(&text, parts[pattern->full ? FULL : ITC].name);
    else if (pattern->window > 0) put_part(&text, WINDOW, pattern->window);
    if (!pattern->full && !pattern->huggingface && pattern->global > 0) put_part(&text, GLOBAL, pattern->global);
    if (pattern->random != (pattern->huggingface ? parts[RANDOM].usual : 0)) put_part(&text, RANDOM, pattern->random);
    if (pattern->block != USUAL_BLOCK) put_part(&text, BLOCK, pattern->block);
    if (pattern->seed != 0) put_part(&text, SEED, (int64_t)pattern->seed);
    if (gw_text_status(&text) == GW_OK) return text.data;
    gw_text_free(&text);
    return NULL;
}
