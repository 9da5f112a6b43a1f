// SPDX-License-Identifier: MIT
// Reads the steps, and applies them in order.
#include "text/json/pipeline.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/json/pieces.h"

#include <stdlib.h>
#include <string.h>

// --- reading -------------------------------------------------------------------------------------------------------

static gw_status add_step(gw_normalizer *n, gw_normalizer_step step) {
    GW_TRY(gw_reserve(&n->steps, &n->capacity, n->count + 1, sizeof *n->steps));
    n->steps[n->count++] = step;
    return GW_OK;
}

static gw_status read_content(const char *path, const json_t *json, const char *key, gw_normalizer_step *step) {
    const char *content;
    GW_TRY(gw_json_string(json, path, key, true, &content));
    step->content = gw_strdup(content);
    return step->content ? GW_OK : GW_ERR_MEMORY;
}

static gw_status read_list(const char *path, const json_t *json, gw_normalizer *out, int depth);

static gw_status read_one(const char *path, const json_t *json, const char *type, gw_normalizer *out) {
    static const char *const forms[] = {"NFC", "NFD", "NFKC", "NFKD"};
    for (gw_normal_form form = GW_NFC; form <= GW_NFKD; form++)
        if (strcmp(type, forms[form]) == 0)
            return add_step(out, (gw_normalizer_step){.kind = GW_NORMALIZE_FORM, .form = form});
    if (strcmp(type, "Strip") == 0) {
        gw_normalizer_step step = {.kind = GW_NORMALIZE_STRIP};
        GW_TRY(gw_json_bool(json, path, "strip_left", true, &step.left));
        GW_TRY(gw_json_bool(json, path, "strip_right", true, &step.right));
        return add_step(out, step);
    }
    if (strcmp(type, "Prepend") == 0) {
        GW_TRY(add_step(out, (gw_normalizer_step){.kind = GW_NORMALIZE_PREPEND}));
        return read_content(path, json, "prepend", &out->steps[out->count - 1]);
    }
    if (strcmp(type, "Replace") == 0) {
        GW_TRY(add_step(out, (gw_normalizer_step){.kind = GW_NORMALIZE_REPLACE}));
        gw_normalizer_step *step = &out->steps[out->count - 1];
        GW_TRY(gw_text_pattern_read(path, json_object_get(json, "pattern"), &step->pattern));
        return read_content(path, json, "content", step);
    }
    if (strcmp(type, "Lowercase") == 0) return add_step(out, (gw_normalizer_step){.kind = GW_NORMALIZE_LOWER_CASE});
    if (strcmp(type, "StripAccents") == 0)
        return add_step(out, (gw_normalizer_step){.kind = GW_NORMALIZE_STRIP_ACCENTS});
    if (strcmp(type, "ByteLevel") == 0) return add_step(out, (gw_normalizer_step){.kind = GW_NORMALIZE_BYTES});
    if (strcmp(type, "BertNormalizer") == 0) {
        // Which steps BERT takes; accents go where `lowercase` is set, unless the file says otherwise.
        bool clean = true, chinese = true, lower = true;
        GW_TRY(gw_json_bool(json, path, "clean_text", false, &clean));
        GW_TRY(gw_json_bool(json, path, "handle_chinese_chars", false, &chinese));
        GW_TRY(gw_json_bool(json, path, "lowercase", false, &lower));
        bool accents = lower;
        GW_TRY(gw_json_bool(json, path, "strip_accents", false, &accents));
        if (clean) GW_TRY(add_step(out, (gw_normalizer_step){.kind = GW_NORMALIZE_CLEAN}));
        if (chinese) GW_TRY(add_step(out, (gw_normalizer_step){.kind = GW_NORMALIZE_SPACE_CHINESE}));
        if (accents) {
            GW_TRY(add_step(out, (gw_normalizer_step){.kind = GW_NORMALIZE_FORM, .form = GW_NFD}));
            GW_TRY(add_step(out, (gw_normalizer_step){.kind = GW_NORMALIZE_STRIP_ACCENTS, .left = true}));
        }
        return lower ? add_step(out, (gw_normalizer_step){.kind = GW_NORMALIZE_LOWER_CASE}) : GW_OK;
    }
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"normalizer\": %s is not one that this program runs", path, type);
}

static gw_status read_list(const char *path, const json_t *json, gw_normalizer *out, int depth) {
    enum { MOST_DEPTH = 20 };
    const char *type;
    if (json_is_null(json) || !json) return GW_OK;
    GW_TRY(gw_json_string(json, path, "type", true, &type));
    if (strcmp(type, "Sequence") != 0) return read_one(path, json, type, out);
    const json_t *list = json_object_get(json, "normalizers");
    if (!json_is_array(list) || depth == MOST_DEPTH)
        return gw_fail(GW_ERR_FORMAT, "%s: \"normalizer\": a Sequence without \"normalizers\", or too deep", path);
    for (size_t i = 0; i < json_array_size(list); i++) GW_TRY(read_list(path, json_array_get(list, i), out, depth + 1));
    return GW_OK;
}

