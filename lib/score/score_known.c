// SPDX-License-Identifier: MIT
// The alleles of a chunk, sorted by position, are joined with the table's rows in the same order. The remaining alleles
// are scored together.
#include "score/score_known.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "network/base_network.h"
#include "score/score_run.h"
#include "score/splice_scorer.h"
#include "seq/vcf/indexed_rows.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_STEPS = 1000 }; // that an insertion or deletion is moved to the left

typedef enum {
    EXACT,   // this model's: GW_VALUES of --all-snvs
    FIELDS,  // this model's: keys of a model of windows
    ENTRIES, // of splicing, this model's or another program's
    NUMBERS, // another program's
} table_kind;

// Where the parts of an entry of splicing stand, and the four scores and places among them.
enum {
    ALLELE,
    SYMBOL,
    SCORES,
    PLACES = SCORES + GW_SPLICE_GAINS_AND_LOSSES,
    PARTS = PLACES + GW_SPLICE_GAINS_AND_LOSSES
};

typedef struct {
    const char *text;
    int64_t length;
} span;

typedef struct {
    gw_allele *allele;
    int64_t position, end; // of its leftmost form; behind the place of its rightmost one
    int64_t left;          // steps to the leftmost form
} asked_allele;

typedef struct {
    int64_t next; // of the same allele, or -1
    int64_t text; // where its text begins in `texts`
    gw_known_entry of;
} entry;

struct gw_score_known {
    const gw_score_run *run;
    const gw_known_fields *fields;
    gw_indexed_rows *rows;
    table_kind kind;
    bool own;
    char *name, *what;
    int ref, alt, value; // columns
    char *key;           // of INFO in the column of values, or the column's name
    char *field_keys[GW_KNOWN_FIELDS], *status_key, *largest_key, *place_key; // of this program
    int parts[PARTS];
    int64_t taken;
    // the chunk
    asked_allele *asked;
    int64_t asked_count, asked_capacity;
    int64_t next; // of a stretch, the first that no row of a single base has passed
    bool *found;
    entry *entries;
    int64_t *first_entry, *last_entry; // [alleles], or -1
    gw_string texts;
    int64_t found_capacity, first_capacity, last_capacity, entry_count, entry_capacity;
    gw_string words; // of a row: REF, ALT, each ended by a zero byte
    gw_allele *rest; // those that are scored, and their values
    float *rest_raw;
    int64_t rest_capacity, rest_raw_capacity;
};

// ---- what the table is

// Says which of the run's lines, which stand for what scores depend on, the header lacks, and what it has in the place.
static gw_status check_lines(const gw_score_run *run, const char *header) {
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
    const gw_status status = gw_string_status(&whole);
    gw_string_free(&whole);
    if (!*line) return status;
    const int length = (int)strcspn(line, "\n"), name = (int)strcspn(line, "=") + 1;
    while (found && strncmp(found, line, (size_t)name) != 0) found = strstr(found + 1, "##godwit_score");
    return gw_fail(GW_ERR_MISMATCH, "%s was made with other settings: this run has %.*s, and the file %s %.*s", path,
                   length, line, found ? "has" : "lacks", found ? (int)strcspn(found, "\n") : name - 1,
                   found ? found : line);
}

// The same of the lines that the header has and the run lacks, but for those that say where files lie.
static gw_status check_further_lines(const gw_score_run *run, const char *header) {
    static const char *const places[] = {"Command", "Tag", "Model", "Reference", "Genes", "Background", "Settings"};
    static const char begin[] = "##godwit_score";
    const size_t length = sizeof begin - 1;
    for (const char *line = strstr(header, begin); line; line = strstr(line + 1, begin)) {
        const int whole = (int)strcspn(line, "\n");
        const size_t name = strcspn(line + length, "=\n");
        bool fine = false;
        for (size_t i = 0; i < sizeof places / sizeof *places && !fine; i++)
            fine = strlen(places[i]) == name && memcmp(places[i], line + length, name) == 0;
        char *text = gw_strprintf("%.*s\n", whole, line);
        if (!text) return GW_ERR_MEMORY;
        fine = fine || strstr(run->lines.data, text);
        free(text);
        if (!fine)
            return gw_fail(GW_ERR_MISMATCH, "%s was made with options that this run lacks: %.*s", run->options->known,
                           whole, line);
    }
    return GW_OK;
}

