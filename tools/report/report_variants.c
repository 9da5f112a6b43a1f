// SPDX-License-Identifier: MIT
// Scored variants: the command that made them, how many have a score and why others do not, how scores are distributed,
// and those that are furthest from zero.
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/parse.h"
#include "seq/vcf/vcf.h"
#include "tools/picture/picture.h"
#include "tools/report/report_parts.h"
#include "tools/score_axis.h"
#include "tools/scored_vcf.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MOST_STATUSES = 32, COLUMNS = 6 };

// Further columns of the list of variants, each where the file has its key.
static const struct {
    const char *key, *heading; // the key without its tag
    bool names;                // percent-encoded, joined by &
} columns[COLUMNS] = {
    {"EVALUE", "e-value", false}, {"Z", "z", false},      {"PCT", "percentile", false},
    {"TOP", "profile", true},     {"SITE", "site", true}, {"GENE", "gene", true},
};

// A status and how many alleles have it.
typedef struct {
    char *name;
    int64_t count;
} status_count;

typedef struct {
    double score;
    char *place, *id, *alleles, *values[COLUMNS]; // values: "" where there is none
} listed;

typedef struct {
    char *key, *status_key;     // of the scores
    char *column_keys[COLUMNS]; // NULL: the file has no such key
    float *scores;
    int64_t count, capacity, records;
    status_count statuses[MOST_STATUSES];
    int status_kinds;
    listed *top; // falling by size
    int64_t listed, most;
} scored_file;

static gw_status count_status(scored_file *file, const char *name) {
    int s = 0;
    while (s < file->status_kinds && strcmp(file->statuses[s].name, name) != 0) s++;
    if (s == MOST_STATUSES) return GW_OK;
    if (s == file->status_kinds) {
        file->statuses[s] = (status_count){.name = gw_strdup(name)};
        if (!file->statuses[file->status_kinds++].name) return GW_ERR_MEMORY;
    }
    file->statuses[s].count++;
    return GW_OK;
}

static void free_listed(listed *row) {
    free(row->place);
    free(row->id);
    free(row->alleles);
    for (int c = 0; c < COLUMNS; c++) free(row->values[c]);
}

// The value of ALT number `alt` of a key, into `text`; NULL where there is none.
static const char *value_of(const gw_vcf_reader *reader, const gw_vcf_record *record, const char *key, int alt,
                            gw_string *text) {
    if (!gw_vcf_info(reader, record, key, text) || !text->data) return NULL;
    char *value = text->data;
    for (int a = 0; a < alt && value; a++) {
        value = strchr(value, ',');
        if (value) value++;
    }
    if (value) value[strcspn(value, ",")] = 0;
    return value && strcmp(value, ".") != 0 ? value : NULL;
}

static int hex_digit(char c) {
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
    return at ? (int)(at - digits) : -1;
}

// Names as people write them: %XX as its byte, & between names as a comma.
static char *decode_names(const char *text) {
    gw_string out = {0};
    gw_string_puts(&out, "");
    for (; *text; text++) {
        const int high = *text == '%' ? hex_digit(text[1]) : -1, low = high >= 0 ? hex_digit(text[2]) : -1;
        if (low >= 0) gw_string_putc(&out, (char)(high * 16 + low)), text += 2;
        else if (*text == '&') gw_string_puts(&out, ", ");
        else gw_string_putc(&out, *text);
    }
    if (!out.failed) return out.data;
    gw_string_free(&out);
    return NULL;
}

static gw_status fill_listed(listed *row, const scored_file *file, const gw_vcf_reader *reader,
                             const gw_vcf_record *record, int alt, double score, gw_string *text) {
    *row = (listed){.score = score};
    row->place = gw_strprintf("%s:%lld", record->contig, (long long)record->position + 1);
    row->id = gw_strdup(record->id && strcmp(record->id, ".") != 0 ? record->id : "");
    row->alleles = gw_strprintf("%.20s>%.20s", record->ref, record->alt[alt]);
    bool made = row->place && row->id && row->alleles;
    for (int c = 0; c < COLUMNS; c++) {
        const char *key = file->column_keys[c], *value = key ? value_of(reader, record, key, alt, text) : NULL;
        row->values[c] = value && columns[c].names ? decode_names(value) : gw_strdup(value ? value : "");
        made = made && row->values[c];
    }
    return made ? GW_OK : GW_ERR_MEMORY;
}

