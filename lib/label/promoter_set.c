// SPDX-License-Identifier: MIT
// Selects start sites, then the distance of negatives from them, and writes the rows of each site and its negative.
#include "label/promoter_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "file/lines.h"
#include "label/held_out.h"
#include "seq/genes/tss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const gw_negatives_names[] = {"genomic", "substitute", "shuffle"};

// --- windows between obstacles: the gaps are listed, and a window is drawn from all of their positions alike -------

static gw_status add_gap(gw_free_windows *windows, int contig, int64_t begin, int64_t end) {
    if (end - begin < windows->width) return GW_OK;
    return gw_regions_add(&windows->gaps, (gw_region){.contig = contig, .begin = begin, .end = end, .strand = '.'});
}

gw_status gw_free_windows_find(gw_free_windows *windows, const gw_regions *zones, const gw_regions *obstacles,
                               int64_t width) {
    *windows = (gw_free_windows){.width = width};
    gw_status status = GW_OK;
    int64_t first = 0; // obstacles before it end before every later zone
    for (int64_t z = 0; status == GW_OK && z < zones->count; z++) {
        const gw_region *zone = &zones->items[z], *o = obstacles->items;
        for (; first < obstacles->count; first++)
            if (o[first].contig > zone->contig || (o[first].contig == zone->contig && o[first].end > zone->begin))
                break;
        int64_t begin = zone->begin;
        for (int64_t i = first; status == GW_OK && i < obstacles->count; i++) {
            if (o[i].contig != zone->contig || o[i].begin >= zone->end) break;
            status = add_gap(windows, zone->contig, begin, o[i].begin);
            begin = gw_max(begin, o[i].end);
        }
        if (status == GW_OK) status = add_gap(windows, zone->contig, begin, zone->end);
    }
    windows->starts_before = gw_alloc(windows->gaps.count + 1, sizeof *windows->starts_before);
    if (status == GW_OK && !windows->starts_before) status = GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < windows->gaps.count; i++) {
        const gw_region *gap = &windows->gaps.items[i];
        windows->starts_before[i + 1] = windows->starts_before[i] + gap->end - gap->begin - width + 1;
    }
    if (status != GW_OK) gw_free_windows_free(windows);
    return status;
}

int64_t gw_free_windows_count(const gw_free_windows *windows) {
    return windows->starts_before ? windows->starts_before[windows->gaps.count] : 0;
}

void gw_free_windows_draw(const gw_free_windows *windows, gw_random *random, int *contig, int64_t *begin) {
    const int64_t start = (int64_t)gw_random_below(random, (uint64_t)gw_free_windows_count(windows));
    const int64_t low = GW_FIRST_NOT(i, windows->gaps.count, windows->starts_before[i + 1] <= start);
    *contig = windows->gaps.items[low].contig;
    *begin = windows->gaps.items[low].begin + start - windows->starts_before[low];
}

void gw_free_windows_free(gw_free_windows *windows) {
    gw_regions_free(&windows->gaps);
    free(windows->starts_before);
    *windows = (gw_free_windows){0};
}

// --- negatives from the genome: windows far from every TSS, with their parent's GC content and in its split --------

typedef struct {
    gw_genome *genome; // borrowed
    gw_free_windows windows[GW_SPLITS];
    char *candidate; // [2][width] a window and its reverse complement
    char *best;      // [width]
    int64_t width;
} genomic_negatives;

static gw_status add_copies(gw_regions *to, const gw_regions *from) {
    for (int64_t i = 0; i < from->count; i++) {
        const gw_region *r = &from->items[i];
        GW_TRY(gw_regions_add(to, (gw_region){.contig = r->contig, .begin = r->begin, .end = r->end, .strand = '.'}));
    }
    return GW_OK;
}

