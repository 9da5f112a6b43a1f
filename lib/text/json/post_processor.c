// SPDX-License-Identifier: MIT
// Reads templates, and puts their special tokens around the ids.
#include "text/json/pipeline.h"

#include <string.h>

static gw_status check_token(const char *path, const gw_tokenizer *t, const json_t *id, int32_t *out) {
    const int64_t value = json_is_integer(id) ? json_integer_value(id) : -1;
    if (value < 0 || value >= t->size)
        return gw_fail(GW_ERR_FORMAT, "%s: \"post_processor\" names a token whose id is not in the vocabulary", path);
    *out = (int32_t)value;
    return GW_OK;
}

static gw_status add(const char *path, gw_template *around, gw_template_piece piece) {
    if (around->count == GW_TEMPLATE_PIECES)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: a post-processor puts more than %d pieces together", path,
                       GW_TEMPLATE_PIECES);
    around->pieces[around->count++] = piece;
    return GW_OK;
}

static gw_status add_token(const char *path, gw_template *around, int32_t token, int32_t segment) {
    return add(path, around, (gw_template_piece){GW_PIECE_TOKEN, token, segment});
}

// [CLS] A [SEP] B [SEP] of BERT, [CLS] A [SEP] [SEP] B [SEP] of RoBERTa, which has no segments.
static gw_status read_classic(const char *path, const json_t *json, bool roberta, gw_tokenizer *t) {
    int32_t cls = -1, sep = -1;
    GW_TRY(check_token(path, t, json_array_get(json_object_get(json, "cls"), 1), &cls));
    GW_TRY(check_token(path, t, json_array_get(json_object_get(json, "sep"), 1), &sep));
    t->specials[GW_SPECIAL_CLS] = cls;
    t->specials[GW_SPECIAL_SEP] = sep;
    const int32_t second = roberta ? 0 : 1;
    t->single = (gw_template){0};
    GW_TRY(add_token(path, &t->single, cls, 0));
    GW_TRY(add(path, &t->single, (gw_template_piece){GW_PIECE_A, 0, 0}));
    GW_TRY(add_token(path, &t->single, sep, 0));
    t->pair = t->single;
    if (roberta) GW_TRY(add_token(path, &t->pair, sep, 0));
    GW_TRY(add(path, &t->pair, (gw_template_piece){GW_PIECE_B, 0, second}));
    return add_token(path, &t->pair, sep, second);
}

// {"SpecialToken": {"id", "type_id"}}: the ids that "special_tokens" lists under that name.
static gw_status read_special(const char *path, const json_t *token, int32_t segment, const json_t *names,
                              const gw_tokenizer *t, gw_template *out) {
    const char *name;
    GW_TRY(gw_json_string(token, path, "id", true, &name));
    const json_t *ids = json_object_get(json_object_get(names, name), "ids");
    if (!json_is_array(ids))
        return gw_fail(GW_ERR_FORMAT, "%s: \"post_processor\" does not list the special token \"%.60s\"", path, name);
    for (size_t i = 0; i < json_array_size(ids); i++) {
        int32_t id = -1;
        GW_TRY(check_token(path, t, json_array_get(ids, i), &id));
        GW_TRY(add_token(path, out, id, segment));
    }
    return GW_OK;
}

static gw_status read_template(const char *path, const json_t *list, const json_t *names, const gw_tokenizer *t,
                               bool is_pair, gw_template *out) {
    *out = (gw_template){0};
    if (!json_is_array(list))
        return gw_fail(GW_ERR_FORMAT, "%s: \"post_processor\": a template without its lists of pieces", path);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *piece = json_array_get(list, i), *token = json_object_get(piece, "SpecialToken"),
                     *text = json_object_get(piece, "Sequence");
        int64_t segment = 0;
        const char *name;
        GW_TRY(gw_json_int(token ? token : text, path, "type_id", true, 0, INT32_MAX, &segment));
        if (token) {
            GW_TRY(read_special(path, token, (int32_t)segment, names, t, out));
            continue;
        }
        GW_TRY(gw_json_string(text, path, "id", true, &name));
        const bool second = strcmp(name, "B") == 0;
        if ((second && !is_pair) || (!second && strcmp(name, "A") != 0))
            return gw_fail(GW_ERR_FORMAT, "%s: \"post_processor\": a template with the text \"%.20s\"", path, name);
        GW_TRY(add(path, out, (gw_template_piece){second ? GW_PIECE_B : GW_PIECE_A, 0, (int32_t)segment}));
    }
    return GW_OK;
}

static gw_status read_templates(const char *path, const json_t *json, gw_tokenizer *t) {
    const json_t *names = json_object_get(json, "special_tokens");
    GW_TRY(read_template(path, json_object_get(json, "single"), names, t, false, &t->single));
    GW_TRY(read_template(path, json_object_get(json, "pair"), names, t, true, &t->pair));
    const gw_template_piece *pieces = t->single.pieces; // [CLS] A [SEP]?
    if (t->single.count != 3 || pieces[0].what != GW_PIECE_TOKEN || pieces[1].what != GW_PIECE_A ||
        pieces[2].what != GW_PIECE_TOKEN)
        return GW_OK;
    t->specials[GW_SPECIAL_CLS] = pieces[0].token;
    t->specials[GW_SPECIAL_SEP] = pieces[2].token;
    return GW_OK;
}

// *adds: a processor that puts tokens around a text was met.
static gw_status read_list(const char *path, const json_t *json, gw_tokenizer *t, bool *adds, int depth) {
    enum { MOST_DEPTH = 20 };
    const char *type;
    if (json_is_null(json) || !json) return GW_OK;
    GW_TRY(gw_json_string(json, path, "type", true, &type));
    if (strcmp(type, "ByteLevel") == 0) return GW_OK; // changes offsets alone
    if (strcmp(type, "Sequence") == 0) {
        const json_t *list = json_object_get(json, "processors");
        if (!json_is_array(list) || depth == MOST_DEPTH)
            return gw_fail(GW_ERR_FORMAT, "%s: \"post_processor\": a Sequence without \"processors\", or too deep",
                           path);
        for (size_t i = 0; i < json_array_size(list); i++)
            GW_TRY(read_list(path, json_array_get(list, i), t, adds, depth + 1));
        return GW_OK;
    }
    if (*adds)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"post_processor\": a Sequence of several that add tokens", path);
    *adds = true;
    if (strcmp(type, "BertProcessing") == 0) return read_classic(path, json, false, t);
    if (strcmp(type, "RobertaProcessing") == 0) return read_classic(path, json, true, t);
    if (strcmp(type, "TemplateProcessing") == 0) return read_templates(path, json, t);
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"post_processor\": %s is not one that this program runs", path, type);
}

gw_status gw_post_processor_read(const char *path, const json_t *json, gw_tokenizer *tokenizer) {
    bool adds = false;
    return read_list(path, json, tokenizer, &adds, 0);
}
