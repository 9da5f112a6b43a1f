// SPDX-License-Identifier: MIT
// Lists the gaps between obstacles, and draws a window from all of their positions alike.
#include "label/promoter_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "file/lines.h"
#include "label/held_out.h"
#include "seq/genes/tss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gw_status add_gap(gw_free_windows *windows, int contig, int64_t begin, int64_t end) {
    if (end - begin < windows->width) return GW_OK;
    return gw_regions_add(&windows->gaps, (gw_region){.contig = contig, .begin = begin, .end = end, .strand = '.'});
}

// What the obstacles leave of one zone.
static gw_status add_zone(gw_free_windows *windows, const gw_region *zone, const gw_regions *obstacles, int64_t first) {
    int64_t begin = zone->begin;
    for (int64_t i = first; i < obstacles->count; i++) {
        const gw_region *o = &obstacles->items[i];
        if (o->contig != zone->contig || o->begin >= zone->end) break;
        GW_TRY(add_gap(windows, zone->contig, begin, o->begin));
        if (o->end > begin) begin = o->end;
    }
    return add_gap(windows, zone->contig, begin, zone->end);
}

static gw_status count_starts(gw_free_windows *windows) {
    windows->starts_before = gw_alloc(windows->gaps.count + 1, sizeof *windows->starts_before);
    if (!windows->starts_before) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < windows->gaps.count; i++) {
        const gw_region *gap = &windows->gaps.items[i];
        windows->starts_before[i + 1] = windows->starts_before[i] + gap->end - gap->begin - windows->width + 1;
    }
    return GW_OK;
}

gw_status gw_free_windows_find(gw_free_windows *windows, const gw_regions *zones, const gw_regions *obstacles,
                               int64_t width) {
    *windows = (gw_free_windows){.width = width};
    gw_status status = GW_OK;
    int64_t first = 0; // obstacles before it end before every later zone
    for (int64_t i = 0; status == GW_OK && i < zones->count; i++) {
        const gw_region *zone = &zones->items[i];
        for (; first < obstacles->count; first++) {
            const gw_region *o = &obstacles->items[first];
            if (o->contig > zone->contig || (o->contig == zone->contig && o->end > zone->begin)) break;
        }
        status = add_zone(windows, zone, obstacles, first);
    }
    if (status == GW_OK) status = count_starts(windows);
    if (status != GW_OK) gw_free_windows_free(windows);
    return status;
}

int64_t gw_free_windows_count(const gw_free_windows *windows) {
    return windows->starts_before ? windows->starts_before[windows->gaps.count] : 0;
}

void gw_free_windows_draw(const gw_free_windows *windows, gw_random *random, int *contig, int64_t *begin) {
    const int64_t start = (int64_t)gw_random_below(random, (uint64_t)gw_free_windows_count(windows));
    int64_t low = 0, high = windows->gaps.count; // starts_before[low] <= start < starts_before[high]
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (windows->starts_before[middle] <= start) low = middle;
        else high = middle;
    }
    *contig = windows->gaps.items[low].contig;
    *begin = windows->gaps.items[low].begin + start - windows->starts_before[low];
}

void gw_free_windows_free(gw_free_windows *windows) {
    gw_regions_free(&windows->gaps);
    free(windows->starts_before);
    *windows = (gw_free_windows){0};
}

// Finds the windows that are far enough from every site, and takes the first drawn whose GC content is close to the
// parent's, or the closest of many.

static gw_status add_copies(gw_regions *to, const gw_regions *from) {
    for (int64_t i = 0; i < from->count; i++) {
        const gw_region *r = &from->items[i];
        GW_TRY(gw_regions_add(to, (gw_region){.contig = r->contig, .begin = r->begin, .end = r->end, .strand = '.'}));
    }
    return GW_OK;
}

