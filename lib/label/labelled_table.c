// SPDX-License-Identifier: MIT
// Columns by their names. Without a header they are a sequence and its labels, or the columns of BED.
#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/table.h"
#include "label/labelled_source.h"
#include "seq/track/track.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
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

// A contig's signal is read once, and looked up for each of its regions.

// The file's name without folders and what follows its last dot, and without .gz before that.
static char *track_name(const char *path) {
    const char *slash = strrchr(path, '/');
    char *name = gw_strdup(slash ? slash + 1 : path);
    for (int i = 0; name && i < 2; i++) {
        char *dot = strrchr(name, '.');
        const bool packed = dot && strcmp(dot, ".gz") == 0;
        if (dot && dot != name) *dot = 0;
        if (!packed) break;
    }
    return name;
}

// Over the bases that have a value; NaN: none has.
static double mean_over(const gw_track_values *values, const gw_region_row *region) {
    int64_t low = 0, high = values->count, bases = 0;
    double sum = 0;
    while (low < high) { // the first stretch that ends behind the region's begin
        const int64_t middle = (low + high) / 2;
        if (values->items[middle].end > region->begin) high = middle;
        else low = middle + 1;
    }
    for (; low < values->count && values->items[low].begin < region->end; low++) {
        const gw_track_value *v = &values->items[low];
        const int64_t begin = v->begin > region->begin ? v->begin : region->begin;
        const int64_t end = v->end < region->end ? v->end : region->end;
        sum += v->value * (double)(end - begin);
        bases += end - begin;
    }
    return bases > 0 ? sum / (double)bases : NAN;
}

static gw_status read_contig(const gw_labelled_options *o, gw_labelled_source *part, int contig, int track) {
    const gw_region whole = {.contig = contig, .end = gw_genome_length(part->genome, contig)};
    gw_track_values values = {0};
    gw_status status = gw_track_read(o->tracks[track], part->genome, &whole, &values);
    for (int64_t i = 0; status == GW_OK && i < part->count; i++) {
        const gw_region_row *region = &part->regions[i];
        if (region->contig != contig) continue;
        const double mean = mean_over(&values, region);
        part->values[i * part->labels + track] = (float)mean;
        if (isnan(mean) && !o->missing)
            status = gw_fail(GW_ERR_MISMATCH, "%s has no value on %s:%lld-%lld; --missing leaves such numbers out",
                             o->tracks[track], gw_genome_name(part->genome, contig), (long long)region->begin + 1,
                             (long long)region->end);
    }
    gw_track_values_free(&values);
    return status;
}

gw_status gw_track_labels_read(const gw_labelled_options *o, gw_labelled_source *part) {
    if (!part->regions) return gw_fail(GW_ERR_MISMATCH, "--track gives regions their numbers, the set has sequences");
    const int contigs = gw_genome_contigs(part->genome);
    bool *met = gw_alloc(contigs, sizeof *met);
    free(part->label_names);
    part->label_names = gw_alloc(o->track_count, sizeof *part->label_names);
    part->values = gw_alloc(part->count * o->track_count, sizeof *part->values);
    gw_status status = met && part->label_names && part->values ? GW_OK : GW_ERR_MEMORY;
    for (; status == GW_OK && part->labels < o->track_count; part->labels++)
        if (!(part->label_names[part->labels] = track_name(o->tracks[part->labels]))) status = GW_ERR_MEMORY;
    for (int64_t i = 0; met && i < part->count; i++) met[part->regions[i].contig] = true;
    for (int t = 0; t < o->track_count; t++)
        for (int c = 0; status == GW_OK && c < contigs; c++) {
            if (met[c]) status = read_contig(o, part, c, t);
            if (status == GW_OK) status = gw_check_interrupt();
        }
    free(met);
    return status;
}

// Tables row by row: a sequence or a region, and the values of the label columns.

typedef struct {
    gw_table *table;
    const char *path;
    const gw_labelled_options *options;
    gw_labelled_source *part;
    gw_labelled_column *columns; // [column_count]
    int64_t column_count;
    int64_t row; // of the file
    int last_contig;
    int64_t base_capacity, start_capacity, region_capacity, row_capacity, value_capacity, group_capacity, bases;
} table_reader;

static gw_status read_columns(table_reader *r) {
    r->column_count = gw_table_columns(r->table);
    r->columns = gw_alloc(r->column_count, sizeof *r->columns);
    if (!r->columns) return GW_ERR_MEMORY;
    GW_TRY(gw_labelled_columns_read(r->table, r->options, r->columns, r->part));
    for (int64_t c = 0; c < r->column_count; c++)
        if (r->columns[c].kind == GW_COLUMN_SPLIT) return GW_OK;
    return gw_no_splits(r->options, r->path);
}

static gw_status no_letter(const table_reader *r, char found, int64_t base) {
    if (isprint((unsigned char)found))
        return gw_table_fail(r->table, GW_ERR_FORMAT, "'%c' at base %lld is no letter", found, (long long)base);
    return gw_table_fail(r->table, GW_ERR_FORMAT, "%s at base %lld is no letter",
                         found == '\n' ? "a line break" : "an unprintable byte", (long long)base);
}

static gw_status add_sequence(table_reader *r, const char *text) {
    gw_labelled_source *part = r->part;
    const int64_t length = (int64_t)strlen(text);
    if (length == 0) return gw_table_fail(r->table, GW_ERR_FORMAT, "the sequence is empty");
    for (const char *c = text; *c; c++)
        if (!isalpha((unsigned char)*c)) return no_letter(r, *c, c - text + 1);
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
    return !*text || strcmp(text, "NA") == 0 || strcasecmp(text, "nan") == 0;
}

