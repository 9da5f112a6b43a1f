// SPDX-License-Identifier: MIT
// A SentencePiece .model as a tokenizer: as in the sentencepiece package, and as in transformers' BigBirdTokenizer.
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "text/json/pipeline.h"
#include "text/kind.h"
#include "text/sentencepiece/sentencepiece.h"
#include "text/sentencepiece/spm_model.h"

#include <stdlib.h>
#include <string.h>

// --- a bare .model: ids as the sentencepiece package gives them, nothing around a text -----------------------------

typedef struct {
    const gw_tokenizer *tokenizer;
    gw_sentencepiece_encoder *encoder;
} spm_scratch;

static void free_state(void *state) {
    gw_sentencepiece_free(state);
}

static void scratch_free(void *scratch) {
    spm_scratch *s = scratch;
    if (!s) return;
    gw_sentencepiece_encoder_free(s->encoder);
    free(s);
}

static gw_status scratch_new(const gw_tokenizer *tokenizer, void **out) {
    spm_scratch *s = *out = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    s->tokenizer = tokenizer;
    const gw_status status = gw_sentencepiece_encoder_new(tokenizer->state, &s->encoder);
    if (status == GW_OK) return GW_OK;
    scratch_free(s);
    *out = NULL;
    return status;
}

static gw_status encode(void *scratch, const char *text, int64_t length, gw_encoded *out) {
    spm_scratch *s = scratch;
    GW_TRY(gw_sentencepiece_encode(s->encoder, text, length, &out->tokens, &out->count));
    out->unknown = gw_sentencepiece_unknown(s->encoder);
    return GW_OK;
}

// Control pieces are invisible; the other special ones but unknown text, which is a piece of the text, go here.
static gw_status decode(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count, gw_string *out) {
    int32_t *kept = gw_alloc(count, sizeof *kept);
    int64_t n = 0;
    for (int64_t i = 0; kept && i < count; i++)
        if (!tokenizer->special[tokens[i]] || tokens[i] == tokenizer->specials[GW_SPECIAL_UNK]) kept[n++] = tokens[i];
    const gw_status status = kept ? gw_sentencepiece_decode(tokenizer->state, kept, n, out) : GW_ERR_MEMORY;
    free(kept);
    return status;
}

static const gw_tokenizer_kind spm_kind = {
    .file = "spiece.model",
    .transformers = "BigBirdTokenizer",
    .free = free_state,
    .scratch_new = scratch_new,
    .scratch_free = scratch_free,
    .encode = encode,
    .decode = decode,
};

static gw_status fill(const gw_sentencepiece *model, gw_tokenizer *t) {
    for (int32_t i = 0; i < t->size; i++) {
        const gw_piece_kind kind = gw_sentencepiece_kind(model, i);
        t->texts[i] = gw_strdup(gw_sentencepiece_piece(model, i));
        if (!t->texts[i]) return GW_ERR_MEMORY;
        t->special[i] = kind == GW_PIECE_CONTROL || kind == GW_PIECE_UNKNOWN;
    }
    const gw_sentencepiece_ids named = gw_sentencepiece_named(model);
    t->specials[GW_SPECIAL_PAD] = named.pad;
    t->specials[GW_SPECIAL_UNK] = named.unk;
    t->specials[GW_SPECIAL_CLS] = gw_sentencepiece_find(model, "[CLS]");
    t->specials[GW_SPECIAL_SEP] = gw_sentencepiece_find(model, "[SEP]");
    t->specials[GW_SPECIAL_MASK] = gw_sentencepiece_find(model, "[MASK]");
    return GW_OK;
}

