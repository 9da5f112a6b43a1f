// SPDX-License-Identifier: MIT
// Tokenizers of any kind: their construction and properties.
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "text/kind.h"

#include <stdlib.h>
#include <string.h>

// --- making --------------------------------------------------------------------------------------------------------

gw_status gw_tokenizer_new(const gw_tokenizer_kind *kind, void *state, int32_t size, gw_tokenizer **out) {
    *out = NULL;
    gw_tokenizer *t = gw_alloc(1, sizeof *t);
    if (!t) {
        kind->free(state);
        return GW_ERR_MEMORY;
    }
    t->kind = kind;
    t->state = state;
    t->size = size;
    t->references = 1;
    t->texts = gw_alloc(size, sizeof *t->texts);
    t->special = gw_alloc(size, sizeof *t->special);
    t->bases = gw_alloc(size, sizeof *t->bases);
    t->has_n = gw_alloc(size, sizeof *t->has_n);
    t->counts = gw_alloc(1, sizeof *t->counts);
    for (int i = 0; i < GW_SPECIAL_KINDS; i++) t->specials[i] = -1;
    t->single = (gw_template){{{GW_PIECE_A, 0, 0}}, 1};
    t->pair = (gw_template){{{GW_PIECE_A, 0, 0}, {GW_PIECE_B, 0, 1}}, 2};
    if (t->texts && t->special && t->bases && t->has_n && t->counts) {
        *out = t;
        return GW_OK;
    }
    gw_tokenizer_free(t);
    return GW_ERR_MEMORY;
}

static const char nucleotides[] = "ACGTUNRYSWKMBDHVacgtunryswkmbdhv";
// May stand in tokens of DNA, but are not bases: gaps, white space, and the bytes of U+2581, SentencePiece's space.
static const char fillers[] = "-\n\t \xE2\x96\x81";

static void describe_tokens(gw_tokenizer *t) {
    int64_t bases = 0;
    bool lower = false;
    t->is_dna = true;
    for (int32_t i = 0; i < t->size; i++) {
        if (t->special[i]) continue;
        int32_t found = 0; // bases of the token; -1 where it holds something else than DNA
        for (const char *c = t->texts[i]; *c && found >= 0; c++) {
            if (strchr(nucleotides, *c)) found++;
            else if (!strchr(fillers, *c)) found = -1;
        }
        t->is_dna = t->is_dna && found >= 0;
        t->bases[i] = found;
        t->has_n[i] = strpbrk(t->texts[i], "Nn") != NULL;
        lower = lower || strpbrk(t->texts[i], "acgtunryswkmbdhv");
        bases += found;
    }
    t->is_dna = t->is_dna && bases > 0;
    t->is_upper = t->is_dna && !lower && !t->kind->own;
    if (t->is_dna) return;
    memset(t->bases, 0, (size_t)t->size * sizeof *t->bases);
    memset(t->has_n, 0, (size_t)t->size * sizeof *t->has_n);
}

gw_status gw_tokenizer_finish(gw_tokenizer *t, const char *path, const char *bytes, int64_t length) {
    for (int32_t i = 0; i < t->size; i++) {
        if (!t->texts[i]) t->texts[i] = gw_strdup("");
        if (!t->texts[i]) return GW_ERR_MEMORY;
    }
    for (int i = 0; i < GW_SPECIAL_KINDS; i++)
        if (t->specials[i] >= 0) t->special[t->specials[i]] = true;
    describe_tokens(t);
    if (path && !(t->source = gw_strdup(path))) return GW_ERR_MEMORY;
    if (!bytes) return GW_OK;
    t->stored = gw_alloc(length, 1);
    if (!t->stored) return GW_ERR_MEMORY;
    memcpy(t->stored, bytes, (size_t)length);
    t->stored_length = length;
    return GW_OK;
}

void gw_tokenizer_free(gw_tokenizer *t) {
    if (!t || atomic_fetch_sub(&t->references, 1) > 1) return;
    for (int32_t i = 0; t->texts && i < t->size; i++) free(t->texts[i]);
    free(t->texts);
    free(t->special);
    free(t->bases);
    free(t->has_n);
    free(t->counts);
    free(t->source);
    free(t->stored);
    t->kind->free(t->state);
    free(t);
}

