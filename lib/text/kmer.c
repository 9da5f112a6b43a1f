// SPDX-License-Identifier: MIT
// Reads a vocab.txt with token i on line i. Its content and the files beside it decide how texts are looked up: longest
// token first, or overlapping k-mers.
#include "text/kmer.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "text/json/id_vocabulary.h"
#include "text/json/older_folders.h"
#include "text/kind.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_text_index index; // of the tokenizer's texts
    int64_t longest;     // letters of the longest token, or of all k-mers
} kmer_vocabulary;

static const gw_tokenizer_kind longest_kind, overlapping_kind;

typedef struct {
    const gw_tokenizer *tokenizer;
    int32_t *tokens;
    int64_t count, capacity, unknown;
} scratch_memory;

static gw_status new_scratch(const gw_tokenizer *tokenizer, void **out) {
    scratch_memory *scratch = gw_alloc(1, sizeof *scratch);
    *out = scratch;
    if (!scratch) return GW_ERR_MEMORY;
    scratch->tokenizer = tokenizer;
    return GW_OK;
}

static void free_scratch(void *scratch) {
    if (scratch) free(((scratch_memory *)scratch)->tokens);
    free(scratch);
}

static gw_status add(scratch_memory *s, int32_t token) {
    GW_TRY(gw_reserve(&s->tokens, &s->capacity, s->count + 1, sizeof *s->tokens));
    s->tokens[s->count++] = token;
    return GW_OK;
}

static gw_status add_unknown(scratch_memory *s, const char *text, int64_t length) {
    const int32_t unknown = s->tokenizer->specials[GW_SPECIAL_UNK];
    s->unknown += length;
    return unknown >= 0 ? add(s, unknown) : gw_no_unknown(text, length);
}

static bool is_blank(char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

// The longest token that a text begins with, and its letters; -1: none.
static int32_t longest_token(const kmer_vocabulary *v, const char *text, int64_t length, int64_t *letters) {
    for (*letters = length < v->longest ? length : v->longest; *letters > 0; --*letters) {
        const int32_t token = gw_text_index_find(&v->index, text, *letters);
        if (token >= 0) return token;
    }
    return -1;
}

static gw_encoded encoded(const scratch_memory *s) {
    return (gw_encoded){.tokens = s->tokens, .count = s->count, .unknown = s->unknown};
}

// What no token begins in is one unknown token, up to the next blank or token.
static gw_status longest_encode(void *scratch, const char *text, int64_t length, gw_encoded *out) {
    scratch_memory *s = scratch;
    const kmer_vocabulary *v = s->tokenizer->state;
    int64_t unknown = 0, letters;
    s->count = s->unknown = 0;
    for (int64_t at = 0; at < length; at += letters) {
        const bool blank = is_blank(text[at]);
        const int32_t token = blank ? -1 : longest_token(v, text + at, length - at, &letters);
        if (!blank && token < 0) {
            unknown++;
            letters = 1;
            continue;
        }
        if (unknown > 0) GW_TRY(add_unknown(s, text + at - unknown, unknown));
        unknown = 0;
        if (blank) letters = 1;
        else GW_TRY(add(s, token));
    }
    if (unknown > 0) GW_TRY(add_unknown(s, text + length - unknown, unknown));
    *out = encoded(s);
    return GW_OK;
}

// A word that is shorter than a k-mer is one unknown token.
static gw_status overlapping_encode(void *scratch, const char *text, int64_t length, gw_encoded *out) {
    scratch_memory *s = scratch;
    const kmer_vocabulary *v = s->tokenizer->state;
    const int64_t k = v->longest;
    s->count = s->unknown = 0;
    for (int64_t at = 0, end; at < length; at = end + 1) {
        for (end = at; end < length && !is_blank(text[end]);) end++;
        if (end > at && end - at < k) GW_TRY(add_unknown(s, text + at, end - at));
        for (int64_t i = at; end - at >= k && i + k <= end; i++) {
            const int32_t token = gw_text_index_find(&v->index, text + i, k);
            GW_TRY(token >= 0 ? add(s, token) : add_unknown(s, text + i, 1));
        }
    }
    *out = encoded(s);
    return GW_OK;
}

// Of a k-mer behind another one only the last letter is new.
static gw_status overlapping_decode(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count,
                                    gw_string *out) {
    bool after = false;
    for (int64_t i = 0; i < count; i++) {
        const char *text = tokenizer->texts[tokens[i]];
        const bool kmer = !tokenizer->special[tokens[i]];
        gw_string_puts(out, kmer && after ? text + strlen(text) - 1 : text);
        after = kmer;
    }
    return gw_string_status(out);
}

// --- reading -------------------------------------------------------------------------------------------------------

static const char settings_file[] = "tokenizer_config.json";

enum { MOST_LETTERS = 12 }; // of overlapping k-mers: 4^12 tokens

// A vocabulary, and what stands beside it in its folder, or, where that is NULL, was stored with it.
typedef struct {
    const char *path, *folder;
    const char *bytes;
    int64_t length;
    const json_t *settings;
} source;

static void free_vocabulary(void *state) {
    kmer_vocabulary *vocabulary = state;
    if (vocabulary) gw_text_index_free(&vocabulary->index);
    free(vocabulary);
}

// *twice: the last token that is there already; -1: none.
static gw_status read_lines(const char *bytes, int64_t length, gw_tokenizer *t, int32_t *twice) {
    kmer_vocabulary *v = t->state;
    const char *line = bytes, *const end = bytes + length;
    static const char blank[] = " \t\r\v\f";
    *twice = -1;
    for (int32_t id = 0; id < t->size; id++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line)), *stop = newline ? newline : end;
        while (line < stop && strchr(blank, *line)) line++; // the white space around it goes
        while (stop > line && strchr(blank, stop[-1])) stop--;
        const char *const text = t->texts[id] = gw_strndup(line, (size_t)(stop - line));
        if (!text) return GW_ERR_MEMORY;
        line = newline ? newline + 1 : end;
        const int64_t letters = (int64_t)strlen(text);
        if (letters == 0) continue;
        if (gw_text_index_find(&v->index, text, letters) >= 0) *twice = id;
        gw_text_index_put(&v->index, text, letters, id);
        const char last = letters > 2 ? text[letters - 1] : 0;
        t->special[id] = (text[0] == '<' && last == '>') || (text[0] == '[' && last == ']');
        if (letters > v->longest) v->longest = letters;
    }
    return GW_OK;
}

