// SPDX-License-Identifier: MIT
// Parses the text of a stem. A table has a row for each kind of part.
#include "nn/stem.h"

#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TAPS = 255, MOST_DILATION = 1 << 16, MOST_FACTOR = 64, MOST_CHANNELS = 1 << 14, CHANNEL_MULTIPLE = 4 };

static const struct {
    const char *name, *shown;
    gw_stem_kind kind;
} kinds[] = {
    {"conv", "conv:K[xW][@D]", GW_STEM_CONVOLUTION}, //
    {"res", "res:K[@D,D,...]", GW_STEM_RESIDUAL},    //
    {"unit", "unit:K[@D,D,...]", GW_STEM_UNIT},      //
    {"leaky-unit", "leaky-unit:K[@D,D,...]", GW_STEM_LEAKY_UNIT},
    {"gpn", "gpn:K[xW][@D,D,...]", GW_STEM_GPN},
    {"convnet", "convnet:K[@D,D,...]", GW_STEM_CONVNET},
    {"pool", "pool:F", GW_STEM_MAX_POOL},  //
    {"mean", "mean:F", GW_STEM_MEAN_POOL}, //
    {"unpool", "unpool:F", GW_STEM_UNPOOL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char attention[] = "attention", letters[] = "letters", positions[] = "positions", skip[] = "skip";

static gw_status add(gw_stem *stem, gw_stem_layer part) {
    if (stem->count == GW_STEM_PARTS)
        return gw_fail(GW_ERR_RANGE, "more than %d parts, each dilation counted", GW_STEM_PARTS);
    stem->part[stem->count++] = part;
    return GW_OK;
}

static gw_status check_channels(int64_t channels) {
    if (channels % CHANNEL_MULTIPLE == 0) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "found %lld channels, expected a multiple of %d", (long long)channels,
                   CHANNEL_MULTIPLE);
}

// K of "K[xW]", an odd number, and W: of what comes out, or of a feed-forward layer.
static gw_status parse_taps(char *text, gw_stem_layer *part) {
    int64_t taps;
    char *wide = strchr(text, 'x');
    if (wide) *wide = 0;
    if (wide && part->kind != GW_STEM_CONVOLUTION && part->kind != GW_STEM_GPN)
        return gw_fail(GW_ERR_FORMAT, "'x%s': residual blocks and units keep their width; a conv can change it",
                       wide + 1);
    GW_TRY(gw_parse_int(text, 1, MOST_TAPS, &taps));
    if (taps % 2 == 0)
        return gw_fail(GW_ERR_RANGE, "found %lld taps, expected an odd number: as many before a base as after it",
                       (long long)taps);
    part->taps = (int)taps;
    switch (part->kind) { // channels of its feed-forward layer, unless its text says others
    case GW_STEM_RESIDUAL: part->wide = 2 * part->width; break;
    case GW_STEM_GPN: part->wide = 4 * part->width; break;
    case GW_STEM_CONVNET: part->wide = part->width; break;
    default: part->wide = 0;
    }
    int64_t *channels = part->kind == GW_STEM_GPN ? &part->wide : &part->width;
    if (wide) GW_TRY(gw_parse_int(wide + 1, CHANNEL_MULTIPLE, MOST_CHANNELS, channels));
    return check_channels(*channels);
}

// A part for each dilation of "D,D,...".
static gw_status add_dilated(gw_stem *stem, gw_stem_layer part, char *dilations) {
    for (char *at = dilations, *next; at; at = next) {
        int64_t dilation;
        next = strchr(at, ',');
        if (next) *next++ = 0;
        if (next && part.kind == GW_STEM_CONVOLUTION)
            return gw_fail(GW_ERR_FORMAT, "'@%s,%s': a conv takes one dilation; the other parts take several", at,
                           next);
        GW_TRY(gw_parse_int(at, 1, MOST_DILATION, &dilation));
        part.dilation = (int)dilation;
        GW_TRY(add(stem, part));
    }
    return GW_OK;
}

static gw_status add_convolutions(gw_stem *stem, gw_stem_layer part, char *text) {
    char one[] = "1", *dilations = strchr(text, '@');
    if (dilations) *dilations++ = 0;
    GW_TRY(parse_taps(text, &part));
    return add_dilated(stem, part, dilations ? dilations : one);
}

static gw_status add_pool(gw_stem *stem, gw_stem_layer part, const char *text) {
    int64_t factor;
    if (stem->before >= 0) return gw_fail(GW_ERR_FORMAT, "pooling must come before attention and every unpool");
    if (gw_stem_has_skips(stem)) return gw_fail(GW_ERR_FORMAT, "skip needs a stem without pooling");
    GW_TRY(gw_parse_int(text, 2, MOST_FACTOR, &factor));
    part.factor = (int)factor;
    if (++part.level == GW_STEM_LEVELS) return gw_fail(GW_ERR_RANGE, "more than %d poolings", GW_STEM_LEVELS - 1);
    stem->levels = part.level;
    stem->factor[part.level] = stem->factor[part.level - 1] * part.factor;
    return add(stem, part);
}

// The pooling that an unpool undoes is the last one that none has undone.
static const gw_stem_layer *pooling(const gw_stem *stem, int level) {
    const gw_stem_layer *found = NULL;
    for (int i = 0; i < stem->before; i++)
        if (stem->part[i].level == level && stem->part[i].factor > 0) found = &stem->part[i];
    return found;
}

static gw_status add_unpool(gw_stem *stem, gw_stem_layer part, const char *text) {
    int64_t factor;
    GW_TRY(gw_parse_int(text, 2, MOST_FACTOR, &factor));
    if (stem->before < 0) stem->before = stem->count;
    const gw_stem_layer *pool = pooling(stem, part.level);
    if (!pool) return gw_fail(GW_ERR_FORMAT, "unpool needs a pooling before it that is not undone yet");
    if (pool->factor != factor)
        return gw_fail(GW_ERR_FORMAT, "found %lld, but the pooling that it undoes is by %d", (long long)factor,
                       pool->factor);
    if (part.width != pool->width)
        return gw_fail(GW_ERR_FORMAT,
                       "%lld channels, but %lld went into the pooling that it undoes: put conv:1x%lld "
                       "before it",
                       (long long)part.width, (long long)pool->width, (long long)pool->width);
    part.factor = (int)factor;
    part.level--;
    return add(stem, part);
}

// Sums of rows of one resolution and width.
static gw_status add_skip(gw_stem *stem, gw_stem_layer part) {
    part.kind = GW_STEM_SKIP;
    if (part.level > 0 || stem->levels > 0) return gw_fail(GW_ERR_FORMAT, "skip needs a stem without pooling");
    for (int i = 0; i < stem->count; i++)
        if (stem->part[i].kind == GW_STEM_SKIP && stem->part[i].width != part.width)
            return gw_fail(GW_ERR_FORMAT, "a skip has %lld channels, and an earlier skip has %lld",
                           (long long)part.width, (long long)stem->part[i].width);
    return add(stem, part);
}

// One `name:what`, cut from its text; `first` of all.
static gw_status parse_part(char *text, bool first, gw_stem *stem) {
    if (strcmp(text, attention) == 0) {
        if (stem->before >= 0) return gw_fail(GW_ERR_FORMAT, "attention occurs once, before every unpool");
        stem->before = stem->count;
        return GW_OK;
    }
    const gw_stem_layer *last = stem->count > 0 ? &stem->part[stem->count - 1] : NULL;
    gw_stem_layer part = {.level = last ? last->level : 0, .in = last ? last->width : stem->letters};
    part.width = part.in;
    part.kind = GW_STEM_POSITIONS;
    if (strcmp(text, positions) == 0) return add(stem, part);
    if (strcmp(text, skip) == 0) return add_skip(stem, part);
    char *colon = strchr(text, ':');
    if (colon) *colon = 0;
    if (colon && strcmp(text, letters) == 0) {
        if (!first) return gw_fail_in(gw_fail(GW_ERR_FORMAT, "letters must be the first part"), "%s", text);
        gw_status status = gw_parse_int(colon + 1, CHANNEL_MULTIPLE, MOST_CHANNELS, &stem->letters);
        if (status == GW_OK) status = check_channels(stem->letters);
        return status == GW_OK ? GW_OK : gw_fail_in(status, "%s", text);
    }
    int kind = 0;
    while (kind < KINDS && strcmp(kinds[kind].name, text) != 0) kind++;
    if (kind == KINDS) {
        gw_string list = {0};
        for (int i = 0; i < KINDS; i++) gw_string_printf(&list, "%s, ", kinds[i].shown);
        gw_string_printf(&list, "%s, %s, %s, %s:W", positions, skip, attention, letters);
        const gw_status status = gw_string_status(&list);
        if (status == GW_OK) gw_fail(GW_ERR_FORMAT, "unknown part '%s'; known are %s", text, list.data);
        gw_string_free(&list);
        return gw_first_failure(status, GW_ERR_FORMAT);
    }
    if (!colon) return gw_fail(GW_ERR_FORMAT, "'%s' needs a number: %s", text, kinds[kind].shown);
    part.kind = kinds[kind].kind;
    const gw_status status = part.kind <= GW_STEM_CONVNET  ? add_convolutions(stem, part, colon + 1)
                             : part.kind == GW_STEM_UNPOOL ? add_unpool(stem, part, colon + 1)
                                                           : add_pool(stem, part, colon + 1);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "%s", text);
}

