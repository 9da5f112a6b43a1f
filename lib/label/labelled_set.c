// SPDX-License-Identifier: MIT
// Several parts as one list. An example is stored as its number in the concatenation of the parts.
#include "label/labelled_set.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "label/held_out.h"
#include "label/labelled_source.h"
#include "label/row_file.h"
#include "seq/genes/tss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gw_labelled_set {
    gw_labelled_source *parts; // [part_count]
    int part_count;
    int64_t *first; // [part_count + 1] number of each part's first example
    int64_t *kept;  // [count] examples that are served, ascending
    int64_t count, shortest, longest;
    char *window; // [2][longest] bases of a region and of its reverse complement
};

void gw_labelled_set_close(gw_labelled_set *set) {
    if (!set) return;
    for (int p = 0; p < set->part_count; p++) gw_labelled_source_free(&set->parts[p]);
    free(set->parts);
    free(set->first);
    free(set->kept);
    free(set->window);
    free(set);
}

static gw_status new_set(int parts, gw_labelled_set **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    (*out)->parts = gw_alloc(parts, sizeof *(*out)->parts);
    (*out)->first = gw_alloc(parts + 1, sizeof *(*out)->first);
    return (*out)->parts && (*out)->first ? GW_OK : GW_ERR_MEMORY;
}

// PREFIX, PREFIX.bed.gz and PREFIX.bed name a set of regions, PREFIX and PREFIX.bases one of packed windows; any other
// name is a table.
static gw_status read_part(const char *path, const gw_labelled_options *options, gw_labelled_source *part) {
    static const struct {
        const char *ending;
        gw_status (*read)(const char *prefix, const char *file, const gw_labelled_options *options,
                          gw_labelled_source *part);
    } kinds[] = {
        {".bed.gz", gw_labelled_regions_read}, {".bed", gw_labelled_regions_read}, {".bases", gw_labelled_bases_read}};
    const size_t length = strlen(path);
    for (size_t i = 0; !options->numbers && i < sizeof kinds / sizeof kinds[0]; i++) {
        const bool named = gw_has_suffix(path, kinds[i].ending);
        char *prefix = gw_strndup(path, named ? length - strlen(kinds[i].ending) : length);
        char *file = prefix ? gw_strprintf("%s%s", prefix, kinds[i].ending) : NULL;
        const bool found = file && (named || gw_file_exists(file));
        gw_status status = file ? GW_OK : GW_ERR_MEMORY;
        if (found) status = kinds[i].read(prefix, file, options, part);
        free(prefix);
        free(file);
        if (found || status != GW_OK) return status;
    }
    return gw_labelled_table_read(path, options, part);
}

static int64_t part_length(const gw_labelled_source *part, int64_t i) {
    if (part->windows) return gw_row_file_width(part->windows);
    if (part->regions) return part->regions[i].end - part->regions[i].begin;
    return part->base_start[i + 1] - part->base_start[i];
}

// Numbers the examples of a set whose parts were read, and measures them; closes it where anything failed.
static gw_status finish(gw_status status, gw_labelled_set **out) {
    gw_labelled_set *set = *out;
    if (status == GW_OK) set->shortest = INT64_MAX;
    for (int p = 0; status == GW_OK && p < set->part_count; p++) {
        const gw_labelled_source *part = &set->parts[p];
        set->first[p + 1] = set->first[p] + part->count;
        for (int64_t i = 0; i < part->count; i++) {
            set->shortest = gw_min(set->shortest, part_length(part, i));
            set->longest = gw_max(set->longest, part_length(part, i));
        }
    }
    if (status == GW_OK) {
        set->count = set->first[set->part_count];
        if (set->count == 0) set->shortest = 0;
        set->kept = gw_alloc(set->count, sizeof *set->kept);
        set->window = gw_alloc(2 * set->longest, 1);
        if (!set->kept || !set->window) status = GW_ERR_MEMORY;
    }
    if (status != GW_OK) {
        gw_labelled_set_close(set);
        *out = NULL;
        return status;
    }
    for (int64_t i = 0; i < set->count; i++) set->kept[i] = i;
    return GW_OK;
}

