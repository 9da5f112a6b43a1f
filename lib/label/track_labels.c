// SPDX-License-Identifier: MIT
// A contig's signal is read once, and looked up for each of its regions.
#include "label/labelled_source.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/string.h"
#include "seq/track/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The file's name without folders and what follows its last dot, and without .gz before that.
static char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    char *name = gw_strdup(slash ? slash + 1 : path);
    for (int i = 0; name && i < 2; i++) {
        char *dot = strrchr(name, '.');
        const bool packed = dot && strcmp(dot, ".gz") == 0;
        if (dot && dot != name) *dot = 0;
        if (!packed) break;
    }
    return name;
}

// Over the bases that have a value; NaN: none has.
static double mean_over(const gw_track_values *values, const gw_region_row *region) {
    int64_t low = 0, high = values->count, bases = 0;
    double sum = 0;
    while (low < high) { // the first stretch that ends behind the region's begin
        const int64_t middle = (low + high) / 2;
        if (values->items[middle].end > region->begin) high = middle;
        else low = middle + 1;
    }
    for (; low < values->count && values->items[low].begin < region->end; low++) {
        const gw_track_value *v = &values->items[low];
        const int64_t begin = v->begin > region->begin ? v->begin : region->begin;
        const int64_t end = v->end < region->end ? v->end : region->end;
        sum += v->value * (double)(end - begin);
        bases += end - begin;
    }
    return bases > 0 ? sum / (double)bases : NAN;
}

static gw_status read_contig(const gw_labelled_options *o, gw_labelled_source *part, int contig, int track) {
    const gw_region whole = {.contig = contig, .end = gw_genome_length(part->genome, contig)};
    gw_track_values values = {0};
    gw_status status = gw_track_read(o->tracks[track], part->genome, &whole, &values);
    for (int64_t i = 0; status == GW_OK && i < part->count; i++) {
        const gw_region_row *region = &part->regions[i];
        if (region->contig != contig) continue;
        const double mean = mean_over(&values, region);
        part->values[i * part->labels + track] = (float)mean;
        if (isnan(mean) && !o->missing)
            status = gw_fail(GW_ERR_MISMATCH, "%s has no value on %s:%lld-%lld; --missing leaves such numbers out",
                             o->tracks[track], gw_genome_name(part->genome, contig), (long long)region->begin + 1,
                             (long long)region->end);
    }
    gw_track_values_free(&values);
    return status;
}

gw_status gw_track_labels_read(const gw_labelled_options *o, gw_labelled_source *part) {
    if (!part->regions) return gw_fail(GW_ERR_MISMATCH, "--track gives regions their numbers, the set has sequences");
    const int contigs = gw_genome_contigs(part->genome);
    bool *met = gw_alloc(contigs, sizeof *met);
    free(part->label_names);
    part->label_names = gw_alloc(o->track_count, sizeof *part->label_names);
    part->values = gw_alloc(part->count * o->track_count, sizeof *part->values);
    gw_status status = met && part->label_names && part->values ? GW_OK : GW_ERR_MEMORY;
    for (; status == GW_OK && part->labels < o->track_count; part->labels++)
        if (!(part->label_names[part->labels] = name_of(o->tracks[part->labels]))) status = GW_ERR_MEMORY;
    for (int64_t i = 0; met && i < part->count; i++) met[part->regions[i].contig] = true;
    for (int t = 0; t < o->track_count; t++)
        for (int c = 0; status == GW_OK && c < contigs; c++) {
            if (met[c]) status = read_contig(o, part, c, t);
            if (status == GW_OK) status = gw_check_interrupt();
        }
    free(met);
    return status;
}
