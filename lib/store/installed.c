// SPDX-License-Identifier: MIT
// A folder with a config.json and weights is a model.
#include "store/installed.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "base/output.h"
#include "base/string.h"
#include "store/stored_tensor.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_name(const void *a, const void *b) {
    return strcmp(((const gw_installed *)a)->name, ((const gw_installed *)b)->name);
}

static bool is_listed(const gw_installed_list *list, const char *name) {
    for (int64_t i = 0; i < list->count; i++)
        if (strcmp(list->model[i].name, name) == 0) return true;
    return false;
}

// Bytes of its weights where the folder is a model, else -1; NULL is none.
static int64_t bytes_of_model(const char *folder) {
    char *config = gw_join_path(folder, "config.json"), *weights = gw_join_path(folder, gw_checkpoint_file);
    struct stat info;
    const bool model = config && weights && gw_file_exists(config) && stat(weights, &info) == 0;
    free(config);
    free(weights);
    return model ? (int64_t)info.st_size : -1;
}

// Takes over the folder's name.
static gw_status add(gw_installed_list *list, const char *name, char *folder) {
    const int64_t bytes = folder ? bytes_of_model(folder) : -1;
    gw_status status = folder ? GW_OK : GW_ERR_MEMORY;
    if (bytes >= 0 && !is_listed(list, name)) {
        status = gw_reserve(&list->model, &list->capacity, list->count + 1, sizeof *list->model);
        char *copy = status == GW_OK ? gw_strdup(name) : NULL;
        if (copy) {
            list->model[list->count++] = (gw_installed){copy, folder, bytes};
            return GW_OK;
        }
        status = GW_ERR_MEMORY;
    }
    free(folder);
    return status;
}

// A folder that is not there has none.
static gw_status add_below(gw_installed_list *list, const char *folder) {
    DIR *entries = opendir(folder);
    gw_status status = GW_OK;
    for (const struct dirent *entry; entries && status == GW_OK && (entry = readdir(entries));)
        if (entry->d_name[0] != '.') status = add(list, entry->d_name, gw_join_path(folder, entry->d_name));
    if (entries) closedir(entries);
    return status;
}

static gw_status add_named(gw_installed_list *list, const char *folders) {
    char *copy = gw_strdup(folders), *rest = NULL;
    gw_status status = copy ? GW_OK : GW_ERR_MEMORY;
    for (char *at = copy ? strtok_r(copy, ":", &rest) : NULL; at && status == GW_OK; at = strtok_r(NULL, ":", &rest))
        status = add_below(list, at);
    free(copy);
    return status;
}

// Of the folder that holds `file`, by the way that leads from there to the models.
static gw_status add_beside(gw_installed_list *list, const char *file, const char *way) {
    char *below = gw_strprintf("%.*s/%s", (int)(strrchr(file, '/') - file), file, way);
    if (!below) return GW_ERR_MEMORY;
    char *folder = realpath(below, NULL); // as users would write it
    const gw_status status = folder ? add_below(list, folder) : GW_OK;
    free(folder);
    free(below);
    return status;
}

static gw_status add_beside_program(gw_installed_list *list) {
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return GW_OK;
    self[length] = 0;
    return add_beside(list, self, "../share/godwit/models");
}

// In PREFIX/lib, in a folder of it for this kind of machine, or in a Python package that brings models along. Where
// this code is the program's own its name may have no folder.
static gw_status add_beside_library(gw_installed_list *list) {
    static const char *const ways[] = {"../share/godwit/models", "../../share/godwit/models", "share/godwit/models"};
    static const char of_this_file;
    Dl_info info;
    char *self = dladdr(&of_this_file, &info) && strchr(info.dli_fname, '/') ? realpath(info.dli_fname, NULL) : NULL;
    gw_status status = GW_OK;
    for (size_t i = 0; self && status == GW_OK && i < sizeof ways / sizeof *ways; i++)
        status = add_beside(list, self, ways[i]);
    free(self);
    return status;
}

gw_status gw_installed_find(gw_installed_list *list) {
    *list = (gw_installed_list){0};
    const char *named = getenv("GODWIT_MODELS");
    if (named) GW_TRY(add_named(list, named));
    GW_TRY(add_beside_program(list));
    GW_TRY(add_beside_library(list));
    if (list->count > 0) qsort(list->model, (size_t)list->count, sizeof *list->model, by_name);
    return GW_OK;
}

void gw_installed_free(gw_installed_list *list) {
    for (int64_t i = 0; i < list->count; i++) {
        free(list->model[i].name);
        free(list->model[i].folder);
    }
    free(list->model);
    *list = (gw_installed_list){0};
}

gw_status gw_installed_unknown(const gw_installed_list *list, const char *name, const char *also) {
    gw_string names = {0};
    int least = GW_NEAREST_ANY;
    const char *nearest = NULL;
    for (int64_t i = 0; i < list->count; i++) {
        const char *has = list->model[i].name;
        gw_string_printf(&names, "%s%s", i > 0 ? ", " : "; there are: ", has);
        if (gw_is_nearer(name, has, &least)) nearest = has;
    }
    if (list->count == 0) gw_string_puts(&names, "; no other is either");
    if (nearest) gw_string_printf(&names, "; the nearest is '%s'", nearest);
    gw_status status = gw_string_status(&names);
    if (status == GW_OK) status = gw_fail(GW_ERR_IO, "no model '%s' is installed%s%s", name, also, names.data);
    gw_string_free(&names);
    return status;
}

static gw_status find_by_name(const char *name, char **out) {
    gw_installed_list list;
    gw_status status = gw_installed_find(&list);
    const char *found = NULL;
    for (int64_t i = 0; i < list.count; i++)
        if (strcmp(list.model[i].name, name) == 0) found = list.model[i].folder;
    if (status == GW_OK && !found) status = gw_installed_unknown(&list, name, ", and there is no such folder");
    if (status == GW_OK) *out = gw_strdup(found);
    if (status == GW_OK && !*out) status = GW_ERR_MEMORY;
    gw_installed_free(&list);
    return status;
}

gw_status gw_installed_path(const char *path, char **out) {
    *out = NULL;
    if (!strchr(path, '/') && !gw_file_exists(path)) return find_by_name(path, out);
    *out = gw_strdup(path);
    return *out ? GW_OK : GW_ERR_MEMORY;
}
