// SPDX-License-Identifier: MIT
// Installed models and their cards. A folder with a config.json and weights is a model.
#include "store/installed.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/output.h"
#include "base/string.h"
#include "store/stored_tensor.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char gw_checkpoint_file[] = "model.safetensors";

static int by_name(const void *a, const void *b) {
    return strcmp(((const gw_installed *)a)->name, ((const gw_installed *)b)->name);
}

// A folder that is not there has none.
static gw_status add_below(void *context, const char *folder) {
    gw_installed_list *list = context;
    DIR *entries = opendir(folder);
    gw_status status = GW_OK;
    for (const struct dirent *entry; entries && status == GW_OK && (entry = readdir(entries));) {
        if (entry->d_name[0] == '.') continue;
        struct stat info;
        char *model = gw_join_path(folder, entry->d_name), *name = gw_strdup(entry->d_name);
        char *config = model ? gw_join_path(model, "config.json") : NULL;
        char *weights = model ? gw_join_path(model, gw_checkpoint_file) : NULL;
        bool is = config && weights && gw_file_exists(config) && stat(weights, &info) == 0;
        if (!model || !name) status = GW_ERR_MEMORY;
        for (int64_t i = 0; is && name && i < list->count; i++) is = strcmp(list->model[i].name, name) != 0;
        if (status == GW_OK && is)
            status = gw_reserve(&list->model, &list->capacity, list->count + 1, sizeof *list->model);
        if (status == GW_OK && is) {
            list->model[list->count++] = (gw_installed){name, model, (int64_t)info.st_size};
            name = model = NULL;
        }
        free(config);
        free(weights);
        free(model);
        free(name);
    }
    if (entries) closedir(entries);
    return status;
}

// NULL, with GW_OK: there is none.
static gw_status folder_of_home(char **out) {
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    *out = NULL;
    if (data && data[0] == '/') *out = gw_join_path(data, "godwit/models");
    else if (home && *home) *out = gw_join_path(home, ".local/share/godwit/models");
    else return GW_OK;
    return *out ? GW_OK : GW_ERR_MEMORY;
}

// Of the folder that holds `file`, by the way that leads from there to the models.
static gw_status use_beside(gw_status (*use)(void *context, const char *folder), void *context, const char *file,
                            const char *way) {
    char *below = gw_strprintf("%.*s/%s", (int)(strrchr(file, '/') - file), file, way);
    if (!below) return GW_ERR_MEMORY;
    char *folder = realpath(below, NULL); // as users would write it
    const gw_status status = folder ? use(context, folder) : GW_OK;
    free(folder);
    free(below);
    return status;
}

gw_status gw_model_folders_each(gw_status (*use)(void *context, const char *folder), void *context) {
    static const char *const ways[] = {"../share/godwit/models", "../../share/godwit/models", "share/godwit/models"};
    static const char of_this_file;
    const char *named = getenv("GODWIT_MODELS");
    char *copy = named ? gw_strdup(named) : NULL, *rest = NULL, *home = NULL;
    gw_status status = !named || copy ? GW_OK : GW_ERR_MEMORY;
    for (char *at = copy ? strtok_r(copy, ":", &rest) : NULL; at && status == GW_OK; at = strtok_r(NULL, ":", &rest))
        status = use(context, at);
    free(copy);

    if (status == GW_OK) status = folder_of_home(&home);
    if (status == GW_OK && home) status = use(context, home);
    free(home);

    char self[4096];
    const ssize_t length = status == GW_OK ? readlink("/proc/self/exe", self, sizeof self - 1) : 0;
    if (length > 0) {
        self[length] = 0;
        status = use_beside(use, context, self, ways[0]);
    }
    // Beside the shared library: in PREFIX/lib, in a folder of it for this kind of machine, or in a Python package that
    // brings models along. Where this code is the program's own its name may have no folder.
    Dl_info info;
    char *library = dladdr(&of_this_file, &info) && strchr(info.dli_fname, '/') ? realpath(info.dli_fname, NULL) : NULL;
    for (size_t i = 0; library && status == GW_OK && i < sizeof ways / sizeof *ways; i++)
        status = use_beside(use, context, library, ways[i]);
    free(library);
    return status;
}

gw_status gw_model_folder_of_user(char **out) {
    const char *named = getenv("GODWIT_MODELS");
    named = named ? named + strspn(named, ":") : "";
    if (*named) *out = gw_strndup(named, strcspn(named, ":"));
    else GW_TRY(folder_of_home(out));
    if (*out) return GW_OK;
    return *named ? GW_ERR_MEMORY : gw_fail(GW_ERR_IO, "no folder for models: neither GODWIT_MODELS nor HOME is set");
}