// The windows of n->width bp whose every base is at least `distance` bp from every TSS; those of a split lie wholly in
// it. Training windows lie anywhere but in held-out sequence; the others inside their split's regions.
static gw_status find_windows(genomic_negatives *n, gw_set_split split, const gw_regions *tss,
                              const gw_held_out *held_out, int64_t distance) {
    gw_regions zones = {0}, obstacles = {0};
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < tss->count; i++) { // every base nearer than `distance` to a TSS
        const int contig = tss->items[i].contig;
        const int64_t at = gw_tss_position(&tss->items[i]);
        const gw_region near = {.contig = contig,
                                .begin = gw_max(at - distance + 1, 0),
                                .end = gw_min(at + distance, gw_genome_length(n->genome, contig)),
                                .strand = '.'};
        if (near.begin < near.end) status = gw_regions_add(&obstacles, near);
    }
    if (status == GW_OK) status = add_copies(&obstacles, &held_out->excluded);
    if (split == GW_SPLIT_TRAIN) {
        if (status == GW_OK) status = add_copies(&obstacles, &held_out->valid);
        if (status == GW_OK) status = add_copies(&obstacles, &held_out->test);
        for (int c = 0; status == GW_OK && c < gw_genome_contigs(n->genome); c++)
            status =
                gw_regions_add(&zones, (gw_region){.contig = c, .end = gw_genome_length(n->genome, c), .strand = '.'});
    } else if (status == GW_OK) {
        status = add_copies(&zones, split == GW_SPLIT_TEST ? &held_out->test : &held_out->valid);
    }
    gw_regions_merge(&obstacles);
    gw_regions_merge(&zones);
    if (status == GW_OK) status = gw_free_windows_find(&n->windows[split], &zones, &obstacles, n->width);
    gw_regions_free(&zones);
    gw_regions_free(&obstacles);
    return status;
}

// GC content among A, C, G and T (0 without any), and the number of other letters.
static double gc_content(const char *bases, int64_t length, int64_t *others) {
    int64_t strong = 0, weak = 0;
    for (int64_t i = 0; i < length; i++) {
        strong += bases[i] == 'G' || bases[i] == 'C';
        weak += bases[i] == 'A' || bases[i] == 'T';
    }
    *others = length - strong - weak;
    return strong + weak > 0 ? (double)strong / (double)(strong + weak) : 0;
}

// Of a split that has room. Draws windows until one has no more N than `parent` and a GC content within 0.02 of it, at
// most 500 times; then the closest is taken. region says where it lies and on which strand (uniform); *bases [width]
// are in the direction of that strand, until the next call. *matched is false where none was within 0.02.
static gw_status genomic_negative(genomic_negatives *n, gw_random *random, gw_set_split split, const char *parent,
                                  gw_region *region, const char **bases, bool *matched) {
    enum { MOST_DRAWS = 500 };
    const double close_enough = 0.02;
    int64_t parent_others, others;
    const double wanted = gc_content(parent, n->width, &parent_others);
    double closest = INFINITY;
    for (int i = 0; i < MOST_DRAWS && closest > close_enough; i++) {
        gw_region drawn = {0};
        gw_free_windows_draw(&n->windows[split], random, &drawn.contig, &drawn.begin);
        drawn.end = drawn.begin + n->width;
        drawn.strand = gw_random_below(random, 2) ? '-' : '+';
        char *forward = n->candidate + (drawn.strand == '-' ? n->width : 0);
        GW_TRY(gw_genome_fetch(n->genome, drawn.contig, drawn.begin, drawn.end, forward));
        if (drawn.strand == '-') gw_reverse_complement(forward, n->width, n->candidate);
        const double away = fabs(gc_content(n->candidate, n->width, &others) - wanted);
        if (others > parent_others || away >= closest) continue;
        closest = away;
        *region = drawn;
        memcpy(n->best, n->candidate, (size_t)n->width);
    }
    if (isinf(closest))
        return gw_fail(GW_ERR_MISMATCH,
                       "%d windows of the %s sequence far from every TSS all hold more N than the promoter", MOST_DRAWS,
                       gw_split_names[split]);
    *bases = n->best;
    *matched = closest <= close_enough;
    return GW_OK;
}

// --- negatives made from a promoter's own sequence ------------------------------------------------------------------