gw_status gw_labelled_set_open(const char *const *paths, int count, const gw_labelled_options *options,
                               gw_labelled_set **out) {
    const int parts = count + options->negative_count;
    int64_t examples = 0;
    gw_status status = new_set(parts, out);
    for (int p = 0; status == GW_OK && p < parts; p++) {
        gw_labelled_source *part = &(*out)->parts[(*out)->part_count++];
        if (options->negative_count == 0) status = read_part(paths[p], options, part);
        else if (p < count) status = gw_labelled_fasta_read(paths[p], options, GW_POSITIVES, 0, part);
        else status = gw_labelled_fasta_read(options->negatives[p - count], options, GW_NEGATIVES, 0, part);
        const gw_labelled_source *first = (*out)->parts;
        if (status == GW_OK && p > 0 && p < count && part->labels != first->labels)
            status = gw_fail(GW_ERR_MISMATCH, "%s has %lld labels, the set before it %lld", paths[p],
                             (long long)part->labels, (long long)first->labels);
        for (int64_t l = 0; status == GW_OK && p > 0 && p < count && l < part->labels; l++)
            if (strcmp(part->label_names[l], first->label_names[l]) != 0)
                status = gw_fail(GW_ERR_MISMATCH, "%s: label %lld is %s, in the set before it %s", paths[p],
                                 (long long)l + 1, part->label_names[l], first->label_names[l]);
        examples += part->count;
    }
    if (status == GW_OK && examples == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s holds no example%s%s", paths[0], options->split ? " of split " : "",
                         options->split ? options->split : "");
    return finish(status, out);
}

gw_status gw_labelled_set_of_fasta(const char *path, int64_t most, gw_labelled_set **out) {
    const gw_labelled_options every = {0};
    gw_status status = new_set(1, out);
    if (status == GW_OK) {
        (*out)->part_count = 1;
        status = gw_labelled_fasta_read(path, &every, GW_UNLABELLED, most, (*out)->parts);
    }
    return finish(status, out);
}

gw_status gw_labelled_set_of_regions(gw_genome *genome, const gw_regions *regions, int64_t width, int64_t tss_offset,
                                     int64_t *left_out, gw_labelled_set **out) {
    *left_out = 0;
    gw_status status = new_set(1, out);
    if (status != GW_OK) return finish(status, out);
    (*out)->part_count = 1;
    gw_labelled_source *part = &(*out)->parts[0];
    *part = (gw_labelled_source){.genome = genome, .tss_offset = tss_offset};
    part->regions = gw_alloc(regions->count, sizeof *part->regions);
    bool named = false;
    for (int64_t i = 0; i < regions->count; i++) named |= regions->items[i].name != NULL;
    if (named) part->names = gw_alloc(regions->count, sizeof *part->names);
    if (!part->regions || (named && !part->names)) status = GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < regions->count; i++) {
        const gw_region *r = &regions->items[i];
        gw_region_row row = {.contig = r->contig, .begin = r->begin, .end = r->end, .strand = r->strand};
        if (width > 0 && row.end - row.begin != width && tss_offset >= 0) {
            gw_tss_window(gw_tss_position(r), r->strand, tss_offset, width - tss_offset, &row.begin, &row.end);
        } else if (width > 0) {
            row.begin += (row.end - row.begin) / 2 - width / 2;
            row.end = row.begin + width;
        }
        if (row.begin < 0 || row.end > gw_genome_length(genome, row.contig) || row.begin >= row.end) {
            ++*left_out;
            continue;
        }
        if (named && !(part->names[part->count] = gw_strdup(r->name ? r->name : "."))) status = GW_ERR_MEMORY;
        if (status == GW_OK) part->regions[part->count++] = row;
    }
    return finish(status, out);
}

int64_t gw_labelled_set_count(const gw_labelled_set *set) {
    return set->count;
}

int64_t gw_labelled_set_labels(const gw_labelled_set *set) {
    return set->parts[0].labels;
}

const char *gw_labelled_set_label_name(const gw_labelled_set *set, int64_t label) {
    return set->parts[0].label_names[label];
}

int64_t gw_labelled_set_shortest(const gw_labelled_set *set) {
    return set->shortest;
}

int64_t gw_labelled_set_longest(const gw_labelled_set *set) {
    return set->longest;
}

int64_t gw_labelled_set_bin(const gw_labelled_set *set) {
    int64_t bin = set->parts[0].bin;
    for (int p = 1; p < set->part_count; p++)
        if (set->parts[p].bin != bin) bin = 0;
    return bin;
}

int64_t gw_labelled_set_tss_offset(const gw_labelled_set *set) {
    int64_t offset = set->parts[0].tss_offset;
    for (int p = 1; p < set->part_count; p++)
        if (set->parts[p].tss_offset != offset) offset = -1;
    return offset;
}

// The part of example i, and its number there.
static const gw_labelled_source *locate(const gw_labelled_set *set, int64_t i, int64_t *row) {
    const int64_t example = set->kept[i];
    int p = 0;
    while (example >= set->first[p + 1]) p++;
    *row = example - set->first[p];
    return &set->parts[p];
}

