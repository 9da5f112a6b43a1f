// SPDX-License-Identifier: MIT
// Merges the chosen regions, and intersects or subtracts the targets.
#include "seq/genome/region_choice.h"

#include "base/memory.h"

#include <stdlib.h>

bool gw_region_choice_is_empty(const gw_region_choice *choice) {
    return !choice->regions && !choice->regions_file && !choice->targets && !choice->targets_file;
}

static gw_status add_contigs(gw_regions *regions, const gw_genome *genome) {
    for (int i = 0; i < gw_genome_contigs(genome); i++) {
        const gw_region whole = {.contig = i, .end = gw_genome_length(genome, i), .strand = '.'};
        GW_TRY(gw_regions_add(regions, whole));
    }
    return GW_OK;
}

static gw_status read_both(gw_regions *regions, gw_genome *genome, const char *text, const char *path) {
    if (text) GW_TRY(gw_regions_parse(regions, genome, text));
    return path ? gw_regions_read_bed(regions, genome, path) : GW_OK;
}

static gw_status add_piece(gw_regions *regions, const gw_region *whole, int64_t begin, int64_t end) {
    if (begin >= end) return GW_OK;
    gw_region piece = *whole;
    piece.begin = begin;
    piece.end = end;
    piece.name = whole->name ? gw_strdup(whole->name) : NULL;
    if (whole->name && !piece.name) return GW_ERR_MEMORY;
    return gw_regions_add(regions, piece);
}

// Adds the parts of `whole` inside the merged targets, or outside them.
static gw_status cut(gw_regions *regions, const gw_region *whole, const gw_regions *targets, bool inside) {
    int64_t outside_from = whole->begin;
    for (int64_t i = gw_regions_first(targets, whole->contig, whole->begin); i < targets->count; i++) {
        const gw_region *target = &targets->items[i];
        if (target->contig != whole->contig || target->begin >= whole->end) break;
        const int64_t begin = target->begin > whole->begin ? target->begin : whole->begin;
        const int64_t end = target->end < whole->end ? target->end : whole->end;
        if (inside) GW_TRY(add_piece(regions, whole, begin, end));
        else GW_TRY(add_piece(regions, whole, outside_from, begin));
        outside_from = end;
    }
    return inside ? GW_OK : add_piece(regions, whole, outside_from, whole->end);
}

// Targets that start with ^ are to be left out; a text and a file must then agree.
static gw_status read_targets(gw_regions *targets, gw_genome *genome, const gw_region_choice *choice, bool *inside) {
    const char *text = choice->targets, *path = choice->targets_file;
    const bool text_out = text && text[0] == '^', path_out = path && path[0] == '^';
    if (text && path && text_out != path_out)
        return gw_fail(GW_ERR_UNSUPPORTED, "targets by -t and by -T are either both kept or both left out (^)");
    *inside = !text_out && !path_out;
    GW_TRY(read_both(targets, genome, text ? text + text_out : NULL, path ? path + path_out : NULL));
    gw_regions_merge(targets);
    return GW_OK;
}

gw_status gw_regions_choose(gw_regions *regions, gw_genome *genome, const gw_region_choice *choice) {
    gw_regions wholes = {0}, targets = {0};
    bool inside = false;
    gw_status status = GW_OK;
    if (choice->regions || choice->regions_file)
        GW_TRY_GOTO(status, read_both(&wholes, genome, choice->regions, choice->regions_file), done);
    else GW_TRY_GOTO(status, add_contigs(&wholes, genome), done);
    if (choice->targets || choice->targets_file)
        GW_TRY_GOTO(status, read_targets(&targets, genome, choice, &inside), done);
    for (int64_t i = 0; i < wholes.count && status == GW_OK; i++)
        status = cut(regions, &wholes.items[i], &targets, inside);
done:
    gw_regions_free(&wholes);
    gw_regions_free(&targets);
    return status;
}
