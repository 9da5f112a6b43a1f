// SPDX-License-Identifier: MIT
// Scored variants: the command that made them, how many have a score and why others do not, the distribution of scores,
// and the variants with the largest scores.
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "score/background.h"
#include "seq/vcf/vcf.h"
#include "tools/picture/picture.h"
#include "tools/report/report_parts.h"
#include "tools/scored_vcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MOST_STATUSES = 32, COLUMNS = 6, PERCENTILE = 2 };

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
    char *splicing, *consequences;                // "", or "GENE: donor gain at +2"; the terms
    char *contig;                                 // and the bases that it changes, 0-based half-open
    int64_t begin, end;
} listed;

typedef struct {
    char *key, *status_key;     // of the scores
    char *column_keys[COLUMNS]; // NULL: the file has no such key
    bool splices, told;         // the file has entries of splicing, and consequences
    bool numbers;               // the scores are of a model of measured numbers
    bool compared;              // GW_PCT sets them against variants of a population, which are:
    gw_background_summary background;
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
    free(row->splicing);
    free(row->consequences);
    free(row->contig);
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

static gw_status fill_listed(listed *row, const scored_file *file, const gw_vcf_reader *reader,
                             const gw_vcf_record *record, int alt, double score, gw_string *text) {
    // the base that an insertion or a deletion stands behind is not a change
    const int64_t length = (int64_t)strlen(record->ref), anchor = length > 1 || strlen(record->alt[alt]) > 1;
    *row = (listed){.score = score, .begin = record->position + anchor, .end = record->position + length};
    row->end = gw_max(row->end, row->begin + 1);
    row->contig = gw_strdup(record->contig);
    row->place = gw_strprintf("%s:%lld", record->contig, (long long)record->position + 1);
    row->id = gw_strdup(record->id && strcmp(record->id, ".") != 0 ? record->id : "");
    row->alleles = gw_strprintf("%.20s>%.20s", record->ref, record->alt[alt]);
    bool made = row->place && row->id && row->alleles && row->contig;
    for (int c = 0; c < COLUMNS; c++) {
        const char *key = file->column_keys[c], *value = key ? value_of(reader, record, key, alt, text) : NULL;
        row->values[c] = value && columns[c].names ? gw_scored_names(value) : gw_strdup(value ? value : "");
        made = made && row->values[c];
    }
    gw_scored_splice splice;
    const bool splices = file->splices && gw_scored_splicing(reader, record, alt, text, &splice);
    row->splicing =
        splices ? gw_strprintf("%s: %s at %+lld", splice.gene, splice.what, (long long)splice.at) : gw_strdup("");
    gw_string terms = {0};
    if (file->told) gw_scored_consequences(reader, record, file->key, alt, text, &terms);
    row->consequences = gw_scored_names(terms.data ? terms.data : "");
    gw_string_free(&terms);
    return made && row->splicing && row->consequences ? GW_OK : GW_ERR_MEMORY;
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

// Whether scores have no sign, so that a background of sizes can stand beside them.
static bool is_one_sided(const scored_file *file) {
    return !gw_score_axis_of(file->key, file->numbers).above;
}

// Adds lines below which 95 % and 99 % of the background lie; all ascend.
static void mark_background(const scored_file *file, gw_picture_counts *counts, gw_picture_line *lines,
                            char names[][48]) {
    int count = counts->line_count;
    if (count > 0) memcpy(lines, counts->lines, (size_t)count * sizeof *lines);
    for (int p = GW_BACKGROUND_PERCENTS - 2; p < GW_BACKGROUND_PERCENTS; p++) {
        int at = count++;
        for (; at > 0 && lines[at - 1].at > file->background.below[p]; at--) lines[at] = lines[at - 1];
        snprintf(names[p], sizeof names[p], "%d %% of the background below %.2g", gw_background_percents[p],
                 file->background.below[p]);
        lines[at] = (gw_picture_line){file->background.below[p], names[p]};
    }
    counts->lines = lines;
    counts->line_count = count;
}

static gw_status put_distribution(const gw_report *report, const scored_file *file, gw_string *page) {
    if (file->count == 0) return GW_OK;
    gw_string label = {0};
    gw_score_axis_label(&label, file->key, file->numbers);
    gw_picture_counts counts = {"distribution of scores", label.data, "alleles", file->scores, file->count};
    if (gw_score_is_splicing(file->key)) counts.lines = gw_splice_lines, counts.line_count = GW_SPLICE_LINES;
    gw_picture_line lines[GW_SPLICE_LINES + GW_BACKGROUND_PERCENTS];
    char names[GW_BACKGROUND_PERCENTS][48];
    if (file->compared && is_one_sided(file)) mark_background(file, &counts, lines, names);
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
    gw_utf8_append_markup(page, file->status_key);
    gw_string_putc(page, ':');
    gw_string_printf(rows, "%s\t%lld\t%lld\n", name, (long long)file->records, (long long)file->count);
    for (int s = 0; s < file->status_kinds; s++) {
        gw_string_puts(page, s > 0 ? ", " : " ");
        gw_utf8_append_markup(page, file->statuses[s].name);
        gw_string_printf(page, " %lld", (long long)file->statuses[s].count);
    }
    gw_string_puts(page, "</p>\n");
}

// What the scores are compared with: "738 alleles, common variants of ...", or "738 alleles".
static void put_background_name(const gw_background_summary *background, gw_string *page) {
    gw_string_printf(page, "%lld alleles", (long long)background->alleles);
    if (!background->name[0]) return;
    gw_string_puts(page, ", ");
    gw_utf8_append_markup(page, background->name);
}

static void put_background(const scored_file *file, gw_string *page) {
    gw_string_puts(page, "<p>The background is ");
    put_background_name(&file->background, page);
    gw_string_puts(page, is_one_sided(file) ? ". Of their scores" : ". Of the sizes of their scores");
    for (int p = 0; p < GW_BACKGROUND_PERCENTS; p++)
        gw_string_printf(page, "%s %d %% lie below %.2g", p > 0 ? "," : "", gw_background_percents[p],
                         file->background.below[p]);
    gw_string_puts(page, ".</p>\n");
}

// "0.34: higher than 99.6 % of ...": where the listed allele lies.
static void put_standing(const scored_file *file, const listed *row, gw_string *page) {
    double percent;
    if (!file->compared || gw_parse_double(row->values[PERCENTILE], 0, 100, &percent) != GW_OK) return;
    gw_string_puts(page, is_one_sided(file) ? ": higher than " : ": larger in size than ");
    if (percent < 100) gw_string_printf(page, "%.4g %% of ", percent);
    else gw_string_puts(page, "all of ");
    gw_string_puts(page, "the background of ");
    put_background_name(&file->background, page);
}

// A heading of a column that explains itself by the header's Description of the key.
static void put_heading(const gw_vcf_reader *reader, const char *key, const char *heading, gw_string *page) {
    gw_string description = {0};
    gw_scored_describe(reader, key, &description);
    gw_string_puts(page, "<th scope=\"col\" title=\"");
    gw_utf8_append_markup(page, description.data ? description.data : key);
    gw_string_puts(page, "\">");
    gw_utf8_append_markup(page, heading);
    gw_string_free(&description);
}

// Where the changed bases lie in a gene, by its exons in the direction of transcription: "G: exon 2 of 12", "G: across
// an end of exon 2 of 12", "G: intron 2 of 11, 5 bp after exon 2".
static void put_place(const gw_gene_model *gene, const listed *row, gw_string *out) {
    const int64_t exons = gene->boundary_count / 2, *first = gene->boundaries, *last = gene->boundaries + exons;
    const bool minus = gene->strand == '-';
    const int64_t e =
        GW_FIRST_NOT(i, exons, last[i] < row->begin); // the first exon that ends at the change or behind it
    gw_string_printf(out, "%s%s: ", out->length > 0 ? "; " : "", gene->name);
    const int64_t rank = minus ? exons - e : e + 1; // of that exon
    if (e < exons && first[e] < row->end) {
        const bool inside = first[e] <= row->begin && row->end <= last[e] + 1;
        gw_string_printf(out, "%sexon %lld of %lld", inside ? "" : "across an end of ", (long long)rank,
                         (long long)exons);
        return;
    }
    if (e == 0 || e == exons) { // of a gene without exons, or before the first or behind the last one
        gw_string_puts(out, exons > 0 ? "outside of its exons" : "no exons");
        return;
    }
    const int64_t left = row->begin - last[e - 1], right = first[e] - row->end + 1;
    const bool near_left = left <= right;
    gw_string_printf(out, "intron %lld of %lld, %lld bp %s exon %lld", (long long)(minus ? rank : rank - 1),
                     (long long)(exons - 1), (long long)gw_min(left, right), near_left != minus ? "after" : "before",
                     (long long)(near_left ? (minus ? rank + 1 : rank - 1) : rank));
}

static void put_places(const gw_report *report, const listed *row, gw_string *page) {
    gw_string places = {0};
    const int contig = gw_genome_find(report->genome, row->contig, -1);
    for (int64_t g = -1; contig >= 0 && (g = gw_gene_models_next(&report->genes, contig, row->begin, g)) >= 0;)
        put_place(&report->genes.items[g], row, &places);
    gw_page_cell(page, places.data ? places.data : contig < 0 ? "not on this genome" : "between genes");
    gw_string_free(&places);
}

static void put_row(const gw_report *report, const scored_file *file, const listed *row, gw_string *page) {
    gw_string_puts(page, "<tr>");
    gw_page_cell(page, row->place);
    gw_page_cell(page, row->id);
    gw_page_cell(page, row->alleles);
    gw_string_printf(page, "<td>%.6g", row->score);
    for (int c = 0; c < COLUMNS; c++)
        if (file->column_keys[c]) gw_page_cell(page, row->values[c]);
    if (file->splices) gw_page_cell(page, row->splicing);
    if (file->told) gw_page_cell(page, row->consequences);
    if (report->genome) put_places(report, row, page);
    gw_string_putc(page, '\n');
}

static void put_top(const gw_report *report, const scored_file *file, const gw_vcf_reader *reader, gw_string *page) {
    gw_string_puts(page, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">position<th scope=\"col\">ID<th "
                         "scope=\"col\">alleles");
    put_heading(reader, file->key, file->key, page);
    for (int c = 0; c < COLUMNS; c++)
        if (file->column_keys[c])
            put_heading(reader, file->column_keys[c],
                        c != PERCENTILE || !file->compared ? columns[c].heading
                        : is_one_sided(file)               ? "higher than, % of the background"
                                                           : "larger than, % of the background",
                        page);
    if (file->splices) gw_string_puts(page, "<th scope=\"col\">splicing");
    if (file->told) gw_string_puts(page, "<th scope=\"col\">consequence");
    if (report->genome) gw_string_puts(page, "<th scope=\"col\">place in its gene");
    gw_string_puts(page, "</thead><tbody>\n");
    for (int64_t i = 0; i < file->listed; i++) put_row(report, file, &file->top[i], page);
    gw_string_puts(page, "</tbody></table></div>\n");
}

// The lines ##godwit_...command=... of the header.
static void put_commands(const gw_vcf_reader *reader, const char *name, gw_string *page) {
    for (const char *line = gw_vcf_header(reader); line && *line;) {
        const size_t length = strcspn(line, "\n");
        const char *equals = memchr(line, '=', length);
        if (strncmp(line, "##godwit_", 9) == 0 && equals && equals - line > 7 &&
            strncasecmp(equals - 7, "command", 7) == 0) {
            char *command = gw_strndup(equals + 1, length - (size_t)(equals + 1 - line));
            gw_page_command(page, name, command ? command : "");
            free(command);
        }
        line += length + (line[length] == '\n');
    }
}

// What a reader wants to know first, in a sentence or two.
static void put_finding(const scored_file *file, const char *name, gw_string *page) {
    int64_t alleles = 0, reached = 0;
    for (int s = 0; s < file->status_kinds; s++) alleles += file->statuses[s].count;
    gw_string_puts(page, "<li>");
    gw_utf8_append_markup(page, name);
    gw_string_printf(page, ": %lld of %lld alleles have a score.", (long long)file->count, (long long)alleles);
    if (gw_score_is_splicing(file->key)) {
        for (int64_t i = 0; i < file->count; i++) reached += (double)file->scores[i] >= gw_splice_lines[1].at;
        gw_string_printf(page, " %lld reach %g, from which on a change of splicing is likely.", (long long)reached,
                         gw_splice_lines[1].at);
    }
    if (file->listed > 0) {
        const listed *top = &file->top[0];
        gw_string_printf(page, " The score furthest from zero is %.3g, of ", top->score);
        gw_utf8_append_markup(page, top->place);
        gw_string_putc(page, ' ');
        gw_utf8_append_markup(page, top->alleles);
        if (top->splicing[0]) {
            gw_string_puts(page, ", ");
            gw_utf8_append_markup(page, top->splicing);
        }
        put_standing(file, top, page);
        gw_string_putc(page, '.');
    }
    gw_string_puts(page, "\n");
}

static gw_status put_file(gw_report *report, const scored_file *file, const gw_vcf_reader *reader, const char *name) {
    gw_string *page = &report->variants;
    put_commands(reader, name, &report->runs);
    gw_page_file(page, name);
    put_statuses(file, name, page, &report->statuses);
    GW_TRY(put_distribution(report, file, page));
    if (file->compared) put_background(file, page);
    put_top(report, file, reader, page);
    put_finding(file, name, &report->findings);
    report->files++, report->variant_count++;
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
    if (file->column_keys[PERCENTILE]) {
        gw_string described = {0};
        gw_scored_describe(reader, file->column_keys[PERCENTILE], &described);
        file->compared = described.data && gw_background_read_description(described.data, &file->background);
        gw_string_free(&described);
    }
    char *told = gw_strprintf("%.*s_BCSQ", tag, file->key);
    file->told = (told && gw_scored_has(reader, told)) || gw_scored_has(reader, "BCSQ");
    file->splices = gw_scored_has(reader, "OpenSpliceAI") || gw_scored_has(reader, "SpliceAI");
    file->numbers = gw_scored_of_numbers(reader, file->key);
    free(told);
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
