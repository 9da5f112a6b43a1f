// SPDX-License-Identifier: MIT
// Marks the bases of a contig class by class, on both strands, and places windows along the parts to read.
#include "label/base_set_writer.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "file/lines.h"
#include "label/labelled_source.h"
#include "label/row_file.h"
#include "seq/genome/kmers.h"

#include <stdlib.h>
#include <string.h>

enum { FILES = 5, STRANDS = 2, LEAST_SHARE = 10 }; // a tenth
static const char strand_names[STRANDS] = "+-";

typedef struct {
    gw_genome *genome;
    const gw_base_intervals *intervals;
    const gw_held_out *held_out;
    const gw_base_set_options *options;
    gw_base_set_counts *counts;
    gw_text_writer *bed, *classes;
    gw_row_writer *labels;
    gw_base_interval *sorted;    // [intervals] by contig, then class
    gw_regions within[STRANDS];  // merged: what windows are cut from
    uint16_t *painted[STRANDS];  // [longest contig] 0: none, else the class plus 1; options->overlap: a bit a class
    uint8_t *row;                // bits of a window
    int64_t *bases;              // [classes][GW_SPLITS] in windows that were written
    gw_kmer_set held[GW_SPLITS]; // 31-mers of windows for validation and testing
    char *window;                // [options->window]
} set_writer;

// A window that is to be read.
typedef gw_status window_taker(set_writer *s, int contig, int strand, int64_t begin, int64_t end);

static gw_status each_window(set_writer *s, int contig, window_taker *take) {
    for (int strand = 0; strand < STRANDS; strand++) {
        const gw_regions *within = &s->within[strand];
        for (int64_t i = 0; i < within->count; i++) {
            const gw_region *r = &within->items[i];
            for (int64_t at = r->begin; r->contig == contig && at < r->end; at += s->options->window) {
                GW_TRY(take(s, contig, strand, at, gw_min(at + s->options->window, r->end)));
            }
        }
    }
    return gw_check_interrupt();
}

static gw_set_split split_of(const set_writer *s, int contig, int64_t begin, int64_t end) {
    return gw_split_of_window(s->held_out, contig, begin, end, (begin + end) / 2);
}

static gw_status see_window(set_writer *s, int contig, int strand, int64_t begin, int64_t end) {
    const gw_set_split split = split_of(s, contig, begin, end);
    (void)strand; // 31-mers are alike on both
    if (split != GW_SPLIT_VALID && split != GW_SPLIT_TEST) return GW_OK;
    GW_TRY(gw_genome_fetch(s->genome, contig, begin, end, s->window));
    gw_kmer_set_add(&s->held[split], s->window, end - begin);
    return GW_OK;
}

// What is held out, before anything is written.
static gw_status see_held_out(set_writer *s) {
    const gw_regions *held[] = {[GW_SPLIT_VALID] = &s->held_out->valid, [GW_SPLIT_TEST] = &s->held_out->test};
    if (!s->held_out->any || s->options->keep_shared) return GW_OK;
    for (int split = GW_SPLIT_VALID; split <= GW_SPLIT_TEST; split++) {
        int64_t most = 0;
        for (int64_t i = 0; i < held[split]->count; i++)
            most += held[split]->items[i].end - held[split]->items[i].begin;
        GW_TRY(gw_kmer_set_make(&s->held[split], GW_BASE_SET_KMER, most + 2 * s->options->window * held[split]->count));
    }
    for (int c = 0; c < gw_genome_contigs(s->genome); c++) GW_TRY(each_window(s, c, see_window));
    return GW_OK;
}

// Whether a painted base has a class.
static bool is_painted(const set_writer *s, uint16_t painted, int class) {
    return s->options->overlap ? painted >> class & 1 : painted == class + 1;
}

// Counts the window's bases of each class, sets the bits of those that occur, and says whether any does.
static bool count_classes(set_writer *s, int strand, int64_t begin, int64_t end, int64_t *bases) {
    bool any = false;
    memset(s->row, 0, (size_t)gw_row_bytes(&gw_label_rows, s->intervals->classes));
    for (int class = 0; class < s->intervals->classes; class ++) {
        bases[class] = 0;
        for (int64_t i = begin; i < end; i++) bases[class] += is_painted(s, s->painted[strand][i], class);
        if (bases[class] == 0) continue;
        gw_set_label_bit(s->row, class);
        any = true;
    }
    return any;
}

