// SPDX-License-Identifier: MIT
// Writes the row of each start site and of its negative.
#include "label/promoter_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "label/genomic_negative.h"
#include "label/negative.h"
#include "label/seen_windows.h"
#include "seq/lines.h"
#include "seq/tss.h"

#include <stdlib.h>
#include <string.h>

const char *const gw_negatives_names[] = {"substitute", "shuffle", "genomic"};

// What the writing of one set shares.
typedef struct {
    gw_genome *genome;
    const gw_promoter_options *options;
    gw_text_writer *writer;
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

// The window of a TSS, into *window and s->bases, and its split. Windows that leave their contig have none.
static gw_status read_window(set_writer *s, const gw_region *tss, const gw_held_out *held_out, gw_region *window,
                             gw_set_split *split, bool *on_contig) {
    const int64_t at = gw_tss_position(tss);
    *window = (gw_region){.contig = tss->contig, .strand = tss->strand};
    *split = GW_SPLIT_NONE;
    gw_tss_window(at, tss->strand, s->options->upstream, s->options->downstream, &window->begin, &window->end);
    *on_contig = window->begin >= 0 && window->end <= gw_genome_length(s->genome, window->contig);
    if (!*on_contig) return GW_OK;
    *split = gw_split_of_window(held_out, window->contig, window->begin, window->end, at);
    if (*split == GW_SPLIT_NONE) return GW_OK;
    GW_TRY(gw_genome_fetch(s->genome, window->contig, window->begin, window->end, s->forward));
    if (window->strand == '-') gw_reverse_complement(s->forward, s->width, s->bases);
    else memcpy(s->bases, s->forward, (size_t)s->width);
    return GW_OK;
}

// What is held out, before anything is written.
static gw_status see_held_out(set_writer *s, const gw_regions *tss, const gw_held_out *held_out) {
    for (int64_t i = 0; held_out->any && i < tss->count; i++) {
        gw_region window;
        gw_set_split split;
        bool on_contig;
        GW_TRY(read_window(s, &tss->items[i], held_out, &window, &split, &on_contig));
        if (split != GW_SPLIT_VALID && split != GW_SPLIT_TEST) continue;
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

static gw_status write_example(set_writer *s, int64_t example, const gw_region *tss, const gw_held_out *held_out) {
    gw_region window;
    gw_set_split split;
    bool on_contig;
    GW_TRY(read_window(s, tss, held_out, &window, &split, &on_contig));
    if (!on_contig || split == GW_SPLIT_NONE) {
        ++*(on_contig ? &s->counts->touching : &s->counts->off_contig);
        return GW_OK;
    }
    if (is_duplicate(s, split)) {
        s->counts->duplicates++;
        return GW_OK;
    }
    GW_TRY(write_row(s, s->bases, 1, &window, tss->name, split, "tss"));
    s->counts->positives[split]++;
    return write_negative(s, example, &window, tss->name, split);
}

static gw_status write_rows(set_writer *s, const gw_regions *tss, const gw_held_out *held_out) {
    GW_TRY(gw_writer_printf(s->writer, "sequence\tlabel\tname\tregion\tstrand\tsplit\tkind\ttss_offset\n"));
    for (int64_t i = 0; i < tss->count; i++) {
        GW_TRY(gw_check_interrupt());
        GW_TRY(write_example(s, i, &tss->items[i], held_out));
        gw_progress("promoters", i + 1, tss->count, "TSS", NULL);
    }
    int64_t written = 0;
    for (int split = 0; split < GW_SPLITS; split++) written += s->counts->positives[split];
    return written > 0 ? GW_OK : gw_fail(GW_ERR_RANGE, "no promoter window of %lld bp is left", (long long)s->width);
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
    while (split < GW_SPLITS && gw_genomic_negatives_room(genomic, (gw_set_split)split) >= counts->positives[split])
        split++;
    return split;
}

// The largest distance from all TSSs, below the one asked for, at which there is room for all negatives; -1: none.
static gw_status find_distance(const set_writer *s, const gw_regions *tss, const gw_held_out *held_out, int64_t *out) {
    int64_t low = -1, high = s->options->distance;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        gw_genomic_negatives tried;
        GW_TRY(gw_genomic_negatives_new(&tried, s->genome, tss, held_out, s->width, middle));
        if (full_split(&tried, s->counts) == GW_SPLITS) low = middle;
        else high = middle;
        gw_genomic_negatives_free(&tried);
    }
    *out = low;
    return GW_OK;
}

// Negatives drawn over and over from a few places would be one negative under many names.
static gw_status check_room(const set_writer *s, const gw_regions *tss, const gw_held_out *held_out) {
    const int split = full_split(&s->genomic, s->counts);
    int64_t distance;
    if (split == GW_SPLITS) return GW_OK;
    GW_TRY(find_distance(s, tss, held_out, &distance));
    const char *name = gw_split_names[split];
    const long long room = gw_genomic_negatives_room(&s->genomic, (gw_set_split)split);
    if (distance < 0)
        return gw_fail(GW_ERR_MISMATCH,
                       "the %s sequence has room for %lld negatives of %lld bp side by side, not for %lld, at any "
                       "distance from the TSSs: take shorter windows, or other negatives",
                       name, room, (long long)s->width, (long long)s->counts->positives[split]);
    return gw_fail(GW_ERR_MISMATCH,
                   "the %s sequence has room for %lld negatives of %lld bp side by side at least %lld bp from every "
                   "TSS, not for %lld: --distance %lld has room for all",
                   name, room, (long long)s->width, (long long)s->options->distance,
                   (long long)s->counts->positives[split], (long long)distance);
}

gw_status gw_promoter_set_write(gw_genome *genome, const gw_regions *tss, const gw_held_out *held_out,
                                const gw_promoter_options *options, const char *path, gw_promoter_counts *counts) {
    *counts = (gw_promoter_counts){0};
    const int64_t width = options->upstream + options->downstream;
    if (width < GW_PIECES)
        return gw_fail(GW_ERR_RANGE, "a promoter window needs at least %d bp, not %lld", GW_PIECES, (long long)width);
    set_writer s = {.genome = genome, .options = options, .width = width, .counts = counts};
    s.forward = gw_alloc(width, 1);
    s.bases = gw_alloc(width, 1);
    s.changed = gw_alloc(width, 1);
    gw_status status = s.forward && s.bases && s.changed ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && options->negatives == GW_NEGATIVES_GENOMIC)
        status = gw_genomic_negatives_new(&s.genomic, genome, tss, held_out, width, options->distance);
    if (status == GW_OK) status = gw_writer_open(path, &s.writer);
    if (status == GW_OK) status = see_held_out(&s, tss, held_out);
    if (status == GW_OK) status = write_rows(&s, tss, held_out);
    if (status == GW_OK && options->negatives == GW_NEGATIVES_GENOMIC) status = check_room(&s, tss, held_out);
    count_overlaps(&s);
    if (status == GW_OK) status = gw_writer_close(s.writer);
    else gw_writer_abandon(s.writer);
    gw_progress_end();
    gw_genomic_negatives_free(&s.genomic);
    gw_regions_free(&s.drawn);
    for (int split = 0; split < GW_SPLITS; split++) gw_seen_windows_free(&s.seen[split]);
    free(s.forward);
    free(s.bases);
    free(s.changed);
    return status;
}
