// SPDX-License-Identifier: MIT
// One sweep over each contig: its labels lie sorted by bin beside the bins as they go by.
#include "label/profile_set.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "file/lines.h"
#include "label/label_bits.h"
#include "label/label_files.h"
#include "label/seen_windows.h"
#include "label/window_hashes.h"

#include <stdlib.h>
#include <string.h>

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

static gw_status see_contig(set_writer *s, int contig) {
    const int64_t bin = s->options->bin, length = gw_genome_length(s->genome, contig);
    for (int64_t begin = 0; begin + bin <= length; begin += bin) {
        int64_t from, end;
        uint64_t hash;
        if (!window_of(s, contig, begin, &from, &end)) continue;
        const gw_set_split split = split_of(s, contig, begin, from, end);
        if (split != GW_SPLIT_VALID && split != GW_SPLIT_TEST) continue;
        GW_TRY(gw_window_hash(&s->hashes, contig, from, &hash));
        GW_TRY(gw_seen_windows_add_hash(&s->seen[split], hash));
    }
    return gw_check_interrupt();
}

// What is held out, before anything is written.
static gw_status see_held_out(set_writer *s) {
    for (int c = 0; s->held_out->any && c < gw_genome_contigs(s->genome); c++) GW_TRY(see_contig(s, c));
    gw_seen_windows_sort(&s->seen[GW_SPLIT_VALID]);
    gw_seen_windows_sort(&s->seen[GW_SPLIT_TEST]);
    return GW_OK;
}

// Whether a window also is one of a part that it must not share sequence with: a sequence is on one side.
static gw_status is_duplicate(set_writer *s, int contig, int64_t from, gw_set_split split, bool *is) {
    uint64_t hash;
    *is = false;
    if (!s->held_out->any || split == GW_SPLIT_TEST) return GW_OK;
    GW_TRY(gw_window_hash(&s->hashes, contig, from, &hash));
    *is = gw_seen_windows_has_hash(&s->seen[GW_SPLIT_TEST], hash) ||
          (split == GW_SPLIT_TRAIN && gw_seen_windows_has_hash(&s->seen[GW_SPLIT_VALID], hash));
    return GW_OK;
}

static gw_status count_out(int64_t *reason) {
    ++*reason;
    return GW_OK;
}

static gw_status write_bin(set_writer *s, int contig, int64_t begin, const gw_bin_label *labels, int64_t count) {
    int64_t from, end;
    bool duplicate;
    if (!window_of(s, contig, begin, &from, &end)) return count_out(&s->counts->off_contig);
    if (count == 0 && s->options->bins == GW_BINS_LABELLED) return count_out(&s->counts->unlabelled);
    const gw_set_split split = split_of(s, contig, begin, from, end);
    if (split == GW_SPLIT_NONE) return count_out(&s->counts->touching);
    GW_TRY(is_duplicate(s, contig, from, split, &duplicate));
    if (duplicate) return count_out(&s->counts->duplicates);
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

static gw_status write_contigs(set_writer *s) {
    const int contigs = gw_genome_contigs(s->genome);
    for (int c = 0; c < contigs; c++) {
        GW_TRY(write_contig(s, c));
        gw_progress("profiles", c + 1, contigs, "contigs", NULL);
    }
    int64_t written = 0;
    for (int split = 0; split < GW_SPLITS; split++) written += s->counts->bins[split];
    return written > 0 ? GW_OK : gw_fail(GW_ERR_RANGE, "no bin of %lld bp is left", (long long)s->options->bin);
}

static gw_status write_settings(const set_writer *s, const char *path) {
    const gw_profile_set_options *o = s->options;
    char md5[33];
    GW_TRY(gw_genome_md5(s->genome, md5));
    json_t *json = json_pack("{s:s, s:I, s:I, s:s, s:b, s:s, s:s*}", "task", "profiles", "window",
                             (json_int_t)o->window, "bin", (json_int_t)o->bin, "label", gw_label_rule_names[o->rule],
                             "majority", (int)o->majority, "reference_md5", md5, "command", o->command);
    if (!json) return gw_fail(GW_ERR_MEMORY, "out of memory for %s", path);
    const gw_status status = gw_json_save(path, json);
    json_decref(json);
    return status;
}

// The four names, each "<prefix><ending>".
static gw_status make_names(const char *prefix, char *paths[4]) {
    static const char *const endings[4] = {".bed.gz", ".labels", ".names.tsv", ".json"};
    for (int i = 0; i < 4; i++) {
        paths[i] = gw_strprintf("%s%s", prefix, endings[i]);
        if (!paths[i]) return GW_ERR_MEMORY;
    }
    return GW_OK;
}

static gw_status write_all(set_writer *s, char *const paths[4]) {
    GW_TRY(gw_writer_open(paths[0], &s->bed));
    gw_status status = gw_row_writer_open(paths[1], &gw_label_rows, s->peaks->targets, &s->labels);
    if (status == GW_OK) status = write_contigs(s);
    if (status == GW_OK) status = gw_label_names_write(paths[2], s->peaks->names, s->peaks->targets, s->positives);
    if (status == GW_OK) status = write_settings(s, paths[3]);
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
    *counts = (gw_profile_counts){0};
    if (options->window < options->bin)
        return gw_fail(GW_ERR_RANGE, "a window of %lld bp does not hold a bin of %lld", (long long)options->window,
                       (long long)options->bin);
    set_writer s = {.genome = genome, .peaks = peaks, .held_out = held_out, .options = options, .counts = counts};
    s.row = gw_alloc(gw_row_bytes(&gw_label_rows, peaks->targets), 1);
    s.positives = gw_alloc((int64_t)peaks->targets * GW_SPLITS, sizeof *s.positives);
    char *paths[4] = {NULL};
    gw_status status = s.row && s.positives ? make_names(prefix, paths) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_window_hashes_new(&s.hashes, genome, options->window);
    if (status == GW_OK) status = see_held_out(&s);
    if (status == GW_OK) status = write_all(&s, paths);
    gw_progress_end();
    for (int i = 0; i < 4; i++) free(paths[i]);
    gw_window_hashes_free(&s.hashes);
    for (int split = 0; split < GW_SPLITS; split++) gw_seen_windows_free(&s.seen[split]);
    free(s.row);
    free(s.positives);
    return status;
}