static bool declares(const char *header, const char *key) {
    char line[160];
    snprintf(line, sizeof line, "##INFO=<ID=%s,", key);
    return strstr(header, line) != NULL;
}

static gw_status keep_key(char **out, const char *tag, const char *name) {
    *out = gw_strprintf("%s_%s", tag, name);
    return *out ? GW_OK : GW_ERR_MEMORY;
}

// The printed keys of a model of windows.
static gw_status choose_fields(gw_score_known *k, const char *header, const char *tag) {
    const gw_known_fields *fields = k->fields;
    const char *path = k->run->options->known;
    k->kind = FIELDS;
    if (k->run->raw_values > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s has no profiles: remove --top, --profiles and, for labels, --haplotypes",
                       path);
    if (fields->derived)
        return gw_fail(GW_ERR_UNSUPPORTED, "the score '%s' cannot be taken from files: remove --known",
                       fields->derived);
    for (int i = 0; i < fields->count; i++) {
        GW_TRY(keep_key(&k->field_keys[i], tag, fields->items[i].name));
        if (declares(header, k->field_keys[i])) continue;
        if (fields->items[i].needed)
            return gw_fail(GW_ERR_MISMATCH, "%s lacks INFO/%s, which this run needs: it was made with other options",
                           path, k->field_keys[i]);
        free(k->field_keys[i]);
        k->field_keys[i] = NULL;
    }
    return GW_OK;
}

// An INFO key of entries as SpliceAI has them, and where their parts stand by its description.
static gw_status find_entries(gw_score_known *k, const char *header) {
    static const char *const names[PARTS] = {"ALLELE", "SYMBOL", "DS_AG", "DS_AL", "DS_DG",
                                             "DS_DL",  "DP_AG",  "DP_AL", "DP_DG", "DP_DL"};
    static const char begin[] = "\n##INFO=<ID=", format[] = "Format: ";
    for (const char *line = strstr(header, begin); line; line = strstr(line + 1, begin)) {
        const char *end = line + 1 + strcspn(line + 1, "\n"), *at = strstr(line, format);
        bool complete = at && at < end;
        if (!complete) continue;
        at += sizeof format - 1;
        for (int p = 0; p < PARTS; p++) k->parts[p] = -1;
        for (int i = 0; at < end; i++) {
            const size_t length = strcspn(at, "|\"' >\n");
            for (int p = 0; p < PARTS; p++)
                if (strlen(names[p]) == length && strncasecmp(at, names[p], length) == 0) k->parts[p] = i;
            if (at[length] != '|') break;
            at += length + 1;
        }
        for (int p = 0; p < PARTS; p++) complete = complete && (k->parts[p] >= 0 || p == SYMBOL);
        if (!complete) continue;
        const char *id = line + sizeof begin - 1;
        k->key = gw_strndup(id, strcspn(id, ",>\n"));
        return k->key ? GW_OK : GW_ERR_MEMORY;
    }
    return GW_OK;
}