// Every base nearer than `distance` to a TSS at t: t - distance + 1 .. t + distance - 1.
static gw_status add_neighbourhoods(gw_regions *to, gw_genome *genome, const gw_regions *tss, int64_t distance) {
    for (int64_t i = 0; i < tss->count; i++) {
        const int64_t at = gw_tss_position(&tss->items[i]), length = gw_genome_length(genome, tss->items[i].contig);
        gw_region near = {
            .contig = tss->items[i].contig, .begin = at - distance + 1, .end = at + distance, .strand = '.'};
        if (near.begin < 0) near.begin = 0;
        if (near.end > length) near.end = length;
        if (near.begin < near.end) GW_TRY(gw_regions_add(to, near));
    }
    return GW_OK;
}

static gw_status add_contigs(gw_regions *to, gw_genome *genome) {
    for (int c = 0; c < gw_genome_contigs(genome); c++)
        GW_TRY(gw_regions_add(to, (gw_region){.contig = c, .end = gw_genome_length(genome, c), .strand = '.'}));
    return GW_OK;
}

// Training windows lie anywhere but in held-out sequence; the others inside their split's regions.
static gw_status find_windows(gw_genomic_negatives *n, gw_set_split split, const gw_regions *tss,
                              const gw_held_out *held_out, int64_t distance) {
    gw_regions zones = {0}, obstacles = {0};
    gw_status status = add_neighbourhoods(&obstacles, n->genome, tss, distance);
    if (status == GW_OK) status = add_copies(&obstacles, &held_out->excluded);
    if (split == GW_SPLIT_TRAIN) {
        if (status == GW_OK) status = add_copies(&obstacles, &held_out->valid);
        if (status == GW_OK) status = add_copies(&obstacles, &held_out->test);
        if (status == GW_OK) status = add_contigs(&zones, n->genome);
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

gw_status gw_genomic_negatives_new(gw_genomic_negatives *negatives, gw_genome *genome, const gw_regions *tss,
                                   const gw_held_out *held_out, int64_t width, int64_t distance) {
    *negatives = (gw_genomic_negatives){.genome = genome, .width = width};
    negatives->candidate = gw_alloc(2 * width, 1); // a window and its reverse complement
    negatives->best = gw_alloc(width, 1);
    gw_status status = negatives->candidate && negatives->best ? GW_OK : GW_ERR_MEMORY;
    for (int split = 0; status == GW_OK && split < GW_SPLITS; split++)
        status = find_windows(negatives, (gw_set_split)split, tss, held_out, distance);
    if (status != GW_OK) gw_genomic_negatives_free(negatives);
    return status;
}

int64_t gw_genomic_negatives_capacity(const gw_genomic_negatives *negatives, gw_set_split split) {
    const gw_regions *gaps = &negatives->windows[split].gaps;
    int64_t capacity = 0;
    for (int64_t i = 0; i < gaps->count; i++)
        capacity += (gaps->items[i].end - gaps->items[i].begin) / negatives->width;
    return capacity;
}

void gw_genomic_negatives_free(gw_genomic_negatives *negatives) {
    for (int split = 0; split < GW_SPLITS; split++) gw_free_windows_free(&negatives->windows[split]);
    free(negatives->candidate);
    free(negatives->best);
    *negatives = (gw_genomic_negatives){0};
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

static gw_status draw_window(gw_genomic_negatives *n, gw_random *random, gw_set_split split, gw_region *region) {
    *region = (gw_region){0};
    gw_free_windows_draw(&n->windows[split], random, &region->contig, &region->begin);
    region->end = region->begin + n->width;
    region->strand = gw_random_below(random, 2) ? '-' : '+';
    if (region->strand == '+')
        return gw_genome_fetch(n->genome, region->contig, region->begin, region->end, n->candidate);
    char *forward = n->candidate + n->width;
    GW_TRY(gw_genome_fetch(n->genome, region->contig, region->begin, region->end, forward));
    gw_reverse_complement(forward, n->width, n->candidate);
    return GW_OK;
}

gw_status gw_genomic_negative(gw_genomic_negatives *n, gw_random *random, gw_set_split split, const char *parent,
                              gw_region *region, const char **bases, bool *matched) {
    enum { MOST_DRAWS = 500 };
    const double close_enough = 0.02;
    int64_t parent_others, others;
    const double wanted = gc_content(parent, n->width, &parent_others);
    double closest = INFINITY;
    for (int i = 0; i < MOST_DRAWS && closest > close_enough; i++) {
        gw_region drawn;
        GW_TRY(draw_window(n, random, split, &drawn));
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

// Draws 12 of the 20 pieces, and replaces or permutes them.

static void swap(int *a, int *b) {
    const int kept = *a;
    *a = *b;
    *b = kept;
}

// The first `chosen` items of order[0 .. count) become a uniform draw without replacement, in random order.
static void draw(gw_random *random, int *order, int count, int chosen) {
    for (int i = 0; i < chosen; i++) swap(&order[i], &order[i + (int)gw_random_below(random, (uint64_t)(count - i))]);
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

// Finds which start sites are taken, then how far negatives lie from them, and writes the row of each and its negative.

const char *const gw_negatives_names[] = {"genomic", "substitute", "shuffle"};

// What the writing of one set shares.
typedef struct {
    gw_genome *genome;
    const gw_regions *tss;
    const gw_held_out *held_out;
    const gw_promoter_options *options;
    gw_text_writer *writer;
    gw_set_split *splits; // [tss->count] NONE: left out
    gw_genomic_negatives genomic;
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
        GW_TRY(gw_genomic_negative(&s->genomic, &random, split, s->bases, &where, &bases, &matched));
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

static void find_splits(set_writer *s) {
    gw_region window;
    for (int64_t i = 0; i < s->tss->count; i++) {
        const gw_region *tss = &s->tss->items[i];
        const bool on_contig = window_of(s, tss, &window);
        s->splits[i] =
            on_contig ? gw_split_of_window(s->held_out, window.contig, window.begin, window.end, gw_tss_position(tss))
                      : GW_SPLIT_NONE;
        s->counts->off_contig += !on_contig;
        s->counts->touching += on_contig && s->splits[i] == GW_SPLIT_NONE;
    }
}

// What is held out, before anything is left out for it.
static gw_status see_held_out(set_writer *s) {
    for (int64_t i = 0; i < s->tss->count; i++) {
        gw_region window;
        const gw_set_split split = s->splits[i];
        if (split != GW_SPLIT_VALID && split != GW_SPLIT_TEST) continue;
        window_of(s, &s->tss->items[i], &window);
        GW_TRY(read_window(s, &window));
        gw_reverse_complement(s->bases, s->width, s->changed);
        GW_TRY(gw_seen_windows_add(&s->seen[split], s->bases, s->width));
        GW_TRY(gw_seen_windows_add(&s->seen[split], s->changed, s->width));
    }
    gw_seen_windows_sort(&s->seen[GW_SPLIT_VALID]);
    gw_seen_windows_sort(&s->seen[GW_SPLIT_TEST]);
    return GW_OK;
}

// Whether the window in s->bases is also one of a part that it must not share sequence with: a sequence is on one side.
static bool is_duplicate(const set_writer *s, gw_set_split split) {
    if (split != GW_SPLIT_TEST && gw_seen_windows_has(&s->seen[GW_SPLIT_TEST], s->bases, s->width)) return true;
    return split == GW_SPLIT_TRAIN && gw_seen_windows_has(&s->seen[GW_SPLIT_VALID], s->bases, s->width);
}

static gw_status drop_duplicates(set_writer *s) {
    for (int64_t i = 0; s->held_out->any && i < s->tss->count; i++) {
        gw_region window;
        if (s->splits[i] == GW_SPLIT_NONE || s->splits[i] == GW_SPLIT_TEST) continue;
        window_of(s, &s->tss->items[i], &window);
        GW_TRY(read_window(s, &window));
        if (!is_duplicate(s, s->splits[i])) continue;
        s->splits[i] = GW_SPLIT_NONE;
        s->counts->duplicates++;
    }
    return GW_OK;
}

static gw_status choose_examples(set_writer *s) {
    int64_t chosen = 0;
    s->splits = gw_alloc(s->tss->count, sizeof *s->splits);
    if (!s->splits) return GW_ERR_MEMORY;
    find_splits(s);
    GW_TRY(see_held_out(s));
    GW_TRY(drop_duplicates(s));
    for (int64_t i = 0; i < s->tss->count; i++) {
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

static void count_overlaps(set_writer *s) {
    gw_regions_sort(&s->drawn);
    const gw_region *items = s->drawn.items;
    for (int64_t i = 0; i < s->drawn.count; i++) { // all are of one width, so the nearest begins tell
        const bool left = i > 0 && items[i - 1].contig == items[i].contig && items[i - 1].end > items[i].begin;
        const bool right =
            i + 1 < s->drawn.count && items[i + 1].contig == items[i].contig && items[i + 1].begin < items[i].end;
        s->counts->overlapping += left || right;
    }
}

// The first split whose negatives cannot lie side by side, or GW_SPLITS.
static int full_split(const gw_genomic_negatives *genomic, const gw_promoter_counts *counts) {
    int split = 0;
    while (split < GW_SPLITS && gw_genomic_negatives_capacity(genomic, (gw_set_split)split) >= counts->positives[split])
        split++;
    return split;
}

static gw_status no_capacity(const set_writer *s, int split) {
    return gw_fail(GW_ERR_MISMATCH,
                   "the %s sequence has room for %lld negatives of %lld bp side by side at least %lld bp from every "
                   "TSS, not for %lld: take shorter windows, or negatives made of the promoters (--negatives shuffle "
                   "or substitute)",
                   gw_split_names[split], (long long)gw_genomic_negatives_capacity(&s->genomic, (gw_set_split)split),
                   (long long)s->width, (long long)s->counts->distance, (long long)s->counts->positives[split]);
}

// Negatives drawn over and over from a few places would be one negative under many names: the distance is halved until
// all of a split could lie side by side, down to 1 bp, where none holds a TSS.
static gw_status find_negatives(set_writer *s) {
    int64_t *distance = &s->counts->distance;
    *distance = s->options->distance;
    for (;; *distance /= 2) {
        GW_TRY(gw_genomic_negatives_new(&s->genomic, s->genome, s->tss, s->held_out, s->width, *distance));
        const int split = full_split(&s->genomic, s->counts);
        if (split == GW_SPLITS) return GW_OK;
        if (*distance <= 1) return no_capacity(s, split);
        gw_genomic_negatives_free(&s->genomic);
    }
}

static gw_status write_set(set_writer *s, const char *path) {
    GW_TRY(choose_examples(s));
    if (s->options->negatives == GW_NEGATIVES_GENOMIC) GW_TRY(find_negatives(s));
    GW_TRY(gw_writer_open(path, &s->writer));
    const gw_status status = write_rows(s);
    gw_progress_end();
    count_overlaps(s);
    if (status == GW_OK) return gw_writer_close(s->writer);
    gw_writer_abandon(s->writer);
    return status;
}

static gw_status reserve(set_writer *s) {
    s->forward = gw_alloc(s->width, 1);
    s->bases = gw_alloc(s->width, 1);
    s->changed = gw_alloc(s->width, 1);
    return s->forward && s->bases && s->changed ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_promoter_set_write(gw_genome *genome, const gw_regions *tss, const gw_held_out *held_out,
                                const gw_promoter_options *options, const char *path, gw_promoter_counts *counts) {
    *counts = (gw_promoter_counts){0};
    const int64_t width = options->upstream + options->downstream;
    if (width < GW_PIECES)
        return gw_fail(GW_ERR_RANGE, "a promoter window needs at least %d bp, not %lld", GW_PIECES, (long long)width);
    set_writer s = {
        .genome = genome, .tss = tss, .held_out = held_out, .options = options, .width = width, .counts = counts};
    gw_status status = reserve(&s);
    if (status == GW_OK) status = write_set(&s, path);
    gw_genomic_negatives_free(&s.genomic);
    gw_regions_free(&s.drawn);
    for (int split = 0; split < GW_SPLITS; split++) gw_seen_windows_free(&s.seen[split]);
    free(s.splits);
    free(s.forward);
    free(s.bases);
    free(s.changed);
    return status;
}
