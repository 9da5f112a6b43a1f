// SPDX-License-Identifier: MIT
// Tries the names of tokenizer files in order of preference.
#include "text/tokenizer_folder.h"

#include "base/memory.h"
#include "base/output.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static gw_status find_named(const char *folder, const char *name, char **path) {
    *path = gw_join_path(folder, name);
    if (!*path) return GW_ERR_MEMORY;
    if (gw_file_exists(*path)) return GW_OK;
    free(*path);
    *path = NULL;
    return GW_OK;
}

// The only file of a folder that ends in ".model".
static gw_status find_model(const char *folder, char **path) {
    static const char ending[] = ".model";
    DIR *opened = opendir(folder);
    gw_status status = GW_OK;
    if (!opened) return gw_fail(GW_ERR_IO, "cannot open the folder %s", folder);
    for (const struct dirent *entry; status == GW_OK && (entry = readdir(opened));) {
        const size_t length = strlen(entry->d_name);
        if (length < sizeof ending || strcmp(entry->d_name + length - strlen(ending), ending) != 0) continue;
        if (*path) status = gw_fail(GW_ERR_UNSUPPORTED, "%s: which of its .model files is the tokenizer?", folder);
        else status = (*path = gw_join_path(folder, entry->d_name)) ? GW_OK : GW_ERR_MEMORY;
    }
    closedir(opened);
    if (status == GW_OK) return GW_OK;
    free(*path);
    *path = NULL;
    return status;
}

static gw_status not_found(const char *folder) {
    return gw_fail(GW_ERR_IO,
                   "%s: no tokenizer: neither tokenizer.json nor vocab.json, vocab.txt, spiece.model, "
                   "sentencepiece.bpe.model, tokenizer.model or another .model is there",
                   folder);
}

gw_status gw_tokenizer_find(const char *folder, char **path) {
    static const char *const names[] = {"tokenizer.json",  "spiece.model", "sentencepiece.bpe.model",
                                        "tokenizer.model", "vocab.json",   "vocab.txt"};
    *path = NULL;
    for (size_t i = 0; !*path && i < sizeof names / sizeof *names; i++) GW_TRY(find_named(folder, names[i], path));
    if (!*path) GW_TRY(find_model(folder, path));
    return *path ? GW_OK : not_found(folder);
}
