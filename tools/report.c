// SPDX-License-Identifier: MIT
// godwit report: shows the content of a folder of results as one self-contained page.
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/utf8.h"
#include "tools/cli/cli.h"
#include "tools/report/report_parts.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    const char *output, *title, *multiqc, *fasta, *genes;
    int64_t top;
} report_arguments;

static const report_arguments defaults = {.title = "godwit report", .top = 20};

enum { DEPTH = 4 }; // folders within folders

#define FIELD(name) offsetof(report_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "page to write (standard output)", .writes = true,
     .endings = "|html|htm"},
    {GW_OPTION_STRING, 0, "title", "TEXT", FIELD(title), "its title"},
    {GW_OPTION_INT, 0, "top", "N", FIELD(top), "variants to list of each file, furthest from zero first", .min = 0,
     .max = 10000},
    {GW_OPTION_STRING, 0, "multiqc", "DIR", FIELD(multiqc),
     "write the tables for MultiQC into this folder too (custom content, *_mqc.tsv)", .writes = true},
    {GW_OPTION_STRING, 0, "genes", "FILE", FIELD(genes),
     "place of each listed variant among the exons of these genes: a gene table, GFF3 or GTF; needs --fasta"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "genome of --genes"},
    {.help = NULL},
};

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

enum { TEXTS = 13 };

static void list_texts(gw_report *r, gw_string *all[TEXTS]) {
    gw_string *const texts[TEXTS] = {&r->findings, &r->left_out, &r->runs,    &r->models,       &r->evaluations,
                                     &r->curves,   &r->variants, &r->maps,    &r->explanations, &r->pictures,
                                     &r->rated,    &r->bits,     &r->statuses};
    memcpy(all, texts, sizeof texts);
}

// Names what cannot be read, with the message that says why, and goes on.
static void leave_out(gw_report *report, const char *name) {
    gw_warn("%s: left out of the report", gw_message());
    report->damaged++;
    gw_page_file(&report->left_out, name);
    gw_string_puts(&report->left_out, "<p>");
    gw_utf8_append_markup(&report->left_out, gw_message());
    gw_string_puts(&report->left_out, "</p>\n");
}

static bool ends_the_run(gw_status status) {
    return status == GW_ERR_MEMORY || status == GW_ERR_INTERRUPTED;
}

// What a file has put into the page goes where it turns out to be damaged.
static gw_status take_file(gw_report *report, const char *path, const char *name) {
    gw_string *texts[TEXTS];
    int64_t lengths[TEXTS];
    const gw_report before = *report; // its counts
    list_texts(report, texts);
    for (int i = 0; i < TEXTS; i++) lengths[i] = texts[i]->length;
    const gw_status status = gw_report_take(report, path, name);
    if (status == GW_OK || ends_the_run(status)) return status;
    for (int i = 0; i < TEXTS; i++) gw_string_cut(texts[i], lengths[i]);
    report->files = before.files;
    report->model_count = before.model_count;
    report->table_count = before.table_count;
    report->variant_count = before.variant_count;
    report->map_count = before.map_count;
    report->explained_count = before.explained_count;
    report->picture_count = before.picture_count;
    leave_out(report, name);
    return GW_OK;
}

static gw_status take_folder(gw_report *report, const char *path, const char *name, int depth);

static gw_status take_entry(gw_report *report, const char *path, const char *name, int depth) {
    struct stat info;
    GW_TRY(gw_check_interrupt());
    if (stat(path, &info) != 0) return GW_OK; // a link to nothing
    if (!S_ISDIR(info.st_mode)) return S_ISREG(info.st_mode) ? take_file(report, path, name) : GW_OK;
    if (depth >= DEPTH) return GW_OK;
    const gw_status status = take_folder(report, path, name, depth + 1);
    if (status == GW_OK || ends_the_run(status)) return status;
    leave_out(report, name);
    return GW_OK;
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
        for (char *c = shown; c && *c; c++) // names go into lines of tables
            if (iscntrl((unsigned char)*c)) *c = '?';
        if (status == GW_OK) status = inner && shown ? take_entry(report, inner, shown, depth) : GW_ERR_MEMORY;
        free(inner);
        free(shown);
        free(entries[i]);
    }
    free(entries);
    return status;
}

// How much there is of each kind, in words, then what the files say.
static void summarise(const gw_report *r, gw_string *page) {
    const struct {
        int64_t count;
        const char *one, *more;
    } kinds[] = {{r->model_count, "model", "models"},
                 {r->table_count, "table of an evaluation", "tables of evaluations"},
                 {r->variant_count, "file of scored variants", "files of scored variants"},
                 {r->map_count, "map of single-base changes", "maps of single-base changes"},
                 {r->explained_count, "table of explained regions", "tables of explained regions"},
                 {r->picture_count, "picture", "pictures"}};
    bool any = false;
    gw_string_puts(page, "<p>This folder holds");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (kinds[k].count == 0) continue;
        gw_string_printf(page, "%s %lld %s", any ? "," : "", (long long)kinds[k].count,
                         kinds[k].count == 1 ? kinds[k].one : kinds[k].more);
        any = true;
    }
    gw_string_putc(page, '.');
    if (r->damaged > 0) gw_string_printf(page, " %lld could not be read.", (long long)r->damaged);
    gw_string_puts(page, "</p>\n");
    if (r->findings.length == 0) return;
    gw_string_puts(page, "<ul>\n");
    gw_string_append(page, r->findings.data, r->findings.length);
    gw_string_puts(page, "</ul>\n");
}

