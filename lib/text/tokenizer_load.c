// SPDX-License-Identifier: MIT
// Tokenizers from files, distinguished by their content, and back.
#include "base/output.h"
#include "text/dna/vocabulary.h"
#include "text/json/vocab_merges.h"
#include "text/json/vocab_text.h"
#include "text/kmer/kmer.h"
#include "text/tokenizer_folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// JSON begins with a brace. A SentencePiece model begins with a newline (the tag of its first piece) and a length,
// which may be that of a brace, but then has bytes that no JSON has.
static bool is_json(const char *bytes, int64_t length) {
    const char *const space = " \t\r\n";
    int64_t brace = 0;
    while (brace < length && bytes[brace] && strchr(space, bytes[brace])) brace++;
    if (brace == length || bytes[brace] != '{') return bytes[0] != '\n';
    for (int64_t i = 0; i < length && i < 64; i++)
        if ((uint8_t)bytes[i] < ' ' && (!bytes[i] || !strchr(space, bytes[i]))) return false;
    return true;
}

static gw_status load_file(const char *path, gw_tokenizer **out) {
    char *bytes;
    int64_t length;
    if (gw_is_vocab_json(path)) return gw_vocab_merges_load(path, out);
    if (gw_is_vocab_text(path)) {
        GW_TRY(gw_kmer_load(path, out));
        return *out ? GW_OK : gw_vocab_text_load(path, out);
    }
    GW_TRY(gw_read_file(path, &bytes, &length));
    const gw_status status = gw_is_kmer_json(bytes, length) ? gw_kmer_parse(path, bytes, length, out)
                             : is_json(bytes, length)       ? gw_tokenizer_json_parse(path, bytes, length, out)
                                                            : gw_tokenizer_spm_parse(path, bytes, length, out);
    free(bytes);
    return status;
}

// A JSON file of a folder, NULL where it is not there.
static gw_status load_settings(const char *folder, const char *name, json_t **out) {
    *out = NULL;
    char *path = gw_join_path(folder, name);
    if (!path) return GW_ERR_MEMORY;
    const gw_status status = gw_file_exists(path) ? gw_json_load(path, out) : GW_OK;
    free(path);
    return status;
}

// A SentencePiece model of a folder: BigBird's class in transformers reads it otherwise than the sentencepiece package.
static gw_status load_pieces(const char *folder, const char *path, gw_tokenizer **out) {
    json_t *config = NULL, *settings = NULL;
    char *bytes = NULL;
    int64_t length;
    gw_status status = load_settings(folder, "config.json", &config);
    if (status == GW_OK) status = load_settings(folder, "tokenizer_config.json", &settings);
    if (status == GW_OK) status = gw_read_file(path, &bytes, &length);
    const char *type = json_string_value(json_object_get(config, "model_type"));
    if (status == GW_OK)
        status = type && strcmp(type, "big_bird") == 0 ? gw_tokenizer_bigbird_parse(path, bytes, length, settings, out)
                                                       : gw_tokenizer_spm_parse(path, bytes, length, out);
    free(bytes);
    json_decref(config);
    json_decref(settings);
    return status;
}

gw_status gw_tokenizer_load(const char *path, gw_tokenizer **out) {
    *out = NULL;
    if (!is_folder(path)) return load_file(path, out);
    char *inside;
    GW_TRY(gw_tokenizer_find(path, &inside));
    const char *ending = strrchr(inside, '.');
    const gw_status status =
        ending && strcmp(ending, ".model") == 0 ? load_pieces(path, inside, out) : load_file(inside, out);
    free(inside);
    return status;
}

gw_status gw_tokenizer_save(const gw_tokenizer *tokenizer, const char *path) {
    if (tokenizer->kind->save) return tokenizer->kind->save(tokenizer, path);
    if (tokenizer->stored) return gw_write_file(path, tokenizer->stored, tokenizer->stored_length);
    return gw_dna_save(tokenizer, path);
}
