// SPDX-License-Identifier: MIT
// Reads the steps, and splits pieces by each in turn.
#include "text/json/pipeline.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

// --- reading -------------------------------------------------------------------------------------------------------

static gw_status add_step(gw_pre_tokenizer *p, gw_pre_step step) {
    GW_TRY(gw_reserve(&p->steps, &p->capacity, p->count + 1, sizeof *p->steps));
    p->steps[p->count++] = step;
    return GW_OK;
}

static gw_status add_split(gw_pre_tokenizer *p, int kind, gw_split behaviour) {
    gw_pre_step step = {.kind = GW_PRE_SPLIT, .behaviour = behaviour};
    step.pattern.kind = kind;
    return add_step(p, step);
}

static gw_status read_behaviour(const char *path, const json_t *json, bool required, gw_split *out) {
    static const char *const names[] = {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"};
    const char *name = NULL;
    GW_TRY(gw_json_string(json, path, "behavior", required, &name));
    if (!name) return GW_OK;
    for (gw_split behaviour = GW_SPLIT_REMOVED; behaviour <= GW_SPLIT_CONTIGUOUS; behaviour++) {
        if (strcmp(name, names[behaviour]) != 0) continue;
        *out = behaviour;
        return GW_OK;
    }
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"pre_tokenizer\": an unknown \"behavior\", %.40s", path, name);
}

gw_status gw_metaspace_read(const char *path, const json_t *json, gw_pre_step *out, bool *split) {
    const char *mark, *scheme = NULL;
    bool before = true;
    *out = (gw_pre_step){.kind = GW_PRE_METASPACE};
    *split = true;
    GW_TRY(gw_json_string(json, path, "replacement", true, &mark));
    GW_TRY(gw_json_bool(json, path, "split", false, split));
    GW_TRY(gw_json_bool(json, path, "add_prefix_space", false, &before)); // the older way to say it
    GW_TRY(gw_json_string(json, path, "prepend_scheme", false, &scheme));
    if (!scheme) scheme = before ? "always" : "never";
    out->prepend = strcmp(scheme, "always") == 0  ? GW_PREPEND_ALWAYS
                   : strcmp(scheme, "first") == 0 ? GW_PREPEND_FIRST
                                                  : GW_PREPEND_NEVER;
    int bytes = 0;
    if (*mark) gw_utf8_read(mark, &bytes);
    if (bytes == 0 || mark[bytes] || (out->prepend == GW_PREPEND_NEVER && strcmp(scheme, "never") != 0))
        return gw_fail(GW_ERR_FORMAT, "%s: Metaspace with a \"replacement\" of %s or the \"prepend_scheme\" %.40s",
                       path, bytes == 0 ? "nothing" : "several characters", scheme);
    memcpy(out->mark, mark, (size_t)bytes);
    return GW_OK;
}

static gw_status read_one(const char *path, const json_t *json, const char *type, gw_pre_tokenizer *out) {
    if (strcmp(type, "Split") == 0) {
        GW_TRY(add_step(out, (gw_pre_step){.kind = GW_PRE_SPLIT}));
        gw_pre_step *step = &out->steps[out->count - 1];
        GW_TRY(read_behaviour(path, json, true, &step->behaviour));
        GW_TRY(gw_json_bool(json, path, "invert", false, &step->invert));
        return gw_text_pattern_read(path, json_object_get(json, "pattern"), &step->pattern);
    }
    if (strcmp(type, "ByteLevel") == 0) {
        bool space = true, cut = true;
        GW_TRY(gw_json_bool(json, path, "add_prefix_space", true, &space));
        GW_TRY(gw_json_bool(json, path, "use_regex", false, &cut));
        if (space) GW_TRY(add_step(out, (gw_pre_step){.kind = GW_PRE_SPACE_BEFORE}));
        if (cut) GW_TRY(add_split(out, GW_PATTERN_GPT2, GW_SPLIT_ISOLATED));
        return add_step(out, (gw_pre_step){.kind = GW_PRE_BYTES});
    }
    if (strcmp(type, "Metaspace") == 0) {
        gw_pre_step step, cut = {.kind = GW_PRE_SPLIT, .behaviour = GW_SPLIT_MERGED_WITH_NEXT};
        bool split;
        GW_TRY(gw_metaspace_read(path, json, &step, &split));
        GW_TRY(add_step(out, step));
        if (!split) return GW_OK;
        GW_TRY(gw_text_pattern_literal(step.mark, &cut.pattern));
        const gw_status status = add_step(out, cut);
        if (status != GW_OK) gw_text_pattern_free(&cut.pattern);
        return status;
    }
    if (strcmp(type, "Digits") == 0) {
        bool each = false;
        GW_TRY(gw_json_bool(json, path, "individual_digits", true, &each));
        return add_split(out, GW_PATTERN_NUMBER, each ? GW_SPLIT_ISOLATED : GW_SPLIT_CONTIGUOUS);
    }
    if (strcmp(type, "Punctuation") == 0) {
        gw_split behaviour = GW_SPLIT_ISOLATED;
        GW_TRY(read_behaviour(path, json, false, &behaviour));
        return add_split(out, GW_PATTERN_PUNCTUATION, behaviour);
    }
    if (strcmp(type, "Whitespace") == 0) {
        GW_TRY(add_split(out, GW_PATTERN_WORDS, GW_SPLIT_REMOVED));
        out->steps[out->count - 1].invert = true;
        return GW_OK;
    }
    const bool bert = strcmp(type, "BertPreTokenizer") == 0;
    if (bert || strcmp(type, "WhitespaceSplit") == 0) {
        GW_TRY(add_split(out, GW_PATTERN_SPACE, GW_SPLIT_REMOVED));
        return bert ? add_split(out, GW_PATTERN_PUNCTUATION, GW_SPLIT_ISOLATED) : GW_OK;
    }
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"pre_tokenizer\": %s is not one that this program runs", path, type);
}

