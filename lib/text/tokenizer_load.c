// SPDX-License-Identifier: MIT
// Loads tokenizers from folders and files, which are recognised by their content, and saves them.
#include "base/memory.h"
#include "base/output.h"
#include "text/dna/vocabulary.h"
#include "text/json/older_folders.h"
#include "text/kmer.h"
#include "text/tokenizer.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The only file of a folder that ends in ".model".
static gw_status find_model(const char *folder, char **path) {
    DIR *opened = opendir(folder);
    gw_status status = GW_OK;
    if (!opened) return gw_fail(GW_ERR_IO, "cannot open the folder %s", folder);
    for (const struct dirent *entry; status == GW_OK && (entry = readdir(opened));) {
        if (!gw_has_suffix(entry->d_name, ".model")) continue;
        if (*path) status = gw_fail(GW_ERR_UNSUPPORTED, "%s: which of its .model files is the tokenizer?", folder);
        else status = (*path = gw_join_path(folder, entry->d_name)) ? GW_OK : GW_ERR_MEMORY;
    }
    closedir(opened);
    if (status == GW_OK) return GW_OK;
    free(*path);
    *path = NULL;
    return status;
}

gw_status gw_tokenizer_find(const char *folder, char **path) {
    static const char *const names[] = {"tokenizer.json",  "spiece.model", "sentencepiece.bpe.model",
                                        "tokenizer.model", "vocab.json",   "vocab.txt"};
    *path = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *path = gw_join_path(folder, names[i]);
        if (!*path) return GW_ERR_MEMORY;
        if (gw_file_exists(*path)) return GW_OK;
        free(*path);
        *path = NULL;
    }
    GW_TRY(find_model(folder, path));
    return *path ? GW_OK
                 : gw_fail(GW_ERR_IO,
                           "%s: no tokenizer: neither tokenizer.json nor vocab.json, vocab.txt, spiece.model, "
                           "sentencepiece.bpe.model, tokenizer.model or another .model is there",
                           folder);
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

// A SentencePiece model of a folder: BigBird's class in transformers reads it otherwise than the sentencepiece package.
static gw_status load_pieces(const char *folder, const char *path, gw_tokenizer **out) {
    json_t *config = NULL, *settings = NULL;
    char *bytes = NULL;
    int64_t length;
    gw_status status = gw_folder_json(folder, "config.json", false, &config);
    if (status == GW_OK) status = gw_folder_json(folder, "tokenizer_config.json", false, &settings);
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
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return load_file(path, out);
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