// Keeps the allele where it is further from zero than the last one listed; of equals the first stays first.
static gw_status list_allele(scored_file *file, const gw_vcf_reader *reader, const gw_vcf_record *record, int alt,
                             double score, gw_string *text) {
    int64_t at = file->listed;
    while (at > 0 && fabs(file->top[at - 1].score) < fabs(score)) at--;
    if (at >= file->most) return GW_OK;
    listed row;
    const gw_status status = fill_listed(&row, file, reader, record, alt, score, text);
    if (status != GW_OK || file->listed == file->most) {
        free_listed(status != GW_OK ? &row : &file->top[file->listed - 1]);
        if (status != GW_OK) return status;
        file->listed--;
    }
    memmove(&file->top[at + 1], &file->top[at], (size_t)(file->listed - at) * sizeof *file->top);
    file->top[at] = row;
    file->listed++;
    return GW_OK;
}

static gw_status take_allele(scored_file *file, const gw_vcf_reader *reader, const gw_vcf_record *record, int alt,
                             gw_string *text) {
    double score = NAN;
    const char *status_name = value_of(reader, record, file->status_key, alt, text);
    GW_TRY(count_status(file, status_name ? status_name : "none"));
    const char *value = value_of(reader, record, file->key, alt, text);
    if (!value) return GW_OK;
    if (gw_parse_double(value, -1e300, 1e300, &score) != GW_OK)
        return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "%s: %s", file->key, gw_message());
    GW_TRY(gw_reserve(&file->scores, &file->capacity, file->count + 1, sizeof *file->scores));
    file->scores[file->count++] = (float)score;
    return list_allele(file, reader, record, alt, score, text);
}

static gw_status read_all(scored_file *file, gw_vcf_reader *reader) {
    gw_vcf_record record = {0};
    gw_string text = {0};
    gw_status status = GW_OK;
    for (bool got = true; status == GW_OK && got;) {
        status = gw_vcf_next(reader, &record, &got);
        if (status == GW_OK && got) file->records++;
        for (int a = 0; status == GW_OK && got && a < record.alts; a++)
            status = take_allele(file, reader, &record, a, &text);
        if (status == GW_OK) status = gw_string_status(&text);
        if (status == GW_OK) status = gw_check_interrupt();
    }
    gw_string_free(&text);
    gw_vcf_record_free(&record);
    return status;
}

static gw_status put_distribution(const gw_report *report, const scored_file *file, gw_string *page) {
    if (file->count == 0) return GW_OK;
    gw_string label = {0};
    gw_score_axis_label(&label, file->key);
    const gw_picture_counts counts = {"distribution of scores", label.data, "alleles", file->scores, file->count};
    char *path = gw_join_path(report->scratch, "picture.svg");
    gw_status status = path ? gw_string_status(&label) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_picture_histogram(path, &counts);
    if (status == GW_OK) status = gw_page_picture(page, path, counts.title);
    if (path) unlink(path);
    free(path);
    gw_string_free(&label);
    return status;
}

static void put_statuses(const scored_file *file, const char *name, gw_string *page, gw_string *rows) {
    gw_string_printf(page, "<p>%lld records, %lld scored alleles; by ", (long long)file->records,
                     (long long)file->count);
    gw_page_text(page, file->status_key);
    gw_string_putc(page, ':');
    gw_string_printf(rows, "%s\t%lld\t%lld\n", name, (long long)file->records, (long long)file->count);
    for (int s = 0; s < file->status_kinds; s++) {
        gw_string_puts(page, s > 0 ? ", " : " ");
        gw_page_text(page, file->statuses[s].name);
        gw_string_printf(page, " %lld", (long long)file->statuses[s].count);
    }
    gw_string_puts(page, "</p>\n");
}

// A heading of a column that explains itself by the header's Description of the key.
static void put_heading(const gw_vcf_reader *reader, const char *key, const char *heading, gw_string *page) {
    gw_string description = {0};
    gw_scored_describe(reader, key, &description);
    gw_string_puts(page, "<th scope=\"col\" title=\"");
    gw_page_text(page, description.data ? description.data : key);
    gw_string_puts(page, "\">");
    gw_page_text(page, heading);
    gw_string_free(&description);
}

