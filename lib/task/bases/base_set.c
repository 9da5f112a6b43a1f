// SPDX-License-Identifier: MIT
// Reads windows with a flank on either side, as many as go through the network together.
#include "task/bases/base_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
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
        return gw_fail(GW_ERR_UNSUPPORTED, "%s is not a set of labelled bases, as godwit labels writes", items[0]);
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
        return gw_fail(GW_ERR_MISMATCH, "classes of the set overlap, and classes of the model exclude each other");
    return GW_OK;
}

gw_status gw_base_pass_run(gw_base_network *network, const gw_base_pass *pass) {
    const int64_t flank = gw_base_network_flank(network), stride = pass->longest + 2 * flank;
    const int64_t most = gw_base_network_tokens(network) / stride + 1; // windows at a time
    const int64_t width = pass->longest * gw_base_network_classes(network);
    gw_labelling_window *windows = gw_alloc(most, sizeof *windows);
    gw_region *regions = gw_alloc(most, sizeof *regions);
    char *bases = gw_alloc(most, stride);
    float *rows = gw_alloc(most * width, sizeof *rows);
    gw_status status = windows && regions && bases && rows ? GW_OK : GW_ERR_MEMORY;
    for (int64_t done = 0; status == GW_OK && done < pass->count; done += most) {
        const int64_t count = gw_min(most, pass->count - done);
        for (int64_t k = 0; status == GW_OK && k < count; k++) {
            const gw_region r = regions[k] = pass->window(pass->context, done + k);
            windows[k] = (gw_labelling_window){.bases = bases + k * stride,
                                               .length = r.end - r.begin + 2 * flank,
                                               .strand = r.strand,
                                               .rows = rows + k * width,
                                               .ref = -1};
            status = gw_base_fetch(pass->genome, r.contig, r.begin - flank, r.end + flank, 0,
                                   gw_genome_length(pass->genome, r.contig), bases + k * stride);
        }
        if (status == GW_OK) status = gw_base_network_run(network, windows, count);
        for (int64_t k = 0; status == GW_OK && k < count; k++)
            status = pass->take(pass->context, done + k, &regions[k], windows[k].rows);
        if (status == GW_OK) status = gw_check_interrupt();
        if (status == GW_OK && pass->progress) gw_progress(pass->progress, done + count, pass->count, "windows", NULL);
    }
    if (pass->progress) gw_progress_end();
    free(windows);
    free(regions);
    free(bases);
    free(rows);
    return status;
}
