// SPDX-License-Identifier: MIT
// The parts of `godwit report` for each kind of file.
#ifndef GW_TOOLS_REPORT_REPORT_PARTS_H
#define GW_TOOLS_REPORT_REPORT_PARTS_H

#include "base/status.h"
#include "base/string.h"
#include "seq/genes/gene_models.h"

#include <stdbool.h>
#include <stdint.h>

// report_page.c: elements of the page of `godwit report`: escaped text, tables, and embedded pictures.

// Appends a cell of a table, with the text escaped (gw_utf8_append_markup()).
void gw_page_cell(gw_string *page, const char *text);
// Appends a heading for a file: its path in the folder.
void gw_page_file(gw_string *page, const char *name);
// Appends a command, folded under the path of its file.
void gw_page_command(gw_string *page, const char *name, const char *command);
// Embeds the picture (.png, .svg) in the page.
gw_status gw_page_picture(gw_string *page, const char *path, const char *title) GW_MUST_CHECK;

// Writes the page: its head, the sections that are not empty, in order, and its end, with style and script.
typedef struct {
    const char *title;
    const gw_string *content;
} gw_page_section;
void gw_page_write(gw_string *out, const char *title, const char *made, const gw_page_section *sections, int count);

// Sections of the page, and rows for MultiQC: one line a sample.
typedef struct {
    gw_string findings, left_out, runs, models, evaluations, curves, variants, maps, explanations, pictures;
    gw_string rated, bits, statuses; // rows of MultiQC's tables
    char *scratch;                   // folder for pictures before they are embedded
    int64_t top;                     // listed variants of each file
    int64_t files, damaged;          // used files, and damaged files, which are skipped
    int64_t model_count, table_count, variant_count, map_count, explained_count, picture_count; // among `files`
    gw_genome *genome;                                                                          // NULL: without genes
    gw_gene_models genes; // genes with exons, to locate variants
} gw_report;

// Adds the file at `path`, called `name` on the page, if its kind is known: config.json of a model, tables of eval
// (also --per-target, --curves and --scatter), maps of score, regions.tsv of explain, VCF and BCF with scores,
// pictures. Other files are ignored. A damaged file of a known kind is an error; the report may then have parts of it.
gw_status gw_report_take(gw_report *report, const char *path, const char *name) GW_MUST_CHECK;

// report_variants.c: a VCF or BCF with scores.
gw_status gw_report_variants(gw_report *report, const char *path, const char *name) GW_MUST_CHECK;

#endif
