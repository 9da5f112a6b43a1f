// SPDX-License-Identifier: MIT
// godwit mat: packs a labelled set of a MATLAB file, such as DeepSEA's bundle, for random access.
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "file/lines.h"
#include "label/mat_set.h"
#include "tools/cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *prefix, *channels, *names, *windows, *labels;
    int64_t bin;
} mat_arguments;

static const mat_arguments defaults = {.channels = "AGCT", .bin = 200};

#define FIELD(name) offsetof(mat_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'o', "output", "PREFIX", FIELD(prefix), "writes PREFIX.bases, .labels, .names.tsv and .json",
     .required = true, .writes = true},
    {GW_OPTION_STRING, 0, "channels", "LETTERS", FIELD(channels), "the bases of the four channels"},
    {GW_OPTION_STRING, 0, "names", "FILE", FIELD(names), "names of the labels, one a line (label_1, label_2 ...)"},
    {GW_OPTION_STRING, 0, "windows", "NAME", FIELD(windows), "the array of windows, where it is not the only one"},
    {GW_OPTION_STRING, 0, "labels", "NAME", FIELD(labels), "the array of labels, where it is not the only one"},
    {GW_OPTION_INT, 0, "bin", "BP", FIELD(bin), "bases in the middle of a window that the labels are about", .min = 1,
     .max = 1e9},
    {.help = NULL},
};

// The name of the next label; `lines` NULL: by its number.
static gw_status next_name(gw_line_reader *lines, int64_t label, int64_t labels, char **name) {
    if (!lines) return (*name = gw_strprintf("label_%lld", (long long)label + 1)) ? GW_OK : GW_ERR_MEMORY;
    char *line;
    int64_t length;
    GW_TRY(gw_lines_next(lines, &line, &length));
    if (!line || length == 0 || strchr(line, '\t'))
        return gw_lines_fail(lines, GW_ERR_FORMAT, "%s, where the set has %lld labels and a line names one",
                             !line         ? "the end"
                             : length == 0 ? "an empty line"
                                           : "a tab",
                             (long long)labels);
    return (*name = gw_strdup(line)) ? GW_OK : GW_ERR_MEMORY;
}

static gw_status check_end(gw_line_reader *lines, int64_t labels) {
    char *line;
    int64_t length;
    GW_TRY(gw_lines_next(lines, &line, &length));
    if (!line) return GW_OK;
    return gw_lines_fail(lines, GW_ERR_MISMATCH, "more names than the %lld labels of the set", (long long)labels);
}

static gw_status write_names(const mat_arguments *a, const gw_mat_set *set, const int64_t *positives) {
    char *path = gw_strprintf("%s.names.tsv", a->prefix), *name = NULL;
    gw_line_reader *lines = NULL;
    gw_text_writer *writer = NULL;
    gw_status status = path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && a->names) status = gw_lines_open(a->names, &lines);
    if (status == GW_OK) status = gw_writer_open(path, &writer);
    if (status == GW_OK) status = gw_writer_printf(writer, "name\tpositives\n");
    for (int64_t t = 0; status == GW_OK && t < set->targets; t++) {
        status = next_name(lines, t, set->targets, &name);
        if (status == GW_OK) status = gw_writer_printf(writer, "%s\t%lld\n", name, (long long)positives[t]);
        free(name);
        name = NULL;
    }
    if (status == GW_OK && lines) status = check_end(lines, set->targets);
    gw_lines_close(lines);
    free(path);
    return gw_writers_close(status, writer, NULL);
}

static gw_status write_settings(const mat_arguments *a, const gw_mat_set *set, const char *source) {
    char *path = gw_strprintf("%s.json", a->prefix);
    json_t *json =
        json_pack("{s:s, s:I, s:I, s:s, s:s, s:s*}", "task", "profiles", "window", (json_int_t)set->bases, "bin",
                  (json_int_t)a->bin, "source", source, "channels", a->channels, "command", gw_command_line());
    gw_status status = path && json ? gw_json_save(path, json) : gw_fail(GW_ERR_MEMORY, "out of memory for settings");
    json_decref(json);
    free(path);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    (void)count;
    const mat_arguments *a = arguments;
    const char *channels = a->channels;
    bool all = strlen(channels) == 4;
    for (const char *base = "ACGT"; *base; base++) all = all && strchr(channels, *base);
    if (!all) return gw_fail(GW_ERR_USAGE, "--channels: '%s' is not A, C, G and T in some order", channels);
    gw_mat_file file;
    gw_mat_set set;
    GW_TRY(gw_mat_open(operands[0], &file));
    gw_status status = gw_mat_set_find(&file, a->windows, a->labels, &set);
    int64_t *positives = status == GW_OK ? gw_alloc(set.targets, sizeof *positives) : NULL;
    if (status == GW_OK && !positives) status = GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_mat_set_write(&file, &set, a->channels, a->prefix, positives);
    if (status == GW_OK) status = write_names(a, &set, positives);
    if (status == GW_OK) status = write_settings(a, &set, operands[0]);
    if (status == GW_OK)
        gw_note("%lld windows of %lld bp, %lld labels", (long long)set.rows, (long long)set.bases,
                (long long)set.targets);
    free(positives);
    return status;
}

const gw_command gw_command_mat = {
    .name = "mat",
    .group = "Labelled sets",
    .summary = "pack a labelled set of a MATLAB file",
    .usage = "-o PREFIX [options] set.mat",
    .description =
        "Reads windows of one-hot bases and their labels, 0 or 1, from a MATLAB file of version 5 or 7.3 (HDF5), "
        "such as train.mat, valid.mat and test.mat of DeepSEA's bundle, a slab of windows at a time. Writes four "
        "bits a base and one bit a label. finetune, eval and predict read PREFIX like a set of regions, without a "
        "genome.\n\n"
        "The windows are the array with three axes, one of them 4 long. The labels are the array with two axes. The "
        "axis of the same length in both counts the examples. Order and names of axes and arrays do not matter. A "
        "base without a channel of 1 is N. Values other than 0 and 1 are errors.",
    .examples = "godwit mat -o train train.mat\n"
                "godwit mat -o valid valid.mat\n"
                "godwit finetune -m model --task profiles -d train --valid valid -o deepsea",
    GW_COMMAND_TAKES(1, 1),
    .outputs_together = true,
    .run = run,
};
