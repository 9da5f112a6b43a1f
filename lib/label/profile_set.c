// SPDX-License-Identifier: MIT
// Peaks are read by target, and sorted by contig, target and begin. Each contig is processed once: its labels are
// sorted by bin and matched with the bins in order.
#include "label/profile_set.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/number.h"
#include "base/parse.h"
#include "file/lines.h"
#include "label/held_out.h"
#include "label/labelled_source.h"
#include "label/row_file.h"
#include "seq/genome/contig_names.h"
#include "seq/genome/regions.h"

#include <stdlib.h>
#include <string.h>

const char *const gw_label_rule_names[] = {"overlap", "midpoint", "summit"};

enum { NAME_COLUMN = 3, SUMMIT_COLUMN = 9, FILES = 4 };

typedef struct {
    gw_peaks *peaks;
    gw_genome *genome;
    gw_label_rule rule;
    bool from_column;
    int32_t file_target;
    int contig;     // of the last line: most lines name the contig of the line before
    gw_names names; // of the targets
} peak_reader;

static gw_status read_peak(void *context, const gw_line_reader *lines, char *line) {
    peak_reader *r = context;
    gw_bed_row row;
    if (gw_bed_is_comment(line)) return GW_OK;
    gw_status status = gw_bed_parse(&row, line);
    if (status == GW_OK && (r->contig < 0 || strcmp(gw_genome_name(r->genome, r->contig), row.contig) != 0)) {
        r->contig = gw_genome_find(r->genome, row.contig, -1);
        if (r->contig < 0) status = gw_unknown_contig(r->genome, row.contig);
    }
    if (status != GW_OK) return gw_fail_in(status, "%s:%lld", gw_lines_path(lines), (long long)gw_lines_number(lines));
    gw_peak peak = {.target = r->file_target, .begin = row.begin, .end = row.end};
    const int64_t length = gw_genome_length(r->genome, r->contig);
    if (peak.end > length)
        return gw_lines_fail(lines, GW_ERR_RANGE, "the peak ends at %lld, past the end of contig '%s' (%lld bp)",
                             (long long)peak.end, gw_genome_name(r->genome, r->contig), (long long)length);
    if (peak.begin == peak.end) {
        r->peaks->empty++;
        return GW_OK;
    }
    if (r->from_column) {
        int64_t target;
        if (row.count <= NAME_COLUMN || !*row.columns[NAME_COLUMN])
            return gw_lines_fail(lines, GW_ERR_FORMAT, "no target name in column 4");
        GW_TRY(gw_names_add(&r->names, row.columns[NAME_COLUMN], &target));
        peak.target = (int32_t)target;
    }
    if (r->rule != GW_LABEL_OVERLAP) { // a point alone counts
        int64_t offset = (peak.end - peak.begin) / 2;
        if (r->rule == GW_LABEL_SUMMIT) {
            if (row.count <= SUMMIT_COLUMN)
                return gw_lines_fail(lines, GW_ERR_FORMAT,
                                     "no column 10 with the summit (narrowPeak); found %d columns", row.count);
            status = gw_parse_int(row.columns[SUMMIT_COLUMN], 0, peak.end - peak.begin - 1, &offset);
            if (status != GW_OK) return gw_lines_fail(lines, status, "summit (column 10): %s", gw_message());
        }
        peak.begin += offset;
        peak.end = peak.begin + 1;
    }
    gw_contig_peaks *list = &r->peaks->contigs[r->contig];
    GW_TRY(gw_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items));
    list->items[list->count++] = peak;
    r->peaks->count++;
    return GW_OK;
}

static int by_name(const void *a, const void *b, void *names) {
    char *const *text = names;
    return strcmp(text[*(const int32_t *)a], text[*(const int32_t *)b]);
}