gw_status gw_labelled_set_shifted_bases(gw_labelled_set *set, int64_t i, int64_t shift, const char **bases,
                                        int64_t *length) {
    int64_t row;
    const gw_labelled_source *part = locate(set, i, &row);
    *length = part_length(part, row);
    if (part->regions) { // what stands there on the contig, whose ends may hold back
        const gw_region_row *r = &part->regions[row];
        const int64_t on = gw_genome_length(part->genome, r->contig) - r->end;
        const int64_t by = gw_max(gw_min(shift, on), -r->begin);
        *bases = set->window;
        GW_TRY(gw_genome_fetch(part->genome, r->contig, r->begin + by, r->end + by, set->window));
        if (r->strand != '-') return GW_OK;
        *bases = set->window + set->longest;
        gw_reverse_complement(set->window, *length, set->window + set->longest);
        return GW_OK;
    }
    if (part->windows) {
        const uint8_t *packed = gw_row_file_row(part->windows, row);
        for (int64_t b = 0; b < *length; b++) set->window[b] = gw_packed_base(packed, b);
        *bases = set->window;
    } else *bases = part->bases + part->base_start[row];
    if (shift == 0) return GW_OK;
    char *shifted = set->window + set->longest;
    for (int64_t b = 0; b < *length; b++)
        shifted[b] = b + shift >= 0 && b + shift < *length ? (*bases)[b + shift] : 'N';
    *bases = shifted;
    return GW_OK;
}

gw_status gw_labelled_set_bases(gw_labelled_set *set, int64_t i, const char **bases, int64_t *length) {
    return gw_labelled_set_shifted_bases(set, i, 0, bases, length);
}

const uint8_t *gw_labelled_set_bits(const gw_labelled_set *set, int64_t i) {
    int64_t row;
    const gw_labelled_source *part = locate(set, i, &row);
    return part->bits ? gw_row_file_row(part->bits, part->regions ? part->regions[row].label_row : row) : NULL;
}

void gw_labelled_set_values(const gw_labelled_set *set, int64_t i, float *values) {
    int64_t row;
    const gw_labelled_source *part = locate(set, i, &row);
    const uint8_t *bits = gw_labelled_set_bits(set, i);
    if (bits) {
        for (int64_t l = 0; l < part->labels; l++) values[l] = gw_label_bit(bits, l) ? 1 : 0;
    } else if (part->labels > 0) {
        memcpy(values, part->values + row * part->labels, (size_t)part->labels * sizeof *values);
    }
}

float *gw_labelled_set_all_values(const gw_labelled_set *set) {
    const int64_t count = gw_labelled_set_count(set), labels = gw_labelled_set_labels(set);
    float *values = gw_alloc(count * labels, sizeof *values);
    for (int64_t i = 0; values && i < count; i++) gw_labelled_set_values(set, i, values + i * labels);
    return values;
}

const char *gw_labelled_set_group(const gw_labelled_set *set, int64_t i) {
    int64_t row;
    const gw_labelled_source *part = locate(set, i, &row);
    return part->groups ? part->groups[row] : NULL;
}

void gw_labelled_set_describe(const gw_labelled_set *set, int64_t i, gw_string *text) {
    int64_t row;
    const gw_labelled_source *part = locate(set, i, &row);
    if (!part->regions) {
        if (part->names) gw_string_puts(text, part->names[row]);
        else gw_string_printf(text, "%lld", (long long)(part->row ? part->row[row] : row + 1));
        return;
    }
    const gw_region_row *r = &part->regions[row];
    gw_string_printf(text, "%s:%lld-%lld", gw_genome_name(part->genome, r->contig), (long long)r->begin + 1,
                     (long long)r->end);
    if (part->names) gw_string_printf(text, "\t%s\t%c", part->names[row], r->strand);
}

void gw_labelled_set_columns(const gw_labelled_set *set, gw_columns *columns) {
    const char *title = gw_labelled_set_title(set);
    gw_columns_add(columns, strcmp(title, "row") == 0 ? GW_COLUMN_INTEGER : GW_COLUMN_TEXT, NULL, "%s", title);
    if (!gw_labelled_set_has_names(set)) return;
    gw_columns_add(columns, GW_COLUMN_TEXT, NULL, "name");
    gw_columns_add(columns, GW_COLUMN_TEXT, NULL, "strand");
}

void gw_labelled_set_cells(const gw_labelled_set *set, int64_t i, gw_table_writer *out) {
    int64_t row;
    const gw_labelled_source *part = locate(set, i, &row);
    if (part->regions) {
        const gw_region_row *r = &part->regions[row];
        gw_cell_printf(out, "%s:%lld-%lld", gw_genome_name(part->genome, r->contig), (long long)r->begin + 1,
                       (long long)r->end);
        if (part->names) gw_cell_text(out, part->names[row]);
        if (part->names) gw_cell_printf(out, "%c", r->strand);
    } else if (part->names) {
        gw_cell_text(out, part->names[row]);
    } else {
        gw_cell_integer(out, part->row ? part->row[row] : row + 1);
    }
}