static void put_row(const scored_file *file, const listed *row, gw_string *page) {
    gw_string_puts(page, "<tr>");
    gw_page_cell(page, row->place);
    gw_page_cell(page, row->id);
    gw_page_cell(page, row->alleles);
    gw_string_printf(page, "<td>%.6g", row->score);
    for (int c = 0; c < COLUMNS; c++)
        if (file->column_keys[c]) gw_page_cell(page, row->values[c]);
    gw_string_putc(page, '\n');
}

static void put_top(const scored_file *file, const gw_vcf_reader *reader, gw_string *page) {
    gw_string_puts(page, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">position<th scope=\"col\">ID<th "
                         "scope=\"col\">alleles");
    put_heading(reader, file->key, file->key, page);
    for (int c = 0; c < COLUMNS; c++)
        if (file->column_keys[c]) put_heading(reader, file->column_keys[c], columns[c].heading, page);
    gw_string_puts(page, "</thead><tbody>\n");
    for (int64_t i = 0; i < file->listed; i++) put_row(file, &file->top[i], page);
    gw_string_puts(page, "</tbody></table></div>\n");
}

// The lines ##godwit_...command=... of the header.
static void put_commands(const gw_vcf_reader *reader, const char *name, gw_string *page) {
    int found = 0;
    for (const char *line = gw_vcf_header(reader); line && *line;) {
        const size_t length = strcspn(line, "\n");
        const char *equals = memchr(line, '=', length);
        if (strncmp(line, "##godwit_", 9) == 0 && equals && equals - line > 7 &&
            strncasecmp(equals - 7, "command", 7) == 0) {
            char *command = gw_strndup(equals + 1, length - (size_t)(equals + 1 - line));
            if (found++ == 0) gw_page_file(page, name);
            gw_string_puts(page, "<p><code>");
            gw_page_text(page, command ? command : "");
            gw_string_puts(page, "</code></p>\n");
            free(command);
        }
        line += length + (line[length] == '\n');
    }
}

static gw_status put_file(gw_report *report, const scored_file *file, const gw_vcf_reader *reader, const char *name) {
    gw_string *page = &report->variants;
    put_commands(reader, name, &report->runs);
    gw_page_file(page, name);
    put_statuses(file, name, page, &report->statuses);
    GW_TRY(put_distribution(report, file, page));
    put_top(file, reader, page);
    report->files++;
    return gw_string_status(page);
}

// The keys that are read, by the tag of the scores' own.
static gw_status name_keys(scored_file *file, const gw_vcf_reader *reader) {
    GW_TRY(gw_scored_key(reader, &file->key));
    if (!file->key) return GW_OK;
    const int tag = (int)(strrchr(file->key, '_') - file->key);
    file->status_key = gw_strprintf("%.*s_STATUS", tag, file->key);
    for (int c = 0; c < COLUMNS; c++) {
        char *key = gw_strprintf("%.*s_%s", tag, file->key, columns[c].key);
        if (!key) return GW_ERR_MEMORY;
        if (gw_scored_has(reader, key)) file->column_keys[c] = key;
        else free(key);
    }
    return file->status_key ? GW_OK : GW_ERR_MEMORY;
}

static void free_file(scored_file *file) {
    for (int s = 0; s < file->status_kinds; s++) free(file->statuses[s].name);
    for (int64_t i = 0; i < file->listed; i++) free_listed(&file->top[i]);
    for (int c = 0; c < COLUMNS; c++) free(file->column_keys[c]);
    free(file->key);
    free(file->status_key);
    free(file->top);
    free(file->scores);
}

gw_status gw_report_variants(gw_report *report, const char *path, const char *name) {
    gw_vcf_reader *reader;
    GW_TRY(gw_vcf_open(path, NULL, NULL, &reader));
    scored_file file = {.most = report->top};
    file.top = gw_alloc(file.most + 1, sizeof *file.top);
    gw_status status = file.top ? name_keys(&file, reader) : GW_ERR_MEMORY;
    if (status == GW_OK && file.key) status = read_all(&file, reader);
    if (status == GW_OK && file.key) status = put_file(report, &file, reader, name);
    free_file(&file);
    gw_vcf_close(reader);
    return status;
}
