// SPDX-License-Identifier: MIT
// The page is self-contained: style and script are inside, pictures are embedded as data. Without the script it is
// readable, but its tables cannot be sorted.
#include "tools/report/report_parts.h"

#include "base/output.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;color:#222;max-width:1080px;margin:2em auto;padding:0 1em}"
    "h1{font-size:1.6em}h2{font-size:1.25em;margin-top:2em;border-bottom:1px solid #ddd}"
    "h3{font-size:1em;font-weight:600;margin:1.4em 0 .3em}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.2em .7em;text-align:left;border-bottom:1px solid #eee}"
    "th{cursor:pointer;background:#f6f6f6;position:sticky;top:0}"
    "th[aria-sort=ascending]::after{content:' \\25B2'}th[aria-sort=descending]::after{content:' \\25BC'}"
    "div.scroll{overflow:auto;max-height:32em}img{max-width:100%;height:auto}"
    "code{background:#f6f6f6;padding:.1em .3em;white-space:pre-wrap;overflow-wrap:anywhere}nav a{margin-right:1em}";

// A click on a heading sorts by its column, numbers as numbers with what is none of them last; a second one turns it.
static const char script[] =
    "document.querySelectorAll('th').forEach(th=>{th.tabIndex=0;const sort=()=>{const table=th.closest('table'),"
    "column=th.cellIndex,up=th.getAttribute('aria-sort')==='descending';"
    "table.querySelectorAll('th').forEach(t=>t.removeAttribute('aria-sort'));"
    "th.setAttribute('aria-sort',up?'ascending':'descending');"
    "const key=row=>row.cells[column].textContent,rows=[...table.tBodies[0].rows];"
    "const numbers=rows.some(r=>key(r)!==''&&isFinite(key(r)));"
    "rows.sort((a,b)=>{const x=key(a),y=key(b);if(!numbers)return up?x.localeCompare(y):y.localeCompare(x);"
    "const p=x===''||!isFinite(x),q=y===''||!isFinite(y);if(p||q)return p-q;return up?x-y:y-x});"
    "rows.forEach(r=>table.tBodies[0].append(r))};"
    "th.onclick=sort;th.onkeydown=e=>{if(e.key==='Enter')sort()}})";

// Browsers run and apply nothing but what has these digests (SHA-256), and load nothing: what a name from a file might
// smuggle in stays dead.
static const char policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
    "style-src 'sha256-oHkpGEAfa4Eo4QfuX6c08i5WJqsv6XCPLYD6/FYz1Bc='; "
    "script-src 'sha256-UcphuENCLBs+qUNxmBwXI8nZtUPWJso+h4lYCFAn1oU='; "
    "base-uri 'none'; form-action 'none'\">\n";

void gw_page_cell(gw_string *page, const char *text) {
    gw_string_puts(page, "<td>");
    gw_utf8_append_markup(page, text);
}

void gw_page_file(gw_string *page, const char *name) {
    gw_string_puts(page, "<h3>");
    gw_utf8_append_markup(page, name);
    gw_string_puts(page, "</h3>\n");
}

void gw_page_command(gw_string *page, const char *name, const char *command) {
    gw_string_puts(page, "<details><summary>");
    gw_utf8_append_markup(page, name);
    gw_string_puts(page, "</summary><p><code>");
    gw_utf8_append_markup(page, command);
    gw_string_puts(page, "</code></p></details>\n");
}

// Base64 (RFC 4648): three bytes are four letters, = fills the last ones up.
static void put_base64(gw_string *page, const unsigned char *bytes, int64_t count) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int64_t i = 0; i < count; i += 3) {
        const int have = count - i < 3 ? (int)(count - i) : 3;
        uint32_t bits = 0;
        for (int b = 0; b < 3; b++) bits = bits << 8 | (b < have ? bytes[i + b] : 0u);
        char four[4];
        for (int c = 0; c < 4; c++) four[c] = c <= have ? letters[bits >> (18 - 6 * c) & 63] : '=';
        gw_string_append(page, four, 4);
    }
}

gw_status gw_page_picture(gw_string *page, const char *path, const char *title) {
    char *bytes;
    int64_t count;
    GW_TRY(gw_read_file(path, &bytes, &count));
    const char *type = strcmp(path + strlen(path) - 4, ".png") == 0 ? "png" : "svg+xml";
    gw_string_puts(page, "<p><img alt=\"");
    gw_utf8_append_markup(page, title);
    gw_string_printf(page, "\" src=\"data:image/%s;base64,", type);
    put_base64(page, (const unsigned char *)bytes, count);
    gw_string_puts(page, "\"></p>\n");
    free(bytes);
    return gw_string_status(page);
}

void gw_page_write(gw_string *out, const char *title, const char *made, const gw_page_section *sections, int count) {
    gw_string_printf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n%s", policy);
    gw_string_puts(out, "<meta name=\"viewport\" content=\"width=device-width\"><title>");
    gw_utf8_append_markup(out, title);
    gw_string_printf(out, "</title>\n<style>%s</style></head>\n<body><h1>", style);
    gw_utf8_append_markup(out, title);
    gw_string_puts(out, "</h1>\n<p>");
    gw_utf8_append_markup(out, made);
    gw_string_puts(out, "</p>\n<nav>");
    for (int i = 0; i < count; i++)
        if (sections[i].content->length > 0) gw_string_printf(out, "<a href=\"#part%d\">%s</a>", i, sections[i].title);
    gw_string_puts(out, "</nav>\n");
    for (int i = 0; i < count; i++) {
        if (sections[i].content->length == 0) continue;
        gw_string_printf(out, "<h2 id=\"part%d\">%s</h2>\n", i, sections[i].title);
        gw_string_append(out, sections[i].content->data, sections[i].content->length);
    }
    gw_string_printf(out, "<script>%s</script>\n</body></html>\n", script);
}
