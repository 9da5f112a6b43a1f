// SPDX-License-Identifier: MIT
// Reads the steps, and applies them in order to the texts of the tokens.
#include "text/json/pipeline.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

// --- reading -------------------------------------------------------------------------------------------------------

static gw_status add_step(gw_decoder *d, int kind, const char *content) {
    GW_TRY(gw_reserve(&d->steps, &d->capacity, d->count + 1, sizeof *d->steps));
    gw_decoder_step *step = &d->steps[d->count++];
    *step = (gw_decoder_step){.kind = kind};
    if (!content) return GW_OK;
    step->content = gw_strdup(content);
    return step->content ? GW_OK : GW_ERR_MEMORY;
}

static gw_status read_list(const char *path, const json_t *json, gw_decoder *out, int depth) {
    enum { MOST_DEPTH = 20 };
    const char *type, *suffix = "</w>";
    if (json_is_null(json) || !json) return GW_OK;
    GW_TRY(gw_json_string(json, path, "type", true, &type));
    if (strcmp(type, "Sequence") == 0) {
        const json_t *list = json_object_get(json, "decoders");
        if (!json_is_array(list) || depth == MOST_DEPTH)
            return gw_fail(GW_ERR_FORMAT, "%s: \"decoder\": a Sequence without \"decoders\", or too deep", path);
        for (size_t i = 0; i < json_array_size(list); i++)
            GW_TRY(read_list(path, json_array_get(list, i), out, depth + 1));
        return GW_OK;
    }
    if (strcmp(type, "Fuse") == 0) return add_step(out, GW_DECODE_FUSE, NULL);
    if (strcmp(type, "ByteLevel") == 0) return add_step(out, GW_DECODE_BYTES, NULL);
    if (strcmp(type, "ByteFallback") == 0) return add_step(out, GW_DECODE_BYTE_FALLBACK, NULL);
    if (strcmp(type, "Metaspace") == 0) {
        gw_pre_step step;
        bool split;
        GW_TRY(gw_metaspace_read(path, json, &step, &split));
        GW_TRY(add_step(out, GW_DECODE_METASPACE, step.mark));
        out->steps[out->count - 1].front = step.prepend != GW_PREPEND_NEVER;
        return GW_OK;
    }
    if (strcmp(type, "Replace") == 0) {
        const char *content;
        GW_TRY(gw_json_string(json, path, "content", true, &content));
        GW_TRY(add_step(out, GW_DECODE_REPLACE, content));
        return gw_text_pattern_read(path, json_object_get(json, "pattern"), &out->steps[out->count - 1].pattern);
    }
    if (strcmp(type, "Strip") == 0) {
        const char *content;
        int64_t start = 0, stop = 0;
        GW_TRY(gw_json_string(json, path, "content", true, &content));
        GW_TRY(gw_json_int(json, path, "start", true, 0, INT32_MAX, &start));
        GW_TRY(gw_json_int(json, path, "stop", true, 0, INT32_MAX, &stop));
        GW_TRY(add_step(out, GW_DECODE_STRIP, content));
        out->steps[out->count - 1].start = start;
        out->steps[out->count - 1].stop = stop;
        return GW_OK;
    }
    if (strcmp(type, "WordPiece") == 0) {
        const char *prefix = "##";
        bool cleanup = true;
        GW_TRY(gw_json_string(json, path, "prefix", false, &prefix));
        GW_TRY(gw_json_bool(json, path, "cleanup", false, &cleanup));
        GW_TRY(add_step(out, GW_DECODE_WORDPIECE, prefix));
        out->steps[out->count - 1].cleanup = cleanup;
        return GW_OK;
    }
    if (strcmp(type, "BPEDecoder") != 0 && strcmp(type, "BPE") != 0) // GENA-LM's files call it so
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"decoder\": %s is not one that this program runs", path, type);
    GW_TRY(gw_json_string(json, path, "suffix", false, &suffix));
    return add_step(out, GW_DECODE_SUFFIX, suffix);
}

gw_status gw_decoder_read(const char *path, const json_t *json, gw_decoder *out) {
    *out = (gw_decoder){0};
    return read_list(path, json, out, 0);
}

void gw_decoder_free(gw_decoder *decoder) {
    for (int64_t i = 0; i < decoder->count; i++) {
        gw_text_pattern_free(&decoder->steps[i].pattern);
        free(decoder->steps[i].content);
    }
    free(decoder->steps);
    *decoder = (gw_decoder){0};
}

// --- running -------------------------------------------------------------------------------------------------------

// Appends text with every `from` (not empty) replaced.
static void replace_all(gw_string *out, const char *text, int64_t length, const char *from, const char *to) {
    const size_t bytes = strlen(from);
    while (length > 0) {
        const char *found = bytes > 0 ? memmem(text, (size_t)length, from, bytes) : NULL;
        gw_string_append(out, text, found ? found - text : length);
        if (!found) return;
        gw_string_puts(out, to);
        length -= found + bytes - text;
        text = found + bytes;
    }
}