static gw_status make(const char *path, const char *bytes, int64_t length, gw_tokenizer **out, int32_t *twice) {
    int64_t lines = length > 0 && bytes[length - 1] != '\n';
    for (int64_t i = 0; i < length; i++) lines += bytes[i] == '\n';
    if (lines < 1 || lines > INT32_MAX)
        return gw_fail(GW_ERR_FORMAT, "%s: %lld lines, expected one for each token", path, (long long)lines);
    kmer_vocabulary *v = gw_alloc(1, sizeof *v);
    if (!v) return GW_ERR_MEMORY;
    gw_status status = gw_text_index_make(&v->index, lines);
    if (status != GW_OK) free_vocabulary(v);
    else status = gw_tokenizer_new(&longest_kind, v, (int32_t)lines, out);
    if (status == GW_OK) status = read_lines(bytes, length, *out, twice);
    return status;
}

// The letters of the k-mers, where the ordinary tokens are all those of one length; else 0.
static int64_t overlapping_letters(const gw_tokenizer *t) {
    int64_t letters = 0, count = 0;
    for (int32_t id = 0; id < t->size; id++) {
        if (t->special[id]) continue;
        const int64_t own = (int64_t)strlen(t->texts[id]);
        if (own != (int64_t)strspn(t->texts[id], "ACGT") || (letters > 0 && own != letters)) return 0;
        letters = own;
        count++;
    }
    return letters > 1 && letters <= MOST_LETTERS && count == INT64_C(1) << 2 * letters ? letters : 0;
}

// By the class that the settings name, or by the config beside them.
static gw_status is_esm(const char *folder, const json_t *settings, bool *out) {
    json_t *config = NULL;
    const char *class = json_string_value(json_object_get(settings, "tokenizer_class"));
    *out = class && strcmp(class, longest_kind.transformers) == 0;
    if (class) return GW_OK;
    if (folder) GW_TRY(gw_folder_json(folder, "config.json", false, &config));
    const char *type = json_string_value(json_object_get(config, "model_type"));
    *out = type && strcmp(type, "esm") == 0;
    json_decref(config);
    return GW_OK;
}

static gw_status settle(const source *s, int32_t twice, gw_tokenizer *t, bool *found) {
    bool esm = false;
    kmer_vocabulary *v = t->state;
    GW_TRY(is_esm(s->folder, s->settings, &esm));
    const int64_t letters = esm || twice >= 0 ? 0 : overlapping_letters(t);
    *found = esm || letters > 0;
    if (letters > 0) {
        t->kind = &overlapping_kind;
        v->longest = letters;
    }
    if (!*found) return GW_OK;
    if (twice >= 0)
        return gw_fail(GW_ERR_FORMAT, "%s:%d: the token \"%.60s\" occurs twice", s->path, twice + 1, t->texts[twice]);
    GW_TRY(gw_special_names_find(s->path, t));
    if (!esm) return GW_OK;
    // "eos_token" ends a text, null where no token does; EsmTokenizer's own name where it is not said
    const json_t *named = json_object_get(s->settings, "eos_token"), *content = json_object_get(named, "content");
    if (json_is_null(named)) return GW_OK;
    const char *name = named ? json_string_value(content ? content : named) : "<eos>";
    const int32_t token = name ? gw_text_index_find(&v->index, name, (int64_t)strlen(name)) : -1;
    if (token < 0)
        return gw_fail(GW_ERR_FORMAT, "%s: the token \"%.60s\", which is to end texts (\"eos_token\"), is not in it",
                       s->path, name ? name : "?");
    t->specials[GW_SPECIAL_SEP] = token;
    return GW_OK;
}

