// SPDX-License-Identifier: MIT
// The alleles of a chunk are looked up at their places through the file's index. The others are scored together.
#include "score/score_known.h"

#include "base/memory.h"
#include "base/number.h"
#include "score/score_run.h"
#include "score/splice_scorer.h"
#include "seq/vcf/vcf.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct gw_score_known {
    const gw_score_run *run;
    int64_t taken;
    gw_allele **asked; // of the chunk, by place
    int64_t asked_count, asked_capacity;
    bool *found; // of the chunk's alleles
    int64_t found_capacity;
    gw_allele *rest; // those that are scored, and their values
    float *rest_raw;
    int64_t rest_capacity, rest_raw_capacity;
};

// Says which of the run's lines, which stand for what scores depend on, the header lacks, and what it has in the place.
static gw_status refuse(const gw_score_run *run, const char *header) {
    const char *path = run->options->known, *line = run->lines.data, *found = strstr(header, "##godwit_score");
    gw_string whole = {0};
    for (bool has = true; *line && has;) {
        const char *end = strchr(line, '\n') + 1;
        gw_string_clear(&whole);
        gw_string_putc(&whole, '\n');
        gw_string_append(&whole, line, end - line);
        has = !whole.failed && strstr(header, whole.data);
        if (has) line = end;
    }
    gw_string_free(&whole);
    if (!*line)
        return gw_fail(GW_ERR_MISMATCH, "%s was made with options that this run lacks, or by another stem of the model",
                       path);
    const int length = (int)strcspn(line, "\n"), name = (int)strcspn(line, "=") + 1;
    while (found && strncmp(found, line, (size_t)name) != 0) found = strstr(found + 1, "##godwit_score");
    return gw_fail(GW_ERR_MISMATCH, "%s was made otherwise: this run has %.*s, and it %s %.*s", path, length, line,
                   found ? "has" : "lacks", found ? (int)strcspn(found, "\n") : name - 1, found ? found : line);
}

gw_status gw_score_known_open(const gw_score_run *run, gw_score_known **out) {
    const char *path = run->options->known;
    const gw_regions none = {0};
    const gw_vcf_filter filter = {.regions = &none}; // which has the index opened: a missing one fails
    char settings[GW_SCORE_SETTINGS];
    gw_vcf_reader *reader;
    *out = NULL;
    GW_TRY(gw_score_settings(run, settings));
    GW_TRY(gw_vcf_open(path, run->genome, &filter, &reader));
    const char *header = gw_vcf_header(reader);
    gw_status status = GW_OK;
    if (!strstr(header, "##godwit_scoreSettings="))
        status = gw_fail(GW_ERR_MISMATCH, "%s is not of godwit score --all-snvs", path);
    else if (!strstr(header, settings)) status = refuse(run, header);
    gw_vcf_close(reader);
    GW_TRY(status);
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    (*out)->run = run;
    return GW_OK;
}

void gw_score_known_free(gw_score_known *known) {
    if (!known) return;
    free(known->asked);
    free(known->found);
    free(known->rest);
    free(known->rest_raw);
    free(known);
}

int64_t gw_score_known_taken(const gw_score_known *known) {
    return known->taken;
}

static int by_place(const void *a, const void *b) {
    const gw_variant *x = &(*(gw_allele *const *)a)->variant, *y = &(*(gw_allele *const *)b)->variant;
    if (x->contig != y->contig) return x->contig < y->contig ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

// The values of an ALT of the file to all alleles that are the same.
static gw_status give(gw_score_known *known, const gw_vcf_reader *reader, const gw_vcf_record *record,
                      const gw_variant *v, const char *values, gw_allele *alleles, float *raw) {
    const int64_t each = known->run->raw_values;
    const gw_allele place = {.variant = *v}, *of = &place;
    int64_t at = GW_FIRST_NOT(k, known->asked_count, by_place(&known->asked[k], &of) < 0);
    for (; at < known->asked_count && by_place(&known->asked[at], &of) == 0; at++) {
        const gw_variant *asked = &known->asked[at]->variant;
        const int64_t i = known->asked[at] - alleles;
        const bool same = asked->ref_length == v->ref_length && asked->alt_length == v->alt_length &&
                          strncasecmp(asked->ref, v->ref, (size_t)v->ref_length) == 0 &&
                          strncasecmp(asked->alt, v->alt, (size_t)v->alt_length) == 0;
        if (known->found[i] || !same) continue;
        if (!gw_allele_values_parse(values, each, &alleles[i], raw ? raw + i * each : NULL))
            return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "%s is '%.40s...', which are no values of this model",
                               gw_allele_values_key, values);
        known->found[i] = true;
        known->taken++;
    }
    return GW_OK;
}

