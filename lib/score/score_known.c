// SPDX-License-Identifier: MIT
// Words in the order of a table of fields.
#include "score/score_known.h"
#include "base/memory.h"
#include "score/score_run.h"
#include "seq/vcf/vcf.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char gw_allele_values_key[] = "GW_VALUES";

enum { DIGITS = 8 };
static const size_t fields[] = {offsetof(gw_allele, difference), offsetof(gw_allele, shift)};
enum { FIELDS = sizeof fields / sizeof *fields };

static void append_word(const void *from, gw_string *out) {
    uint32_t word;
    memcpy(&word, from, sizeof word);
    gw_string_printf(out, "%08x", (unsigned)word);
}

void gw_allele_values_append(const gw_allele *allele, const float *raw, int64_t count, gw_string *out) {
    gw_string_printf(out, "%s|", gw_allele_status_name(allele->status));
    for (int i = 0; i < FIELDS; i++) append_word((const char *)allele + fields[i], out);
    for (int64_t i = 0; i < count; i++) append_word(&raw[i], out);
}

// The status before '|', or GW_ALLELE_STATUSES.
static gw_allele_status status_of(const char *text, size_t length) {
    int status = 0;
    for (; status < GW_ALLELE_STATUSES; status++) {
        const char *name = gw_allele_status_name((gw_allele_status)status);
        if (strlen(name) == length && memcmp(name, text, length) == 0) break;
    }
    return (gw_allele_status)status;
}

static void parse_word(const char *text, void *to) {
    static const char digits[] = "0123456789abcdef";
    uint32_t word = 0;
    for (int i = 0; i < DIGITS; i++) word = word << 4 | (uint32_t)(strchr(digits, text[i]) - digits);
    memcpy(to, &word, sizeof word);
}

bool gw_allele_values_parse(const char *text, int64_t count, gw_allele *allele, float *raw) {
    const size_t name = strcspn(text, "|"), words = (size_t)(FIELDS + count) * DIGITS;
    const char *at = text + name + 1;
    allele->status = text[name] ? status_of(text, name) : GW_ALLELE_STATUSES;
    if (allele->status == GW_ALLELE_STATUSES || strlen(at) != words || strspn(at, "0123456789abcdef") != words)
        return false;
    for (int i = 0; i < FIELDS; i++, at += DIGITS) parse_word(at, (char *)allele + fields[i]);
    for (int64_t i = 0; i < count; i++, at += DIGITS) parse_word(at, &raw[i]);
    return true;
}

// Looks the alleles of a chunk up at their places through the file's index; the others are scored together.

struct gw_score_known {
    char *path;
    gw_genome *genome;
    int64_t raw, taken;
    gw_allele **asked; // of the chunk, by place
    int64_t asked_count, asked_capacity;
    bool *found; // of the chunk's alleles
    int64_t found_capacity;
    gw_allele *rest; // those that are scored, and their values
    float *rest_raw;
    int64_t rest_capacity, rest_raw_capacity;
};

// The first line of `lines` that the header lacks; NULL: none.
static const char *missing_line(const char *header, const char *lines) {
    gw_string line = {0};
    const char *at = lines;
    for (bool has = true; *at && has;) {
        const char *end = strchr(at, '\n') + 1;
        gw_string_clear(&line);
        gw_string_putc(&line, '\n');
        gw_string_append(&line, at, end - at);
        has = !line.failed && strstr(header, line.data);
        if (has) at = end;
    }
    gw_string_free(&line);
    return *at ? at : NULL;
}

// What the header says in the place of a line "##name=value".
static gw_status refuse(const char *path, const char *header, const char *line) {
    if (!line)
        return gw_fail(GW_ERR_MISMATCH, "%s was made with options that this run lacks, or by another stem of the model",
                       path);
    const int length = (int)strcspn(line, "\n"), name = (int)strcspn(line, "=") + 1;
    const char *found = strstr(header, "##godwit_score");
    while (found && strncmp(found, line, (size_t)name) != 0) found = strstr(found + 1, "##godwit_score");
    return gw_fail(GW_ERR_MISMATCH, "%s was made otherwise: this run has %.*s, and it %s %.*s", path, length, line,
                   found ? "has" : "lacks", found ? (int)strcspn(found, "\n") : name - 1, found ? found : line);
}