// A file of this program.
static gw_status choose_own(gw_score_known *k, const char *header) {
    static const char tag_line[] = "##godwit_scoreTag=";
    const gw_score_run *run = k->run;
    const gw_score_options *o = run->options;
    const char *of_tag = strstr(header, tag_line);
    char tag[64];
    k->own = true;
    snprintf(tag, sizeof tag, "%.*s", of_tag ? (int)strcspn(of_tag + sizeof tag_line - 1, "\n") : 2,
             of_tag ? of_tag + sizeof tag_line - 1 : "GW");
    GW_TRY(keep_key(&k->status_key, tag, "STATUS"));
    if (!gw_model_labels_bases(run->model) && !gw_model_reads_signals(run->model) &&
        !gw_config_has_tracks(&run->model->config)) {
        GW_TRY(check_lines(run, header));
        GW_TRY(check_further_lines(run, header));
        return choose_fields(k, header, tag);
    }
    if (strstr(header, "##godwit_scoreSettings=")) {
        GW_TRY(strstr(header, run->settings) ? GW_OK : check_lines(run, header));
        if (!strstr(header, run->settings))
            return gw_fail(GW_ERR_MISMATCH,
                           "%s was made with options that this run lacks, or by another stem of the model", o->known);
        k->kind = EXACT;
        k->key = gw_strdup(gw_allele_values_key);
        return k->key ? GW_OK : GW_ERR_MEMORY;
    }
    GW_TRY(check_lines(run, header));
    GW_TRY(check_further_lines(run, header));
    if (!gw_model_splices(run->model))
        return gw_fail(GW_ERR_MISMATCH, "%s was not made by godwit score --all-snvs", o->known);
    if (o->raw) return gw_fail(GW_ERR_UNSUPPORTED, "%s has no exact values: remove --raw", o->known);
    k->kind = ENTRIES;
    GW_TRY(keep_key(&k->largest_key, tag, "SPLICE"));
    GW_TRY(keep_key(&k->place_key, tag, "SPLICE_AT"));
    GW_TRY(find_entries(k, header));
    return k->key ? GW_OK : gw_fail(GW_ERR_MISMATCH, "%s has no entries of splicing", o->known);
}

// The column that is called so, or has that number; -1: none.
static int find_column(const char *line, const char *name, size_t length) {
    int column = 0;
    for (const char *at = line; at; at = gw_next_item(at, '\t'), column++) {
        const size_t own = strcspn(at, "\t\n");
        if (own == length && strncasecmp(at, name, length) == 0) return column;
    }
    const bool number = length > 0 && strspn(name, "0123456789") >= length;
    return number ? atoi(name) - 1 : -1;
}

// Columns of a table by the line of their names.
static gw_status choose_columns(gw_score_known *k, const char *header) {
    static const char *const usual[] = {"SCORE", "PHRED", "AVI", "AVI_SCORE"};
    const char *asked = k->run->options->known_columns, *path = k->run->options->known, *line = "";
    for (const char *at = header; at && *at; at = gw_next_item(at, '\n'))
        if (memchr(at, '\t', strcspn(at, "\n"))) line = at + strspn(at, "#");
    const int length = (int)strcspn(line, "\n");
    const char *name[3] = {"REF", "ALT", asked};
    const char *second = asked ? gw_next_item(asked, ',') : NULL, *third = second ? gw_next_item(second, ',') : NULL;
    if (third) name[0] = asked, name[1] = second, name[2] = third;
    if (asked && ((second && !third) || (third && gw_next_item(third, ','))))
        return gw_fail(GW_ERR_USAGE, "--known-columns is '%s': expected REF,ALT,SCORE or the score's name alone",
                       asked);
    int column[3] = {-1, -1, -1};
    for (int i = 0; i < 3; i++) {
        const size_t size = name[i] ? strcspn(name[i], ",") : 0;
        if (name[i]) column[i] = find_column(line, name[i], size);
        for (size_t u = 0; u < sizeof usual / sizeof *usual && i == 2 && !asked && column[i] < 0; u++) {
            column[i] = find_column(line, usual[u], strlen(usual[u]));
            name[i] = usual[u];
        }
        if (column[i] >= 0) continue;
        if (!length)
            return gw_fail(GW_ERR_FORMAT,
                           "%s has no line of column names: --known-columns REF,ALT,SCORE takes numbers "
                           "of columns, from 1 on",
                           path);
        const bool nameless = i == 2 && !asked;
        return gw_fail(GW_ERR_FORMAT,
                       "%s has no column %.*s: its columns are %.*s; --known-columns names those of REF, "
                       "ALT and score",
                       path, nameless ? 14 : (int)size, nameless ? "SCORE or PHRED" : name[i], length, line);
    }
    k->ref = column[0];
    k->alt = column[1];
    k->value = column[2];
    k->key = gw_strndup(name[2], strcspn(name[2], ","));
    return k->key ? GW_OK : GW_ERR_MEMORY;
}

