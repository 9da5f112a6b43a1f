// SPDX-License-Identifier: MIT
// Columns by their names. Without a header they are a sequence and its labels, or the columns of BED.
#include "label/labelled_source.h"

#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"

#include <string.h>

typedef struct {
    gw_table *table;
    const gw_labelled_options *options;
    gw_labelled_column *columns;
    int64_t count;
    gw_labelled_source *part;
} column_reader;

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

static bool is_row_of_labels(char *const *fields, int64_t count) {
    return is_sequence_row(fields, count, 0, 1);
}

static bool is_row_of_numbers(char *const *fields, int64_t count) {
    int64_t place;
    const bool region = count > 3 && fields[0][0] != '#' && gw_parse_int(fields[1], 0, INT64_MAX, &place) == GW_OK &&
                        gw_parse_int(fields[2], 0, INT64_MAX, &place) == GW_OK;
    return region || is_sequence_row(fields, count, -1e30, 1e30);
}

bool (*gw_labelled_is_row(const gw_labelled_options *options))(char *const *fields, int64_t count) {
    return options->numbers ? is_row_of_numbers : is_row_of_labels;
}

// --- names ---------------------------------------------------------------------------------------------------------

// Of names between '|'.
static bool is_one_of(const char *name, const char *names) {
    const size_t length = strlen(name);
    for (const char *at = names; length > 0 && *at; at += strcspn(at, "|") + (at[strcspn(at, "|")] == '|'))
        if (strcspn(at, "|") == length && strncmp(at, name, length) == 0) return true;
    return false;
}

static gw_column_kind describing_kind(const char *name, bool regions) {
    static const struct {
        const char *names;
        gw_column_kind kind;
    } of_regions[] = {{"chrom|chr|contig", GW_COLUMN_CONTIG},
                      {"start|chromStart", GW_COLUMN_BEGIN},
                      {"end|chromEnd", GW_COLUMN_END},
                      {"strand", GW_COLUMN_STRAND}};
    if (strcmp(name, "sequence") == 0) return GW_COLUMN_SEQUENCE;
    if (strcmp(name, "split") == 0) return GW_COLUMN_SPLIT;
    if (strcmp(name, "tss_offset") == 0) return GW_COLUMN_TSS_OFFSET;
    for (size_t i = 0; regions && i < sizeof of_regions / sizeof *of_regions; i++)
        if (is_one_of(name, of_regions[i].names)) return of_regions[i].kind;
    return !*name || is_one_of(name, "name|id|region|strand|kind") ? GW_COLUMN_IGNORED : GW_COLUMN_LABEL;
}

static int asked_for(const gw_labelled_options *options, const char *name) {
    for (int l = 0; l < options->label_count; l++)
        if (strcmp(options->labels[l], name) == 0) return l;
    return -1;
}

// Those that are asked for are labels, whatever they are called; without any all are that do not describe.
static void choose(const gw_labelled_options *o, const char *name, gw_labelled_column *column) {
    const bool others = o->label_count > 0 || column->groups;
    if (asked_for(o, name) >= 0) column->kind = GW_COLUMN_LABEL;
    else if (column->kind == GW_COLUMN_LABEL && (others || o->unlabelled || o->track_count > 0))
        column->kind = GW_COLUMN_IGNORED;
}

static void take_name(column_reader *r, int64_t c, const char *name) {
    const gw_labelled_options *o = r->options;
    gw_labelled_column *column = &r->columns[c];
    column->groups = o->group && strcmp(o->group, name) == 0;
    column->kind = describing_kind(name, o->numbers);
    choose(o, name, column);
}

static const char *name_of(const column_reader *r, int64_t c) {
    const char *name = gw_table_header(r->table, c);
    return r->options->numbers && c == 0 && name[0] == '#' ? name + 1 : name;
}

// The columns of BED: contig, begin, end, name, score, strand; numbers stand behind them, of bedGraph in the fourth.
static gw_column_kind bed_kind(int64_t c, int64_t count) {
    enum { NAME = 3, STRAND = 5 };
    if (c < NAME) return (gw_column_kind)(GW_COLUMN_CONTIG + c);
    if (count <= STRAND || c > STRAND) return GW_COLUMN_LABEL;
    return c == STRAND ? GW_COLUMN_STRAND : GW_COLUMN_IGNORED;
}