static gw_status read_list(const char *path, const json_t *json, gw_pre_tokenizer *out, int depth) {
    enum { MOST_DEPTH = 20 };
    const char *type;
    if (json_is_null(json) || !json) return GW_OK;
    GW_TRY(gw_json_string(json, path, "type", true, &type));
    if (strcmp(type, "Sequence") != 0) return read_one(path, json, type, out);
    const json_t *list = json_object_get(json, "pretokenizers");
    if (!json_is_array(list) || depth == MOST_DEPTH)
        return gw_fail(GW_ERR_FORMAT, "%s: \"pre_tokenizer\": a Sequence without \"pretokenizers\", or too deep", path);
    for (size_t i = 0; i < json_array_size(list); i++) GW_TRY(read_list(path, json_array_get(list, i), out, depth + 1));
    return GW_OK;
}

gw_status gw_pre_tokenizer_read(const char *path, const json_t *json, gw_pre_tokenizer *out) {
    *out = (gw_pre_tokenizer){0};
    return read_list(path, json, out, 0);
}

void gw_pre_tokenizer_free(gw_pre_tokenizer *pre_tokenizer) {
    for (int64_t i = 0; i < pre_tokenizer->count; i++) gw_text_pattern_free(&pre_tokenizer->steps[i].pattern);
    free(pre_tokenizer->steps);
    *pre_tokenizer = (gw_pre_tokenizer){0};
}

// --- running -------------------------------------------------------------------------------------------------------

static gw_status space_before(const void *context, const char *text, int64_t length, bool first, gw_string *out) {
    (void)context, (void)first;
    if (length > 0 && text[0] != ' ') gw_string_putc(out, ' ');
    gw_string_append(out, text, length);
    return GW_OK;
}

static gw_status byte_letters(const void *context, const char *text, int64_t length, bool first, gw_string *out) {
    (void)context, (void)first;
    gw_byte_letters(out, text, length);
    return GW_OK;
}

static gw_status metaspace(const void *context, const char *text, int64_t length, bool first, gw_string *out) {
    const gw_pre_step *step = context;
    const int64_t bytes = (int64_t)strlen(step->mark);
    const bool marked =
        length > 0 && (text[0] == ' ' || (length >= bytes && memcmp(text, step->mark, (size_t)bytes) == 0));
    const bool wanted = step->prepend == GW_PREPEND_ALWAYS || (step->prepend == GW_PREPEND_FIRST && first);
    if (wanted && length > 0 && !marked) gw_string_append(out, step->mark, bytes);
    for (int64_t at = 0; at < length;) {
        const char *space = memchr(text + at, ' ', (size_t)(length - at));
        const int64_t end = space ? space - text : length;
        gw_string_append(out, text + at, end - at);
        if (space) gw_string_append(out, step->mark, bytes);
        at = end + 1;
    }
    return GW_OK;
}

gw_status gw_pre_tokenize(const gw_pre_tokenizer *pre_tokenizer, gw_pieces *pieces) {
    for (int64_t i = 0; i < pre_tokenizer->count; i++) {
        const gw_pre_step *step = &pre_tokenizer->steps[i];
        switch (step->kind) {
        case GW_PRE_SPLIT: GW_TRY(gw_pieces_split(pieces, &step->pattern, step->behaviour, step->invert)); break;
        case GW_PRE_SPACE_BEFORE: GW_TRY(gw_pieces_map(pieces, space_before, NULL)); break;
        case GW_PRE_BYTES: GW_TRY(gw_pieces_map(pieces, byte_letters, NULL)); break;
        case GW_PRE_METASPACE: GW_TRY(gw_pieces_map(pieces, metaspace, step)); break;
        }
    }
    return GW_OK;
}