gw_status gw_tokenizer_spm_parse(const char *path, const char *bytes, int64_t length, gw_tokenizer **out) {
    *out = NULL;
    gw_sentencepiece *model;
    GW_TRY(gw_sentencepiece_parse(path, bytes, length, &model));
    gw_tokenizer *tokenizer;
    GW_TRY(gw_tokenizer_new(&spm_kind, model, gw_sentencepiece_size(model), &tokenizer));
    gw_status status = fill(model, tokenizer);
    if (status == GW_OK) status = gw_tokenizer_finish(tokenizer, path, bytes, length);
    if (status == GW_OK) *out = tokenizer;
    else gw_tokenizer_free(tokenizer);
    return status;
}

// --- in a model folder of BigBird ----------------------------------------------------------------------------------

// BigBird's spiece.model in a model folder, as transformers' BigBirdTokenizer reads it (release 5): the tokenizer.json
// that class would save, handed to the reader of those.
//
// Pieces and scores are the file's; its normaliser is not used. Control and user-defined pieces, and the tokens named
// in tokenizer_config.json, are taken out of the text as a whole; what is left gets U+2581 for runs of two spaces or
// more, then for each space, and one in front, and is cut in front of each. Whether [MASK] takes the space on its left
// along says "added_tokens_decoder" of tokenizer_config.json; without it, it does not.

enum { BOS, EOS, UNK, PAD, CLS, SEP, MASK, NAMES };

static const struct {
    const char *key, *usual;
} named[NAMES] = {[BOS] = {"bos_token", "<s>"},     [EOS] = {"eos_token", "</s>"},  [UNK] = {"unk_token", "<unk>"},
                  [PAD] = {"pad_token", "<pad>"},   [CLS] = {"cls_token", "[CLS]"}, [SEP] = {"sep_token", "[SEP]"},
                  [MASK] = {"mask_token", "[MASK]"}};

// The class takes this id where no unknown piece has a score of 0.
enum { UNKNOWN_ELSE = 100 };