static gw_status load(const source *s, gw_tokenizer **out) {
    bool found = false;
    gw_tokenizer *t = NULL;
    int32_t twice = -1;
    gw_status status = make(s->path, s->bytes, s->length, &t, &twice);
    if (status == GW_OK) status = settle(s, twice, t, &found);
    if (status == GW_OK && found) {
        // [CLS] A [SEP], and [CLS] A [SEP] B [SEP], of those that there are.
        const gw_template_piece first = {GW_PIECE_TOKEN, t->specials[GW_SPECIAL_CLS], 0},
                                last = {GW_PIECE_TOKEN, t->specials[GW_SPECIAL_SEP], 0};
        gw_template *all[] = {&t->single, &t->pair};
        for (int i = 0; i < 2; i++) {
            gw_template *around = all[i];
            around->count = 0;
            if (first.token >= 0) around->pieces[around->count++] = first;
            for (int part = 0; part <= i; part++) {
                const bool second = part == 1;
                around->pieces[around->count++] = (gw_template_piece){second ? GW_PIECE_B : GW_PIECE_A, 0, second};
                if (last.token < 0) continue;
                around->pieces[around->count] = last;
                around->pieces[around->count++].segment = second;
            }
        }
    }
    if (status == GW_OK && found) status = gw_tokenizer_finish(t, s->path, s->bytes, s->length);
    if (status == GW_OK && found && t->kind == &overlapping_kind) {
        // A k-mer stands for the letter that it begins with: the others are the next ones' too.
        for (int32_t id = 0; id < t->size; id++) t->bases[id] = !t->special[id];
    }
    if (status == GW_OK && found) *out = t;
    else gw_tokenizer_free(t);
    return status;
}

gw_status gw_kmer_load(const char *path, gw_tokenizer **out) {
    char *bytes = NULL;
    int64_t length = 0;
    json_t *settings = NULL;
    *out = NULL;
    char *folder = gw_folder_of(path);
    gw_status status = folder ? gw_read_file(path, &bytes, &length) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_folder_json(folder, settings_file, false, &settings);
    if (status == GW_OK) status = load(&(source){path, folder, bytes, length, settings}, out);
    json_decref(settings);
    free(bytes);
    free(folder);
    return status;
}

bool gw_is_kmer_json(const char *bytes, int64_t length) {
    static const char key[] = "\"vocab.txt\"";
    const int64_t letters = (int64_t)strlen(key);
    int64_t at = length > 0 && bytes[0] == '{';
    while (at > 0 && at < length && strchr(" \n", bytes[at])) at++;
    return at > 0 && at + letters < length && memcmp(bytes + at, key, (size_t)letters) == 0;
}

gw_status gw_kmer_parse(const char *path, const char *bytes, int64_t length, gw_tokenizer **out) {
    json_t *json;
    *out = NULL;
    GW_TRY(gw_json_parse(path, bytes, length, &json));
    const json_t *vocabulary = json_object_get(json, longest_kind.file);
    gw_status status = GW_OK;
    if (json_is_string(vocabulary))
        status = load(&(source){path, NULL, json_string_value(vocabulary), (int64_t)json_string_length(vocabulary),
                                json_object_get(json, settings_file)},
                      out);
    if (status == GW_OK && !*out)
        status = gw_fail(GW_ERR_FORMAT, "%s: \"vocab.txt\" is not a text of letters and k-mers", path);
    json_decref(json);
    return status;
}

// A vocab.txt as it was read; under another name, as beside token shards, with the settings that it cannot go without.
static gw_status save(const gw_tokenizer *t, const char *path) {
    if (gw_is_vocab_text(path)) return gw_write_file(path, t->stored, t->stored_length);
    const int32_t end = t->specials[GW_SPECIAL_SEP];
    json_t *json = json_pack("{s:s%, s:{s:s, s:s?}}", t->kind->file, t->stored, (size_t)t->stored_length, settings_file,
                             "tokenizer_class", t->kind->transformers, gw_tokenizer_special_key(t, GW_SPECIAL_SEP),
                             end >= 0 ? t->texts[end] : NULL);
    if (!json) return gw_fail(GW_ERR_FORMAT, "%s: the vocabulary is not UTF-8", path);
    const gw_status status = gw_json_save(path, json);
    json_decref(json);
    return status;
}

static const gw_tokenizer_kind longest_kind = {
    .file = "vocab.txt",
    .transformers = "EsmTokenizer",
    .ends_texts = true,
    .free = free_vocabulary,
    .save = save,
    .scratch_new = new_scratch,
    .scratch_free = free_scratch,
    .encode = longest_encode,
    .decode = gw_decode_joined,
};

static const gw_tokenizer_kind overlapping_kind = {
    .file = "vocab.txt",
    .transformers = "BertTokenizer",
    .lowers = true,
    .free = free_vocabulary,
    .save = save,
    .scratch_new = new_scratch,
    .scratch_free = free_scratch,
    .encode = overlapping_encode,
    .decode = overlapping_decode,
};
