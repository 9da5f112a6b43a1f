// SPDX-License-Identifier: MIT
// Scored variants: the command that made them, how many have a score and why others do not, how scores are distributed,
// and those that are furthest from zero.
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/parse.h"
#include "seq/vcf.h"
#include "tools/picture.h"
#include "tools/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_STATUSES = 32, BARS = 60 };

// A status and how many alleles have it.
typedef struct {
    char *name;
    int64_t count;
} status_count;

typedef struct {
    double score;
    char *place, *id, *alleles, *profile, *gene;
} listed;

typedef struct {
    const char *key; // of the scores
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
    free(row->profile);
    free(row->gene);
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

static gw_status fill_listed(listed *row, const gw_vcf_reader *reader, const gw_vcf_record *record, int alt,
                             double score, gw_string *text) {
    const char *profile = value_of(reader, record, "GW_TOP", alt, text);
    *row = (listed){.score = score, .profile = gw_strdup(profile ? profile : "")};
    const char *gene = value_of(reader, record, "GW_GENE", alt, text);
    row->gene = gw_strdup(gene ? gene : "");
    row->place = gw_strprintf("%s:%lld", record->contig, (long long)record->position + 1);
    row->id = gw_strdup(record->id && strcmp(record->id, ".") != 0 ? record->id : "");
    row->alleles = gw_strprintf("%.20s>%.20s", record->ref, record->alt[alt]);
    return row->profile && row->gene && row->place && row->id && row->alleles ? GW_OK : GW_ERR_MEMORY;
}

// Keeps the allele where it is further from zero than the last one listed; of equals the first stays first.
static gw_status list_allele(scored_file *file, const gw_vcf_reader *reader, const gw_vcf_record *record, int alt,
                             double score, gw_string *text) {
    int64_t at = file->listed;
    while (at > 0 && fabs(file->top[at - 1].score) < fabs(score)) at--;
    if (at >= file->most) return GW_OK;
    listed row;
    const gw_status status = fill_listed(&row, reader, record, alt, score, text);
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
    const char *status_name = value_of(reader, record, "GW_STATUS", alt, text);
    GW_TRY(count_status(file, status_name ? status_name : "without GW_STATUS"));
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
    double low = INFINITY, high = -INFINITY, x[2 * BARS], y[2 * BARS];
    int64_t counts[BARS] = {0};
    for (int64_t i = 0; i < file->count; i++) {
        low = fmin(low, (double)file->scores[i]);
        high = fmax(high, (double)file->scores[i]);
    }
    if (!(low < high)) return GW_OK;
    for (int64_t i = 0; i < file->count; i++) {
        const int bar = (int)(((double)file->scores[i] - low) / (high - low) * BARS);
        counts[bar < BARS ? bar : BARS - 1]++;
    }
    for (int b = 0; b < BARS; b++) { // the outline of the bars, on a logarithmic scale, since most scores are near zero
        x[2 * b] = low + (high - low) * b / BARS, x[2 * b + 1] = low + (high - low) * (b + 1) / BARS;
        y[2 * b] = y[2 * b + 1] = log10(1 + (double)counts[b]);
    }
    const gw_picture_series series = {.x = x, .y = y, .count = 2 * BARS};
    char *path = gw_join_path(report->scratch, "picture.svg");
    if (!path) return GW_ERR_MEMORY;
    gw_status status = gw_picture_lines(path, "distribution of scores", file->key, "log10(1 + alleles)", &series, 1);
    if (status == GW_OK) status = gw_page_picture(page, path, "distribution of scores");
    unlink(path);
    free(path);
    return status;
}

static void put_statuses(const scored_file *file, const char *name, gw_string *page, gw_string *rows) {
    gw_string_printf(page, "<p>%lld records, %lld scored alleles; by GW_STATUS:", (long long)file->records,
                     (long long)file->count);
    gw_string_printf(rows, "%s\t%lld\t%lld\n", name, (long long)file->records, (long long)file->count);
    for (int s = 0; s < file->status_kinds; s++) {
        gw_string_puts(page, s > 0 ? ", " : " ");
        gw_page_text(page, file->statuses[s].name);
        gw_string_printf(page, " %lld", (long long)file->statuses[s].count);
    }
    gw_string_puts(page, "</p>\n");
}

static void put_top(const scored_file *file, gw_string *page) {
    gw_string_printf(page,
                     "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">position<th scope=\"col\">ID<th "
                     "scope=\"col\">alleles<th scope=\"col\">%s<th scope=\"col\">profile<th scope=\"col\">gene</thead>"
                     "<tbody>\n",
                     file->key);
    for (int64_t i = 0; i < file->listed; i++) {
        const listed *row = &file->top[i];
        gw_string_puts(page, "<tr>");
        gw_page_cell(page, row->place);
        gw_page_cell(page, row->id);
        gw_page_cell(page, row->alleles);
        gw_string_printf(page, "<td>%.6g", row->score);
        gw_page_cell(page, row->profile);
        gw_page_cell(page, row->gene);
        gw_string_putc(page, '\n');
    }
    gw_string_puts(page, "</tbody></table></div>\n");
}

// The lines ##godwit_...Command=... of the header.
static void put_commands(const gw_vcf_reader *reader, const char *name, gw_string *page) {
    for (const char *line = gw_vcf_header(reader); line && *line;) {
        const size_t length = strcspn(line, "\n");
        const char *equals = memchr(line, '=', length);
        if (strncmp(line, "##godwit_", 9) == 0 && equals && equals - line > 7 &&
            strncmp(equals - 7, "Command", 7) == 0) {
            char *command = gw_strndup(equals + 1, length - (size_t)(equals + 1 - line));
            gw_page_file(page, name);
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
    put_top(file, page);
    report->files++;
    return gw_string_status(page);
}

static const char *key_of(const gw_vcf_reader *reader) {
    const char *header = gw_vcf_header(reader);
    if (strstr(header, "##INFO=<ID=GW_DIFF,")) return "GW_DIFF";
    return strstr(header, "##INFO=<ID=GW_LLR,") ? "GW_LLR" : NULL;
}

gw_status gw_report_variants(gw_report *report, const char *path, const char *name) {
    gw_vcf_reader *reader;
    GW_TRY(gw_vcf_open(path, NULL, NULL, &reader));
    scored_file file = {.key = key_of(reader), .most = report->top};
    file.top = gw_alloc(file.most + 1, sizeof *file.top);
    gw_status status = file.top ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && file.key) status = read_all(&file, reader);
    if (status == GW_OK && file.key) status = put_file(report, &file, reader, name);
    for (int s = 0; s < file.status_kinds; s++) free(file.statuses[s].name);
    for (int64_t i = 0; i < file.listed; i++) free_listed(&file.top[i]);
    free(file.top);
    free(file.scores);
    gw_vcf_close(reader);
    return status;
}