static bool flag_of(const json_t *token, const char *key, bool otherwise) {
    const json_t *value = json_object_get(token, key);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

static json_t *added_tokens(const gw_sentencepiece *model, const json_t *settings, const int32_t ids[NAMES]) {
    json_t *list = json_array();
    for (int32_t i = 0; i < gw_sentencepiece_size(model); i++) {
        const gw_piece_kind kind = gw_sentencepiece_kind(model, i);
        bool special = kind == GW_PIECE_CONTROL;
        for (int n = 0; n < NAMES; n++) special |= ids[n] == i;
        if (!special && kind != GW_PIECE_USER_DEFINED) continue;
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        const char *text = gw_sentencepiece_piece(model, i);
        const json_t *described = json_object_get(json_object_get(settings, "added_tokens_decoder"), key);
        const char *content = json_string_value(json_object_get(described, "content"));
        if (!content || strcmp(content, text) != 0) described = NULL;
        json_array_append_new(list, json_pack("{s:i, s:s, s:b, s:b, s:b, s:b, s:b}", "id", (int)i, "content", text,
                                              "single_word", flag_of(described, "single_word", false), "lstrip",
                                              flag_of(described, "lstrip", false), "rstrip",
                                              flag_of(described, "rstrip", false), "normalized",
                                              flag_of(described, "normalized", false), "special", special));
    }
    return list;
}

static gw_status vocabulary(const char *path, const gw_sentencepiece *model, json_t **out) {
    json_t *list = *out = json_array();
    for (int32_t i = 0; i < gw_sentencepiece_size(model); i++) {
        json_t *entry = json_pack("[s, f]", gw_sentencepiece_piece(model, i), (double)gw_sentencepiece_score(model, i));
        if (!entry || json_array_append_new(list, entry) != 0)
            return gw_fail(GW_ERR_FORMAT, "%s: pieces[%d] is not UTF-8", path, i);
    }
    return GW_OK;
}

static json_t *template_part(const char *token, const char *sequence, int segment) {
    return token ? json_pack("{s:{s:s, s:i}}", "SpecialToken", "id", token, "type_id", segment)
                 : json_pack("{s:{s:s, s:i}}", "Sequence", "id", sequence, "type_id", segment);
}

// [CLS] A [SEP], or [CLS] A [SEP] B [SEP].
static json_t *post_processor(const char *cls, int32_t cls_id, const char *sep, int32_t sep_id) {
    return json_pack("{s:s, s:[o,o,o], s:[o,o,o,o,o], s:{s:{s:s, s:[i], s:[s]}, s:{s:s, s:[i], s:[s]}}}", "type",
                     "TemplateProcessing", "single", template_part(cls, NULL, 0), template_part(NULL, "A", 0),
                     template_part(sep, NULL, 0), "pair", template_part(cls, NULL, 0), template_part(NULL, "A", 0),
                     template_part(sep, NULL, 0), template_part(NULL, "B", 1), template_part(sep, NULL, 1),
                     "special_tokens", cls, "id", cls, "ids", (int)cls_id, "tokens", cls, sep, "id", sep, "ids",
                     (int)sep_id, "tokens", sep);
}

static json_t *metaspace(const json_t *settings) {
    return json_pack("{s:s, s:s, s:s, s:b}", "type", "Metaspace", "replacement", "\xE2\x96\x81", "prepend_scheme",
                     flag_of(settings, "add_prefix_space", true) ? "always" : "never", "split", 1);
}

// The whole tokenizer.json.
static gw_status describe(const char *path, const json_t *settings, const gw_sentencepiece *model, json_t **out) {
    int32_t ids[NAMES];
    json_t *pieces = NULL;
    for (int i = 0; i < NAMES; i++) {
        const json_t *value = json_object_get(settings, named[i].key), *content = json_object_get(value, "content");
        const char *name = json_string_value(content ? content : value);
        if (!name) name = named[i].usual;
        ids[i] = gw_sentencepiece_find(model, name);
        if (ids[i] < 0)
            return gw_fail(GW_ERR_UNSUPPORTED, "%s: no piece is \"%.60s\", which BigBird's tokenizer needs as %s", path,
                           name, named[i].key);
    }
    const int32_t unknown = gw_sentencepiece_score(model, ids[UNK]) == 0 ? ids[UNK] : UNKNOWN_ELSE;
    const gw_status status = vocabulary(path, model, &pieces);
    if (status != GW_OK) {
        json_decref(pieces);
        return status;
    }
    *out = json_pack("{s:s, s:n, s:n, s:o, s:{s:s, s:[{s:s, s:{s:s}, s:s}]}, s:o, s:o, s:o, s:{s:s, s:i, s:o, s:b}}",
                     "version", "1.0", "truncation", "padding", "added_tokens", added_tokens(model, settings, ids),
                     "normalizer", "type", "Sequence", "normalizers", "type", "Replace", "pattern", "Regex", " {2,}",
                     "content", "\xE2\x96\x81", "pre_tokenizer", metaspace(settings), "post_processor",
                     post_processor(gw_sentencepiece_piece(model, ids[CLS]), ids[CLS],
                                    gw_sentencepiece_piece(model, ids[SEP]), ids[SEP]),
                     "decoder", metaspace(settings), "model", "type", "Unigram", "unk_id", (int)unknown, "vocab",
                     pieces, "byte_fallback", 0);
    return *out ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory: JSON of %s", path);
}

gw_status gw_tokenizer_bigbird_parse(const char *path, const char *bytes, int64_t length, const json_t *settings,
                                     gw_tokenizer **out) {
    *out = NULL;
    gw_sentencepiece *model;
    json_t *root = NULL;
    GW_TRY(gw_sentencepiece_parse(path, bytes, length, &model));
    gw_status status = describe(path, settings, model, &root);
    gw_sentencepiece_free(model);
    char *text = status == GW_OK ? json_dumps(root, JSON_COMPACT) : NULL;
    if (status == GW_OK && !text) status = gw_fail(GW_ERR_MEMORY, "out of memory: JSON of %s", path);
    if (status == GW_OK) status = gw_pipeline_read(path, root, text, (int64_t)strlen(text), out);
    free(text);
    json_decref(root);
    return status;
}