static gw_status write_window(set_writer *s, int contig, int strand, int64_t begin, int64_t end) {
    const gw_set_split split = split_of(s, contig, begin, end);
    if (split == GW_SPLIT_NONE) return s->counts->touching++, GW_OK;
    int64_t bases[GW_BASE_CLASSES];
    if (!count_classes(s, strand, begin, end, bases) && s->options->labelled_only)
        return s->counts->unlabelled++, GW_OK;
    GW_TRY(gw_genome_fetch(s->genome, contig, begin, end, s->window));
    for (int held = (int)split + 1; s->held[GW_SPLIT_TEST].slot && held <= GW_SPLIT_TEST;
         held++) { // what is held out from it
        int64_t of;
        const int64_t found = gw_kmer_set_count(&s->held[held], s->window, end - begin, &of);
        if (found > 0 && found * LEAST_SHARE >= of) return s->counts->shared++, GW_OK;
    }
    for (int class = 0; class < s->intervals->classes; class ++) s->bases[class * GW_SPLITS + split] += bases[class];
    s->counts->windows[split]++;
    GW_TRY(gw_row_writer_add(s->labels, s->row));
    return gw_writer_printf(s->bed, "%s\t%lld\t%lld\t%s\t0\t%c\n", gw_genome_name(s->genome, contig), (long long)begin,
                            (long long)end, gw_split_names[split], strand_names[strand]);
}

// Runs of bases on a strand: of any class, one after another, or where they overlap of one alone.
typedef struct {
    const uint16_t *painted;
    uint16_t mask;
    int64_t begin, end; // the run at hand; the contig's end: there is none
} run_lane;

static void next_run(run_lane *l, int64_t length) {
    l->begin = l->end;
    while (l->begin < length && (l->painted[l->begin] & l->mask) == 0) l->begin++;
    l->end = l->begin;
    while (l->end < length && (l->painted[l->end] & l->mask) == (l->painted[l->begin] & l->mask)) l->end++;
}

// The intervals of a contig as they were painted, by their begins.
static gw_status write_classes(set_writer *s, int contig) {
    const int64_t length = gw_genome_length(s->genome, contig);
    const int each = s->options->overlap ? s->intervals->classes : 1, lanes = STRANDS * each;
    run_lane lane[STRANDS * GW_OVERLAPPING_CLASSES];
    for (int i = 0; i < lanes; i++) {
        lane[i].painted = s->painted[i / each];
        lane[i].mask = (uint16_t)(s->options->overlap ? 1 << i % each : UINT16_MAX);
        lane[i].end = 0;
        next_run(&lane[i], length);
    }
    while (true) {
        int first = 0;
        for (int i = 1; i < lanes; i++)
            if (lane[i].begin < lane[first].begin) first = i;
        const run_lane *l = &lane[first];
        int class = 0;
        if (l->begin == length) return GW_OK;
        while (!is_painted(s, l->painted[l->begin] & l->mask, class)) class ++;
        GW_TRY(gw_writer_printf(s->classes, "%s\t%lld\t%lld\t%s\t0\t%c\n", gw_genome_name(s->genome, contig),
                                (long long)l->begin, (long long)l->end, s->intervals->names[class],
                                strand_names[first / each]));
        next_run(&lane[first], length);
    }
}

// The classes of a contig's bases, from interval *next on, which is moved to those of the next contig.
static void paint(set_writer *s, int contig, int64_t *next) {
    const int64_t length = gw_genome_length(s->genome, contig);
    for (int strand = 0; strand < STRANDS; strand++) memset(s->painted[strand], 0, (size_t)length * sizeof(uint16_t));
    for (; *next < s->intervals->count && s->sorted[*next].contig == contig; ++*next) {
        const gw_base_interval *of = &s->sorted[*next];
        for (int strand = 0; strand < STRANDS; strand++) {
            uint16_t *painted = s->painted[strand];
            if (of->strand != '.' && of->strand != strand_names[strand]) continue;
            for (int64_t i = of->begin; i < of->end; i++)
                painted[i] = (uint16_t)(s->options->overlap ? painted[i] | 1 << of->class : of->class + 1);
        }
    }
}