static gw_status read_value(const table_reader *r, int64_t column, float *value) {
    const bool numbers = r->options->numbers;
    const char *text = gw_table_field(r->table, column);
    double number = NAN;
    if (is_missing(text) && (!numbers || r->options->missing)) {
        *value = NAN;
        return GW_OK;
    }
    const gw_status status = gw_parse_double(text, numbers ? -1e30 : 0, numbers ? 1e30 : 1, &number);
    *value = (float)number;
    if (status == GW_OK) return GW_OK;
    return gw_table_fail(r->table, status, "label column '%s': %s%s", gw_table_header(r->table, column), gw_message(),
                         !numbers           ? ""
                         : is_missing(text) ? "; --missing leaves such numbers out"
                                            : "; --label names the columns of numbers");
}

static gw_status add_values(table_reader *r) {
    gw_labelled_source *part = r->part;
    GW_TRY(gw_reserve(&part->values, &r->value_capacity, (part->count + 1) * part->labels, sizeof *part->values));
    float *values = part->values + part->count * part->labels;
    for (int64_t c = 0; c < r->column_count; c++)
        if (r->columns[c].kind == GW_COLUMN_LABEL) GW_TRY(read_value(r, c, values + r->columns[c].label));
    return GW_OK;
}

// The region whose contig, begin and end stand in columns of their own.
static gw_status add_region(table_reader *r) {
    gw_labelled_source *part = r->part;
    char *fields[3] = {NULL};
    gw_region_row row;
    char strand = '.';
    for (int64_t c = 0; c < r->column_count; c++) {
        const gw_column_kind kind = r->columns[c].kind;
        char *field = (char *)gw_table_field(r->table, c);
        if (kind >= GW_COLUMN_CONTIG && kind <= GW_COLUMN_END) fields[kind - GW_COLUMN_CONTIG] = field;
        if (kind == GW_COLUMN_STRAND && field[0] == '-') strand = '-';
    }
    const gw_status status = gw_labelled_region_place(part->genome, &r->last_contig, fields, &row);
    if (status != GW_OK) return gw_table_fail(r->table, status, "%s", gw_message());
    row.strand = strand;
    GW_TRY(gw_reserve(&part->regions, &r->region_capacity, part->count + 1, sizeof *part->regions));
    part->regions[part->count] = row;
    return GW_OK;
}

static gw_status add_group(table_reader *r, const char *text) {
    gw_labelled_source *part = r->part;
    GW_TRY(gw_reserve(&part->groups, &r->group_capacity, part->count + 1, sizeof *part->groups));
    part->groups[part->count] = gw_strdup(text);
    return part->groups[part->count] ? GW_OK : GW_ERR_MEMORY;
}

// The TSS offset is a property of the set where every row has the same.
static gw_status note_tss_offset(table_reader *r, const char *text) {
    int64_t offset = -1;
    if (!is_missing(text) && strcmp(text, ".") != 0) {
        const gw_status status = gw_parse_int(text, 0, INT32_MAX, &offset);
        if (status != GW_OK) return gw_table_fail(r->table, status, "tss_offset: %s", gw_message());
    }
    if (r->part->count == 0) r->part->tss_offset = offset;
    else if (r->part->tss_offset != offset) r->part->tss_offset = -1;
    return GW_OK;
}

// Takes the row whose fields are split.
static gw_status take_row(table_reader *r) {
    r->row++;
    for (int64_t c = 0; c < r->column_count; c++)
        if (r->columns[c].kind == GW_COLUMN_SPLIT && !gw_split_wanted(r->options, gw_table_field(r->table, c)))
            return GW_OK;
    for (int64_t c = 0; c < r->column_count; c++) {
        const char *field = gw_table_field(r->table, c);
        if (r->columns[c].kind == GW_COLUMN_SEQUENCE) GW_TRY(add_sequence(r, field));
        if (r->columns[c].kind == GW_COLUMN_CONTIG) GW_TRY(add_region(r));
        if (r->columns[c].kind == GW_COLUMN_TSS_OFFSET) GW_TRY(note_tss_offset(r, field));
        if (r->columns[c].groups) GW_TRY(add_group(r, field));
    }
    if (r->part->labels > 0) GW_TRY(add_values(r));
    GW_TRY(gw_reserve(&r->part->row, &r->row_capacity, r->part->count + 1, sizeof *r->part->row));
    r->part->row[r->part->count++] = r->row;
    return GW_OK;
}

static gw_status read_rows(table_reader *r) {
    for (bool found;;) {
        GW_TRY(gw_table_next(r->table, &found));
        if (!found) return GW_OK;
        GW_TRY(take_row(r));
        if (r->row % 4096 == 0) GW_TRY(gw_check_interrupt());
    }
}

gw_status gw_labelled_table_read(const char *path, const gw_labelled_options *options, gw_labelled_source *part) {
    const gw_table_options table = {.fields = true, .is_row = gw_labelled_is_row(options)};
    *part = (gw_labelled_source){.tss_offset = -1, .genome = options->genome};
    table_reader r = {.path = path, .options = options, .part = part, .last_contig = -1};
    GW_TRY(gw_table_open(path, &table, &r.table));
    gw_status status = read_columns(&r);
    if (status == GW_OK) status = read_rows(&r);
    if (status == GW_OK && options->track_count > 0) status = gw_track_labels_read(options, part);
    gw_table_close(r.table);
    free(r.columns);
    if (status != GW_OK) gw_labelled_source_free(part);
    return status;
}
