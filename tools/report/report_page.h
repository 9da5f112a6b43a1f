// SPDX-License-Identifier: MIT
// The pieces of the page that `godwit report` writes: text made safe, tables, pictures inside the page.
#ifndef GW_TOOLS_REPORT_REPORT_PAGE_H
#define GW_TOOLS_REPORT_REPORT_PAGE_H

#include "base/status.h"
#include "base/string.h"

#include <stdbool.h>
#include <stdint.h>

// Text with & < > " as entities, so that names from files stay text; what is no UTF-8 and control characters are
// U+FFFD.
void gw_page_text(gw_string *page, const char *text);
// A cell of a table.
void gw_page_cell(gw_string *page, const char *text);
// A heading of a file: its path under the folder.
void gw_page_file(gw_string *page, const char *name);
// The picture (.png, .svg) as a part of the page.
gw_status gw_page_picture(gw_string *page, const char *path, const char *title) GW_MUST_CHECK;

// The sections in order, each left out where it is empty, between the page's head and its end, with style and script.
typedef struct {
    const char *title;
    const gw_string *content;
} gw_page_section;
void gw_page_write(gw_string *out, const char *title, const char *made, const gw_page_section *sections, int count);

#endif
