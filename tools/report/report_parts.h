// SPDX-License-Identifier: MIT
// What `godwit report` makes of each file that it knows.
#ifndef GW_TOOLS_REPORT_REPORT_PARTS_H
#define GW_TOOLS_REPORT_REPORT_PARTS_H

#include "tools/report/report_page.h"

// Sections of the page, and rows for MultiQC: a line a sample.
typedef struct {
    gw_string left_out, runs, models, evaluations, curves, variants, maps, pictures;
    gw_string rated, bits, statuses; // rows of MultiQC's tables
    char *scratch;                   // folder for pictures on their way into the page
    int64_t top;                     // variants listed of each file
    int64_t files, damaged;          // that were taken, and that were left out
} gw_report;

// Takes the file at `path`, which the page calls `name`, where it is of a kind that is known: config.json of a model,
// tables of eval (also --per-target, --curves and --scatter), maps of score, VCF and BCF with scores, pictures. Others
// are passed over; one that is known but damaged is an error, after which the report has parts of it.
gw_status gw_report_take(gw_report *report, const char *path, const char *name) GW_MUST_CHECK;

// Draws into the scratch folder, then into the page.
gw_status gw_report_drawn(gw_report *report, gw_string *page, const char *name,
                          gw_status (*draw)(const char *path, const void *what), const void *what) GW_MUST_CHECK;
gw_status gw_report_variants(gw_report *report, const char *path, const char *name) GW_MUST_CHECK;
gw_status gw_report_curves(gw_report *report, const char *path, const char *name) GW_MUST_CHECK;
gw_status gw_report_scatter(gw_report *report, const char *path, const char *name) GW_MUST_CHECK;
gw_status gw_report_map(gw_report *report, const char *path, const char *name) GW_MUST_CHECK;
bool gw_report_is_map(const char *path); // a table of score --map
// The path with the suffix instead of what follows the name's last dot (.tsv.gz and .tsv as one); NULL without memory.
char *gw_report_beside(const char *path, const char *suffix);

#endif
