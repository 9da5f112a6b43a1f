// SPDX-License-Identifier: MIT
// Conversion between text and patterns. Parts are rows of a table with their ranges and defaults.
#include "graph/pattern.h"

#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"

#include <stdlib.h>
#include <string.h>

enum { ITC, LONGFORMER, FULL, WINDOW, GLOBAL, BAND, RANDOM, CAUSAL, EVERY, BLOCK, SEED, PARTS };

static const struct {
    const char *name, *shown;
    int64_t usual; // value of the bare name; -1: a number is required, 0: none is allowed
    int64_t low, high;
} parts[PARTS] = {
    [ITC] = {"itc", "itc[/TABLES]"},
    [LONGFORMER] = {"longformer", "longformer"},
    [FULL] = {"full", "full"},
    [WINDOW] = {"window", "window[:W]", 3, 1, 65535},
    [GLOBAL] = {"global", "global[:G][@start]", 2, 1, 65535},
    [BAND] = {"band", "band[:W]", 256, 1, 1 << 24},
    [RANDOM] = {"random", "random[:R]", 3, 1, 65535},
    [CAUSAL] = {"causal", "causal"},
    [EVERY] = {"every", "every[:N]", 3, 2, 1024},
    [BLOCK] = {"block", "block:N", -1, 1, 4096},
    [SEED] = {"seed", "seed:N", -1, 0, INT64_MAX},
};

#define START "start" // the place of global blocks that all stand at the beginning

enum { USUAL_BLOCK = 64, ITC_WINDOW = 3, ITC_GLOBAL = 2 };

static const char *const tables_names[] = {[GW_TABLES_SEEDED] = "seeded",
                                           [GW_TABLES_HF_EVAL] = "hf-eval",
                                           [GW_TABLES_GOOGLE] = "google",
                                           [GW_TABLES_SET] = "set"};

// GW_TABLES_OWN where no tables have this name.
static gw_tables tables_of(const char *name) {
    for (gw_tables t = GW_TABLES_SEEDED; t <= GW_TABLES_SET; t++)
        if (strcmp(tables_names[t], name) == 0) return t;
    return GW_TABLES_OWN;
}

typedef struct {
    const char *others; // gw_pattern_parse_or()
    gw_tables tables;   // of itc
    bool at_start;      // of global
    bool given[PARTS];
    int64_t value[PARTS];
} spec;

// One `name[/tables][:number][@place]`, cut from its spec.
static gw_status parse_part(char *text, spec *out) {
    char *at = strchr(text, '@');
    if (at) *at++ = 0;
    if (at && (strcspn(text, ":") != strlen(parts[GLOBAL].name) || !gw_has_prefix(text, parts[GLOBAL].name)))
        return gw_fail(GW_ERR_FORMAT, "'%s' takes no place (@); only global does", text);
    if (at && strcmp(at, START) != 0) return gw_fail(GW_ERR_FORMAT, "unknown place '%s' of global: " START, at);
    if (at) out->at_start = true;
    char *colon = strchr(text, ':');
    if (colon) *colon++ = 0;
    char *slash = strchr(text, '/');
    if (slash) *slash++ = 0;
    if (slash && strcmp(text, parts[ITC].name) != 0)
        return gw_fail(GW_ERR_FORMAT, "'%s' takes no tables (/); only itc does", text);
    if (slash) out->tables = tables_of(slash);
    if (slash && out->tables == GW_TABLES_OWN)
        return gw_fail(GW_ERR_FORMAT, "unknown tables '%s' of itc: seeded, hf-eval, google or set", slash);
    int part = 0;
    while (part < PARTS && strcmp(parts[part].name, text) != 0) part++;
    if (part == PARTS) {
        gw_string list = {0};
        for (int i = 0; i < PARTS; i++) gw_string_printf(&list, "%s%s", i > 0 ? ", " : "", parts[i].shown);
        if (out->others) gw_string_printf(&list, "; or another mixer: %s", out->others);
        const gw_status status = gw_string_status(&list);
        if (status == GW_OK) gw_fail(GW_ERR_FORMAT, "unknown part '%s'; known are %s", text, list.data);
        gw_string_free(&list);
        return gw_first_failure(status, GW_ERR_FORMAT);
    }
    if (out->given[part]) return gw_fail(GW_ERR_FORMAT, "'%s' occurs twice", text);
    out->given[part] = true;
    out->value[part] = parts[part].usual;
    if (colon && parts[part].usual == 0) return gw_fail(GW_ERR_FORMAT, "'%s' takes no number", text);
    if (!colon && parts[part].usual < 0)
        return gw_fail(GW_ERR_FORMAT, "'%s' needs a number: %s", text, parts[part].shown);
    if (!colon) return GW_OK;
    const gw_status status = gw_parse_int(colon, parts[part].low, parts[part].high, &out->value[part]);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "%s", text);
}

