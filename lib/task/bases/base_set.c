// SPDX-License-Identifier: MIT
// Windows are read with a flank on either side, as many as go through the network together.
#include "task/bases/base_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "label/base_set_writer.h"

#include <stdlib.h>
#include <string.h>

gw_status gw_base_set_open(const gw_string_list *paths, gw_genome *genome, const char *split, gw_base_set *out) {
    *out = (gw_base_set){.genome = genome};
    const gw_labelled_options options = {.genome = genome, .split = split};
    const char *const *items = (const char *const *)paths->items;
    if (!genome) return gw_fail(GW_ERR_USAGE, "sets of labelled bases need their genome: -f ref.fa");
    GW_TRY(gw_labelled_set_open(items, paths->count, &options, &out->set));
    if (!gw_labelled_set_has_regions(out->set))
        return gw_fail(GW_ERR_UNSUPPORTED, "%s is no set of labelled bases, as godwit labels makes them", items[0]);
    GW_TRY(gw_base_classes_open(items, paths->count, out->set, genome, &out->classes));
    out->overlap = gw_base_classes_overlap(out->classes);
    for (int64_t i = 0; i < gw_labelled_set_count(out->set); i++) {
        const gw_region window = gw_base_set_window(out, i);
        out->bases += window.end - window.begin;
    }
    return GW_OK;
}

void gw_base_set_close(gw_base_set *set) {
    gw_base_classes_close(set->classes);
    gw_labelled_set_close(set->set);
    *set = (gw_base_set){0};
}

gw_region gw_base_set_window(const gw_base_set *set, int64_t i) {
    gw_region window = gw_labelled_set_region(set->set, i);
    if (window.strand != '-') window.strand = '+';
    return window;
}

void gw_base_set_labels(const gw_base_set *set, int64_t i, int32_t *class) {
    const gw_region window = gw_base_set_window(set, i);
    gw_base_classes_fill(set->classes, window.contig, window.begin, window.end, window.strand, class);
}

const char *gw_base_set_class(const void *set, int64_t class) {
    return class == 0 ? GW_BASE_NONE : gw_labelled_set_label_name(((const gw_base_set *)set)->set, class - 1);
}

gw_status gw_base_set_check(const gw_base_set *set, const gw_config *config) {
    const int64_t classes = gw_labelled_set_labels(set->set) + 1;
    if (classes != config->labels)
        return gw_fail(GW_ERR_MISMATCH, "the set has %lld classes (none among them), the model %lld",
                       (long long)classes, (long long)config->labels);
    for (int64_t c = 0; config->label_names && c < classes; c++)
        if (strcmp(config->label_names[c], gw_base_set_class(set, c)) != 0)
            return gw_fail(GW_ERR_MISMATCH, "class %lld is %s in the set and %s in the model", (long long)c,
                           gw_base_set_class(set, c), config->label_names[c]);
    if (set->overlap && !config->overlap)
        return gw_fail(GW_ERR_MISMATCH, "classes of the set overlap, and those of the model exclude each other");
    return GW_OK;
}

typedef struct {
    gw_labelling_window *windows;
    gw_region *regions;
    char *bases; // [windows][longest + 2 flank]
    float *rows; // [windows][longest][classes]
    int64_t most, held;
} chunk;

static gw_status make_chunk(const gw_base_network *network, const gw_base_pass *pass, chunk *out) {
    const int64_t stride = pass->longest + 2 * gw_base_network_flank(network);
    *out = (chunk){.most = gw_base_network_tokens(network) / stride + 1};
    out->windows = gw_alloc(out->most, sizeof *out->windows);
    out->regions = gw_alloc(out->most, sizeof *out->regions);
    out->bases = gw_alloc(out->most, stride);
    out->rows = gw_alloc(out->most * pass->longest * gw_base_network_classes(network), sizeof *out->rows);
    return out->windows && out->regions && out->bases && out->rows ? GW_OK : GW_ERR_MEMORY;
}

static void free_chunk(chunk *c) {
    free(c->windows);
    free(c->regions);
    free(c->bases);
    free(c->rows);
}

static gw_status add_window(chunk *c, const gw_base_network *network, const gw_base_pass *pass, int64_t i) {
    const int64_t flank = gw_base_network_flank(network), at = c->held++;
    const gw_region window = pass->window(pass->context, i);
    char *bases = c->bases + at * (pass->longest + 2 * flank);
    c->regions[at] = window;
    c->windows[at] = (gw_labelling_window){.bases = bases,
                                           .length = window.end - window.begin + 2 * flank,
                                           .strand = window.strand,
                                           .rows = c->rows + at * pass->longest * gw_base_network_classes(network),
                                           .ref = -1};
    return gw_base_fetch(pass->genome, window.contig, window.begin - flank, window.end + flank, 0,
                         gw_genome_length(pass->genome, window.contig), bases);
}

static gw_status run_chunk(chunk *c, gw_base_network *network, const gw_base_pass *pass, int64_t first) {
    GW_TRY(gw_base_network_run(network, c->windows, c->held));
    for (int64_t k = 0; k < c->held; k++)
        GW_TRY(pass->take(pass->context, first + k, &c->regions[k], c->windows[k].rows));
    return gw_check_interrupt();
}

static gw_status run_chunks(chunk *c, gw_base_network *network, const gw_base_pass *pass) {
    for (int64_t done = 0; done < pass->count; done += c->held) {
        for (c->held = 0; c->held < c->most && done + c->held < pass->count;)
            GW_TRY(add_window(c, network, pass, done + c->held));
        GW_TRY(run_chunk(c, network, pass, done));
        if (pass->progress) gw_progress(pass->progress, done + c->held, pass->count, "windows", NULL);
    }
    return GW_OK;
}

gw_status gw_base_pass_run(gw_base_network *network, const gw_base_pass *pass) {
    chunk c;
    gw_status status = make_chunk(network, pass, &c);
    if (status == GW_OK) status = run_chunks(&c, network, pass);
    if (pass->progress) gw_progress_end();
    free_chunk(&c);
    return status;
}
