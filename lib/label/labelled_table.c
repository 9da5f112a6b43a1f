// SPDX-License-Identifier: MIT
// Tables row by row: a sequence or a region, and the values of the label columns, or of tracks.
//
// Columns are found by name. Without a header they are a sequence and its labels, or the columns of BED.
#include "label/labelled_source.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/table.h"
#include "seq/track/track.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum {
    IGNORED,
    SEQUENCE,
    SPLIT,
    TSS_OFFSET,
    LABEL,
    CONTIG, // of a region, and the two after it
    BEGIN,
    END,
    STRAND // of a region
} column_kind;

typedef struct {
    column_kind kind;
    int64_t label; // its number
    bool groups;   // its texts group rows
} column;

typedef struct {
    gw_table *table;
    const char *path;
    const gw_labelled_options *options;
    gw_labelled_source *part;
    column *columns; // [count]
    int64_t count;
    int64_t row; // of the file
    int last_contig;
    int64_t base_capacity, start_capacity, region_capacity, row_capacity, value_capacity, group_capacity, bases;
} table_reader;

// --- a first line that is a row ------------------------------------------------------------------------------------

// No name of a column is as long as a sequence that is worth reading, or all of letters of bases with numbers behind
// it.
static bool is_sequence(const char *text) {
    enum { LEAST_BASES = 8 };
    return strlen(text) >= LEAST_BASES && !text[strspn(text, "ACGTUNRYSWKMBDHVacgtunryswkmbdhv")];
}

static bool is_sequence_row(char *const *fields, int64_t count, double least, double most) {
    double number;
    if (!is_sequence(fields[0]) || count < 2) return false;
    for (int64_t c = 1; c < count; c++)
        if (gw_parse_double(fields[c], least, most, &number) != GW_OK) return false;
    return true;
}

// A region or a sequence with finite numbers behind it.
static bool is_row_of_numbers(char *const *fields, int64_t count) {
    int64_t place;
    const bool region = count > 3 && fields[0][0] != '#' && gw_parse_int(fields[1], 0, INT64_MAX, &place) == GW_OK &&
                        gw_parse_int(fields[2], 0, INT64_MAX, &place) == GW_OK;
    return region || is_sequence_row(fields, count, -1e30, 1e30);
}

// As GENA-LM writes DeepSEA's set.
static bool is_row_of_labels(char *const *fields, int64_t count) {
    return is_sequence_row(fields, count, 0, 1);
}

// --- names ---------------------------------------------------------------------------------------------------------

// Of names between '|'.
static bool is_one_of(const char *name, const char *names) {
    const size_t length = strlen(name);
    for (const char *at = names; length > 0 && *at; at += strcspn(at, "|") + (at[strcspn(at, "|")] == '|'))
        if (strcspn(at, "|") == length && strncmp(at, name, length) == 0) return true;
    return false;
}

static column_kind describing_kind(const char *name, bool regions) {
    static const struct {
        const char *names;
        column_kind kind;
    } of_regions[] = {
        {"chrom|chr|contig", CONTIG}, {"start|chromStart", BEGIN}, {"end|chromEnd", END}, {"strand", STRAND}};
    if (strcmp(name, "sequence") == 0) return SEQUENCE;
    if (strcmp(name, "split") == 0) return SPLIT;
    if (strcmp(name, "tss_offset") == 0) return TSS_OFFSET;
    for (size_t i = 0; regions && i < sizeof of_regions / sizeof *of_regions; i++)
        if (is_one_of(name, of_regions[i].names)) return of_regions[i].kind;
    return !*name || is_one_of(name, "name|id|region|strand|kind") ? IGNORED : LABEL;
}

static int asked_for(const gw_labelled_options *options, const char *name) {
    for (int l = 0; l < options->label_count; l++)
        if (strcmp(options->labels[l], name) == 0) return l;
    return -1;
}

static const char *name_of(const table_reader *r, int64_t c) {
    const char *name = gw_table_header(r->table, c);
    return r->options->numbers && c == 0 && name[0] == '#' ? name + 1 : name;
}

static int64_t count_of(const table_reader *r, column_kind kind) {
    int64_t found = 0;
    for (int64_t c = 0; c < r->count; c++) found += r->columns[c].kind == kind;
    return found;
}

