// SPDX-License-Identifier: MIT
// A model is a folder, and a set is several files with one prefix. Each is stored with all of its files.
#include "tools/cli/paths.h"

#include "base/input_files.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/parse.h"
#include "file/table_writer.h"
#include "store/installed.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

gw_path_kind gw_option_path(const gw_option *option) {
    static const char *const folders[] = {"FOLDER", "DIR", "MODEL"};
    static const char *const files[] = {"FILE", "BED", "SET", "DATA", "PREFIX", ".npy"};
    if (option->kind != GW_OPTION_STRING && option->kind != GW_OPTION_LIST) return GW_NO_PATH;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strstr(option->value_name, folders[i])) return GW_PATH_FOLDER;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strstr(option->value_name, files[i])) return GW_PATH_FILE;
    return GW_NO_PATH;
}

// The files of a model. A name that no model has is the command's to complain of.
static gw_status note_model(const char *name) {
    static const char *const endings[] = {".json", ".safetensors", ".bin", ".pt", ".model", "vocab.txt", "merges.txt"};
    char *folder;
    gw_status status = gw_installed_path(name, &folder);
    if (status != GW_OK) return status == GW_ERR_MEMORY ? status : GW_OK;
    DIR *entries = opendir(folder);
    for (struct dirent *e; entries && status == GW_OK && (e = readdir(entries)) != NULL;) {
        bool of_model = false;
        for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
            of_model = of_model || gw_has_suffix(e->d_name, endings[i]) || strcmp(e->d_name, endings[i]) == 0;
        char *path = of_model ? gw_join_path(folder, e->d_name) : NULL;
        if (of_model) status = path ? gw_input_files_add(path) : GW_ERR_MEMORY;
        free(path);
    }
    if (entries) closedir(entries);
    free(folder);
    return status;
}

// One value: a file, or several with commas between them; "^" before it chooses what lies outside of the file.
static gw_status note(const gw_option *option, const char *value) {
    if (option && gw_option_path(option) == GW_PATH_FOLDER) GW_TRY(note_model(value));
    if (option && gw_option_path(option) == GW_PATH_FILE) {
        static const char *const parts[] = {".bin", ".idx",    ".tokenizer.json", ".bases", ".bed.gz",
                                            ".bed", ".labels", ".names.tsv",      ".json"};
        gw_status status = GW_OK;
        for (size_t i = 0; status == GW_OK && i < sizeof parts / sizeof parts[0]; i++) {
            char *path = gw_strprintf("%s%s", value, parts[i]);
            status = path ? gw_input_files_add(path) : GW_ERR_MEMORY;
            free(path);
        }
        GW_TRY(status);
    }
    GW_TRY(gw_input_files_add(value + (value[0] == '^')));
    if (!strchr(value, ',')) return GW_OK;
    gw_status status = GW_OK;
    for (const char *at = value; status == GW_OK && at; at = gw_next_item(at, ',')) {
        char *part = gw_strndup(at, strcspn(at, ","));
        status = part ? gw_input_files_add(part) : GW_ERR_MEMORY;
        free(part);
    }
    return status;
}

// The values of an option of paths: a list of one where it takes one.
static gw_string_list values_of(const gw_option *option, const void *arguments) {
    const char *const *field = (const char *const *)(const void *)((const char *)arguments + option->offset);
    if (option->kind == GW_OPTION_LIST) return *(const gw_string_list *)(const void *)field;
    return (gw_string_list){field, *field != NULL};
}

gw_status gw_note_inputs(const gw_command *command, const void *arguments, char *const *operands, int count) {
    for (const gw_option *o = command->options; o && o->help; o++) {
        if (o->writes || gw_option_path(o) == GW_NO_PATH) continue;
        const gw_string_list values = values_of(o, arguments);
        for (int i = 0; i < values.count; i++) GW_TRY(note(o, values.items[i]));
    }
    for (int i = 0; i < count; i++) GW_TRY(note(NULL, operands[i]));
    const bool reads_standard = count == 0 && command->most_operands != 0;
    return reads_standard ? gw_input_files_add("-") : GW_OK;
}

// A file, or the folder of a model, which is recognised by its config.json.
static gw_status refuse(const char *output) {
    GW_TRY(gw_input_files_refuse(output));
    char *config = gw_join_path(output, "config.json");
    const gw_status status = config ? gw_input_files_refuse(config) : GW_ERR_MEMORY;
    free(config);
    return status;
}

// "|vcf|vcf.gz|bcf" as ".vcf, .vcf.gz or .bcf".
static void list_endings(gw_string *out, const char *endings) {
    for (const char *at = endings; at; at = gw_next_item(at, '|')) {
        const int length = (int)strcspn(at, "|");
        const char *before = out->length == 0 ? "" : at[length] ? ", " : " or ";
        if (length > 0) gw_string_printf(out, "%s.%.*s", before, length, at);
    }
}

// An empty ending in the list lets pipes and devices have any name, and files one without a point, or with ".gz" alone.
static bool needs_no_ending(const char *path, const char *name, const char *endings) {
    struct stat info;
    if (endings[0] != '|') return false;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return true;
    const char *dot = strchr(name + (name[0] == '.'), '.');
    return !dot || (strcmp(dot, ".gz") == 0 && strstr(endings, ".gz"));
}

gw_status gw_check_ending(const char *path, const char *endings) {
    if (!path || !*path || strcmp(path, "-") == 0) return GW_OK;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t length = strlen(name);
    if (needs_no_ending(path, name, endings)) return GW_OK;
    for (const char *at = endings; at; at = gw_next_item(at, '|')) {
        const size_t tail = strcspn(at, "|");
        const char *end = length > tail + 1 ? name + length - tail : NULL;
        if (tail > 0 && end && end[-1] == '.' && strncmp(end, at, tail) == 0) return GW_OK;
    }
    gw_string known = {0};
    list_endings(&known, endings);
    gw_status status = gw_string_status(&known);
    if (status == GW_OK) status = gw_fail(GW_ERR_USAGE, "cannot write %s: its name must end in %s", path, known.data);
    gw_string_free(&known);
    return status;
}

gw_status gw_check_endings(const gw_command *command, const void *arguments) {
    for (const gw_option *o = command->options; o && o->help; o++) {
        if (!o->endings) continue;
        const gw_string_list values = values_of(o, arguments);
        for (int i = 0; i < values.count; i++) {
            GW_TRY(gw_check_ending(values.items[i], o->endings));
            GW_TRY(gw_table_writer_check(values.items[i]));
        }
    }
    return GW_OK;
}

gw_status gw_refuse_inputs_as_outputs(const gw_command *command, const void *arguments) {
    for (const gw_option *o = command->options; o && o->help; o++) {
        if (!o->writes) continue;
        const gw_string_list values = values_of(o, arguments);
        for (int i = 0; i < values.count; i++) GW_TRY(refuse(values.items[i]));
    }
    return GW_OK;
}