// The first `chosen` items of order[0 .. count) become a uniform draw without replacement, in random order.
static void draw(gw_random *random, int *order, int count, int chosen) {
    for (int i = 0; i < chosen; i++) {
        const int other = i + (int)gw_random_below(random, (uint64_t)(count - i)), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

static void draw_pieces(gw_random *random, int drawn[GW_PIECES]) {
    for (int i = 0; i < GW_PIECES; i++) drawn[i] = i;
    draw(random, drawn, GW_PIECES, GW_PIECES_CHANGED);
}

static int64_t piece_begin(int piece, int64_t length) {
    return piece * length / GW_PIECES;
}

void gw_negative_substitute(gw_random *random, char *bases, int64_t length) {
    int drawn[GW_PIECES];
    draw_pieces(random, drawn);
    for (int i = 0; i < GW_PIECES_CHANGED; i++) {
        const int64_t end = piece_begin(drawn[i] + 1, length);
        for (int64_t at = piece_begin(drawn[i], length); at < end; at++) bases[at] = "ACGT"[gw_random_below(random, 4)];
    }
}

void gw_negative_shuffle(gw_random *random, const char *bases, int64_t length, char *out) {
    int drawn[GW_PIECES], source[GW_PIECES], given[GW_PIECES_CHANGED];
    draw_pieces(random, drawn);
    memcpy(given, drawn, sizeof given);
    draw(random, given, GW_PIECES_CHANGED, GW_PIECES_CHANGED);
    for (int i = 0; i < GW_PIECES; i++) source[i] = i;
    for (int i = 0; i < GW_PIECES_CHANGED; i++) source[drawn[i]] = given[i];
    for (int i = 0; i < GW_PIECES; i++) {
        const int64_t begin = piece_begin(source[i], length), size = piece_begin(source[i] + 1, length) - begin;
        memcpy(out, bases + begin, (size_t)size);
        out += size;
    }
}

// --- the set -------------------------------------------------------------------------------------------------------

// What the writing of one set shares.
typedef struct {
    gw_genome *genome;
    const gw_regions *tss;
    const gw_held_out *held_out;
    const gw_promoter_options *options;
    gw_text_writer *writer;
    gw_set_split *splits; // [tss->count] NONE: left out
    genomic_negatives genomic;
    gw_regions drawn; // genomic negatives
    int64_t width;
    char *forward, *bases, *changed; // [width] each
    gw_promoter_counts *counts;
    gw_seen_windows seen[GW_SPLITS]; // windows for validation and testing, on both strands
} set_writer;

static gw_status write_row(const set_writer *s, const char *bases, int label, const gw_region *window, const char *name,
                           gw_set_split split, const char *kind) {
    GW_TRY(gw_writer_write(s->writer, bases, s->width));
    return gw_writer_printf(s->writer, "\t%d\t%s\t%s:%lld-%lld\t%c\t%s\t%s\t%lld\n", label, name ? name : ".",
                            gw_genome_name(s->genome, window->contig), (long long)window->begin + 1,
                            (long long)window->end, window->strand, gw_split_names[split], kind,
                            (long long)s->options->upstream);
}

static gw_status write_negative(set_writer *s, int64_t example, const gw_region *window, const char *name,
                                gw_set_split split) {
    gw_random random = gw_random_at(s->options->seed, GW_SITE_NEGATIVE, (uint64_t)example, 0);
    gw_region where = *window;
    const char *bases = s->changed;
    bool matched = true;
    if (s->options->negatives == GW_NEGATIVES_GENOMIC) {
        GW_TRY(genomic_negative(&s->genomic, &random, split, s->bases, &where, &bases, &matched));
        GW_TRY(gw_regions_add(&s->drawn, where));
    } else if (s->options->negatives == GW_NEGATIVES_SHUFFLE) {
        gw_negative_shuffle(&random, s->bases, s->width, s->changed);
    } else {
        memcpy(s->changed, s->bases, (size_t)s->width);
        gw_negative_substitute(&random, s->changed, s->width);
    }
    s->counts->far_gc += !matched;
    return write_row(s, bases, 0, &where, name, split, gw_negatives_names[s->options->negatives]);
}

// The window of a TSS, and whether it lies on its contig.
static bool window_of(const set_writer *s, const gw_region *tss, gw_region *window) {
    *window = (gw_region){.contig = tss->contig, .strand = tss->strand};
    gw_tss_window(gw_tss_position(tss), tss->strand, s->options->upstream, s->options->downstream, &window->begin,
                  &window->end);
    return window->begin >= 0 && window->end <= gw_genome_length(s->genome, window->contig);
}

// Its bases, in the direction of its strand, into s->bases.
static gw_status read_window(const set_writer *s, const gw_region *window) {
    GW_TRY(gw_genome_fetch(s->genome, window->contig, window->begin, window->end, s->forward));
    if (window->strand == '-') gw_reverse_complement(s->forward, s->width, s->bases);
    else memcpy(s->bases, s->forward, (size_t)s->width);
    return GW_OK;
}

// The split of each window that is written. A sequence is on one side: windows that also occur in a part that is held
// out from theirs are left out.
static gw_status choose_examples(set_writer *s) {
    gw_region window;
    s->splits = gw_alloc(s->tss->count, sizeof *s->splits);
    if (!s->splits) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < s->tss->count; i++) {
        const int64_t at = gw_tss_position(&s->tss->items[i]);
        const bool on_contig = window_of(s, &s->tss->items[i], &window);
        s->splits[i] = GW_SPLIT_NONE;
        if (on_contig) s->splits[i] = gw_split_of_window(s->held_out, window.contig, window.begin, window.end, at);
        s->counts->off_contig += !on_contig;
        s->counts->touching += on_contig && s->splits[i] == GW_SPLIT_NONE;
    }
    for (int64_t i = 0; i < s->tss->count; i++) { // what is held out, on both strands
        if (s->splits[i] != GW_SPLIT_VALID && s->splits[i] != GW_SPLIT_TEST) continue;
        gw_seen_windows *seen = &s->seen[s->splits[i]];
        window_of(s, &s->tss->items[i], &window);
        GW_TRY(read_window(s, &window));
        gw_reverse_complement(s->bases, s->width, s->changed);
        GW_TRY(gw_seen_windows_add(seen, gw_hash_bases(s->bases, s->width)));
        GW_TRY(gw_seen_windows_add(seen, gw_hash_bases(s->changed, s->width)));
    }
    gw_seen_windows_sort(&s->seen[GW_SPLIT_VALID]);
    gw_seen_windows_sort(&s->seen[GW_SPLIT_TEST]);
    int64_t chosen = 0;
    for (int64_t i = 0; i < s->tss->count; i++) {
        if (s->held_out->any && (s->splits[i] == GW_SPLIT_TRAIN || s->splits[i] == GW_SPLIT_VALID)) {
            window_of(s, &s->tss->items[i], &window);
            GW_TRY(read_window(s, &window));
            if (gw_seen_elsewhere(s->seen, s->splits[i], gw_hash_bases(s->bases, s->width))) {
                s->splits[i] = GW_SPLIT_NONE;
                s->counts->duplicates++;
            }
        }
        if (s->splits[i] == GW_SPLIT_NONE) continue;
        s->counts->positives[s->splits[i]]++;
        chosen++;
    }
    return chosen > 0 ? GW_OK : gw_fail(GW_ERR_RANGE, "no promoter window of %lld bp is left", (long long)s->width);
}

static gw_status write_rows(set_writer *s) {
    GW_TRY(gw_writer_printf(s->writer, "sequence\tlabel\tname\tregion\tstrand\tsplit\tkind\ttss_offset\n"));
    for (int64_t i = 0; i < s->tss->count; i++) {
        gw_region window;
        GW_TRY(gw_check_interrupt());
        gw_progress("promoters", i + 1, s->tss->count, "TSS", NULL);
        if (s->splits[i] == GW_SPLIT_NONE) continue;
        window_of(s, &s->tss->items[i], &window);
        GW_TRY(read_window(s, &window));
        GW_TRY(write_row(s, s->bases, 1, &window, s->tss->items[i].name, s->splits[i], "tss"));
        GW_TRY(write_negative(s, i, &window, s->tss->items[i].name, s->splits[i]));
    }
    return GW_OK;
}

// Negatives drawn over and over from a few places would be one negative under many names: the distance is halved until
// all of a split could lie side by side, down to 1 bp, where none holds a TSS.
static gw_status find_negatives(set_writer *s) {
    int64_t *distance = &s->counts->distance;
    *distance = s->options->distance;
    s->genomic = (genomic_negatives){.genome = s->genome, .width = s->width};
    s->genomic.candidate = gw_alloc(2 * s->width, 1);
    s->genomic.best = gw_alloc(s->width, 1);
    if (!s->genomic.candidate || !s->genomic.best) return GW_ERR_MEMORY;
    for (;; *distance /= 2) {
        for (int split = 0; split < GW_SPLITS; split++)
            GW_TRY(find_windows(&s->genomic, (gw_set_split)split, s->tss, s->held_out, *distance));
        int split = 0; // the first whose negatives cannot lie side by side
        int64_t room = 0;
        for (; split < GW_SPLITS; split++) {
            const gw_regions *gaps = &s->genomic.windows[split].gaps;
            room = 0;
            for (int64_t i = 0; i < gaps->count; i++) room += (gaps->items[i].end - gaps->items[i].begin) / s->width;
            if (room < s->counts->positives[split]) break;
        }
        if (split == GW_SPLITS) return GW_OK;
        if (*distance <= 1)
            return gw_fail(GW_ERR_MISMATCH,
                           "the %s sequence has room for %lld negatives of %lld bp side by side at least %lld bp from "
                           "every TSS, not for %lld: take shorter windows, or negatives made of the promoters "
                           "(--negatives shuffle or substitute)",
                           gw_split_names[split], (long long)room, (long long)s->width, (long long)*distance,
                           (long long)s->counts->positives[split]);
        for (split = 0; split < GW_SPLITS; split++) gw_free_windows_free(&s->genomic.windows[split]);
    }
}

static gw_status write_set(set_writer *s, const char *path) {
    GW_TRY(choose_examples(s));
    if (s->options->negatives == GW_NEGATIVES_GENOMIC) GW_TRY(find_negatives(s));
    GW_TRY(gw_writer_open(path, &s->writer));
    const gw_status status = write_rows(s);
    gw_progress_end();
    gw_regions_sort(&s->drawn);
    const gw_region *r = s->drawn.items;
    for (int64_t i = 0; i < s->drawn.count; i++) { // all are of one width, so the nearest begins tell
        const bool left = i > 0 && r[i - 1].contig == r[i].contig && r[i - 1].end > r[i].begin;
        const bool right = i + 1 < s->drawn.count && r[i + 1].contig == r[i].contig && r[i + 1].begin < r[i].end;
        s->counts->overlapping += left || right;
    }
    if (status == GW_OK) return gw_writer_close(s->writer);
    gw_writer_abandon(s->writer);
    return status;
}

gw_status gw_promoter_set_write(gw_genome *genome, const gw_regions *tss, const gw_held_out *held_out,
                                const gw_promoter_options *options, const char *path, gw_promoter_counts *counts) {
    *counts = (gw_promoter_counts){0};
    const int64_t width = options->upstream + options->downstream;
    if (width < GW_PIECES)
        return gw_fail(GW_ERR_RANGE, "a promoter window needs at least %d bp, not %lld", GW_PIECES, (long long)width);
    set_writer s = {
        .genome = genome, .tss = tss, .held_out = held_out, .options = options, .width = width, .counts = counts};
    s.forward = gw_alloc(width, 1);
    s.bases = gw_alloc(width, 1);
    s.changed = gw_alloc(width, 1);
    gw_status status = s.forward && s.bases && s.changed ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = write_set(&s, path);
    for (int split = 0; split < GW_SPLITS; split++) gw_free_windows_free(&s.genomic.windows[split]);
    free(s.genomic.candidate);
    free(s.genomic.best);
    gw_regions_free(&s.drawn);
    for (int split = 0; split < GW_SPLITS; split++) gw_seen_windows_free(&s.seen[split]);
    free(s.splits);
    free(s.forward);
    free(s.bases);
    free(s.changed);
    return status;
}