// What each column is. Without a header: those of BED (contig, begin, end, name, score, strand; numbers stand behind
// them, of bedGraph in the fourth), or a sequence and its labels. The part gets the names of the labels, in the order
// of the columns, or in that in which they were asked for.
static gw_status read_columns(table_reader *r) {
    enum { BED_NAME = 3, BED_STRAND = 5 };
    const gw_labelled_options *o = r->options;
    const bool headless = gw_table_is_headless(r->table);
    const bool regions = headless && o->numbers && !is_sequence(gw_table_field(r->table, 0));
    r->count = gw_table_columns(r->table);
    r->columns = gw_alloc(r->count, sizeof *r->columns);
    if (!r->columns) return GW_ERR_MEMORY;
    for (int64_t c = 0; c < r->count; c++) {
        column *is = &r->columns[c];
        const char *name = headless ? gw_table_header(r->table, c) : name_of(r, c);
        is->groups = o->group && strcmp(o->group, name) == 0;
        if (!headless) is->kind = describing_kind(name, o->numbers);
        else if (!regions) is->kind = c == 0 ? SEQUENCE : LABEL;
        else if (c < BED_NAME) is->kind = (column_kind)(CONTIG + c);
        else if (c == BED_STRAND) is->kind = STRAND;
        else is->kind = r->count > BED_STRAND && c < BED_STRAND ? IGNORED : LABEL;
        // Those that are asked for are labels, whatever they are called; without any all are that do not describe.
        if (asked_for(o, name) >= 0) is->kind = LABEL;
        else if (is->kind == LABEL && (o->label_count > 0 || is->groups || o->unlabelled || o->track_count > 0))
            is->kind = IGNORED;
        const bool used = is->kind != IGNORED && is->kind != SEQUENCE;
        if (!headless && (used || is->groups)) GW_TRY(gw_table_check_name(r->table, c));
    }
    for (int l = 0; l < o->label_count; l++) {
        bool found = false;
        for (int64_t c = 0; c < r->count; c++) found |= strcmp(name_of(r, c), o->labels[l]) == 0;
        if (!found) return gw_table_lacks(r->table, o->labels[l]);
        if (asked_for(o, o->labels[l]) < l)
            return gw_fail(GW_ERR_MISMATCH, "the column of labels \"%s\" is named twice", o->labels[l]);
    }
    bool grouped = !o->group;
    for (int64_t c = 0; c < r->count; c++) grouped |= r->columns[c].groups;
    if (!grouped) return gw_table_lacks(r->table, o->group);
    // One column of sequences or, of numbers, regions.
    const int64_t sequences = count_of(r, SEQUENCE);
    if (sequences > 1)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "the header needs one column named sequence, found %lld",
                             (long long)sequences);
    if (sequences == 0 && (count_of(r, CONTIG) != 1 || count_of(r, BEGIN) != 1 || count_of(r, END) != 1))
        return gw_table_lacks(r->table, o->numbers ? "sequence, or chrom, start and end" : "sequence");
    if (sequences == 0 && !r->part->genome)
        return gw_table_fail(r->table, GW_ERR_UNSUPPORTED, "rows are regions: they need their genome (-f ref.fa)");
    for (int64_t c = 0; sequences == 1 && c < r->count; c++)
        if (r->columns[c].kind >= CONTIG) r->columns[c].kind = IGNORED;
    r->part->label_names = gw_alloc(r->count, sizeof *r->part->label_names);
    if (!r->part->label_names) return GW_ERR_MEMORY;
    for (int64_t c = 0, next = 0; c < r->count; c++) {
        if (r->columns[c].kind != LABEL) continue;
        const int64_t label = o->label_count > 0 ? asked_for(o, name_of(r, c)) : next++;
        char *name = headless ? gw_strprintf("label_%lld", (long long)c) : gw_strdup(name_of(r, c));
        if (!name) return GW_ERR_MEMORY;
        r->columns[c].label = label;
        r->part->label_names[label] = name;
        r->part->labels++;
    }
    return count_of(r, SPLIT) > 0 ? GW_OK : gw_no_splits(o, r->path);
}

// --- rows ----------------------------------------------------------------------------------------------------------