// Regions that are none have the index opened, which a missing one fails.
static gw_status check(const gw_score_known *known, const char *settings, const char *lines) {
    const gw_regions none = {0};
    const gw_vcf_filter filter = {.regions = &none};
    gw_vcf_reader *reader;
    GW_TRY(gw_vcf_open(known->path, known->genome, &filter, &reader));
    const char *header = gw_vcf_header(reader);
    gw_status status = GW_OK;
    if (!strstr(header, "##godwit_scoreSettings="))
        status = gw_fail(GW_ERR_MISMATCH, "%s is not of godwit score --all-snvs", known->path);
    else if (!strstr(header, settings)) status = refuse(known->path, header, missing_line(header, lines));
    gw_vcf_close(reader);
    return status;
}

gw_status gw_score_known_open(const char *path, gw_genome *genome, const char *settings, const char *lines, int64_t raw,
                              gw_score_known **out) {
    gw_score_known *known = gw_alloc(1, sizeof *known);
    *out = NULL;
    if (!known) return GW_ERR_MEMORY;
    known->genome = genome;
    known->raw = raw;
    known->path = gw_strdup(path);
    const gw_status status = known->path ? check(known, settings, lines) : GW_ERR_MEMORY;
    if (status == GW_OK) *out = known;
    else gw_score_known_free(known);
    return status;
}

void gw_score_known_free(gw_score_known *known) {
    if (!known) return;
    free(known->path);
    free(known->asked);
    free(known->found);
    free(known->rest);
    free(known->rest_raw);
    free(known);
}

int64_t gw_score_known_taken(const gw_score_known *known) {
    return known->taken;
}

const char *gw_score_known_path(const gw_score_known *known) {
    return known->path;
}

static int by_place(const void *a, const void *b) {
    const gw_variant *x = &(*(gw_allele *const *)a)->variant, *y = &(*(gw_allele *const *)b)->variant;
    if (x->contig != y->contig) return x->contig < y->contig ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static gw_status ask(gw_score_known *known, gw_allele *alleles, int64_t count) {
    known->asked_count = 0;
    GW_TRY(gw_reserve(&known->asked, &known->asked_capacity, count, sizeof *known->asked));
    for (int64_t i = 0; i < count; i++)
        if (alleles[i].status == GW_ALLELE_PASS) known->asked[known->asked_count++] = &alleles[i];
    qsort(known->asked, (size_t)known->asked_count, sizeof *known->asked, by_place);
    return GW_OK;
}

static gw_status places_of(const gw_score_known *known, gw_regions *out) {
    for (int64_t i = 0; i < known->asked_count; i++) {
        const gw_variant *v = &known->asked[i]->variant;
        GW_TRY(gw_regions_add(out, (gw_region){.contig = v->contig, .begin = v->position, .end = v->position + 1}));
    }
    gw_regions_merge(out);
    return GW_OK;
}

static bool is_same(const gw_variant *a, const gw_variant *b) {
    return a->contig == b->contig && a->position == b->position && a->ref_length == b->ref_length &&
           a->alt_length == b->alt_length && strncasecmp(a->ref, b->ref, (size_t)a->ref_length) == 0 &&
           strncasecmp(a->alt, b->alt, (size_t)a->alt_length) == 0;
}

// The values of an ALT of the file to all alleles that are the same.
static gw_status give(gw_score_known *known, const gw_vcf_reader *reader, const gw_vcf_record *record,
                      const gw_variant *v, const char *values, gw_allele *alleles, float *raw) {
    gw_allele asked = {.variant = *v}, *of = &asked;
    gw_allele **at = bsearch(&of, known->asked, (size_t)known->asked_count, sizeof *known->asked, by_place);
    if (!at) return GW_OK;
    while (at > known->asked && by_place(at - 1, at) == 0) at--;
    for (; at < known->asked + known->asked_count && by_place(at, &of) == 0; at++) {
        const int64_t i = *at - alleles;
        if (known->found[i] || !is_same(&(*at)->variant, v)) continue;
        if (!gw_allele_values_parse(values, known->raw, *at, raw ? raw + i * known->raw : NULL))
            return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "%s is '%.40s...', which are no values of this model",
                               gw_allele_values_key, values);
        known->found[i] = true;
        known->taken++;
    }
    return GW_OK;
}