static int by_class(const void *a, const void *b) {
    const gw_base_interval *x = a, *y = b;
    if (x->contig != y->contig) return x->contig < y->contig ? -1 : 1;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static gw_status write_all(set_writer *s, char *const paths[FILES]) {
    GW_TRY(gw_writer_open(paths[0], &s->bed));
    gw_status status = gw_writer_open(paths[1], &s->classes);
    if (status == GW_OK) status = gw_row_writer_open(paths[2], &gw_label_rows, s->intervals->classes, &s->labels);
    const int contigs = gw_genome_contigs(s->genome);
    int64_t next = 0, windows = 0;
    for (int c = 0; status == GW_OK && c < contigs; c++) {
        paint(s, c, &next);
        status = write_classes(s, c);
        if (status == GW_OK) status = each_window(s, c, write_window);
        gw_progress("labels", c + 1, contigs, "contigs", NULL);
    }
    for (int split = 0; split < GW_SPLITS; split++) windows += s->counts->windows[split];
    if (status == GW_OK && windows == 0) status = gw_fail(GW_ERR_RANGE, "no window is left");
    if (status == GW_OK) status = gw_label_names_write(paths[3], s->intervals->names, s->intervals->classes, s->bases);
    char md5[33];
    if (status == GW_OK) status = gw_genome_md5(s->genome, md5);
    if (status == GW_OK)
        status = gw_label_settings_write(paths[4],
                                         json_pack("{s:s, s:I, s:b, s:s, s:s*}", "task", "bases", "window",
                                                   (json_int_t)s->options->window, "genes", s->options->genes != NULL,
                                                   "reference_md5", md5, "command", s->options->command));
    if (status != GW_OK) {
        gw_row_writer_abandon(s->labels);
        gw_writer_abandon(s->classes);
        gw_writer_abandon(s->bed);
        return status;
    }
    status = gw_row_writer_close(s->labels);
    return gw_writers_close(status, s->classes, s->bed);
}

static gw_status prepare(set_writer *s) {
    int64_t longest = 1;
    for (int c = 0; c < gw_genome_contigs(s->genome); c++) longest = gw_max(longest, gw_genome_length(s->genome, c));
    s->row = gw_alloc(gw_row_bytes(&gw_label_rows, s->intervals->classes), 1);
    s->bases = gw_alloc((int64_t)s->intervals->classes * GW_SPLITS, sizeof *s->bases);
    s->window = gw_alloc(s->options->window, 1);
    s->sorted = gw_alloc(s->intervals->count, sizeof *s->sorted);
    if (!s->row || !s->bases || !s->window || !s->sorted) return GW_ERR_MEMORY;
    memcpy(s->sorted, s->intervals->items, (size_t)s->intervals->count * sizeof *s->sorted);
    qsort(s->sorted, (size_t)s->intervals->count, sizeof *s->sorted, by_class);
    for (int strand = 0; strand < STRANDS; strand++) {
        if (!(s->painted[strand] = gw_alloc(longest, sizeof(uint16_t)))) return GW_ERR_MEMORY;
        gw_regions *within = &s->within[strand]; // whole contigs, or those of genes on the strand
        const gw_gene_models *genes = s->options->genes;
        for (int c = 0; !genes && c < gw_genome_contigs(s->genome); c++)
            GW_TRY(gw_regions_add(within, (gw_region){.contig = c, .end = gw_genome_length(s->genome, c)}));
        for (int64_t i = 0; genes && i < genes->count; i++) {
            const gw_gene_model *gene = &genes->items[i];
            if (gene->strand != strand_names[strand]) continue;
            GW_TRY(gw_regions_add(within, (gw_region){.contig = gene->contig, .begin = gene->begin, .end = gene->end}));
        }
        gw_regions_merge(within);
    }
    return GW_OK;
}

gw_status gw_base_set_write(gw_genome *genome, const gw_base_intervals *intervals, const gw_held_out *held_out,
                            const gw_base_set_options *options, const char *prefix, gw_base_set_counts *counts) {
    *counts = (gw_base_set_counts){0};
    if (intervals->count == 0) return gw_fail(GW_ERR_RANGE, "no base has a class");
    if (options->overlap && intervals->classes > GW_OVERLAPPING_CLASSES)
        return gw_fail(GW_ERR_RANGE, "%d classes that may overlap, expected %d at most", intervals->classes,
                       GW_OVERLAPPING_CLASSES);
    set_writer s = {
        .genome = genome, .intervals = intervals, .held_out = held_out, .options = options, .counts = counts};
    static const char *const endings[FILES] = {".bed.gz", GW_BASE_SET_INTERVALS, ".labels", ".names.tsv", ".json"};
    char *paths[FILES] = {NULL};
    gw_status status = prepare(&s);
    if (status == GW_OK) status = gw_label_paths(prefix, endings, FILES, paths);
    if (status == GW_OK) status = see_held_out(&s);
    if (status == GW_OK) status = write_all(&s, paths);
    gw_progress_end();
    for (int i = 0; i < FILES; i++) free(paths[i]);
    for (int strand = 0; strand < STRANDS; strand++) {
        free(s.painted[strand]);
        gw_regions_free(&s.within[strand]);
    }
    for (int split = 0; split < GW_SPLITS; split++) gw_kmer_set_free(&s.held[split]);
    free(s.sorted);
    free(s.row);
    free(s.bases);
    free(s.window);
    return status;
}
