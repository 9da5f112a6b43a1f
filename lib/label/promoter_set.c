// SPDX-License-Identifier: MIT
// Finds which start sites are taken, then how far negatives lie from them, and writes the row of each and its negative.
#include "label/promoter_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "file/lines.h"
#include "label/genomic_negative.h"
#include "label/negative.h"
#include "label/seen_windows.h"
#include "seq/genes/tss.h"

#include <stdlib.h>
#include <string.h>

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
