// SPDX-License-Identifier: MIT
// A folder with a config.json and weights is a model.
#include "store/installed.h"

#include "base/memory.h"
#include "base/output.h"
#include "store/checkpoint.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char below_program[] = "/../share/godwit/models";

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

static gw_status add_beside_program(gw_installed_list *list) {
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - sizeof below_program);
    if (length <= 0) return GW_OK;
    self[length] = 0;
    strcpy(strrchr(self, '/'), below_program);
    char *folder = realpath(self, NULL); // as users would write it
    const gw_status status = folder ? add_below(list, folder) : GW_OK;
    free(folder);
    return status;
}

gw_status gw_installed_find(gw_installed_list *list) {
    *list = (gw_installed_list){0};
    const char *named = getenv("GODWIT_MODELS");
    if (named) GW_TRY(add_named(list, named));
    GW_TRY(add_beside_program(list));
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

char *gw_installed_path(const char *path) {
    if (strchr(path, '/') || gw_file_exists(path)) return gw_strdup(path);
    gw_installed_list list;
    const gw_status status = gw_installed_find(&list);
    const char *found = path;
    for (int64_t i = 0; i < list.count; i++)
        if (strcmp(list.model[i].name, path) == 0) found = list.model[i].folder;
    char *copy = status == GW_OK ? gw_strdup(found) : NULL;
    gw_installed_free(&list);
    return copy;
}