static gw_status take_record(gw_score_known *known, const gw_vcf_reader *reader, const gw_vcf_record *record,
                             gw_string *values, gw_allele *alleles, float *raw) {
    if (record->genome_contig < 0 || !gw_vcf_info(reader, record, gw_allele_values_key, values))
        return gw_string_status(values);
    char *value = values->data;
    for (int i = 0; i < record->alts && value; i++) {
        char *comma = strchr(value, ',');
        if (comma) *comma = 0;
        const gw_variant v = gw_variant_trim(record->genome_contig, record->position, record->ref, record->alt[i]);
        GW_TRY(give(known, reader, record, &v, value, alleles, raw));
        value = comma ? comma + 1 : NULL;
    }
    return GW_OK;
}

static gw_status take_records(gw_score_known *known, const gw_regions *places, gw_allele *alleles, float *raw) {
    const gw_vcf_filter filter = {.regions = places};
    gw_vcf_reader *reader;
    gw_vcf_record record = {0};
    gw_string values = {0};
    GW_TRY(gw_vcf_open(known->path, known->genome, &filter, &reader));
    gw_status status = GW_OK;
    for (bool got = true; status == GW_OK && got;) {
        status = gw_vcf_next(reader, &record, &got);
        if (status == GW_OK && got) status = take_record(known, reader, &record, &values, alleles, raw);
    }
    gw_string_free(&values);
    gw_vcf_record_free(&record);
    gw_vcf_close(reader);
    return status;
}

static gw_status take(gw_score_known *known, gw_allele *alleles, int64_t count, float *raw) {
    gw_regions places = {0};
    GW_TRY(gw_reserve(&known->found, &known->found_capacity, count, sizeof *known->found));
    memset(known->found, 0, (size_t)count * sizeof *known->found);
    GW_TRY(ask(known, alleles, count));
    if (known->asked_count == 0) return GW_OK;
    gw_status status = places_of(known, &places);
    if (status == GW_OK) status = take_records(known, &places, alleles, raw);
    gw_regions_free(&places);
    return status;
}

gw_status gw_score_known_run(gw_score_known *known, gw_allele_scorer *scorer, gw_allele *alleles, int64_t count,
                             float *raw) {
    const int64_t each = known->raw;
    int64_t rest = 0;
    GW_TRY(take(known, alleles, count, raw));
    GW_TRY(gw_reserve(&known->rest, &known->rest_capacity, count, sizeof *known->rest));
    GW_TRY(gw_reserve(&known->rest_raw, &known->rest_raw_capacity, count * each + 1, sizeof *known->rest_raw));
    for (int64_t i = 0; i < count; i++)
        if (!known->found[i]) known->rest[rest++] = alleles[i];
    GW_TRY(gw_allele_scorer_run(scorer, known->rest, rest, raw ? known->rest_raw : NULL));
    for (int64_t i = count - 1; i >= 0; i--) {
        if (known->found[i]) continue;
        alleles[i] = known->rest[--rest];
        if (raw) memcpy(raw + i * each, known->rest_raw + rest * each, (size_t)each * sizeof *raw);
    }
    return GW_OK;
}