gw_region gw_labelled_set_region(const gw_labelled_set *set, int64_t i) {
    int64_t row;
    const gw_labelled_source *part = locate(set, i, &row);
    const gw_region_row *r = &part->regions[row];
    return (gw_region){.contig = r->contig, .begin = r->begin, .end = r->end, .strand = r->strand};
}

bool gw_labelled_set_has_names(const gw_labelled_set *set) {
    return set->parts[0].names && set->parts[0].regions;
}

const char *gw_labelled_set_title(const gw_labelled_set *set) {
    const gw_labelled_source *first = &set->parts[0];
    return first->regions ? "region" : first->names ? "name" : "row";
}

bool gw_labelled_set_has_regions(const gw_labelled_set *set) {
    return set->parts[0].regions != NULL;
}

gw_status gw_labelled_set_drop_shared(gw_labelled_set *set, gw_labelled_set *other, int64_t *dropped) {
    gw_seen_windows theirs = {0};
    const char *bases;
    int64_t length, kept = 0;
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < other->count; i++) {
        status = gw_labelled_set_bases(other, i, &bases, &length);
        if (status == GW_OK) status = gw_seen_windows_add(&theirs, gw_hash_bases(bases, length));
    }
    gw_seen_windows_sort(&theirs);
    for (int64_t i = 0; status == GW_OK && i < set->count; i++) {
        status = gw_labelled_set_bases(set, i, &bases, &length);
        if (status == GW_OK && !gw_seen_windows_has(&theirs, gw_hash_bases(bases, length)))
            set->kept[kept++] = set->kept[i];
    }
    gw_seen_windows_free(&theirs);
    if (status != GW_OK) return status;
    *dropped = set->count - kept;
    set->count = kept;
    return GW_OK;
}

// --- shared rows: k-mers of either strand in one set of keys, whole sequences by their hashes ----------------------

void gw_seen_rows_free(gw_seen_rows *seen) {
    gw_kmer_set_free(&seen->kmers);
    gw_seen_windows_free(&seen->whole);
}

void gw_shared_rows_free(gw_shared_rows *shared) {
    free(shared->shares);
    *shared = (gw_shared_rows){0};
}

gw_status gw_seen_rows_make(gw_labelled_set *set, int k, gw_seen_rows *out) {
    const int64_t rows = gw_labelled_set_count(set);
    const char *bases;
    int64_t length, bases_in_all = 0;
    *out = (gw_seen_rows){0};
    for (int64_t i = 0; i < rows; i++) {
        GW_TRY(gw_labelled_set_bases(set, i, &bases, &length));
        bases_in_all += length;
    }
    GW_TRY(gw_kmer_set_make(&out->kmers, k, bases_in_all));
    for (int64_t i = 0; i < rows; i++) {
        GW_TRY(gw_labelled_set_bases(set, i, &bases, &length));
        gw_kmer_set_add(&out->kmers, bases, length);
        GW_TRY(gw_seen_windows_add(&out->whole, gw_hash_bases(bases, length)));
    }
    gw_seen_windows_sort(&out->whole);
    return GW_OK;
}

gw_status gw_shared_rows_find(gw_labelled_set *set, const gw_seen_rows *seen, gw_shared_rows *out) {
    *out = (gw_shared_rows){.rows = gw_labelled_set_count(set)};
    out->shares = gw_alloc(out->rows, sizeof *out->shares);
    char *flipped = gw_alloc(gw_labelled_set_longest(set) + 1, 1);
    gw_status status = out->shares && flipped ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < out->rows; i++) {
        const char *bases;
        int64_t length;
        status = gw_labelled_set_bases(set, i, &bases, &length);
        if (status != GW_OK) break;
        gw_reverse_complement(bases, length, flipped);
        const bool identical = gw_seen_windows_has(&seen->whole, gw_hash_bases(bases, length)) ||
                               gw_seen_windows_has(&seen->whole, gw_hash_bases(flipped, length));
        out->shares[i] = identical || gw_kmer_set_count(&seen->kmers, bases, length, NULL) > 0;
        out->identical += identical;
        out->sharing += out->shares[i];
    }
    free(flipped);
    return status;
}

void gw_shared_rows_name(const gw_labelled_set *set, const gw_shared_rows *shared, int most, gw_string *text) {
    int named = 0;
    for (int64_t i = 0; i < shared->rows && named < most; i++) {
        if (!shared->shares[i]) continue;
        if (named++ > 0) gw_string_puts(text, ", ");
        gw_labelled_set_describe(set, i, text);
    }
}
