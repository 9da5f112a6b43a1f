// SPDX-License-Identifier: MIT
// What `godwit report` makes of each file that it knows.
#ifndef GW_TOOLS_REPORT_REPORT_PARTS_H
#define GW_TOOLS_REPORT_REPORT_PARTS_H

#include "base/status.h"
#include "base/string.h"
#include "seq/genes/gene_models.h"

#include <stdbool.h>
#include <stdint.h>

// report_page.c: the pieces of the page that `godwit report` writes: text made safe, tables, pictures inside the page.

// A cell of a table. Names from files stay text (gw_utf8_append_markup()).
void gw_page_cell(gw_string *page, const char *text);
// A heading of a file: its path under the folder.
void gw_page_file(gw_string *page, const char *name);
// A command, folded under the path of its file.
void gw_page_command(gw_string *page, const char *name, const char *command);
// The picture (.png, .svg) as a part of the page.
gw_status gw_page_picture(gw_string *page, const char *path, const char *title) GW_MUST_CHECK;

// The sections in order, each left out where it is empty, between the page's head and its end, with style and script.
typedef struct {
    const char *title;
    const gw_string *content;
} gw_page_section;
void gw_page_write(gw_string *out, const char *title, const char *made, const gw_page_section *sections, int count);

// Sections of the page, and rows for MultiQC: a line a sample.
typedef struct {
    gw_string findings, left_out, runs, models, evaluations, curves, variants, maps, explanations, pictures;
    gw_string rated, bits, statuses; // rows of MultiQC's tables
    char *scratch;                   // folder for pictures on their way into the page
    int64_t top;                     // variants listed of each file
    int64_t files, damaged;          // that were taken, and that were left out
    int64_t model_count, table_count, variant_count, map_count, explained_count, picture_count; // of `files`
    gw_genome *genome;                                                                          // NULL: without genes
    gw_gene_models genes; // whose exons the variants are placed by
} gw_report;

// Takes the file at `path`, which the page calls `name`, where it is of a kind that is known: config.json of a model,
// tables of eval (also --per-target, --curves and --scatter), maps of score, regions.tsv of explain, VCF and BCF with
// scores, pictures. Others are passed over; one that is known but damaged is an error, after which the report has parts
// of it.
gw_status gw_report_take(gw_report *report, const char *path, const char *name) GW_MUST_CHECK;

// report_variants.c: a VCF or BCF with scores.
gw_status gw_report_variants(gw_report *report, const char *path, const char *name) GW_MUST_CHECK;

#endif