static gw_status choose_other(gw_score_known *k, const char *header) {
    const gw_score_options *o = k->run->options;
    const bool variants = gw_indexed_rows_are_variants(k->rows);
    k->kind = NUMBERS;
    if (!variants) GW_TRY(choose_columns(k, header));
    else if (o->known_columns) {
        k->key = gw_strdup(o->known_columns);
        if (!k->key) return GW_ERR_MEMORY;
        if (!declares(header, k->key)) return gw_fail(GW_ERR_FORMAT, "%s has no INFO/%s", o->known, k->key);
    } else {
        GW_TRY(find_entries(k, header));
        if (!k->key)
            return gw_fail(GW_ERR_FORMAT,
                           "%s is neither of godwit score nor has entries of splicing (ALLELE|SYMBOL|DS_AG ...): "
                           "--known-columns KEY names the INFO key of its score",
                           o->known);
        k->kind = ENTRIES;
    }
    const bool beside = gw_score_known_is_beside(k);
    if (!beside && o->raw) return gw_fail(GW_ERR_UNSUPPORTED, "%s has no probabilities: remove --raw", o->known);
    if (beside && (o->shifts || o->indel_null > 0 || o->haplotypes || o->top > 0 || o->profiles))
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "%s has numbers of another program beside the model's: remove --shifts, --indel-null, --haplotypes, "
            "--top and --profiles",
            o->known);
    gw_note("%s has scores of another program (%s): they are copied unchanged, and %s_SOURCE marks their alleles",
            o->known, k->key, o->tag);
    return GW_OK;
}