static int by_target_and_begin(const void *a, const void *b) {
    const gw_peak *x = a, *y = b;
    if (x->target != y->target) return x->target < y->target ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

// Column-4 names in sorted order, so that the set does not depend on the order of peaks.
static gw_status sort_targets(gw_peaks *peaks) {
    int32_t *order = gw_alloc(peaks->targets, sizeof *order), *rank = gw_alloc(peaks->targets, sizeof *rank);
    char **names = gw_alloc(peaks->targets, sizeof *names);
    const gw_status status = order && rank && names ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        for (int32_t t = 0; t < peaks->targets; t++) order[t] = t;
        qsort_r(order, (size_t)peaks->targets, sizeof *order, by_name, peaks->names);
        for (int32_t t = 0; t < peaks->targets; t++) {
            rank[order[t]] = t;
            names[t] = peaks->names[order[t]];
        }
        for (int c = 0; c < peaks->contig_count; c++)
            for (int64_t i = 0; i < peaks->contigs[c].count; i++)
                peaks->contigs[c].items[i].target = rank[peaks->contigs[c].items[i].target];
        free(peaks->names);
        peaks->names = names;
    } else {
        free(names);
    }
    free(order);
    free(rank);
    return status;
}

gw_status gw_peaks_read(gw_peaks *peaks, gw_genome *genome, char *const *paths, int count, gw_label_rule rule,
                        bool from_column) {
    *peaks = (gw_peaks){.contig_count = gw_genome_contigs(genome)};
    peak_reader r = {.peaks = peaks, .genome = genome, .rule = rule, .from_column = from_column, .contig = -1};
    peaks->contigs = gw_alloc(peaks->contig_count, sizeof *peaks->contigs);
    gw_status status = peaks->contigs ? GW_OK : GW_ERR_MEMORY;
    for (int i = 0; status == GW_OK && i < count; i++) {
        if (!from_column) status = gw_names_append(&r.names, gw_label_of_file(paths[i]));
        r.file_target = (int32_t)r.names.count - 1;
        if (status == GW_OK) status = gw_lines_each(paths[i], read_peak, &r);
        if (status == GW_OK) status = gw_check_interrupt();
    }
    if (status == GW_OK && peaks->count == 0)
        status = gw_fail(GW_ERR_FORMAT, peaks->empty > 0 ? "%s holds no peak of 1 bp or more" : "%s holds no peak",
                         paths[0]);
    peaks->targets = (int32_t)r.names.count;
    peaks->names = gw_names_take(&r.names);
    if (status == GW_OK && from_column) status = sort_targets(peaks);
    for (int c = 0; status == GW_OK && c < peaks->contig_count; c++)
        if (peaks->contigs[c].count > 1)
            qsort(peaks->contigs[c].items, (size_t)peaks->contigs[c].count, sizeof(gw_peak), by_target_and_begin);
    if (status != GW_OK) gw_peaks_free(peaks);
    return status;
}

void gw_peaks_free(gw_peaks *peaks) {
    for (int c = 0; peaks->contigs && c < peaks->contig_count; c++) free(peaks->contigs[c].items);
    for (int32_t t = 0; t < peaks->targets; t++) free(peaks->names[t]);
    free(peaks->contigs);
    free(peaks->names);
    *peaks = (gw_peaks){0};
}

// --- labels of bins ------------------------------------------------------------------------------------------------
//
// For every target of a contig its merged peaks are walked from left to right, and the bases that they cover of each
// bin are summed.

typedef struct {
    const gw_profile_set_options *options;
    gw_bin_label *items;
    int64_t count, capacity;
    int32_t target;       // being walked
    int64_t bin, covered; // the bin that the walk is in, and its bases covered so far
} label_walk;

static gw_status leave_bin(label_walk *w) {
    const int64_t doubled = 2 * w->covered, size = w->options->bin;
    const bool points = w->options->rule != GW_LABEL_OVERLAP;
    const bool positive = w->covered > 0 && (points || (w->options->majority ? doubled > size : doubled >= size));
    w->covered = 0;
    if (!positive) return GW_OK;
    GW_TRY(gw_reserve(&w->items, &w->capacity, w->count + 1, sizeof *w->items));
    w->items[w->count++] = (gw_bin_label){w->bin, w->target};
    return GW_OK;
}

static gw_status walk_target(label_walk *w, const gw_peak *peaks, int64_t count) {
    const int64_t size = w->options->bin;
    w->target = peaks[0].target;
    w->bin = peaks[0].begin / size;
    w->covered = 0;
    int64_t reached = 0; // end of what is covered
    for (int64_t i = 0; i < count; i++) {
        for (int64_t begin = gw_max(peaks[i].begin, reached), stop; begin < peaks[i].end; begin = stop) {
            const int64_t bin = begin / size;
            stop = gw_min(peaks[i].end, (bin + 1) * size);
            if (bin != w->bin) {
                GW_TRY(leave_bin(w));
                w->bin = bin;
            }
            w->covered += stop - begin;
        }
        reached = gw_max(reached, peaks[i].end);
    }
    return leave_bin(w);
}