gw_status gw_normalizer_read(const char *path, const json_t *json, gw_normalizer *out) {
    *out = (gw_normalizer){0};
    return read_list(path, json, out, 0);
}

void gw_normalizer_free(gw_normalizer *normalizer) {
    for (int64_t i = 0; i < normalizer->count; i++) {
        gw_text_pattern_free(&normalizer->steps[i].pattern);
        free(normalizer->steps[i].content);
    }
    free(normalizer->steps);
    *normalizer = (gw_normalizer){0};
}

// --- running -------------------------------------------------------------------------------------------------------

void gw_normalizer_scratch_free(gw_normalizer_scratch *scratch) {
    gw_string_free(&scratch->texts[0]);
    gw_string_free(&scratch->texts[1]);
    gw_regex_scratch_free(&scratch->regex);
}

static void strip(const gw_normalizer_step *step, const char *text, int64_t length, gw_string *out, bool *trimmed) {
    int64_t begin = 0, end = length;
    int bytes;
    while (step->left && begin < end && gw_is_space(gw_utf8_read(text + begin, &bytes))) begin += bytes;
    while (step->right && end > begin) {
        int64_t last = end - 1;
        while (((uint8_t)text[last] & 0xC0) == 0x80) last--;
        if (!gw_is_space(gw_utf8_read(text + last, &bytes))) break;
        end = last;
    }
    *trimmed = *trimmed || begin > 0;
    gw_string_append(out, text + begin, end - begin);
}

static bool is_chinese(uint32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
           (c >= 0x2A700 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0x2F800 && c <= 0x2FA1F);
}

static void put(gw_string *out, uint32_t point) {
    char bytes[4];
    gw_string_append(out, bytes, gw_utf8_write(point, bytes));
}

static void clean(gw_string *out, uint32_t c) {
    if (c == '\t' || c == '\n' || c == '\r' || gw_is_space(c)) {
        if (c < 0x80 && c != '\t' && c != '\n' && c != '\r' && c != ' ') return; // \v and \f are control characters
        if (c != 0x85) gw_string_putc(out, ' ');
    } else if (c != 0 && c != 0xFFFD && !(gw_category(c) & GW_CATEGORY_OTHER)) {
        put(out, c);
    }
}

// What becomes of one character.
static void change(const gw_normalizer_step *step, uint32_t c, gw_string *out) {
    uint32_t lower[2];
    switch (step->kind) {
    case GW_NORMALIZE_CLEAN: clean(out, c); break;
    case GW_NORMALIZE_LOWER_CASE:
        for (int i = 0, n = gw_lower_case(c, lower); i < n; i++) put(out, lower[i]);
        break;
    case GW_NORMALIZE_STRIP_ACCENTS:
        if (!(gw_category(c) & (step->left ? GW_CATEGORY_NONSPACING : GW_CATEGORY_MARK))) put(out, c);
        break;
    default: // GW_NORMALIZE_SPACE_CHINESE
        if (is_chinese(c)) gw_string_putc(out, ' ');
        put(out, c);
        if (is_chinese(c)) gw_string_putc(out, ' ');
    }
}

static bool is_ascii(const char *text, int64_t length) {
    uint8_t bits = 0;
    for (int64_t i = 0; i < length; i++) bits |= (uint8_t)text[i];
    return bits < 0x80;
}

static gw_status run_step(const gw_normalizer_step *step, gw_regex_scratch *scratch, const char *text, int64_t length,
                          int64_t most, gw_string *out, bool *trimmed) {
    int bytes;
    switch (step->kind) {
    case GW_NORMALIZE_STRIP: strip(step, text, length, out, trimmed); break;
    case GW_NORMALIZE_REPLACE:
        return gw_text_pattern_replace(&step->pattern, scratch, step->content, text, length, most, out);
    case GW_NORMALIZE_PREPEND:
        if (length > 0) gw_string_puts(out, step->content);
        gw_string_append(out, text, length);
        break;
    case GW_NORMALIZE_FORM:
        if (!is_ascii(text, length)) return gw_normal_form_append(out, step->form, text, length);
        gw_string_append(out, text, length);
        break;
    case GW_NORMALIZE_BYTES: gw_byte_letters(out, text, length); break;
    default:
        for (int64_t at = 0; at < length; at += bytes) change(step, gw_utf8_read(text + at, &bytes), out);
    }
    return GW_OK;
}

gw_status gw_normalize(const gw_normalizer *normalizer, gw_normalizer_scratch *scratch, const char *text,
                       int64_t length, gw_string *out, bool *trimmed) {
    const int64_t most = gw_replaced_most(length);
    *trimmed = false;
    for (int64_t i = 0; i < normalizer->count; i++) {
        gw_string *const made = &scratch->texts[i % 2];
        gw_string_clear(made);
        GW_TRY(run_step(&normalizer->steps[i], &scratch->regex, text, length, most, made, trimmed));
        GW_TRY(gw_string_status(made));
        text = made->data ? made->data : "";
        length = made->length;
    }
    gw_string_append(out, text, length);
    return gw_string_status(out);
}