static gw_status choose(gw_score_known *k) {
    enum { VCF_REF = 3, VCF_ALT = 4, VCF_INFO = 7 };
    const gw_score_options *o = k->run->options;
    const char *header = gw_indexed_rows_header(k->rows), *slash = strrchr(o->known, '/');
    k->ref = VCF_REF;
    k->alt = VCF_ALT;
    k->value = VCF_INFO;
    k->name = gw_strdup(slash ? slash + 1 : o->known);
    if (!k->name) return GW_ERR_MEMORY;
    const bool own = strstr(header, "##godwit_scoreModelMD5=") && !o->known_columns;
    GW_TRY(own ? choose_own(k, header) : choose_other(k, header));
    k->what = k->own               ? gw_strdup("scores of this model")
              : k->kind == ENTRIES ? gw_strprintf("scores of splicing by another program, INFO/%s", k->key)
              : gw_indexed_rows_are_variants(k->rows) ? gw_strprintf("numbers of another program, INFO/%s", k->key)
                                                      : gw_strprintf("numbers of another program, column %s", k->key);
    return k->what ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_score_known_open(const gw_score_run *run, const gw_known_fields *fields, gw_score_known **out) {
    *out = NULL;
    gw_score_known *known = gw_alloc(1, sizeof *known);
    if (!known) return GW_ERR_MEMORY;
    known->run = run;
    known->fields = fields;
    gw_status status = gw_indexed_rows_open(run->options->known, run->genome, &known->rows);
    if (status == GW_OK) status = choose(known);
    if (status == GW_OK) *out = known;
    else gw_score_known_free(known);
    return status;
}

void gw_score_known_free(gw_score_known *known) {
    if (!known) return;
    gw_indexed_rows_close(known->rows);
    for (int i = 0; i < GW_KNOWN_FIELDS; i++) free(known->field_keys[i]);
    free(known->name);
    free(known->what);
    free(known->key);
    free(known->status_key);
    free(known->largest_key);
    free(known->place_key);
    free(known->asked);
    free(known->found);
    free(known->entries);
    free(known->first_entry);
    free(known->last_entry);
    gw_string_free(&known->texts);
    gw_string_free(&known->words);
    free(known->rest);
    free(known->rest_raw);
    free(known);
}

int64_t gw_score_known_taken(const gw_score_known *known) {
    return known->taken;
}

bool gw_score_known_is_beside(const gw_score_known *known) {
    return known->kind == NUMBERS || (known->kind == ENTRIES && !gw_model_splices(known->run->model));
}

const char *gw_score_known_name(const gw_score_known *known) {
    return known->name;
}

const char *gw_score_known_what(const gw_score_known *known) {
    return known->what;
}

// ---- values of a row

static bool equals(span a, const char *text) {
    return (int64_t)strlen(text) == a.length && memcmp(a.text, text, (size_t)a.length) == 0;
}

static span item_of(span list, char separator, int64_t index) {
    const char *end = list.text + list.length;
    for (; index > 0; index--) {
        const char *next = memchr(list.text, separator, (size_t)(end - list.text));
        if (!next) return (span){end, 0};
        list.text = next + 1;
    }
    const char *next = memchr(list.text, separator, (size_t)(end - list.text));
    return (span){list.text, (next ? next : end) - list.text};
}

// The value of an INFO key; empty: it has none.
static span info_of(span info, const char *key) {
    const size_t length = strlen(key);
    const char *end = info.text + info.length;
    for (const char *at = info.text; at < end;) {
        const span one = item_of((span){at, end - at}, ';', 0);
        if ((size_t)one.length > length && one.text[length] == '=' && memcmp(one.text, key, length) == 0)
            return (span){one.text + length + 1, one.length - (int64_t)length - 1};
        at = one.text + one.length + 1;
    }
    return (span){end, 0};
}

// That of one ALT; a single value is that of every ALT.
static span value_of(span info, const char *key, int64_t alt) {
    const span all = info_of(info, key);
    return memchr(all.text, ',', (size_t)all.length) ? item_of(all, ',', alt) : all;
}

static bool is_missing(span text) {
    return text.length == 0 || equals(text, ".") || equals(text, "NA") ||
           (text.length == 3 && strncasecmp(text.text, "nan", 3) == 0);
}

static gw_status number_of(const gw_score_known *k, const gw_indexed_row *row, span text, const char *name,
                           double *out) {
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", (int)gw_min(text.length, sizeof copy - 1), text.text);
    if (text.length < (int64_t)sizeof copy && gw_parse_double(copy, -FLT_MAX, FLT_MAX, out) == GW_OK) return GW_OK;
    return gw_indexed_rows_fail(k->rows, row, GW_ERR_FORMAT, "%s is '%.40s', which is not a number", name, copy);
}

// Status of an ALT in a file of this program; false: it has no score there, or one of REF and ALT changed about.
static bool is_scored_there(const gw_score_known *k, span info, int64_t alt, gw_allele_status *status) {
    const span text = value_of(info, k->status_key, alt);
    for (int i = 0; i < GW_ALLELE_STATUSES; i++) {
        *status = (gw_allele_status)i;
        if (equals(text, gw_allele_status_name(*status))) return gw_allele_is_scored(*status) && i != GW_ALLELE_SWAPPED;
    }
    return false;
}

static gw_status take_exact(gw_score_known *k, const gw_indexed_row *row, span info, int64_t alt, gw_allele *allele,
                            float *raw, bool *found) {
    const span value = value_of(info, k->key, alt);
    if (is_missing(value)) return GW_OK;
    char *text = gw_strndup(value.text, (size_t)value.length);
    if (!text) return GW_ERR_MEMORY;
    *found = gw_allele_values_parse(text, k->run->raw_values, allele, raw);
    free(text);
    if (*found) return GW_OK;
    return gw_indexed_rows_fail(k->rows, row, GW_ERR_FORMAT, "%s is '%.*s...', which are not values of this model",
                                k->key, (int)gw_min(value.length, 40), value.text);
}

static gw_status take_fields(const gw_score_known *k, const gw_indexed_row *row, span info, int64_t alt,
                             gw_allele *allele, bool *found) {
    const int64_t labels = k->run->model->config.labels;
    bool complete = true;
    for (int i = 0; i < k->fields->count; i++) {
        const char *key = k->field_keys[i];
        const span value = key ? value_of(info, key, alt) : (span){"", 0};
        void *field = (char *)allele + k->fields->items[i].offset;
        double number = NAN;
        if (key && is_missing(value) && k->fields->items[i].needed) complete = false;
        if (!key || (is_missing(value) && k->fields->items[i].whole)) continue;
        if (!is_missing(value)) GW_TRY(number_of(k, row, value, key, &number));
        if (!k->fields->items[i].whole) *(float *)field = (float)number;
        else if (number >= 0 && number < (double)labels) *(int32_t *)field = (int32_t)number; // a label
        else
            return gw_indexed_rows_fail(k->rows, row, GW_ERR_FORMAT, "%s is %g, and the model has %lld labels", key,
                                        number, (long long)labels);
    }
    *found = complete;
    return GW_OK;
}

// Keeps an entry's text and places for an allele.
static gw_status keep_entry(gw_score_known *k, int64_t allele, span text, const gw_known_entry *of) {
    GW_TRY(gw_reserve(&k->entries, &k->entry_capacity, k->entry_count + 1, sizeof *k->entries));
    entry *e = &k->entries[k->entry_count];
    *e = (entry){.next = -1, .text = k->texts.length, .of = *of};
    const span symbol = k->parts[SYMBOL] >= 0 ? item_of(text, '|', k->parts[SYMBOL]) : (span){".", 1};
    gw_string_append(&k->texts, symbol.text, symbol.length);
    for (int i = 0; i < GW_SPLICE_GAINS_AND_LOSSES; i++) {
        const span score = item_of(text, '|', k->parts[SCORES + i]);
        gw_string_putc(&k->texts, '|');
        gw_string_append(&k->texts, score.text, score.length);
    }
    gw_string_putc(&k->texts, 0);
    if (k->first_entry[allele] < 0) k->first_entry[allele] = k->entry_count;
    else k->entries[k->last_entry[allele]].next = k->entry_count;
    k->last_entry[allele] = k->entry_count++;
    return gw_string_status(&k->texts);
}

// The entries of one ALT, of which a further row may have more (of other genes).
static gw_status take_entries(gw_score_known *k, const gw_indexed_row *row, span info, int64_t alt, const char *text,
                              gw_allele *allele, int64_t index, bool *found) {
    const span all = info_of(info, k->key);
    const char *end = all.text + all.length;
    for (const char *at = all.text; at < end;) {
        const span one = item_of((span){at, end - at}, ',', 0);
        at = one.text + one.length + 1;
        if (!equals(item_of(one, '|', k->parts[ALLELE]), text)) continue;
        gw_known_entry of;
        double best = -INFINITY, place;
        int64_t best_place = 0;
        bool complete = true;
        for (int i = 0; i < GW_SPLICE_GAINS_AND_LOSSES && complete; i++) {
            const span of_score = item_of(one, '|', k->parts[SCORES + i]),
                       of_place = item_of(one, '|', k->parts[PLACES + i]);
            complete = !is_missing(of_score) && !is_missing(of_place);
            if (!complete) break;
            GW_TRY(number_of(k, row, of_score, k->key, &of.score[i]));
            GW_TRY(number_of(k, row, of_place, k->key, &place));
            of.place[i] = (int64_t)place + row->position - allele->variant.position;
            if (of.score[i] <= best) continue;
            best = of.score[i];
            best_place = of.place[i];
        }
        if (!complete) continue;
        if (!*found || best > (double)allele->difference) {
            allele->difference = (float)best;
            allele->shift = (int32_t)best_place;
        }
        *found = true;
        GW_TRY(keep_entry(k, index, one, &of));
    }
    if (!*found || !k->own) return GW_OK;
    const span largest = value_of(info, k->largest_key, alt),
               of_place = value_of(info, k->place_key, alt); // with all digits
    double value;
    if (is_missing(largest) || is_missing(of_place)) return GW_OK;
    GW_TRY(number_of(k, row, largest, k->largest_key, &value));
    allele->difference = (float)value;
    GW_TRY(number_of(k, row, of_place, k->place_key, &value));
    allele->shift = (int32_t)((int64_t)value + row->position - allele->variant.position);
    return GW_OK;
}

// What the row says of its `alt`-th ALT, to one allele that is the same.
static gw_status take(gw_score_known *k, const gw_indexed_row *row, span value, int64_t alt, const char *text,
                      gw_allele *allele, int64_t index, float *raw) {
    const float largest = allele->known_value;
    gw_allele_status status = GW_ALLELE_PASS;
    bool found = k->found[index];
    if (found && (k->own || k->kind == EXACT)) return GW_OK;
    if (k->own && k->kind != EXACT && !is_scored_there(k, value, alt, &status)) return GW_OK;
    if (k->kind == EXACT) GW_TRY(take_exact(k, row, value, alt, allele, raw, &found));
    else if (k->kind == FIELDS) GW_TRY(take_fields(k, row, value, alt, allele, &found));
    else if (k->kind == ENTRIES) GW_TRY(take_entries(k, row, value, alt, text, allele, index, &found));
    else {
        const span one = gw_indexed_rows_are_variants(k->rows) ? value_of(value, k->key, alt) : value;
        double number;
        if (is_missing(one)) return GW_OK;
        GW_TRY(number_of(k, row, one, k->key, &number));
        if (!found || fabs(number) > fabs((double)largest)) allele->known_value = (float)number;
        found = true;
    }
    if (!found) return GW_OK;
    k->taken += !k->found[index];
    k->found[index] = true;
    allele->known = k->own ? GW_KNOWN_OWN : GW_KNOWN_OTHER;
    allele->site = -1;
    if (k->kind == EXACT) return GW_OK;
    if (k->kind == ENTRIES && gw_score_known_is_beside(k)) allele->known_value = allele->difference;
    allele->status = gw_score_known_is_beside(k) ? GW_ALLELE_KNOWN : status;
    for (int64_t i = 0; raw && i < k->run->raw_values; i++) raw[i] = NAN;
    return GW_OK;
}

// ---- the join

static int by_place(const void *a, const void *b) {
    const asked_allele *x = a, *y = b;
    const int contig = x->allele->variant.contig, other = y->allele->variant.contig;
    if (contig != other) return contig < other ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static gw_status check_ref(const gw_score_known *k, const gw_indexed_row *row, const char *ref) {
    gw_genome *genome = k->run->genome;
    gw_allele_status status;
    char bases[41] = "";
    GW_TRY(gw_variant_check_ref(genome, row->contig, row->position, ref, &status));
    if (status != GW_ALLELE_REFMISMATCH) return GW_OK;
    const int64_t left = gw_genome_length(genome, row->contig) - row->position;
    const int64_t shown = gw_min(gw_min((int64_t)strlen(ref), 40), left);
    if (shown > 0) GW_TRY(gw_genome_fetch(genome, row->contig, row->position, row->position + shown, bases));
    return gw_indexed_rows_fail(k->rows, row, GW_ERR_MISMATCH,
                                "REF is '%.40s', but %s has '%s' there: is the table of another assembly?", ref,
                                gw_genome_path(genome), bases);
}

// One ALT of a row against a stretch of alleles.
static gw_status join_alt(gw_score_known *k, const gw_indexed_row *row, span value, int64_t alt, const char *ref,
                          const char *text, const asked_allele *asked, int64_t count, gw_allele *alleles, float *raw) {
    const gw_variant v = gw_variant_trim(row->contig, row->position, ref, text);
    gw_allele_status status;
    int64_t left = 0, right;
    if (!k->own) GW_TRY(gw_variant_steps(k->run->genome, &v, MOST_STEPS, &left, &right));
    int64_t at = GW_FIRST_NOT(i, count, asked[i].position < v.position - left);
    if (at == count || asked[at].position != v.position - left) return GW_OK;
    if (k->own && k->kind != EXACT && !is_scored_there(k, value, alt, &status)) return GW_OK;
    GW_TRY(check_ref(k, row, ref));
    for (; at < count && asked[at].position == v.position - left; at++) {
        gw_allele *allele = asked[at].allele;
        const int64_t index = allele - alleles;
        if (!gw_variant_is_same(&allele->variant, asked[at].left, &v, left)) continue;
        GW_TRY(take(k, row, value, alt, text, allele, index, raw ? raw + index * k->run->raw_values : NULL));
    }
    return GW_OK;
}

static gw_status join_row(gw_score_known *k, const gw_indexed_row *row, const asked_allele *asked, int64_t count,
                          gw_allele *alleles, float *raw) {
    const int columns = 1 + (int)gw_max(gw_max(k->ref, k->alt), k->value);
    const char *at = row->line, *end = at + row->length;
    span ref = {0}, alt = {0}, value = {0};
    for (int column = 0; column < columns; column++) {
        const char *begin = at;
        if (at > end)
            return gw_indexed_rows_fail(k->rows, row, GW_ERR_FORMAT,
                                        "%d columns, fewer than that of REF, ALT or %s needs", column, k->key);
        while (at < end && *at != '\t') at++;
        const span field = {begin, at++ - begin};
        if (column == k->ref) ref = field;
        if (column == k->alt) alt = field;
        if (column == k->value) value = field;
    }
    if (ref.length == 1 && alt.length == 1) { // as nearly all are: nothing of it may be asked for
        while (k->next < count && asked[k->next].position < row->position) k->next++;
        if (k->next == count || asked[k->next].position != row->position) return GW_OK;
    }
    gw_string_clear(&k->words);
    gw_string_append(&k->words, ref.text, ref.length);
    gw_string_putc(&k->words, 0);
    gw_string_append(&k->words, alt.text, alt.length);
    GW_TRY(gw_string_status(&k->words));
    char *list = k->words.data + ref.length + 1, *text;
    if (gw_allele_is_ambiguous(k->words.data)) return GW_OK;
    for (int64_t i = 0; (text = strsep(&list, ",")) != NULL; i++)
        if (*text && !gw_allele_is_ambiguous(text))
            GW_TRY(join_alt(k, row, value, i, k->words.data, text, asked, count, alleles, raw));
    return GW_OK;
}

// The chunk's alleles by their leftmost forms, or of this program's tables as they are written.
static gw_status collect(gw_score_known *k, gw_allele *alleles, int64_t count) {
    GW_TRY(gw_reserve(&k->found, &k->found_capacity, count + 1, sizeof *k->found));
    GW_TRY(gw_reserve(&k->first_entry, &k->first_capacity, count + 1, sizeof *k->first_entry));
    GW_TRY(gw_reserve(&k->last_entry, &k->last_capacity, count + 1, sizeof *k->last_entry));
    GW_TRY(gw_reserve(&k->asked, &k->asked_capacity, count + 1, sizeof *k->asked));
    gw_string_clear(&k->texts);
    k->asked_count = k->entry_count = 0;
    for (int64_t i = 0; i < count; i++) {
        k->found[i] = false;
        k->first_entry[i] = k->last_entry[i] = -1;
        if (alleles[i].status != GW_ALLELE_PASS) continue;
        const gw_variant *v = &alleles[i].variant;
        int64_t left = 0, right = 0;
        if (!k->own) GW_TRY(gw_variant_steps(k->run->genome, v, MOST_STEPS, &left, &right));
        k->asked[k->asked_count++] = (asked_allele){&alleles[i], v->position - left, v->position + right + 1, left};
    }
    qsort(k->asked, (size_t)k->asked_count, sizeof *k->asked, by_place);
    return GW_OK;
}

gw_status gw_score_known_find(gw_score_known *k, gw_allele *alleles, int64_t count, float *raw) {
    GW_TRY(collect(k, alleles, count));
    for (int64_t first = 0, last; first < k->asked_count; first = last) { // a stretch of near alleles
        const asked_allele *asked = k->asked + first;
        const int contig = asked->allele->variant.contig;
        int64_t end = asked->end;
        for (last = first + 1; last < k->asked_count; last++) {
            const asked_allele *next = &k->asked[last];
            if (next->allele->variant.contig != contig || next->position > end + GW_INDEXED_ROWS_NEAR) break;
            end = gw_max(end, next->end);
        }
        GW_TRY(gw_indexed_rows_seek(k->rows, contig, asked->position, end));
        k->next = 0;
        gw_indexed_row row;
        for (bool got = true; got;) {
            GW_TRY(gw_indexed_rows_next(k->rows, &row, &got));
            if (got) GW_TRY(join_row(k, &row, asked, last - first, alleles, raw));
        }
    }
    return GW_OK;
}

gw_status gw_score_known_compute(gw_score_known *known, gw_allele *alleles, int64_t count, float *raw) {
    const int64_t each = known->run->raw_values;
    int64_t rest = 0;
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

bool gw_score_known_entry(const gw_score_known *k, int64_t index, int64_t n, gw_known_entry *out) {
    if (k->kind != ENTRIES) return false;
    int64_t i = k->first_entry[index];
    for (; i >= 0 && n > 0; n--) i = k->entries[i].next;
    if (i < 0) return false;
    *out = k->entries[i].of;
    out->text = k->texts.data + k->entries[i].text;
    return true;
}