static gw_status write_page(const report_arguments *a, const gw_report *r, const char *folder) {
    gw_string summary = {0};
    const gw_page_section sections[] = {
        {"Summary", &summary},      {"Left out", &r->left_out},
        {"Models", &r->models},     {"Evaluations", &r->evaluations},
        {"Curves", &r->curves},     {"Variants", &r->variants},
        {"Maps", &r->maps},         {"Explanations", &r->explanations},
        {"Pictures", &r->pictures}, {"What was run", &r->runs},
    };
    summarise(r, &summary);
    char day[32];
    const time_t now = time(NULL);
    struct tm parts;
    strftime(day, sizeof day, "%Y-%m-%d", gmtime_r(&now, &parts));
    gw_string made = {0}, page = {0};
    gw_string_printf(&made, "%s, by godwit %s on %s; %lld files", folder, GW_VERSION, day, (long long)r->files);
    gw_status status = gw_first_failure(gw_string_status(&made), gw_string_status(&summary));
    if (status == GW_OK) gw_page_write(&page, a->title, made.data, sections, sizeof sections / sizeof sections[0]);
    if (status == GW_OK) status = gw_string_status(&page);
    if (status == GW_OK) status = gw_write_file(a->output, page.data, page.length);
    gw_string_free(&made);
    gw_string_free(&page);
    gw_string_free(&summary);
    return status;
}

// A table of MultiQC's custom content: what it is in comment lines, then a row a sample. digits: columns that MultiQC
// is to show with three decimals, where it would show one; or NULL.
static gw_status write_multiqc(const char *folder, const char *id, const char *section, const char *columns,
                               const char *digits, const gw_string *rows) {
    if (rows->length == 0) return GW_OK;
    gw_string text = {0};
    gw_string_printf(&text, "# id: \"godwit_%s\"\n# section_name: \"godwit: %s\"\n# plot_type: \"table\"\n", id,
                     section);
    gw_string_printf(&text, "# pconfig:\n#     id: \"godwit_%s_table\"\n#     title: \"godwit: %s\"\n", id, section);
    if (digits) gw_string_puts(&text, "# headers:\n");
    for (const char *c = digits; c && *c; c += strcspn(c, "\t"), c += *c == '\t') {
        const int length = (int)strcspn(c, "\t");
        gw_string_printf(&text, "#     %.*s:\n#         format: \"{:,.3f}\"\n", length, c);
    }
    gw_string_printf(&text, "Sample\t%s\n", columns);
    gw_utf8_append_mended(&text, rows->data, rows->length); // MultiQC reads UTF-8
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
                         "accuracy\tF1\tMCC\tAUROC\tAUPRC", &r->rated));
    GW_TRY(write_multiqc(folder, "bases", "bits per base", "bits_per_base", "bits_per_base", &r->bits));
    return write_multiqc(folder, "variants", "scored variants", "records\tscored", NULL, &r->statuses);
}

static void free_report(gw_report *r) {
    gw_string *texts[TEXTS];
    list_texts(r, texts);
    for (int i = 0; i < TEXTS; i++) gw_string_free(texts[i]);
    if (r->scratch) rmdir(r->scratch);
    free(r->scratch);
    gw_gene_models_free(&r->genes);
    gw_genome_close(r->genome);
}

static gw_status run(void *arguments, char **operands, int count) {
    (void)count;
    const report_arguments *a = arguments;
    gw_report report = {.top = a->top};
    if (!a->genes != !a->fasta) return gw_fail(GW_ERR_USAGE, "--genes and --fasta are given together");
    const char *parent = getenv("TMPDIR");
    report.scratch = gw_join_path(parent && parent[0] ? parent : "/tmp", "godwit-report.XXXXXX");
    if (!report.scratch) return GW_ERR_MEMORY;
    gw_status status =
        mkdtemp(report.scratch) ? GW_OK : gw_fail(GW_ERR_IO, "cannot make the folder %s", report.scratch);
    if (status == GW_OK && a->genes) status = gw_genome_open(a->fasta, &report.genome);
    if (status == GW_OK && a->genes) status = gw_gene_models_read(a->genes, report.genome, &report.genes);
    if (status == GW_OK) status = take_folder(&report, operands[0], "", 1);
    if (status == GW_OK && report.files == 0)
        status = gw_fail(GW_ERR_MISMATCH, "%s holds no models, evaluations, scored variants or pictures", operands[0]);
    if (status == GW_OK) status = write_page(a, &report, operands[0]);
    if (status == GW_OK && a->multiqc) status = write_tables(a->multiqc, &report);
    if (status == GW_OK && report.damaged > 0)
        status = gw_fail(GW_ERR_FORMAT, "%lld items in %s cannot be read: the page only lists their names",
                         (long long)report.damaged, operands[0]);
    free_report(&report);
    return status;
}

const gw_command gw_command_report = {
    .name = "report",
    .group = "Results",
    .summary = "a folder of results as one page, readable without network",
    .usage = "DIR [-o report.html] [options]",
    .description =
        "The page begins with a summary in words. It reads the folder and the folders in it: models (config.json "
        "with the training command, and loss.png), tables of eval, its --per-target, --curves and --scatter, scored "
        "VCF and BCF files, maps of score (--map map.tsv), and pictures. Delta scores of splicing have lines at "
        "0.2, 0.5 and 0.8. If scores have a background, the page shows their place in it. With --genes each listed "
        "variant has its exon or intron and the distance to the nearest exon.\n\n"
        "Style, script and pictures are inside the page. A click on a heading sorts its table. If a map has a "
        "table, its pictures are not shown again. Other files are ignored. A damaged file is left out and named on "
        "the page and on standard error, and the exit status is 1.",
    .examples = "godwit eval -m model -d set -f ref.fa --per-target results/targets.tsv --curves results/curves.tsv > "
                "results/eval.tsv\n"
                "godwit report results -o report.html --multiqc results",
    GW_COMMAND_TAKES(1, 1),
    .run = run,
};