static gw_status add_sequence(table_reader *r, const char *text) {
    gw_labelled_source *part = r->part;
    const int64_t length = (int64_t)strlen(text);
    if (length == 0) return gw_table_fail(r->table, GW_ERR_FORMAT, "the sequence is empty");
    for (const char *c = text; *c; c++)
        if (!isalpha((unsigned char)*c)) {
            const long long base = c - text + 1;
            if (isprint((unsigned char)*c))
                return gw_table_fail(r->table, GW_ERR_FORMAT, "'%c' at base %lld is not a letter", *c, base);
            return gw_table_fail(r->table, GW_ERR_FORMAT, "%s at base %lld is not a letter",
                                 *c == '\n' ? "a line break" : "an unprintable byte", base);
        }
    GW_TRY(gw_reserve(&part->bases, &r->base_capacity, r->bases + length, 1));
    GW_TRY(gw_reserve(&part->base_start, &r->start_capacity, part->count + 2, sizeof *part->base_start));
    memcpy(part->bases + r->bases, text, (size_t)length);
    gw_normalise_bases(part->bases + r->bases, length);
    part->base_start[part->count] = r->bases;
    r->bases += length;
    part->base_start[part->count + 1] = r->bases;
    return GW_OK;
}

static bool is_missing(const char *text) {
    return gw_is_missing(text) || strcasecmp(text, "nan") == 0;
}

static gw_status read_value(const table_reader *r, int64_t c, float *value) {
    const bool numbers = r->options->numbers;
    const char *text = gw_table_field(r->table, c);
    double number = NAN;
    if (is_missing(text) && (!numbers || r->options->missing)) {
        *value = NAN;
        return GW_OK;
    }
    const gw_status status = gw_parse_double(text, numbers ? -1e30 : 0, numbers ? 1e30 : 1, &number);
    *value = (float)number;
    if (status == GW_OK) return GW_OK;
    return gw_table_fail(r->table, status, "label column '%s': %s%s", gw_table_header(r->table, c), gw_message(),
                         !numbers           ? ""
                         : is_missing(text) ? "; --missing leaves such numbers out"
                                            : "; --label names the columns of numbers");
}

// The region whose contig, begin and end stand in columns of their own.
static gw_status add_region(table_reader *r) {
    gw_labelled_source *part = r->part;
    char *fields[3] = {NULL};
    gw_region_row row;
    char strand = '.';
    for (int64_t c = 0; c < r->count; c++) {
        const column_kind kind = r->columns[c].kind;
        char *field = (char *)gw_table_field(r->table, c);
        if (kind >= CONTIG && kind <= END) fields[kind - CONTIG] = field;
        if (kind == STRAND && field[0] == '-') strand = '-';
    }
    const gw_status status = gw_labelled_region_place(part->genome, &r->last_contig, fields, &row);
    if (status != GW_OK) return gw_table_fail(r->table, status, "%s", gw_message());
    row.strand = strand;
    GW_TRY(gw_reserve(&part->regions, &r->region_capacity, part->count + 1, sizeof *part->regions));
    part->regions[part->count] = row;
    return GW_OK;
}

// Takes the row whose fields are split.
static gw_status take_row(table_reader *r) {
    gw_labelled_source *part = r->part;
    r->row++;
    for (int64_t c = 0; c < r->count; c++)
        if (r->columns[c].kind == SPLIT && !gw_split_wanted(r->options, gw_table_field(r->table, c))) return GW_OK;
    GW_TRY(gw_reserve(&part->values, &r->value_capacity, (part->count + 1) * part->labels, sizeof *part->values));
    for (int64_t c = 0; c < r->count; c++) {
        const char *field = gw_table_field(r->table, c);
        if (r->columns[c].kind == SEQUENCE) GW_TRY(add_sequence(r, field));
        if (r->columns[c].kind == CONTIG) GW_TRY(add_region(r));
        if (r->columns[c].kind == TSS_OFFSET) { // of the set, where every row has the same
            int64_t offset = -1;
            if (!is_missing(field) && strcmp(field, ".") != 0) {
                const gw_status status = gw_parse_int(field, 0, INT32_MAX, &offset);
                if (status != GW_OK) return gw_table_fail(r->table, status, "tss_offset: %s", gw_message());
            }
            if (part->count == 0) part->tss_offset = offset;
            else if (part->tss_offset != offset) part->tss_offset = -1;
        }
        if (r->columns[c].groups) {
            GW_TRY(gw_reserve(&part->groups, &r->group_capacity, part->count + 1, sizeof *part->groups));
            if (!(part->groups[part->count] = gw_strdup(field))) return GW_ERR_MEMORY;
        }
    }
    for (int64_t c = 0; c < r->count; c++)
        if (r->columns[c].kind == LABEL)
            GW_TRY(read_value(r, c, part->values + part->count * part->labels + r->columns[c].label));
    GW_TRY(gw_reserve(&part->row, &r->row_capacity, part->count + 1, sizeof *part->row));
    part->row[part->count++] = r->row;
    return GW_OK;
}

