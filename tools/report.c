// SPDX-License-Identifier: MIT
// godwit report: what a folder of results holds, as one page that needs nothing else.
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "tools/cli.h"
#include "tools/report_parts.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    const char *output, *title, *multiqc;
    int64_t top;
} report_arguments;

static const report_arguments defaults = {.title = "godwit report", .top = 20};

enum { DEPTH = 4 }; // folders within folders

#define FIELD(name) offsetof(report_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "page to write (standard output)"},
    {GW_OPTION_STRING, 0, "title", "TEXT", FIELD(title), "its title"},
    {GW_OPTION_INT, 0, "top", "N", FIELD(top), "variants to list of each file, furthest from zero first", .min = 0,
     .max = 10000},
    {GW_OPTION_STRING, 0, "multiqc", "DIR", FIELD(multiqc),
     "write the tables for MultiQC into this folder too (custom content, *_mqc.tsv)"},
    {.help = NULL},
};

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static gw_status take_folder(gw_report *report, const char *path, const char *name, int depth);

static gw_status take_entry(gw_report *report, const char *path, const char *name, int depth) {
    struct stat info;
    GW_TRY(gw_check_interrupt());
    if (stat(path, &info) != 0) return GW_OK; // a link to nothing
    if (S_ISDIR(info.st_mode)) return depth < DEPTH ? take_folder(report, path, name, depth + 1) : GW_OK;
    return S_ISREG(info.st_mode) ? gw_report_take(report, path, name) : GW_OK;
}

// The folder's entries by name; `name` is its path as the page has it.
static gw_status take_folder(gw_report *report, const char *path, const char *name, int depth) {
    struct dirent **entries;
    const int count = scandir(path, &entries, is_shown, by_name);
    if (count < 0) return gw_fail(GW_ERR_IO, "cannot read the folder %s", path);
    gw_status status = GW_OK;
    for (int i = 0; i < count; i++) {
        char *inner = gw_join_path(path, entries[i]->d_name);
        char *shown = name[0] ? gw_join_path(name, entries[i]->d_name) : gw_strdup(entries[i]->d_name);
        if (status == GW_OK) status = inner && shown ? take_entry(report, inner, shown, depth) : GW_ERR_MEMORY;
        free(inner);
        free(shown);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static gw_status write_page(const report_arguments *a, const gw_report *r, const char *folder) {
    const gw_page_section sections[] = {
        {"What was run", &r->runs}, {"Models", &r->models}, {"Evaluations", &r->evaluations}, {"Curves", &r->curves},
        {"Variants", &r->variants}, {"Maps", &r->maps},     {"Pictures", &r->pictures},
    };
    char day[32];
    const time_t now = time(NULL);
    struct tm parts;
    strftime(day, sizeof day, "%Y-%m-%d", gmtime_r(&now, &parts));
    gw_string made = {0}, page = {0};
    gw_string_printf(&made, "%s, by godwit %s on %s; %lld files", folder, GW_VERSION, day, (long long)r->files);
    gw_status status = gw_string_status(&made);
    if (status == GW_OK) gw_page_write(&page, a->title, made.data, sections, sizeof sections / sizeof sections[0]);
    if (status == GW_OK) status = gw_string_status(&page);
    if (status == GW_OK) status = gw_write_file(a->output, page.data, page.length);
    gw_string_free(&made);
    gw_string_free(&page);
    return status;
}

// A table of MultiQC's custom content: what it is in comment lines, then a row a sample.
static gw_status write_multiqc(const char *folder, const char *id, const char *section, const char *columns,
                               const gw_string *rows) {
    if (rows->length == 0) return GW_OK;
    gw_string text = {0};
    gw_string_printf(&text, "# id: \"godwit_%s\"\n# section_name: \"godwit: %s\"\n# plot_type: \"table\"\n", id,
                     section);
    gw_string_printf(&text, "# pconfig:\n#     id: \"godwit_%s_table\"\n#     title: \"godwit: %s\"\nSample\t%s\n", id,
                     section, columns);
    gw_string_append(&text, rows->data, rows->length);
    gw_status status = gw_string_status(&text);
    char *name = gw_strprintf("godwit_%s_mqc.tsv", id), *path = name ? gw_join_path(folder, name) : NULL;
    if (status == GW_OK) status = path ? gw_write_file(path, text.data, text.length) : GW_ERR_MEMORY;
    free(name);
    free(path);
    gw_string_free(&text);
    return status;
}

static gw_status write_tables(const char *folder, const gw_report *r) {
    GW_TRY(gw_make_directory(folder));
    GW_TRY(write_multiqc(folder, "labels", "labelled sets", "targets\tn\tpositives\taccuracy\tF1\tMCC\tAUROC\tAUPRC",
                         &r->rated));
    GW_TRY(write_multiqc(folder, "bases", "bits per base", "bits_per_base", &r->bits));
    return write_multiqc(folder, "variants", "scored variants", "records\tscored", &r->statuses);
}

static void free_report(gw_report *r) {
    gw_string *const all[] = {&r->runs, &r->models,   &r->evaluations, &r->curves, &r->variants,
                              &r->maps, &r->pictures, &r->rated,       &r->bits,   &r->statuses};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) gw_string_free(all[i]);
    if (r->scratch) rmdir(r->scratch);
    free(r->scratch);
}

static gw_status make_scratch(gw_report *r) {
    const char *parent = getenv("TMPDIR");
    r->scratch = gw_join_path(parent && parent[0] ? parent : "/tmp", "godwit-report.XXXXXX");
    if (!r->scratch) return GW_ERR_MEMORY;
    return mkdtemp(r->scratch) ? GW_OK : gw_fail(GW_ERR_IO, "cannot make the folder %s", r->scratch);
}

static gw_status run(void *arguments, char **operands, int count) {
    (void)count;
    const report_arguments *a = arguments;
    gw_report report = {.top = a->top};
    gw_status status = make_scratch(&report);
    if (status == GW_OK) status = take_folder(&report, operands[0], "", 1);
    if (status == GW_OK && report.files == 0)
        status = gw_fail(GW_ERR_MISMATCH, "%s holds no models, evaluations, scored variants or pictures", operands[0]);
    if (status == GW_OK) status = write_page(a, &report, operands[0]);
    if (status == GW_OK && a->multiqc) status = write_tables(a->multiqc, &report);
    free_report(&report);
    return status;
}

const gw_command gw_command_report = {
    .name = "report",
    .group = "Results",
    .summary = "a folder of results as one page, readable without network",
    .usage = "DIR [-o report.html] [options]",
    .description =
        "Takes what lies in the folder and those in it: models (config.json, with the command that trained them, and "
        "loss.png), tables of eval, its --per-target and its --curves, scored VCF and BCF files, maps of score "
        "(--map map.tsv), and pictures. The page has style, script and pictures inside; a click on a heading sorts its "
        "table. Other files are passed over.",
    .examples = "godwit eval -m model -d set -f ref.fa --per-target results/targets.tsv --curves results/curves.tsv > "
                "results/eval.tsv\n"
                "godwit report results -o report.html --multiqc results",
    .options = options,
    .defaults = &defaults,
    .arguments_size = sizeof defaults,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