gw_status gw_tokenizer_copy(const gw_tokenizer *tokenizer, gw_tokenizer **out) {
    *out = (gw_tokenizer *)tokenizer; // only the count of its owners ever changes
    atomic_fetch_add(&(*out)->references, 1);
    return GW_OK;
}

// --- questions -----------------------------------------------------------------------------------------------------

const char *gw_tokenizer_file(const gw_tokenizer *tokenizer) {
    return tokenizer->kind->file;
}

const char *gw_tokenizer_class(const gw_tokenizer *tokenizer) {
    return tokenizer->kind->transformers;
}

bool gw_tokenizer_lowers(const gw_tokenizer *tokenizer) {
    return tokenizer->kind->lowers;
}

const char *gw_tokenizer_special_key(const gw_tokenizer *tokenizer, gw_special use) {
    static const char *const keys[GW_SPECIAL_KINDS] = {"pad_token", "unk_token", "cls_token", "sep_token",
                                                       "mask_token"};
    return use == GW_SPECIAL_SEP && tokenizer->kind->ends_texts ? "eos_token" : keys[use];
}

int32_t gw_tokenizer_size(const gw_tokenizer *tokenizer) {
    return tokenizer->size;
}

int32_t gw_tokenizer_special(const gw_tokenizer *tokenizer, gw_special use) {
    return tokenizer->specials[use];
}

gw_status gw_tokenizer_need(const gw_tokenizer *tokenizer, gw_special use, int32_t *out) {
    static const char *const names[GW_SPECIAL_KINDS] = {"padding", "unknown text", "the begin of a sequence",
                                                        "the end of a sequence", "masked tokens"};
    *out = tokenizer->specials[use];
    if (*out >= 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s has no special token for %s",
                   tokenizer->source ? tokenizer->source : "the tokenizer", names[use]);
}

gw_status gw_tokenizer_frame(const gw_tokenizer *t, gw_frame *out) {
    const bool begins = t->specials[GW_SPECIAL_CLS] >= 0, ends = t->specials[GW_SPECIAL_SEP] >= 0;
    *out = (gw_frame){.begins = begins, .ends = ends};
    if (begins || ends) GW_TRY(gw_tokenizer_need(t, GW_SPECIAL_CLS, &out->before[0]));
    if (ends || (begins && !t->kind->ends_texts)) GW_TRY(gw_tokenizer_need(t, GW_SPECIAL_SEP, &out->after[0]));
    return GW_OK;
}

int64_t gw_frame_put(const gw_frame *frame, const int32_t *tokens, int64_t count, int32_t *out) {
    memcpy(out, frame->before, (size_t)frame->begins * sizeof *out);
    memcpy(out + frame->begins, tokens, (size_t)count * sizeof *out);
    memcpy(out + frame->begins + count, frame->after, (size_t)frame->ends * sizeof *out);
    return frame->begins + count + frame->ends;
}

bool gw_tokenizer_is_special(const gw_tokenizer *tokenizer, int32_t token) {
    return token >= 0 && token < tokenizer->size && tokenizer->special[token];
}

bool gw_tokenizer_is_dna(const gw_tokenizer *tokenizer) {
    return tokenizer->is_dna;
}

const char *gw_tokenizer_text(const gw_tokenizer *tokenizer, int32_t token) {
    return tokenizer->texts[token];
}

int32_t gw_tokenizer_bases(const gw_tokenizer *tokenizer, int32_t token) {
    return tokenizer->bases[token];
}

bool gw_tokenizer_has_n(const gw_tokenizer *tokenizer, int32_t token) {
    return tokenizer->has_n[token];
}