// --- tracks: a contig's signal is read once, and looked up for each of its regions ---------------------------------

// The mean over the bases of each region that have a value; NaN: none has.
static gw_status read_contig(const gw_labelled_options *o, gw_labelled_source *part, int contig, int track) {
    const gw_region whole = {.contig = contig, .end = gw_genome_length(part->genome, contig)};
    gw_track_values values = {0};
    gw_status status = gw_track_read(o->tracks[track], part->genome, &whole, &values);
    for (int64_t i = 0; status == GW_OK && i < part->count; i++) {
        const gw_region_row *region = &part->regions[i];
        if (region->contig != contig) continue;
        int64_t bases = 0;
        double sum = 0;
        for (int64_t k = GW_FIRST_NOT(j, values.count, values.items[j].end <= region->begin);
             k < values.count && values.items[k].begin < region->end; k++) {
            const gw_track_value *v = &values.items[k];
            const int64_t length = gw_min(v->end, region->end) - gw_max(v->begin, region->begin);
            sum += v->value * (double)length;
            bases += length;
        }
        const double mean = bases > 0 ? sum / (double)bases : NAN;
        part->values[i * part->labels + track] = (float)mean;
        if (isnan(mean) && !o->missing)
            status = gw_fail(GW_ERR_MISMATCH, "%s has no value on %s:%lld-%lld; --missing leaves such numbers out",
                             o->tracks[track], gw_genome_name(part->genome, contig), (long long)region->begin + 1,
                             (long long)region->end);
    }
    gw_track_values_free(&values);
    return status;
}

// Gives a part of regions without labels one for each of the options' tracks (seq/track/track.h), called as the file is
// without its ending: the mean over the region's bases that have a value. A region without any is missing where that is
// asked for, else an error.
static gw_status read_tracks(const gw_labelled_options *o, gw_labelled_source *part) {
    if (!part->regions) return gw_fail(GW_ERR_MISMATCH, "--track needs a set of regions; this set has sequences");
    const int contigs = gw_genome_contigs(part->genome);
    bool *met = gw_alloc(contigs, sizeof *met);
    free(part->label_names);
    part->label_names = gw_alloc(o->track_count, sizeof *part->label_names);
    part->values = gw_alloc(part->count * o->track_count, sizeof *part->values);
    gw_status status = met && part->label_names && part->values ? GW_OK : GW_ERR_MEMORY;
    for (; status == GW_OK && part->labels < o->track_count; part->labels++)
        if (!(part->label_names[part->labels] = gw_label_of_file(o->tracks[part->labels]))) status = GW_ERR_MEMORY;
    for (int64_t i = 0; met && i < part->count; i++) met[part->regions[i].contig] = true;
    for (int t = 0; t < o->track_count; t++)
        for (int c = 0; status == GW_OK && c < contigs; c++) {
            if (met[c]) status = read_contig(o, part, c, t);
            if (status == GW_OK) status = gw_check_interrupt();
        }
    free(met);
    return status;
}

gw_status gw_labelled_table_read(const char *path, const gw_labelled_options *options, gw_labelled_source *part) {
    const gw_table_options table = {.fields = true, .is_row = options->numbers ? is_row_of_numbers : is_row_of_labels};
    *part = (gw_labelled_source){.tss_offset = -1, .genome = options->genome};
    table_reader r = {.path = path, .options = options, .part = part, .last_contig = -1};
    GW_TRY(gw_table_open(path, &table, &r.table));
    gw_status status = read_columns(&r);
    for (bool found = true; status == GW_OK && found;) {
        status = gw_table_next(r.table, &found);
        if (status == GW_OK && found) status = take_row(&r);
        if (status == GW_OK && found && r.row % 4096 == 0) status = gw_check_interrupt();
    }
    if (status == GW_OK && options->track_count > 0) status = read_tracks(options, part);
    gw_table_close(r.table);
    free(r.columns);
    return status;
}