// Attention and heads have the model's width.
static gw_status check_width(const gw_stem_layer *part, int64_t width, const char *where) {
    if (part->width == width) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%lld channels %s, the model's hidden_size is %lld: put conv:1x%lld before it",
                   (long long)part->width, where, (long long)width, (long long)width);
}

gw_status gw_stem_parse(const char *text, int64_t width, gw_stem *out) {
    char copy[GW_STEM_TEXT];
    *out = (gw_stem){.before = -1, .letters = width, .factor = {1}};
    if (strlen(text) >= GW_STEM_TEXT)
        return gw_fail(GW_ERR_RANGE, "a stem of %zu letters, expected fewer than %d", strlen(text), GW_STEM_TEXT);
    strcpy(copy, text);
    gw_status status = GW_OK;
    for (char *at = copy, *next; status == GW_OK && at; at = next) {
        next = strchr(at, '+');
        if (next) *next++ = 0;
        status = parse_part(at, at == copy, out);
    }
    if (out->before < 0) out->before = out->count;
    if (status == GW_OK && out->count == 0) status = gw_fail(GW_ERR_FORMAT, "no part but attention");
    if (status == GW_OK && out->before > 0)
        status = check_width(&out->part[out->before - 1], width, "come to attention");
    if (status == GW_OK) status = check_width(&out->part[out->count - 1], width, "come to the end");
    if (status != GW_OK) return gw_fail_in(status, "stem '%s'", text);
    strcpy(out->text, text);
    return GW_OK;
}