void gw_tokenizer_append_bases(const gw_tokenizer *tokenizer, int32_t token, gw_string *out) {
    const char *text = tokenizer->texts[token];
    const int32_t bases = tokenizer->bases[token];
    if (bases == 0) return;
    if (!text[bases]) gw_string_append(out, text, bases); // nothing but bases
    else
        for (int32_t left = bases; *text && left > 0; text++)
            if (strchr(nucleotides, *text)) {
                gw_string_putc(out, *text);
                left--;
            }
}

bool gw_tokenizer_parts_lines(const gw_tokenizer *tokenizer) {
    return tokenizer->kind->own;
}

double gw_tokenizer_mean_bases(const gw_tokenizer *tokenizer) {
    return tokenizer->mean_bases;
}

gw_status gw_no_unknown(const char *text, int64_t length) {
    return gw_fail(GW_ERR_UNSUPPORTED, "\"%.*s\" is not in the vocabulary, which has no unknown token",
                   (int)gw_min(length, 60), text);
}

gw_status gw_decode_joined(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count, gw_string *out) {
    for (int64_t i = 0; i < count; i++) gw_string_puts(out, tokenizer->texts[tokens[i]]);
    return gw_string_status(out);
}

gw_status gw_decode(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count, gw_string *out) {
    for (int64_t i = 0; i < count; i++)
        if (tokens[i] < 0 || tokens[i] >= tokenizer->size)
            return gw_fail(GW_ERR_MISMATCH, "token %d, but the vocabulary has %d", tokens[i], tokenizer->size);
    return tokenizer->kind->decode(tokenizer, tokens, count, out);
}

// --- special tokens: names in the files beside the tokenizer, then the usual ones ----------------------------------

static const struct {
    const char *key;
    const char *names[4];
} uses[GW_SPECIAL_KINDS] = {
    [GW_SPECIAL_PAD] = {"pad_token", {"[PAD]", "<pad>", "<|pad|>", "<|padding|>"}},
    [GW_SPECIAL_UNK] = {"unk_token", {"[UNK]", "<unk>"}},
    [GW_SPECIAL_CLS] = {"cls_token", {"[CLS]", "<cls>", "<s>"}},
    [GW_SPECIAL_SEP] = {"sep_token", {"[SEP]", "<sep>", "</s>"}},
    [GW_SPECIAL_MASK] = {"mask_token", {"[MASK]", "<mask>"}},
};

static int32_t find_token(const gw_tokenizer *t, const char *text) {
    for (int32_t i = 0; i < t->size; i++)
        if (t->texts[i] && strcmp(t->texts[i], text) == 0) return i;
    return -1;
}

// The names that a file gives, as "cls_token": "[CLS]" or {"content": "[CLS]"}.
static gw_status read_names(const char *path, size_t folder, const char *file, gw_tokenizer *t) {
    json_t *json = NULL;
    char *beside = gw_strprintf("%.*s%s", (int)folder, path, file);
    if (!beside) return GW_ERR_MEMORY;
    const gw_status status = gw_file_exists(beside) ? gw_json_load(beside, &json) : GW_OK;
    free(beside);
    for (int use = 0; use < GW_SPECIAL_KINDS; use++) {
        const json_t *value = json_object_get(json, uses[use].key), *content = json_object_get(value, "content");
        const char *name = json_string_value(content ? content : value);
        const int32_t token = name ? find_token(t, name) : -1;
        if (token >= 0) t->specials[use] = token;
    }
    json_decref(json);
    return status;
}

gw_status gw_special_names_find(const char *path, gw_tokenizer *t) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (int use = 0; use < GW_SPECIAL_KINDS; use++)
        for (size_t i = 0; i < 4 && uses[use].names[i] && t->specials[use] < 0; i++)
            t->specials[use] = find_token(t, uses[use].names[i]);
    if (strcmp(name, "tokenizer.json") != 0 && strcmp(name, "vocab.json") != 0 && strcmp(name, "vocab.txt") != 0 &&
        strcmp(name, "spiece.model") != 0)
        return GW_OK;
    GW_TRY(read_names(path, (size_t)(name - path), "special_tokens_map.json", t));
    return read_names(path, (size_t)(name - path), "tokenizer_config.json", t);
}
