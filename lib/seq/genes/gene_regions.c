// SPDX-License-Identifier: MIT
// Goes through all transcripts for each name: lists are short.
#include "seq/genes/gene_regions.h"

#include "base/parse.h"
#include "seq/genes/gene_models.h"

#include <stdlib.h>
#include <string.h>

static const char PREFIX[] = "gene:";

static bool names_gene(const char *one) {
    return strncmp(one, PREFIX, sizeof PREFIX - 1) == 0;
}

bool gw_regions_name_genes(const char *list) {
    for (const char *at = list; at; at = gw_next_item(at, ','))
        if (names_gene(at)) return true;
    return false;
}

static void append(gw_string *out, const char *text, int64_t length) {
    if (out->length > 0) gw_string_putc(out, ',');
    gw_string_append(out, text, length);
}

static gw_status append_gene(const gw_gene_models *models, const gw_genome *genome, const char *path, const char *name,
                             gw_string *out) {
    bool any = false;
    for (int contig = 0; contig < gw_genome_contigs(genome); contig++) {
        int64_t begin = INT64_MAX, end = 0;
        for (int64_t i = models->first[contig]; i < models->first[contig + 1]; i++) {
            const gw_gene_model *gene = &models->items[i];
            if (!gw_gene_is_called(gene, name, strlen(name))) continue;
            if (gene->begin < begin) begin = gene->begin;
            if (gene->end > end) end = gene->end;
        }
        if (end == 0) continue;
        any = true;
        append(out, gw_genome_name(genome, contig), (int64_t)strlen(gw_genome_name(genome, contig)));
        gw_string_printf(out, ":%lld-%lld", (long long)begin + 1, (long long)end);
    }
    if (any) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s has no gene '%s' on %s", path, name, gw_genome_path(genome));
}

static gw_status write_places(const char *list, const char *path, gw_genome *genome, gw_string *out) {
    gw_gene_models models = {0};
    if (!path) return gw_fail(GW_ERR_USAGE, "regions '%.60s': --genes says where a gene is", list);
    gw_status status = gw_transcripts_read(path, genome, &models);
    for (const char *at = list; at && status == GW_OK;) {
        const char *comma = strchr(at, ',');
        const int64_t length = comma ? comma - at : (int64_t)strlen(at);
        char name[256] = "";
        const int64_t skipped = (int64_t)sizeof PREFIX - 1;
        if (!names_gene(at)) append(out, at, length);
        else if (length - skipped >= (int64_t)sizeof name)
            status = gw_fail(GW_ERR_USAGE, "region '%.40s...': the name is too long", at);
        else {
            memcpy(name, at + skipped, (size_t)(length - skipped));
            status = append_gene(&models, genome, path, name, out);
        }
        at = comma ? comma + 1 : NULL;
    }
    gw_gene_models_free(&models);
    return status == GW_OK ? gw_string_status(out) : status;
}

gw_status gw_place_genes(const char **list, const char *path, gw_genome *genome, gw_string *own) {
    if (!gw_regions_name_genes(*list)) return GW_OK;
    GW_TRY(write_places(*list, path, genome, own));
    *list = own->data;
    return GW_OK;
}

gw_status gw_regions_parse_genes(gw_regions *regions, gw_genome *genome, const char *list, const char *path) {
    gw_string own = {0};
    gw_status status = gw_place_genes(&list, path, genome, &own);
    if (status == GW_OK) status = gw_regions_parse(regions, genome, list);
    gw_string_free(&own);
    return status;
}