gw_status gw_installed_find(gw_installed_list *list) {
    *list = (gw_installed_list){0};
    GW_TRY(gw_model_folders_each(add_below, list));
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

// Models whose names begin with this one, as human-splice does with human, and what they are asked.
static gw_status list_longer(const gw_installed_list *list, const char *name, gw_string *out) {
    const size_t length = strlen(name);
    for (int64_t i = 0; i < list->count; i++) {
        const char *has = list->model[i].name;
        char question[GW_CARD_VALUE];
        if (length == 0 || !gw_has_prefix(has, name) || has[length] != '-') continue;
        GW_TRY(gw_card_read_value(list->model[i].folder, "question", question));
        gw_string_printf(out, "%s%s", out->length > 0 ? ", " : "; its models are: ", has);
        if (question[0]) gw_string_printf(out, " (%s)", question);
    }
    if (out->length > 0) gw_string_puts(out, "; `godwit models NAME` prints what one is worth");
    return gw_string_status(out);
}

gw_status gw_installed_unknown(const gw_installed_list *list, const char *name, const char *also) {
    gw_string names = {0};
    int least = GW_NEAREST_ANY;
    const char *nearest = NULL;
    GW_TRY(list_longer(list, name, &names));
    for (int64_t i = 0; i < list->count && names.length == 0; i++)
        if (gw_is_nearer(name, list->model[i].name, &least)) nearest = list->model[i].name;
    const bool any = names.length == 0;
    for (int64_t i = 0; i < list->count && any; i++)
        gw_string_printf(&names, "%s%s", i > 0 ? ", " : "; there are: ", list->model[i].name);
    if (list->count == 0) gw_string_puts(&names, "; no other is either");
    if (nearest) gw_string_printf(&names, "; the nearest is '%s'", nearest);
    gw_status status = gw_string_status(&names);
    if (status == GW_OK) status = gw_fail(GW_ERR_IO, "no model '%s' is installed%s%s", name, also, names.data);
    gw_string_free(&names);
    return status;
}

gw_status gw_installed_path(const char *path, char **out) {
    gw_installed_list list = {0};
    gw_status status = GW_OK;
    const char *found = path;
    *out = NULL;
    if (!strchr(path, '/') && !gw_file_exists(path)) {
        found = NULL;
        status = gw_installed_find(&list);
        for (int64_t i = 0; i < list.count; i++)
            if (strcmp(list.model[i].name, path) == 0) found = list.model[i].folder;
        if (status == GW_OK && !found) status = gw_installed_unknown(&list, path, ", and there is no such folder");
    }
    if (status == GW_OK) *out = gw_strdup(found);
    if (status == GW_OK && !*out) status = GW_ERR_MEMORY;
    gw_installed_free(&list);
    return status;
}

// Writes a card, and looks for a value among the first lines of one.

static const char card_file[] = "README.md", fence[] = "---\n", licence_key[] = "license";

gw_status gw_card_write(const char *folder, const char *program, const char *licence) {
    gw_string text = {0};
    gw_string_printf(&text,
                     "%s%s: %s\n%s# Weights of %s\n\nConverted by godwit. The weights, and what is derived from them, "
                     "stay under the licence of their authors.\n",
                     fence, licence_key, licence, fence, program);
    char *path = gw_join_path(folder, card_file);
    gw_status status = path ? gw_string_status(&text) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_write_file(path, text.data, text.length);
    free(path);
    gw_string_free(&text);
    return status;
}

// Of the lines between the fences.
void gw_card_value(const char *card, const char *key, char value[GW_CARD_VALUE]) {
    const size_t name = strlen(key), most = GW_CARD_VALUE - 1;
    memset(value, 0, GW_CARD_VALUE);
    if (strncmp(card, fence, strlen(fence)) != 0) return;
    for (const char *line = card + strlen(fence); *line && strncmp(line, fence, strlen(fence) - 1) != 0;) {
        const size_t length = strcspn(line, "\r\n");
        if (length > name && strncmp(line, key, name) == 0 && line[name] == ':') {
            const char *begin = line + name + 1 + strspn(line + name + 1, " ");
            const size_t left = (size_t)(line + length - begin);
            memcpy(value, begin, left < most ? left : most);
            for (char *c = value; *c; c++)
                if ((unsigned char)*c < ' ') *c = ' '; // values stand in lines and tables
            return;
        }
        line += length + strspn(line + length, "\r\n");
    }
}

gw_status gw_card_read_value(const char *folder, const char *key, char value[GW_CARD_VALUE]) {
    char *path = gw_join_path(folder, card_file), *text = NULL;
    int64_t length;
    value[0] = 0;
    gw_status status = path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_file_exists(path)) status = gw_read_file(path, &text, &length);
    if (text) gw_card_value(text, key, value);
    free(text);
    free(path);
    return status;
}