// Parts that contradict each other.
static gw_status check(const spec *s) {
    const bool *given = s->given;
    const bool sparse =
        given[ITC] || given[LONGFORMER] || given[WINDOW] || given[GLOBAL] || given[BAND] || given[RANDOM];
    if (given[FULL] && sparse) return gw_fail(GW_ERR_FORMAT, "'full' already reads all tokens; remove the other parts");
    if (!given[FULL] && !sparse) return gw_fail(GW_ERR_FORMAT, "no part says which blocks are read");
    if (given[FULL] && given[EVERY]) return gw_fail(GW_ERR_FORMAT, "'every' beside 'full' has no effect");
    const bool moved = !given[GLOBAL] || s->at_start;
    if (given[ITC] && (given[LONGFORMER] || given[WINDOW] || !moved || given[BAND] || given[SEED]))
        return gw_fail(GW_ERR_FORMAT, "'itc' fixes window:3, global:2 and the seed; write the parts without it, or "
                                      "global:G@start beside it");
    if (given[SEED] && !given[RANDOM]) return gw_fail(GW_ERR_FORMAT, "'seed' without 'random' has no effect");
    if (given[WINDOW] && s->value[WINDOW] % 2 == 0)
        return gw_fail(GW_ERR_FORMAT, "window: found %lld, expected an odd number of blocks",
                       (long long)s->value[WINDOW]);
    return GW_OK;
}

static gw_pattern resolve(const spec *s) {
    const bool itc = s->given[ITC], two = itc || s->given[LONGFORMER]; // two: window and global are implied
    gw_pattern pattern = {.full = s->given[FULL], .tables = itc ? s->tables : GW_TABLES_OWN};
    pattern.block = s->given[BLOCK] ? (int)s->value[BLOCK] : USUAL_BLOCK;
    pattern.window = s->given[WINDOW] ? (int)s->value[WINDOW] : two ? ITC_WINDOW : 0;
    pattern.global = s->given[GLOBAL] ? (int)s->value[GLOBAL] : two ? ITC_GLOBAL : 0;
    pattern.at_start = s->at_start;
    pattern.band = s->given[BAND] ? (int)s->value[BAND] : 0;
    pattern.causal = s->given[CAUSAL];
    pattern.every = s->given[EVERY] ? (int)s->value[EVERY] : 0;
    pattern.random = s->given[RANDOM] ? (int)s->value[RANDOM] : itc ? (int)parts[RANDOM].usual : 0;
    pattern.seed = s->given[SEED] ? (uint64_t)s->value[SEED] : 0;
    return pattern;
}

gw_status gw_pattern_parse_or(const char *text, const char *others, gw_pattern *out) {
    char *copy = gw_strdup(text);
    if (!copy) return GW_ERR_MEMORY;
    spec s = {.others = others, .tables = GW_TABLES_SEEDED};
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

gw_status gw_pattern_parse(const char *text, gw_pattern *out) {
    return gw_pattern_parse_or(text, NULL, out);
}

static void put_part(gw_string *text, int part, int64_t value) {
    gw_string_printf(text, "%s%s:%lld", text->length > 0 ? "+" : "", parts[part].name, (long long)value);
}

static bool is_itc(const gw_pattern *pattern) {
    return pattern->tables != GW_TABLES_OWN;
}

// The spec; with every_name also the tables that itc alone means.
static char *write_spec(const gw_pattern *pattern, bool every_name) {
    gw_string text = {0};
    const bool parts_named = !pattern->full && !is_itc(pattern);
    if (pattern->full || is_itc(pattern)) gw_string_puts(&text, parts[pattern->full ? FULL : ITC].name);
    if (!pattern->full && is_itc(pattern) && (every_name || pattern->tables != GW_TABLES_SEEDED))
        gw_string_printf(&text, "/%s", tables_names[pattern->tables]);
    if (parts_named && pattern->window > 0) put_part(&text, WINDOW, pattern->window);
    if (pattern->global > 0 && (parts_named || pattern->at_start)) put_part(&text, GLOBAL, pattern->global);
    if (pattern->at_start) gw_string_puts(&text, "@" START);
    if (pattern->band > 0) put_part(&text, BAND, pattern->band);
    if (pattern->random != (is_itc(pattern) ? parts[RANDOM].usual : 0)) put_part(&text, RANDOM, pattern->random);
    if (pattern->causal) gw_string_printf(&text, "+%s", parts[CAUSAL].name);
    if (pattern->every > 0) put_part(&text, EVERY, pattern->every);
    if (pattern->block != USUAL_BLOCK) put_part(&text, BLOCK, pattern->block);
    if (pattern->seed != 0) put_part(&text, SEED, (int64_t)pattern->seed);
    if (gw_string_status(&text) == GW_OK) return text.data;
    gw_string_free(&text);
    return NULL;
}

char *gw_pattern_text(const gw_pattern *pattern) {
    return write_spec(pattern, false);
}

char *gw_pattern_provenance(const gw_pattern *pattern) {
    return write_spec(pattern, true);
}

gw_status gw_pattern_use_mode(gw_pattern *pattern, const char *mode) {
    if (strcmp(mode, parts[FULL].name) == 0 && pattern->every == 0) {
        *pattern = (gw_pattern){.block = pattern->block, .full = true, .causal = pattern->causal};
        return GW_OK;
    }
    const bool start = strcmp(mode, START) == 0;
    const gw_tables tables = start ? pattern->tables : tables_of(mode);
    if (!start && tables == GW_TABLES_OWN && strcmp(mode, parts[FULL].name) != 0)
        return gw_fail(GW_ERR_RANGE, "unknown attention mode '%s': seeded, hf-eval, google, set, start or full", mode);
    if (!is_itc(pattern)) {
        char *text = gw_pattern_text(pattern);
        if (text)
            gw_fail(GW_ERR_UNSUPPORTED, "attention mode %s is BigBird's; the model's own pattern is %s", mode, text);
        free(text);
        return text ? GW_ERR_UNSUPPORTED : GW_ERR_MEMORY;
    }
    pattern->tables = tables;
    pattern->at_start = pattern->at_start || start;
    return GW_OK;
}