static void take_place(column_reader *r, int64_t c, bool regions) {
    const gw_labelled_options *o = r->options;
    const char *name = gw_table_header(r->table, c);
    gw_labelled_column *column = &r->columns[c];
    column->groups = o->group && strcmp(o->group, name) == 0;
    column->kind = regions ? bed_kind(c, r->count) : c == 0 ? GW_COLUMN_SEQUENCE : GW_COLUMN_LABEL;
    choose(o, name, column);
}

// --- all columns ---------------------------------------------------------------------------------------------------

static int64_t count_of(const column_reader *r, gw_column_kind kind) {
    int64_t found = 0;
    for (int64_t c = 0; c < r->count; c++) found += r->columns[c].kind == kind;
    return found;
}

// One column of sequences or, of numbers, regions.
static gw_status check_places(column_reader *r) {
    const int64_t sequences = count_of(r, GW_COLUMN_SEQUENCE);
    const bool regions =
        count_of(r, GW_COLUMN_CONTIG) == 1 && count_of(r, GW_COLUMN_BEGIN) == 1 && count_of(r, GW_COLUMN_END) == 1;
    if (sequences > 1)
        return gw_table_fail(r->table, GW_ERR_FORMAT, "the header needs one column named sequence, found %lld",
                             (long long)sequences);
    if (sequences == 0 && !regions)
        return gw_table_lacks(r->table, r->options->numbers ? "sequence, or chrom, start and end" : "sequence");
    if (sequences == 0 && !r->part->genome)
        return gw_table_fail(r->table, GW_ERR_UNSUPPORTED, "rows are regions: they need their genome (-f ref.fa)");
    for (int64_t c = 0; sequences == 1 && c < r->count; c++)
        if (r->columns[c].kind >= GW_COLUMN_CONTIG) r->columns[c].kind = GW_COLUMN_IGNORED;
    return GW_OK;
}

// Labels in the order of the columns, or in that in which they were asked for.
static gw_status number_labels(column_reader *r) {
    const gw_labelled_options *o = r->options;
    r->part->label_names = gw_alloc(r->count, sizeof *r->part->label_names);
    if (!r->part->label_names) return GW_ERR_MEMORY;
    for (int64_t c = 0, next = 0; c < r->count; c++) {
        if (r->columns[c].kind != GW_COLUMN_LABEL) continue;
        const int64_t label = o->label_count > 0 ? asked_for(o, name_of(r, c)) : next++;
        char *name =
            gw_table_is_headless(r->table) ? gw_strprintf("label_%lld", (long long)c) : gw_strdup(name_of(r, c));
        if (!name) return GW_ERR_MEMORY;
        r->columns[c].label = label;
        r->part->label_names[label] = name;
        r->part->labels++;
    }
    return GW_OK;
}

static gw_status check_asked(const column_reader *r) {
    bool grouped = !r->options->group;
    for (int l = 0; l < r->options->label_count; l++) {
        bool found = false;
        for (int64_t c = 0; c < r->count; c++) found |= strcmp(name_of(r, c), r->options->labels[l]) == 0;
        if (!found) return gw_table_lacks(r->table, r->options->labels[l]);
        for (int other = 0; other < l; other++)
            if (strcmp(r->options->labels[l], r->options->labels[other]) == 0)
                return gw_fail(GW_ERR_MISMATCH, "the column of labels \"%s\" is asked for twice",
                               r->options->labels[l]);
    }
    for (int64_t c = 0; c < r->count; c++) grouped |= r->columns[c].groups;
    return grouped ? GW_OK : gw_table_lacks(r->table, r->options->group);
}

gw_status gw_labelled_columns_read(gw_table *table, const gw_labelled_options *options, gw_labelled_column *columns,
                                   gw_labelled_source *part) {
    column_reader r = {table, options, columns, gw_table_columns(table), part};
    const bool headless = gw_table_is_headless(table);
    const bool regions = headless && options->numbers && !is_sequence(gw_table_field(table, 0));
    for (int64_t c = 0; c < r.count; c++) {
        if (headless) take_place(&r, c, regions);
        else take_name(&r, c, name_of(&r, c));
        const bool used = columns[c].kind != GW_COLUMN_IGNORED && columns[c].kind != GW_COLUMN_SEQUENCE;
        if (!headless && (used || columns[c].groups)) GW_TRY(gw_table_check_name(table, c));
    }
    GW_TRY(check_asked(&r));
    GW_TRY(check_places(&r));
    return number_labels(&r);
}