static int by_bin_and_target(const void *a, const void *b) {
    const gw_bin_label *x = a, *y = b;
    if (x->bin != y->bin) return x->bin < y->bin ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

gw_status gw_bin_labels(const gw_contig_peaks *peaks, const gw_profile_set_options *options, gw_bin_label **out,
                        int64_t *count) {
    label_walk w = {.options = options};
    gw_status status = GW_OK;
    for (int64_t first = 0, end; status == GW_OK && first < peaks->count; first = end) {
        for (end = first; end < peaks->count && peaks->items[end].target == peaks->items[first].target;) end++;
        status = walk_target(&w, peaks->items + first, end - first);
    }
    if (status != GW_OK) {
        free(w.items);
        w = (label_walk){0};
    }
    if (w.count > 1) qsort(w.items, (size_t)w.count, sizeof *w.items, by_bin_and_target);
    *out = w.items;
    *count = w.count;
    return status;
}

// --- the set -------------------------------------------------------------------------------------------------------

typedef struct {
    gw_genome *genome;
    const gw_peaks *peaks;
    const gw_held_out *held_out;
    const gw_profile_set_options *options;
    gw_profile_counts *counts;
    gw_text_writer *bed;
    gw_row_writer *labels;
    uint8_t *row;       // bits of the bin at hand
    int64_t *positives; // [targets][GW_SPLITS]
    gw_window_hashes hashes;
    gw_seen_windows seen[GW_SPLITS]; // windows for validation and testing
} set_writer;

// The window of the bin that begins at `begin`; false where it leaves the contig.
static bool window_of(const set_writer *s, int contig, int64_t begin, int64_t *from, int64_t *end) {
    *from = begin - (s->options->window - s->options->bin) / 2;
    *end = *from + s->options->window;
    return *from >= 0 && *end <= gw_genome_length(s->genome, contig);
}

static gw_set_split split_of(const set_writer *s, int contig, int64_t begin, int64_t from, int64_t end) {
    return gw_split_of_window(s->held_out, contig, from, end, begin + s->options->bin / 2);
}

// What is held out, before anything is written.
static gw_status see_held_out(set_writer *s) {
    const int64_t bin = s->options->bin;
    for (int c = 0; s->held_out->any && c < gw_genome_contigs(s->genome); c++) {
        for (int64_t begin = 0; begin + bin <= gw_genome_length(s->genome, c); begin += bin) {
            int64_t from, end;
            uint64_t hash;
            if (!window_of(s, c, begin, &from, &end)) continue;
            const gw_set_split split = split_of(s, c, begin, from, end);
            if (split != GW_SPLIT_VALID && split != GW_SPLIT_TEST) continue;
            GW_TRY(gw_window_hash(&s->hashes, c, from, &hash));
            GW_TRY(gw_seen_windows_add(&s->seen[split], hash));
        }
        GW_TRY(gw_check_interrupt());
    }
    gw_seen_windows_sort(&s->seen[GW_SPLIT_VALID]);
    gw_seen_windows_sort(&s->seen[GW_SPLIT_TEST]);
    return GW_OK;
}

static gw_status count_out(int64_t *reason) {
    ++*reason;
    return GW_OK;
}

static gw_status write_bin(set_writer *s, int contig, int64_t begin, const gw_bin_label *labels, int64_t count) {
    int64_t from, end;
    uint64_t hash;
    if (!window_of(s, contig, begin, &from, &end)) return count_out(&s->counts->off_contig);
    if (count == 0 && s->options->bins == GW_BINS_LABELLED) return count_out(&s->counts->unlabelled);
    const gw_set_split split = split_of(s, contig, begin, from, end);
    if (split == GW_SPLIT_NONE) return count_out(&s->counts->touching);
    if (s->held_out->any && split != GW_SPLIT_TEST) {
        GW_TRY(gw_window_hash(&s->hashes, contig, from, &hash));
        if (gw_seen_elsewhere(s->seen, split, hash)) return count_out(&s->counts->duplicates);
    }
    memset(s->row, 0, (size_t)gw_row_bytes(&gw_label_rows, s->peaks->targets));
    for (int64_t i = 0; i < count; i++) {
        gw_set_label_bit(s->row, labels[i].target);
        s->positives[(int64_t)labels[i].target * GW_SPLITS + split]++;
    }
    s->counts->bins[split]++;
    GW_TRY(gw_row_writer_add(s->labels, s->row));
    return gw_writer_printf(s->bed, "%s\t%lld\t%lld\t%s\n", gw_genome_name(s->genome, contig), (long long)from,
                            (long long)end, gw_split_names[split]);
}

static gw_status write_contig(set_writer *s, int contig) {
    gw_bin_label *labels;
    int64_t left;
    GW_TRY(gw_bin_labels(&s->peaks->contigs[contig], s->options, &labels, &left));
    const gw_bin_label *next = labels;
    const int64_t bins = gw_genome_length(s->genome, contig) / s->options->bin;
    gw_status status = GW_OK;
    for (int64_t bin = 0; status == GW_OK && bin < bins; bin++) {
        const gw_bin_label *first = next;
        for (; left > 0 && next->bin == bin; left--) next++;
        status = write_bin(s, contig, bin * s->options->bin, first, next - first);
    }
    free(labels);
    return gw_first_failure(status, gw_check_interrupt());
}

static gw_status write_all(set_writer *s, char *const paths[FILES]) {
    const gw_profile_set_options *o = s->options;
    GW_TRY(gw_writer_open(paths[0], &s->bed));
    gw_status status = gw_row_writer_open(paths[1], &gw_label_rows, s->peaks->targets, &s->labels);
    for (int c = 0; status == GW_OK && c < gw_genome_contigs(s->genome); c++) {
        status = write_contig(s, c);
        gw_progress("profiles", c + 1, gw_genome_contigs(s->genome), "contigs", NULL);
    }
    int64_t written = 0;
    for (int split = 0; split < GW_SPLITS; split++) written += s->counts->bins[split];
    if (status == GW_OK && written == 0) status = gw_fail(GW_ERR_RANGE, "no bin of %lld bp is left", (long long)o->bin);
    if (status == GW_OK) status = gw_label_names_write(paths[2], s->peaks->names, s->peaks->targets, s->positives);
    char md5[33];
    if (status == GW_OK) status = gw_genome_md5(s->genome, md5);
    if (status == GW_OK)
        status = gw_label_settings_write(
            paths[3], json_pack("{s:s, s:I, s:I, s:s, s:b, s:s, s:s*}", "task", "profiles", "window",
                                (json_int_t)o->window, "bin", (json_int_t)o->bin, "label", gw_label_rule_names[o->rule],
                                "majority", (int)o->majority, "reference_md5", md5, "command", o->command));
    if (status != GW_OK) {
        gw_row_writer_abandon(s->labels);
        gw_writer_abandon(s->bed);
        return status;
    }
    status = gw_row_writer_close(s->labels);
    return gw_writers_close(status, s->bed, NULL);
}

gw_status gw_profile_set_write(gw_genome *genome, const gw_peaks *peaks, const gw_held_out *held_out,
                               const gw_profile_set_options *options, const char *prefix, gw_profile_counts *counts) {
    static const char *const endings[FILES] = {".bed.gz", ".labels", ".names.tsv", ".json"};
    *counts = (gw_profile_counts){0};
    if (options->window < options->bin)
        return gw_fail(GW_ERR_RANGE, "a window of %lld bp does not hold a bin of %lld", (long long)options->window,
                       (long long)options->bin);
    set_writer s = {.genome = genome, .peaks = peaks, .held_out = held_out, .options = options, .counts = counts};
    s.row = gw_alloc(gw_row_bytes(&gw_label_rows, peaks->targets), 1);
    s.positives = gw_alloc((int64_t)peaks->targets * GW_SPLITS, sizeof *s.positives);
    char *paths[FILES] = {NULL};
    gw_status status = s.row && s.positives ? gw_label_paths(prefix, endings, FILES, paths) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_window_hashes_new(&s.hashes, genome, options->window);
    if (status == GW_OK) status = see_held_out(&s);
    if (status == GW_OK) status = write_all(&s, paths);
    gw_progress_end();
    for (int i = 0; i < FILES; i++) free(paths[i]);
    gw_window_hashes_free(&s.hashes);
    for (int split = 0; split < GW_SPLITS; split++) gw_seen_windows_free(&s.seen[split]);
    free(s.row);
    free(s.positives);
    return status;
}