// Fills those of the alleles that the file has, and says which.
static gw_status look_up(gw_score_known *known, gw_allele *alleles, int64_t count, float *raw) {
    gw_genome *genome = known->run->genome;
    gw_regions places = {0};
    GW_TRY(gw_reserve(&known->found, &known->found_capacity, count, sizeof *known->found));
    memset(known->found, 0, (size_t)count * sizeof *known->found);
    GW_TRY(gw_reserve(&known->asked, &known->asked_capacity, count, sizeof *known->asked));
    known->asked_count = 0;
    for (int64_t i = 0; i < count; i++)
        if (alleles[i].status == GW_ALLELE_PASS) known->asked[known->asked_count++] = &alleles[i];
    if (known->asked_count == 0) return GW_OK;
    qsort(known->asked, (size_t)known->asked_count, sizeof *known->asked, by_place);
    const gw_vcf_filter filter = {.regions = &places};
    gw_vcf_reader *reader = NULL;
    gw_vcf_record record = {0};
    gw_string text = {0};
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < known->asked_count; i++) {
        const gw_variant *v = &known->asked[i]->variant;
        status =
            gw_regions_add(&places, (gw_region){.contig = v->contig, .begin = v->position, .end = v->position + 1});
    }
    gw_regions_merge(&places);
    if (status == GW_OK) status = gw_vcf_open(known->run->options->known, genome, &filter, &reader);
    for (bool got = true; status == GW_OK && got;) {
        status = gw_vcf_next(reader, &record, &got);
        if (status != GW_OK || !got || record.genome_contig < 0) continue;
        char *value = gw_vcf_info(reader, &record, gw_allele_values_key, &text) ? text.data : NULL;
        status = gw_string_status(&text);
        for (int i = 0; i < record.alts && value && status == GW_OK; i++) {
            char *comma = strchr(value, ',');
            if (comma) *comma = 0;
            const gw_variant v = gw_variant_trim(record.genome_contig, record.position, record.ref, record.alt[i]);
            status = give(known, reader, &record, &v, value, alleles, raw);
            value = comma ? comma + 1 : NULL;
        }
    }
    gw_string_free(&text);
    gw_vcf_record_free(&record);
    gw_vcf_close(reader);
    gw_regions_free(&places);
    return status;
}

gw_status gw_score_known_run(gw_score_known *known, gw_allele *alleles, int64_t count, float *raw) {
    const int64_t each = known->run->raw_values;
    int64_t rest = 0;
    GW_TRY(look_up(known, alleles, count, raw));
    GW_TRY(gw_reserve(&known->rest, &known->rest_capacity, count, sizeof *known->rest));
    GW_TRY(gw_reserve(&known->rest_raw, &known->rest_raw_capacity, count * each + 1, sizeof *known->rest_raw));
    for (int64_t i = 0; i < count; i++)
        if (!known->found[i]) known->rest[rest++] = alleles[i];
    GW_TRY(gw_allele_scorer_run(known->run->scorer, known->rest, rest, raw ? known->rest_raw : NULL));
    for (int64_t i = count - 1; i >= 0; i--) {
        if (known->found[i]) continue;
        alleles[i] = known->rest[--rest];
        if (raw) memcpy(raw + i * each, known->rest_raw + rest * each, (size_t)each * sizeof *raw);
    }
    return GW_OK;
}