bool gw_stem_is_unit(const gw_stem_layer *part) {
    return part->kind == GW_STEM_UNIT || part->kind == GW_STEM_LEAKY_UNIT;
}

bool gw_stem_has_skips(const gw_stem *stem) {
    for (int i = 0; i < stem->count; i++)
        if (stem->part[i].kind == GW_STEM_SKIP) return true;
    return false;
}

bool gw_stem_has_positions(const gw_stem *stem) {
    for (int i = 0; i < stem->count; i++)
        if (stem->part[i].kind == GW_STEM_POSITIONS) return true;
    return false;
}

int gw_stem_end_level(const gw_stem *stem) {
    return stem->count > 0 ? stem->part[stem->count - 1].level : 0;
}

int64_t gw_stem_receptive_field(const gw_stem *stem) {
    int64_t field = 1;
    for (int i = 0; i < stem->before; i++) {
        const gw_stem_layer *part = &stem->part[i];
        if (part->factor > 0) field += (int64_t)(part->factor - 1) * stem->factor[part->level - 1];
        else if (part->taps > 0)
            field += (int64_t)(part->taps - 1) * part->dilation * stem->factor[part->level] *
                     (gw_stem_is_unit(part) ? 2 : 1);
    }
    return field;
}

int64_t gw_stem_rows(const gw_stem *stem, int level, int64_t tokens) {
    return level == 0 ? tokens : (tokens + stem->factor[level] - 1) / stem->factor[level];
}