static void put_bytes(gw_string *out, const char *text, int64_t length) {
    const int64_t begin = out->length;
    int bytes;
    for (int64_t at = 0; at < length; at += bytes) {
        const int byte = gw_letter_byte(gw_utf8_read(text + at, &bytes));
        if (byte < 0) { // not a word of such letters: it stays as it is
            out->length = begin;
            gw_string_append(out, text, length);
            return;
        }
        gw_string_putc(out, (char)byte);
    }
}

static void strip(gw_string *out, const gw_decoder_step *step, const char *text, int64_t length) {
    const int64_t bytes = (int64_t)strlen(step->content);
    for (int64_t i = 0; i < step->start && length >= bytes && memcmp(text, step->content, (size_t)bytes) == 0; i++)
        text += bytes, length -= bytes;
    for (int64_t i = 0; i < step->stop && length >= bytes; i++) {
        if (memcmp(text + length - bytes, step->content, (size_t)bytes) != 0) break;
        length -= bytes;
    }
    gw_string_append(out, text, length);
}

// English as it is written: no space before a full stop or in a contraction.
static gw_status clean_up(gw_string *out, int64_t begin) {
    static const char *const spaced[][2] = {{" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
                                            {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
                                            {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    gw_string old = {0};
    for (size_t i = 0; i < sizeof spaced / sizeof *spaced; i++) {
        gw_string_clear(&old);
        gw_string_append(&old, out->data + begin, out->length - begin);
        if (old.failed) break;
        out->length = begin;
        replace_all(out, old.data, old.length, spaced[i][0], spaced[i][1]);
    }
    const gw_status status = gw_string_status(&old);
    gw_string_free(&old);
    return status;
}

static gw_status join_pieces(gw_string *out, const gw_decoder_step *step, const char *text, int64_t length,
                             bool first) {
    const int64_t bytes = (int64_t)strlen(step->content), begin = out->length;
    const bool goes_on = length >= bytes && memcmp(text, step->content, (size_t)bytes) == 0;
    if (!first && !goes_on) gw_string_putc(out, ' ');
    const int64_t skipped = !first && goes_on ? bytes : 0;
    gw_string_append(out, text + skipped, length - skipped);
    return step->cleanup && out->length > begin ? clean_up(out, begin) : GW_OK;
}

typedef struct {
    const gw_decoder_step *step;
    gw_regex_scratch *regex;
    int64_t most; // bytes of the text after a replacement
    bool last;
} decoding;

static gw_status decode_token(const decoding *d, const char *text, int64_t length, bool first, gw_string *out) {
    const gw_decoder_step *step = d->step;
    switch (step->kind) {
    case GW_DECODE_FUSE: gw_string_append(out, text, length); break;
    case GW_DECODE_BYTES: put_bytes(out, text, length); break;
    case GW_DECODE_SUFFIX: replace_all(out, text, length, step->content, d->last ? "" : " "); break;
    case GW_DECODE_METASPACE: replace_all(out, text, length, step->content, first && step->front ? "" : " "); break;
    case GW_DECODE_BYTE_FALLBACK: {
        char digits[3] = {0}, *end = digits;
        if (length == 6 && memcmp(text, "<0x", 3) == 0 && text[5] == '>') memcpy(digits, text + 3, 2);
        const long byte = strtol(digits, &end, 16);
        if (digits[0] && end == digits + 2 && digits[0] != '-' && digits[0] != '+') gw_string_putc(out, (char)byte);
        else gw_string_append(out, text, length);
    } break;
    case GW_DECODE_REPLACE:
        return gw_text_pattern_replace(&step->pattern, d->regex, step->content, text, length, d->most, out);
    case GW_DECODE_WORDPIECE: return join_pieces(out, step, text, length, first);
    case GW_DECODE_STRIP: strip(out, step, text, length); break;
    }
    return GW_OK;
}

// One step over all tokens.
static gw_status run_step(const gw_decoder_step *step, gw_pieces *p, int64_t most) {
    decoding d = {.step = step, .regex = &p->regex, .most = most};
    gw_string_clear(&p->other_text);
    for (int64_t i = 0; i < p->count; i++) {
        gw_piece *piece = &p->list[i];
        const int64_t begin = p->other_text.length;
        d.last = i == p->count - 1;
        GW_TRY(decode_token(&d, p->text.data + piece->begin, piece->end - piece->begin, i == 0, &p->other_text));
        piece->begin = begin;
        piece->end = p->other_text.length;
    }
    if (p->count > 0 && (step->kind == GW_DECODE_FUSE || step->kind == GW_DECODE_BYTES)) {
        p->count = 1;
        p->list[0].end = p->other_text.length;
    }
    const gw_string old = p->text;
    p->text = p->other_text;
    p->other_text = old;
    return gw_string_status(&p->text);
}

gw_status gw_decode_pieces(const gw_decoder *decoder, gw_pieces *pieces, gw_string *out) {
    const int64_t most = gw_replaced_most(pieces->text.length);
    for (int64_t i = 0; i < decoder->count; i++) GW_TRY(run_step(&decoder->steps[i], pieces, most));
    for (int64_t i = 0; i < pieces->count; i++) {
        if (i > 0 && decoder->count == 0) gw_string_putc(out, ' ');
        gw_string_append(out, pieces->text.data + pieces->list[i].begin, pieces->list[i].end - pieces->list[i].begin);
    }
    return gw_string_status(out);
}
